"""set_layer_label through the calls: fields, counts, fonts, warnings, pictures, and how it is undone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsPalLayerSettings,
    QgsProject,
    QgsRectangle,
    QgsRuleBasedLabeling,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor, QImage

from qgis_agent.gis.style import label_fonts, labels
from qgis_agent.gis.style.history import revert
from qgis_agent.gis.tools.default import label as tool

REPO = Path(__file__).resolve().parents[2]
PICTURES = REPO / "build" / "gallery"
CHINESE = ["城关区", "新城镇", None, "阳光街道办事处", "", "锦绣苑"]


def towns(names: list[Any], definition: str = "field=fid:integer&field=name:string(40)", title: str = "towns") -> Any:
    """Points in a row, numbered and named."""
    rows = [(f"POINT({number % 3} {number // 3})", [number, each]) for number, each in enumerate(names)]
    return memory_layer(f"Point?crs=EPSG:4326&{definition}", rows, title)


def picture(layers: list[QgsVectorLayer], background: str = "white", name: str = "") -> QImage:
    """The layers drawn with their labels; kept to be looked at when it has a name."""
    settings = QgsMapSettings()
    settings.setLayers(layers)
    settings.setDestinationCrs(layers[0].crs())
    box = QgsRectangle(layers[0].extent())
    box.grow(0.5)
    settings.setExtent(box)
    settings.setOutputSize(QSize(600, 400))
    settings.setBackgroundColor(QColor(background))
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    if name:
        PICTURES.mkdir(parents=True, exist_ok=True)
        assert image.save(str(PICTURES / f"{name}.png"))
    return image


def pixels(image: QImage, color: str, near: int = 24) -> int:
    """How many pixels are about this colour."""
    wanted = QColor(color)
    found = 0
    for y in range(image.height()):
        for x in range(image.width()):
            each = image.pixelColor(x, y)
            gaps = (each.red() - wanted.red(), each.green() - wanted.green(), each.blue() - wanted.blue())
            found += max(abs(gap) for gap in gaps) <= near
    return found


def test_labels_by_a_field(bench: Bench) -> None:
    """Counts are those of the data, the layer has the labels, the action and the evidence say so."""
    layer = bench.add(towns(CHINESE))
    outcome = bench.outcome("set_layer_label", layer_id="towns", visible=True, field="name")
    data = outcome["envelope"]["data"]
    assert (data["features"], data["with_value"], data["null_count"]) == (6, 4, 2)
    assert "2 of 6" in outcome["envelope"]["message"]
    assert layer.labelsEnabled() and layer.labeling().settings().fieldName == "name"
    assert outcome["actions"] == [
        {
            "op": "label",
            "args": {"layer_id": "towns", "visible": True, "field": "name", "rule_id": data["rule_id"]},
            "ok": True,
            "error": None,
        }
    ]
    assert outcome["evidence"][0]["ref"] == data["rule_id"]
    revert(bench.host, data["rule_id"])
    assert layer.labeling() is None and not layer.labelsEnabled()


def test_the_filter_counts(bench: Bench) -> None:
    """Features that the layer's filter leaves out are not counted."""
    layer = bench.add(towns(CHINESE))
    layer.setSubsetString('"fid" < 2')
    data = bench.ok("set_layer_label", layer_id="towns", visible=True, field="name")
    assert (data["features"], data["with_value"]) == (2, 2)


def test_off_and_on_keeps_the_settings(bench: Bench) -> None:
    """Off, and on again without a field: the same labels."""
    layer = bench.add(towns(CHINESE))
    bench.ok("set_layer_label", layer_id="towns", visible=True, field="name", options={"size": 14, "color": "#aa0000"})
    before = labels.read_labels(layer)
    off = bench.ok("set_layer_label", layer_id="towns", visible=False)
    assert not layer.labelsEnabled() and off["rule_id"] and not off["visible"]
    bench.ok("set_layer_label", layer_id="towns", visible=True)
    assert labels.read_labels(layer) == before


def test_off_without_labels_changes_nothing(bench: Bench) -> None:
    """No labelling is made to be switched off."""
    layer = bench.add(towns(CHINESE))
    outcome = bench.outcome("set_layer_label", layer_id="towns", visible=False)
    assert outcome["envelope"]["ok"] and outcome["actions"] == [] and layer.labeling() is None
    assert "no labels" in outcome["envelope"]["message"]


@pytest.mark.parametrize(
    ("definition", "field"),
    [
        ("field=fid:integer&field=name:string", "name"),
        ("field=fid:integer&field=名称:string", "名称"),
        ("field=kind:string&field=NAME:string", "NAME"),
        ("field=kind:string&field=road_name:string", "road_name"),
    ],
)
def test_one_obvious_name_field_is_taken(bench: Bench, definition: str, field: str) -> None:
    """Without a field, where one text field names the features."""
    layer = memory_layer(f"Point?crs=EPSG:4326&{definition}", [("POINT(0 0)", [1, "a"])], "places")
    bench.add(layer)
    assert bench.ok("set_layer_label", layer_id="places", visible=True)["field"] == field


@pytest.mark.parametrize(
    "definition",
    [
        "field=id:integer&field=kind:string&field=code:string",
        "field=id:integer&field=name_en:string&field=name_zh:string",
    ],
)
def test_without_an_obvious_field_it_asks(bench: Bench, definition: str) -> None:
    """Text fields first, keys not at all; nothing is changed."""
    layer = memory_layer(f"Point?crs=EPSG:4326&{definition}", [("POINT(0 0)", [1, "a", "b"])], "places")
    bench.add(layer)
    envelope = bench.call("set_layer_label", layer_id="places", visible=True)
    assert envelope["code"] == "INVALID_PARAM" and layer.labeling() is None
    options = [each["label"] for each in envelope["data"]["options"]]
    assert sorted(options[:2]) == sorted(
        each.split(":")[0] for each in definition.replace("field=", "").split("&") if "string" in each
    )
    assert "id" not in options and options[0] in envelope["hint"]


def test_options(bench: Bench) -> None:
    """Each of the eight reaches QGIS; what is left out stays."""
    layer = bench.add(towns(CHINESE))
    options = {
        "size": 12,
        "color": "#0033aa",
        "bold": True,
        "halo_color": "#ffff00",
        "halo_size": 1.5,
        "placement": "around",
        "min_scale": 1e9,
        "max_scale": 1000,
    }
    bench.ok("set_layer_label", layer_id="towns", visible=True, field="name", options=options)
    settings = layer.labeling().settings()
    text = settings.format()
    halo = text.buffer()
    assert (text.size(), text.color().name(), text.font().bold()) == (12, "#0033aa", True)
    assert (halo.color().name(), halo.size(), halo.enabled()) == ("#ffff00", 1.5, True)
    assert (settings.minimumScale, settings.maximumScale, settings.scaleVisibility) == (1e9, 1000, True)
    bench.ok("set_layer_label", layer_id="towns", visible=True, options={"halo_size": 0})
    text = layer.labeling().settings().format()
    assert not text.buffer().enabled() and text.size() == 12 and text.font().bold()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"placement": "curved"}, "INVALID_PARAM"),
        ({"min_scale": 100, "max_scale": 5000}, "INVALID_PARAM"),
        ({"color": "#12345"}, "INVALID_PARAM"),
        ({"font": "x"}, "INVALID_PARAM"),
        ({"size": 0}, "INVALID_PARAM"),
    ],
)
def test_bad_options_change_nothing(bench: Bench, options: dict[str, Any], code: str) -> None:
    """Refused with a hint; there are no labels after it."""
    layer = bench.add(towns(CHINESE))
    assert bench.code("set_layer_label", layer_id="towns", visible=True, field="name", options=options) == code
    assert layer.labeling() is None and not layer.labelsEnabled()


def test_other_refusals(bench: Bench) -> None:
    """A field that is none, a table, rules of a person."""
    layer = bench.add(towns(CHINESE))
    bench.add(memory_layer("None?field=name:string", [(None, ["a"])], "table"))
    assert bench.code("set_layer_label", layer_id="towns", visible=True, field="nam") == "NOT_FOUND"
    assert bench.code("set_layer_label", layer_id="table", visible=True, field="name") == "UNSUPPORTED"
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    root = QgsRuleBasedLabeling.Rule(None)
    root.appendChild(QgsRuleBasedLabeling.Rule(settings, 0, 0, '"fid" % 2 = 0'))
    layer.setLabeling(QgsRuleBasedLabeling(root))
    assert bench.code("set_layer_label", layer_id="towns", visible=True, field="name") == "INVALID_PARAM"
    assert bench.ok("set_layer_label", layer_id="towns", visible=True)["rules"] == 1
    assert layer.labelsEnabled() and layer.labeling().type() == "rule-based"


def test_warnings(bench: Bench) -> None:
    """A hidden layer, and a range of scales that hides the labels now; neither is said where it does not hold."""
    layer = bench.add(towns(["a", "b", "c", "d"]))
    assert not bench.call("set_layer_label", layer_id="towns", visible=True, field="name")["message"]
    QgsProject.instance().layerTreeRoot().findLayer(layer.id()).setItemVisibilityChecked(False)
    message = bench.call("set_layer_label", layer_id="towns", visible=True, options={"min_scale": 500})["message"]
    assert "toggle_layer" in message and "range of scales" in message


def test_labels_that_qgis_does_not_take_are_undone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read back other than set: the earlier labels are there again, and no rule id is kept."""
    layer = bench.add(towns(CHINESE))
    bench.ok("set_layer_label", layer_id="towns", visible=True, field="name")
    before = labels.read_labels(layer)
    monkeypatch.setattr(tool, "patch_labels", lambda layer, patch: layer.setLabeling(None))
    assert bench.code("set_layer_label", layer_id="towns", visible=True, options={"size": 20}) == "UPSTREAM_ERROR"
    assert labels.read_labels(layer) == before


def test_chinese_names_are_drawn_in_a_font_that_has_them(bench: Bench) -> None:
    """The chosen font has a glyph of its own for each character of the data, and the picture has text and halo."""
    layer = bench.add(towns(CHINESE, title="区县"))
    data = bench.ok("set_layer_label", layer_id="区县", visible=True, field="name", options={"size": 16})
    assert label_fonts.own_missing(data["font"], "".join(each for each in CHINESE if each)) == []
    layer.renderer().symbol().setColor(QColor("#2c7fb8"))
    light = picture([layer], name="labels_points_light")
    dark = picture([layer], "#202020", name="labels_points_dark")
    bench.ok("set_layer_label", layer_id="区县", visible=False)
    bare = picture([layer], "#202020")
    assert pixels(light, "#323232") > 300
    assert pixels(dark, "#ffffff") > 1000 > pixels(bare, "#ffffff")


def test_a_persons_font_stays_unless_it_draws_boxes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """DejaVu Sans stays for Chinese, because Qt takes the glyphs from another font; with boxes it is replaced, and said."""
    layer = bench.add(towns(CHINESE))
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    text = settings.format()
    font = text.font()
    font.setFamily("DejaVu Sans")
    text.setFont(font)
    settings.setFormat(text)
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    assert bench.ok("set_layer_label", layer_id="towns", visible=True)["font"] == "DejaVu Sans"
    monkeypatch.setattr(
        label_fonts, "missing_glyphs", lambda font, characters: label_fonts.own_missing(font.family(), characters)
    )
    envelope = bench.call("set_layer_label", layer_id="towns", visible=True)
    assert "CJK" in envelope["data"]["font"] and "DejaVu Sans lacks" in envelope["message"]


def test_characters_without_any_glyph_are_said(bench: Bench) -> None:
    """Egyptian hieroglyphs, which no font here has."""
    bench.add(towns(["\U00013000\U00013001", "a"]))
    assert "\U00013000" in bench.call("set_layer_label", layer_id="towns", visible=True, field="name")["message"]


def test_a_light_colour_gets_a_dark_halo(bench: Bench) -> None:
    """White text in a white halo would not be seen; a halo that was asked for is left alone."""
    bench.add(towns(CHINESE))
    data = bench.ok("set_layer_label", layer_id="towns", visible=True, field="name", options={"color": "#ffffff"})
    assert tool.contrast("#ffffff", data["halo"]["color"]) > 10
    own = {"color": "#ffffff", "halo_color": "#eeeeee"}
    assert bench.ok("set_layer_label", layer_id="towns", visible=True, options=own)["halo"]["color"] == "#eeeeee"


def test_contrast_is_that_of_wcag() -> None:
    """Published values: black on white 21, #777777 on white 4.48."""
    assert tool.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert tool.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_lines_and_polygons(bench: Bench) -> None:
    """Along lines and inside of polygons, in Chinese."""
    rings = ["POLYGON((0 0,1 0,1 1,0 1,0 0))", "POLYGON((1 0,2 0,2 1,1 1,1 0))"]
    cells = memory_layer(
        "Polygon?crs=EPSG:4326&field=name:string", [(rings[0], ["城关区"]), (rings[1], ["新城区"])], "cells"
    )
    wkt = "LINESTRING(0 0.2, 0.7 0.45, 1.2 0.3, 2 0.2)"
    ways = memory_layer("LineString?crs=EPSG:4326&field=name:string", [(wkt, ["人民中路"])], "ways")
    for layer in (cells, ways):
        bench.add(layer)
    cells.renderer().symbol().setColor(QColor("#c7e9b4"))
    ways.renderer().symbol().setColor(QColor("#d95f0e"))
    ways.renderer().symbol().setWidth(0.8)
    assert bench.ok("set_layer_label", layer_id="cells", visible=True)["placement"] == "horizontal"
    assert bench.ok("set_layer_label", layer_id="ways", visible=True, options={"size": 12})["placement"] == "curved"
    image = picture([ways, cells], name="labels_lines_polygons")
    assert pixels(image, "#323232") > 100
