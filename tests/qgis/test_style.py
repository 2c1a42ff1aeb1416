"""Styles: class limits against QGIS's and mapclassify's published values, and what degenerate data gives."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyproj
import pytest
import shapely
from conftest import REPO, Bench, memory_layer
from qgis.core import QgsCoordinateReferenceSystem, QgsFeature, QgsGraduatedSymbolRenderer, QgsRenderContext, QgsVectorLayer

SHARED = Path(os.environ.get("QGIS_AGENT_SHARED") or REPO.parent / "shared")
BREAKS = SHARED / "data" / "class_breaks.jsonl"
METHODS = {"EqualInterval": "equal_interval", "Quantile": "quantile", "Quantiles": "quantile", "FisherJenks": "natural_breaks"}


def numbers(values: list[Any], name: str = "n") -> QgsVectorLayer:
    """A point layer with one number field."""
    return memory_layer(f"Point?crs=EPSG:4326&field={name}:double", [(f"POINT({i} 0)", [v]) for i, v in enumerate(values)], "points")


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Lines of class_breaks.jsonl that we can ask for by our methods."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["id"].startswith("mapclassify") and row["method"] in METHODS]


@pytest.mark.skipif(not BREAKS.exists(), reason="the shared data folder is not beside the repository")
def test_limits_are_the_published_ones(bench: Bench) -> None:
    """Upper limits of every case with a method of ours, within 0.0015 (the file's own precision)."""
    rows = rows_of(BREAKS)
    assert len(rows) > 10
    for row in rows:
        values = row["values"]
        expected = row["expected_upper"] if row.get("agree") else row["qgis_3_40_6_upper"]
        bench.host.project.clear()
        bench.issue()
        bench.add(numbers(values))
        options = {"classification": METHODS[row["method"]]}
        data = bench.ok("set_render_rule", layer_id="points", method="graduated", field="n", classes=row["k"], options=options)
        got = [each["upper"] for each in data["classes"]]
        assert got == pytest.approx(sorted(set(expected)), abs=0.0015), row["id"]
        assert data["classes"][0]["lower"] == pytest.approx(min(values), abs=1e-6)
        assert sum(each["count"] for each in data["classes"]) == len(values)


def drawn(layer: QgsVectorLayer) -> list[str | None]:
    """The colour that QGIS draws each feature in, None when it does not."""
    context = QgsRenderContext()
    renderer = layer.renderer().clone()
    renderer.startRender(context, layer.fields())
    colors = []
    for feature in layer.getFeatures():
        context.expressionContext().setFeature(feature)
        symbol = renderer.symbolForFeature(QgsFeature(feature), context)
        colors.append(symbol.color().name() if symbol is not None else None)
    renderer.stopRender(context)
    return colors


def test_what_is_said_is_what_is_drawn(bench: Bench) -> None:
    """Counts and colours of the answer are those of QGIS's own renderer; NULLs are drawn by no class, and said."""
    layer = bench.add(numbers([1, 2, 3, 4, 5, 6, 7, 8, None, 100]))
    outcome = bench.outcome("set_render_rule", layer_id="points", method="graduated", field="n", classes=3)
    data = outcome["envelope"]["data"]
    colors = drawn(layer)
    for each in data["classes"]:
        assert colors.count(each["color"]) == each["count"]
    assert colors.count(None) == data["not_drawn"] == 1
    assert outcome["legend"][0] == {"label": data["classes"][0]["label"], "color": data["classes"][0]["color"], "layer_id": "points"}
    assert outcome["actions"][0]["op"] == "render"
    assert bench.ok("get_style", layer_id="points")["renderer"] == "graduated"
    assert isinstance(layer.renderer(), QgsGraduatedSymbolRenderer)


@pytest.mark.parametrize("values", [[5, 5, 5], [None, None], []])
def test_degenerate_data_is_said_and_nothing_changes(bench: Bench, values: list[Any]) -> None:
    """Constant, all NULL, empty: a clear answer and the old style."""
    layer = bench.add(numbers(values))
    before = layer.renderer().type()
    assert bench.code("set_render_rule", layer_id="points", method="graduated", field="n") == "INVALID_PARAM"
    assert layer.renderer().type() == before


def test_fewer_values_than_classes(bench: Bench) -> None:
    """Two values give at most two classes, and the message says so."""
    bench.add(numbers([1, 1, 2, 2]))
    envelope = bench.call("set_render_rule", layer_id="points", method="graduated", field="n", classes=5)
    assert 1 <= len(envelope["data"]["classes"]) <= 2
    assert envelope["message"]
    assert sum(each["count"] for each in envelope["data"]["classes"]) == 4


def test_manual_breaks(bench: Bench) -> None:
    """n inner breaks make n + 1 classes; descending ones are refused with the data's range."""
    bench.add(numbers([0, 3, 7, 12]))
    options: dict[str, Any] = {"classification": "manual", "breaks": [2, 6, 10]}
    data = bench.ok("set_render_rule", layer_id="points", method="graduated", field="n", options=options)
    assert [each["count"] for each in data["classes"]] == [1, 1, 1, 1]
    options["breaks"] = [6, 2]
    envelope = bench.call("set_render_rule", layer_id="points", method="graduated", field="n", options=options)
    assert envelope["code"] == "INVALID_PARAM"
    assert "12" in envelope["hint"]


def test_natural_breaks_of_many_values_say_the_sample(bench: Bench) -> None:
    """Above 3,000 values a sample is used, and named."""
    bench.add(numbers([float(i % 1000) for i in range(5000)]))
    options = {"classification": "natural_breaks"}
    envelope = bench.call("set_render_rule", layer_id="points", method="graduated", field="n", options=options)
    assert envelope["data"]["sample"] == 3000
    assert "3000" in envelope["message"]


def test_categories(bench: Bench) -> None:
    """One class a value, NULL apart, counts of the data; too many values are refused with a way out."""
    layer = bench.add(
        memory_layer("Point?crs=EPSG:4326&field=kind:string(9)&field=i:integer", [(f"POINT({i} 0)", [k, i]) for i, k in enumerate("aabc")] + [("POINT(9 9)", [None, 9])] * 1 + [(f"POINT({i} 1)", ["a", 100 + i]) for i in range(80)], "points")
    )
    data = bench.ok("set_render_rule", layer_id="points", method="categorized", field="kind")
    assert {each["value"]: each["count"] for each in data["classes"]} == {"a": 82, "b": 1, "c": 1, None: 1}
    colors = drawn(layer)
    for each in data["classes"]:
        assert colors.count(each["color"]) == each["count"]
    envelope = bench.call("set_render_rule", layer_id="points", method="categorized", field="i")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "too_many_categories")


def test_wrong_fields_and_enums(bench: Bench) -> None:
    """Wrong field, a text field, no field, a wrong enum: code and names."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=name:string(9)&field=n:double", [("POINT(0 0)", ["a", 1.0])], "points"))
    assert bench.code("set_render_rule", layer_id="points", method="graduated", field="nn") == "NOT_FOUND"
    envelope = bench.call("set_render_rule", layer_id="points", method="graduated", field="name")
    assert envelope["code"] == "INVALID_PARAM"
    assert "'n'" in envelope["hint"]
    assert bench.code("set_render_rule", layer_id="points", method="graduated") == "INVALID_PARAM"
    envelope = bench.call("set_render_rule", layer_id="points", method="gradient", field="n")
    assert "graduated" in envelope["hint"]


def test_area_is_ellipsoidal(bench: Bench) -> None:
    """$area_km2 in web mercator at 60°: the ellipsoid's area, and QGIS draws by it too."""
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    bench.host.project.setEllipsoid("EPSG:7030")
    forward = pyproj.Transformer.from_crs(4326, 3857, always_xy=True).transform
    boxes = [shapely.box(10, 60, 10 + size, 60 + size) for size in (0.01, 0.02, 0.03, 0.04)]
    rows = []
    for n, box in enumerate(boxes):
        ring = ",".join("{} {}".format(*forward(x, y)) for x, y in box.exterior.coords)
        rows.append((f"POLYGON(({ring}))", [n]))
    layer = bench.add(memory_layer("Polygon?crs=EPSG:3857&field=n:integer", rows, "fields"))
    data = bench.ok("set_render_rule", layer_id="fields", method="graduated", field="$area_km2", classes=2)
    geod = pyproj.Geod(ellps="WGS84")
    areas = [abs(geod.geometry_area_perimeter(box)[0]) / 1e6 for box in boxes]
    assert data["classes"][0]["lower"] == pytest.approx(min(areas), rel=1e-4)
    assert data["classes"][-1]["upper"] == pytest.approx(max(areas), rel=1e-4)
    assert None not in drawn(layer)


def test_single_keeps_size_and_takes_colour(bench: Bench) -> None:
    """One colour; opacity where asked."""
    layer = bench.add(numbers([1.0]))
    data = bench.ok("set_render_rule", layer_id="points", method="single", options={"color": "#ff0000", "opacity": 0.5})
    assert data["method"] == "single"
    assert (layer.renderer().symbol().color().name(), layer.opacity()) == ("#ff0000", 0.5)
