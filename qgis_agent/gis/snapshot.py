"""What the agent is told of the map, small: the snapshot of each request, and the layers that were touched last."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional

from qgis.core import QgsMapLayer, QgsProject, QgsVectorLayer

from .layers import LayerRegistry, clean_text
from .scope_looks import filter_text

if TYPE_CHECKING:
    from .host import Host

MAX_CHARACTERS = 1200
"""Of the snapshot as JSON."""
MAX_BYTES = 1600
"""Of the same in UTF-8: over this the agent process would cut it blindly."""
MAX_RECENT = 5
MAX_VISIBLE = 12
MAX_NAMED = 4
_KEPT = 20


class Touched(NamedTuple):
    """A layer (its QGIS id) and what was done with it, e.g. "added", "hidden", "render"."""

    layer_id: str
    what: str


class Recent:
    """The layers that were touched last, newest first, by tools or by the person: what "that layer" can mean."""

    def __init__(self, project: QgsProject) -> None:
        self._project = project
        self._entries: List[Touched] = []
        project.layersAdded.connect(self._added)

    def note(self, layer: Optional[QgsMapLayer], what: str) -> None:
        """``layer`` is the newest now. A general word ("layer") does not replace what is known of it more exactly."""
        if layer is None or LayerRegistry.is_hidden(layer):
            return
        if what == "layer" and self._entries and self._entries[0].layer_id == layer.id():
            return
        rest = [each for each in self._entries if each.layer_id != layer.id()]
        self._entries = [Touched(layer.id(), clean_text(what, 20)), *rest][:_KEPT]

    def clear(self) -> None:
        """Another project."""
        self._entries = []

    def entries(self, layers: LayerRegistry, active: Optional[QgsMapLayer] = None) -> List[Dict[str, str]]:
        """At most 5 of {layer_id, what}, newest first; the active layer of QGIS stands last when it is not among them."""
        found = []
        for each in self._entries:
            layer = self._project.mapLayer(each.layer_id)
            if layer is not None and not layers.is_hidden(layer):
                found.append({"layer_id": layers.alias(layer), "what": each.what})
        found = found[:MAX_RECENT]
        if active is not None and layers.alias(active) not in [each["layer_id"] for each in found]:
            found = [*found[: MAX_RECENT - 1], {"layer_id": layers.alias(active), "what": "active"}]
        return found

    def _added(self, layers: List[QgsMapLayer]) -> None:
        for layer in layers[-MAX_RECENT:]:
            self.note(layer, "added")


def snapshot(host: Host) -> Dict[str, Any]:
    """The map as the agent is told of it: at most 1,200 characters as JSON, whatever the names are.

    Layers are named by whole aliases, or not at all: a part of one would name nothing. What does not fit is counted.
    """
    now = datetime.datetime.now().astimezone()
    layers, view = host.layers, host.view
    active = host.active_layer()
    visible = [layers.alias(each) for each in layers.visible_layers()]
    vectors = [each for each in layers.layers() if isinstance(each, QgsVectorLayer)]
    selected = [each for each in vectors if each.selectedFeatureCount()]
    found: Dict[str, Any] = {
        "project": clean_text(host.project.title() or host.project.baseName(), 60),
        "crs": view.crs().authid() or clean_text(view.crs().description(), 30),
        "view_bbox": host.view_bbox(),
        "scale": round(view.scale()),
        "layers": len(layers.layers()),
        "visible": visible[:MAX_VISIBLE],
        "active": layers.alias(active) if active is not None else None,
        "recent": host.recent.entries(layers, active),
        "selection": {layers.alias(each): each.selectedFeatureCount() for each in selected[:MAX_NAMED]},
        "filters": _filters(layers, vectors),
        "last_action": clean_text(host.last_action, 80),
        "now": now.isoformat(timespec="minutes"),
        "time_zone": str(now.tzinfo)[:40],
    }
    if active is None:
        del found["active"]
    if view.rotation():
        found["rotation"] = round(view.rotation(), 1)
    if len(visible) > MAX_VISIBLE:
        found["visible_more"] = len(visible) - MAX_VISIBLE
    return _fitted(found, len(visible))


def _filters(layers: LayerRegistry, vectors: List[QgsVectorLayer]) -> Dict[str, str]:
    filtered = [each for each in vectors if each.subsetString()]
    return {layers.alias(each): filter_text(each, 50) for each in filtered[:MAX_NAMED]}


def _fitted(found: Dict[str, Any], visible: int) -> Dict[str, Any]:
    """Drop what matters least, entry by entry, until it fits: visible layers from the bottom, filters, selection, recent."""

    def shorter(key: str, least: int) -> bool:
        if len(found[key]) <= least:
            return False
        if isinstance(found[key], dict):
            found[key].popitem()
        else:
            found[key].pop()
        if key == "visible":
            found["visible_more"] = visible - len(found["visible"])
        return True

    steps: List[Callable[[], bool]] = [
        lambda: shorter("visible", 6),
        lambda: shorter("filters", 1),
        lambda: shorter("selection", 1),
        lambda: shorter("recent", 3),
        lambda: shorter("visible", 2),
        lambda: shorter("recent", 1),
        lambda: shorter("filters", 0),
        lambda: shorter("selection", 0),
        lambda: shorter("visible", 0),
    ]
    while steps and not _fits(found):
        if not steps[0]():
            steps.pop(0)
    return found


def _fits(found: Dict[str, Any]) -> bool:
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return len(json.dumps(found, ensure_ascii=False)) <= MAX_CHARACTERS and len(text.encode()) <= MAX_BYTES
