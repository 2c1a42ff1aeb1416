"""How the loopback model server misbehaves, by name. Each scenario writes to an ``Exchange`` of model_server.py."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from model_server import Exchange

CALLS = (("count_features", '{"layer_id":"schools"}'), ("zoom_to", '{"layer_id":"街道","where":[]}'))
"""What every assembly scenario means: these two calls, however they are cut up."""
USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 34,
    "total_tokens": 1234,
    "prompt_tokens_details": {"cached_tokens": 1024},
}


HUGE_BYTES = 5_000_000
HERMES = 'Let me look.\n<tool_call>\n{"name": "zoom_to", "arguments": {"layer_id": "街道"}}\n</tool_call>'
DSML = (
    'Let me look.\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="zoom_to">\n'
    '<｜DSML｜parameter name="layer_id" string="true">街道</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
"""Two ways to write one call as text: zoom_to, layer_id 街道."""


def halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _normal(say: Exchange) -> None:
    say.delta({"role": "assistant", "content": "Let me "})
    say.delta({"content": "look."})
    for index, (name, arguments) in enumerate(CALLS):
        say.call("", index=index, id=f"call_{name}", type="function", name=name)
        for part in halves(arguments):
            say.call(part, index=index)
    say.finish("tool_calls")


def _idx0(say: Exchange) -> None:
    for name, arguments in CALLS:
        for part, rest in zip(
            halves(arguments), ({"id": f"call_{name}", "name": name}, {"id": f"call_{name}"}), strict=True
        ):
            say.call(part, index=0, type="function", **rest)
    say.finish("tool_calls")


def _noidx(say: Exchange) -> None:
    for name, arguments in CALLS:
        first, second = halves(arguments)
        say.call(first, id=f"call_{name}", type="function", name=name)
        say.call(second)
    say.finish("tool_calls")


def _idlate(say: Exchange) -> None:
    for index, (name, arguments) in enumerate(CALLS):
        first, second = halves(arguments)
        say.call(first, index=index, type="function", name=name)
        say.call(second, index=index, id=f"call_{name}")
    say.finish("tool_calls")


def _interleaved(say: Exchange) -> None:
    for index, (name, _) in enumerate(CALLS):
        say.call("", index=index, id=f"call_{name}", type="function", name=name)
    for half in (0, 1):
        for index, (_, arguments) in enumerate(CALLS):
            say.call(halves(arguments)[half], index=index)
    say.finish("tool_calls")


def _without_arguments(value: Any) -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        say.call(value, index=0, id="call_list", type="function", name="search_layers", null=True)
        say.finish("tool_calls")

    return play


def _dict(say: Exchange) -> None:
    for index, (name, arguments) in enumerate(CALLS):
        say.call(json.loads(arguments), index=index, id=f"call_{name}", type="function", name=name)
    say.finish("tool_calls")


def _one_call(arguments: str, reason: str) -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        say.call(arguments, index=0, id="call_bad", type="function", name="buffer_layer")
        say.finish(reason)

    return play


def _hang(say: Exchange) -> None:
    say.delta({"content": "One moment"})
    say.stall()


def _slow(say: Exchange) -> None:
    for word in "This answer comes one word at a time".split(" "):
        say.delta({"content": word + " "})
        say.wait(0.1)
    say.finish("stop")


def _trunc(say: Exchange) -> None:
    say.call('{"layer_id":"scho', index=0, id="call_cut", type="function", name="buffer_layer")
    say.cut()


def _cleancut(say: Exchange) -> None:
    say.delta({"content": "The answer is"})
    say.close_body()


def _errmid(say: Exchange) -> None:
    say.delta({"content": "The answer is"})
    say.event(json.dumps({"error": {"message": "overloaded, key sk-secret-canary", "code": 503}}))
    say.done()


def _badsse(say: Exchange) -> None:
    say.delta({"content": "The answer is"})
    say.raw(b"data: {not json at all\n\n")
    say.finish("stop")


def _empty(say: Exchange) -> None:
    say.delta({"role": "assistant", "content": ""})
    say.finish("stop")


def _text(text: str, *, usage: bool = True, field: str = "content") -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        for at in range(0, len(text), 6):
            say.delta({field: text[at : at + 6]})
        say.finish("stop", usage=usage)

    return play


def _reason(say: Exchange) -> None:
    say.delta({"reasoning_content": "25 schools "})
    say.delta({"reasoning": "in all."})
    say.delta({"content": "There are 25 schools."})
    say.finish("stop")


def _usagemid(say: Exchange) -> None:
    say.delta({"content": "Twelve "}, usage={**USAGE, "completion_tokens": 1})
    say.delta({"content": "schools."}, usage=USAGE)
    say.finish("stop", usage=False)


def _rep(say: Exchange) -> None:
    for _ in range(130):
        say.delta({"content": "0, 0"})
    say.finish("stop")


def _crlf(say: Exchange) -> None:
    payload = json.dumps(
        say.chunk([{"index": 0, "delta": {"content": "街道B有8所学校"}, "finish_reason": None}]), ensure_ascii=False
    )
    say.raw(b": keep-alive\r\n\r\n")
    whole = f"data: {payload}\r\n\r\n".encode()
    middle = whole.index("街".encode()) + 1  # inside a character
    say.raw(whole[:middle])
    say.raw(whole[middle:])
    say.finish("stop")


def _nousageoption(say: Exchange) -> None:
    if "stream_options" in say.body:
        say.error(400, "Unrecognized request argument supplied: stream_options")
    else:
        _text("Fine without.")(say)


def _status429(say: Exchange) -> None:
    say.error(429, "Rate limit reached for key sk-secret-canary", headers={"Retry-After": "2"})


def _status401(say: Exchange) -> None:
    key = say.server.authorizations[-1].removeprefix("Bearer ")
    say.error(401, f"Incorrect API key provided: {key}. Find your key at /account.", "invalid_api_key")


def _overflow(say: Exchange) -> None:
    say.error(
        400, "This model's maximum context length is 8192 tokens, your messages have 9001.", "context_length_exceeded"
    )


def _onebad(say: Exchange) -> None:
    """Two calls, the second one with arguments that are no JSON."""
    say.call(CALLS[0][1], index=0, id="call_good", type="function", name=CALLS[0][0])
    say.call('{"layer_id": "a" "b"}', index=1, id="call_bad", type="function", name="zoom_to")
    say.finish("tool_calls")


def _lentwo(say: Exchange) -> None:
    """Two calls, of which the length limit cut off the second (acceptance statement AT2)."""
    say.call(CALLS[0][1], index=0, id="call_good", type="function", name=CALLS[0][0])
    say.call('{"layer_id":"schools","where":[{"field"', index=1, id="call_cut", type="function", name="zoom_to")
    say.finish("length")


def _named(name: str) -> Callable[[Exchange], None]:
    def play(say: Exchange) -> None:
        say.call(CALLS[0][1], index=0, id="call_named", type="function", name=name)
        say.finish("tool_calls")

    return play


def _many(say: Exchange) -> None:
    """Thirty parallel calls, their pieces dealt out in turn."""
    for index in range(30):
        say.call("", index=index, id=f"call_{index}", type="function", name="zoom_to")
    for half in (0, 1):
        for index in range(30):
            say.call(halves(json.dumps({"layer_id": f"layer-{index}"}))[half], index=index)
    say.finish("tool_calls")


def _bytewise(text: str) -> Callable[[Exchange], None]:
    """Text whose deltas are one character each: every marker in it is cut at every place."""

    def play(say: Exchange) -> None:
        for character in text:
            say.delta({"content": character})
        say.finish("stop")

    return play


def _both(say: Exchange) -> None:
    """The same call as text and as a call: it is meant once."""
    say.delta({"content": HERMES})
    say.call('{"layer_id":"街道"}', index=0, id="call_zoom", type="function", name="zoom_to")
    say.finish("tool_calls")


def _cleancutcall(say: Exchange) -> None:
    say.call('{"layer_id":"scho', index=0, id="call_cut", type="function", name="buffer_layer")
    say.close_body()


def _badmiddle(say: Exchange) -> None:
    """A line that is no JSON between good ones."""
    say.delta({"content": "The answer "})
    say.raw(b"data: {not json at all\n\n")
    say.delta({"content": "is 25."})
    say.finish("stop")


def _lateusage(say: Exchange) -> None:
    say.delta({"content": "There are 25 schools."})
    say.delta({}, "stop")
    say.event("[DONE]")
    say.event(json.dumps(say.chunk([], usage=USAGE)))
    say.close_body()


def _slowfirst(say: Exchange) -> None:
    say.wait(0.4)
    _text("There are 25 schools.")(say)


def _keepalive(say: Exchange) -> None:
    for word in ("There are ", "25 ", "schools."):
        say.raw(b": still here\n\n: and here\n\n")
        say.delta({"content": word})
    say.finish("stop")


def _huge(say: Exchange) -> None:
    say.delta({"content": "8" * HUGE_BYTES})
    say.finish("stop")


def _stream_text(say: Exchange, text: str) -> bytes:
    chunks = [
        say.chunk([{"index": 0, "delta": {"content": text}, "finish_reason": None}]),
        say.chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}]),
        say.chunk([], usage=USAGE),
    ]
    return b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in chunks) + b"data: [DONE]\n\n"


def _gzip(say: Exchange) -> None:
    payload = gzip.compress(_stream_text(say, "There are 25 schools."))
    say.whole(200, payload, {"Content-Encoding": "gzip"}, "text/event-stream")


def _redirect(say: Exchange) -> None:
    if say.path.startswith("/moved"):
        _text("There are 25 schools.")(say)
    else:
        say.whole(307, "", {"Location": "/moved" + say.path})


def whole_answer(say: Exchange, *, usage: bool = True) -> None:
    """One JSON document in place of a stream."""
    message = {"role": "assistant", "content": "There are 25 schools."}
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": say.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    say.whole(200, json.dumps({**answer, "usage": USAGE} if usage else answer))


def _nostream(say: Exchange) -> None:
    """A server that cannot stream and says so."""
    if say.body.get("stream"):
        say.error(400, "Streaming is not supported for this model.")
    else:
        whole_answer(say)


def _notools(message: str) -> Callable[[Exchange], None]:
    """A server without function calling: it says so, and its model writes the call as text where it is told how."""

    def play(say: Exchange) -> None:
        if "tools" in say.body:
            say.error(400, message)
        elif "<tool_call>" in str(say.body["messages"][0]["content"]):
            _bytewise(HERMES)(say)
        else:
            _text("What are tools?")(say)

    return play


def _notemperature(say: Exchange) -> None:
    if "temperature" in say.body:
        say.error(400, "Unsupported value: 'temperature' does not support 0.1 with this model.")
    else:
        _text("There are 25 schools.")(say)


def _strict_roles(native: bool) -> Callable[[Exchange], None]:
    """A server with Mistral's chat template (``native``) or with Gemma's, which knows no calls and no results at all."""

    def play(say: Exchange) -> None:
        messages = say.body["messages"]
        rest = messages[1:] if messages[0]["role"] == "system" else messages
        counted = [each for each in rest if not native or (each["role"] != "tool" and not each.get("tool_calls"))]
        if any((each["role"] == "user") != (at % 2 == 0) for at, each in enumerate(counted)):
            say.error(400, "Conversation roles must alternate user/assistant/user/assistant/...")
        else:
            _text("There are 25 schools.")(say)

    return play


def _retryable(status: int, headers: dict[str, str]) -> Callable[[Exchange], None]:
    return lambda say: say.error(status, "slow down", headers=headers)


UNKNOWN = '<tool_call>\n{"name": "buffer_raster", "arguments": {"layer_id": "schools"}}\n</tool_call>'
"""A well-formed call of a tool that nobody offers."""
SCENARIOS: dict[str, Callable[[Exchange], None]] = {
    "normal": _normal,
    "idx0": _idx0,
    "noidx": _noidx,
    "idlate": _idlate,
    "emptyargs": _without_arguments(""),
    "nullargs": _without_arguments(None),
    "dict": _dict,
    "badargs": _one_call("{'layer_id': 'schools', 'dissolve': True,}", "tool_calls"),
    "interleaved": _interleaved,
    "hang": _hang,
    "silent": lambda say: say.stall(),
    "slow": _slow,
    "trunc": _trunc,
    "cleancut": _cleancut,
    "errmid": _errmid,
    "badsse": _badsse,
    "empty": _empty,
    "nothing": lambda say: say.done(),
    "text": _text("There are 25 schools."),
    "nousage": _text("There are 25 schools.", usage=False),
    "reason": _reason,
    "reasononly": _text("I wonder what to do.", field="reasoning_content"),
    "usagemid": _usagemid,
    "nousageoption": _nousageoption,
    "rep": _rep,
    "crlf": _crlf,
    "onebad": _onebad,
    "lentwo": _lentwo,
    "unknowntool": _named("fly_to_the_moon"),
    "prefixed": _named(f"functions.{CALLS[0][0]}"),
    "many": _many,
    "thinktag": _bytewise("<think>\n25, I think.\n</think>\n\nThere are 25 schools."),
    "dsml": _bytewise(DSML),
    "hermes": _bytewise(HERMES),
    "both": _both,
    "thinkcall": _bytewise(f"<think>\nMaybe {HERMES}\n</think>\nThere are 25 schools."),
    "unreadable": _bytewise('Let me look.\n<tool_call>\n{"name": "zoom_to", "arguments": {"layer_id"\n</tool_call>'),
    "cleancutcall": _cleancutcall,
    "badmiddle": _badmiddle,
    "lateusage": _lateusage,
    "slowfirst": _slowfirst,
    "keepalive": _keepalive,
    "huge": _huge,
    "gzip": _gzip,
    "redirect": _redirect,
    "nostream": _nostream,
    "plainjson": whole_answer,
    "plainnousage": lambda say: whole_answer(say, usage=False),
    "notools": _notools("This model does not support tools"),
    "notoolsvllm": _notools('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    "notemperature": _notemperature,
    "strictroles": _strict_roles(native=True),
    "strictwithouttools": _strict_roles(native=False),
    "mistral-strict": _strict_roles(native=True),
    "unknowntext": _bytewise(UNKNOWN),
    "badschema": lambda say: say.error(400, "Invalid schema for function 'zoom_to': 'pattern' is not supported"),
    "retryms": _retryable(429, {"retry-after-ms": "300"}),
    "retrydate": _retryable(503, {"Retry-After": "Wed, 21 Oct 2065 07:28:00 GMT"}),
    "lenfr": _one_call('{"layer_id":"schools","distance_m":10', "length"),
    "stopfr": _one_call('{"layer_id":"schools","distance_m":500}', "stop"),
    "overflow": _overflow,
    "status400": lambda say: say.error(400, "Bad request: unknown field"),
    "status401": _status401,
    "status403": lambda say: say.error(403, "Forbidden"),
    "status404": lambda say: say.error(404, "The model does not exist", "model_not_found"),
    "status429": _status429,
    "quota": lambda say: say.error(429, "You exceeded your current quota", "insufficient_quota"),
    "status500": lambda say: say.error(500, "Internal error"),
    "status502": lambda say: say.whole(502, "<html><body>Bad gateway</body></html>", kind="text/html"),
}
