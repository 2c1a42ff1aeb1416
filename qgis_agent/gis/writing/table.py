"""A small table as the text of a file: CSV (RFC 4180) or JSON. What is written is what the card shows."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any, Dict, List, Sequence

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate
from ..layers import clean_text

MAX_ROWS = 200
MAX_RESULT_ROWS = 20_000
MAX_COLUMNS = 60
MAX_CELL = 4_000
_PLAIN = (str, int, float, bool)

Rows = List[Dict[str, Any]]


def checked_rows(rows: Sequence[Any], columns: Sequence[str]) -> Rows:
    """Flat rows with the wanted columns in their order (all without). INVALID_PARAM for what is no table."""
    if not rows or not all(isinstance(each, dict) and each for each in rows):
        raise _refused(
            translate("QgisAgent", "There are no rows to write."),
            translate("QgisAgent", "Give rows as flat objects, or a result_ref of rows."),
        )
    known = list(dict.fromkeys(str(key) for row in rows for key in row))
    missing = [each for each in columns if each not in known]
    if missing or len(known) > MAX_COLUMNS:
        raise _refused(
            translate("QgisAgent", "The rows have no '{}', or more than {} columns.").format(
                clean_text(missing[0], 60) if missing else "-", MAX_COLUMNS
            ),
            translate("QgisAgent", "Columns: {}.").format(
                ", ".join(clean_text(each, 60) for each in known[:MAX_COLUMNS])
            ),
        )
    wanted = list(columns) or known
    found = [{name: row.get(name) for name in wanted} for row in rows]
    for number, row in enumerate(found, 1):
        for name, value in row.items():
            _check(name, value, number)
    return found


def _check(name: str, value: Any, number: int) -> None:
    items = value if isinstance(value, list) else [value]
    fits = len(items) <= MAX_COLUMNS and all(each is None or isinstance(each, _PLAIN) for each in items)
    finite = all(not isinstance(each, float) or math.isfinite(each) for each in items)
    if not fits or not finite or any(isinstance(each, str) and len(each) > MAX_CELL for each in items):
        raise _refused(
            translate(
                "QgisAgent", "Row {}: '{}' is no plain value (text, number, true, false, null or a list of them)."
            ).format(number, clean_text(name, 60)),
            translate("QgisAgent", "Flatten it, or leave the column out (columns)."),
        )


def as_csv(rows: Rows) -> str:
    """The rows with a header; NULL as nothing, a list as JSON, numbers as they are."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(list(rows[0]))
    for row in rows:
        writer.writerow([_cell(each) for each in row.values()])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def as_json(rows: Rows, single: bool) -> str:
    """A list of objects, or one object."""
    return json.dumps(rows[0] if single else rows, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def read_back(text: str, kind: str) -> Rows:
    """The rows of a file's text, to compare them: CSV cells as texts."""
    if kind == "json":
        found = json.loads(text)
        return list(found) if isinstance(found, list) else [found]
    return list(csv.DictReader(io.StringIO(text, newline="")))


def same(rows: Rows, found: Rows, kind: str) -> bool:
    """Whether the rows that were read back are those that were meant."""
    meant = rows if kind == "json" else [{name: str(_cell(value)) for name, value in row.items()} for row in rows]
    return meant == found


def formula_cells(rows: Rows) -> int:
    """Texts that a spreadsheet takes for a formula when it opens a CSV."""
    return sum(
        isinstance(each, str) and each[:1] in ("=", "+", "-", "@", "\t", "\r") for row in rows for each in row.values()
    )


def _refused(message: str, hint: str) -> ToolError:
    return ToolError(INVALID_PARAM, message, hint=hint, reason="rows")
