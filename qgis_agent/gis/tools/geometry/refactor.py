"""Handlers of the pack "geometry": fields renamed, converted and dropped."""

from __future__ import annotations

from typing import Any, Dict, Generator, Mapping, Sequence

from ...analysis.geometry import refactor
from ...analysis.inputs.preflight import (
    Surveyor,
    remarks,
)
from ...analysis.run.outcome import (
    add_result,
    field_aliases,
    keep_aliases,
)
from ...analysis.run.plan import algorithms
from ...analysis.run.runner import (
    analysis_context,
    close_files,
    run_plan,
)
from ...analysis.run.steps import Builder
from ...call import Call
from ...features import feature_source
from ...i18n import translate
from ...layers import clean_text, field_type
from ...scope import seen_fields
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("refactor_fields", effect="create", runs="task")
def refactor_fields(
    call: Call, layer_id: str, changes: Sequence[Mapping[str, Any]] = (), keep: Sequence[str] = ()
) -> Steps:
    """Other names, types and order of fields, on a copy; every value is compared with what it was."""
    layer = call.vector_layer(layer_id)
    wanted = refactor.changes_of(layer, changes, keep)
    builder = Builder("layer")
    builder.add("native:refactorfields", {"FIELDS_MAPPING": refactor.mapping(wanted)})
    surveyor, before = Surveyor(layer, placed=False), feature_source(layer)
    survey = yield Work(translate("QgisAgent", "Looking at the features"), surveyor.read)
    layer = call.vector_layer(layer_id)
    notes = remarks(layer, survey._replace(invalid=0, without_geometry=0))
    if not survey.count:
        notes.append(translate("QgisAgent", "'{}' has no features.").format(clean_text(layer.name(), 60)))
    same_name = {each.source.name() for each in wanted if each.name == each.source.name()}
    aliases = {key: text for key, text in field_aliases(layer).items() if key in same_name}
    dropped = len(seen_fields(layer)) - len(wanted)
    name = translate("QgisAgent", "{} fields").format(clean_text(layer.name(), 60))
    made = yield from run_plan(builder.steps, {"layer": layer}, analysis_context(call.host.project), notes)
    result = made[builder.steps[-1].key]
    close_files(made)
    after = feature_source(result)
    read: Dict[str, refactor.Read] = yield Work(
        translate("QgisAgent", "Checking the result"),
        lambda feedback: refactor.read_changes(before, after, wanted, feedback),
    )
    refactor.require_read(read)
    notes += refactor.said(read)
    keep_aliases(result, aliases)
    alias = add_result(call, result, name, builder.steps, {"layer": layer_id})
    data: Dict[str, Any] = {
        "layer_id": alias,
        "name": name,
        "feature_count": survey.count,
        "fields": [{"name": clean_text(each.name(), 60), "type": field_type(each)} for each in result.fields()],
        "converted": {key: {"values": each.values, "unread": each.unread} for key, each in read.items()},
        "dropped": dropped,
        "crs": result.crs().authid(),
        "algorithm": algorithms(builder.steps),
        "warnings": notes,
    }
    return Answer(data, " ".join(notes), rows_key="fields")
