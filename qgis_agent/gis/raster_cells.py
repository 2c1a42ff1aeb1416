"""Reads the cells of a raster on a worker thread, through a copy of its provider made on the main thread.

Never by the provider's own statistics: these are estimates by default, leave a file beside the raster, and hold the main
thread. Cells come as the layer shows them: with the band's scale and offset, without the nodata value of the file and the
ranges that the person declared as nodata.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from osgeo import gdal
from qgis.core import Qgis, QgsFeedback, QgsRasterLayer, QgsRasterRange, QgsRectangle

from .errors import INVALID_PARAM, UNSUPPORTED, UPSTREAM_ERROR, ToolError
from .features import cancelled
from .i18n import translate
from .layers import clean_text

EXACT_CELLS = 64_000_000
"""Cells of one call that are read one by one, in a few seconds; larger rasters are sampled, and that is said."""
SAMPLE_CELLS = 1_000_000
_STRIP_CELLS = 2_000_000
_TILE_ROWS = 256
_TYPES = {
    Qgis.DataType.Byte: np.uint8,
    Qgis.DataType.UInt16: np.uint16,
    Qgis.DataType.Int16: np.int16,
    Qgis.DataType.UInt32: np.uint32,
    Qgis.DataType.Int32: np.int32,
    Qgis.DataType.Float32: np.float32,
    Qgis.DataType.Float64: np.float64,
}
if hasattr(Qgis.DataType, "Int8"):
    _TYPES[Qgis.DataType.Int8] = np.int8


class Strip(NamedTuple):
    """Rows of a band: ``values`` (rows, columns) as float64, and which of them are ``valid``; ``top`` is the first row."""

    values: Any
    valid: Any
    top: int


class CellReader:
    """The cells of one raster layer. Made on the main thread; used on one worker thread.

    UNSUPPORTED for layers that have no cells to read (services, pictures of a map).
    """

    def __init__(self, layer: QgsRasterLayer, name: str) -> None:
        if layer.providerType() != "gdal":
            raise ToolError(
                UNSUPPORTED,
                translate(
                    "QgisAgent", "'{}' comes from a service: it shows pictures, its cells cannot be read."
                ).format(name),
                hint=translate("QgisAgent", "Use a raster file, or export the part that is needed."),
                reason="no_cells",
            )
        self.provider = layer.dataProvider().clone()
        self.provider.enableProviderResampling(False)
        self.columns, self.rows = layer.width(), layer.height()
        self.extent = QgsRectangle(layer.extent())
        self.bands = layer.bandCount()
        self._excluded: Dict[int, List[QgsRasterRange]] = {
            band: list(self.provider.userNoDataValues(band)) for band in range(1, self.bands + 1)
        }

    def size(self, bands: int = 1) -> Tuple[int, int]:
        """Columns and rows that are read: all of them, or those of a sample when ``bands`` times that is too much."""
        if self.columns * self.rows * bands <= EXACT_CELLS:
            return self.columns, self.rows
        shrink = (SAMPLE_CELLS / (self.columns * self.rows)) ** 0.5
        return max(1, round(self.columns * shrink)), max(1, round(self.rows * shrink))

    def strips(self, band: int, feedback: QgsFeedback, size: Tuple[int, int]) -> Iterator[Strip]:
        """The band from top to bottom. UPSTREAM_ERROR when a part cannot be read, CANCELLED after Stop.

        ``size`` is (columns, rows); smaller than the raster's own, every n-th cell is taken.
        """
        gdal.SetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO")  # nothing may appear beside the file
        columns, rows = size
        height = max(_TILE_ROWS, _STRIP_CELLS // columns // _TILE_ROWS * _TILE_ROWS)
        cell = self.extent.height() / rows
        for top in range(0, rows, height):
            if feedback.isCanceled():
                raise cancelled()
            count = min(height, rows - top)
            box = QgsRectangle(self.extent)
            box.setYMaximum(self.extent.yMaximum() - top * cell)
            box.setYMinimum(self.extent.yMaximum() - (top + count) * cell)
            yield self._strip(band, box, columns, count, top)

    def is_excluded(self, band: int, value: float) -> bool:
        """Whether the person declared the value as nodata in the layer's properties."""
        return any(each.contains(value) for each in self._excluded[band])

    def _strip(self, band: int, box: QgsRectangle, columns: int, rows: int, top: int) -> Strip:
        block = self.provider.block(band, box, columns, rows)
        kind = _TYPES.get(block.dataType())
        if kind is None:
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "Band {} holds complex numbers, which have no order.").format(band),
                hint=translate("QgisAgent", "Use another band."),
                reason="data_type",
            )
        if not block.isValid():
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "The cells of band {} cannot be read: {}").format(
                    band, clean_text(block.error().summary(), 120)
                ),
                hint=translate("QgisAgent", "The file is damaged or cut off; look for a complete copy."),
                reason="unreadable",
            )
        values = np.frombuffer(block.data(), dtype=kind).reshape(rows, columns).astype(np.float64)
        valid = np.isfinite(values)
        if block.hasNoDataValue():
            valid &= values != block.noDataValue()
        for excluded in self._excluded[band]:
            valid &= ~_inside(values, excluded)
        return Strip(values, valid, top)


def _inside(values: Any, excluded: QgsRasterRange) -> Any:
    low = values > excluded.min() if _open_below(excluded) else values >= excluded.min()
    high = values < excluded.max() if _open_above(excluded) else values <= excluded.max()
    return (low | np.isnan(excluded.min())) & (high | np.isnan(excluded.max()))


def _open_below(excluded: QgsRasterRange) -> bool:
    kinds = QgsRasterRange.BoundsType
    return excluded.bounds() in (kinds.IncludeMax, kinds.Exclusive)


def _open_above(excluded: QgsRasterRange) -> bool:
    kinds = QgsRasterRange.BoundsType
    return excluded.bounds() in (kinds.IncludeMin, kinds.Exclusive)


def require_band(band: int, count: int) -> int:
    """The band's number. INVALID_PARAM naming those that there are."""
    if 1 <= band <= count:
        return band
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "There is no band {}: the raster has {}.").format(band, count),
        hint=translate("QgisAgent", "Give a band from 1 to {}.").format(count),
        reason="band",
    )


def neat(value: float) -> Optional[float]:
    """A cell's value as a person wrote it: a 32-bit 368.20001220703125 is 368.2. None for what JSON cannot hold."""
    if not np.isfinite(value):
        return None
    short = np.float32(value) if abs(value) < 3.4e38 else None
    if short is None or float(short) != value or value == int(value):
        return float(value)
    return float(str(short))


def valid_values(reader: CellReader, band: int, feedback: QgsFeedback, most: Optional[int] = None) -> Tuple[Any, bool]:
    """Valid values of a band, sorted, and whether they are all of them; else every n-th cell, ``most`` at the most."""
    size = reader.size()
    if most is not None and size[0] * size[1] > most:
        shrink = (most / (size[0] * size[1])) ** 0.5
        size = max(1, int(size[0] * shrink)), max(1, int(size[1] * shrink))
    parts = [strip.values[strip.valid] for strip in reader.strips(band, feedback, size)]
    values = np.sort(np.concatenate(parts)) if parts else np.empty(0)
    return values, size == (reader.columns, reader.rows)
