"""Which rule two key fields are compared by, and what must be said of the keys before anybody trusts the join."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

from ...errors import (
    INVALID_PARAM,
    ToolError,
)
from ...i18n import translate
from .keys import (
    Column,
    Outlook,
    collisions,
    outlook,
    zeros,
)

_NUMBERS = ("integer", "number")


class Rule(NamedTuple):
    """The rule that is used, what it finds, and what is to be said."""

    name: str
    outlook: Outlook
    notes: List[str]


def rule_for(one: Column, two: Column, kinds: Tuple[str, str], asked: str) -> Rule:
    """The rule that was asked for; a number and a text field are compared as numbers where no two texts are one number.

    INVALID_PARAM where the rule that was asked for takes different values for the same key.
    """
    notes: List[str] = []
    if asked != "exact":
        for column in (one, two):
            _refuse_collisions(collisions(column, asked), asked)
        return Rule(asked, outlook(one, two, asked), notes)
    exact = outlook(one, two, "exact")
    mixed = (kinds[0] in _NUMBERS) != (kinds[1] in _NUMBERS) and "text" in kinds
    if not mixed:
        return Rule("exact", exact, notes)
    texts = one if kinds[0] == "text" else two
    notes.append(translate("QgisAgent", "One key is a number and the other a text; they were compared by value."))
    number = outlook(one, two, "number")
    if number.matched <= exact.matched:
        return Rule("exact", exact, notes)
    clash = collisions(texts, "number")
    if clash:
        notes.append(
            translate(
                "QgisAgent",
                "As numbers {} more rows would match, but '{}' and '{}' would be the same key, so texts count as they are written.",
            ).format(number.matched - exact.matched, *clash)
        )
        return Rule("exact", exact, notes)
    example = zeros(texts)
    if example is not None:
        notes.append(translate("QgisAgent", "Leading zeros were ignored: '{}' is {}.").format(example, int(example)))
    return Rule("number", number, notes)


def _refuse_collisions(clash: List[str], rule: str) -> None:
    if clash:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "With match '{}' the different keys '{}' and '{}' would be one.").format(
                rule, *clash
            ),
            hint=translate("QgisAgent", "Use match exact."),
            reason="key_types",
        )


def others(one: Column, two: Column, used: Rule) -> Dict[str, int]:
    """How many more rows other rules would match: {"trim": 3}; both others leave out spaces too, and must find more than it."""
    found: Dict[str, int] = {}
    best = used.outlook.matched
    for rule in ("trim", "trim_ignore_case", "number"):
        matched = 0 if rule == used.name else outlook(one, two, rule).matched
        if matched > best:
            found[rule] = matched - used.outlook.matched
        if rule == "trim":
            best = max(best, matched)
    return found


def keys_said(one: Column, two: Column, rule: Rule, more: Dict[str, int], mode: str) -> List[str]:
    """What must be known of the keys: none, missing, twice, nearly alike."""
    found, ahead = list(rule.notes), rule.outlook
    if one.without:
        found.append(
            translate("QgisAgent", "{} rows have no key (NULL or empty); they match nothing.").format(one.without)
        )
    if two.without:
        found.append(
            translate("QgisAgent", "{} rows of the joined layer have no key and are not used.").format(two.without)
        )
    if ahead.alone_rows:
        found.append(
            translate("QgisAgent", "{} rows have a key that the joined layer lacks, such as {}.").format(
                ahead.alone_rows, _listed(ahead.alone)
            )
        )
    if ahead.unused_keys:
        found.append(
            translate("QgisAgent", "{} keys of the joined layer are not used, such as {}.").format(
                ahead.unused_keys, _listed(ahead.unused)
            )
        )
    if ahead.duplicate_keys:
        found.append(_duplicates_said(ahead, mode))
    texts = {
        "trim": translate("QgisAgent", "{} more rows would match without spaces at the ends (match trim)."),
        "trim_ignore_case": translate(
            "QgisAgent", "{} more rows would match without spaces and case (match trim_ignore_case)."
        ),
        "number": translate("QgisAgent", "{} more rows would match without leading zeros (match number)."),
    }
    found.extend(texts[name].format(number) for name, number in more.items())
    return found


def _duplicates_said(ahead: Outlook, mode: str) -> str:
    text = translate("QgisAgent", "{} keys of the joined layer are there several times ('{}': {} times).").format(
        ahead.duplicate_keys, ahead.most_key, ahead.most
    )
    if not ahead.multiple:
        return text
    if mode == "first":
        return "{} {}".format(
            text, translate("QgisAgent", "Of these the first row was taken for {} rows.").format(ahead.multiple)
        )
    return "{} {}".format(
        text,
        translate("QgisAgent", "{} rows are in the result more than once; sums count them so.").format(ahead.multiple),
    )


def _listed(keys: List[Any]) -> str:
    return ", ".join("'{}'".format(each) for each in keys)
