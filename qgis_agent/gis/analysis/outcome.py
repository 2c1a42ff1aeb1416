"""Hands a verified result to the project: name, look, history, legend and evidence.

The layer is opaque, so that the map has the colours that the legend says; areas are put below points and lines.
"""

from __future__ import annotations

from typing import Any, Dict, List

from qgis.core import QgsSingleSymbolRenderer, QgsVectorLayer

from ..layers import clean_text
from ..style.palettes import RESULT_COLORS
from ..style.symbols import plain_symbol
from .plan import Plan, describe


def add_result(call: Any, layer: QgsVectorLayer, name: str, plan: Plan, inputs: Dict[str, str]) -> str:
    """Add the layer under "Agent results"; returns its alias. ``inputs`` names the plan's inputs for the evidence."""
    color = RESULT_COLORS[len(call.host.created_layers) % len(RESULT_COLORS)]
    layer.setRenderer(QgsSingleSymbolRenderer(plain_symbol(layer.geometryType(), color)))
    lines: List[str] = describe(plan, inputs)
    metadata = layer.metadata()
    metadata.setHistory(lines)
    layer.setMetadata(metadata)
    alias = call.host.add_result_layer(layer, name)
    call.acted("add_layer", layer_id=alias, name=name, features=layer.featureCount())
    call.add_legend(alias, [{"label": clean_text(name, 80), "color": color}])
    call.add_evidence(alias, "\n".join(lines))
    return alias
