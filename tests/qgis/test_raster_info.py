"""get_raster_info and sample_raster through the calls. Expected numbers: numpy on what GDAL reads, pyproj."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPO, Answering, Bench, memory_layer
from osgeo import gdal, osr
from pyproj import Geod
from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsRasterRange

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis import raster_cells

SHARED = Path(os.environ.get("QGIS_AGENT_SHARED", REPO.parent / "shared")) / "data" / "layers"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there")


@pytest.fixture(autouse=True)
def no_pam() -> Any:
    """Opening a raster in QGIS computes its default stretch and would leave the file that the tools must not leave."""
    before = gdal.GetConfigOption("GDAL_PAM_ENABLED")
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")
    yield
    gdal.SetConfigOption("GDAL_PAM_ENABLED", before)


def write(
    path: Path, bands: Any, nodata: float | None = None, crs: int | None = 32650, cell: float = 10.0, **more: Any
) -> Path:
    """A GeoTIFF with its upper left corner at (500000, 4000000 + height), as the cases have it."""
    bands = np.asarray(bands)
    bands = bands[None] if bands.ndim == 2 else bands
    kinds = {"uint8": 1, "uint16": 2, "int16": 3, "uint32": 4, "int32": 5, "float32": 6, "float64": 7, "complex64": 10}
    count, rows, columns = bands.shape
    made = gdal.GetDriverByName("GTiff").Create(
        str(path), columns, rows, count, kinds[bands.dtype.name], options=more.get("options", [])
    )
    made.SetGeoTransform(more.get("place", (500000, cell, 0, 4000000 + rows * cell, 0, -cell)))
    if crs is not None:
        reference = osr.SpatialReference()
        reference.ImportFromEPSG(crs)
        made.SetProjection(reference.ExportToWkt())
    for number, band in enumerate(bands, 1):
        target = made.GetRasterBand(number)
        target.WriteArray(band)
        if nodata is not None:
            target.SetNoDataValue(nodata)
        if "scale" in more:
            target.SetScale(more["scale"])
            target.SetOffset(more["offset"])
        if "unit" in more:
            target.SetUnitType(more["unit"])
    made.FlushCache()
    return path


def add(bench: Bench, path: Path, name: str = "dem") -> QgsRasterLayer:
    """Add a raster file to the project."""
    raster_layer = QgsRasterLayer(str(path), name)
    assert raster_layer.isValid()
    bench.host.project.addMapLayer(raster_layer)
    return raster_layer


def shared(bench: Bench, name: str) -> tuple[QgsRasterLayer, Any]:
    """A copy of a file of the shared data as a layer, and its cells (bands, rows, columns)."""
    path = bench.folder / Path(name).name
    shutil.copy(SHARED / name, path)
    source = gdal.Open(str(path))
    cells = np.array([source.GetRasterBand(number).ReadAsArray() for number in range(1, source.RasterCount + 1)])
    return add(bench, path), cells


def test_a33_numbers_are_of_all_cells(bench: Bench) -> None:
    """3000 x 3000 zeros with one 255: max 255, mean 2.8333e-05, by all cells."""
    cells = np.zeros((3000, 3000), dtype=np.uint8)
    cells[1234, 77] = 255
    add(bench, write(bench.folder / "one.tif", cells))
    data = bench.ok("get_raster_info", layer_id="dem")
    band = data["bands"][0]
    assert (band["min"], band["max"], data["stats_kind"]) == (0, 255, "exact")
    assert band["mean"] == pytest.approx(2.8333e-05, rel=1e-4) and band["mean"] == pytest.approx(255 / 9e6, rel=1e-9)
    assert band["stdev"] == pytest.approx(float(cells.std()), rel=1e-9) and band["distinct_values"] == 2
    assert "suspected_nodata" not in band


def test_a33_a_raster_of_nodata_has_no_numbers(bench: Bench) -> None:
    """4 x 4 of -9999 with that nodata: no sentinels, but the words."""
    add(bench, write(bench.folder / "none.tif", np.full((4, 4), -9999, dtype=np.float32), -9999))
    envelope = bench.call("get_raster_info", layer_id="dem")
    band = envelope["data"]["bands"][0]
    assert (band["min"], band["max"], band["mean"], band["valid_cells"], band["nodata_cells"]) == (
        None,
        None,
        None,
        0,
        16,
    )
    assert "no valid cells" in envelope["message"]


def test_a35_undeclared_nodata_is_said_and_not_applied(bench: Bench) -> None:
    """1..16 with -9999 first: mean -616.5 as it is, 9.0 without the suspect."""
    cells = np.arange(1, 17, dtype=np.float32).reshape(4, 4)
    cells[0, 0] = -9999
    add(bench, write(bench.folder / "sixteen.tif", cells))
    envelope = bench.call("get_raster_info", layer_id="dem")
    band = envelope["data"]["bands"][0]
    assert (band["nodata"], band["valid_cells"], band["mean"]) == (None, 16, -616.5)
    doubt = band["suspected_nodata"]
    assert (doubt["value"], doubt["cells"], doubt["percent"]) == (-9999, 1, 6.25)
    assert (doubt["without_it"]["mean"], doubt["without_it"]["min"], doubt["without_it"]["max"]) == (9.0, 2, 16)
    assert "-9999" in envelope["message"] and "undeclared nodata" in envelope["message"]


@pytest.mark.parametrize(
    ("sentinel", "kind"),
    [(-32768, "int16"), (-3.4028234663852886e38, "float32"), (65535, "uint16"), (1e20, "float64"), (-9999, "float64")],
)
def test_sentinels(bench: Bench, sentinel: float, kind: str) -> None:
    """Each known number far from the others; the numbers without it are exact, whatever its size."""
    cells = np.linspace(100, 200, 400).reshape(20, 20).astype(kind)
    expected = cells[2:].astype(np.float64)
    cells[:2] = sentinel
    add(bench, write(bench.folder / "s.tif", cells))
    doubt = bench.ok("get_raster_info", layer_id="dem")["bands"][0]["suspected_nodata"]
    assert doubt["value"] == pytest.approx(sentinel) and doubt["cells"] == 40
    assert doubt["without_it"]["mean"] == pytest.approx(expected.mean(), rel=1e-7)
    assert doubt["without_it"]["stdev"] == pytest.approx(expected.std(), rel=1e-7)


def test_a_collar_is_suspected_and_classes_are_not(bench: Bench) -> None:
    """Zeros around a picture; but not the 0 of a map of classes, nor a value that is only frequent inside."""
    rows, columns = np.mgrid[0:60, 0:60]
    inside = ((rows - 30) ** 2 + (columns - 30) ** 2 < 25**2).astype(np.uint8)
    picture = ((rows + columns) % 200 + 20).astype(np.uint8)
    add(bench, write(bench.folder / "collar.tif", picture * inside), "collar")
    doubt = bench.ok("get_raster_info", layer_id="collar")["bands"][0]["suspected_nodata"]
    assert doubt["value"] == 0 and doubt["cells"] == int((inside == 0).sum()) and doubt["without_it"]["min"] > 0
    add(bench, write(bench.folder / "classes.tif", inside * (rows // 20 + 1).astype(np.uint8)), "classes")
    add(bench, write(bench.folder / "pond.tif", picture * (1 - inside // 1)), "pond")
    for name in ("classes", "pond"):
        assert "suspected_nodata" not in bench.ok("get_raster_info", layer_id=name)["bands"][0], name


@needs_shared
def test_a_real_elevation_model(bench: Bench) -> None:
    """Luxembourg: declared nodata, cells in degrees and in metres, extent, compression."""
    raster_layer, cells = shared(bench, "zonal/elev.tif")
    data = bench.ok("get_raster_info", layer_id="dem")
    valid = cells[0][cells[0] != -32768].astype(float)
    band = data["bands"][0]
    assert (band["type"], band["nodata"], band["min"], band["max"]) == ("Int16", -32768, valid.min(), valid.max())
    assert (band["valid_cells"], band["nodata_cells"]) == (valid.size, cells.size - valid.size)
    assert (band["mean"], band["stdev"]) == (pytest.approx(valid.mean()), pytest.approx(valid.std()))
    assert (data["size"], data["crs"], data["compression"], data["pyramids"]) == ([95, 90], "EPSG:4326", "LZW", [])
    box, geod = raster_layer.extent(), Geod(ellps="WGS84")
    middle, half = box.center(), (data["cell_size"][0] / 2, data["cell_size"][1] / 2)
    assert data["cell_size"] == pytest.approx([box.width() / 95, box.height() / 90])
    width = geod.inv(middle.x() - half[0], middle.y(), middle.x() + half[0], middle.y())[2]
    height = geod.inv(middle.x(), middle.y() - half[1], middle.x(), middle.y() + half[1])[2]
    assert data["cell_size_m"] == pytest.approx([width, height], abs=0.001)
    assert data["bbox"] == pytest.approx([box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()], abs=1e-6)


@needs_shared
def test_bands_of_a_satellite_picture(bench: Bench) -> None:
    """Six bands, each with its numbers, or one that is asked for; a CRS without an authority id is named."""
    _, cells = shared(bench, "raster/landsat7_olinda.tif")
    data = bench.ok("get_raster_info", layer_id="dem")
    assert [each["band"] for each in data["bands"]] == [1, 2, 3, 4, 5, 6] and data["band_count"] == 6
    for each, band in zip(data["bands"], cells):
        assert (each["min"], each["max"], each["mean"]) == (band.min(), band.max(), pytest.approx(band.mean()))
    data = bench.ok("get_raster_info", layer_id="dem", band=4)
    assert [each["band"] for each in data["bands"]] == [4]
    shared(bench, "raster/dem_olinda.tif")
    data = bench.ok("get_raster_info", layer_id="dem-2")
    assert data["crs"] and data["bands"][0]["min"] == -1 and data["cell_size_m"] == pytest.approx([90, 90], rel=0.02)


@needs_shared
def test_a_damaged_file_is_no_success(bench: Bench) -> None:
    """It opens as valid and cannot be read: said, without made-up numbers."""
    shutil.copy(SHARED / "nasty/corrupt.tif", bench.folder / "corrupt.tif")
    add(bench, bench.folder / "corrupt.tif", "corrupt")
    envelope = bench.call("get_raster_info", layer_id="corrupt")
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable")
    assert bench.call("set_raster_style", layer_id="corrupt", method="gray", band=1)["code"] == "UPSTREAM_ERROR"


def test_scale_offset_unit_and_the_persons_nodata(bench: Bench) -> None:
    """Cells as the layer shows them: 0.1 v + 5; 12 is excluded by the person; the unit is the file's."""
    cells = np.arange(100, dtype=np.int16).reshape(10, 10)
    path = write(bench.folder / "scaled.tif", cells, scale=0.1, offset=5.0, unit="m", options=["COMPRESS=DEFLATE"])
    raster_layer = add(bench, path)
    band = bench.ok("get_raster_info", layer_id="dem")["bands"][0]
    assert (band["scale"], band["offset"], band["unit"], band["type"]) == (0.1, 5.0, "m", "Int16")
    assert (band["min"], band["max"]) == (5.0, 14.9) and band["mean"] == pytest.approx(5 + 0.1 * 49.5, abs=1e-6)
    raster_layer.dataProvider().setUserNoDataValue(1, [QgsRasterRange(12.95, 20)])
    band = bench.ok("get_raster_info", layer_id="dem")["bands"][0]
    assert band["max"] == pytest.approx(12.9) and (band["valid_cells"], band["nodata_cells"]) == (80, 20)
    assert band["nodata_by_person"] == [[12.95, 20]]


def test_pyramids_are_listed(bench: Bench) -> None:
    """With their sizes."""
    path = write(bench.folder / "p.tif", np.arange(256 * 256, dtype=np.float32).reshape(256, 256))
    source = gdal.Open(str(path), gdal.GA_Update)
    source.BuildOverviews("NEAREST", [2, 4])
    del source
    add(bench, path)
    data = bench.ok("get_raster_info", layer_id="dem")
    assert data["pyramids"] == [[128, 128], [64, 64]] and data["driver"] == "GTiff"


def test_strips_join_without_a_seam(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are the same whatever the height of the strips; more than one is read."""
    monkeypatch.setattr(raster_cells, "_STRIP_CELLS", 1)
    cells = np.random.default_rng(5).normal(50, 20, (1000, 37)).astype(np.float32)
    cells[::7, 3] = -9999
    add(bench, write(bench.folder / "strips.tif", cells, -9999))
    band = bench.ok("get_raster_info", layer_id="dem")["bands"][0]
    valid = cells[cells != -9999].astype(float)
    assert (band["valid_cells"], band["mean"], band["stdev"]) == (
        valid.size,
        pytest.approx(valid.mean(), rel=1e-9),
        pytest.approx(valid.std(), rel=1e-9),
    )
    assert band["min"] == pytest.approx(valid.min()) and band["max"] == pytest.approx(valid.max())


def test_a_large_raster_is_sampled_and_that_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit: a sample, named with its size."""
    monkeypatch.setattr(raster_cells, "EXACT_CELLS", 10_000)
    monkeypatch.setattr(raster_cells, "SAMPLE_CELLS", 2_500)
    cells = np.add.outer(np.arange(200), np.arange(200)).astype(np.float32)
    add(bench, write(bench.folder / "large.tif", cells))
    envelope = bench.call("get_raster_info", layer_id="dem")
    band = envelope["data"]["bands"][0]
    assert envelope["data"]["stats_kind"] == "sample" and "sample of 50 x 50 cells" in envelope["message"]
    assert band["valid_cells"] == 2500 and band["mean"] == pytest.approx(cells.mean(), rel=0.02)


def test_nothing_appears_beside_the_file(bench: Bench) -> None:
    """Byte for byte the same file, and no .aux.xml, although QGIS's own statistics would write one here."""
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "YES")
    folder = bench.folder / "alone"
    folder.mkdir()
    path = write(folder / "a.tif", np.arange(400, dtype=np.float32).reshape(20, 20), -1)
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "NO")
    raster_layer = add(bench, path)
    before = path.read_bytes()
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "YES")
    bench.ok("get_raster_info", layer_id="dem")
    bench.ok("sample_raster", layer_id="dem", points=[[117.0, 36.14]])
    for method in ("gray", "pseudocolor", "hillshade"):
        bench.ok("set_raster_style", layer_id="dem", method=method)
    bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", classes=4)
    bench.host.project.clear()  # what a data set has to write it writes when it is closed
    del raster_layer
    assert [each.name for each in folder.iterdir()] == ["a.tif"] and path.read_bytes() == before
    source = gdal.Open(str(path))
    source.GetRasterBand(1).ComputeStatistics(False)
    del source
    assert (folder / "a.tif.aux.xml").exists(), "the test could not have failed"


def test_no_tool_writes_beside_a_raster(bench: Bench) -> None:
    """Added, looked at, drawn, styled, copied, put on a sheet by tools, with GDAL's .aux.xml turned on as in a person's QGIS."""
    folder = bench.folder / "alone"
    folder.mkdir()
    cells = np.arange(400, dtype=np.float32).reshape(20, 20)
    gdal.SetConfigOption("GDAL_PAM_ENABLED", "YES")
    before = {name: write(folder / name, cells * (1 + len(name)), -1).read_bytes() for name in ("a.tif", "bb.tif")}
    assert bench.host.project.write(str(bench.folder / "p.qgz"))
    for name in before:
        bench.ok("inspect_data_file", path=f"alone/{name}")
        bench.ok("add_raster_layer", path=f"alone/{name}")
    bench.ok("list_data_files", folder="alone")
    bench.ok("describe_layer", layer_id="a")
    bench.ok("get_raster_info", layer_id="a")
    bench.ok("sample_raster", layer_id="a", points=[[117.0, 36.14]])
    bench.ok("set_raster_style", layer_id="a", method="pseudocolor", options={"stretch": "cumulative_cut"})
    bench.ok("get_style", layer_id="a")
    bench.ok("patch_style", layer_id="a", patch={"opacity": 0.5})
    bench.ok("copy_style", layer_id="a", to_layer_ids=["bb"])
    bench.ok("set_legend", layer_id="a", title="heights")
    bench.ok("revert_style", layer_id="bb")
    bench.ok("zoom_to", layer_id="a")
    bench.ok("create_layout", name="sheet", title="sheet")
    bench.approver = bench.calls.approver = Answering("once")
    bench.ok("prepare_export_layout", layout="sheet", path=str(bench.folder / "sheet.pdf"), dpi=96)
    assert (bench.folder / "sheet.pdf").exists()
    bench.host.project.clear()  # what a data set has to write it writes when it is closed
    assert {each.name for each in folder.iterdir()} == set(before)
    assert {name: (folder / name).read_bytes() for name in before} == before
    QgsRasterLayer(str(folder / "a.tif"), "by hand")
    assert (folder / "a.tif.aux.xml").exists(), "the test could not have failed"


def test_other_layers_bands_and_crs(bench: Bench) -> None:
    """A vector layer, a band that is not there, complex cells, no CRS."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:integer", [("POINT(0 0)", [1])], "points"))
    assert bench.code("get_raster_info", layer_id="points") == "UNSUPPORTED"
    assert bench.code("sample_raster", layer_id="points", points=[[0, 0]]) == "UNSUPPORTED"
    raster_layer = add(bench, write(bench.folder / "a.tif", np.ones((4, 4), dtype=np.float32)))
    for band in (2, 5):
        envelope = bench.call("get_raster_info", layer_id="dem", band=band)
        assert envelope["code"] == "INVALID_PARAM" and "1 to 1" in envelope["hint"]
    add(bench, write(bench.folder / "c.tif", np.ones((4, 4), dtype=np.complex64)), "complex")
    assert bench.code("get_raster_info", layer_id="complex") == "UNSUPPORTED"
    raster_layer.setCrs(QgsCoordinateReferenceSystem())
    envelope = bench.call("get_raster_info", layer_id="dem")
    assert envelope["ok"] and envelope["data"]["bbox"] is None and "no CRS" in envelope["message"]
    assert bench.call("sample_raster", layer_id="dem", points=[[0, 0]])["reason"] == "no_crs"


def test_many_bands_fit_the_budget(bench: Bench) -> None:
    """The first twelve of forty, said; the rest by band."""
    add(bench, write(bench.folder / "many.tif", np.ones((40, 8, 8), dtype=np.float32) * np.arange(40)[:, None, None]))
    envelope = bench.call("get_raster_info", layer_id="dem")
    assert envelope["ok"] and size_bytes(envelope) <= 4096 and "12 of 40" in envelope["message"]
    assert bench.ok("get_raster_info", layer_id="dem", band=40)["bands"][0]["max"] == 39
