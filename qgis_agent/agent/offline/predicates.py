"""One condition in words ("pupils over 500", 人口在1000到5000之间, "name is empty") to a ``where`` entry of the tools."""

from __future__ import annotations

import re
from typing import Any

from ...bridge.messages import CatalogueField, CatalogueLayer
from .naming import key, match_fields, strip_phrase
from .text import NUMBER, number
from .units import in_unit_of
from .words import FIELD_SYNONYMS, METRES

Condition = dict[str, Any]

_MORE = r"(?:greater|more|larger|higher|bigger|longer|later)"
_LESS = r"(?:less|fewer|smaller|lower|shorter|earlier)"
OPS: tuple[tuple[str, str, str], ...] = (
    ("not_null", r"\b(?:is|are) not (?:empty|null|missing)\b|\bisn't (?:empty|null|missing)\b", "不为空|不是空的?|非空"),
    ("is_null", r"\b(?:is|are) (?:empty|null|missing)\b", "为空|是空的?|缺失"),
    ("gte", r">=|≥|\b(?:(?:is|are) )?(?:at least|no less than|not less than)\b", "不小于|不少于|不低于|至少|大于等于|大于或等于"),
    ("lte", r"<=|≤|\b(?:(?:is|are) )?(?:at most|no more than|not more than|up to)\b", "不大于|不超过|不高于|不多于|至多|小于等于|小于或等于"),
    ("not_in", r"\b(?:is |are )?(?:not in|none of)\b", "不在(?=.+(?:中|里|内)$)"),
    ("ne", r"!=|<>|≠|\b(?:is|are) not\b|\bisn't\b|\bdoes(?: not|n't) equal\b|\bnot equal to\b", "不等于|不是|不为"),
    ("gt", rf">|\b(?:(?:is|are) )?{_MORE} than\b|\b(?:(?:is|are) )?(?:over|above|after|exceeds)\b", "大于|超过|多于|高于|超出"),
    ("lt", rf"<|\b(?:(?:is|are) )?{_LESS} than\b|\b(?:(?:is|are) )?(?:under|below|before)\b", "小于|少于|低于|不到|不足"),
    ("contains", r"\bcontain(?:s|ing)?\b|\bincludes\b|\b(?:is )?like\b", "包含|含有|带有"),
    ("starts_with", r"\bstart(?:s|ing)? with\b|\bbegin(?:s|ning)? with\b", "以(?=.+(?:开头|打头))|开头是"),
    ("in", r"\b(?:is |are )?(?:in|one of)\b", "属于"),
    ("eq", r"==?|\bequals?(?: to)?\b|\b(?:is|are)\b", "等于|为|是"),
)  # fmt: skip
"""Ops of the tools with their English and Chinese words; longer words of a kind stand before shorter ones."""
_OP = "|".join(rf"(?P<{name}>{english}|{chinese})" for name, english, chinese in OPS)
_ONE = re.compile(rf"^(?P<field>.{{1,60}}?)\s*(?:{_OP})\s*(?P<value>.*)$", re.IGNORECASE)
_VALUE_FIRST = re.compile(
    rf"^(?P<op>{_MORE} than|{_LESS} than|over|under|above|below|at least|at most|no more than|no less than)\s+"
    rf"(?P<value>{NUMBER})\s+(?P<field>\D.{{0,60}})$",
    re.IGNORECASE,
)
_AMOUNT_LAST = re.compile(
    rf"^(?P<field>\D{{1,40}}?)\s*(?:在|有|达到?|为)?\s*(?P<value>{NUMBER}\s*\D{{0,6}}?)(?P<op>以上|及以上|以下|及以下|以内)$"
)
_BETWEEN = re.compile(
    r"^(?P<field>.{1,60}?)\s*(?:(?:is |are )?\bbetween\b|介于|位于|处于|在)\s*(?P<low>.{1,40}?)\s*(?:\band\b|\bto\b|到|至|~|和|与|-)\s*"
    r"(?P<high>.{1,40}?)\s*(?:之间|间|的?范围内)?$",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"^(?:(?:have |has |with )?no |without (?:an? |any )?)(?P<en>.{1,60})$|^(?:没有|缺少|无)(?P<zh>.{1,40})$",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"^(?:built|opened|founded|constructed)?\s*(?:in|from|of)\s+(?P<en>[12]\d{3})$|"
    r"^(?:在|于)?(?P<zh>[12]\d{3})\s*年(?:建成|修建|建造|新建|建|开办|成立)?$",
    re.IGNORECASE,
)
_YEAR_AFTER = re.compile(
    r"^(?:built|opened|founded|constructed)\s+(?P<op_en>after|before|since)\s+(?P<en>[12]\d{3})$|"
    r"^(?:建成于|建于|成立于|开办于|在|于)?(?P<zh>[12]\d{3})\s*年?(?P<op_zh>之后|以后|以来|后|之前|以前|前)"
    r"(?:才|就)?(?:建成|修建|建造|新建|建立|建|开办|成立)?的?$",
    re.IGNORECASE,
)
_YEAR_OPS = {
    "after": "gt", "since": "gte", "before": "lt", "之后": "gt", "后": "gt", "以后": "gte", "以来": "gte",
    "之前": "lt", "前": "lt", "以前": "lt",
}  # fmt: skip
"""以后 includes the year as 以上 includes the number; 之后 and "after" begin behind it."""
_FIRST_OPS = {
    "more": "gt",
    "over": "gt",
    "above": "gt",
    "at least": "gte",
    "no less": "gte",
    "at most": "lte",
    "no more": "lte",
}
_QUOTED = re.compile(r"[\"'“‘「](.*)[\"'”’」]")
_COUNTED = re.compile(rf"^({NUMBER})\s*(?P<unit>[人口名张个所家条元岁层位座户]|[a-z]+)$", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:,|、|\bor\b|\band\b|或者|或|和|与)\s*", re.IGNORECASE)
_YEAR_WORDS = next(group for group in FIELD_SYNONYMS if "year" in group)


def read_condition(text: str, layer: CatalogueLayer) -> Condition | None:
    """One condition on a field of ``layer``, or None when the text is none.

    A field that the layer does not have is passed on as it was written: the tool answers with the nearest names.
    """
    for reader in (_between, _year, _year_after, _value_first, _amount_last, _with_op, _missing):
        found = reader(text.strip(), layer)
        if found is not None:
            return found
    return None


def is_special(text: str) -> bool:
    """Whether a text without any op word is a condition all the same: 2023年, 没有名称, "more than 500 pupils"."""
    return any(each.match(text.strip()) for each in (_YEAR, _YEAR_AFTER, _VALUE_FIRST, _AMOUNT_LAST, _MISSING))


def _with_op(text: str, layer: CatalogueLayer) -> Condition | None:
    found = _ONE.match(text)
    if found is None:
        return None
    op = next(name for name, _, _ in OPS if found.group(name) is not None)
    value = found.group("value").strip()
    name, field = _field(found.group("field"), layer)
    if op in ("is_null", "not_null"):
        return None if value else {"field": name, "op": op}
    if op == "starts_with":
        value = re.sub(r"(?:开头|打头)的?$", "", value)
    if op in ("not_in", "in"):
        value = re.sub(r"(?:之)?[中里内]$", "", value.strip("()[]"))
        values = [typed(each, field) for each in _LIST.split(value) if each]
        return {"field": name, "op": op, "value": values} if values else None
    if not value or (op == "eq" and re.match(r"not\b", value, re.IGNORECASE)):
        return None
    return {"field": name, "op": op, "value": typed(value, field)}


def _between(text: str, layer: CatalogueLayer) -> Condition | None:
    found = _BETWEEN.match(text)
    if found is None:
        return None
    name, field = _field(found.group("field"), layer)
    ends = [typed(found.group(each), field) for each in ("low", "high")]
    if field is None:
        ends = [_plain_number(found.group(each)) or found.group(each) for each in ("low", "high")]
    if any(isinstance(each, (str, bool)) for each in ends) and not (field is not None and field["type"] == "date"):
        return None
    return {"field": name, "op": "between", "value": ends}


def _year(text: str, layer: CatalogueLayer) -> Condition | None:
    """A year alone means the one field of the layer that is a year."""
    found = _YEAR.match(text)
    if found is None:
        return None
    return _of_year(layer, "eq", found.group("en") or found.group("zh"))


def _year_after(text: str, layer: CatalogueLayer) -> Condition | None:
    """ "built after 1970", 2010年之后建的: as ``_year``."""
    found = _YEAR_AFTER.match(text)
    if found is None:
        return None
    op = _YEAR_OPS[(found.group("op_en") or found.group("op_zh")).casefold()]
    return _of_year(layer, op, found.group("en") or found.group("zh"))


def _of_year(layer: CatalogueLayer, op: str, value: str) -> Condition | None:
    fields = [each for each in layer["fields"] if key(each["name"]) in _YEAR_KEYS or key(each["alias"]) in _YEAR_KEYS]
    if len(fields) != 1 or fields[0]["type"] not in ("integer", "number", "text"):
        return None
    if op != "eq" and fields[0]["type"] == "text":
        return None
    return {"field": fields[0]["name"], "op": op, "value": typed(value, fields[0])}


_YEAR_KEYS = frozenset(key(each) for each in _YEAR_WORDS)


def _value_first(text: str, layer: CatalogueLayer) -> Condition | None:
    found = _VALUE_FIRST.match(text)
    if found is None:
        return None
    name, field = _field(found.group("field"), layer)
    said = found.group("op").casefold()
    op = next((op for words, op in _FIRST_OPS.items() if said.startswith(words)), "")
    if not op:
        op = "gt" if re.match(_MORE, said) else "lt"
    return {"field": name, "op": op, "value": typed(found.group("value"), field)}


def _amount_last(text: str, layer: CatalogueLayer) -> Condition | None:
    found = _AMOUNT_LAST.match(text)
    if found is None:
        return None
    name, field = _field(found.group("field"), layer)
    return {
        "field": name,
        "op": "gte" if "上" in found.group("op") else "lte",
        "value": typed(found.group("value"), field),
    }


def _missing(text: str, layer: CatalogueLayer) -> Condition | None:
    found = _MISSING.match(text)
    if found is None:
        return None
    fields = match_fields(found.group("en") or found.group("zh"), layer)
    return {"field": fields[0]["name"], "op": "is_null"} if len(fields) == 1 else None


def _field(said: str, layer: CatalogueLayer) -> tuple[str, CatalogueField | None]:
    name = re.sub(r"(?:里面?|当?中)?的?$", "", said.strip()) or said.strip()
    fields = match_fields(name, layer)
    return (fields[0]["name"], fields[0]) if fields else (strip_phrase(name), None)


def typed(text: str, field: CatalogueField | None) -> str | float | int | bool:
    """The value in the field's type where it can be read so, else the text: the tool then says what it needs."""
    plain = text.strip()
    quoted = _QUOTED.fullmatch(plain)
    if quoted:
        return quoted.group(1)
    kind = field["type"] if field is not None else "text"
    if kind == "boolean":
        return {"true": True, "yes": True, "是": True, "false": False, "no": False, "否": False}.get(
            plain.casefold(), plain
        )
    if kind not in ("integer", "number"):
        return plain
    value = _plain_number(plain)
    if value is None and field is not None:
        value = in_unit_of(plain, field)
    if value is None:
        return plain
    return int(value) if value == int(value) else value


def _plain_number(text: str) -> float | None:
    """A number, also with a word for what is counted behind it (500人). A unit of length makes it none."""
    negative = text.strip().startswith("-")
    plain = text.strip().removeprefix("-")
    counted = _COUNTED.match(plain)
    value = number(plain)
    if value is None and counted and counted.group("unit").casefold() not in METRES:
        value = number(counted.group(1))
    return -value if negative and value is not None else value
