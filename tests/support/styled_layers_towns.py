"""A small layer of towns in the looks that tests of the style document start from."""

from __future__ import annotations

from typing import Any

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsExpressionContextUtils,
    QgsFeature,
    QgsGeometry,
    QgsGraduatedSymbolRenderer,
    QgsMarkerSymbol,
    QgsPointClusterRenderer,
    QgsRenderContext,
    QgsRendererCategory,
    QgsRendererRange,
    QgsRuleBasedRenderer,
    QgsSingleSymbolRenderer,
    QgsVectorLayer,
)

FIELDS = "field=name:string(40)&field=n:integer&field=x:double"


def towns(names: list[Any]) -> QgsVectorLayer:
    """Points with a text, an integer and a number, in one plain red marker."""
    layer = QgsVectorLayer(f"Point?crs=EPSG:4326&{FIELDS}", "towns", "memory")
    features = []
    for number, name in enumerate(names):
        feature = QgsFeature(layer.fields())
        feature.setAttributes([name, number, number * 1.5])
        feature.setGeometry(QgsGeometry.fromWkt(f"POINT({number} 0)"))
        features.append(feature)
    assert layer.dataProvider().addFeatures(features)[0]
    layer.setRenderer(QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"color": "#ff0000", "size": "3"})))
    return layer


def drawn_colors(layer: QgsVectorLayer) -> list[str | None]:
    """The colour that QGIS draws each feature with; None for one that is not drawn."""
    renderer, context = layer.renderer().clone(), QgsRenderContext()
    context.expressionContext().appendScopes(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
    renderer.startRender(context, layer.fields())
    found = []
    for feature in layer.getFeatures():
        context.expressionContext().setFeature(feature)
        symbols = renderer.symbolsForFeature(feature, context)
        found.append(symbols[0].color().name() if symbols else None)
    renderer.stopRender(context)
    return found


def category(value: Any, color: str, label: str = "") -> QgsRendererCategory:
    """A class of points."""
    return QgsRendererCategory(value, QgsMarkerSymbol.createSimple({"color": color}), label)


def categories(layer: QgsVectorLayer, *made: QgsRendererCategory) -> QgsVectorLayer:
    """The layer drawn by its names."""
    layer.setRenderer(QgsCategorizedSymbolRenderer("name", list(made)))
    return layer


def graduated(layer: QgsVectorLayer) -> QgsVectorLayer:
    """Three classes of x."""
    ranges = [
        QgsRendererRange(low, low + 2.0, QgsMarkerSymbol.createSimple({"color": color}), str(low))
        for low, color in ((0.0, "#111111"), (2.0, "#222222"), (4.0, "#333333"))
    ]
    layer.setRenderer(QgsGraduatedSymbolRenderer("x", ranges))
    return layer


def ruled(layer: QgsVectorLayer) -> QgsVectorLayer:
    """A rule with one inside of it, and one beside them, by a person's expression."""
    rule = QgsRuleBasedRenderer.Rule
    root, outer = (
        rule(None),
        rule(QgsMarkerSymbol.createSimple({"color": "#ff0000"}), filterExp='"n" > 0', label="outer"),
    )
    outer.appendChild(rule(QgsMarkerSymbol.createSimple({"color": "#00ff00"}), filterExp='"n" > 1', label="inner"))
    root.appendChild(outer)
    root.appendChild(rule(QgsMarkerSymbol.createSimple({"color": "#0000ff"}), filterExp='sqrt("n") = 0', label="own"))
    layer.setRenderer(QgsRuleBasedRenderer(root))
    return layer


def clustered(layer: QgsVectorLayer) -> None:
    """Clusters of what is drawn by categories."""
    renderer = QgsPointClusterRenderer()
    renderer.setEmbeddedRenderer(categories(layer, category("a", "#ff0000")).renderer().clone())
    layer.setRenderer(renderer)
