"""buffer_layer: radii against pyproj's geodesics, in several CRSs and places; preflight and verification."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import shapely
from conftest import Bench, memory_layer
from pyproj import Geod, Transformer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsCoordinateReferenceSystem, QgsVectorLayer

from qgis_agent.processing.provider import QgisAgentProvider

GEOD = Geod(ellps="WGS84")


@pytest.fixture(autouse=True)
def algorithms() -> None:
    """QGIS's own algorithms and ours."""
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


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
    assert "azimuthal equidistant" in data["crs_used"] and "native:buffer" in data["algorithm"]
    for place, geometry in zip(places, geometries(result)):
        assert max(radius_errors(result, code, place, geometry, distance)) < 0.005


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857"])
@pytest.mark.parametrize("distance", [2_000.0, 800_000.0])
def test_points_all_over_the_world(bench: Bench, crs: str, distance: float) -> None:
    """No plane fits: every buffer is a geodesic circle."""
    places = [(-120.0, 0.0), (9.0, 30.0), (100.0, 60.0), (25.0, 75.0), (140.0, -35.0)]
    bench.add(points_layer(crs, places))
    data = bench.ok("buffer_layer", layer_id="points", distance_m=distance)
    assert data["algorithm"] == ["qgisagent:geodesicbuffer"] and data["feature_count"] == 5
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
