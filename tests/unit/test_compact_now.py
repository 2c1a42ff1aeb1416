"""/compact: what a person asks for makes the next requests smaller, keeps what must be kept, and is undone by nothing that fails."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent import compact_now
from qgis_agent.agent.compact_now import CompactNow
from qgis_agent.agent.context.limits import ContextLimits
from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.llm.tokens import Calibration
from qgis_agent.agent.llm.types import ModelError, ProviderRequest, Usage
from qgis_agent.agent.loop.spending import Spending
from qgis_agent.agent.run_service import RunService
from qgis_agent.bridge.envelope import success

LIMITS = ContextLimits.for_window(None)
RULE = "Never change the source data."
SUMMARY = "## Goal and constraints of the person\n- schools by district"


def told(bench: Bench, runs: int) -> None:
    """A conversation of runs with one call each, whose results are 3 KB."""
    rows = [{"name": f"学校 {each}", "area_m2": each * 1000.5} for each in range(60)]
    for number in range(runs):
        client = FakeClient(calls(("query_features", {"layer_id": "schools", "limit": number + 1})), answer("Done."))
        words = f"{RULE} Look at page {number}." if number == 0 else f"Look at page {number}."
        bench.run(words, client, FakeBridge(query_features=success({"rows": rows})))


def chatted(bench: Bench, runs: int) -> None:
    """A conversation of long texts, which no pruning makes smaller."""
    for number in range(runs):
        words = f"{RULE} Question {number}?" if number == 0 else f"Question {number}?"
        bench.run(words, FakeClient(answer(f"Answer {number}. " + "The map shows schools and hospitals. " * 40)))


def compacted(bench: Bench, client: FakeClient) -> dict[str, Any]:
    made = CompactNow(bench.session, client, LIMITS, Calibration(), Spending(), "en")
    return asyncio.run(made.run())


def sent(bench: Bench) -> str:
    """The messages of the next request."""
    client = FakeClient(answer("Yes."), kind="model")
    bench.run("And now?", client)
    return json.dumps(client.requests[0].messages, ensure_ascii=False)


def test_old_results_are_left_out_first_which_costs_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    told(bench, 12)
    client = FakeClient(answer(SUMMARY), kind="model")
    done = compacted(bench, client)
    assert (done["done"], done["kind"], client.requests, done["usage"]) == (True, "pruned", [], None)
    assert done["after"] <= 0.5 * done["before"]
    assert sent(bench).count("area_m2") <= 6 * 60, "only the newest results are whole"


def test_the_next_request_is_smaller_and_holds_the_summary_and_the_rules(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    chatted(bench, 14)
    history = json.dumps(bench.session.messages)
    client = FakeClient(answer(SUMMARY, usage=Usage(9000, 120, 0, "provider")), kind="model")
    done = compacted(bench, client)
    assert (done["done"], done["kind"], len(client.requests)) == (True, "summarised", 1)
    assert done["after"] < 0.6 * done["before"]
    assert (done["usage"]["input_tokens"], done["usage"]["output_tokens"]) == (9000, 120)
    assert json.dumps(bench.session.messages) == history, "the history itself is never rewritten"
    request = sent(bench)
    assert "schools by district" in request and RULE in request
    assert "Question 13?" in request and "Answer 13" in request and "Answer 2." not in request


def test_it_is_so_after_a_restart_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    chatted(bench, 14)
    compacted(bench, FakeClient(answer(SUMMARY, usage=Usage(9000, 120, 0, "provider")), kind="model"))
    again = Bench(tmp_path)
    assert again.session.projection == bench.session.projection
    assert "schools by district" in sent(again)
    records = [json.loads(line) for line in bench.path.read_text(encoding="utf-8").splitlines()]
    made = [each for each in records if each["t"] == "compaction"]
    assert [each["asked"] for each in made] == [True]
    spent = [each["event"] for each in records if each["t"] == "event" and each["run_id"].startswith("compact-")]
    assert [each["type"] for each in spent] == ["usage"]


@pytest.mark.parametrize("kind", ["auth", "transient"])
def test_a_model_that_fails_changes_nothing_and_is_named(tmp_path: Path, kind: Any, monkeypatch: Any) -> None:
    bench = Bench(tmp_path)
    chatted(bench, 14)
    before = bench.session.projection
    client = FakeClient(ModelError(kind, "The key is not accepted."), kind="model")
    done = compacted(bench, client)
    assert (done["done"], done["reason"], done["message"]) == (False, "model", "The key is not accepted.")
    assert bench.session.projection == before
    assert '"t":"compaction"' not in bench.path.read_text(encoding="utf-8")


def test_a_slow_model_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    chatted(bench, 14)
    monkeypatch.setattr(compact_now, "SUMMARY_S", 0.05)

    async def slow(_request: ProviderRequest) -> Any:
        await asyncio.sleep(10)

    done = compacted(bench, FakeClient(slow, kind="model"))
    assert (done["done"], done["reason"]) == (False, "model") and "message" not in done


@pytest.mark.parametrize(("runs", "kind", "reason"), [(1, "model", "short"), (12, "offline", "offline")])
def test_what_is_not_worth_it_asks_no_model(tmp_path: Path, runs: int, kind: str, reason: str) -> None:
    bench = Bench(tmp_path)
    told(bench, runs)
    if runs == 1:
        bench.session.messages[2:] = []
    client = FakeClient(answer(SUMMARY), kind=kind)
    done = compacted(bench, client)
    assert (done["done"], done["reason"], client.requests) == (False, reason, [])
    assert done["before"] == done["after"] > 0


def test_twice_in_a_row_is_told(tmp_path: Path) -> None:
    """The second time little is left to summarise: either it frees something again, or it says that there is nothing."""
    bench = Bench(tmp_path)
    chatted(bench, 14)
    model = FakeClient(answer(SUMMARY, usage=Usage(9000, 120, 0, "provider")), kind="model")
    first = compacted(bench, model)
    second = compacted(bench, model)
    assert second["before"] == first["after"]
    assert second["after"] <= second["before"]
    assert second["done"] == (second["after"] < second["before"])


def service(folder: Path) -> RunService:
    return RunService(FakeBridge(), lambda _event: None, ToolRegistry.load(), folder, "en")


def test_the_service_refuses_while_a_run_goes_on_and_says_what_is_offline(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    told(bench, 12)
    bench.session.disown()
    runs = service(tmp_path)
    assert asyncio.run(runs.compact({"session_id": "s-1"}))["reason"] == "offline"
    runs.running = True
    assert asyncio.run(runs.compact({"session_id": "s-1"}))["reason"] == "running"


def test_a_script_can_write_the_summary(tmp_path: Path) -> None:
    """Through the whole service, as the panel asks for it."""
    bench = Bench(tmp_path)
    chatted(bench, 14)
    bench.session.disown()
    runs = service(tmp_path)
    runs.configure({"kind": "script", "turns": [{"text": SUMMARY}]})
    done = asyncio.run(runs.compact({"session_id": "s-1"}))
    assert done["done"] and done["after"] < done["before"]
