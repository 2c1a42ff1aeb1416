"""The labels part of the style document: read, checked, patched; what is not expressed stays as it was."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    Qgis,
    QgsPalLayerSettings,
    QgsProperty,
    QgsRuleBasedLabeling,
    QgsTextShadowSettings,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtGui import QColor

from qgis_agent.bridge.envelope import ToolError
from qgis_agent.gis.conditions import where_expression
from qgis_agent.gis.style import label_fonts
from qgis_agent.gis.style.labels import check_labels, patch_labels, read_labels
from qgis_agent.gis.style.where_reading import where_of

FIELDS = "field=name:string(40)&field=n:integer&field=x:double&field=day:date"
LATIN, CHINESE = "DejaVu Sans", "Noto Sans CJK SC"
"""Families that make setup installs."""


def points(name: str = "towns") -> QgsVectorLayer:
    """Two points."""
    return memory_layer(
        f"Point?crs=EPSG:4326&{FIELDS}",
        [("POINT(0 0)", ["a", 1, 1.5, None]), ("POINT(1 1)", ["b", 2, 2.5, None])],
        name,
    )


def lines() -> QgsVectorLayer:
    """A line."""
    return memory_layer(f"LineString?crs=EPSG:4326&{FIELDS}", [("LINESTRING(0 0, 1 1)", ["a", 1, 1.0, None])], "ways")


def settings_of(layer: QgsVectorLayer) -> QgsPalLayerSettings:
    """The settings that the layer has, as a copy."""
    return QgsPalLayerSettings(layer.labeling().settings())


def refused(layer: QgsVectorLayer, patch: Any) -> dict[str, Any]:
    """The envelope of a patch that must be refused, by the check and by the patch, and change nothing."""
    before = read_labels(layer)
    with pytest.raises(ToolError) as caught:
        check_labels(layer, patch)
    with pytest.raises(ToolError):
        patch_labels(layer, patch)
    assert read_labels(layer) == before
    assert caught.value.envelope["hint"]
    return caught.value.envelope


EVERYTHING: dict[str, Any] = {
    "enabled": True,
    "type": "simple",
    "field": "name",
    "font": LATIN,
    "bold": True,
    "italic": True,
    "underline": True,
    "size": 3.5,
    "size_unit": "mm",
    "size_field": "x",
    "color": "#d7191c80",
    "opacity": 0.75,
    "halo": {"color": "#00ff00", "size": 1.2, "opacity": 0.5},
    "background": {
        "shape": "ellipse",
        "color": "#ffffee",
        "outline_color": "#222222",
        "outline_width": 0.3,
        "padding": [1, 2],
        "radius": 1,
        "opacity": 0.9,
    },
    "wrap": "|",
    "wrap_length": 12,
    "align": "center",
    "line_height": 1.4,
    "number_format": {"decimals": 2, "plus_sign": True},
    "placement": "over",
    "position": "below_left",
    "distance": 2.5,
    "distance_unit": "px",
    "distance_from": "point",
    "offset": [1.5, -2],
    "offset_unit": "pt",
    "rotation": 30,
    "rotation_field": "n",
    "scale_range": {"min": 50000, "max": 100},
    "priority": 9,
    "z_index": 3,
    "overlap": "allow",
    "all_parts": True,
}


def test_every_key_reaches_qgis(bench: Bench) -> None:
    """What the document says is what QGIS's own objects hold."""
    layer = bench.add(points())
    patch_labels(layer, EVERYTHING)
    settings = settings_of(layer)
    text = settings.format()
    halo, shape = text.buffer(), text.background()
    assert layer.labelsEnabled() and (settings.fieldName, settings.isExpression) == ("name", False)
    assert (text.font().family(), text.font().bold(), text.font().italic()) == (LATIN, True, True)
    assert text.font().underline() and (text.size(), text.sizeUnit()) == (3.5, Qgis.RenderUnit.Millimeters)
    assert text.color() == QColor(0xD7, 0x19, 0x1C, 0x80) and text.opacity() == 0.75
    assert (halo.enabled(), halo.color().name(), halo.size(), halo.opacity()) == (True, "#00ff00", 1.2, 0.5)
    assert (shape.enabled(), shape.fillColor().name(), shape.strokeWidth()) == (True, "#ffffee", 0.3)
    assert (shape.size().width(), shape.size().height()) == (1, 2)
    assert (settings.wrapChar, settings.autoWrapLength) == ("|", 12)
    assert (settings.formatNumbers, settings.decimals, settings.plusSign) == (True, 2, True)
    assert settings.multilineAlign == Qgis.LabelMultiLineAlignment.Center and text.lineHeight() == 1.4
    assert settings.placement == Qgis.LabelPlacement.OverPoint
    assert settings.pointSettings().quadrant() == Qgis.LabelQuadrantPosition.BelowLeft
    assert (settings.dist, settings.distUnits) == (2.5, Qgis.RenderUnit.Pixels)
    assert (settings.xOffset, settings.yOffset, settings.angleOffset) == (1.5, -2, 30)
    assert (settings.scaleVisibility, settings.minimumScale, settings.maximumScale) == (True, 50000, 100)
    assert (settings.priority, settings.zIndex, settings.labelPerPart) == (9, 3, True)
    assert settings.placementSettings().overlapHandling() == Qgis.LabelOverlapHandling.AllowOverlapAtNoCost
    properties = settings.dataDefinedProperties()
    assert properties.property(QgsPalLayerSettings.Property.Size).field() == "x"
    assert properties.property(QgsPalLayerSettings.Property.LabelRotation).field() == "n"


def test_a_document_makes_the_same_labels_on_a_bare_layer(bench: Bench) -> None:
    """Read, patched onto a bare copy, read again; nothing is unsupported; JSON carries it."""
    layer, bare = bench.add(points()), bench.add(points("bare"))
    patch_labels(layer, EVERYTHING)
    document = json.loads(json.dumps(read_labels(layer)))
    assert document.pop("unsupported") == []
    assert {key: document.get(key) for key in EVERYTHING if key != "distance_from"} == {
        key: value for key, value in EVERYTHING.items() if key != "distance_from"
    }
    patch_labels(bare, document)
    assert read_labels(bare) == read_labels(layer)


def test_labels_of_the_program_are_expressed_in_full(bench: Bench) -> None:
    """QGIS's own default settings are a document without unsupported parts, and come back from it."""
    layer, bare = bench.add(points()), bench.add(points("bare"))
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    layer.setLabelsEnabled(True)
    document = read_labels(layer)
    assert document["unsupported"] == [] and document["halo"] is None and document["placement"] == "around"
    patch_labels(bare, document)
    made = settings_of(bare)
    assert not made.format().buffer().enabled() and made.placement == Qgis.LabelPlacement.AroundPoint
    assert made.format().size() == settings.format().size()


def test_one_change_leaves_all_else(bench: Bench) -> None:
    """A patch of one key: the person's shadow, letter spacing and moved labels are as they were, and are told."""
    layer = bench.add(points())
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    text = settings.format()
    shadow = QgsTextShadowSettings()
    shadow.setEnabled(True)
    text.setShadow(shadow)
    settings.setFormat(text)
    properties = settings.dataDefinedProperties()
    properties.setProperty(QgsPalLayerSettings.Property.PositionX, QgsProperty.fromExpression('"x" + 1'))
    settings.setDataDefinedProperties(properties)
    settings.upsidedownLabels = Qgis.UpsideDownLabelHandling.AlwaysAllowUpsideDown
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    told = read_labels(layer)["unsupported"]
    assert told == ["shadow", "rendering upsidedownLabels", "data-defined PositionX"]
    patch_labels(layer, {"color": "#ff0000"})
    made = settings_of(layer)
    assert made.format().color().name() == "#ff0000" and made.format().shadow().enabled()
    position = made.dataDefinedProperties().property(QgsPalLayerSettings.Property.PositionX)
    assert position.expressionString() == '"x" + 1'
    assert made.upsidedownLabels == Qgis.UpsideDownLabelHandling.AlwaysAllowUpsideDown
    assert read_labels(layer)["unsupported"] == told


def test_an_expression_is_kept_and_never_accepted(bench: Bench) -> None:
    """A person's expression is told, stays when the colour changes, and no patch can bring one."""
    layer = bench.add(points())
    settings = QgsPalLayerSettings()
    settings.fieldName, settings.isExpression = "\"name\" || ' km'", True
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    document = read_labels(layer)
    assert document["unsupported"] == ["expression: \"name\" || ' km'"] and "field" not in document
    patch_labels(layer, {"color": "#ff0000"})
    assert (settings_of(layer).fieldName, settings_of(layer).isExpression) == ("\"name\" || ' km'", True)
    assert refused(layer, {"expression": "1"})["code"] == "INVALID_PARAM"
    assert refused(layer, {"field": '"name" || 1'})["code"] == "NOT_FOUND"
    patch_labels(layer, {"field": "name"})
    assert (settings_of(layer).fieldName, settings_of(layer).isExpression) == ("name", False)


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"colour": "#ff0000"}, "INVALID_PARAM"),
        ({"color": "red"}, "INVALID_PARAM"),
        ({"color": "#ff0000", "size": -1}, "INVALID_PARAM"),
        ({"size": float("nan")}, "INVALID_PARAM"),
        ({"size": True}, "INVALID_PARAM"),
        ({"halo": {"siz": 1}}, "INVALID_PARAM"),
        ({"halo": []}, "INVALID_PARAM"),
        ({"placement": "curved"}, "INVALID_PARAM"),
        ({"placement": "beside it"}, "INVALID_PARAM"),
        ({"font": "No Such Font"}, "INVALID_PARAM"),
        ({"field": "nme"}, "NOT_FOUND"),
        ({"field": None}, "INVALID_PARAM"),
        ({"rotation_field": "name"}, "INVALID_PARAM"),
        ({"scale_range": {"min": 100, "max": 50000}}, "INVALID_PARAM"),
        ({"rules": {"r1": {"style": {"field": "name"}}}}, "INVALID_PARAM"),
        ({"enabled": "yes"}, "INVALID_PARAM"),
        ({"priority": 3.5}, "INVALID_PARAM"),
        ({"offset": [1]}, "INVALID_PARAM"),
        ({"wrap": "\n"}, "INVALID_PARAM"),
        ({"type": "diagram"}, "INVALID_PARAM"),
        ("labels", "INVALID_PARAM"),
    ],
    ids=lambda each: json.dumps(each) if not isinstance(each, str) else each,
)
def test_what_is_refused(bench: Bench, patch: Any, code: str) -> None:
    """Each bad patch is refused as a whole, with a hint, and nothing is changed."""
    layer = bench.add(points())
    patch_labels(layer, {"field": "name"})
    assert refused(layer, patch)["code"] == code


def test_hints_name_what_is_near(bench: Bench) -> None:
    """The nearest key, and the placements that go with lines."""
    layer = bench.add(lines())
    assert "'color'" in refused(layer, {"field": "name", "colour": "#ff0000"})["hint"]
    assert "curved, line, horizontal" in refused(layer, {"field": "name", "placement": "beside"})["hint"]
    assert "name" in refused(layer, {"size": 8})["hint"]  # a bare layer: labels need a field


def test_null_takes_away(bench: Bench) -> None:
    """null is none for a halo, a range, a field of sizes; the default for a size; and the whole for labels."""
    layer = bench.add(points())
    patch_labels(layer, EVERYTHING)
    patch_labels(layer, {"halo": None, "scale_range": None, "size_field": None, "size": None, "number_format": None})
    found = read_labels(layer)
    assert found["halo"] is None and found["size"] == 9
    assert not {"scale_range", "size_field", "number_format"} & set(found)
    assert found["rotation_field"] == "n"
    patch_labels(layer, None)
    assert layer.labeling() is None and read_labels(layer) == {"enabled": False}


def test_bold_is_taken_back_where_qgis_forces_it(bench: Bench) -> None:
    """QGIS 3.40's setForcedBold(False) forces bold; the patch takes it away all the same, and keeps the font."""
    layer = bench.add(points())
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    text = settings.format()
    text.setForcedBold(True)
    settings.setFormat(text)
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    family = read_labels(layer)["font"]
    assert read_labels(layer)["bold"]
    patch_labels(layer, {"bold": False})
    found = read_labels(layer)
    assert "bold" not in found and found["font"] == family and found["unsupported"] == []


RULES: dict[str, Any] = {
    "type": "rules",
    "rules": {
        "r1": {
            "order": 0,
            "label": "big",
            "where": [
                {"field": "n", "op": "gt", "value": 1},
                {"any_of": [{"field": "name", "op": "eq", "value": "b"}]},
            ],
            "style": {"field": "name", "size": 14, "font": LATIN},
        },
        "r2": {
            "order": 1,
            "parent": "r1",
            "scale_range": {"min": 10000, "max": 0},
            "style": {"field": "n", "font": LATIN},
        },
        "r3": {"order": 2, "else": True, "visible": False, "style": {"field": "x", "font": LATIN}},
    },
}


def test_rules_are_written_and_read(bench: Bench) -> None:
    """Conditions, nesting, ranges and else are QGIS's own; the document comes back."""
    layer, bare = bench.add(points()), bench.add(points("bare"))
    patch_labels(layer, RULES)
    root = layer.labeling().rootRule()
    outer, rest = root.children()
    assert outer.filterExpression() == '"n" > 1 AND ("name" = \'b\')' and outer.description() == "big"
    assert outer.settings().format().size() == 14
    inner = outer.children()[0]
    assert inner.minimumScale() == 10000 and inner.settings().fieldName == "n"
    assert rest.isElse() and not rest.active() and layer.labelsEnabled()
    document = read_labels(layer)
    assert document["rules"]["r2"]["parent"] == "r1" and document["rules"]["r2"]["scale_range"] == {
        "min": 10000,
        "max": 0,
    }
    assert [each["order"] for each in document["rules"].values()] == [0, 1, 2]
    patch_labels(bare, document)
    assert read_labels(bare) == document


def test_one_rule_is_changed_and_one_goes(bench: Bench) -> None:
    """A merge patch on one rule leaves the others; ids stay when a rule before them goes, also through the style XML."""
    layer = bench.add(points())
    patch_labels(layer, RULES)
    before = copy.deepcopy(read_labels(layer)["rules"])
    patch_labels(layer, {"rules": {"r3": {"visible": True, "style": {"color": "#0000ff"}}}})
    found = read_labels(layer)["rules"]
    assert found["r3"]["visible"] and found["r3"]["style"]["color"] == "#0000ff" and found["r3"]["else"]
    assert (found["r1"], found["r2"]) == (before["r1"], before["r2"])
    patch_labels(layer, {"rules": {"r1": None}})
    layer.setLabeling(layer.labeling().clone())
    assert list(read_labels(layer)["rules"]) == ["r3"]  # r2 went with r1


def test_a_persons_rule_keeps_its_expression(bench: Bench) -> None:
    """A rule with an expression that conditions cannot say is told, kept, and its look can be changed."""
    layer = bench.add(points())
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    root = QgsRuleBasedLabeling.Rule(None)
    root.appendChild(QgsRuleBasedLabeling.Rule(settings, 0, 0, '"n" % 2 = 0', "even"))
    layer.setLabeling(QgsRuleBasedLabeling(root))
    rule = read_labels(layer)["rules"]["r1"]
    assert rule["unsupported"] == ['expression: "n" % 2 = 0'] and "where" not in rule
    patch_labels(layer, {"rules": {"r1": {"style": {"size": 20}}}})
    kept = layer.labeling().rootRule().children()[0]
    assert kept.filterExpression() == '"n" % 2 = 0' and kept.settings().format().size() == 20
    assert refused(layer, {"rules": {"r1": {"expression": "true"}}})["code"] == "INVALID_PARAM"


@pytest.mark.parametrize(
    "rules",
    [
        {"r9": {"visible": False}},
        {"r9": None},
        {"r1": {"where": "n > 1"}},
        {"r1": {"where": [{"field": "n", "op": "like", "value": "a"}]}},
        {"r1": {"where": [{"field": "q", "op": "eq", "value": 1}]}},
        {"r1": {"where": [{"field": "n", "op": "eq", "value": "1"}]}},
        {"r1": {"parent": "r2"}},
        {"r1": {"style": {"field": "q"}}},
        {"r1": {"style": {"colour": "#ffffff"}}},
        {"r1": {"scale_range": {"min": 1, "max": 2}}},
        {"r1": None, "r2": None, "r3": None},
        {"new rule": {"style": {"field": "n"}}},
    ],
    ids=json.dumps,
)
def test_bad_rules_change_nothing(bench: Bench, rules: Any) -> None:
    """Unknown ids, texts for conditions, wrong types, circles."""
    layer = bench.add(points())
    patch_labels(layer, RULES)
    refused(layer, {"rules": {"r2": {"visible": False}, **rules}})


WHERES = [
    [{"field": "n", "op": "eq", "value": 1}],
    [{"field": "n", "op": "ne", "value": -1}],
    [{"field": "x", "op": "gt", "value": 0.5}, {"field": "n", "op": "between", "value": [-1, 5]}],
    [{"field": "name", "op": "contains", "value": "ab'c"}],
    [{"field": "name", "op": "starts_with", "value": "街"}],
    [{"field": "name", "op": "in", "value": ["a", "b"]}],
    [{"field": "n", "op": "not_in", "value": [1, 2, -3]}],
    [{"field": "day", "op": "gte", "value": "2020-01-02"}],
    [{"field": "x", "op": "is_null"}],
    [{"field": "x", "op": "not_null"}],
    [
        {"any_of": [{"field": "n", "op": "ne", "value": 1}, {"field": "name", "op": "eq", "value": "A"}]},
        {"field": "n", "op": "lte", "value": 4},
    ],
]


@pytest.mark.parametrize("where", WHERES, ids=lambda each: json.dumps(each, ensure_ascii=True))
def test_conditions_come_back_from_their_expression(bench: Bench, where: list[dict[str, Any]]) -> None:
    """Each kind of condition, written as an expression by conditions.py, is read as what it was."""
    layer = bench.add(points())
    assert where_of(layer, where_expression(layer, where)) == where


@pytest.mark.parametrize(
    "expression",
    [
        "upper(name)='A'",
        '"n" * 2 > 3',
        '"n" > "x"',
        "name ~ 'a'",
        "$area > 3",
        "(n>1 and x<2) or n=5",
        "not n = 1",
        "n >",
        "",
    ],
)
def test_other_expressions_are_not_taken_for_conditions(bench: Bench, expression: str) -> None:
    """What conditions cannot say is not guessed at."""
    assert where_of(bench.add(points()), expression) is None


def test_a_font_with_the_glyphs_is_found() -> None:
    """Chinese, Japanese and Cyrillic letters; a character that no font has is told."""
    assert label_fonts.own_missing(LATIN, "街道") == ["街", "道"] and label_fonts.own_missing(CHINESE, "街道a") == []
    assert "CJK" in label_fonts.family_for("城关区").family and label_fonts.family_for("城关区").missing == []
    assert label_fonts.family_for("Москва").missing == []
    assert label_fonts.family_for("a\U00013000").missing == ["\U00013000"]
