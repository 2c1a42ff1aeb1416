"""The envelope on the QGIS side. One definition serves both processes (``bridge/envelope.py``)."""

from __future__ import annotations

from ..bridge.envelope import (
    AMBIGUOUS,
    CANCELLED,
    CONFIRM_REQUIRED,
    FORBIDDEN,
    INVALID_PARAM,
    NOT_FOUND,
    PERMISSION_DENIED,
    RATE_LIMITED,
    TIMEOUT,
    UNSUPPORTED,
    UPSTREAM_ERROR,
    Envelope,
    ToolError,
    failure,
    hint_for_name,
    nearest,
    success,
)

__all__ = [
    "AMBIGUOUS",
    "CANCELLED",
    "CONFIRM_REQUIRED",
    "FORBIDDEN",
    "INVALID_PARAM",
    "NOT_FOUND",
    "PERMISSION_DENIED",
    "RATE_LIMITED",
    "TIMEOUT",
    "UNSUPPORTED",
    "UPSTREAM_ERROR",
    "Envelope",
    "ToolError",
    "failure",
    "hint_for_name",
    "nearest",
    "success",
]
