"""The litellm client against a loopback server: what goes out, what stays in, and what the process leaves behind.

What it makes of each scenario is in test_llm_scenarios.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from llm_bench import KEY, TOOLS, play, shared_driver
from model_server import USAGE, ModelServer


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as each:
        yield each


def test_nothing_heavy_is_imported_before_the_first_turn() -> None:
    before = shared_driver().before
    assert before["litellm"] is False and before["httpx"] is False


def test_litellm_is_told_to_stay_off_the_network_and_off_env_files(server: ModelServer) -> None:
    play(server, "text")
    state = shared_driver().ask("state")
    assert state["litellm"] is True
    assert state["env"]["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert state["env"]["LITELLM_MODE"] == "PRODUCTION"
    assert state["fixture_key"] is None  # the .env of the working folder was not read
    assert state["sockets"] == []


def test_text_streams_in_pieces_and_reasoning_apart(server: ModelServer) -> None:
    assert len(play(server, "text")["pieces"]) == 4
    assert play(server, "reason")["pieces"] == ["There are 25 schools."]


def test_bad_arguments_are_kept_as_they_were_written(server: ModelServer) -> None:
    answer = play(server, "badargs")
    assert answer["calls"] == [["call_bad", "buffer_layer", "{'layer_id': 'schools', 'dissolve': True,}"]]


@pytest.mark.parametrize("scenario", ["text", "usagemid", "reasononly"])
def test_usage_of_the_provider_is_taken_as_it_is(server: ModelServer, scenario: str) -> None:
    usage = play(server, scenario)["usage"]
    cached = USAGE["prompt_tokens_details"]["cached_tokens"]  # type: ignore[index]
    assert usage == {
        "input_tokens": 1200,
        "output_tokens": 34,
        "cached_tokens": cached,
        "source": "provider",
        "reasoning_tokens": 0,
        "cache_write_tokens": 0,
    }


def test_usage_that_nobody_sent_is_an_estimate_and_says_so(server: ModelServer) -> None:
    usage = play(server, "nousage")["usage"]
    assert usage["source"] == "estimated"
    assert usage["input_tokens"] > 0 and usage["output_tokens"] > 0


def test_nobody_there() -> None:
    answer = shared_driver().ask("complete", model="openai/x", api_base="http://127.0.0.1:9/v1", api_key=KEY)
    assert (answer["kind"], answer["retryable"]) == ("transient", True)
    assert "cannot be reached" in answer["message"]


def test_the_request_goes_out_complete_and_with_our_key_only(server: ModelServer) -> None:
    messages = [{"role": "system", "content": "You are…"}, {"role": "user", "content": "放大到街道A"}]
    play(server, "text", messages=messages)
    body = server.requests[-1]
    assert body["messages"] == messages and body["tools"] == TOOLS and body["stream"] is True
    assert server.authorizations[-1] == f"Bearer {KEY}"
    shared_driver().ask("complete", model="openai/text", api_base=server.base_url)
    assert "somebody-else" not in server.authorizations[-1]


def test_rounds_with_tools_and_explanations_have_their_own_temperature(server: ModelServer) -> None:
    play(server, "text")
    assert (server.requests[-1]["temperature"], server.requests[-1]["top_p"]) == (0.1, 0.9)
    play(server, "text", tools=[])
    assert server.requests[-1]["temperature"] == 0.3 and "top_p" not in server.requests[-1]
    play(server, "text", tools=[], request={"role": "router", "max_output_tokens": 8})
    assert (server.requests[-1]["temperature"], server.requests[-1]["max_tokens"]) == (0.0, 8)
    play(server, "text", options={"temperature": 0.0, "max_output_tokens": 500})
    assert (server.requests[-1]["temperature"], server.requests[-1]["max_tokens"]) == (0.1, 500)


def test_generated_ids_avoid_those_of_the_conversation() -> None:
    turns = [{"tool_calls": [{"name": "search_layers", "arguments": {"query": ""}}]}]
    history = [
        {"role": "user", "content": "x"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "call_1_1", "type": "function", "function": {"name": "a", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "call_1_1", "content": "{}"},
    ]
    with ModelServer(turns) as server:
        answer = play(server, "script", messages=history)
        assert answer["calls"][0][0] not in ("", "call_1_1")
        exhausted = play(server, "script")
        assert exhausted["kind"] == "config"
