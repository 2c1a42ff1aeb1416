"""``qgisagent:globalmoran`` and ``qgisagent:localmoran``: whether near features have similar values, and where."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingParameterNumber,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.i18n import translate
from .autocorrelation import Global, local_moran, moran
from .sampling import require_enough, stopper
from .statistics_base import NeighbourAlgorithm, Number, plain, write_rows

SEED = 20_240_601
"""The same draws each time, so that a result can be repeated."""
NAMES = {1: "HH", 2: "LH", 3: "LL", 4: "HL"}
_FEWEST_GLOBAL = 4
"""The variance of I under randomisation divides by (n - 1)(n - 2)(n - 3)."""


class _MoranAlgorithm(NeighbourAlgorithm):
    """What both have in common: permutations with a seed."""

    PERMUTATIONS, SEED = "PERMUTATIONS", "SEED"

    def add_permutations(self, least: int) -> None:
        """Number of permutations, and the seed."""
        said = translate("QgisAgent", "Permutations")
        self.addParameter(
            QgsProcessingParameterNumber(self.PERMUTATIONS, said, Number.Integer, 999, False, least, 99_999)
        )
        said = translate("QgisAgent", "Seed of the permutations")
        seed = QgsProcessingParameterNumber(self.SEED, said, Number.Integer, SEED, False, 0, 2_147_483_647)
        seed.setFlags(seed.flags() | Qgis.ProcessingParameterFlag.Advanced)
        self.addParameter(seed)

    def draws(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> Tuple[int, int]:
        """Number of permutations and seed."""
        number, seed = (self.parameterAsInt(parameters, each, context) for each in (self.PERMUTATIONS, self.SEED))
        return number, seed


class GlobalMoranAlgorithm(_MoranAlgorithm):
    """One number for the whole layer. The result is a table of one row, and the same numbers as outputs."""

    I, EXPECTED, VARIANCE, Z, P, P_PERMUTED = "I", "EXPECTED", "VARIANCE", "Z", "P", "P_PERMUTED"  # noqa: E741

    def createInstance(self) -> GlobalMoranAlgorithm:  # noqa: N802
        """Qt's factory."""
        return GlobalMoranAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "globalmoran"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Spatial autocorrelation (global Moran's I)")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Says whether near features have similar values (I above its expectation) or unlike ones (below): Moran's"
            " I with row-standardised weights; z and two-sided p under randomisation (Cliff and Ord 1981), and a "
            "one-sided pseudo p of permutations. Distances are metres on the WGS 84 ellipsoid, of lines and polygons "
            "between centroids. The result is a table of one row.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Layer, field, neighbours, permutations, and the outputs."""
        self.add_common()
        self.add_permutations(0)
        self.add_outputs(translate("QgisAgent", "Moran's I"), QgsProcessing.SourceType.TypeVector)
        said = (
            (self.I, translate("QgisAgent", "Moran's I")),
            (self.EXPECTED, translate("QgisAgent", "Expectation of I")),
            (self.VARIANCE, translate("QgisAgent", "Variance of I under randomisation")),
            (self.Z, "z"),
            (self.P, translate("QgisAgent", "p (two-sided)")),
            (self.P_PERMUTED, translate("QgisAgent", "pseudo p of the permutations (one-sided)")),
        )
        self.add_numbers(said)

    def compute(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See StatisticsAlgorithm."""
        _, found, left_out = self.sample(parameters, context, feedback)
        require_enough(len(found.ids), _FEWEST_GLOBAL)
        neighbours = self.neighbours(parameters, context, feedback, found.lonlat)
        facts = self.facts(found, left_out, neighbours, feedback)
        permutations, seed = self.draws(parameters, context)
        result = moran(found.values, neighbours, permutations, seed, _counting(feedback, permutations, neighbours))
        method = translate(
            "QgisAgent", "Moran's I, row-standardised weights, z under randomisation (Cliff and Ord 1981); {}"
        ).format(facts[self.METHOD])
        numbers = self._numbers(result)
        field = self.parameterAsString(parameters, self.FIELD, context)
        destination = self._table(parameters, context, field, {**facts, **numbers})
        return {self.OUTPUT: destination, **facts, **numbers, self.METHOD: method}

    def _numbers(self, result: Global) -> Dict[str, Any]:
        names = (self.I, self.EXPECTED, self.VARIANCE, self.Z, self.P, self.P_PERMUTED)
        return {name: None if math.isnan(value) else value for name, value in zip(names, result)}

    def _table(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, field: str, facts: Dict[str, Any]
    ) -> str:
        """One row: field, I, expected, variance, z, p, p_perm, n, alone, distance_m, mean_nbrs."""
        values: List[Any] = [field, *(facts[each] for each in (self.I, self.EXPECTED, self.VARIANCE, self.Z, self.P))]
        values += [
            facts[each] for each in (self.P_PERMUTED, self.USED, self.ALONE, self.DISTANCE_USED, self.MEAN_NEIGHBOURS)
        ]
        fields = QgsFields()
        fields.append(QgsField("field", QMetaType.Type.QString))
        for name in ("moran_i", "expected", "variance", "z", "p", "p_perm"):
            fields.append(QgsField(name, QMetaType.Type.Double))
        for name in ("n", "alone"):
            fields.append(QgsField(name, QMetaType.Type.LongLong))
        for name in ("distance_m", "mean_nbrs"):
            fields.append(QgsField(name, QMetaType.Type.Double))
        sink, destination = self.parameterAsSink(
            parameters, self.OUTPUT, context, fields, Qgis.WkbType.NoGeometry, QgsCoordinateReferenceSystem()
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        row = QgsFeature(fields)
        row.setAttributes(values)
        if not sink.addFeature(row, QgsFeatureSink.Flag.FastInsert):
            raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
        return str(destination)


class LocalMoranAlgorithm(_MoranAlgorithm):
    """Local Moran's I (LISA). Fields of the result: lm_i, lm_z, lm_p, lm_quad, lm_type, lm_nbrs."""

    LEVEL = "LEVEL"

    def createInstance(self) -> LocalMoranAlgorithm:  # noqa: N802
        """Qt's factory."""
        return LocalMoranAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "localmoran"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Clusters and outliers (local Moran's I, LISA)")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Finds clusters and outliers of a number field: local Moran's I (Anselin 1995), row-standardised weights."
            " Distances are metres on the WGS 84 ellipsoid, of lines and polygons between centroids. Fields: lm_i; "
            "lm_z by its exact conditional moments (Sokal et al. 1998); lm_p, one-sided pseudo p of conditional "
            "permutations; lm_quad (1 high among high, 2 low among high, 3 low among low, 4 high among low); lm_type "
            "(HH, LH, LL, HL, or ns for not significant); lm_nbrs. NULL: no value or no neighbour.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Layer, field, neighbours, permutations, level of significance, and the outputs."""
        self.add_common()
        self.add_permutations(99)
        said = translate("QgisAgent", "Level of significance (p)")
        self.addParameter(QgsProcessingParameterNumber(self.LEVEL, said, Number.Double, 0.05, False, 0.0001, 0.5))
        self.add_outputs(
            translate("QgisAgent", "Clusters and outliers"), QgsProcessing.SourceType.TypeVectorAnyGeometry
        )
        said_of = translate("QgisAgent", "Features of the type {}")
        self.add_numbers([(each, said_of.format(each)) for each in NAMES.values()])

    def compute(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See StatisticsAlgorithm."""
        source, found, left_out = self.sample(parameters, context, feedback)
        feedback.setProgress(20)
        neighbours = self.neighbours(parameters, context, feedback, found.lonlat)
        facts = self.facts(found, left_out, neighbours, feedback)
        feedback.setProgress(50)
        permutations, seed = self.draws(parameters, context)
        result = local_moran(found.values, neighbours, permutations, seed, stopper(feedback))
        level = self.parameterAsDouble(parameters, self.LEVEL, context)
        types = _types(result.quadrant, result.p, level)
        columns = (
            (QgsField("lm_i", QMetaType.Type.Double), plain(result.moran)),
            (QgsField("lm_z", QMetaType.Type.Double), plain(result.z)),
            (QgsField("lm_p", QMetaType.Type.Double), plain(result.p)),
            (QgsField("lm_quad", QMetaType.Type.Int), [each or None for each in result.quadrant.tolist()]),
            (QgsField("lm_type", QMetaType.Type.QString), types),
            (QgsField("lm_nbrs", QMetaType.Type.Int), plain(neighbours.counts)),
        )
        destination = write_rows(self, parameters, context, feedback, source, columns, found.ids)
        method = translate(
            "QgisAgent", "local Moran's I (Anselin 1995), row-standardised weights, {} conditional permutations; {}"
        ).format(permutations, facts[self.METHOD])
        counted = {each: types.count(each) for each in NAMES.values()}
        return {self.OUTPUT: destination, **facts, **counted, self.METHOD: method}


def _types(quadrants: Any, p: Any, level: float) -> List[Any]:
    """HH, LH, LL, HL; ns where p is above the level; None without neighbours."""
    significant = np.nan_to_num(p, nan=1.0) <= level
    pairs = zip(quadrants.tolist(), significant.tolist())
    return [(NAMES[quadrant] if sure else "ns") if quadrant else None for quadrant, sure in pairs]


def _counting(feedback: QgsProcessingFeedback, permutations: int, neighbours: Any) -> Any:
    """A check that also moves the progress: it is called so many times for each permutation."""
    check = stopper(feedback)
    expected = max(1, (permutations + 1) * (1 + len(neighbours.parts())))
    called = [0]

    def counted() -> None:
        check()
        called[0] += 1
        feedback.setProgress(20 + 75.0 * min(1.0, called[0] / expected))

    return counted
