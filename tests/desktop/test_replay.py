"""Traces of all packs: recorded by scripted runs, replayed without a model in processes of their own (issue 8, Must show 2 and 6).

The children are tests/support/replay_runs.py; three of them share the recording of one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.records.redact_trace import redacted
from qgis_agent.bridge.trace import to_line

REPO = Path(__file__).resolve().parents[2]
PYTHON = str(REPO / ".venv" / "bin" / "python")
CHILD = REPO / "tests" / "support" / "replay_runs.py"
SAMPLE = REPO / "resources" / "sample"
sys.path.insert(0, str(REPO / "tests" / "support"))
from replay_runs import CHANGES, RUNS  # noqa: E402  the support folder is no package

STEP_OF_CHANGE = {
    "a school is gone": (1, "/result/"),
    "pupils are others": (3, "/result/data/rows/"),
    "a kind is renamed": (1, "/result/data/classes/"),
    "a school in a street is gone": (2, "/result/"),
    "districts have other people": (2, "/result/"),
    "a hospital is gone": (2, "/result/"),
    "the relief is higher": (2, "/result/"),
    "the layer of step 2 is gone": (2, "/result/code"),
    "a visible layer is gone": (0, "/state_in/"),
    "a style is another": (0, "/state_in/styles/districts/opacity"),
}
"""Where each change must first be seen, from reading the calls of the run: the first that reads what was changed."""


def child(folder: Path, *arguments: str, seed: str = "0") -> subprocess.Popen[bytes]:
    """A child process with a profile and a hash seed of its own."""
    env = dict(os.environ, PYTHONHASHSEED=seed, QGIS_AGENT_PROFILE=str(folder / f"profile-{seed}-{arguments[0]}"))
    env.pop("QGIS_CUSTOM_CONFIG_PATH", None)
    with (folder / f"{arguments[0]}-{seed}.log").open("wb") as log:
        return subprocess.Popen([PYTHON, str(CHILD), *arguments], cwd=REPO, env=env, stdout=log, stderr=log)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the children found: {"first", "second": by trace, "changed": by change, "folder"}."""
    folder = tmp_path_factory.mktemp("replay")
    before = _digests(SAMPLE)
    assert child(folder, "record", str(folder)).wait(240) == 0, (folder / "record-0.log").read_text()[-3000:]
    outs = {name: folder / f"{name}.json" for name in ("first", "second", "changed")}
    running = [
        child(folder, "replay", str(folder), str(outs["first"]), seed="1"),
        child(folder, "replay", str(folder), str(outs["second"]), seed="4242"),
    ]
    assert [each.wait(240) for each in running] == [0, 0], (folder / "replay-1.log").read_text()[-3000:]
    assert child(folder, "changed", str(folder), str(outs["changed"])).wait(240) == 0
    found = {name: json.loads(each.read_text(encoding="utf-8")) for name, each in outs.items()}
    assert _digests(SAMPLE) == before
    return {**found, "folder": folder}


def _digests(folder: Path) -> dict[str, str]:
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(folder.iterdir())}


def trace_of(told: dict[str, Any], name: str) -> dict[str, Any]:
    """A recorded trace."""
    return json.loads((told["folder"] / f"{name}.jsonl").read_text(encoding="utf-8"))


def test_25_traces_of_all_packs_were_recorded(told: dict[str, Any]) -> None:
    packs = {
        each["name"]: each["pack"] for each in json.loads((REPO / "resources/tools.schema.json").read_text())["tools"]
    }
    done = {packs[step["tool"]] for name in RUNS for step in trace_of(told, name)["steps"] if step["result"]["ok"]}
    assert len(RUNS) >= 25
    assert done >= set(packs.values()) - {"subagent", "plan"}


@pytest.mark.parametrize("name", list(RUNS))
def test_a_trace_replays_to_the_same_map_in_two_processes(told: dict[str, Any], name: str) -> None:
    first, second = told["first"][name], told["second"][name]
    assert (first["error"], first["first_difference"]) == (None, None)
    assert first["equal"] and second["equal"]
    assert first["state"] == second["state"]


def test_what_is_replayed_is_the_run(told: dict[str, Any]) -> None:
    """Only what the agent process answers itself, and what writes, is not repeated; and the map is the recorded one."""
    agents = {"search_layers", "request_tool_pack"}
    for name in RUNS:
        rows = told["first"][name]["steps"]
        trace = trace_of(told, name)
        assert [row["tool"] for row in rows] == [step["tool"] for step in trace["steps"]]
        repeated = [row["tool"] for row in rows if row["outcome"] == "equal"]
        assert set(repeated) == {
            step["tool"]
            for step in trace["steps"]
            if step["tool"] not in agents and not step["tool"].startswith("prepare_")
        } - {row["tool"] for row in rows if row.get("why") == "after_commit"}
        if not name.startswith("commit_remove"):
            visible = json.loads(told["first"][name]["state"])["visible"]
            assert visible == trace["final"]["map_state"]["visible"]


@pytest.mark.parametrize("what", list(CHANGES))
def test_a_changed_project_is_caught_at_the_step(told: dict[str, Any], what: str) -> None:
    found = told["changed"][what]
    assert found["equal"] is False and found["error"] is None
    step, path = STEP_OF_CHANGE[what]
    assert found["first_difference"]["step"] == step, found
    assert found["first_difference"]["path"].startswith(path)
    assert found["first_difference"]["expected"] != found["first_difference"]["found"]


@pytest.mark.parametrize("name", ["commit_export", "commit_remove", "commit_edit"])
def test_a_commit_is_recorded_as_skipped(told: dict[str, Any], name: str) -> None:
    report = told["first"][name]
    rows = [row for row in report["steps"] if row["tool"].startswith("prepare_")]
    assert [(row["outcome"], row["why"]) for row in rows] == [("skipped", "commit")]
    recorded = [step for step in trace_of(told, name)["steps"] if step["tool"].startswith("prepare_")]
    assert all(step["result"]["ok"] for step in recorded)  # it was done when it was recorded


def test_no_value_and_no_name_of_the_data_is_left_in_the_redacted_traces(told: dict[str, Any]) -> None:
    """The texts and large numbers of every table, its columns and names, as SQLite tells them."""
    names, values = _data_of(SAMPLE / "city.gpkg")
    traces = [trace_of(told, name) for name in RUNS]
    for trace in redacted(traces, ["names", "ids", "values"]):
        keys, leaves = _parts_of(json.loads(to_line(trace)))
        assert [each for each in leaves if isinstance(each, str) and each in names] == [], trace["trace_id"]
        assert _told(leaves, values) == []
        assert not keys & (names - PROGRAM_KEYS)
    for trace in redacted(traces, ["values"]):
        assert _told(_parts_of(json.loads(to_line(trace)))[1], values) == []


def _told(leaves: list[Any], values: set[Any]) -> list[Any]:
    """The leaves that are or hold one of the values; the digits in a digest or a UUID are no number."""
    spelled = [
        re.escape(each) if isinstance(each, str) else rf"(?<![\w.]){re.escape(str(each))}(?!\w)" for each in values
    ]
    any_of = re.compile("|".join(spelled))
    found = [each for each in leaves if not isinstance(each, (str, bool)) and each in values]
    texts = [re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "", each) for each in leaves if isinstance(each, str)]
    return found + [each for each in texts if any_of.search(each)]


PROGRAM_KEYS = {"name", "kind", "code", "level", "lines"}
"""Columns that are called like keys of the program, which stand in every trace."""


def _data_of(path: Path) -> tuple[set[str], set[Any]]:
    """(tables and columns, values that are told from others) of a GeoPackage."""
    names: set[str] = set()
    values: set[Any] = set()
    with sqlite3.connect(path) as base:
        for (table,) in base.execute("SELECT table_name FROM gpkg_contents").fetchall():
            rows = base.execute(f'SELECT * FROM "{table}"')  # noqa: S608  a name of the sample
            columns = [each[0] for each in rows.description]
            names |= {table, *columns}
            for row in rows:
                told = [each for column, each in zip(columns, row, strict=True) if column not in ("fid", "geom")]
                values |= {each for each in told if isinstance(each, str) and len(each) > 1}
                values |= {each for each in told if isinstance(each, (int, float)) and abs(each) > 999}
    return names - {"fid", "geom"}, values


def _parts_of(value: Any) -> tuple[set[str], list[Any]]:
    """(keys, leaves) of a value, without what tells of the time: a number of these may be that of a value by chance."""
    if isinstance(value, dict):
        parts = [_parts_of(each) for key, each in value.items() if key not in ("ms", "recorded_at", "usage")]
        return set(value).union(*(keys for keys, _leaves in parts)), [one for _keys, leaves in parts for one in leaves]
    if isinstance(value, list):
        parts = [_parts_of(each) for each in value]
        return set().union(*(keys for keys, _leaves in parts)), [one for _keys, leaves in parts for one in leaves]
    return set(), [value]


def command(*arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout, stderr of the command line."""
    done = subprocess.run(
        [PYTHON, "-m", "qgis_agent", *arguments], cwd=REPO, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_ask_then_replay_on_a_copy_is_equal_and_a_change_is_status_1(tmp_path: Path) -> None:
    trace, city = tmp_path / "t.jsonl", tmp_path / "city"
    shutil.copytree(SAMPLE, city)
    project = str(city / "city.qgz")
    status, out, err = command("ask", "buffer schools by 500 m", "--project", project, "--trace", str(trace), "--json")
    assert status == 0, err
    before = _digests(city)
    status, out, err = command("replay", str(trace), "--json")  # the trace names the project itself
    report = json.loads(out)
    assert (status, report["equal"], report["first_difference"]) == (0, True, None), err
    assert _digests(city) == before
    line = json.loads(trace.read_text(encoding="utf-8"))
    line["steps"][0]["args"]["distance_m"] = 400
    trace.write_text(json.dumps(line), encoding="utf-8")
    status, out, err = command("replay", str(trace), "--project", project)
    assert status == 1
    assert "step 1 (buffer_layer)" in out
    assert "/actions/0/args" in out or "/result/data" in out


def test_what_cannot_be_replayed_is_said(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"schema": "something"}\n', encoding="utf-8")
    status, out, err = command("replay", str(path))
    assert (status, out) == (2, "")
    assert "line 1: is no trace" in err


def test_recorded_model_turns_go_through_the_harness_again_with_the_same_bytes(tmp_path: Path) -> None:
    """Second mode: neither the model nor QGIS answers, and every request is the recorded one."""
    recording = tmp_path / "golden.jsonl"
    script = str(REPO / "tests" / "support" / "golden_1.json")
    words = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"
    project = str(SAMPLE / "city.qgz")
    status, _out, err = command(
        "ask", words, "--project", project, "--script", script, "--record", str(recording), "--json"
    )
    assert status == 0, err
    assert recording.stat().st_mode & 0o077 == 0
    status, out, err = command("replay", str(recording), "--json")
    turns = len(json.loads(Path(script).read_text(encoding="utf-8")))
    assert (status, json.loads(out)["requests"]) == (0, turns), err
    line = json.loads(recording.read_text(encoding="utf-8"))
    line["start"]["snapshot"]["scale"] = 1
    recording.write_text(json.dumps(line, separators=(",", ":")) + "\n", encoding="utf-8")
    status, out, _err = command("replay", str(recording))
    assert status == 1 and out.startswith("run 1 differs. Request 1 is not the recorded one")


def test_a_redacted_trace_names_nothing_and_is_not_replayed(tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    redact = [each for kind in ("names", "ids", "values") for each in ("--redact", kind)]
    project = str(SAMPLE / "city.qgz")
    words = "buffer schools by 500 m"
    status, _out, err = command("ask", words, "--project", project, "--trace", str(trace), *redact, "--json")
    assert status == 0, err
    text = trace.read_text(encoding="utf-8")
    found = [
        each for each in ("schools", "示例城市", "pupils", "sample_layer", "/tmp/", "24.27", words) if each in text
    ]
    assert found == []
    assert json.loads(text)["steps"][0]["tool"] == "buffer_layer"
    status, out, _err = command("replay", str(trace), "--project", project)
    assert (status, json.loads(out)["reason"]) == (1, "redacted")
