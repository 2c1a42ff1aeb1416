"""Every row of class_breaks.jsonl: limits of mapclassify where QGIS agrees with it, else of QGIS 3.40.6; degenerate rows
through the tool, with the clear answer that QGIS itself does not give."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from class_fit import gvf
from conftest import REPO, Bench, memory_layer

from qgis_agent.gis.style.classification import classify

SHARED = Path(os.environ.get("QGIS_AGENT_SHARED", REPO.parent / "shared"))
BREAKS = SHARED / "data" / "class_breaks.jsonl"
METHODS = {
    "EqualInterval": "equal_interval",
    "Quantile": "quantile",
    "Quantiles": "quantile",
    "Jenks": "natural_breaks",
    "FisherJenks": "natural_breaks",
    "NaturalBreaks": "natural_breaks",
    "PrettyBreaks": "pretty",
    "Pretty": "pretty",
    "StdDev": "standard_deviation",
    "Logarithmic": "logarithmic",
    "Logarithmic discard": "logarithmic",
}
EDGES = {
    "edge-std-constant": "one class",
    "edge-pretty-constant": "one class",
    "edge-quantile-constant": "one class",
    "edge-jenks-2of4": "2 different values",
    "edge-equal-null": "no_values",
    "edge-log-negative": "no_positive_values",
}
"""What the person is told: a part of the message of a success, or the reason of a refusal."""


def rows(kind: str) -> list[Any]:
    """The rows whose id begins with ``kind``; one that is skipped where the file is absent."""
    if not BREAKS.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{BREAKS} is not there"))]
    found = [json.loads(line) for line in BREAKS.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in found if row["id"].startswith(kind)]


def numbers(row: dict[str, Any]) -> Any:
    """The values of a row, sorted."""
    values = row["values"]
    if isinstance(values, str):  # the row's own expression: random.seed(42*42); 5000 of randint(-1000, 1000)
        generator = random.Random(42 * 42)
        values = [generator.randint(-1000, 1000) for _ in range(5000)]
    return np.sort(np.array(values, dtype=float))


def test_no_row_is_left_out() -> None:
    """40 rows of mapclassify, 8 of QGIS, 6 edges, and each edge has its answer."""
    found = {kind: rows(kind) for kind in ("mapclassify-", "qgis-", "edge-")}
    if not BREAKS.is_file():
        pytest.skip(f"{BREAKS} is not there")
    assert {kind: len(each) for kind, each in found.items()} == {"mapclassify-": 40, "qgis-": 8, "edge-": 6}
    assert {each.id for each in found["edge-"]} == set(EDGES)


@pytest.mark.parametrize("row", rows("mapclassify-"))
def test_rows_of_mapclassify(row: dict[str, Any]) -> None:
    """Equal interval and quantiles as mapclassify has them; natural and pretty breaks as QGIS has them."""
    values = numbers(row)
    found = classify(values, METHODS[row["method"]], row["k"])
    wanted = row["expected_upper"] if row["agree"] else row["qgis_3_40_6_upper"]
    if row["method"] in ("FisherJenks", "NaturalBreaks", "PrettyBreaks"):
        wanted = row["qgis_3_40_6_upper"]
    distinct = sorted(set(wanted))
    assert found.limits[1:] == pytest.approx(distinct, abs=0.0015)
    assert found.limits[0] == values[0] and sum(found.counts) == len(values)
    assert bool(found.notes) == (len(distinct) < len(wanted))


@pytest.mark.parametrize("row", rows("qgis-"))
def test_rows_of_qgis(row: dict[str, Any]) -> None:
    """Limits that QGIS's own tests expect."""
    values, identity = numbers(row), row["id"]
    if (
        identity == "qgis-fixed-0"
    ):  # no interval, no classes: the tool refuses breaks that are not there (test_style_render)
        assert len(row["expected_upper"]) == 1
        return
    if identity == "qgis-fixed-10":  # a fixed interval is what manual breaks are for; its last class ends at the data
        inner = [float(each) for each in row["expected_upper"][:-1]]
        found = classify(values, "manual", 0, inner)
        edges = [values[0], *inner, row["expected_upper"][-1]]
        assert list(found.limits[1:-1]) == inner and found.limits[-1] == max(inner[-1], values[-1])
        wanted = [int(((values > low) & (values <= high)).sum()) for low, high in zip(edges, edges[1:])]
        wanted[0] += 1  # the lowest value itself
        assert list(found.counts) == wanted
        return
    found = classify(values, METHODS[row["method"]], row["k"])
    if identity == "qgis-jenks-5000":  # QGIS takes a sample of its own: compared by how well the classes fit
        assert found.sample == 3000
        assert gvf(values, list(found.limits[1:])) >= gvf(values, row["expected_upper"]) - 0.001
    elif identity == "qgis-log-filter":
        assert row["expected_upper"].startswith("4 ranges, first label 1 - 10")
        assert len(found.counts) == 4 and found.limits[:2] == (1.0, 10.0)
        assert found.left_out == 2 and sum(found.counts) == 5 and "2 values" in found.notes[0]
    elif "expected_ranges" in row:
        wanted_uppers = [float(each.rsplit("-", 1)[1]) for each in row["expected_ranges"].split(",")]
        assert found.limits[1:] == pytest.approx(wanted_uppers, abs=0.05)
    else:
        assert found.limits[1:] == pytest.approx(row["expected_upper"], abs=0.0015)


@pytest.mark.parametrize("row", rows("edge-"))
def test_degenerate_rows_through_the_tool(bench: Bench, row: dict[str, Any]) -> None:
    """Fewer classes that hold every value, or a refusal that leaves the style: never a map that draws nothing."""
    points = [(f"POINT({number} 0)", [value]) for number, value in enumerate(row["values"])]
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=v:double", points, "edge"))
    before = layer.renderer().dump()
    envelope = bench.call(
        "set_render_rule",
        layer_id="edge",
        method="graduated",
        field="v",
        classes=row["k"],
        options={"classification": METHODS[row["method"]]},
    )
    told = EDGES[row["id"]]
    if not envelope["ok"]:
        assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", told), envelope
        assert envelope["hint"] and layer.renderer().dump() == before
        return
    classes = envelope["data"]["classes"]
    assert told in envelope["message"], envelope
    assert all(each["count"] for each in classes) and sum(each["count"] for each in classes) == len(row["values"])
    assert len(classes) <= len(set(row["values"])) and envelope["data"]["not_drawn"] == 0
