"""What a raster layer is: size, cells on the ground, bands, and what its file says."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import (
    Qgis,
    QgsCsException,
    QgsDistanceArea,
    QgsFeedback,
    QgsPointXY,
    QgsProject,
    QgsRasterLayer,
    QgsUnitTypes,
)

from .extents import bbox_degrees
from .features import json_value
from .i18n import translate
from .layers import clean_text
from .measuring import ELLIPSOID
from .raster_cells import CellReader, neat, require_band
from .raster_stats import BandStats, Suspect, band_stats, suspect

MOST_BANDS = 12
"""Bands whose cells are read when no band is asked for."""
_MOST_NAMES = 12
_TYPE_NAMES = (
    "Byte", "Int8", "UInt16", "Int16", "UInt32", "Int32", "Float32", "Float64", "CInt16", "CInt32", "CFloat32", "CFloat64",
    "ARGB32", "ARGB32_Premultiplied",
)  # fmt: skip


class Grid(NamedTuple):
    """Columns, rows and bands, and the two sides of a cell as vectors (east, north) in the units of the CRS."""

    columns: int
    rows: int
    bands: int
    along: Tuple[float, float]
    down: Tuple[float, float]

    def cell(self) -> Tuple[float, float]:
        """Width and height of a cell."""
        return math.hypot(*self.along), math.hypot(*self.down)


def shown_grid(layer: QgsRasterLayer) -> Optional[Grid]:
    """The grid as the layer shows it; None for a service, which has no cells of its own."""
    if not layer.width() or not layer.height():
        return None
    box, across, down = layer.extent(), layer.width(), layer.height()
    return Grid(across, down, layer.bandCount(), (box.width() / across, 0.0), (0.0, -box.height() / down))


def facts(layer: QgsRasterLayer, alias: str, project: QgsProject, grid: Optional[Grid]) -> Dict[str, Any]:
    """What is known without reading cells. Cell size in units of the CRS, and in metres at the centre."""
    crs = layer.crs()
    data: Dict[str, Any] = {
        "layer_id": alias,
        "crs": crs.authid() or clean_text(crs.description(), 60) or None,
        "crs_unit": QgsUnitTypes.toString(crs.mapUnits()) if crs.isValid() else None,
        "bbox": bbox_degrees(layer.extent(), crs, project),
        "band_count": grid.bands if grid is not None else layer.bandCount(),
    }
    if grid is not None:
        data["size"] = [grid.columns, grid.rows]
        data["cell_size"] = [json_value(round(each, 10)) for each in grid.cell()]
        metres = cell_metres(layer, project, grid)
        if metres is not None:
            data["cell_size_m"] = [round(each, 4) for each in metres]
    names = _sublayers(layer)
    if names:
        data["subdatasets"] = names[:_MOST_NAMES]
        data["subdataset_count"] = len(names)
    return data


def cell_metres(layer: QgsRasterLayer, project: QgsProject, grid: Grid) -> Optional[Tuple[float, float]]:
    """Width and height of the cell at the raster's centre, in metres on WGS 84; None without a CRS."""
    if not layer.crs().isValid():
        return None
    measure = QgsDistanceArea()
    measure.setSourceCrs(layer.crs(), project.transformContext())
    measure.setEllipsoid(ELLIPSOID)
    centre = layer.extent().center()
    sides = [
        (QgsPointXY(centre.x() - x / 2, centre.y() - y / 2), QgsPointXY(centre.x() + x / 2, centre.y() + y / 2))
        for x, y in (grid.along, grid.down)
    ]
    try:
        width, height = (float(measure.measureLine(one, two)) for one, two in sides)
    except QgsCsException:
        return None
    return width, height


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


class Read(NamedTuple):
    """By band its statistics and suspected nodata; the facts of the file, its grid where QGIS shows another, and notes."""

    bands: Dict[int, Tuple[BandStats, Optional[Suspect]]]
    file: Dict[str, Any]
    grid: Optional[Grid]
    notes: List[str]


class BandReader:
    """Reads the statistics of some bands and what the file says. Made on the main thread."""

    def __init__(self, layer: QgsRasterLayer, alias: str, bands: Sequence[int]) -> None:
        self._cells = CellReader(layer, alias)
        self._bands = list(bands)
        self._shown = shown_grid(layer)

    def read(self, feedback: QgsFeedback) -> Read:
        """On a worker thread. Bands that are only shown, and not the file's own, are left out."""
        cells = self._cells
        cells.open()
        bands = [each for each in self._bands if each <= cells.bands] or [require_band(self._bands[0], cells.bands)]
        size = cells.size(len(bands))
        found: Dict[int, Tuple[BandStats, Optional[Suspect]]] = {}
        for band in bands:
            stats = band_stats(cells, band, feedback, size)
            found[band] = stats, suspect(cells, band, feedback, stats, size)
        notes: List[str] = []
        if not all(stats.exact for stats, _ in found.values()):
            notes.append(translate("QgisAgent", "The numbers are from a sample of {} x {} cells.").format(*size))
        if cells.file is None:
            return Read(found, {}, self._shown, notes)
        return Read(found, cells.file.facts(bands), self._grid(notes), notes)

    def _grid(self, notes: List[str]) -> Optional[Grid]:
        """The file's own grid, and what is to be said where QGIS shows another."""
        cells, shown = self._cells, self._shown
        if shown is None or cells.file is None:
            return shown
        if cells.mask_band:
            notes.append(
                translate(
                    "QgisAgent", "Band {} of the layer is the file's mask; cells that it takes out are not read."
                ).format(cells.mask_band)
            )
        if not cells.resampled or cells.file.fit is None:
            return shown._replace(bands=cells.bands)
        notes.append(
            translate(
                "QgisAgent",
                "The file's grid is turned; QGIS draws it resampled to {} x {} cells. The numbers here are of the file's cells.",
            ).format(shown.columns, shown.rows)
        )
        fit = cells.file.fit
        return Grid(cells.columns, cells.rows, cells.bands, (fit[1], fit[4]), (fit[2], fit[5]))


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
