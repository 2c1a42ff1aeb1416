"""The envelope that every tool returns, and the closed list of its codes (design section 4)."""

from __future__ import annotations

import difflib
import json
from typing import Any, Dict, Iterable, List, Optional

INVALID_PARAM = "INVALID_PARAM"
NOT_FOUND = "NOT_FOUND"
AMBIGUOUS = "AMBIGUOUS"
FORBIDDEN = "FORBIDDEN"
PERMISSION_DENIED = "PERMISSION_DENIED"
CONFIRM_REQUIRED = "CONFIRM_REQUIRED"
TIMEOUT = "TIMEOUT"
UPSTREAM_ERROR = "UPSTREAM_ERROR"
RATE_LIMITED = "RATE_LIMITED"
UNSUPPORTED = "UNSUPPORTED"
CANCELLED = "CANCELLED"

RETRYABLE = {
    INVALID_PARAM: True,
    NOT_FOUND: True,
    AMBIGUOUS: False,
    FORBIDDEN: False,
    PERMISSION_DENIED: False,
    CONFIRM_REQUIRED: False,
    TIMEOUT: True,
    UPSTREAM_ERROR: True,
    RATE_LIMITED: True,
    UNSUPPORTED: False,
    CANCELLED: False,
}
CODES = tuple(RETRYABLE)
HOST_RETRIED = (TIMEOUT, UPSTREAM_ERROR, RATE_LIMITED)
"""Codes that the host itself tries again, read tools only, twice, with back-off."""

Envelope = Dict[str, Any]


def success(data: Any, message: str = "") -> Envelope:
    """An ``ok`` envelope. ``data`` is plain JSON data without geometry."""
    return {"ok": True, "data": data, "message": message}


def failure(
    code: str, message: str, *, hint: str = "", reason: str = "", options: Optional[List[Dict[str, Any]]] = None
) -> Envelope:
    """A failed envelope.

    ``message`` says what is wrong, ``hint`` how to put it right (nearest valid names, allowed values), ``reason`` is the
    finer cause. Raises ValueError for a code outside the closed list.
    """
    if code not in RETRYABLE:
        raise ValueError("unknown envelope code: {!r}".format(code))
    envelope: Envelope = {
        "ok": False,
        "code": code,
        "reason": reason,
        "message": message,
        "hint": hint,
        "retryable": RETRYABLE[code],
    }
    if options is not None:
        envelope["data"] = {"options": options}
    return envelope


class ToolError(Exception):
    """Raised by a handler to end its call with a failed envelope."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        reason: str = "",
        options: Optional[List[Dict[str, Any]]] = None,
    ) -> None:
        super().__init__(message)
        self.envelope = failure(code, message, hint=hint, reason=reason, options=options)


def encode(value: Any) -> str:
    """Compact JSON with the characters as they are: the one serialisation that budgets are counted in."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def size_bytes(value: Any) -> int:
    """Bytes of ``value`` as compact UTF-8 JSON. A lone surrogate counts as one replacement character."""
    return len(encode(value).encode("utf-8", "replace"))


MAX_LOOKED_AT = 400
"""Characters of a wrong name that are compared: no name of ours is longer, and a megabyte would hold the main thread."""


def nearest(name: str, valid: Iterable[str], count: int = 3) -> List[str]:
    """The valid names that look most like ``name``, best first, without regard to case."""
    names = list(dict.fromkeys(valid))
    folded: Dict[str, str] = {}
    for each in names:
        folded.setdefault(each.casefold(), each)
    wanted = name[:MAX_LOOKED_AT].casefold()
    close = difflib.get_close_matches(wanted, list(folded), n=count, cutoff=0.4)
    inside = [key for key in folded if wanted and (wanted in key or key in wanted) and key not in close]
    return [folded[key] for key in close + inside][:count]


def hint_for_name(name: str, valid: Iterable[str], what: str) -> str:
    """ "Did you mean …?", or the list of what there is, in one sentence. At most 12 names are listed."""
    names = list(dict.fromkeys(valid))
    if not names:
        return "There is no {} here.".format(what)
    close = nearest(name, names)
    if close:
        return "Did you mean {}?".format(" or ".join(repr(each) for each in close))
    more = "" if len(names) <= 12 else " and {} more".format(len(names) - 12)
    return "Valid {}: {}{}.".format(what, ", ".join(repr(each) for each in names[:12]), more)
