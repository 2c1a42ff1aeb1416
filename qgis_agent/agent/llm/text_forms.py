"""From a piece of markup to the calls in it. Strict: what is not closed or has anything left over is no call at all."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from .text_markup import Tag, closes, closing_tag, may_become_tag, names_in, tag_at

_DECODER = json.JSONDecoder(strict=False)  # line breaks in strings: the argument ladder escapes them
_SPACE = re.compile(r"\s*")
_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL | re.IGNORECASE)
_FENCED_SO_FAR = re.compile(r"```(?:j|js|jso|json)?\s*(?:\{.*)?", re.DOTALL | re.IGNORECASE)


class RecoveredCall(NamedTuple):
    """A call that was written as text. ``arguments_json`` goes through the argument ladder like any other."""

    name: str
    arguments_json: str


class Block(NamedTuple):
    """Markup up to ``end``. Not ``readable``: it has no calls; ``names`` are the tools that it mentions."""

    end: int
    calls: tuple[RecoveredCall, ...]
    readable: bool
    names: tuple[str, ...]


class _Unfinished(Exception):
    """The text ends before the markup does."""


class _Unreadable(Exception):
    """The markup is broken, whatever comes. ``end`` is where it ends, None: at its first closing tag."""

    def __init__(self, end: int | None = None) -> None:
        super().__init__()
        self.end = end


def read_block(text: str, opening: Tag, *, final: bool) -> Block | None:
    """The block that ``opening`` begins, None when more text is needed. ``final``: no more will come."""
    try:
        end, calls = _read(text, opening)
        return Block(end, calls, True, tuple(call.name for call in calls))
    except _Unfinished:
        ending: int | None = len(text)
        if not final:
            return None
    except _Unreadable as problem:
        ending = problem.end
    if ending is None:
        close = closing_tag(text, opening.end, opening)
        if close is None and not final:
            return None
        ending = len(text) if close is None else close.end
    return Block(ending, (), False, tuple(names_in(text[opening.start : ending])))


def _read(text: str, opening: Tag) -> tuple[int, tuple[RecoveredCall, ...]]:
    if opening.kind in ("function", "invoke"):
        end, call = _read_call(text, opening)
        return end, (call,)
    if opening.kind not in ("tool_call", "calls"):
        raise _Unreadable
    at = _skip(text, opening.end)
    if opening.kind == "tool_call" and text[at] == "{":
        close = _closing_after_json(text, at, opening)
        call_or_none = call_of_json(text[at : close.start])
        if call_or_none is None:
            raise _Unreadable(close.end)
        return close.end, (call_or_none,)
    calls: list[RecoveredCall] = []
    while True:
        at = _skip(text, at)
        tag = _tag(text, at)
        if closes(tag, opening) and calls:
            return tag.end, tuple(calls)
        if tag.closing or tag.kind not in ("function", "invoke"):
            raise _Unreadable
        at, call = _read_call(text, tag)
        calls.append(call)


def _read_call(text: str, opening: Tag) -> tuple[int, RecoveredCall]:
    """One function or invoke: parameters, or one JSON object in their place."""
    at = _skip(text, opening.end)
    if text[at] == "{":
        close = _closing_after_json(text, at, opening)
        body = text[at : close.start].strip()
        if not isinstance(_loaded(body), dict):
            raise _Unreadable
        return close.end, RecoveredCall(opening.name, body)
    values: dict[str, str] = {}
    while True:
        at = _skip(text, at)
        tag = _tag(text, at)
        if closes(tag, opening):
            members = (f"{json.dumps(key, ensure_ascii=False)}: {value}" for key, value in values.items())
            return tag.end, RecoveredCall(opening.name, "{" + ", ".join(members) + "}")
        if tag.closing or tag.kind != "parameter" or tag.name in values:
            raise _Unreadable
        close_or_none = closing_tag(text, tag.end, tag)
        if close_or_none is None:
            raise _Unfinished
        raw = text[tag.end : close_or_none.start]
        if _holds_parameter(raw, tag):
            raise _Unreadable  # one of the two is not closed; which value ends where is a guess
        values[tag.name] = _value(raw, tag)
        at = close_or_none.end


def _holds_parameter(raw: str, outer: Tag) -> bool:
    tags = (tag_at(raw, found.start()) for found in re.finditer("<", raw))
    return any(tag is not None and tag.kind == "parameter" and tag.dsml == outer.dsml for tag in tags)


def _value(raw: str, tag: Tag) -> str:
    """The JSON text of a value. It is a string unless DSML says otherwise: coercing is the argument ladder's work."""
    if tag.json_value and _loaded(raw) is not _NOTHING:
        return raw.strip()
    if tag.json_value is None:
        raw = (
            raw.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
        )  # Qwen's form has own lines
    return json.dumps(raw, ensure_ascii=False)


def _skip(text: str, at: int) -> int:
    """Past white space. Raises _Unfinished at the end of the text."""
    found = _SPACE.match(text, at)
    at = at if found is None else found.end()
    if at >= len(text):
        raise _Unfinished
    return at


def _tag(text: str, at: int) -> Tag:
    tag = tag_at(text, at)
    if tag is not None:
        return tag
    if text[at] == "<" and may_become_tag(text, at):
        raise _Unfinished
    raise _Unreadable


def _closing_after_json(text: str, start: int, opening: Tag) -> Tag:
    """The first closing tag of ``opening`` that is not within a string of the JSON from ``start`` on."""
    at, in_string = start, False
    while True:
        close = closing_tag(text, at, opening)
        if close is None:
            raise _Unfinished
        in_string = _in_string(text[at : close.start], in_string)
        if not in_string:
            return close
        at = close.start + 1


def _in_string(piece: str, inside: bool) -> bool:
    """Whether a JSON string is open after ``piece``."""
    quotes = re.sub(r"\\.", "", piece, flags=re.DOTALL).count('"')
    return inside != (quotes % 2 == 1)


_NOTHING = object()


def _loaded(text: str) -> object:
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return _NOTHING
    return value


def call_of_json(text: str, *, exact: bool = False) -> RecoveredCall | None:
    """The call of an object with ``name`` and ``arguments``, None when it is anything else.

    ``exact``: these two keys and no other spelling. Else ``parameters`` will do for ``arguments``, and none means no arguments.
    The arguments keep the text that the model wrote; a string is taken as the JSON text that it holds.
    """
    try:
        members = _members(text.strip())
        name = json.loads(members.pop("name", "null"))
    except (ValueError, IndexError, RecursionError):
        return None
    if not isinstance(name, str) or not name or (exact and set(members) != {"arguments"}):
        return None
    if not set(members) <= {"arguments", "parameters"} or len(members) > 1:
        return None
    raw = next(iter(members.values()), "{}")
    value = _loaded(raw)
    if isinstance(value, str):
        return RecoveredCall(name, value)
    return RecoveredCall(name, "{}" if value is None else raw)


def _members(text: str) -> dict[str, str]:
    """The members of a JSON object with the text of each value. Raises ValueError or IndexError for anything else."""
    members: dict[str, str] = {}
    if text[0] != "{" or not isinstance(_loaded(text), dict):
        raise ValueError("not an object")
    at = _past(text, 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        if key in members:
            raise ValueError("a key comes twice")
        start = _past(text, _past(text, at) + 1)
        _, at = _DECODER.raw_decode(text, start)
        members[key] = text[start:at]
        at = _past(text, at)
        at = _past(text, at + 1) if text[at] == "," else at
    return members


def _past(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def may_be_bare_call(message: str) -> bool:
    """Whether a message that begins so could be one JSON object, bare or in one fence."""
    return message.startswith("{") or "```".startswith(message) or _FENCED_SO_FAR.fullmatch(message) is not None


def bare_call(message: str) -> RecoveredCall | None:
    """The call of a message that is nothing but one object with exactly ``name`` and ``arguments``."""
    text = message.strip()
    fenced = _FENCED.fullmatch(text)
    return call_of_json(fenced[1] if fenced else text, exact=True)
