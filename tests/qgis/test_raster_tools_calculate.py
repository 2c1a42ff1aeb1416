"""raster_calculate through the calls. Expected numbers: numpy on the cells that were written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Bench
from osgeo import gdal
from pyproj import Transformer
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication, QgsRasterLayer
from test_raster_info import add, no_pam, write  # noqa: F401

from qgis_agent.gis.analysis.raster.formula import (
    FUNCTIONS,
    parse,
)
from qgis_agent.gis.analysis.run.providers import load_providers
from qgis_agent.gis.errors import ToolError
from qgis_agent.processing.provider import QgisAgentProvider


@pytest.fixture(autouse=True)
def algorithms() -> None:
    """QGIS's own algorithms, GDAL's and ours."""
    registry = QgsApplication.processingRegistry()
    load_providers()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    if registry.providerById("qgisagent") is None:
        registry.addProvider(QgisAgentProvider())


def cells(bench: Bench, alias: str) -> tuple[Any, QgsRasterLayer]:
    """The result's cells, NaN where there is nodata, read by GDAL."""
    layer = bench.host.layers.by_alias(alias)
    source = gdal.Open(layer.source())
    band = source.GetRasterBand(1)
    found = band.ReadAsArray().astype(np.float64)
    return np.where(found == band.GetNoDataValue(), np.nan, found), layer


def two(bench: Bench, shift: float = 20.0) -> None:
    """The rasters of case A40."""
    add(bench, write(bench.folder / "ra.tif", np.full((4, 4), 1, dtype=np.float32)), "ra")
    place = (500000 + shift, 10, 0, 4000040, 0, -10)
    add(bench, write(bench.folder / "rb.tif", np.full((4, 4), 2, dtype=np.float32), place=place), "rb")


def test_a40_the_overlap_of_shifted_grids_is_told(bench: Bench) -> None:
    """6 x 4, only the two columns in the middle are 3.0, and 8 of 24 cells is said."""
    two(bench)
    envelope = bench.call("raster_calculate", layer_ids=["ra", "rb"], formula="A + B")
    data = envelope["data"]
    assert (data["overlap_cells"], data["total_cells"], data["valid_cells"]) == (8, 24, 8)
    assert "8 of 24 cells" in envelope["message"] and data["size"] == [6, 4]
    found, layer = cells(bench, data["layer_id"])
    expected = np.full((4, 6), np.nan)
    expected[:, 2:4] = 3.0
    np.testing.assert_array_equal(found, expected)
    assert layer.extent().xMinimum() == 500000 and bench.host.layers.group_of(layer) == "Agent results"
    assert (data["min"], data["max"], data["mean"], data["nodata_share"]) == (3, 3, 3, round(16 / 24, 4))


def test_a40_a_grid_that_is_off_by_half_a_cell_is_said(bench: Bench) -> None:
    """Nearest neighbour on the cells of A, and said; rasters without a common place are refused."""
    two(bench, 5.0)
    envelope = bench.call("raster_calculate", layer_ids=["ra", "rb"], formula="A + B")
    assert envelope["ok"] and "grid of B differs" in envelope["message"]


def test_a40_rasters_without_a_common_place_are_refused(bench: Bench) -> None:
    """Before anything is made."""
    two(bench, 5000.0)
    envelope = bench.call("raster_calculate", layer_ids=["ra", "rb"], formula="A + B")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_overlap")
    assert not bench.host.created_layers


def test_a40_other_crs_is_refused_unless_asked_for(bench: Bench) -> None:
    """UTM and web mercator: an error with the way out; asked for, the numbers are there and it is said."""
    x, y = Transformer.from_crs(32650, 3857, always_xy=True).transform(500040, 4000040)
    add(bench, write(bench.folder / "ra.tif", np.full((8, 8), 1, dtype=np.float32)), "ra")
    add(bench, write(bench.folder / "rb.tif", np.full((40, 40), 2, dtype=np.float32), crs=3857,
                     place=(x - 200, 10, 0, y + 200, 0, -10)), "rb")  # fmt: skip
    envelope = bench.call("raster_calculate", layer_ids=["ra", "rb"], formula="A + B")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "crs") and "reproject" in envelope["hint"]
    envelope = bench.call("raster_calculate", layer_ids=["ra", "rb"], formula="A + B", options={"reproject": True})
    assert envelope["ok"], envelope
    assert "Reprojected" in envelope["message"] and envelope["data"]["max"] == 3
    assert envelope["data"]["algorithm"] == ["gdal:warpreproject", "qgisagent:rastercalculate"]


FORMULAS = [
    ("A * 2 + B ^ 2 - 3", lambda a, b: a * 2 + b**2 - 3),
    ("-A^2 + 2 ^ 3 ^ 1", lambda a, b: -(a**2) + 8),
    ("if(A > 5 and B <= 3, A, -B)", lambda a, b: np.where((a > 5) & (b <= 3), a, -b)),
    ("sqrt(abs(A)) + ln(B + 1) + log10(B + 1) + exp(-B)", lambda a, b: np.sqrt(abs(a)) + np.log1p(b) + np.log10(b + 1) + np.exp(-b)),
    ("max(A, B, 2) - min(A, B)", lambda a, b: np.maximum(np.maximum(a, b), 2) - np.minimum(a, b)),
    ("(A % 3 = 1) + (not B != 2) * 10", lambda a, b: (np.fmod(a, 3) == 1) + (b == 2) * 10.0),
    ("a > 2 or b > 2", lambda a, b: ((a > 2) | (b > 2)).astype(float)),
    ("atan2(A, B) + sin(pi * A)", lambda a, b: np.arctan2(a, b) + np.sin(np.pi * a)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMULAS)
def test_formulas_mean_what_numpy_means(text: str, expected: Any) -> None:
    """On random numbers; where an input has no value there is none."""
    generator = np.random.default_rng(3)
    one, two = generator.integers(-9, 10, (6, 7)).astype(float), generator.integers(0, 6, (6, 7)).astype(float)
    found = parse("0 + (" + text + ")" if text.startswith("(A %") is False else text, 2).evaluate({"A": one, "B": two})
    np.testing.assert_allclose(found, expected(one, two), rtol=1e-12, atol=1e-12)
    one[2, 3] = np.nan
    assert np.isnan(parse(text, 2).evaluate({"A": one, "B": two})[2, 3]) or "or b" in text


@pytest.mark.parametrize(
    "text",
    ["A + C", "A +", "import os", "A.b", "env('HOME')", "A; B", "__import__", "A(1)", "sqrt(A, B)", "3 + 4", "A < B < 3",
     "(" * 200 + "A" + ")" * 200, "A ^" * 100 + "A", "A" * 2000, "'x'", "A[0]", "if(A, 1)"],
)  # fmt: skip
def test_everything_else_is_refused(text: str) -> None:
    """With a hint that lists what there is."""
    with pytest.raises(ToolError) as caught:
        parse(text, 2)
    assert (caught.value.envelope["code"], caught.value.envelope["reason"]) == ("INVALID_PARAM", "formula")
    assert FUNCTIONS[0] in caught.value.envelope["hint"]


def test_no_value_where_an_input_or_the_formula_has_none(bench: Bench) -> None:
    """Nodata goes on; a division by zero is nodata and counted; integers do not run over."""
    one = np.arange(16, dtype=np.uint8).reshape(4, 4) + 200
    two = np.arange(16, dtype=np.uint8).reshape(4, 4)
    two[3, 3] = 99
    add(bench, write(bench.folder / "one.tif", one), "one")
    add(bench, write(bench.folder / "two.tif", two, 99), "two")
    envelope = bench.call("raster_calculate", layer_ids=["one", "two"], formula="A * A / B")
    data = envelope["data"]
    found, _ = cells(bench, data["layer_id"])
    with np.errstate(divide="ignore"):
        expected = one.astype(float) ** 2 / two
    expected[0, 0] = expected[3, 3] = np.nan
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert (data["valid_cells"], data["undefined_cells"]) == (14, 1) and "In 1 cells" in envelope["message"]
    assert data["max"] == pytest.approx(201.0**2) and data["mean"] == pytest.approx(np.nanmean(expected), rel=1e-6)


def test_an_index_by_name(bench: Bench) -> None:
    """NDVI of bands by role, in any order, with the source of the formula; without roles refused."""
    generator = np.random.default_rng(1)
    bands = generator.integers(1, 255, (4, 9, 9)).astype(np.uint8)
    add(bench, write(bench.folder / "scene.tif", bands), "scene")
    data = bench.ok("raster_calculate", layer_ids=["scene"], bands=[3, 4], index="ndvi", roles=["red", "nir"])
    found, _ = cells(bench, data["layer_id"])
    red, nir = bands[2].astype(float), bands[3].astype(float)
    np.testing.assert_allclose(found, (nir - red) / (nir + red), rtol=1e-6, atol=1e-7)
    assert data["source"].startswith("Rouse") and data["inputs"] == {"A": "scene@4", "B": "scene@3"}
    envelope = bench.call("raster_calculate", layer_ids=["scene"], bands=[3, 4], index="ndvi")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "roles") and "nir, red" in envelope["message"]
    assert bench.code("raster_calculate", layer_ids=["scene"], bands=[3, 9], formula="A + B") == "INVALID_PARAM"
    evi = bench.call(
        "raster_calculate", layer_ids=["scene"], bands=[1, 2, 3], index="evi", roles=["blue", "red", "nir"],
        options={"scale": 1 / 255},
    )  # fmt: skip
    blue, red, nir = (bands[each] / 255 for each in range(3))
    found, _ = cells(bench, evi["data"]["layer_id"])
    expected = 2.5 * (nir - red) / (nir + 6 * red - 7.5 * blue + 1)
    near = np.abs(nir + 6 * red - 7.5 * blue + 1) > 0.01
    np.testing.assert_allclose(found[near], expected[near], rtol=1e-4)
    assert "expects reflectances" not in evi["message"]
    raw = bench.call("raster_calculate", layer_ids=["scene"], bands=[2, 3], index="savi", roles=["red", "nir"])
    assert "expects reflectances" in raw["message"]


def test_nothing_valid_is_no_success(bench: Bench) -> None:
    """The root of negative numbers everywhere: an error, no layer, and no file left."""
    two(bench, 0.0)
    envelope = bench.call("raster_calculate", layer_ids=["ra", "rb"], formula="sqrt(A - B)")
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "no_values")
    assert not bench.host.created_layers


def test_cells_that_are_not_square_and_finer_cells(bench: Bench) -> None:
    """The grid is that of A, whatever its cells; B is read at their centres (nearest), by numpy."""
    coarse = np.arange(12, dtype=np.float32).reshape(3, 4)
    fine = np.random.default_rng(2).normal(size=(60, 40)).astype(np.float32)
    add(bench, write(bench.folder / "a.tif", coarse, place=(500000, 10, 0, 4000060, 0, -20)), "a")
    add(bench, write(bench.folder / "b.tif", fine, place=(500000, 1, 0, 4000060, 0, -1)), "b")
    data = bench.ok("raster_calculate", layer_ids=["a", "b"], formula="A + B", options={"data_type": "float64"})
    found, _ = cells(bench, data["layer_id"])
    assert data["cell_size"] == [10, 20]
    np.testing.assert_allclose(found, coarse + fine[10::20, 5::10].astype(float), rtol=1e-12)
