"""The way of a tool call: errors, decisions, Stop, timeouts, what runs twice, the budget."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr
from qgis.core import QgsVectorLayer

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis import calls as calls_module
from qgis_agent.gis import journal
from qgis_agent.gis.approvals import CallFacts
from qgis_agent.gis.contracts import Contracts
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.grants import layer_target
from qgis_agent.gis.host import run_until
from qgis_agent.gis.tools.registry import REGISTRY, Tool, load_all
from qgis_agent.gis.work import Answer, Work, running_tasks


def points(count: int = 3) -> Any:
    """A point layer with a text and a number."""
    rows = [(f"POINT({x} 0)", [f"p{x}", x]) for x in range(count)]
    return memory_layer("Point?crs=EPSG:4326&field=name:string(20)&field=n:integer", rows, "points")


def test_handlers_and_contracts_are_one() -> None:
    """Same tools, parameters and least effects on both sides."""
    contracts = Contracts()
    handlers = load_all()
    assert set(handlers) == set(contracts.names("qgis"))
    for name, tool in handlers.items():
        contract = contracts.get(name)
        assert set(tool.parameters()) == set(contract["parameters"]["properties"]), name
        assert tool.effect == contract["effect"], name


@pytest.mark.parametrize("token", [None, "", "forged", 7])
def test_a_call_without_a_capability_is_forbidden(bench: Bench, token: Any) -> None:
    """Whatever the agent process says, a run that QGIS did not start can do nothing."""
    outcomes: list[dict[str, Any]] = []
    bench.begin("count_features", {"layer_id": "x"}, outcomes, capability=token)
    assert outcomes[0]["envelope"]["code"] == "FORBIDDEN"
    assert outcomes[0]["envelope"]["reason"] == "capability"


def test_a_revoked_capability_is_forbidden(bench: Bench) -> None:
    """After its run a capability is worth nothing."""
    bench.add(points())
    assert bench.ok("count_features", layer_id="points")["count"] == 3
    bench.host.ledger.revoke(bench.capability)
    assert bench.code("count_features", layer_id="points") == "FORBIDDEN"


def test_another_project_ends_capabilities_and_handles(bench: Bench) -> None:
    """A run does not follow into the next project."""
    bench.add(points())
    bench.host.project.clear()
    bench.add(points())
    assert bench.code("count_features", layer_id="points") == "FORBIDDEN"


@pytest.mark.parametrize("name", sorted(Contracts().names("qgis")))
def test_every_tool_refuses_bad_arguments(bench: Bench, name: str) -> None:
    """An extra key, a missing key, no object: INVALID_PARAM with a hint, and nothing happens."""
    assert bench.code(name, bogus=1) == "INVALID_PARAM"
    if Contracts().get(name)["parameters"].get("required"):
        assert bench.code(name) == "INVALID_PARAM"
    outcomes: list[dict[str, Any]] = []
    bench.begin(name, ["no", "object"], outcomes)
    assert outcomes[0]["envelope"]["code"] == "INVALID_PARAM"


@pytest.mark.parametrize(
    "name",
    [
        each
        for each in sorted(Contracts().names("qgis"))
        if "layer_id" in Contracts().get(each)["parameters"].get("required", [])
    ],
)
def test_every_tool_names_the_nearest_layer(bench: Bench, name: str) -> None:
    """A layer that does not exist is NOT_FOUND, with the alias that was meant."""
    bench.add(points())
    values: dict[str, Any] = {
        "visible": True, "distance_m": 5.0, "path": "a.gpkg", "position": "top", "patch": {"opacity": 0.5}, "where": [],
        "bbox": [1.0, 1.0, 2.0, 2.0], "crs": "EPSG:4326", "to_layer_ids": ["points"],
        "interval": 5.0, "radius_m": 5.0, "table": [{"min": 0.0, "max": 5.0, "value": 1.0}],
    }  # fmt: skip
    schema = Contracts().get(name)["parameters"]
    enums = {key: rule["enum"][0] for key, rule in schema["properties"].items() if "enum" in rule}
    arguments = {key: values.get(key, enums.get(key, "pionts")) for key in schema["required"]}
    envelope = bench.call(name, **arguments)
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "layer")
    assert "'points'" in envelope["hint"]


def test_an_unknown_tool_names_the_nearest(bench: Bench) -> None:
    """NOT_FOUND with names."""
    envelope = bench.call("count_feature")
    assert envelope["code"] == "NOT_FOUND"
    assert "count_features" in envelope["hint"]


def slow(seconds: float, done: list[str]) -> Any:
    """A handler whose work does not look at its feedback."""

    def handler(call: Any, layer_id: str) -> Any:
        def work(_feedback: Any) -> str:
            time.sleep(seconds)
            done.append("work")
            return "late"

        yield Work("sleeping", work)
        done.append("after")
        return Answer({"layer_id": layer_id})

    return handler


def test_stop_answers_at_once_and_detaches(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """CANCELLED within half a second, though the work goes on; its result is dropped and nothing follows it."""
    done: list[str] = []
    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", slow(1.0, done)))
    outcomes: list[dict[str, Any]] = []
    running = bench.begin("describe_layer", {"layer_id": "x"}, outcomes)
    assert running is not None
    run_until(lambda: False, 0.1)
    started = time.monotonic()
    running.cancel()
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    assert time.monotonic() - started < 1.5
    assert run_until(lambda: running_tasks() == 0, 5)
    run_until(lambda: False, 0.05)
    assert done == ["work"]
    assert len(outcomes) == 1


def test_a_timeout_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """TIMEOUT with a hint; retryable."""
    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", slow(0.6, [])))
    monkeypatch.setitem(bench.calls.contracts.tools["describe_layer"], "timeout_s", 0.1)
    envelope = bench.call("describe_layer", layer_id="x")
    assert (envelope["code"], envelope["retryable"]) == ("TIMEOUT", True)
    assert run_until(lambda: running_tasks() == 0, 5)


@pytest.mark.parametrize("runs", ["main", "task"])
def test_a_broken_handler_is_an_envelope(bench: Bench, monkeypatch: pytest.MonkeyPatch, runs: str) -> None:
    """A fault of ours reaches the model as UPSTREAM_ERROR, never as a crash of QGIS."""

    def plain(call: Any, layer_id: str) -> Any:
        raise KeyError("oops")

    def stepping(call: Any, layer_id: str) -> Any:
        yield Work("breaking", lambda _feedback: {}["oops"])

    handler = plain if runs == "main" else stepping
    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", runs, handler))
    envelope = bench.call("describe_layer", layer_id="x")
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "internal")


def test_a_changing_call_is_not_done_twice(bench: Bench) -> None:
    """A restarted agent that sends the same call id again gets the recorded outcome."""
    layer = bench.add(points())
    first: list[dict[str, Any]] = []
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, first, call_id="same")
    bench.host.project.layerTreeRoot().findLayer(layer.id()).setItemVisibilityChecked(True)
    second: list[dict[str, Any]] = []
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, second, call_id="same")
    assert second == first
    assert bench.host.layers.is_visible(layer)


def test_a_used_id_gives_nothing_to_another_call(bench: Bench) -> None:
    """Not the outcome, and nothing is done: another tool, other arguments, a capability that is none."""
    layer = bench.add(points())
    hide = {"layer_id": "points", "visible": False}
    first: list[dict[str, Any]] = []
    bench.begin("toggle_layer", hide, first, call_id="same")
    for name, arguments, more, reason in (
        ("toggle_layer", {"layer_id": "points", "visible": True}, {}, "call_id_used"),
        ("zoom_to", {"layer_id": "points"}, {}, "call_id_used"),
        ("toggle_layer", hide, {"capability": "forged"}, "capability"),
        ("toggle_layer", {"layer_id": "points"}, {}, None),
        ("no_such_tool", hide, {}, None),
    ):
        outcomes: list[dict[str, Any]] = []
        bench.begin(name, arguments, outcomes, call_id="same", **more)
        assert not outcomes[0]["envelope"]["ok"], name
        assert reason is None or outcomes[0]["envelope"]["reason"] == reason
        assert not bench.host.layers.is_visible(layer)
    again: list[dict[str, Any]] = []
    bench.begin("toggle_layer", dict(reversed(hide.items())), again, call_id="same", run_id="what the caller says")
    assert again == first, "a refused call did not take the first one's place"


def test_a_read_with_a_used_id_is_done(bench: Bench) -> None:
    """A sub-agent numbers its own calls; a read does nothing twice."""
    bench.add(points())
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, [], call_id="same")
    outcomes: list[dict[str, Any]] = []
    bench.begin("count_features", {"layer_id": "points"}, outcomes, call_id="same")
    assert run_until(lambda: bool(outcomes), 20)
    assert outcomes[0]["envelope"]["data"]["count"] == 3


def test_a_changing_call_that_is_under_way_is_not_begun_again(bench: Bench) -> None:
    """While the person is asked: the second is refused, the first goes on."""
    bench.add(points())
    bench.issue(level="read_only")
    bench.approver.answer = None
    hide = {"layer_id": "points", "visible": False}
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    running = bench.begin("toggle_layer", hide, first, call_id="same")
    assert running is not None
    bench.begin("toggle_layer", hide, second, call_id="same")
    assert (second[0]["envelope"]["code"], second[0]["envelope"]["reason"]) == ("INVALID_PARAM", "call_id_used")
    assert (len(bench.approver.cards), first) == (1, [])
    asked = {"capability": bench.capability.token, "run_id": "run", "call_id": "same"}
    assert bench.calls.outcome_of(asked) == {"known": False}
    running.cancel()
    assert bench.calls.outcome_of(asked) == {"known": True, "outcome": first[0]}


def test_the_journal_keeps_the_newest_calls(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "MAX_CALLS", 2)
    bench.add(points())
    for ident in ("a", "b", "c"):
        bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, [], call_id=ident)
    asked = {"capability": bench.capability.token, "run_id": "run"}
    assert [bench.calls.outcome_of({**asked, "call_id": each})["known"] for each in "abc"] == [False, True, True]


LEVELS = [
    ("read_only", "count_features", "allow"),
    ("read_only", "toggle_layer", "ask"),
    ("read_only", "buffer_layer", "ask"),
    ("read_only", "prepare_export_layer", "deny"),
    ("safe_write", "toggle_layer", "allow"),
    ("safe_write", "buffer_layer", "allow"),
    ("safe_write", "prepare_export_layer", "click"),
    ("full_access", "prepare_export_layer", "click"),
]


@pytest.mark.parametrize(("level", "tool", "outcome"), LEVELS)
def test_levels(bench: Bench, level: str, tool: str, outcome: str) -> None:
    """The table of design section 8."""
    capability = bench.issue(level=level)
    effect = load_all()[tool].effect
    pack = bench.calls.contracts.get(tool)["pack"]
    assert bench.host.ledger.decide(capability, CallFacts(tool, effect, pack)).outcome == outcome


def test_plan_mode_only_reads(bench: Bench) -> None:
    """In the decision, not in the prompt."""
    layer = bench.add(points())
    bench.issue(level="full_access", plan_mode=True)
    assert bench.ok("count_features", layer_id="points")["count"] == 3
    assert bench.code("toggle_layer", layer_id="points", visible=False) == "FORBIDDEN"
    assert bench.host.layers.is_visible(layer)


def test_a_call_recovered_from_text_is_asked(bench: Bench) -> None:
    """origin "text": allowed effects beyond read ask."""
    layer = bench.add(points())
    bench.approver.answer = "deny"
    outcomes: list[dict[str, Any]] = []
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, outcomes, origin="text")
    assert outcomes[0]["envelope"]["code"] == "PERMISSION_DENIED"
    assert bench.host.layers.is_visible(layer)


@pytest.mark.parametrize("reason", ["tainted", "recovered_from_text", "risky_path", "rule"])
def test_the_agents_own_policy_can_ask_for_more(bench: Bench, reason: str) -> None:
    """A reason of the agent turns an allowed change into a question that no grant answers; it never allows a thing."""
    layer = bench.add(points())
    assert bench.host.ledger.grant(bench.capability, CallFacts("toggle_layer", "view", target=layer_target(layer)))
    bench.approver.answer = "deny"
    outcomes: list[dict[str, Any]] = []
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, outcomes, ask_reason=reason)
    assert outcomes[0]["envelope"]["code"] == "PERMISSION_DENIED"
    assert bench.host.layers.is_visible(layer)
    bench.begin("count_features", {"layer_id": "points"}, outcomes, ask_reason=reason)
    assert run_until(lambda: len(outcomes) == 2, 20)
    assert outcomes[1]["envelope"].get("code") == ("PERMISSION_DENIED" if reason == "rule" else None)
    assert len(bench.approver.cards) == (2 if reason == "rule" else 1)
    bench.issue(level="full_access", plan_mode=True)
    bench.approver.answer = "once"
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, outcomes, ask_reason=reason)
    assert outcomes[2]["envelope"]["code"] == "FORBIDDEN"


def test_a_read_that_a_rule_asks_about_is_done_after_a_yes(bench: Bench) -> None:
    """Also in plan mode, where nothing but reading is allowed; the card says that it only reads."""
    bench.add(points())
    bench.issue(plan_mode=True)
    bench.approver.answer = "once"
    outcomes: list[dict[str, Any]] = []
    bench.begin("count_features", {"layer_id": "points"}, outcomes, ask_reason="rule")
    assert run_until(lambda: bool(outcomes), 20)
    assert outcomes[0]["envelope"]["data"]["count"] == 3
    assert outcomes[0]["decision"] == {"effect": "read", "decision": "ask", "by": "person:once"}
    card = bench.approver.cards[0]
    assert ["Effect", "reads data"] in card["lines"] and card["reversible"]


def test_the_arguments_on_a_card_cannot_be_reordered(bench: Bench) -> None:
    """Characters that are not seen or that move others are written as escapes; what is shown is still the same JSON."""
    bench.add(points())
    bench.issue(level="read_only")
    bench.approver.answer = "deny"
    tricky = "a\u202ekpg.b\u2066\u200b\u00ad\ufeff\u2028\u0085\x00\x7f\U000e0041\u00a0\u3164 值\n\tz"
    where = [{"field": "name", "op": "eq", "value": tricky}]
    bench.call("zoom_to", layer_id="points", where=where)
    shown = bench.approver.cards[0]["arguments"]
    assert json.loads(shown) == {"layer_id": "points", "where": where}
    assert re.findall(r"[^ -~\n]", shown) == ["值"]
    assert "a\\u202ekpg.b\\u2066" in shown


def test_an_unknown_reason_changes_nothing(bench: Bench) -> None:
    bench.add(points())
    outcomes: list[dict[str, Any]] = []
    bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, outcomes, ask_reason="level")
    assert outcomes[0]["envelope"]["ok"]


@pytest.mark.parametrize(("answer", "code"), [("once", None), ("session", None), ("deny", "PERMISSION_DENIED")])
def test_an_ask_is_obeyed(bench: Bench, answer: str, code: str | None) -> None:
    """Yes does it, no does not; the card has the full arguments."""
    layer = bench.add(points())
    bench.issue(level="read_only")
    bench.approver.answer = answer
    envelope = bench.call("toggle_layer", layer_id="points", visible=False)
    assert envelope.get("code") == code
    assert bench.host.layers.is_visible(layer) == (code is not None)
    assert '"visible": false' in bench.approver.cards[0]["arguments"]


def test_a_session_grant_answers_the_next_ask_for_the_same_layer_only(bench: Bench) -> None:
    """ "This session" is for one tool on one layer."""
    bench.add(points())
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "other"))
    bench.issue(level="read_only")
    bench.approver.answer = "session"
    bench.ok("toggle_layer", layer_id="points", visible=False)
    bench.ok("toggle_layer", layer_id="points", visible=True)
    assert len(bench.approver.cards) == 1
    bench.ok("toggle_layer", layer_id="other", visible=False)
    assert len(bench.approver.cards) == 2


def test_no_answer_is_a_no_and_stop_withdraws_the_question(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time has passed: PERMISSION_DENIED, no_answer. After Stop: CANCELLED. The prompt goes away."""
    layer = bench.add(points())
    bench.issue(level="read_only")
    bench.approver.answer = None
    monkeypatch.setattr(calls_module, "NO_ANSWER_S", 0.1)
    envelope = bench.call("toggle_layer", layer_id="points", visible=False)
    assert (envelope["code"], envelope["reason"]) == ("PERMISSION_DENIED", "no_answer")
    monkeypatch.setattr(calls_module, "NO_ANSWER_S", 60)
    outcomes: list[dict[str, Any]] = []
    running = bench.begin("toggle_layer", {"layer_id": "points", "visible": False}, outcomes)
    assert running is not None
    running.cancel()
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    assert bench.approver.withdrawn == 2
    assert bench.host.layers.is_visible(layer)


def test_the_write_pack_is_only_a_persons_to_enable(bench: Bench) -> None:
    """Without it prepare_export_layer is FORBIDDEN, with what to do."""
    bench.add(points())
    bench.issue(write=False)
    envelope = bench.call("prepare_export_layer", layer_id="points", path="a.gpkg")
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "pack_not_enabled")


def test_a_changed_state_is_said_without_naming_a_layer(bench: Bench) -> None:
    """What was previewed may be notes or a file as well as a layer."""
    ledger, card = bench.host.ledger, {"kind": "write"}
    token = ledger.prepare(
        bench.capability, "prepare_note", {}, state="a", card=card, reversible=True, commit=lambda: None
    )
    ledger.arm(token)
    with pytest.raises(ToolError) as caught:
        ledger.redeem(token, bench.capability, lambda _pending: "b")
    assert caught.value.envelope["reason"] == "state_changed"
    assert caught.value.envelope["message"] == "What was shown has changed since."
    assert ledger.redeem(token, bench.capability, lambda _pending: "a").used


def test_commit_action_is_not_offered_in_chat(bench: Bench) -> None:
    """In chat the host commits (X-15)."""
    bench.issue(caller="chat")
    assert bench.code("commit_action", confirm_token="12345678") == "FORBIDDEN"


ROWS = 100_000
FIELDS = [f"field_with_a_long_name_{number}" for number in range(60)]


def wide_layer(folder: Path) -> QgsVectorLayer:
    """A GeoPackage of 100,000 features with 60 text fields; the values are "row-field"."""
    path = folder / "wide.gpkg"
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer("wide", None, ogr.wkbNone)
    for name in FIELDS:
        layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
    del layer, source
    columns = ", ".join(FIELDS)
    values = ", ".join(f"n || '-{number}值'" for number in range(len(FIELDS)))
    numbers = f"with recursive t(n) as (select 1 union all select n + 1 from t where n < {ROWS})"  # noqa: S608  a constant
    with sqlite3.connect(path) as database:
        database.execute(f"insert into wide ({columns}) {numbers} select {values} from t")  # noqa: S608  names of our own
    return QgsVectorLayer(f"{path}|layername=wide", "wide", "ogr")


def test_no_result_is_over_the_budget(bench: Bench, tmp_path: Path) -> None:
    """100,000 features with 60 fields: 4,096 bytes at most, the total is true, and the pages give every row once."""
    bench.add(wide_layer(tmp_path))
    envelope = bench.call("query_features", layer_id="wide", limit=100_000)
    assert size_bytes(envelope) <= 4096
    assert "200" in envelope["message"]
    assert envelope["data"]["total"] == ROWS
    for other in (
        bench.call("describe_layer", layer_id="wide"),
        bench.call("count_features", layer_id="wide", group_by=FIELDS[0]),
        bench.call("query_features", layer_id="wide", fields=[FIELDS[1]], limit=200),
        bench.call("get_style", layer_id="wide"),
    ):
        assert other["ok"], other
        assert size_bytes(other) <= 4096
    ref = bench.ok("query_features", layer_id="wide", fields=[FIELDS[1]], limit=200)["result_ref"]
    seen: list[str] = []
    cursor: int | None = 0
    while cursor is not None:
        page = bench.call("fetch_result", result_ref=ref, cursor=cursor, page_size=1000)
        assert size_bytes(page) <= 4096
        seen += [row[FIELDS[1]] for row in page["data"]["rows"]]
        cursor = page["data"]["next"]
    assert len(seen) == len(set(seen)) == 200


def test_a_handle_belongs_to_its_session(bench: Bench) -> None:
    """Another caller or session gets NOT_FOUND, with the hint to ask again."""
    bench.add(points(200))
    ref = bench.ok("query_features", layer_id="points", limit=200)["result_ref"]
    bench.issue(caller="mcp")
    assert bench.code("fetch_result", result_ref=ref) == "NOT_FOUND"
    assert bench.code("fetch_result", result_ref="query_features:nothing") == "NOT_FOUND"


def test_a_call_ends_when_its_layer_is_removed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """CANCELLED with the layer's name; a call on another layer goes on; nothing is left running."""
    done: list[str] = []
    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", slow(0.5, done)))
    gone = bench.add(points())
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 1)", [])], "other"))
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    bench.begin("describe_layer", {"layer_id": "points"}, first)
    bench.begin("describe_layer", {"layer_id": "other"}, second)
    bench.host.project.removeMapLayer(gone.id())
    assert first and first[0]["envelope"]["reason"] == "layer_removed"
    assert first[0]["envelope"]["code"] == "CANCELLED" and "points" in first[0]["envelope"]["message"]
    assert run_until(lambda: bool(second), 10)
    assert second[0]["envelope"]["ok"]
