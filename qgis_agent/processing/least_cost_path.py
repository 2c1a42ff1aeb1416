"""``qgisagent:leastcostpath``: the cheapest way between two places over a raster of costs, and the accumulated costs."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsPointXY,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterPoint,
    QgsProcessingParameterRasterDestination,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.analysis.raster.grid import OutputGrid
from ..gis.i18n import translate
from .cost_distance import Cell, CostGrid
from .raster_base import Metres, RasterAlgorithm, close, created, strips, write
from .sampling import Stopped

_STRIP_CELLS = 1_000_000
_MOST_CELLS = 25_000_000
"""All cells are in memory at once, with 18 bytes each and as much again on the way."""


class LeastCostPathAlgorithm(RasterAlgorithm):
    """One line with the fields cost, length_m and cells; where it is wanted, a raster of accumulated costs."""

    START, END, ACCUMULATED = "START", "END", "ACCUMULATED"
    COST, LENGTH, CELLS = "COST", "LENGTH_M", "CELLS"
    most_cells = _MOST_CELLS

    def __init__(self) -> None:
        super().__init__()
        self._crs = QgsCoordinateReferenceSystem()

    def createInstance(self) -> LeastCostPathAlgorithm:  # noqa: N802
        """Qt's factory."""
        return LeastCostPathAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "leastcostpath"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Least-cost path over a raster")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "The way from start to end with the least accumulated cost (E. W. Dijkstra 1959). The raster holds the "
            "cost of one metre; from a cell one goes to its eight neighbours, for the mean cost of both times the "
            "metres between their centres (√2 across). Cells without a value are barriers. Fields: cost, length_m "
            "(metres), cells. The line goes through the centres of cells. The raster of accumulated costs from the "
            "start is made where it is wanted.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Raster of costs, both places, and the outputs."""
        self.add_raster(translate("QgisAgent", "Cost of one metre"))
        self.addParameter(QgsProcessingParameterPoint(self.START, translate("QgisAgent", "Start")))
        self.addParameter(QgsProcessingParameterPoint(self.END, translate("QgisAgent", "End")))
        lines = QgsProcessing.SourceType.TypeVectorLine
        said = translate("QgisAgent", "Least-cost path")
        self.addParameter(QgsProcessingParameterFeatureSink(self.OUTPUT, said, lines))
        said = translate("QgisAgent", "Accumulated cost")
        self.addParameter(QgsProcessingParameterRasterDestination(self.ACCUMULATED, said, None, True, False))
        self.addOutput(QgsProcessingOutputNumber(self.COST, translate("QgisAgent", "Accumulated cost of the way")))
        self.addOutput(QgsProcessingOutputNumber(self.LENGTH, translate("QgisAgent", "Length (metres)")))
        self.addOutput(QgsProcessingOutputNumber(self.CELLS, translate("QgisAgent", "Cells of the way")))

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """See RasterAlgorithm; the CRS is kept."""
        good = super().prepareAlgorithm(parameters, context, feedback)
        self._crs = self.parameterAsRasterLayer(parameters, self.INPUT, context).crs()
        return good

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """QgsProcessingException for places outside or on barriers, negative costs, and where there is no way."""
        _, grid = self.opened()
        metres = self.metres(feedback)
        places = [self.parameterAsPoint(parameters, each, context, self._crs) for each in (self.START, self.END)]
        start, end = (_cell(grid, each) for each in places)
        path = self.parameterAsOutputLayer(parameters, self.ACCUMULATED, context)
        try:
            costs = self._costs(self.parameterAsInt(parameters, self.BAND, context), feedback)
            found = CostGrid(costs, metres.width, metres.height)
            del costs
            for cell, said in ((start, translate("QgisAgent", "start")), (end, translate("QgisAgent", "end"))):
                if not np.isfinite(found.cost(cell)):
                    raise QgsProcessingException(
                        translate("QgisAgent", "The {} lies on a cell without a value, which is a barrier.").format(
                            said
                        )
                    )
            found.spread(start, None if path else end, _progress(feedback))
        except Stopped:
            return {}
        way = found.path(end)
        if not way:
            raise QgsProcessingException(
                translate("QgisAgent", "There is no way from start to end: cells without a value lie between them.")
            )
        if path:
            self._accumulated(path, grid, found, feedback)
        total = float(found.totals()[end])
        length = _length(way, metres)
        destination = self._line(parameters, context, grid, way, (total, length))
        result = {self.OUTPUT: destination, self.COST: total, self.LENGTH: length, self.CELLS: len(way)}
        return {**result, self.ACCUMULATED: path} if path else result

    def _costs(self, band: int, feedback: QgsProcessingFeedback) -> Any:
        """All cells. QgsProcessingException for negative costs."""
        reader, grid = self.opened()
        costs = np.empty((grid.rows, grid.columns))
        for strip in strips(reader, band, grid, 0, max(1, _STRIP_CELLS // grid.columns), feedback):
            costs[strip.top : strip.top + strip.rows] = strip.values
            if (strip.values < 0).any():
                raise QgsProcessingException(
                    translate("QgisAgent", "A cost is negative ({:.6g}); costs must be 0 or more.").format(
                        float(np.nanmin(strip.values))
                    )
                )
        if feedback.isCanceled():
            raise Stopped
        return costs

    def _accumulated(self, path: str, grid: OutputGrid, found: CostGrid, feedback: QgsProcessingFeedback) -> None:
        target = created(path, grid)
        height = max(1, _STRIP_CELLS // grid.columns)
        totals = found.totals()
        for top in range(0, grid.rows, height):
            write(target, top, totals[top : top + height])
        close(target)
        unreached = int(np.isinf(totals).sum())
        if unreached:
            feedback.pushInfo(translate("QgisAgent", "{} cells cannot be reached from the start.").format(unreached))

    def _line(
        self,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        grid: OutputGrid,
        way: List[Cell],
        numbers: Tuple[float, float],
    ) -> str:
        fields = QgsFields()
        for name, kind in (("cost", "Double"), ("length_m", "Double"), ("cells", "LongLong")):
            fields.append(QgsField(name, getattr(QMetaType.Type, kind)))
        sink, destination = self.parameterAsSink(
            parameters, self.OUTPUT, context, fields, Qgis.WkbType.LineString, self._crs
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        corners = way if len(way) > 1 else way * 2  # start and end in one cell: a line of no length
        places = [
            QgsPointXY(grid.west + (column + 0.5) * grid.width, grid.north - (row + 0.5) * grid.height)
            for row, column in corners
        ]
        feature = QgsFeature(fields)
        feature.setGeometry(QgsGeometry.fromPolylineXY(places))
        feature.setAttributes([*numbers, len(way)])
        if not sink.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
            raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
        return str(destination)


def _cell(grid: OutputGrid, place: QgsPointXY) -> Cell:
    """(row, column) of a place in the raster's CRS. QgsProcessingException outside of the raster."""
    column = int(np.floor((place.x() - grid.west) / grid.width))
    row = int(np.floor((grid.north - place.y()) / grid.height))
    if not (0 <= column < grid.columns and 0 <= row < grid.rows):
        raise QgsProcessingException(
            translate("QgisAgent", "The place {:.8g}, {:.8g} (in the raster's CRS) lies outside of the raster.").format(
                place.x(), place.y()
            )
        )
    return row, column


def _length(way: List[Cell], metres: Metres) -> float:
    """Metres along the centres of the cells."""
    cells = np.array(way)
    rows, steps = cells[:, 0], np.abs(np.diff(cells, axis=0))
    width = (metres.width[rows[1:]] + metres.width[rows[:-1]]) / 2
    height = (metres.height[rows[1:]] + metres.height[rows[:-1]]) / 2
    return float(np.sqrt((width * steps[:, 1]) ** 2 + (height * steps[:, 0]) ** 2).sum())


def _progress(feedback: QgsProcessingFeedback) -> Callable[[float], None]:
    """A check that moves the progress, a percent at a time."""
    told = [0.0]

    def check(share: float) -> None:
        if feedback.isCanceled():
            raise Stopped
        if share - told[0] >= 0.01:
            told[0] = share
            feedback.setProgress(100.0 * share)

    return check
