"""The expected numbers, selections and views of the evaluation set, computed again from the data by shapely and pyproj."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

EVALS = Path(__file__).resolve().parents[1] / "evals"
sys.path.insert(0, str(EVALS))  # the folder is no package
from eval_expected import EXPECTED, SELECTED, SHOWN, VIEW_MARGIN  # noqa: E402
from eval_oracle import world_file  # noqa: E402

CASES: dict[str, dict[str, Any]] = {
    each["id"]: each for each in map(json.loads, (EVALS / "all.jsonl").read_text(encoding="utf-8").splitlines())
}
WORST = 0.005
"""Tolerance of an expected number that is measured: half a per cent, as far as people round."""
CELLS = {"e_094": 0.03, "e_106": 0.02}
"""Statistics of cells in a polygon depend on the rule for cells on its edge, of which there are a few per cent."""


def needs(ident: str) -> None:
    if CASES[ident]["project"] == "world" and world_file() is None:
        pytest.skip("QGIS's world map is not here: no QGIS on the PATH")


def with_numbers() -> list[str]:
    return [ident for ident, each in CASES.items() if each["expect_result"].get("numbers")]


def test_every_number_selection_and_view_has_an_oracle() -> None:
    assert sorted(EXPECTED) == sorted(with_numbers())
    pointers = {ident: "".join(each["expect_result"].get("state", {})) for ident, each in CASES.items()}
    assert sorted(SELECTED) == sorted(ident for ident, each in pointers.items() if "/selection/" in each)
    # e_013 asks for the whole map: some box is all that can be said of it.
    assert sorted(SHOWN) == sorted(ident for ident, each in pointers.items() if "/view/bbox/" in each)


@pytest.mark.parametrize("ident", sorted(EXPECTED))
def test_expected_numbers(ident: str) -> None:
    needs(ident)
    told = CASES[ident]["expect_result"]["numbers"]
    found = [float(each) for each in EXPECTED[ident]()]
    assert [each["value"] for each in told] == pytest.approx(found, rel=1e-4, abs=1e-4)
    for each in told:
        assert each["tolerance"] <= CELLS.get(ident, WORST) * abs(each["value"]) + 1e-4


@pytest.mark.parametrize("ident", sorted(SELECTED))
def test_expected_selections(ident: str) -> None:
    needs(ident)
    state = CASES[ident]["expect_result"]["state"]
    (ids,) = [value for pointer, value in state.items() if pointer.startswith("/selection/")]
    assert ids == SELECTED[ident]()


@pytest.mark.parametrize("ident", sorted(SHOWN))
def test_expected_views(ident: str) -> None:
    needs(ident)
    west, south, east, north = SHOWN[ident]()
    for at, (side, size) in enumerate(
        [(west, east - west), (south, north - south), (east, east - west), (north, north - south)]
    ):
        told = CASES[ident]["expect_result"]["state"][f"/view/bbox/{at}"]
        assert told["near"] == pytest.approx(side, abs=1e-3)
        assert told["tolerance"] <= VIEW_MARGIN * size + 1e-3
