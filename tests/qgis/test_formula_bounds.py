"""Formulas that would fill the memory, never end, or smuggle an expression in as a text."""

from __future__ import annotations

import os

import pytest
from conftest import memory_layer
from qgis.core import QgsExpression, QgsExpressionContext, QgsVectorLayer

from qgis_agent.gis.analysis.formulas import calc_formula
from qgis_agent.gis.analysis.formulas.formula import check_formula
from qgis_agent.gis.analysis.raster import formula as raster_formula
from qgis_agent.gis.errors import ToolError

PARTS = "geom_from_wkt('MULTIPOINT((0 0),(1 1))')"


@pytest.fixture
def layer() -> QgsVectorLayer:
    """One point with a text and a number."""
    return memory_layer("Point?crs=EPSG:3857&field=a:string&field=n:integer", [("POINT(0 0)", ["x", 1])], "places")


def test_order_parts_would_evaluate_a_text_so_it_is_refused(
    layer: QgsVectorLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QGIS_AGENT_CANARY", "canary")
    text = f"geom_to_wkt(order_parts({PARTS}, 'if(env(''QGIS_AGENT_CANARY'') = ''canary'', -$x, $x)'))"
    assert "(1 1),(0 0)" in QgsExpression(text).evaluate(QgsExpressionContext())  # QGIS itself reads the environment
    assert os.environ["QGIS_AGENT_CANARY"] == "canary"
    with pytest.raises(ToolError, match="order_parts"):
        check_formula(text, layer)


@pytest.mark.parametrize(
    "text",
    [
        "smooth($geometry, 40)", "smooth($geometry, n)", "densify_by_distance($geometry, 0.0000001)",
        "replace(replace(lpad('', 9000, 'a'), 'a', lpad('', 9000, 'b')), 'b', lpad('', 9000, 'c'))",
        "replace(replace(replace(replace(a, '', 'aaaaaaaaaaaaaaaa'), 'a', 'bbbbbbbbbbbbbbbb'), 'b', 'cccccccccccccccc'), "
        "'c', 'ddddddddddddddddddddddddddddddddd')",
        "regexp_replace(regexp_replace(regexp_replace(a, '(.)', '" + "\\\\1" * 60 + "'), '(.)', '" + "\\\\1" * 60
        + "'), '(.)', '" + "\\\\1" * 60 + "')",
        "format_number(1, 2000000000)", "geom_to_wkt($geometry, 2000000000)", "to_dms(1, 'x', 2000000000)",
        "array_foreach(generate_series(1, 9000), generate_series(1, 9000))",
        "array_foreach(generate_series(1, 9), array_foreach(generate_series(1, 9000), lpad(a, 9000, 'x')))",
        "format('" + "%1" * 100 + "', format('" + "%1" * 100 + "', format('" + "%1" * 100 + "', a)))",
        "hausdorff_distance($geometry, $geometry, 0.000000001)", "buffer(buffer($geometry, 1, 400), 1, 400)",
        "transform($geometry, 'EPSG:3857', 'PROJ:+proj=longlat +nadgrids=/etc/passwd')", "transform($geometry, a, 'EPSG:4326')",
        "array_filter(generate_series(1, 9), length(lpad(replace(lpad('', 9000, 'a'), 'a', lpad('', 9000, 'b')), 9, 'x')) > 1)",
        "array_foreach(" * 12 + "array(a)" + ", @element || @element || @element || @element)" * 12,
    ],
)  # fmt: skip
def test_what_grows_without_end_is_refused(text: str, layer: QgsVectorLayer) -> None:
    with pytest.raises(ToolError) as refused:
        check_formula(text, layer)
    assert refused.value.envelope["reason"] == "formula"
    assert refused.value.envelope["hint"]


@pytest.mark.parametrize(
    "text",
    [
        "smooth($geometry, 3)", "buffer($geometry, 100, 16)", "lpad(a, 8, '0')", "format_number(n, 2)",
        "replace(replace(replace(a, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue')", "regexp_replace(a, '[^0-9]', '')",
        "replace(a, map('ä', 'ae', 'ö', 'oe'))", "format('%1 (%2)', a, n)", "transform($geometry, 'EPSG:3857', 'EPSG:4326')",
        "array_to_string(array_foreach(generate_series(1, 100), @element), ', ')",
        "array_sum(array_foreach(string_to_array(a), to_real(@element)))", "geom_to_wkt($geometry, 3)",
        "area(intersection(buffer($geometry, 50), buffer($geometry, 30)))", "hausdorff_distance($geometry, $geometry, 0.5)",
        "array_foreach(generate_series(1, 10000), point_n($geometry, @element))", "title(a) || ' ' || upper(a)",
        "densify_by_count(buffer($geometry, 10), 10)", "wordwrap(a, 20)",
    ],
)  # fmt: skip
def test_what_people_use_passes(text: str, layer: QgsVectorLayer) -> None:
    assert check_formula(text, layer) == text


@pytest.mark.parametrize(
    "text", ["9**9**9**9", "(9**9)**9**9", "A+999999999999**99999999", "A**9**9", "A**(9**9)", "A**-(9**99)"]
)
def test_a_power_of_whole_numbers_that_never_ends_is_refused(text: str) -> None:
    with pytest.raises(ToolError) as refused:
        calc_formula.check_numpy_formula(text)
    assert refused.value.envelope["reason"] == "formula"


@pytest.mark.parametrize("text", ["A**2", "A**-0.5", "10**(A/10)", "A**B", "2**A", "sqrt(A**2+B**2)", "10**3*A"])
def test_powers_that_people_use_pass(text: str) -> None:
    assert calc_formula.check_numpy_formula(text) == text


@pytest.mark.parametrize("text", ["A" + "+A" * 499, "A" + "or A " * 199, "1-" * 400 + "A"])
def test_a_raster_formula_too_deep_for_its_evaluation_is_refused_in_words(text: str) -> None:
    with pytest.raises(ToolError) as refused:
        raster_formula.parse(text, 1)
    assert refused.value.envelope["reason"] == "formula"
