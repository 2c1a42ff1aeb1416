"""The first run in the real QGIS: the panel's card opens the dialog, which says what is wrong; also from QGIS's options."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop_harness import run_qgis, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("locale", "theme", "prefix"), [("en", "default", "first_"), ("zh_CN", "Night Mapping", "first_zh_")]
)
def test_the_first_run(tmp_path: Path, locale: str, theme: str, prefix: str) -> None:
    folder = tmp_path / "空 格"
    outcome = run_qgis(
        tmp_path, ["first_run"], locale=locale, theme=theme, prefix=prefix, agent_env=folder / "env", turns=[]
    )
    seen = outcome.step("first_run")
    assert any(each.startswith("Python 3.") for each in seen["pythons"])
    assert all(seen["said"])
    if locale == "en":
        assert "holds no wheels" in seen["said"][0] and seen["said"][2] == "Try again"
        assert seen["cards"] == [["The agent environment could not be built", ["Try again…"]]]
    assert seen["options"] == {"opened": True, "active": True, "closed": True}
    assert not (folder / "env").exists()
    assert (outcome.exit_code, outcome.errors, outcome.leftover) == (0, "", [])
