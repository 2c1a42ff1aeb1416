"""What the provider's joins have in common: two inputs, fields of the second one, a prefix, and rows written in order."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import (
    Qgis,
    QgsFeatureRequest,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterString,
)

from ..gis.analysis.inputs.names import free_name
from ..gis.analysis.joins.relate import Side
from ..gis.errors import ToolError
from ..gis.features import read_features
from ..gis.i18n import translate
from .tags import Tagged

FACTS = ("ROWS_IN", "ROWS_OUT", "MATCHED", "UNMATCHED", "MULTIPLE", "PAIRS", "JOIN_USED")
"""Numbers that each join gives: features of the input and of the result; of the input with a partner, without one, and with
several; pairs; features of the second layer that are anybody's partner."""


class Row(NamedTuple):
    """One row to write for a feature: its partner's id (None for none), more values, and a geometry instead of its own."""

    partner: Optional[int]
    more: Sequence[Any] = ()
    geometry: Optional[QgsGeometry] = None


class JoinAlgorithm(Tagged, QgsProcessingAlgorithm):
    """Rows of INPUT in their order, with fields of JOIN behind them."""

    INPUT, JOIN, FIELDS, PREFIX, DISCARD, OUTPUT = "INPUT", "JOIN", "FIELDS", "PREFIX", "DISCARD_NONMATCHING", "OUTPUT"
    INPUT_KIND = QgsProcessing.SourceType.TypeVectorAnyGeometry

    def __init__(self) -> None:
        super().__init__()
        self._input: Any = None
        self._join: Any = None
        self._same = False
        self.whole = False
        self._transforms: Any = None

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Vector")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "vector"

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Inputs, what the subclass adds, fields, prefix and the result."""
        kind = [self.INPUT_KIND]
        self.addParameter(QgsProcessingParameterFeatureSource(self.INPUT, translate("QgisAgent", "Input layer"), kind))
        self.addParameter(QgsProcessingParameterFeatureSource(self.JOIN, translate("QgisAgent", "Layer to join"), kind))
        self.add_more()
        field = QgsProcessingParameterField(
            self.FIELDS,
            translate("QgisAgent", "Fields to add (empty: none)"),
            None,
            self.JOIN,
            allowMultiple=True,
            optional=True,
        )
        self.addParameter(field)
        prefix = QgsProcessingParameterString(
            self.PREFIX, translate("QgisAgent", "Prefix of the added fields"), "", False, True
        )
        self.addParameter(prefix)
        discard = translate("QgisAgent", "Leave out features without a partner")
        self.addParameter(QgsProcessingParameterBoolean(self.DISCARD, discard, False))
        self.addParameter(
            QgsProcessingParameterFeatureSink(
                self.OUTPUT, translate("QgisAgent", "Joined"), QgsProcessing.SourceType.TypeVector
            )
        )
        for each, said in zip(FACTS, _facts()):
            self.addOutput(QgsProcessingOutputNumber(each, said))

    def add_more(self) -> None:
        """Parameters of the subclass."""

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """Take both sources, on the main thread. QgsProcessingException where one cannot be read."""
        self._input = self.parameterAsSource(parameters, self.INPUT, context)
        self._join = self.parameterAsSource(parameters, self.JOIN, context)
        if self._input is None or self._join is None:
            raise QgsProcessingException(translate("QgisAgent", "An input layer cannot be read."))
        one, two = (self.parameterAsVectorLayer(parameters, each, context) for each in (self.INPUT, self.JOIN))
        self._same = one is not None and two is not None and one.id() == two.id()
        self.whole = not any(
            isinstance(parameters.get(each), QgsProcessingFeatureSourceDefinition) for each in (self.INPUT, self.JOIN)
        )
        self._transforms = context.transformContext()
        return True

    def sides(self) -> tuple[Side, Side]:
        """Both sources as the comparisons take them."""
        return (
            Side(self._input, self._input.sourceCrs(), self._transforms),
            Side(self._join, self._join.sourceCrs(), self._transforms),
        )

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Find the partners and write the rows. QgsProcessingException says why it cannot be done."""
        try:
            return self.join(parameters, context, feedback)
        except ToolError as error:
            if feedback.isCanceled():
                return {}
            raise QgsProcessingException(str(error)) from None

    def join(
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """The map of results. Subclasses find the rows and call ``write``."""
        raise QgsProcessingException(self.id())

    def chosen(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> List[str]:
        """The fields of JOIN that are wanted, in the order they were given."""
        return list(self.parameterAsStrings(parameters, self.FIELDS, context))

    def write(
        self,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        feedback: QgsProcessingFeedback,
        partners: Dict[int, List[int]],
        rows: Dict[int, List[Row]],
        *,
        more: Sequence[QgsField] = (),
        names: Optional[Sequence[str]] = None,
        nothing: Row = Row(None),  # noqa: B008  a tuple
        wkb_type: Optional[Qgis.WkbType] = None,
    ) -> Dict[str, Any]:
        """Write each feature of INPUT once for each of its rows: its fields, the partner's ``names``, and ``more``.

        ``partners`` are all that were found, for the numbers; ``nothing`` is the row of a feature without any.
        QgsProcessingException where the result does not take a row.
        """
        names = self.chosen(parameters, context) if names is None else names
        prefix = self.parameterAsString(parameters, self.PREFIX, context)
        discard = self.parameterAsBoolean(parameters, self.DISCARD, context)
        fields = joined_fields(self._input.fields(), self._join.fields(), names, prefix, more)
        values = self._values(rows, names, feedback)
        kind = self._input.wkbType() if wkb_type is None else wkb_type
        sink, ident = self.parameterAsSink(parameters, self.OUTPUT, context, fields, kind, self._input.sourceCrs())
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        add = fields.count() - self._input.fields().count()
        empty = [None] * len(names)
        rows_in = rows_out = matched = 0
        for feature in read_features(self._input, QgsFeatureRequest(), feedback):
            rows_in += 1
            found = feature.id() in partners
            matched += found
            if discard and not found:
                continue
            own = feature.attributes()
            for row in rows.get(feature.id()) or (nothing,):
                joined = [*(empty if row.partner is None else values[row.partner]), *row.more]
                feature.setAttributes([*own, *joined, *([None] * (add - len(joined)))])
                if row.geometry is not None:
                    feature.setGeometry(row.geometry)
                if not sink.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
                    raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
                rows_out += 1
        sink.flushBuffer()
        counts = (
            rows_in,
            rows_out,
            matched,
            rows_in - matched,
            sum(len(each) > 1 for each in partners.values()),
            sum(map(len, partners.values())),
            len({other for each in partners.values() for other in each}),
        )
        return {self.OUTPUT: ident, **dict(zip(FACTS, counts))}

    def _values(
        self, rows: Dict[int, List[Row]], names: Sequence[str], feedback: QgsProcessingFeedback
    ) -> Dict[int, List[Any]]:
        """The wanted values of each partner."""
        wanted = {row.partner for each in rows.values() for row in each if row.partner is not None}
        if not names:
            return {each: [] for each in wanted}
        positions = [self._join.fields().lookupField(each) for each in names]
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry).setSubsetOfAttributes(positions)
        return {
            each.id(): [each[position] for position in positions]
            for each in read_features(self._join, request, feedback)
            if each.id() in wanted
        }


def joined_fields(
    first: QgsFields, second: QgsFields, names: Sequence[str], prefix: str, more: Sequence[QgsField] = ()
) -> QgsFields:
    """The fields of a join. A name that is taken gets a number: name_2."""
    fields = QgsFields(first)
    taken = {each.name().casefold() for each in fields}
    added = [QgsField(second.field(each)) for each in names]
    for each, start in [*((one, prefix) for one in added), *((QgsField(one), "") for one in more)]:
        each.setName(free_name(start + each.name(), taken))
        fields.append(each)
    return fields


def _facts() -> Tuple[str, ...]:
    """FACTS in words."""
    return (
        translate("QgisAgent", "Features of the input"),
        translate("QgisAgent", "Features of the result"),
        translate("QgisAgent", "Features with a partner"),
        translate("QgisAgent", "Features without a partner"),
        translate("QgisAgent", "Features with several partners"),
        translate("QgisAgent", "Pairs"),
        translate("QgisAgent", "Features of the layer to join that were used"),
    )
