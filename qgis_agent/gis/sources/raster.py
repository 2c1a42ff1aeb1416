"""Raster files: what is in one, and opening it on a worker thread without a .aux.xml beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from osgeo import gdal
from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsRectangle
from qgis.PyQt.QtCore import QCoreApplication

from ..errors import UPSTREAM_ERROR, ToolError
from ..gdal_calls import attempt, thread_options
from ..gdal_calls import open_dataset as opened_again
from ..i18n import translate
from ..layers import clean_text
from ..paths import ReadableRoots
from ..raster_file import RasterFile
from .formats import DataFile, open_dataset, quiet_gdal, unreadable
from .vector import chosen, has_style

MAX_BANDS = 20
_SIDE_FILES_READ = {"GDAL_PAM_ENABLED": "YES"}
"""A .aux.xml is read where one lies; none is written, because no statistics are made."""


@dataclass
class OpenedRaster:
    """A raster layer that is open; made on a worker thread, owned by the main thread.

    ``cells`` are the file's columns and rows: QGIS draws a file with a turned grid resampled to others.
    """

    layer: QgsRasterLayer
    style_left_out: bool
    warnings: List[str]
    cells: Tuple[int, int]
    bands: int


def subdatasets(dataset: Any) -> List[Tuple[str, str]]:
    """(name, what GDAL opens) of the rasters in a file that has several."""
    return [
        (clean_text(source.rsplit(":", 1)[-1].strip('"/') or text, 80), source)
        for source, text in dataset.GetSubDatasets()
    ]


def open_raster(file: DataFile, sublayer: Optional[str], name: str, roots: ReadableRoots) -> OpenedRaster:
    """Open a raster on a worker thread. QGIS reads a sample for the contrast there; nothing is written."""
    with quiet_gdal():
        dataset, _ = open_dataset(file, "raster", roots)
        source = _source(file, dataset, sublayer)
        aside = _from_aux(file)
        del dataset
        options = QgsRasterLayer.LayerOptions()
        options.loadDefaultStyle = False
        options.skipCrsValidation = True
        layer = QgsRasterLayer(source, name, "gdal", options)
        if not layer.isValid():
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "QGIS cannot open '{}': {}").format(
                    name, clean_text(layer.error().summary(), 200)
                ),
                hint=translate("QgisAgent", "Look into it with inspect_data_file."),
                reason="provider",
            )
        warnings = damage(source, file.name)
        cells, bands = _own_cells(source, layer)
        if aside is not None and aside.isValid() and not layer.crs().isValid():
            layer.setCrs(aside)
        layer.moveToThread(QCoreApplication.instance().thread())
    return OpenedRaster(layer, has_style(file), warnings, cells, bands)


def _own_cells(source: str, layer: QgsRasterLayer) -> Tuple[Tuple[int, int], int]:
    """(columns, rows) and bands of the file, where QGIS draws it resampled; else those of the layer."""
    dataset, _ = opened_again(source, gdal.OF_RASTER)
    if dataset is not None and dataset.RasterCount:
        own = RasterFile(dataset)
        if own.resampled:
            return (own.columns, own.rows), own.bands
    return (layer.width(), layer.height()), layer.bandCount()


def _source(file: DataFile, dataset: Any, sublayer: Optional[str]) -> str:
    inside = subdatasets(dataset)
    if dataset.RasterCount and sublayer is None and not inside:
        return file.opened_as
    if not inside:
        return file.opened_as if sublayer is None else inside[chosen(file.name, [], sublayer)][1]
    source = inside[chosen(file.name, [each for each, _ in inside], sublayer)][1]
    if file.opened_as not in source:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The part '{}' lies in another file.").format(clean_text(source, 120)),
            hint=translate("QgisAgent", "Give that file itself."),
            reason="refers_elsewhere",
        )
    return source


def _from_aux(file: DataFile) -> Optional[QgsCoordinateReferenceSystem]:
    """The CRS that a .aux.xml beside the raster states: it is read once here, because QGIS's own provider would write to it."""
    aside = file.path.with_name(file.path.name + ".aux.xml")
    if file.member or not aside.is_file():
        return None
    with thread_options(_SIDE_FILES_READ):
        dataset, _ = opened_again(file.opened_as, gdal.OF_RASTER)
        wkt = attempt(dataset.GetProjection)[0] if dataset is not None else ""
        del dataset
    return QgsCoordinateReferenceSystem.fromWkt(wkt) if wkt else None


def damage(source: str, name: str) -> List[str]:
    """A warning where cells cannot be read: a file that was cut off opens all the same. The last cells are tried.

    For a worker thread, within ``quiet_gdal``.
    """
    dataset, _ = opened_again(source, gdal.OF_RASTER)
    if dataset is None or not dataset.RasterCount:
        return []
    band = dataset.GetRasterBand(dataset.RasterCount)
    read = [attempt(band.ReadRaster, 0, row, band.XSize, 1)[0] for row in sorted({0, band.YSize // 2, band.YSize - 1})]
    if all(read):
        return []
    return [translate("QgisAgent", "Cells of '{}' cannot be read: the file is damaged or cut off.").format(name)]


def described(file: DataFile, roots: ReadableRoots, sublayer: Optional[str]) -> Dict[str, Any]:
    """What is in a raster file: driver, size in cells, bands, cell size, CRS as WKT, extent in its own coordinates."""
    with quiet_gdal(), thread_options(_SIDE_FILES_READ):
        dataset, driver = open_dataset(file, "raster", roots)
        inside = subdatasets(dataset)
        data: Dict[str, Any] = {"driver": driver, "sublayers": [{"sublayer": each} for each, _ in inside]}
        if inside and sublayer is None and not dataset.RasterCount:
            return data
        if inside and sublayer is not None:
            dataset, reason = opened_again(_source(file, dataset, sublayer), gdal.OF_RASTER)
            if dataset is None:
                raise unreadable(file.name, clean_text(reason, 200) or "-")
        return dict(data, raster=_raster_facts(dataset), warnings=damage(file.opened_as, file.name))


def _raster_facts(dataset: Any) -> Dict[str, Any]:
    across, up = dataset.RasterXSize, dataset.RasterYSize
    fit = dataset.GetGeoTransform(can_return_null=True)
    bands = []
    for number in range(1, min(dataset.RasterCount, MAX_BANDS) + 1):
        band = dataset.GetRasterBand(number)
        bands.append({"band": number, "type": gdal.GetDataTypeName(band.DataType), "nodata": band.GetNoDataValue()})
    facts: Dict[str, Any] = {"columns": across, "rows": up, "bands": bands, "band_count": dataset.RasterCount}
    box = QgsRectangle()
    if fit is not None:
        corners = [
            (fit[0] + i * fit[1] + j * fit[2], fit[3] + i * fit[4] + j * fit[5]) for i in (0, across) for j in (0, up)
        ]
        xs, ys = [each[0] for each in corners], [each[1] for each in corners]
        box = QgsRectangle(min(xs), min(ys), max(xs), max(ys))
        facts["cell_size"] = [math.hypot(fit[1], fit[4]), math.hypot(fit[2], fit[5])]  # along a row, down a column
    return dict(facts, box=box, wkt=attempt(dataset.GetProjection)[0] or "")
