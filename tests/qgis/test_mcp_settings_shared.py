"""Two QGIS with one profile: what a person takes back in one of them is taken back in the other, and stays so."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgis_agent.gis.host import run_until
from qgis_agent.gis.mcp.settings import Clients


@pytest.mark.parametrize("then", ["note_seen", "add", "nothing"])
def test_a_revoked_program_does_not_come_back(tmp_path: Path, then: str) -> None:
    """Neither in the other QGIS nor by what that one writes."""
    here = Clients(tmp_path)
    gone, _token = here.add("Claude")
    there = Clients(tmp_path)
    assert there.find(gone.id) is not None
    here.revoke(gone.id)
    if then == "note_seen":
        there.note_seen(gone.id)
    elif then == "add":
        there.add("Cursor")
    assert there.find(gone.id) is None
    assert [each.label for each in Clients(tmp_path).listed()] == (["Cursor"] if then == "add" else [])
    assert [each.label for each in here.listed()] == (["Cursor"] if then == "add" else [])


def test_a_new_token_and_another_level_hold_in_both(tmp_path: Path) -> None:
    """The old token is worth nothing anywhere; a change in the one goes on top of a change in the other."""
    here = Clients(tmp_path)
    made, _token = here.add("Claude", "safe_write")
    there = Clients(tmp_path)
    here.rotate(made.id)
    there.note_seen(made.id)
    there.change(made.id, level="read_only")
    kept = {(each.token_sha256, each.level) for each in (*here.listed(), *there.listed(), *Clients(tmp_path).listed())}
    assert len(kept) == 1 and kept.pop()[1] == "read_only"
    assert here.listed()[0].token_sha256 != made.token_sha256


def test_the_other_qgis_hears_of_it_by_itself(tmp_path: Path) -> None:
    """Nobody has to ask: capabilities and the endpoint follow ``changed``. That a program was seen is no change."""
    here = Clients(tmp_path)
    made, _token = here.add("Claude")
    there = Clients(tmp_path)
    heard: list[int] = []
    there.changed.connect(lambda: heard.append(1))
    here.note_seen(made.id)
    assert there.listed()[0].seen and not heard
    here.revoke(made.id)
    assert run_until(lambda: bool(heard), 10) and there.listed() == []
