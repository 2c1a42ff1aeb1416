"""Handlers of the pack "default": the layers of the project."""

from __future__ import annotations

from typing import Any, Dict, Generator, List

from qgis.core import (
    QgsUnitTypes,
    QgsVectorLayer,
)

from ...call import Call
from ...errors import UNSUPPORTED, ToolError
from ...extents import bbox_degrees
from ...features import FeatureReader
from ...i18n import translate
from ...layers import clean_text, field_type, layer_kind, show_node
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("describe_layer", effect="read", runs="task")
def describe_layer(call: Call, layer_id: str) -> Steps:
    """What a layer is. Extent in degrees (EPSG:4326); the number of features is counted, not estimated."""
    layer = call.layer(layer_id)
    crs = layer.crs()
    data: Dict[str, Any] = {
        "layer_id": call.host.layers.alias(layer),
        "name": clean_text(layer.name(), 120),
        "kind": layer_kind(layer),
        "crs": crs.authid() or clean_text(crs.description(), 60),
        "crs_unit": QgsUnitTypes.toString(crs.mapUnits()) if crs.isValid() else None,
        "visible": call.host.layers.is_visible(layer),
    }
    warnings: List[str] = []
    if not layer.isValid():
        warnings.append(translate("QgisAgent", "its data cannot be read"))
    elif not crs.isValid() and layer.isSpatial():
        warnings.append(translate("QgisAgent", "it has no CRS: distances and places cannot be computed"))
    if isinstance(layer, QgsVectorLayer) and layer.isValid():
        if layer.subsetString():
            warnings.append(
                translate("QgisAgent", "a filter is in force: {}").format(clean_text(layer.subsetString(), 200))
            )
        if layer.isEditable():
            warnings.append(translate("QgisAgent", "it is being edited"))
        reader = FeatureReader(layer, ())
        data["feature_count"] = yield Work(translate("QgisAgent", "Counting"), reader.count)
        data["count_kind"] = "exact"
        data["fields"] = [
            dict({"name": each.name(), "type": field_type(each)}, **({"alias": each.alias()} if each.alias() else {}))
            for each in layer.fields()
        ]
    data["bbox"] = bbox_degrees(layer.extent(), crs, call.host.project)
    data["warnings"] = warnings
    return Answer(data, "", rows_key="fields")


@tool("toggle_layer", effect="view")
def toggle_layer(call: Call, layer_id: str, visible: bool) -> Answer:
    """Show or hide a layer; the groups above one that is shown are switched on too. Read back before it counts as done."""
    layer = call.layer(layer_id)
    before = call.host.layers.is_visible(layer)
    groups = show_node(call.host.project, layer, visible)
    now = call.host.layers.is_visible(layer)
    if now != visible:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' is not in the layer tree.").format(layer_id),
            hint=translate("QgisAgent", "Add it to the layer tree in QGIS."),
            reason="not_in_tree",
        )
    call.host.project.setDirty(True)
    alias = call.host.layers.alias(layer)
    call.acted("layer", layer_id=alias, visible=visible)
    message = "" if before != now else translate("QgisAgent", "It was so already.")
    if groups:
        message = translate("QgisAgent", "Groups switched on with it: {}.").format(", ".join(groups))
    data: Dict[str, Any] = {"layer_id": alias, "visible": now, "changed": before != now}
    return Answer(dict(data, groups=groups) if groups else data, message)
