"""The 28 looks of ``styled_layers`` that are not a library symbol: renderers, data-defined properties, labels, rasters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qgis.core import (
    Qgis,
    QgsCategorizedSymbolRenderer,
    QgsClassificationQuantile,
    QgsColorRampShader,
    QgsContrastEnhancement,
    QgsFeatureRequest,
    QgsFillSymbol,
    QgsGradientColorRamp,
    QgsGradientStop,
    QgsGraduatedSymbolRenderer,
    QgsHeatmapRenderer,
    QgsHillshadeRenderer,
    QgsLineSymbol,
    QgsMarkerSymbol,
    QgsMultiBandColorRenderer,
    QgsNullSymbolRenderer,
    QgsPalettedRasterRenderer,
    QgsPalLayerSettings,
    QgsPointClusterRenderer,
    QgsPointDisplacementRenderer,
    QgsProperty,
    QgsRasterShader,
    QgsRendererCategory,
    QgsRendererRange,
    QgsRuleBasedLabeling,
    QgsRuleBasedRenderer,
    QgsSingleBandGrayRenderer,
    QgsSingleBandPseudoColorRenderer,
    QgsSingleSymbolRenderer,
    QgsSizeScaleTransformer,
    QgsStyle,
    QgsSymbol,
    QgsSymbolLayer,
    QgsTextBufferSettings,
    QgsTextFormat,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtGui import QColor, QFont, QPainter

Rule = QgsRuleBasedRenderer.Rule
COLORS = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e")


def _symbol(kind: str, **properties: str) -> QgsSymbol:
    made = {"point": QgsMarkerSymbol, "line": QgsLineSymbol, "polygon": QgsFillSymbol}[kind]
    return made.createSimple(properties)


def _categories(layer: Any) -> None:
    values = ["school", "shop", "bank", ""]
    renderer = QgsCategorizedSymbolRenderer("kind")
    for value, color, shape in zip(values, COLORS, ("circle", "square", "star", "cross2")):
        symbol = _symbol("point", color=color, name=shape, size="4.5")
        renderer.addCategory(QgsRendererCategory(value, symbol, value or "all other values"))
    layer.setRenderer(renderer)


def _categories_null(layer: Any) -> None:
    """NULL as a category; one category of two values; one switched off."""
    renderer = QgsCategorizedSymbolRenderer("kind")
    for value, color, on in (
        (["school", "bank"], COLORS[0], True),
        ("shop", COLORS[1], False),
        ("farm", COLORS[2], True),
        (None, COLORS[3], True),
    ):
        symbol = _symbol("polygon", color=color, outline_color="#222222", outline_width="0.4")
        renderer.addCategory(QgsRendererCategory(value, symbol, str(value), on))
    layer.setRenderer(renderer)


def _categories_of_roads(layer: Any) -> None:
    renderer = QgsCategorizedSymbolRenderer("n")
    library = QgsStyle.defaultStyle()
    names = (
        "topo main road",
        "topo railway",
        "topo path",
        "cat trail",
        "topo road",
        "topo steps",
        "dash red",
        "dash blue",
    )
    for value, name in enumerate(names):
        renderer.addCategory(QgsRendererCategory(value, library.symbol(name), name))
    layer.setRenderer(renderer)


def _graduated(layer: Any) -> None:
    ranges = [
        QgsRendererRange(low, low + 5, _symbol("polygon", color=color, outline_style="no"), f"{low} – {low + 5}")
        for low, color in zip((0.0, 5.0, 10.0, 15.0), ("#fef0d9", "#fdcc8a", "#fc8d59", "#d7301f"))
    ]
    renderer = QgsGraduatedSymbolRenderer("x", ranges)
    renderer.setClassificationMethod(QgsClassificationQuantile())
    layer.setRenderer(renderer)


def _graduated_size(layer: Any) -> None:
    ranges = [
        QgsRendererRange(low, low + 10, _symbol("point", color="#3366cc", size=str(2 + index * 2)), f"class {index}")
        for index, low in enumerate((0.0, 10.0, 20.0))
    ]
    renderer = QgsGraduatedSymbolRenderer("x", ranges)
    renderer.setGraduatedMethod(Qgis.GraduatedMethod.Size)
    layer.setRenderer(renderer)


def _graduated_width(layer: Any) -> None:
    ranges = [
        QgsRendererRange(low, low + 3, _symbol("line", line_color=COLORS[index], line_width=str(0.5 + index)), "")
        for index, low in enumerate((0, 3, 6))
    ]
    layer.setRenderer(QgsGraduatedSymbolRenderer("n", ranges))


def _rules(layer: Any) -> None:
    root = Rule(None)
    for expression, color in (("\"kind\" = 'school'", COLORS[0]), ('"x" > 10 AND "x" <= 20', COLORS[1])):
        root.appendChild(Rule(_symbol("point", color=color, size="5"), filterExp=expression, label=expression[:6]))
    root.appendChild(Rule(_symbol("point", color="#aaaaaa", size="3", name="triangle"), elseRule=True, label="rest"))
    layer.setRenderer(QgsRuleBasedRenderer(root))


def _nested_rules(layer: Any) -> None:
    """Scale ranges that hold and that do not, a rule without a symbol, else inside of a rule, one switched off."""
    root = Rule(None)
    large = Rule(None, filterExp='"n" >= 2', label="large")
    near = Rule(_symbol("polygon", color=COLORS[0]), 0, 5000, filterExp="\"kind\" IN ('bank', 'shop')", label="near")
    near.setMinimumScale(5000)
    far = Rule(_symbol("polygon", color="#ff0000"), filterExp='"n" < 100', label="far")
    far.setMinimumScale(1000000)
    far.setMaximumScale(50000)
    large.appendChild(near)
    large.appendChild(far)
    large.appendChild(Rule(_symbol("polygon", color=COLORS[2], style="b_diagonal"), elseRule=True, label="other"))
    off = Rule(_symbol("polygon", color="#000000"), filterExp='"n" IS NOT NULL', label="off")
    off.setActive(False)
    root.appendChild(large)
    root.appendChild(off)
    root.appendChild(Rule(_symbol("polygon", color="#eeeeee"), filterExp='"n" < 2', label="small"))
    layer.setRenderer(QgsRuleBasedRenderer(root))


def _person_rules(layer: Any) -> None:
    """Expressions that no list of conditions says."""
    root = Rule(None)
    root.appendChild(
        Rule(_symbol("line", line_color="#cc0000", line_width="1.2"), filterExp='"n" % 2 = 0', label="even")
    )
    root.appendChild(Rule(_symbol("line", line_color="#0000cc"), filterExp='length("name") > 3', label="long"))
    layer.setRenderer(QgsRuleBasedRenderer(root))


def _ramp(*colors: str) -> QgsGradientColorRamp:
    first, *middle, last = (QColor(each) for each in colors)
    stops = [QgsGradientStop((index + 1) / (len(middle) + 1), each) for index, each in enumerate(middle)]
    return QgsGradientColorRamp(first, last, False, stops)


def _heatmap(layer: Any) -> None:
    renderer = QgsHeatmapRenderer()
    renderer.setRadius(14)
    renderer.setColorRamp(_ramp("#00ffffff", "#fdae61", "#d7191c"))
    layer.setRenderer(renderer)


def _heatmap_weighted(layer: Any) -> None:
    renderer = QgsHeatmapRenderer()
    renderer.setRadius(40)
    renderer.setRadiusUnit(Qgis.RenderUnit.Pixels)
    renderer.setWeightExpression("x")
    renderer.setMaximumValue(30)
    renderer.setRenderQuality(1)
    renderer.setColorRamp(_ramp("#ffffff", "#1a9641"))
    layer.setRenderer(renderer)


def _cluster(layer: Any) -> None:
    renderer = QgsPointClusterRenderer()
    renderer.setTolerance(8)
    renderer.setClusterSymbol(_symbol("point", color="#e31a1c", size="7", name="hexagon"))
    renderer.setEmbeddedRenderer(QgsSingleSymbolRenderer(_symbol("point", color="#1f78b4", size="3")))
    layer.setRenderer(renderer)


def _displacement(layer: Any) -> None:
    renderer = QgsPointDisplacementRenderer()
    renderer.setTolerance(6)
    renderer.setPlacement(QgsPointDisplacementRenderer.Placement.ConcentricRings)
    renderer.setCircleColor(QColor("#33a02c"))
    renderer.setCircleWidth(0.8)
    renderer.setCenterSymbol(_symbol("point", color="#000000", size="2"))
    renderer.setEmbeddedRenderer(QgsSingleSymbolRenderer(_symbol("point", color="#ff7f00", size="3", name="diamond")))
    layer.setRenderer(renderer)


def _none_with_labels(layer: Any) -> None:
    layer.setRenderer(QgsNullSymbolRenderer())
    _label(layer, _settings("name", 11, "#aa0000"))


def _size_by_field(layer: Any) -> None:
    symbol = _symbol("point", color="#6a3d9a", outline_color="#ffffff")
    scale = QgsSizeScaleTransformer(QgsSizeScaleTransformer.ScaleType.Area, 0, 30, 2, 9)
    size = QgsProperty.fromField("x")
    size.setTransformer(scale)
    symbol.symbolLayer(0).setDataDefinedProperty(QgsSymbolLayer.Property.Size, size)
    symbol.symbolLayer(0).setDataDefinedProperty(QgsSymbolLayer.Property.Angle, QgsProperty.fromField("n"))
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))


def _opacity_by_field(layer: Any) -> None:
    symbol = _symbol("polygon", color="#005599", outline_color="#000000")
    symbol.setDataDefinedProperty(QgsSymbol.Property.Opacity, QgsProperty.fromField("x"))
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))


def _size_by_expression(layer: Any) -> None:
    symbol = _symbol("point", color="#b15928")
    size = QgsProperty.fromExpression('2 + sqrt("n")')
    symbol.symbolLayer(0).setDataDefinedProperty(QgsSymbolLayer.Property.Size, size)
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))


def _rendering(layer: Any) -> None:
    """Opacity, blend and scale range of the layer, opacity of a symbol, pixels and map units, an order of drawing."""
    symbol = _symbol(
        "polygon", color="#80cc3311", outline_color="#003300", outline_width="3", outline_width_unit="Pixel"
    )
    hashed = QgsStyle.defaultStyle().symbol("hashed black /")
    symbol.appendSymbolLayer(hashed.symbolLayer(0).clone())
    symbol.setOpacity(0.75)
    renderer = QgsSingleSymbolRenderer(symbol)
    renderer.setOrderBy(QgsFeatureRequest.OrderBy([QgsFeatureRequest.OrderByClause("n", False)]))
    renderer.setOrderByEnabled(True)
    layer.setRenderer(renderer)
    layer.setOpacity(0.6)
    layer.setBlendMode(QPainter.CompositionMode.CompositionMode_Multiply)
    layer.setScaleBasedVisibility(True)
    layer.setMinimumScale(100000)
    layer.setMaximumScale(100)


def _map_units(layer: Any) -> None:
    """Widths in map units, dashes, caps, an offset; symbol levels."""
    casing = _symbol(
        "line", line_color="#000000", line_width="5", line_width_unit="MapUnit", capstyle="round", joinstyle="round"
    )
    inner = _symbol(
        "line", line_color="#ffdd00", line_width="3", line_width_unit="MapUnit", line_style="dash", offset="1"
    )
    inner.symbolLayer(0).setRenderingPass(1)
    casing.appendSymbolLayer(inner.symbolLayer(0).clone())
    renderer = QgsSingleSymbolRenderer(casing)
    renderer.setUsingSymbolLevels(True)
    layer.setRenderer(renderer)


def _settings(field: str, size: float, color: str, **more: Any) -> QgsPalLayerSettings:
    style = QgsTextFormat()
    style.setFont(QFont("DejaVu Sans"))
    style.setSize(size)
    style.setColor(QColor(color))
    halo = QgsTextBufferSettings()
    halo.setEnabled("halo" in more)
    halo.setSize(0.8)
    halo.setColor(QColor(more.get("halo", "#ffffff")))
    style.setBuffer(halo)
    settings = QgsPalLayerSettings()
    settings.fieldName = field
    settings.setFormat(style)
    return settings


def _label(layer: Any, settings: QgsPalLayerSettings) -> None:
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    layer.setLabelsEnabled(True)


def _labels(layer: Any) -> None:
    _label(layer, _settings("name", 9, "#202020", halo="#ffe680"))


def _line_labels(layer: Any) -> None:
    layer.setRenderer(QgsSingleSymbolRenderer(_symbol("line", line_color="#2b8cbe", line_width="0.9")))
    settings = _settings("name", 8, "#08306b", halo="#ffffff")
    settings.placement = Qgis.LabelPlacement.Horizontal
    _label(layer, settings)


def _rule_labels(layer: Any) -> None:
    root = QgsRuleBasedLabeling.Rule(None)
    first = _settings("name", 12, "#b30000")
    first.priority = 10  # where both rules want the same place: QGIS draws either of two alike, now this and now that
    banks = QgsRuleBasedLabeling.Rule(first, 0, 0, "\"kind\" = 'bank'", "banks")
    others = QgsRuleBasedLabeling.Rule(_settings("kind", 7, "#006d2c"), 0, 0, '"n" >= 4', "others")
    root.appendChild(banks)
    root.appendChild(others)
    layer.setRenderer(QgsSingleSymbolRenderer(_symbol("point", color="#555555", size="1.5")))
    layer.setLabeling(QgsRuleBasedLabeling(root))
    layer.setLabelsEnabled(True)


def _gray(layer: Any) -> None:
    renderer = QgsSingleBandGrayRenderer(layer.dataProvider(), 1)
    stretch = QgsContrastEnhancement(layer.dataProvider().dataType(1))
    stretch.setMinimumValue(10)
    stretch.setMaximumValue(180)
    stretch.setContrastEnhancementAlgorithm(QgsContrastEnhancement.ContrastEnhancementAlgorithm.StretchToMinimumMaximum)
    renderer.setContrastEnhancement(stretch)
    layer.setRenderer(renderer)


def _pseudocolor(layer: Any, kind: Any, opacity: float) -> None:
    function = QgsColorRampShader(0, 240, None, kind)
    function.setColorRampItemList(
        [
            QgsColorRampShader.ColorRampItem(value, QColor(color), str(value))
            for value, color in ((20, "#440154"), (60, "#31688e"), (120, "#35b779"), (240, "#fde725"))
        ]
    )
    shader = QgsRasterShader()
    shader.setRasterShaderFunction(function)
    layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader))
    layer.setOpacity(opacity)


def _interpolated(layer: Any) -> None:
    _pseudocolor(layer, QgsColorRampShader.Type.Interpolated, 1.0)


def _discrete(layer: Any) -> None:
    _pseudocolor(layer, QgsColorRampShader.Type.Discrete, 0.7)


def _multiband(layer: Any) -> None:
    layer.setRenderer(QgsMultiBandColorRenderer(layer.dataProvider(), 3, 1, 2))


def _paletted(layer: Any) -> None:
    classes = [
        QgsPalettedRasterRenderer.Class(value, QColor(color), f"class {value}")
        for value, color in enumerate(COLORS[:4], 1)
    ]
    layer.setRenderer(QgsPalettedRasterRenderer(layer.dataProvider(), 1, classes))


def _hillshade(layer: Any) -> None:
    renderer = QgsHillshadeRenderer(layer.dataProvider(), 1, 300, 35)
    renderer.setZFactor(2)
    layer.setRenderer(renderer)


LOOKS: tuple[tuple[str, str, Callable[[Any], None]], ...] = (
    ("categories with a catch-all", "point", _categories),
    ("categories with NULL", "polygon", _categories_null),
    ("categories of multi-layer lines", "line", _categories_of_roads),
    ("graduated colours", "polygon", _graduated),
    ("graduated sizes", "point", _graduated_size),
    ("graduated widths", "line", _graduated_width),
    ("rules", "point", _rules),
    ("nested rules with scales", "polygon", _nested_rules),
    ("rules by expressions", "line", _person_rules),
    ("heatmap", "point", _heatmap),
    ("weighted heatmap", "point", _heatmap_weighted),
    ("cluster", "point_close", _cluster),
    ("displacement", "point_close", _displacement),
    ("nothing but labels", "point", _none_with_labels),
    ("size by field", "point", _size_by_field),
    ("opacity by field", "polygon", _opacity_by_field),
    ("size by expression", "point", _size_by_expression),
    ("opacity, blend, units, order", "polygon", _rendering),
    ("map units and levels", "line", _map_units),
    ("labels with a halo", "point", _labels),
    ("labels of lines", "line", _line_labels),
    ("labels by rules", "point", _rule_labels),
    ("raster gray", "gray", _gray),
    ("raster pseudocolor", "gray", _interpolated),
    ("raster discrete", "gray", _discrete),
    ("raster multiband", "bands", _multiband),
    ("raster paletted", "classes", _paletted),
    ("raster hillshade", "gray", _hillshade),
)
