"""Handlers of the pack "arrange": the layer tree."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from qgis.core import QgsMapLayer

from ...call import Call
from ...errors import INVALID_PARAM, UPSTREAM_ERROR, ToolError
from ...host import RESULT_GROUP
from ...i18n import translate
from ...layers import clean_text, layer_kind
from ...temporary import put_back, take_out, why_it_stays
from ...tree import Settled, drawing_order, gather, move, neighbours, node_of, require_all
from ...work import Answer, Step
from ..registry import tool

Steps = Generator[Step, Any, Answer]
NAME_LENGTH = 80


@tool("reorder_layer", effect="view", runs="task")
def reorder_layer(call: Call, layer_id: str, position: str, other_layer_id: Optional[str] = None) -> Steps:
    """Draw a layer above or below others. What is drawn on top covers what lies below."""
    layer = call.layer(layer_id)
    other = _other(call, layer, position, other_layer_id)
    project = call.host.project
    group, everything = call.host.layers.group_of(layer), list(project.mapLayers())
    changed = move(project, layer, position, other)
    if changed:
        yield Settled()
        require_all(project, everything)
    layer = call.layer(layer_id)
    alias = call.host.layers.alias(layer)
    data = dict(neighbours(call.host.layers, project, layer), layer_id=alias, changed=changed)
    _require_place(call, layer, position, other)
    if not changed:
        return Answer(data, translate("QgisAgent", "It was so already."))
    project.setDirty(True)
    call.acted("layer", layer_id=alias, position=position, other_layer_id=other_layer_id)
    call.host.recent.note(layer, "moved")
    said = [_move_message(call, layer, group), _covered_message(call, data.get("below_layer"))]
    return Answer(data, " ".join(filter(None, said)))


def _move_message(call: Call, layer: QgsMapLayer, group: str) -> str:
    if call.host.project.layerTreeRoot().hasCustomLayerOrder():
        return translate("QgisAgent", "The project draws in an order of its own; the layer was moved in that order.")
    now = call.host.layers.group_of(layer)
    if group and group != now:
        return translate("QgisAgent", "It is no longer in the group {}.").format(group)
    return translate("QgisAgent", "It is in the group {} now.").format(now) if now != group else ""


def _covered_message(call: Call, above: Optional[str]) -> str:
    """A layer that went below a raster is not seen any more."""
    cover = call.layer(above) if above is not None else None
    if cover is None or layer_kind(cover) != "raster" or not call.host.layers.is_visible(cover):
        return ""
    return translate("QgisAgent", "It lies below the raster '{}', which may cover it.").format(above)


def _other(call: Call, layer: QgsMapLayer, position: str, other_layer_id: Optional[str]) -> Optional[QgsMapLayer]:
    beside = position in ("above", "below")
    if beside != (other_layer_id is not None):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "above and below need other_layer_id; top and bottom take none."),
            hint=translate("QgisAgent", "Give position and, for above or below, other_layer_id."),
            reason="tool_arguments",
        )
    other = call.layer(str(other_layer_id)) if beside else None
    if other is not None and other.id() == layer.id():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "layer_id and other_layer_id are the same layer."),
            hint=translate("QgisAgent", "Name another layer."),
            reason="tool_arguments",
        )
    return other


def _require_place(call: Call, layer: QgsMapLayer, position: str, other: Optional[QgsMapLayer]) -> None:
    order = drawing_order(call.host.project)
    index = order.index(layer.id())
    expected = {
        "top": index == 0,
        "bottom": index == len(order) - 1,
        "above": other is not None and order[index + 1 : index + 2] == [other.id()],
        "below": other is not None and index > 0 and order[index - 1] == other.id(),
    }
    if not expected[position]:
        raise _not_done(
            translate("QgisAgent", "QGIS did not move the layer '{}'.").format(clean_text(layer.name(), 60))
        )


def _not_done(message: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR, message, hint=translate("QgisAgent", "Do it in QGIS's layer panel."), reason="read_back"
    )


@tool("group_layers", effect="view", runs="task")
def group_layers(call: Call, layer_ids: List[str], name: str) -> Steps:
    """Put layers into a group, an existing one of this name or a new one."""
    layers = list({layer.id(): layer for layer in map(call.layer, layer_ids)}.values())
    wanted = _checked_name(name)
    if wanted.casefold() == RESULT_GROUP.casefold():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The group '{}' is for results of QGIS Agent.").format(RESULT_GROUP),
            hint=translate("QgisAgent", "Choose another name."),
            reason="reserved_name",
        )
    project = call.host.project
    for each in layers:
        node_of(project, each)
    everything = list(project.mapLayers())
    aliases = [call.host.layers.alias(each) for each in layers]
    changed = gather(project, layers, wanted)
    if changed:
        yield Settled()
        require_all(project, everything)
    nodes = [node_of(project, call.layer(each)) for each in aliases]
    if any(node.parent().name() != wanted for node in nodes):
        raise _not_done(translate("QgisAgent", "QGIS did not put the layers into the group '{}'.").format(wanted))
    data: Dict[str, Any] = {"group": wanted, "layer_ids": aliases, "changed": changed}
    if not changed:
        return Answer(data, translate("QgisAgent", "It was so already."))
    project.setDirty(True)
    call.acted("group", name=wanted, layer_ids=aliases)
    off = not nodes[0].parent().isVisible()
    return Answer(
        data, translate("QgisAgent", "The group is switched off, so its layers are not drawn.") if off else ""
    )


@tool("rename_layer", effect="view")
def rename_layer(call: Call, layer_id: str, name: str) -> Answer:
    """Another name in the project. Its data and its alias stay as they are."""
    layer = call.layer(layer_id)
    wanted, before = _checked_name(name), layer.name()
    same = [each for each in call.host.layers.layers() if each.name() == wanted and each.id() != layer.id()]
    layer.setName(wanted)
    if layer.name() != wanted:
        raise _not_done(translate("QgisAgent", "QGIS did not rename the layer '{}'.").format(clean_text(before, 60)))
    alias = call.host.layers.alias(layer)
    data = {"layer_id": alias, "name": wanted, "before": clean_text(before, NAME_LENGTH), "changed": before != wanted}
    if before == wanted:
        return Answer(data, translate("QgisAgent", "It was so already."))
    call.host.project.setDirty(True)
    call.acted("layer", layer_id=alias, name=wanted)
    call.host.recent.note(layer, "renamed")
    return Answer(data, translate("QgisAgent", "Another layer has this name too.") if same else "")


def _checked_name(name: str) -> str:
    """A name as it is stored: one line without control characters. QGIS evaluates "[% %]" in legends and titles."""
    wanted = clean_text(name, NAME_LENGTH)
    if wanted and "[%" not in wanted:
        return wanted
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The name is empty or has '[%', which QGIS would evaluate."),
        hint=translate("QgisAgent", "Give a plain name of at most {} characters.").format(NAME_LENGTH),
        reason="name",
    )


@tool("clear_temp_layers", effect="view", runs="task")
def clear_temp_layers(call: Call) -> Steps:
    """Take away the layers that QGIS Agent made and that nobody has edited, styled, renamed, moved or used since.

    When it is stopped or fails, those that were taken out are there again.
    """
    host = call.host
    made = [host.project.mapLayer(each) for each in dict.fromkeys(host.created_layers)]
    reasons = [
        (layer, why_it_stays(host, layer)) for layer in made if layer is not None and not host.layers.is_hidden(layer)
    ]
    kept = {host.layers.alias(layer): reason for layer, reason in reasons if reason}
    going = [layer for layer, reason in reasons if not reason]
    others = [each for each in host.project.mapLayers() if each not in {layer.id() for layer in going}]
    ids = [layer.id() for layer in going]
    taken = [take_out(host, layer) for layer in going]
    done = False
    try:
        yield Settled()
        require_all(host.project, others)
        if any(host.project.mapLayer(each) is not None for each in ids):
            raise _not_done(translate("QgisAgent", "QGIS did not remove all of the temporary layers."))
        done = True
    finally:
        for each in reversed(taken if not done else []):
            if host.project.mapLayer(each.layer.id()) is None:
                put_back(host, each)
    removed = [each.alias for each in taken]
    host.created_layers = [each for each in host.created_layers if each not in ids]
    _drop_empty_group(call)
    data: Dict[str, Any] = {"removed": removed, "count": len(removed)}
    if kept:
        data["kept"] = kept
    if removed:
        host.project.setDirty(True)
        call.acted("remove_layers", layer_ids=removed)
    message = "" if removed else translate("QgisAgent", "There is no temporary layer to clear away.")
    return Answer(data, message, rows_key="removed")


def _drop_empty_group(call: Call) -> None:
    group = call.host.result_group()
    if group is not None and not group.children():
        group.parent().removeChildNode(group)
