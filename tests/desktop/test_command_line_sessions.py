"""``sessions …``: what an earlier ``ask`` said is found, printed, exported, renamed and deleted; nothing is written by looking."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import why_not
from test_command_line import SAMPLE, ask, run

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]


class Asked(NamedTuple):
    """A profile with one conversation about a project."""

    env: dict[str, str]
    project: Path
    record: Path
    answer: str


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("asked")
    shutil.copytree(SAMPLE, folder / "city")
    env, project = {"QGIS_AGENT_PROFILE": str(folder / "profile")}, folder / "city" / "city.qgz"
    answer = ask("How many schools are there?", project=project, env=env)["answer"]
    (record,) = folder.glob("profile/**/sessions/*.jsonl")
    return Asked(env, project, record, answer)


def test_what_was_asked_is_listed_and_shown(asked: Asked) -> None:
    before = asked.record.read_bytes()
    status, out, _err = run("sessions", "list", "--json", "--project", str(asked.project), env=asked.env)
    (entry,) = json.loads(out)["sessions"]
    assert status == 0 and entry["title"] == "How many schools are there?" and entry["requests"] == 1
    assert entry["session_id"] == asked.record.stem and entry["size"] == len(before)
    status, out, _err = run("sessions", "show", asked.record.stem, env=asked.env)
    assert status == 0 and out == f"# How many schools are there?\n\n> How many schools are there?\n\n{asked.answer}\n"
    assert run("sessions", "list", "--search", "hospitals", env=asked.env)[:2] == (0, "")
    other = str(asked.project.with_name("other.qgz"))
    assert run("sessions", "list", "--project", other, env=asked.env)[:2] == (0, "")
    assert asked.record.read_bytes() == before


@pytest.mark.parametrize("ident", ["s-none", "../../etc/passwd"])
def test_a_conversation_that_is_not_there(tmp_path: Path, ident: str) -> None:
    status, out, err = run("sessions", "show", ident, env={"QGIS_AGENT_PROFILE": str(tmp_path)})
    assert (status, out) == (1, "") and ident in err


def test_a_conversation_is_renamed_exported_and_deleted_after_a_question(asked: Asked, tmp_path: Path) -> None:
    ident = asked.record.stem
    assert run("sessions", "rename", ident, "Schools 学校", env=asked.env)[0] == 0
    target = tmp_path / "talk.md"
    assert run("sessions", "export", ident, str(target), env=asked.env)[0] == 0
    text = target.read_text(encoding="utf-8")
    assert text == f"# Schools 学校\n\n> How many schools are there?\n\n{asked.answer}\n"
    status, _out, err = run("sessions", "export", ident, str(target), env=asked.env)
    assert status == 1 and "not replaced" in err
    status, _out, err = run("sessions", "delete", ident, env=asked.env)  # the end of the input is a no
    assert (status, asked.record.exists()) == (1, True) and "Schools 学校" in err
    assert run("sessions", "delete", ident, env=asked.env, typed="yes\n")[0] == 0
    assert not asked.record.exists()
    status, _out, err = run("sessions", "delete", ident, "--yes", env=asked.env)
    assert status == 1 and ident in err
