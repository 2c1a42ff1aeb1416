"""Handlers of the pack "arrange": legends, and styles put back or copied as a whole."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence

from qgis.core import QgsMapLayer, QgsVectorLayer

from ...call import Call
from ...errors import AMBIGUOUS, INVALID_PARAM, NOT_FOUND, UNSUPPORTED, UPSTREAM_ERROR, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...style import history as styles
from ...style import titles
from ...style.cover import Cover
from ...style.history import history_of, restore, same_look, snapshot
from ...style.legend import check_texts, class_texts, literal, set_class_texts
from ...style.sizes import explained
from ...style.style_copy import check_fits, copy_look, cover_reader
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_TITLE_LENGTH = 80


@tool("set_legend", effect="view")
def set_legend(
    call: Call,
    layer_id: str,
    title: Optional[str] = None,
    labels: Sequence[Mapping[str, str]] = (),
    show_counts: Optional[bool] = None,
) -> Answer:
    """Set the legend's title, texts of classes, and whether it counts features. Undone when it is not taken over."""
    layer = call.layer(layer_id)
    if title is None and not labels and show_counts is None:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "There is nothing to set."),
            hint=translate("QgisAgent", "Give title, labels or show_counts."),
            reason="tool_arguments",
        )
    if show_counts:
        _require_countable(layer)
    texts = check_texts(layer, {each["id"]: each["text"] for each in labels}) if labels else {}
    named = literal(title, _TITLE_LENGTH) if title is not None else None
    before = snapshot(call.host, layer)
    try:
        if texts:
            set_class_texts(layer, texts)
        if named is not None:
            styles.set_legend_title(call.host, layer, named)
        if show_counts is not None:
            styles.set_show_counts(call.host, layer, show_counts)
        _require_legend(call, layer, texts, named, show_counts)
    except ToolError:
        restore(call.host, before)
        raise
    rule_id = history_of(call.host).remember(before)
    call.host.repaint(layer)
    return _legend_answer(call, layer, rule_id)


def _require_countable(layer: QgsMapLayer) -> None:
    """UNSUPPORTED where the legend explains sizes: QGIS would write "[0]" beside them, which is no number of anything."""
    if isinstance(layer, QgsVectorLayer) and explained(layer.renderer()):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The legend of '{}' explains sizes, and QGIS would write [0] beside them.").format(
                clean_text(layer.name(), 60)
            ),
            hint=translate(
                "QgisAgent", "Write the numbers of features into the texts of the classes with labels instead."
            ),
            reason="size_legend",
        )


def _require_legend(
    call: Call, layer: QgsMapLayer, texts: Mapping[str, str], title: Optional[str], show_counts: Optional[bool]
) -> None:
    now = snapshot(call.host, layer)
    written = {each.id: each.label for each in class_texts(layer)}
    taken = all(written.get(ident) == text for ident, text in texts.items())
    if title is not None:
        taken = taken and (now.legend_title or "") == title
    if show_counts is not None:
        taken = taken and now.show_counts == show_counts
    if not taken:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take over the legend of '{}'; it is as before.").format(layer.name()),
            hint=translate("QgisAgent", "Put the layer into the layer tree first."),
            reason="not_verified",
        )


def _legend_answer(call: Call, layer: QgsMapLayer, rule_id: str) -> Answer:
    alias, now = call.host.layers.alias(layer), snapshot(call.host, layer)
    items = [{"id": each.id, "label": each.label, "color": each.color} for each in class_texts(layer) if each.visible]
    data: Dict[str, Any] = {"layer_id": alias, "rule_id": rule_id, "title": now.legend_title}
    data.update(show_counts=now.show_counts, items=items)
    call.acted("legend", layer_id=alias, rule_id=rule_id, title=now.legend_title)
    shown = [{"label": each["label"], "color": each["color"]} for each in items]
    call.add_legend(alias, [dict(each, title=now.legend_title) for each in shown] if now.legend_title else shown)
    call.add_evidence(rule_id, translate("QgisAgent", "{}: legend set").format(alias))
    return Answer(data, "", rows_key="items")


@tool("revert_style", effect="view")
def revert_style(call: Call, layer_id: str, rule_id: Optional[str] = None, discard_later: bool = False) -> Answer:
    """Put a layer's look back to before the last change of a tool, or before the one that ``rule_id`` names.

    Refused where the person has changed the look since, until they have agreed to lose that: it asks first, and only a
    later run may say that they did.
    """
    layer = call.layer(layer_id)
    history = history_of(call.host)
    changes = history.changes(layer.id())
    if not changes:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "No tool has changed the style of '{}' that could be put back.").format(layer_id),
            hint=translate("QgisAgent", "What a person changed by hand is undone in QGIS's styling panel."),
            reason="no_change",
        )
    back = history.since(layer.id(), rule_id) if rule_id is not None else changes[-1:]
    present = snapshot(call.host, layer)
    if not _untouched(back, present) and not (discard_later and history.was_asked(present, call.capability.run_id)):
        history.ask(present, call.capability.run_id)
        raise _changed_since(layer)
    restore(call.host, back[0].before)
    if not same_look(snapshot(call.host, layer), back[0].before):
        restore(call.host, present)
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take the earlier style over; nothing was changed."),
            hint=translate("QgisAgent", "Set the style in QGIS."),
            reason="not_verified",
        )
    history.forget(back)
    alias = call.host.layers.alias(layer)
    taken_back = [each.rule_id for each in back]
    call.acted("render", layer_id=alias, reverted=taken_back)
    title = back[0].before.legend_title
    classes = [{"label": each.label, "color": each.color} for each in class_texts(layer) if each.visible]
    call.add_legend(alias, [dict(each, title=title) for each in classes] if title else classes)
    call.add_evidence(taken_back[0], translate("QgisAgent", "{}: style as before this change").format(alias))
    data = {"layer_id": alias, "reverted": taken_back, "earlier_changes": len(changes) - len(back)}
    return Answer(data)


def _untouched(changes: Sequence[styles.Change], present: styles.StyleRecord) -> bool:
    """Whether the look is what the last of these changes left, and each began with what the one before it left."""
    links = zip(changes, changes[1:])
    return same_look(changes[-1].after, present) and all(same_look(one.after, two.before) for one, two in links)


def _changed_since(layer: QgsMapLayer) -> ToolError:
    return ToolError(
        AMBIGUOUS,
        translate("QgisAgent", "The style of '{}' was changed by hand since; putting it back would lose that.").format(
            clean_text(layer.name(), 60)
        ),
        hint=translate("QgisAgent", "Ask the person. If they agree, call again with discard_later true."),
        reason="changed_since",
        options=[
            {"label": translate("QgisAgent", "Put the style back; my later changes may go")},
            {"label": translate("QgisAgent", "Leave the style as it is")},
        ],
    )


@tool("copy_style", effect="view", runs="task")
def copy_style(call: Call, layer_id: str, to_layer_ids: Sequence[str], part: str = "all") -> Steps:
    """Give other layers the look of a layer. All are checked before the first is changed, and all undone if one fails."""
    layer, targets = _checked(call, layer_id, to_layer_ids, part)
    covers: List[Any] = []
    for target in targets:
        reader = cover_reader(layer, target, part)
        covers.append((yield Work(translate("QgisAgent", "Reading values"), reader.read)) if reader else None)
    layer, targets = _checked(call, layer_id, to_layer_ids, part)
    before = [snapshot(call.host, each) for each in targets]
    done: List[styles.StyleRecord] = []
    notes: List[str] = []
    try:
        for target, record in zip(targets, before):
            done.append(record)
            shown = titles.subject(target.renderer())
            copy_look(layer, target, part)
            if part != "labels":
                notes.extend(_copy_title(call, layer, target, shown, part))
    except ToolError:
        for record in done:
            restore(call.host, record)
        raise
    return _copied(call, layer, targets, before, covers, notes)


def _copy_title(call: Call, layer: QgsMapLayer, target: QgsMapLayer, shown: titles.Subject, part: str) -> List[str]:
    """The legend title goes along with a whole look; one of what the target ``shown`` before goes. What is to be said."""
    alias = call.host.layers.alias(target)
    own = (titles.present_title(call.host, layer) or "") if part == "all" else ""
    title = titles.title_after(call.host, target, titles.subject(target.renderer()), own=own, was=shown)
    titles.put_title(call.host, target, title)
    return ["{}: {}".format(alias, title.note)] if title.note else []


def _checked(call: Call, layer_id: str, to_layer_ids: Sequence[str], part: str) -> Any:
    layer = call.layer(layer_id)
    targets = {each.id(): each for each in (call.layer(alias) for alias in to_layer_ids)}
    if layer.id() in targets:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is the layer whose look is copied.").format(layer_id),
            hint=translate("QgisAgent", "Name other layers in to_layer_ids."),
            reason="same_layer",
        )
    for target in targets.values():
        check_fits(layer, target, part)
    return layer, list(targets.values())


def _copied(
    call: Call,
    layer: QgsMapLayer,
    targets: Sequence[QgsMapLayer],
    before: Sequence[styles.StyleRecord],
    covers: Sequence[Any],
    notes: List[str],
) -> Answer:
    source = call.host.layers.alias(layer)
    entries: List[Dict[str, Any]] = []
    for target, record, cover in zip(targets, before, covers):
        alias = call.host.layers.alias(target)
        rule_id = history_of(call.host).remember(record)
        call.host.repaint(target)
        entry: Dict[str, Any] = {"layer_id": alias, "rule_id": rule_id}
        if isinstance(cover, list):  # of a raster: what is to be said of its cells
            notes.extend("{}: {}".format(alias, each) for each in cover)
            if cover:
                notes.append(translate("QgisAgent", "set_raster_style takes the limits from a raster's own cells."))
        elif isinstance(cover, Cover):
            entry.update(features=cover.features, not_drawn=cover.not_drawn)
            if cover.not_drawn:
                notes.append(
                    translate("QgisAgent", "{}: {} of {} features are drawn by no class.").format(
                        alias, cover.not_drawn, cover.features
                    )
                )
        entries.append(entry)
        call.acted("render", layer_id=alias, rule_id=rule_id, copied_from=source)
        call.add_evidence(rule_id, translate("QgisAgent", "{}: style of {}").format(alias, source))
        items = [{"label": each.label, "color": each.color} for each in class_texts(target) if each.visible]
        call.add_legend(alias, items)
    return Answer({"layer_id": source, "copied": entries}, " ".join(dict.fromkeys(notes)), rows_key="copied")
