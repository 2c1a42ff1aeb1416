"""``qgis_process run qgisagent:… --json`` on a copy of the sample: the algorithms of the agent itself, with the real agent."""

from __future__ import annotations

import csv
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import agent_processes, model_server
from process_world import World, why_no_process

pytestmark = [pytest.mark.skipif(bool(why_no_process()), reason=why_no_process()), pytest.mark.timeout(300)]

SCHOOLS = 31
"""In the sample, as tests/qgis/test_sample.py counts it with sqlite3."""
TURNS = [{"text": "Hello from the model."}, {"scenario": "hang"}]
COUNT = {"name": "count_features", "arguments": {"layer_id": "schools"}}
CASE = {
    "id": "p_001",
    "text": "How many schools are there?",
    "lang": "en",
    "project": "sample",
    "expect_intent": ["query"],
    "expect_tools": ["count_features"],
    "expect_params": {"count_features": {"layer_id": "schools"}},
    "expect_result": {"numbers": [{"value": SCHOOLS, "tolerance": 0}]},
    "tags": ["single_step"],
    "negative": None,
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The settings of the profile name a model on a loopback server."""
    made = World(tmp_path_factory.mktemp("agent"))
    made.enable()
    (settings,) = made.profile.rglob("QGIS3.ini")
    with model_server(made.folder, TURNS) as port:
        lines = ["[qgis_agent]", "model\\kind=model", "model\\name=openai/script"]
        lines.append(f"model\\api_base=http://127.0.0.1:{port}/v1")
        settings.write_text(settings.read_text(encoding="utf-8") + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
        yield made


@pytest.fixture(scope="module")
def asked(world: World) -> dict[str, Any]:
    """The results of one request that makes a layer, with its trace."""
    given = {
        "PROMPT": "buffer schools by 300 m",
        "TRACE": world.folder / "run.jsonl",
        "PICTURE": world.folder / "map.png",
    }
    status, told, err = world.run("ask", given)
    assert status == 0 and "Traceback" not in err, err
    found: dict[str, Any] = told["results"]
    return found


def test_a_request_is_answered_and_traced(world: World, asked: dict[str, Any]) -> None:
    report = json.loads(asked["REPORT"])
    assert report["ok"] and report["answer"] == asked["ANSWER"] and str(SCHOOLS) in asked["ANSWER"]
    assert len(asked["LAYERS"]) == 1
    trace = json.loads((world.folder / "run.jsonl").read_text(encoding="utf-8"))
    assert trace["trace_id"] == report["trace_id"] and trace["user_text"] == "buffer schools by 300 m"
    assert (world.folder / "map.png").read_bytes()[:4] == b"\x89PNG"
    assert agent_processes(world.profile) == []


def test_what_is_not_carried_out_ends_with_status_1(world: World) -> None:
    status, told, err = world.run("ask", {"PROMPT": "delete the layer schools from the disk"})
    assert status == 1 and told.get("results", {}) == {} and "Traceback" not in err


def test_a_replay_is_equal_and_a_changed_project_is_caught(world: World, asked: dict[str, Any], tmp_path: Path) -> None:
    status, told, err = world.run("replaytrace", {"TRACE": world.folder / "run.jsonl"})
    assert status == 0 and told["results"]["EQUAL"] is True and told["results"]["SKIPPED"] == 0, err
    shutil.copytree(world.folder / "city", tmp_path / "less")
    with sqlite3.connect(tmp_path / "less" / "city.gpkg") as database:
        for (name,) in database.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            database.execute(f'drop trigger "{name}"')
        database.execute("delete from schools where fid = (select min(fid) from schools)")
    given = {"TRACE": world.folder / "run.jsonl", "PROJECT": tmp_path / "less" / "city.qgz", "STRICT": "true"}
    status, told, err = world.run("replaytrace", given)
    assert status == 1 and re.search("Run 1, step 1", json.dumps(told) + err)


def test_the_exported_model_makes_the_same_layer(world: World, asked: dict[str, Any]) -> None:
    model, script = world.folder / "run.model3", world.folder / "run.py"
    status, told, err = world.run(
        "exportmodel", {"TRACE": world.folder / "run.jsonl", "OUTPUT": model, "SCRIPT": script}
    )
    assert status == 0 and told["results"]["STEPS"] == 1 and script.is_file(), err
    made = world.folder / "again.geojson"
    status, out, err = world.command(
        "--json",
        "run",
        str(model),
        f"--PROJECT_PATH={world.project}",
        "--schools=schools",
        f"--schools_buffer_300_m={made}",
    )
    assert status == 0, out + err
    assert len(json.loads(made.read_text(encoding="utf-8"))["features"]) == SCHOOLS


def test_an_evaluation(world: World) -> None:
    (world.folder / "set.jsonl").write_text(json.dumps(CASE) + "\n", encoding="utf-8")
    turns = {CASE["id"]: [{"text": "", "tool_calls": [COUNT]}, {"text": f"There are {SCHOOLS} schools."}]}
    (world.folder / "turns.json").write_text(json.dumps(turns), encoding="utf-8")
    given = {
        "SET": world.folder / "set.jsonl",
        "SCRIPT": world.folder / "turns.json",
        "OUTPUT": world.folder / "report",
    }
    status, told, err = world.run("runevaluation", given)
    assert status == 0 and told["results"]["PASSED"] is True and told["results"]["END_TO_END"] == 1, (told, err)
    assert (world.folder / "report" / "report.md").is_file() and (world.folder / "report" / "cases.csv").is_file()


def test_the_audit_report_tells_of_the_request(world: World, asked: dict[str, Any]) -> None:
    table, page = world.folder / "audit.csv", world.folder / "audit.html"
    given = {"TOOL": "buffer_layer", "OUTPUT": table, "OUTPUT_HTML_FILE": page}
    status, told, err = world.run("auditreport", given)
    assert status == 0, err
    with table.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert len(found) == told["results"]["LINES"] and {each["tool"] for each in found} == {"buffer_layer"}
    assert {"decision", "call"} <= {each["t"] for each in found} and "buffer_layer" in page.read_text(encoding="utf-8")


def test_the_model_of_the_settings_answers_and_an_interrupt_leaves_no_agent(world: World) -> None:
    status, told, err = world.run("ask", {"PROMPT": "Greet me.", "MODEL": 1})
    assert status == 0 and told["results"]["ANSWER"] == "Hello from the model.", err
    command = ["qgis_process", *world.arguments("ask", {"PROMPT": "Greet me.", "MODEL": 1})]
    process = subprocess.Popen(
        command, env=world.environment, cwd=world.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert _until(lambda: bool(agent_processes(world.profile)), 60)
        time.sleep(2)  # the model is silent
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.wait(20)
    finally:
        if process.poll() is None:
            process.kill()
    assert _until(lambda: agent_processes(world.profile) == [], 15)


def _until(done: Any, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
