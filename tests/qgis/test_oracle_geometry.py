"""New geometries, reprojection and calculated areas against the oracle (shapely, pyproj)."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from conftest import Bench
from oracle_client import Oracle, given, oracle
from pyproj import Transformer
from qgis.core import QgsVectorLayer
from test_oracle_buffer import figures, layer_of
from test_raster_info import SHARED, needs_shared, no_pam
from test_raster_tools_calculate import algorithms

__all__ = ["algorithms", "no_pam", "oracle"]


@pytest.mark.parametrize(
    "kind", ["centroid", "convex_hull", "oriented_box", "minimum_circle", "bounding_box", "boundary"]
)
def test_derived_geometries(bench: Bench, oracle: Oracle, kind: str) -> None:
    """Of each star, in feet: the same area as shapely's within 0.1 %, the same place within a centimetre."""
    crs = "EPSG:2263"
    layer = bench.add(layer_of("Polygon", crs, figures("Polygon", (-73.95, 40.75), crs, 21, 8), "stars"))
    data = bench.ok("derive_geometry", layer_id="stars", kind=kind)
    made = given(bench.host.layers.by_alias(data["layer_id"]))
    wanted = oracle.ask("derived", layer=given(layer), kind=kind)
    differ = oracle.ask("differences", one=made, wkts=wanted)
    assert len(made["rows"]) == len(wanted) == data["feature_count"] == 8
    # A circle has as many corners as its maker gives it; everything else is the same figure.
    assert max(differ) < (0.02 if kind == "minimum_circle" else 1e-4 if kind == "oriented_box" else 1e-6 * 30)


@pytest.mark.parametrize("kind", ["voronoi", "delaunay"])
def test_tessellations(bench: Bench, oracle: Oracle, kind: str) -> None:
    """Cells and triangles of 60 points have shapely's areas; cells at the rim are cut by the margin, and left out."""
    generator = np.random.default_rng(22)
    places = generator.uniform((500000, 5000000), (520000, 5015000), (60, 2))
    layer = bench.add(layer_of("Point", "EPSG:32633", [shapely.Point(each) for each in places], "points"))
    data = bench.ok("derive_geometry", layer_id="points", kind=kind)
    wanted = oracle.ask("tessellation", layer=given(layer), kind=kind)
    shapes = [shapely.from_wkt(wkt) for wkt, _ in given(bench.host.layers.by_alias(data["layer_id"]))["rows"]]
    if kind == "voronoi":
        hull = shapely.box(*places.min(axis=0), *places.max(axis=0))
        assert len(shapes) == wanted["count"] == 60
        shapes = [each for each in shapes if hull.contains(each)]
    assert len(wanted["areas"]) > 20
    assert sorted(each.area for each in shapes) == pytest.approx(wanted["areas"], rel=1e-6)


TARGETS = ["EPSG:32634", "EPSG:3413", "EPSG:3857", "EPSG:3035"]


@pytest.mark.parametrize("crs", TARGETS)
def test_reprojection(bench: Bench, oracle: Oracle, crs: str) -> None:
    """Every vertex of stars at 75° N is where pyproj puts it, to a millimetre."""
    layer = bench.add(layer_of("Polygon", "EPSG:4326", figures("Polygon", (22.0, 75.0), "EPSG:4326", 23, 10), "stars"))
    data = bench.ok("reproject_layer", layer_id="stars", crs=crs)
    wanted = oracle.ask("reprojected", layer=given(layer), crs=crs)
    found = oracle.ask("vertices", layer=given(bench.host.layers.by_alias(data["layer_id"])))
    for one, two in zip(found, wanted):
        np.testing.assert_allclose(one, two, atol=1e-3, rtol=0)


def test_reprojection_from_feet(bench: Bench, oracle: Oracle) -> None:
    """From US survey feet to degrees of the same datum: to a millimetre."""
    crs = "EPSG:2263"
    layer = bench.add(layer_of("LineString", crs, figures("LineString", (-73.95, 40.75), crs, 24, 10), "lines"))
    data = bench.ok("reproject_layer", layer_id="lines", crs="EPSG:4269")
    wanted = oracle.ask("reprojected", layer=given(layer), crs="EPSG:4269")
    found = oracle.ask("vertices", layer=given(bench.host.layers.by_alias(data["layer_id"])))
    for one, two in zip(found, wanted):
        np.testing.assert_allclose(one, two, atol=1e-8, rtol=0)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:2263"])
def test_calculated_areas(bench: Bench, oracle: Oracle, crs: str) -> None:
    """$area is the ellipsoidal area in square metres, whatever the layer's units are; a ratio is the quotient."""
    place = (-73.95, 40.75) if crs == "EPSG:2263" else (22.0, 70.0)
    layer = bench.add(layer_of("Polygon", crs, figures("Polygon", place, crs, 25, 12), "stars"))
    data = bench.ok("calculate_field", layer_id="stars", field="density", formula='"v" / $area')
    wanted = [n / area for n, area in enumerate(oracle.ask("areas", layer=given(layer)))]
    found = [each["density"] for each in bench.host.layers.by_alias(data["layer_id"]).getFeatures()]
    assert found == pytest.approx(wanted, rel=3e-4) and max(found) > 0


@needs_shared
def test_areas_of_chinas_provinces(bench: Bench, oracle: Oracle) -> None:
    """34 provinces in degrees, from Macao to Xinjiang."""
    copy = bench.folder / "china.gpkg"
    copy.write_bytes((SHARED / "china" / "china_admin.gpkg").read_bytes())
    layer = bench.add(QgsVectorLayer(f"{copy}|layername=provinces", "provinces", "ogr"))
    data = bench.ok("calculate_field", layer_id="provinces", field="km2", formula="$area / 1000000")
    wanted = [each / 1e6 for each in oracle.ask("areas", layer=given(layer))]
    found = [each["km2"] for each in bench.host.layers.by_alias(data["layer_id"]).getFeatures()]
    assert found == pytest.approx(wanted, rel=1e-4)
    assert sum(found) == pytest.approx(9.6e6, rel=0.02)


def test_a_plane_moves_with_its_transformer(oracle: Oracle) -> None:
    """The oracle's own PROJ agrees with the one here, so that a difference is a tool's."""
    layer = {"crs": "EPSG:4326", "fields": [], "rows": [["POINT (22 75)", {}]]}
    for crs in TARGETS:
        here = Transformer.from_crs(4326, crs, always_xy=True).transform(22.0, 75.0)
        assert oracle.ask("reprojected", layer=layer, crs=crs)[0][0] == pytest.approx(here, abs=1e-4)
