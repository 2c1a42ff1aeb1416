"""Values with a unit ("2000 m²", 2000平方米) in the unit that a field says it has."""

from __future__ import annotations

import re

from ...bridge.messages import CatalogueField
from .text import NUMBER, number
from .words import METRES

SQUARE_METRES: dict[str, float] = {
    "平方米": 1.0,
    "平米": 1.0,
    "m²": 1.0,
    "m2": 1.0,
    "sqm": 1.0,
    "square metres": 1.0,
    "square meters": 1.0,
    "公顷": 1e4,
    "ha": 1e4,
    "hectares": 1e4,
    "平方公里": 1e6,
    "平方千米": 1e6,
    "km²": 1e6,
    "km2": 1e6,
    "square kilometres": 1e6,
    "square kilometers": 1e6,
}
"""Square metres of a unit of area."""
_TABLES = (SQUARE_METRES, METRES)


def in_unit_of(text: str, field: CatalogueField) -> float | None:
    """A number with a unit in the unit that the field's name or alias ends with; None where one of both says none."""
    for table in _TABLES:
        value = _with_unit(text, table)
        unit = unit_of(field, table)
        if value is not None and unit is not None:
            return round(value / table[unit], 9)
    return None


def has_unit(text: str) -> bool:
    """Whether a text is a number with a unit of length or area."""
    return any(_with_unit(text, table) is not None for table in _TABLES)


def unit_of(field: CatalogueField, table: dict[str, float]) -> str | None:
    """The unit in the name or the alias of a field: area_km2, 面积（平方米）."""
    for name in (field["name"], field["alias"]):
        for unit in sorted(table, key=len, reverse=True):
            if re.search(rf"(?:[_\s(（\[/]){re.escape(unit)}[)）\]]?$", name, re.IGNORECASE):
                return unit
    return None


def _with_unit(text: str, table: dict[str, float]) -> float | None:
    """The number of a text in the base unit of the table."""
    units = "|".join(re.escape(each) for each in sorted(table, key=len, reverse=True))
    found = re.fullmatch(rf"(?P<n>{NUMBER})\s*(?P<unit>{units})", text.strip(), re.IGNORECASE)
    value = number(found.group("n")) if found else None
    return value * table[found.group("unit").casefold()] if found and value is not None else None
