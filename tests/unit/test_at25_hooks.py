"""T25: hooks are ordered, timed, and strict: what is broken denies, what is changed is checked again, and the run goes on."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.agent.governance.hooks import HookChain, HookEvent, HookOutcome
from qgis_agent.agent.llm.roles import RoleClients
from qgis_agent.agent.records.sessions import read_records
from qgis_agent.agent.run_service import RunService
from qgis_agent.bridge.envelope import success

ZOOM = ("zoom_to", {"bbox": [8.0, 47.0, 9.0, 48.0]})


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def event(**value: Any) -> HookEvent:
    return HookEvent("before_tool", "r1", "chat", value or {"a": 1}, "zoom_to", "view", "c1")


def chain(*hooks: Callable[[HookEvent], Any], timeout_s: float = 0.2) -> HookChain:
    made = HookChain()
    for at, hook in enumerate(hooks):
        made.add("before_tool", f"hook{at}", hook, timeout_s=timeout_s)
    return made


def ruled(made: HookChain) -> Any:
    return asyncio.run(made.rule(event()))


def says(outcome: str, reason: str = "", value: dict[str, Any] | None = None) -> Callable[[HookEvent], HookOutcome]:
    return lambda _event: HookOutcome(outcome, reason, value)  # type: ignore[arg-type]


def test_at25_the_strictest_outcome_counts_in_any_order() -> None:
    said = {
        each: says(each, value={"a": 2} if each == "modify" else None) for each in ("allow", "modify", "ask", "deny")
    }
    strict = ["deny", "ask", "modify", "allow"]
    for one in strict:
        for two in strict:
            expected = strict[min(strict.index(one), strict.index(two))]
            assert ruled(chain(said[one], said[two])).outcome == expected, (one, two)


def test_at25_hooks_run_in_order_and_see_what_was_changed_before_and_nothing_runs_after_a_deny() -> None:
    seen: list[tuple[str, Any]] = []

    def hook(name: str, said: HookOutcome | None) -> Callable[[HookEvent], HookOutcome | None]:
        def look(event: HookEvent) -> HookOutcome | None:
            seen.append((name, event.value["a"]))
            event.value["a"] = "spoilt"  # a copy: this changes nothing
            return said

        return look

    made = chain(
        hook("first", HookOutcome("modify", value={"a": 2})), hook("second", None),
        hook("third", HookOutcome("deny", "not today")), hook("never", None),
    )  # fmt: skip
    ruling = ruled(made)
    assert seen == [("first", 1), ("second", 2), ("third", 2)]
    assert (ruling.outcome, ruling.by, ruling.reason, ruling.broken) == ("deny", "hook2", "not today", False)
    assert [each["outcome"] for each in ruling.records] == ["modify", "deny"]


def raises(_event: HookEvent) -> None:
    raise RuntimeError("secret words")


def exits(_event: HookEvent) -> None:
    raise SystemExit(3)


def hangs(_event: HookEvent) -> None:
    time.sleep(1.5)


async def hangs_softly(_event: HookEvent) -> None:
    await asyncio.sleep(60)


async def agrees(_event: HookEvent) -> HookOutcome:
    await asyncio.sleep(0)
    return HookOutcome()


BROKEN: dict[str, tuple[Callable[[HookEvent], Any], str]] = {
    "raises": (raises, "failed (RuntimeError)"),
    "exits": (exits, "failed (RuntimeError)"),
    "hangs": (hangs, "did not answer within 0.2 s"),
    "hangs as a coroutine": (hangs_softly, "did not answer within 0.2 s"),
    "says yes": (lambda _event: True, "returned a bool"),
    "says a text": (lambda _event: "allow", "returned a str"),
    "an outcome that is none": (says("fine"), "outcome is none"),
    "a change into nothing": (says("modify"), "does not say into what"),
    "a change into a list": (lambda _event: HookOutcome("modify", value=[1]), "does not say into what"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", BROKEN)
def test_at25_a_broken_hook_blocks_the_call_the_reason_is_shown_and_the_run_goes_on(bench: Bench, name: str) -> None:
    hook, why = BROKEN[name]
    bridge = FakeBridge(zoom_to=success({"bbox": ZOOM[1]["bbox"]}))
    client = FakeClient(calls(ZOOM), answer("It was not possible."))
    report = bench.run("zoom there", client, bridge, options=RunOptions(hooks=chain(hook)))
    envelope = json.loads([each for each in client.requests[-1].messages if each["role"] == "tool"][-1]["content"])
    assert (envelope["ok"], envelope["code"], envelope["reason"]) == (False, "FORBIDDEN", "hook_failed")
    assert why in envelope["message"] and "secret words" not in envelope["message"]
    assert "zoom_to" not in bridge.names()
    assert report["termination"] == "completed"
    kept = [each for each in read_records(bench.path) if each["t"] == "hook"]
    assert [(each["point"], each["said"][0]["outcome"]) for each in kept] == [("before_tool", "deny")]


def test_at25_a_hook_that_hangs_is_not_called_again_and_piles_up_no_threads() -> None:
    made = chain(hangs)
    before = threading.active_count()
    first, second = asyncio.run(_twice(made))
    assert "did not answer" in first.reason and "not ended yet" in second.reason
    assert threading.active_count() <= before + 1


async def _twice(made: HookChain) -> tuple[Any, Any]:
    return await made.rule(event()), await made.rule(event())


def test_at25_while_a_hook_hangs_the_loop_does_other_things() -> None:
    async def both() -> int:
        ticks = 0
        ruling = asyncio.ensure_future(chain(hangs).rule(event()))
        while not ruling.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(both()) >= 5


def test_at25_changed_arguments_are_run_and_recorded(bench: Bench) -> None:
    moved = {"bbox": [1.0, 2.0, 3.0, 4.0]}
    bridge = FakeBridge(zoom_to=success(moved))
    bench.run(
        "zoom there",
        FakeClient(calls(ZOOM), answer("Done.")),
        bridge,
        options=RunOptions(hooks=chain(says("modify", value=moved))),
    )
    asked = [params for params in bridge.requests if params.get("name") == "zoom_to"]
    assert [each["arguments"] for each in asked] == [moved]


@pytest.mark.parametrize(
    ("value", "code", "reason"),
    [
        ({"bbox": [1.0, 2.0, 3.0, 4.0], "colour": "red"}, "INVALID_PARAM", "tool_arguments"),
        ({"bbox": [1.0, 2.0]}, "INVALID_PARAM", "tool_arguments"),
    ],
)
def test_at25_changed_arguments_are_validated_again(
    bench: Bench, value: dict[str, Any], code: str, reason: str | None
) -> None:
    bridge = FakeBridge(zoom_to=success({}))
    client = FakeClient(calls(ZOOM), answer("No."))
    bench.run("zoom there", client, bridge, options=RunOptions(hooks=chain(says("modify", value=value))))
    envelope = json.loads([each for each in client.requests[-1].messages if each["role"] == "tool"][-1]["content"])
    assert (envelope["ok"], envelope["code"]) == (False, code)
    assert reason is None or envelope["reason"] == reason
    assert "zoom_to" not in bridge.names()


def test_at25_changed_arguments_are_ruled_on_again(bench: Bench) -> None:
    """A hook moves a harmless path out of the plain local files: QGIS is told to ask about it."""
    wanted = {"path": "roads.gpkg"}
    bridge = FakeBridge(add_vector_layer=success({"layer_id": "roads"}))
    client = FakeClient(calls(("add_vector_layer", wanted)), answer("Done."))
    bench.session.shown_packs.add("data")
    hooks = chain(says("modify", value={"path": "../roads.gpkg"}))
    bench.run("add the layer roads.gpkg", client, bridge, options=RunOptions(hooks=hooks))
    asked = [params for params in bridge.requests if params.get("name") == "add_vector_layer"]
    assert [(each["arguments"]["path"], each["ask_reason"]) for each in asked] == [("../roads.gpkg", "risky_path")]


def test_at25_ask_goes_to_qgis_as_a_question(bench: Bench) -> None:
    bridge = FakeBridge(zoom_to=success({}))
    bench.run(
        "zoom there", FakeClient(calls(ZOOM), answer("Done.")), bridge, options=RunOptions(hooks=chain(says("ask")))
    )
    assert [params["ask_reason"] for params in bridge.requests if params.get("name") == "zoom_to"] == ["rule"]


def test_at25_a_result_can_be_changed_or_withheld_and_what_was_done_is_said(bench: Bench) -> None:
    for outcome, value in (("modify", success({"n": 1})), ("deny", None)):
        made = HookChain()
        made.add("after_tool", "watch", says(outcome, "private", value))
        client = FakeClient(calls(ZOOM), answer("Done."))
        bench.run("zoom there", client, FakeBridge(zoom_to=success({"n": 2})), options=RunOptions(hooks=made))
        envelope = json.loads([each for each in client.requests[-1].messages if each["role"] == "tool"][-1]["content"])
        if outcome == "modify":
            assert envelope["data"] == {"n": 1}
        else:
            assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "hook")
            assert envelope["message"] == "zoom_to was carried out, and its result is withheld: private"


def test_at25_hooks_that_cannot_be_are_refused_when_they_are_added() -> None:
    made = chain(says("allow"))
    for point, name, hook, seconds in (
        ("before_lunch", "x", says("allow"), 1.0),
        ("before_tool", "hook0", says("allow"), 1.0),
        ("before_tool", "x", "no function", 1.0),
        ("before_tool", "x", says("allow"), 0.0),
        ("before_tool", "x", says("allow"), 1e9),
    ):
        with pytest.raises(ValueError):
            made.add(point, name, hook, timeout_s=seconds)  # type: ignore[arg-type]


def service_run(tmp_path: Path, hook: Callable[[HookEvent], Any]) -> tuple[dict[str, Any], FakeClient]:
    """A run of "hello" with a hook before the prompt."""
    made, client = HookChain(), FakeClient(answer("Hello."))
    made.add("before_prompt", "office", hook, timeout_s=0.2)
    runs = RunService(FakeBridge(), lambda _event: None, REGISTRY, tmp_path, "en", hooks=made)
    runs._roles = RoleClients({"planner": client})
    params = {"run_id": "r1", "session_id": "s1", "capability": "cap", "text": "hello"}
    return dict(asyncio.run(runs.run(params))), client


def test_at25_a_hook_can_change_or_refuse_what_a_person_sends(tmp_path: Path) -> None:
    report, client = service_run(tmp_path / "a", says("modify", value={"text": "good morning"}))
    assert report["ok"] and client.requests[0].user_text == "good morning"
    for at, hook in enumerate((says("deny", "Not on Sundays."), raises, hangs, says("modify", value={"words": 1}))):
        report, client = service_run(tmp_path / str(at), hook)
        assert (report["termination"], report["error"]["code"], client.requests) == ("failed", "FORBIDDEN", [])
    assert service_run(tmp_path / "z", says("deny", "Not on Sundays."))[0]["error"]["message"] == "Not on Sundays."
