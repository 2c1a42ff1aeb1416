"""The command ``eval`` on the set: all solutions right, and each spoiled one blamed on what it was spoiled by.

A suite of its own (``bash scripts/test.sh evals``): the whole set takes some minutes.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

EVALS = Path(__file__).resolve().parent
REPO = EVALS.parents[1]
LIMIT_S = 1500
WHOLE = {"intent", "tools", "params", "end_to_end", "replay"}


def evaluate(folder: Path, set_file: Path, script: Path, *more: str) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Exit status, what ``--json`` prints, and the rows of the report by case."""
    done = subprocess.run(
        [str(REPO / ".venv" / "bin" / "python"), "-m", "qgis_agent", "eval", str(set_file), "--script", str(script),
         "--out", str(folder / "report"), "--json", *more],
        cwd=REPO,
        env={**os.environ, "QGIS_CUSTOM_CONFIG_PATH": str(folder / "profile")},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr[-2000:]
    with (folder / "report" / "cases.csv").open(encoding="utf-8", newline="") as file:
        # The offline grammar's rows of the same cases follow in a part of their own.
        found = {row["id"]: row for row in reversed(list(csv.DictReader(file)))}
    return done.returncode, json.loads(done.stdout), found


@pytest.mark.timeout(LIMIT_S + 60)
def test_all_solutions_score_100_per_cent(tmp_path: Path) -> None:
    status, result, rows = evaluate(tmp_path, EVALS / "all.jsonl", EVALS / "solutions.json")
    metrics = result["summary"]["metrics"]
    wrong = {ident: (row["blame"], row["why"]) for ident, row in rows.items() if row["blame"]}
    assert wrong == {}
    assert {name: metrics[name]["value"] for name in WHOLE} == dict.fromkeys(WHOLE, 1.0)
    assert metrics["rounds"]["value"] <= 5
    assert status == 0


@pytest.mark.timeout(LIMIT_S + 60)
def test_spoiled_solutions_are_blamed_on_what_spoiled_them(tmp_path: Path) -> None:
    spoiled = json.loads((EVALS / "spoiled.json").read_text(encoding="utf-8"))
    lines = (EVALS / "all.jsonl").read_text(encoding="utf-8").splitlines()
    chosen = tmp_path / "spoiled.jsonl"
    chosen.write_text("\n".join(each for each in lines if json.loads(each)["id"] in spoiled), encoding="utf-8")
    status, _, rows = evaluate(tmp_path, chosen, EVALS / "spoiled.json", "--no-replay")
    assert {ident: rows[ident]["blame"] for ident in spoiled} == {
        ident: each["blame"] for ident, each in spoiled.items()
    }
    assert status == 1
