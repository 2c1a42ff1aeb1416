"""What charts show: bars, bins, points and boxes against plain Python and numpy, and the colours of the map."""

from __future__ import annotations

import math
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsCategorizedSymbolRenderer, QgsMarkerSymbol, QgsRendererCategory, QgsVectorLayer

from qgis_agent.gis.charts import MAX_BARS, MAX_POINTS, shape

ROWS: list[tuple[str | None, int | None, float | None, str | None]] = [
    ("park", 1, 2.5, "2024-01-01"),
    ("park", 2, 4.0, "2024-02-01"),
    ("school", 3, None, "2024-03-01"),
    ("school", 3, 10.0, "2024-03-01"),
    (None, 5, 7.0, None),
    ("医院", None, 100.0, "2024-05-01"),
]


def table(bench: Bench) -> QgsVectorLayer:
    definition = "Point?crs=EPSG:4326&field=kind:string(20)&field=n:integer&field=v:double&field=day:date"
    return bench.add(memory_layer(definition, [("POINT(1 1)", list(row)) for row in ROWS], "t"))


def chart(bench: Bench, **arguments: Any) -> dict[str, Any]:
    data: dict[str, Any] = bench.ok("read_chart_values", layer_id="t", **arguments)
    return data


def test_bars_count_or_sum(bench: Bench) -> None:
    """Counts per category with NULL named; sums of y with what has none left out."""
    table(bench)
    counted = chart(bench, kind="bar", x="kind")
    assert [(each["label"], each["value"]) for each in counted["rows"]] == [
        ("park", 2), ("school", 2), ("No value", 1), ("医院", 1),
    ]  # fmt: skip
    summed = chart(bench, kind="bar", x="kind", y="v")
    assert {each["label"]: each["value"] for each in summed["rows"]} == {
        "医院": 100, "school": 10, "No value": 7, "park": 6.5,
    }  # fmt: skip
    assert (summed["used"], summed["left_out"], summed["summary"]["sum"]) == (5, 1, 123.5)


def test_null_and_the_empty_text_are_two_bars(bench: Bench) -> None:
    """As count_features and list_values have them; both in the colour of the style's category for them."""
    rows: list[tuple[str | None, list[Any]]] = [("POINT(1 1)", [each]) for each in ("a", "", "", None)]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=code:string(9)", rows, "t"))
    layer.setRenderer(QgsCategorizedSymbolRenderer("code", [QgsRendererCategory(None, symbol("#123456"), "none")]))
    bars = {each["label"]: (each["value"], each.get("color")) for each in chart(bench, kind="bar", x="code")["rows"]}
    assert bars == {"a": (1, None), "Empty text": (2, "#123456"), "No value": (1, "#123456")}
    counts = {each["value"]: each["count"] for each in bench.ok("list_values", layer_id="t", field="code")["values"]}
    assert counts == {"a": 1, "": 2, None: 1}


def test_a_filter_that_hides_all_is_named(bench: Bench) -> None:
    """Not "choose another field" where the filter is the cause."""
    layer = table(bench)
    layer.setSubsetString('"v" > 1000')
    envelope = bench.call("read_chart_values", layer_id="t", kind="histogram", x="v")
    assert envelope["reason"] == "no_values"
    assert '"v" > 1000' in envelope["hint"] and "set_layer_filter" in envelope["hint"]


def symbol(color: str) -> QgsMarkerSymbol:
    """A marker of one colour."""
    return QgsMarkerSymbol.createSimple({"color": color})


def test_a_line_averages_equal_x(bench: Bench) -> None:
    """By date, in order; two rows of one day are one point."""
    table(bench)
    rows = chart(bench, kind="line", x="day", y="n")["rows"]
    assert [(each["x"], each["y"]) for each in rows] == [
        ("2024-01-01", 1), ("2024-02-01", 2), ("2024-03-01", 3),
    ]  # fmt: skip


def test_histogram_against_numpy() -> None:
    """Bins by Freedman and Diaconis, whole numbers about the field."""
    values = [math.sin(index) * 50 + index % 7 for index in range(400)]
    made = shape("histogram", [*values, None, float("nan")], None)
    counts, edges = np.histogram(values, bins="fd")
    assert [each["count"] for each in made.rows] == counts.tolist()
    assert [each["lower"] for each in made.rows] == pytest.approx(edges[:-1].tolist(), rel=1e-9)
    assert (made.used, made.left_out) == (400, 2)
    assert made.summary["mean"] == pytest.approx(fmean(values))
    assert made.summary["median"] == pytest.approx(median(values))


def test_one_value_makes_one_bin() -> None:
    """A constant field is drawn, not divided by nothing."""
    assert shape("histogram", [4, 4, 4], None).rows == [{"lower": 4, "upper": 4, "count": 3}]


def test_boxes_by_tukey() -> None:
    """1 to 9 and 100: quartiles by linear interpolation, the whisker ends at 9, 100 is an outlier."""
    box = shape("box", [1, 2, 3, 4, 5, 6, 7, 8, 9, 100], None).rows[0]
    assert (box["q1"], box["median"], box["q3"]) == (3.25, 5.5, 7.75)
    assert (box["low"], box["high"], box["outliers"], box["outlier_count"]) == (1, 9, [100], 1)


def test_scatter_has_the_correlation_of_all_points() -> None:
    """A straight line has r = 1; 5,000 points are drawn as 1,000 with both ends."""
    made = shape("scatter", list(range(5000)), [3 * each + 1 for each in range(5000)])
    assert made.summary == {"points": 5000, "pearson_r": 1.0}
    assert len(made.rows) == MAX_POINTS and made.rows[0]["x"] == 0 and made.rows[-1]["x"] == 4999
    assert any("5000" in each for each in made.notes)


def test_many_categories_are_named_together() -> None:
    """30 bars and one for the rest; nothing of the sum is lost."""
    made = shape("bar", [f"c{each}" for each in range(50)], [float(each) for each in range(50)])
    assert len(made.rows) == MAX_BARS + 1
    assert made.rows[-1]["others"] and made.rows[-1]["value"] == sum(range(20))
    assert sum(each["value"] for each in made.rows) == sum(range(50))


def test_the_colours_are_those_of_the_map(bench: Bench) -> None:
    """A bar has the colour of its category, a bin that of its class."""
    table(bench)
    styled = bench.ok("set_render_rule", layer_id="t", method="categorized", field="kind")
    colors = {each["label"]: each["color"] for each in styled["classes"]}
    bars = chart(bench, kind="bar", x="kind", y="v")["rows"]
    assert {each["label"]: each["color"] for each in bars} == colors
    rule = bench.ok(
        "set_render_rule", layer_id="t", method="graduated", field="v",
        options={"classification": "manual", "breaks": [10.0]},
    )  # fmt: skip
    low, high = (each["color"] for each in rule["classes"])
    bins = chart(bench, kind="histogram", x="v")["rows"]
    assert bins[0]["color"] == low and bins[-1]["color"] == high


def test_a_result_is_charted_through_its_handle(bench: Bench) -> None:
    """All rows of the handle, not the sample; another caller's handle is not found; columns are looked up."""
    layer = memory_layer(
        "Point?crs=EPSG:4326&field=name:string(80)&field=n:integer",
        [("POINT(1 1)", [f"{'x' * 60}{each}", each]) for each in range(150)], "many",
    )  # fmt: skip
    bench.add(layer)
    ref = bench.ok("query_features", layer_id="many", limit=200)["result_ref"]
    assert bench.ok("read_chart_values", kind="histogram", x="n", result_ref=ref)["used"] == 150
    assert bench.code("read_chart_values", kind="histogram", x="m", result_ref=ref) == "NOT_FOUND"
    bench.issue(caller="chat")
    assert bench.code("read_chart_values", kind="histogram", x="n", result_ref=ref) == "NOT_FOUND"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"kind": "histogram", "x": "kind"}, "INVALID_PARAM"),
        ({"kind": "histogram", "x": "n", "y": "v"}, "INVALID_PARAM"),
        ({"kind": "scatter", "x": "n"}, "INVALID_PARAM"),
        ({"kind": "bar", "x": "nope"}, "NOT_FOUND"),
        ({"kind": "bar", "x": "kind", "y": "day"}, "INVALID_PARAM"),
        ({"kind": "pie", "x": "kind"}, "INVALID_PARAM"),
        ({"kind": "bar", "x": "kind", "result_ref": "query_features:0"}, "INVALID_PARAM"),
    ],
)
def test_what_makes_no_chart(bench: Bench, arguments: dict[str, Any], code: str) -> None:
    """Said with a hint."""
    table(bench)
    assert bench.code("read_chart_values", layer_id="t", **arguments) == code


def test_nothing_to_draw_is_no_success(bench: Bench) -> None:
    """A field that is all NULL."""
    bench.add(memory_layer("Point?field=v:double", [("POINT(1 1)", [None])] * 3, "empty"))
    envelope = bench.call("read_chart_values", layer_id="empty", kind="histogram", x="v")
    assert (envelope["ok"], envelope["code"], envelope["reason"]) == (False, "UNSUPPORTED", "no_values")


def test_axes_are_named_for_people(bench: Bench) -> None:
    """By the field's alias; a sum and a mean are called so, a single value is not."""
    layer = table(bench)
    layer.setFieldAlias(layer.fields().lookupField("v"), "人口")
    summed = chart(bench, kind="bar", x="kind", y="v")
    assert (summed["x_label"], summed["y_label"], summed["value_label"]) == ("kind", "人口", "sum of 人口")
    assert chart(bench, kind="line", x="day", y="n")["value_label"] == "mean of n"
    single = bench.add(memory_layer("Point?field=k:string&field=v:integer", [("POINT(1 1)", ["a", 1])], "one"))
    assert single.isValid()
    assert bench.ok("read_chart_values", layer_id="one", kind="bar", x="k", y="v")["value_label"] == "v"


@pytest.mark.parametrize(
    ("color", "kept"), [("#ffffff", False), ("#fafad2", False), ("#fdae61", True), ("#1f78b4", True)]
)
def test_bars_are_seen_on_white_paper(bench: Bench, color: str, kept: bool) -> None:
    """A layer that is filled white does not make white bars."""
    table(bench)
    bench.ok("set_render_rule", layer_id="t", method="single", options={"color": color})
    assert (chart(bench, kind="bar", x="n")["color"] == color) == kept
