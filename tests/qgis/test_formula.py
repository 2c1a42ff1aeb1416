"""Formulas that a model writes: what passes, what is refused, and that nothing of the list can read anything else."""

from __future__ import annotations

import pytest
from conftest import memory_layer
from qgis.core import QgsExpression, QgsProject, QgsVectorLayer

from qgis_agent.gis.analysis.formulas.formula import (
    check_formula,
    formula_context,
)
from qgis_agent.gis.analysis.formulas.formula_words import (
    AGGREGATES,
    FUNCTIONS,
    VARIABLES,
)
from qgis_agent.gis.errors import ToolError

READS = """aggregate attribute attributes base_file_name current_parent_value current_value decode_uri display_expression env eval
eval_template exif exif_geotag file_exists file_name file_path file_size file_suffix get_feature get_feature_by_id
is_directory is_file is_layer_visible item_variables layer_property load_layer maptip mime_type parameter
raster_attributes raster_statistic raster_value relation_aggregate represent_value sensor_data sqlite_fetch_and_increment
$currentfeature overlay_contains overlay_crosses overlay_disjoint overlay_equals overlay_intersects overlay_nearest
overlay_touches overlay_within with_variable map_credits num_selected is_selected geom_from_gml""".split()
"""What reads files, the environment, other layers or features, QGIS or the project; or evaluates a text; or writes."""


@pytest.fixture
def layer() -> QgsVectorLayer:
    """Two points; names that need quotes."""
    definition = "Point?crs=EPSG:3857&field=a:integer&field=x-y:double&field=人口 密度:double&field=O'Brien:string"
    return memory_layer(definition, [("POINT(1 2)", [5, 0.5, 3.0, "it's"]), ("POINT(3 4)", [None, None, None, None])])


def refusal(text: str, layer: QgsVectorLayer | None, **more: bool) -> ToolError:
    """The error of a formula that must not pass."""
    with pytest.raises(ToolError) as caught:
        check_formula(text, layer, **more)
    assert caught.value.envelope["code"] == "INVALID_PARAM"
    assert caught.value.envelope["reason"] == "formula"
    assert caught.value.envelope["hint"]
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "a + 1",
        '"x-y" * 2 // 1 % 3 ^ 2',
        '"人口 密度" between 1 and 9 and "O\'Brien" like \'i%\'',
        "case when a > 1 then 'high' when a is null then 'none' else 'low' end",
        "coalesce(a, 0) in (1, 2, 3) or a not in (4)",
        "array(1, 2)[0] + map('k', 2)['k']",
        "array_foreach(array(1, 2), @element * a)",
        "round(area(buffer(@geometry, 10, 8)) / 1e6, 2)",
        "$area + $length + $x + $id + @row_number",
        "if(regexp_match(\"O'Brien\", '^it'), 1, 0)",
        "to_date('2024-05-01') - make_interval(days:=1)",
        "a -- a comment\n + 1",
        "-a",
        " + ".join(["a"] * 100),
    ],
)
def test_what_passes(text: str, layer: QgsVectorLayer) -> None:
    assert check_formula(text, layer) is text


def test_names_are_the_fields_of_the_layer(layer: QgsVectorLayer) -> None:
    error = refusal('"人口密度" * 2', layer)
    assert "人口 密度" in error.envelope["hint"]
    assert check_formula('"A"', layer)  # QGIS finds fields whatever their case
    refusal("a", None)
    assert check_formula("1 + 1", None)


@pytest.mark.parametrize("name", READS)
def test_what_reads_anything_else_is_no_function_here(name: str, layer: QgsVectorLayer) -> None:
    assert QgsExpression.isFunctionName(name), name  # QGIS has it
    assert name not in FUNCTIONS | AGGREGATES
    function = next(each for each in QgsExpression.Functions() if each.name() == name)
    call = name if name.startswith("$") else "{}({})".format(name, ", ".join(["'a'"] * max(1, function.params())))
    for text in (call, f"1 + {call}", f"if(a > 1, 1, {call})", f"a in (1, {call})", f"array(1)[{call}]", f"-{call}",
                 f"case when {call} then 1 else 2 end", f"case when a then 1 else {call} end", f"a between 1 and {call}",
                 f"max(a, min(1, abs({call})))"):  # fmt: skip
        if QgsExpression(text).hasParserError():
            continue
        refusal(text, layer, aggregates=True)


def test_every_other_function_is_known_to_qgis_or_refused() -> None:
    there = {each.name() for each in QgsExpression.Functions()}
    assert there >= FUNCTIONS | AGGREGATES
    groups = {each.name(): set(each.groups()) for each in QgsExpression.Functions()}
    closed = {"Files and Paths", "Map Layers", "Rasters", "Layout", "Form", "Processing", "Sensors", "Maps of QGIS"}
    assert [each for each in FUNCTIONS if groups[each] & closed] == []


def test_variables_are_those_of_the_feature(layer: QgsVectorLayer) -> None:
    for name in ("project_home", "project_path", "user_account_name", "layer", "qgis_os_name", "map", "feature"):
        refusal(f"@{name}", layer)
        refusal(f"var('{name}')", layer)
    refusal("var('geo' || 'metry')", layer)
    assert all(check_formula(f"@{name}", layer) for name in VARIABLES)


def test_aggregates_only_where_they_are_meant(layer: QgsVectorLayer) -> None:
    refusal('a / sum("a")', layer)
    assert check_formula('a / sum("a")', layer, aggregates=True)
    refusal("sum(\"a\", filter:=env('HOME') = '')", layer, aggregates=True)
    refusal("aggregate('other', 'sum', \"a\")", layer, aggregates=True)


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "a +", "1; 2", "a" * 2001, "(" * 41 + "1" + ")" * 41, " + ".join(["a"] * 400), "x'", '"a',
        "generate_series(1, 1000000000)", "generate_series(1, a)", "generate_series(0, 1, 0.0000001)",
        "lpad('x', 1000000000, 'y')", "buffer(@geometry, 1, 1000000000)", "densify_by_count(@geometry, 100000000)",
        "make_circle(make_point(0, 0), 1, segments:=1000000000)", "wave(@geometry, 1, 1)", "\0",
    ],
)  # fmt: skip
def test_what_is_no_formula_or_fills_the_memory(text: str, layer: QgsVectorLayer) -> None:
    refusal(text, layer)


def test_an_unknown_function_gets_the_nearest_name(layer: QgsVectorLayer) -> None:
    assert "centroid" in refusal("centroids(@geometry)", layer).envelope["hint"]


def test_the_context_knows_nothing_of_the_project(layer: QgsVectorLayer) -> None:
    QgsProject.instance().setCustomVariables({"secret": "canary"})
    try:
        context = formula_context(layer)
        feature = next(layer.getFeatures())
        context.setFeature(feature)
        assert QgsExpression("@secret").evaluate(context) is None
        assert QgsExpression("@qgis_version").evaluate(context) is None
        assert QgsExpression('"a" * 2 + x(@geometry)').evaluate(context) == 11
    finally:
        QgsProject.instance().setCustomVariables({})
