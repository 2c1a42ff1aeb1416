"""calculate_field and refactor_fields against closed form, pyproj and what the values are."""

from __future__ import annotations

from typing import Any

import pyproj
import pytest
import shapely
from conftest import Bench, memory_layer
from qgis.core import QgsVectorLayer, QgsVectorLayerJoinInfo

GEOD = pyproj.Geod(ellps="WGS84")


def column(bench: Bench, data: dict[str, Any], field: str) -> list[Any]:
    """The values of a field of a result; NULL as None."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert isinstance(layer, QgsVectorLayer)
    position = layer.fields().indexOf(field)
    assert position >= 0, [each.name() for each in layer.fields()]
    values = [each[position] for each in layer.getFeatures()]
    return [None if str(each) == "NULL" else each for each in values]


def table(bench: Bench, definition: str, rows: list[list[Any]], name: str = "t") -> QgsVectorLayer:
    """A point layer of these rows."""
    return bench.add(memory_layer("Point?crs=EPSG:4326&" + definition, [("POINT(1 2)", each) for each in rows], name))


def test_a_ratio_and_its_nulls(bench: Bench) -> None:
    """a / b: division by zero is NULL and told apart from a NULL that was there; the source keeps its fields."""
    layer = table(bench, "field=a:double&field=b:double", [[10, 4], [1, 0], [None, 5], [6, 3]])
    data = bench.ok("calculate_field", layer_id="t", field="ratio", formula='"a" / "b"')
    assert column(bench, data, "ratio") == [2.5, None, None, 2.0]
    assert (data["null_count"], data["sum"], data["min"], data["max"], data["mean"]) == (2, 4.5, 2.0, 2.5, 2.25)
    assert any("2 of 4 values are NULL, 1 of them" in each for each in data["warnings"])
    assert [each.name() for each in layer.fields()] == ["a", "b"]


def test_a49_no_feature_is_lost_for_its_value(bench: Bench) -> None:
    """99999999999 does not fit 32 bits: both features stay, with the value; what no type can hold is refused beforehand.

    2.5 in a whole number becomes 3, and is told; 5 // 2 is 2.
    """
    table(bench, "field=a:integer", [[5], [6]])
    data = bench.ok("calculate_field", layer_id="t", field="v", formula='if("a"=5, 1, 99999999999)', type="integer")
    assert (data["feature_count"], column(bench, data, "v")) == (2, [1, 99999999999])
    envelope = bench.call("calculate_field", layer_id="t", field="v", formula='"a" * 1e30', type="integer")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "field_type")
    data = bench.ok("calculate_field", layer_id="t", field="half", formula='"a" / 2', type="integer")
    assert column(bench, data, "half") == [3, 3]
    assert any("1 values were rounded" in each for each in data["warnings"])
    data = bench.ok("calculate_field", layer_id="t", field="half", formula='"a" // 2', type="integer")
    assert column(bench, data, "half") == [2, 3]
    text = bench.ok(
        "calculate_field",
        layer_id="t",
        field="long",
        formula="rpad('x', 300, 'y')",
        type="text",
    )
    assert {len(each) for each in column(bench, text, "long")} == {300}


@pytest.mark.parametrize("ellipsoid", ["NONE", "EPSG:7030"])
def test_a04_areas_are_ellipsoidal_whatever_the_project_says(bench: Bench, ellipsoid: str) -> None:
    """The polygon of case A04 in EPSG:3857: 621,587.2 m² with the project's ellipsoid unset as well."""
    bench.host.project.setEllipsoid(ellipsoid)
    forward = pyproj.Transformer.from_crs(4326, 3857, always_xy=True).transform
    ring = [(10, 60), (10.01, 60), (10.01, 60.01), (10, 60.01)]
    bench.add(
        memory_layer("Polygon?crs=EPSG:3857", [(shapely.Polygon([forward(*each) for each in ring]).wkt, [])], "p")
    )
    data = bench.ok("calculate_field", layer_id="p", field="m2", formula="$area")
    assert column(bench, data, "m2")[0] == pytest.approx(621_587.2, rel=1e-6)
    assert data["sum"] == pytest.approx(abs(GEOD.polygon_area_perimeter(*zip(*ring))[0]), rel=1e-5)


def test_planar_functions_in_degrees_are_told(bench: Bench) -> None:
    """area(@geometry) of a lon/lat layer is in square degrees: said."""
    bench.add(memory_layer("Polygon?crs=EPSG:4326", [("POLYGON((116 39,117 39,117 40,116 40,116 39))", [])], "p"))
    data = bench.ok("calculate_field", layer_id="p", field="d", formula="area(@geometry)")
    assert data["sum"] == pytest.approx(1.0)
    assert any("square degrees" in each for each in data["warnings"])


@pytest.mark.parametrize(
    ("formula", "kind", "expected"),
    [
        ("to_int(regexp_substr(\"s\", '([0-9]+)'))", "integer", [12, 7]),
        ("to_date(regexp_substr(\"s\", '([0-9-]{10})'))", "text", ["2024-03-05", "2023-12-31"]),
        ('upper(left("s", 1))', "text", ["A", "B"]),
        ('length("s") > 14', "boolean", [True, False]),
    ],
)
def test_texts(bench: Bench, formula: str, kind: str, expected: list[Any]) -> None:
    """Numbers and dates out of a text, as the tasks want them."""
    table(bench, "field=s:string(40)", [["a 12 on 2024-03-05 "], ["b7 2023-12-31"]])
    if kind == "text" and "date" in formula:
        formula = f"format_date({formula}, 'yyyy-MM-dd')"
    assert (
        column(bench, bench.ok("calculate_field", layer_id="t", field="v", formula=formula, type=kind), "v") == expected
    )


def test_formulas_that_are_refused(bench: Bench) -> None:
    """Files, environment, an unknown field, one that fails, one that gives nothing; nothing is added."""
    table(bench, "field=s:string(9)", [["abc"], ["5"]])
    for formula in ("env('HOME')", "load_layer('/etc/passwd','ogr')", "eval('1')", '"zz" + 1', 'to_int("s")', "1 +"):
        envelope = bench.call("calculate_field", layer_id="t", field="v", formula=formula)
        assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "formula"), (formula, envelope)
    envelope = bench.call("calculate_field", layer_id="t", field="v", formula='try(to_int("s"))')
    assert envelope["ok"]
    assert bench.call("calculate_field", layer_id="t", field="v", formula="1 / 0")["reason"] == "nothing_made"
    assert bench.call("calculate_field", layer_id="t", field="v", formula='"s"', type="date")["reason"] == "field_type"
    assert len(bench.host.created_layers) == 1


def test_a56_virtual_and_joined_fields_come_along(bench: Bench) -> None:
    """virt = a · 10 with a = 2 gives 20 in the copy, as a plain field."""
    layer = table(bench, "field=a:integer", [[2]])
    from qgis.core import QgsField
    from qgis.PyQt.QtCore import QMetaType

    layer.addExpressionField('"a" * 10', QgsField("virt", QMetaType.Type.Int))
    other = bench.add(memory_layer("None?field=k:integer&field=t:string(5)", [(None, [2, "two"])], "other"))
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(other)
    join.setTargetFieldName("a")
    join.setJoinFieldName("k")
    layer.addJoin(join)
    data = bench.ok("calculate_field", layer_id="t", field="v", formula='"virt" + 1')
    assert column(bench, data, "v") == [21.0]
    assert column(bench, data, "virt") == [20]
    assert column(bench, data, "other_t") == ["two"]


def test_a_field_is_replaced_in_its_place(bench: Bench) -> None:
    """An existing name, whatever its case: the copy has it once, with the new type."""
    table(bench, "field=n:string(5)&field=x:integer", [["7", 1], ["8", 2]])
    data = bench.ok("calculate_field", layer_id="t", field="N", formula='to_int("n")', type="integer")
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert [each.name() for each in layer.fields()] == ["n", "x"]
    assert column(bench, data, "n") == [7, 8]


def test_text_to_numbers(bench: Bench) -> None:
    """Values that cannot be read are counted and shown, empty ones are none, big and padded ones are right."""
    rows = [
        ["1", "84.55", "007"],
        [" 5000000000 ", "1e3", "012"],
        ["x", "", "100"],
        [None, "-.5", "5"],
        ["3.0", "1,5", "6"],
    ]
    table(bench, "field=i:string(20)&field=f:string(20)&field=c:string(9)", rows)
    changes = [
        {"field": "i", "type": "integer"},
        {"field": "f", "type": "number", "name": "value"},
        {"field": "c", "type": "integer"},
    ]
    data = bench.ok("refactor_fields", layer_id="t", changes=changes)
    assert column(bench, data, "i") == [1, 5_000_000_000, None, None, 3]
    assert column(bench, data, "value") == [84.55, 1000.0, None, -0.5, None]
    assert column(bench, data, "c") == [7, 12, 100, 5, 6]
    assert data["converted"] == {
        "i": {"values": 4, "unread": 1},
        "value": {"values": 4, "unread": 1},
        "c": {"values": 5, "unread": 0},
    }
    said = " ".join(data["warnings"])
    assert "'x'" in said and "'1,5'" in said and "2 values of 'c' lost leading zeros" in said


def test_rename_order_drop_and_other_types(bench: Bench) -> None:
    """Names and order; number to whole number rounds and says so; dates and truth to and from text."""
    rows = [[1.5, "2024-02-29", "yes", 1], [2.0, "2023-01-01", "no", 0]]
    layer = table(bench, "field=n:double&field=d:string(10)&field=b:string(5)&field=k:integer", rows)
    layer.setFieldAlias(3, "Kennung")
    changes = [
        {"field": "n", "type": "integer"},
        {"field": "d", "type": "date", "name": "day"},
        {"field": "b", "type": "boolean"},
    ]
    data = bench.ok("refactor_fields", layer_id="t", changes=changes, keep=["k", "d", "n", "b"])
    assert [each["name"] for each in data["fields"]] == ["k", "day", "n", "b"]
    assert column(bench, data, "n") == [2, 2]
    assert [each.toString("yyyy-MM-dd") for each in column(bench, data, "day")] == ["2024-02-29", "2023-01-01"]
    assert column(bench, data, "b") == [True, False]
    assert bench.host.layers.by_alias(data["layer_id"]).fields()[0].alias() == "Kennung"
    assert any("1 values of 'n' were rounded" in each for each in data["warnings"])
    back = bench.ok(
        "refactor_fields",
        layer_id=data["layer_id"],
        changes=[{"field": "day", "type": "text"}, {"field": "b", "drop": True}],
    )
    assert column(bench, back, "day") == ["2024-02-29", "2023-01-01"]
    assert back["dropped"] == 1


def test_changes_that_cannot_be(bench: Bench) -> None:
    """No field, two of one name, none left, nothing to do, a conversion that has no sense, values that are all unread."""
    table(bench, "field=a:string(9)&field=b:integer", [["x", 1]])
    bad: list[dict[str, Any]] = [
        {"changes": [{"field": "a", "name": "B"}]},
        {"changes": [{"field": "a", "drop": True}, {"field": "b", "drop": True}]},
        {},
        {"changes": [{"field": "b", "type": "date"}]},
        {"changes": [{"field": "a", "type": "integer"}]},
    ]
    for each in bad:
        assert bench.code("refactor_fields", layer_id="t", **each) == "INVALID_PARAM", each
    assert bench.code("refactor_fields", layer_id="t", changes=[{"field": "zz", "drop": True}]) == "NOT_FOUND"
    assert bench.host.created_layers == []
