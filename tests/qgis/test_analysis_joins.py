"""spatial_join and join_attribute: pairs by shapely and by hand, counts that agree, keys, types, edits, and what is refused."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsField,
    QgsGeometry,
    QgsVariantUtils,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QMetaType

from qgis_agent.gis.analysis.joins import relate
from qgis_agent.gis.host import run_until
from qgis_agent.gis.work import running_tasks

PREDICATES = ["intersects", "within", "contains", "touches", "overlaps", "equals", "crosses"]


def plain(value: Any) -> Any:
    """NULL as None."""
    return None if QgsVariantUtils.isNull(value) else value


def rows(bench: Bench, alias: str) -> list[list[Any]]:
    """All attributes of a result."""
    layer = bench.host.layers.by_alias(alias)
    return [[plain(each) for each in feature.attributes()] for feature in layer.getFeatures()]


def squares() -> QgsVectorLayer:
    """Two squares of 10 m that share x = 10."""
    texts = ["POLYGON((0 0,10 0,10 10,0 10,0 0))", "POLYGON((10 0,20 0,20 10,10 10,10 0))"]
    cells = [(texts[0], ["a", 1, 2.5]), (texts[1], ["b", 2, None])]
    return memory_layer("Polygon?crs=EPSG:32650&field=name:string(5)&field=n:integer&field=x:double", cells, "squares")


def spots() -> QgsVectorLayer:
    """Points inside, on the common border, and outside."""
    places = [(f"POINT({x} 5)", [number]) for number, x in enumerate((5, 10, 15, 30), 1)]
    return memory_layer("Point?crs=EPSG:32650&field=id:integer", places, "spots")


def test_a63_shared_borders_and_one_to_many(bench: Bench) -> None:
    """4 points give 5 rows where the one on the border intersects both squares, 4 rows by "within"; each count is told."""
    bench.add(spots())
    bench.add(squares())

    def join(predicate: str, mode: str) -> tuple[dict[str, Any], str]:
        envelope = bench.call(
            "spatial_join",
            layer_id="spots",
            join_layer_id="squares",
            predicate=predicate,
            fields=["name"],
            options={"mode": mode},
        )
        assert envelope["ok"], envelope
        return envelope["data"], envelope["message"]

    data, message = join("intersects", "one_to_many")
    assert rows(bench, data["layer_id"]) == [[1, "a"], [2, "a"], [2, "b"], [3, "b"], [4, None]]
    told = ("rows_in", "rows_out", "matched", "unmatched", "multiple", "pairs", "join_features", "join_unused")
    assert [data[each] for each in told] == [4, 5, 3, 1, 1, 4, 2, 0]
    assert "4 rows became 5" in message and "sums" in message
    data, message = join("within", "one_to_many")
    assert rows(bench, data["layer_id"]) == [[1, "a"], [2, None], [3, "b"], [4, None]]
    assert (data["rows_in"], data["rows_out"], data["unmatched"], data["multiple"]) == (4, 4, 2, 0)
    data, message = join("intersects", "first")
    assert rows(bench, data["layer_id"]) == [[1, "a"], [2, "a"], [3, "b"], [4, None]]
    assert data["multiple"] == 1 and "lowest id" in message
    assert data["added_fields"] == ["name"] and data["algorithm"] == ["qgisagent:joinbylocation"]


def test_a63_keys_that_are_there_twice(bench: Bench) -> None:
    """3 rows stay 3 with the first partner and become 4 with every partner; the doubled key is named."""
    bench.add(memory_layer("None?field=code:string(5)", [(None, [each]) for each in ("01001", "01002", "09")], "towns"))
    values = [("01001", 5), ("01001", 7), ("01002", 1)]
    bench.add(
        memory_layer("None?field=code:string(5)&field=v:integer", [(None, list(each)) for each in values], "table")
    )
    first = bench.call("join_attribute", layer_id="towns", field="code", join_layer_id="table", fields=["v"])
    assert rows(bench, first["data"]["layer_id"]) == [["01001", 5], ["01002", 1], ["09", None]]
    every = bench.call(
        "join_attribute",
        layer_id="towns",
        field="code",
        join_layer_id="table",
        fields=["v"],
        options={"mode": "one_to_many"},
    )
    assert rows(bench, every["data"]["layer_id"]) == [["01001", 5], ["01001", 7], ["01002", 1], ["09", None]]
    assert (first["data"]["rows_out"], every["data"]["rows_out"], every["data"]["rows_in"]) == (3, 4, 3)
    assert every["data"]["duplicate_keys"] == 1 and "'01001': 2 times" in every["message"]
    assert first["data"]["unmatched_keys"] == ["09"]


def scattered(seed: int, count: int) -> list[shapely.Geometry]:
    """Points, lines, squares and triangles on whole numbers, so that borders are shared."""
    random_ = random.Random(seed)
    made: list[shapely.Geometry] = []
    for _ in range(count):
        x, y, size = random_.randrange(20), random_.randrange(20), random_.randrange(1, 6)
        made.append(shapely.box(x, y, x + size, y + size))
    return made


@pytest.mark.parametrize("predicate", PREDICATES)
def test_pairs_are_those_of_shapely(bench: Bench, predicate: str) -> None:
    """Every pair of 60 and 40 shapes, whichever side has more; polygons against polygons, lines and points."""
    areas, others = scattered(1, 60), scattered(2, 40)
    if predicate == "crosses":
        others = [shapely.LineString([each.bounds[:2], each.bounds[2:]]) for each in others]
    if predicate == "contains":
        others = [each.centroid for each in others]
    kind = others[0].geom_type
    bench.add(
        memory_layer(
            "Polygon?crs=EPSG:32650&field=i:integer", [(each.wkt, [n]) for n, each in enumerate(areas)], "left"
        )
    )
    bench.add(
        memory_layer(
            f"{kind}?crs=EPSG:32650&field=j:integer", [(each.wkt, [n]) for n, each in enumerate(others)], "right"
        )
    )
    for left, right, one, two in (("left", "right", areas, others), ("right", "left", others, areas)):
        expected = {
            (i, j) for i, shape in enumerate(one) for j, other in enumerate(two) if getattr(shape, predicate)(other)
        }
        envelope = bench.call(
            "spatial_join",
            layer_id=left,
            join_layer_id=right,
            predicate=predicate,
            options={"mode": "one_to_many", "keep_unmatched": False},
        )
        data = envelope["data"]
        found = rows(bench, data["layer_id"]) if data["layer_id"] else []
        assert {tuple(each) for each in found} == expected and len(found) == len(expected), (left, predicate)
        assert data["matched"] == len({i for i, _ in expected}) and data["pairs"] == len(expected)
        assert data["join_unused"] == len(two) - len({j for _, j in expected})


def test_crs_that_differ(bench: Bench) -> None:
    """Points in degrees on squares in UTM: the same pairs, the result in the points' CRS, and it is said."""
    bench.add(squares())
    back = Transformer.from_crs("EPSG:32650", "EPSG:4326", always_xy=True)
    places = [back.transform(x, 5) for x in (5, 15, 30)]
    points = [("POINT({!r} {!r})".format(*each), [number]) for number, each in enumerate(places)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=id:integer", points, "spots"))
    envelope = bench.call("spatial_join", layer_id="spots", join_layer_id="squares", fields=["name"])
    assert rows(bench, envelope["data"]["layer_id"]) == [[0, "a"], [1, "b"], [2, None]]
    assert envelope["data"]["crs"] == "EPSG:4326" and "reprojected" in envelope["message"]


def test_summary_ignores_null(bench: Bench) -> None:
    """Counts and sums of the points in each square; a square without a value has no sum, one without points has 0."""
    bench.add(squares())
    places = [("POINT(1 1)", [4]), ("POINT(2 2)", [None]), ("POINT(3 3)", [6]), ("POINT(12 5)", [None])]
    bench.add(memory_layer("Point?crs=EPSG:32650&field=v:integer", places, "spots"))
    data = bench.ok(
        "spatial_join",
        layer_id="squares",
        join_layer_id="spots",
        predicate="contains",
        fields=["v"],
        options={"mode": "summary", "functions": ["sum", "mean", "min", "max"], "prefix": "p_"},
    )
    assert data["added_fields"] == ["p_count", "p_v_sum", "p_v_mean", "p_v_min", "p_v_max"]
    assert [each[3:] for each in rows(bench, data["layer_id"])] == [[3, 10, 5, 4, 6], [1, None, None, None, None]]


def test_largest_overlap(bench: Bench) -> None:
    """The square with more common ground, not the first one."""
    bench.add(squares())
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [("POLYGON((8 2,14 2,14 4,8 4,8 2))", [])], "field"))
    asked = {"layer_id": "field", "join_layer_id": "squares", "fields": ["name"]}
    assert rows(bench, bench.ok("spatial_join", **asked)["layer_id"]) == [["a"]]
    found = bench.ok("spatial_join", **asked, options={"mode": "largest_overlap"})
    assert rows(bench, found["layer_id"]) == [["b"]]


def test_within_distance_is_on_the_ground(bench: Bench) -> None:
    """At 60° N in web mercator a limit in metres keeps what pyproj finds within it, nearest first."""
    geod = Geod(ellps="WGS84")
    forth = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)
    centre = (10.0, 60.0)
    ends = [geod.fwd(*centre, azimuth, metres)[:2] for azimuth, metres in ((90, 990), (0, 1010), (200, 400))]

    def layer(places: list[tuple[float, float]], name: str) -> QgsVectorLayer:
        texts = [("POINT({!r} {!r})".format(*forth.transform(*each)), [n]) for n, each in enumerate(places)]
        return memory_layer("Point?crs=EPSG:3857&field=n:integer", texts, name)

    bench.add(layer([centre], "centre"))
    bench.add(layer(ends, "ends"))
    asked = {"layer_id": "centre", "join_layer_id": "ends", "predicate": "within_distance", "distance_m": 1000}
    found = rows(bench, bench.ok("spatial_join", **asked, options={"mode": "one_to_many"})["layer_id"])
    assert [each[1] for each in found] == [2, 0]
    assert [each[-1] for each in found] == pytest.approx([400, 990], abs=0.001)
    assert rows(bench, bench.ok("spatial_join", **asked)["layer_id"])[0][1] == 2
    assert bench.code("spatial_join", **asked, options={"mode": "summary"}) == "INVALID_PARAM"
    del asked["distance_m"]
    assert bench.code("spatial_join", **asked) == "INVALID_PARAM"


def test_no_match_is_said_with_its_reason(bench: Bench) -> None:
    """Squares with x and y swapped lie elsewhere: no layer is added and the reason is named."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=i:integer", [("POINT(48 11)", [1])], "spots"))
    cell = "POLYGON((10 47,12 47,12 49,10 49,10 47))"
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:string(3)", [(cell, ["a"])], "cells"))
    envelope = bench.call("spatial_join", layer_id="spots", join_layer_id="cells")
    assert envelope["ok"] and envelope["data"]["layer_id"] is None and envelope["data"]["matched"] == 0
    assert "No feature has a partner" in envelope["message"] and "apart" in envelope["message"]
    assert "swapped" in envelope["message"] and len(bench.host.project.mapLayers()) == 2


def test_a_layer_with_itself(bench: Bench) -> None:
    """No feature is its own partner."""
    bench.add(squares())
    data = bench.ok(
        "spatial_join",
        layer_id="squares",
        join_layer_id="squares",
        predicate="touches",
        fields=["name"],
        options={"prefix": "other_"},
    )
    assert [(each[0], each[-1]) for each in rows(bench, data["layer_id"])] == [("a", "b"), ("b", "a")]
    data = bench.ok("spatial_join", layer_id="squares", join_layer_id="squares", fields=["name"])
    assert data["added_fields"] == ["name_2"] and data["pairs"] == 2


def test_a53_open_edits_are_joined_and_said(bench: Bench) -> None:
    """An unsaved point counts; the edit session is left as it was."""
    layer = bench.add(spots())
    bench.add(squares())
    layer.startEditing()
    new = QgsFeature(layer.fields())
    new.setAttributes([9])
    new.setGeometry(QgsGeometry.fromWkt("POINT(16 5)"))
    assert layer.addFeature(new)
    envelope = bench.call("spatial_join", layer_id="spots", join_layer_id="squares", fields=["name"])
    assert [9, "b"] in rows(bench, envelope["data"]["layer_id"]) and envelope["data"]["rows_in"] == 5
    assert "not saved" in envelope["message"] and layer.isEditable() and layer.isModified()


def test_a56_virtual_fields_are_joined_with_their_values(bench: Bench) -> None:
    """On both sides, by place and by value, and as a key."""
    layer = bench.add(spots())
    other = bench.add(squares())
    layer.addExpressionField('"id" * 10', QgsField("tens", QMetaType.Type.Int))
    other.addExpressionField('"n" * 10', QgsField("key", QMetaType.Type.Int))
    data = bench.ok("spatial_join", layer_id="spots", join_layer_id="squares", predicate="within", fields=["key"])
    assert rows(bench, data["layer_id"]) == [[1, 10, 10], [2, 20, None], [3, 30, 20], [4, 40, None]]
    data = bench.ok(
        "join_attribute", layer_id="spots", field="tens", join_layer_id="squares", join_field="key", fields=["name"]
    )
    assert rows(bench, data["layer_id"]) == [[1, 10, "a"], [2, 20, "b"], [3, 30, None], [4, 40, None]]


def tables(bench: Bench, left: str, keys: list[Any], right: str, others: list[Any]) -> dict[str, Any]:
    """Two tables with a field "k", and the arguments to join them."""
    bench.add(memory_layer(f"None?field=k:{left}", [(None, [each]) for each in keys], "one"))
    bench.add(
        memory_layer(
            f"None?field=k:{right}&field=v:integer", [(None, [each, n]) for n, each in enumerate(others)], "two"
        )
    )
    return {"layer_id": "one", "field": "k", "join_layer_id": "two", "fields": ["v"]}


def values(bench: Bench, data: dict[str, Any]) -> list[Any]:
    """The joined column."""
    return [each[-1] for each in rows(bench, data["layer_id"])]


def test_null_and_empty_match_nothing(bench: Bench) -> None:
    """QGIS's own join takes NULL for a key."""
    asked = tables(bench, "string(9)", ["a", None, ""], "string(9)", [None, "", "a"])
    envelope = bench.call("join_attribute", **asked)
    assert values(bench, envelope["data"]) == [2, None, None]
    assert envelope["data"]["without_key"] == 2 and "2 rows have no key" in envelope["message"]


@pytest.mark.parametrize(
    ("left", "keys", "right", "others", "expected", "said"),
    [
        ("integer", [7, 8], "string(9)", ["8", "7"], [1, 0], "by value"),
        ("integer", [7, 8], "double", [8.0, 7.0], [1, 0], ""),
        ("double", [7.0, 7.5], "string(9)", ["7.5", "7"], [1, 0], "by value"),
        ("integer", [1001, 12], "string(9)", ["01001", "00012"], [0, 1], "Leading zeros were ignored: '01001' is 1001"),
        ("string(9)", ["01001", "00012"], "integer", [12, 1001], [1, 0], "Leading zeros"),
        ("integer", [1001, 12], "string(9)", ["01001", "1001", "012"], [1, None], "would be the same key"),
        ("int8", [5_000_000_000, 2], "integer", [2, 3], [None, 0], ""),
    ],
)
def test_types_are_reconciled(
    bench: Bench, left: str, keys: list[Any], right: str, others: list[Any], expected: list[Any], said: str
) -> None:
    """Numbers and texts match by value; leading zeros only where no two texts would become one, and it is told."""
    envelope = bench.call("join_attribute", **tables(bench, left, keys, right, others))
    assert values(bench, envelope["data"]) == expected
    assert said in envelope["message"]


def test_nearly_alike_is_reported_and_not_joined(bench: Bench) -> None:
    """Spaces, case and leading zeros: how many rows more would match, and the option that does it."""
    asked = tables(bench, "string(9)", ["Ulm ", "köln", "007", "x"], "string(9)", ["Ulm", "KÖLN", "7", "x"])
    envelope = bench.call("join_attribute", **asked)
    assert values(bench, envelope["data"]) == [None, None, None, 3]
    assert envelope["data"]["would_match_more"] == {"trim": 1, "trim_ignore_case": 2, "number": 2}
    assert "match trim" in envelope["message"]
    assert envelope["data"]["unmatched_keys"] == ["Ulm", "köln", "007"]
    for match, expected in (
        ("trim", [0, None, None, 3]),
        ("trim_ignore_case", [0, 1, None, 3]),
        ("number", [0, None, 2, 3]),
    ):
        assert values(bench, bench.ok("join_attribute", **asked, options={"match": match})) == expected


def test_a_rule_that_mixes_keys_is_refused(bench: Bench) -> None:
    """ "A" and "a" are two keys of the table."""
    asked = tables(bench, "string(9)", ["a"], "string(9)", ["A", "a"])
    assert bench.code("join_attribute", **asked, options={"match": "trim_ignore_case"}) == "INVALID_PARAM"
    assert values(bench, bench.ok("join_attribute", **asked)) == [1]


def test_a_spatial_layer_keeps_its_shapes(bench: Bench) -> None:
    """Also features without a geometry; conditions on both sides; the joined field does not replace one of the same name."""
    layer = spots()
    layer.dataProvider().addFeatures([QgsFeature(layer.fields())])
    bench.add(layer)
    bench.add(
        memory_layer("None?field=id:integer&field=v:string(3)", [(None, [n, f"v{n}"]) for n in range(5)], "table")
    )
    data = bench.ok(
        "join_attribute",
        layer_id="spots",
        field="id",
        join_layer_id="table",
        options={
            "where": [{"field": "id", "op": "ne", "value": 2}],
            "join_where": [{"field": "id", "op": "lt", "value": 4}],
        },
    )
    assert data["added_fields"] == ["id_2", "v"]
    assert rows(bench, data["layer_id"]) == [[1, 1, "v1"], [3, 3, "v3"], [4, None, None], [None, None, None]]
    made = bench.host.layers.by_alias(data["layer_id"])
    assert [each.geometry().asWkt() for each in made.getFeatures()][:2] == ["Point (5 5)", "Point (15 5)"]


def test_no_common_key(bench: Bench) -> None:
    """Nothing is added, and both sides' keys are shown."""
    envelope = bench.call("join_attribute", **tables(bench, "string(9)", ["DE1"], "string(9)", ["FR1"]))
    assert envelope["ok"] and envelope["data"]["layer_id"] is None
    assert "'DE1'" in envelope["message"] and "'FR1'" in envelope["message"] and "no layer" in envelope["message"]


def test_what_is_refused(bench: Bench) -> None:
    """The right code and a hint, and no new layer."""
    bench.add(spots())
    bench.add(squares())
    bench.add(memory_layer("None?field=id:integer", [(None, [1])], "table"))
    lost = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 1)", [])], "lost"))
    lost.setCrs(QgsCoordinateReferenceSystem())

    def code(**more: Any) -> str:
        return bench.code("spatial_join", **{"layer_id": "spots", "join_layer_id": "squares", **more})

    assert code(layer_id="table") == "UNSUPPORTED"
    assert code(join_layer_id="lost") == "UNSUPPORTED"
    assert code(join_layer_id="sqares") == "NOT_FOUND"
    assert code(fields=["nam"]) == "NOT_FOUND"
    assert code(options={"mode": "largest_overlap"}) == "UNSUPPORTED"
    assert code(fields=["name"], options={"mode": "summary"}) == "INVALID_PARAM"
    assert code(options={"where": [{"field": "id", "op": "eq", "value": 77}]}) == "NOT_FOUND"
    assert bench.code("join_attribute", layer_id="spots", field="id", join_layer_id="squares") == "NOT_FOUND"
    assert len(bench.host.project.mapLayers()) == 4


def test_speed_of_100_000_points(bench: Bench) -> None:
    """100,000 points to 3,000 polygons, without any index in the data: 27 s by QGIS's own join, some seconds here."""
    random_ = random.Random(3)
    points = [(f"POINT({random_.uniform(0, 60)} {random_.uniform(0, 50)})", []) for _ in range(100_000)]
    bench.add(memory_layer("Point?crs=EPSG:32650", points, "spots"))
    cells = [(shapely.box(x, y, x + 1, y + 1).wkt, [f"{x}/{y}"]) for x in range(60) for y in range(50)]
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=name:string(9)", cells, "cells"))
    start = time.monotonic()
    data = bench.ok("spatial_join", layer_id="spots", join_layer_id="cells")
    assert data["matched"] == 100_000
    assert time.monotonic() - start < 25  # three times what it takes on a busy machine


def test_too_many_pairs_are_no_result(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how many and what to do; nothing is added."""
    monkeypatch.setattr(relate, "MOST_PAIRS", 2)
    bench.add(spots())
    bench.add(squares())
    envelope = bench.call("spatial_join", layer_id="spots", join_layer_id="squares")
    assert not envelope["ok"] and "More than 2 pairs" in envelope["message"] and envelope["hint"]
    assert len(bench.host.project.mapLayers()) == 2


@pytest.mark.parametrize("end", ["stop", "remove"])
def test_ended_in_the_middle(bench: Bench, end: str) -> None:
    """Stop answers at once, and so does the removal of a layer; no layer is left."""
    random_ = random.Random(3)
    points = [(f"POINT({random_.uniform(0, 60)} {random_.uniform(0, 50)})", []) for _ in range(30_000)]
    layer = bench.add(memory_layer("Point?crs=EPSG:32650", points, "spots"))
    cells = [(shapely.box(x, y, x + 9, y + 9).wkt, [f"{x}/{y}"]) for x in range(60) for y in range(50)]
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=name:string(9)", cells, "cells"))
    outcomes: list[dict[str, Any]] = []
    asked = {"layer_id": "spots", "join_layer_id": "cells", "options": {"mode": "one_to_many"}}
    running = bench.begin("spatial_join", asked, outcomes)
    assert running is not None
    until = time.monotonic() + 1.5
    assert run_until(lambda: time.monotonic() > until, 5) and not outcomes
    before = time.monotonic()
    if end == "stop":
        running.cancel()
    else:
        bench.host.project.removeMapLayer(layer.id())
    assert run_until(lambda: bool(outcomes), 5) and time.monotonic() - before < 1.5
    assert outcomes[0]["envelope"]["code"] in ("CANCELLED", "NOT_FOUND")
    assert run_until(lambda: running_tasks() == 0, 30)
    assert len(bench.host.project.mapLayers()) == (2 if end == "stop" else 1)
