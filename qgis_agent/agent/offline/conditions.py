"""Where a condition stands in a sentence ("kind = 小学 and students > 500", 类型为小学的学校), and lists of them."""

from __future__ import annotations

import re
from typing import Any

from ...bridge.messages import CatalogueLayer
from .naming import match_fields
from .predicates import OPS, is_special, read_condition
from .text import simplify

_BETWEEN_AND = re.compile(r"(\bbetween\s+\S+\s+)and(\s+\S)|((?:介于|在)\s*\S+?\s*)[和与](\s*\S+之间)", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+|\s*(?:并且|而且|同时|且)\s*|\s*,(?!\d{3}(?!\d))\s*", re.IGNORECASE)
_OR = re.compile(r"\s+or\s+|\s*(?:或者|或是|或)\s*", re.IGNORECASE)
_WHERE = re.compile(
    r"\s+(?:where|whose|(?:that|which|who) (?:have|has|had)|(?:that|which)(?=\s+(?:is|are|contains?)\b)|having|with|for which)\s+"
    r"(?P<condition>\S.*)$",
    re.IGNORECASE,
)
_HAVE = re.compile(r"\s+(?:have|has)\s+(?P<condition>\S.*)$", re.IGNORECASE)
_WITHOUT = re.compile(
    r"\s+(?P<condition>(?:without|with no) \S.*|(?:built|opened|founded|constructed) (?:in|after|before|since) [12]\d{3})$",
    re.IGNORECASE,
)
_ZH_BEFORE = re.compile(r"^(?P<condition>.+?)的(?P<rest>[^的]+)$")
_ZH_AFTER = re.compile(r"^(?P<rest>.+?)(?:\s+|\s*,\s*|(?:当)?中\s*|里\s*)(?P<condition>.+?)的?$")
_HAS_OP = re.compile(
    "|".join(f"{english}|{chinese}" for _, english, chinese in OPS) + r"|之间|\bbetween\b", re.IGNORECASE
)
_STRONG_OP = re.compile(
    "|".join(f"{english}|{chinese}" for name, english, chinese in OPS if name not in ("eq", "in"))
    + r"|=|等于|为|之间|\bbetween\b",
    re.IGNORECASE,
)
_LIST_OP = re.compile(r"\b(?:in|one of|none of)\b|属于|不在", re.IGNORECASE)
_ORDER_OP = re.compile(r"[<>=≥≤]|\b(?:than|over|under|above|below|at least|at most|between)\b", re.IGNORECASE)


def split_where(sentence: str) -> tuple[str, str]:
    """An English sentence without its "where …", and the condition; the condition is "" when there is none."""
    for pattern, needs in ((_WHERE, _HAS_OP), (_HAVE, _ORDER_OP), (_WITHOUT, None)):
        found = pattern.search(sentence)
        if found is None:
            continue
        condition = found.group("condition").strip()
        if needs is None or needs.search(condition) or is_special(condition):
            return sentence[: found.start()].strip(" ,"), condition
    return sentence, ""


def split_phrase(phrase: str) -> tuple[str, str]:
    """A Chinese noun phrase (类型为小学的学校, 学校 类型=小学) as (学校, 类型为小学); the condition is "" when there is none."""
    before = _ZH_BEFORE.match(phrase)
    if before and (_HAS_OP.search(before.group("condition")) or is_special(before.group("condition"))):
        return before.group("rest").strip(), before.group("condition").strip()
    after = _ZH_AFTER.match(phrase)
    if after and (_STRONG_OP.search(after.group("condition")) or is_special(after.group("condition"))):
        return after.group("rest").strip(), after.group("condition").strip()
    return phrase, ""


def parse_where(condition: str, layer: CatalogueLayer) -> list[dict[str, Any]] | None:
    """Conditions that must all hold; None when the text is none, or when "and" and "or" are mixed: that has two meanings.

    A field that the layer does not have is passed on as it was written: the tool answers with the nearest names.
    """
    if not condition:
        return []
    plain = simplify(condition)
    where = _read_all(plain, layer)
    return where if where is None or plain == condition else [_as_written(each, plain, condition) for each in where]


def _as_written(entry: dict[str, Any], plain: str, condition: str) -> dict[str, Any]:
    """An entry with its words in the characters that the person used: data are compared as they are."""

    def written(value: Any) -> Any:
        if isinstance(value, list):
            return [written(each) for each in value]
        if isinstance(value, dict):
            return _as_written(value, plain, condition)
        at = plain.find(value) if isinstance(value, str) and value else -1
        return condition[at : at + len(value)] if at >= 0 else value

    return {name: value if name in ("field", "op") else written(value) for name, value in entry.items()}


def _read_all(condition: str, layer: CatalogueLayer) -> list[dict[str, Any]] | None:
    held = _BETWEEN_AND.sub(lambda found: f"{found[1] or found[3]}~{found[2] or found[4]}", condition)
    parts = _with_lists([each.strip() for each in _AND.split(held) if each.strip()])
    whole = [_one_or_more(each, layer) for each in parts]
    if not whole or None in whole or (len(whole) > 1 and any("any_of" in each for each in whole if each)):
        return None
    return [each for each in whole if each is not None]


def _with_lists(parts: list[str]) -> list[str]:
    """Parts of "level in a, b": a value alone belongs to the list before it."""
    joined: list[str] = []
    for each in parts:
        if joined and _LIST_OP.search(joined[-1]) and not _HAS_OP.search(each) and not is_special(each):
            joined[-1] += f",{each}"
        else:
            joined.append(each)
    return joined


def _one_or_more(text: str, layer: CatalogueLayer) -> dict[str, Any] | None:
    """One condition; "a or b" gives ``in`` for values of one field and ``any_of`` for several conditions."""
    pieces = [each.strip() for each in _OR.split(text) if each.strip()]
    first = read_condition(pieces[0], layer) if pieces else None
    if first is None or len(pieces) == 1:
        return first
    if any(_HAS_OP.search(each) or is_special(each) for each in pieces[1:]):
        several = [read_condition(each, layer) for each in pieces]
        return None if None in several else {"any_of": several}
    if first["op"] not in ("eq", "ne", "in", "not_in"):
        return None
    listed = read_condition(f"{_name_of(first)} in {','.join([_text_of(first), *pieces[1:]])}", layer)
    if listed is None:
        return None
    return {**listed, "field": first["field"], "op": "not_in" if first["op"] in ("ne", "not_in") else "in"}


def _name_of(condition: dict[str, Any]) -> str:
    return str(condition["field"])


def _text_of(condition: dict[str, Any]) -> str:
    value = condition["value"]
    return ",".join(str(each) for each in value) if isinstance(value, list) else str(value)


def reads_as_condition(text: str, layer: CatalogueLayer) -> bool:
    """Whether a text is a condition on fields that the layer has: 类型为小学 is, 无为市 is a place."""
    where = parse_where(text, layer)
    return bool(where) and all(known_fields(where or [], layer))


def known_fields(where: list[dict[str, Any]], layer: CatalogueLayer) -> list[bool]:
    """For each condition, also those of any_of, whether the layer has its field."""
    single = [inner for each in where for inner in each.get("any_of", [each])]
    return [bool(match_fields(each["field"], layer)) for each in single]
