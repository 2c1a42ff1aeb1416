"""fix_geometries and check_geometries against shapely and closed form."""

from __future__ import annotations

from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsVectorLayer, QgsWkbTypes

from qgis_agent.headless_commands import register_provider

BOW_TIE = "POLYGON((0 0,10 10,10 0,0 10,0 0))"
SQUARE = "POLYGON((20 0,30 0,30 10,20 10,20 0))"


@pytest.fixture(autouse=True)
def providers(qgis_app: Any) -> None:
    """Native algorithms and ours."""
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    register_provider()


def moved(wkt: str) -> str:
    """Into the middle of UTM zone 50."""
    return shapely.transform(shapely.from_wkt(wkt), lambda xy: xy + [500_000, 4_400_000]).wkt


def made(bench: Bench, data: dict[str, Any]) -> QgsVectorLayer:
    """The layer of a result."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert isinstance(layer, QgsVectorLayer)
    return layer


@pytest.mark.parametrize("method", ["structure", "linework"])
def test_a18_before_and_after_are_told(bench: Bench, method: str) -> None:
    """A bow tie: planar area 0 becomes 50 in two parts of a MultiPolygon; a valid square keeps its 100; the source stays."""
    rows: list[Any] = [(moved(BOW_TIE), ["bow"]), (moved(SQUARE), ["square"]), (None, ["none"])]
    layer = bench.add(memory_layer("Polygon?crs=EPSG:32650&field=name:string(9)", rows, "parcels"))
    before = [(each.id(), each.geometry().asWkt()) for each in layer.getFeatures()]
    data = bench.ok("fix_geometries", layer_id="parcels", method=method)
    assert (data["invalid_before"], data["invalid"], data["feature_count"]) == (1, 0, 3)
    assert (data["parts_before"], data["parts"]) == (2, 3)
    row = data["repaired"][0]
    assert (row["planar_before"], row["planar"], row["parts_before"], row["parts"]) == (0.0, 50.0, 1, 2)
    assert "intersection" in row["reason"].lower()
    result = made(bench, data)
    assert QgsWkbTypes.displayString(result.wkbType()) == "MultiPolygon"
    found = [shapely.from_wkb(bytes(each.geometry().asWkb())) for each in result.getFeatures() if each.hasGeometry()]
    assert [each.area for each in found] == pytest.approx([50.0, 100.0])
    assert all(each.is_valid for each in found)
    assert [each["name"] for each in result.getFeatures()] == ["bow", "square", "none"]
    assert [(each.id(), each.geometry().asWkt()) for each in layer.getFeatures()] == before


def test_single_parts_stay_single(bench: Bench) -> None:
    """A spike is repaired in one part, so the layer stays Polygon; its area is that of the square without the spike."""
    spike = "POLYGON((0 0,10 0,10 10,15 10,10 10,0 10,0 0))"
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [(moved(spike), [])], "p"))
    data = bench.ok("fix_geometries", layer_id="p")
    result = made(bench, data)
    assert data["geometry_type"] == "Polygon"
    assert shapely.from_wkb(bytes(next(result.getFeatures()).geometry().asWkb())).area == pytest.approx(100.0)


def test_what_vanishes_and_what_is_valid(bench: Bench) -> None:
    """A polygon without area is told as lost; of valid features no layer is made."""
    bench.add(
        memory_layer("Polygon?crs=EPSG:32650", [(moved("POLYGON((0 0,1 1,2 2,0 0))"), []), (moved(SQUARE), [])], "p")
    )
    envelope = bench.call("fix_geometries", layer_id="p")
    assert envelope["ok"], envelope
    assert envelope["data"]["without_geometry"] == 1
    assert "1 geometries had no area" in envelope["message"]
    bench.add(memory_layer("Polygon?crs=EPSG:32650", [(moved(SQUARE), [])], "good"))
    layers = len(bench.host.created_layers)
    data = bench.ok("fix_geometries", layer_id="good")
    assert (data["layer_id"], data["created"], data["invalid_before"]) == ("good", False, 0)
    assert len(bench.host.created_layers) == layers


def problem_layer(bench: Bench) -> None:
    """Ids 1 … 8: a bow tie, a square, the same square from another corner, a sliver, two that overlap by 2 x 10, none,
    two parts."""
    same = "POLYGON((30 10,30 0,20 0,20 10,30 10))"
    sliver = "POLYGON((40 0,40.5 0,40.5 100,40 100,40 0))"
    one, other = "POLYGON((60 0,70 0,70 10,60 10,60 0))", "POLYGON((68 0,80 0,80 10,68 10,68 0))"
    parts = "MULTIPOLYGON(((90 0,91 0,91 9,90 9,90 0)),((95 0,99 0,99 9,95 9,95 0)))"
    wkts = [BOW_TIE, SQUARE, same, sliver, one, other, None, parts]
    rows: list[Any] = [(moved(each) if each else None, [number]) for number, each in enumerate(wkts, 1)]
    bench.add(memory_layer("MultiPolygon?crs=EPSG:32650&field=n:integer", rows, "p"))


def test_every_check_finds_its_problem_and_no_other(bench: Bench) -> None:
    """Each problem with its feature, and sizes as shapely has them; nothing is added unless it is asked for."""
    problem_layer(bench)
    checks = ["validity", "duplicates", "slivers", "overlaps", "multipart", "ring_direction", "gaps"]
    data = bench.ok("check_geometries", layer_id="p", checks=checks)
    rows = bench.host.results.read(data["result_ref"], 0, 200)["rows"] if "result_ref" in data else data["rows"]
    by_check = {each: [row for row in rows if row["check"] == each] for each in checks}
    assert sorted(each["feature"] for each in by_check["validity"]) == [1, 7]
    place = next(each["place"] for each in by_check["validity"] if each["feature"] == 1)
    assert place == pytest.approx([500_005, 4_400_005])
    assert [(each["feature"], each["other"]) for each in by_check["duplicates"]] == [(3, 2)]
    assert [each["feature"] for each in by_check["slivers"]] == [4]
    assert by_check["slivers"][0]["size_m2"] == pytest.approx(50, rel=2e-3)
    pairs = {(each["feature"], each["other"]): each["size_m2"] for each in by_check["overlaps"]}
    assert set(pairs) == {(2, 3), (5, 6)}
    assert pairs[5, 6] == pytest.approx(20, rel=2e-3)
    assert [each["feature"] for each in by_check["multipart"]] == [8]
    assert {each["feature"] for each in by_check["ring_direction"]} <= {1, 3}
    assert data["counts"]["gaps"] == 0
    assert bench.host.created_layers == []


def test_gaps_and_holes(bench: Bench) -> None:
    """Four bars around a square of 4 leave a gap; a hole of one polygon is none. Of chosen features ids are their own."""
    bars = ["POLYGON((0 0,6 0,6 2,0 2,0 0))", "POLYGON((0 4,6 4,6 6,0 6,0 4))", "POLYGON((0 2,2 2,2 4,0 4,0 2))",
            "POLYGON((4 2,6 2,6 4,4 4,4 2))", "POLYGON((20 0,30 0,30 9,20 9,20 0),(22 2,23 2,23 3,22 3,22 2))"]  # fmt: skip
    rows: list[Any] = [(moved(each), [number]) for number, each in enumerate(bars, 1)]
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=n:integer", rows, "p"))
    data = bench.ok("check_geometries", layer_id="p", checks=["gaps"], add_layer=True)
    assert (data["problems"], data["feature_count"]) == (1, 1)
    assert data["rows"][0]["size_m2"] == pytest.approx(4, rel=2e-3)
    assert data["rows"][0]["place"] == pytest.approx([500_003, 4_400_003])
    assert made(bench, data).geometryType() == memory_layer("Point", []).geometryType()
    where = [{"field": "n", "op": "gte", "value": 5}]
    hole = bench.ok("check_geometries", layer_id="p", checks=["multipart", "slivers"], where=where, sliver_width_m=50.0)
    assert [each["feature"] for each in hole["rows"]] == [5]


def test_lines_that_cross_themselves(bench: Bench) -> None:
    """A line is checked for crossing itself; checks of polygons are refused for lines."""
    rows = [("LINESTRING(0 0,10 10,10 0,0 10)", []), ("LINESTRING(0 0,1 1)", [])]
    bench.add(memory_layer("LineString?crs=EPSG:32650", rows, "l"))
    data = bench.ok("check_geometries", layer_id="l")
    assert [each["feature"] for each in data["rows"]] == [1]
    assert bench.code("check_geometries", layer_id="l", checks=["gaps"]) == "UNSUPPORTED"
