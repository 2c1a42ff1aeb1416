"""overlay_layers: areas by shapely and closed form, CRSs, repairs, what is said, what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import QgsFeature, QgsGeometry, QgsVectorLayer
from shapely.ops import transform

from qgis_agent.gis.analysis.vector import overlay as overlays
from qgis_agent.gis.errors import ToolError

GEOD = Geod(ellps="WGS84")
UTM = "EPSG:32650"
BOW_TIE = "POLYGON((0 0,10 10,10 0,0 10,0 0))"
SQUARE = "POLYGON((20 0,30 0,30 10,20 10,20 0))"
MASK = "POLYGON((-5 -5,40 -5,40 5,-5 5,-5 -5))"
OPERATIONS = {
    "clip": lambda a, b: a.intersection(b),
    "intersection": lambda a, b: a.intersection(b),
    "difference": lambda a, b: a.difference(b),
    "union": lambda a, b: a.union(b),
    "symmetrical_difference": lambda a, b: a.symmetric_difference(b),
}


def polygons(name: str, shapes: list[str], crs: str = UTM, field: str = "id") -> QgsVectorLayer:
    """A polygon layer; ids from 1."""
    rows = [(shape, [number]) for number, shape in enumerate(shapes, 1)]
    return memory_layer(f"Polygon?crs={crs}&field={field}:integer", rows, name)


def shapes_of(layer: QgsVectorLayer) -> list[Any]:
    return [shapely.from_wkt(each.geometry().asWkt(15)) for each in layer.getFeatures()]


def blobs(seed: int, count: int) -> list[Any]:
    """Discs side by side on a grid, of different sizes: none overlaps another of the list."""
    rng = random.Random(seed)
    return [
        shapely.Point(500_000 + 100 * (n % 5) + rng.random() * 20, 4_000_000 + 100 * (n // 5)).buffer(
            20 + 19 * rng.random()
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
@pytest.mark.parametrize("widths", [(6, 9), (9, 6)])
def test_a_field_of_both_that_is_shorter_in_one(bench: Bench, operation: str, widths: tuple[int, int]) -> None:
    """ "code" holds 6 characters in one layer and 9 in the other: areas by shapely, whichever comes first."""
    shapes = (shapely.box(0, 0, 60, 40), shapely.box(30, 10, 90, 70))
    for name, shape, width in zip(("districts", "streets"), shapes, widths):
        definition = f"Polygon?crs={UTM}&field=code:string({width})"
        bench.add(memory_layer(definition, [(shape.wkt, ["330110001"[:width]])], name))
    data = bench.ok("overlay_layers", layer_id="districts", overlay_layer_id="streets", operation=operation)
    made = shapes_of(bench.host.layers.by_alias(data["layer_id"]))
    assert sum(each.area for each in made) == pytest.approx(OPERATIONS[operation](*shapes).area)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_areas_by_shapely(bench: Bench, operation: str) -> None:
    """The sum of the areas is that of shapely's own overlay of everything, and it was checked."""
    first, second = blobs(1, 20), blobs(2, 20)
    bench.add(polygons("a", [each.wkt for each in first], field="a_id"))
    bench.add(polygons("b", [each.wkt for each in second], field="b_id"))
    data = bench.ok("overlay_layers", layer_id="a", overlay_layer_id="b", operation=operation)
    expected = OPERATIONS[operation](shapely.union_all(first), shapely.union_all(second))
    layer = bench.host.layers.by_alias(data["layer_id"])
    found = shapes_of(layer)
    assert sum(each.area for each in found) == pytest.approx(expected.area, rel=1e-9)
    assert shapely.union_all(found).symmetric_difference(expected).area < 1e-6 * expected.area
    assert data["checked"].startswith("areas agree") and data["feature_count"] == len(found) > 5
    assert data["area_km2"] == pytest.approx(expected.area / 1e6, rel=2e-3)  # UTM's scale, 0.9996²
    assert ("b_id" in data["fields"]) == (operation not in ("clip", "difference"))
    assert layer.crs().authid() == data["crs"] == UTM
    assert data["name"] == "a {} b".format(operation.replace("_", " "))


def test_a16_a_bow_tie_does_not_stop_an_overlay(bench: Bench) -> None:
    """Two features of 25 and 50 m²; the repair is counted and named, the source is as it was."""
    source = bench.add(polygons("bow", [BOW_TIE, SQUARE]))
    bench.add(polygons("mask", [MASK], field="m"))
    before = [each.geometry().asWkt() for each in source.getFeatures()]
    envelope = bench.call("overlay_layers", layer_id="bow", overlay_layer_id="mask", operation="intersection")
    assert envelope["ok"], envelope
    data = envelope["data"]
    areas = sorted(each.area for each in shapes_of(bench.host.layers.by_alias(data["layer_id"])))
    assert areas == pytest.approx([25.0, 50.0])
    assert "1 invalid" in envelope["message"] and "repaired" in envelope["message"] and "bow" in envelope["message"]
    assert "native:fixgeometries" in data["algorithm"]
    assert [each.geometry().asWkt() for each in source.getFeatures()] == before


def test_a16_the_reason_and_the_id_are_named(bench: Bench) -> None:
    """Which feature, and what is wrong with it."""
    bench.add(polygons("bow", [BOW_TIE, SQUARE]))
    bench.add(polygons("mask", [MASK], field="m"))
    message = bench.call("overlay_layers", layer_id="bow", overlay_layer_id="mask", operation="clip")["message"]
    assert "elf-intersection" in message and "1" in message.split("elf-intersection")[0][-60:], message


def test_another_crs_is_brought_to_the_first(bench: Bench) -> None:
    """The overlay comes in degrees; the result is in the first layer's CRS, its area by shapely and pyproj."""
    forth = Transformer.from_crs("EPSG:4326", UTM, always_xy=True).transform
    first = shapely.box(117.0, 30.0, 117.02, 30.01)
    second = shapely.box(117.01, 30.0, 117.05, 30.05)
    in_utm = transform(forth, first.segmentize(0.001))
    bench.add(polygons("a", [in_utm.wkt]))
    bench.add(polygons("b", [second.segmentize(0.001).wkt], "EPSG:4326", "b_id"))
    envelope = bench.call("overlay_layers", layer_id="a", overlay_layer_id="b", operation="clip")
    data = envelope["data"]
    half = shapely.box(117.01, 30.0, 117.02, 30.01).segmentize(0.001)
    assert data["area_km2"] == pytest.approx(abs(GEOD.geometry_area_perimeter(half)[0]) / 1e6, rel=1e-5)
    assert data["crs"] == UTM and "reprojected on a copy to EPSG:32650" in envelope["message"]
    assert "index" not in envelope["message"]
    assert data["share_percent"] == pytest.approx(50, abs=0.01)


def test_lines_and_points_are_clipped(bench: Bench) -> None:
    """Length on the ellipsoid for lines; points keep their number; kinds stay."""
    bench.add(memory_layer(f"LineString?crs={UTM}&field=n:integer", [("LINESTRING(0 2,100 2)", [1])], "roads"))
    bench.add(memory_layer(f"Point?crs={UTM}&field=n:integer", [("POINT(1 1)", [1]), ("POINT(90 1)", [2])], "stops"))
    bench.add(polygons("mask", [MASK], field="m"))
    roads = bench.ok("overlay_layers", layer_id="roads", overlay_layer_id="mask", operation="difference")
    layer = bench.host.layers.by_alias(roads["layer_id"])
    assert [each.length for each in shapes_of(layer)] == [60.0]
    stops = bench.ok("overlay_layers", layer_id="stops", overlay_layer_id="mask", operation="intersection")
    assert (stops["feature_count"], stops["input_count"]) == (1, 2) and "m" in stops["fields"]
    assert bench.code("overlay_layers", layer_id="stops", overlay_layer_id="mask", operation="union") == "UNSUPPORTED"
    assert bench.code("overlay_layers", layer_id="mask", overlay_layer_id="stops", operation="clip") == "UNSUPPORTED"


def test_nothing_in_common_is_said(bench: Bench) -> None:
    """No layer is added, the count is 0, and the message gives the likely reason."""
    bench.add(polygons("a", [SQUARE]))
    bench.add(polygons("b", ["POLYGON((500 500,510 500,510 510,500 500))"]))
    count = len(bench.host.project.mapLayers())
    envelope = bench.call("overlay_layers", layer_id="a", overlay_layer_id="b", operation="intersection")
    assert envelope["ok"] and envelope["data"]["feature_count"] == 0 and envelope["data"]["layer_id"] is None
    assert "empty" in envelope["message"] and "CRS" in envelope["message"]
    covered = bench.call("overlay_layers", layer_id="a", overlay_layer_id="a", operation="difference")
    assert covered["data"]["feature_count"] == 0 and "covers" in covered["message"]
    assert len(bench.host.project.mapLayers()) == count


def test_overlaps_in_an_input_are_said(bench: Bench) -> None:
    """Two overlay polygons share half: the intersection counts that half twice, and the message says by how much."""
    bench.add(polygons("a", ["POLYGON((0 0,40 0,40 10,0 10,0 0))"]))
    twice = ["POLYGON((0 0,20 0,20 10,0 10,0 0))", "POLYGON((10 0,30 0,30 10,10 10,10 0))"]
    bench.add(polygons("b", twice, field="b_id"))
    envelope = bench.call("overlay_layers", layer_id="a", overlay_layer_id="b", operation="intersection")
    found = shapes_of(bench.host.layers.by_alias(envelope["data"]["layer_id"]))
    assert sum(each.area for each in found) == 400.0  # 300 m² are covered
    assert "overlay_layer_id overlap" in envelope["message"] and "33.3 %" in envelope["message"]


def test_slivers_are_said_and_can_be_dropped(bench: Bench) -> None:
    """Borders that do not meet leave a strip of 10 cm, which is told and dropped when asked for."""
    bench.add(polygons("a", ["POLYGON((0 0,1000 0,1000 1000,0 1000,0 0))"]))
    bench.add(polygons("b", ["POLYGON((0.1 0,1000 0,1000 1000,0.1 1000,0.1 0))"], field="b_id"))
    ask = {"layer_id": "a", "overlay_layer_id": "b", "operation": "union"}
    envelope = bench.call("overlay_layers", **ask)
    assert envelope["data"]["feature_count"] == 2 and "1 pieces look like slivers" in envelope["message"]
    envelope = bench.call("overlay_layers", **ask, options={"min_area_m2": 500})
    assert envelope["data"]["feature_count"] == 1 and "1 pieces smaller" in envelope["message"]


def test_fields_prefix_and_conditions(bench: Bench) -> None:
    """Chosen fields of both, a prefix for the overlay's, only the features asked for."""
    rows = [(SQUARE, [1, "x", 7]), ("POLYGON((0 0,5 0,5 5,0 0))", [2, "y", 8])]
    bench.add(memory_layer(f"Polygon?crs={UTM}&field=id:integer&field=kind:string(9)&field=v:integer", rows, "a"))
    bench.add(memory_layer(f"Polygon?crs={UTM}&field=id:integer&field=zone:string(9)", [(MASK, [5, "z"])], "b"))
    data = bench.ok(
        "overlay_layers",
        layer_id="a",
        overlay_layer_id="b",
        operation="intersection",
        where=[{"field": "kind", "op": "eq", "value": "x"}],
        options={"fields": ["id", "v"], "overlay_fields": ["id"], "prefix": "zone_"},
    )
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert data["fields"] == ["id", "v", "zone_id"]
    assert [each.attributes() for each in layer.getFeatures()] == [[1, 7, 5]]
    assert data["input_count"] == 1
    ask = {"layer_id": "a", "overlay_layer_id": "b"}
    assert bench.code("overlay_layers", **ask, operation="clip", options={"overlay_fields": ["id"]}) == "INVALID_PARAM"
    assert bench.code("overlay_layers", **ask, operation="union", options={"fields": ["knd"]}) == "NOT_FOUND"


def test_many_masks_clip_at_once(bench: Bench) -> None:
    """Masks are dissolved first; each feature appears once, with the area of shapely."""
    masks = blobs(3, 30)
    bench.add(polygons("a", [each.wkt for each in blobs(4, 30)]))
    bench.add(polygons("b", [each.wkt for each in masks], field="b_id"))
    data = bench.ok("overlay_layers", layer_id="a", overlay_layer_id="b", operation="clip")
    expected = shapely.union_all(blobs(4, 30)).intersection(shapely.union_all(masks)).area
    found = shapes_of(bench.host.layers.by_alias(data["layer_id"]))
    assert sum(each.area for each in found) == pytest.approx(expected, rel=1e-9)
    assert "native:dissolve" in data["algorithm"]


def test_areas_that_do_not_agree_are_refused() -> None:
    """The check itself: a piece too few, one too many, and one that overlaps explain."""
    areas = overlays.Dissolved(first=100.0, second=50.0, both=120.0, first_sum=100.0, second_sum=50.0)

    def measured(size: float) -> overlays.Measured:
        return overlays.Measured(1, 0, size, size, [])

    for operation, size in (("clip", 30), ("difference", 70), ("union", 120), ("symmetrical_difference", 90)):
        assert overlays.check_areas(operation, measured(size), areas)
        for wrong in (size - 1, size + 1):
            with pytest.raises(ToolError):
                overlays.check_areas(operation, measured(wrong), areas)
    twice = areas._replace(second_sum=60.0)
    assert overlays.check_areas("intersection", measured(36), twice)
    with pytest.raises(ToolError):
        overlays.check_areas("intersection", measured(29), twice)
    with pytest.raises(ToolError):
        overlays.check_bounds("difference", measured(101), measured(100))


def test_polygons_that_only_touch_leave_nothing(bench: Bench) -> None:
    """A shared border is a line, and the result of polygons holds polygons only."""
    bench.add(polygons("a", ["POLYGON((0 0,10 0,10 10,0 10,0 0))"]))
    bench.add(polygons("b", ["POLYGON((10 0,20 0,20 10,10 10,10 0))"]))
    data = bench.ok("overlay_layers", layer_id="a", overlay_layer_id="b", operation="intersection")
    assert data["feature_count"] == 0


def test_edits_are_seen_and_said(bench: Bench) -> None:
    """A feature that is not saved yet counts, and the message tells of the edits."""
    layer = bench.add(polygons("a", [SQUARE]))
    bench.add(polygons("mask", [MASK], field="m"))
    layer.startEditing()
    feature = QgsFeature(layer.fields())
    feature.setGeometry(QgsGeometry.fromWkt("POLYGON((0 0,5 0,5 5,0 0))"))
    layer.addFeature(feature)
    envelope = bench.call("overlay_layers", layer_id="a", overlay_layer_id="mask", operation="clip")
    layer.rollBack()
    assert envelope["data"]["feature_count"] == 2 and "not saved" in envelope["message"]
