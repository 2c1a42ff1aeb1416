"""AT15: recorded runs replay with byte-identical requests, in two processes with other hash seeds, without a network."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import recordings
from agent_fakes import FakeClient, answer, calls

from qgis_agent.agent.llm.recording import (
    RecordingClient,
    ReplayClient,
    ReplayMiss,
    canonical_bytes,
    canonical_request,
    first_difference,
    request_hash,
)
from qgis_agent.agent.llm.types import LLMResponse, ModelError, ProviderRequest, ToolCall, Usage

SEEDS = ("0", "4242")


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    """All scenarios, recorded once: (what replays them, what they came to)."""
    return {name: recordings.record(name) for name in recordings.SCENARIOS}


@pytest.fixture(scope="module")
def replayed(recorded: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The same, replayed by two processes."""
    file = tmp_path_factory.mktemp("at15") / "recordings.json"
    file.write_text(json.dumps({name: tape for name, (tape, _) in recorded.items()}), encoding="utf-8")
    script = Path(recordings.__file__)
    children = [
        subprocess.Popen(
            [sys.executable, str(script), str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in SEEDS
    ]
    outcomes = []
    for child in children:
        out, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
        outcomes.append(json.loads(out))
    return outcomes


def test_at15_the_children_are_what_they_should_be(replayed: list[dict[str, Any]]) -> None:
    assert all(each["blocked"] for each in replayed)
    assert replayed[0]["hash"] != replayed[1]["hash"]  # the seeds bite


def test_at15_enough_runs_of_many_kinds(recorded: dict[str, Any]) -> None:
    runs = [run for _, outcome in recorded.values() for run in outcome]
    assert len(runs) >= 20
    assert sum(len(run["requests"]) for run in runs) >= 60
    assert {run["termination"] for run in runs} >= {
        "completed",
        "failed",
        "forced_final",
        "awaiting_user",
        "interrupted",
        "budget_exceeded",
    }
    records = [each for tape, _ in recorded.values() for run in tape for each in run["model"] + run["offline"]]
    assert {each["kind"] for each in records} == {"model", "offline"}
    assert sum("error" in each for each in records) >= 3
    assert sum("stopped" in each for each in records) == 1


def test_at15_requests_are_byte_identical(recorded: dict[str, Any], replayed: list[dict[str, Any]]) -> None:
    for name, (tape, outcome) in recorded.items():
        for child in replayed:
            for at, run in enumerate(child["outcome"][name]):
                written = [
                    canonical_bytes(each["request"]).decode() for each in tape[at]["model"] + tape[at]["offline"]
                ]
                assert run.pop("canonical") == written, name
                assert run == outcome[at], name  # whole requests with ids, answers, calls, texts, endings


def test_at15_a_change_of_the_map_is_a_miss(recorded: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings.Bench, "__post_init__", _other_city(recordings.Bench.__post_init__))
    with pytest.raises(ReplayMiss, match=r"Request 1 .*messages\[\d+\]\.content: recorded .*city.*, now .*town"):
        recordings.replay("one tool", recorded["one tool"][0])


def _other_city(original: Any) -> Any:
    def changed(bench: Any) -> None:
        original(bench)
        bench.snapshot = {**bench.snapshot, "project": "town"}

    return changed


# the two clients by themselves


def request(text: str = "hello", **options: Any) -> ProviderRequest:
    messages = options.pop("messages", None) or [{"role": "user", "content": text}]
    return ProviderRequest(messages, options.pop("tools", []), **options)


def complete(client: Any, asked: ProviderRequest) -> tuple[LLMResponse, list[str]]:
    pieces: list[str] = []
    return asyncio.run(client.complete(asked, pieces.append)), pieces


class Ticks:
    """A clock of quarter seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        self.now += 0.25
        return self.now


FULL = LLMResponse(
    "两个字",
    (ToolCall("x", "zoom_to", '{"a":1}', "text"), ToolCall("y", "zoom_to", "")),
    "tool_calls",
    Usage(10, 5, 3, "provider", 2),
    "thinking",
    {"thinking_blocks": [{"type": "thinking", "signature": "s"}]},
    True,
)


def test_at15_a_record_holds_everything() -> None:
    records: list[dict[str, Any]] = []
    client = RecordingClient(FakeClient(FULL, kind="model"), records.append, Ticks())
    assert complete(client, request(role="router", temperature=0.2)) == (FULL, ["两个字"])
    record = json.loads(json.dumps(records[0]))
    assert record["pieces"] == [[250.0, "两个字"]]
    assert (record["number"], record["kind"], record["label"], record["ms"]) == (1, "model", "fake", 500.0)
    assert record["request"] == {
        "model": "fake",
        "role": "router",
        "messages": [{"role": "user", "content": "hello"}],
        "tools": [],
        "sampling": {"temperature": 0.2, "max_output_tokens": 4096},
    }
    again = ReplayClient([record])
    assert (again.kind, again.label, again.remaining) == ("model", "fake", 1)
    assert complete(again, request(role="router", temperature=0.2)) == (FULL, ["两个字"])
    again.assert_complete()


def test_at15_errors_and_stops_are_records_too() -> None:
    error = ModelError("rate_limit", "Wait.", hint="h", retryable=True, retry_after_s=2.5)
    records: list[dict[str, Any]] = []
    client = RecordingClient(FakeClient(error, recordings.stall), records.append)
    with pytest.raises(ModelError):
        complete(client, request())

    async def stopped(which: Any) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(which.complete(request(), [].append), 0.02)

    asyncio.run(stopped(client))
    again = ReplayClient(records)
    with pytest.raises(ModelError) as caught:
        complete(again, request())
    assert vars(caught.value) == vars(error)
    asyncio.run(stopped(again))
    again.assert_complete()


def test_at15_a_fault_of_a_client_is_no_record() -> None:
    records: list[dict[str, Any]] = []
    client = RecordingClient(FakeClient(lambda _request: 1 / 0), records.append)
    with pytest.raises(ZeroDivisionError):
        complete(client, request())
    assert records == []


def test_at15_times_are_played_back_only_when_asked() -> None:
    records: list[dict[str, Any]] = []
    complete(RecordingClient(FakeClient(answer("x")), records.append, Ticks()), request())
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    complete(ReplayClient(records, sleep), request())
    assert slept == [0.25, 0.25]


def test_at15_the_record_is_of_the_moment() -> None:
    history = [{"role": "user", "content": "hello"}]
    records: list[dict[str, Any]] = []
    complete(RecordingClient(FakeClient(answer("x")), records.append), request(messages=history))
    history.append({"role": "assistant", "content": "x"})
    assert len(records[0]["request"]["messages"]) == 1


def test_at15_only_ids_of_calls_are_left_out_of_the_hash() -> None:
    def conversation(ident: str, **changed: Any) -> ProviderRequest:
        call = {"id": ident, "type": "function", "function": {"name": "zoom_to", "arguments": "{}", **changed}}
        messages: list[Any] = [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": ident, "content": "ok"},
        ]
        return request(messages=messages)

    def digest(asked: ProviderRequest, model: str = "m") -> str:
        return request_hash(canonical_request(asked, model))

    base = conversation("a")
    assert digest(base) == digest(conversation("b"))
    tool = {"type": "function", "function": {"name": "x"}}
    others = [
        digest(base, "n"),
        digest(conversation("a", arguments='{"a":1}')),
        digest(request(messages=base.messages, tools=[tool])),
        digest(request(messages=base.messages, temperature=0.0)),
        digest(request(messages=base.messages, max_output_tokens=5)),
        digest(request(messages=base.messages, role="vision")),
        digest(request(messages=list(reversed(base.messages)))),
    ]
    assert len({digest(base), *others}) == 8
    assert base.messages[0]["tool_calls"][0]["id"] == "a"  # the request itself is not touched


def test_at15_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_bytes({"x": float("nan")})


def test_at15_a_miss_says_where() -> None:
    records: list[dict[str, Any]] = []
    tools = [{"type": "function", "function": {"name": "zoom_to", "description": "Zooms."}}]
    complete(RecordingClient(FakeClient(answer("x")), records.append), request(tools=tools))
    other = [{"type": "function", "function": {"name": "zoom_to", "description": "Zooms in."}}]
    client = ReplayClient(records)
    with pytest.raises(ReplayMiss) as caught:
        complete(client, request(tools=other))
    assert str(caught.value) == (
        'Request 1 is not the recorded one. tools[0].function.description: recorded "Zooms.", now "Zooms in."'
    )
    with pytest.raises(ReplayMiss):  # and stays a miss, whatever comes
        complete(client, request(tools=tools))
    with pytest.raises(ReplayMiss, match="Request 1"):
        client.assert_complete()


def test_at15_strictly_in_order_and_to_the_end() -> None:
    records: list[dict[str, Any]] = []
    recorder = RecordingClient(FakeClient(calls(("zoom_to", {})), answer("x")), records.append)
    complete(recorder, request("one"))
    complete(recorder, request("two"))
    with pytest.raises(ReplayMiss, match='messages\\[0\\]\\.content: recorded "one", now "two"'):
        complete(ReplayClient(records), request("two"))
    short = ReplayClient(records)
    complete(short, request("one"))
    with pytest.raises(ReplayMiss, match="1 of 2 recorded requests were not made; the next is request 2"):
        short.assert_complete()
    complete(short, request("two"))
    short.assert_complete()
    with pytest.raises(ReplayMiss, match="Request 3 was made, but only 2 were recorded"):
        complete(short, request("three"))


def test_at15_a_record_that_was_touched_is_a_miss() -> None:
    records: list[dict[str, Any]] = []
    complete(RecordingClient(FakeClient(answer("x")), records.append), request())
    records[0]["hash"] = "0"
    with pytest.raises(ReplayMiss, match="does not fit its hash"):
        complete(ReplayClient(records), request())


@pytest.mark.parametrize(
    ("recorded", "present", "said"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, ""),
        ({"a": [1, 2]}, {"a": [1, 3]}, "a[1]: recorded 2, now 3"),
        ({"a": [1]}, {"a": [1, {"b": 2}]}, 'a[1]: recorded (nothing), now {"b": 2}'),
        ({"a": 1}, {"b": 1}, "a: recorded 1, now (nothing)"),
        ({"a": 1}, {"a": 1, "b": "街"}, 'b: recorded (nothing), now "街"'),
        ({"a": 1}, {"a": True}, "a: recorded 1, now true"),
        (1, "1", 'value: recorded 1, now "1"'),
        (
            "x" * 200 + "a" + "y" * 200,
            "x" * 200 + "b",
            f'value: recorded …{"x" * 60}a{"y" * 59}…, now …{"x" * 60}b"',
        ),
    ],
)
def test_at15_the_first_difference(recorded: Any, present: Any, said: str) -> None:
    assert first_difference(recorded, present) == said
