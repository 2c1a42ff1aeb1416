"""From the raw argument text of a call to a dict: strict JSON, or the slips of models that can be read in one way only.

A text that is cut off, holds two objects, or has an escape that could mean two things is never read: ``{"limit": 10`` may
have been meant as 1000.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...bridge.envelope import INVALID_PARAM, Envelope, failure
from .aliases import KeyConflict, fit
from .lenient_reader import (
    HINT_ESCAPE,
    HINT_ONE,
    MAX_DEPTH,
    LenientReader,
    Unreadable,
    finite_number,
    repeated_key,
    unclear_escape,
)

Arguments = dict[str, Any]


class ArgumentError(Exception):
    """Arguments that cannot be used; ``envelope`` is the call's answer."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__(envelope["message"])
        self.envelope = envelope


@dataclass(frozen=True)
class ReadArguments:
    """The arguments of a call, and a note of each thing that was not as it should be."""

    arguments: Arguments
    repairs: tuple[str, ...] = ()


def read_arguments(raw: str, schema: Mapping[str, Any], *, lenient: bool, fitted: bool | None = None) -> ReadArguments:
    """The arguments in ``raw``; empty text is no arguments.

    Not ``lenient``: strict JSON without a repeated key. ``lenient``: also the slips that ``LenientReader`` knows.
    ``fitted``, which goes with ``lenient`` unless given: keys and values are fitted to ``schema`` (see ``aliases.fit``),
    else they are exactly as written. Raises ArgumentError.
    """
    if not raw.strip(" \t\r\n"):
        return ReadArguments({})
    notes: list[str] = []
    try:
        value = _read(raw, notes, lenient)
        if lenient and isinstance(value, str) and value.lstrip().startswith("{"):
            value = _unpacked(value, notes)
        _refuse_unusable(value)
        if not isinstance(value, dict):
            raise Unreadable(f"one JSON object is wanted, not {_kind(value)}")
        if lenient if fitted is None else fitted:
            value, changes = fit(value, schema, lambda text: _read(text, notes, lenient))
            _refuse_unusable(value)  # what was inside strings is looked at as well
            notes += changes
    except Unreadable as error:
        raise ArgumentError(_refusal(error, raw)) from error
    except KeyConflict as error:
        envelope = failure(INVALID_PARAM, str(error), hint=error.hint, reason="tool_arguments")
        raise ArgumentError(envelope) from error
    return ReadArguments(value, tuple(dict.fromkeys(notes)))


def _refusal(error: Unreadable, raw: str) -> Envelope:
    where = ""
    if error.at is not None:
        rest = raw[error.at : error.at + 20]
        where = f" at character {error.at + 1}" + (f", near {rest!r}" if rest else ", where the text ends")
    message = f"the arguments cannot be read as JSON: {error.why}{where}"
    return failure(INVALID_PARAM, message, hint=error.hint, reason="tool_arguments")


def _unpacked(text: str, notes: list[str]) -> Any:
    """The value in a string that is the whole of the arguments."""
    notes.append("arguments: an object in a string")
    try:
        return _read(text, notes, lenient=True)
    except Unreadable as error:
        # A position inside the string would point to another place of the raw text.
        raise Unreadable(f"in the string that is the arguments: {error.why}", None, error.hint) from error


def _read(text: str, notes: list[str], lenient: bool) -> Any:
    try:
        return _read_strictly(text, notes, lenient)
    except Unreadable:
        if not lenient:
            raise
    return LenientReader(text, notes).whole()


def _read_strictly(text: str, notes: list[str], lenient: bool) -> Any:
    try:
        value = json.loads(
            text,
            object_pairs_hook=lambda pairs: _object(pairs, notes, lenient),
            parse_constant=_no_constant,
            parse_float=finite_number,
            parse_int=finite_number,
        )
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise Unreadable("more text follows the value", error.pos, HINT_ONE) from error
        raise Unreadable(error.msg, error.pos) from error
    except RecursionError as error:
        raise Unreadable(f"nested more than {MAX_DEPTH} deep") from error
    for escape in re.finditer(r"\\(.)", text):
        if escape[1] in "bf":
            raise unclear_escape(escape[1], escape.start())
    return value


def _object(pairs: list[tuple[str, Any]], notes: list[str], lenient: bool) -> Arguments:
    made: Arguments = {}
    for key, value in pairs:
        if key in made and not lenient:
            raise Unreadable(f"the key {key[:60]!r} is there twice", hint="Give each parameter once.")
        if key in made:
            notes.append(repeated_key(key))
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise Unreadable(f"{name} is not a number of JSON")


_FILE_KEY = re.compile(r"(?:path|file|folder|directory|dir|filename)$")
_WINDOWS_PATH = re.compile(r"(?:[A-Za-z]:[\\/\t\n\r]|\\)")
_BROKEN_FILE_NAME = re.compile(
    r"[^ ]*[\t\n\r][^ ]*\.(?:csv|dxf|gdb|geojson|gml|gpkg|json|kml|pdf|png|qgs|qgz|shp|sqlite|tiff?|txt|vrt|xlsx|zip)",
    re.IGNORECASE,
)


def _refuse_unusable(value: Any, key: str = "", depth: int = 1) -> None:
    """Raise Unreadable for nesting that is too deep, halves of characters, and paths whose backslashes became breaks."""
    if isinstance(value, (dict, list)):
        if depth > MAX_DEPTH:
            raise Unreadable(f"nested more than {MAX_DEPTH} deep")
        pairs = value.items() if isinstance(value, dict) else [(key, item) for item in value]
        for name, item in pairs:
            _refuse_text(name, "")
            _refuse_unusable(item, name, depth + 1)
    elif isinstance(value, str):
        _refuse_text(value, key)


def _refuse_text(text: str, key: str) -> None:
    if re.search("[\ud800-\udfff]", text):
        raise Unreadable(f"half a character (a lone surrogate) in {key[:60] or 'a string'}", hint=HINT_ESCAPE)
    if re.search("[\t\n\r]", text) is None:
        return
    if _FILE_KEY.search(key.lower()) or _WINDOWS_PATH.match(text) or _BROKEN_FILE_NAME.fullmatch(text):
        raise Unreadable(f"{text[:60]!r} looks like a path with a line break or tab in it", hint=HINT_ESCAPE)


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
