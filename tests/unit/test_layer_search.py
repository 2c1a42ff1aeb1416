"""search_layers: 60 paraphrases, misspellings and translations, and 20 absent topics, written before the code.

``layer_search_queries.jsonl``: a query and the layer that is meant, null for a topic that is not there. "sample" is the sample
project as QGIS pushes it (``support/sample_catalogue.json``), "many" a project of 300 layers (``support/many_layers.py``).
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from many_layers import THEMES, many_layers
from opencc import OpenCC
from pypinyin import lazy_pinyin

from qgis_agent.agent.context.catalogue import CatalogueStore, rank_layers
from qgis_agent.agent.context.layer_index import LayerIndex
from qgis_agent.agent.context.layer_search import search
from qgis_agent.agent.context.layer_text import tokens
from qgis_agent.agent.context.layer_words import STOP, WEAK, glossary
from qgis_agent.bridge.messages import CatalogueLayer

HERE = Path(__file__).resolve().parent
ROWS = [json.loads(line) for line in (HERE / "layer_search_queries.jsonl").read_text("utf-8").splitlines()]
MEANT = [each for each in ROWS if each["meant"]]
ABSENT = [each for each in ROWS if not each["meant"]]
GOAL = 0.95
TRADITIONAL = OpenCC("s2t")
QUERY_MS = 20.0
"""Of one query at 10,000 layers; may be asserted at three times its goal (design, section 10)."""


def sample() -> list[dict[str, Any]]:
    return list(json.loads((HERE.parent / "support" / "sample_catalogue.json").read_text("utf-8")))


@pytest.fixture(scope="module")
def stores() -> dict[str, CatalogueStore]:
    made = {"sample": CatalogueStore(), "many": CatalogueStore()}
    made["sample"].replace(sample(), "sample")
    made["many"].replace(many_layers(300), "many")
    return made


def first(store: CatalogueStore, query: str) -> str | None:
    found = store.search(query)
    return found[0]["layer_id"] if found else None


def layer(layer_id: str, kind: str = "point", **more: Any) -> CatalogueLayer:
    base: dict[str, Any] = {"layer_id": layer_id, "name": layer_id, "kind": kind, "group": "", "abstract": ""}
    base |= {"visible": True, "crs": "EPSG:4326", "fields": []}
    return base | more  # type: ignore[return-value]


def test_the_list_is_as_it_must_be() -> None:
    """60 with a layer of the project, 20 absent, no query twice in a project."""
    assert (len(MEANT), len(ABSENT)) == (60, 20)
    assert len({(each["project"], each["query"]) for each in ROWS}) == 80
    there = {"sample": {each["layer_id"] for each in sample()}, "many": {each["layer_id"] for each in many_layers(300)}}
    assert all(each["meant"] in there[each["project"]] for each in MEANT)


def test_the_meant_layer_is_first(stores: dict[str, CatalogueStore]) -> None:
    """In at least 95 % of the list."""
    missed = [each for each in MEANT if first(stores[each["project"]], each["query"]) != each["meant"]]
    assert len(missed) <= (1 - GOAL) * len(MEANT), missed


@pytest.mark.parametrize("row", ABSENT, ids=lambda row: row["query"])
def test_an_absent_topic_finds_nothing(stores: dict[str, CatalogueStore], row: dict[str, Any]) -> None:
    """In both projects."""
    assert {name: first(store, row["query"]) for name, store in stores.items()} == {"sample": None, "many": None}


LAYERS = [
    layer("学校_2022"),
    layer("学校_2023"),
    layer("BusStopsNew"),
    layer("绿地", "polygon", abstract="Leisure and recreation areas of the inner city"),
    layer("cafés", fields=[{"name": "kaffee", "alias": "咖啡品种", "type": "text"}]),
    layer("x1", "line", file="tram_tracks_2020.gpkg"),
    layer("bank_branches", group="金融 / 网点"),
    layer("lrdl", "line"),
]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("学校 2023", "学校_2023"),
        ("学校2022", "学校_2022"),
        ("schools of 2023", "学校_2023"),
        ("學校２０２３", "学校_2023"),
        ("xuexiao 2023", "学校_2023"),
        ("xue xiao 2022", "学校_2022"),
        ("busstops", "BusStopsNew"),
        ("bus stops", "BusStopsNew"),
        ("BUS_STOPS", "BusStopsNew"),
        ("bus stpos", "BusStopsNew"),
        ("recreation", "绿地"),
        ("lvdi", "绿地"),
        ("parks", "绿地"),
        ("cafe", "cafés"),
        ("咖啡品种", "cafés"),
        ("kaffee", "cafés"),
        ("tram_tracks_2020.gpkg", "x1"),
        ("有轨电车", "x1"),
        ("银行", "bank_branches"),
        ("yinhang", "bank_branches"),
        ("道路", "lrdl"),
        ("LRDL", "lrdl"),
    ],
)
def test_what_is_searched(query: str, meant: str) -> None:
    """Case, width, traditional characters, pinyin, slips, years, accents, camel case; name, abstract, field, alias, file, group."""
    assert [each["layer_id"] for each in rank_layers(LAYERS, query)][:1] == [meant]


CUT = [
    layer("elev", "raster"),
    layer("precip_2020", "raster"),
    layer("Arrondissements", "polygon"),
    layer("hubei_gbk", "polygon"),
    layer("湖北城市"),
    layer("port"),
]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("elevation", "elev"),
        ("高程", "elev"),
        ("precipitation", "precip_2020"),
        ("arondisments", "Arrondissements"),
        ("arondissement", "Arrondissements"),
        ("hubei cities", "湖北城市"),
        ("hubei", "hubei_gbk"),
        ("hubeichengshi", "湖北城市"),
    ],
)
def test_names_cut_short_and_words_that_are_pinyin_of_another_name(query: str, meant: str) -> None:
    """An abbreviation in the project, three slips in a long word, a word of one name that is how another one sounds."""
    assert [each["layer_id"] for each in rank_layers(CUT, query)][:1] == [meant]


@pytest.mark.parametrize(
    "query", ["portrait studios", "elevators", "prescription", "parking", "Argentinian departments"]
)
def test_a_word_that_only_begins_alike_is_none(query: str) -> None:
    """A whole word at the beginning of another is no abbreviation of it."""
    assert rank_layers(CUT, query) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("學校", "学校"),
        ("ＢＵＳ　ＳＴＯＰＳ", "bus_stop"),
        ("BusStops", "bus-stops"),
        ("Café", "CAFE"),
        ("ggcs", "GGCS"),
        ("gyms", "gym"),
    ],
)
def test_spellings_of_one_name(one: str, other: str) -> None:
    """The same tokens: traditional, full-width, camel case, accents, plurals; letters without a vowel keep their s."""
    assert tokens(one) == tokens(other)
    assert tokens("ggcs") == ("ggcs",)


FORMS = {
    "English": lambda english, chinese: english.replace("_", " "),
    "capitals": lambda english, chinese: english.upper(),
    "joined": lambda english, chinese: english.replace("_", ""),
    "a sentence": lambda english, chinese: f"show me where the {english.replace('_', ' ')} are",
    "Chinese": lambda english, chinese: chinese,
    "traditional": lambda english, chinese: TRADITIONAL.convert(chinese),
    "full pinyin": lambda english, chinese: "".join(lazy_pinyin(chinese)),
    "pinyin with blanks": lambda english, chinese: " ".join(lazy_pinyin(chinese)),
    "a Chinese sentence": lambda english, chinese: f"在哪里可以看到{chinese}的分布图",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_theme_is_found_in_each_form(stores: dict[str, CatalogueStore], form: str) -> None:
    """All themes of the 300 layers: the first layer found is of the theme, by the fields and kind of the generator."""
    missed = []
    for theme in THEMES:
        query = FORMS[form](theme[0], theme[1])
        found = stores["many"].search(query)
        fields = [each.split(":")[0] for each in theme[4].split()]
        if not found or [each["name"] for each in found[0]["fields"]] != fields or found[0]["kind"] != theme[2]:
            missed.append((query, found[:1]))
    assert len(missed) <= 0.02 * len(THEMES), missed


def test_most_typing_errors_are_forgiven(stores: dict[str, CatalogueStore]) -> None:
    """One letter wrong, missing, doubled or swapped, drawn by a fixed seed, in every English name of six letters and more."""
    chance = random.Random(5)
    missed = []
    names = [theme for theme in THEMES if len(theme[0]) > 5]
    for theme in names:
        at = chance.randrange(1, len(theme[0]) - 2)
        while "_" in theme[0][at : at + 2]:
            at = chance.randrange(1, len(theme[0]) - 2)
        head, letter, after, tail = theme[0][:at], theme[0][at], theme[0][at + 1], theme[0][at + 2 :]
        slip = chance.choice(
            (
                head + after + tail,
                head + "q" + after + tail,
                head + letter * 2 + after + tail,
                head + after + letter + tail,
            )
        )
        found = stores["many"].search(slip.replace("_", " "))
        if not found or [each["name"] for each in found[0]["fields"]] != [
            each.split(":")[0] for each in theme[4].split()
        ]:
            missed.append((slip, theme[0]))
    assert len(missed) <= 0.05 * len(names), missed


def test_a_narrow_thing_is_found_by_a_broad_word_and_not_the_other_way_round() -> None:
    """A bridge is transport; not all transport is a bridge. A primary school may be in "schools"."""
    layers = [layer("bridges", "line"), layer("transport_zones", "polygon"), layer("schools")]
    assert [each["layer_id"] for each in rank_layers(layers, "transport")] == ["transport_zones", "bridges"]
    assert [each["layer_id"] for each in rank_layers(layers, "bridges")] == ["bridges"]
    assert [each["layer_id"] for each in rank_layers(layers, "小学")] == ["schools"]


def test_one_of_several_things_is_enough_but_half_of_one_is_not() -> None:
    """ "schools and hospitals" are two things, "school bus depots" is one."""
    layers = [layer("schools"), layer("hospitals"), layer("roads", "line")]
    both = ["schools", "hospitals"]
    for query in ("schools and hospitals", "学校和医院", "schools, hospitals", "学校、医院"):
        assert sorted(each["layer_id"] for each in rank_layers(layers, query)) == sorted(both), query
    assert rank_layers(layers, "hospital helicopter bases") == []


def test_a_known_word_is_no_slip_of_another() -> None:
    """地质 (geology) sounds like 地址 (address); "lamp" is one letter from "camp"; both are words."""
    layers = [layer("地址"), layer("walls", "line"), layer("供水管线", "line")]
    assert rank_layers(layers, "地质") == []
    assert rank_layers(layers, "malls") == []
    assert rank_layers(layers, "供热管线") == []
    assert [each["layer_id"] for each in rank_layers(layers, "供水管现")] == ["供水管线"]


def test_an_empty_query_lists_all_in_the_order_of_the_tree() -> None:
    """So do words that say nothing of a layer; a kind leaves the others out."""
    names = [each["layer_id"] for each in LAYERS]
    for query in ("", "  ", "all layers", "所有图层"):
        assert [each["layer_id"] for each in rank_layers(LAYERS, query)] == names
    assert [each["layer_id"] for each in rank_layers(LAYERS, "", "line")] == ["x1", "lrdl"]
    assert rank_layers(LAYERS, "学校", "line") == []
    assert rank_layers(LAYERS, "？！🎉") == [] == rank_layers([], "schools")


def test_the_order_is_the_same_each_time_and_equal_ones_stand_as_in_the_tree() -> None:
    """Whatever the hash seed: the list is compared with its own mirror, too."""
    layers = [layer(f"road_{each}", "line") for each in "cab"]
    assert [each["layer_id"] for each in rank_layers(layers, "roads")] == ["road_c", "road_a", "road_b"]
    assert [each["layer_id"] for each in rank_layers(layers[::-1], "roads")] == ["road_b", "road_a", "road_c"]


@pytest.mark.parametrize(
    "query", ["a" * 120, "学" * 120, "x y z " * 20, "1" * 120, "的" * 60, "_-/.", "'; drop", "\u202e学校\x00"]
)
def test_odd_queries_are_answered(stores: dict[str, CatalogueStore], query: str) -> None:
    """No error and a list; soon enough, too."""
    began = time.perf_counter()
    assert isinstance(stores["many"].search(query), list)
    assert time.perf_counter() - began < 3


def test_a_pushed_catalogue_is_searched_anew() -> None:
    """The index goes with the catalogue; a layer without fields, file or known kind is there, too."""
    store = CatalogueStore()
    assert store.replace([{"layer_id": "a", "name": "schools", "file": 5}, 3, {"name": "none"}], "p") == 2
    assert first(store, "school") == "a"
    store.replace([{"layer_id": "b", "name": "医院", "file": "yy.shp", "kind": "?"}], "p")
    asyncio.run(store.ready())
    assert (first(store, "school"), first(store, "hospital")) == (None, "b")
    assert store.layers()[0]["kind"] == "other"


def test_a_query_over_10000_layers_takes_under_20_ms() -> None:
    """The best of five of each query, as others use this machine; three times the goal here, the goal is the bench's."""
    index = LayerIndex(many_layers(10_000))
    for query in (
        "schools",
        "学校",
        "scools",
        "xuexiao",
        "xx",
        "学效",
        "name",
        "hospitals in yunxi 2023",
        "volcanoes",
        "polygon",
    ):
        search(index, query)
        times = []
        for _ in range(5):
            began = time.perf_counter()
            search(index, query)
            times.append((time.perf_counter() - began) * 1000)
        assert min(times) < 3 * QUERY_MS, query


def test_the_glossary_is_sound() -> None:
    """No word twice, none that is left out of queries, no Chinese word among the English ones; every broader concept exists."""
    known = glossary()
    assert [word for word, concepts in known.by_word.items() if len(concepts) > 1] == []
    assert [word for word, concepts in known.han_words.items() if len(concepts) > 1] == []
    assert [word for word in known.by_word if not word.isascii()] == []
    assert [word for word in known.han_words if word.isascii()] == []
    assert len(known.by_word) > 1000 < len(known.han_words)
    assert not STOP & set(known.by_word)
    assert not STOP & WEAK
