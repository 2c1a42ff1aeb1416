"""The scripted model and the factory of clients."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.agent.llm.factory import OFFLINE_LABEL, build_client
from qgis_agent.agent.llm.litellm_client import LiteLLMClient, qualified_model
from qgis_agent.agent.llm.scripted import ScriptedClient, parse_turns
from qgis_agent.agent.llm.types import LLMResponse, ModelError, ProviderRequest, ToolCall
from qgis_agent.agent.offline.client import OfflineClient

ROOT = Path(__file__).resolve().parents[2]
REQUEST = ProviderRequest([{"role": "user", "content": "x"}], [])
TURNS: list[dict[str, Any]] = [
    {"text": "Let me look.", "tool_calls": [{"name": "a", "arguments": {"name": "街道"}}, {"name": "b"}]},
    {"tool_calls": [{"name": "c", "arguments": "{'bad': True,}"}]},
    {"text": "There are 25 schools.", "finish_reason": "length"},
]


def play(client: Any, pieces: list[str] | None = None) -> LLMResponse:
    result: LLMResponse = asyncio.run(client.complete(REQUEST, (pieces if pieces is not None else []).append))
    return result


def test_turns_are_played_in_order_with_steady_ids() -> None:
    client = ScriptedClient(parse_turns(TURNS))
    pieces: list[str] = []
    first = play(client, pieces)
    assert first.content == "Let me look." == "".join(pieces) and len(pieces) > 1
    assert first.tool_calls == (ToolCall("call_1_1", "a", '{"name": "街道"}'), ToolCall("call_1_2", "b", "{}"))
    assert first.finish_reason == "tool_calls"
    assert play(client).tool_calls == (ToolCall("call_2_1", "c", "{'bad': True,}"),)
    assert client.remaining == 1
    assert play(client).finish_reason == "length"
    with pytest.raises(ModelError) as error:
        play(client)
    assert error.value.kind == "bad_answer" and not error.value.retryable and "3" in error.value.message


def test_a_stop_gets_through_between_pieces() -> None:
    async def run() -> list[str]:
        pieces: list[str] = []
        client = ScriptedClient(parse_turns([{"text": "x" * 8000}]))
        task = asyncio.ensure_future(client.complete(REQUEST, pieces.append))
        while not pieces:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pieces

    assert 0 < len(asyncio.run(run())) < 1000


@pytest.mark.parametrize(
    ("turns", "place"),
    [
        ({"text": "x"}, "script"),
        (["x"], "turn 1"),
        ([{"text": "x"}, {"text": 5}], "turn 2.text"),
        ([{}], "turn 1"),
        ([{"text": "x", "toolcalls": []}], "turn 1: unknown key 'toolcalls'"),
        ([{"tool_calls": {"name": "a"}}], "turn 1.tool_calls"),
        ([{"tool_calls": [{"name": "a"}, {"arguments": {}}]}], "turn 1.tool_calls[1].name"),
        ([{"tool_calls": [{"name": "a", "arguments": [1]}]}], "turn 1.tool_calls[0].arguments"),
        ([{"tool_calls": [{"name": "a", "args": {}}]}], "turn 1.tool_calls[0]: unknown key 'args'"),
        ([{"text": "x", "finish_reason": "done"}], "turn 1.finish_reason"),
        (None, "script"),
    ],
)
def test_a_malformed_script_is_named_by_its_place(turns: Any, place: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_turns(turns)
    assert str(error.value).startswith(place)


def test_the_factory_builds_what_is_configured() -> None:
    offline = build_client({"kind": "offline"}, list)
    assert isinstance(offline, OfflineClient) and (offline.kind, offline.label) == ("offline", OFFLINE_LABEL)
    script = build_client({"kind": "script", "turns": TURNS}, list)
    assert isinstance(script, ScriptedClient) and (script.kind, script.label) == ("script", "script")
    model = build_client(
        {"kind": "model", "model": "openai/x", "api_base": "http://127.0.0.1:1/v1", "api_key": "k"}, list
    )
    assert isinstance(model, LiteLLMClient) and (model.kind, model.label) == ("model", "openai/x")
    assert build_client({"kind": "model", "model": "x", "label": "My model"}, list).label == "My model"


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({}, "kind"),
        ({"kind": "magic"}, "kind"),
        ({"kind": "model"}, "model"),
        ({"kind": "model", "model": "  "}, "model"),
        ({"kind": "model", "model": "x", "api_key": ["sk-secret"]}, "api_key"),
        ({"kind": "script"}, "script"),
        ({"kind": "script", "turns": [{}]}, "turn 1"),
    ],
)
def test_a_wrong_configuration_is_refused_without_repeating_it(config: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError) as error:
        build_client(config, list)
    assert str(error.value).startswith(word) and "sk-secret" not in str(error.value)


@pytest.mark.parametrize(
    ("model", "api_base", "expected"),
    [
        ("openai/gpt-x", "", "openai/gpt-x"),
        ("gpt-x", "", "openai/gpt-x"),
        ("qwen3", "http://h/v1", "openai/qwen3"),
        ("qwen/qwen3", "http://h/v1", "openai/qwen/qwen3"),
        ("deepseek/deepseek-chat", "", "deepseek/deepseek-chat"),
        ("ollama/qwen3", "", "ollama_chat/qwen3"),
        ("ollama_chat/qwen3", "http://h", "ollama_chat/qwen3"),
    ],
)
def test_names_of_models(model: str, api_base: str, expected: str) -> None:
    assert qualified_model(model, api_base) == expected


def test_building_clients_imports_neither_litellm_nor_pydantic() -> None:
    code = (
        "import sys; from qgis_agent.agent.llm.factory import build_client; build_client({'kind': 'model', 'model': 'x'}, list);"
        "print([each for each in ('litellm', 'httpx', 'openai', 'pydantic', 'jsonschema') if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "[]"
