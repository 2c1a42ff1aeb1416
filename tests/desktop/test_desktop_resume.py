"""QGIS started twice on one profile: the second shows the conversation as it was, and asks anew what nobody had answered (X-7).
What is seen lies in ``build/desktop/r_….png``."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import EXPORT_CALL, Outcome, run_qgis, scripted, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(400)]

EXPORT: dict[str, Any] = {"text": "", "tool_calls": [EXPORT_CALL]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("twice")


@pytest.fixture(scope="module")
def first(folder: Path) -> Outcome:
    return run_qgis(folder, ["place", "golden", "resume_leave"], turns=[*scripted("golden_1.json"), EXPORT])


@pytest.fixture(scope="module")
def second(folder: Path, first: Outcome) -> Outcome:
    first.step("resume_leave")
    return run_qgis(folder, ["resume_open"], turns=[EXPORT, {"text": "The schools are in schools_copy.gpkg."}])


def test_the_conversation_is_shown_as_it_was(first: Outcome, second: Outcome) -> None:
    left, seen = first.step("resume_leave"), second.step("resume_open")
    assert seen["before"] != [left["session"], 2] and seen["session"] == left["session"]
    assert seen["said"][0].startswith("查一下这三个街道") and len(seen["titles"]) == 1
    assert seen["said"][1:] == ["save the schools to a file", "yes"]
    golden, asked = seen["runs"]
    assert golden == left["run"], "steps with their state, legend, answer and sources as they were live"
    assert len(golden["lines"]) == 5 and len(golden["legend"]) == 3 and golden["sources"]
    assert "stat_by_polygon" in seen["details"] and "polygon_layer_id: streets" in seen["details"]
    assert [state for _tool, state, _label in asked["lines"]] == ["failed"]
    assert asked["question"] and not any(asked["armed"]), "a card of an earlier run no longer acts"


def test_what_was_used_is_counted_on(first: Outcome, second: Outcome) -> None:
    before, after = first.step("resume_leave")["usage"], second.step("resume_open")["usage"]
    assert before[2].startswith("This conversation: ") and after[2].split("calls: ")[1] == "6"
    assert before[2] == after[2]


def test_a_write_that_nobody_answered_is_asked_for_anew_and_done_once(
    first: Outcome, second: Outcome, folder: Path
) -> None:
    assert first.exit_code == 0 and not first.step("resume_leave")["exists"]
    seen = second.step("resume_open")
    assert not seen["exists_before"] and seen["exists"] and seen["report"]["ok"]
    assert any("schools_copy.gpkg" in json.dumps(each) for each in seen["card"])
    with sqlite3.connect(folder / "project" / "schools_copy.gpkg") as written:
        (count,) = written.execute("select feature_count from gpkg_ogr_contents").fetchone()
    assert count == 31
    (record,) = folder.glob("profiles/**/sessions/*.jsonl")
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    ends = [(each["termination"], each["request"]) for each in lines if each["t"] == "run_end"]
    assert ends[1:] == [("awaiting_user", "save the schools to a file"), ("completed", "save the schools to a file")]
    written_calls = [each for each in lines if each["t"] == "result" and each["tool"] == "prepare_export_layer"]
    assert [each["envelope"]["ok"] for each in written_calls] == [False, True]
    assert second.errors == "" and first.errors == "" and second.leftover == []
