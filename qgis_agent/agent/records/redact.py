"""The redactor of the agent process: the one of both sides (``bridge/redaction.py``)."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from ...bridge.redaction import HIDDEN, MIN_SECRET, Redactor

__all__ = ["HIDDEN", "MIN_SECRET", "Redactor", "know_proxies"]


def know_proxies(redactor: Redactor) -> None:
    """Hide the passwords of the proxies in this process's variables, also as they were before they were percent-encoded."""
    for name, value in os.environ.items():
        if not name.upper().endswith("_PROXY") or "@" not in value:
            continue
        redactor.know_all_in(value)
        try:
            password = urlsplit(value).password
        except ValueError:
            continue
        redactor.know(unquote(password or ""))
