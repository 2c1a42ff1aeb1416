"""Simple conditions in words ("kind = 小学 and students > 500", "类型为小学") to the tools' ``where``."""

from __future__ import annotations

import re
from typing import Any

from ...bridge.messages import CatalogueField, CatalogueLayer
from .naming import match_fields, strip_phrase
from .text import number

_OPS: tuple[tuple[str, str], ...] = (
    ("gte", r">=|≥|不小于|不少于|不低于|至少|大于等于|大于或等于|(?:is\s+)?at least"),
    ("lte", r"<=|≤|不大于|不超过|不高于|至多|小于等于|小于或等于|(?:is\s+)?at most"),
    ("ne", r"!=|<>|≠|不等于|不是|不为|is not|isn't|does not equal"),
    ("gt", r">|大于|超过|多于|高于|(?:is\s+)?(?:greater|more|larger|higher) than|(?:is\s+)?(?:over|above)\b"),
    ("lt", r"<|小于|少于|低于|不到|(?:is\s+)?(?:less|fewer|smaller|lower) than|(?:is\s+)?(?:under|below)\b"),
    ("contains", r"contains|包含|含有|(?:is\s+)?like\b"),
    ("starts_with", r"starts with|begins with|以(?=.+开头)|开头是"),
    ("is_null", r"is (?:empty|null)|为空|是空的?"),
    ("eq", r"==?|等于|equals|is\b|为|是"),
)
_OP = "|".join(rf"(?P<{name}>{words})" for name, words in _OPS)
_ONE = re.compile(rf"^(?P<field>.+?)\s*(?:{_OP})\s*(?P<value>.*)$", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+|\s*(?:并且|而且|且)\s*|\s*,(?!\d{3}(?!\d))\s*", re.IGNORECASE)
_WHERE = re.compile(r"\s+(?:where|whose|that have|having|with)\s+(?P<condition>.+)$", re.IGNORECASE)
_ZH_BEFORE = re.compile(r"^(?P<condition>.+?)的(?P<rest>[^的]+)$")
_ZH_AFTER = re.compile(r"^(?P<rest>.+?)(?:\s+|\s*,\s*|(?:当)?中\s*|里\s*)(?P<condition>.+?)的?$")
_HAS_OP = re.compile("|".join(words for _, words in _OPS), re.IGNORECASE)
_STRONG_OP = re.compile("|".join(words for name, words in _OPS if name != "eq") + r"|=|等于|为", re.IGNORECASE)


def split_where(sentence: str) -> tuple[str, str]:
    """An English sentence without its "where …", and the condition; the condition is "" when there is none."""
    found = _WHERE.search(sentence)
    if found is None or not _HAS_OP.search(found.group("condition")):
        return sentence, ""
    return sentence[: found.start()].strip(), found.group("condition").strip()


def split_phrase(phrase: str) -> tuple[str, str]:
    """A Chinese noun phrase (类型为小学的学校, 学校 类型=小学) as (学校, 类型为小学); the condition is "" when there is none."""
    before = _ZH_BEFORE.match(phrase)
    if before and _HAS_OP.search(before.group("condition")):
        return before.group("rest").strip(), before.group("condition").strip()
    after = _ZH_AFTER.match(phrase)
    if after and _STRONG_OP.search(after.group("condition")):
        return after.group("rest").strip(), after.group("condition").strip()
    return phrase, ""


def parse_where(condition: str, layer: CatalogueLayer) -> list[dict[str, Any]] | None:
    """Conditions that must all hold; None when the text is none.

    A field that the layer does not have is passed on as it was written: the tool answers with the nearest names.
    """
    if not condition:
        return []
    parts = [_parse_one(each.strip(), layer) for each in _AND.split(condition) if each.strip()]
    whole = [each for each in parts if each is not None]
    return whole if whole and len(whole) == len(parts) else None


def reads_as_condition(text: str, layer: CatalogueLayer) -> bool:
    """Whether a text is a condition on fields that the layer has: 类型为小学 is, 无为市 is a place."""
    where = parse_where(text, layer)
    return bool(where) and all(match_fields(each["field"], layer) for each in where or ())


def _parse_one(text: str, layer: CatalogueLayer) -> dict[str, Any] | None:
    found = _ONE.match(text)
    if found is None:
        return None
    op = next(name for name, _ in _OPS if found.group(name) is not None)
    name, value = found.group("field").strip(), found.group("value").strip()
    fields = match_fields(name, layer)
    field = fields[0] if fields else None
    known = field["name"] if field is not None else strip_phrase(name)
    if op == "is_null":
        return {"field": known, "op": op} if not value else None
    if not value:
        return None
    if op == "starts_with":
        value = re.sub(r"开头的?$", "", value)
    return {"field": known, "op": op, "value": _value(value, field)}


def _value(text: str, field: CatalogueField | None) -> str | float | int | bool:
    """The value in the field's type where it can be read so, else the text: the tool then says what it needs."""
    quoted = re.fullmatch(r"[\"'“‘「](.*)[\"'”’」]", text)
    if quoted:
        return quoted.group(1)
    kind = field["type"] if field is not None else "text"
    if kind == "boolean":
        return {"true": True, "yes": True, "是": True, "false": False, "no": False, "否": False}.get(
            text.casefold(), text
        )
    value = number(text) if kind in ("integer", "number") else None
    if value is None:
        return text
    return int(value) if value == int(value) else value
