"""Delimited text: separator, decimal sign, title lines, header and columns, judged from the whole file before QGIS reads it.

Runs on worker threads; standard library and Qt only.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import QgsFeedback
from qgis.PyQt.QtCore import QUrl

from ..errors import CANCELLED, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text
from .columns import COMMA_NUMBER, POINT_NUMBER, THOUSANDS, Column, kind_of
from .encodings import ASCII, UTF8, Guess, guess_stream, python_codec
from .formats import DataFile, head_of, opened, unreadable

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
X_NAMES = ("lon", "lng", "long", "longitude", "x", "经度", "东经", "easting", "x坐标", "lon_wgs84")
Y_NAMES = ("lat", "latitude", "y", "纬度", "北纬", "northing", "y坐标", "lat_wgs84")
WKT_NAMES = ("wkt", "geom", "geometry", "the_geom", "wkt_geom", "wkb_geometry")
DEGREE_NAMES = ("lon", "lng", "long", "longitude", "经度", "东经", "lon_wgs84")
TYPES = ("integer", "number", "text", "date", "datetime", "boolean")
_QGIS_TYPES = {"integer": "longlong", "number": "double", "boolean": "bool"}
_HEAD_BYTES = 262_144
_CHECK_EVERY = 5000
_TITLE_LINES = 50
_FIELD_NUMBER = re.compile(r"field_(\d+)$", re.IGNORECASE)
_LONGEST_NAME = 200
MAX_COLUMNS = 2000
"""As many as a GeoPackage may have; a source text with more of them is of no use."""
MAX_CELL = 10_000_000
MAX_LINE = 20_000_000
"""Characters. A reader would else fill the memory with a file that has no line breaks."""


@dataclass
class Table:
    """What was found in a delimited text file."""

    encoding: Guess
    separator: str
    decimal_comma: bool
    header: bool
    columns: List[Column]
    rows: int
    ragged: int
    first_rows: List[List[str]] = field(default_factory=list)
    skipped: int = 0
    titles: List[str] = field(default_factory=list)
    nameless: int = 0
    garbled: int = 0
    better_separator: str = ""

    def names(self) -> List[str]:
        """Names of the columns, as QGIS makes them (blank ones numbered)."""
        return [each.name for each in self.columns]


class Reading(NamedTuple):
    """How a file is read. ``skipped`` lines at its beginning are titles or comments."""

    codec: str
    mark: str
    comma: bool
    skipped: int
    watched: Sequence[str]


def examine(
    file: DataFile,
    encoding: str,
    separator: str,
    decimal: str,
    feedback: QgsFeedback,
    coordinates: Sequence[str] = (),
) -> Table:
    """Read the file once more than QGIS does. ``separator`` is a key of SEPARATORS, ``decimal`` "point" or "comma"; "" finds out.

    ``coordinates`` are the columns in which each cell must be looked at.
    """
    head = head_of(file, _HEAD_BYTES)
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is not text.").format(file.name),
            hint=translate("QgisAgent", "Use inspect_data_file to see what it is."),
            reason="not_text",
        )
    found = Guess(encoding, True) if encoding else _encoding(file, feedback)
    codec = python_codec(UTF8 if found.encoding in ("", ASCII) else found.encoding)
    codec = "utf-8-sig" if codec == "utf-8" else codec
    lines = list(io.StringIO(head.decode(codec, "replace"), newline=""))
    whole = lines if len(head) < _HEAD_BYTES else lines[:-1]
    mark = SEPARATORS.get(separator) or _separator(whole)
    comma = decimal == "comma" if decimal else _decimal_comma(whole, mark)
    skipped, titles = _titles(whole, mark, comma)
    table = _scan(file, found, Reading(codec, mark, comma, skipped, coordinates), feedback)
    table.titles = titles
    if len(table.columns) == 1 and separator:
        table.better_separator = _better_separator(whole, mark)
    return table


def _encoding(file: DataFile, feedback: QgsFeedback) -> Guess:
    with opened(file) as stream:
        return guess_stream(stream, feedback.isCanceled)[0]


def _better_separator(lines: Sequence[str], mark: str) -> str:
    """The key of a mark that cuts the text into columns where the wanted one does not; "" where there is none."""
    other = _separator(lines)
    return next(
        (key for key, each in SEPARATORS.items() if each == other != mark and _usual_width(lines, other) > 1), ""
    )


def _usual_width(lines: Sequence[str], mark: str) -> int:
    widths = [len(row) for row in _parsed(lines, mark)]
    return max(set(widths), key=widths.count) if widths else 0


def _titles(lines: Sequence[str], mark: str, comma: bool) -> Tuple[int, List[str]]:
    """(lines to skip, their texts): titles and comments that stand before the row of column names.

    A title has one text in a file of several columns, a comment begins with #; the row after them has a name for each column
    and no numbers. A row that only lacks names at its end may be the names themselves, so then there must be three columns.
    """
    usual = _usual_width(lines, mark)
    skipped, titles = 0, []
    if usual < 2:
        return 0, []
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(lines[:_TITLE_LINES], delimiter=mark)
    try:
        for row in reader:
            if not _is_title(row, usual):
                named = len(row) == usual and all(each.strip() for each in row)
                numbers = any(kind_of(each, comma)[0] in ("integer", "number") for each in row)
                sure = all(mark not in each for each in lines[:skipped])
                return (skipped, titles) if titles and (sure or (named and not numbers)) else (0, [])
            skipped = reader.line_num
            titles += [each.strip() for each in row if each.strip()]
    except csv.Error:
        return 0, []
    return 0, []


def _is_title(row: Sequence[str], usual: int) -> bool:
    filled = [each for each in row if each.strip()]
    if len(row) != usual:
        return len(filled) <= 1 or row[0].startswith("#")
    return not filled or (len(filled) == 1 and usual > 2 and bool(row[0].strip()))


def _parsed(lines: Sequence[str], mark: str) -> List[List[str]]:
    """The first rows. What the limits of csv refuse in them is told when the whole file is read."""
    csv.field_size_limit(MAX_CELL)
    try:
        return [row for row in csv.reader(lines[:200], delimiter=mark) if row]
    except csv.Error:
        return []


def _separator(lines: Sequence[str]) -> str:
    """The mark that cuts most of the first rows into the same number of columns, at least two."""
    best, best_score = ",", (0.0, 0)
    for mark in SEPARATORS.values():
        widths = [len(row) for row in _parsed(lines, mark)]
        if not widths:
            continue
        usual = max(set(widths), key=widths.count)
        score = (widths.count(usual) / len(widths) if usual > 1 else 0.0, usual)
        if (round(score[0], 1), score[1]) > (round(best_score[0], 1), best_score[1]):
            best, best_score = mark, score
    return best


def _decimal_comma(lines: Sequence[str], mark: str) -> bool:
    """Whether numbers are written 1,5: many are, none is written 1.5, and not all could be thousands."""
    values = [each.strip() for row in _parsed(lines, mark)[1:] for each in row]
    commas = [each for each in values if COMMA_NUMBER.match(each)]
    points = [each for each in values if POINT_NUMBER.match(each)]
    return bool(commas) and not points and not all(THOUSANDS.match(each) for each in commas)


def _rows(file: DataFile, reading: Reading, garbled: List[int]) -> Iterator[List[str]]:
    csv.field_size_limit(MAX_CELL)
    with opened(file) as raw:
        text = io.TextIOWrapper(raw, encoding=reading.codec, errors="replace", newline="")
        lines = _lines(file, text, garbled)
        try:
            yield from csv.reader(islice(lines, reading.skipped, None), delimiter=reading.mark)
        except csv.Error as error:
            raise unreadable(file.name, clean_text(str(error), 200)) from error


def _lines(file: DataFile, text: IO[str], garbled: List[int]) -> Iterator[str]:
    for line in iter(lambda: text.readline(MAX_LINE), ""):
        if len(line) >= MAX_LINE:
            raise unreadable(file.name, translate("QgisAgent", "a line of it has no end"))
        if "\ufffd" in line:
            garbled[0] += 1
        yield line


def _scan(file: DataFile, found: Guess, reading: Reading, feedback: QgsFeedback) -> Table:
    table = Table(found, reading.mark, reading.comma, True, [], 0, 0, skipped=reading.skipped)
    comma, garbled = reading.comma, [0]
    for row in _rows(file, reading, garbled):
        if not row:
            continue
        if not table.columns:
            _require_columns(file, len(row))
            table.header = not all(kind_of(each, comma)[0] in ("integer", "number") for each in row)
            table.columns = _columns(row, table.header, reading.watched)
            table.nameless = sum(1 for each in row if not each.strip()) if table.header else 0
            if table.header:
                continue
        table.rows += 1
        table.ragged += len(row) != len(table.columns)
        if len(table.first_rows) < 5:
            table.first_rows.append(row)
        for column, value in zip(table.columns, row):
            column.take(value, comma)
        if table.rows % _CHECK_EVERY == 0 and feedback.isCanceled():
            raise ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")
    for column in table.columns:
        column.settle()
    table.garbled = garbled[0]
    return table


def _columns(row: Sequence[str], header: bool, watched: Sequence[str]) -> List[Column]:
    columns = [Column(name) for name in _column_names(row if header else [""] * len(row))]
    for column in columns:
        column.watched = column.name in watched
    return columns


def _require_columns(file: DataFile, count: int) -> None:
    if count > MAX_COLUMNS:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' has {} columns; at most {} can be read.").format(
                file.name, count, MAX_COLUMNS
            ),
            hint=translate("QgisAgent", "Check the separator, or ask for the table with fewer columns."),
            reason="too_many_columns",
        )


def _column_names(row: Sequence[str]) -> List[str]:
    """Names as QGIS's provider makes them: blank ones get their number, doubled ones and field_9 elsewhere another one."""
    names: List[str] = []
    taken = set()
    given = {each.casefold() for each in row}
    for index, raw in enumerate(row, 1):
        name = raw.strip()[:_LONGEST_NAME] or "field_{}".format(index)
        numbered = _FIELD_NUMBER.match(name)
        fine = int(numbered.group(1)) == index if numbered else name.casefold() not in taken
        number, free = 0, name
        while not fine:
            number += 1
            free = "{}_{}".format(name, number)
            fine = free.casefold() not in taken and free.casefold() not in given
        names.append(free)
        taken.add(free.casefold())
    return names


def proposed_coordinates(names: Sequence[str]) -> Dict[str, str]:
    """{x_field, y_field} or {wkt_field} by the names of the columns, and crs EPSG:4326 where the name says degrees."""
    folded = {each.strip().casefold(): each for each in reversed(names)}
    wkt = next((folded[each] for each in WKT_NAMES if each in folded), None)
    across = next((folded[each] for each in X_NAMES if each in folded), None)
    up = next((folded[each] for each in Y_NAMES if each in folded), None)
    if across and up:
        found = {"x_field": across, "y_field": up}
        return dict(found, crs="EPSG:4326") if across.casefold() in DEGREE_NAMES else found
    return {"wkt_field": wkt} if wkt else {}


def source_of(file: DataFile, table: Table, types: Dict[str, str], place: Dict[str, Any]) -> str:
    """The source for QGIS's provider "delimitedtext". ``place`` may have x_field, y_field, wkt_field and crs."""
    encoding = table.encoding.encoding
    items: List[Tuple[str, str]] = [
        ("type", "csv"),
        ("delimiter", "\\t" if table.separator == "\t" else table.separator),
        ("useHeader", "Yes" if table.header else "No"),
        ("encoding", UTF8 if encoding in ("", ASCII) else encoding),
        ("detectTypes", "no"),
        ("trimFields", "no"),
        ("spatialIndex", "no"),
        ("subsetIndex", "no"),
        ("watchFile", "no"),
    ]
    if table.skipped:
        items.append(("skipLines", str(table.skipped)))
    if table.decimal_comma:
        items.append(("decimalPoint", ","))
    if place.get("wkt_field"):
        items.append(("wktField", str(place["wkt_field"])))
    elif place.get("x_field"):
        items += [("xField", str(place["x_field"])), ("yField", str(place["y_field"]))]
    else:
        items.append(("geomType", "none"))
    if place.get("crs"):
        items.append(("crs", str(place["crs"])))
    for column in table.columns:
        kind = types.get(column.name, column.kind)
        items.append(("field", "{}:{}".format(column.name, _QGIS_TYPES.get(kind, kind))))
    query = "&".join("{}={}".format(key, _encoded(value)) for key, value in items)
    return "{}?{}".format(bytes(QUrl.fromLocalFile(str(file.path)).toEncoded()).decode("ascii"), query)


def _encoded(value: str) -> str:
    """Percent-encoded, but for the marks that the provider takes as they stand."""
    if value in (",", ";", "|", "\\t"):
        return value
    return bytes(QUrl.toPercentEncoding(value, b":")).decode("ascii")


def column_rows(table: Table, types: Optional[Dict[str, str]] = None) -> List[Dict[str, Any]]:
    """The columns for an answer: name, guessed type, first raw text, and why a column stays text."""
    rows = []
    for column in table.columns:
        row: Dict[str, Any] = {"name": clean_text(column.name, 60), "type": (types or {}).get(column.name, column.kind)}
        if column.first:
            row["raw"] = clean_text(column.first, 40)
        if column.why_text not in ("", "words"):
            row["kept_as_text"] = column.why_text
        rows.append(row)
    return rows
