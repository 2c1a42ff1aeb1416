"""Hands a verified result to the project: name, look, history, legend and evidence.

The layer is opaque, so that the map has the colours that the legend says; areas are put below points and lines.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import QgsMapLayer, QgsProcessingContext, QgsSingleSymbolRenderer, QgsVectorLayer

from ...layers import clean_text
from ...scope import seen_fields
from ...style.palettes import RESULT_COLORS
from ...style.symbols import plain_symbol
from .plan import (
    Plan,
    describe,
)
from .recipe import keep_recipe
from .record import record

MAX_COMPARED = 200
"""Features of a result that are compared with an earlier one, on the main thread."""


def same_result(call: Any, layer: QgsVectorLayer, name: str, plan: Plan, inputs: Dict[str, str]) -> str:
    """The alias of an earlier result that was made by the same steps and holds the same features; "" for none.

    A question that is asked twice leaves one layer in the project. One that a person edits or filters is left alone.
    """
    if layer.featureCount() > MAX_COMPARED:
        return ""
    lines = describe(plan, inputs)
    for layer_id in reversed(call.host.created_layers):
        earlier = call.host.project.mapLayer(layer_id)
        if earlier is None or earlier.name() != name or list(earlier.metadata().history()) != lines:
            continue
        if earlier.isEditable() or earlier.subsetString() or earlier.featureCount() != layer.featureCount():
            continue
        if _rows(earlier) == _rows(layer):
            alias = str(call.host.layers.alias(earlier))
            call.add_evidence(alias, "\n".join(lines), record(call, plan, inputs, layer=earlier))
            return alias
    return ""


def _rows(layer: QgsVectorLayer) -> List[Any]:
    """All of a small result, to compare it."""
    return sorted(
        (repr([str(each) for each in feature.attributes()]), bytes(feature.geometry().asWkb()))
        for feature in layer.getFeatures()
    )


def field_aliases(layer: QgsVectorLayer) -> Dict[str, str]:
    """{field: alias} of a layer's fields that have one."""
    return {each.name(): each.alias() for each in seen_fields(layer) if each.alias()}


def joined_aliases(first: QgsVectorLayer, second: QgsVectorLayer, prefix: str = "") -> Dict[str, str]:
    """{field: alias} of a result with the fields of two layers, the second one's behind ``prefix``.

    A name that both have is the first one's field: it does not get the alias of the other.
    """
    own = {each.name() for each in seen_fields(first)}
    theirs = {prefix + name: alias for name, alias in field_aliases(second).items()}
    return {**{name: alias for name, alias in theirs.items() if name not in own}, **field_aliases(first)}


def keep_aliases(result: QgsVectorLayer, aliases: Dict[str, str]) -> None:
    """Name the fields of a result as the person knows them: QGIS's algorithms drop the aliases on the way."""
    for name, alias in aliases.items():
        position = result.fields().lookupField(name)
        if position >= 0 and result.fields()[position].name() == name:
            result.setFieldAlias(position, alias)


def add_result(
    call: Any,
    layer: QgsMapLayer,
    name: str,
    plan: Plan,
    inputs: Dict[str, str],
    exact: Optional[Plan] = None,
    output: str = "",
    context: Optional[QgsProcessingContext] = None,
) -> str:
    """Add the layer under "Agent results"; returns its alias. ``inputs`` names the plan's inputs for the evidence.

    ``exact``: the plan with its parameters as the algorithm got them, where ``plan`` has only their words. ``output`` and
    ``context``: see ``record``.
    """
    drawn = isinstance(layer, QgsVectorLayer) and layer.isSpatial()
    color = RESULT_COLORS[len(call.host.created_layers) % len(RESULT_COLORS)]
    if drawn:
        layer.setRenderer(QgsSingleSymbolRenderer(plain_symbol(layer.geometryType(), color)))
    lines: List[str] = describe(plan, inputs)
    metadata = layer.metadata()
    metadata.setHistory(lines)
    layer.setMetadata(metadata)
    alias = str(call.host.add_result_layer(layer, name))
    counted = {"features": layer.featureCount()} if isinstance(layer, QgsVectorLayer) else {}
    call.acted("add_layer", layer_id=alias, name=name, **counted)
    if drawn:
        call.add_legend(alias, [{"label": clean_text(name, 80), "color": color}])
    told = record(call, plan if exact is None else exact, inputs, output, context, layer)
    call.add_evidence(alias, "\n".join(lines), told)
    keep_recipe(call, plan if exact is None else exact, inputs)
    return alias
