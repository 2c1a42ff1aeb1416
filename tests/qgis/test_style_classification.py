"""Class limits against mapclassify's and QGIS's, degenerate data, the sample of natural breaks, labels, palettes."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPO

from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.style import palettes
from qgis_agent.gis.style.classification import check_breaks, classify, labels, sampled

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
}


def rows() -> list[Any]:
    """The rows whose method set_render_rule has."""
    if not BREAKS.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{BREAKS} is not there"))]
    found = [json.loads(line) for line in BREAKS.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in found if row["method"] in METHODS]


def gvf(values: Any, limits: list[float]) -> float:
    """Goodness of variance fit of classes by their upper limits."""
    groups = np.split(np.sort(values), np.searchsorted(np.sort(values), limits[:-1], side="right"))
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups if len(group))
    return 1 - within / float(((values - values.mean()) ** 2).sum())


@pytest.mark.parametrize("row", rows())
def test_rows_of_class_breaks(row: dict[str, Any]) -> None:
    """Limits of mapclassify where QGIS agrees, else those of QGIS 3.40.6; degenerate rows give fewer classes, not none."""
    values = row["values"]
    if isinstance(values, str):
        generator = random.Random(42 * 42)
        values = [generator.randint(-1000, 1000) for _ in range(5000)]
    ordered = np.sort(np.array([each for each in values if each is not None], dtype=float))
    if not len(ordered):
        assert row["id"] == "edge-equal-null"  # the handler refuses it: test_style_render
        return
    found = classify(ordered, METHODS[row["method"]], row["k"])
    assert found.limits[0] == ordered[0] and found.limits[-1] == ordered[-1]
    assert sum(found.counts) == len(ordered)
    assert list(found.limits[1:]) == sorted(set(found.limits[1:]))
    uppers = row.get("qgis_3_40_6_upper") or row.get("expected_upper")
    if row["id"] == "qgis-jenks-5000":  # QGIS takes a sample of its own: compared by how well the classes fit
        assert found.sample == 3000
        assert gvf(ordered, list(found.limits[1:])) >= gvf(ordered, uppers) - 0.001
    elif row["id"].startswith("edge-"):
        distinct = len(set(ordered))
        assert 1 <= len(found.counts) <= distinct and all(found.counts) and found.notes
    elif "expected_ranges" in row:
        wanted = [float(each.rsplit("-", 1)[1]) for each in row["expected_ranges"].split(",")]
        assert found.limits[1:] == pytest.approx(wanted, abs=0.05)
    else:
        wanted = sorted(set(uppers))
        assert len(found.counts) == len(wanted)
        assert found.limits[1:] == pytest.approx(wanted, abs=0.0015)
        assert bool(found.notes) == (len(wanted) < len(uppers))


def test_counts_follow_how_qgis_draws() -> None:
    """A value on a limit belongs to the class below it."""
    values = np.array([1.0, 2.0, 2.0, 3.0, 4.0, 10.0])
    found = classify(values, "manual", 0, [2.0, 4.0])
    assert found.limits == (1.0, 2.0, 4.0, 10.0) and found.counts == (3, 2, 1)


def test_manual_breaks_outside_of_the_data() -> None:
    """n breaks always make n + 1 classes, also where some of them are empty."""
    values = np.array([5.0, 6.0, 7.0])
    found = classify(values, "manual", 0, [1.0, 6.5, 90.0])
    assert found.limits == (1.0, 1.0, 6.5, 90.0, 90.0) and found.counts == (0, 2, 1, 0)


@pytest.mark.parametrize("breaks", [[], [2.0, 1.0], [1.0, 1.0], [1.0, float("nan")]])
def test_breaks_must_ascend(breaks: list[float]) -> None:
    """Missing, falling, repeated or endless breaks are INVALID_PARAM."""
    with pytest.raises(ToolError) as caught:
        check_breaks(breaks)
    assert caught.value.envelope["code"] == "INVALID_PARAM" and caught.value.envelope["hint"]


@pytest.mark.parametrize("method", ["equal_interval", "quantile", "natural_breaks", "pretty"])
@pytest.mark.parametrize(
    "values", [[5.0] * 4, [0.0], [1.0, 2.0], [0.0] * 90 + [1.0, 2.0, 3.0, 4.0, 5.0], [-1e-9, 1e12]]
)
def test_degenerate_values_are_all_in_a_class(method: str, values: list[float]) -> None:
    """Constant, single, two-valued, mostly zero: limits ascend, every value is counted, and fewer classes are said."""
    found = classify(np.sort(np.array(values)), method, 5)
    assert sum(found.counts) == len(values)
    assert list(found.limits[1:]) == sorted(set(found.limits[1:])) and found.limits[0] <= found.limits[1]
    assert len(found.counts) >= 4 or found.notes
    assert len(set(labels(found.limits))) == len(found.counts)


def test_the_sample_is_every_nth_value_with_both_ends() -> None:
    """100,000 values: 3,000 of them, the same ones each time, evenly spread by rank; natural breaks say so and fit well."""
    generator = np.random.default_rng(7)
    values = np.sort(generator.lognormal(0, 1, 100_000))
    chosen = sampled(values)
    assert len(chosen) == 3000 and chosen[0] == values[0] and chosen[-1] == values[-1]
    ranks = np.searchsorted(values, chosen)
    assert set(np.diff(ranks)) <= {33, 34}
    found = classify(values, "natural_breaks", 5)
    assert found.sample == 3000 and "3000" in found.notes[0] and found.limits[-1] == values[-1]
    assert gvf(values, list(found.limits[1:])) > 0.85  # 0.891 is the best that exact Jenks reaches on such values
    assert classify(values[:3000], "natural_breaks", 5).sample == 0


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((0.0, 10.0, 25.0), ["0 – 10", "10 – 25"]),
        ((2.3810, 3.5, 7.8431), ["2.38 – 3.50", "3.50 – 7.84"]),
        ((5.0, 5.0), ["5"]),
        ((0.0, 0.0, 3.5), ["0.00", "0.00 – 3.50"]),
        ((1000.5, 2000.25, 9000.0), ["1000 – 2000", "2000 – 9000"]),
        ((0.00012, 0.00034, 0.0009), ["0.000120 – 0.000340", "0.000340 – 0.000900"]),
    ],
)
def test_labels(limits: tuple[float, ...], expected: list[str]) -> None:
    """As many decimals as tell the limits apart."""
    assert labels(limits) == expected


def test_palettes_are_colorbrewer() -> None:
    """The published colours of OrRd with 5 classes, the ends of viridis, both directions, any number of classes."""
    assert palettes.colors("OrRd", 5) == ["#fef0d9", "#fdcc8a", "#fc8d59", "#e34a33", "#b30000"]
    assert palettes.colors("OrRd", 5, reverse=True)[0] == "#b30000"
    assert palettes.colors("Set2", 3) == ["#66c2a5", "#fc8d62", "#8da0cb"]
    assert palettes.colors("Viridis", 10)[0] == "#440154" and palettes.colors("Viridis", 20)[-1] == "#fde725"
    for palette in palettes.PALETTES:
        for count in (1, 2, 3, 5, 9, 12, 20, 64):
            found = palettes.colors(palette, count)
            assert len(found) == count and all(len(each) == 7 and each[0] == "#" for each in found)
            if count <= 20 or palette in palettes.QUALITATIVE:
                assert len(set(found)) == count, (palette, count)
        assert palettes.palette_of(palettes.colors(palette, 6, True)) == (palette, True)


def test_palettes_are_those_of_the_contract() -> None:
    """The fixed list of the contract."""
    schema = json.loads((REPO / "resources" / "tools.schema.json").read_text(encoding="utf-8"))
    rule = next(each for each in schema["tools"] if each["name"] == "set_render_rule")
    assert set(rule["parameters"]["properties"]["palette"]["enum"]) == set(palettes.PALETTES)
