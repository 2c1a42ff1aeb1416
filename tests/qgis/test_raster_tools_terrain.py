"""raster_terrain and reclassify_raster through the calls. Expected numbers: planes and bowls in closed form, numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Bench
from pyproj import Geod
from test_raster_info import add, no_pam, write
from test_raster_tools_calculate import algorithms, cells

__all__ = ["algorithms", "no_pam"]


def tilted(east: float, north: float, size: int = 12, cell: float = 10.0) -> Any:
    """Heights of a plane that rises by ``east`` and ``north`` for each unit."""
    rows, columns = np.mgrid[0:size, 0:size]
    return (500 + east * cell * columns - north * cell * rows).astype(np.float32)


def test_slope_and_aspect_of_a_plane(bench: Bench) -> None:
    """Rises to the east by 0.3, to the north by 0.4: slope atan 0.5, faces south-west: 180 + atan(0.3 / 0.4)."""
    add(bench, write(bench.folder / "p.tif", tilted(0.3, 0.4)))
    data = bench.ok("raster_terrain", layer_id="dem", method="slope")
    found, _ = cells(bench, data["layer_id"])
    assert (
        np.nanmin(found)
        == pytest.approx(np.degrees(np.arctan(0.5)), rel=1e-4)
        == pytest.approx(np.nanmax(found), rel=1e-4)
    )
    assert data["z_factor"] == 1 and data["crs_used"] == "EPSG:32650" and data["unit"] == "degrees"
    data = bench.ok("raster_terrain", layer_id="dem", method="aspect")
    found, _ = cells(bench, data["layer_id"])
    assert np.nanmedian(found) == pytest.approx(180 + np.degrees(np.arctan2(0.3, 0.4)), rel=1e-4)


def test_feet(bench: Bench) -> None:
    """A state plane in feet: heights in metres are told apart from heights in feet; the file's unit is used."""
    place = (1_000_000, 10, 0, 300_000, 0, -10)
    add(bench, write(bench.folder / "m.tif", tilted(0.3, 0.4), crs=2263, place=place), "m")
    add(
        bench,
        write(bench.folder / "f.tif", tilted(0.3, 0.4), crs=2263, place=place, scale=1.0, offset=0.0, unit="ft"),
        "f",
    )
    foot = 0.3048006096
    metres = bench.ok("raster_terrain", layer_id="m", method="slope")
    assert metres["mean"] == pytest.approx(np.degrees(np.arctan(0.5 / foot)), rel=1e-4) and metres["z_unit"] == "m"
    feet = bench.ok("raster_terrain", layer_id="f", method="slope")
    assert feet["mean"] == pytest.approx(np.degrees(np.arctan(0.5)), rel=1e-3) and feet["z_unit"] == "ft"
    told = bench.ok("raster_terrain", layer_id="m", method="slope", options={"z_unit": "ft"})
    assert told["mean"] == pytest.approx(np.degrees(np.arctan(0.5)), rel=1e-3)


@pytest.mark.parametrize("crs", [4326, 3857])
def test_degrees_and_web_mercator(bench: Bench, crs: int) -> None:
    """At 60° N a plane that rises 0.2 m a metre of the ground to the east: 11.31°, whatever the CRS; without care it is
    0.0 or 84°."""
    size = 60
    if crs == 4326:
        step, west, north = 0.0005, 20.0, 60.0
        width = Geod(ellps="WGS84").inv(west, north - 0.015, west + step, north - 0.015)[2]
    else:
        step, west, north = 50.0, 2_226_400.0, 8_400_000.0
        latitude = np.degrees(2 * np.arctan(np.exp((north - 1500) / 6378137)) - np.pi / 2)
        width = Geod(ellps="WGS84").inv(20.0, latitude, 20.0 + np.degrees(step / 6378137), latitude)[2]
    heights = np.tile(100 + 0.2 * width * np.arange(size), (size, 1)).astype(np.float32)
    add(bench, write(bench.folder / "d.tif", heights, crs=crs, place=(west, step, 0, north, 0, -step)))
    envelope = bench.call("raster_terrain", layer_id="dem", method="slope")
    found, layer = cells(bench, envelope["data"]["layer_id"])
    assert np.nanmedian(found) == pytest.approx(np.degrees(np.arctan(0.2)), abs=0.15)
    assert (
        envelope["data"]["crs_used"] == layer.crs().authid() == "EPSG:32634"
        and "not true to metres" in envelope["message"]
    )
    assert not [each for each in bench.folder.iterdir() if each.suffix != ".tif"]


def test_flat_cells_have_no_aspect(bench: Bench) -> None:
    """Ten columns have only equal neighbours: counted; all flat: no success."""
    heights = tilted(0.3, 0.0, 20)
    heights[:, :10] = heights[0, 10]
    add(bench, write(bench.folder / "h.tif", heights), "half")
    envelope = bench.call("raster_terrain", layer_id="half", method="aspect")
    assert envelope["data"]["flat_cells"] == 10 * 20 and "200 flat cells" in envelope["message"]
    add(bench, write(bench.folder / "flat.tif", np.full((9, 9), 5, dtype=np.float32)), "flat")
    envelope = bench.call("raster_terrain", layer_id="flat", method="aspect")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_values") and len(bench.host.created_layers) == 1


def test_ruggedness_roughness_and_position(bench: Bench) -> None:
    """By numpy on the inner cells: Riley's root of summed squares, largest difference, cell minus mean of neighbours."""
    heights = np.random.default_rng(6).normal(300, 40, (15, 17)).astype(np.float32)
    add(bench, write(bench.folder / "r.tif", heights))
    inner = heights[1:-1, 1:-1].astype(float)
    around = np.stack(
        [heights[1 + dy : 14 + dy, 1 + dx : 16 + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
    ).astype(float)
    expected = {
        "tri": np.sqrt(((around - inner) ** 2).sum(axis=0)),
        "roughness": np.maximum(around.max(axis=0), inner) - np.minimum(around.min(axis=0), inner),
        "tpi": inner - around.mean(axis=0),
    }
    for method, values in expected.items():
        data = bench.ok("raster_terrain", layer_id="dem", method=method)
        found, _ = cells(bench, data["layer_id"])
        np.testing.assert_allclose(found[1:-1, 1:-1], values, rtol=1e-4, atol=1e-3)


def test_hillshade_of_a_plane(bench: Bench) -> None:
    """255 (sin h cos s + cos h sin s cos(a - aspect)), the usual formula; options move the light."""
    add(bench, write(bench.folder / "p.tif", tilted(0.3, 0.4)))
    slope, aspect = np.arctan(0.5), np.radians(180 + np.degrees(np.arctan2(0.3, 0.4)))
    for azimuth, altitude in ((315.0, 45.0), (200.0, 30.0)):
        options = {"azimuth": azimuth, "altitude": altitude}
        data = bench.ok("raster_terrain", layer_id="dem", method="hillshade", options=options)
        high, light = np.radians(altitude), np.radians(azimuth)
        expected = 255 * (np.sin(high) * np.cos(slope) + np.cos(high) * np.sin(slope) * np.cos(light - aspect))
        assert data["mean"] == pytest.approx(max(0, expected), abs=1.5)


TABLE = [{"max": 100, "value": 1}, {"min": 100, "max": 200, "value": 2}, {"min": 200, "value": 3}]


@pytest.mark.parametrize("boundaries", ["min_included", "max_included"])
def test_reclassify_counts_areas_and_boundaries(bench: Bench, boundaries: str) -> None:
    """By numpy, at the limits too; areas of cells on the ellipsoid."""
    values = np.random.default_rng(8).integers(0, 6, (30, 30)).astype(np.float32) * 50
    values[0, 0] = -1
    add(bench, write(bench.folder / "v.tif", values, -1))
    data = bench.ok("reclassify_raster", layer_id="dem", table=TABLE, boundaries=boundaries)
    found, layer = cells(bench, data["layer_id"])
    edges = [100, 200]
    expected = np.digitize(values, edges, right=boundaries == "max_included") + 1.0
    expected[0, 0] = np.nan
    np.testing.assert_array_equal(found, expected)
    geod = Geod(ellps="WGS84")
    one = abs(geod.polygon_area_perimeter(*zip(*_corners()))[0])
    for row in data["rows"]:
        count = int((expected == row["value"]).sum())
        assert row["cells"] == count and row["area_km2"] == pytest.approx(count * one / 1e6, rel=1e-3)
    assert data["cells_in_no_range"] == 0 and layer.renderer().type() == "paletted"


def _corners() -> list[tuple[float, float]]:
    """A cell in degrees."""
    from pyproj import Transformer

    back = Transformer.from_crs(32650, 4326, always_xy=True)
    x, y = 500150, 4000150
    return [back.transform(*each) for each in ((x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10))]


def test_reclassify_gaps_and_overlaps(bench: Bench) -> None:
    """A gap is told with its cells; an overlap, an empty range and ranges beside the values are refused."""
    values = np.arange(100, dtype=np.int16).reshape(10, 10)
    add(bench, write(bench.folder / "v.tif", values))
    table = [{"min": 0, "max": 20, "value": 1}, {"min": 30, "max": 60, "value": 2}]
    envelope = bench.call("reclassify_raster", layer_id="dem", table=table)
    assert envelope["data"]["cells_in_no_range"] == 50 and "20 – 30" in envelope["message"]
    kept = bench.call("reclassify_raster", layer_id="dem", table=table, missing="keep")
    found, _ = cells(bench, kept["data"]["layer_id"])
    expected = np.where(values < 20, 1, np.where((values >= 30) & (values < 60), 2, values))
    np.testing.assert_array_equal(found, expected)
    for bad in (
        [{"min": 0, "max": 30, "value": 1}, {"min": 20, "max": 60, "value": 2}],
        [{"min": 5, "max": 5, "value": 1}],
        [{"min": 0, "max": 5, "value": 1}, {"max": 3, "value": 1}],
    ):
        assert bench.code("reclassify_raster", layer_id="dem", table=bad) == "INVALID_PARAM"
    assert bench.code("reclassify_raster", layer_id="dem", table=[{"min": 500, "max": 600, "value": 1}]) == "NOT_FOUND"
    assert bench.code("reclassify_raster", layer_id="dem", table=TABLE, band=2) == "INVALID_PARAM"
