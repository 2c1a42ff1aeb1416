"""Handlers of the pack "default": selection, highlight and filter."""

from __future__ import annotations

from typing import Any, Dict, Generator

from ...call import Call
from ...conditions import Where
from ...errors import UNSUPPORTED, ToolError
from ...extents import bbox_degrees
from ...filters import set_filter
from ...highlight import MAX_HIGHLIGHTED, Finder, draw
from ...i18n import translate
from ...layers import clean_text
from ...selection import select
from ...sources.text_doubts import garbled_text
from ...work import Answer, Step, Work
from ..registry import tool
from .query import joined

Steps = Generator[Step, Any, Answer]


@tool("select_features", effect="view", runs="task")
def select_features(call: Call, layer_id: str, where: Where = (), mode: str = "replace") -> Steps:
    """Select features. Counted after it: QGIS says how many are selected."""
    layer = call.vector_layer(layer_id)
    found = yield from select(layer, where, mode)
    alias = call.host.layers.alias(layer)
    call.acted("select", layer_id=alias, mode=mode, where=list(where), selected=found.after)
    data = {
        "layer_id": alias,
        "selected": found.after,
        "before": found.before,
        "matched": found.matched,
        "count_kind": "exact",
    }
    notes = [
        "" if found.matched else translate("QgisAgent", "No feature matches."),
        translate("QgisAgent", "No condition was given, so it is about all features.")
        if not where and mode != "invert"
        else "",
        translate("QgisAgent", "The layer's filter is in force.") if layer.subsetString() else "",
    ]
    return Answer(data, joined(notes))


@tool("highlight_features", effect="view", runs="task")
def highlight_features(call: Call, layer_id: str, where: Where = ()) -> Steps:
    """Let at most 50 features stand out on the map for some seconds."""
    layer = call.vector_layer(layer_id)
    if not layer.isSpatial():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is a table; nothing of it can be drawn.").format(layer_id),
            hint=translate("QgisAgent", "Use select_features or query_features."),
            reason="layer_kind",
        )
    found = yield Work(translate("QgisAgent", "Looking for features"), Finder(layer, where).find)
    alias = call.host.layers.alias(layer)
    drawn, _ = draw(call.host, layer, found.geometries)
    without = len(found.ids) - len(found.geometries)
    box = bbox_degrees(found.box, layer.crs(), call.host.project) if found.geometries else None
    call.acted("highlight", layer_id=alias, ids=found.ids, where=list(where), bbox=box)
    data: Dict[str, Any] = {
        "layer_id": alias,
        "highlighted": len(found.geometries),
        "total": found.total,
        "count_kind": "exact",
        "bbox": box,
        "visible": call.host.layers.is_visible(layer),
    }
    notes = [
        "" if found.total else translate("QgisAgent", "No feature matches."),
        translate("QgisAgent", "Only the first {} of {} are highlighted.").format(MAX_HIGHLIGHTED, found.total)
        if found.total > MAX_HIGHLIGHTED
        else "",
        "" if drawn else translate("QgisAgent", "Without a screen it is only recorded."),
        translate("QgisAgent", "{} have no geometry.").format(without) if without else "",
    ]
    return Answer(data, joined(notes))


@tool("set_layer_filter", effect="view", runs="task")
def set_layer_filter(call: Call, layer_id: str, where: Where) -> Steps:
    """Let a layer show only what matches; without conditions, what it showed before the agent filtered it."""
    layer = call.vector_layer(layer_id)
    alias = call.host.layers.alias(layer)
    # Looked at before anything changes, so that a stop leaves nothing half done; ASCII reads the same in every encoding.
    garbled = "" if str(where).isascii() else (yield from garbled_text(layer))
    change = yield from set_filter(call.host, layer, alias, where)
    call.host.project.setDirty(True)
    call.acted("filter", layer_id=alias, where=list(where), features=change.after)
    data: Dict[str, Any] = {
        "layer_id": alias,
        "features_before": change.before,
        "features_after": change.after,
        "count_kind": "exact",
        "filter": clean_text(change.subset, 300),
    }
    notes = []
    if not change.after:
        notes.append(translate("QgisAgent", "No feature matches: the layer shows nothing now."))
        if garbled:
            notes.append(translate("QgisAgent", "Perhaps because {}.").format(garbled))
    if change.found:
        data["found_filter"] = clean_text(change.found, 300)
        notes.append(translate("QgisAgent", "The filter that was there before is still in force."))
    if change.deselected:
        notes.append(translate("QgisAgent", "QGIS cleared the selection of {} features.").format(change.deselected))
    return Answer(data, joined(notes))
