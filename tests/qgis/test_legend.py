"""set_legend: title and class texts as QGIS's own legend shows them (M-299), literal, undone as one change."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from conftest import REPO, Bench, memory_layer
from qgis.core import (
    QgsApplication,
    QgsColorRampShader,
    QgsLayerTreeModel,
    QgsMarkerSymbol,
    QgsPalettedRasterRenderer,
    QgsRasterLayer,
    QgsRasterShader,
    QgsRuleBasedRenderer,
    QgsSingleBandPseudoColorRenderer,
    QgsVectorLayer,
)
from qgis.PyQt.QtGui import QColor

from qgis_agent.gis.host import run_until

SAMPLE_DEM = REPO / "resources" / "sample" / "dem.tif"


def towns() -> QgsVectorLayer:
    """Six points in three kinds."""
    rows = [(f"POINT({number} 0)", [kind, float(number)]) for number, kind in enumerate("aabbbc")]
    return memory_layer("Point?crs=EPSG:4326&field=kind:string&field=x:double", rows, "towns")


def shown(bench: Bench, layer: Any) -> list[str]:
    """The texts that QGIS's legend has below the layer."""
    model = QgsLayerTreeModel(bench.host.project.layerTreeRoot())
    node = bench.host.project.layerTreeRoot().findLayer(layer.id())
    texts = [each.data(0) for each in model.layerLegendNodes(node)]
    run_until(lambda: not QgsApplication.taskManager().activeTasks(), 10)  # counts that QGIS began for this model
    return texts


@pytest.mark.parametrize("method", ["categorized", "graduated"])
def test_titles_and_texts(bench: Bench, method: str) -> None:
    """The legend of QGIS has the texts, limits and colours stay, the answer is the legend as it is now."""
    layer = bench.add(towns())
    field = "kind" if method == "categorized" else "x"
    bench.ok("set_render_rule", layer_id="towns", method=method, field=field, classes=3, palette="Blues")
    before = bench.ok("get_style", layer_id="towns", part="renderer")["renderer"]["classes"]
    texts = [{"id": "c1", "text": "小"}, {"id": "c3", "text": "<b>large</b>"}]
    outcome = bench.outcome("set_legend", layer_id="towns", title="Size", labels=texts)
    data = outcome["envelope"]["data"]
    assert data["title"] == "Size" and [each["id"] for each in data["items"]] == ["c1", "c2", "c3"]
    assert [each["label"] for each in data["items"]] == ["小", before["c2"]["label"], "<b>large</b>"]
    assert [each for each in shown(bench, layer) if each][-3:] == [each["label"] for each in data["items"]]
    node = bench.host.project.layerTreeRoot().findLayer(layer.id())
    assert node.customProperty("legend/title-label") == "Size"
    after = bench.ok("get_style", layer_id="towns", part="renderer")["renderer"]["classes"]
    assert [each["color"] for each in after.values()] == [each["color"] for each in before.values()]
    assert outcome["actions"][0]["op"] == "legend" and outcome["legend"][0] == {
        "label": "小", "color": before["c1"]["color"], "title": "Size", "layer_id": "towns",
    }  # fmt: skip
    bench.ok("revert_style", layer_id="towns")
    assert node.customProperty("legend/title-label") is None
    assert bench.ok("get_style", layer_id="towns", part="renderer")["renderer"]["classes"] == before


def test_counts_are_shown_and_taken_back(bench: Bench) -> None:
    """QGIS counts in the background; the property comes and goes; an empty title takes the title away."""
    layer = bench.add(towns())
    node = bench.host.project.layerTreeRoot().findLayer(layer.id())
    data = bench.ok("set_legend", layer_id="towns", title="Towns", show_counts=True)
    assert data["show_counts"] and data["items"] == [] and int(node.customProperty("showFeatureCount")) == 1
    data = bench.ok("set_legend", layer_id="towns", title="")
    assert data["title"] is None and data["show_counts"]
    bench.ok("revert_style", layer_id="towns", rule_id="style-1")
    assert node.customProperty("showFeatureCount") is None


def test_rules(bench: Bench) -> None:
    """Rules, nested ones too, by the ids of get_style."""
    layer = bench.add(towns())
    root = QgsRuleBasedRenderer.Rule(None)
    outer = QgsRuleBasedRenderer.Rule(QgsMarkerSymbol.createSimple({}), filterExp='"x" > 1', label="big")
    outer.appendChild(QgsRuleBasedRenderer.Rule(QgsMarkerSymbol.createSimple({}), filterExp='"x" > 3', label="huge"))
    root.appendChild(outer)
    layer.setRenderer(QgsRuleBasedRenderer(root))
    rules = bench.ok("get_style", layer_id="towns", part="renderer")["renderer"]["rules"]
    inner = next(ident for ident, each in rules.items() if each["label"] == "huge")
    bench.ok("set_legend", layer_id="towns", labels=[{"id": inner, "text": "very big"}])
    assert shown(bench, layer) == ["big", "very big"]
    assert [each.filterExpression() for each in layer.renderer().rootRule().descendants()] == ['"x" > 1', '"x" > 3']


def dem(bench: Bench) -> QgsRasterLayer:
    """The sample's elevations, as a copy: QGIS writes the numbers of its default stretch beside what it opens."""
    layer = QgsRasterLayer(str(shutil.copy(SAMPLE_DEM, bench.folder)), "dem")
    bench.add(layer)
    return layer


@pytest.mark.parametrize("kind", ["paletted", "pseudocolor"])
def test_rasters(bench: Bench, kind: str) -> None:
    """Values of a paletted raster, and steps of a discrete pseudocolour."""
    layer = dem(bench)
    if kind == "paletted":
        classes = [QgsPalettedRasterRenderer.Class(value, QColor("#aa0000"), str(value)) for value in (1, 2)]
        layer.setRenderer(QgsPalettedRasterRenderer(layer.dataProvider(), 1, classes))
    else:
        function = QgsColorRampShader(0, 100, None, QgsColorRampShader.Type.Discrete)
        items = [QgsColorRampShader.ColorRampItem(value, QColor("#aa0000"), str(value)) for value in (50, 100)]
        function.setColorRampItemList(items)
        shader = QgsRasterShader()
        shader.setRasterShaderFunction(function)
        layer.setRenderer(QgsSingleBandPseudoColorRenderer(layer.dataProvider(), 1, shader))
    data = bench.ok("set_legend", layer_id="dem", labels=[{"id": "c2", "text": "high"}])
    assert data["items"][1] == {"id": "c2", "label": "high", "color": "#aa0000"}
    assert "high" in shown(bench, layer)
    bench.ok("revert_style", layer_id="dem")
    assert "high" not in shown(bench, layer)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "INVALID_PARAM"),
        ({"labels": [{"id": "c9", "text": "x"}]}, "NOT_FOUND"),
        ({"labels": [{"id": "c1", "text": "[% env('HOME') %]"}]}, "INVALID_PARAM"),
        ({"title": "[% 1 + 1 %]"}, "INVALID_PARAM"),
        ({"labels": [{"id": "c1"}]}, "INVALID_PARAM"),
    ],
)
def test_what_is_refused(bench: Bench, arguments: dict[str, Any], code: str) -> None:
    """Unknown classes, texts that QGIS would evaluate, nothing to do: the legend is as it was."""
    layer = bench.add(towns())
    bench.ok("set_render_rule", layer_id="towns", method="categorized", field="kind")
    before = shown(bench, layer)
    assert bench.code("set_legend", layer_id="towns", **arguments) == code
    assert shown(bench, layer) == before
    assert bench.host.project.layerTreeRoot().findLayer(layer.id()).customProperty("legend/title-label") is None


def test_one_symbol_has_no_classes(bench: Bench) -> None:
    """A layer drawn alike: its title can be set, class texts cannot."""
    bench.add(towns())
    assert bench.code("set_legend", layer_id="towns", labels=[{"id": "c1", "text": "x"}]) == "UNSUPPORTED"


def test_many_classes_fit_the_budget(bench: Bench) -> None:
    """60 classes: a sample, with a handle to the rest."""
    rows = [(f"POINT({number} 0)", [f"很长的分类名称之第{number}号" * 2]) for number in range(60)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=kind:string", rows, "many"))
    bench.ok("set_render_rule", layer_id="many", method="categorized", field="kind")
    data = bench.ok("set_legend", layer_id="many", title="x")
    assert data["result_ref"] and len(data["items"]) <= 5


def test_a_style_put_back_brings_its_own_legend(bench: Bench) -> None:
    """The classes that are on the map again, with their title; none where the earlier look has none."""
    bench.add(towns())
    first = bench.ok("set_render_rule", layer_id="towns", method="categorized", field="kind")
    bench.ok("set_legend", layer_id="towns", title="Kinds")
    bench.ok("set_render_rule", layer_id="towns", method="graduated", field="x", classes=2)
    again = bench.outcome("revert_style", layer_id="towns")
    assert again["legend"] == [
        {"label": each["label"], "color": each["color"], "title": "Kinds", "layer_id": "towns"}
        for each in first["classes"]
    ]
    bench.ok("revert_style", layer_id="towns")
    assert bench.outcome("revert_style", layer_id="towns")["legend"] == []


def test_sizes_have_no_counts(bench: Bench) -> None:
    """QGIS would write "[0]" beside them: counts are refused, and switched off where sizes come later; undone as one."""
    layer = bench.add(towns())
    node = bench.host.project.layerTreeRoot().findLayer(layer.id())
    sized = {"method": "categorized", "field": "kind", "options": {"size": "x"}}
    bench.ok("set_legend", layer_id="towns", show_counts=True)
    envelope = bench.call("set_render_rule", layer_id="towns", **sized)
    assert envelope["ok"] and "no longer counts" in envelope["message"]
    assert node.customProperty("showFeatureCount") is None and "5.000" in shown(bench, layer)
    assert not [each for each in shown(bench, layer) if "[" in each]
    refused = bench.call("set_legend", layer_id="towns", show_counts=True)
    assert (refused["code"], refused["reason"]) == ("UNSUPPORTED", "size_legend") and refused["hint"]
    assert node.customProperty("showFeatureCount") is None
    bench.ok("set_legend", layer_id="towns", show_counts=False)
    bench.ok("revert_style", layer_id="towns", rule_id="style-2")
    assert int(node.customProperty("showFeatureCount")) == 1 and "5.000" not in shown(bench, layer)
