"""Small tables as CSV and JSON: read back by Python's own readers, shown in full, new files only."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest
from conftest import Bench, memory_layer

ROWS = [{"name": '武昌, "A"', "count": 3, "share": 0.25}, {"name": None, "count": 0, "share": 1e-9}]


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A person who agrees."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    return bench


def test_csv_is_read_by_another_reader(chat: Bench) -> None:
    """Quotes, commas, NULL, small numbers; each row on the card."""
    data = chat.ok("prepare_export_table", path="out", rows=ROWS)
    with open(chat.folder / "out.csv", encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    assert found[0] == ["name", "count", "share"]
    assert found[1] == ['武昌, "A"', "3", "0.25"]
    assert (found[2][0], float(found[2][2])) == ("", 1e-9)
    assert data["row_count"] == 2
    lines = dict(chat.approver.cards[-1]["lines"])
    assert lines["Row 1"] == 'name: 武昌, "A"; count: 3; share: 0.25'
    assert lines["Row 2"] == "name: NULL; count: 0; share: 1e-09"
    assert [each.name for each in chat.folder.iterdir()] == ["out.csv"]


def test_one_object_as_json(chat: Bench) -> None:
    """A summary with a box: the very numbers."""
    summary = {"count": 12, "total_area_ha": 1234.5678, "bbox": [114.1, 30.5, 114.4, 30.7]}
    chat.ok("prepare_export_table", path="s.json", format="json", rows=[summary], options={"single_object": True})
    assert json.loads((chat.folder / "s.json").read_text(encoding="utf-8")) == summary
    chat.ok("prepare_export_table", path="l.json", format="json", rows=[summary])
    assert json.loads((chat.folder / "l.json").read_text(encoding="utf-8")) == [summary]


def test_the_rows_of_a_result(chat: Bench) -> None:
    """All 300 rows of a result of which the model saw five, with the wanted columns; 200 are on the card."""
    rows: list[Any] = [(None, [x, "t" * 40]) for x in range(300)]
    chat.add(memory_layer("None?field=n:integer&field=t:string", rows, "table"))
    data = chat.ok("query_features", layer_id="table", limit=200)
    ref = data["result_ref"]
    chat.ok("prepare_export_table", path="r", result_ref=ref, options={"columns": ["n"]})
    with open(chat.folder / "r.csv", encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [int(each["n"]) for each in found] == list(range(200))
    assert list(found[0]) == ["n"]


@pytest.mark.parametrize(
    "given",
    [
        {"rows": []},
        {"rows": [{"a": {"b": 1}}]},
        {"rows": [{"a": 1}], "options": {"columns": ["b"]}},
        {"rows": [{"a": 1}, {"a": 2}], "format": "json", "options": {"single_object": True}},
        {"rows": [{"a": 1}], "path": "x.json"},
    ],
)
def test_what_is_no_table_is_refused(chat: Bench, given: dict[str, Any]) -> None:
    """Nested values, no rows, columns that are not there, another format's ending: with a hint, and no card."""
    assert chat.code("prepare_export_table", **{"path": "x", **given}) == "INVALID_PARAM"
    assert chat.approver.cards == []


def test_nothing_is_overwritten_and_a_no_is_a_no(chat: Bench) -> None:
    """As every write."""
    (chat.folder / "old.csv").write_text("mine")
    envelope = chat.call("prepare_export_table", path="old.csv", rows=ROWS)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "file_exists")
    chat.approver.answer = "deny"
    assert chat.code("prepare_export_table", path="new", rows=ROWS) == "PERMISSION_DENIED"
    assert [each.name for each in chat.folder.iterdir()] == ["old.csv"]


def test_formulas_of_spreadsheets_are_named(chat: Bench) -> None:
    """They are kept as they are, and counted on the card."""
    chat.ok("prepare_export_table", path="f", rows=[{"a": "=HYPERLINK(1)"}])
    assert dict(chat.approver.cards[-1]["lines"])["Texts that a spreadsheet takes for formulas"] == "1"


def test_a_foreign_result_is_not_found(chat: Bench) -> None:
    """Handles are of a session and a caller."""
    assert chat.code("prepare_export_table", path="x", result_ref="query_features:unknown") == "NOT_FOUND"


def test_the_ending_of_another_format_is_refused(chat: Bench) -> None:
    """A table for "v.xlsx" became "v.xlsx.csv" without a word."""
    envelope = chat.call("prepare_export_table", path="v.xlsx", rows=[{"a": 1}])
    assert (envelope["code"], list(chat.folder.glob("v*"))) == ("INVALID_PARAM", [])
