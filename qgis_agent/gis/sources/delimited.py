"""Delimited text: separator, decimal sign, header and columns, judged from the whole file before QGIS reads it.

Types are guessed so that no value changes by it: text with leading zeros, thousands marks or an exponent stays text, 0 and 1
stay numbers, and a number with more digits than its type holds stays text. Runs on worker threads; standard library and
Qt's URL only.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from typing import IO, Any, Dict, Iterator, List, Optional, Sequence, Tuple

from qgis.core import QgsFeedback
from qgis.PyQt.QtCore import QUrl

from ..errors import CANCELLED, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text
from .encodings import ASCII, UTF8, Guess, guess, python_codec
from .formats import DataFile, head_of, opened, unreadable

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
X_NAMES = ("lon", "lng", "long", "longitude", "x", "经度", "东经", "easting", "x坐标", "lon_wgs84")
Y_NAMES = ("lat", "latitude", "y", "纬度", "北纬", "northing", "y坐标", "lat_wgs84")
WKT_NAMES = ("wkt", "geom", "geometry", "the_geom", "wkt_geom", "wkb_geometry")
DEGREE_NAMES = ("lon", "lng", "long", "longitude", "经度", "东经", "lon_wgs84")
TYPES = ("integer", "number", "text", "date", "datetime", "boolean")
_QGIS_TYPES = {"integer": "longlong", "number": "double", "boolean": "bool"}
_HEAD_BYTES = 262_144
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})$")
_DIGITS = re.compile(r"0\d+$")
_NUMBER = re.compile(
    r"[+-]?(?:0|[1-9]\d{0,14})?(?:\.\d+)?$|[+-]?\d(?:\.\d+)?[eE][+-]\d{1,3}$|[+-]?\d+\.\d+[eE]\d{1,3}$"
)
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+$")
_POINT_NUMBER = re.compile(r"[+-]?\d+\.\d+$")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+$")
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$")
_DATETIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d$")
_CODE = re.compile(r"\d+[eE]\d+$")
_CHECK_EVERY = 5000
MAX_COLUMNS = 2000
"""As many as a GeoPackage may have; a source text with more of them is of no use."""
MAX_CELL = 10_000_000
MAX_LINE = 20_000_000
"""Characters. A reader would else fill the memory with a file that has no line breaks."""


@dataclass
class Column:
    """One column: its name, the type that keeps all its values, and why a number-like column stays text."""

    name: str
    kind: str = ""
    filled: int = 0
    why_text: str = ""
    first: str = ""
    longest: int = 0

    def take(self, value: str, comma: bool) -> None:
        """Take in one value; the type can only become wider."""
        if value == "":
            return
        self.filled += 1
        if not self.first:
            self.first = value
        if self.kind == "text" and self.why_text:
            return
        kind, why = kind_of(value, comma)
        if kind == "text" and why and self.kind in ("", "integer", "number"):
            self.why_text = why
        self.kind = _wider(self.kind, kind)
        if self.kind == "text" and not self.why_text and not why:
            self.why_text = "words"


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

    def names(self) -> List[str]:
        """Names of the columns, as QGIS makes them (blank ones numbered)."""
        return [each.name for each in self.columns]


def kind_of(value: str, comma: bool) -> Tuple[str, str]:
    """(type, why it stays text) of one raw value; the reason is "" where it is plain words."""
    text = value.strip()
    if _DIGITS.match(text):
        return "text", "leading_zeros"
    if _CODE.match(text):
        return "text", "exponent"
    if _INTEGER.match(text):
        return "integer", ""
    if _THOUSANDS.match(text) and not comma:
        return "text", "thousands"
    number = text.replace(",", ".") if comma and _COMMA_NUMBER.match(text) else text
    if number not in ("", "+", "-") and _NUMBER.match(number):
        return "number", ""
    if text.lstrip("+-").isdigit():
        return "text", "too_many_digits"
    if _DATE.match(text):
        return "date", ""
    if _DATETIME.match(text):
        return "datetime", ""
    return "text", ""


def _wider(known: str, found: str) -> str:
    if not known or known == found:
        return found
    if {known, found} == {"integer", "number"}:
        return "number"
    return "text"


def examine(file: DataFile, encoding: str, separator: str, decimal: str, feedback: QgsFeedback) -> Table:
    """Read the file once. ``separator`` is a key of SEPARATORS and ``decimal`` "point" or "comma"; "" finds them out."""
    head = head_of(file, _HEAD_BYTES)
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is not text.").format(file.name),
            hint=translate("QgisAgent", "Use inspect_data_file to see what it is."),
            reason="not_text",
        )
    found = Guess(encoding, True) if encoding else guess(head.splitlines() or [head])
    codec = python_codec(UTF8 if found.encoding in ("", ASCII) else found.encoding)
    codec = "utf-8-sig" if codec == "utf-8" else codec
    lines = head.decode(codec, "replace").splitlines(True)
    whole = lines if len(head) < _HEAD_BYTES else lines[:-1]
    mark = SEPARATORS.get(separator) or _separator(whole)
    comma = decimal == "comma" if decimal else _decimal_comma(whole, mark)
    return _scan(file, found, codec, mark, comma, feedback)


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
    commas = [each for each in values if _COMMA_NUMBER.match(each)]
    points = [each for each in values if _POINT_NUMBER.match(each)]
    return bool(commas) and not points and not all(_THOUSANDS.match(each) for each in commas)


def _rows(file: DataFile, codec: str, mark: str) -> Iterator[List[str]]:
    csv.field_size_limit(MAX_CELL)
    with opened(file) as raw:
        text = io.TextIOWrapper(raw, encoding=codec, errors="replace", newline="")
        try:
            yield from csv.reader(_lines(file, text), delimiter=mark)
        except csv.Error as error:
            raise unreadable(file.name, clean_text(str(error), 200)) from error


def _lines(file: DataFile, text: IO[str]) -> Iterator[str]:
    for line in iter(lambda: text.readline(MAX_LINE), ""):
        if len(line) >= MAX_LINE:
            raise unreadable(file.name, translate("QgisAgent", "a line of it has no end"))
        yield line


def _scan(file: DataFile, found: Guess, codec: str, mark: str, comma: bool, feedback: QgsFeedback) -> Table:
    columns: List[Column] = []
    first_rows: List[List[str]] = []
    rows = ragged = 0
    header = True
    for row in _rows(file, codec, mark):
        if not row:
            continue
        if not columns:
            _require_columns(file, len(row))
            header = not all(kind_of(each, comma)[0] in ("integer", "number") for each in row)
            columns = [Column(name) for name in _column_names(row if header else [""] * len(row))]
            if header:
                continue
        rows += 1
        ragged += len(row) != len(columns)
        if len(first_rows) < 5:
            first_rows.append(row)
        for column, value in zip(columns, row):
            column.take(value, comma)
        if rows % _CHECK_EVERY == 0 and feedback.isCanceled():
            raise ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")
    for column in columns:
        column.kind = column.kind or "text"
    return Table(found, mark, comma, header, columns, rows, ragged, first_rows)


def _require_columns(file: DataFile, count: int) -> None:
    if count > MAX_COLUMNS:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' has {} columns; at most {} can be read.").format(file.name, count, MAX_COLUMNS),
            hint=translate("QgisAgent", "Check the separator, or ask for the table with fewer columns."),
            reason="too_many_columns",
        )


def _column_names(row: Sequence[str]) -> List[str]:
    """Names as QGIS's provider makes them: blank or doubled ones get a number."""
    names: List[str] = []
    taken = set()
    for index, raw in enumerate(row, 1):
        name = raw.strip() or "field_{}".format(index)
        if re.match(r"^\d*(\.\d*)?$", name):
            name = "field_{}".format(index)
        number, free = 1, name
        while free.lower() in taken:
            free, number = "{}_{}".format(name, number), number + 1
        names.append(free)
        taken.add(free.lower())
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
