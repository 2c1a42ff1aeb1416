"""AT17: counting tokens offline, against the o200k tokenizer that litellm bundles."""

from __future__ import annotations

import json
import random
import socket
from typing import Any

import pytest
from token_texts import all_texts
from tokenizer import o200k

from qgis_agent.agent.context.context_manager import ContextManager
from qgis_agent.agent.context.room import ContextRoom
from qgis_agent.agent.events import QuietEvents
from qgis_agent.agent.llm.tokens import (
    Calibration,
    Calibrations,
    estimate_tokens,
    message_tokens,
    messages_tokens,
    request_tokens,
    tools_tokens,
    with_margin,
)
from qgis_agent.agent.llm.types import LLMResponse, ProviderRequest, ToolCall

TEXTS = all_texts()
FLAT = [(kind, text) for kind, texts in TEXTS.items() for text in texts]


@pytest.fixture(scope="module")
def real() -> dict[str, int]:
    """What the tokenizer counts, by text."""
    texts = [text for _, text in FLAT]
    return dict(zip(texts, o200k(texts), strict=True))


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any socket is a failure."""

    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_at17_uncalibrated_within_25_percent_on_each_text(real: dict[str, int], no_network: None) -> None:
    """Fifty texts of one kind each: no kind is good at the cost of another."""
    assert len(real) == 50
    wrong = {text[:40]: estimate_tokens(text) / real[text] for _, text in FLAT}
    assert {text: ratio for text, ratio in wrong.items() if not 0.75 <= ratio <= 1.25} == {}


def test_at17_bytes_by_three_would_not_do(real: dict[str, int]) -> None:
    """Why the estimate looks at classes of characters: this test can fail only if it need not."""
    plain = [len(text.encode()) / 3 / real[text] for _, text in FLAT]
    assert min(plain) < 0.6
    assert max(plain) > 1.6


def mixed(count: int, seed: int) -> list[list[str]]:
    """So many texts of one part of each kind, in changing order."""
    chance = random.Random(seed)
    return [chance.sample([chance.choice(texts) for texts in TEXTS.values()], 5) for _ in range(count)]


def test_at17_never_under_by_10_percent_after_3_turns(real: dict[str, int], no_network: None) -> None:
    """Fifty mixed texts; providers whose tokenizers give more or less than o200k for the same text."""
    for factor in (0.8, 1.0, 1.35, 1.8):
        calibration = Calibration()
        for turn, parts in enumerate(mixed(50, seed=5)):
            counted = round(factor * sum(real[part] for part in parts))
            estimated = sum(estimate_tokens(part) for part in parts)
            if turn < 3:
                calibration.learn(estimated, counted)
            else:
                assert calibration.corrected(estimated) >= 0.9 * counted, (factor, turn)


@pytest.mark.parametrize("kind", list(TEXTS))
def test_at17_a_conversation_of_one_kind_is_never_under(kind: str, real: dict[str, int], no_network: None) -> None:
    """Ten turns, each request holding all turns before it, the provider reporting after each."""
    calibration = Calibration()
    counted = estimated = 0
    for turn, text in enumerate(TEXTS[kind]):
        counted += round(1.2 * real[text])
        estimated += estimate_tokens(text)
        if turn >= 3:
            assert calibration.corrected(estimated) >= 0.9 * counted
            assert with_margin(calibration.corrected(estimated)) >= 0.98 * counted
        calibration.learn(estimated, counted)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("7", 1), ("1234567", 3), ("12 34", 3), ("学校分布", 4), ("é", 1), ("\n\n", 0), ("😀", 1), ("{", 1)],
)
def test_at17_small_texts_by_hand(text: str, tokens: int) -> None:
    """Digits by three and a blank before a number are tokens; wide characters 0.8 each, rounded up."""
    assert estimate_tokens(text) == tokens


def test_at17_lone_surrogates_are_counted_not_raised() -> None:
    """A model can write half of a pair."""
    assert estimate_tokens("a\ud800b") >= 1
    assert message_tokens({"role": "user", "content": "\udfff"}) >= 5


def test_at17_messages_calls_and_tools_have_their_overhead() -> None:
    """4 a message and 3 a request; calls by name and arguments; ``echo`` is sent too; tools as their JSON."""
    said = {"role": "user", "content": "学校"}
    assert message_tokens(said) == 4 + estimate_tokens("学校")
    assert message_tokens({"role": "assistant", "content": ""}) == 4
    call = {"id": "c1", "type": "function", "function": {"name": "zoom_to", "arguments": '{"layer_id":"streets"}'}}
    calling = {"role": "assistant", "content": "", "tool_calls": [call]}
    whole = message_tokens(calling)
    assert whole >= 8 + estimate_tokens("zoom_to") + estimate_tokens('{"layer_id":"streets"}') - 1
    assert message_tokens({**calling, "echo": {"reasoning_content": "I think of it. " * 9}}) > whole + 20
    as_object = {**call, "function": {"name": "zoom_to", "arguments": {"layer_id": "streets"}}}
    assert message_tokens({**calling, "tool_calls": [as_object]}) == whole
    assert message_tokens({**calling, "tool_calls": ["no call", {}]}) == 4 + 8
    parts = [{"type": "text", "text": "look"}]
    assert message_tokens({"role": "user", "content": parts}) == 4 + estimate_tokens(parts)
    tool = {"type": "function", "function": {"name": "zoom_to", "description": "Zooms.", "parameters": {}}}
    assert tools_tokens([tool, tool]) == 2 * (estimate_tokens(tool) + 4)
    assert request_tokens([said], [tool]) == 3 + messages_tokens([said]) + tools_tokens([tool])


def test_at17_calibration_is_kept_by_model() -> None:
    """The first report counts in full, later ones by half; two models do not learn from each other."""
    book = Calibrations()
    book.of("a").learn(1000, 1500)
    assert book.of("a").factor == 1.5
    book.of("a").learn(1000, 1000)
    assert book.of("a").factor == 1.25
    assert book.of("b").factor == 1.0
    assert book.of("a").tokens("7") == 1
    nothing = Calibration()
    for pair in ((0, 10), (10, 0), (-1, 5)):
        nothing.learn(*pair)
    assert (nothing.factor, nothing.reports) == (1.0, 0)
    nothing.learn(1, 1_000_000)
    assert nothing.factor == 3.0


def test_at17_the_margin_is_10_percent_rounded_up() -> None:
    assert [with_margin(each) for each in (0, 1, 100, 101, 1000)] == [0, 2, 110, 112, 1100]


def test_at17_usage_is_estimated_where_the_provider_reports_none() -> None:
    """Input by messages and tools, output by text, thinking and calls, and it says that it is an estimate."""
    request = ProviderRequest([{"role": "user", "content": "学校有多少？"}], [{"type": "function"}])
    call = ToolCall("c1", "count_features", json.dumps({"layer_id": "schools"}))
    record: Any = None
    room = ContextRoom(ContextManager([], [], ""), QuietEvents(), record)
    usage = room.estimated_usage(request, LLMResponse("I count.", (call,), reasoning="How many?"))
    assert usage.source == "estimated"
    assert usage.input_tokens == request_tokens(request.messages, request.tools)
    alone = room.estimated_usage(request, LLMResponse("I count."))
    assert usage.output_tokens > alone.output_tokens > 0
