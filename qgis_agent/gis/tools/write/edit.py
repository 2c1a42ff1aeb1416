"""Handlers of the pack "write": features."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generator, List, Optional, Sequence, Tuple

from qgis.core import QgsGeometry, QgsVectorLayer

from ...analysis.formulas.formula import check_formula
from ...call import Call
from ...card_changes import affected, change_table
from ...cards import write_card
from ...conditions import Where
from ...confirm import confirmed
from ...edits.allowed import require_editable, require_encoding, require_place, require_stays_in_filter
from ...edits.job import EditJob, shown_lines
from ...edits.plan import Addition, Assignment, EditPlan, PlanReader, assignments_of
from ...edits.shapes import shape_for
from ...edits.undoing import EditUndo
from ...errors import INVALID_PARAM, ToolError
from ...i18n import translate
from ...layers import clean_text, file_of
from ...risk import many_features
from ...selection import selected_ids
from ...sources.layer_text import reader_of
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_VERBS = {"set": "change", "geometry": "change", "add": "add", "delete": "delete"}
"""What the button says, see ``button_words``."""


@tool("prepare_edit_features", effect="write", runs="task")
def prepare_edit_features(
    call: Call,
    layer_id: str,
    action: str,
    where: Where = (),
    values: Sequence[Dict[str, Any]] = (),
    features: Sequence[Dict[str, Any]] = (),
    options: Optional[Dict[str, Any]] = None,
) -> Steps:
    """Preview a change of features with old and new values, and carry it out when the person agrees."""
    layer = call.vector_layer(layer_id)
    wishes = options or {}
    save = bool(wishes.get("save"))
    _check_given(action, where, values, features, wishes)
    require_editable(layer, action, save)
    if save:
        require_place(layer, call.host.paths.write_roots(), call.capability.alone)
    assignments = assignments_of(layer, values, lambda text: check_formula(text, layer)) if action == "set" else []
    names = [layer.fields().at(each.index).name() for each in assignments]
    require_stays_in_filter(layer, names, action)
    text = reader_of(layer) if action in ("set", "add") else None
    if text is not None:
        found = yield Work(translate("QgisAgent", "Looking at the encoding"), text)
        layer = call.vector_layer(layer_id)
        require_encoding(layer, found)
    reader = _reader_of(call, layer, action, where, features, assignments, bool(wishes.get("selected_only")))
    plan = yield Work(translate("QgisAgent", "Looking for features"), reader().read)
    layer = call.vector_layer(layer_id)
    if plan.size() == 0:
        return _nothing(layer_id, plan)
    if action == "geometry" and plan.size() != 1:
        raise _given(
            translate("QgisAgent", "One feature gets a new shape, and {} match.").format(plan.size()),
            translate("QgisAgent", "Narrow it with where, for example by its key."),
        )
    undo = EditUndo(layer) if save else None
    if undo is not None:
        yield from undo.look(action, plan.ids)
    lines, verb = _lines(layer, plan, save), _VERBS[action]
    end = 1 + len(shown_lines(plan))  # after the layer's line
    table = change_table(layer, plan, replaces=(end - len(plan.rows), end))
    card = write_card(
        call,
        _title(action),
        lines,
        reversible=not save,
        verb=verb,
        undo_words=undo.words(action) if undo is not None else _unsaved_words(),
        risks=[each.words for each in many_features(plan.size())],
        changes=table,
        place=affected(layer, plan),
    )
    return (yield from confirmed(call, card, EditJob(layer, layer_id, reader, plan, undo), reversible=not save))


def _unsaved_words() -> str:
    return translate("QgisAgent", "Undo takes these edits back as long as you have not saved them.")


def _reader_of(
    call: Call,
    layer: QgsVectorLayer,
    action: str,
    where: Where,
    features: Sequence[Dict[str, Any]],
    assignments: List[Assignment],
    selected_only: bool,
) -> Callable[[], PlanReader]:
    """Makes readers of the plan: one for the preview, one when the person has agreed."""
    ids = selected_ids(layer) if selected_only else None
    geometry: Optional[QgsGeometry] = None
    additions: List[Addition] = []
    if action == "geometry":
        geometry = shape_for(layer, features[0]["wkt"], call.host.project)
    if action == "add":
        additions = [_addition(call, layer, each) for each in features]
    return lambda: PlanReader(layer, action, where, ids, assignments, additions, geometry)


def _addition(call: Call, layer: QgsVectorLayer, given: Dict[str, Any]) -> Addition:
    values = {
        each.index: each.value
        for each in assignments_of(layer, given.get("values") or [], _no_formula)
        if each.value is not None
    }
    wkt = given.get("wkt")
    if not wkt and layer.isSpatial():
        raise _given(
            translate("QgisAgent", "A new feature of this layer needs a shape."),
            translate("QgisAgent", "Give wkt in degrees, longitude first."),
        )
    return Addition(shape_for(layer, wkt, call.host.project) if wkt else None, values)


def _no_formula(_text: str) -> str:
    raise _given(
        translate("QgisAgent", "New features take plain values, not formulas."),
        translate("QgisAgent", "Give value; set formulas afterwards with action set."),
    )


def _check_given(
    action: str, where: Where, values: Sequence[Any], features: Sequence[Any], options: Dict[str, Any]
) -> None:
    chosen = bool(where) or bool(options.get("selected_only")) or bool(options.get("all_features"))
    if action != "add" and not chosen:
        raise _given(
            translate("QgisAgent", "Which features are meant is not said."),
            translate("QgisAgent", "Give where, or options selected_only or all_features."),
        )
    wanted: Dict[str, Tuple[bool, str]] = {
        "set": (bool(values) and not features, translate("QgisAgent", "set takes values, no features")),
        "delete": (not values and not features, translate("QgisAgent", "delete takes no values and no features")),
        "add": (
            bool(features) and not values and not chosen,
            translate("QgisAgent", "add takes features with their values in them, and nothing that chooses features"),
        ),
        "geometry": (
            len(features) == 1 and bool(features[0].get("wkt")) and not values and not features[0].get("values"),
            translate("QgisAgent", "geometry takes one feature with wkt"),
        ),
    }
    fits, words = wanted[action]
    if not fits:
        raise _given(translate("QgisAgent", "The arguments do not go with the action."), words)


def _given(message: str, hint: str) -> ToolError:
    return ToolError(INVALID_PARAM, message, hint=hint, reason="edit")


def _nothing(layer_id: str, plan: EditPlan) -> Answer:
    data = {"layer_id": layer_id, "written": False, "feature_count": 0, "matched": plan.matched}
    if plan.matched:
        return Answer(data, translate("QgisAgent", "Nothing to change: the features have these values already."))
    return Answer(data, translate("QgisAgent", "Nothing to change: no feature matches."))


def _title(action: str) -> str:
    return {
        "set": translate("QgisAgent", "Change values of features?"),
        "delete": translate("QgisAgent", "Delete features?"),
        "add": translate("QgisAgent", "Add features?"),
        "geometry": translate("QgisAgent", "Give a feature another shape?"),
    }[action]


def _lines(layer: QgsVectorLayer, plan: EditPlan, save: bool) -> List[List[str]]:
    name = file_of(layer) or translate("QgisAgent", "the layer's data")
    if save:
        saved = translate("QgisAgent", "yes, to {}").format(name)
    else:
        saved = translate("QgisAgent", "no: the layer stays in edit mode; Ctrl+Z takes it back, you save it")
    lines = [[translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)]]
    lines += [[label, text] for label, text in shown_lines(plan)]
    lines.append([translate("QgisAgent", "Saved"), saved])
    if layer.isModified():
        lines.append([translate("QgisAgent", "Unsaved edits"), translate("QgisAgent", "yours stay as they are")])
    return lines
