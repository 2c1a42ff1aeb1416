"""dissolve_layer: shapes by shapely, numbers by hand, sums that agree, what is said and refused."""

from __future__ import annotations

from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod
from qgis.core import QgsVectorLayer

from qgis_agent.gis.analysis.vector import dissolve as groups
from qgis_agent.gis.errors import ToolError

GEOD = Geod(ellps="WGS84")
FIELDS = "&field=city:string(20)&field=zone:integer&field=people:integer&field=rate:double"


def box(x: float, y: float = 0.0, wide: float = 1.0) -> str:
    return shapely.box(x, y, x + wide, y + 1).wkt


def districts(crs: str = "EPSG:32650", rows: Any = None) -> QgsVectorLayer:
    """Squares of 1 m: A in two that touch and one apart, B in one, and one without a city."""
    rows = rows or [
        (box(0), ["A", 1, 10, 0.5]),
        (box(1), ["A", 1, None, 1.5]),
        (box(5), ["A", 2, 30, None]),
        (box(2), ["B", 1, 7, 2.0]),
        (box(9), [None, None, 4, 4.0]),
    ]
    return memory_layer(f"Polygon?crs={crs}{FIELDS}", rows, "districts")


def rows_by(data: dict[str, Any], field: str = "city") -> dict[Any, dict[str, Any]]:
    return {row[field]: row for row in data["rows"]}


def test_groups_counts_and_aggregates(bench: Bench) -> None:
    """One feature for each city, NULL being a group of its own; numbers by hand; NULL is left out and said."""
    bench.add(districts())
    asked = [{"field": "people", "function": each} for each in ("sum", "mean", "median", "min", "max", "count")] + [
        {"field": "zone", "function": "concatenate"},
        {"field": "rate", "function": "sum"},
    ]
    envelope = bench.call("dissolve_layer", layer_id="districts", fields=["city"], aggregates=asked)
    assert envelope["ok"], envelope
    data, rows = envelope["data"], rows_by(envelope["data"])
    assert {city: row["count"] for city, row in rows.items()} == {"A": 3, "B": 1, None: 1}
    a = rows["A"]
    assert (a["people_sum"], a["people_mean"], a["people_median"]) == (40, 20, 20)
    assert (a["people_min"], a["people_max"], a["people_count"]) == (10, 30, 2)
    assert (a["zone_concatenate"], a["rate_sum"], rows["B"]["rate_sum"]) == ("1, 2", 2.0, 2.0)
    assert "1 of 5 features have no value in 'people'" in envelope["message"]
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert data["name"] == "districts dissolved by city" and (data["groups"], data["feature_count"]) == (3, 3)
    found = {each["city"]: shapely.from_wkt(each.geometry().asWkt()) for each in layer.getFeatures() if each["city"]}
    assert found["A"].equals(shapely.union_all([shapely.box(0, 0, 2, 1), shapely.box(5, 0, 6, 1)]))
    assert [each.name() for each in layer.fields()][:2] == ["city", "count"]
    assert layer.fields().field("people_sum").isNumeric()


def test_all_into_one_with_areas(bench: Bench) -> None:
    """Without fields there is one feature; its area is pyproj's."""
    rows = [(shapely.box(10 + n / 100, 50, 10.01 + n / 100, 50.01).wkt, ["A", 1, 1, 1.0]) for n in range(3)]
    bench.add(districts("EPSG:4326", rows))
    data = bench.ok("dissolve_layer", layer_id="districts")
    whole = shapely.box(10, 50, 10.03, 50.01).segmentize(0.01)
    assert data["feature_count"] == 1 and data["rows"][0]["count"] == 3
    assert data["area_km2"] == pytest.approx(abs(GEOD.geometry_area_perimeter(whole)[0]) / 1e6, rel=1e-6)


def test_two_fields_and_separate_parts(bench: Bench) -> None:
    """A group for each pair of values; parts that do not touch become features of their own, and that is said."""
    bench.add(districts())
    data = bench.ok("dissolve_layer", layer_id="districts", fields=["city", "zone"])
    assert sorted((row["city"] or "", row["zone"] or 0, row["count"]) for row in data["rows"]) == [
        ("", 0, 1),
        ("A", 1, 2),
        ("A", 2, 1),
        ("B", 1, 1),
    ]
    envelope = bench.call(
        "dissolve_layer",
        layer_id="districts",
        fields=["city"],
        aggregates=[{"field": "people", "function": "sum"}],
        options={"separate_parts": True},
    )
    assert envelope["data"]["feature_count"] == 4 and envelope["data"]["groups"] == 3
    assert "do not add them up" in envelope["message"]


def test_overlaps_are_said(bench: Bench) -> None:
    """Two squares that share a half cover a quarter less than their sum."""
    rows = [(box(0), ["A", 1, 1, 1.0]), (box(0.5), ["A", 1, 1, 1.0])]
    bench.add(districts(rows=rows))
    envelope = bench.call("dissolve_layer", layer_id="districts", fields=["city"])
    assert "25 % smaller" in envelope["message"]
    assert shapely.from_wkt(
        next(bench.host.layers.by_alias(envelope["data"]["layer_id"]).getFeatures()).geometry().asWkt()
    ).area == pytest.approx(1.5)


def test_lines_and_points(bench: Bench) -> None:
    """Lines are joined and measured, points become a multipoint."""
    roads = [("LINESTRING(0 0,10 0)", ["a"]), ("LINESTRING(10 0,30 0)", ["a"]), ("LINESTRING(0 9,5 9)", ["b"])]
    bench.add(memory_layer("LineString?crs=EPSG:32650&field=name:string(9)", roads, "roads"))
    data = bench.ok("dissolve_layer", layer_id="roads", fields=["name"])
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert {each["name"]: each.geometry().length() for each in layer.getFeatures()} == {"a": 30.0, "b": 5.0}
    stops = [("POINT(0 0)", ["a"]), ("POINT(1 0)", ["a"])]
    bench.add(memory_layer("Point?crs=EPSG:32650&field=name:string(9)", stops, "stops"))
    data = bench.ok("dissolve_layer", layer_id="stops", fields=["name"])
    (feature,) = bench.host.layers.by_alias(data["layer_id"]).getFeatures()
    assert feature.geometry().constGet().numGeometries() == 2 and data["rows"][0]["count"] == 2


def test_what_is_refused(bench: Bench) -> None:
    """Numbers that are text, fields that do not exist, nothing that matches: the right code, a hint, no layer."""
    bench.add(districts())
    count = len(bench.host.project.mapLayers())
    text = [{"field": "city", "function": "sum"}]
    envelope = bench.call("dissolve_layer", layer_id="districts", fields=["city"], aggregates=text)
    assert envelope["code"] == "INVALID_PARAM" and "people" in envelope["hint"]
    assert bench.code("dissolve_layer", layer_id="districts", fields=["cty"]) == "NOT_FOUND"
    where = [{"field": "city", "op": "eq", "value": "Z"}]
    assert bench.code("dissolve_layer", layer_id="districts", where=where) == "NOT_FOUND"
    bench.add(memory_layer("None?field=n:integer", [(None, [1])], "table"))
    assert bench.code("dissolve_layer", layer_id="table") == "UNSUPPORTED"
    assert len(bench.host.project.mapLayers()) == count + 1


def test_columns_keep_free_names(bench: Bench) -> None:
    """A group field that is called "count" stays, and the number of features gets another name."""
    rows = [(box(0), [5]), (box(3), [5])]
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=Count:integer", rows, "areas"))
    data = bench.ok("dissolve_layer", layer_id="areas", fields=["Count"])
    assert data["rows"][0]["Count"] == 5 and data["rows"][0]["count_2"] == 2


def test_numbers_that_do_not_agree_are_refused() -> None:
    """The check itself: a group too few, a feature too few, a wrong sum."""
    grouping = groups.Grouping(["g"], "count", [groups.Aggregated("v", "sum", "v_sum")])
    read = groups.Read({("a",): 2, ("b",): 1}, {"v": 0}, {"v": 6.0}, {"v": (1, 3)})
    good = [{"g": "a", "count": 2, "v_sum": 3.0}, {"g": "b", "count": 1, "v_sum": 3.0}]
    groups.check_groups(grouping, read, good)
    for wrong in (good[:1], [good[0], {**good[1], "count": 2}], [good[0], {**good[1], "v_sum": 3.1}]):
        with pytest.raises(ToolError):
            groups.check_groups(grouping, read, wrong)
    with pytest.raises(ToolError):
        groups.check_merged(10.0, 10.1)
