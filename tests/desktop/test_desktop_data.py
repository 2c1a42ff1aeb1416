"""The page "Data and limits" in the real QGIS, at 1280 x 720. What is seen lies in ``build/desktop/d_….png``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import SHOTS, Outcome, run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run_qgis(tmp_path_factory.mktemp("data"), ["load", "data_page"], prefix="d_")


def test_values_are_kept_at_home_and_limits_set_in_the_options(seen: Outcome) -> None:
    told = seen.step("data_page")
    assert told["shown"] and told["width"] == [0, False]
    assert "sample rows" in told["kept"]
    assert told["after"] == [True, 7, "zh"]
    assert seen.exit_code == 0 and seen.leftover == []
    for name in ("before", "at_home", "limits"):
        assert (SHOTS / f"d_{name}.png").stat().st_size > 20_000
