"""``qgisagent:rastercalculate``: a formula over rasters on the grid of the first one, in 64-bit numbers, cell by cell.

QGIS's own calculator counts nothing, works in 32 bits of square cells, and says nothing of grids that differ.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterEnum,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterString,
)

from ..gis.analysis.raster.formula import (
    Formula,
    parse,
)
from ..gis.analysis.raster.grid import (
    OutputGrid,
    positions,
    union_grid,
)
from ..gis.errors import ToolError
from ..gis.i18n import translate
from ..gis.raster_cells import CellReader, require_band
from .raster_base import TYPES, close, created, write
from .tags import Tagged

_STRIP_CELLS = 1_000_000
_MOST_CELLS = 8_000_000
_TILE = 256
"""Rows of a tile of the result: a tile that is written in two parts is compressed twice, and the first is wasted."""


class _Input(NamedTuple):
    reader: CellReader
    band: int


class RasterCalculateAlgorithm(Tagged, QgsProcessingAlgorithm):
    """A formula over up to eight rasters of one CRS, called A, B, … in their order.

    The result has the cells of the first, extended to all of the inputs; others are read at the centres of these cells.
    """

    LAYERS, BANDS, FORMULA, TYPE, OUTPUT = "LAYERS", "BANDS", "FORMULA", "TYPE", "OUTPUT"
    VALID, OVERLAP, UNDEFINED = "VALID_CELLS", "OVERLAP_CELLS", "UNDEFINED_CELLS"

    def __init__(self) -> None:
        super().__init__()
        self._inputs: List[_Input] = []
        self._formula: Optional[Formula] = None
        self._grid: Optional[OutputGrid] = None

    def createInstance(self) -> RasterCalculateAlgorithm:  # noqa: N802
        """Qt's factory."""
        return RasterCalculateAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "rastercalculate"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Raster formula (counts its cells)")

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Raster")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "raster"

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "A formula over rasters of one CRS, which are A, B, … in their order. The result has the cells of the first; others are "
            "read at the centres of these. A cell has no value where an input has none, or where the formula has none.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Rasters, their bands, the formula, the type, and the numbers of cells as outputs."""
        self.addParameter(
            QgsProcessingParameterMultipleLayers(
                self.LAYERS, translate("QgisAgent", "Rasters (A, B, …)"), QgsProcessing.SourceType.TypeRaster
            )
        )
        self.addParameter(
            QgsProcessingParameterString(
                self.BANDS, translate("QgisAgent", "Their bands, separated by commas"), "1", False, True
            )
        )
        self.addParameter(QgsProcessingParameterString(self.FORMULA, translate("QgisAgent", "Formula")))
        self.addParameter(
            QgsProcessingParameterEnum(self.TYPE, translate("QgisAgent", "Type of the numbers"), list(TYPES), False, 0)
        )
        self.addParameter(QgsProcessingParameterRasterDestination(self.OUTPUT, translate("QgisAgent", "Calculated")))
        for name, words in (
            (self.VALID, translate("QgisAgent", "Cells with a value")),
            (self.OVERLAP, translate("QgisAgent", "Cells inside all rasters")),
            (self.UNDEFINED, translate("QgisAgent", "Cells where the formula has no value")),
        ):
            self.addOutput(QgsProcessingOutputNumber(name, words))

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """Readers, formula and grid, on the main thread. QgsProcessingException for what does not fit."""
        layers = self.parameterAsLayerList(parameters, self.LAYERS, context)
        bands = _numbers(self.parameterAsString(parameters, self.BANDS, context), len(layers))
        try:
            self._inputs = [_Input(CellReader(layer, layer.name()), band) for layer, band in zip(layers, bands)]
            for each in self._inputs:
                require_band(each.band, each.reader.bands)
            self._formula = parse(self.parameterAsString(parameters, self.FORMULA, context), len(layers))
            self._grid = union_grid(layers[0], [each.extent() for each in layers])
        except ToolError as error:
            raise QgsProcessingException(str(error)) from None
        if any(layer.crs() != layers[0].crs() for layer in layers):
            raise QgsProcessingException(translate("QgisAgent", "The rasters have different CRSs."))
        return True

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Calculate strip by strip. QgsProcessingException when something cannot be read or written."""
        path = self.parameterAsOutputLayer(parameters, self.OUTPUT, context)
        kind = list(TYPES)[self.parameterAsEnum(parameters, self.TYPE, context)]
        try:
            counts = self._calculate(path, kind, feedback)
        except ToolError as error:
            raise QgsProcessingException(str(error)) from None
        if feedback.isCanceled():
            return {}
        return {self.OUTPUT: path, self.VALID: counts[0], self.OVERLAP: counts[1], self.UNDEFINED: counts[2]}

    def _calculate(self, path: str, kind: str, feedback: QgsProcessingFeedback) -> List[int]:
        grid, formula = self._grid, self._formula
        if grid is None or formula is None:
            raise QgsProcessingException(translate("QgisAgent", "The algorithm was not prepared."))
        for each in self._inputs:
            each.reader.open()
            if each.reader.resampled:
                raise QgsProcessingException(translate("QgisAgent", "The grid of a raster is turned against its CRS."))
        target = created(path, grid, kind)
        counts = [0, 0, 0]
        height = self._rows_of_a_strip(grid)
        for top in range(0, grid.rows, height):
            if feedback.isCanceled():
                break
            rows = min(height, grid.rows - top)
            inside, valid, values = self._strip(grid, formula, top, rows)
            there = write(target, top, values, kind)
            counts = [
                counts[0] + int(there.sum()),
                counts[1] + int(inside.sum()),
                counts[2] + int((valid & ~there).sum()),
            ]
            feedback.setProgress(100.0 * (top + rows) / grid.rows)
        close(target)
        return counts

    def _rows_of_a_strip(self, grid: OutputGrid) -> int:
        """So many that neither the result nor an input with finer cells fills the memory; whole tiles where that is so."""
        widest = max(
            each.reader.columns * each.reader.rows * grid.height / each.reader.extent.height() for each in self._inputs
        )
        widest = max(grid.columns, widest)
        if widest * _TILE <= _MOST_CELLS:
            return int(max(_STRIP_CELLS // widest // _TILE, 1) * _TILE)
        return int(max(1, _STRIP_CELLS // widest))

    def _strip(self, grid: OutputGrid, formula: Formula, top: int, rows: int) -> Any:
        """Of some rows: the cells inside all rasters, those where all inputs have a value, and the formula's values."""
        inside = np.ones((rows, grid.columns), dtype=bool)
        valid = np.ones((rows, grid.columns), dtype=bool)
        values: Dict[str, Any] = {}
        for letter, each in zip("ABCDEFGH", self._inputs):
            found, covered = _read(each, grid, top, rows)
            inside &= covered
            valid &= np.isfinite(found)
            values[letter] = found
        calculated = np.broadcast_to(formula.evaluate(values), (rows, grid.columns))
        return inside, valid, np.where(valid, calculated, np.nan)


def _read(source: _Input, grid: OutputGrid, top: int, rows: int) -> Any:
    """An input at the centres of the output's cells (NaN without a value), and where the input lies."""
    reader = source.reader
    across = positions(
        grid.west, grid.width, range(grid.columns), reader.extent.xMinimum(), reader.extent.xMaximum(), reader.columns
    )
    down = positions(
        -grid.north,
        grid.height,
        range(top, top + rows),
        -reader.extent.yMaximum(),
        -reader.extent.yMinimum(),
        reader.rows,
    )
    covered = (down >= 0)[:, None] & (across >= 0)[None, :]
    found = np.full((rows, grid.columns), np.nan)
    if covered.any():
        columns, lines = across[across >= 0], down[down >= 0]
        left, first = int(columns.min()), int(lines.min())
        cells = reader.window(source.band, left, first, int(columns.max()) - left + 1, int(lines.max()) - first + 1)
        values = np.where(cells.valid, cells.values, np.nan)
        found[np.ix_(down >= 0, across >= 0)] = values[np.ix_(lines - first, columns - left)]
    return found, covered


def _numbers(text: str, count: int) -> List[int]:
    """Band numbers; one number stands for all."""
    parts = [each.strip() for each in text.split(",") if each.strip()] or ["1"]
    if not all(each.isdigit() for each in parts) or len(parts) not in (1, count):
        raise QgsProcessingException(translate("QgisAgent", "The bands are not one number for each raster."))
    return [int(each) for each in (parts * count if len(parts) == 1 else parts)]
