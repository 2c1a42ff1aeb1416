"""reproject_layer against pyproj."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyproj
import pytest
import shapely
from conftest import Bench, memory_layer
from qgis.core import QgsCoordinateReferenceSystem, QgsVectorLayer


@pytest.mark.parametrize("epsg", [2154, 3035, 32631])
def test_coordinates_are_those_of_pyproj(bench: Bench, epsg: int) -> None:
    """Polygons stay Polygon (not MultiPolygon), attributes and the row without geometry stay, places agree to 1 mm."""
    square = shapely.box(2.34, 48.85, 2.35, 48.86)
    rows: list[Any] = [(square.wkt, ["Île", None]), (None, ["none", 3])]
    layer = bench.add(memory_layer("Polygon?crs=EPSG:4326&field=name:string(9)&field=n:integer", rows, "buildings"))
    layer.setFieldAlias(0, "Nom")
    data = bench.ok("reproject_layer", layer_id="buildings", crs=f"EPSG:{epsg}")
    assert (data["geometry_type"], data["crs"], data["feature_count"]) == ("Polygon", f"EPSG:{epsg}", 2)
    made = bench.host.layers.by_alias(data["layer_id"])
    assert isinstance(made, QgsVectorLayer)
    assert [each.name() for each in made.fields()] == ["name", "n"]
    assert made.fields()[0].alias() == "Nom"
    found = list(made.getFeatures())
    assert [each["name"] for each in found] == ["Île", "none"]
    assert found[1].geometry().isNull()
    forward = pyproj.Transformer.from_crs(4326, epsg, always_xy=True).transform
    expected = shapely.transform(square, lambda xy: np.array([forward(x, y) for x, y in xy]))
    assert shapely.hausdorff_distance(shapely.from_wkb(bytes(found[0].geometry().asWkb())), expected) < 1e-3
    assert "1 features have no geometry" in " ".join(data["warnings"])


@pytest.mark.parametrize(
    "crs", ["EPSG:3035", "EPSG:6933", "EPSG:8857", "ESRI:54034", "EPSG:3571", "EPSG:3857", "ESRI:54030"]
)
def test_equal_areas_come_back_as_well_as_proj_can(bench: Bench, crs: str) -> None:
    """PROJ's authalic latitude is a short series, 1.6 mm there and back: no reason to refuse. Places are those of pyproj."""
    rng = np.random.default_rng(5)
    places = [(float(x), float(y)) for x, y in zip(rng.uniform(-10, 40, 60), rng.uniform(46, 69, 60))]
    bench.add(memory_layer("Point?crs=EPSG:4326", [(f"POINT({x!r} {y!r})", []) for x, y in places], "towns"))
    data = bench.ok("reproject_layer", layer_id="towns", crs=crs)
    made = [each.geometry().asPoint() for each in bench.host.layers.by_alias(data["layer_id"]).getFeatures()]
    forward = pyproj.Transformer.from_crs(4326, crs, always_xy=True).transform
    assert [(each.x(), each.y()) for each in made] == [pytest.approx(forward(*each), abs=0.002) for each in places]


def test_a09_reprojecting_is_not_assuming(bench: Bench) -> None:
    """(116.4 39.9) becomes (12957588.73 4851421.18) in EPSG:3857; the source layer stays as it was."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(116.4 39.9)", [])], "p"))
    data = bench.ok("reproject_layer", layer_id="p", crs="EPSG:3857")
    point = next(bench.host.layers.by_alias(data["layer_id"]).getFeatures()).geometry().asPoint()
    assert (point.x(), point.y()) == pytest.approx((12957588.73, 4851421.18), abs=0.01)
    assert layer.crs().authid() == "EPSG:4326"
    assert next(layer.getFeatures()).geometry().asPoint().x() == 116.4


def test_a12_cgcs2000_is_wgs84_here(bench: Bench) -> None:
    """EPSG:4490 to 4326 leaves (116.4 39.9); to Gauss-Kruger with the zone prefix it is (39500000 4429529.03)."""
    bench.add(memory_layer("Point?crs=EPSG:4490", [("POINT(116.4 39.9)", [])], "p"))
    made = bench.host.layers.by_alias(bench.ok("reproject_layer", layer_id="p", crs="EPSG:4326")["layer_id"])
    point = next(made.getFeatures()).geometry().asPoint()
    assert (point.x(), point.y()) == pytest.approx((116.4, 39.9), abs=1e-9)
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(117 40)", [])], "q"))
    made = bench.host.layers.by_alias(bench.ok("reproject_layer", layer_id="q", crs="EPSG:4527")["layer_id"])
    point = next(made.getFeatures()).geometry().asPoint()
    assert (point.x(), point.y()) == pytest.approx((39500000, 4429529.03), abs=0.01)


def test_what_cannot_be_reprojected(bench: Bench) -> None:
    """The same CRS, an unknown one, none; places beyond the CRS; a place outside of its area is told."""
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(2 48)", [])], "p"))
    assert bench.code("reproject_layer", layer_id="p", crs="EPSG:4326") == "INVALID_PARAM"
    assert bench.code("reproject_layer", layer_id="p", crs="EPSG:999999") == "INVALID_PARAM"
    nowhere = bench.add(memory_layer("Point", [("POINT(2 48)", [])], "nowhere"))
    nowhere.setCrs(QgsCoordinateReferenceSystem())
    assert bench.code("reproject_layer", layer_id="nowhere", crs="EPSG:2154") == "UNSUPPORTED"
    bench.add(memory_layer("Point?crs=EPSG:4527", [("POINT(500000 4429529)", [])], "far"))
    assert bench.code("reproject_layer", layer_id="far", crs="EPSG:4326") == "UNSUPPORTED"
    data = bench.ok("reproject_layer", layer_id="p", crs="EPSG:27700")
    assert any("EPSG:27700" in each for each in data["warnings"])
    assert len(bench.host.created_layers) == 1
