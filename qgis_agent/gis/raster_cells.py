"""Reads the cells of a raster on a worker thread, through a copy of its provider made on the main thread.

Never by the provider's own statistics: these are estimates by default, leave a file beside the raster, and hold the main
thread. Cells come as the layer shows them: with the band's scale and offset, without the nodata value of the file, the
ranges that the person declared as nodata and the cells that a mask of the file takes out. Where QGIS shows a resampled copy
of the file (``raster_file``), they are the file's own.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import Qgis, QgsFeedback, QgsPointXY, QgsRasterLayer, QgsRasterRange, QgsRectangle

from .errors import INVALID_PARAM, UNSUPPORTED, UPSTREAM_ERROR, ToolError
from .gdal_calls import NO_SIDE_FILES, thread_options
from .i18n import translate
from .layers import clean_text
from .raster_file import Cells, RasterFile, open_source, source_path, within
from .work import cancelled

EXACT_CELLS = 64_000_000
"""Cells of one call that are read one by one, in a few seconds; larger rasters are sampled, and that is said."""
SAMPLE_CELLS = 1_000_000
_STRIP_CELLS = 2_000_000
_TILE_ROWS = 256
_MOST_CELLS = 8_000_000
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

    ``columns``, ``rows`` and ``bands`` are the layer's, and the file's once it is open and QGIS shows others. UNSUPPORTED
    for layers that have no cells to read (services, pictures of a map).
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
        self.file: Optional[RasterFile] = None
        """What GDAL has, once it is open; None when it cannot be opened."""
        self.mask_band = 0
        """The layer's band that is no band of the file but its mask; 0 for none."""
        self._path = source_path(layer)
        self._opened = False
        every = range(1, self.bands + 1)
        self._nodata_used = {band: bool(self.provider.useSourceNoDataValue(band)) for band in every}
        self._excluded: Dict[int, List[QgsRasterRange]] = {
            band: list(self.provider.userNoDataValues(band)) for band in every
        }

    @property
    def resampled(self) -> bool:
        """Whether QGIS draws the file on another grid than its own. Known once it is open."""
        return self.file is not None and self.file.resampled

    def open(self) -> None:
        """Look at the file, on the worker thread that reads the cells. More than once does nothing."""
        if self._opened:
            return
        self._opened = True
        source = open_source(self._path)
        if source is None or not source.RasterCount:
            return
        self.file = RasterFile(source)
        if self.file.has_mask and self.bands == self.file.bands + 1:
            self.mask_band = self.bands
        if self.file.resampled:
            self.columns, self.rows = self.file.columns, self.file.rows
        if self.file.resampled or self.mask_band:
            self.bands = self.file.bands

    def size(self, bands: int = 1, exact: Optional[int] = None) -> Tuple[int, int]:
        """Columns and rows to be read: all, or those of a sample when ``bands`` times that is more than ``exact`` cells."""
        self.open()
        if self.columns * self.rows * bands <= (EXACT_CELLS if exact is None else exact):
            return self.columns, self.rows
        shrink = (SAMPLE_CELLS / (self.columns * self.rows)) ** 0.5
        return max(1, round(self.columns * shrink)), max(1, round(self.rows * shrink))

    def strips(self, band: int, feedback: QgsFeedback, size: Tuple[int, int]) -> Iterator[Strip]:
        """The band from top to bottom. UPSTREAM_ERROR when a part cannot be read, CANCELLED after Stop.

        ``size`` is (columns, rows); smaller than the raster's own, every n-th cell is taken. INVALID_PARAM for a band that
        the layer shows and the file does not have.
        """
        self.open()
        require_band(band, self.bands)
        columns, rows = size
        height = max(_TILE_ROWS, _STRIP_CELLS // columns // _TILE_ROWS * _TILE_ROWS)
        height = max(1, min(height, _MOST_CELLS // columns))  # a very wide raster would else fill the memory
        for top in range(0, rows, height):
            if feedback.isCanceled():
                raise cancelled()
            count = min(height, rows - top)
            found = self._of_file(band, size, top, count) if self.resampled else self._shown(band, size, top, count)
            for excluded in self._excluded[band]:
                found = Cells(found.values, found.valid & ~_inside(found.values, excluded))
            yield Strip(found.values, found.valid, top)

    def window(self, band: int, left: int, top: int, columns: int, rows: int) -> Cells:
        """A part of the band, cell by cell, on a worker thread. UPSTREAM_ERROR when it cannot be read."""
        self.open()
        if self.resampled:
            found = self._read(
                band, self.file.read(band, (left, top, columns, rows), (columns, rows), self._nodata_used[band])
            )
        else:
            width, height = self.extent.width() / self.columns, self.extent.height() / self.rows
            west, north = self.extent.xMinimum() + left * width, self.extent.yMaximum() - top * height
            box = QgsRectangle(west, north - rows * height, west + columns * width, north)
            found = self._block(band, box, (columns, rows))
        for excluded in self._excluded[band]:
            found = Cells(found.values, found.valid & ~_inside(found.values, excluded))
        return found

    def is_excluded(self, band: int, value: float) -> bool:
        """Whether the person declared the value as nodata in the layer's properties."""
        return any(each.contains(value) for each in self._excluded[band])

    def value_at(self, place: QgsPointXY, band: int) -> Tuple[Optional[float], str]:
        """The value of the cell at a place in the layer's CRS; else None and "outside" or "nodata". On a worker thread.

        Places on the eastern and southern edge belong to the last cells. UPSTREAM_ERROR when the cell cannot be read.
        """
        self.open()
        require_band(band, self.bands)
        at = self._cell_at(place)
        if at is None:
            return None, "outside"
        if not self.resampled and not self.mask_band:  # the quick way, where it finds one
            with thread_options(NO_SIDE_FILES):
                quick, found_one = self.provider.sample(self._box(*at).center(), band)
            if found_one and math.isfinite(quick) and not self.is_excluded(band, quick):
                return float(quick), ""
        found = self._cell(band, *at)
        value = float(found.values[0, 0])
        if not found.valid[0, 0] or self.is_excluded(band, value):
            return None, "nodata"
        return value, ""

    def _cell_at(self, place: QgsPointXY) -> Optional[Tuple[int, int]]:
        if self.resampled and self.file is not None:
            return self.file.cell_at(place.x(), place.y())
        column = within((place.x() - self.extent.xMinimum()) / self.extent.width() * self.columns, self.columns)
        row = within((self.extent.yMaximum() - place.y()) / self.extent.height() * self.rows, self.rows)
        return None if column is None or row is None else (column, row)

    def _cell(self, band: int, column: int, row: int) -> Cells:
        if self.resampled and self.file is not None:
            return self._read(band, self.file.read(band, (column, row, 1, 1), (1, 1), self._nodata_used[band]))
        return self._block(band, self._box(column, row), (1, 1))

    def _box(self, column: int, row: int) -> QgsRectangle:
        """Of one cell as the layer shows it."""
        width, height = self.extent.width() / self.columns, self.extent.height() / self.rows
        left, top = self.extent.xMinimum() + column * width, self.extent.yMaximum() - row * height
        return QgsRectangle(left, top - height, left + width, top)

    def _of_file(self, band: int, size: Tuple[int, int], top: int, count: int) -> Cells:
        """Rows of a file that QGIS draws on another grid."""
        first, end = (each * self.rows // size[1] for each in (top, top + count))
        window = (0, first, self.columns, end - first)
        nodata_used = self._nodata_used[band]
        return self._read(band, self.file.read(band, window, (size[0], count), nodata_used) if self.file else None)

    def _read(self, band: int, found: Optional[Cells]) -> Cells:
        if self.file is not None and self.file.is_complex(band):
            raise _complex(band)
        if found is None:
            raise _unreadable(band, self.file.trouble if self.file is not None else "")
        return found

    def _shown(self, band: int, size: Tuple[int, int], top: int, count: int) -> Cells:
        """Rows of the layer as it is shown."""
        cell = self.extent.height() / size[1]
        box = QgsRectangle(self.extent)
        box.setYMaximum(self.extent.yMaximum() - top * cell)
        box.setYMinimum(self.extent.yMaximum() - (top + count) * cell)
        return self._block(band, box, (size[0], count))

    def _block(self, band: int, box: QgsRectangle, size: Tuple[int, int]) -> Cells:
        with thread_options(NO_SIDE_FILES):  # the provider opens the file when it is first read
            block = self.provider.block(band, box, *size)
        kind = _TYPES.get(block.dataType())
        if kind is None:
            raise _complex(band)
        if not block.isValid():
            raise _unreadable(band, block.error().summary())
        values = np.frombuffer(block.data(), dtype=kind).reshape(size[1], size[0]).astype(np.float64)
        valid = np.isfinite(values)
        if block.hasNoDataValue():
            valid &= values != block.noDataValue()
        if self.mask_band and band != self.mask_band:
            valid &= self._block(self.mask_band, box, size).values != 0
        return Cells(values, valid)


def _complex(band: int) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "Band {} holds complex numbers, which have no order.").format(band),
        hint=translate("QgisAgent", "Use another band."),
        reason="data_type",
    )


def _unreadable(band: int, why: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The cells of band {} cannot be read: {}").format(band, clean_text(why, 120)),
        hint=translate("QgisAgent", "The file is damaged or cut off; look for a complete copy."),
        reason="unreadable",
    )


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
