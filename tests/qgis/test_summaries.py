"""summarize_field and list_values; expected numbers by numpy, statistics and plain Python."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import numpy as np
import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsVectorLayer
from test_conditions import one

A30 = [(10.0, "10"), (20.0, "9"), (30.0, "100"), (None, None), (None, "n/a"), (1000.0, "2")]


def a30_layer() -> QgsVectorLayer:
    """The layer of cases A30 and A31."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({i} 0)", list(row)) for i, row in enumerate(A30)]
    return memory_layer("Point?crs=EPSG:4326&field=v:double&field=s:string(20)", rows, "a")


def test_numbers_against_numpy_and_statistics(bench: Bench) -> None:
    """Every number of a field of numbers, NULL left out and counted."""
    random.seed(4)
    values: list[float | None] = [round(random.lognormvariate(2, 1.5), 4) for _ in range(501)] + [None] * 7
    bench.add(memory_layer("Point?field=v:double", [("POINT(0 0)", [each]) for each in values], "n"))
    present = [each for each in values if each is not None]
    data = bench.ok("summarize_field", layer_id="n", field="v")
    assert (data["count"], data["nulls"], data["type"]) == (501, 7, "number")
    assert data["distinct"] == len(set(present))
    assert (data["min"], data["max"]) == (min(present), max(present))
    assert data["sum"] == pytest.approx(math.fsum(present), rel=1e-15)
    assert data["mean"] == pytest.approx(statistics.fmean(present), rel=1e-15)
    assert data["median"] == statistics.median(present)
    assert (data["q1"], data["q3"]) == pytest.approx(tuple(np.percentile(present, (25, 75))))
    assert data["stdev"] == pytest.approx(statistics.pstdev(present))
    assert data["stdev_sample"] == pytest.approx(statistics.stdev(present))


def test_integers_are_added_exactly(bench: Bench) -> None:
    """A sum that no double holds."""
    values = [2**53 + 1, -2, 2**53 + 1, 2**62, 2**62, 2**62]
    bench.add(memory_layer("Point?field=v:int8", [("POINT(0 0)", [each]) for each in values], "n"))
    data = bench.ok("summarize_field", layer_id="n", field="v")
    assert (data["sum"], data["max"], data["distinct"]) == (sum(values), 2**62, 3)
    assert data["sum"] > 2**63


def test_a31_numbers_kept_as_text(bench: Bench) -> None:
    """A31: the maximum of the text is "9", as numbers it is 100; both are said, and that it is text."""
    bench.add(a30_layer())
    envelope = bench.call("summarize_field", layer_id="a", field="s")
    data = envelope["data"]
    assert data["type"] == "text"
    assert (data["first_sorted"], data["last_sorted"]) == ("10", "n/a")
    assert data["look_like_numbers"] == 4
    assert data["as_numbers"]["max"] == 100
    assert data["as_numbers"]["min"] == 2
    assert data["as_numbers"]["sum"] == 121
    assert "sum" not in data
    assert "4 of 5" in envelope["message"]
    where = one("s", "in", ["10", "9", "100"])
    assert bench.ok("summarize_field", layer_id="a", field="s", where=where)["last_sorted"] == "9"


def test_a30_null_is_told_apart(bench: Bench) -> None:
    """A30: s ne "10" is true for NULL (5), v gte 50 finds one and says that two have no value."""
    bench.add(a30_layer())
    assert bench.ok("count_features", layer_id="a", where=one("s", "ne", "10"))["count"] == 5
    assert bench.ok("count_features", layer_id="a", where=one("s", "is_null"))["count"] == 1
    envelope = bench.call("count_features", layer_id="a", where=one("v", "gte", 50))
    assert (envelope["data"]["count"], envelope["data"]["null_left_out"]) == (1, 2)
    assert "2 more have no value (NULL)" in envelope["message"]
    assert bench.code("count_features", layer_id="a", where=[{"field": "s", "op": "eq"}]) == "INVALID_PARAM"
    rows = bench.ok("query_features", layer_id="a", where=one("v", "lt", 50))
    assert (rows["total"], rows["null_left_out"]) == (3, 2)


def test_texts(bench: Bench) -> None:
    """Lengths, empty ones, leading zeros, and the most frequent."""
    values = ["007", "7", "", "  ", "abc", "abc", "人口", "1e3", "-4.5", "1,234", None, "nan"]
    bench.add(memory_layer("Point?field=t:string", [("POINT(0 0)", [each]) for each in values], "t"))
    envelope = bench.call("summarize_field", layer_id="t", field="t")
    data = envelope["data"]
    present = [each for each in values if each is not None]
    assert (data["count"], data["nulls"], data["distinct"]) == (11, 1, len(set(present)))
    assert (data["empty"], data["min_length"], data["max_length"]) == (2, 0, 5)
    assert data["mean_length"] == pytest.approx(statistics.fmean(map(len, present)), abs=1e-3)
    assert (data["look_like_numbers"], data["leading_zeros"]) == (4, 1)
    assert data["top"][0] == {"value": "abc", "count": 2}
    assert "codes" in envelope["message"]


def test_dates_truth_values_and_nothing(bench: Bench) -> None:
    """First and last day; counts of true and false; a field of NULLs."""
    rows: list[tuple[str | None, list[Any]]] = [
        ("POINT(0 0)", ["2024-02-01", True, None]),
        ("POINT(0 0)", ["1999-12-31", True, None]),
        ("POINT(0 0)", [None, False, None]),
    ]
    bench.add(memory_layer("Point?field=d:date&field=b:bool&field=x:double", rows, "m"))
    days = bench.ok("summarize_field", layer_id="m", field="d")
    assert (days["min"], days["max"], days["count"], days["nulls"]) == ("1999-12-31", "2024-02-01", 2, 1)
    truth = bench.ok("summarize_field", layer_id="m", field="b")
    assert truth["top"] == [{"value": True, "count": 2}, {"value": False, "count": 1}]
    nothing = bench.call("summarize_field", layer_id="m", field="x")
    assert nothing["ok"]
    assert (nothing["data"]["count"], nothing["data"]["nulls"]) == (0, 3)
    assert nothing["message"]
    assert bench.code("summarize_field", layer_id="m", field="y") == "NOT_FOUND"


def test_values_by_frequency(bench: Bench) -> None:
    """Most frequent first, NULL as null, the number of different values, part of a value whatever its case."""
    values = ["b", "b", "b", None, None, "a", "c", "Äpfel", "äpfel"]
    bench.add(memory_layer("Point?field=t:string", [("POINT(0 0)", [each]) for each in values], "t"))
    data = bench.ok("list_values", layer_id="t", field="t")
    assert data["values"][:2] == [{"value": "b", "count": 3}, {"value": None, "count": 2}]
    assert (data["total_distinct"], data["count"]) == (6, 9)
    assert bench.ok("list_values", layer_id="t", field="t", limit=1)["values"] == [{"value": "b", "count": 3}]
    found = bench.ok("list_values", layer_id="t", field="t", contains="äPF")
    assert [each["value"] for each in found["values"]] == ["Äpfel", "äpfel"]
    only = bench.ok("list_values", layer_id="t", field="t", where=one("t", "in", ["a", "c"]))
    assert [each["value"] for each in only["values"]] == ["a", "c"]
    assert bench.code("list_values", layer_id="t", field="u") == "NOT_FOUND"


def test_many_values_come_by_pages(bench: Bench) -> None:
    """What does not fit in 4,096 bytes has a handle with the rest; the total is of all."""
    rows: list[tuple[str | None, list[Any]]] = [
        ("POINT(0 0)", [f"a rather long value, number {n}"]) for n in range(300)
    ]
    bench.add(memory_layer("Point?field=t:string", rows, "t"))
    envelope = bench.call("list_values", layer_id="t", field="t", limit=1000)
    assert envelope["data"]["total_distinct"] == 300
    assert "200" in envelope["message"]
    page = bench.ok("fetch_result", result_ref=envelope["data"]["result_ref"], cursor=190)
    assert page["total"] == 200


def test_a52_selected_only_asks_when_nothing_is_selected(bench: Bench) -> None:
    """A52: three points, one selected: 1; none selected: a question, not 0 and not 3."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({v} 0)", [v]) for v in (1, 2, 3)]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=v:integer", rows, "p"))
    layer.selectByExpression('"v" = 2')
    assert bench.ok("count_features", layer_id="p")["count"] == 3
    assert bench.ok("count_features", layer_id="p", use_selection=True)["count"] == 1
    assert bench.ok("summarize_field", layer_id="p", field="v", use_selection=True)["sum"] == 2
    assert bench.ok("count_features", layer_id="p", use_selection=True, where=one("v", "gt", 2))["count"] == 0
    layer.removeSelection()
    for name, more in (("count_features", {}), ("summarize_field", {"field": "v"})):
        envelope = bench.call(name, layer_id="p", use_selection=True, **more)
        assert (envelope["code"], envelope["reason"]) == ("AMBIGUOUS", "selection")
        assert len(envelope["data"]["options"]) == 2
