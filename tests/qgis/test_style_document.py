"""get_style and patch_style through the calls: what the document says and what a patch changes."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsExpressionContextUtils,
    QgsPointClusterRenderer,
    QgsProperty,
    QgsRendererCategory,
    QgsSingleSymbolRenderer,
    QgsStyle,
    QgsSymbolLayer,
)
from qgis.PyQt.QtCore import QVariant
from qgis.PyQt.QtGui import QPainter
from styled_layers_towns import FIELDS, categories, category, drawn_colors, graduated, ruled, towns

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.style.history import CATEGORIES, revert, style_xml
from qgis_agent.gis.style.merge import merged

LONG_LABEL = "A label that is much longer than what the document shows of it, " * 4
SCALE = {"scaling": "area", "min_value": 0, "max_value": 9, "min_size": 1, "max_size": 8}


def renderer_of(bench: Bench, part: str = "symbols") -> dict[str, Any]:
    """The renderer as get_style tells it."""
    return bench.ok("get_style", layer_id="towns", part=part)["renderer"]


def patch(bench: Bench, **parts: Any) -> dict[str, Any]:
    """The data of a patch that must succeed."""
    return bench.ok("patch_style", layer_id="towns", patch=parts)


# What the document says


def test_a_symbol_is_told_layer_by_layer(bench: Bench) -> None:
    """Kinds, colours, sizes and the marker inside of a line, as QGIS's own getters have them."""
    symbol = QgsStyle.defaultStyle().symbol("topo railway")
    line = memory_layer(f"LineString?crs=EPSG:4326&{FIELDS}", [("LINESTRING(0 0, 1 1)", ["a", 1, 1.0])], "towns")
    line.setRenderer(QgsSingleSymbolRenderer(symbol.clone()))
    bench.add(line)
    said = renderer_of(bench)["symbol"]
    first, second = said["layers"]["l1"], said["layers"]["l2"]
    assert first["kind"] == "SimpleLine" and first["line_color"] == symbol.symbolLayer(0).color().name()
    assert first["line_width"] == pytest.approx(symbol.symbolLayer(0).width()) and first["locked"] is True
    assert second["kind"] == "MarkerLine" and said["type"] == "line" and said["width"] == pytest.approx(symbol.width())
    marker = second["symbol"]
    assert marker["type"] == "marker" and marker["size"] == pytest.approx(symbol.symbolLayer(1).subSymbol().size())


def test_a_picture_of_the_library_by_name_and_others_not(bench: Bench) -> None:
    """A library picture has a name; any other file is kept and said to be unsupported, without its path in the document."""
    layer = bench.add(towns(["a"]))
    layer.setRenderer(QgsSingleSymbolRenderer(QgsStyle.defaultStyle().symbol("topo airport")))
    assert renderer_of(bench)["symbol"]["layers"]["l1"]["name"] == "transport/transport_airport.svg"
    own = bench.folder / "own.svg"
    own.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
    symbol = layer.renderer().symbol().clone()
    symbol.symbolLayer(0).setPath(str(own))
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))
    style = bench.ok("get_style", layer_id="towns", part="symbols")
    assert "name" not in style["renderer"]["symbol"]["layers"]["l1"]
    assert any("layers.l1.name" in each for each in style["unsupported"]) and str(own) not in str(style)
    patch(bench, renderer={"symbol": {"layers": {"l1": {"angle": 45}}}})
    now = layer.renderer().symbol().symbolLayer(0)
    assert now.path() == str(own) and now.angle() == 45.0


def test_rules_are_told_by_conditions(bench: Bench) -> None:
    """What conditions can say is a where list, nesting is the parent's id; a person's expression is kept and named."""
    bench.add(ruled(towns(["a", "b", "c"])))
    style = bench.ok("get_style", layer_id="towns", part="renderer")
    rules = style["renderer"]["rules"]
    assert rules["r1"]["where"] == [{"field": "n", "op": "gt", "value": 0}] and "parent" not in rules["r1"]
    assert rules["r2"]["where"] == [{"field": "n", "op": "gt", "value": 1}] and rules["r2"]["parent"] == "r1"
    assert rules["r3"]["expression"] == 'sqrt("n") = 0' and "where" not in rules["r3"]
    assert style["unsupported"] == ['renderer.rules.r3.where: expression: sqrt("n") = 0']


def test_a44_null_and_empty_and_all_others_are_one_class(bench: Bench) -> None:
    """QGIS draws NULL, "" and every other value by the category of "" or of NULL; the document says so, and counts agree."""
    layer = categories(bench.add(towns(["a", "", None, "A", "a "])), category("a", "#ff0000"))
    assert [each is not None for each in drawn_colors(layer)] == [True, False, False, False, False]
    assert [(each["value"], "others" in each) for each in renderer_of(bench)["classes"].values()] == [("a", False)]
    categories(layer, category("a", "#ff0000"), category("", "#0000ff"))
    assert drawn_colors(layer) == ["#ff0000"] + ["#0000ff"] * 4
    assert renderer_of(bench)["classes"]["c2"]["value"] == "" and renderer_of(bench)["classes"]["c2"]["others"] is True
    categories(layer, category("a", "#ff0000"), category(QVariant(), "#00ff00"))
    said = renderer_of(bench)["classes"]["c2"]
    assert said["is_null"] is True and said["others"] is True and "value" not in said
    assert drawn_colors(layer) == ["#ff0000"] + ["#00ff00"] * 4
    envelope = bench.call(
        "patch_style", layer_id="towns", patch={"renderer": {"classes": {"c3": {"value": "", "color": "#123456"}}}}
    )
    assert envelope["code"] == "INVALID_PARAM" and "NULL" in envelope["hint"]
    patch(bench, renderer={"classes": {"c2": None, "c3": {"is_null": True, "color": "#123456"}}})
    assert drawn_colors(layer) == ["#ff0000"] + ["#123456"] * 4


def test_every_part_fits_the_budget(bench: Bench) -> None:
    """60 classes of a symbol with many layers, inside of a cluster and not: pages of at most 4,096 bytes give all of them."""
    names = [f"第{number:02d}街道办事处" for number in range(60)]
    layer = bench.add(towns(names))
    symbol = QgsStyle.defaultStyle().symbol("topo hospital")
    made = [QgsRendererCategory(each, symbol.clone(), each) for each in names]
    categories(layer, *made)
    for part in ("all", "renderer", "symbols"):
        seen: list[Any] = []
        cursor: int | None = 0
        while cursor is not None:
            envelope = bench.call("get_style", layer_id="towns", part=part, cursor=cursor)
            assert size_bytes(envelope) <= 4096
            page = envelope["data"]["renderer"]["classes"]
            seen += [each["value"] for each in page.values()]
            if part == "symbols":
                assert all(set(each["symbol"]["layers"]) == {"l1", "l2"} for each in page.values())
            cursor = envelope["data"]["next"]
        assert seen == names
    cluster = QgsPointClusterRenderer()
    cluster.setEmbeddedRenderer(layer.renderer().clone())
    layer.setRenderer(cluster)
    for part in ("all", "renderer", "symbols", "labels", "legend"):
        assert size_bytes(bench.call("get_style", layer_id="towns", part=part)) <= 4096


# What a patch changes


@pytest.mark.parametrize(
    ("base", "change", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({"kind": "A", "x": 1}, {"kind": "A", "y": 2}, {"kind": "A", "y": 2}),
        ({"type": "A", "x": 1}, {"type": "A", "y": 2}, {"type": "A", "x": 1, "y": 2}),
        ({"type": "A", "x": 1}, {"type": "B", "y": 2}, {"type": "B", "y": 2}),
    ],
)
def test_merge_patches(base: Any, change: Any, result: Any) -> None:
    """The examples of RFC 7386, appendix A, and our addition for objects that say what they are."""
    assert merged(base, change) == result


def test_one_property_of_one_class(bench: Bench) -> None:
    """Only that changes: the other classes, the order, long labels and the person's alias and variables stay."""
    layer = categories(
        bench.add(towns(["a", "b", "c"])),
        category("a", "#aa0000", LONG_LABEL),
        category("b", "#00aa00", "b"),
        category("c", "#0000aa", "c"),
    )
    layer.setFieldAlias(0, "Name of the town")
    QgsExpressionContextUtils.setLayerVariable(layer, "mine", "kept")
    layer.setCustomProperty("person", "kept")
    outcome = bench.outcome(
        "patch_style", layer_id="towns", patch={"renderer": {"classes": {"c2": {"color": "#123456", "visible": False}}}}
    )
    data = outcome["envelope"]["data"]
    assert {(each["path"], each["before"], each["after"]) for each in data["changed"]} == {
        ("renderer.classes.c2.color", "#00aa00", "#123456"),
        ("renderer.classes.c2.visible", True, False),
        ("renderer.classes.c2.symbol.layers.l1.color", "#00aa00", "#123456"),
    }
    assert [each.symbol().color().name() for each in layer.renderer().categories()] == ["#aa0000", "#123456", "#0000aa"]
    assert layer.renderer().categories()[0].label() == LONG_LABEL
    assert [each["op"] for each in outcome["actions"]] == ["render"] and outcome["legend"]
    assert drawn_colors(layer) == ["#aa0000", None, "#0000aa"]
    revert(bench.host, data["rule_id"])
    assert drawn_colors(layer) == ["#aa0000", "#00aa00", "#0000aa"]
    assert layer.attributeAlias(0) == "Name of the town" and layer.customProperty("person") == "kept"
    assert QgsExpressionContextUtils.layerScope(layer).variable("mine") == "kept"


def test_ids_stay_when_classes_come_and_go(bench: Bench) -> None:
    """After one is removed and one is added, the others are found by the same ids, also in a saved and loaded style."""
    layer = categories(
        bench.add(towns(["a", "b", "c"])), category("a", "#aa0000"), category("b", "#00aa00"), category("c", "#0000aa")
    )
    patch(bench, renderer={"classes": {"c1": None, "c9": {"value": "d", "color": "#ffff00", "order": 0}}})
    assert [(ident, each["value"]) for ident, each in renderer_of(bench)["classes"].items()] == [
        ("c9", "d"),
        ("c2", "b"),
        ("c3", "c"),
    ]
    other = towns([])
    document = style_xml(layer, CATEGORIES)
    assert "c9" in document
    patch(bench, renderer={"classes": {"c2": {"order": 5}}})
    assert list(renderer_of(bench)["classes"]) == ["c9", "c3", "c2"] and other.isValid()


def test_rules_are_patched_by_conditions(bench: Bench) -> None:
    """A condition, a new rule inside of another, and a person's rule that stays as it is; removing takes those inside along."""
    layer = bench.add(ruled(towns(["a", "b", "c", "d"])))
    patch(
        bench,
        renderer={
            "rules": {
                "r2": {"where": [{"field": "name", "op": "in", "value": ["b", "d"]}]},
                "r4": {"parent": "r1", "else": True, "color": "#ffff00", "label": "rest"},
            }
        },
    )
    found = {each.label(): each for each in layer.renderer().rootRule().descendants()}
    assert found["own"].filterExpression() == 'sqrt("n") = 0' and found["rest"].isElse()
    assert found["rest"].parent().label() == "outer" and drawn_colors(layer)[1] == "#ff0000"
    patch(bench, renderer={"rules": {"r1": None}})
    assert [each.label() for each in layer.renderer().rootRule().descendants()] == ["own"]


def test_limits_that_a_patch_sets_are_manual(bench: Bench) -> None:
    """Limits come from the data unless they are manual, so that moved ones are called so, and it is said."""
    layer = graduated(bench.add(towns(["a", "b", "c"])))
    patch(bench, renderer={"classification": "manual"})
    patch(bench, renderer={"classification": "manual", "palette": "Blues"})
    envelope = bench.call("patch_style", layer_id="towns", patch={"renderer": {"classification": "quantile"}})
    assert envelope["code"] == "INVALID_PARAM" and "set_render_rule" in envelope["hint"]
    made = bench.call("patch_style", layer_id="towns", patch={"renderer": {"classes": {"c1": {"upper": 1.0}}}})
    assert made["ok"] and layer.renderer().classificationMethod().id() == "Custom"
    assert [(each.lowerValue(), each.upperValue()) for each in layer.renderer().ranges()] == [(0, 1), (2, 4), (4, 6)]


def test_sizes_and_opacity_by_field(bench: Bench) -> None:
    """A field and a scale become QGIS's own data-defined properties; null takes them back."""
    layer = bench.add(towns(["a", "b"]))
    symbol = {
        "layers": {"l1": {"data_defined": {"size": {"field": "x", "scale": SCALE}}}},
        "data_defined": {"opacity": "n"},
    }
    patch(bench, renderer={"symbol": symbol})
    now = layer.renderer().symbol()
    size = now.symbolLayer(0).dataDefinedProperties().property(QgsSymbolLayer.Property.Size.value)
    assert '"x"' in size.expressionString() and (size.transformer().minSize(), size.transformer().maxSize()) == (
        1.0,
        8.0,
    )
    assert now.dataDefinedProperties().property(0).field() == "n"
    patch(bench, renderer={"symbol": {"layers": {"l1": {"data_defined": None}}, "data_defined": None}})
    now = layer.renderer().symbol()
    assert not now.symbolLayer(0).dataDefinedProperties().isActive(QgsSymbolLayer.Property.Size.value)
    assert "data_defined" not in renderer_of(bench)["symbol"]


def test_a_persons_expression_stays_beside_a_change(bench: Bench) -> None:
    """Another property of the same symbol layer changes; the expression and the effect are still there."""
    layer = bench.add(towns(["a", "b"]))
    symbol = QgsStyle.defaultStyle().symbol("effect drop shadow")
    symbol.symbolLayer(0).setDataDefinedProperty(
        QgsSymbolLayer.Property.Size, QgsProperty.fromExpression('"n" * 2 + 1')
    )
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))
    patch(bench, renderer={"symbol": {"layers": {"l1": {"color": "#123456"}}}})
    now = layer.renderer().symbol().symbolLayer(0)
    found = now.dataDefinedProperties().property(QgsSymbolLayer.Property.Size.value)
    assert now.color().name() == "#123456" and found.expressionString() == '"n" * 2 + 1'
    assert now.paintEffect().enabled() and now.paintEffect().type() == "effectStack"


def test_the_layer_as_a_whole(bench: Bench) -> None:
    """Opacity, blend modes, scale range and legend title are set, told, and taken back by null."""
    layer = bench.add(towns(["a"]))
    patch(
        bench,
        opacity=0.25,
        blend="multiply",
        feature_blend="screen",
        scale_range={"min": 50000, "max": 500},
        legend={"title": "Towns"},
    )
    assert layer.opacity() == 0.25 and layer.blendMode() == QPainter.CompositionMode.CompositionMode_Multiply
    assert (layer.hasScaleBasedVisibility(), layer.minimumScale(), layer.maximumScale()) == (True, 50000, 500)
    style = bench.ok("get_style", layer_id="towns")
    assert (style["blend"], style["feature_blend"], style["legend"]["title"]) == ("multiply", "screen", "Towns")
    patch(bench, opacity=None, blend=None, feature_blend=None, scale_range=None, legend=None)
    assert layer.opacity() == 1.0 and not layer.hasScaleBasedVisibility()
    assert layer.blendMode() == layer.featureBlendMode() == QPainter.CompositionMode.CompositionMode_SourceOver
    assert bench.ok("get_style", layer_id="towns")["legend"]["title"] is None


def test_nothing_to_change_is_said(bench: Bench) -> None:
    """The look that is there already: a success without a rule id, and no entry in the history."""
    bench.add(towns(["a"]))
    envelope = bench.call(
        "patch_style", layer_id="towns", patch={"opacity": 1, "renderer": {"symbol": {"color": "#FF0000"}}}
    )
    assert envelope["ok"] and envelope["data"]["rule_id"] is None and "already" in envelope["message"]


@pytest.mark.parametrize(
    ("renderer", "kind"),
    [
        ({"type": "none"}, "nullSymbol"),
        ({"type": "heatmap", "radius": 5, "weight_field": "x", "ramp": "Viridis"}, "heatmapRenderer"),
        ({"type": "rules", "rules": {"r1": {"else": True, "color": "#00ff00"}}}, "RuleRenderer"),
        (
            {
                "type": "categorized",
                "field": "name",
                "palette": "Set2",
                "classes": {"c1": {"value": "a"}, "c2": {"is_null": True}},
            },
            "categorizedSymbol",
        ),
        (
            {
                "type": "graduated",
                "field": "x",
                "classes": {"c1": {"lower": 0, "upper": 1, "color": "#00ff00"}},
            },
            "graduatedSymbol",
        ),
        (
            {"type": "cluster", "tolerance": 4, "renderer": {"type": "single", "symbol": {"color": "#00ff00"}}},
            "pointCluster",
        ),
        (
            {"type": "displacement", "placement": "grid", "renderer": {"type": "single", "symbol": {"size": 2}}},
            "pointDisplacement",
        ),
    ],
)
def test_another_type_with_all_that_it_needs(bench: Bench, renderer: dict[str, Any], kind: str) -> None:
    """Each type can be switched to, and back by the rule id."""
    layer = bench.add(towns(["a", None]))
    made = patch(bench, renderer=renderer)
    assert layer.renderer().type() == kind and renderer_of(bench)["type"] == renderer["type"]
    revert(bench.host, made["rule_id"])
    assert layer.renderer().type() == "singleSymbol" and layer.renderer().symbol().color().name() == "#ff0000"
