"""Result handles: full results by unguessable names, and the 4,096-byte budget of what a model sees."""

from __future__ import annotations

import math
import time
import uuid
from collections import OrderedDict
from typing import Any, Callable, Dict, List, Optional

from ..bridge.envelope import Envelope, failure, size_bytes, success
from ..bridge.messages import MAX_RESULT_BYTES
from .errors import FORBIDDEN, NOT_FOUND, ToolError
from .i18n import translate
from .layers import clean_text
from .scope import Seal

TTL_S = 6 * 3600.0
"""A session and a margin; never under 30 minutes."""
MAX_HANDLES = 200
MAX_PAGE = 200
SAMPLES = (5, 2)
_MOST_ROWS = MAX_RESULT_BYTES // 3
"""More rows than this cannot fit: each has two brackets and a comma."""


class StoredResult:
    """A full result: its rows, who may read it, and when it ends."""

    def __init__(
        self,
        rows: List[Any],
        tool: str,
        project_id: str,
        caller: str,
        session_id: str,
        until: float,
        seal: Optional[Seal] = None,
    ) -> None:
        self.rows = rows
        self.seal = seal
        self.tool = tool
        self.project_id = project_id
        self.caller = caller
        self.session_id = session_id
        self.until = until


class ResultStore:
    """Handles of this QGIS. Pages are cut from a snapshot, so that they stay stable while the data changes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._results: OrderedDict[str, StoredResult] = OrderedDict()

    def put(
        self,
        rows: List[Any],
        *,
        tool: str,
        project_id: str,
        caller: str,
        session_id: str,
        seal: Optional[Seal] = None,
    ) -> str:
        """Keep rows; returns the ``result_ref``. ``seal`` tells at each fetch whether they may still be seen."""
        ref = "{}:{}".format(tool, uuid.uuid4())
        self._results[ref] = StoredResult(rows, tool, project_id, caller, session_id, self._clock() + TTL_S, seal)
        while len(self._results) > MAX_HANDLES:
            self._results.popitem(last=False)
        return ref

    def page(
        self, ref: str, cursor: int, page_size: int, *, project_id: str, caller: str, session_id: str
    ) -> Dict[str, Any]:
        """A page that fits the budget: {rows, total, returned, cursor, next}. NOT_FOUND for an unknown, foreign or old handle."""
        rows = self.rows(ref, project_id=project_id, caller=caller, session_id=session_id)
        size = max(1, min(page_size, MAX_PAGE))
        while True:
            page = self._cut(rows, cursor, size)
            if size == 1 or size_bytes(success(page)) <= MAX_RESULT_BYTES - 300:
                return page
            size = max(1, size * 2 // 3)

    def rows(self, ref: str, *, project_id: str, caller: str, session_id: str) -> List[Any]:
        """All rows of a handle, for work inside QGIS. NOT_FOUND for an unknown, foreign or old handle."""
        return self.stored(ref, project_id=project_id, caller=caller, session_id=session_id).rows

    def stored(self, ref: str, *, project_id: str, caller: str, session_id: str) -> StoredResult:
        """What is kept under a handle. NOT_FOUND for an unknown, foreign or old handle, FORBIDDEN where it may not be seen now."""
        stored = self._results.get(ref)
        allowed = stored is not None and (stored.project_id, stored.caller, stored.session_id) == (
            project_id,
            caller,
            session_id,
        )
        if stored is None or not allowed or stored.until < self._clock():
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "This result is no longer kept."),
                hint=translate("QgisAgent", "Ask the question again: the tool gives a new result_ref."),
                reason="result_ref",
            )
        if stored.seal is not None and not stored.seal.holds():
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "This result holds what is outside the agent's scope now."),
                hint=translate("QgisAgent", "Ask the question again: the answer leaves out what is excluded."),
                reason="scope",
            )
        return stored

    @staticmethod
    def _cut(rows: List[Any], cursor: int, size: int) -> Dict[str, Any]:
        part = rows[cursor : cursor + size]
        end = cursor + len(part)
        return {
            "rows": part,
            "total": len(rows),
            "returned": len(part),
            "cursor": cursor,
            "next": end if end < len(rows) else None,
        }

    def clear(self) -> None:
        """Another project: every handle ends."""
        self._results.clear()


def fit(data: Dict[str, Any], message: str, rows_key: str, keep: Callable[[], Optional[str]]) -> Envelope:
    """A success envelope of at most 4,096 bytes.

    Over the budget, the list ``data[rows_key]`` is cut to 5 and then 2 samples, and ``keep()`` stores the full rows and
    gives their handle. What is still too big loses text: long strings, then fields. A number that is none (an area over a
    pole, a mean of infinities) is null: JSON has no other word for it.
    """
    listed = bool(rows_key) and isinstance(data.get(rows_key), list)
    envelope: Optional[Envelope] = None
    if not listed or len(data[rows_key]) <= _MOST_ROWS:  # on the main thread, many rows are not even looked at
        data = finite(data)
        envelope = success(data, message)
    if envelope is not None and size_bytes(envelope) <= MAX_RESULT_BYTES:
        return envelope
    reduced = dict(data)
    if listed:
        ref = keep()
        for samples in SAMPLES:
            reduced = finite({**reduced, rows_key: data[rows_key][:samples]})
            reduced["returned"] = len(reduced[rows_key])
            if ref is not None:
                reduced["result_ref"] = ref
            envelope = success(reduced, message)
            if size_bytes(envelope) <= MAX_RESULT_BYTES:
                return envelope
    return _shorten(reduced, message)


def finite(node: Any) -> Any:
    """JSON data without numbers that JSON has no word for: they are null."""
    if isinstance(node, float):
        return node if math.isfinite(node) else None
    if isinstance(node, dict):
        return {key: finite(value) for key, value in node.items()}
    return [finite(each) for each in node] if isinstance(node, (list, tuple)) else node


def _shorten(data: Dict[str, Any], message: str) -> Envelope:
    note = translate("QgisAgent", "Shortened to fit; ask for fewer fields.")
    text = clean_text("{} {}".format(message, note).strip(), 400)
    for length in (200, 80, 30, 12):
        envelope = success(_clip(data, length, 60), text)
        if size_bytes(envelope) <= MAX_RESULT_BYTES:
            return envelope
    for items in (30, 12, 5, 2):
        envelope = success(_clip(data, 12, items), text)
        if size_bytes(envelope) <= MAX_RESULT_BYTES:
            return envelope
    return success({"result_ref": data.get("result_ref")}, text)


def _clip(node: Any, length: int, items: int) -> Any:
    if isinstance(node, str):
        return node if len(node) <= length else node[:length] + "…"
    if isinstance(node, list):
        return [_clip(each, length, items) for each in node[:items]]
    if isinstance(node, dict):
        kept = list(node.items())[:items]
        return {key: value if key == "result_ref" else _clip(value, length, items) for key, value in kept}
    return node


def fit_failure(envelope: Envelope) -> Envelope:
    """A failed envelope of at most 4,096 bytes: texts are clipped, then options are dropped from the end."""
    if size_bytes(envelope) <= MAX_RESULT_BYTES:
        return envelope
    options = list(envelope.get("data", {}).get("options", []))
    while True:
        shorter = failure(
            envelope["code"],
            clean_text(str(envelope.get("message", "")), 400),
            hint=clean_text(str(envelope.get("hint", "")), 400),
            reason=str(envelope.get("reason", ""))[:60],
            options=_clip(options, 60, 20) if "data" in envelope else None,
        )
        if size_bytes(shorter) <= MAX_RESULT_BYTES or not options:
            return shorter
        options = options[: len(options) // 2]
