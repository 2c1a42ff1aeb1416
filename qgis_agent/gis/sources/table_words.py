"""What is said of a table when it is looked into or added: what was left out, kept as text, or may be meant otherwise."""

from __future__ import annotations

from typing import Dict, List

from ..i18n import translate
from ..layers import clean_text
from .delimited import SEPARATORS, Table
from .table_place import odd_example
from .vector import Opened


def remarks(opened: Opened, table: Table, place: Dict[str, str]) -> List[str]:
    """Sentences about a table that was added."""
    return _left_out(opened, table, place) + doubts_about(table) + _kept_as_text(table)


def _left_out(opened: Opened, table: Table, place: Dict[str, str]) -> List[str]:
    said = []
    lost = table.rows - opened.count
    odd = odd_example(table.columns)
    example = translate("QgisAgent", " (for example '{}')").format(odd) if odd else ""
    if lost > 0 and "wkt_field" in place:
        text = translate(
            "QgisAgent", "{} of {} rows are blank or have WKT that cannot be read, and are not in the layer."
        )
        said.append(text.format(lost, table.rows))
    elif lost > 0 and place:
        text = translate("QgisAgent", "{} of {} rows have no usable coordinates and are not in the layer{}.")
        said.append(text.format(lost, table.rows, example))
    elif lost > 0:
        said.append(
            translate("QgisAgent", "{} of {} rows are blank and are not in the layer.").format(lost, table.rows)
        )
    if opened.without:
        text = translate("QgisAgent", "{} rows of the layer have no coordinates, so no place on the map.")
        said.append(text.format(opened.without))
    return said


def doubts_about(table: Table) -> List[str]:
    """Sentences about what was read of the text alone."""
    said = []
    if table.skipped:
        text = translate("QgisAgent", "{} lines before the column names were left out as title or comment: '{}'.")
        said.append(text.format(table.skipped, clean_text(" / ".join(table.titles), 80)))
    if table.nameless:
        text = translate("QgisAgent", "{} columns have no name in the first row ('{}'): is it the row of column names?")
        names = [clean_text(each, 30) for each in table.names()[:4]]
        said.append(text.format(table.nameless, "', '".join(names)))
    if table.ragged:
        text = translate("QgisAgent", "{} rows have another number of columns than the first.")
        said.append(text.format(table.ragged))
    if table.better_separator:
        text = translate("QgisAgent", "With this separator there is one column; the text looks separated by {}.")
        said.append(text.format(table.better_separator))
    if table.garbled:
        text = translate(
            "QgisAgent", "{} lines have characters that cannot be read as {}: the encoding is wrong or mixed."
        )
        said.append(text.format(table.garbled, table.encoding.encoding or "UTF-8"))
    if table.separator == SEPARATORS["semicolon"]:
        for column in table.columns:
            if column.perhaps_thousands():
                text = translate(
                    "QgisAgent",
                    "'{}' was read with decimals ({}), but all its points could part thousands: ask. With text_fields it "
                    "stays as written.",
                )
                said.append(text.format(clean_text(column.name, 40), column.perhaps_thousands()))
    return said


def _kept_as_text(table: Table) -> List[str]:
    kept = [each.name for each in table.columns if each.why_text not in ("", "words")]
    if not kept:
        return []
    names = ", ".join(clean_text(each, 40) for each in kept[:8])
    return [translate("QgisAgent", "Kept as text so that no value changes: {}.").format(names)]
