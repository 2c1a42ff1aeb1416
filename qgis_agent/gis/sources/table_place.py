"""Coordinates of a table: the columns that were named, and whether what stands in them can be coordinates."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence

from ..errors import INVALID_PARAM, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text
from .columns import COMMA_NUMBER, Column
from .coordinates import known_crs

KEYS = ("x_field", "y_field", "wkt_field")
_ENDLESS = re.compile(r"[+-]?inf(?:inity)?$", re.IGNORECASE)
_SEXAGESIMAL = re.compile(r"\d\s*[°º˚]|\d\s*['′]\s*[\d.]*|^\s*[NSEWnsew]\s*\d|\d\s*[NSEWnsew]\s*$")


def named_column(names: Sequence[str], field: str) -> str:
    """The exact name of a column. NOT the nearest one: INVALID_PARAM with the names there are."""
    if field in names:
        return field
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The table has no column '{}'.").format(clean_text(field, 60)),
        hint=hint_for_name(field, names, "fields"),
        reason="field",
    )


def named_place(names: Sequence[str], wanted: Dict[str, Any]) -> Dict[str, str]:
    """{x_field, y_field, wkt_field, crs} as named, checked against the columns; empty for a table without coordinates."""
    place = {key: named_column(names, wanted[key]) for key in KEYS if key in wanted}
    if ("x_field" in place) != ("y_field" in place) or ("wkt_field" in place and "x_field" in place):
        raise _bad(
            translate("QgisAgent", "Coordinates come from x_field and y_field together, or from wkt_field alone."),
            translate("QgisAgent", "Name both columns, or the one with WKT."),
        )
    if not wanted.get("crs"):
        return place
    if not place:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "A table without coordinates has no CRS."),
            hint=translate("QgisAgent", "Name x_field and y_field, or leave crs out."),
            reason="crs",
        )
    return dict(place, crs=known_crs(str(wanted["crs"])).authid())


def require_numbers(columns: Sequence[Column], place: Dict[str, str]) -> None:
    """INVALID_PARAM for a column without numbers, or with numbers in a form that would be lost. Gaps like NA are no reason."""
    for key in ("x_field", "y_field"):
        column = next((each for each in columns if each.name == place.get(key)), None)
        if column is not None:
            _require_numbers(column)


def _require_numbers(column: Column) -> None:
    comma = next((each for each in column.odd if COMMA_NUMBER.match(each.strip())), None)
    angle = next((each for each in column.odd if _SEXAGESIMAL.search(each)), None)
    endless = next((each for each in column.odd if _ENDLESS.match(each.strip())), None)
    bad = translate("QgisAgent", "The column '{}' holds coordinates that cannot be read (for example '{}').")
    if comma is not None:
        raise _bad(
            bad.format(clean_text(column.name, 60), clean_text(comma, 40)),
            translate("QgisAgent", "Set options.decimal to “comma” for 116,5, or choose another column."),
        )
    if angle is not None:
        raise _bad(
            bad.format(clean_text(column.name, 60), clean_text(angle, 40)),
            translate("QgisAgent", "Decimal degrees are needed, not degrees with minutes: ask for such columns."),
        )
    if endless is not None:
        raise _bad(
            bad.format(clean_text(column.name, 60), clean_text(endless, 40)),
            translate("QgisAgent", "Ask for the cell to be emptied or put right in the file."),
        )
    if not column.numbers:
        example = column.odd[0] if column.odd else ""
        text = (
            translate("QgisAgent", "The column '{}' holds no numbers (for example '{}').")
            if example
            else translate("QgisAgent", "The column '{}' is empty.")
        )
        raise _bad(
            text.format(clean_text(column.name, 60), clean_text(example, 40)),
            translate("QgisAgent", "Choose another column; inspect_data_file shows what is in each."),
        )


def odd_example(columns: Sequence[Column]) -> Optional[str]:
    """A text in a coordinate column that is no number, for a sentence."""
    found: List[str] = [each.odd[0] for each in columns if each.odd]
    return clean_text(found[0], 40) if found else None


def _bad(text: str, hint: str) -> ToolError:
    return ToolError(INVALID_PARAM, text, hint=hint, reason="coordinates")
