"""The map and the layer tree where it is easy to be wrong: the 180th meridian, straight lines, many features, Stop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Bench, memory_layer
from pyproj import Transformer
from qgis.core import QgsCoordinateReferenceSystem, QgsProject

from qgis_agent.gis import view
from qgis_agent.gis.host import run_until

POINTS = "Point?crs=EPSG:4326&field=name:string(20)&field=n:integer"
FIJI = "EPSG:3460"


def fiji(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places in metres of EPSG:3460, by pyproj."""
    forth = Transformer.from_crs("EPSG:4326", FIJI, always_xy=True).transform
    return [forth(*each) for each in places]


@pytest.fixture
def islands(bench: Bench) -> Iterator[Bench]:
    """Points and an area on both sides of the 180th meridian, in a CRS that is not torn there; the map is in it too."""
    points = fiji([(177.5, -17), (179.5, -17), (-179.5, -17), (-178.5, -17)])
    bench.add(memory_layer(f"Point?crs={FIJI}&field=name:string", [(f"POINT({x} {y})", ["p"]) for x, y in points], "p"))
    ring = fiji([(177, -18), (-178, -18), (-178, -16), (177, -16), (177, -18)])
    area = "POLYGON((" + ",".join(f"{x} {y}" for x, y in ring) + "))"
    bench.add(memory_layer(f"Polygon?crs={FIJI}&field=name:string", [(area, ["isle"])], "isles"))
    bench.host.project.setCrs(QgsCoordinateReferenceSystem(FIJI))
    yield bench
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))


def test_boxes_across_the_meridian(islands: Bench) -> None:
    """They are written with an east over 180, and do not go round the earth."""
    for box in (
        islands.ok("describe_layer", layer_id="p")["bbox"],
        islands.ok("zoom_to", layer_id="p")["bbox"],
    ):
        assert box == pytest.approx([177.5, -17, 181.5, -17], abs=0.05)
    for box in (
        islands.ok("describe_layer", layer_id="isles")["bbox"],
        islands.ok("resolve_place", text="isle")["bbox"],
        islands.ok("zoom_to", layer_id="isles")["bbox"],
        islands.ok("set_map_view", method="full_extent")["view_bbox"],
        islands.host.view_bbox(),
    ):
        assert box == pytest.approx([177, -18, 182, -16], abs=0.25)


@pytest.mark.parametrize("east", [182.0, -178.0])
def test_a_map_that_goes_on_after_180_shows_both_sides(islands: Bench, east: float) -> None:
    """Both ways of writing such a box; web mercator is torn there and says so."""
    envelope = islands.call("zoom_to", bbox=[177.0, -18.0, east, -16.0])
    assert envelope["message"] == ""
    assert envelope["data"]["view_bbox"] == pytest.approx([176.9, -18, 182.1, -16], abs=0.15)
    assert islands.ok("query_in_bbox", layer_id="p", bbox=[177.0, -18.0, east, -16.0])["total"] == 4
    islands.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    assert "one side" in islands.call("zoom_to", bbox=[177.0, -18.0, east, -16.0])["message"]


def test_a_box_that_is_none(bench: Bench) -> None:
    """West and east mixed up, more than once round the earth."""
    bench.add(memory_layer(POINTS, [("POINT(0 0)", ["a", 1])], "t"))
    for bbox in ([116.5, 39.0, 116.3, 40.0], [-180.0, -10.0, 360.0, 10.0], [0.0, 1.0, 1.0, 1.0]):
        assert bench.code("zoom_to", bbox=bbox) == "INVALID_PARAM"
        assert bench.code("query_in_bbox", layer_id="t", bbox=bbox) == "INVALID_PARAM"


@pytest.mark.parametrize("end", [(1_000_000.0, 0.0), (0.0, 1_000_000.0)])
def test_a_straight_line_is_no_point(bench: Bench, end: tuple[float, float]) -> None:
    """QGIS brings a box without height to another CRS as one point. 1,000 km of web mercator are 8.983 degrees."""
    definition = "LineString?crs=EPSG:3857&field=name:string"
    bench.add(memory_layer(definition, [(f"LINESTRING(0 0, {end[0]} {end[1]})", ["x"])], "line"))
    back = Transformer.from_crs("EPSG:3857", "EPSG:4326", always_xy=True).transform
    expected = pytest.approx([0, 0, *back(*end)], abs=1e-4)
    assert bench.ok("describe_layer", layer_id="line")["bbox"] == expected
    assert bench.ok("zoom_to", layer_id="line")["bbox"] == expected
    assert bench.ok("highlight_features", layer_id="line")["bbox"] == expected


def test_the_last_of_many_features_is_seen_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Features beyond the number that are looked at one by one count for the view, and for what is left out."""
    monkeypatch.setattr(view, "MAX_PARTS", 50)
    rows: list[Any] = [(f"POINT({number / 2} 10)", ["a", number]) for number in range(300)]
    bench.add(memory_layer(POINTS, rows, "points"))
    assert bench.ok("zoom_to", layer_id="points")["bbox"] == pytest.approx([0, 10, 149.5, 10], abs=1e-6)
    square = "POLYGON(({0} 0,{1} 0,{1} {2},{0} {2},{0} 0))"
    shapes = [square.format(number * 0.1, number * 0.1 + 0.1, 0.1) for number in range(100)]
    shapes += [square.format(60 + number * 0.1, 60 + number * 0.1 + 0.1, 0.1) for number in range(10)]
    definition = "Polygon?crs=EPSG:4326&field=name:string"
    bench.add(memory_layer(definition, [(each, ["a"]) for each in shapes], "areas"))
    where = [{"field": "name", "op": "eq", "value": "a"}]
    data = bench.ok("zoom_to", layer_id="areas", where=where)
    assert data["bbox"] == pytest.approx([0, 0, 10, 0.1], abs=1e-6)
    assert data["left_out"] == 10


def test_many_features_across_the_meridian(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Together they still are the narrow box."""
    monkeypatch.setattr(view, "MAX_PARTS", 20)
    rows: list[Any] = [(f"POINT({lon} 1)", ["a", 1]) for lon in [178 + n / 50 for n in range(100)]]
    rows += [(f"POINT({lon} 1)", ["a", 1]) for lon in [-180 + n / 50 for n in range(100)]]
    bench.add(memory_layer(POINTS, rows, "t"))
    west, _, east, _ = bench.ok("zoom_to", layer_id="t")["bbox"]
    assert (west, east) == pytest.approx((178, 181.98), abs=1e-6)


def test_a_table_is_not_zoomed_to(bench: Bench) -> None:
    """The hint is about tables, not about a CRS; and conditions on a raster are not passed over."""
    bench.add(memory_layer("None?field=a:int", [(None, [1])], "t"))
    assert bench.call("zoom_to", layer_id="t")["reason"] == "layer_kind"


def test_a_map_that_shows_nothing_yet(bench: Bench) -> None:
    """It has no scale to change; a centre makes a view."""
    bench.host.view.reset()
    for arguments in ({"scale": 1000.0}, {"method": "zoom_in"}):
        envelope = bench.call("set_map_view", **arguments)
        assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "empty_view")
    data = bench.ok("set_map_view", center=[10.0, 50.0], scale=5000.0)
    west, south, east, north = data["view_bbox"]
    assert ((west + east) / 2, (south + north) / 2) == pytest.approx((10, 50), abs=1e-4)
    assert data["scale"] == 5000


def test_a_place_that_the_map_crs_has_not(bench: Bench) -> None:
    """The far side of a globe: an error, and the map as it was."""
    bench.host.project.setCrs(QgsCoordinateReferenceSystem.fromProj("+proj=ortho +lat_0=0 +lon_0=0 +type=crs"))
    bench.ok("zoom_to", bbox=[1.0, 1.0, 2.0, 2.0])
    before = bench.host.view_bbox()
    for name, arguments in (
        ("set_map_view", {"center": [170.0, 0.0], "scale": 1000.0}),
        ("zoom_to", {"bbox": [170.0, 1.0, 171.0, 2.0]}),
    ):
        envelope = bench.call(name, **arguments)
        assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "crs")
        assert bench.host.view_bbox() == before
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))


# the tree


def visible(bench: Bench) -> list[bool]:
    """The check marks of all layers of the tree."""
    return [each.itemVisibilityChecked() for each in bench.host.project.layerTreeRoot().findLayers()]


def test_a_layer_that_stands_in_the_tree_twice_is_hidden(bench: Bench) -> None:
    """Everywhere: hidden once, it would still be drawn."""
    layer = bench.add(memory_layer(POINTS, [("POINT(0 0)", ["a", 1])], "t"))
    bench.host.project.layerTreeRoot().insertLayer(0, layer)
    assert bench.ok("toggle_layer", layer_id="t", visible=False)["visible"] is False
    assert visible(bench) == [False, False]
    assert bench.ok("toggle_layer", layer_id="t", visible=True)["visible"] is True


def test_what_else_a_switch_shows_or_hides_is_said(bench: Bench) -> None:
    """A group that shows one layer at a time, a group that was off with others in it, a scale range."""
    root = bench.host.project.layerTreeRoot()
    group = root.addGroup("x")
    for name in "abc":
        layer = memory_layer(POINTS, [("POINT(0 0)", ["a", 1])], name)
        bench.host.project.addMapLayer(layer, False)
        group.addLayer(layer)
    group.setItemVisibilityChecked(False)
    envelope = bench.call("toggle_layer", layer_id="b", visible=True)
    assert envelope["data"]["also_shown"] == ["a", "c"]
    assert "2 other layers are shown" in envelope["message"]
    group.setIsMutuallyExclusive(True, 1)
    envelope = bench.call("toggle_layer", layer_id="c", visible=True)
    assert envelope["data"]["also_hidden"] == ["b"]
    assert "1 other layers are hidden" in envelope["message"]
    assert visible(bench) == [False, False, True]
    layer = bench.host.layers.by_alias("a")
    assert layer is not None
    layer.setScaleBasedVisibility(True)
    layer.setMinimumScale(2000)
    bench.ok("zoom_to", bbox=[0.0, 0.0, 10.0, 10.0])
    assert "present scale" in bench.call("toggle_layer", layer_id="a", visible=True)["message"]


def test_results_are_there_again_after_stop(bench: Bench) -> None:
    """clear_temp_layers that is stopped has cleared nothing."""
    for name in ("one", "two"):
        bench.host.add_result_layer(memory_layer(POINTS, [("POINT(3 3)", ["Foo", 1])]), name)
    bench.ok("toggle_layer", layer_id="one", visible=False)
    before = [(each.name(), each.itemVisibilityChecked()) for each in tree(bench.host.project)]
    outcomes: list[dict[str, Any]] = []
    running = bench.begin("clear_temp_layers", {}, outcomes)
    assert running is not None
    running.cancel()
    run_until(lambda: False, 0.2)
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    assert [(each.name(), each.itemVisibilityChecked()) for each in tree(bench.host.project)] == before
    assert bench.ok("clear_temp_layers")["count"] == 2


def tree(project: QgsProject) -> list[Any]:
    """The layers of the tree, from the top."""
    return list(project.layerTreeRoot().findLayers())
