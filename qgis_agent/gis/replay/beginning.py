"""Makes the copy of a project as it was when a run began: what a person had done by hand and not saved.

What is shown, the view, filters and selection are set; what else differs is told by the comparison that follows.
"""

from __future__ import annotations

from typing import Any, Dict

from qgis.core import QgsCoordinateReferenceSystem, QgsCsException, QgsRectangle, QgsVectorLayer

from ...bridge.trace import Trace
from ..extents import transformed
from ..host import Host
from ..layers import show_node
from .names import renamed
from .view import windowed


def restore(host: Host, trace: Trace, now: Dict[str, str]) -> None:
    """Set the beginning of ``trace``; ``now`` maps aliases of then to those of the copy."""
    state: Dict[str, Any] = renamed(trace.get("state_in") or {}, now)
    _view(host, trace["start"], state.get("view"))
    if isinstance(state.get("visible"), list):
        _visible(host, [str(each) for each in state["visible"]])
    _filters(host, state.get("filters") or {})
    _selection(host, state.get("selection") or {})


def _view(host: Host, start: Dict[str, Any], asked: Any) -> None:
    view = windowed(host.project, start, host)
    if view is not None:
        host.view = view
    crs = QgsCoordinateReferenceSystem(str(start.get("crs") or ""))
    if crs.isValid() and host.map_crs() != crs:
        host.project.setCrs(crs)
    extent = start.get("extent")
    if isinstance(extent, list) and len(extent) == 4 and all(isinstance(each, (int, float)) for each in extent):
        try:
            host.view.go(QgsRectangle(*extent) if crs.isValid() else _whole(host, extent))
        except QgsCsException:
            host.view.reset()
    rotation = start.get("rotation")
    host.view.set_rotation(float(rotation) if isinstance(rotation, (int, float)) else 0.0)
    host.view.begin_request()
    host.asked_view = dict(asked) if isinstance(asked, dict) else None


def _whole(host: Host, extent: Any) -> QgsRectangle:
    return QgsRectangle(transformed(QgsRectangle(*extent), host.map_crs(), host.map_crs(), host.project))


def _visible(host: Host, wanted: Any) -> None:
    shown = [host.layers.alias(each) for each in host.layers.visible_layers()]
    for alias in wanted:
        layer = host.layers.by_alias(alias)
        if alias not in shown and layer is not None:
            show_node(host.project, layer, True)
    for layer in host.layers.visible_layers():  # switching a group on shows what else is in it
        if host.layers.alias(layer) not in wanted:
            show_node(host.project, layer, False)


def _filters(host: Host, wanted: Dict[str, Any]) -> None:
    for layer in host.layers.layers():
        if not isinstance(layer, QgsVectorLayer) or layer.isEditable():
            continue
        text = str(wanted.get(host.layers.alias(layer)) or "")
        if layer.subsetString() != text and _is_condition(text):
            layer.setSubsetString(text)


def _is_condition(text: str) -> bool:
    """Whether a filter is a condition: a trace may come from anywhere, and OGR takes whole statements for filters too."""
    return ";" not in text and not text.lstrip().lower().startswith(("select", "with", "pragma", "attach"))


def _selection(host: Host, wanted: Dict[str, Any]) -> None:
    for layer in host.layers.layers():
        if not isinstance(layer, QgsVectorLayer):
            continue
        ids = wanted.get(host.layers.alias(layer)) or []
        known = isinstance(ids, list) and all(isinstance(each, int) for each in ids)
        if known and (layer.selectedFeatureCount() or ids):
            layer.selectByIds(ids)
