"""AT27: an answer that is none is asked for once more; then there is a reason, and never "done"."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_fakes import Bench, FakeBridge, FakeClient, answer, calls
from llm_bench import job_of, play, shared_driver
from model_server import ModelServer

from qgis_agent.agent.llm.errors import empty_answer
from qgis_agent.agent.llm.types import LLMResponse


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_at27_a_stream_with_nothing_in_it_is_retried_once_then_an_error() -> None:
    """``[DONE]`` alone, and an empty delta with its end; side by side, because a second passes between the two tries."""
    with ModelServer() as server:
        jobs = [job_of(server, scenario, op="turn") for scenario in ("nothing", "empty")]
        answers = shared_driver().ask("together", jobs=jobs)["answers"]
        assert sorted(each["model"] for each in server.requests) == ["empty", "empty", "nothing", "nothing"]
    for found in answers:
        assert (found["attempts"], found["kind"]) == (2, "bad_answer")
        assert found["message"] == "The model gave an empty answer."


def test_at27_the_run_fails_with_the_reason(bench: Bench) -> None:
    client = FakeClient(empty_answer(), kind="script")
    report = bench.run("how many schools?", client)
    assert len(client.requests) == 2
    assert report["termination"] == "failed" and report["ok"] is False
    assert report["error"]["reason"] == "bad_answer"
    assert report["answer"] == ""


def test_at27_the_second_answer_counts(bench: Bench) -> None:
    report = bench.run("how many schools?", FakeClient(empty_answer(), answer("There are schools.")))
    assert (report["termination"], report["answer"]) == ("completed", "There are schools.")


@pytest.mark.parametrize("reasoning", ["", "I wonder what to do."])
def test_at27_thoughts_alone_are_no_answer_and_leave_nothing_behind(bench: Bench, reasoning: str) -> None:
    """One nudge, not kept in the history; then a reason."""
    client = FakeClient(LLMResponse("", reasoning=reasoning), LLMResponse("  \n", reasoning=reasoning))
    report = bench.run("how many schools?", client, FakeBridge())
    assert report["termination"] == "failed"
    assert report["error"]["reason"] == "empty_answer"
    assert not [each for each in client.requests[-1].messages if each["role"] == "assistant"]


def test_at27_nothing_after_work_was_done_is_not_done_either(bench: Bench) -> None:
    client = FakeClient(calls(("zoom_to", {"layer_id": "streets"})), LLMResponse(""))
    report = bench.run("zoom to the streets and tell me about them", client)
    assert report["termination"] != "completed"


def test_at27_reasoning_counts_as_progress_of_the_stream() -> None:
    with ModelServer() as server:
        found = play(server, "reasononly", op="turn")
    assert found["requests"] == 1  # no failure of the connection: the loop decides
    assert (found["content"], found["reasoning"]) == ("", "I wonder what to do.")
