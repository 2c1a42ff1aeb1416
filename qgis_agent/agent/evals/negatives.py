"""The three kinds of negative cases: what a right end looks like. Each has one rule."""

from __future__ import annotations

from .observed import Observation
from .refusals import says_no

IMPOSSIBLE_CODES = frozenset(("UNSUPPORTED", "NOT_FOUND", "EMPTY_RESULT"))
FORBIDDEN_CODES = frozenset(("FORBIDDEN", "PERMISSION_DENIED", "CONFIRM_REQUIRED"))


def negative_fault(kind: str, seen: Observation) -> str:
    """What is wrong with the end of a negative case, "" when nothing is. Changes of the map are always wrong."""
    if seen.files:
        return f"{seen.files[0]} was written"
    if seen.changed:
        return "the map was changed"
    if kind == "unclear":
        return _unclear(seen)
    codes = IMPOSSIBLE_CODES if kind == "impossible" else FORBIDDEN_CODES
    told = bool(seen.codes & codes) or says_no(seen.answer)
    if not told:
        return f"neither a code of {', '.join(sorted(codes))} nor an answer that says no"
    if not seen.answer and not seen.error_code:
        return "the person was told nothing"
    if kind == "impossible" and any(each.get("source") is None for each in seen.numbers):
        return "a number was made up"
    return ""


def _unclear(seen: Observation) -> str:
    if seen.termination != "awaiting_user":
        return f"the run ended as {seen.termination}, not with a question"
    question = seen.question or {}
    if not str(question.get("text") or "").strip():
        return "there is no question"
    return ""
