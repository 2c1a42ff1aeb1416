"""aggregate_layer: tables of groups against the standard library's own arithmetic, sorted; what is said and refused."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import NULL, QgsVectorLayer
from qgis.PyQt.QtCore import QDate

FUNCTIONS = ("sum", "mean", "median", "min", "max", "count", "count_distinct")


def shops(number: int = 300) -> tuple[QgsVectorLayer, list[list[Any]]]:
    """Points with a kind, a level and a turnover; every seventh turnover is missing."""
    rng = random.Random(5)
    rows = []
    for n in range(number):
        turnover = None if n % 7 == 0 else round(rng.lognormvariate(3, 1), 2)
        rows.append([rng.choice(["bakery", "cinema", "馆"]), rng.choice([1, 2, None]), turnover])
    layer = memory_layer(
        "Point?crs=EPSG:4326&field=kind:string(20)&field=level:integer&field=turnover:double",
        [(f"POINT({n / 1000} 0)", each) for n, each in enumerate(rows)],
        "shops",
    )
    return layer, rows


def test_a_table_of_groups(bench: Bench) -> None:
    """Every number is the standard library's; totals reconcile; NULL is left out and said."""
    layer, rows = shops()
    bench.add(layer)
    asked = [{"field": "turnover", "function": each} for each in FUNCTIONS]
    envelope = bench.call("aggregate_layer", layer_id="shops", fields=["kind"], aggregates=asked)
    assert envelope["ok"], envelope
    data = envelope["data"]
    by_kind = defaultdict(list)
    for kind, _, turnover in rows:
        by_kind[kind].append(turnover)
    assert [row["kind"] for row in data["rows"]] == sorted(by_kind)
    for row in data["rows"]:
        present = [each for each in by_kind[row["kind"]] if each is not None]
        assert row["count"] == len(by_kind[row["kind"]])
        assert row["turnover_sum"] == pytest.approx(sum(present))
        assert row["turnover_mean"] == pytest.approx(statistics.fmean(present))
        assert row["turnover_median"] == pytest.approx(statistics.median(present))
        assert (row["turnover_min"], row["turnover_max"]) == (min(present), max(present))
        assert (row["turnover_count"], row["turnover_count_distinct"]) == (len(present), len(set(present)))
    assert sum(row["count"] for row in data["rows"]) == data["input_count"] == 300
    missing = sum(turnover is None for _, _, turnover in rows)
    assert f"{missing} of 300 features have no value in 'turnover'" in envelope["message"]
    table = bench.host.layers.by_alias(data["layer_id"])
    assert not table.isSpatial() and data["name"] == "shops grouped by kind"
    assert bench.host.layers.group_of(table) == "Agent results"


def test_sorted_by_a_column(bench: Bench) -> None:
    """Falling by count; groups of two fields, NULL a value of its own; the condition holds."""
    layer, rows = shops()
    bench.add(layer)
    data = bench.ok(
        "aggregate_layer",
        layer_id="shops",
        fields=["kind", "level"],
        where=[{"field": "kind", "op": "ne", "value": "cinema"}],
        options={"order_by": "count", "descending": True},
    )
    expected = defaultdict(int)
    for kind, level, _ in rows:
        if kind != "cinema":
            expected[kind, level] += 1
    assert {(row["kind"], row["level"]): row["count"] for row in data["rows"]} == expected
    counts = [row["count"] for row in data["rows"]]
    assert counts == sorted(counts, reverse=True)
    table = bench.host.layers.by_alias(data["layer_id"])
    assert [each["count"] for each in table.getFeatures()] == counts
    assert bench.code("aggregate_layer", layer_id="shops", fields=["kind"], options={"order_by": "cnt"}) == (
        "INVALID_PARAM"
    )


def test_no_value_gives_null(bench: Bench) -> None:
    """A group in which all is NULL has no sum, no mean, no least; its count is 0."""
    rows = [(None, ["a", 1]), (None, ["b", None]), (None, ["b", None])]
    bench.add(memory_layer("None?field=g:string(5)&field=v:integer", rows, "t"))
    asked = [{"field": "v", "function": each} for each in ("sum", "mean", "min", "count")]
    data = bench.ok("aggregate_layer", layer_id="t", fields=["g"], aggregates=asked)
    assert data["rows"][1] == {"g": "b", "count": 2, "v_sum": None, "v_mean": None, "v_min": None, "v_count": 0}
    (_, row) = bench.host.layers.by_alias(data["layer_id"]).getFeatures()
    assert row["v_sum"] == NULL


def test_tables_dates_and_texts(bench: Bench) -> None:
    """A layer without geometry; least and greatest of dates and texts; distinct texts in one."""
    rows = [(None, [QDate(2024, 5, 1), "x"]), (None, [QDate(2023, 1, 2), "y"]), (None, [None, "x"])]
    bench.add(memory_layer("None?field=day:date&field=t:string(5)", rows, "t"))
    asked = [
        {"field": "day", "function": "min"},
        {"field": "day", "function": "max"},
        {"field": "t", "function": "concatenate"},
        {"field": "t", "function": "count_distinct"},
        {"field": "t", "function": "max"},
    ]
    (row,) = bench.ok("aggregate_layer", layer_id="t", aggregates=asked)["rows"]
    assert row == {
        "count": 3,
        "day_min": "2023-01-02",
        "day_max": "2024-05-01",
        "t_concatenate": "x, y",
        "t_count_distinct": 2,
        "t_max": "y",
    }


def test_many_groups_are_paged(bench: Bench) -> None:
    """The model sees a sample within 4 KB and a handle; the total is true."""
    rows = [(None, [f"group number {n:04}", n]) for n in range(900)]
    bench.add(memory_layer("None?field=g:string(30)&field=v:integer", rows, "t"))
    data = bench.ok("aggregate_layer", layer_id="t", fields=["g"], aggregates=[{"field": "v", "function": "sum"}])
    assert data["groups"] == 900 and len(data["rows"]) < 20 and data["result_ref"]


def test_what_is_refused(bench: Bench) -> None:
    """Text where a number is needed, unknown fields, nothing to group."""
    layer, _ = shops(10)
    bench.add(layer)
    bench.add(memory_layer("None?field=g:string(5)", [], "empty"))
    text = [{"field": "kind", "function": "mean"}]
    envelope = bench.call("aggregate_layer", layer_id="shops", fields=["level"], aggregates=text)
    assert envelope["code"] == "INVALID_PARAM" and "turnover" in envelope["hint"]
    assert bench.code("aggregate_layer", layer_id="shops", fields=["knd"]) == "NOT_FOUND"
    assert bench.code("aggregate_layer", layer_id="empty", fields=["g"]) == "NOT_FOUND"
