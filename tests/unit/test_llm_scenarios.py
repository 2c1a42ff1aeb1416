"""Every scenario of the loopback server, end to end through litellm: what the client makes of it (harness.md section 8)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from llm_bench import KEY, TWO_CALLS, calls_of, play
from model_scenarios import HERMES, HUGE_BYTES, UNKNOWN
from model_scenarios import SCENARIOS as OPENAI
from model_server import ModelServer

TEXT = "There are 25 schools."
ZOOM = [("zoom_to", {"layer_id": "街道"})]
GOOD = {"layer_id": "schools"}


@dataclass(frozen=True)
class Want:
    """What an answer must be: an error of ``kind``, else text and calls. ``requests`` is what the server saw."""

    content: str = ""
    calls: Any = ()
    finish: str = "stop"
    reasoning: str = ""
    source: str = "provider"
    origin: str = "native"
    kind: str = ""
    retryable: bool = False
    requests: int = 1
    unreadable: bool = False


def calls(*wanted: Any, **rest: Any) -> Want:
    return Want(**{"calls": wanted, "finish": "tool_calls", **rest})


def raw(text: str) -> str:
    """Arguments that are kept as they were written."""
    return f"raw:{text}"


TABLE: dict[str, Want] = {
    # assembly
    "normal": calls(*TWO_CALLS, content="Let me look."),
    "idx0": calls(*TWO_CALLS),
    "noidx": calls(*TWO_CALLS),
    "idlate": calls(*TWO_CALLS),
    "dict": calls(*TWO_CALLS),
    "interleaved": calls(*TWO_CALLS),
    "emptyargs": calls(("search_layers", {})),
    "nullargs": calls(("search_layers", {})),
    "badargs": calls(("buffer_layer", raw("{'layer_id': 'schools', 'dissolve': True,}"))),
    "onebad": calls(("count_features", GOOD), ("zoom_to", raw('{"layer_id": "a" "b"}'))),
    "unknowntool": calls(("fly_to_the_moon", GOOD)),
    "prefixed": calls(("count_features", GOOD)),
    "many": calls(*(("zoom_to", {"layer_id": f"layer-{number}"}) for number in range(30))),
    # finish and content
    "stopfr": calls(("buffer_layer", {"layer_id": "schools", "distance_m": 500})),
    "lenfr": calls(("buffer_layer", raw('{"layer_id":"schools","distance_m":10')), finish="length"),
    "lentwo": calls(
        ("count_features", GOOD), ("zoom_to", raw('{"layer_id":"schools","where":[{"field"')), finish="length"
    ),
    "reason": Want(TEXT, reasoning="25 schools in all."),
    "reasononly": Want("", reasoning="I wonder what to do."),
    "thinktag": Want(TEXT, reasoning="25, I think."),
    "thinkcall": Want(
        TEXT,
        reasoning=f"Maybe {HERMES}",
    ),
    "dsml": calls(*ZOOM, content="Let me look.", origin="text"),
    "hermes": calls(*ZOOM, content="Let me look.", origin="text"),
    "both": calls(*ZOOM, content="Let me look."),
    "unreadable": Want("Let me look.", unreadable=True),
    "unknowntext": Want(UNKNOWN),
    "strictroles": Want(TEXT),
    "strictwithouttools": Want(TEXT),
    "mistral-strict": Want(TEXT),
    "text": Want(TEXT),
    "rep": Want("0, 0" * 130),
    "empty": Want(kind="bad_answer", retryable=True),
    "nothing": Want(kind="bad_answer", retryable=True, requests=1),
    # usage
    "usagemid": Want("Twelve schools."),
    "nousage": Want(TEXT, source="estimated"),
    "lateusage": Want(TEXT, source="estimated"),
    # transport
    "trunc": Want(kind="transient"),
    "cleancut": Want(kind="transient", retryable=True),
    "cleancutcall": Want(kind="transient"),
    "errmid": Want(kind="transient", retryable=True),
    "badsse": Want(kind="bad_answer", retryable=True),
    "badmiddle": Want(kind="bad_answer", retryable=True),
    # The whole of it takes longer than the silence that is allowed.
    "slow": Want("This answer comes one word at a time "),
    "slowfirst": Want(TEXT),
    "hang": Want(kind="timeout", retryable=True),
    "silent": Want(kind="timeout", retryable=True),
    "huge": Want("8" * HUGE_BYTES),
    "crlf": Want("街道B有8所学校"),
    "keepalive": Want(TEXT),
    "gzip": Want(TEXT),
    "redirect": Want(TEXT, requests=2),
    # servers that lack something
    "nousageoption": Want("Fine without.", requests=2, source="estimated"),
    "nostream": Want(TEXT, requests=2),
    "plainjson": Want(TEXT, requests=2),
    "plainnousage": Want(TEXT, requests=2, source="estimated"),
    "notools": calls(*ZOOM, content="Let me look.", origin="text", requests=2),
    "notoolsvllm": calls(*ZOOM, content="Let me look.", origin="text", requests=2),
    "notemperature": Want(TEXT, requests=2),
    # status
    "status429": Want(kind="rate_limit", retryable=True),
    "retryms": Want(kind="rate_limit", retryable=True),
    "retrydate": Want(kind="transient", retryable=True),
    "quota": Want(kind="quota"),
    "status500": Want(kind="transient", retryable=True),
    "status502": Want(kind="transient", retryable=True),
    "status400": Want(kind="config"),
    "badschema": Want(kind="config"),
    "status401": Want(kind="auth"),
    "status403": Want(kind="auth"),
    "status404": Want(kind="config"),
    "overflow": Want(kind="context_overflow"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as each:
        yield each


def test_the_table_knows_every_scenario() -> None:
    assert set(TABLE) == set(OPENAI)


@pytest.mark.parametrize("scenario", TABLE)
def test_scenario(server: ModelServer, scenario: str) -> None:
    want = TABLE[scenario]
    answer = play(server, scenario, idle_timeout_s=0.5)
    assert answer["requests"] == want.requests
    if want.kind:
        assert (answer["kind"], answer["retryable"]) == (want.kind, want.retryable)
        assert answer["message"] and answer["hint"]
        assert answer["seconds"] < 2.0  # silence too ends the turn, after half a second here
        for part in ("message", "hint", "traceback"):
            assert KEY not in answer[part] and "secret-canary" not in answer[part]
            assert "litellm" not in answer[part].replace("litellm_client.py", "")
        return
    assert "kind" not in answer, answer["message"]
    assert answer["content"] == want.content
    assert "".join(answer["pieces"]).rstrip() == want.content.rstrip()  # space before a call may have been shown
    assert [_readable(each) for each in answer["calls"]] == list(want.calls)
    assert len({ident for ident, _, _ in answer["calls"]}) == len(answer["calls"])
    assert answer["finish"] == want.finish
    assert set(answer["origins"]) <= {want.origin}
    assert answer["reasoning"] == want.reasoning
    assert answer["usage"]["source"] == want.source
    assert answer["unreadable"] is want.unreadable


def _readable(call: list[str]) -> tuple[str, Any]:
    try:
        return call[1], json.loads(call[2])
    except ValueError:
        return call[1], raw(call[2])


def test_markup_of_a_call_never_reaches_the_person(server: ModelServer) -> None:
    for scenario in ("dsml", "hermes", "unreadable", "notools", "thinkcall"):
        shown = "".join(play(server, scenario)["pieces"])
        assert not any(mark in shown for mark in ("<", "｜", "tool_call", "invoke")), (scenario, shown)


def test_text_that_speaks_of_markup_is_shown_to_who_asks_for_it(server: ModelServer) -> None:
    asked = {"user_text": "Show me what a <tool_call> looks like"}
    answer = play(server, "hermes", request=asked)
    assert answer["calls"] == [] and "<tool_call>" in answer["content"]


def test_without_tools_nothing_in_the_text_is_a_call(server: ModelServer) -> None:
    answer = play(server, "hermes", tools=[])
    assert answer["calls"] == [] and answer["finish"] == "stop"


def test_what_a_server_lacks_is_remembered(server: ModelServer) -> None:
    for scenario in ("nousageoption", "nostream", "plainjson", "notools", "notemperature"):
        first = play(server, scenario, client=f"remember-{scenario}")
        again = play(server, scenario, client=f"remember-{scenario}")
        assert (first["requests"], again["requests"]) == (2, 1), scenario
        assert (again["content"], calls_of(again)) == (first["content"], calls_of(first))
    assert (first["notices"], again["notices"]) == ([], [])


TALK = [
    {"role": "system", "content": "S0"},
    {"role": "system", "content": "S1"},
    {"role": "user", "content": "How many schools?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "count_features", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"count": 25}'},
    {"role": "user", "content": "tail"},
]


@pytest.mark.parametrize(("scenario", "tries"), [("strictroles", 2), ("strictwithouttools", 3)])
def test_a_server_that_wants_the_roles_in_turn_gets_them(server: ModelServer, scenario: str, tries: int) -> None:
    """Told by its refusal and remembered; where calls have no place even then, they go as text."""
    first, again = (play(server, scenario, client=f"turn-{scenario}", messages=TALK) for _ in range(2))
    assert (first["content"], first["requests"]) == (TEXT, tries)
    assert (again["content"], again["requests"]) == (TEXT, 1)
    text = json.dumps(server.requests[-1]["messages"])
    assert all(each in text for each in ("S0", "S1", "How many schools?", "25", "tail"))


def test_a_family_that_wants_the_roles_in_turn_is_not_asked_first(server: ModelServer) -> None:
    assert play(server, "mistral-strict", messages=TALK)["requests"] == 1


def test_a_call_of_a_tool_that_was_not_offered_is_named(server: ModelServer) -> None:
    """The text stays text; the name is what the loop needs to show the tool. With native calls beside it there is no need."""
    answer = play(server, "unknowntext")
    assert (answer["unknown"], answer["content"], answer["calls"], answer["unreadable"]) == (
        ["buffer_raster"],
        UNKNOWN,
        [],
        False,
    )
    assert play(server, "normal")["unknown"] == []


def test_the_person_is_told_once_that_tools_go_as_text(server: ModelServer) -> None:
    told = [play(server, "notools", client="told")["notices"] for _ in range(2)]
    assert told == [["tools_in_text"], []]


def test_waits_that_a_server_asks_for_are_read(server: ModelServer) -> None:
    assert play(server, "status429")["retry_after_s"] == 2.0
    assert play(server, "retryms")["retry_after_s"] == pytest.approx(0.3)
    assert play(server, "retrydate")["retry_after_s"] == 3600.0  # a date far away; an hour is the most that is believed
