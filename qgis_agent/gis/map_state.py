"""The map as canonical data: what a trace keeps, and what a replay must come to again (design section 8).

``view``       {bbox, crs, …} that the last view action asked for; null when none did. Never the canvas's own extent
``crs``        of the map
``visible``    aliases of the layers that are drawn, topmost first
``filters``    {alias: filter in force}
``selection``  {alias: ids in order}, or {alias: {"count"}} where more than 1,000 are selected
``created``    aliases of the layers that tools made, in the order of the layer tree
``layers``     {alias: {name, group, kind, crs, and of those that tools made: features, fields}} of what is visible or made
``styles``     {alias: style document} of the first 20 of these; one that is too long is {"sha256"}

The same map gives the same bytes of ``bridge.trace.canonical_json``, whatever the machine, window or hash seed.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, Dict, List

from qgis.core import QgsMapLayer, QgsProviderRegistry, QgsVectorLayer

from ..bridge.trace import canonical_json
from .layers import clean_text, layer_kind
from .scope import seen_fields
from .scope_looks import filter_text
from .style.document import full_document

if TYPE_CHECKING:
    from .host import Host

MAX_IDS = 1000
MAX_LAYERS = 60
MAX_STYLES = 20
"""Topmost first, after those that tools made: each takes 1 to 2 ms of the main thread, where a run begins and ends."""
MAX_STYLE_CHARACTERS = 20_000
MAX_STATE_CHARACTERS = 300_000
"""Of all styles together: the state goes over the bridge in one line, beside other things."""
MAX_ALIASES = 500


def map_state(host: Host, styles: bool = True) -> Dict[str, Any]:
    """See the module. On the main thread: nothing here reads features."""
    alias = host.layers.alias
    layers = host.layers.layers()
    vectors = [each for each in layers if isinstance(each, QgsVectorLayer)]
    made_ids = set(host.created_layers)
    made = [each for each in layers if each.id() in made_ids]
    visible = host.layers.visible_layers()
    told = (made + [each for each in visible if each.id() not in made_ids])[:MAX_LAYERS]
    return {
        "view": host.asked_view,
        "crs": host.map_crs().authid(),
        "visible": [alias(each) for each in visible],
        "filters": {alias(each): filter_text(each, 0) for each in vectors if each.subsetString()},
        "selection": {alias(each): _selection(each) for each in host.selected()},
        "created": [alias(each) for each in made],
        "layers": {alias(each): _layer(host, each, each.id() in made_ids) for each in told},
        "styles": _styles(host, told[:MAX_STYLES]) if styles else {},
    }


def start_of(host: Host) -> Dict[str, Any]:
    """Where a run begins: what the map shows, as a trace keeps it under ``start``."""
    frame = host.view.frame()
    finite = frame.isFinite() and not frame.isEmpty()
    settings = host.canvas.mapSettings() if host.canvas is not None else None
    return {
        "extent": [frame.xMinimum(), frame.yMinimum(), frame.xMaximum(), frame.yMaximum()] if finite else None,
        "crs": host.map_crs().authid(),
        "rotation": host.view.rotation(),
        "size": [settings.outputSize().width(), settings.outputSize().height()] if settings is not None else None,
        "dpi": settings.outputDpi() if settings is not None else None,
    }


def aliases_of(host: Host) -> Dict[str, Dict[str, str]]:
    """{alias: {layer_id, name, source_digest}} of the layers that tools may see, the first 500 of the layer tree."""
    return {
        host.layers.alias(each): {
            "layer_id": each.id(),
            "name": clean_text(each.name(), 120),
            "source_digest": source_digest(each),
        }
        for each in host.layers.layers()[:MAX_ALIASES]
    }


def source_digest(layer: QgsMapLayer) -> str:
    """Stands for what a layer reads, without saying it: the same for a copy of the file in another folder."""
    parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
    path = str(parts.get("path") or "")
    named = [os.path.basename(path), str(parts.get("layerName") or "")] if path else [layer.source()]
    if layer.providerType() == "memory":
        named = ["memory"]
    return hashlib.sha256("|".join([layer.providerType(), *named]).encode("utf-8", "replace")).hexdigest()[:16]


def _selection(layer: QgsVectorLayer) -> Any:
    count = layer.selectedFeatureCount()
    return sorted(layer.selectedFeatureIds()) if count <= MAX_IDS else {"count": count}


def _layer(host: Host, layer: QgsMapLayer, made: bool) -> Dict[str, Any]:
    told: Dict[str, Any] = {
        "name": clean_text(layer.name(), 120),
        "group": host.layers.group_of(layer),
        "kind": layer_kind(layer),
        "crs": layer.crs().authid(),
    }
    if made and isinstance(layer, QgsVectorLayer):
        # Of a layer in memory or in a file of ours without a filter the provider's count is one number that it keeps.
        provider = layer.dataProvider()
        told["features"] = provider.featureCount() if provider is not None and not layer.subsetString() else None
        told["fields"] = list(seen_fields(layer).names())
    return told


def _styles(host: Host, layers: List[QgsMapLayer]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    room = MAX_STATE_CHARACTERS
    for layer in layers:
        document = full_document(host, layer)
        text = canonical_json(document)
        if len(text) > min(MAX_STYLE_CHARACTERS, room):
            document = {"sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()}
        else:
            room -= len(text)
        found[host.layers.alias(layer)] = document
    return found
