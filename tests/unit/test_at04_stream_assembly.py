"""AT4: calls cut up in any way come out the same, and delivery in single bytes changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llm_bench import TWO_CALLS, calls_of, play
from model_server import ModelServer

SCENARIOS = ("normal", "idx0", "noidx", "idlate", "emptyargs", "nullargs", "dict", "interleaved")
MORE = ("dsml", "hermes", "thinktag", "crlf", "reason", "onebad", "plainjson")


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[ModelServer, ModelServer]]:
    with ModelServer() as whole, ModelServer(one_byte=True) as bytewise:
        yield whole, bytewise


def outcome(answer: dict[str, Any]) -> dict[str, Any]:
    """Everything but what names the delivery itself."""
    return {key: value for key, value in answer.items() if key not in ("seconds", "pieces", "traceback")}


@pytest.mark.parametrize("scenario", SCENARIOS + MORE)
def test_at04_delivery_in_bytes_is_delivery_in_chunks(servers: tuple[ModelServer, ModelServer], scenario: str) -> None:
    whole, bytewise = servers
    at_once, slowly = play(whole, scenario), play(bytewise, scenario)
    assert outcome(slowly) == outcome(at_once)
    assert "".join(slowly["pieces"]) == "".join(at_once["pieces"])


@pytest.mark.parametrize("scenario", ["normal", "idx0", "noidx", "idlate", "dict", "interleaved"])
def test_at04_two_calls_are_two_calls(servers: tuple[ModelServer, ModelServer], scenario: str) -> None:
    answer = play(servers[0], scenario)
    assert calls_of(answer) == TWO_CALLS
    assert [ident for ident, _, _ in answer["calls"]] == [f"call_{name}" for name, _ in TWO_CALLS]


@pytest.mark.parametrize("scenario", ["emptyargs", "nullargs"])
def test_at04_no_arguments_are_an_empty_object(servers: tuple[ModelServer, ModelServer], scenario: str) -> None:
    assert calls_of(play(servers[0], scenario)) == [("search_layers", {})]
