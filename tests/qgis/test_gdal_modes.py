"""What cannot be read is told in the same words whether GDAL's exceptions are on (QGIS's plugin Processing) or off."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from conftest import Bench
from osgeo import gdal, ogr, osr
from qgis.core import QgsFeedback, QgsProcessingException, QgsRasterLayer, QgsVectorLayer

from qgis_agent.gis.analysis.vector.point_arrays import ArrowPlace, read_arrow
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.gdal_calls import GdalReadError, attempt, each_feature, open_dataset, thread_options
from qgis_agent.gis.raster_cells import CellReader
from qgis_agent.gis.raster_file import open_source
from qgis_agent.processing.raster_base import OutputGrid, created

MODULES = (gdal, ogr, osr)


@pytest.fixture(params=[False, True], ids=["off", "on"], autouse=True)
def exceptions(request: pytest.FixtureRequest, exceptions_of_gdal: None) -> Iterator[bool]:
    """Both modes; afterwards the one that was there."""
    if not request.param:
        for module in [
            each for _ in MODULES for each in MODULES
        ]:  # in the order that GDAL wants: it depends on who began
            with suppress(RuntimeError):
                module.DontUseExceptions()
    assert {bool(module.GetUseExceptions()) for module in MODULES} == {request.param}
    yield request.param
    for module in MODULES:
        module.UseExceptions()


def cut_raster(folder: Path) -> Path:
    """300 x 300 cells in EPSG:32650, of which the file holds the upper half."""
    made = gdal.GetDriverByName("GTiff").Create(str(folder / "whole.tif"), 300, 300, 1, gdal.GDT_Float32)
    made.SetGeoTransform((500000, 10, 0, 4000000, 0, -10))
    system = osr.SpatialReference()
    system.ImportFromEPSG(32650)
    made.SetProjection(system.ExportToWkt())
    made.GetRasterBand(1).WriteArray(np.full((300, 300), 7, dtype=np.float32))
    made = None
    whole = (folder / "whole.tif").read_bytes()
    (folder / "whole.tif").unlink()
    path = folder / "cut.tif"
    path.write_bytes(whole[: len(whole) // 2])
    return path


def broken_points(folder: Path) -> Path:
    """A GeoPackage of 5,000 points that opens, with noise in the pages of its features."""
    path = folder / "broken.gpkg"
    made = gdal.GetDriverByName("GPKG").Create(str(path), 0, 0, 0, gdal.GDT_Unknown)
    layer = made.CreateLayer("points", geom_type=ogr.wkbPoint, options=["SPATIAL_INDEX=NO"])
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    layer.StartTransaction()
    for number in range(5000):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("name", f"point {number}" * 5)
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({number} 1)"))
        layer.CreateFeature(feature)
    layer.CommitTransaction()
    del feature, layer, made
    with sqlite3.connect(path) as database:
        page = database.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    for start in range(len(data) // page // 2, len(data) // page - 5):
        data[start * page : (start + 1) * page] = b"\xff" * page
    path.write_bytes(bytes(data))
    return path


def test_a_damaged_raster(bench: Bench) -> None:
    """Told when it is looked at, added, described; an error where its cells are asked for."""
    path = cut_raster(bench.folder)
    for name in ("inspect_data_file", "add_raster_layer"):
        assert "damaged or cut off" in str(bench.call(name, path=str(path))), name
    assert "damaged or cut off" in str(bench.ok("describe_layer", layer_id="cut")["warnings"])
    envelope = bench.call("sample_raster", layer_id="cut", points=[[117.03, 36.119]])
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable"), envelope
    envelope = bench.call("get_raster_info", layer_id="cut")
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable"), envelope


def test_a_damaged_raster_on_a_turned_grid(bench: Bench) -> None:
    """Its cells are read by GDAL itself, whose reason is told."""
    path = cut_raster(bench.folder)
    turned = gdal.OpenEx(str(path), gdal.OF_RASTER | gdal.OF_UPDATE)
    turned.SetGeoTransform((500000, 8, 2, 4000000, 2, -8))
    del turned
    bench.host.project.addMapLayer(QgsRasterLayer(str(path), "turned"))
    envelope = bench.call("get_raster_info", layer_id="turned")
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable"), envelope
    assert "cut.tif" in envelope["message"] or "IReadBlock" in envelope["message"], envelope


def test_a_file_that_is_gone(bench: Bench) -> None:
    """No raster, no vectors, no place to write to."""
    gone = str(bench.folder / "gone.tif")
    assert open_source(gone) is None
    assert open_dataset(gone, gdal.OF_VECTOR)[0] is None
    assert read_arrow(ArrowPlace(gone, ""), [], QgsFeedback()) is None
    assert bench.code("inspect_data_file", path=gone) == "NOT_FOUND"
    grid = OutputGrid(columns=2, rows=2, west=0.0, north=2.0, width=1.0, height=1.0, wkt="")
    with pytest.raises(QgsProcessingException, match=r"cannot be written: .*gone"):
        created(str(bench.folder / "gone" / "new.tif"), grid)


def test_a_vector_file_that_is_none(bench: Bench) -> None:
    """The name and the first bytes of a database, and nothing behind."""
    path = bench.folder / "noise.gpkg"
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    for name in ("inspect_data_file", "add_vector_layer"):
        envelope = bench.call(name, path=str(path))
        assert not envelope["ok"] and envelope["code"] in ("UPSTREAM_ERROR", "UNSUPPORTED", "FORBIDDEN"), envelope
    path = bench.folder / "noise.geojson"
    path.write_text('{"type": "FeatureCollection", "features": [{"type": "Fea')
    for name in ("inspect_data_file", "add_vector_layer"):
        envelope = bench.call(name, path=str(path))
        assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable"), envelope


def test_a_vector_file_that_ends_too_soon(bench: Bench) -> None:
    """A part of its features never passes for all of them."""
    path = broken_points(bench.folder)
    source = open_dataset(str(path), gdal.OF_VECTOR)[0]
    with pytest.raises(GdalReadError, match="malformed"):
        list(each_feature(source.GetLayer(0)))
    assert read_arrow(ArrowPlace(str(path), "points"), [], QgsFeedback()) is None
    envelope = bench.call("inspect_data_file", path=str(path))
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "unreadable"), envelope
    bench.host.project.addMapLayer(QgsVectorLayer(str(path), "broken", "ogr"))
    assert bench.code("query_features", layer_id="broken", limit=1) == "UPSTREAM_ERROR"


def test_a_failing_call_gives_its_reason() -> None:
    """None and why not; nothing of an earlier error sticks to a call that is well."""
    assert attempt(ogr.CreateGeometryFromWkb, b"xx")[0] is None
    found, reason = attempt(gdal.GetDriverByName("GTiff").Create, "/nowhere at all/x.tif", 1, 1)
    assert found is None and "nowhere at all" in reason
    assert attempt(gdal.GetDriverByName, "GTiff")[1] == ""


@pytest.mark.parametrize("before", [None, "YES", "NO"])
def test_options_of_a_thread_are_put_back(bench: Bench, before: str | None) -> None:
    """Whatever they were, also after an error; opening a raster leaves none behind."""
    path = cut_raster(bench.folder)
    with thread_options({"GDAL_PAM_ENABLED": before} if before else {}):
        with pytest.raises(ValueError), thread_options({"GDAL_PAM_ENABLED": "NO"}):
            raise ValueError
        assert gdal.GetThreadLocalConfigOption("GDAL_PAM_ENABLED") == before
        assert open_source(str(path)) is not None
        reader = CellReader(QgsRasterLayer(str(path), "cut"), "cut")
        assert reader.window(1, 0, 0, 2, 2).values.tolist() == [[7, 7], [7, 7]]
        with pytest.raises(ToolError):
            list(reader.strips(1, QgsFeedback(), (300, 300)))
        assert gdal.GetThreadLocalConfigOption("GDAL_PAM_ENABLED") == before
