"""Handlers of the pack "write": small tables, such as summaries, as CSV or JSON."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Generator, List, Optional, Sequence

from ...call import Call
from ...cards import write_card
from ...confirm import confirmed
from ...drafts import draft_of, family, move, not_written, remove, require_free, with_suffix
from ...errors import INVALID_PARAM, ToolError
from ...i18n import translate
from ...layers import clean_text
from ...undo.record import new_file_words, record_files
from ...undo.stamps import Stamp, stamps_by_ending
from ...work import Answer, Step, Work
from ...writing.formats import suffixes
from ...writing.table import (
    MAX_RESULT_ROWS,
    MAX_ROWS,
    Rows,
    as_csv,
    as_json,
    checked_rows,
    formula_cells,
    read_back,
    same,
)
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("prepare_export_table", effect="write", runs="task")
def prepare_export_table(
    call: Call,
    path: str,
    format: str = "csv",
    rows: Sequence[Dict[str, Any]] = (),
    result_ref: Optional[str] = None,
    options: Optional[Dict[str, Any]] = None,
) -> Steps:
    """Preview a new file of rows that a tool returned or that the model gives, and write it when the person agrees."""
    wishes = options or {}
    if bool(rows) == bool(result_ref):
        raise _given(translate("QgisAgent", "The rows come from rows or from result_ref: give one of them."))
    target = call.host.paths.writable(with_suffix(path, "." + format, [".json", *suffixes()]))
    given = _stored(call, result_ref) if result_ref else list(rows)
    table = checked_rows(given, wishes.get("columns") or ())
    single = bool(wishes.get("single_object"))
    if single and (format != "json" or len(table) != 1):
        raise _given(translate("QgisAgent", "single_object is for JSON of one row."))
    text = as_json(table, single) if format == "json" else as_csv(table)
    lines = _lines(target, format, table, text, result_ref is not None)
    title = translate("QgisAgent", "Write a new file?")
    card = write_card(call, title, lines, reversible=False, undo_words=new_file_words())
    return (yield from confirmed(call, card, _TableJob(target, format, table, text), reversible=False))


def _stored(call: Call, result_ref: str) -> List[Any]:
    rows = call.host.results.rows(
        result_ref,
        project_id=call.host.project_id(),
        caller=call.capability.caller,
        session_id=call.capability.session_id,
    )
    if len(rows) > MAX_RESULT_ROWS:
        raise _given(translate("QgisAgent", "The result has more than {} rows.").format(MAX_RESULT_ROWS))
    return list(rows)


def _given(message: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        message,
        hint=translate("QgisAgent", "rows: up to {} flat objects; result_ref: what a tool returned.").format(MAX_ROWS),
        reason="rows",
    )


def _lines(target: Path, kind: str, table: Rows, text: str, from_result: bool) -> List[List[str]]:
    origin = (
        translate("QgisAgent", "a tool's result") if from_result else translate("QgisAgent", "written by the agent")
    )
    lines = [
        [translate("QgisAgent", "New file"), str(target)],
        [translate("QgisAgent", "Format"), kind.upper() + ", UTF-8"],
        [translate("QgisAgent", "Rows"), "{}; {}".format(len(table), origin)],
        [translate("QgisAgent", "Columns"), ", ".join(clean_text(each, 60) for each in table[0])],
        [translate("QgisAgent", "Size"), translate("QgisAgent", "{} bytes").format(len(text.encode("utf-8")))],
        [translate("QgisAgent", "Overwrites"), translate("QgisAgent", "nothing: the file is new")],
    ]
    risky = formula_cells(table) if kind == "csv" else 0
    if risky:
        lines.append([translate("QgisAgent", "Texts that a spreadsheet takes for formulas"), str(risky)])
    for number, row in enumerate(table[:MAX_ROWS], 1):
        pairs = ("{}: {}".format(clean_text(name, 60), _shown(value)) for name, value in row.items())
        lines.append([translate("QgisAgent", "Row {}").format(number), "; ".join(pairs)])
    if len(table) > MAX_ROWS:
        lines.append([translate("QgisAgent", "Further rows"), str(len(table) - MAX_ROWS)])
    return lines


def _shown(value: Any) -> str:
    return "NULL" if value is None else clean_text(str(value), 5_000)


class _TableJob:
    """A text to a new file."""

    def __init__(self, target: Path, kind: str, table: Rows, text: str) -> None:
        self._target = target
        self._kind = kind
        self._table = table
        self._text = text

    def state(self) -> str:
        """The text is all that the preview was made of."""
        return self._kind

    def run(self, call: Call) -> Steps:
        """Write, read back and compare, and only then give the file its name."""
        require_free([self._target])
        draft = draft_of(self._target)
        try:
            stamps = yield Work(translate("QgisAgent", "Writing"), lambda _feedback: self._write(draft))
            record_files(call, self._target, move(draft, self._target), stamps)
        finally:
            remove(draft)
        call.acted("export_table", path=str(self._target), rows=len(self._table))
        call.add_evidence(self._target.name, translate("QgisAgent", "{} rows").format(len(self._table)))
        data = {
            "written": True,
            "path": str(self._target),
            "format": self._kind,
            "row_count": len(self._table),
            "columns": list(self._table[0]),
            "bytes": self._target.stat().st_size,
        }
        return Answer(data, translate("QgisAgent", "Written and read back: {} rows.").format(len(self._table)))

    def _write(self, draft: Path) -> Dict[str, Stamp]:
        try:
            with open(str(draft), "x", encoding="utf-8", newline="") as file:
                file.write(self._text)
                file.flush()
                os.fsync(file.fileno())
            with open(str(draft), encoding="utf-8", newline="") as file:
                found = read_back(file.read(), self._kind)
        except (OSError, UnicodeEncodeError) as error:
            raise not_written(clean_text(str(getattr(error, "strerror", "") or error), 200)) from error
        if not same(self._table, found, self._kind):
            raise not_written(translate("QgisAgent", "what was read back differs."))
        return stamps_by_ending(draft, family(draft))
