"""The form of traces: canonical spelling, what is compared, and traces as a view of a session's record."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.records.sessions import read_records
from qgis_agent.agent.records.trace_export import traces_of
from qgis_agent.agent.trace_service import TraceService
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.trace import (
    TraceError,
    canonical_json,
    digest_of,
    first_difference,
    read_traces,
    result_of,
    stable_result,
    to_line,
)

DIGEST_OF_AN_ANSWER = hashlib.sha256(b'{"code":"","data":{"count":25},"ok":true,"reason":""}').hexdigest()


def test_one_value_has_one_spelling() -> None:
    assert canonical_json({"b": [1.0, -0.0, 0.1 + 0.2], "a": "街"}) == '{"a":"街","b":[1,0,0.3]}'
    assert canonical_json({"b": 1, "a": {"y": None, "x": True}}) == canonical_json(
        {"a": {"x": True, "y": None}, "b": 1}
    )
    assert canonical_json([float("nan"), 1e300]) == '["nan",1e+300]'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"count": 25, "ms": 3}, {"count": 25, "ms": 900}),
        ({"result_ref": "query:1"}, {"result_ref": "query:2"}),
        ({"path": "/home/a/x.gpkg"}, {"path": "/tmp/b/x.gpkg"}),
        ({"warnings": ["3 features are invalid"]}, {"warnings": ["3 个要素无效"]}),
        ({"ids": [3, 1, 2]}, {"ids": [1, 2, 3]}),
        ({"area": 1.00000000001}, {"area": 1.00000000002}),
        (
            {"name": "layer_7b0c8b7e-9c86-4d0b-8f7e-7a3d2c1b0a99"},
            {"name": "layer_00000000-9c86-4d0b-8f7e-7a3d2c1b0a99"},
        ),
    ],
)
def test_time_language_and_machine_do_not_count(one: Any, other: Any) -> None:
    assert digest_of(stable_result(success(one, "Done."))) == digest_of(stable_result(success(other, "Fertig.")))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"count": 25}, {"count": 26}),
        ({"warnings": []}, {"warnings": ["x"]}),
        ({"rows": [1, 2]}, {"rows": [2, 1]}),
        ({"area": 1.0001}, {"area": 1.0002}),
        ({"layer_id": "a"}, {"layer_id": "b"}),
    ],
)
def test_what_the_data_say_counts(one: Any, other: Any) -> None:
    assert digest_of(stable_result(success(one))) != digest_of(stable_result(success(other)))


def test_names_of_now_are_compared_as_those_of_then() -> None:
    then, now = success({"layer_id": "a", "x": ["a"]}), success({"layer_id": "a-2", "x": ["a-2"]})
    assert digest_of(stable_result(now)) != digest_of(stable_result(then))
    assert digest_of(stable_result(now, {"a-2": "a"})) == digest_of(stable_result(then))


def test_the_digest_is_sha256_of_the_canonical_result() -> None:
    assert result_of(success({"count": 25}, "25"))["digest"] == DIGEST_OF_AN_ANSWER
    failed = result_of(failure("NOT_FOUND", "no", hint="a, b", reason="layer"))
    assert (failed["ok"], failed["code"], failed["reason"]) == (False, "NOT_FOUND", "layer")


def test_the_first_difference_is_named_by_a_json_pointer() -> None:
    one = {"styles": {"a/b": {"opacity": 1}}, "visible": ["x", "y"]}
    assert first_difference(one, json.loads(json.dumps(one))) is None
    other = {"styles": {"a/b": {"opacity": 0.5}}, "visible": ["y"]}
    assert first_difference(one, other) == {"path": "/styles/a~1b/opacity", "expected": 1, "found": 0.5}
    assert first_difference([1], [1, 2], "/ids") == {"path": "/ids/1", "expected": "(nothing)", "found": 2}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "there is no trace"),
        ("{", "line 1: is no JSON"),
        ("[]", "line 1: is no trace"),
        ('{"schema": "qgis-agent/trace/2"}', "qgis-agent/trace/2 found"),
        ('{"schema": "qgis-agent/trace/1"}', "trace_id: must be a text"),
        (
            '{"schema": "qgis-agent/trace/1", "trace_id": "", "user_text": "", "final": {}, "aliases": {}, "steps": [{}]}',
            "steps[1].tool",
        ),
    ],
)
def test_what_is_no_trace_is_said_with_its_line(line: str, said: str) -> None:
    with pytest.raises(TraceError) as caught:
        read_traces(line.splitlines())
    assert said in str(caught.value)


WHOLE = {
    "schema": "qgis-agent/trace/1",
    "trace_id": "tr_1",
    "user_text": "",
    "run": 1,
    "aliases": {"a": {"name": "a"}},
    "state_in": {"visible": ["a"], "filters": {}, "selection": {}, "layers": {"a": {}}, "view": None},
    "steps": [{"step": 1, "tool": "x", "args": {}, "result": {"ok": True, "code": ""}, "actions": [], "decision": {}}],
    "final": {"map_state": None},
}


@pytest.mark.parametrize(
    ("path", "wrong", "said"),
    [
        ("run", "two", "run: must be a whole number"),
        ("run", True, "run: must be a whole number"),
        ("session_id", 7, "session_id: must be a text"),
        ("redacted", "names", "redacted: must be a list"),
        ("aliases/a", "a", "aliases.a: must be an object"),
        ("state_in", [], "state_in: must be an object"),
        ("state_in/visible", "a", "state_in.visible: must be a list"),
        ("state_in/filters", ["a"], "state_in.filters: must be an object"),
        ("state_in/layers/a", "a", "state_in.layers.a: must be an object"),
        ("final/map_state", "a map", "final.map_state: must be an object"),
        ("final/map_state", {"selection": 3}, "final.map_state.selection: must be an object"),
        ("steps/0", "zoom_to", "steps[1].tool: must be a text"),
        ("steps/0/step", "one", "steps[1].step: must be a whole number"),
        ("steps/0/actions", {}, "steps[1].actions: must be a list"),
        ("steps/0/actions", ["zoom"], "steps[1].actions[1]: must be an object"),
        ("steps/0/decision", "allow", "steps[1].decision: must be an object"),
        ("steps/0/result/code", ["NOT_FOUND"], "steps[1].result.code: must be a text"),
    ],
)
def test_a_part_of_another_kind_is_named(path: str, wrong: Any, said: str) -> None:
    whole = json.loads(json.dumps(WHOLE))
    read_traces([json.dumps(whole)])
    *above, last = path.split("/")
    part: Any = whole
    for each in above:
        part = part[int(each)] if isinstance(part, list) else part[each]
    part[int(last) if isinstance(part, list) else last] = wrong
    with pytest.raises(TraceError) as caught:
        read_traces([json.dumps(whole)])
    assert said in str(caught.value)


def test_a_trace_is_a_view_of_the_record(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    client = FakeClient(
        calls(("count_features", {"layer_id": "schools"})),
        calls(("describe_layer", {"layer_id": "nothing"})),
        answer("25 schools."),
    )
    bridge = FakeBridge(
        count_features={
            "envelope": success({"count": 25}),
            "actions": [{"op": "toast", "args": {}, "ok": True, "error": None}],
            "decision": {"decision": "allow", "by": "level:safe_write", "effect": "read"},
            "ms": 4,
        },
        describe_layer=failure("NOT_FOUND", "no", hint="schools", reason="layer"),
    )
    bench.run("how many schools?", client, bridge)
    bench.run("and again?", FakeClient(answer("25.")), FakeBridge())
    before = bench.path.read_bytes()
    first, second = traces_of(read_records(bench.path), "s-1", "/p/x.qgz")
    assert bench.path.read_bytes() == before
    assert (first["user_text"], first["run"], second["user_text"], second["run"]) == (
        "how many schools?",
        1,
        "and again?",
        2,
    )
    count, describe = first["steps"]
    assert (count["step"], count["tool"], count["args"]) == (1, "count_features", {"layer_id": "schools"})
    assert count["result"] == {
        "ok": True,
        "code": "",
        "reason": "",
        "digest": DIGEST_OF_AN_ANSWER,
        "data": {"count": 25},
    }
    assert count["actions"][0]["op"] == "toast" and count["decision"]["by"] == "level:safe_write"
    assert (describe["result"]["ok"], describe["result"]["code"]) == (False, "NOT_FOUND")
    assert first["final"]["ok"] is True and first["final"]["termination"] == "completed"
    assert first["final"]["answer"] == "25 schools."
    assert [each["text"] for each in first["final"]["numbers"]] == ["25"]
    assert first["final"]["map_actions"][0]["op"] == "toast"
    assert first["trace_id"].startswith("tr_") and first["recorded_at"][10] == "T"
    assert read_traces([to_line(first), to_line(second)])[0]["trace_id"] == first["trace_id"]


def test_a_run_that_never_ended_is_interrupted(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run("how many?", FakeClient(calls(("count_features", {"layer_id": "schools"})), answer("25.")), FakeBridge())
    records = [each for each in read_records(bench.path) if each["t"] not in ("run_end", "result")]
    (trace,) = traces_of(records)
    assert trace["final"]["termination"] == "interrupted" and trace["final"]["ok"] is False
    assert trace["steps"] == []


def test_a_damaged_line_costs_that_line_only_and_is_counted(tmp_path: Path) -> None:
    """The run before it and those after it are exported; a last line without an end is its writer's, not damaged."""
    bench = Bench(tmp_path)
    texts = ["one", "two", "three"]
    for text in texts:
        bench.run(text, FakeClient(answer("Yes.")), FakeBridge())
    service, target = TraceService(bench.store), tmp_path / "out.jsonl"
    wanted: dict[str, Any] = {"session_id": "s-1", "path": str(target), "trace_ids": [], "redact": []}
    assert service.export(wanted) == {"count": 3, "unreadable": 0}
    lines = bench.path.read_bytes().splitlines(keepends=True)
    users = [at for at, line in enumerate(lines) if line.startswith(b'{"t":"user"')]
    lines[users[1]] = lines[users[1]][:25] + b"\xff\n"
    bench.path.write_bytes(b"".join(lines) + b'{"t":"run_st')
    assert service.export(wanted) == {"count": 3, "unreadable": 1}
    found = read_traces(target.read_text(encoding="utf-8").splitlines())
    assert [each["user_text"] for each in found] == ["one", "", "three"]
