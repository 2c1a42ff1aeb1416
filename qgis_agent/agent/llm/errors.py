"""What went wrong with a model call, in a closed vocabulary and in our own words.

A provider's text can hold the key, the prompt or instructions; it is looked at here to tell kinds apart and goes no
further. Exceptions are told by their status and the names of their classes, so that nothing of litellm is imported.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from .types import ModelError

MAX_RETRY_AFTER_S = 3600.0
_OVERFLOW_MARKS = ("context_length_exceeded", "maximum context length", "context window", "prompt is too long")
_QUOTA_MARKS = ("insufficient_quota", "exceeded your current quota", "insufficient balance", "billing")
_CUT_MARK = "ended before a finish_reason"


def model_error(error: BaseException, *, clock: float | None = None) -> ModelError:
    """The ModelError for an exception of a model call. ``clock`` is the time now (``time.time``), for dates in headers."""
    if isinstance(error, ModelError):
        return error
    names = _class_names(error)
    text = text_of(error)
    status = getattr(error, "status_code", None)
    if "ContextWindowExceededError" in names or any(mark in text for mark in _OVERFLOW_MARKS):
        return ModelError(
            "context_overflow",
            "The request is longer than the model can take.",
            hint="Start a new conversation or ask for less.",
        )
    if (
        names & {"Timeout", "APITimeoutError", "TimeoutException", "ReadTimeout", "ConnectTimeout", "TimeoutError"}
        or status == 408
    ):
        return ModelError(
            "timeout", "The model did not answer in time.", hint="Try again, or use a faster model.", retryable=True
        )
    if "MidStreamFallbackError" in names:
        return _broken_stream(error, text)
    if _never_connected(error, names):
        unsure = _untrusted(error)
        if unsure is not None:
            return unsure
        return ModelError(
            "transient",
            "The model's server cannot be reached.",
            hint="Check the address in the settings, the network and whether the server is running.",
            retryable=True,
        )
    if isinstance(status, int):
        return _by_status(status, text, _retry_after(_headers(error), time.time() if clock is None else clock))
    if "ImportError" in names:
        return ModelError(
            "config", "The library that talks to models cannot be loaded.", hint="Build the agent's environment again."
        )
    if names & {"JSONDecodeError", "APIResponseValidationError"}:
        return _unreadable()
    return ModelError(
        "internal",
        f"The model call failed inside the program ({type(error).__name__}).",
        hint="See the log; try again.",
    )


def empty_answer() -> ModelError:
    """The model answered with nothing: no text, no call, no reasoning."""
    return ModelError(
        "bad_answer", "The model gave an empty answer.", hint="Try again, or use another model.", retryable=True
    )


def cut_off() -> ModelError:
    """The stream ended without saying that it had come to its end."""
    return ModelError("transient", "The model's answer broke off before its end.", hint="Try again.", retryable=True)


def after_a_call(error: ModelError) -> ModelError:
    """The same error once a piece of a tool call has come: trying again could repeat what was begun."""
    return ModelError(error.kind, error.message, hint=error.hint, retryable=False, retry_after_s=error.retry_after_s)


def _unreadable() -> ModelError:
    return ModelError(
        "bad_answer",
        "The model's server sent something that is not an answer.",
        hint="Check that the address is that of an OpenAI-compatible interface (it often ends in /v1).",
        retryable=True,
    )


def _broken_stream(error: BaseException, text: str) -> ModelError:
    chain_names = {name for each in chain_of(error) for name in _class_names(each)}
    if "JSONDecodeError" in chain_names or "expecting property name" in text or "expecting value" in text:
        return _unreadable()
    if _CUT_MARK in text or "connection error" in text or chain_names & {"ReadError", "RemoteProtocolError"}:
        return cut_off()
    return ModelError(
        "transient",
        "The model's server reported a failure in the middle of its answer.",
        hint="Try again.",
        retryable=True,
    )


def _never_connected(error: BaseException, names: set[str]) -> bool:
    if _headers(error):
        return False  # an HTTP answer has come
    chain_names = names | {name for each in chain_of(error) for name in _class_names(each)}
    return bool(
        chain_names & {"APIConnectionError", "ConnectError", "ConnectionError", "OSError"}
    ) or "connection error" in text_of(error)


def _untrusted(error: BaseException) -> ModelError | None:
    """The error where the server's certificate, or the proxy, was what failed: trying again would be in vain."""
    said = " ".join(text_of(each) for each in (error, *chain_of(error)))
    if "certificate_verify_failed" in said or "certificate verify failed" in said:
        return ModelError(
            "config",
            "The certificate of the model's server is not trusted here.",
            hint="Add your organisation's certificate authority in QGIS's settings (Options > Authentication).",
        )
    if "407" in said and "proxy" in said:
        return ModelError(
            "config",
            "The proxy wants a user name and a password.",
            hint="Enter them in QGIS's settings (Options > Network).",
        )
    return None


def _by_status(status: int, text: str, retry_after_s: float | None) -> ModelError:
    if status == 402 or (status in (403, 429) and any(mark in text for mark in _QUOTA_MARKS)):
        return ModelError(
            "quota", "The account of the model's provider is used up.", hint="Check the plan or use another model."
        )
    if status in (401, 403):
        return ModelError(
            "auth", "The model's server did not accept the key.", hint="Enter the key again in the settings."
        )
    if status == 404:
        return ModelError(
            "config",
            "The model's server does not know this model or address.",
            hint="Check the model's name and the address.",
        )
    if status == 429:
        return ModelError(
            "rate_limit",
            "The model's server asks for fewer requests.",
            hint="Wait a little, then try again.",
            retryable=True,
            retry_after_s=retry_after_s,
        )
    if status == 409 or status >= 500:
        return ModelError(
            "transient",
            f"The model's server failed (HTTP {status}).",
            hint="Try again in a moment.",
            retryable=True,
            retry_after_s=retry_after_s,
        )
    return ModelError(
        "config",
        f"The model's server refused the request (HTTP {status}).",
        hint="Check the model's name, and that this model can use tools.",
    )


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as an HTTP date; None when it is not said."""
    milliseconds = _number(headers.get("retry-after-ms"))
    seconds = milliseconds / 1000 if milliseconds is not None else _number(headers.get("retry-after"))
    if seconds is None:
        try:
            seconds = parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _headers(error: BaseException) -> Mapping[str, str]:
    raw: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in raw.items()}


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """What lies behind an exception, at most eight deep."""
    seen = 0
    behind = _behind(error)
    while behind is not None and seen < 8:
        yield behind
        seen += 1
        behind = _behind(behind)


def _behind(error: BaseException) -> BaseException | None:
    original = getattr(error, "original_exception", None)
    return original if isinstance(original, BaseException) else error.__cause__ or error.__context__


def _class_names(error: BaseException) -> set[str]:
    return {each.__name__ for each in type(error).__mro__}


def text_of(error: BaseException) -> str:
    """What an exception of litellm says, in lower case: to tell kinds apart, never to be shown."""
    return f"{error} {getattr(error, 'code', '') or ''} {getattr(error, 'body', '') or ''}".lower()
