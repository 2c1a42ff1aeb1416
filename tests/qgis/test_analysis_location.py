"""select_by_location: the ids that shapely and pyproj give, in every mode, read back; conditions, edits, repairs."""

from __future__ import annotations

from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import QgsFeature, QgsGeometry, QgsVectorLayer

from qgis_agent.gis.host import run_until

GEOD = Geod(ellps="WGS84")


def grid(bench: Bench, kind: str = "Point") -> QgsVectorLayer:
    """Points or squares on a grid of 6 x 6, with their numbers; feature ids are 1 to 36."""
    cells = []
    for number in range(36):
        x, y = number % 6, number // 6
        shape = shapely.Point(x + 0.5, y + 0.5) if kind == "Point" else shapely.box(x, y, x + 1, y + 1)
        cells.append((shape.wkt, [number]))
    return bench.add(memory_layer(f"{kind}?crs=EPSG:32650&field=n:integer", cells, "grid"))


def area(bench: Bench, *shapes: shapely.Geometry, crs: str = "EPSG:32650") -> QgsVectorLayer:
    """The layer to select by."""
    return bench.add(
        memory_layer(f"Polygon?crs={crs}&field=i:integer", [(each.wkt, [i]) for i, each in enumerate(shapes)], "area")
    )


def chosen(layer: QgsVectorLayer) -> set[int]:
    """Numbers of the selected features."""
    return {each["n"] for each in layer.selectedFeatures()}


@pytest.mark.parametrize("predicate", ["intersects", "within", "touches", "overlaps", "equals", "disjoint"])
def test_selects_what_shapely_says(bench: Bench, predicate: str) -> None:
    """Squares against two areas, one of which is exactly a square."""
    layer = grid(bench, "Polygon")
    shapes = [shapely.box(0, 0, 2.5, 2), shapely.box(4, 4, 5, 5)]
    area(bench, *shapes)
    data = bench.ok("select_by_location", layer_id="grid", by_layer_id="area", predicate=predicate)
    cells = {n: shapely.box(n % 6, n // 6, n % 6 + 1, n // 6 + 1) for n in range(36)}
    if predicate == "disjoint":
        wanted = {n for n, cell in cells.items() if all(cell.disjoint(each) for each in shapes)}
    else:
        wanted = {n for n, cell in cells.items() if any(getattr(cell, predicate)(each) for each in shapes)}
    assert chosen(layer) == wanted and 0 < len(wanted) < 36
    assert data["selected"] == data["matched"] == len(wanted) and data["before"] == 0


def test_modes_and_conditions(bench: Bench) -> None:
    """Add, remove and intersect work on what is selected; conditions hold on both sides."""
    layer = grid(bench)
    area(bench, shapely.box(0, 0, 2, 1), shapely.box(4, 0, 6, 1))

    def select(mode: str, **options: Any) -> dict[str, Any]:
        return bench.ok("select_by_location", layer_id="grid", by_layer_id="area", mode=mode, options=options)

    one = [{"field": "i", "op": "eq", "value": 0}]
    assert select("replace", by_where=one)["selected"] == 2 and chosen(layer) == {0, 1}
    other = [{"field": "i", "op": "eq", "value": 1}]
    assert select("add", by_where=other)["before"] == 2 and chosen(layer) == {0, 1, 4, 5}
    assert select("remove", where=[{"field": "n", "op": "lt", "value": 1}])["selected"] == 3
    assert chosen(layer) == {1, 4, 5}
    select("intersect", by_where=one)
    assert chosen(layer) == {1}


def test_metres_on_the_ground(bench: Bench) -> None:
    """In web mercator at 70° N a plane limit would take a third; pyproj gives the ids."""
    forth = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)
    centre = (25.0, 70.0)
    places = [GEOD.fwd(*centre, 37 * n, 100 * n)[:2] for n in range(36)]
    rows = [("POINT({!r} {!r})".format(*forth.transform(*each)), [n]) for n, each in enumerate(places)]
    layer = bench.add(memory_layer("Point?crs=EPSG:3857&field=n:integer", rows, "grid"))
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(25 70)", [])], "area"))
    data = bench.ok(
        "select_by_location", layer_id="grid", by_layer_id="area", predicate="within_distance", distance_m=1550
    )
    assert (
        chosen(layer) == {n for n, each in enumerate(places) if GEOD.inv(*centre, *each)[2] <= 1550} == set(range(16))
    )
    assert "geodesic" in data["method"]


def test_crs_that_differ(bench: Bench) -> None:
    """The area in degrees."""
    layer = grid(bench)
    back = Transformer.from_crs("EPSG:32650", "EPSG:4326", always_xy=True)
    area(bench, shapely.transform(shapely.box(0, 0, 2, 1), back.transform, interleaved=False), crs="EPSG:4326")
    bench.ok("select_by_location", layer_id="grid", by_layer_id="area")
    assert chosen(layer) == {0, 1}


def test_the_same_layer(bench: Bench) -> None:
    """No feature is compared with itself: the one square apart from the others touches nothing."""
    layer = grid(bench, "Polygon")
    lonely = QgsFeature(layer.fields())
    lonely.setAttributes([99])
    lonely.setGeometry(QgsGeometry.fromWkt(shapely.box(20, 20, 21, 21).wkt))
    layer.dataProvider().addFeatures([lonely])
    bench.ok("select_by_location", layer_id="grid", by_layer_id="grid")
    assert chosen(layer) == set(range(36))


def test_a16_invalid_polygons_are_repaired_for_the_comparison(bench: Bench) -> None:
    """A bow-tie selects what lies in both of its halves; the layer itself keeps it, and it is said."""
    layer = grid(bench)
    bow = area(bench, shapely.Polygon([(0, 0), (4, 4), (4, 0), (0, 4)]))
    envelope = bench.call("select_by_location", layer_id="grid", by_layer_id="area", predicate="within")
    fixed = shapely.make_valid(shapely.Polygon([(0, 0), (4, 4), (4, 0), (0, 4)]))
    wanted = {n for n in range(36) if fixed.contains(shapely.Point(n % 6 + 0.5, n // 6 + 0.5))}
    assert chosen(layer) == wanted and wanted
    assert "1 invalid" in envelope["message"]
    assert not next(bow.getFeatures()).geometry().isGeosValid()


def test_nothing_matches_and_why(bench: Bench) -> None:
    """A success with 0, the old selection replaced, and the reason: the layers lie apart."""
    layer = grid(bench)
    layer.selectByIds([3])
    area(bench, shapely.box(500_000, 4_000_000, 500_010, 4_000_010))
    envelope = bench.call("select_by_location", layer_id="grid", by_layer_id="area")
    assert envelope["ok"] and envelope["data"]["selected"] == 0 and layer.selectedFeatureCount() == 0
    assert "No feature matches" in envelope["message"] and "apart" in envelope["message"]


def test_a53_open_edits_count(bench: Bench) -> None:
    """A point that is not saved is selected too, and the edit session stays."""
    layer = grid(bench)
    area(bench, shapely.box(0, 0, 1, 1))
    layer.startEditing()
    new = QgsFeature(layer.fields())
    new.setAttributes([100])
    new.setGeometry(QgsGeometry.fromWkt("POINT(0.2 0.2)"))
    assert layer.addFeature(new)
    envelope = bench.call("select_by_location", layer_id="grid", by_layer_id="area")
    assert chosen(layer) == {0, 100} and layer.isModified() and "not saved" in envelope["message"]


def test_stopped_it_leaves_the_selection(bench: Bench) -> None:
    """The old selection is back, or was never touched."""
    layer = grid(bench)
    layer.selectByIds([3, 4])
    area(bench, shapely.box(0, 0, 6, 6))
    outcomes: list[dict[str, Any]] = []
    running = bench.begin("select_by_location", {"layer_id": "grid", "by_layer_id": "area"}, outcomes)
    assert running is not None
    running.cancel()
    assert run_until(lambda: bool(outcomes), 10)
    assert outcomes[0]["envelope"]["code"] == "CANCELLED" and set(layer.selectedFeatureIds()) == {3, 4}


def test_what_is_refused(bench: Bench) -> None:
    """The right code, and the selection as it was."""
    layer = grid(bench)
    layer.selectByIds([3])
    area(bench, shapely.box(0, 0, 1, 1))
    bench.add(memory_layer("None?field=a:integer", [(None, [1])], "table"))

    def code(**more: Any) -> str:
        return bench.code("select_by_location", **{"layer_id": "grid", "by_layer_id": "area", **more})

    assert code(by_layer_id="table") == "UNSUPPORTED"
    assert code(predicate="within_distance") == "INVALID_PARAM"
    assert code(distance_m=5) == "INVALID_PARAM"
    assert code(options={"by_where": [{"field": "q", "op": "eq", "value": 1}]}) == "NOT_FOUND"
    assert set(layer.selectedFeatureIds()) == {3}
