"""Numbers, conditions, and the names of layers and fields in the offline commands."""

from __future__ import annotations

from typing import Any

import pytest

from qgis_agent.agent.offline.conditions import parse_where, reads_as_condition, split_phrase
from qgis_agent.agent.offline.naming import close_layers, key, match_fields, match_layers, strip_phrase
from qgis_agent.agent.offline.text import clean, number
from qgis_agent.agent.offline.words import METRES
from qgis_agent.bridge.messages import CatalogueLayer


def layer(layer_id: str, kind: str = "point", name: str = "", fields: str = "") -> CatalogueLayer:
    """A layer of the catalogue; ``fields`` is "name:type[:alias] …"."""
    parsed = [each.split(":") + [""] for each in fields.split()]
    return {
        "layer_id": layer_id,
        "name": name or layer_id,
        "kind": kind,
        "group": "",
        "abstract": "",
        "visible": True,
        "crs": "EPSG:4326",
        "fields": [{"name": each[0], "type": each[1], "alias": each[2]} for each in parsed],
    }


CITY = [
    layer("schools", fields="name:text:学校名称 kind:text:类别 pupils:integer:学生数 open:boolean"),
    layer("hospitals"),
    layer("bus_stops"),
    layer("streets", "polygon"),
    layer("districts", "polygon"),
    layer("公共设施"),
    layer("dem", "raster"),
]


def ids(layers: list[CatalogueLayer]) -> list[str]:
    return [each["layer_id"] for each in layers]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500", 500), ("1,500", 1500), ("1,234,567.5", 1234567.5), ("0.5", 0.5), (".5", 0.5), ("五百", 500), ("十二", 12),
        ("两千三百", 2300), ("一万", 10000), ("三万五千", 35000), ("半", 0.5), ("ten", 10), ("half", 0.5), ("一百零五", 105),
        ("1,5", None), ("五五", None), ("百", None), ("", None), ("schools", None), ("-5", None), ("1e3", None), ("nan", None),
    ],
)  # fmt: skip
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value


def test_units_are_the_exact_international_ones() -> None:
    assert METRES["ft"] == METRES["feet"] == METRES["英尺"] == 0.3048
    assert METRES["mile"] == 5280 * 0.3048
    assert METRES["yd"] == pytest.approx(3 * 0.3048, abs=1e-12)
    assert METRES["千米"] == METRES["公里"] == METRES["km"] == 1000.0


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Please   hide schools!! ", "hide schools"),
        ("请帮我把学校关掉吧。", "把学校关掉"),
        ("放大到城关区（330103）？", "放大到城关区(330103)"),
        ("Could you please zoom to France?", "zoom to France"),
        ("？", "?"),
    ],
)
def test_cleaning(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("schools", ["schools"]), ("School", ["schools"]), ("the schools", ["schools"]), ("学校", ["schools"]),
        ("学校图层", ["schools"]), ("the schools layer", ["schools"]), ("bus stops", ["bus_stops"]), ("Bus Stop", ["bus_stops"]),
        ("公交站", ["bus_stops"]), ("街道", ["streets"]), ("street", ["streets"]), ("区县", ["districts"]), ("“schools”", ["schools"]),
        ("public facilities", ["公共设施"]), ("设施", ["公共设施"]), ("elevation", ["dem"]), ("SCHOOLS", ["schools"]),
        ("街道B", []), ("France", []), ("s", []), ("", []), ("the", []),
    ],
)  # fmt: skip
def test_layers_by_name_plural_and_language(phrase: str, expected: list[str]) -> None:
    assert ids(match_layers(phrase, CITY)) == expected


def test_an_equal_name_wins_over_synonyms_and_over_longer_names() -> None:
    layers = [layer("学校"), layer("schools"), layer("old_schools"), layer("schools_per_streets", "polygon")]
    assert ids(match_layers("学校", layers)) == ["学校"]
    assert ids(match_layers("schools", layers)) == ["schools"]
    assert ids(match_layers("schools", layers[2:])) == ["old_schools", "schools_per_streets"]
    assert ids(match_layers("schools", layers[2:], ("polygon",))) == ["schools_per_streets"]
    assert ids(match_layers("schools", layers[2:], loose=False)) == []


def test_two_layers_of_one_name_are_both_returned_and_brackets_choose() -> None:
    layers = [layer("roads", "line", "roads"), layer("roads-2", "line", "roads")]
    assert ids(match_layers("roads", layers)) == ["roads", "roads-2"]
    assert ids(match_layers("[roads]", layers)) == ["roads"]
    assert ids(match_layers("[roads-2]", layers)) == ["roads-2"]


def test_near_names() -> None:
    assert ids(close_layers("schols", CITY))[0] == "schools"


def test_phrases_keep_their_name() -> None:
    assert strip_phrase("all the schools layer") == "schools"
    assert strip_phrase("图层") == "图层"
    assert key("Bus_Stops") == key("bus stop")
    assert key("Districts") != key("District 9")


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("kind", ["kind"]),
        ("类型", ["kind"]),
        ("类别", ["kind"]),
        ("学生数", ["pupils"]),
        ("students", ["pupils"]),
        ("面积", []),
        ("Name", ["name"]),
    ],
)
def test_fields_by_name_alias_and_synonym(phrase: str, expected: list[str]) -> None:
    assert [each["name"] for each in match_fields(phrase, CITY[0])] == expected


def cond(field: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"field": field, "op": op} if value is None else {"field": field, "op": op, "value": value}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("kind = 小学", [cond("kind", "eq", "小学")]),
        ("类型为小学", [cond("kind", "eq", "小学")]),
        ("kind is not 小学", [cond("kind", "ne", "小学")]),
        ("类别不是小学", [cond("kind", "ne", "小学")]),
        ("pupils > 500", [cond("pupils", "gt", 500)]),
        ("pupils >= 500", [cond("pupils", "gte", 500)]),
        ("学生数不小于500", [cond("pupils", "gte", 500)]),
        ("学生数小于五百", [cond("pupils", "lt", 500)]),
        ("pupils at least 1,000", [cond("pupils", "gte", 1000)]),
        ("pupils less than 2.5", [cond("pupils", "lt", 2.5)]),
        ("name contains 中心", [cond("name", "contains", "中心")]),
        ("名称包含中心", [cond("name", "contains", "中心")]),
        ("kind = '500'", [cond("kind", "eq", "500")]),
        ("kind = 500", [cond("kind", "eq", "500")]),
        ("open = true", [cond("open", "eq", True)]),
        ("pupils is empty", [cond("pupils", "is_null")]),
        ("kind = 小学 and pupils > 500", [cond("kind", "eq", "小学"), cond("pupils", "gt", 500)]),
        ("类型为小学且学生数大于500", [cond("kind", "eq", "小学"), cond("pupils", "gt", 500)]),
        ("colour = red", [cond("colour", "eq", "red")]),
        ("", []),
        ("schools", None),
        ("kind =", None),
    ],
)
def test_conditions(text: str, where: list[dict[str, Any]] | None) -> None:
    assert parse_where(text, CITY[0]) == where


def test_a_place_with_a_verb_in_its_name_is_no_condition() -> None:
    assert reads_as_condition("类型为小学", CITY[0])
    assert not reads_as_condition("无为市", CITY[0])


@pytest.mark.parametrize(
    ("phrase", "parts"),
    [
        ("类型为小学的学校", ("学校", "类型为小学")),
        ("学校 类型=小学", ("学校", "类型=小学")),
        ("学校中类型为小学的", ("学校", "类型为小学")),
        ("街道B的学校", ("街道B的学校", "")),
        ("学校", ("学校", "")),
    ],
)
def test_chinese_noun_phrases(phrase: str, parts: tuple[str, str]) -> None:
    assert split_phrase(phrase) == parts
