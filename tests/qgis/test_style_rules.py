"""set_render_rule beyond classes of one field: densities, sizes by a field, ratios, the most frequent values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsExpressionContextUtils,
    QgsFeature,
    QgsMarkerSymbol,
    QgsRenderContext,
    QgsSingleSymbolRenderer,
    QgsSymbolLayer,
    QgsVectorLayer,
)

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.style.history import revert

FIELDS = "field=name:string(40)&field=pop:double&field=jobs:integer"


def places(geometry: str = "Point", rows: list[list[Any]] | None = None) -> QgsVectorLayer:
    """Features one degree apart."""
    shapes = {
        "Point": "POINT({0} 0)",
        "LineString": "LINESTRING({0} 0, {0} 1)",
        "Polygon": "POLYGON(({0} 0, {0}.5 0, {0}.5 1, {0} 1, {0} 0))",
    }
    rows = rows or [["a", 10.0, 100], ["b", 40.0, 25], ["b", None, 4], ["c", 160.0, None], ["c", 90.0, -3]]
    found = [(shapes[geometry].format(number), row) for number, row in enumerate(rows)]
    return memory_layer(f"{geometry}?crs=EPSG:4326&{FIELDS}", found, "places")


def drawn_sizes(layer: QgsVectorLayer) -> list[float | None]:
    """The size or width in mm that QGIS draws each feature with; None for one without a symbol."""
    renderer = layer.renderer().clone()
    context = QgsRenderContext()
    for scope in QgsExpressionContextUtils.globalProjectLayerScopes(layer):
        context.expressionContext().appendScope(scope)
    renderer.startRender(context, layer.fields())
    found: list[float | None] = []
    for feature in layer.getFeatures():
        context.expressionContext().setFeature(feature)
        symbol = renderer.symbolForFeature(feature, context)
        if symbol is None:
            found.append(None)
            continue
        marker = symbol if isinstance(symbol, QgsMarkerSymbol) else None
        if marker is None and not hasattr(symbol, "width"):
            marker = symbol.symbolLayer(symbol.symbolLayerCount() - 1).subSymbol()
        sizing = marker.dataDefinedSize() if marker is not None else symbol.dataDefinedWidth()
        found.append(sizing.valueAsDouble(context.expressionContext(), -1.0)[0])
    renderer.stopRender(context)
    return found


@pytest.mark.parametrize(
    ("geometry", "top", "power"), [("Point", 10, 0.5), ("LineString", 3, 1.0), ("Polygon", 12, 0.5)]
)
def test_sizes_are_in_proportion(bench: Bench, geometry: str, top: float, power: float) -> None:
    """Four times the value: four times the area of a circle, four times the width of a line. NULL and below 0: nothing."""
    layer = bench.add(places(geometry))
    envelope = bench.call("set_render_rule", layer_id="places", method="single", options={"size": "jobs"})
    sizes = drawn_sizes(layer)
    assert sizes == pytest.approx([top, top * 0.25**power, top * 0.04**power, 0.0, 0.0])
    said = envelope["data"]["size"]
    assert (said["field"], said["max_mm"], said["max_value"], said["no_size"]) == ("jobs", top, 100, 2)
    assert "2 features have no size" in envelope["message"]
    for entry in said["legend"]:
        assert entry["size_mm"] == pytest.approx(top * (entry["value"] / 100) ** power, abs=0.01)
    assert [each["value"] for each in said["legend"]] == [100, 20, 5]


def test_colour_by_one_field_and_size_by_another(bench: Bench) -> None:
    """Bivariate: limits and colours of the classes as without sizes; the legend has both; it goes away again."""
    layer = bench.add(places())
    plain = bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=2)
    both = bench.outcome(
        "set_render_rule", layer_id="places", method="graduated", field="pop", classes=2, options={"size": "jobs"}
    )
    data = both["envelope"]["data"]
    assert data["classes"] == plain["classes"] and data["not_drawn"] == 1 and data["size"]["field"] == "jobs"
    assert both["actions"][0]["args"]["rule"]["size_field"] == "jobs"
    assert drawn_sizes(layer)[:2] == pytest.approx([10, 5]) and drawn_sizes(layer)[2] is None
    legend = layer.renderer().dataDefinedSizeLegend()
    assert [each.size for each in legend.classes()] == [each["value"] for each in data["size"]["legend"]]
    bench.ok("set_render_rule", layer_id="places", method="categorized", field="name")
    first = layer.renderer().categories()[0]
    symbol = first.symbol()
    assert not symbol.dataDefinedSize().isActive() and symbol.size() == pytest.approx(2.4)


def test_lines_by_colour_and_width(bench: Bench) -> None:
    """The field sets the line and its edge, 1.3 times as wide; a second rule leaves plain lines."""
    layer = bench.add(places("LineString"))
    bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=2, options={"size": "jobs"})
    for entry in layer.renderer().ranges():
        symbol = entry.symbol()
        assert symbol.symbolLayerCount() == 2
        for index, top in ((0, 3.9), (1, 3.0)):
            width = symbol.symbolLayer(index).dataDefinedProperties().property(QgsSymbolLayer.Property.StrokeWidth)
            assert '"jobs"' in width.expressionString() and width.transformer().maxSize() == pytest.approx(top)
    bench.ok("set_render_rule", layer_id="places", method="single")
    symbol = layer.renderer().symbol()
    assert symbol.symbolLayerCount() == 1 and symbol.width() == pytest.approx(0.7)
    assert not symbol.dataDefinedWidth().isActive()


def test_a_circle_on_polygons_takes_no_class_colour(bench: Bench) -> None:
    """The fill has the colour of its class, the circle its own; a second rule takes the circles away."""
    layer = bench.add(places("Polygon"))
    data = bench.ok(
        "set_render_rule", layer_id="places", method="graduated", field="pop", classes=2, options={"size": "jobs"}
    )
    symbols = [each.symbol().clone() for each in layer.renderer().ranges()]
    assert [each.color().name() for each in symbols] == [each["color"] for each in data["classes"]]
    assert {each.symbolLayerCount() for each in symbols} == {2}
    assert {each.symbolLayer(1).subSymbol().color().name() for each in symbols} == {"#542788"}
    bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=2)
    assert {each.symbol().symbolLayerCount() for each in layer.renderer().ranges()} == {1}


def test_a_size_in_mm(bench: Bench) -> None:
    """Markers and lines take it, polygons do not."""
    layer = bench.add(places())
    data = bench.ok("set_render_rule", layer_id="places", method="categorized", field="name", options={"size": 4})
    assert {each.symbol().size() for each in layer.renderer().categories()} == {4.0} and data["size_mm"] == 4.0
    bench.host.project.removeMapLayer(layer)
    lines = bench.add(places("LineString"))
    bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=2, options={"size": 1.5})
    assert {each.symbol().symbolLayer(1).width() for each in lines.renderer().ranges()} == {1.5}
    bench.ok("set_render_rule", layer_id="places", method="single", options={"color": "#123456"})
    assert lines.renderer().symbol().symbolLayerCount() == 1


def test_lines_of_pale_classes_have_an_edge(bench: Bench) -> None:
    """A grey line below, wider by 0.15 mm on each side; a second rule does not pile them up."""
    layer = bench.add(places("LineString"))
    for _ in range(2):
        data = bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=2)
        for entry, each in zip(data["classes"], layer.renderer().ranges(), strict=True):
            symbol = each.symbol().clone()
            assert symbol.symbolLayerCount() == 2
            casing, line = symbol.symbolLayer(0), symbol.symbolLayer(1)
            assert casing.color().name() == "#808080" and line.color().name() == entry["color"]
            assert casing.width() == pytest.approx(line.width() + 0.3) and line.width() == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"size": "nane"}, "NOT_FOUND"),
        ({"size": "name"}, "INVALID_PARAM"),
        ({"size": 0.05}, "INVALID_PARAM"),
        ({"size": 60}, "INVALID_PARAM"),
        ({"color": "red"}, "INVALID_PARAM"),
    ],
)
def test_sizes_that_are_refused(bench: Bench, options: dict[str, Any], code: str) -> None:
    """With a hint, and the style as it was."""
    layer = bench.add(places())
    before = layer.renderer().dump()
    assert bench.code("set_render_rule", layer_id="places", method="single", options=options) == code
    assert layer.renderer().dump() == before


def test_a_field_that_gives_no_sizes(bench: Bench) -> None:
    """Nothing above 0."""
    bench.add(places(rows=[["a", 1.0, 0], ["b", 2.0, -4], ["c", 3.0, None]]))
    envelope = bench.call("set_render_rule", layer_id="places", method="single", options={"size": "jobs"})
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "no_positive_values")


# ratios


def test_a_ratio_is_classified_as_it_is_drawn(bench: Bench) -> None:
    """pop / jobs: 0.1, 1.6; NULL where a part is NULL; -30 stays; get_style names it again."""
    layer = bench.add(places())
    equal = {"classification": "equal_interval"}
    data = bench.ok(
        "set_render_rule", layer_id="places", method="graduated", field="pop / jobs", classes=2, options=equal
    )
    assert data["field"] == "pop / jobs" and (data["null_count"], data["not_drawn"]) == (2, 2)
    limits = [data["classes"][0]["lower"], *(each["upper"] for each in data["classes"])]
    assert limits == pytest.approx([-30.0, -14.2, 1.6]) and [each["count"] for each in data["classes"]] == [1, 2]
    assert layer.renderer().classAttribute() == '("pop") / ("jobs")'


def test_a_density_by_area(bench: Bench) -> None:
    """pop / $area_km2 on a half degree by one degree at the equator: about 6,154 km2 (pyproj: geodesic area)."""
    from pyproj import Geod

    layer = bench.add(places("Polygon"))
    area = abs(Geod(ellps="WGS84").polygon_area_perimeter([0, 0.5, 0.5, 0], [0, 0, 1, 1])[0]) / 1e6
    data = bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop / $area_km2", classes=2)
    assert data["classes"][0]["lower"] == pytest.approx(10 / area, rel=1e-4)
    assert data["classes"][-1]["upper"] == pytest.approx(160 / area, rel=1e-4)
    from qgis_agent.gis.style.measures import name_of

    assert name_of(layer, layer.renderer().classAttribute()) == "pop / $area_km2"
    assert name_of(layer, '"pop" * 2') == "" and name_of(layer, "pop") == "pop"


def test_a_ratio_of_what_is_no_number(bench: Bench) -> None:
    """Each part must be a number field; a field whose own name has a stroke is a field."""
    bench.add(places())
    assert bench.code("set_render_rule", layer_id="places", method="graduated", field="name / jobs") == "INVALID_PARAM"
    assert bench.code("set_render_rule", layer_id="places", method="graduated", field="pop / nane") == "NOT_FOUND"
    assert bench.code("set_render_rule", layer_id="places", method="graduated", field="pop / jobs / pop") == "NOT_FOUND"
    odd = [("POINT(0 0)", [1.0]), ("POINT(1 0)", [5.0])]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a/b:double", odd, "odd"))
    data = bench.ok("set_render_rule", layer_id="odd", method="graduated", field="a/b", classes=2)
    assert data["classes"][-1]["upper"] == 5.0


# densities


def test_heatmap(bench: Bench) -> None:
    """Radius in mm, weight by field, features without a weight counted, colours from the palette; it can be taken back."""
    layer = bench.add(places())
    layer.setRenderer(QgsSingleSymbolRenderer(QgsMarkerSymbol.createSimple({"color": "#00ff00"})))
    outcome = bench.outcome(
        "set_render_rule", layer_id="places", method="heatmap", field="pop", palette="Inferno", options={"size": 12}
    )
    data, renderer = outcome["envelope"]["data"], layer.renderer()
    assert renderer.type() == "heatmapRenderer" and renderer.radius() == 12 and renderer.radiusUnit().value == 0
    assert renderer.weightExpression() == "pop" and renderer.colorRamp().color2().name() == "#fcffa4"
    assert renderer.colorRamp().color1().alpha() == 0
    assert (data["radius_mm"], data["null_count"], data["not_drawn"], data["features"]) == (12.0, 1, 1, 5)
    assert "1 of 5" in outcome["envelope"]["message"] and len(outcome["legend"]) == 3
    assert outcome["actions"][0]["args"]["rule"]["radius_mm"] == 12.0
    revert(bench.host, data["rule_id"])
    assert layer.renderer().symbol().color().name() == "#00ff00"


@pytest.mark.parametrize(("method", "kind"), [("cluster", "pointCluster"), ("displacement", "pointDisplacement")])
def test_groups_keep_the_look_of_lone_points(bench: Bench, method: str, kind: str) -> None:
    """The classes stay inside; a colour makes one symbol; from heatmap and back the plain symbol is taken."""
    layer = bench.add(places())
    bench.ok("set_render_rule", layer_id="places", method="categorized", field="name")
    envelope = bench.call("set_render_rule", layer_id="places", method=method, field="name")
    assert layer.renderer().type() == kind and layer.renderer().embeddedRenderer().type() == "categorizedSymbol"
    assert "does not use field" in envelope["message"]
    bench.ok("set_render_rule", layer_id="places", method=method, options={"color": "#aa0011", "size": 5})
    assert (
        layer.renderer().tolerance() == 5 and layer.renderer().embeddedRenderer().symbol().color().name() == "#aa0011"
    )
    bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=2)
    assert layer.renderer().type() == "graduatedSymbol"


@pytest.mark.parametrize("method", ["heatmap", "cluster", "displacement"])
def test_densities_need_points_and_a_radius(bench: Bench, method: str) -> None:
    """Polygons, a radius out of range and a field as a radius are refused."""
    bench.add(places("Polygon"))
    assert bench.code("set_render_rule", layer_id="places", method=method) == "INVALID_PARAM"
    bench.host.project.clear()
    bench.issue()
    bench.add(places())
    for size in (0, 0.2, "pop"):
        code = bench.code("set_render_rule", layer_id="places", method=method, options={"size": size})
        assert code == "INVALID_PARAM", size


# categories


def many(count: int) -> QgsVectorLayer:
    """``count`` different texts, the i-th of the first four 10 times, some NULL and empty ones."""
    names = [f"k{number}" for number in range(count)] + [f"k{number}" for number in range(4) for _ in range(9)]
    return places(rows=[[name, 1.0, 1] for name in [*names, None, None, ""]])


def test_the_most_frequent_values(bench: Bench) -> None:
    """classes=4 of 100: those four by name, everything else in one neutral class, and nothing is undrawn."""
    layer = bench.add(many(100))
    refused = bench.call("set_render_rule", layer_id="places", method="categorized", field="name")
    assert refused["code"] == "INVALID_PARAM" and "classes (2 to 20)" in refused["hint"]
    envelope = bench.call("set_render_rule", layer_id="places", method="categorized", field="name", classes=4)
    data = envelope["data"]
    assert [(each["value"], each["count"]) for each in data["classes"]] == [
        ("k0", 10), ("k1", 10), ("k2", 10), ("k3", 10), (None, 99)
    ]  # fmt: skip
    assert data["classes"][-1]["others"] and data["other_values"] == 96 and data["not_drawn"] == 0
    assert "96 more values (99 features, 3 of them without a value)" in envelope["message"]
    assert layer.renderer().categories()[-1].value() == "" and size_bytes(envelope) <= 4096
    assert (data["palette"], data["colorblind_safe"]) == ("OkabeIto", True)


def test_fewer_values_than_asked_for(bench: Bench) -> None:
    """All of them, and no class for others."""
    bench.add(places())
    data = bench.ok("set_render_rule", layer_id="places", method="categorized", field="name", classes=8)
    assert [each["label"] for each in data["classes"]] == ["a", "b", "c"]


def test_blanks_at_the_ends_are_seen(bench: Bench) -> None:
    """ "a" and "a " have labels of their own."""
    bench.add(places(rows=[["a", 1.0, 1], ["a ", 1.0, 1]]))
    data = bench.ok("set_render_rule", layer_id="places", method="categorized", field="name")
    assert [each["label"] for each in data["classes"]] == ["a", '"a "']


def test_palettes_say_whether_all_people_tell_them_apart(bench: Bench) -> None:
    """By palette and number of classes."""
    bench.add(places())
    for palette, safe in (("RdYlGn", False), ("RdBu", True), (None, True)):
        more = {"palette": palette} if palette else {}
        data = bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop", classes=3, **more)
        assert data["colorblind_safe"] is safe


def test_empty_classes_are_said(bench: Bench) -> None:
    """Equal intervals of skewed data."""
    bench.add(places(rows=[["a", 1.0, 1], ["b", 2.0, 1], ["c", 3.0, 1], ["d", 4.0, 1], ["e", 1000.0, 1]]))
    equal = {"classification": "equal_interval"}
    envelope = bench.call("set_render_rule", layer_id="places", method="graduated", field="pop", options=equal)
    assert [each["count"] for each in envelope["data"]["classes"]] == [4, 0, 0, 0, 1]
    assert "3 of 5 classes hold no feature" in envelope["message"]


def test_standard_deviation_and_logarithmic_through_the_tool(bench: Bench) -> None:
    """QGIS's panel shows the method; what has no logarithm is not drawn and counted."""
    layer = bench.add(places(rows=[["a", each, 1] for each in (-2.0, 0.0, 1.0, 7.0, 66.0, 555.0, 4444.0, None)]))
    envelope = bench.call(
        "set_render_rule", layer_id="places", method="graduated", field="pop", options={"classification": "logarithmic"}
    )
    data = envelope["data"]
    assert (data["null_count"], data["not_drawn"], data["features"]) == (1, 3, 8) and "2 values" in envelope["message"]
    assert layer.renderer().classificationMethod().id() == "Logarithmic"
    data = bench.ok(
        "set_render_rule",
        layer_id="places",
        method="graduated",
        field="pop",
        options={"classification": "standard_deviation"},
    )
    values = np.array([-2.0, 0.0, 1.0, 7.0, 66.0, 555.0, 4444.0])
    steps = [(each["upper"] - values.mean()) / values.std() for each in data["classes"][:-1]]
    assert steps and all(math.isclose(each * 2, round(each * 2), abs_tol=1e-9) for each in steps)
    assert data["classes"][-1]["upper"] == 4444.0 and sum(each["count"] for each in data["classes"]) == 7
    assert layer.renderer().classificationMethod().id() == "StdDev"


def test_a_layer_removed_while_its_values_are_read(bench: Bench) -> None:
    """NOT_FOUND, not a crash."""
    layer = bench.add(places(rows=[["a", float(number), 1] for number in range(3000)]))
    outcomes: list[dict[str, Any]] = []
    bench.begin("set_render_rule", {"layer_id": "places", "method": "graduated", "field": "pop"}, outcomes)
    bench.host.project.removeMapLayer(layer)
    from qgis_agent.gis.host import run_until

    assert run_until(lambda: bool(outcomes), 30)
    assert outcomes[0]["envelope"]["code"] in ("NOT_FOUND", "CANCELLED")


def test_features_without_a_geometry_are_no_fault(bench: Bench) -> None:
    """A ratio with a measure over them is NULL."""
    layer = bench.add(places("Polygon"))
    bare = QgsFeature(layer.fields())
    bare.setAttributes(["z", 5.0, 5])
    layer.dataProvider().addFeatures([bare])
    data = bench.ok("set_render_rule", layer_id="places", method="graduated", field="pop / $area_km2", classes=2)
    assert data["null_count"] == 2
