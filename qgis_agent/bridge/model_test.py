"""What a test of a model can say: a closed list of lines, so that the QGIS side has words for each and the agent invents none.

A line is ``{"check", "code", "state", "facts"}``. ``facts`` are numbers, and names that a server gave (cut and without secrets).
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

OK = "ok"
WARN = "warn"
FAIL = "fail"
NOTE = "note"
"""Neither good nor bad: said so that a person knows."""
SKIPPED = "skipped"
"""Not looked at, because an earlier line failed."""
STATES = (OK, WARN, FAIL, NOTE, SKIPPED)

NOT_TESTED = "not_tested"

CODES: Mapping[str, Mapping[str, str]] = {
    "address": {
        "reached": OK,
        "no_address": FAIL,
        "refused": FAIL,  # nothing listens there
        "unknown_name": FAIL,  # no name server knows the host
        "no_connection": FAIL,
        "no_answer": FAIL,  # connected or not: silence
        "not_encrypted": FAIL,  # https to a server that speaks http
        "certificate_self_signed": FAIL,
        "certificate_expired": FAIL,
        "certificate_other_name": FAIL,
        "certificate_unknown": FAIL,
        "proxy": FAIL,
        "wrong_path": FAIL,  # facts: address (one that works, "" where none was found)
        "web_page": FAIL,  # facts: address
        "empty_body": FAIL,
        "no_model_interface": FAIL,  # JSON or text that is no answer of a model
        "library": FAIL,
        "internal": FAIL,  # facts: kind
    },
    "key": {"accepted": OK, "not_needed": OK, "missing": FAIL, "rejected": FAIL, "used_up": FAIL},
    "model": {
        "answers": OK,  # facts: seconds
        "slow": WARN,  # facts: seconds
        "unknown": FAIL,  # facts: near (names that the server has)
        "rate_limited": FAIL,  # facts: seconds to wait, 0 where it is not said
        "server_failed": FAIL,  # facts: status
        "request_refused": FAIL,  # facts: status
        "empty": FAIL,
        "broke_off": FAIL,
        "no_answer": FAIL,  # facts: seconds
    },
    "stream": {"in_pieces": OK, "one_piece": WARN, "refused": WARN},
    "tools": {
        "called": OK,
        "as_text": WARN,
        "refused": FAIL,
        "not_called": FAIL,
        "bad_arguments": FAIL,
        "failed": FAIL,
    },
    "context": {
        "fits": OK,  # facts: tokens, window (0 where nobody says)
        "tight": WARN,  # facts: tokens, window
        "too_small": FAIL,  # facts: tokens, window
        "cut": FAIL,  # facts: tokens, read
        "forgotten": WARN,  # facts: tokens
        "no_answer": WARN,  # facts: tokens, seconds
        "failed": WARN,
    },
    "pictures": {"seen": OK, "not_seen": NOTE},
}
"""The codes of each check, in the order of the checks, with the state that each means."""
CHECKS = tuple(CODES)


def line(check: str, code: str, **facts: Any) -> Dict[str, Any]:
    """A line of a test. KeyError for a check or code that is not in the list."""
    state = SKIPPED if code == NOT_TESTED and check in CODES else CODES[check][code]
    return {"check": check, "code": code, "state": state, "facts": facts}


def is_line(value: Any) -> bool:
    """Whether a value from the bridge is a line of the list."""
    if not isinstance(value, dict) or not isinstance(value.get("facts"), dict):
        return False
    check, code = value.get("check"), value.get("code")
    if not isinstance(check, str) or not isinstance(code, str) or check not in CODES:
        return False
    return value.get("state") == (SKIPPED if code == NOT_TESTED else CODES[check].get(code))
