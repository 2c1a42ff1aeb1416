"""``qgisagent:hotspots``: Getis-Ord Gi*, where high values lie among high ones and low among low ones."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np
from qgis.core import (
    QgsField,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingParameterBoolean,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.i18n import translate
from .autocorrelation import false_discovery, gi_star, two_sided
from .sampling import stopper
from .statistics_base import NeighbourAlgorithm, plain, write_rows

LEVELS = (0.10, 0.05, 0.01)
"""Two-sided p of the classes 1, 2 and 3: 90, 95 and 99 % confidence."""


class HotSpotsAlgorithm(NeighbourAlgorithm):
    """Gi* of a number field. Fields of the result: gi_z, gi_p (two-sided), gi_class (-3 … 3), gi_nbrs."""

    CORRECT = "CORRECT"
    HOT, COLD = "HOT", "COLD"

    def createInstance(self) -> HotSpotsAlgorithm:  # noqa: N802
        """Qt's factory."""
        return HotSpotsAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "hotspots"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Hot spots (Getis-Ord Gi*)")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Finds clusters of high values (hot spots) and of low values (cold spots) of a number field: Gi* by Ord "
            "and Getis (1995), each feature with its neighbours, weights 1. Distances are metres on the WGS 84 "
            "ellipsoid, of lines and polygons between centroids. Fields: gi_z (standard deviations), gi_p "
            "(two-sided), gi_class (3, 2, 1: hot with 99, 95, 90 % confidence; -3, -2, -1: cold; 0: neither), gi_nbrs"
            " (number of neighbours). NULL: no value or no neighbour.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Layer, field, neighbours, correction for many tests, and the outputs."""
        self.add_common()
        said = translate("QgisAgent", "Correct the classes for many tests (false discovery rate)")
        self.addParameter(QgsProcessingParameterBoolean(self.CORRECT, said, False))
        self.add_outputs(translate("QgisAgent", "Hot spots"), QgsProcessing.SourceType.TypeVectorAnyGeometry)
        hot = translate("QgisAgent", "Hot spots (95 % or more)")
        cold = translate("QgisAgent", "Cold spots (95 % or more)")
        self.add_numbers([(self.HOT, hot), (self.COLD, cold)])

    def compute(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See StatisticsAlgorithm."""
        source, found, left_out = self.sample(parameters, context, feedback)
        check = stopper(feedback)
        feedback.setProgress(20)
        neighbours = self.neighbours(parameters, context, feedback, found.lonlat)
        facts = self.facts(found, left_out, neighbours, feedback)
        feedback.setProgress(60)
        z = gi_star(found.values, neighbours, check)
        full = int((np.isnan(z) & (neighbours.counts > 0)).sum())
        if full:
            feedback.pushWarning(
                translate(
                    "QgisAgent",
                    "{} features have all others as neighbours: Gi* has no value there. Use fewer neighbours.",
                ).format(full)
            )
        p = two_sided(z, check)
        corrected = self.parameterAsBoolean(parameters, self.CORRECT, context)
        classes = classes_of(z, false_discovery(p) if corrected else p)
        columns = (
            (QgsField("gi_z", QMetaType.Type.Double), plain(z)),
            (QgsField("gi_p", QMetaType.Type.Double), plain(p)),
            (
                QgsField("gi_class", QMetaType.Type.Int),
                [None if each is None else int(each) for each in plain(classes)],
            ),
            (QgsField("gi_nbrs", QMetaType.Type.Int), plain(neighbours.counts)),
        )
        destination = write_rows(self, parameters, context, feedback, source, columns, found.ids)
        method = translate("QgisAgent", "Gi* by Ord and Getis (1995), weights 1, itself included; {}").format(
            facts[self.METHOD]
        )
        counted = {self.HOT: int(np.nansum(classes >= 2)), self.COLD: int(np.nansum(classes <= -2))}
        return {self.OUTPUT: destination, **facts, **counted, self.METHOD: method}


def classes_of(z: Any, p: Any) -> Any:
    """-3 … 3 by the sign of z and the level of p; NaN where there is no z."""
    with np.errstate(invalid="ignore"):
        steps = sum((p <= level).astype(float) for level in LEVELS)
    return np.where(np.isnan(z), np.nan, np.sign(z) * steps)
