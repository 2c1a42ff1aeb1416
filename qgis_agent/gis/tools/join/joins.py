"""Handlers of the pack "join": joins by place and by value. Plans and checks are in ``gis/analysis/joins/plans.py``."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple

from qgis.core import QgsFeedback, QgsVectorLayer

from ...analysis.checks.verify import require_count
from ...analysis.inputs.pair import (
    matched,
    pair_remarks,
)
from ...analysis.inputs.preflight import (
    Surveyor,
    no_features,
    plain_remarks,
    remarks,
    require_features,
    require_kind,
)
from ...analysis.joins import plans as joins
from ...analysis.joins.key_rules import (
    Rule,
    keys_said,
    others,
    rule_for,
)
from ...analysis.joins.keys import (
    Column,
    Columns,
)
from ...analysis.run.outcome import (
    add_result,
    joined_aliases,
    keep_aliases,
)
from ...analysis.run.plan import (
    Plan,
    algorithms,
)
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...call import Call
from ...conditions import request_expression, require_field
from ...errors import INVALID_PARAM, ToolError
from ...i18n import translate
from ...layers import clean_text, field_type
from ...scope import seen_fields
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
Layers = Tuple[QgsVectorLayer, QgsVectorLayer]
KINDS = ["point", "line", "polygon"]


@tool("spatial_join", effect="create", runs="task")
def spatial_join(
    call: Call,
    layer_id: str,
    join_layer_id: str,
    predicate: str = "intersects",
    distance_m: Optional[float] = None,
    fields: Sequence[str] = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Join by place, planar in the layer's CRS; within_distance by metres on the ground."""
    chosen = {"mode": "first", "keep_unmatched": True, "prefix": "", **(options or {})}
    wheres = (chosen.get("where") or (), chosen.get("join_where") or ())
    joins.require_distance(predicate, distance_m)
    layers = checked_layers(call, layer_id, join_layer_id)
    parameters = _location_parameters(layers, predicate, distance_m, fields, chosen)
    surveyors = tuple(Surveyor(layer, where) for layer, where in zip(layers, wheres))
    surveys = yield Work(
        translate("QgisAgent", "Looking at the features"),
        lambda feedback: [each.read(feedback) for each in surveyors],
    )
    layers = checked_layers(call, layer_id, join_layer_id)
    for layer, survey, where in zip(layers, surveys, wheres):
        require_features(layer, survey, bool(where))
    expressions = (surveyors[0].expression, surveyors[1].expression)
    plan = joins.location_plan(tuple(surveys), expressions, parameters, distance_m is not None)
    notes = list(dict.fromkeys(note for layer, survey in zip(layers, surveys) for note in remarks(layer, survey)))
    together = pair_remarks(layers[0], surveys[0].box, layers[1], surveys[1].box)
    made, facts = yield from run_join(call, plan, layers, notes)
    counts = joins.counts_of(facts)
    keep, mode = bool(chosen["keep_unmatched"]), chosen["mode"]
    joins.check_counts(plan[-1].algorithm, counts, surveys[0].usable, made.featureCount(), mode == "one_to_many", keep)
    notes += together + joins.location_said(counts, mode, together, keep)
    data = {
        **joins.number_data(counts, surveys[1].usable),
        "predicate": predicate,
        "mode": mode,
        "method": facts.get("ENGINE") or facts.get("HOW"),
    }
    if distance_m is not None:
        data["distance_m"] = distance_m
    name = "{} {} {}".format(clean_text(layers[0].name(), 60), predicate, clean_text(layers[1].name(), 60))
    kept = made if counts.matched or mode == "summary" else None
    return joined_answer(call, kept, name, plan, layers, (layer_id, join_layer_id), data, notes)


@tool("join_attribute", effect="create", runs="task")
def join_attribute(
    call: Call,
    layer_id: str,
    field: str,
    join_layer_id: str,
    join_field: str = "",
    fields: Sequence[str] = (),
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Join by a key. NULL and empty text match nothing; types are reconciled and what that means is said."""
    chosen = {"mode": "first", "match": "exact", "keep_unmatched": True, "prefix": "", **(options or {})}
    wheres = (chosen.get("where") or (), chosen.get("join_where") or ())
    layers = (call.vector_layer(layer_id), call.vector_layer(join_layer_id))
    keys = (require_field(layers[0], field), require_field(layers[1], join_field or field))
    kinds = tuple(_key_kind(each) for each in keys)
    names = (keys[0].name(), keys[1].name())
    wanted = joins.chosen_fields(layers[1], fields)
    reader = Columns(layers[0], names[0], wheres[0], layers[1], names[1], wheres[1])
    match = chosen["match"]

    def compare(feedback: QgsFeedback) -> Tuple[Column, Column, Rule, Dict[str, int]]:
        one, two = reader.read(feedback)
        rule = rule_for(one, two, (kinds[0], kinds[1]), match)
        return one, two, rule, others(one, two, rule)

    one, two, rule, more = yield Work(translate("QgisAgent", "Comparing the keys"), compare)
    layers = (call.vector_layer(layer_id), call.vector_layer(join_layer_id))
    for layer, column, where in zip(layers, (one, two), wheres):
        if not column.rows:
            raise no_features(layer, bool(where))
    keep, mode = bool(chosen["keep_unmatched"]), chosen["mode"]
    parameters = {
        "FIELD": names[0],
        "FIELD_2": names[1],
        "RULE": rule.name,
        "METHOD": mode,
        "FIELDS": wanted,
        "PREFIX": chosen["prefix"],
        "DISCARD_NONMATCHING": not keep,
    }
    expressions = tuple(request_expression(layer, where) for layer, where in zip(layers, wheres))
    plan = joins.value_plan((expressions[0], expressions[1]), parameters)
    notes = [note for layer, column in zip(layers, (one, two)) for note in plain_remarks(layer, column.rows)]
    notes += keys_said(one, two, rule, more, mode)
    made, facts = yield from run_join(call, plan, layers, notes)
    counts = joins.counts_of(facts)
    algorithm = plan[-1].algorithm
    joins.check_counts(algorithm, counts, one.rows, made.featureCount(), mode == "one_to_many", keep)
    require_count(algorithm, rule.outlook.matched, counts.matched)
    require_count(algorithm, rule.outlook.pairs, counts.pairs)
    if not counts.matched:
        notes.insert(0, translate("QgisAgent", "No key of '{}' is in '{}'.").format(*names))
    data = {
        **joins.number_data(counts, two.rows),
        "compared": rule.name,
        "without_key": one.without,
        "duplicate_keys": rule.outlook.duplicate_keys,
        "unmatched_keys": rule.outlook.alone,
        "unused_keys": rule.outlook.unused,
        "would_match_more": more,
        "mode": mode,
    }
    name = translate("QgisAgent", "{} with {}").format(
        clean_text(layers[0].name(), 60), clean_text(layers[1].name(), 60)
    )
    kept = made if counts.matched else None
    return joined_answer(call, kept, name, plan, layers, (layer_id, join_layer_id), data, notes)


def checked_layers(call: Call, layer_id: str, join_layer_id: str) -> Layers:
    """Two layers with geometries in CRSs that can be brought together."""
    layers = (call.vector_layer(layer_id), call.vector_layer(join_layer_id))
    for layer, role in zip(layers, ("layer_id", "join_layer_id")):
        require_kind(layer, KINDS, role)
    matched(*layers)
    return layers


def run_join(
    call: Call, plan: Plan, layers: Layers, notes: List[str]
) -> Generator[Step, Any, Tuple[QgsVectorLayer, Mapping[str, Any]]]:
    """Run a plan of a join; its result and the numbers of its last step."""
    facts: Dict[str, Dict[str, Any]] = {}
    inputs = {"layer": layers[0], "join": layers[1]}
    made = yield from run_plan(plan, inputs, analysis_context(call.host.project), notes, facts)
    result = made[joins.RESULT]
    close_files(made)
    return result, facts[joins.RESULT]


def joined_answer(
    call: Call,
    result: Optional[QgsVectorLayer],
    name: str,
    plan: Plan,
    layers: Layers,
    aliases: Tuple[str, str],
    data: Dict[str, Any],
    notes: List[str],
) -> Answer:
    """Add the result, unless it tells nothing (None), and answer."""
    alias = None
    if result is not None:
        keep_aliases(result, joined_aliases(*layers, str(plan[-1].parameters.get("PREFIX") or "")))
        alias = add_result(call, result, name, plan, {"layer": aliases[0], "join": aliases[1]})
        data["added_fields"] = joins.added_fields(result, len(seen_fields(layers[0])))[:40]
    else:
        notes.append(translate("QgisAgent", "So no layer was added."))
    head = {
        "layer_id": alias,
        "name": name if alias else None,
        "feature_count": result.featureCount() if result is not None else 0,
    }
    tail = {"crs": layers[0].crs().authid(), "algorithm": algorithms(plan), "warnings": notes}
    return Answer({**head, **data, **tail}, " ".join(notes))


def _location_parameters(
    layers: Layers, predicate: str, distance_m: Optional[float], fields: Sequence[str], chosen: Mapping[str, Any]
) -> Dict[str, Any]:
    mode = chosen["mode"]
    shared = {"PREFIX": chosen["prefix"], "DISCARD_NONMATCHING": not chosen["keep_unmatched"]}
    if distance_m is not None:
        if mode not in ("first", "one_to_many"):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "within_distance knows the modes first (the nearest) and one_to_many."),
                hint=translate("QgisAgent", "For a summary buffer_layer first, then spatial_join with intersects."),
                reason="mode",
            )
        neighbors = 0 if mode == "one_to_many" else 1
        wanted = joins.chosen_fields(layers[1], fields)
        return {"NEIGHBORS": neighbors, "MAX_DISTANCE": distance_m, "FIELDS": wanted, **shared}
    if mode == "largest_overlap":
        for layer, role in zip(layers, ("layer_id", "join_layer_id")):
            require_kind(layer, ["line", "polygon"], "largest_overlap, {}".format(role))
    parameters = {"PREDICATE": predicate, "METHOD": mode, **shared}
    if mode != "summary":
        return {**parameters, "FIELDS": joins.chosen_fields(layers[1], fields)}
    functions = list(chosen.get("functions") or ["sum"])
    return {**parameters, "FIELDS": joins.check_summary(layers[1], fields, functions), "SUMMARIES": functions}


def _key_kind(field: Any) -> str:
    kind = field_type(field)
    if kind == "other":
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The field '{}' cannot be a key: its values are no numbers, texts or dates.").format(
                field.name()
            ),
            hint=translate("QgisAgent", "Use another field (describe_layer)."),
            reason="field_type",
        )
    return kind
