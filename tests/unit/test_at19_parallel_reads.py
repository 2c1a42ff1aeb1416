"""T19: reads run side by side, a write is a barrier, results come in the order of the calls, and a stop keeps what had ended."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, ListEvents, answer, calls

from qgis_agent.agent.context.blackboard import Blackboard
from qgis_agent.agent.execution.result_cache import ResultCache
from qgis_agent.agent.governance.factory import RunOptions
from qgis_agent.bridge.envelope import failure, success


@pytest.fixture()
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


class Clock:
    """Answers of a QGIS that takes its time; keeps when each call began and ended."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.log: list[tuple[str, str]] = []
        self.open = 0
        self.most = 0

    async def __call__(self, params: dict[str, Any]) -> Any:
        what = f"{params['name']}:{params['arguments'].get('layer_id')}"
        self.log.append(("begin", what))
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.open -= 1
        self.log.append(("end", what))
        return success({"layer": params["arguments"].get("layer_id")})


def test_at19_four_reads_of_half_a_second_take_less_than_nine_tenths(bench: Bench) -> None:
    slow = Clock(0.5)
    wanted = [("count_features", {"layer_id": f"l{at}"}) for at in range(4)]
    client = FakeClient(calls(*wanted), answer("ok"))
    started = time.monotonic()
    report = bench.run("how many in each", client, FakeBridge(count_features=slow))
    assert time.monotonic() - started < 1.8  # one after the other: 2.0 at the least
    assert (report["ok"], slow.most) == (True, 4)


def test_at19_never_more_than_four_at_once(bench: Bench) -> None:
    slow = Clock(0.01)
    wanted = [("count_features", {"layer_id": f"l{at}"}) for at in range(10)]
    bench.run("how many in each", FakeClient(calls(*wanted), answer("ok")), FakeBridge(count_features=slow))
    assert (slow.most, len(slow.log)) == (4, 20)


def test_at19_a_write_waits_for_all_reads_before_it_and_holds_up_those_behind(bench: Bench) -> None:
    slow = Clock(0.02)
    client = FakeClient(
        calls(
            ("count_features", {"layer_id": "a"}),
            ("query_features", {"layer_id": "b"}),
            ("toggle_layer", {"layer_id": "c", "visible": True}),
            ("count_features", {"layer_id": "d"}),
            ("count_features", {"layer_id": "e"}),
        ),
        answer("ok"),
    )
    bridge = FakeBridge(count_features=slow, query_features=slow, toggle_layer=slow)
    bench.run("count and show it", client, bridge)
    order = [what for kind, what in slow.log if kind == "begin"]
    at = slow.log.index(("begin", "toggle_layer:c"))
    done = slow.log.index(("end", "toggle_layer:c"))
    assert {what for kind, what in slow.log[:at] if kind == "end"} == {"count_features:a", "query_features:b"}
    assert all(slow.log.index(("begin", f"count_features:{each}")) > done for each in "de")
    assert order == ["count_features:a", "query_features:b", "toggle_layer:c", "count_features:d", "count_features:e"]


def test_at19_results_keep_the_order_of_the_calls_over_200_runs(bench: Bench) -> None:
    """Whatever the order in which they end."""

    async def uneven(params: dict[str, Any]) -> Any:
        for _ in range((int(params["arguments"]["layer_id"]) * 7) % 5):
            await asyncio.sleep(0)
        return success({"n": params["arguments"]["layer_id"]})

    bench.store = type(bench.store)(bench.folder, bench.redactor, durable=False)
    for _ in range(200):
        wanted = [("count_features", {"layer_id": str(at)}) for at in range(4)]
        client = FakeClient(calls(*wanted), answer("ok"))
        report = bench.run("count", client, FakeBridge(count_features=uneven))
        results = [each for each in client.requests[1].messages if each["role"] == "tool"][-4:]
        assert [json.loads(each["content"])["data"]["n"] for each in results] == ["0", "1", "2", "3"]
        assert [each["args"]["layer_id"] for each in report["steps"]] == ["0", "1", "2", "3"]


def test_at19_a_stop_keeps_what_had_ended_and_cancels_the_rest(bench: Bench) -> None:
    """The finished read keeps its result; the others read as interrupted, in the file as in memory."""
    cancelled: list[str] = []

    async def one_quick(params: dict[str, Any]) -> Any:
        if params["arguments"]["layer_id"] == "quick":
            return success({"count": 7})
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(params["arguments"]["layer_id"])
            raise
        return success({})

    wanted = [("count_features", {"layer_id": each}) for each in ("slow1", "quick", "slow2")]
    bundle = bench.bundle("count", FakeClient(calls(*wanted), answer("never")), FakeBridge(count_features=one_quick))

    async def whole() -> float:
        task = asyncio.ensure_future(bundle.loop.run(bundle.state))
        await asyncio.sleep(0.05)
        started = time.monotonic()
        task.cancel()
        await task
        return time.monotonic() - started

    assert asyncio.run(whole()) < 0.2
    assert (bundle.state.termination, sorted(cancelled)) == ("interrupted", ["slow1", "slow2"])
    results = {
        each["tool_call_id"]: json.loads(each["content"]) for each in bench.session.messages if each["role"] == "tool"
    }
    ids = [each["id"] for each in bench.session.messages[1]["tool_calls"]]
    assert [results[each].get("reason", "ok") for each in ids] == ["interrupted", "ok", "interrupted"]
    assert Bench(bench.folder).session.messages == bench.session.messages


def test_a_guard_stops_one_call_and_not_its_neighbours(bench: Bench) -> None:
    """An analysis without a wish for the map: the style call is blocked with a reason, the reads run."""
    client = FakeClient(
        calls(
            ("count_features", {"layer_id": "schools"}),
            ("toggle_layer", {"layer_id": "schools", "visible": True}),
            ("count_features", {"layer_id": "streets"}),
        ),
        answer("25"),
    )
    bridge = FakeBridge(count_features=success({"count": 25}))
    events = ListEvents()
    bench.run("统计学校的平均数量", client, bridge, events=events)
    assert bridge.names() == ["count_features", "count_features"]
    finished = [fields["code"] for kind, fields in events.seen if kind == "tool_finished"]
    assert finished == ["", "FORBIDDEN", ""]


class TestResultCache:
    """The cache gives a result again only while project, profile, arguments and data are the same."""

    def run(self, bench: Bench, bridge: FakeBridge, cache: ResultCache, *wanted: Any) -> dict[str, Any]:
        turns = [calls(each) for each in wanted]
        return bench.run("count and show it", FakeClient(*turns, answer("ok")), bridge, options=RunOptions(cache=cache))

    def test_the_same_read_is_answered_from_the_cache(self, bench: Bench) -> None:
        bridge, cache = FakeBridge(count_features=success({"count": 3})), ResultCache()
        bridge.revision = "1"
        count = ("count_features", {"layer_id": "schools"})
        self.run(bench, bridge, cache, count, count)
        self.run(bench, bridge, cache, count)
        assert (bridge.names(), cache.hits) == (["count_features"], 2)
        self.run(bench, bridge, cache, ("count_features", {"layer_id": "streets"}))
        assert len(bridge.names()) == 2

    def test_another_revision_a_change_or_no_revision_reads_anew(self, bench: Bench) -> None:
        bridge, cache = FakeBridge(count_features=success({"count": 3})), ResultCache()
        count = ("count_features", {"layer_id": "schools"})
        self.run(bench, bridge, cache, count, count)
        assert bridge.names() == ["count_features"] * 2
        bridge.revision = "1"
        self.run(bench, bridge, cache, count)
        bridge.revision = "2"
        self.run(bench, bridge, cache, count)
        assert len(bridge.names()) == 4
        self.run(bench, bridge, cache, ("toggle_layer", {"layer_id": "a", "visible": True}), count)
        assert bridge.names()[-2:] == ["toggle_layer", "count_features"]

    def test_failures_handles_and_uncacheable_tools_are_not_kept(self, bench: Bench) -> None:
        cache = ResultCache()
        bridge = FakeBridge(
            count_features=failure("NOT_FOUND", "no"),
            query_features=success({"result_ref": "query:12345678"}),
            describe_layer=success({"a": 1}),
        )
        bridge.revision = "1"
        for wanted in (
            ("count_features", {"layer_id": "x"}),
            ("query_features", {"layer_id": "x"}),
            ("describe_layer", {"layer_id": "x"}),
        ):
            self.run(bench, bridge, cache, wanted)
            self.run(bench, bridge, cache, wanted)
        assert (len(bridge.names()), cache.hits) == (6, 0)

    def test_an_entry_ends_with_its_time_and_the_oldest_goes_first(self) -> None:
        now = [0.0]
        cache = ResultCache(ttl_s=10, clock=lambda: now[0])
        from qgis_agent.agent.execution.tool_runtime import ToolExecution

        for at in range(130):
            cache.put(str(at), ToolExecution(success({"n": at})))
        assert cache.get("0") is None
        kept = cache.get("129")
        assert kept is not None
        assert (kept.envelope["data"], kept.decision["by"], kept.ms) == ({"n": 129}, "cache", 0)
        kept.envelope["data"]["n"] = -1
        again = cache.get("129")
        assert again is not None
        assert again.envelope["data"] == {"n": 129}
        now[0] = 10.0
        assert cache.get("129") is None

    def test_qgis_that_answers_nonsense_means_no_cache(self, bench: Bench) -> None:
        bridge, cache = FakeBridge(count_features=success({"count": 3})), ResultCache()
        bridge.revision = 7  # type: ignore[assignment]
        count = ("count_features", {"layer_id": "schools"})
        self.run(bench, bridge, cache, count, count)
        assert cache.hits == 0


def test_the_blackboard_outlives_a_restart(bench: Bench) -> None:
    """What the conversation made is rebuilt from its file."""
    bridge = FakeBridge(buffer_layer=success({"layer_id": "schools_buffer"}))
    buffer = calls(("buffer_layer", {"layer_id": "schools", "distance_m": 500}))
    bench.run("buffer the schools by 500 m", FakeClient(buffer, answer("ok")), bridge)
    board: Blackboard = Bench(bench.folder).session.blackboard
    assert board.state() == bench.session.blackboard.state()
    assert board.handles() == ("schools_buffer",)
    assert board.last_action == "buffer_layer schools"
