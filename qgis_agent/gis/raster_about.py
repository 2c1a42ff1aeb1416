"""What a raster layer is: size, cells on the ground, bands, and what its file says."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from osgeo import gdal
from qgis.core import (
    Qgis,
    QgsCsException,
    QgsDistanceArea,
    QgsFeedback,
    QgsPointXY,
    QgsProject,
    QgsProviderRegistry,
    QgsRasterLayer,
    QgsUnitTypes,
)

from .extents import bbox_degrees
from .features import json_value
from .i18n import translate
from .layers import clean_text
from .measuring import ELLIPSOID
from .raster_cells import CellReader, neat
from .raster_stats import BandStats, Suspect, band_stats, suspect

MOST_BANDS = 12
"""Bands whose cells are read when no band is asked for."""
_MOST_NAMES = 12
_TYPE_NAMES = (
    "Byte", "Int8", "UInt16", "Int16", "UInt32", "Int32", "Float32", "Float64", "CInt16", "CInt32", "CFloat32", "CFloat64",
    "ARGB32", "ARGB32_Premultiplied",
)  # fmt: skip


def facts(layer: QgsRasterLayer, alias: str, project: QgsProject) -> Dict[str, Any]:
    """What is known without reading cells. Cell size in units of the CRS, and in metres at the centre."""
    crs = layer.crs()
    data: Dict[str, Any] = {
        "layer_id": alias,
        "size": [layer.width(), layer.height()],
        "crs": crs.authid() or clean_text(crs.description(), 60) or None,
        "crs_unit": QgsUnitTypes.toString(crs.mapUnits()) if crs.isValid() else None,
        "cell_size": [json_value(round(each, 10)) for each in _cell(layer)],
        "bbox": bbox_degrees(layer.extent(), crs, project),
        "band_count": layer.bandCount(),
    }
    metres = cell_metres(layer, project)
    if metres is not None:
        data["cell_size_m"] = [round(each, 4) for each in metres]
    names = _sublayers(layer)
    if names:
        data["subdatasets"] = names[:_MOST_NAMES]
        data["subdataset_count"] = len(names)
    return data


def cell_metres(layer: QgsRasterLayer, project: QgsProject) -> Optional[Tuple[float, float]]:
    """Width and height of the cell at the raster's centre, in metres on WGS 84; None without a CRS."""
    if not layer.crs().isValid():
        return None
    measure = QgsDistanceArea()
    measure.setSourceCrs(layer.crs(), project.transformContext())
    measure.setEllipsoid(ELLIPSOID)
    (width, height), centre = _cell(layer), layer.extent().center()
    left, right = QgsPointXY(centre.x() - width / 2, centre.y()), QgsPointXY(centre.x() + width / 2, centre.y())
    low, high = QgsPointXY(centre.x(), centre.y() - height / 2), QgsPointXY(centre.x(), centre.y() + height / 2)
    try:
        return float(measure.measureLine(left, right)), float(measure.measureLine(low, high))
    except QgsCsException:
        return None


def _cell(layer: QgsRasterLayer) -> Tuple[float, float]:
    if not layer.width() or not layer.height():  # a service has no cells of its own
        return 0.0, 0.0
    return layer.extent().width() / layer.width(), layer.extent().height() / layer.height()


def band_facts(layer: QgsRasterLayer, band: int) -> Dict[str, Any]:
    """What is known of a band without reading cells: type, declared nodata, colour, scale and offset."""
    provider = layer.dataProvider()
    found: Dict[str, Any] = {"band": band, "type": _type_name(provider.sourceDataType(band))}
    name = clean_text(provider.bandDescription(band), 60) if hasattr(provider, "bandDescription") else ""
    if name:
        found["name"] = name
    color = clean_text(provider.colorInterpretationName(band), 30)
    if color and color != "Undefined":
        found["color"] = color
    found["nodata"] = json_value(provider.sourceNoDataValue(band)) if provider.sourceHasNoDataValue(band) else None
    if found["nodata"] is not None and not provider.useSourceNoDataValue(band):
        found["nodata_used"] = False
    excluded = provider.userNoDataValues(band)
    if excluded:
        found["nodata_by_person"] = [[json_value(each.min()), json_value(each.max())] for each in excluded[:8]]
    if provider.bandScale(band) != 1.0 or provider.bandOffset(band) != 0.0:
        found.update(scale=json_value(provider.bandScale(band)), offset=json_value(provider.bandOffset(band)))
    return found


def _type_name(kind: Qgis.DataType) -> str:
    return next((each for each in _TYPE_NAMES if getattr(Qgis.DataType, each, None) == kind), "unknown")


def _sublayers(layer: QgsRasterLayer) -> List[str]:
    """Names of the other data sets of the file, without its path."""
    return [clean_text(each.replace("!!::!!", ":").rsplit(":", 1)[-1], 60) for each in layer.subLayers()]


class BandReader:
    """Reads the statistics of some bands and what the file says. Made on the main thread."""

    def __init__(self, layer: QgsRasterLayer, alias: str, bands: Sequence[int]) -> None:
        self._cells = CellReader(layer, alias)
        self._bands = list(bands)
        self._path = source_path(layer)
        self.size = self._cells.size(len(self._bands))

    def read(self, feedback: QgsFeedback) -> Tuple[Dict[int, Tuple[BandStats, Optional[Suspect]]], Dict[str, Any]]:
        """By band its statistics and suspected nodata; and the facts of the file. On a worker thread."""
        gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO")
        found: Dict[int, Tuple[BandStats, Optional[Suspect]]] = {}
        for band in self._bands:
            stats = band_stats(self._cells, band, feedback, self.size)
            found[band] = stats, suspect(self._cells, band, feedback, stats, self.size)
        return found, file_facts(self._path, self._bands)


def source_path(layer: QgsRasterLayer) -> str:
    """What GDAL opens for the layer."""
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    path = "{}{}{}".format(parts.get("vsiPrefix") or "", parts.get("path") or "", parts.get("vsiSuffix") or "")
    return path if path and not parts.get("layerName") else layer.dataProvider().dataSourceUri()


def file_facts(path: str, bands: Sequence[int]) -> Dict[str, Any]:
    """Driver, compression, pyramids and the bands' units and stored types, from a read-only look of GDAL; {} when it cannot be opened."""
    try:
        source = gdal.OpenEx(path, gdal.OF_RASTER | gdal.OF_READONLY)
    except RuntimeError:  # a program of this process may have turned GDAL's exceptions on
        source = None
    if source is None:
        return {}
    found: Dict[str, Any] = {"driver": source.GetDriver().ShortName}
    found["compression"] = source.GetMetadata("IMAGE_STRUCTURE").get("COMPRESSION", "none")
    first = source.GetRasterBand(1)
    if first is not None:
        found["pyramids"] = [
            [first.GetOverview(number).XSize, first.GetOverview(number).YSize]
            for number in range(min(first.GetOverviewCount(), 8))
        ]
    there = {band: source.GetRasterBand(band) for band in bands if band <= source.RasterCount}
    found["units"] = {band: clean_text(each.GetUnitType(), 20) for band, each in there.items() if each.GetUnitType()}
    found["types"] = {band: gdal.GetDataTypeName(each.DataType) for band, each in there.items()}
    return found


def stats_data(stats: BandStats, doubt: Optional[Suspect]) -> Dict[str, Any]:
    """The numbers of a band for an answer."""
    data: Dict[str, Any] = {"valid_cells": stats.valid, "nodata_cells": stats.nodata}
    data.update(_numbers(stats))
    if stats.distinct is not None:
        data["distinct_values"] = len(stats.distinct)
    if doubt is not None:
        share = round(100 * doubt.share, 3)
        entry = {"value": neat(doubt.value), "cells": doubt.cells, "percent": share}
        data["suspected_nodata"] = dict(entry, without_it=_numbers(doubt.rest))
    return data


def _numbers(stats: BandStats) -> Dict[str, Any]:
    if not stats.valid:
        return {"min": None, "max": None, "mean": None, "stdev": None}
    mean, stdev = (json_value(float("{:.10g}".format(each))) for each in (stats.mean, stats.stdev))
    return {"min": neat(stats.low), "max": neat(stats.high), "mean": mean, "stdev": stdev}


def suspicion(band: int, doubt: Suspect) -> str:
    """What is said of a suspected nodata value."""
    return translate(
        "QgisAgent",
        "Band {}: the value {} ({} cells, {:.1f} %) looks like undeclared nodata; it is counted as a value.",
    ).format(band, "{:.10g}".format(doubt.value), doubt.cells, 100 * doubt.share)
