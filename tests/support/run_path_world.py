"""Layers and plans for the tests of the run path. Needs a QGIS, and the conftest of tests/qgis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import memory_layer
from drive import drive
from qgis.core import Qgis, QgsProject, QgsRasterLayer, QgsVectorFileWriter, QgsVectorLayer

from qgis_agent.gis.analysis.run.plan import PlanStep
from qgis_agent.gis.analysis.run.runner import (
    analysis_context,
    run_plan,
)
from qgis_agent.gis.errors import ToolError


def run(plan: list[PlanStep], **inputs: Any) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """(layers, facts, warnings) of a plan. The context goes at its end, and with it what is in scratch."""
    facts: dict[str, Any] = {}
    warnings: list[str] = []
    made = drive(run_plan(plan, inputs, analysis_context(QgsProject.instance()), warnings, facts))
    return made, facts, warnings


def failure(plan: list[PlanStep], **inputs: Any) -> dict[str, Any]:
    """The envelope of a plan that must fail."""
    with pytest.raises(ToolError) as caught:
        run(plan, **inputs)
    caught.value.__traceback__ = None
    return caught.value.envelope


def numbers(*values: int) -> QgsVectorLayer:
    """Points with a whole number each."""
    rows = [(f"POINT({index} 1)", [value]) for index, value in enumerate(values)]
    return memory_layer("Point?crs=EPSG:32632&field=a:integer", rows, "numbers")


def geopackage(path: Path, layer: QgsVectorLayer) -> QgsVectorLayer:
    """A copy of a layer in a file."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "GPKG"
    QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(path), QgsProject.instance().transformContext(), options)
    return QgsVectorLayer(str(path), path.stem, "ogr")


def raster(path: Path, size: int = 40, kind: Any = Qgis.DataType.Float32) -> QgsRasterLayer:
    """A ramp: each cell is its column."""
    from osgeo import gdal, osr

    numpy = pytest.importorskip("numpy")
    made = gdal.GetDriverByName("GTiff").Create(str(path), size, size, 1, gdal.GDT_Float32)
    made.SetGeoTransform([500_000, 10, 0, 5_000_000, 0, -10])
    system = osr.SpatialReference()
    system.ImportFromEPSG(32632)
    made.SetProjection(system.ExportToWkt())
    made.GetRasterBand(1).WriteArray(numpy.tile(numpy.arange(size, dtype="f4"), (size, 1)))
    del made
    gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO")  # what QGIS writes when it opens a raster is its own
    layer = QgsRasterLayer(str(path), path.stem)
    gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", None)
    return layer
