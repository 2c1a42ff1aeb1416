"""Lines in, messages out: newline-delimited JSON with a limit, tolerant of garbage."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Tuple, Union

from .messages import MAX_LINE_BYTES

Message = Dict[str, Any]


class BadLine:
    """A line that is no message: why, and its first 200 characters for the log."""

    def __init__(self, why: str, start: str) -> None:
        self.why = why
        self.start = start


class LineReader:
    """Collects bytes and gives back whole messages. A line over the limit is dropped up to its end, and reported once."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: List[bytes] = []
        self._size = 0
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[Union[Message, BadLine]]:
        """Yield what ``data`` completes: messages, and BadLine for what could not be read."""
        lines = data.split(b"\n")
        for piece in lines[:-1]:
            yield from self._end_of_line(piece)
        yield from self._append(lines[-1])

    def _append(self, piece: bytes) -> Iterator[BadLine]:
        if self._skipping or not piece:
            return
        self._parts.append(piece)
        self._size += len(piece)
        if self._size > self._limit:
            start = b"".join(self._parts)[:200].decode("utf-8", "replace")
            self._parts, self._size, self._skipping = [], 0, True
            yield BadLine("line longer than {} bytes".format(self._limit), start)

    def _end_of_line(self, piece: bytes) -> Iterator[Union[Message, BadLine]]:
        yield from self._append(piece)
        line, skipped = b"".join(self._parts), self._skipping
        self._parts, self._size, self._skipping = [], 0, False
        if skipped or not line.strip():
            return
        yield parse_line(line)


def _no_constant(name: str) -> Any:
    raise ValueError("{} is not JSON".format(name))


def parse_line(line: bytes) -> Union[Message, BadLine]:
    """One line to one message. Never raises: what is wrong comes back as BadLine."""
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return BadLine("not JSON: {}".format(error), line[:200].decode("utf-8", "replace"))
    if not isinstance(message, dict):
        return BadLine("not a JSON object", line[:200].decode("utf-8", "replace"))
    return message


def encode_line(message: Message) -> bytes:
    """One message to one line. Raises ValueError when it is over the limit or holds NaN."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    line = text.encode("utf-8", "replace") + b"\n"
    if len(line) > MAX_LINE_BYTES:
        raise ValueError("message of {} bytes is over the limit of {}".format(len(line), MAX_LINE_BYTES))
    return line


def classify(message: Message) -> Tuple[str, str]:
    """What a message is: ("request"|"notification"|"response"|"invalid", why it is invalid)."""
    has_id = isinstance(message.get("id"), (int, str)) and not isinstance(message.get("id"), bool)
    if message.get("jsonrpc") != "2.0":
        return "invalid", "jsonrpc is not 2.0"
    if isinstance(message.get("method"), str):
        if not isinstance(message.get("params", {}), dict):
            return "invalid", "params is not an object"
        return ("request", "") if has_id else ("notification", "")
    if has_id and ("result" in message) != ("error" in message):
        return "response", ""
    return "invalid", "neither a request, a notification nor a response"
