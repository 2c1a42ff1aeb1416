"""A raster file as it is, where QGIS shows a changed copy of it.

QGIS draws a file whose rows do not run from west to east (turned, or placed by ground control points) through a copy that
is resampled to an upright grid: with other cells, corners that lie outside of the file, and an alpha band that the file does
not have. It also shows a mask of the file as a band. Here such files are recognised and their own cells read. Everything
here runs on the worker thread that opened the file.
"""

from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from osgeo import gdal
from qgis.core import QgsProviderRegistry, QgsRasterLayer

from .gdal_calls import NO_SIDE_FILES, attempt, open_dataset, thread_options
from .layers import clean_text

_EDGE = 1e-6
"""Part of a cell by which a place may lie beyond the last cell and still belong to it: what projecting it there costs."""


class Cells(NamedTuple):
    """Cells (rows, columns) as float64, and which of them hold a value."""

    values: Any
    valid: Any


def source_path(layer: QgsRasterLayer) -> str:
    """What GDAL opens for the layer."""
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    path = "{}{}{}".format(parts.get("vsiPrefix") or "", parts.get("path") or "", parts.get("vsiSuffix") or "")
    return path if path and not parts.get("layerName") else layer.dataProvider().dataSourceUri()


def open_source(path: str) -> Any:
    """A read-only look of GDAL, without a file beside it; None when it cannot be opened."""
    with thread_options(NO_SIDE_FILES):
        return open_dataset(path, gdal.OF_RASTER)[0]


class RasterFile:
    """The bands and the grid of an open file. ``fit`` are GDAL's six numbers from cells to the coordinates of the CRS."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self.columns, self.rows, self.bands = source.RasterXSize, source.RasterYSize, source.RasterCount
        found = source.GetGeoTransform(can_return_null=True)
        points = source.GetGCPs() if found is None and source.GetGCPCount() else ()
        self.fit: Optional[Tuple[float, ...]] = attempt(gdal.GCPsToGeoTransform, points)[0] if points else found
        self.resampled = self.fit is not None and (bool(points) or bool(self.fit[2]) or bool(self.fit[4]))
        """Whether QGIS draws another grid than this one."""
        self._places: Any = None
        self.trouble = ""
        """GDAL's reason why cells could not be read."""

    @property
    def has_mask(self) -> bool:
        """Whether the file marks cells as absent by a mask of its own, which QGIS shows as one band more."""
        first = self._source.GetRasterBand(1) if self.bands else None
        return first is not None and first.GetMaskFlags() == gdal.GMF_PER_DATASET

    def read(
        self, band: int, window: Tuple[int, int, int, int], size: Tuple[int, int], nodata_used: bool
    ) -> Optional[Cells]:
        """The window (left, top, columns, rows) of the band in ``size`` (columns, rows); None when it cannot be read."""
        source = self._source.GetRasterBand(band)
        raw = self._numbers(source, window, size)
        if raw is None:
            return None
        valid = np.isfinite(raw)
        if nodata_used and source.GetNoDataValue() is not None:
            valid &= raw != source.GetNoDataValue()
        if self.has_mask:
            mask = self._numbers(source.GetMaskBand(), window, size)
            if mask is None:
                return None
            valid &= mask != 0
        scale, offset = source.GetScale(), source.GetOffset()
        values = raw * (1.0 if scale is None else scale) + (0.0 if offset is None else offset)
        return Cells(values, valid)

    def _numbers(self, band: Any, window: Tuple[int, int, int, int], size: Tuple[int, int]) -> Any:
        data, reason = attempt(band.ReadRaster, *window, size[0], size[1], buf_type=gdal.GDT_Float64)
        if data is None:
            self.trouble = reason
            return None
        return np.frombuffer(data, dtype=np.float64).reshape(size[1], size[0]).copy()

    def is_complex(self, band: int) -> bool:
        """Whether the band holds complex numbers."""
        return bool(gdal.DataTypeIsComplex(self._source.GetRasterBand(band).DataType))

    def cell_at(self, x: float, y: float) -> Optional[Tuple[int, int]]:
        """Column and row of the cell at a place in the file's CRS; None outside. The far edges belong to the last cells."""
        if self._places is None:
            self._places = attempt(gdal.Transformer, self._source, None, [])[0]
        found, reason = attempt(self._places.TransformPoint, 1, x, y) if self._places is not None else (None, "")
        if found is None or reason or not found[0]:
            return None
        column, row, _ = found[1]
        at = within(column, self.columns), within(row, self.rows)
        return None if at[0] is None or at[1] is None else (at[0], at[1])

    def facts(self, bands: Sequence[int]) -> Dict[str, Any]:
        """Driver, compression, pyramids and the bands' units and stored types."""
        source = self._source
        found: Dict[str, Any] = {"driver": source.GetDriver().ShortName}
        found["compression"] = source.GetMetadata("IMAGE_STRUCTURE").get("COMPRESSION", "none")
        first = source.GetRasterBand(1) if self.bands else None
        if first is not None:
            found["pyramids"] = [
                [first.GetOverview(number).XSize, first.GetOverview(number).YSize]
                for number in range(min(first.GetOverviewCount(), 8))
            ]
        there = {band: source.GetRasterBand(band) for band in bands if band <= self.bands}
        found["units"] = {
            band: clean_text(each.GetUnitType(), 20) for band, each in there.items() if each.GetUnitType()
        }
        found["types"] = {band: gdal.GetDataTypeName(each.DataType) for band, each in there.items()}
        return found


def within(place: float, count: int) -> Optional[int]:
    """The number of the cell, of ``count``, that holds a place counted in cells; None outside."""
    if not -_EDGE <= place <= count + _EDGE:
        return None
    return min(max(math.floor(place), 0), count - 1)
