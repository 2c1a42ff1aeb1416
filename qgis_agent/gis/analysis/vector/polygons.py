"""The plan and the sums of a statistic by polygon: points inside, area, density, aggregates of the points."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from qgis.core import (
    QgsExpression,
    QgsFeatureRequest,
    QgsFeedback,
    QgsRectangle,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
)

from ...conditions import Where
from ...features import (
    json_value,
    read_features,
)
from ...i18n import translate
from ...places import place_layer
from ...scope import seen_fields
from ...sources.coordinates import needs_a_look
from ..checks.verify import broken
from ..inputs.names import free_name
from ..inputs.preflight import (
    Survey,
    Surveyor,
    require_number_field,
)
from ..run.plan import (
    Plan,
    PlanStep,
    Ref,
)
from ..run.steps import Builder
from .point_arrays import (
    arrow_place,
    read_arrow,
)

COUNT, AREA, DENSITY = "count", "area_km2", "density_per_km2"
_FUNCTIONS = ("min", "max", "sum", "mean")
"""In the order of their columns."""
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
    aggregates: Tuple[str, ...] = ()


class Totals(NamedTuple):
    """What the rows add up to, and how it fits the number of points."""

    rows: List[Dict[str, Any]]
    count: int
    area_km2: float
    without_area: int = 0
    """Polygons of which a repair left nothing."""


class Balance(NamedTuple):
    """Where the points are. ``twice``: how often a point was counted once more because polygons overlap."""

    outside: int
    on_border: int
    twice: int


def aggregates_of(layer: QgsVectorLayer, asked: Sequence[Dict[str, Any]]) -> List[Aggregated]:
    """The aggregates, each once, grouped by function. NOT_FOUND for a field, INVALID_PARAM for one that is no number."""
    found: List[Aggregated] = []
    for each in asked:
        found.append(Aggregated(require_number_field(layer, each["field"]), each["function"]))
    return sorted(dict.fromkeys(found), key=lambda each: _FUNCTIONS.index(each.function))


def free_names(layer: QgsVectorLayer, aggregates: Sequence[Aggregated] = ()) -> Names:
    """Names for count, area, density and aggregates that the polygon layer does not have, whatever their case."""
    taken = {each.name().casefold() for each in seen_fields(layer)}
    count, area, density, *more = (
        free_name(name, taken) for name in (COUNT, AREA, DENSITY, *(a.key for a in aggregates))
    )
    return Names(count, area, density, tuple(more))


def polygon_plan(
    surveys: Tuple[Survey, Survey],
    expressions: Tuple[str, str],
    aggregates: Sequence[Aggregated],
    names: Names,
    in_files: bool = False,
) -> Plan:
    """Prepare both sides, count and aggregate, measure. Keys of the outputs that are needed: "counted", "result".

    The points' own algorithm reads both sides once, in any CRS and without a spatial index: QGIS's ways (a count, a join for
    each function, two looks for points outside and on borders) read the points five times. ``in_files``: points that match
    a condition are better handed on in a file than in memory.
    """
    areas, places = Builder("polygons"), Builder("points")
    areas.prepare(surveys[0], expressions[0])
    if expressions[1]:
        places.add("native:extractbyexpression", {"EXPRESSION": expressions[1]})
        if in_files:
            places.keep_in_files()
    parameters: Dict[str, Any] = {"POLYGONS": areas.last, "POINTS": places.last, "FIELD": names.count}
    if aggregates:
        parameters["AGGREGATES"] = [
            text for each, column in zip(aggregates, names.aggregates) for text in (each.field, each.function, column)
        ]
    areas.steps.append(PlanStep("counted", "qgisagent:pointsinpolygons", parameters))
    areas.last = Ref("counted")
    areas.add("native:fieldcalculator", _calculated(names.area, "$area / 1000000"))
    area, count = QgsExpression.quotedColumnRef(names.area), QgsExpression.quotedColumnRef(names.count)
    density = "if({0} > 0, {1} / {0}, NULL)".format(area, count)
    areas.add("native:fieldcalculator", _calculated(names.density, density), key="result")
    return [*places.steps, *areas.steps]


class PointSurveyor:
    """Looks at the points, by columns where that can be (a quarter of a second for a million), else at every feature.

    Made on the main thread. Errors as of ``Surveyor``.
    """

    def __init__(self, points: QgsVectorLayer, where: Where) -> None:
        self._full = Surveyor(points, where)
        self.expression = self._full.expression
        self._place = None if self.expression else arrow_place(points)
        self._crs = points.crs()

    def read(self, feedback: QgsFeedback) -> Survey:
        """The survey, on a worker thread. Coordinates that need a closer look get it."""
        found = read_arrow(self._place, [], feedback) if self._place is not None else None
        if found is None:
            return self._full.read(feedback)
        box = QgsRectangle()
        box.setNull()
        if len(found.places):
            west, south = found.places.min(axis=0).tolist()
            east, north = found.places.max(axis=0).tolist()
            box = QgsRectangle(west, south, east, north)
        if not box.isFinite() or needs_a_look(box, self._crs):
            return self._full.read(feedback)
        return Survey(found.rows, found.without_geometry, 0, 0, box, 0.0)


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
    found = [each for each in found if each not in taken] or [each.name() for each in list(seen_fields(polygons))[:1]]
    return [each for each in found if each not in taken][:MAX_LABELS]


def read_totals(
    source: QgsVectorLayerFeatureSource,
    labels: Sequence[str],
    first: int,
    aggregates: Sequence[Aggregated],
    feedback: QgsFeedback,
    repaired: int = 0,
) -> Totals:
    """The rows of the result layer, on a worker thread. ``first`` is the position of the count field.

    Areas and densities have four decimals. UPSTREAM_ERROR for an area that is missing, and for more counts that are missing
    than polygons were ``repaired``: of one without any area a repair leaves nothing.
    """
    fields = source.fields()
    positions = [(name, fields.lookupField(name)) for name in labels]
    area_position = first + 1 + len(aggregates)
    rows: List[Dict[str, Any]] = []
    total, total_area, without_area = 0, 0.0, 0
    for feature in read_features(source, QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry), feedback):
        row = {name: json_value(feature[position], 80) for name, position in positions}
        count, area, density = (json_value(feature[each]) for each in (first, area_position, area_position + 1))
        if count is None and without_area < repaired:
            without_area += 1
            count, area = 0, area or 0.0
        if count is None or area is None:
            raise broken(translate("QgisAgent", "a polygon has no count or no area"))
        total += int(count)
        total_area += float(area)
        row.update({COUNT: int(count), AREA: round(area, 4), DENSITY: None if density is None else round(density, 4)})
        row.update({each.key: json_value(feature[first + 1 + number]) for number, each in enumerate(aggregates)})
        rows.append(row)
    return Totals(rows, total, total_area, without_area)


def count_facts(rows: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """What a model would otherwise compute itself: the mean, least and greatest count of a polygon."""
    counts = [row[COUNT] for row in rows]
    if not counts:
        return {}
    mean = round(sum(counts) / len(counts), 4)
    return {"mean_count": mean, "min_count": min(counts), "max_count": max(counts)}


def balance(facts: Mapping[str, Any], counted: int) -> Balance:
    """Where the points are, as the algorithm tells. UPSTREAM_ERROR when the sum of the counts does not agree with it."""
    outside, border, twice = (int(facts[each]) for each in ("OUTSIDE", "ON_BORDER", "TWICE"))
    inside = int(facts["COUNTED_POINTS"]) - outside - border
    if counted != inside + twice:
        raise broken(translate("QgisAgent", "{} points lie inside, but {} were counted.").format(inside, counted))
    return Balance(outside, border, twice)


def _calculated(name: str, formula: str) -> Dict[str, Any]:
    return {"FIELD_NAME": name, "FIELD_TYPE": 0, "FIELD_LENGTH": 0, "FIELD_PRECISION": 0, "FORMULA": formula}
