"""Providers that speak something else than OpenAI's form, through litellm, down to the bytes of the request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from llm_bench import KEY, TOOLS, TWO_CALLS, calls_of, shared_driver
from model_server import ModelServer
from model_wire import SIGNATURE, THOUGHTS

SYSTEM = {"role": "system", "content": "You are an agent in QGIS."}
QUESTION = {"role": "user", "content": "放大到街道"}
TAIL = {"role": "user", "content": "tail"}
ZOOM = ("zoom_to", {"layer_id": "街道"})


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as each:
        yield each


def ask(server: ModelServer, model: str, path: str, messages: list[dict[str, Any]], **job: Any) -> dict[str, Any]:
    """One turn; ``requests`` counts what the server saw."""
    before = len(server.requests)
    base = f"http://127.0.0.1:{server.port}{path}"
    answer = shared_driver().ask(
        "complete", model=model, api_base=base, api_key=KEY, messages=messages, **{"tools": TOOLS, **job}
    )
    return {**answer, "requests": len(server.requests) - before}


def second_turn(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversation after the answer's call was run, as the loop keeps it."""
    ident, name, arguments = answer["calls"][0]
    call = {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        SYSTEM,
        QUESTION,
        {"role": "assistant", "content": answer["content"], "tool_calls": [call], "echo": answer["echo"]},
        {"role": "tool", "tool_call_id": ident, "content": '{"ok":true}'},
        TAIL,
    ]


def test_deepseek_gets_its_thoughts_back(server: ModelServer) -> None:
    """The server refuses a history without them."""
    for model in ("openai/deepseek-v4-flash", "deepseek/deepseek-v4-flash"):
        first = ask(server, model, "/v1", [SYSTEM, QUESTION, TAIL])
        assert calls_of(first) == [ZOOM] and first["reasoning"] == "".join(THOUGHTS)
        again = ask(server, model, "/v1", second_turn(first))
        assert calls_of(again) == [ZOOM]
        assert server.requests[-1]["messages"][2]["reasoning_content"] == "".join(THOUGHTS)
        foreign = second_turn(first)
        foreign[2]["echo"] = {}
        assert calls_of(ask(server, model, "/v1", foreign)) == [ZOOM]  # a history of another model


def test_deepseek_does_not_think_about_one_word(server: ModelServer) -> None:
    for model in ("deepseek/deepseek-v4-flash",):
        ask(server, model, "/v1", [SYSTEM, QUESTION], tools=[], request={"role": "router", "max_output_tokens": 8})
        assert server.requests[-1]["thinking"] == {"type": "disabled"} and server.requests[-1]["max_tokens"] == 8


def test_anthropic_gets_signed_thoughts_and_cache_marks(server: ModelServer) -> None:
    model = "anthropic/claude-haiku-4-5"
    first = ask(server, model, "", [SYSTEM, QUESTION, TAIL], request={"stable_messages": 1})
    assert calls_of(first) == [ZOOM] and first["finish"] == "tool_calls"
    usage = first["usage"]
    assert (usage["input_tokens"], usage["cached_tokens"], usage["cache_write_tokens"]) == (1200, 1000, 160)
    assert (usage["output_tokens"], usage["source"]) == (34, "provider")
    ask(server, model, "", second_turn(first), request={"stable_messages": 1})
    body = server.requests[-1]
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "".join(THOUGHTS), "signature": SIGNATURE},
        {"type": "tool_use", "id": "toolu_1", "name": "zoom_to", "input": {"layer_id": "街道"}},
    ]
    assert json.dumps(body).count('"cache_control"') == 4
    assert body["system"][-1]["cache_control"] and body["tools"][-1]["cache_control"]
    result, tail = body["messages"][2]["content"]
    assert result["type"] == "tool_result" and result["cache_control"] == {"type": "ephemeral"}
    assert tail == {"type": "text", "text": "tail"}  # what changes every turn is behind the last mark
    assert "top_p" not in body and body["temperature"] == 0.1


def test_gemini_gets_its_signatures_back(server: ModelServer) -> None:
    model = "gemini/gemini-2.5-flash"
    first = ask(server, model, "/v1beta", [SYSTEM, QUESTION, TAIL])
    assert calls_of(first) == [ZOOM]
    assert (first["usage"]["input_tokens"], first["usage"]["cached_tokens"]) == (1200, 1024)
    assert (first["usage"]["output_tokens"], first["usage"]["reasoning_tokens"]) == (34, 14)
    renamed = second_turn(first)
    renamed[2]["tool_calls"][0]["id"] = renamed[3]["tool_call_id"] = "call_1"  # the signature is not in the id any more
    for messages in (second_turn(first), renamed):
        ask(server, model, "/v1beta", messages)
        parts = server.requests[-1]["contents"][1]["parts"]
        assert [each["thoughtSignature"] for each in parts if "function_call" in each] == [SIGNATURE]


def last_turn(server: ModelServer) -> dict[str, Any]:
    """The last request for a turn: litellm asks an Ollama what its model can as well, in a thread of its own, when it likes."""
    return [each for each in server.requests if "messages" in each][-1]


def test_ollama_is_told_its_context_and_calls_get_ids(server: ModelServer) -> None:
    answer = ask(server, "ollama/ollama", "", [SYSTEM, QUESTION])
    assert calls_of(answer) == TWO_CALLS
    assert len({ident for ident, _, _ in answer["calls"]}) == 2
    body = last_turn(server)
    assert body["options"]["num_ctx"] == 16384 and [each["function"]["name"] for each in body["tools"]] == [
        each["function"]["name"] for each in TOOLS
    ]
    assert answer["usage"]["source"] == "provider"
    ask(server, "ollama/ollama", "", [SYSTEM, QUESTION], options={"context_tokens": 32768})
    assert last_turn(server)["options"]["num_ctx"] == 32768
    ask(server, "ollama/ollama", "", [SYSTEM, QUESTION], tools=[], request={"role": "router", "max_output_tokens": 8})
    assert last_turn(server)["think"] is False


def long_text(tokens: int) -> dict[str, Any]:
    return {"role": "user", "content": "a map of the town " * (tokens // 5)}


def test_a_request_that_ollama_cut_is_no_answer(server: ModelServer) -> None:
    """It read its context full and no more, with status 200: tools and system text were in the part that was cut off."""
    answer = ask(server, "ollama/ollamacut", "", [SYSTEM, long_text(40_000)], options={"context_tokens": 32768})
    assert (answer["kind"], answer["retryable"], answer["requests"]) == ("context_overflow", False, 1)
    assert "was cut off" in answer["message"] and "num_ctx" in answer["hint"]
    assert ask(server, "openai/cut", "/v1", [SYSTEM, long_text(20_000)])["content"]  # other servers are not suspected


def test_ollamas_second_interface_is_watched_too() -> None:
    """It takes no num_ctx, so that only the count tells; it is known by its port."""
    try:
        second = ModelServer(port=11434)
    except OSError:
        pytest.skip("port 11434 is in use: an Ollama runs here")
    with second as server:
        answer = ask(server, "cut", "/v1", [SYSTEM, long_text(20_000)])
        assert (answer["kind"], answer["requests"]) == ("context_overflow", 1)
        assert "only 4096 of about" in answer["message"]
        assert ask(server, "text", "/v1", [SYSTEM, QUESTION])["content"] == "There are 25 schools."


def test_a_request_that_cannot_fit_is_not_sent(server: ModelServer) -> None:
    answer = ask(server, "ollama/ollama", "", [SYSTEM, long_text(60_000)])
    assert (answer["kind"], answer["requests"]) == ("context_overflow", 0)
    assert "16384" in answer["message"]


def test_a_prompt_cache_key_goes_to_openai_only(server: ModelServer) -> None:
    ask(server, "openai/text", "/v1", [SYSTEM, QUESTION], request={"cache_key": "chat-1"})
    assert "prompt_cache_key" not in server.requests[-1]  # an address of one's own


def test_reasoning_models_get_no_temperature(server: ModelServer) -> None:
    ask(server, "openai/gpt-5", "/v1", [SYSTEM, QUESTION])
    body = server.requests[-1]
    assert body["model"] == "gpt-5" and "temperature" not in body and "top_p" not in body


def test_z_the_key_is_nowhere_in_what_the_process_wrote() -> None:
    """Last of the last file that uses the driver."""
    driver = shared_driver()
    driver.ask("state")
    assert KEY not in driver.written() and "sk-secret-canary" not in driver.written()
