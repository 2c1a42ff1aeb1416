"""What style tools must say, and legends show, so that nobody reads a map wrongly: faults that people found on trial."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import pytest
from conftest import REPO, Bench, memory_layer
from pyproj import Geod
from qgis.core import (
    QgsExpressionContext,
    QgsExpressionContextScope,
    QgsLayoutExporter,
    QgsLayoutItemLegend,
    QgsLayoutItemMap,
    QgsMarkerSymbol,
    QgsPrintLayout,
    QgsRasterLayer,
    QgsRectangle,
    QgsRenderContext,
    QgsSingleSymbolRenderer,
    QgsSymbolLayer,
    QgsTextFormat,
    QgsTextRenderer,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QRectF, QSize
from qgis.PyQt.QtGui import QFont

FIELDS = "field=kind:string&field=pupils:integer&field=area:double"
SHAPES = {
    "Point": "POINT({0} 0)",
    "LineString": "LINESTRING({0} 0, {0} 1)",
    "Polygon": "POLYGON(({0} 0, {0}.5 0, {0}.5 1, {0} 1, {0} 0))",
}


def schools(geometry: str = "Point", kinds: Sequence[str] = "aabbc") -> QgsVectorLayer:
    """Features one degree apart; pupils 100, 200 …"""
    rows = [(SHAPES[geometry].format(n), [kind, 100 * (n + 1), 2.0]) for n, kind in enumerate(kinds)]
    return memory_layer(f"{geometry}?crs=EPSG:4326&{FIELDS}", rows, "schools")


def title_of(bench: Bench, layer: QgsVectorLayer) -> Any:
    """The title that QGIS's legends read."""
    return bench.host.project.layerTreeRoot().findLayer(layer.id()).customProperty("legend/title-label")


def legend_colors(bench: Bench, layer: QgsVectorLayer) -> dict[str, int]:
    """Pixels of each colour in the legend of a layout, as QGIS draws it."""
    layout = QgsPrintLayout(bench.host.project)
    layout.initializeDefaults()
    shown = QgsLayoutItemMap(layout)
    shown.attemptSetSceneRect(QRectF(0, 0, 100, 100))
    shown.setExtent(QgsRectangle(0, -5, 10, 5))
    layout.addLayoutItem(shown)
    legend = QgsLayoutItemLegend(layout)
    legend.setLinkedMap(shown)
    legend.setAutoUpdateModel(False)
    legend.model().rootGroup().clear()
    legend.model().rootGroup().addLayer(layer)
    legend.attemptSetSceneRect(QRectF(110, 5, 60, 80))
    layout.addLayoutItem(legend)
    image = QgsLayoutExporter(layout).renderRegionToImage(QRectF(105, 0, 90, 120), QSize(), 100)
    found: dict[str, int] = {}
    for x in range(image.width()):
        for y in range(image.height()):
            name = image.pixelColor(x, y).name()
            found[name] = found.get(name, 0) + 1
    return found


# legends of sizes


@pytest.mark.parametrize("geometry", ["Point", "LineString"])
@pytest.mark.parametrize("method", ["categorized", "graduated"])
def test_each_class_has_its_colour_in_a_legend_of_sizes(bench: Bench, geometry: str, method: str) -> None:
    """QGIS gives a symbol without a feature the size of NULL, which is 0: the classes would be blank."""
    layer = bench.add(schools(geometry))
    field = "kind" if method == "categorized" else "area / pupils"
    data = bench.ok(
        "set_render_rule", layer_id="schools", method=method, field=field, classes=3, options={"size": "pupils"}
    )
    drawn = legend_colors(bench, layer)
    assert all(drawn.get(each["color"], 0) >= 8 for each in data["classes"]), (data["classes"], drawn)
    if geometry == "Point":  # the circles that explain the sizes are no class
        assert drawn.get("#606060", 0) >= 50
        assert max(drawn[each["color"]] for each in data["classes"]) < drawn["#606060"]


def test_a_size_by_field_from_a_patch_is_in_the_legend_too(bench: Bench) -> None:
    """patch_style writes the same; what it wrote is read as the field that it is, and survives another patch."""
    layer = bench.add(schools())
    layer.setRenderer(
        QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"color": "#aa0000", "outline_style": "no"}))
    )
    scale = {"scaling": "area", "min_value": 0, "max_value": 500, "min_size": 0, "max_size": 10}
    sized = {"size": {"field": "pupils", "scale": scale}}
    change = {"renderer": {"symbol": {"layers": {"l1": {"data_defined": sized}}}}}
    bench.ok("patch_style", layer_id="schools", patch=change)
    assert legend_colors(bench, layer).get("#aa0000", 0) >= 8
    document = bench.ok("get_style", layer_id="schools")
    told = document["renderer"]["symbol"]["layers"]["l1"]["data_defined"]["size"]
    assert told["field"] == "pupils" and told["scale"]["max_size"] == 10 and "unsupported" not in document


@pytest.mark.parametrize(("geometry", "top"), [("LineString", "3 mm = 500"), ("Polygon", "12 mm = 500")])
def test_sizes_that_legends_cannot_show_are_in_the_title(bench: Bench, geometry: str, top: str) -> None:
    """Line widths and circles on polygons; a title that was asked for stays as it was asked for."""
    layer = bench.add(schools(geometry))
    envelope = bench.call("set_render_rule", layer_id="schools", method="single", options={"size": "pupils"})
    assert top in title_of(bench, layer) and "pupils" in title_of(bench, layer)
    assert envelope["data"]["legend_title"] == title_of(bench, layer) and "title" in envelope["message"]
    bench.ok("set_render_rule", layer_id="schools", method="single")
    assert title_of(bench, layer) is None
    options = {"size": "pupils", "legend_title": "Mine"}
    envelope = bench.call("set_render_rule", layer_id="schools", method="single", options=options)
    assert title_of(bench, layer) == "Mine" and top in envelope["message"]


# titles that no longer fit


def test_a_title_goes_with_what_it_named(bench: Bench) -> None:
    """Another field: the title that a tool set goes, and it is said. The same field in another way: it stays."""
    layer = bench.add(schools())
    rule = {"layer_id": "schools", "method": "graduated"}
    bench.ok("set_render_rule", **rule, field="pupils", options={"legend_title": "Pupils"})
    kept = bench.call("set_render_rule", **rule, field="pupils", classes=2, palette="Blues")
    assert title_of(bench, layer) == "Pupils" == kept["data"]["legend_title"] and "Pupils" not in kept["message"]
    bench.ok("set_render_rule", layer_id="schools", method="categorized", field="pupils")
    assert title_of(bench, layer) == "Pupils"
    gone = bench.call("set_render_rule", **rule, field="area / pupils")
    assert title_of(bench, layer) is None and "'Pupils'" in gone["message"] and "legend_title" not in gone["data"]
    bench.ok("revert_style", layer_id="schools")
    assert title_of(bench, layer) == "Pupils"
    bench.ok("set_render_rule", layer_id="schools", method="single")
    assert title_of(bench, layer) is None


def test_a_title_of_the_person_stays_and_is_told(bench: Bench) -> None:
    """Nobody but they can know whether it still fits; an empty title takes it away."""
    layer = bench.add(schools())
    bench.host.project.layerTreeRoot().findLayer(layer.id()).setCustomProperty("legend/title-label", "学校")
    envelope = bench.call("set_render_rule", layer_id="schools", method="categorized", field="kind")
    assert title_of(bench, layer) == "学校" == envelope["data"]["legend_title"] and "学校" in envelope["message"]
    options = {"legend_title": ""}
    bench.ok("set_render_rule", layer_id="schools", method="categorized", field="kind", options=options)
    assert title_of(bench, layer) is None


def test_a_title_goes_with_a_patch_too(bench: Bench) -> None:
    """patch_style to rules by another field; a patch of colours leaves it; a title in the patch is set."""
    layer = bench.add(schools())
    bench.ok("set_render_rule", layer_id="schools", method="graduated", field="pupils")
    bench.ok("set_legend", layer_id="schools", title="Pupils")
    recolour = {"renderer": {"classes": {"c1": {"color": "#112233"}}}}
    bench.ok("patch_style", layer_id="schools", patch=recolour)
    assert title_of(bench, layer) == "Pupils"
    where = [{"field": "kind", "op": "eq", "value": "a"}]
    rules = {"renderer": {"type": "rules", "rules": {"r1": {"where": where, "color": "#ff0000", "label": "A"}}}}
    envelope = bench.call("patch_style", layer_id="schools", patch=rules)
    assert title_of(bench, layer) is None and "'Pupils'" in envelope["message"]
    assert any(each["path"] == "legend.title" for each in envelope["data"]["changed"])
    bench.ok("revert_style", layer_id="schools")
    assert title_of(bench, layer) == "Pupils"
    bench.ok("patch_style", layer_id="schools", patch={**rules, "legend": {"title": "Kinds"}})
    assert title_of(bench, layer) == "Kinds"


# texts that layouts would evaluate


def test_titles_and_labels_are_never_evaluated(bench: Bench) -> None:
    """A title with [% is refused and nothing changes; values and names from the data stay text."""
    layer = bench.add(schools(kinds=["[% 1+1 %]", "b"]))
    options = {"legend_title": "[% @user_full_name %]"}
    arguments = {"layer_id": "schools", "method": "categorized", "field": "kind"}
    assert bench.code("set_render_rule", **arguments, options=options) == "INVALID_PARAM"
    assert title_of(bench, layer) is None and layer.renderer().type() == "singleSymbol"
    bench.ok("set_render_rule", **arguments)
    assert [each.value() for each in layer.renderer().categories()] == ["[% 1+1 %]", "b"]
    assert not any("[%" in each.label() for each in layer.renderer().categories())


# what is not drawn


def test_a_patch_says_what_no_rule_draws(bench: Bench) -> None:
    """Two of five features by r1, none by r2; sizes that nobody named stay."""
    layer = bench.add(schools())
    layer.setRenderer(QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"size": "2"})))

    def where(value: str) -> list[dict[str, str]]:
        return [{"field": "kind", "op": "eq", "value": value}]

    rules = {
        "r1": {"where": where("a"), "color": "#ff0000", "label": "A"},
        "r2": {"where": where("hospital"), "color": "#0000ff", "label": "Hospitals"},
    }
    envelope = bench.call("patch_style", layer_id="schools", patch={"renderer": {"type": "rules", "rules": rules}})
    assert "3 of 5 features" in envelope["message"] and "Hospitals" in envelope["message"]
    assert (envelope["data"]["features"], envelope["data"]["not_drawn"]) == (5, 3)
    assert {each.symbol().size() for each in layer.renderer().rootRule().children()} == {2.0}
    hidden = bench.call("patch_style", layer_id="schools", patch={"renderer": {"rules": {"r1": {"visible": False}}}})
    assert "5 of 5 features" in hidden["message"]
    recolour = bench.call(
        "patch_style", layer_id="schools", patch={"renderer": {"rules": {"r2": {"color": "#00ff00"}}}}
    )
    assert recolour["message"] == "" and "not_drawn" not in recolour["data"]


def test_a_patch_says_what_no_class_draws(bench: Bench) -> None:
    """Limits that leave out 400 and 500; a category that no feature has; else draws all."""
    bench.add(schools())
    classes = {"c1": {"lower": 0, "upper": 300, "color": "#ff0000"}}
    renderer: dict[str, Any] = {"type": "graduated", "field": "pupils", "classes": classes}
    message = bench.call("patch_style", layer_id="schools", patch={"renderer": renderer})["message"]
    assert "2 of 5 features" in message and "draw no feature" not in message
    values = {"c1": {"value": "a", "color": "#ff0000"}, "c2": {"value": "z", "color": "#00ff00", "label": "Zoo"}}
    renderer = {"type": "categorized", "field": "kind", "classes": values}
    message = bench.call("patch_style", layer_id="schools", patch={"renderer": renderer})["message"]
    assert "3 of 5 features" in message and "draw no feature: Zoo." in message
    rules = {"r1": {"else": True, "color": "#ff0000"}}
    envelope = bench.call("patch_style", layer_id="schools", patch={"renderer": {"type": "rules", "rules": rules}})
    assert envelope["message"] == "" and envelope["data"]["not_drawn"] == 0


def test_a_patch_says_that_the_layer_is_not_seen(bench: Bench) -> None:
    """Opacity 0, no renderer, a range of scales that the map is outside of."""
    bench.add(schools("Polygon"))
    assert "opacity 0" in bench.call("patch_style", layer_id="schools", patch={"opacity": 0})["message"]
    assert "scale" in bench.call("patch_style", layer_id="schools", patch={"scale_range": {"min": 1000}})["message"]
    nothing = bench.call("patch_style", layer_id="schools", patch={"renderer": {"type": "none"}})
    assert "draws nothing" in nothing["message"]


def test_a_title_of_a_raster_goes_with_its_band(bench: Bench) -> None:
    """Heights in grey or in colours are heights; a relief shows none."""
    layer = QgsRasterLayer(str(shutil.copy(REPO / "resources" / "sample" / "dem.tif", bench.folder)), "dem")
    bench.add(layer)
    bench.ok("set_legend", layer_id="dem", title="Height (m)")
    bench.ok("set_raster_style", layer_id="dem", method="pseudocolor", palette="Viridis")
    assert title_of(bench, layer) == "Height (m)"
    envelope = bench.call("set_raster_style", layer_id="dem", method="hillshade")
    assert title_of(bench, layer) is None and "'Height (m)'" in envelope["message"]
    bench.ok("revert_style", layer_id="dem")
    assert title_of(bench, layer) == "Height (m)"
    patch = {"renderer": {"adjust": {"saturation": 2.5}}}
    envelope = bench.call("patch_style", layer_id="dem", patch=patch)
    assert envelope["code"] == "INVALID_PARAM" and "whole number" in envelope["message"]


def test_a_look_is_copied_with_its_title(bench: Bench) -> None:
    """As long as nobody gave the other layer one: a person's own stays, and is told."""
    bench.add(schools())
    others = [bench.add(memory_layer(f"Point?crs=EPSG:4326&{FIELDS}", [], name)) for name in ("one", "two")]
    bench.host.project.layerTreeRoot().findLayer(others[1].id()).setCustomProperty("legend/title-label", "Mine")
    options = {"legend_title": "Pupils"}
    bench.ok("set_render_rule", layer_id="schools", method="graduated", field="pupils", options=options)
    envelope = bench.call("copy_style", layer_id="schools", to_layer_ids=["one", "two"])
    assert [title_of(bench, each) for each in others] == ["Pupils", "Mine"] and "'Mine'" in envelope["message"]
    bench.ok("revert_style", layer_id="one")
    assert title_of(bench, others[0]) is None


# hints


@pytest.mark.parametrize(
    ("patch", "hint"),
    [
        ({"renderer": {"type": "rules", "rules": {"r1": {"color": "#ff0000", "size": 5}}}}, '{"symbol": {"size": …}}'),
        (
            {"renderer": {"type": "categorized", "field": "kind", "classes": {"c1": {"value": "a", "width": 5}}}},
            '{"symbol": {"width": …}}',
        ),
        ({"renderer": {"color": "#ff0000"}}, '{"symbol": {"color": …}}'),
        ({"labels": {"type": "rules", "rules": {"r1": {"field": "kind"}}}}, '{"style": {"field": …}}'),
        ({"labels": {"text": "kind"}}, "'field'"),
        ({"labels": {"field": "kind", "font_size": 9}}, "'size'"),
        ({"opacity": "50%"}, "Write 0.5."),
        ({"opacity": 50}, "Write 0.5."),
        ({"opacity": "0.3"}, "Write 0.3."),
        ({"renderer": {"symbol": {"size": "3 mm"}}}, "Write 3."),
        ({"renderer": {"symbol": {"color": "red"}}}, "#ff0000"),
        ({"labels": {"field": "kind", "color": "Red"}}, "#ff0000"),
    ],
)
def test_hints_say_where_it_belongs(bench: Bench, patch: dict[str, Any], hint: str) -> None:
    """The right place or value, not the word that looks most alike."""
    bench.add(schools())
    envelope = bench.call("patch_style", layer_id="schools", patch=patch)
    assert envelope["code"] == "INVALID_PARAM" and hint in envelope["hint"], envelope


def test_a_colour_by_name_is_told_how_to_write_it(bench: Bench) -> None:
    """Words, not a regular expression."""
    bench.add(schools())
    envelope = bench.call("set_render_rule", layer_id="schools", method="single", options={"color": "red"})
    assert envelope["code"] == "INVALID_PARAM" and "#rrggbb" in envelope["hint"] and "0-9" not in envelope["hint"]


@pytest.mark.parametrize(
    ("method", "options", "hint"),
    [("heatmap", {}, "every point counts"), ("single", {"size": "kind"}, "millimetres")],
)
def test_a_text_for_a_number_has_its_own_way_out(bench: Bench, method: str, options: dict[str, Any], hint: str) -> None:
    """Categories are no way out of a heatmap or a size."""
    bench.add(schools())
    more = {"field": "kind"} if method == "heatmap" else {}
    envelope = bench.call("set_render_rule", layer_id="schools", method=method, options=options, **more)
    assert envelope["code"] == "INVALID_PARAM" and "pupils" in envelope["hint"]
    assert hint in envelope["hint"] and "categorized" not in envelope["hint"]


# classes


def test_colours_without_an_order_are_told(bench: Bench) -> None:
    """A qualitative palette for numbers."""
    bench.add(schools())
    rule = {"layer_id": "schools", "field": "pupils"}
    for method in ("graduated", "heatmap"):
        assert "no order" in bench.call("set_render_rule", method=method, palette="Set1", **rule)["message"], method
        assert "no order" not in bench.call("set_render_rule", method=method, palette="Blues", **rule)["message"]


def test_manual_classes_outside_of_the_data(bench: Bench) -> None:
    """Pupils 100 to 500, breaks 50, 300 and 9e9: no class is called by one number, and the empty ones are named."""
    bench.add(schools())
    options = {"classification": "manual", "breaks": [50, 300, 9e9]}
    envelope = bench.call("set_render_rule", layer_id="schools", method="graduated", field="pupils", options=options)
    labels = [each["label"] for each in envelope["data"]["classes"]]
    assert labels == ["≤ 50", "50 – 300", "300 – 9000000000", "> 9000000000"]
    assert [each["count"] for each in envelope["data"]["classes"]] == [0, 3, 2, 0]
    assert "2 of 4 classes" in envelope["message"] and "≤ 50, > 9000000000" in envelope["message"]


def test_classes_of_whole_numbers_have_whole_labels(bench: Bench) -> None:
    """Years 1953, 1954, 1960, 1971 and 1990 in four classes: a limit between two years is the earlier one."""
    years = [1953, 1954, 1960, 1971, 1990]
    rows = [(f"POINT({number} 0)", [year, year + 0.5]) for number, year in enumerate(years)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=year:integer&field=exact:double", rows, "built"))
    rule = {"layer_id": "built", "method": "graduated", "options": {"classification": "equal_interval"}}
    found = bench.ok("set_render_rule", field="year", classes=4, **rule)["classes"]
    # (1990 - 1953) / 4 = 9.25: 1962.25, 1971.5, 1980.75
    assert [each["upper"] for each in found] == pytest.approx([1962.25, 1971.5, 1980.75, 1990])
    assert [each["label"] for each in found] == ["1953 – 1962", "1962 – 1971", "1971 – 1980", "1980 – 1990"]
    found = bench.ok("set_render_rule", field="exact", classes=4, **rule)["classes"]
    assert "." in found[0]["label"]


def test_a_ratio_is_a_field_of_the_document(bench: Bench) -> None:
    """pupils / $area_km2 is told by that name, and can be written; class limits are geodesic (pyproj)."""
    layer = bench.add(schools("Polygon"))
    bench.ok("set_render_rule", layer_id="schools", method="graduated", field="pupils / $area_km2", classes=2)
    document = bench.ok("get_style", layer_id="schools")
    renderer = document["renderer"]
    assert renderer["field"] == "pupils / $area_km2" and "expression" not in renderer and "unsupported" not in document
    attribute = layer.renderer().classAttribute()
    bench.ok("set_render_rule", layer_id="schools", method="single")
    bench.ok("patch_style", layer_id="schools", patch={"renderer": renderer})
    assert layer.renderer().classAttribute() == attribute
    area = abs(Geod(ellps="WGS84").polygon_area_perimeter([0, 0.5, 0.5, 0], [0, 0, 1, 1])[0]) / 1e6
    assert layer.renderer().ranges()[0].lowerValue() == pytest.approx(100 / area, rel=1e-4)


# groups of points


@pytest.mark.parametrize("method", ["cluster", "displacement"])
def test_groups_take_the_alpha_of_a_colour(bench: Bench, method: str) -> None:
    """#ff000080 is half seen through: the group's symbol (of a cluster) and that of lone points."""
    layer = bench.add(schools())
    bench.ok("set_render_rule", layer_id="schools", method=method, options={"color": "#ff000080"})
    symbols = [layer.renderer().embeddedRenderer().symbol()]
    if method == "cluster":
        symbols.append(layer.renderer().clusterSymbol())
    for symbol in symbols:
        assert symbol.color().name() == "#ff0000" and symbol.opacity() == pytest.approx(128 / 255, abs=0.01)


def test_the_number_of_a_cluster_fits_its_disc(bench: Bench) -> None:
    """More points make a larger disc, and up to five digits are narrower than it (QGIS's own text metrics)."""
    layer = bench.add(schools())
    bench.ok("set_render_rule", layer_id="schools", method="cluster")
    symbol = layer.renderer().clusterSymbol().clone()
    disc, number = (symbol.symbolLayer(index) for index in (0, 1))
    context = QgsRenderContext()
    context.setScaleFactor(20.0)
    face = QgsTextFormat()
    face.setFont(QFont(number.fontFamily()))
    face.setSizeUnit(number.sizeUnit())
    face.setSize(number.size())
    seen = []
    for count in (2, 9, 99, 999, 1027, 99999):
        scope = QgsExpressionContextScope()
        scope.setVariable("cluster_size", count)
        about = QgsExpressionContext()
        about.appendScope(scope)
        size = disc.dataDefinedProperties().property(QgsSymbolLayer.Property.Size).valueAsDouble(about, -1.0)[0]
        wide = QgsTextRenderer.textWidth(context, face, [str(count)]) / 20.0
        assert wide < size - 0.5, (count, wide, size)
        seen.append(size)
    assert seen == sorted(seen) and seen[0] < seen[1] < seen[2] < seen[3]


# values that were taken and not kept


def test_empty_switches_of_label_rules_are_refused(bench: Bench) -> None:
    """ "" is no true or false."""
    layer = bench.add(schools())
    rules = {"r1": {"style": {"field": "kind"}}, "r2": {"style": {"field": "kind"}, "visible": ""}}
    patch = {"labels": {"type": "rules", "rules": rules}}
    assert bench.code("patch_style", layer_id="schools", patch=patch) == "INVALID_PARAM"
    assert layer.labeling() is None


def test_an_empty_text_of_a_class_is_refused(bench: Bench) -> None:
    """A box without a name says nothing."""
    layer = bench.add(schools())
    bench.ok("set_render_rule", layer_id="schools", method="categorized", field="kind")
    code = bench.code("set_legend", layer_id="schools", labels=[{"id": "c1", "text": "  "}])
    assert code == "INVALID_PARAM" and layer.renderer().categories()[0].label() == "a"


@pytest.mark.parametrize(
    "labels",
    [
        {"type": "rules", "rules": {"r1": {"style": {"field": "kind"}, "where": ""}}},
        {"type": "rules", "rules": {"r1": {"style": {"field": "kind"}, "where": {}}}},
        {"type": "rules", "rules": {"r1": {"style": {"field": "kind"}, "scale_range": ""}}},
        {"type": "rules", "rules": []},
        {"field": "kind", "rules": ""},
    ],
)
def test_what_would_be_ignored_is_refused(bench: Bench, labels: dict[str, Any]) -> None:
    """A condition, a range or rules of another form."""
    layer = bench.add(schools())
    assert bench.code("patch_style", layer_id="schools", patch={"labels": labels}) == "INVALID_PARAM"
    assert layer.labeling() is None


def test_a_label_may_say_less_than(bench: Bench) -> None:
    """ "< 200" is a text; tags, and signs with an invisible one between them, are refused."""
    layer = bench.add(schools())
    bench.ok("set_render_rule", layer_id="schools", method="graduated", field="pupils", classes=2)
    bench.ok("patch_style", layer_id="schools", patch={"renderer": {"classes": {"c1": {"label": "< 200"}}}})
    assert layer.renderer().ranges()[0].label() == "< 200"
    for text in ("<b>x</b>", "</b>", "[\u200b% 1 %]"):
        change = {"renderer": {"classes": {"c1": {"label": text}}}}
        assert bench.code("patch_style", layer_id="schools", patch=change) == "INVALID_PARAM", text
    assert layer.renderer().ranges()[0].label() == "< 200"
