"""The style document: a layer's look as one JSON document (design section 6)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from qgis.core import (
    QgsFeatureRenderer,
    QgsMapLayer,
    QgsRasterLayer,
    QgsRuleBasedRenderer,
    QgsSymbol,
    QgsVectorLayer,
)
from qgis.PyQt.QtGui import QPainter

from ...bridge.envelope import size_bytes, success
from ...bridge.messages import MAX_RESULT_BYTES
from ..errors import ToolError
from ..features import json_value
from ..layers import clean_text
from . import measures, palettes
from .history import LEGEND_TITLE
from .symbols import layers_of, symbol_of

PAGE = 20
_VECTOR_TYPES = {
    "singleSymbol": "single",
    "categorizedSymbol": "categorized",
    "graduatedSymbol": "graduated",
    "RuleRenderer": "rules",
    "heatmapRenderer": "heatmap",
    "pointCluster": "cluster",
    "pointDisplacement": "displacement",
    "nullSymbol": "none",
}
_RASTER_TYPES = {
    "singlebandgray": "gray",
    "singlebandpseudocolor": "pseudocolor",
    "multibandcolor": "multiband",
    "paletted": "paletted",
    "hillshade": "hillshade",
    "contour": "contour",
}
_CLASSIFICATIONS = {
    "EqualInterval": "equal_interval",
    "Quantile": "quantile",
    "Jenks": "natural_breaks",
    "Pretty": "pretty",
    "StdDev": "standard_deviation",
    "Logarithmic": "logarithmic",
    "Custom": "manual",
}
_BLEND = {
    QPainter.CompositionMode.CompositionMode_SourceOver: "normal",
    QPainter.CompositionMode.CompositionMode_Multiply: "multiply",
    QPainter.CompositionMode.CompositionMode_Screen: "screen",
    QPainter.CompositionMode.CompositionMode_Overlay: "overlay",
    QPainter.CompositionMode.CompositionMode_Darken: "darken",
    QPainter.CompositionMode.CompositionMode_Lighten: "lighten",
    QPainter.CompositionMode.CompositionMode_Plus: "addition",
}
Entries = List[Dict[str, Any]]


def style_document(host: Any, layer: QgsMapLayer, part: str, cursor: int) -> Dict[str, Any]:
    """The document, or one part of it, with at most 20 classes from ``cursor`` on; ``next`` is where the rest begins.

    Pages are made smaller until the whole fits the budget of a result.
    """
    size = PAGE
    while True:
        document = _page(host, layer, part, cursor, size)
        if size == 1 or size_bytes(success(document)) <= MAX_RESULT_BYTES:
            return document
        size = max(1, size * 2 // 3)


def _page(host: Any, layer: QgsMapLayer, part: str, cursor: int, size: int) -> Dict[str, Any]:
    document: Dict[str, Any] = {"layer_id": host.layers.alias(layer)}
    head, entries = _renderer(layer)
    shown = entries[cursor : cursor + size]
    if part in ("all", "renderer"):
        document["renderer"] = head
        if entries:
            key = "rules" if head["type"] == "rules" else "classes"
            head[key] = {
                "{}{}".format(key[0], number + 1): dict(entry, order=number)
                for number, entry in enumerate(shown, cursor)
            }
    if part in ("all", "labels"):
        document["labels"] = _labels(layer)
    if part == "all":
        document.update(_rendering(layer))
    if part in ("all", "legend"):
        document["legend"] = {"title": _legend_title(host, layer), "items": _legend_items(layer, head, shown)}
    end = cursor + len(shown)
    document["total_classes"] = len(entries)
    document["next"] = end if end < len(entries) and part != "labels" else None
    return document


def _renderer(layer: QgsMapLayer) -> Tuple[Dict[str, Any], Entries]:
    """The renderer without its classes, and the classes."""
    if isinstance(layer, QgsRasterLayer):
        return _raster(layer)
    renderer = layer.renderer() if isinstance(layer, QgsVectorLayer) else None
    if renderer is None:
        return {"type": "none"}, []
    kind = _VECTOR_TYPES.get(renderer.type(), "other")
    head: Dict[str, Any] = {"type": kind}
    entries: Entries = []
    if kind == "other":
        head.update(name=renderer.type(), unsupported=True)
    elif kind == "graduated":
        head.update(_attribute(layer, renderer))
        method = renderer.classificationMethod()
        head["classification"] = _CLASSIFICATIONS.get(method.id() if method is not None else "", "manual")
        entries = _ranges(renderer)
    elif kind == "categorized":
        head.update(_attribute(layer, renderer))
        entries = _categories(renderer)
    elif kind == "rules":
        entries = _rules(renderer)
    if kind in ("graduated", "categorized"):
        palette, reverse = palettes.palette_of([each["color"] for each in entries])
        head.update(palette=palette or None, reverse=reverse)
    symbol = symbol_of(renderer)
    if symbol is not None and kind != "rules":
        head["symbol"] = _symbol(symbol, kind == "single")
    return head, entries


def _attribute(layer: QgsVectorLayer, renderer: QgsFeatureRenderer) -> Dict[str, Any]:
    """The classified field; a computed name where it is one; an expression that a person wrote is kept as text."""
    name = renderer.classAttribute()
    if layer.fields().lookupField(name) >= 0:
        return {"field": name}
    for computed in measures.NAMES:
        if _is_measure(layer, computed, name):
            return {"field": computed}
    return {"expression": clean_text(name, 300), "unsupported": True}


def _is_measure(layer: QgsVectorLayer, computed: str, text: str) -> bool:
    try:
        return measures.expression(layer, computed) == text
    except ToolError:  # the measure does not go with this layer
        return False


def _ranges(renderer: QgsFeatureRenderer) -> Entries:
    return [
        {
            "label": clean_text(each.label(), 120),
            "lower": json_value(each.lowerValue()),
            "upper": json_value(each.upperValue()),
            "color": _color(each.symbol()),
            "visible": each.renderState(),
        }
        for each in renderer.ranges()
    ]


def _categories(renderer: QgsFeatureRenderer) -> Entries:
    entries = []
    for each in renderer.categories():
        value = json_value(each.value(), 120)
        entry = {
            "label": clean_text(each.label(), 120),
            "value": value,
            "color": _color(each.symbol()),
            "visible": each.renderState(),
        }
        entries.append(dict(entry, is_null=True) if value in (None, "") else entry)
    return entries


def _rules(renderer: QgsRuleBasedRenderer) -> Entries:
    """Every rule below the root, outer before inner; ``parent`` is the order of the rule it is nested in."""
    rules = renderer.rootRule().descendants()
    keys = [each.ruleKey() for each in rules]
    entries = []
    for rule in rules:
        entry: Dict[str, Any] = {
            "label": clean_text(rule.label(), 120),
            "color": _color(rule.symbol()),
            "visible": rule.active(),
        }
        if rule.isElse():
            entry["else"] = True
        elif rule.filterExpression():
            entry.update(expression=clean_text(rule.filterExpression(), 200), unsupported=True)
        if rule.minimumScale() or rule.maximumScale():
            entry["scale_range"] = {"min": rule.minimumScale(), "max": rule.maximumScale()}
        parent = rule.parent()
        if parent is not None and parent.ruleKey() in keys:
            entry["parent"] = keys.index(parent.ruleKey())
        entries.append(entry)
    return entries


def _raster(layer: QgsRasterLayer) -> Tuple[Dict[str, Any], Entries]:
    renderer = layer.renderer()
    if renderer is None:
        return {"type": "none"}, []
    kind = _RASTER_TYPES.get(renderer.type(), "other")
    head: Dict[str, Any] = {"type": kind, "bands": [each for each in renderer.usesBands() if each > 0]}
    if kind == "other":
        head.update(name=renderer.type(), unsupported=True)
    if kind == "gray" and renderer.contrastEnhancement() is not None:
        stretch = renderer.contrastEnhancement()
        head.update(lower=json_value(stretch.minimumValue()), upper=json_value(stretch.maximumValue()))
    entries: Entries = []
    if kind == "pseudocolor":
        function = renderer.shader().rasterShaderFunction() if renderer.shader() is not None else None
        items = function.colorRampItemList() if function is not None else []
        entries = [
            {"label": clean_text(each.label, 120), "upper": json_value(each.value), "color": each.color.name()}
            for each in items
        ]
    elif kind == "paletted":
        entries = [
            {"label": clean_text(each.label, 120), "value": json_value(each.value), "color": each.color.name()}
            for each in renderer.classes()
        ]
    return head, entries


def _symbol(symbol: QgsSymbol, with_color: bool) -> Dict[str, Any]:
    found: Dict[str, Any] = {"layers": len(layers_of(symbol))}
    if with_color:
        found["color"] = symbol.color().name()
    if hasattr(symbol, "size"):
        found["size"] = round(symbol.size(), 3)
    if hasattr(symbol, "width"):
        found["width"] = round(symbol.width(), 3)
    first = layers_of(symbol)[0] if found["layers"] else None
    if first is not None and hasattr(first, "strokeWidth"):
        found.update(outline_color=first.strokeColor().name(), outline_width=round(first.strokeWidth(), 3))
    return found


def _labels(layer: QgsMapLayer) -> Dict[str, Any]:
    labeling = layer.labeling() if isinstance(layer, QgsVectorLayer) else None
    if labeling is None:
        return {"enabled": False}
    found: Dict[str, Any] = {"enabled": layer.labelsEnabled(), "type": labeling.type()}
    if labeling.type() == "simple":
        settings = labeling.settings()
        if settings.isExpression:
            found.update(expression=clean_text(settings.fieldName, 200), unsupported=True)
        else:
            found["field"] = settings.fieldName
        style = settings.format()
        found.update(size=round(style.size(), 2), color=style.color().name())
    elif labeling.type() == "rule-based":
        found.update(type="rules", rules=len(labeling.rootRule().descendants()), unsupported=True)
    return found


def _rendering(layer: QgsMapLayer) -> Dict[str, Any]:
    scales: Optional[Dict[str, float]] = None
    if layer.hasScaleBasedVisibility():
        scales = {"min": layer.minimumScale(), "max": layer.maximumScale()}
    return {
        "opacity": round(layer.opacity(), 3),
        "blend": _BLEND.get(layer.blendMode(), "other"),
        "scale_range": scales,
    }


def _legend_title(host: Any, layer: QgsMapLayer) -> Optional[str]:
    node = host.project.layerTreeRoot().findLayer(layer.id())
    title = node.customProperty(LEGEND_TITLE) if node is not None else None
    return clean_text(title, 80) if isinstance(title, str) and title else None


def _legend_items(layer: QgsMapLayer, head: Dict[str, Any], shown: Entries) -> Entries:
    if head["type"] == "single" and "symbol" in head:
        return [{"label": clean_text(layer.name(), 80), "color": head["symbol"]["color"]}]
    return [{"label": each["label"], "color": each["color"]} for each in shown if each.get("visible", True)]


def _color(symbol: Optional[QgsSymbol]) -> Optional[str]:
    return str(symbol.color().name()) if symbol is not None else None
