"""Handlers of the pack "arrange": selection."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ...call import Call
from ...errors import UPSTREAM_ERROR, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...selection import clear
from ...work import Answer
from ..registry import tool


@tool("clear_selection", effect="view")
def clear_selection(call: Call, layer_id: Optional[str] = None) -> Answer:
    """Select nothing, in one layer or in all."""
    layers = [call.vector_layer(layer_id)] if layer_id is not None else call.host.selected()
    cleared: List[Dict[str, Any]] = []
    for layer in layers:
        number = clear(layer)
        if layer.selectedFeatureCount():
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "{} features of '{}' are still selected.").format(
                    layer.selectedFeatureCount(), clean_text(layer.name(), 60)
                ),
                hint=translate("QgisAgent", "The selection was changed meanwhile; try again."),
                reason="selection_changed",
            )
        alias = call.host.layers.alias(layer)
        cleared.append({"layer_id": alias, "cleared": number})
        call.acted("select", layer_id=alias, mode="clear", selected=0)
    data = {"cleared": sum(each["cleared"] for each in cleared), "layers": cleared}
    message = "" if data["cleared"] else translate("QgisAgent", "Nothing was selected.")
    return Answer(data, message, rows_key="layers")
