"""Groups of features: the plan that dissolves or tabulates them, and an own reading that the result must agree with."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from qgis.core import Qgis, QgsExpression, QgsFeatureRequest, QgsFeedback, QgsField, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType

from ...conditions import require_field
from ...errors import (
    INVALID_PARAM,
    ToolError,
    hint_for_name,
)
from ...features import (
    feature_source,
    json_value,
    read_features,
    told_apart,
)
from ...i18n import translate
from ...layers import field_type
from ...scope import seen_fields
from ..checks.verify import broken
from ..inputs.names import free_name
from ..inputs.preflight import (
    Survey,
    ground_measure,
)
from ..run.messages import text_of_qgis
from ..run.plan import (
    Plan,
    Ref,
)
from ..run.steps import (
    Builder,
    bulky,
)
from .overlay import planar_size

COUNT = "count"
_AGGREGATES = {
    "sum": "sum",
    "mean": "mean",
    "median": "median",
    "min": "minimum",
    "max": "maximum",
    "count": "count",
    "count_distinct": "count_distinct",
    "concatenate": "concatenate_unique",
}
"""Our names, and those of native:aggregate."""
_NUMBERS_ONLY = ("sum", "mean", "median")
_ORDERED = ("min", "max")
_INTEGER, _DOUBLE, _TEXT = (
    int(each.value) if hasattr(each, "value") else int(each)
    for each in (QMetaType.Type.LongLong, QMetaType.Type.Double, QMetaType.Type.QString)
)
SEPARATOR = ", "
_HELPER = "{} values"
"""Column with the number of values of a sum, on the way."""
TOLERANCE = 1e-9
_EXACT = 2**53
"""Up to here each whole number is a floating-point number, too."""


class Aggregated(NamedTuple):
    """One aggregate, and the name of its column."""

    field: str
    function: str
    column: str


class Grouping(NamedTuple):
    """Group fields, the name of the column with the number of features, and aggregates."""

    fields: List[str]
    count: str
    aggregates: List[Aggregated]

    @property
    def columns(self) -> List[str]:
        """The columns of the result, in order."""
        return [*self.fields, self.count, *(each.column for each in self.aggregates)]


class Read(NamedTuple):
    """What an own reading of the features found: {group: features}, {field: features without a value}, {field: sum} of
    number fields, {field: (least, greatest)} of fields with values."""

    groups: Dict[Tuple[Any, ...], int]
    nulls: Dict[str, int]
    sums: Dict[str, float]
    limits: Dict[str, Tuple[Any, Any]]

    @property
    def count(self) -> int:
        """All features."""
        return sum(self.groups.values())


class Table(NamedTuple):
    """The result's rows, by column name; and for areas or lines their sizes in CRS units and on the ellipsoid."""

    rows: List[Dict[str, Any]]
    planar: float
    ground: float


def grouping_of(layer: QgsVectorLayer, fields: Sequence[str], aggregates: Sequence[Mapping[str, str]]) -> Grouping:
    """Check the fields. NOT_FOUND for one that does not exist, INVALID_PARAM where a function does not fit the field."""
    groups = list(dict.fromkeys(require_field(layer, each).name() for each in fields))
    taken = {each.casefold() for each in groups}
    count = free_name(COUNT, taken)
    found: List[Aggregated] = []
    for field_name, function in dict.fromkeys((each["field"], each["function"]) for each in aggregates):
        field = require_field(layer, field_name, ("integer", "number"))
        _require_fit(layer, field, function)
        found.append(Aggregated(field.name(), function, free_name("{}_{}".format(field.name(), function), taken)))
    return Grouping(groups, count, found)


def _require_fit(layer: QgsVectorLayer, field: QgsField, function: str) -> None:
    kind = field_type(field)
    kinds = ("integer", "number") if function in _NUMBERS_ONLY else ("integer", "number", "date", "text")
    if function not in _NUMBERS_ONLY + _ORDERED:
        kinds += ("boolean",)
    if kind in kinds:
        return
    fitting = [each.name() for each in seen_fields(layer) if field_type(each) in kinds]
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} does not fit the field '{}' ({}).").format(function, field.name(), kind),
        hint=translate("QgisAgent", "Fields that fit: {}. Numbers that are text: make a number field first.").format(
            ", ".join(fitting[:12]) or "-"
        ),
        reason="field_type",
    )


def group_plan(
    layer: QgsVectorLayer,
    grouping: Grouping,
    expression: str,
    survey: Optional[Survey] = None,
    separate: bool = False,
    order: Tuple[str, bool] = ("", False),
) -> Tuple[Plan, Ref]:
    """The plan and its prepared input. With ``survey`` geometries are merged, without one the result is a table.

    ``order`` is a column and whether it falls; the group fields settle what is equal, and "" is them alone.
    """
    builder = Builder("layer")
    if survey is not None:
        builder.prepare(survey, expression)
        if bulky(layer, survey.usable):
            builder.keep_in_files()
    else:
        if expression:
            builder.add("native:extractbyexpression", {"EXPRESSION": expression})
        if layer.isSpatial():
            builder.add("native:dropgeometries", {})
    prepared = builder.last
    parameters = {"GROUP_BY": _group_by(grouping.fields), "AGGREGATES": _columns(layer, grouping)}
    builder.add("native:aggregate", parameters, key="aggregated")
    _empty_sums(builder, grouping)
    builder.steps[-1] = builder.steps[-1]._replace(key="grouped")
    builder.last = Ref("grouped")
    if separate:
        builder.add("native:multiparttosingleparts", {}, key="parts")
    if survey is None:
        for field in reversed(grouping.fields):  # sorting is stable: the most important one comes last
            builder.add("native:orderbyexpression", _ordered(field, False))
        if order[0]:
            builder.add("native:orderbyexpression", _ordered(*order), key="sorted")
    return builder.steps, prepared


def require_column(grouping: Grouping, column: str) -> str:
    """The column of this name, "" for "". NOT_FOUND with the nearest names where there is none."""
    if not column or column in grouping.columns:
        return column
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The table has no column '{}'.").format(column),
        hint=hint_for_name(column, grouping.columns, "order_by"),
        reason="order_by",
    )


class GroupReader:
    """Reads the prepared features once, without QGIS's aggregates. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, grouping: Grouping) -> None:
        self._source = feature_source(layer)
        fields = layer.fields()
        self._groups = [fields.lookupField(each) for each in grouping.fields]
        self._values = {each.field: fields.lookupField(each.field) for each in grouping.aggregates}
        self._numbers = {
            name for name, position in self._values.items() if field_type(fields[position]) in ("integer", "number")
        }

    def read(self, feedback: QgsFeedback) -> Read:
        """On a worker thread."""
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes(list({*self._groups, *self._values.values()}))
        groups: Dict[Tuple[Any, ...], int] = {}
        nulls = dict.fromkeys(self._values, 0)
        values: Dict[str, List[Any]] = {each: [] for each in self._values}
        for feature in read_features(self._source, request, feedback):
            key = tuple(_plain(feature[each]) for each in self._groups)
            groups[key] = groups.get(key, 0) + 1
            for name, position in self._values.items():
                value = _plain(feature[position])
                if value is None:
                    nulls[name] += 1
                elif name in self._numbers:
                    values[name].append(value)
        sums = {each: math.fsum(values[each]) for each in self._numbers}
        limits = {each: (min(values[each]), max(values[each])) for each in self._numbers if values[each]}
        return Read(groups, nulls, sums, limits)


class TableReader:
    """Reads the rows of a result. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, grouping: Grouping) -> None:
        self._source = feature_source(layer)
        self._columns = [(each, layer.fields().lookupField(each)) for each in grouping.columns]
        self._kind = layer.geometryType() if layer.isSpatial() else None
        self._ground = ground_measure(layer.crs())

    def read(self, feedback: QgsFeedback) -> Table:
        """On a worker thread. Each row of areas has area_km2, of lines length_km, on the ellipsoid."""
        areas = self._kind == Qgis.GeometryType.Polygon
        measured = areas or self._kind == Qgis.GeometryType.Line
        rows: List[Dict[str, Any]] = []
        planar: List[float] = []
        ground: List[float] = []
        for feature in read_features(self._source, QgsFeatureRequest(), feedback):
            row = {name: json_value(feature[position], 120) for name, position in self._columns}
            if measured:
                geometry = feature.geometry()
                planar.append(planar_size(geometry))
                size = self._ground.measureArea(geometry) if areas else self._ground.measureLength(geometry)
                known = math.isfinite(size)  # not over a pole, in degrees
                ground.append(size if known else 0.0)
                row["area_km2" if areas else "length_km"] = round(size / (1e6 if areas else 1e3), 6) if known else None
            rows.append(row)
        return Table(rows, math.fsum(planar), math.fsum(ground))


def check_groups(grouping: Grouping, read: Read, rows: Sequence[Mapping[str, Any]]) -> None:
    """The result must have the groups, and its numbers must add up to those of the features. UPSTREAM_ERROR if not."""
    if len(rows) != len(read.groups):
        raise broken(translate("QgisAgent", "{} groups instead of {}").format(len(rows), len(read.groups)))
    counted = sum(row[grouping.count] or 0 for row in rows)
    if counted != read.count:
        raise broken(translate("QgisAgent", "the groups hold {} features instead of {}").format(counted, read.count))
    for each in grouping.aggregates:
        values = [row[each.column] for row in rows if row[each.column] is not None]
        _check_aggregate(each, values, read)


def _check_aggregate(each: Aggregated, values: Sequence[Any], read: Read) -> None:
    expected: Any = None
    found: Any = None
    if each.function == "count":
        expected, found = read.count - read.nulls[each.field], sum(values)
    elif each.function == "sum":
        expected, found = read.sums[each.field], math.fsum(values)
    elif each.function in _ORDERED and each.field in read.limits and values:
        least, greatest = read.limits[each.field]
        expected, found = (least, min(values)) if each.function == "min" else (greatest, max(values))
    if expected is None or math.isclose(expected, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
        return
    raise broken(translate("QgisAgent", "{} gives {} instead of {}").format(each.column, found, expected))


def check_merged(before: float, after: float) -> float:
    """Merging cannot make areas or lines larger; gives what was counted twice before, as a share. UPSTREAM_ERROR if it did."""
    if after > before * (1 + 1e-6):
        raise broken(
            translate("QgisAgent", "merged, the features have the size {:.8g} instead of at most {:.8g}").format(
                after, before
            )
        )
    share = 1 - after / before if before > 0 else 0.0
    return share if share > 1e-6 else 0.0


def nulls_said(read: Read) -> List[str]:
    """That values are missing, so that nobody takes a mean for that of all features."""
    return [
        translate("QgisAgent", "{} of {} features have no value in '{}'; its aggregates leave them out.").format(
            count, read.count, field
        )
        for field, count in read.nulls.items()
        if count
    ]


def rounded_said(grouping: Grouping, read: Read) -> List[str]:
    """That QGIS computes in floating-point numbers, where whole numbers are so large that their last digits are lost."""
    found = [
        each.column
        for each in grouping.aggregates
        if each.function in (*_NUMBERS_ONLY, *_ORDERED)
        and max(abs(read.sums.get(each.field, 0)), *map(abs, read.limits.get(each.field, (0, 0)))) > _EXACT
        and isinstance(read.limits.get(each.field, (0.0,))[0], int)
    ]
    text = translate("QgisAgent", "Whole numbers above 9007199254740992 are not exact to the last digit in: {}.")
    return [text.format(", ".join(found))] if found else []


def without_own(warnings: Sequence[str]) -> List[str]:
    """Without QGIS's word that a column of the plan's own is written over: that is how an empty sum becomes NULL."""
    start, _, end = text_of_qgis("QObject", "Field name %1 already exists and will be replaced").partition("%1")
    return [each for each in warnings if not (each.startswith(start) and each.endswith(end))]


def _plain(value: Any) -> Any:
    return told_apart(value) if isinstance(value, (int, float, str)) else _comparable(json_value(value, 10_000))


def _comparable(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _group_by(fields: Sequence[str]) -> str:
    quoted = [QgsExpression.quotedColumnRef(each) for each in fields]
    if not quoted:
        return "NULL"
    return quoted[0] if len(quoted) == 1 else "array({})".format(", ".join(quoted))


def _columns(layer: QgsVectorLayer, grouping: Grouping) -> List[Dict[str, Any]]:
    columns = [
        _column(name, "first_value", layer.fields().field(name).type(), QgsExpression.quotedColumnRef(name))
        for name in grouping.fields
    ]
    columns.append(_column(grouping.count, "count", _INTEGER, "1"))
    for each in grouping.aggregates:
        field = layer.fields().field(each.field)
        kind: Any = field.type()
        if each.function == "concatenate":
            kind = _TEXT
        elif each.function.startswith("count"):
            kind = _INTEGER
        elif each.function in _NUMBERS_ONLY:
            kind = _INTEGER if each.function == "sum" and field_type(field) == "integer" else _DOUBLE
        quoted = QgsExpression.quotedColumnRef(each.field)
        if each.function == "concatenate" and field_type(field) != "text":
            quoted = "to_string({})".format(quoted)
        columns.append(_column(each.column, _AGGREGATES[each.function], kind, quoted))
        if each.function == "sum":
            columns.append(_column(_HELPER.format(each.column), "count", _INTEGER, quoted))
    return columns


def _empty_sums(builder: Builder, grouping: Grouping) -> None:
    """QGIS's sum of nothing but NULL is 0, where there is no value: it becomes NULL, as in SQL."""
    summed = [each.column for each in grouping.aggregates if each.function == "sum"]
    for column in summed:
        value, count = (QgsExpression.quotedColumnRef(each) for each in (column, _HELPER.format(column)))
        formula = "if({} > 0, {}, NULL)".format(count, value)
        builder.add("native:fieldcalculator", {"FIELD_NAME": column, "FORMULA": formula})
    if summed:
        builder.add("native:deletecolumn", {"COLUMN": [_HELPER.format(each) for each in summed]})


def _column(name: str, aggregate: str, kind: Any, source: str) -> Dict[str, Any]:
    number = int(kind.value) if hasattr(kind, "value") else int(kind)
    return {
        "name": name,
        "type": number,
        "length": 0,
        "precision": 0,
        "input": source,
        "aggregate": aggregate,
        "delimiter": SEPARATOR,
    }


def _ordered(column: str, descending: bool) -> Dict[str, Any]:
    return {
        "EXPRESSION": QgsExpression.quotedColumnRef(column),
        "ASCENDING": not descending,
        "NULLS_FIRST": False,
    }
