"""Two peers joined back to back: requests, answers, cancel, close, and what is malformed."""

from __future__ import annotations

from typing import Any

from qgis_agent.bridge.messages import INVALID_REQUEST, METHOD_NOT_FOUND, PEER_CLOSED
from qgis_agent.bridge.peer import Incoming, Peer, RpcError


class Side:
    """One end with a log of all that reached it."""

    def __init__(self, prefix: str) -> None:
        self.requests: list[Incoming] = []
        self.notes: list[tuple[str, dict[str, Any]]] = []
        self.logs: list[str] = []
        self.sent: list[bytes] = []
        self.peer = Peer(
            self.sent.append, self.requests.append, lambda m, p: self.notes.append((m, p)), self.logs.append, prefix
        )


def pair() -> tuple[Side, Side]:
    """Two sides; ``pump`` carries the bytes."""
    return Side("a"), Side("b")


def pump(a: Side, b: Side) -> None:
    """Carry bytes until nothing is under way."""
    while a.sent or b.sent:
        for here, there in ((a, b), (b, a)):
            lines, here.sent[:] = list(here.sent), []
            for line in lines:
                there.peer.feed(line)


def test_a_request_is_answered_once() -> None:
    """The first answer counts; the second is dropped."""
    a, b = pair()
    answers: list[Any] = []
    a.peer.request("add", {"x": 1}, lambda result, error: answers.append((result, error)))
    pump(a, b)
    b.requests[0].result(2)
    b.requests[0].result(3)
    b.requests[0].error(METHOD_NOT_FOUND, "late")
    pump(a, b)
    assert answers == [(2, None)]


def test_an_error_answer_has_code_and_message() -> None:
    """Errors cross as JSON-RPC errors."""
    a, b = pair()
    errors: list[RpcError] = []
    a.peer.request("x", {}, lambda _result, error: errors.append(error))
    pump(a, b)
    b.requests[0].error(METHOD_NOT_FOUND, "no such method")
    pump(a, b)
    assert (errors[0].code, errors[0].message) == (METHOD_NOT_FOUND, "no such method")


def test_cancel_reaches_the_open_request_only() -> None:
    """$/cancel calls on_cancel of the open request; one that is answered hears nothing."""
    a, b = pair()
    cancelled: list[str] = []
    first = a.peer.request("one", {}, lambda *_: None)
    second = a.peer.request("two", {}, lambda *_: None)
    pump(a, b)
    for incoming in b.requests:
        incoming.on_cancel = lambda method=incoming.method: cancelled.append(method)
    b.requests[0].result(None)
    pump(a, b)
    a.peer.cancel(first)
    a.peer.cancel(second)
    a.peer.cancel("never made")
    pump(a, b)
    assert cancelled == ["two"]


def test_close_fails_open_requests_and_later_ones() -> None:
    """The end of the process ends every wait, once."""
    a, _ = pair()
    errors: list[RpcError] = []
    a.peer.request("x", {}, lambda _result, error: errors.append(error))
    a.peer.close("gone")
    a.peer.close("gone again")
    a.peer.request("y", {}, lambda _result, error: errors.append(error))
    assert [error.code for error in errors] == [PEER_CLOSED, PEER_CLOSED]


def test_malformed_messages_are_logged_and_answered_never_raised() -> None:
    """Garbage on the line, a wrong version, an answer to nothing: the peer lives on."""
    a, b = pair()
    for line in (b"nonsense\n", b'{"jsonrpc":"1.0"}\n', b'{"jsonrpc":"2.0","id":"zz","result":1}\n', b"[]\n"):
        b.peer.feed(line)
    assert len(b.logs) == 4
    pump(a, b)
    answers: list[Any] = []
    a.peer.request("x", {}, lambda result, _error: answers.append(result))
    pump(a, b)
    b.requests[0].result("alive")
    pump(a, b)
    assert answers == ["alive"]


def test_an_id_in_use_is_refused() -> None:
    """A second request with the id of an open one is an error."""
    _, b = pair()
    b.peer.feed(b'{"jsonrpc":"2.0","id":1,"method":"m"}\n{"jsonrpc":"2.0","id":1,"method":"m"}\n')
    assert len(b.requests) == 1
    assert str(INVALID_REQUEST).encode() in b.sent[0]


def test_a_result_over_the_limit_becomes_an_error() -> None:
    """What does not fit a line is said, not lost."""
    a, b = pair()
    errors: list[RpcError] = []
    a.peer.request("x", {}, lambda _result, error: errors.append(error))
    pump(a, b)
    b.requests[0].result("x" * (2 << 20))
    pump(a, b)
    assert "limit" in errors[0].message
