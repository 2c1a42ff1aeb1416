"""``qgisagent:focalstatistics``: a statistic of the cells around each cell."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np
from qgis.core import (
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterDestination,
)

from ..gis.i18n import translate
from .raster_base import RasterAlgorithm, close, created, strips, write
from .sampling import Stopped, stopper
from .statistics_base import Number
from .windows import SORTED, STATISTICS, focal

_STRIP_CELLS = 500_000
_MOST_RADIUS, _MOST_SORTED_RADIUS = 100, 15


class FocalStatisticsAlgorithm(RasterAlgorithm):
    """A new raster on the same cells. Windows are cut at the border of the raster."""

    STATISTIC, RADIUS, CIRCLE, FILL = "STATISTIC", "RADIUS", "SHAPE", "FILL"
    VALID = "VALID_CELLS"
    needs_metres = False

    def createInstance(self) -> FocalStatisticsAlgorithm:  # noqa: N802
        """Qt's factory."""
        return FocalStatisticsAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "focalstatistics"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Focal statistics (moving window)")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "A statistic of the cells around each cell, in a square or a circle whose radius is a number of cells (3 "
            "× 3 cells: radius 1). Cells without a value are left out, and windows are cut at the border. A circle "
            "holds the cells whose centre is not farther away than the radius. Standard deviation: of all cells of "
            "the window (n). Majority: the most frequent value, of several the smallest. Median and majority: radius "
            "15 at most.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Raster, statistic, window, and what is done with cells without a value."""
        self.add_raster(translate("QgisAgent", "Raster"))
        said = translate("QgisAgent", "Statistic")
        self.addParameter(QgsProcessingParameterEnum(self.STATISTIC, said, _statistic_texts(), False, 0))
        said = translate("QgisAgent", "Radius of the window (cells)")
        self.addParameter(QgsProcessingParameterNumber(self.RADIUS, said, Number.Integer, 1, False, 1, _MOST_RADIUS))
        shapes = [translate("QgisAgent", "Square"), translate("QgisAgent", "Circle")]
        said = translate("QgisAgent", "Shape of the window")
        self.addParameter(QgsProcessingParameterEnum(self.CIRCLE, said, shapes, False, 0))
        said = translate("QgisAgent", "Also give a value to cells that have none themselves")
        self.addParameter(QgsProcessingParameterBoolean(self.FILL, said, False))
        self.addParameter(
            QgsProcessingParameterRasterDestination(self.OUTPUT, translate("QgisAgent", "Focal statistics"))
        )
        self.addOutput(QgsProcessingOutputNumber(self.VALID, translate("QgisAgent", "Cells with a value")))

    def checkParameterValues(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> Tuple[bool, str]:  # noqa: N802
        """See RasterAlgorithm; median and majority have small windows only."""
        statistic = STATISTICS[self.parameterAsEnum(parameters, self.STATISTIC, context)]
        if statistic in SORTED and self.parameterAsInt(parameters, self.RADIUS, context) > _MOST_SORTED_RADIUS:
            return False, translate("QgisAgent", "For {} the radius is {} cells at most.").format(
                statistic, _MOST_SORTED_RADIUS
            )
        return super().checkParameterValues(parameters, context)

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Strip by strip. QgsProcessingException when something cannot be read or written."""
        reader, grid = self.opened()
        band = self.parameterAsInt(parameters, self.BAND, context)
        statistic = STATISTICS[self.parameterAsEnum(parameters, self.STATISTIC, context)]
        radius = self.parameterAsInt(parameters, self.RADIUS, context)
        circle = self.parameterAsEnum(parameters, self.CIRCLE, context) == 1
        fill = self.parameterAsBoolean(parameters, self.FILL, context)
        path = self.parameterAsOutputLayer(parameters, self.OUTPUT, context)
        target = created(path, grid)
        height = max(1, _STRIP_CELLS // grid.columns)
        valid = missing = 0
        try:
            for strip in strips(reader, band, grid, radius, height, feedback):
                found = focal(strip.values, radius, circle, statistic, stopper(feedback))
                inner = strip.values[radius:-radius, radius:-radius]
                missing += int(np.isnan(inner).sum())
                if not fill:
                    found = np.where(np.isnan(inner), np.nan, found)
                valid += int(np.isfinite(found).sum())
                write(target, strip.top, found)
        except Stopped:
            return {}
        if feedback.isCanceled():
            return {}
        close(target)
        if missing:
            feedback.pushInfo(translate("QgisAgent", "{} cells have no value; windows leave them out.").format(missing))
        return {self.OUTPUT: path, self.VALID: valid}


def _statistic_texts() -> List[str]:
    """The statistics in words, in the order of STATISTICS."""
    return [
        translate("QgisAgent", "mean"),
        translate("QgisAgent", "sum"),
        translate("QgisAgent", "min"),
        translate("QgisAgent", "max"),
        translate("QgisAgent", "range"),
        translate("QgisAgent", "std"),
        translate("QgisAgent", "median"),
        translate("QgisAgent", "majority"),
        translate("QgisAgent", "count"),
    ]
