"""AT22, the ledger alone: each misuse of a token has a reason of its own, and of many tries at once one succeeds at most.

What goes through ``Calls`` is in test_at22_tokens.py.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from qgis_agent.gis.approvals import TOKEN_TTL_S, Capability, Ledger
from qgis_agent.gis.errors import ToolError


@dataclass
class Clock:
    """Seconds that a test sets."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Clock())


def issue(ledger: Ledger, **more: str) -> Capability:
    given = {"caller": "mcp", "session_id": "s", "run_id": "r", "project_id": "p", **more}
    return ledger.issue(level="safe_write", **given)


def made(ledger: Ledger, *, armed: bool = True) -> str:
    """The token of a write that was previewed in the state "as shown"."""
    token = ledger.prepare(
        issue(ledger), "prepare_x", {"a": 1}, state="as shown", card={}, reversible=True, commit=lambda: None
    )
    if armed:
        ledger.arm(token)
    return token


def why(ledger: Ledger, token: Any, state: str = "as shown", arguments: Any = None, **more: str) -> str:
    """The reason of the refusal, "" for none."""
    try:
        ledger.redeem(token, issue(ledger, **more), lambda _pending: state, arguments)
    except ToolError as error:
        assert error.envelope["code"] == "CONFIRM_REQUIRED" and error.envelope["hint"]
        assert not error.envelope["retryable"]
        return str(error.envelope["reason"])
    return ""


def replayed(ledger: Ledger) -> str:
    token = made(ledger)
    assert why(ledger, token) == ""
    return why(ledger, token)


def expired(ledger: Ledger) -> str:
    token = made(ledger)
    ledger.clock.now += TOKEN_TTL_S + 0.1
    return why(ledger, token)


def refused(ledger: Ledger) -> str:
    token = made(ledger, armed=False)
    ledger.void(token)
    ledger.arm(token)  # a click that comes after the no arms nothing
    return why(ledger, token)


def closed(ledger: Ledger) -> str:
    token = made(ledger)
    ledger.project_changed()
    return why(ledger, token)


MISUSES: dict[str, tuple[Callable[[Ledger], str], str]] = {
    "replay": (replayed, "used"),
    "altered arguments": (lambda each: why(each, made(each), arguments={"a": 2}), "args_changed"),
    "an argument more": (lambda each: why(each, made(each), arguments={"a": 1, "b": None}), "args_changed"),
    "other session": (lambda each: why(each, made(each), session_id="t"), "other_session"),
    "other caller": (lambda each: why(each, made(each), caller="cli"), "other_caller"),
    "other project": (lambda each: why(each, made(each), project_id="q"), "other_project"),
    "expired": (expired, "expired"),
    "changed layer": (lambda each: why(each, made(each), "otherwise"), "state_changed"),
    "gone layer": (lambda each: why(each, made(each), ""), "state_changed"),
    "not armed": (lambda each: why(each, made(each, armed=False)), "not_armed"),
    "refused by the person": (refused, "voided"),
    "project closed": (closed, "voided"),
    "invented": (lambda each: why(each, "x" * 32), "unknown_token"),
    "part of one": (lambda each: why(each, made(each)[:-1]), "unknown_token"),
    "no text": (lambda each: why(each, ["x"]), "unknown_token"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_at22_each_misuse_has_a_reason_of_its_own(ledger: Ledger, name: str) -> None:
    misuse, reason = MISUSES[name]
    assert misuse(ledger) == reason


def test_at22_the_reasons_are_distinct() -> None:
    """Nine kinds of misuse, nine reasons."""
    kinds = (
        "replay", "altered arguments", "other session", "other caller", "other project", "expired", "changed layer",
        "not armed", "invented",
    )  # fmt: skip
    assert len({MISUSES[each][1] for each in kinds}) == len(kinds)


def test_at22_the_same_arguments_and_state_are_accepted(ledger: Ledger) -> None:
    """Whatever the order of the keys; to the last second; a refusal does not use the token up."""
    token = ledger.prepare(
        issue(ledger), "t", {"a": 1, "b": 2}, state="", card={}, reversible=True, commit=lambda: None
    )
    ledger.arm(token)
    ledger.clock.now += TOKEN_TTL_S
    assert why(ledger, token, "otherwise") == "state_changed"
    assert why(ledger, token, "", arguments={"b": 2, "a": 1}) == ""


def test_at22_tokens_are_random() -> None:
    """At least 128 bits, no two alike, none told by its arguments."""
    ledger = Ledger(Clock())
    tokens = {made(ledger) for _ in range(200)}
    assert len(tokens) == 200 and min(map(len, tokens)) >= 22  # 22 characters of base 64 are 132 bits


@pytest.mark.parametrize("state", ["as shown", "otherwise"])
def test_at22_of_20_concurrent_tries_one_succeeds_at_most(ledger: Ledger, state: str) -> None:
    """Threads that meet in the look at the state, the slowest step; none succeeds where it has changed."""
    token, own = made(ledger), issue(ledger)
    together, slow = threading.Barrier(20), threading.Event()
    reasons: list[str] = []

    def look(_pending: Any) -> str:
        slow.wait(0.05)
        return state

    def attempt() -> None:
        together.wait()
        try:
            ledger.redeem(token, own, look)
        except ToolError as error:
            reasons.append(str(error.envelope["reason"]))
        else:
            reasons.append("")

    threads = [threading.Thread(target=attempt) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(reasons) == 20
    if state == "as shown":
        assert sorted(reasons) == ["", *["used"] * 19]
    else:
        assert set(reasons) <= {"used", "state_changed"} and "state_changed" in reasons


def test_at22_a_look_at_the_state_that_breaks_uses_nothing_up(ledger: Ledger) -> None:
    token = made(ledger)

    def broken(_pending: Any) -> str:
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError):
        ledger.redeem(token, issue(ledger), broken)
    assert why(ledger, token) == ""
