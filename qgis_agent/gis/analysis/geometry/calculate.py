"""A calculated field: the plan, and what its values are, looked at before and after the algorithm runs."""

from __future__ import annotations

import math
import zlib
from typing import Any, Dict, List, NamedTuple, Optional

from qgis.core import (
    Qgis,
    QgsDistanceArea,
    QgsExpression,
    QgsExpressionContext,
    QgsFeatureRequest,
    QgsFeedback,
    QgsField,
    QgsProject,
    QgsVariantUtils,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)
from qgis.PyQt.QtCore import QMetaType

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...features import (
    feature_source,
    json_value,
    read_features,
)
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from ..formulas.formula import formula_context
from ..inputs.preflight import (
    Survey,
    unit_remarks,
)
from ..run.catalog import ellipsoid_of
from ..run.plan import Plan
from ..run.steps import Builder

TYPES = {
    "integer": QMetaType.Type.LongLong,
    "number": QMetaType.Type.Double,
    "text": QMetaType.Type.QString,
    "date": QMetaType.Type.QDate,
    "datetime": QMetaType.Type.QDateTime,
    "boolean": QMetaType.Type.Bool,
}
"""Integers are 64 bits wide: QGIS drops features whose value does not fit the 32 bits of its own field calculator."""
LARGEST = 2**63
_VARYING = frozenset(["rand", "randf", "uuid", "now", "$now", "age"])
_PLANAR = frozenset(
    ["area", "length", "perimeter", "distance", "buffer", "hausdorff_distance", "simplify", "offset_curve"]
)


class Seen(NamedTuple):
    """What a formula gives: features, NULLs, NULLs although no field of the formula is NULL, values that were rounded, and a
    checksum of the values in order."""

    count: int
    nulls: int
    unexplained: int
    rounded: int
    checksum: int


class Values(NamedTuple):
    """What is in the calculated field: features, NULLs, least, greatest and sum of numbers, up to three values, checksum."""

    count: int
    nulls: int
    least: Optional[float]
    greatest: Optional[float]
    total: Optional[float]
    samples: List[Any]
    checksum: int


class FormulaReader:
    """Evaluates a checked formula for every feature. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, formula: str, kind: str, project: QgsProject) -> None:
        self.expression = QgsExpression(formula)
        self._field = QgsField("value", TYPES[kind])
        self._kind = kind
        self._source = feature_source(layer)
        self._context: QgsExpressionContext = formula_context(layer)
        self._measure = QgsDistanceArea()
        self._measure.setSourceCrs(layer.crs(), project.transformContext())
        self._measure.setEllipsoid(ellipsoid_of(project))
        self._positions = sorted(self.expression.referencedAttributeIndexes(layer.fields()))
        functions = set(self.expression.referencedFunctions()) | set(self.expression.referencedVariables())
        self.varies = bool(functions & (_VARYING | {"row_number"}))
        self.planar = bool(functions & _PLANAR) and self.expression.needsGeometry()

    def read(self, feedback: QgsFeedback) -> Seen:
        """On a worker thread. INVALID_PARAM when the formula fails for a feature, or gives what the type cannot hold."""
        self.expression.setGeomCalculator(self._measure)
        self.expression.setDistanceUnits(Qgis.DistanceUnit.Meters)
        self.expression.setAreaUnits(Qgis.AreaUnit.SquareMeters)
        self.expression.prepare(self._context)
        request = QgsFeatureRequest().setSubsetOfAttributes(self._positions)
        if not self.expression.needsGeometry():
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        count = nulls = unexplained = rounded = checksum = 0
        for feature in read_features(self._source, request, feedback):
            count += 1
            self._context.setFeature(feature)
            value = self.expression.evaluate(self._context)
            if self.expression.hasEvalError():
                raise _failed(feature.id(), self.expression.evalErrorString())
            if value is None or QgsVariantUtils.isNull(value):
                nulls += 1
                unexplained += not any(QgsVariantUtils.isNull(feature[at]) for at in self._positions)
                stored = None
            else:
                stored = self._stored(value, feature.id())
                rounded += self._kind == "integer" and isinstance(value, float) and value != math.floor(value)
            checksum = _checksum(stored, checksum)
        return Seen(count, nulls, unexplained, rounded, checksum)

    def _stored(self, value: Any, fid: int) -> Any:
        """The value as the field holds it."""
        number = isinstance(value, (int, float))
        if self._kind == "integer" and number and not -LARGEST <= value < LARGEST:
            raise _unfit(fid, value, self._kind, translate("QgisAgent", "Use the type number."))
        try:
            return self._field.convertCompatible(value)
        except ValueError:
            pass
        hint = translate(
            "QgisAgent", "Use the type text, or convert in the formula: to_int, to_real, to_date, inside try()."
        )
        raise _unfit(fid, value, self._kind, hint)


def _failed(fid: int, why: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The formula fails, first for feature {}: {}.").format(fid, clean_text(why, 200)),
        hint=translate("QgisAgent", 'Put try() around what can fail: try(to_int("a")) is NULL then.'),
        reason="formula",
    )


def _unfit(fid: int, value: Any, kind: str, hint: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The value {} of feature {} does not fit the type {}.").format(
            clean_text(str(json_value(value, 60)), 60), fid, kind
        ),
        hint=hint,
        reason="field_type",
    )


def _checksum(value: Any, before: int) -> int:
    return zlib.crc32(repr(json_value(value, 10_000)).encode("utf-8", "replace"), before)


def calculate_plan(layer: QgsVectorLayer, field: str, formula: str, kind: str) -> Plan:
    """All fields as they are, and the calculated one: in its place where the layer has it, else last."""
    mapping = [field_entry(each) for each in seen_fields(layer)]
    new = {"name": field, "type": int(TYPES[kind]), "sub_type": 0, "length": 0, "precision": 0, "expression": formula}
    position = seen_fields(layer).lookupField(field)
    if position >= 0:
        mapping[position] = {**new, "name": seen_fields(layer)[position].name()}
    else:
        mapping.append(new)
    builder = Builder("layer")
    builder.add("native:refactorfields", {"FIELDS_MAPPING": mapping})
    return builder.steps


def field_entry(field: QgsField, name: str = "") -> Dict[str, Any]:
    """An entry of FIELDS_MAPPING that keeps a field, under another name where one is given."""
    return {
        "name": name or field.name(),
        "type": int(field.type()),
        "sub_type": int(field.subType()),
        "length": field.length(),
        "precision": field.precision(),
        "expression": QgsExpression.quotedColumnRef(field.name()),
    }


def read_values(source: QgsVectorLayerFeatureSource, position: int, feedback: QgsFeedback) -> Values:
    """The values of the calculated field, on a worker thread."""
    request = QgsFeatureRequest().setSubsetOfAttributes([position]).setFlags(QgsFeatureRequest.Flag.NoGeometry)
    count = nulls = checksum = 0
    least = greatest = total = None
    samples: List[Any] = []
    for feature in read_features(source, request, feedback):
        count += 1
        value = json_value(feature[position], 10_000)
        checksum = _checksum(value, checksum)
        if value is None:
            nulls += 1
            continue
        if len(samples) < 3:
            samples.append(json_value(value, 60))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            least = value if least is None else min(least, value)
            greatest = value if greatest is None else max(greatest, value)
            total = value if total is None else total + value
    return Values(count, nulls, least, greatest, total, samples, checksum)


def notes_of(seen: Seen, formula_reader: FormulaReader, layer: QgsVectorLayer, survey: Survey) -> List[str]:
    """What must be known of the values."""
    found: List[str] = []
    if seen.nulls:
        found.append(
            translate("QgisAgent", "{} of {} values are NULL, {} of them although no field used is NULL (division by zero, "
                      "or a text that cannot be read).").format(seen.nulls, seen.count, seen.unexplained)
        )  # fmt: skip
    if seen.rounded:
        found.append(translate("QgisAgent", "{} values were rounded to whole numbers.").format(seen.rounded))
    if formula_reader.planar and layer.crs().isGeographic():
        found.append(
            translate("QgisAgent", "area(), length() and the like are in square degrees and degrees here; $area, $length "
                      "and $perimeter are in m² and metres.")
        )  # fmt: skip
    elif formula_reader.planar:
        units = unit_remarks(layer, survey)
        if units:
            text = translate(
                "QgisAgent", "area(), length() and the like are in units of the CRS; $area and $length are not."
            )
            found += [text, *units]
    return found


def require_values(seen: Seen) -> None:
    """INVALID_PARAM for a formula that gives NULL for every feature."""
    if seen.count and seen.nulls == seen.count:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The formula gives NULL for all {} features, so nothing was made.").format(
                seen.count
            ),
            hint=translate("QgisAgent", "Look at the values with query_features; fields are in double quotes."),
            reason="nothing_made",
        )
