"""Exceptions of a model call as a closed vocabulary. The exceptions here only look like litellm's: names and attributes."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from qgis_agent.agent.llm.errors import after_a_call, cut_off, empty_answer, model_error
from qgis_agent.agent.llm.types import ErrorKind, ModelError

SECRET = "sk-canary-secret"


def provider_error(
    name: str, text: str = SECRET, status: int | None = None, headers: dict[str, str] | None = None
) -> Exception:
    """An exception of class ``name`` with the attributes that litellm's have."""
    error: Any = type(name, (Exception,), {})(text)
    if status is not None:
        error.status_code = status
    if headers is not None:
        error.response = type("Response", (), {"headers": headers})()
    return error  # type: ignore[no-any-return]


HTTP = {"content-type": "application/json"}
CASES: list[tuple[Exception, str, bool]] = [
    (provider_error("AuthenticationError", status=401, headers=HTTP), "auth", False),
    (provider_error("APIError", status=403, headers=HTTP), "auth", False),
    (provider_error("APIError", "insufficient balance " + SECRET, 402, HTTP), "quota", False),
    (provider_error("RateLimitError", "insufficient_quota", 429, HTTP), "quota", False),
    (provider_error("RateLimitError", status=429, headers=HTTP), "rate_limit", True),
    (provider_error("NotFoundError", status=404, headers=HTTP), "config", False),
    (provider_error("BadRequestError", status=400, headers=HTTP), "config", False),
    (provider_error("BadRequestError", "context_length_exceeded", 400, HTTP), "context_overflow", False),
    (provider_error("ContextWindowExceededError", status=400, headers=HTTP), "context_overflow", False),
    (provider_error("InternalServerError", status=500, headers=HTTP), "transient", True),
    (provider_error("BadGatewayError", status=502, headers=HTTP), "transient", True),
    (provider_error("Timeout", status=408), "timeout", True),
    (TimeoutError(SECRET), "timeout", True),
    (provider_error("InternalServerError", "Connection error.", 500, {}), "transient", True),
    (ConnectionRefusedError(SECRET), "transient", True),
    (
        provider_error("MidStreamFallbackError", "Stream ended before a finish_reason was received", 500, {}),
        "transient",
        True,
    ),
    (provider_error("MidStreamFallbackError", SECRET, 500, {}), "transient", True),
    (provider_error("MidStreamFallbackError", "Expecting property name enclosed", 500, {}), "bad_answer", True),
    (json.JSONDecodeError(SECRET, "x", 0), "bad_answer", True),
    (ModuleNotFoundError("litellm"), "config", False),
    (KeyError(SECRET), "internal", False),
    (empty_answer(), "bad_answer", True),
    (cut_off(), "transient", True),
]


@pytest.mark.parametrize(
    ("error", "kind", "retryable"), CASES, ids=[f"{type(each[0]).__name__}-{each[1]}" for each in CASES]
)
def test_kinds(error: Exception, kind: str, retryable: bool) -> None:
    found = model_error(error)
    assert (found.kind, found.retryable) == (kind, retryable)
    assert kind in get_args(ErrorKind)
    assert found.message and found.hint
    assert SECRET not in found.message + found.hint + repr(found) + str(found.args)


def test_nothing_of_the_provider_hangs_on_the_error() -> None:
    found = model_error(provider_error("AuthenticationError", status=401, headers=HTTP))
    assert found.__cause__ is None and found.__context__ is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 06:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 05:00:00 GMT"}, 0.0),
        ({"retry-after": "99999999"}, 3600.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"x": "y"}, None),
    ],
)
def test_the_wait_that_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    now = 1796018400.0  # 30 Nov 2026 06:00:00 UTC
    assert (
        model_error(provider_error("RateLimitError", status=429, headers=headers), clock=now).retry_after_s == seconds
    )


def test_after_a_piece_of_a_call_nothing_is_tried_again() -> None:
    before = ModelError("rate_limit", "m", hint="h", retryable=True, retry_after_s=2.0)
    after = after_a_call(before)
    assert (after.kind, after.message, after.hint, after.retry_after_s, after.retryable) == (
        "rate_limit",
        "m",
        "h",
        2.0,
        False,
    )
