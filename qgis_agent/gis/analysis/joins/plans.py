"""Plans of the joins by place and by value, what their numbers must be, and what must be said of them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from qgis.core import QgsVectorLayer

from ...conditions import require_field
from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from ...scope import seen_fields
from ..checks.verify import (
    broken,
    require_count,
)
from ..inputs.survey import Survey
from ..run.plan import (
    Plan,
    PlanStep,
)
from ..run.steps import Builder
from ..vector.polygons import aggregates_of

BY_LOCATION, BY_VALUE, NEAREST = "qgisagent:joinbylocation", "qgisagent:joinbyvalue", "qgisagent:nearestfeatures"
WITHIN_DISTANCE = "within_distance"
RESULT = "result"


class Counts(NamedTuple):
    """The numbers of a join, as its algorithm gives them."""

    rows_in: int
    rows_out: int
    matched: int
    unmatched: int
    multiple: int
    pairs: int
    join_used: int


def counts_of(facts: Mapping[str, Any]) -> Counts:
    """From a step's map of results."""
    keys = ("ROWS_IN", "ROWS_OUT", "MATCHED", "UNMATCHED", "MULTIPLE", "PAIRS", "JOIN_USED")
    return Counts(*(int(facts[each]) for each in keys))


def check_counts(algorithm: str, counts: Counts, rows_in: int, written: int, each_pair: bool, keep: bool) -> None:
    """Rows must be what the pairs say: one a pair, or one a feature with a partner; and one for each without if kept."""
    require_count(algorithm, rows_in, counts.rows_in)
    rows = (counts.pairs if each_pair else counts.matched) + (counts.unmatched if keep else 0)
    require_count(algorithm, rows, counts.rows_out)
    require_count(algorithm, counts.rows_out, written)
    if counts.matched + counts.unmatched != rows_in or counts.pairs < counts.matched:
        raise broken(translate("QgisAgent", "its numbers do not add up"))


def chosen_fields(layer: QgsVectorLayer, names: Sequence[str]) -> List[str]:
    """The fields to add: those named, or all. NOT_FOUND for one that is not there."""
    if not names:
        return [each.name() for each in seen_fields(layer)]
    return list(dict.fromkeys(require_field(layer, each).name() for each in names))


def check_summary(layer: QgsVectorLayer, names: Sequence[str], functions: Sequence[str]) -> List[str]:
    """The number fields of a summary. INVALID_PARAM for another kind of field."""
    asked = [{"field": name, "function": functions[0]} for name in names]
    found = {each.field for each in aggregates_of(layer, asked)}
    return [each for each in dict.fromkeys(names) if each in found]


def require_distance(predicate: str, distance_m: Optional[float]) -> None:
    """INVALID_PARAM for a distance without its predicate, and for the predicate without a distance."""
    if (predicate == WITHIN_DISTANCE) == (distance_m is not None):
        return
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "predicate within_distance and distance_m belong together."),
        hint=translate("QgisAgent", "Give both, or neither."),
        reason="distance",
    )


def location_plan(
    surveys: Tuple[Survey, Survey], expressions: Tuple[str, str], parameters: Dict[str, Any], distance: bool
) -> Plan:
    """Prepare both sides and join. Inputs are "layer" and "join"."""
    left, right = Builder("layer"), Builder("join")
    for builder, survey, expression in zip((left, right), surveys, expressions):
        builder.prepare(survey, expression)
    algorithm = NEAREST if distance else BY_LOCATION
    step = PlanStep(RESULT, algorithm, {"INPUT": left.last, "JOIN": right.last, **parameters})
    return [*left.steps, *right.steps, step]


def value_plan(expressions: Tuple[str, str], parameters: Dict[str, Any]) -> Plan:
    """Take what matches on both sides and join by value. Inputs are "layer" and "join"."""
    left, right = Builder("layer"), Builder("join")
    for builder, expression in zip((left, right), expressions):
        if expression:
            builder.add("native:extractbyexpression", {"EXPRESSION": expression})
    step = PlanStep(RESULT, BY_VALUE, {"INPUT": left.last, "JOIN": right.last, **parameters})
    return [*left.steps, *right.steps, step]


def added_fields(result: QgsVectorLayer, before: int) -> List[str]:
    """The names of the fields behind the input's own."""
    return [clean_text(each.name(), 60) for each in list(result.fields())[before:]]


def number_data(counts: Counts, join_features: int) -> Dict[str, Any]:
    """The numbers for a result."""
    return {
        "rows_in": counts.rows_in,
        "rows_out": counts.rows_out,
        "matched": counts.matched,
        "unmatched": counts.unmatched,
        "multiple": counts.multiple,
        "pairs": counts.pairs,
        "join_features": join_features,
        "join_unused": join_features - counts.join_used,
    }


def location_said(counts: Counts, mode: str, apart: Sequence[str], keep: bool) -> List[str]:
    """What must be known of a join by place. ``apart`` is what is known of both layers' places."""
    if not counts.matched:
        found = [translate("QgisAgent", "No feature has a partner at its place.")]
        if not apart:
            found.append(
                translate("QgisAgent", "The layers lie in the same region: check the predicate, and the CRS of both.")
            )
        return found
    found = _unmatched_said(counts, keep)
    if counts.multiple and mode == "one_to_many":
        found.append(
            translate(
                "QgisAgent",
                "{} features have several partners and are in the result more than once: {} rows became {}, so sums over it count "
                "them more than once.",
            ).format(counts.multiple, counts.rows_in, counts.rows_out)
        )
    elif counts.multiple and mode == "first":
        found.append(
            translate(
                "QgisAgent",
                "{} features have several partners; the one with the lowest id was taken (one_to_many or summary shows all).",
            ).format(counts.multiple)
        )
    return found


def _unmatched_said(counts: Counts, keep: bool) -> List[str]:
    if not counts.unmatched:
        return []
    text = (
        translate("QgisAgent", "{} of {} features have no partner; their new fields are empty.")
        if keep
        else translate("QgisAgent", "{} of {} features have no partner and were left out.")
    )
    return [text.format(counts.unmatched, counts.rows_in)]
