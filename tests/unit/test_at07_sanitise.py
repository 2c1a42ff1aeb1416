"""AT7: whatever happens to a history, what is sent is valid; sanitising twice is sanitising once."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_check import problem_of

from qgis_agent.agent.context.sanitize import (
    LEFT_OUT,
    NO_TEXT,
    UNREADABLE,
    Rules,
    SanitizeReport,
    interrupted_content,
    merge_neighbours,
    sanitize,
    sendable_arguments,
)

Message = dict[str, Any]
ARGUMENTS = [
    "{}",
    '{ "b": 1,  "a": "街道" }',
    '{"x": "\\ud83d\\ude00"}',
    "",
    "null",
    None,
    {"a": 1},
    "[1]",
    '{"a": ',
    "NaN",
    "\ud800",
]
ECHO = {"thinking_blocks": [{"type": "thinking", "thinking": "…", "signature": "s=="}]}


def call(ident: Any, arguments: Any = "{}", name: Any = "zoom_to") -> Message:
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}


def user(text: Any = "hello") -> Message:
    return {"role": "user", "content": text}


def said(text: Any = "", *calls: Any, **more: Any) -> Message:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {}), **more}


def result(ident: Any, content: str = "{}") -> Message:
    return {"role": "tool", "tool_call_id": ident, "content": content}


@st.composite
def valid_histories(draw: st.DrawFn) -> list[Message]:
    """Histories as a run makes them."""
    messages: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(0, 4))):
        messages.append(user(draw(st.text(min_size=1, max_size=5).filter(lambda text: bool(text.strip())))))
        for _ in range(draw(st.integers(0, 2))):
            idents = [f"c{number + at}" for at in range(draw(st.integers(1, 3)))]
            number += len(idents)
            more = {"echo": copy.deepcopy(ECHO)} if draw(st.booleans()) else {}
            made = [call(each, draw(st.sampled_from(ARGUMENTS[:3]))) for each in idents]
            messages.append(said(draw(st.sampled_from(["", "I look"])), *made, **more))
            messages += [result(each, each) for each in idents]
        messages.append(said("done"))
    return messages


@st.composite
def damaged_histories(draw: st.DrawFn) -> list[Message]:
    """The same with messages deleted, doubled, moved, late results, lost ids and names, bad arguments, empty messages."""
    messages = draw(valid_histories())
    for _ in range(draw(st.integers(0, 7))):
        if not messages:
            break
        at, to = draw(st.integers(0, len(messages) - 1)), draw(st.integers(0, len(messages) - 1))
        kind = draw(st.sampled_from(["delete", "double", "move", "spoil", "late", "empty", "arguments"]))
        if kind == "delete":
            del messages[at]
        elif kind == "double":
            messages.insert(to, copy.deepcopy(messages[at]))
        elif kind == "move":
            messages.insert(to, messages.pop(at))
        elif kind == "late":
            messages.append(result(f"c{draw(st.integers(0, 9))}", "late"))
        elif kind == "empty" and messages[at]["role"] != "tool":
            messages[at] = {**messages[at], "content": draw(st.sampled_from(["", " \n", None]))}
        elif messages[at].get("tool_calls"):
            messages[at] = copy.deepcopy(messages[at])
            first = messages[at]["tool_calls"][0]
            spoiled = draw(st.sampled_from([{}, {"id": ""}, {"id": None}, {"function": {}}, {"function": None}]))
            if kind == "arguments" and isinstance(first, dict) and isinstance(first.get("function"), dict):
                first["function"]["arguments"] = draw(st.sampled_from(ARGUMENTS))
            elif kind == "spoil":
                messages[at]["tool_calls"][0] = (
                    {**first, **spoiled} if spoiled and isinstance(first, dict) else "no call"
                )
    return messages


@settings(max_examples=250, deadline=None)
@given(damaged_histories(), st.booleans())
def test_at07_any_damage_is_mended(messages: list[Message], merge: bool) -> None:
    """Valid by an independent checker; f(f(x)) == f(x) byte for byte; the input stays; a second pass has nothing to count."""
    before = json.dumps(messages)
    rules = Rules(merge_same_role=merge)
    once, _ = sanitize(messages, rules)
    assert problem_of(once, alternating=merge) is None
    twice, nothing = sanitize(once, rules)
    assert json.dumps(twice) == json.dumps(once)
    assert nothing == SanitizeReport()
    assert json.dumps(messages) == before


@settings(max_examples=100, deadline=None)
@given(valid_histories())
def test_at07_a_valid_history_is_left_alone(messages: list[Message]) -> None:
    """Byte for byte, ``echo`` included, nothing counted."""
    assert problem_of(messages) is None
    once, report = sanitize(messages)
    assert json.dumps(once) == json.dumps(messages)
    assert report == SanitizeReport()
    assert once is not messages
    through_all_passes, report = sanitize(messages, Rules(merge_same_role=True))
    assert json.dumps(through_all_passes) == json.dumps(messages)
    assert report == SanitizeReport()


@pytest.mark.parametrize(
    "wrong",
    [
        [user(), said("", call("a"))],
        [user(), result("a")],
        [user(), said("", call("a"), call("b")), result("b"), result("a")],
        [user(), said("", call("a")), result("a"), said("", call("a")), result("a")],
        [user(), said("")],
        [user(" ")],
        [said("hi")],
        [user(), said("", call("a", "{")), result("a")],
        [user(), said("", call("a", "[]")), result("a")],
        [user(), said("", call("", "{}"))],
        [user(), said("", "no call")],
    ],
)
def test_at07_the_checker_refuses_what_providers_refuse(wrong: list[Message]) -> None:
    """So the property test can fail."""
    assert problem_of(wrong) is not None
    assert problem_of(sanitize(wrong)[0]) is None


def test_at07_the_checker_can_ask_for_alternation() -> None:
    assert problem_of([user(), user()]) is None
    assert problem_of([user(), user()], alternating=True) is not None


def test_at07_every_pass_is_counted() -> None:
    """One damage of each kind in one history."""
    messages = [
        said("", call("a", "oops"), call("", "{}")),
        result("a", "first"),
        result("a", "late"),
        result("nobody"),
        said("", call("b")),
        said(" "),
        user(""),
        user("and"),
    ]
    once, report = sanitize(messages, Rules(merge_same_role=True))
    assert report == SanitizeReport(
        unreadable_calls=1,
        mended_arguments=1,
        duplicate_results=1,
        orphan_results=1,
        synthesised_results=1,
        empty_messages=2,
        leading_notes=1,
        merged_messages=1,
    )
    assert [each["content"] for each in once] == [
        LEFT_OUT, "", "first", "", interrupted_content(), f"{NO_TEXT}\n\nand",
    ]  # fmt: skip
    assert [each.get("tool_call_id") for each in once if each["role"] == "tool"] == ["a", "b"]


def test_at07_a_dangling_call_says_verify_before_retry() -> None:
    """The words that keep a model from doing it twice; a late real result does not replace them once it was sent."""
    envelope = json.loads(sanitize([user(), said("", call("a")), user()])[0][2]["content"])
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "interrupted")
    assert envelope["message"] == "interrupted; outcome unknown"
    assert "before you retry" in envelope["hint"]
    sent = sanitize([user(), said("", call("a"))])[0]
    assert sanitize([*sent, result("a", "late")])[0] == sent


def test_at07_a_result_far_from_its_call_comes_back_to_it() -> None:
    """In the order of the calls."""
    messages = [user(), said("", call("a"), call("b")), user("x"), result("b", "B"), result("a", "A")]
    once, report = sanitize(messages)
    assert [each["content"] for each in once] == ["hello", "", "A", "B", "x"]
    assert report == SanitizeReport()


def test_at07_a_message_whose_calls_are_all_unreadable_says_so() -> None:
    assert sanitize([user(), said("", call(None))])[0][1] == said(UNREADABLE)
    assert sanitize([user(), said("I look", call(None))])[0][1] == said("I look")


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{ "b": 1,  "a": "街道" }', '{ "b": 1,  "a": "街道" }'),
        ("{}", "{}"),
        ("", "{}"),
        (" \n", "{}"),
        (None, "{}"),
        ({"a": "学"}, '{"a":"学"}'),
        ("null", '{"INVALID_JSON":"null"}'),
        ("[1]", '{"INVALID_JSON":"[1]"}'),
        ('{"a": 1', '{"INVALID_JSON":"{\\"a\\": 1"}'),
        ('{"a": NaN}', '{"INVALID_JSON":"{\\"a\\": NaN}"}'),
        (7, '{"INVALID_JSON":"7"}'),
        ('{"a":"\ud800"}', '{"a":"?"}'),
        ("\ud800", '{"INVALID_JSON":"?"}'),
        ("[" * 200_000, '{"INVALID_JSON":"' + "[" * 2000 + '"}'),
    ],
)
def test_at07_arguments_are_replayed_as_an_object(arguments: Any, sent: str) -> None:
    """Valid ones byte for byte; anything else wrapped, never repaired; always strict JSON that can be sent as UTF-8."""
    assert sendable_arguments(arguments) == sent
    assert isinstance(json.loads(sent.encode()), dict)
    assert sendable_arguments(sent) == sent


def test_at07_echo_stays_on_whole_messages_only() -> None:
    """A signature belongs to what was signed: changed calls lose it."""
    whole = [user(), said("", call("a"), echo=ECHO), result("a")]
    assert sanitize(whole)[0][1]["echo"] is whole[1]["echo"]
    for spoiled in (call("a", "oops"), call("a"), call(None)):
        changed = [user(), said("x", spoiled, call(None), echo=ECHO), result("a")]
        assert "echo" not in sanitize(changed)[0][1]
        assert changed[1]["echo"] == ECHO
    with_result_made = [user(), said("", call("a"), echo=ECHO)]
    assert sanitize(with_result_made)[0][1]["echo"] == ECHO


def test_at07_neighbours_are_joined_where_a_provider_needs_it() -> None:
    """The person's, and the assistant's: text before calls. Batches and system messages are not joined."""
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    messages = [
        {"role": "system", "content": "s"}, {"role": "system", "content": "t"},
        user("a"), user([picture]), user(""),
        said("b", echo=ECHO), said("c", call("x"), echo=ECHO), result("x"),
        said("d", echo=ECHO), said("e", call("y")), result("y"),
        said("f", echo=ECHO), said("g", echo=ECHO),
    ]  # fmt: skip
    joined, count = merge_neighbours(messages)
    assert count == 5
    assert joined[:2] == messages[:2]
    assert joined[2]["content"] == [{"type": "text", "text": "a"}, picture]
    assert (joined[3]["content"], joined[3]["echo"]) == ("b\n\nc", ECHO)
    assert joined[5] == said("d\n\ne", call("y"))
    assert joined[7] == said("f\n\ng")
    assert sanitize([said("", call("x")), said("", call("y"))], Rules(merge_same_role=True))[1].merged_messages == 0


def test_at07_system_messages_may_stand_first() -> None:
    system = {"role": "system", "content": "s"}
    assert sanitize([system, user()])[0] == [system, user()]
    assert sanitize([system, said("hi")])[0][:2] == [system, user(LEFT_OUT)]
    assert sanitize([]) == ([], SanitizeReport())
    assert sanitize([system])[0] == [system]
