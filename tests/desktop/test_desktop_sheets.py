"""The pictures that the tests of the real QGIS have made, in light, dark and Chinese side by side: build/desktop/contact_real_*.png.

It runs behind the tests that make them (files in the order of their names).
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from qgis.PyQt.QtGui import QGuiApplication, QImage

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from contact_sheet import contact_sheet
from desktop_harness import SHOTS

LOOKS = ("light", "dark", "Chinese")
_NAME = re.compile(r"^(?:(?:a|m|p|d|first)_)?(?:(zh|dark)_)?(?:(?:a|m|p|d|first)_)?(.*)$")
"""Which run made a picture, in which look, and what is on it: "a_zh_s_list", "dark_s_list" and "a_s_list" are one row."""


def by_state() -> dict[str, dict[str, Path]]:
    """The newest picture of each state in each look."""
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(SHOTS.glob("*.png"), key=lambda each: each.stat().st_mtime):
        parts = _NAME.match(path.stem)
        if parts is None or path.stem.startswith(("contact", "failed")) or "_failed_" in path.stem:
            continue
        look = {"zh": "Chinese", "dark": "dark"}.get(parts.group(1) or "", "light")
        found.setdefault(parts.group(2), {})[look] = path
    return found


@pytest.fixture(scope="module", autouse=True)
def painting() -> QGuiApplication:
    return QGuiApplication.instance() or QGuiApplication([])


@pytest.mark.parametrize(
    ("stem", "look", "state"),
    [
        ("a_zh_s_list", "zh", "s_list"),
        ("dark_s_list", "dark", "s_list"),
        ("1_open", None, "1_open"),
        ("zh_a_narrow", "zh", "narrow"),
    ],
)
def test_a_name_tells_look_and_state(stem: str, look: str | None, state: str) -> None:
    parts = _NAME.match(stem)
    assert parts is not None and parts.groups() == (look, state)


def test_the_sheets_of_the_real_qgis() -> None:
    states = {name: looks for name, looks in by_state().items() if len(looks) > 1}
    if not states:
        pytest.skip("tests/desktop have made no pictures")
    docks = [each for each in sorted(states) if each.endswith("_dock")]
    windows = [each for each in sorted(states) if not each.endswith("_dock")]
    for group, names in (("real_dock", docks), ("real_windows", windows)):
        rows = [(name, [QImage(str(states[name].get(look, ""))) for look in LOOKS]) for name in names]
        sheet = contact_sheet(rows, list(LOOKS), SHOTS / f"contact_{group}.png")
        assert not sheet.isNull()
