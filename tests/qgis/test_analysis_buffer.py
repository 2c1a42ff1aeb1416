"""buffer_layer: radii against pyproj's geodesics, in several CRSs and places; preflight and verification."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.core import QgsApplication, QgsCoordinateReferenceSystem, QgsVectorLayer

GEOD = Geod(ellps="WGS84")


def points_layer(crs: str, places: list[tuple[float, float]], name: str = "points") -> QgsVectorLayer:
    """Points given in degrees, stored in ``crs``."""
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    rows = [("POINT({!r} {!r})".format(*forth.transform(*each)), [number]) for number, each in enumerate(places)]
    return memory_layer(f"Point?crs={crs}&field=n:integer", rows, name)


def geometries(layer: QgsVectorLayer) -> list[Any]:
    """The features as shapely geometries, in the layer's CRS."""
    return [shapely.from_wkt(each.geometry().asWkt(15)) for each in layer.getFeatures()]


def boundary(geometry: Any) -> Iterator[tuple[float, float]]:
    """Vertices and middles of edges of the outer rings."""
    parts = geometry.geoms if hasattr(geometry, "geoms") else [geometry]
    for part in parts:
        ring = list(part.exterior.coords)
        for (x, y), (x2, y2) in zip(ring, ring[1:]):
            yield x, y
            yield (x + x2) / 2, (y + y2) / 2


def radius_errors(
    layer: QgsVectorLayer, crs: str, place: tuple[float, float], geometry: Any, distance: float
) -> list[float]:
    """Relative errors of the radius all along the boundary; points on the cut at 180° are left out."""
    back = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    errors = []
    for x, y in boundary(geometry):
        longitude, latitude = back.transform(x, y)
        if abs(abs(longitude) - 180) < 1e-9 or abs(latitude) > 89.999:
            continue
        errors.append(abs(GEOD.inv(*place, longitude, latitude)[2] - distance) / distance)
    return errors


@pytest.mark.parametrize("latitude", [0, 30, 60, 75, -45])
@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "UTM"])
@pytest.mark.parametrize("distance", [500.0, 50_000.0])
def test_radius_is_right_on_the_ground(bench: Bench, crs: str, latitude: float, distance: float) -> None:
    """Within 0.5 % of the geodesic distance, all along the boundary."""
    code = crs if crs != "UTM" else ("EPSG:32632" if latitude >= 0 else "EPSG:32732")
    places = [(9.0 + x, latitude + 0.2 * x) for x in (0.0, 0.3, 1.1)]
    bench.add(points_layer(code, places))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=distance)
    result = bench.host.layers.by_alias(data["layer_id"])
    assert result.crs().authid() == code and data["crs"] == code
    assert "geodesic" in data["crs_used"] and data["algorithm"] == ["qgisagent:geodesiccircles"]
    for place, geometry in zip(places, geometries(result)):
        assert max(radius_errors(result, code, place, geometry, distance)) < 0.005


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857"])
@pytest.mark.parametrize("distance", [2_000.0, 800_000.0])
def test_points_all_over_the_world(bench: Bench, crs: str, distance: float) -> None:
    """No plane fits, and 800 km is beyond the fast formulas: every buffer is a geodesic circle."""
    places = [(-120.0, 0.0), (9.0, 30.0), (100.0, 60.0), (25.0, 75.0), (140.0, -35.0)]
    bench.add(points_layer(crs, places))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=distance)
    assert data["algorithm"] == ["qgisagent:geodesiccircles"] and data["feature_count"] == 5
    result = bench.host.layers.by_alias(data["layer_id"])
    for place, geometry in zip(places, geometries(result)):
        assert max(radius_errors(result, crs, place, geometry, distance)) < 0.005


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:32660", "EPSG:3832"])
def test_across_the_antimeridian(bench: Bench, crs: str) -> None:
    """A buffer over 180° is cut where the CRS ends, and whole where it does not; its area is that of the circle."""
    place, distance = (179.98, 10.0), 20_000.0
    bench.add(points_layer(crs, [place]))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=distance)
    result = bench.host.layers.by_alias(data["layer_id"])
    (geometry,) = geometries(result)
    parts = list(getattr(geometry, "geoms", [geometry]))
    assert len(parts) == (2 if crs in ("EPSG:4326", "EPSG:3857") else 1)
    back = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    area = sum(abs(GEOD.polygon_area_perimeter(*back.transform(*part.exterior.coords.xy))[0]) for part in parts)
    assert area == pytest.approx(math.pi * distance**2, rel=0.005)
    assert max(radius_errors(result, crs, place, geometry, distance)) < 0.005


def test_a_circle_around_the_pole(bench: Bench) -> None:
    """The pole lies in the buffer, and so do places on the other side of it."""
    bench.add(points_layer("EPSG:4326", [(20.0, 88.0)]))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=400_000)
    (geometry,) = geometries(bench.host.layers.by_alias(data["layer_id"]))
    for place in [(20.0, 89.9), (-160.0, 89.0), (0.0, 89.99), (20.0, 85.0)]:
        assert geometry.contains(shapely.Point(place)) == (GEOD.inv(20.0, 88.0, *place)[2] < 400_000), place
    assert not geometry.contains(shapely.Point(-160.0, 87.0))


def test_a_line_across_a_continent(bench: Bench) -> None:
    """A line that no plane holds is buffered in pieces: places beside it are inside up to the distance."""
    distance = 20_000.0
    bench.add(memory_layer("LineString?crs=EPSG:4326&field=n:integer", [("LINESTRING(-120 45, -75 45)", [1])], "line"))
    data = bench.ok("buffer_layer", layer_id="line", distance_m=distance)
    (geometry,) = geometries(bench.host.layers.by_alias(data["layer_id"]))
    for longitude in (-119.0, -97.3, -80.0):
        for azimuth in (0.0, 180.0):
            for share, inside in ((0.993, True), (1.007, False)):
                east, north, _ = GEOD.fwd(longitude, 45.0, azimuth, distance * share)
                assert geometry.contains(shapely.Point(east, north)) == inside, (longitude, azimuth, share)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:32633"])
def test_a_polygon_keeps_its_inside(bench: Bench, crs: str) -> None:
    """Buffer of a square by its oracle: the distance of a place to the square's edge."""
    forth = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    ring = [forth.transform(*each) for each in [(15, 50), (15.2, 50), (15.2, 50.1), (15, 50.1), (15, 50)]]
    text = ", ".join("{!r} {!r}".format(*each) for each in ring)
    bench.add(memory_layer(f"Polygon?crs={crs}&field=n:integer", [(f"POLYGON(({text}))", [1])], "square"))
    data = bench.ok("buffer_layer", layer_id="square", distance_m=1500)
    (geometry,) = geometries(bench.host.layers.by_alias(data["layer_id"]))
    assert geometry.contains(shapely.Point(forth.transform(15.1, 50.05)))
    for share, inside in ((0.99, True), (1.01, False)):
        for start, azimuth in (((15.2, 50.05), 90), ((15.1, 50.1), 0), ((15.0, 50.02), 270)):
            east, north, _ = GEOD.fwd(*start, azimuth, 1500 * share)
            assert geometry.contains(shapely.Point(forth.transform(east, north))) == inside, (crs, start, share)


def test_countries_of_the_world(bench: Bench) -> None:
    """Russia, Fiji, Antarctica: areas over 180° and around a pole grow, and nothing of them is lost."""
    path = QgsApplication.pkgDataPath() + "/resources/data/world_map.gpkg|layername=countries"
    layer = QgsVectorLayer(path, "countries", "ogr")
    bench.add(layer)
    wanted = ["Russia", "Fiji", "Antarctica", "France"]
    data = bench.ok(
        "buffer_layer", layer_id="countries", distance_m=20_000, where=[{"field": "NAME", "op": "in", "value": wanted}]
    )
    result = bench.host.layers.by_alias(data["layer_id"])
    before = {
        each["NAME"]: shapely.from_wkt(each.geometry().asWkt())
        for each in layer.getFeatures()
        if each["NAME"] in wanted
    }
    after = {each["NAME"]: shapely.from_wkt(each.geometry().asWkt()) for each in result.getFeatures()}
    assert sorted(after) == sorted(wanted)
    for name, geometry in after.items():
        assert geometry.is_valid
        west, south, east, north = geometry.bounds
        assert west >= -180 and east <= 180 and south >= -90 and north <= 90
        lost = shapely.make_valid(before[name]).difference(geometry)
        assert lost.area < 1e-4, name
        assert geometry.area < 2.5 * before[name].area + 30, name
    paris_sea = GEOD.fwd(-4.79, 48.33, 270, 15_000)  # west of Brittany
    assert after["France"].contains(shapely.Point(*paris_sea[:2]))


def test_dissolve_where_and_names(bench: Bench) -> None:
    """Overlapping buffers become one feature; the condition and the filter count; name, evidence and legend say it."""
    layer = bench.add(points_layer("EPSG:4326", [(9.0, 30.0), (9.004, 30.0), (9.5, 30.0), (9.6, 30.0)], "my schools"))
    layer.setSubsetString('"n" < 3')
    outcome = bench.outcome(
        "buffer_layer",
        layer_id="my_schools",
        distance_m=500,
        dissolve=True,
        where=[{"field": "n", "op": "lt", "value": 2}],
    )
    data = outcome["envelope"]["data"]
    assert data["name"] == "my schools buffer 500 m" and data["layer_id"] == "my_schools_buffer_500_m"
    assert data["feature_count"] == 1 and data["input_count"] == 2
    assert "filter" in outcome["envelope"]["message"]
    (geometry,) = geometries(bench.host.layers.by_alias(data["layer_id"]))
    assert geometry.geom_type == "Polygon" or len(geometry.geoms) == 1
    assert outcome["actions"] == [
        {
            "op": "add_layer",
            "args": {"layer_id": data["layer_id"], "name": data["name"], "features": 1},
            "ok": True,
            "error": None,
        }
    ]
    assert outcome["legend"][0]["layer_id"] == data["layer_id"]
    text = outcome["evidence"][0]["text"]
    assert "native:extractbyexpression" in text and "DISTANCE=500" in text and '"n" < 2' in text
    assert bench.host.layers.group_of(bench.host.layers.by_alias(data["layer_id"])) == "Agent results"


def test_invalid_and_missing_geometries_are_said(bench: Bench) -> None:
    """A bow tie is repaired on a copy, a feature without a geometry is left out; the source stays as it was."""
    rows = [
        ("POLYGON((0 0, 0.01 0.01, 0.01 0, 0 0.01, 0 0))", [1]),
        (None, [2]),
        ("POLYGON((0.1 0, 0.11 0, 0.11 0.01, 0.1 0))", [3]),
    ]
    layer = bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:integer", rows, "areas"))
    before = [(each.attributes(), each.geometry().asWkt()) for each in layer.getFeatures()]
    envelope = bench.call("buffer_layer", layer_id="areas", distance_m=100)
    assert envelope["ok"], envelope
    assert envelope["data"]["feature_count"] == 2
    assert "invalid" in envelope["message"] and "no geometry" in envelope["message"]
    assert {"native:fixgeometries", "native:removenullgeometries"} <= set(envelope["data"]["algorithm"])
    assert [(each.attributes(), each.geometry().asWkt()) for each in layer.getFeatures()] == before


def test_what_cannot_be_buffered(bench: Bench) -> None:
    """No CRS, no geometry, nothing that matches, a wrong field, a raster-like misuse: the right code and a hint."""
    bench.add(points_layer("EPSG:4326", [(1.0, 1.0)], "good"))
    lost = memory_layer("Point?field=n:integer", [("POINT(1 1)", [1])], "lost")
    bench.add(lost)
    lost.setCrs(QgsCoordinateReferenceSystem())
    bench.add(memory_layer("None?field=n:integer", [(None, [1])], "table"))
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [], "empty"))
    count = len(bench.host.project.mapLayers())
    assert bench.code("buffer_layer", layer_id="lost", distance_m=5.0) == "UNSUPPORTED"
    assert bench.code("buffer_layer", layer_id="table", distance_m=5.0) == "UNSUPPORTED"
    assert bench.code("buffer_layer", layer_id="empty", distance_m=5.0) == "NOT_FOUND"
    assert bench.code("buffer_layer", layer_id="good", distance_m=0) == "INVALID_PARAM"
    where = [{"field": "n", "op": "gt", "value": 7}]
    assert bench.code("buffer_layer", layer_id="good", distance_m=5.0, where=where) == "NOT_FOUND"
    where = [{"field": "m", "op": "gt", "value": 7}]
    assert bench.code("buffer_layer", layer_id="good", distance_m=5.0, where=where) == "NOT_FOUND"
    assert len(bench.host.project.mapLayers()) == count


def test_places_that_do_not_exist_fail_the_run(bench: Bench) -> None:
    """A latitude of 95° is an error that the algorithm reports; the run fails and adds nothing."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(1 95)", [1]), ("POINT(1 5)", [2])], "wrong"))
    assert bench.code("buffer_layer", layer_id="wrong", distance_m=5.0) in ("UPSTREAM_ERROR", "UNSUPPORTED")
    assert len(bench.host.project.mapLayers()) == 1


def line(bench: Bench, crs: str = "EPSG:32632") -> None:
    """From west to east, 1 km."""
    bench.add(
        memory_layer(
            f"LineString?crs={crs}&field=n:integer", [("LINESTRING(500000 5500000,501000 5500000)", [1])], "line"
        )
    )


def rows(bench: Bench, data: dict[str, Any], *fields: str) -> list[tuple[Any, ...]]:
    """(fields…, shape) of a result."""
    layer = bench.host.layers.by_alias(data["layer_id"])
    return [
        (*(each[field] for field in fields), shapely.from_wkt(each.geometry().asWkt(15)))
        for each in layer.getFeatures()
    ]


@pytest.mark.parametrize("discs", [False, True])
def test_rings_around_points(bench: Bench, discs: bool) -> None:
    """Three zones a point with their distances; areas by closed form, and no ring has its inside."""
    bench.add(points_layer("EPSG:4326", [(9.0, 50.0), (9.1, 50.1)]))
    options = {"rings": [300, 600], "discs": discs}
    data = bench.ok("buffer_layer", layer_id="points", distance_m=1000, options=options)
    assert data["feature_count"] == 6
    assert data["rings"] == [
        {"from_m": 0.0 if discs else start, "to_m": end} for start, end in ((0, 300), (300, 600), (600, 1000))
    ]
    for _, inner, outer, shape in rows(bench, data, "n", "ring_from_m", "ring_to_m"):
        expected = math.pi * (outer**2 - inner**2)
        assert abs(GEOD.geometry_area_perimeter(shapely.orient_polygons(shape))[0]) == pytest.approx(
            expected, rel=0.005
        )
        assert shape.is_valid and (inner == 0) == any(
            shape.contains(shapely.Point(each)) for each in [(9.0, 50.0), (9.1, 50.1)]
        )


def test_rings_dissolved_and_around_lines(bench: Bench) -> None:
    """Dissolved rings do not overlap each other; around a line the rings are shapely's."""
    bench.add(points_layer("EPSG:32632", [(9.0, 50.0), (9.005, 50.0)]))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=800, dissolve=True, options={"rings": [400]})
    (first, second) = rows(bench, data, "ring_from_m", "ring_to_m")
    assert (first[:2], second[:2]) == ((0.0, 400.0), (400.0, 800.0))
    assert first[2].intersection(second[2]).area < 1e-3
    centres = [shapely.Point(*each) for each in _utm([(9.0, 50.0), (9.005, 50.0)])]
    far = shapely.union_all([each.buffer(800, 64) for each in centres])
    near = shapely.union_all([each.buffer(400, 64) for each in centres])
    assert second[2].area == pytest.approx(far.difference(near).area, rel=0.005)
    line(bench)
    data = bench.ok("buffer_layer", layer_id="line", distance_m=200, options={"rings": [100]})
    path = shapely.LineString([(500000, 5500000), (501000, 5500000)])
    found = dict(rows(bench, data, "ring_to_m"))
    assert found[100].area == pytest.approx(path.buffer(100, 64).area, rel=0.005)
    assert found[200].area == pytest.approx(path.buffer(200, 64).area - path.buffer(100, 64).area, rel=0.005)
    assert found[200].intersection(path).length < 1e-6


def _utm(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    forth = Transformer.from_crs("EPSG:4326", "EPSG:32632", always_xy=True)
    return [forth.transform(*each) for each in places]


def test_sides_and_end_caps_of_lines(bench: Bench) -> None:
    """Left of a line that runs east is north; a flat end adds nothing beyond the ends, a square one the distance."""
    line(bench)
    sides = {}
    for side in ("left", "right"):
        data = bench.ok("buffer_layer", layer_id="line", distance_m=50, options={"side": side})
        ((sides[side],),) = rows(bench, data)
        assert data["side"] == side and sides[side].area == pytest.approx(50_000, rel=0.005)
    assert sides["left"].contains(shapely.Point(500500, 5500025)) and not sides["left"].contains(
        shapely.Point(500500, 5499975)
    )
    assert sides["right"].contains(shapely.Point(500500, 5499975))
    for cap, area in (("flat", 100_000), ("square", 110_000)):
        data = bench.ok("buffer_layer", layer_id="line", distance_m=50, options={"end_cap": cap})
        ((shape,),) = rows(bench, data)
        assert shape.area == pytest.approx(area, rel=0.005), cap


def test_inwards(bench: Bench) -> None:
    """A square of 1 km loses 100 m on each side; a narrow one vanishes and is counted; all gone is an error."""
    shapes = [shapely.box(500000, 5500000, 501000, 5501000), shapely.box(510000, 5500000, 511000, 5500150)]
    bench.add(memory_layer("Polygon?crs=EPSG:32632&field=n:integer", [(shapes[0].wkt, [1]), (shapes[1].wkt, [2])], "p"))
    envelope = bench.call("buffer_layer", layer_id="p", distance_m=-100)
    ((number, shape),) = rows(bench, envelope["data"], "n")
    assert number == 1 and shape.area == pytest.approx(800**2, rel=0.002)
    assert "1 of 2 polygons are too narrow" in envelope["message"]
    count = len(bench.host.project.mapLayers())
    assert bench.code("buffer_layer", layer_id="p", distance_m=-600) == "INVALID_PARAM"
    assert len(bench.host.project.mapLayers()) == count


def test_a52_only_selected_features(bench: Bench) -> None:
    """One of three is selected: one buffer when asked for, three else; with no selection it asks."""
    layer = bench.add(points_layer("EPSG:4326", [(9.0, 50.0), (9.1, 50.0), (9.2, 50.0)]))
    asked = {"layer_id": "points", "distance_m": 100, "options": {"selected": True}}
    assert bench.code("buffer_layer", **asked) == "INVALID_PARAM"
    layer.selectByIds([each.id() for each in layer.getFeatures() if each["n"] == 1])
    data = bench.ok("buffer_layer", **asked)
    assert data["feature_count"] == 1 and [each[0] for each in rows(bench, data, "n")] == [1]
    assert data["algorithm"][0] == "native:saveselectedfeatures"
    assert bench.ok("buffer_layer", layer_id="points", distance_m=100)["feature_count"] == 3


def test_parts_of_a_dissolved_buffer(bench: Bench) -> None:
    """Two zones overlap, one lies apart: two parts, the whole area is told."""
    bench.add(points_layer("EPSG:4326", [(9.0, 50.0), (9.001, 50.0), (9.5, 50.0)]))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=500, dissolve=True, options={"separate_parts": True})
    assert data["feature_count"] == 2
    flat = [shapely.Point(*each).buffer(500, 64) for each in _utm([(9.0, 50.0), (9.001, 50.0), (9.5, 50.0)])]
    assert data["area_km2"] == pytest.approx(shapely.union_all(flat).area / 1e6, rel=0.006)


def test_options_that_do_not_fit(bench: Bench) -> None:
    """Each is refused with the right code; nothing is added."""
    bench.add(points_layer("EPSG:4326", [(9.0, 50.0)]))
    line(bench)
    wide = "LINESTRING(-120 45, -75 45)"
    bench.add(memory_layer("LineString?crs=EPSG:4326&field=n:integer", [(wide, [1])], "wide"))
    count = len(bench.host.project.mapLayers())

    def code(layer_id: str, distance_m: float = 100.0, **options: Any) -> str:
        return bench.code("buffer_layer", layer_id=layer_id, distance_m=distance_m, options=options)

    assert code("points", -5.0) == "INVALID_PARAM"
    assert code("line", -5.0) == "INVALID_PARAM"
    assert code("points", side="left") == "INVALID_PARAM"
    assert code("points", end_cap="flat") == "INVALID_PARAM"
    assert code("points", rings=[200]) == "INVALID_PARAM"
    assert code("points", rings=[60, 50]) == "INVALID_PARAM"
    assert code("line", side="left", rings=[50]) == "INVALID_PARAM"
    assert code("points", ring=[50]) == "INVALID_PARAM"
    assert code("wide", side="left") == "UNSUPPORTED"
    assert code("wide", rings=[50]) == "UNSUPPORTED"
    assert len(bench.host.project.mapLayers()) == count


def test_multipoints_get_one_merged_zone(bench: Bench) -> None:
    """Two points near each other in one feature: one area, without the overlap counted twice."""
    bench.add(memory_layer("MultiPoint?crs=EPSG:32632&field=n:integer", [
        ("MULTIPOINT((500000 5500000),(500500 5500000))", [1]), ("MULTIPOINT((520000 5500000))", [2])
    ], "many"))  # fmt: skip
    data = bench.ok("buffer_layer", layer_id="many", distance_m=500)
    found = dict(rows(bench, data, "n"))
    both = shapely.union_all([shapely.Point(x, 5500000).buffer(500, 64) for x in (500000, 500500)])
    assert found[1].area == pytest.approx(both.area, rel=0.006) and data["feature_count"] == 2
    assert found[2].area == pytest.approx(math.pi * 500**2, rel=0.006)
