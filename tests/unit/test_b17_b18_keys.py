"""Cases B17 and B18 on the agent's side: whose key a request carries, and none without one where one is needed."""

from __future__ import annotations

from typing import Any

import pytest
from llm_bench import shared_driver
from model_server import ModelServer

from qgis_agent.agent.llm.keyless import require_key
from qgis_agent.agent.llm.types import ModelError


def say(server: ModelServer, **job: Any) -> dict[str, Any]:
    """One message with a client that is made anew, as after a change in the settings."""
    return shared_driver().ask("complete", model="openai/text", api_base=server.base_url, **job)


def test_b17_a_changed_key_counts_from_the_next_message_and_a_cleared_one_is_gone() -> None:
    """Recipe: key A, message, key B, message, clear, message -> A, B, none. The environment has somebody else's key."""
    with ModelServer() as server:
        for key in ("key-A", "key-B", ""):
            answer = say(server, api_key=key)
            assert "kind" not in answer or answer["kind"] is None, answer
        assert server.authorizations == ["Bearer key-A", "Bearer key-B", ""]


def test_b17_without_a_key_a_conversation_goes_on() -> None:
    """The same client twice: its connection is made once and used again."""
    with ModelServer() as server:
        for _ in range(2):
            say(server, api_key="", client="keyless")
        assert server.authorizations == ["", ""]


NEED = [
    ("openai/gpt-4o", ""),
    ("openai/x", "https://api.example.com/v1"),
    ("anthropic/claude", ""),
    ("gpt-4o", ""),
    ("ollama_chat/qwen", "https://models.example.com"),
]
FREE = [
    ("ollama_chat/qwen", ""),
    ("openai/x", "http://127.0.0.1:8000/v1"),
    ("openai/x", "http://localhost:1234/v1"),
    ("openai/x", "http://192.168.1.20:8000/v1"),
    ("lm_studio/x", ""),
]


@pytest.mark.parametrize(("model", "address"), NEED)
def test_b18_an_empty_key_is_reported(model: str, address: str) -> None:
    """As what it is, with what to do; with a key nothing is said."""
    with pytest.raises(ModelError) as caught:
        require_key(model, address, "")
    assert caught.value.kind == "auth" and "key" in caught.value.message and "settings" in caught.value.hint
    assert not caught.value.retryable
    require_key(model, address, "k")


@pytest.mark.parametrize(("model", "address"), FREE)
def test_servers_of_ones_own_need_none(model: str, address: str) -> None:
    """On this machine or its private network."""
    require_key(model, address, "")


def test_b18_before_any_network_call() -> None:
    """0 requests: the name of the server cannot be resolved, so an attempt would say that it cannot be reached."""
    answer = shared_driver().ask("complete", model="openai/x", api_base="https://no-such-host.invalid/v1", api_key="")
    assert answer["kind"] == "auth"
    assert "No key is set" in answer["message"]
    assert answer["seconds"] < 1
