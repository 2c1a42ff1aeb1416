"""set_render_rule and get_style through the calls: what is drawn, by which symbol, how it is undone, what is refused."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from pyproj import Geod
from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsExpressionContextUtils,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsMarkerSymbol,
    QgsPalLayerSettings,
    QgsProject,
    QgsRasterLayer,
    QgsRenderContext,
    QgsRuleBasedRenderer,
    QgsSingleSymbolRenderer,
    QgsSymbol,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.style import renderers
from qgis_agent.gis.style.history import revert

GEOD = Geod(ellps="WGS84")
FIELDS = "field=name:string(40)&field=n:integer&field=x:double&field=day:date"


def towns(values: list[Any], names: list[Any] | None = None) -> QgsVectorLayer:
    """Points with a text, an integer and a number."""
    rows = [
        (f"POINT({number} 0)", [names[number] if names else f"t{number}", number, value, None])
        for number, value in enumerate(values)
    ]
    return memory_layer(f"Point?crs=EPSG:4326&{FIELDS}", rows, "towns")


def drawn_colors(layer: QgsVectorLayer) -> list[str | None]:
    """The colour that QGIS draws each feature with; None for one that is not drawn."""
    renderer = layer.renderer().clone()
    context = QgsRenderContext()
    scopes = QgsExpressionContextUtils.globalProjectLayerScopes(layer)
    for scope in scopes:
        context.expressionContext().appendScope(scope)
    renderer.startRender(context, layer.fields())
    found = []
    for feature in layer.getFeatures():
        context.expressionContext().setFeature(feature)
        symbol = renderer.symbolForFeature(feature, context)
        found.append(symbol.color().name() if symbol is not None else None)
    renderer.stopRender(context)
    return found


def test_graduated_by_quantiles(bench: Bench) -> None:
    """Limits, counts and colours of the answer are what QGIS draws; actions, legend and evidence say the same."""
    values = [1.0, 2.0, 3.0, 4.0, 10.0, 20.0, None, 40.0, 80.0]
    layer = bench.add(towns(values))
    outcome = bench.outcome(
        "set_render_rule",
        layer_id="towns",
        method="graduated",
        field="x",
        classes=4,
        palette="Blues",
        options={"legend_title": "X"},
    )
    data = outcome["envelope"]["data"]
    assert data["classification"] == "quantile" and data["palette"] == "Blues"
    assert [each["upper"] for each in data["classes"]] == pytest.approx([2.75, 7.0, 25.0, 80.0])  # (n - 1) p, by hand
    assert data["classes"][0]["lower"] == 1.0
    assert (data["null_count"], data["not_drawn"]) == (1, 1) and "1 of 9" in outcome["envelope"]["message"]
    colors = drawn_colors(layer)
    assert colors[6] is None
    for entry in data["classes"]:
        inside = [number for number, color in enumerate(colors) if color == entry["color"]]
        assert len(inside) == entry["count"] > 0
        assert all(entry["lower"] <= values[number] <= entry["upper"] for number in inside)
    assert [each["op"] for each in outcome["actions"]] == ["render"]
    rule = outcome["actions"][0]["args"]["rule"]
    assert rule["breaks"] == pytest.approx([2.75, 7.0, 25.0]) and rule["colors"] == [
        each["color"] for each in data["classes"]
    ]
    assert [each["color"] for each in outcome["legend"]] == rule["colors"] and outcome["legend"][0]["title"] == "X"
    assert outcome["evidence"][0]["ref"] == data["rule_id"]
    assert layer.renderer().classificationMethod().id() == "Quantile"
    assert layer.renderer().type() == "graduatedSymbol" and layer.renderer().classAttribute() == "x"


@pytest.mark.parametrize("classification", ["equal_interval", "quantile", "natural_breaks", "pretty"])
def test_lowest_and_highest_are_drawn(bench: Bench, classification: str) -> None:
    """Both ends are covered exactly, with numbers that have no short decimal form."""
    layer = bench.add(towns([0.1 + 0.2, 1 / 3, 2 / 3, 1e9 / 7, 1e9 / 3]))
    bench.ok(
        "set_render_rule", layer_id="towns", method="graduated", field="x", options={"classification": classification}
    )
    assert None not in drawn_colors(layer)


def test_the_filter_counts(bench: Bench) -> None:
    """Classes are those of the filtered features, and the message says so."""
    layer = bench.add(towns([1.0, 2.0, 3.0, 100.0]))
    layer.setSubsetString('"x" < 50')
    envelope = bench.call("set_render_rule", layer_id="towns", method="graduated", field="x", classes=3)
    assert envelope["data"]["classes"][-1]["upper"] == 3.0 and "filter" in envelope["message"]


def test_area_is_taken_on_the_ground(bench: Bench) -> None:
    """$area_km2 in web mercator: limits are geodesic areas (pyproj), drawing needs no project ellipsoid or unit."""
    rings = [[(x, y), (x + 0.1, y), (x + 0.1, y + 0.1), (x, y + 0.1)] for x, y in [(0, 0), (0, 30), (0, 60), (0, 75)]]
    areas = [abs(GEOD.polygon_area_perimeter(*zip(*ring))[0]) / 1e6 for ring in rings]
    degrees = [
        ("POLYGON((" + ", ".join(f"{x} {y}" for x, y in [*ring, ring[0]]) + "))", ["a", 1, 1.0, None]) for ring in rings
    ]
    layer = bench.add(memory_layer(f"Polygon?crs=EPSG:4326&{FIELDS}", degrees, "plots"))
    project = bench.host.project
    for ellipsoid, unit in itertools.product(
        ("NONE", "EPSG:7030"), (Qgis.AreaUnit.Hectares, Qgis.AreaUnit.SquareMeters)
    ):
        project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
        project.setEllipsoid(ellipsoid)
        project.setAreaUnits(unit)
        equal = {"classification": "equal_interval"}
        data = bench.ok(
            "set_render_rule", layer_id="plots", method="graduated", field="$area_km2", classes=2, options=equal
        )
        assert data["classes"][0]["lower"] == pytest.approx(min(areas), rel=1e-4)
        assert data["classes"][-1]["upper"] == pytest.approx(max(areas), rel=1e-4)
        assert [each["count"] for each in data["classes"]] == [2, 2] and None not in drawn_colors(layer)
    assert bench.ok("get_style", layer_id="plots")["renderer"]["field"] == "$area_km2"


def test_length_in_metres(bench: Bench) -> None:
    """$length_m is ellipsoidal in the project's ellipsoid whatever its unit, and refused without an ellipsoid."""
    lines = [[(0, 60), (1, 60)], [(0, 60), (0, 61)], [(5, 10), (5.5, 10.5)]]
    lengths = [GEOD.line_length(*zip(*line)) for line in lines]
    rows = [("LINESTRING({} {}, {} {})".format(*line[0], *line[1]), ["a", 1, 1.0, None]) for line in lines]
    bench.add(memory_layer(f"LineString?crs=EPSG:4326&{FIELDS}", rows, "ways"))
    project = bench.host.project
    project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    project.setEllipsoid("EPSG:7030")
    project.setDistanceUnits(Qgis.DistanceUnit.Kilometers)
    data = bench.ok("set_render_rule", layer_id="ways", method="graduated", field="$length_m", classes=2)
    assert data["classes"][0]["lower"] == pytest.approx(min(lengths), rel=1e-4)
    assert data["classes"][-1]["upper"] == pytest.approx(max(lengths), rel=1e-4)
    project.setEllipsoid("NONE")
    assert bench.code("set_render_rule", layer_id="ways", method="graduated", field="$length_m") == "UNSUPPORTED"
    assert bench.code("set_render_rule", layer_id="ways", method="graduated", field="$area_km2") == "INVALID_PARAM"


def test_categories(bench: Bench) -> None:
    """One colour a value in order, NULL and the empty text as one category, every feature drawn."""
    names = ["b", "a", None, "a", "", "B"]
    layer = bench.add(towns([1.0] * 6, names))
    outcome = bench.outcome("set_render_rule", layer_id="towns", method="categorized", field="name")
    data = outcome["envelope"]["data"]
    assert [(each["value"], each["count"]) for each in data["classes"]] == [("B", 1), ("a", 2), ("b", 1), (None, 2)]
    assert data["classes"][-1]["is_null"] is True and data["null_count"] == 2 and data["not_drawn"] == 0
    by_value = {each["value"]: each["color"] for each in data["classes"]}
    assert len(set(by_value.values())) == 4
    assert drawn_colors(layer) == [by_value[name or None] for name in names]


def test_categories_of_numbers_and_dates(bench: Bench) -> None:
    """Numbers are ordered as numbers."""
    layer = bench.add(towns([10.0, 9.0, 2.5, 9.0]))
    data = bench.ok("set_render_rule", layer_id="towns", method="categorized", field="x")
    assert [(each["value"], each["label"]) for each in data["classes"]] == [(2.5, "2.5"), (9.0, "9"), (10.0, "10")]
    assert None not in drawn_colors(layer)


@pytest.mark.parametrize("count", [64, 65])
def test_at_most_64_categories(bench: Bench, count: int) -> None:
    """64 work and have 64 colours; 65 are refused with a way out, and the style stays."""
    layer = bench.add(towns([1.0] * count))
    before = layer.renderer().dump()
    envelope = bench.call("set_render_rule", layer_id="towns", method="categorized", field="name")
    if count == 64:
        assert envelope["ok"] and len({each.symbol().color().name() for each in layer.renderer().categories()}) == 64
        assert size_bytes(envelope) <= 4096
    else:
        assert envelope["code"] == "INVALID_PARAM" and "graduated" in envelope["hint"]
        assert layer.renderer().dump() == before
    numbers = bench.call("set_render_rule", layer_id="towns", method="categorized", field="n")
    assert numbers["ok"] == (count == 64)


def test_single_color_keeps_the_symbol(bench: Bench) -> None:
    """Only the colour changes: shape, size and outline of the person's symbol stay."""
    layer = bench.add(towns([1.0]))
    symbol = QgsMarkerSymbol.createSimple(
        {"name": "star", "size": "5.5", "color": "#00ff00", "outline_color": "#123456"}
    )
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))
    data = bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#AA001180"})
    now = layer.renderer().symbol()
    assert now.color().name() == "#aa0011" and now.size() == 5.5
    assert now.opacity() == pytest.approx(0x80 / 255) and layer.opacity() == 1.0
    assert now.symbolLayer(0).strokeColor().name() == "#123456" and now.symbolLayer(0).properties()["name"] == "star"
    assert data["classes"][0]["color"] == "#aa0011"


def test_small_markers_and_hidden_fills_become_visible(bench: Bench) -> None:
    """A marker of 0.5 mm grows to 2.4 mm, a fill without a brush gets one, a data-defined colour goes."""
    layer = bench.add(towns([1.0, 2.0, 3.0]))
    layer.setRenderer(QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"size": "0.5"})))
    bench.ok("set_render_rule", layer_id="towns", method="graduated", field="x", classes=3)
    assert {each.symbol().size() for each in layer.renderer().ranges()} == {2.4}
    square = [("POLYGON((0 0,1 0,1 1,0 0))", ["a", 1, 1.0, None])]
    area = bench.add(memory_layer(f"Polygon?crs=EPSG:4326&{FIELDS}", square, "area"))
    symbol = QgsSymbol.defaultSymbol(Qgis.GeometryType.Polygon)
    symbol.changeSymbolLayer(0, type(symbol.symbolLayer(0)).create({"style": "no", "outline_width": "1.3"}))
    area.setRenderer(QgsSingleSymbolRenderer(symbol))
    bench.ok("set_render_rule", layer_id="area", method="single", options={"color": "#123456"})
    part = area.renderer().symbol().symbolLayer(0)
    assert part.properties()["style"] == "solid" and float(part.properties()["outline_width"]) == 1.3


def test_a_change_can_be_taken_back(bench: Bench) -> None:
    """The earlier style comes back by its rule id, and aliases that the person set in between stay."""
    layer = bench.add(towns([1.0, 2.0, 3.0]))
    layer.setRenderer(QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"color": "#00ff00", "size": "4"})))
    first = bench.ok(
        "set_render_rule",
        layer_id="towns",
        method="graduated",
        field="x",
        options={"legend_title": "T"},
    )
    second = bench.ok("set_render_rule", layer_id="towns", method="categorized", field="name")
    layer.setFieldAlias(0, "Name of the town")
    assert first["rule_id"] != second["rule_id"]
    revert(bench.host, second["rule_id"])
    assert layer.renderer().type() == "graduatedSymbol"
    revert(bench.host, first["rule_id"])
    assert layer.renderer().symbol().color().name() == "#00ff00" and layer.opacity() == 1.0
    assert layer.attributeAlias(0) == "Name of the town"
    assert bench.ok("get_style", layer_id="towns", part="legend")["legend"]["title"] is None


def test_a_style_that_qgis_does_not_take_over_is_undone(bench: Bench, monkeypatch: Any) -> None:
    """The read-back decides: when it differs, the call fails and the earlier style is there."""
    layer = bench.add(towns([1.0, 2.0]))
    layer.setRenderer(QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"color": "#00ff00"})))
    monkeypatch.setattr(renderers, "matches", lambda _layer, _drawn: False)
    assert bench.code("set_render_rule", layer_id="towns", method="graduated", field="x") == "UPSTREAM_ERROR"
    assert layer.renderer().type() == "singleSymbol" and layer.renderer().symbol().color().name() == "#00ff00"


@pytest.mark.parametrize(
    ("arguments", "code", "hint"),
    [
        ({"method": "graduated", "field": "nane"}, "NOT_FOUND", "name"),
        ({"method": "graduated", "field": "name"}, "INVALID_PARAM", "n, x"),
        ({"method": "graduated", "field": "day"}, "INVALID_PARAM", "n, x"),
        ({"method": "graduated"}, "INVALID_PARAM", "n, x"),
        ({"method": "categorized"}, "INVALID_PARAM", "name"),
        ({"method": "categorized", "field": "$area_km2"}, "INVALID_PARAM", "graduated"),
        ({"method": "graduated", "field": "x", "options": {"classification": "manual"}}, "INVALID_PARAM", "breaks"),
        (
            {"method": "graduated", "field": "x", "options": {"classification": "manual", "breaks": [3, 2]}},
            "INVALID_PARAM",
            "low to high",
        ),
        (
            {"method": "graduated", "field": "x", "options": {"classification": "quantile", "breaks": [3]}},
            "INVALID_PARAM",
            "manual",
        ),
        ({"method": "graduated", "field": "x", "palette": "Rainbow"}, "INVALID_PARAM", "OrRd"),
        ({"method": "graduated", "field": "x", "classes": 1}, "INVALID_PARAM", ""),
    ],
)
def test_what_is_refused(bench: Bench, arguments: dict[str, Any], code: str, hint: str) -> None:
    """The right code, a hint with the valid names, and the style as it was."""
    layer = bench.add(towns([1.0, 2.0, 3.0]))
    before = layer.renderer().dump()
    envelope = bench.call("set_render_rule", layer_id="towns", **arguments)
    assert not envelope["ok"] and envelope["code"] == code, envelope
    assert envelope["hint"] and hint in envelope["hint"], envelope
    assert layer.renderer().dump() == before


@pytest.mark.parametrize("values", [[], [None, None], [float("nan")]])
def test_nothing_to_classify(bench: Bench, values: list[Any]) -> None:
    """No features, only NULL, only NaN: UNSUPPORTED with the reason, never an empty map."""
    layer = bench.add(towns(values))
    before = layer.renderer().dump()
    envelope = bench.call("set_render_rule", layer_id="towns", method="graduated", field="x")
    assert envelope["code"] == "UNSUPPORTED" and envelope["reason"] in ("no_features", "no_values"), envelope
    assert layer.renderer().dump() == before


def test_fewer_values_than_classes(bench: Bench) -> None:
    """Constant and two-valued fields are drawn in as many classes as there are values, and it is said."""
    layer = bench.add(towns([5.0, 5.0, None]))
    envelope = bench.call("set_render_rule", layer_id="towns", method="graduated", field="x")
    assert len(envelope["data"]["classes"]) == 1 and "one class" in envelope["message"]
    assert [each is None for each in drawn_colors(layer)] == [False, False, True]


def test_manual_breaks(bench: Bench) -> None:
    """Two breaks, three classes; breaks alone mean manual."""
    layer = bench.add(towns([1.0, 5.0, 9.0, 20.0]))
    data = bench.ok("set_render_rule", layer_id="towns", method="graduated", field="x", options={"breaks": [5, 10]})
    assert [(each["lower"], each["upper"], each["count"]) for each in data["classes"]] == [
        (1, 5, 2),
        (5, 10, 1),
        (10, 20, 1),
    ]
    assert data["classification"] == "manual" and layer.renderer().classificationMethod().id() == "Custom"


def test_rasters_and_tables_are_unsupported(bench: Bench, tmp_path: Path) -> None:
    """Only what has vector geometry is drawn by a rule."""
    raster = tmp_path / "r.asc"
    raster.write_text("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n")
    bench.host.project.addMapLayer(QgsRasterLayer(str(raster), "r"))
    bench.add(memory_layer("None?field=x:double", [(None, [1.0])], "table"))
    assert bench.code("set_render_rule", layer_id="r", method="single") == "UNSUPPORTED"
    assert bench.code("set_render_rule", layer_id="table", method="single") == "UNSUPPORTED"
    style = bench.ok("get_style", layer_id="r")
    assert style["renderer"]["type"] == "gray" and style["renderer"]["band"] == 1
    assert bench.ok("get_style", layer_id="table")["renderer"]["type"] == "none"


def test_the_document_of_a_graduated_layer(bench: Bench) -> None:
    """What was set is read back: field, classification, palette, limits, opacity, labels."""
    layer = bench.add(towns([1.0, 2.0, 3.0, 4.0]))
    made = bench.ok(
        "set_render_rule",
        layer_id="towns",
        method="graduated",
        field="x",
        classes=3,
        options={"reverse": True},
    )
    layer.setOpacity(0.7)
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    layer.setLabelsEnabled(True)
    style = bench.ok("get_style", layer_id="towns")
    renderer = style["renderer"]
    assert (renderer["type"], renderer["field"], renderer["classification"]) == ("graduated", "x", "quantile")
    assert (renderer["palette"], renderer["reverse"]) == ("OrRd", True)
    entries = sorted(renderer["classes"].values(), key=lambda each: each["order"])
    assert [(each["lower"], each["upper"], each["color"]) for each in entries] == [
        (each["lower"], each["upper"], each["color"]) for each in made["classes"]
    ]
    assert style["opacity"] == 0.7 and style["blend"] == "normal" and style["scale_range"] is None
    assert style["labels"]["enabled"] and style["labels"]["field"] == "name"
    assert [each["color"] for each in style["legend"]["items"]] == [each["color"] for each in made["classes"]]
    assert style["total_classes"] == 3 and style["next"] is None


def test_many_classes_come_in_pages(bench: Bench) -> None:
    """60 categories with long Chinese labels: pages of at most 20, under 4,096 bytes, that together give all of them."""
    names = [f"第{number:02d}街道办事处辖区" for number in range(60)]
    bench.add(towns([1.0] * 60, names))
    bench.ok("set_render_rule", layer_id="towns", method="categorized", field="name")
    seen: list[Any] = []
    cursor: int | None = 0
    while cursor is not None:
        envelope = bench.call("get_style", layer_id="towns", cursor=cursor)
        assert size_bytes(envelope) <= 4096 and "Shortened" not in envelope["message"]
        page = envelope["data"]["renderer"]["classes"]
        assert 1 <= len(page) <= 20
        seen += [each["value"] for each in page.values()]
        cursor = envelope["data"]["next"]
    assert sorted(seen) == sorted(names)


def test_rules_and_expressions_are_shown_as_they_are(bench: Bench) -> None:
    """A person's rules and expressions are told as text, marked as unsupported, never taken for our own."""
    layer = bench.add(towns([1.0, 2.0]))
    root = QgsRuleBasedRenderer.Rule(None)
    rule = QgsRuleBasedRenderer.Rule(
        QgsMarkerSymbol.createSimple({"color": "#ff0000"}), filterExp='sqrt("x") > 1', label="big"
    )
    rule.appendChild(QgsRuleBasedRenderer.Rule(QgsMarkerSymbol.createSimple({}), elseRule=True, label="rest"))
    root.appendChild(rule)
    layer.setRenderer(QgsRuleBasedRenderer(root))
    style = bench.ok("get_style", layer_id="towns", part="renderer")
    renderer = style["renderer"]
    assert renderer["type"] == "rules"
    first, second = sorted(renderer["rules"].values(), key=lambda each: each["order"])
    assert first["expression"] == 'sqrt("x") > 1' and first["color"] == "#ff0000"
    assert second["else"] and second["parent"] == "r1"
    assert style["unsupported"] == ['renderer.rules.r1.where: expression: sqrt("x") > 1']
    bench.ok("set_render_rule", layer_id="towns", method="graduated", field="x", classes=2)
    graduated = layer.renderer().clone()
    graduated.setClassAttribute('"x" * 2')
    layer.setRenderer(graduated)
    shown = bench.ok("get_style", layer_id="towns", part="renderer")
    assert shown["renderer"]["expression"] == '"x" * 2' and "renderer.field" in shown["unsupported"][0]


def test_the_picture_has_the_colours(bench: Bench) -> None:
    """Drawn for real: each class's colour is in the picture."""
    rows = [(f"POLYGON(({x} 0,{x + 1} 0,{x + 1} 1,{x} 1,{x} 0))", ["a", 1, float(x), None]) for x in range(3)]
    layer = bench.add(memory_layer(f"Polygon?crs=EPSG:4326&{FIELDS}", rows, "cells"))
    data = bench.ok("set_render_rule", layer_id="cells", method="graduated", field="x", classes=3)
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(layer.crs())
    settings.setExtent(layer.extent())
    settings.setOutputSize(QSize(300, 100))
    settings.setBackgroundColor(QColor("white"))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    middles = [image.pixelColor(50 + 100 * number, 50).name() for number in range(3)]
    assert middles == [each["color"] for each in data["classes"]]


def test_a_new_project_forgets_rule_ids(bench: Bench) -> None:
    """Rule ids are those of the open project."""
    bench.add(towns([1.0, 2.0]))
    made = bench.ok("set_render_rule", layer_id="towns", method="single")
    QgsProject.instance().clear()
    with pytest.raises(Exception, match="not known"):
        revert(bench.host, made["rule_id"])
