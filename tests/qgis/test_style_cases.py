"""Known faults of GIS tools in styling (shared/data/cases.jsonl): numbers in text, NULL counted as 0, a class for every value,
NULL and empty text and all other values mixed up."""

from __future__ import annotations

import time
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsFeedback,
    QgsMarkerSymbol,
    QgsRendererCategory,
    QgsRuleBasedRenderer,
    QgsVectorLayer,
)
from test_style_render import drawn_colors

from qgis_agent.gis.style.cover import CoverReader

RECIPE = [(10.0, "10"), (20.0, "9"), (30.0, "100"), (None, None), (None, "n/a"), (1000.0, "2")]
"""Rows (v, s) that A31 and A41 name."""


def recipe_layer() -> QgsVectorLayer:
    """The recipe's memory layer."""
    rows = [(f"POINT({number} 0)", list(row)) for number, row in enumerate(RECIPE)]
    return memory_layer("Point?crs=EPSG:4326&field=v:double&field=s:string", rows, "recipe")


def cover(layer: QgsVectorLayer) -> tuple[int, int]:
    """(features, features that no class draws) of a layer as it is styled now."""
    found = CoverReader(layer.renderer(), layer).read(QgsFeedback())
    return found.features, found.not_drawn


def categories(layer: QgsVectorLayer, values: list[Any]) -> None:
    """A categorized renderer of s as a person makes it."""
    found = [QgsRendererCategory(each, QgsMarkerSymbol.createSimple({}), str(each)) for each in values]
    layer.setRenderer(QgsCategorizedSymbolRenderer("s", found))


@pytest.mark.parametrize("extra", [{}, {"classes": 3}, {"options": {"classification": "natural_breaks"}}])
def test_a31_numbers_stored_as_text_have_no_classes(bench: Bench, extra: dict[str, Any]) -> None:
    """Three classes of s would fall (10..6.67..3.33..0): refused, with the number field, and what the text holds."""
    layer = bench.add(recipe_layer())
    before = layer.renderer().dump()
    envelope = bench.call("set_render_rule", layer_id="recipe", method="graduated", field="s", **extra)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "text_numbers")
    assert "4 of the 5 values" in envelope["message"] and "v" in envelope["hint"] and "to_real" not in envelope["hint"]
    assert layer.renderer().dump() == before


def test_a31_text_without_numbers_is_plain_text(bench: Bench) -> None:
    """The remark on numbers is made only where there are any."""
    rows = [(f"POINT({number} 0)", [1.0, text]) for number, text in enumerate(["a", "b", "", None])]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=v:double&field=s:string", rows, "recipe"))
    envelope = bench.call("set_render_rule", layer_id="recipe", method="graduated", field="s")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "field_type")


@pytest.mark.parametrize(
    ("method", "limits"),
    [
        ("equal_interval", [10, 340, 670, 1000]),
        ("quantile", [10, 20, 30, 1000]),
        ("natural_breaks", [10, 10, 30, 1000]),
    ],
)
def test_a41_null_is_not_zero(bench: Bench, method: str, limits: list[float]) -> None:
    """The case's own limits after NULL is left out; QGIS draws two features with no symbol, and two are reported."""
    layer = bench.add(recipe_layer())
    envelope = bench.call(
        "set_render_rule",
        layer_id="recipe",
        method="graduated",
        field="v",
        classes=3,
        options={"classification": method},
    )
    data = envelope["data"]
    assert [data["classes"][0]["lower"], *(each["upper"] for each in data["classes"])] == limits
    assert (data["null_count"], data["not_drawn"], data["features"]) == (2, 2, 6)
    assert "2 of 6 features have no value" in envelope["message"]
    drawn = [color is not None for color in drawn_colors(layer)]
    assert drawn == [True, True, True, False, False, True]
    assert cover(layer) == (6, 2)


def test_a41_standard_deviation_begins_at_the_data(bench: Bench) -> None:
    """From 10, not from 0."""
    bench.add(recipe_layer())
    deviation = {"classification": "standard_deviation"}
    data = bench.ok("set_render_rule", layer_id="recipe", method="graduated", field="v", classes=3, options=deviation)
    assert data["classes"][0]["lower"] == 10 and data["not_drawn"] == 2


def test_a43_a_class_for_every_value_is_refused(bench: Bench) -> None:
    """20,000 different texts: refused in a moment with a way out; the first of them in classes of their own on request."""
    rows = [(f"POINT({number % 100} {number // 100})", [f"k{number}", number]) for number in range(20_000)]
    layer = bench.add(memory_layer("Point?crs=EPSG:3857&field=k:string&field=n:integer", rows, "points"))
    before = layer.renderer().dump()
    started = time.perf_counter()
    envelope = bench.call("set_render_rule", layer_id="points", method="categorized", field="k")
    assert time.perf_counter() - started < 2  # read to the 65th value only
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "too_many_categories")
    assert "most frequent" in envelope["hint"] and "graduated" in envelope["hint"]
    named = bench.call("set_render_rule", layer_id="points", method="categorized", field="k", classes=10)
    assert named["reason"] == "too_many_categories" and "5000" in named["message"]
    assert layer.renderer().dump() == before
    numbers = bench.call("set_render_rule", layer_id="points", method="categorized", field="n")
    assert "graduated for the number field 'n'" in numbers["hint"]


def five_rows() -> QgsVectorLayer:
    """a, "", NULL, A, "a "."""
    rows = [(f"POINT({number} 0)", [text]) for number, text in enumerate(["a", "", None, "A", "a "])]
    return memory_layer("Point?crs=EPSG:4326&field=s:string", rows, "five")


def test_a44_undrawn_features_are_counted(bench: Bench) -> None:
    """[a] draws 1 of 5; with "", QGIS's catch-all, all 5 are drawn."""
    layer = bench.add(five_rows())
    categories(layer, ["a"])
    assert cover(layer) == (5, 4)
    categories(layer, ["a", ""])
    assert cover(layer) == (5, 0)
    root = QgsRuleBasedRenderer.Rule(None)
    root.appendChild(QgsRuleBasedRenderer.Rule(QgsMarkerSymbol.createSimple({}), filterExp="\"s\" = 'A'"))
    layer.setRenderer(QgsRuleBasedRenderer(root))
    assert cover(layer) == (5, 4)


def test_a44_through_the_tool(bench: Bench) -> None:
    """Values differ by case and blanks; NULL and the empty text are one class, and how many of each is said."""
    layer = bench.add(five_rows())
    envelope = bench.call("set_render_rule", layer_id="five", method="categorized", field="s")
    data = envelope["data"]
    assert [(each["label"], each["count"]) for each in data["classes"]] == [
        ("A", 1), ("a", 1), ('"a "', 1), ("No value", 2)
    ]  # fmt: skip
    assert (data["null_count"], data["empty_count"], data["not_drawn"], data["features"]) == (2, 1, 0, 5)
    assert "empty text" in envelope["message"]
    assert len(set(drawn_colors(layer))) == 4 and None not in drawn_colors(layer)
    assert cover(layer) == (5, 0)
