"""The stream assembler on plain chunks: calls cut up in every way that providers have been seen to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qgis_agent.agent.llm.assembler import StreamAssembler
from qgis_agent.agent.llm.ids import IdSource, ids_in
from qgis_agent.agent.llm.types import LLMResponse, ToolCall, Usage

Piece = dict[str, Any]


def piece(arguments: Any = "", *, index: int | None = None, ident: str | None = None, name: str | None = None) -> Piece:
    """A piece of a tool call; what is None is absent."""
    function = {"arguments": arguments} | ({"name": name} if name is not None else {})
    rest = {"index": index, "id": ident}
    return {"function": function} | {key: value for key, value in rest.items() if value is not None}


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def assemble(pieces: list[Piece], finish: str = "tool_calls", taken: tuple[str, ...] = ()) -> LLMResponse:
    assembler = StreamAssembler(taken)
    for each in pieces:
        assembler.feed(chunk(tool_calls=[each]))
    assembler.feed(chunk(finish))
    return assembler.response()


TWO = [("a", {"layer_id": "schools"}), ("b", {"layer_id": "streets"})]
A, B = (json.dumps(each[1]) for each in TWO)
SCENARIOS: dict[str, list[Piece]] = {
    "normal": [
        piece("", index=0, ident="x", name="a"), piece(A[:5], index=0), piece(A[5:], index=0),
        piece("", index=1, ident="y", name="b"), piece(B, index=1),
    ],
    "two ids on index 0": [piece(A, index=0, ident="x", name="a"), piece(B, index=0, ident="y", name="b")],
    "ids repeated on index 0": [
        piece(A[:5], index=0, ident="x", name="a"), piece(A[5:], index=0, ident="x"),
        piece(B[:5], index=0, ident="y", name="b"), piece(B[5:], index=0, ident="y"),
    ],
    "two ids on index 0, interleaved": [
        piece(A[:5], index=0, ident="x", name="a"), piece(B[:5], index=0, ident="y", name="b"),
        piece(A[5:], index=0, ident="x"), piece(B[5:], index=0, ident="y"),
    ],
    "no index": [piece(A[:5], ident="x", name="a"), piece(A[5:]), piece(B[:5], ident="y", name="b"), piece(B[5:])],
    "no index, pieces by id": [
        piece(A[:5], ident="x", name="a"), piece(B[:5], ident="y", name="b"), piece(A[5:], ident="x"), piece(B[5:], ident="y"),
    ],
    "late ids": [
        piece(A[:5], index=0, name="a"), piece(A[5:], index=0, ident="x"),
        piece(B[:5], index=1, name="b"), piece(B[5:], index=1, ident="y"),
    ],
    "late ids without index": [piece(A[:5], name="a"), piece(A[5:], ident="x"), piece(B[:5], name="b"), piece(B[5:], ident="y")],
    "interleaved": [
        piece("", index=0, ident="x", name="a"), piece("", index=1, ident="y", name="b"),
        piece(A[:5], index=0), piece(B[:5], index=1), piece(A[5:], index=0), piece(B[5:], index=1),
    ],
    "arguments as objects": [piece(TWO[0][1], index=0, ident="x", name="a"), piece(TWO[1][1], index=1, ident="y", name="b")],
    "null beside the pieces": [
        piece(None, index=0, ident="x", name="a"), piece(A, index=0), piece(None, index=1, ident="y", name="b"), piece(B, index=1),
    ],
}  # fmt: skip


def letters(pieces: list[Piece]) -> list[Piece]:
    """The same stream with every argument text delivered character by character."""
    result: list[Piece] = []
    for each in pieces:
        text = each["function"]["arguments"]
        if not isinstance(text, str) or len(text) < 2:
            result.append(each)
            continue
        result.append({**each, "function": {**each["function"], "arguments": text[0]}})
        keep = {key: value for key, value in each.items() if key in ("index", "id")}
        result.extend({**keep, "function": {"arguments": letter}} for letter in text[1:])
    return result


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("cut", [lambda pieces: pieces, letters], ids=["whole", "letters"])
def test_every_way_of_cutting_gives_the_same_two_calls(scenario: str, cut: Any) -> None:
    answer = assemble(cut(SCENARIOS[scenario]))
    assert [(call.id, call.name, json.loads(call.arguments)) for call in answer.tool_calls] == [
        ("x", *TWO[0]),
        ("y", *TWO[1]),
    ]


def test_calls_without_any_id_or_index_are_told_apart_by_complete_arguments() -> None:
    answer = assemble([piece(A[:5], name="a"), piece(A[5:]), piece(B, name="b")])
    assert [(call.name, json.loads(call.arguments)) for call in answer.tool_calls] == TWO
    assert [call.id for call in answer.tool_calls] == ["call_1", "call_2"]


def test_a_name_that_is_repeated_in_the_middle_starts_nothing() -> None:
    answer = assemble([piece(A[:5], index=0, ident="x", name="a"), piece(A[5:], index=0, name="a")])
    assert [(call.name, call.arguments) for call in answer.tool_calls] == [("a", A)]


@pytest.mark.parametrize("arguments", ["", None, "null", " "])
def test_no_arguments_are_an_empty_object(arguments: Any) -> None:
    assert assemble([piece(arguments, index=0, ident="x", name="a")]).tool_calls == (ToolCall("x", "a", "{}"),)


def test_arguments_stay_byte_for_byte() -> None:
    raw = '{ "b" :1,\n"a": "\\u8857",  }'
    assert assemble([piece(raw, index=0, ident="x", name="a")]).tool_calls[0].arguments == raw


def test_thirty_calls_keep_their_order() -> None:
    pieces = [piece("{}", index=each, ident=f"id{each}", name=f"t{each}") for each in range(30)]
    assert [call.name for call in assemble(pieces).tool_calls] == [f"t{each}" for each in range(30)]


def test_one_id_on_two_indexes_is_two_calls_with_ids_of_their_own() -> None:
    answer = assemble([piece(A, index=0, ident="same", name="a"), piece(B, index=1, ident="same", name="b")])
    assert [call.name for call in answer.tool_calls] == ["a", "b"]
    assert len({call.id for call in answer.tool_calls}) == 2 and answer.tool_calls[0].id == "same"


def test_ids_are_stable_and_not_those_of_earlier_turns() -> None:
    pieces = [piece(A, index=0, name="a"), piece(B, index=1, name="b")]
    first = assemble(pieces, taken=("call_1", "call_3"))
    assert [call.id for call in first.tool_calls] == ["call_4", "call_5"]
    assert assemble(pieces, taken=("call_3", "call_1")) == first
    assert assemble([piece(A, index=0, ident="x", name="a")], taken=("x",)).tool_calls[0].id != "x"


@pytest.mark.parametrize(
    ("finish", "expected"),
    [("stop", "tool_calls"), ("length", "length"), ("content_filter", "content_filter"), ("", "tool_calls")],
)
def test_finish_reason_with_calls(finish: str, expected: str) -> None:
    assert assemble([piece(A, index=0, ident="x", name="a")], finish).finish_reason == expected


def test_text_reasoning_and_usage() -> None:
    assembler = StreamAssembler()
    shown = [
        assembler.feed(chunk(reasoning_content="hm ", content=None)),
        assembler.feed(chunk(reasoning="well", content="25 ")),
        assembler.feed(chunk(content=[{"type": "text", "text": "schools"}])),
        assembler.feed({"choices": [{"index": 1, "delta": {"content": "another answer"}}]}),
        assembler.feed(chunk("stop")),
        assembler.feed(
            {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 8}}
        ),
        assembler.feed({"choices": None}),
    ]
    assert shown == ["", "25 ", "schools", "", "", "", ""]
    assert assembler.response() == LLMResponse(
        "25 schools", (), "stop", Usage(10, 2, 8, "provider"), "hm well", {"reasoning_content": "hm well"}
    )


def test_usage_that_nobody_sent_is_none_and_strange_counts_are_zero() -> None:
    assembler = StreamAssembler()
    assert assembler.usage is None and assembler.response().usage.source == "none"
    assembler.feed({"usage": {"prompt_tokens": None, "completion_tokens": "3", "prompt_tokens_details": None}})
    assert assembler.usage == Usage(0, 0, 0, "provider")


def test_empty_and_unfinished_streams_are_told() -> None:
    assembler = StreamAssembler()
    assert assembler.is_empty and not assembler.finish_reason and not assembler.has_calls
    assembler.feed(chunk(content="  \n"))
    assert assembler.is_empty
    assembler.feed(chunk(reasoning="thinking"))
    assert not assembler.is_empty
    assembler.feed(chunk(tool_calls=[piece("", index=0)]))
    assert assembler.has_calls


def test_ids_of_a_conversation() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": ""}, {}]},
        {"role": "assistant", "tool_calls": None},
    ]
    assert ids_in(messages) == {"a"}
    source = IdSource({"a"})
    assert source.keep("b") == "b" and source.keep("b") == "call_2" and source.fresh() == "call_3"


def test_signed_thoughts_are_kept_byte_for_byte() -> None:
    """Two blocks and a redacted one, cut up; what is signed is exactly what came."""
    assembler = StreamAssembler()
    pieces: list[Piece] = [
        {"type": "thinking", "thinking": "First  "},
        {"type": "thinking", "thinking": "thought.\n"},
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "b3BhcXVl"},
        {"type": "thinking", "thinking": "Second."},
        {"type": "thinking", "thinking": "", "signature": "bmF0dXJl"},
    ]
    for each in pieces:
        assembler.feed(chunk(thinking_blocks=[each]))
    assembler.feed(chunk("stop", content="Done."))
    assert assembler.response().echo["thinking_blocks"] == [
        {"type": "thinking", "thinking": "First  thought.\n", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "b3BhcXVl"},
        {"type": "thinking", "thinking": "Second.", "signature": "bmF0dXJl"},
    ]


def test_thoughts_without_their_signature_are_dropped_whole() -> None:
    assembler = StreamAssembler()
    assembler.feed(chunk(thinking_blocks=[{"type": "thinking", "thinking": "First.", "signature": "c2ln"}]))
    assembler.feed(chunk(thinking_blocks=[{"type": "thinking", "thinking": "Second, cut off"}]))
    assembler.feed(chunk("length", content="…"))
    assert "thinking_blocks" not in assembler.response().echo


def test_fields_beside_a_call_and_beside_a_message_are_kept() -> None:
    assembler = StreamAssembler()
    signed = piece("{}", index=0, ident="x", name="a") | {"provider_specific_fields": {"thought_signature": "s1"}}
    plain = piece("{}", index=1, ident="y", name="b")
    assembler.feed(chunk(tool_calls=[signed], provider_specific_fields={"thought_signatures": ["s1"]}))
    assembler.feed(
        chunk(tool_calls=[plain], provider_specific_fields={"thought_signatures": ["s2"], "thinking_blocks": [1]})
    )
    assembler.feed(chunk("tool_calls", provider_specific_fields={"note": "n"}))
    assert assembler.response().echo == {
        "provider_specific_fields": {"thought_signatures": ["s1", "s2"], "note": "n"},
        "tool_call_fields": [
            {"id": "x", "call": {"provider_specific_fields": {"thought_signature": "s1"}}, "function": {}},
            {"id": "y", "call": {}, "function": {}},
        ],
    }
