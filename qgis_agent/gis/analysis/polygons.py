"""The plan and the sums of a statistic by polygon: points inside, area, density, aggregates of the points."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from qgis.core import QgsExpression, QgsFeatureRequest, QgsFeedback, QgsVectorLayer, QgsVectorLayerFeatureSource

from ..conditions import Where, require_field
from ..errors import INVALID_PARAM, ToolError
from ..features import FeatureReader, json_value, read_features
from ..i18n import translate
from ..layers import field_type
from ..places import place_layer
from .plan import INDEXED_FILE, Plan, PlanStep, Ref
from .preflight import Survey
from .steps import BULKY, Builder, indexed
from .verify import broken

COUNT, AREA, DENSITY = "count", "area_km2", "density_per_km2"
_SUMMARIES = {"min": 2, "max": 3, "sum": 5, "mean": 6}
"""Indices of native:joinbylocationsummary."""
_CONTAINS, _DISJOINT, _TOUCHES = 1, 2, 4
MAX_LABELS = 3


class Aggregated(NamedTuple):
    """One aggregate: a number field of the points, and sum, mean, min or max."""

    field: str
    function: str

    @property
    def key(self) -> str:
        """As the rows name it, and the layer where the name is free."""
        return "{}_{}".format(self.field, self.function)


class Names(NamedTuple):
    """Names of the new fields: the wanted ones, or with a number where the polygons have such a field already."""

    count: str
    area: str
    density: str


class Totals(NamedTuple):
    """What the rows add up to, and how it fits the number of points."""

    rows: List[Dict[str, Any]]
    count: int
    area_km2: float


class Balance(NamedTuple):
    """Where the points are. ``twice``: how often a point was counted once more because polygons overlap."""

    outside: int
    on_border: int
    twice: int


def aggregates_of(layer: QgsVectorLayer, asked: Sequence[Dict[str, Any]]) -> List[Aggregated]:
    """The aggregates, each once, grouped by function. NOT_FOUND for a field, INVALID_PARAM for one that is no number."""
    found: List[Aggregated] = []
    for each in asked:
        field = require_field(layer, each["field"])
        if field_type(field) not in ("integer", "number"):
            numbers = [name.name() for name in layer.fields() if field_type(name) in ("integer", "number")]
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The field '{}' ({}) is no number field.").format(
                    field.name(), field_type(field)
                ),
                hint=translate("QgisAgent", "Number fields: {}.").format(", ".join(numbers[:12]) or "-"),
                reason="field_type",
            )
        found.append(Aggregated(field.name(), each["function"]))
    order = list(_SUMMARIES)
    return sorted(dict.fromkeys(found), key=lambda each: order.index(each.function))


def free_names(layer: QgsVectorLayer) -> Names:
    """Names for count, area and density that the polygon layer does not have, whatever their case."""
    taken = {each.name().casefold() for each in layer.fields()}
    return Names(*(_free(name, taken) for name in (COUNT, AREA, DENSITY)))


def polygon_plan(
    polygons: QgsVectorLayer,
    points: QgsVectorLayer,
    surveys: Tuple[Survey, Survey],
    expressions: Tuple[str, str],
    aggregates: Sequence[Aggregated],
    names: Names,
    with_null: Sequence[str] = (),
) -> Plan:
    """Prepare both sides, count, aggregate, measure; then look for points outside and on borders.

    Keys of the plan's outputs: "result", "outside", "border". ``with_null`` are fields of the points that have NULL.
    """
    areas = Builder("polygons")
    areas.prepare(surveys[0], expressions[0])
    prepared = areas.last
    places = Builder("points")
    _prepare_points(places, polygons, points, surveys[1], expressions[1], aggregates)
    inside = places.last
    counted = {"POLYGONS": prepared, "POINTS": inside, "FIELD": names.count}
    areas.steps.append(PlanStep("counted", "native:countpointsinpolygon", counted))
    areas.last = Ref("counted")
    if surveys[1].usable:
        _aggregate(areas, inside, aggregates, with_null)
    else:
        for each in aggregates:
            areas.add("native:fieldcalculator", _calculated(each.key, "NULL"))
    areas.add("native:fieldcalculator", _calculated(names.area, "$area / 1000000"))
    area, count = QgsExpression.quotedColumnRef(names.area), QgsExpression.quotedColumnRef(names.count)
    density = "if({0} > 0, {1} / {0}, NULL)".format(area, count)
    areas.add("native:fieldcalculator", _calculated(names.density, density), key="result")
    borders = Builder("borders")
    borders.last = prepared
    if surveys[0].usable > max(100, surveys[1].usable) and (prepared != Ref("polygons") or not indexed(polygons)):
        borders.index(polygons)  # QGIS goes through the points then, and asks for the polygons around each
    checks = [
        PlanStep(
            key, "native:extractbylocation", {"INPUT": inside, "PREDICATE": [predicate], "INTERSECT": borders.last}
        )
        for key, predicate in (("outside", _DISJOINT), ("border", _TOUCHES))
    ]
    return [*places.steps, *areas.steps, *borders.steps, *checks]


def _prepare_points(
    places: Builder,
    polygons: QgsVectorLayer,
    points: QgsVectorLayer,
    survey: Survey,
    expression: str,
    aggregates: Sequence[Aggregated],
) -> None:
    """Single points in the polygons' CRS with a spatial index; the layer itself where it is all that and not large.

    They are read four times, and from a file with the needed fields only QGIS reads twice as fast as from a GeoPackage.
    """
    places.prepare(survey, expression)
    if survey.multipart:
        places.add("native:multiparttosingleparts", {})
    if points.crs() != polygons.crs():
        places.reproject(polygons.crs())
    if survey.usable and (places.steps or not indexed(points) or survey.usable > BULKY):
        places.index(points, [each.field for each in aggregates])


def _aggregate(areas: Builder, inside: Ref, aggregates: Sequence[Aggregated], with_null: Sequence[str]) -> None:
    """One join for each function; sums of a field with NULL by themselves, of the points that have a value.

    QGIS's sum of nothing but NULL is 0, where it has no value: then no point is joined, and the sum is NULL.
    """
    for (function, alone), group in groupby(
        aggregates,
        lambda each: (each.function, each.field if each.function == "sum" and each.field in with_null else ""),
    ):
        parameters = {
            "JOIN": _valued(areas, inside, alone) if alone else inside,
            "PREDICATE": [_CONTAINS],
            "JOIN_FIELDS": [each.field for each in group],
            "SUMMARIES": [_SUMMARIES[function]],
            "DISCARD_NONMATCHING": False,
        }
        areas.add("native:joinbylocationsummary", parameters)


def _valued(areas: Builder, inside: Ref, field: str) -> Ref:
    """The points that have a value in this field, with a spatial index; the steps go before the join."""
    points = Builder("valued_{}".format(len(areas.steps)))
    points.last = inside
    points.add(
        "native:extractbyexpression", {"EXPRESSION": "{} IS NOT NULL".format(QgsExpression.quotedColumnRef(field))}
    )
    points.add("native:retainfields", {"FIELDS": [field]}, destination=INDEXED_FILE)
    areas.steps.extend(points.steps)
    return points.last


class Nulls:
    """Counts the points without a value in each aggregated field. Made on the main thread."""

    def __init__(self, points: QgsVectorLayer, where: Where, aggregates: Sequence[Aggregated]) -> None:
        self._reader = FeatureReader(points, where)
        self._fields = list(dict.fromkeys(each.field for each in aggregates))

    def read(self, feedback: QgsFeedback) -> Dict[str, int]:
        """{field: points without a value}, without fields that have one everywhere; on a worker thread."""
        found = {each: sum(value is None for value in self._reader.column(feedback, each)) for each in self._fields}
        return {field: count for field, count in found.items() if count}


def nulls_said(nulls: Mapping[str, int], points: int) -> List[str]:
    """That values are missing, so that nobody takes a sum for that of all points."""
    return [
        translate("QgisAgent", "{} of {} points have no value in '{}'; its aggregates leave them out.").format(
            count, points, field
        )
        for field, count in nulls.items()
    ]


def label_fields(polygons: QgsVectorLayer) -> List[str]:
    """Up to three fields that tell polygons apart: names, then codes, else the first field."""
    place = place_layer("", polygons)
    taken = (COUNT, AREA, DENSITY)
    found = [*place.names, *place.codes, *place.other_names] if place is not None else []
    found = [each for each in found if each not in taken] or [each.name() for each in polygons.fields()[:1]]
    return [each for each in found if each not in taken][:MAX_LABELS]


def read_totals(
    source: QgsVectorLayerFeatureSource,
    labels: Sequence[str],
    first: int,
    aggregates: Sequence[Aggregated],
    feedback: QgsFeedback,
) -> Totals:
    """The rows of the result layer, on a worker thread. ``first`` is the position of the count field.

    Areas and densities have four decimals. UPSTREAM_ERROR for a count that is missing.
    """
    fields = source.fields()
    positions = [(name, fields.lookupField(name)) for name in labels]
    area_position = first + 1 + len(aggregates)
    rows: List[Dict[str, Any]] = []
    total, total_area = 0, 0.0
    for feature in read_features(source, QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry), feedback):
        row = {name: json_value(feature[position], 80) for name, position in positions}
        count, area, density = (json_value(feature[each]) for each in (first, area_position, area_position + 1))
        if count is None or area is None:
            raise broken(translate("QgisAgent", "a polygon has no count or no area"))
        total += int(count)
        total_area += float(area)
        row.update({COUNT: int(count), AREA: round(area, 4), DENSITY: None if density is None else round(density, 4)})
        row.update({each.key: json_value(feature[first + 1 + number]) for number, each in enumerate(aggregates)})
        rows.append(row)
    return Totals(rows, total, total_area)


def balance(points: int, counted: int, outside: int, on_border: int) -> Balance:
    """Check the sums: every point that is neither outside nor on a border is inside and counted at least once.

    QGIS counts a point on a border in no polygon. UPSTREAM_ERROR when points are missing.
    """
    inside = points - outside - on_border
    if counted < inside or inside < 0:
        raise broken(translate("QgisAgent", "{} points lie inside, but {} were counted.").format(inside, counted))
    return Balance(outside, on_border, counted - inside)


def _calculated(name: str, formula: str) -> Dict[str, Any]:
    return {"FIELD_NAME": name, "FIELD_TYPE": 0, "FIELD_LENGTH": 0, "FIELD_PRECISION": 0, "FORMULA": formula}


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free.casefold() in taken:
        number += 1
        free = "{}_{}".format(name, number)
    return free
