"""The redactor of the agent process: the one of both sides (``bridge/redaction.py``)."""

from __future__ import annotations

from ...bridge.redaction import HIDDEN, MIN_SECRET, Redactor

__all__ = ["HIDDEN", "MIN_SECRET", "Redactor"]
