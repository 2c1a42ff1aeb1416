"""Lines and messages: what garbage does, and that limits hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgis_agent.bridge.framing import BadLine, LineReader, classify, encode_line, parse_line
from qgis_agent.bridge.messages import MAX_LINE_BYTES

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(st.text(max_size=8), json_values, max_size=4), max_size=5), st.integers(1, 50))
def test_messages_survive_any_split(messages: list, chunk: int) -> None:
    """What is written comes out the same, however the bytes are cut."""
    data = b"".join(encode_line(message) for message in messages)
    reader = LineReader()
    got = [item for start in range(0, len(data), chunk) for item in reader.feed(data[start : start + chunk])]
    assert got == json.loads(json.dumps(messages))


@pytest.mark.parametrize("line", [b"garbage", b"[1,2]", b"{", b'{"a": NaN}', b"\xff\xfe", b"[" * 100_000, b"12"])
def test_garbage_is_reported_and_the_next_line_is_read(line: bytes) -> None:
    """A bad line is one BadLine; the reader goes on."""
    got = list(LineReader().feed(line + b'\n{"a":1}\n'))
    assert isinstance(got[0], BadLine)
    assert got[1:] == [{"a": 1}]


def test_a_line_over_the_limit_is_dropped_once_and_the_next_is_read() -> None:
    """5 MB without a line end: one report, bounded memory, then business as usual."""
    reader = LineReader()
    got = []
    for _ in range(5 * 1024 * 1024 // 65536):
        got.extend(reader.feed(b"x" * 65536))
    got.extend(reader.feed(b'\n{"a":1}\n'))
    assert [type(item) for item in got] == [BadLine, dict]


def test_a_message_over_the_limit_is_not_written() -> None:
    """The writer refuses what the other side would drop."""
    with pytest.raises(ValueError, match="limit"):
        encode_line({"text": "x" * MAX_LINE_BYTES})


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "a"}, "request"),
        ({"jsonrpc": "2.0", "method": "a", "params": {}}, "notification"),
        ({"jsonrpc": "2.0", "id": "x", "result": None}, "response"),
        ({"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}}, "invalid"),
        ({"jsonrpc": "1.0", "id": 1, "method": "a"}, "invalid"),
        ({"jsonrpc": "2.0", "id": True, "method": "a"}, "notification"),
        ({"jsonrpc": "2.0", "id": 1, "method": "a", "params": []}, "invalid"),
        ({}, "invalid"),
    ],
)
def test_classify(message: dict, kind: str) -> None:
    """JSON-RPC 2.0, sections 4 and 5."""
    assert classify(message)[0] == kind


def test_parse_line_never_raises_on_a_lone_surrogate() -> None:
    """A lone surrogate is written as a replacement character and read back."""
    assert isinstance(parse_line(encode_line({"a": "\ud800"}).strip()), dict)
