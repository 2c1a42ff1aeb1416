"""``qgisagent:joinbyvalue``: joins a table by a key field, where QGIS's own join takes NULL for a key and 7 and "7" for two."""

from __future__ import annotations

from typing import Any, Dict, List

from qgis.core import (
    QgsFeatureRequest,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingParameterEnum,
    QgsProcessingParameterField,
)

from ..gis.analysis.joins.keys import (
    RULES,
    key_of,
)
from ..gis.analysis.joins.relate import (
    MOST_PAIRS,
    too_many,
)
from ..gis.features import read_features
from ..gis.i18n import translate
from .joining import JoinAlgorithm, Row


class JoinByValueAlgorithm(JoinAlgorithm):
    """Rows of the input with fields of the rows that have the same key."""

    FIELD, FIELD_2, RULE, METHOD = "FIELD", "FIELD_2", "RULE", "METHOD"
    INPUT_KIND = QgsProcessing.SourceType.TypeVector

    def createInstance(self) -> JoinByValueAlgorithm:  # noqa: N802
        """Qt's factory."""
        return JoinByValueAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "joinbyvalue"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Join by value, NULL never matches")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Adds fields of the rows that have the same key. NULL and empty text are no keys. Numbers and texts are compared as "
            "they are usually written; the rule says whether spaces, case and leading zeros count.",
        )

    def add_more(self) -> None:
        """Key fields, rule and method."""
        for key, parent, title in (
            (self.FIELD, self.INPUT, translate("QgisAgent", "Key field of the input")),
            (self.FIELD_2, self.JOIN, translate("QgisAgent", "Key field of the layer to join")),
        ):
            self.addParameter(QgsProcessingParameterField(key, title, None, parent))
        rule = translate("QgisAgent", "How keys are compared")
        self.addParameter(QgsProcessingParameterEnum(self.RULE, rule, list(RULES), False, "exact", False, True))
        method = translate("QgisAgent", "Method")
        self.addParameter(
            QgsProcessingParameterEnum(self.METHOD, method, ["one_to_many", "first"], False, "first", False, True)
        )

    def join(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """See JoinAlgorithm."""
        rule = self.parameterAsEnumString(parameters, self.RULE, context)
        fields = [self.parameterAsString(parameters, each, context) for each in (self.FIELD, self.FIELD_2)]
        theirs: Dict[Any, List[int]] = {}
        for ident, key in self._keys(self._join, fields[1], rule, feedback):
            theirs.setdefault(key, []).append(ident)
        for each in theirs.values():
            each.sort()
        partners: Dict[int, List[int]] = {}
        pairs = 0
        for ident, key in self._keys(self._input, fields[0], rule, feedback):
            if key in theirs:
                partners[ident] = theirs[key]
                pairs += len(theirs[key])
            if pairs > MOST_PAIRS:
                raise too_many()
        first = self.parameterAsEnumString(parameters, self.METHOD, context) == "first"
        rows = {ident: [Row(each) for each in (found[:1] if first else found)] for ident, found in partners.items()}
        return self.write(parameters, context, feedback, partners, rows)

    def _keys(self, source: Any, field: str, rule: str, feedback: QgsProcessingFeedback) -> Any:
        position = source.fields().lookupField(field)
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry).setSubsetOfAttributes([position])
        for feature in read_features(source, request, feedback):
            key = key_of(feature[position], rule)
            if key is not None:
                yield feature.id(), key
