"""``sessions list|show``: what an earlier ``ask`` said is found and printed; nothing is written by looking."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import why_not
from test_command_line import SAMPLE, ask, run

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(200)]


def test_what_was_asked_is_listed_and_shown(tmp_path: Path) -> None:
    env = {"QGIS_AGENT_PROFILE": str(tmp_path)}
    answer = ask("How many schools are there?", project=SAMPLE / "city.qgz", env=env)["answer"]
    (record,) = tmp_path.glob("**/sessions/*.jsonl")
    before = record.read_bytes()
    status, out, _err = run("sessions", "list", "--json", env=env)
    (entry,) = json.loads(out)["sessions"]
    assert status == 0 and entry["title"] == "How many schools are there?" and entry["requests"] == 1
    assert entry["session_id"] == record.stem and entry["size"] == len(before)
    status, out, _err = run("sessions", "show", record.stem, env=env)
    assert status == 0 and out == f"# How many schools are there?\n\n> How many schools are there?\n\n{answer}\n"
    assert run("sessions", "list", "--search", "hospitals", env=env)[:2] == (0, "")
    assert record.read_bytes() == before


@pytest.mark.parametrize("ident", ["s-none", "../../etc/passwd"])
def test_a_conversation_that_is_not_there(tmp_path: Path, ident: str) -> None:
    status, out, err = run("sessions", "show", ident, env={"QGIS_AGENT_PROFILE": str(tmp_path)})
    assert (status, out) == (1, "") and ident in err
