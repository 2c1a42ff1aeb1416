"""``qgisagent:curvature``: profile, plan and total curvature of a surface, from the nine cells around each cell."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
from qgis.core import (
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterEnum,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterDestination,
)

from ..gis.i18n import translate
from .raster_base import RasterAlgorithm, close, created, strips, write
from .statistics_base import Number

KINDS = ("profile", "plan", "total")
_STRIP_CELLS = 500_000


class CurvatureAlgorithm(RasterAlgorithm):
    """Curvature by the polynomial of Zevenbergen and Thorne (1987), in 1/m, with the signs that ArcGIS has."""

    KIND, Z_FACTOR = "KIND", "Z_FACTOR"
    VALID, FLAT = "VALID_CELLS", "FLAT_CELLS"

    def createInstance(self) -> CurvatureAlgorithm:  # noqa: N802
        """Qt's factory."""
        return CurvatureAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "curvature"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Curvature (profile, plan, total)")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Curvature of a surface in 1/m by L. W. Zevenbergen and C. R. Thorne, Quantitative analysis of land "
            "surface topography (1987). Total: -2 (D + E), above 0 where the surface is convex. Profile, down the "
            "slope: below 0 where it is convex. Plan, across the slope: above 0 where it is convex. ArcGIS gives the "
            "same numbers times 100. Cells are measured in metres on the ground, also in degrees; heights are in "
            "metres times the factor. Profile and plan are 0 where it is flat. Cells at the border and beside cells "
            "without a value have none.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Raster, kind, factor of the heights, and the result."""
        self.add_raster(translate("QgisAgent", "Heights"))
        said = translate("QgisAgent", "Curvature")
        self.addParameter(QgsProcessingParameterEnum(self.KIND, said, _kind_texts(), False, 2))
        said = translate("QgisAgent", "Factor that makes heights metres (feet: 0.3048)")
        self.addParameter(QgsProcessingParameterNumber(self.Z_FACTOR, said, Number.Double, 1.0, False, 1e-6, 1e6))
        self.addParameter(QgsProcessingParameterRasterDestination(self.OUTPUT, translate("QgisAgent", "Curvature")))
        self.addOutput(QgsProcessingOutputNumber(self.VALID, translate("QgisAgent", "Cells with a value")))
        self.addOutput(QgsProcessingOutputNumber(self.FLAT, translate("QgisAgent", "Flat cells")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Strip by strip. QgsProcessingException when something cannot be read or written, or the raster is too small."""
        reader, grid = self.opened()
        if grid.columns < 3 or grid.rows < 3:
            raise QgsProcessingException(translate("QgisAgent", "The raster has fewer than 3 × 3 cells."))
        metres = self.metres(feedback)
        band = self.parameterAsInt(parameters, self.BAND, context)
        kind = KINDS[self.parameterAsEnum(parameters, self.KIND, context)]
        factor = self.parameterAsDouble(parameters, self.Z_FACTOR, context)
        path = self.parameterAsOutputLayer(parameters, self.OUTPUT, context)
        target = created(path, grid)
        valid = flat = 0
        for strip in strips(reader, band, grid, 1, max(1, _STRIP_CELLS // grid.columns), feedback):
            rows = slice(strip.top, strip.top + strip.rows)
            found, level = curvature(strip.values * factor, metres.width[rows, None], metres.height[rows, None], kind)
            valid += int(np.isfinite(found).sum())
            flat += int(level.sum())
            write(target, strip.top, found)
        if feedback.isCanceled():
            return {}
        close(target)
        if not valid:
            raise QgsProcessingException(
                translate("QgisAgent", "No cell has eight neighbours with a value, so there is no curvature.")
            )
        if flat and kind != "total":
            feedback.pushInfo(
                translate("QgisAgent", "{} cells are flat: profile and plan curvature are 0 there.").format(flat)
            )
        return {self.OUTPUT: path, self.VALID: valid, self.FLAT: flat}


def curvature(heights: Any, width: Any, height: Any, kind: str) -> Any:
    """Curvature (1/m) of the cells inside a rim of one, NaN where one of the nine has no value; and which of them are flat.

    ``width`` and ``height`` of the cells in metres. D, E, F, G and H are those of the paper.
    """
    middle = heights[1:-1, 1:-1]
    north, south = heights[:-2, 1:-1], heights[2:, 1:-1]
    west, east = heights[1:-1, :-2], heights[1:-1, 2:]
    d = ((west + east) / 2 - middle) / width**2
    e = ((north + south) / 2 - middle) / height**2
    f = (-heights[:-2, :-2] + heights[:-2, 2:] + heights[2:, :-2] - heights[2:, 2:]) / (4 * width * height)
    g, h = (east - west) / (2 * width), (north - south) / (2 * height)
    known = np.isfinite(d + e + f)
    steep = g**2 + h**2
    flat = known & (steep == 0)
    if kind == "total":
        return np.where(known, -2 * (d + e), np.nan), flat
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "profile":
            found = 2 * (d * g**2 + e * h**2 + f * g * h) / steep
        else:
            found = -2 * (d * h**2 + e * g**2 - f * g * h) / steep
    return np.where(known, np.where(steep == 0, 0.0, found), np.nan), flat


def _kind_texts() -> List[str]:
    """The kinds in words, in the order of KINDS."""
    return [translate("QgisAgent", "profile"), translate("QgisAgent", "plan"), translate("QgisAgent", "total")]
