"""The requests of a test of a model, and one of them carried out: the way is the one of every run (``connection.py``)."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import time
import zlib
from dataclasses import dataclass, field
from typing import Any

from ...bridge.model_test import line
from .assembler import StreamAssembler
from .connection import Connection, Sampling, chunk_of, content_type, provider_usage
from .content import Content, ContentReader
from .ids import ids_in
from .probe_faults import fault
from .tokens import estimate_tokens
from .types import LLMResponse, ProviderRequest, Usage

NEEDED_TOKENS = 8_000
"""What a request with the tools of the default pack, the map and a short conversation takes: the test sends as much."""
COMFORT_TOKENS = 16_000
"""Under this a conversation is shortened after a few steps."""
ANSWER_TOKENS = 256
TOOL_NAME = "report_number"
TOOL_VALUE = 42
CODE_WORD = "maple-4172"
_SENTENCE = "Line {}: the road leaves the village in the north, crosses the river and ends at the old mill.\n"
_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL_NAME,
        "description": "Reports one whole number.",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer"}},
            "required": ["number"],
            "additionalProperties": False,
        },
    },
}


@dataclass
class Attempt:
    """One request and what came of it. ``failed`` is the line that says why nothing did."""

    answer: LLMResponse | None = None
    content: Content | None = None
    pieces: int = 0
    first_s: float = 0.0
    """Seconds until the first piece of the answer."""
    usage: Usage | None = None
    kind: str = ""
    """The content type that the server named, "" where it is not known."""
    sent: int = 0
    """Tokens of the request, estimated."""
    failed: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What the model wrote, thoughts included, in lower case."""
        if self.answer is None or self.content is None:
            return ""
        return f"{self.content.text} {self.content.thought} {self.answer.reasoning}".lower()


def counting() -> ProviderRequest:
    """A request whose answer has many pieces where the server streams."""
    return _request("Count from 1 to 20 in words, separated by commas. Write nothing else.")


def calling() -> ProviderRequest:
    """A request that asks for a tool."""
    words = f"Call the tool {TOOL_NAME} with the number {TOOL_VALUE}. Do not answer in words."
    return ProviderRequest([{"role": "user", "content": words}], [_TOOL], user_text="", temperature=None)


def long_request(tokens: int = NEEDED_TOKENS) -> ProviderRequest:
    """A request of about ``tokens`` tokens with a word at its very beginning, where what does not fit is cut off first."""
    parts = [f"The code word is {CODE_WORD}.\n"]
    each = estimate_tokens(_SENTENCE.format(1000))
    parts.extend(_SENTENCE.format(number) for number in range(1000, 1000 + tokens // each))
    told = {"role": "system", "content": "".join(parts)}
    asked = {"role": "user", "content": "What is the code word? Answer with the code word only."}
    return ProviderRequest([told, asked], [])


def picture() -> ProviderRequest:
    """A request with a picture that is orange all over: a colour that nobody guesses first."""
    url = "data:image/png;base64," + base64.b64encode(orange_png()).decode()
    asked = {"type": "text", "text": "Which colour is this picture? Answer with one English word."}
    return ProviderRequest([{"role": "user", "content": [asked, {"type": "image_url", "image_url": {"url": url}}]}], [])


def orange_png(size: int = 64) -> bytes:
    """A PNG of ``size`` by ``size`` orange pixels (PNG specification, sections 5 and 11)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\x00" + b"\xff\x80\x00" * size) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def reported(arguments: str) -> bool:
    """Whether the arguments of a call are the ones that were asked for."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("number") == TOOL_VALUE


async def attempt(connection: Connection, request: ProviderRequest, within_s: float) -> Attempt:
    """Carry one request out within ``within_s`` seconds. Raises nothing but CancelledError."""
    done = Attempt(sent=estimate_tokens(*(str(each.get("content", "")) for each in request.messages)))
    started = time.monotonic()
    try:
        await asyncio.wait_for(_read(connection, request, done, started), within_s)
    except asyncio.TimeoutError:  # the built-in one only from Python 3.11 on
        done.failed = line("model", "no_answer", seconds=round(within_s))
    except Exception as error:  # noqa: BLE001  each becomes a line of the closed list
        done.failed = fault(error)
    if done.failed.get("code") == "no_answer":
        done.failed = line("model", "no_answer", seconds=round(time.monotonic() - started))
    return done


async def _read(connection: Connection, request: ProviderRequest, done: Attempt, started: float) -> None:
    length = max(ANSWER_TOKENS, connection.quirks.least_output)
    stream = await connection.open(request, Sampling(None, length, quiet=True))
    done.kind = content_type(stream)
    assembler = StreamAssembler(ids_in(request.messages))
    names = frozenset({TOOL_NAME} if request.tools else ())
    reader = ContentReader(names, bare_json="tools" in connection.refused)

    def take(piece: object) -> None:
        chunk = chunk_of(piece)
        delta = next((each.get("delta") or {} for each in chunk.get("choices") or ()), {})
        reader.feed(assembler.feed(chunk))
        if delta.get("content") or delta.get("reasoning_content") or delta.get("tool_calls"):
            done.first_s = done.first_s or time.monotonic() - started
            done.pieces += 1

    if hasattr(stream, "aclose"):
        try:
            async for piece in stream:
                take(piece)
        finally:
            await stream.aclose()
    else:
        take(stream)
    done.content = reader.finish(native_calls=assembler.has_calls)
    done.answer = assembler.response()
    done.usage = provider_usage(stream)


def _request(words: str) -> ProviderRequest:
    return ProviderRequest([{"role": "user", "content": words}], [])
