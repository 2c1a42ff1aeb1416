"""derive_geometry against shapely, pyproj and closed form."""

from __future__ import annotations

import math
from typing import Any

import pyproj
import pytest
import shapely
from conftest import Bench, memory_layer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsVectorLayer, QgsWkbTypes

from qgis_agent.headless_commands import register_provider

GEOD = pyproj.Geod(ellps="WGS84")
L_SHAPE = "POLYGON((0 0,30 0,30 10,10 10,10 30,0 30,0 0))"
HOLED = "POLYGON((100 0,100 20,120 20,120 0,100 0),(105 5,110 5,110 10,105 10,105 5))"


@pytest.fixture(autouse=True)
def providers(qgis_app: Any) -> None:
    """Native algorithms, those in Python, and ours."""
    from processing.core.Processing import Processing

    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    if registry.providerById("qgis") is None:
        Processing.initialize()
    register_provider()


def shapes(bench: Bench, data: dict[str, Any]) -> list[Any]:
    """The geometries of a result, by shapely."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert isinstance(layer, QgsVectorLayer)
    found = [shapely.from_wkb(bytes(each.geometry().asWkb())) for each in layer.getFeatures()]
    assert len(found) == data["feature_count"]
    return found


def derive(bench: Bench, kind: str, layer_id: str = "layer", **options: Any) -> dict[str, Any]:
    """One call, with its options where there are some."""
    return bench.ok("derive_geometry", layer_id=layer_id, kind=kind, **({"options": options} if options else {}))


def metric_polygons(bench: Bench) -> list[Any]:
    """Two polygons near the centre of UTM zone 33, and a row without a geometry; the polygons by shapely."""
    moved = [
        shapely.transform(shapely.from_wkt(each), lambda xy: xy + [500_000, 5_300_000]) for each in (L_SHAPE, HOLED)
    ]
    rows: list[Any] = [(each.wkt, [number]) for number, each in enumerate(moved)]
    bench.add(memory_layer("Polygon?crs=EPSG:32633&field=n:integer", [*rows, (None, [9])]))
    return moved


EXPECTED = {
    "centroid": shapely.centroid,
    "convex_hull": shapely.convex_hull,
    "bounding_box": shapely.envelope,
    "oriented_box": shapely.oriented_envelope,
    "boundary": shapely.boundary,
    "remove_holes": lambda each: shapely.Polygon(each.exterior),
    "polygons_to_lines": shapely.boundary,
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_shape_of_each_feature_is_that_of_shapely(bench: Bench, kind: str) -> None:
    """One for each feature with a geometry, equal to shapely's; attributes kept; the row without one is told."""
    polygons = metric_polygons(bench)
    data = derive(bench, kind)
    found = shapes(bench, data)
    assert data["input_count"] == 2
    assert any("1 features" in each for each in data["warnings"])
    for one, polygon in zip(found, polygons):
        expected = EXPECTED[kind](polygon)
        assert shapely.hausdorff_distance(one, expected) < 1e-6, (one.wkt, expected.wkt)
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert [each["n"] for each in layer.getFeatures()] == [0, 1]


def test_points_on_a_surface_lie_on_it(bench: Bench) -> None:
    """The centroid of an L can lie outside; the point on its surface does not."""
    polygons = metric_polygons(bench)
    for one, polygon in zip(shapes(bench, derive(bench, "point_on_surface")), polygons):
        assert polygon.contains(one)


def test_the_smallest_circle(bench: Bench) -> None:
    """Around the square with corner (100 0) and side 20: radius 20/sqrt(2), so its area is pi 200, but for the chords."""
    metric_polygons(bench)
    square = shapes(bench, derive(bench, "minimum_circle"))[1]
    chord = math.sin(2 * math.pi / 72) / (2 * math.pi / 72)
    assert square.area == pytest.approx(math.pi * 200 * chord, rel=1e-6)


def test_areas_are_those_on_the_ellipsoid(bench: Bench) -> None:
    """A hull in degrees: area_m2 and the total as pyproj measures them, not square degrees."""
    rows = [("MULTIPOINT((116 39),(117 39),(117 40),(116 40))", [1])]
    bench.add(memory_layer("MultiPoint?crs=EPSG:4326&field=area_m2:integer", rows))
    data = derive(bench, "convex_hull")
    expected = abs(GEOD.polygon_area_perimeter([116, 117, 117, 116], [39, 39, 40, 40])[0])
    assert data["area_m2"] == pytest.approx(expected, rel=1e-6)
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert next(layer.getFeatures()).attributes()[1] == pytest.approx(expected, rel=1e-6)
    assert [each.name() for each in layer.fields()] == ["area_m2", "area_m2_2"]


def test_groups(bench: Bench) -> None:
    """One hull for each value of a field, and one for the layer: shapely's of the collected points."""
    places = {"a": [(0, 0), (10, 0), (0, 10), (2, 2)], "b": [(20, 20), (30, 20), (25, 30)], "c": [(50, 50), (60, 60)]}
    rows: list[Any] = [(f"POINT({x + 500_000} {y + 5_300_000})", [name]) for name, xy in places.items() for x, y in xy]
    bench.add(memory_layer("Point?crs=EPSG:32633&field=g:string(3)", rows))
    data = derive(bench, "convex_hull", per="field", field="g")
    assert sorted(each.area for each in shapes(bench, data)) == pytest.approx([50.0, 50.0])
    assert any(each.startswith("1 of them made nothing") for each in data["warnings"])
    everything = shapely.MultiPoint([each for xy in places.values() for each in xy]).convex_hull.area
    assert [each.area for each in shapes(bench, derive(bench, "convex_hull", per="layer"))] == pytest.approx(
        [everything]
    )
    centre = shapes(bench, derive(bench, "centroid", per="layer"))[0]
    xy = [each for one in places.values() for each in one]
    assert (centre.x - 500_000, centre.y - 5_300_000) == pytest.approx(
        (sum(x for x, _ in xy) / len(xy), sum(y for _, y in xy) / len(xy))
    )
    concave = shapes(bench, derive(bench, "concave_hull", per="layer", ratio=1.0))[0]
    assert concave.area == pytest.approx(everything)
    envelope = bench.call("derive_geometry", layer_id="layer", kind="convex_hull")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "nothing_made")


def test_vertices_parts_and_segments(bench: Bench) -> None:
    """Counts in closed form; fields that an algorithm would add again are renamed first, and keep their values."""
    rows = [("MULTILINESTRING((0 0,1 0,1 1),(5 5,6 6))", [7, 8]), ("MULTILINESTRING((2 2,3 3,4 4,5 5))", [9, 10])]
    bench.add(memory_layer("MultiLineString?crs=EPSG:32633&field=distance:integer&field=angle:integer", rows))
    assert derive(bench, "single_parts")["feature_count"] == 3
    assert derive(bench, "explode")["feature_count"] == 2 + 1 + 3
    data = derive(bench, "vertices")
    assert data["feature_count"] == 9
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert {each["distance_source"] for each in layer.getFeatures()} == {7, 9}
    assert {each["angle_source"] for each in layer.getFeatures()} == {8, 10}
    assert max(each["vertex_part"] for each in layer.getFeatures()) == 1
    assert QgsWkbTypes.isMultiType(bench.host.layers.by_alias(derive(bench, "multi_parts")["layer_id"]).wkbType())


@pytest.mark.parametrize("epsg", [4326, 3857, 32632, 2263])
def test_points_along_a_line_are_metres_apart(bench: Bench, epsg: int) -> None:
    """A line of 1,000 m (2263: feet): a point at 0, 250 … 1,000 m by geodesic distance, in any CRS."""
    lon, lat = (-73.9, 40.7) if epsg == 2263 else (9.0, 60.0)
    east, north, _ = GEOD.fwd(lon, lat, 70.0, 1000.5)
    forward = pyproj.Transformer.from_crs(4326, epsg, always_xy=True)
    ends = ",".join("{!r} {!r}".format(*forward.transform(*each)) for each in ((lon, lat), (east, north)))
    bench.add(memory_layer(f"LineString?crs=EPSG:{epsg}", [(f"LINESTRING({ends})", [])]))
    found = [
        forward.transform(each.x, each.y, direction="INVERSE")
        for each in shapes(bench, derive(bench, "points_along", distance_m=250.0))
    ]
    assert [GEOD.inv(lon, lat, *each)[2] for each in found] == pytest.approx([0, 250, 500, 750, 1000], abs=0.6)


def test_simplify_and_densify_take_metres(bench: Bench) -> None:
    """In degrees at 60° N: a bump of 3 m goes with 5 m and stays with 2 m; no gap is longer than 100 m after densify."""
    lon, lat = 10.0, 60.0
    middle = GEOD.fwd(lon, lat, 90.0, 500.0)
    bump, end = GEOD.fwd(middle[0], middle[1], 0.0, 3.0), GEOD.fwd(lon, lat, 90.0, 1000.0)
    line = shapely.LineString([(lon, lat), bump[:2], end[:2]])
    bench.add(memory_layer("LineString?crs=EPSG:4326", [(line.wkt, [])]))
    assert derive(bench, "simplify", tolerance_m=5.0)["vertices"] == 2
    assert derive(bench, "simplify", tolerance_m=2.0)["vertices"] == 3
    dense = shapes(bench, derive(bench, "densify", distance_m=100.0))[0]
    gaps = [GEOD.inv(*one, *other)[2] for one, other in zip(dense.coords, dense.coords[1:])]
    assert 45 < max(gaps) <= 100.01
    assert shapely.hausdorff_distance(dense, line) < 1e-12
    assert bench.code("derive_geometry", layer_id="layer", kind="simplify") == "INVALID_PARAM"


def test_ring_direction(bench: Bench) -> None:
    """Outer rings counter-clockwise and holes clockwise, coordinates and holes as they were; and the other way round."""
    metric_polygons(bench)
    for kind, sign in (("rings_ccw", True), ("rings_cw", False)):
        data = derive(bench, kind)
        found = shapes(bench, data)
        assert [each.geom_type for each in found] == ["Polygon", "Polygon"]
        assert all(each.exterior.is_ccw is sign for each in found)
        assert [ring.is_ccw for each in found for ring in each.interiors] == [not sign]
        assert found[1].area == pytest.approx(400 - 25)


def test_lines_to_polygons_and_back(bench: Bench) -> None:
    """Lines of two vertices make no polygon and are told; a network of lines makes its faces."""
    rows = [("LINESTRING(0 0,10 0,10 10)", [1]), ("LINESTRING(0 0,5 5)", [2])]
    bench.add(memory_layer("LineString?crs=EPSG:32633&field=n:integer", rows))
    data = derive(bench, "lines_to_polygons")
    assert [each.area for each in shapes(bench, data)] == pytest.approx([50.0])
    assert "1 lines" in " ".join(data["warnings"])
    net = [("LINESTRING(0 0,10 0,10 10,0 10,0 0)", [1]), ("LINESTRING(5 0,5 10)", [2])]
    assert bench.code("derive_geometry", layer_id="layer", kind="polygonize") == "NOT_FOUND"
    bench.add(memory_layer("LineString?crs=EPSG:32633&field=n:integer", net, "net"))
    assert [each.area for each in shapes(bench, derive(bench, "polygonize", "net"))] == pytest.approx([50.0, 50.0])


def test_voronoi_and_delaunay(bench: Bench) -> None:
    """Cells hold what is nearest by geodesic distance at 60° N; triangles fill the hull; a double point has no cell."""
    places = [(10.0, 60.0), (10.01, 60.004), (10.02, 60.0), (10.005, 60.012), (10.017, 60.011), (10.0, 60.0)]
    rows = [(f"POINT({x} {y})", [n]) for n, (x, y) in enumerate(places)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows))
    data = derive(bench, "voronoi")
    assert data["feature_count"] == 5
    assert "azimuthal" in data["computed"]
    layer = bench.host.layers.by_alias(data["layer_id"])
    cells = [(each["n"], shapely.from_wkb(bytes(each.geometry().asWkb()))) for each in layer.getFeatures()]
    for x in (10.001, 10.007, 10.013, 10.019):
        for y in (60.001, 60.005, 60.0095):
            nearest = min(range(5), key=lambda n: GEOD.inv(x, y, *places[n])[2])
            inside = [n for n, cell in cells if cell.contains(shapely.Point(x, y))]
            assert inside and places[inside[0]] == places[nearest]
    triangles = shapes(bench, derive(bench, "delaunay"))
    hull = shapely.MultiPoint(places).convex_hull
    assert sum(each.area for each in triangles) == pytest.approx(hull.area, rel=1e-4)


def test_across_the_180th_meridian(bench: Bench) -> None:
    """A hull of a whole across 180° is refused with a way out, which works; a feature on both sides is told."""
    rows = [("POINT(179.9 -17)", [1]), ("POINT(-179.9 -17)", [2]), ("POINT(180 -16.9)", [3])]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", rows))
    envelope = bench.call("derive_geometry", layer_id="layer", kind="convex_hull", options={"per": "layer"})
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "antimeridian")
    assert "EPSG:3832" in envelope["hint"]
    moved = bench.ok("reproject_layer", layer_id="layer", crs="EPSG:3832")
    hull = derive(bench, "convex_hull", moved["layer_id"], per="layer")
    assert hull["area_m2"] < 0.2 * 0.1 * 111_320**2
    fiji = "MULTIPOLYGON(((179 -17,180 -17,180 -16,179 -16,179 -17)),((-180 -17,-179 -17,-179 -16,-180 -16,-180 -17)))"
    bench.add(memory_layer("MultiPolygon?crs=EPSG:4326", [(fiji, [])], "fiji"))
    assert "180°" in " ".join(derive(bench, "centroid", "fiji")["warnings"])


def test_smooth_merge_and_z(bench: Bench) -> None:
    """Corners cut at a quarter: 1 - 4·(1/4·1/4/2) of a square; lines end to end become one; Z goes."""
    bench.add(memory_layer("PolygonZ?crs=EPSG:32633", [("POLYGONZ((0 0 5,8 0 5,8 8 5,0 8 5,0 0 5))", [])], "square"))
    assert shapes(bench, derive(bench, "smooth", "square"))[0].area == pytest.approx(64 * (1 - 4 / 32))
    flat = bench.host.layers.by_alias(derive(bench, "drop_z", "square")["layer_id"])
    assert QgsWkbTypes.displayString(flat.wkbType()) == "Polygon"
    kept = bench.host.layers.by_alias(derive(bench, "rings_ccw", "square")["layer_id"])
    assert next(kept.getFeatures()).geometry().constGet().exteriorRing().pointN(0).z() == 5
    bench.add(memory_layer("MultiLineString?crs=EPSG:32633", [("MULTILINESTRING((0 0,1 0),(1 0,2 0))", [])], "lines"))
    merged = shapes(bench, derive(bench, "line_merge", "lines"))[0]
    assert shapely.get_num_geometries(merged) == 1
    assert merged.length == pytest.approx(2)


def test_where_and_kinds_that_do_not_fit(bench: Bench) -> None:
    """Only what matches; a kind that the layer cannot have, a grouping without its field, no CRS: code and hint."""
    metric_polygons(bench)
    where = [{"field": "n", "op": "eq", "value": 1}]
    assert bench.ok("derive_geometry", layer_id="layer", kind="centroid", where=where)["feature_count"] == 1
    assert bench.code("derive_geometry", layer_id="layer", kind="voronoi") == "UNSUPPORTED"
    assert bench.code("derive_geometry", layer_id="layer", kind="vertices", options={"per": "layer"}) == "INVALID_PARAM"
    assert bench.code("derive_geometry", layer_id="layer", kind="centroid", options={"per": "field"}) == "INVALID_PARAM"
    nothing = [{"field": "n", "op": "eq", "value": 77}]
    assert bench.code("derive_geometry", layer_id="layer", kind="centroid", where=nothing) == "NOT_FOUND"


def test_what_has_no_geometry_of_that_kind_is_told(bench: Bench) -> None:
    """A closed line has no ends; a polygon without area has no centroid; a tolerance above its size leaves a polygon."""
    rows = [("LINESTRING(0 0,1 0,1 1,0 0)", [1]), ("LINESTRING(0 0,5 5)", [2])]
    bench.add(memory_layer("LineString?crs=EPSG:32633&field=n:integer", rows, "lines"))
    data = derive(bench, "boundary", "lines")
    assert (data["feature_count"], shapes(bench, data)[0]) == (1, shapely.MultiPoint([(0, 0), (5, 5)]))
    assert any("1 closed lines" in each for each in data["warnings"])
    flat = [("POLYGON((0 0,1 1,2 2,0 0))", [1]), ("POLYGON((0 0,9 0,9 9,0 9,0 0))", [2])]
    moved = [(shapely.transform(shapely.from_wkt(w), lambda xy: xy + [500_000, 5_300_000]).wkt, n) for w, n in flat]
    bench.add(memory_layer("Polygon?crs=EPSG:32633&field=n:integer", moved, "areas"))
    data = derive(bench, "centroid", "areas")
    assert (data["feature_count"], shapes(bench, data)[0].x) == (1, pytest.approx(500_004.5))
    assert any("1 of them made nothing" in each for each in data["warnings"])
    coarse = bench.call(
        "derive_geometry", layer_id="areas", kind="simplify", options={"tolerance_m": 1000.0},
        where=[{"field": "n", "op": "eq", "value": 2}],
    )  # fmt: skip
    assert coarse["ok"], coarse
    assert coarse["data"]["area_m2_before"] == pytest.approx(81, rel=2e-3)
