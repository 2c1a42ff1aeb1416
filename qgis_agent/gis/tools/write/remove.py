"""Handlers of the pack "write": taking layers out of the project, and putting them back."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Sequence

from qgis.core import QgsMapLayer, QgsProject, QgsVectorLayer
from qgis.PyQt import sip

from ...call import Call
from ...cards import write_card
from ...confirm import confirmed
from ...errors import NOT_FOUND, UNSUPPORTED, UPSTREAM_ERROR, ToolError, hint_for_name
from ...i18n import translate
from ...layers import clean_text, file_of
from ...removal import Taken, is_lost, references, take_out, taken_called
from ...temporary import MAX_KEPT
from ...tree import Settled
from ...work import Answer, Step
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("prepare_remove_layer", effect="write", runs="task")
def prepare_remove_layer(call: Call, layer_ids: Sequence[str], restore: bool = False) -> Steps:
    """Preview the removal of layers with all that refers to them, and carry it out when the person agrees."""
    if restore:
        taken = [_taken(call, each) for each in dict.fromkeys(layer_ids)]
        lines = [[translate("QgisAgent", "Layer"), clean_text(each.layer.name(), 200)] for each in taken]
        title = translate("QgisAgent", "Put removed layers back?")
        card = write_card(call, title, lines, reversible=True, verb="restore")
        return (yield from confirmed(call, card, _Restoring(taken), reversible=True))
    layers = list({layer.id(): layer for layer in (call.layer(each) for each in layer_ids)}.values())
    for each in layers:
        _require_no_edits(each)
    card = write_card(
        call,
        translate("QgisAgent", "Take layers out of the project?"),
        _lines(call.host.project, layers),
        reversible=True,
        verb="remove",
    )
    return (yield from confirmed(call, card, _Removing(call.host.project, layers), reversible=True))


def _taken(call: Call, alias: str) -> Taken:
    found = taken_called(call.host, alias)
    hides = call.host.layers.is_hidden  # what the person excluded since is not put back by the agent
    if found is None or sip.isdeleted(found.layer) or hides(found.layer):
        taken = [each for each in call.host.removed if isinstance(each, Taken) and not sip.isdeleted(each.layer)]
        names = [each.alias for each in taken if not hides(each.layer)]
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "No layer '{}' was removed in this session.").format(clean_text(alias, 60)),
            hint=hint_for_name(alias, names, "removed layer"),
            reason="layer",
        )
    return found


def _require_no_edits(layer: QgsMapLayer) -> None:
    if isinstance(layer, QgsVectorLayer) and layer.isModified():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has unsaved edits.").format(clean_text(layer.name(), 60)),
            hint=translate("QgisAgent", "Ask the person to save or discard them first."),
            reason="unsaved_edits",
        )


def _lines(project: QgsProject, layers: List[QgsMapLayer]) -> List[List[str]]:
    lines: List[List[str]] = []
    for layer in layers:
        lines.append([translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)])
        if is_lost(layer, project):
            text = translate("QgisAgent", "its data is only in memory or temporary: it is lost when QGIS closes")
        else:
            text = translate("QgisAgent", "stays where it is: {}").format(file_of(layer) or layer.providerType())
        lines.append([translate("QgisAgent", "Data"), text])
        lines += [[kind, name] for kind, name in references(project, layer)]
    text = translate("QgisAgent", "in this session, with its joins, relations and themes (the last {} layers)")
    lines.append([translate("QgisAgent", "Can be put back"), text.format(MAX_KEPT)])
    return lines


class _Removing:
    """Layers to take out."""

    def __init__(self, project: QgsProject, layers: List[QgsMapLayer]) -> None:
        self._project = project
        self._layers = layers

    def state(self) -> str:
        """The layers and all that refers to them; "" when one is gone."""
        if any(sip.isdeleted(each) for each in self._layers):
            return ""
        parts = [(each.id(), each.name(), references(self._project, each)) for each in self._layers]
        return repr(parts)

    def run(self, call: Call) -> Steps:
        """Take them out, look, and put all back when one stayed."""
        host = call.host
        for each in self._layers:
            _require_no_edits(each)
        ids = [each.id() for each in self._layers]
        call.removing = frozenset(ids)
        lost = [host.layers.alias(each) for each in self._layers if is_lost(each, host.project)]
        taken = take_out(host, self._layers)
        done = False
        try:
            yield Settled()
            if any(host.project.mapLayer(each) is not None for each in ids):
                raise _failed(translate("QgisAgent", "QGIS did not remove all of the layers."))
            done = True
        finally:
            for each in reversed(taken if not done else []):
                if host.project.mapLayer(each.layer.id()) is None:
                    each.put_back(host)
        removed = [each.alias for each in taken]
        host.created_layers = [each for each in host.created_layers if each not in ids]
        host.project.setDirty(True)
        call.acted("remove_layers", layer_ids=removed)
        data: Dict[str, Any] = {"written": True, "removed": removed, "count": len(removed), "reversible": True}
        if lost:
            data["lost_when_qgis_closes"] = lost
        return Answer(data, translate("QgisAgent", "Removed from the project; restore puts them back in this session."))


class _Restoring:
    """Layers to put back."""

    def __init__(self, taken: List[Taken]) -> None:
        self._taken = taken

    def state(self) -> str:
        """The layers; "" when one is gone."""
        if any(sip.isdeleted(each.layer) for each in self._taken):
            return ""
        return repr([each.layer.id() for each in self._taken])

    def run(self, call: Call) -> Steps:
        """Put them back, the last one first, and look."""
        host, missing = call.host, []
        for each in reversed(self._taken):
            if host.project.mapLayer(each.layer.id()) is None:
                missing += each.put_back(host)
        yield Settled()
        if any(host.project.mapLayer(each.layer.id()) is None for each in self._taken):
            raise _failed(translate("QgisAgent", "QGIS did not put all of the layers back."))
        aliases = [host.layers.alias(each.layer) for each in self._taken]
        call.acted("restore_layers", layer_ids=aliases)
        data: Dict[str, Any] = {"written": True, "restored": aliases, "count": len(aliases)}
        if missing:
            data["warnings"] = [translate("QgisAgent", "Not set again: {}").format(", ".join(missing))]
        return Answer(data, translate("QgisAgent", "Put back with place, themes, relations and joins."))


def _failed(why: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        why,
        hint=translate("QgisAgent", "Look at the layers again; the person can remove them in the layer panel."),
        reason="not_removed",
    )
