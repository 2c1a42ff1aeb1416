"""A layer of a person's data on its way into the project: look, place in the tree, and what is said of it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsLayerTree,
    QgsMapLayer,
    QgsProject,
    QgsRasterLayer,
    QgsRectangle,
    QgsSingleSymbolRenderer,
    QgsVectorLayer,
)

from ..call import Call
from ..errors import UPSTREAM_ERROR, ToolError
from ..extents import bbox_degrees
from ..i18n import translate
from ..layers import clean_text, field_type, layer_kind, literal_name
from ..style.palettes import RESULT_COLORS
from ..style.symbols import plain_symbol
from .coordinates import Misplaced, crs_doubts, crs_name, fitting_box

_ABOVE = {"point": 0, "line": 0, "table": 0, "polygon": 1, "raster": 2, "other": 2}
"""Order in the tree: areas go below points and lines, pictures below all."""
_SOME = "some_out_of_range"
_BOTTOM = 3
"""Pictures of a service: a background for everything."""


def next_color(project: QgsProject) -> str:
    """The next colour of the fixed sequence, by the number of layers that the project has."""
    return RESULT_COLORS[len(project.mapLayers()) % len(RESULT_COLORS)]


def look(layer: QgsVectorLayer, color: str) -> None:
    """An explicit plain symbol instead of QGIS's random one or a style that came with the data."""
    if layer.isSpatial():
        layer.setRenderer(QgsSingleSymbolRenderer(plain_symbol(layer.geometryType(), color)))


def place(project: QgsProject, layer: QgsMapLayer) -> None:
    """Add the layer on top of those of its rank, so that it hides nothing above it: a person's data, not a result."""
    root = project.layerTreeRoot()
    rank = _BOTTOM if isinstance(layer, QgsRasterLayer) and layer.providerType() == "wms" else _ABOVE[layer_kind(layer)]
    index = 0
    for child in root.children():
        nodes = [child] if QgsLayerTree.isLayer(child) else child.findLayers()
        ranks = [_ABOVE[layer_kind(node.layer())] for node in nodes if node.layer() is not None]
        if not ranks or min(ranks) < rank:
            index = root.children().index(child) + 1
        else:
            break
    layer.setName(literal_name(layer.name()))
    project.addMapLayer(layer, False)
    root.insertLayer(index, layer)
    if project.mapLayer(layer.id()) is None or root.findLayer(layer.id()) is None:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take the layer."),
            hint=translate("QgisAgent", "See QGIS's log."),
            reason="not_added",
        )


def added(call: Call, layer: QgsMapLayer, color: str, source: str, **more: Any) -> str:
    """Put the layer into the project and say so; returns its alias. ``source`` is what the person reads as its origin."""
    place(call.host.project, layer)
    alias = call.host.layers.alias(layer)
    call.acted("add_layer", layer_id=alias, name=clean_text(layer.name(), 120), **more)
    if color:
        call.add_legend(alias, [{"label": clean_text(layer.name(), 80), "color": color}])
    call.add_evidence(alias, clean_text(source, 300))
    return alias


def facts(
    call: Call,
    layer: QgsMapLayer,
    alias: str,
    extent: QgsRectangle,
    crs: QgsCoordinateReferenceSystem,
    misplaced: Optional[Misplaced] = None,
) -> Dict[str, Any]:
    """What every adding tool answers: layer_id, name, kind, crs, bbox in degrees, warnings about the CRS.

    Where only some features have coordinates that are no degrees, the bbox is that of the others.
    """
    doubts = crs_doubts(extent, crs, call.host.project, misplaced) if layer.isSpatial() else []
    place = fitting_box(extent, crs, misplaced)
    placed = layer.isSpatial() and place is not None and all(each["problem"] == _SOME for each in doubts)
    return {
        "layer_id": alias,
        "name": clean_text(layer.name(), 120),
        "kind": layer_kind(layer),
        "crs": crs_name(crs) if layer.isSpatial() else None,
        "bbox": bbox_degrees(place, crs, call.host.project) if placed and place is not None else None,
        "doubts": doubts,
    }


def field_rows(layer: QgsVectorLayer) -> List[Dict[str, str]]:
    """Fields with their type."""
    return [{"name": clean_text(each.name(), 60), "type": field_type(each)} for each in layer.fields()]


def sentence(parts: List[str]) -> str:
    """Sentences that are not empty, in one line."""
    return " ".join(each for each in parts if each)
