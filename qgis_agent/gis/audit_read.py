"""Reads the audit log and writes extracts of it: what the command ``audit`` and the button "Export audit…" do."""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from .audit import audit_folder

COLUMNS = (
    "time",
    "t",
    "user",
    "caller",
    "client",
    "tool",
    "layers",
    "path",
    "effect",
    "decision",
    "by",
    "reason",
    "code",
    "ms",
    "project",
    "level",
    "session_id",
    "run_id",
    "call_id",
    "arguments_sha256",
    "qgis",
    "more",
)
"""Of the table; ``client`` is what the person calls an MCP client. What a line has besides stands as JSON in ``more``."""
COLUMNS_OF_A_SENTENCE = ("time", "user", "caller", "client", "t", "tool", "layers", "path", "effect")
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the beginning of a formula: East Asian ones also in full width, after blanks too."""


@dataclass(frozen=True)
class Query:
    """What is wanted: times in ISO 8601 (without a zone: UTC), exact names; "" is everything.

    ``since`` is inclusive. ``until`` is exclusive, but a date alone means to the end of that day. ``layer`` is an alias, a
    name or an id. ValueError for what is no time.
    """

    since: str = ""
    until: str = ""
    tool: str = ""
    layer: str = ""
    caller: str = ""

    def times(self) -> List[Optional[datetime.datetime]]:
        """[since, until] in UTC."""
        until = _moment(self.until)
        if until is not None and len(self.until.strip()) == 10:
            until += datetime.timedelta(days=1)
        return [_moment(self.since), until]


def read(query: Optional[Query] = None, folder: Optional[Path] = None) -> Iterator[Dict[str, Any]]:
    """The lines that a query wants, in the order of writing. Torn and foreign lines are passed over."""
    wanted = query or Query()
    since, until = wanted.times()
    for path in sorted((folder or audit_folder()).glob("[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl")):
        with path.open("rb") as file:
            for line in file:
                record = _parsed(line)
                if record is not None and _fits(record, wanted, since, until):
                    yield record


def export_audit(path: str, query: Optional[Query] = None, folder: Optional[Path] = None) -> int:
    """Write an extract: CSV for a name that ends in .csv, else JSON lines. The number of lines; OSError, ValueError.

    A person chose the path, and agreed to replace what was there.
    """
    records = list(read(query, folder))
    text = as_csv(records) if path.lower().endswith(".csv") else as_json_lines(records)
    draft = path + ".part"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8"))
    os.replace(draft, path)
    return len(records)


def as_json_lines(records: List[Dict[str, Any]]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records)


def as_csv(records: List[Dict[str, Any]]) -> str:
    """A table with a header; cells that a spreadsheet would run as a formula begin with an apostrophe."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(COLUMNS)
    for each in records:
        table.writerow(cells(each))
    return out.getvalue()


def cells(record: Dict[str, Any]) -> List[str]:
    """The texts of a line in the order of COLUMNS, as they stand in the table."""
    return [_cell(record, column) for column in COLUMNS]


def sentence(record: Dict[str, Any]) -> str:
    """One line for a person: when, who, what, on which layer, allowed by whom, how it ended."""
    first = [_cell(record, each) for each in COLUMNS_OF_A_SENTENCE]
    decided = " ".join(each for each in (_cell(record, "decision"), _cell(record, "by")) if each)
    ended = record.get("code") or ("ok" if record.get("t") == "call" else "")
    reason = "({})".format(record["reason"]) if record.get("reason") else ""
    return "  ".join(each for each in [*first, decided, ended, reason, _cell(record, "more")] if each)


def _cell(record: Dict[str, Any], column: str) -> str:
    if column == "more":
        rest = {key: each for key, each in record.items() if key not in COLUMNS and key != "v"}
        return json.dumps(rest, ensure_ascii=False) if rest else ""
    value = record.get(column)
    if column == "layers":
        value = "; ".join(_layer_words(each) for each in value) if isinstance(value, list) else ""
    text = "" if value is None else str(value)
    return "'" + text if text.lstrip()[:1] in _FORMULA else text


def _layer_words(layer: Any) -> str:
    if not isinstance(layer, dict):
        return ""
    alias, name = str(layer.get("layer_id", "")), str(layer.get("name", ""))
    return "{} ({})".format(alias, name) if name and name != alias else alias


def _moment(text: str) -> Optional[datetime.datetime]:
    if not text.strip():
        return None
    moment = datetime.datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.timezone.utc)


def _parsed(line: bytes) -> Optional[Dict[str, Any]]:
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.get("t") and record.get("time") else None


def _fits(
    record: Dict[str, Any],
    query: Query,
    since: Optional[datetime.datetime],
    until: Optional[datetime.datetime],
) -> bool:
    if query.tool and record.get("tool") != query.tool:
        return False
    if query.caller and record.get("caller") != query.caller:
        return False
    if query.layer and not any(
        query.layer in (each.get("layer_id"), each.get("name"), each.get("id"))
        for each in record.get("layers") or []
        if isinstance(each, dict)
    ):
        return False
    if since is None and until is None:
        return True
    try:
        moment = _moment(str(record["time"]))
    except ValueError:
        return False
    return moment is not None and (since is None or moment >= since) and (until is None or moment < until)
