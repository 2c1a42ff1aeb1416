"""The command ``audit``: one request is restored from what it prints, without any other file."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]


def run(profile: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout, stderr."""
    environment = {**os.environ, "QGIS_AGENT_PROFILE": str(profile), "QT_QPA_PLATFORM": "offscreen"}
    environment.pop("QGIS_CUSTOM_CONFIG_PATH", None)
    done = subprocess.run(
        [str(REPO / ".venv" / "bin" / "python"), "-m", "qgis_agent", *arguments],
        cwd=REPO,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile in which one layer was hidden and one export refused."""
    made = tmp_path_factory.mktemp("audited")
    project = str(REPO / "resources" / "sample" / "city.qgz")
    run(made, "call", "toggle_layer", "--args", '{"layer_id": "schools", "visible": false}', "--project", project)
    run(
        made,
        "call",
        "prepare_export_layer",
        "--args",
        '{"layer_id": "schools", "path": "x.gpkg"}',
        "--project",
        project,
    )
    return made


def test_who_did_what_when_on_which_layer_allowed_by_whom(profile: Path) -> None:
    """As JSON: a line a decision and a call."""
    status, out, _ = run(profile, "audit", "--json", "--tool", "toggle_layer")
    decision, call = json.loads(out)["lines"]
    assert status == 0
    assert (decision["t"], decision["decision"], decision["by"]) == ("decision", "allow", "level:safe_write")
    assert (call["t"], call["caller"], call["effect"], call["code"]) == ("call", "cli", "view", "")
    assert [each["layer_id"] for each in call["layers"]] == ["schools"]
    assert call["run_id"].startswith("call-") and call["ms"] >= 0 and call["time"].endswith("+00:00")


def test_as_a_table_and_in_words(profile: Path) -> None:
    """CSV has a header; the plain form is a line each."""
    rows = list(csv.DictReader(io.StringIO(run(profile, "audit", "--csv", "--layer", "schools")[1])))
    assert {each["tool"] for each in rows} == {"toggle_layer", "prepare_export_layer"}
    assert any(each["by"] == "headless" and each["decision"] == "deny" for each in rows)
    said = run(profile, "audit", "--caller", "cli", "--tool", "toggle_layer")[1].splitlines()
    assert len(said) == 2 and all("toggle_layer" in each and "schools" in each for each in said)


def test_wrong_usage_and_files(profile: Path, tmp_path: Path) -> None:
    """Status 2 for no time, 1 for a file that is there; nothing is replaced."""
    assert run(profile, "audit", "--since", "yesterday")[0] == 2
    target = tmp_path / "log.csv"
    assert run(profile, "audit", "--out", str(target))[0] == 0
    before = target.read_bytes()
    assert before.startswith(b"time,t,user,caller,client,tool")
    assert run(profile, "audit", "--out", str(target))[0] == 1
    assert target.read_bytes() == before
    assert run(profile, "audit", "--until", "2020-01-01")[1] == ""
