"""query_in_bbox: what touches a box in degrees, in layers of several CRS; expected by pyproj and shapely in this process."""

from __future__ import annotations

import random
from typing import Any

import pytest
from conftest import Bench, memory_layer
from pyproj import Transformer
from shapely import Point, Polygon
from test_conditions import one


def points(crs: str, degrees: list[tuple[float, float]], name: str = "p") -> Any:
    """Points given in degrees, kept in another CRS by pyproj."""
    to_layer = Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    rows: list[tuple[str | None, list[Any]]] = []
    for number, (lon, lat) in enumerate(degrees):
        x, y = to_layer.transform(lon, lat)
        rows.append((f"POINT({x!r} {y!r})", [number]))
    return memory_layer(f"Point?crs={crs}&field=n:integer", rows, name)


@pytest.mark.parametrize(
    ("crs", "box"),
    [
        ("EPSG:4326", (110.0, 20.0, 120.5, 31.0)),
        ("EPSG:32650", (110.0, 20.0, 120.5, 31.0)),
        ("EPSG:3857", (-20.0, -40.0, 60.0, 70.0)),
        ("EPSG:3035", (-10.0, 36.0, 30.0, 65.0)),
        ("EPSG:2154", (-4.0, 42.0, 8.0, 50.0)),
        ("EPSG:3413", (-100.0, 60.0, 20.0, 85.0)),
        ("EPSG:3413", (-180.0, 62.0, 180.0, 90.0)),
        ("EPSG:3832", (-60.0, -20.0, 10.0, 20.0)),
        ("EPSG:3832", (150.0, -30.0, 200.0, 30.0)),
        ("EPSG:4326", (170.0, -60.0, 200.0, 60.0)),
    ],
)
def test_points_in_a_box(bench: Bench, crs: str, box: tuple[float, float, float, float]) -> None:
    """2,000 points around the box and on both sides of each edge; a box is a box in degrees, whatever the layer's CRS."""
    west, south, east, north = box
    random.seed(7)
    width, height = (east - west) * 0.1, (north - south) * 0.1
    degrees = []
    for _ in range(2000):
        lon = random.uniform(west - width, east + width)
        lat = max(-84.0, min(89.5, random.uniform(south - height, north + height)))
        degrees.append((((lon + 180) % 360) - 180, lat))
    near = 1e-4
    for step in range(1, 40):
        lon, lat = west + (east - west) * step / 40, south + (north - south) * step / 40
        edges = [(lon, south - near), (lon, south + near), (west + near, lat), (east - near, lat)]
        if east - west < 350:
            edges += [(west - near, lat), (east + near, lat)]
        if north < 89:
            edges += [(lon, north - near), (lon, north + near)]
        degrees += [(((x + 180) % 360) - 180, y) for x, y in edges]
    layer = points(crs, degrees)
    if crs == "EPSG:32650":  # a transverse Mercator far from its zone is of no use to anyone
        degrees = [each for each in degrees if 100 < each[0] < 135]
        layer = points(crs, degrees)
    bench.add(layer)

    def inside(lon: float, lat: float) -> bool:
        return south <= lat <= north and (west <= lon <= east or west <= lon + 360 <= east)

    expected = [number for number, each in enumerate(degrees) if inside(*each)]
    data = bench.ok("query_in_bbox", layer_id="p", bbox=list(box), limit=3)
    assert data["total"] == len(expected)
    assert data["count_kind"] == "exact"
    assert [row["n"] for row in data["rows"]] == expected[:3]
    half = bench.ok("query_in_bbox", layer_id="p", bbox=list(box), where=one("n", "lt", 1000))
    assert half["total"] == len([each for each in expected if each < 1000])


def test_by_geometry_not_by_extent(bench: Bench) -> None:
    """A triangle whose extent covers the box and whose area does not."""
    shapes = [[(0, 0), (10, 0), (0, 10)], [(5, 5), (10, 0), (10, 10)], [(8, 8), (9, 8), (9, 9)]]
    rows: list[tuple[str | None, list[Any]]] = [(Polygon(shape).wkt, [n]) for n, shape in enumerate(shapes)]
    bench.add(memory_layer("Polygon?crs=EPSG:4326&field=n:integer", rows, "a"))
    box = Polygon([(7, 7), (9.5, 7), (9.5, 9.5), (7, 9.5)])
    expected = [n for n, shape in enumerate(shapes) if Polygon(shape).intersects(box)]
    data = bench.ok("query_in_bbox", layer_id="a", bbox=[7, 7, 9.5, 9.5])
    assert [row["n"] for row in data["rows"]] == expected == [1, 2]


def test_longitudes_over_180_in_the_data(bench: Bench) -> None:
    """A layer from 0 to 360: the box across the meridian finds both ways of writing a place."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(185 0)", [0]), ("POINT(-175 0)", [1])], "p"))
    assert Point(185, 0).distance(Point(-175, 0)) == 360  # one place, written in two ways
    assert bench.ok("query_in_bbox", layer_id="p", bbox=[170, -10, 190, 10])["total"] == 2


def test_what_cannot_be(bench: Bench) -> None:
    """No box, no CRS, no geometry, no field; nothing found is a success."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(1 1)", [0])], "p"))
    for box in ([10, 0, 5, 5], [0, 5, 5, 5], [0, -91, 5, 5], [-200, 0, 5, 5], [0, 0, 400, 5]):
        assert bench.code("query_in_bbox", layer_id="p", bbox=box) == "INVALID_PARAM"
    assert bench.code("query_in_bbox", layer_id="p", bbox=[0, 0, 5, 5], fields=["x"]) == "NOT_FOUND"
    bench.add(memory_layer("Point?field=n:integer", [("POINT(1 1)", [0])], "q"))
    bench.host.layers.by_alias("q").setCrs(type(bench.host.map_crs())())
    bench.add(memory_layer("NoGeometry?field=n:integer", [(None, [0])], "t"))
    assert bench.code("query_in_bbox", layer_id="q", bbox=[0, 0, 5, 5]) == "UNSUPPORTED"
    assert bench.code("query_in_bbox", layer_id="t", bbox=[0, 0, 5, 5]) == "UNSUPPORTED"
    envelope = bench.call("query_in_bbox", layer_id="p", bbox=[20, 20, 25, 25])
    assert (envelope["ok"], envelope["data"]["total"]) == (True, 0)
    assert envelope["message"]
