"""Rule-based renderers from their document. Conditions are ``where`` lists; expressions that a person wrote stay."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import QgsFeatureRenderer, QgsRuleBasedRenderer, QgsSymbol, QgsVectorLayer

from ..conditions import OPS, where_expression
from ..i18n import translate
from ..layers import layer_kind
from .class_patch import Change, check_id, class_symbol
from .merge import Document, flag, in_order, invalid, number, only, same, text
from .symbol_patch import SYMBOL_KEYS

MAX_RULES = 200
_KEYS = (
    "order",
    "label",
    "description",
    "else",
    "where",
    "expression",
    "scale_range",
    "parent",
    "color",
    "symbol",
    "visible",
)
_CONDITION_KEYS = ("field", "op", "value")
_SYMBOL_TYPES = {"point": "marker", "line": "line", "polygon": "fill"}
Rule = QgsRuleBasedRenderer.Rule


def rules_from(change: Change) -> QgsFeatureRenderer:
    """A rule-based renderer with these rules. A rule that is removed takes the rules inside of it along."""
    layer, old, before, after, path = change
    rules = after["rules"]
    had: Document = before.get("rules") or {}
    if not isinstance(rules, dict) or not 1 <= len(rules) <= MAX_RULES:
        raise invalid(path + ".rules", translate("QgisAgent", "must hold 1 to {} rules").format(MAX_RULES))
    for ident, entry in rules.items():
        inner = "{}.rules.{}".format(path, ident)
        check_id(ident, "r", inner)
        if not isinstance(only(entry, _KEYS, inner, {"symbol": SYMBOL_KEYS}).get("parent", ""), str):
            raise invalid(inner + ".parent", translate("QgisAgent", "must be the id of a rule"))
    rules = _without_orphans(rules, had, path + ".rules")
    present: Dict[str, Any] = dict(zip(had, old.rootRule().descendants())) if old is not None else {}
    pattern = next((each.symbol() for each in present.values() if each.symbol() is not None), None)
    for ident in rules:
        _check_loop(rules, ident, "{}.rules.{}".format(path, ident))
    made: Dict[str, Any] = {}
    for ident in in_order(rules):
        inner = "{}.rules.{}".format(path, ident)
        made[ident] = _rule(layer, present.get(ident), had.get(ident), rules[ident], pattern, inner)
    return _assembled(rules, made)


def _assembled(rules: Document, made: Dict[str, Any]) -> QgsFeatureRenderer:
    """The renderer of these rules, which are taken out of ``made``.

    Python's reference to a rule that it made must not outlive the renderer that owns the rule: it would be freed twice (QGIS
    3.40.6). So all references are dropped here, and what is returned is a copy in which QGIS made every rule.
    """
    root = Rule(None)
    for ident in in_order(rules):
        made[ident].setRuleKey(ident)
        parent = rules[ident].get("parent")
        (made[parent] if parent is not None else root).appendChild(made[ident])
    renderer = QgsRuleBasedRenderer(root)
    del root
    made.clear()
    return renderer.clone()


def check_where(where: Any, path: str) -> List[Any]:
    """The shape of a ``where`` list, which the contract of other tools checks by its schema; INVALID_PARAM otherwise."""
    if not isinstance(where, list) or not 1 <= len(where) <= 20:
        raise invalid(path, translate("QgisAgent", "must be a list of 1 to 20 conditions"))
    for index, item in enumerate(where):
        inner = "{}[{}]".format(path, index)
        branches = item.get("any_of") if isinstance(item, dict) and "any_of" in item else None
        if branches is not None:
            only(item, ("any_of",), inner)
            if not isinstance(branches, list) or not branches:
                raise invalid(inner + ".any_of", translate("QgisAgent", "must be a list of conditions"))
        for each in branches if branches is not None else [item]:
            only(each, _CONDITION_KEYS, inner)
            if not isinstance(each.get("field"), str) or each.get("op") not in OPS:
                raise invalid(inner, translate("QgisAgent", "needs field and op"), ", ".join(OPS))
    return where


def _rule(
    layer: QgsVectorLayer,
    old: Optional[Any],
    before: Optional[Document],
    after: Document,
    pattern: Optional[QgsSymbol],
    path: str,
) -> Any:
    was: Document = before or {}
    otherwise = flag(after.get("else", False), path + ".else")
    scales = scale_range(after.get("scale_range"), path + ".scale_range")
    label = _kept_text(old.label() if old is not None else None, was, after, "label", path, 120)
    said = _kept_text(old.description() if old is not None else None, was, after, "description", path, 500)
    rule = Rule(_symbol(layer, old, before, after, pattern, path))
    rule.setMinimumScale(scales[0])
    rule.setMaximumScale(scales[1])
    if otherwise:
        if "where" in after or "expression" in after:
            raise invalid(path, translate("QgisAgent", "has both a condition and else"))
        rule.setIsElse(True)
    else:
        rule.setFilterExpression(_filter(layer, old, was, after, path))
    rule.setLabel(label)
    rule.setDescription(said)
    rule.setActive(flag(after.get("visible", True), path + ".visible"))
    return rule


def _symbol(
    layer: QgsVectorLayer,
    old: Optional[Any],
    before: Optional[Document],
    after: Document,
    pattern: Optional[QgsSymbol],
    path: str,
) -> Optional[QgsSymbol]:
    """The rule's symbol; None for a rule that only holds others."""
    present = old.symbol() if old is not None else None
    if present is None and "symbol" not in after and after.get("color") is None:
        return None
    if present is not None and "symbol" not in after and after.get("color") is None:
        return None
    wanted = _SYMBOL_TYPES.get(layer_kind(layer), "")
    had = before if present is not None else None
    return class_symbol(layer, present, had, after, pattern, wanted, path)


def _filter(layer: QgsVectorLayer, old: Optional[Any], was: Document, after: Document, path: str) -> str:
    where, text_of_person = after.get("where"), after.get("expression")
    if text_of_person is not None and text_of_person != was.get("expression"):
        raise invalid(
            path + ".expression",
            translate("QgisAgent", "is not taken: expressions are a person's to write"),
            translate("QgisAgent", "Give where, a list of conditions."),
            reason="expression",
        )
    if where is not None and not same(where, was.get("where")):
        return str(where_expression(layer, check_where(where, path + ".where")))
    if old is not None and (where is not None or text_of_person is not None):
        return str(old.filterExpression())
    return ""


def _kept_text(present: Optional[str], was: Document, after: Document, key: str, path: str, length: int) -> str:
    if present is not None and after.get(key) == was.get(key):
        return present
    return text(after.get(key, ""), "{}.{}".format(path, key), length)


def scale_range(said: Any, path: str) -> List[float]:
    """[minimum, maximum] denominators of {"min": 100000, "max": 1000}; 0 means no limit."""
    if said is None:
        return [0.0, 0.0]
    only(said, ("min", "max"), path)
    low, high = (number(said.get(key, 0), "{}.{}".format(path, key), 0, 1e12) for key in ("min", "max"))
    if low and high and low < high:
        raise invalid(
            path,
            translate("QgisAgent", "is the wrong way round"),
            translate("QgisAgent", "min is the denominator when zoomed out (the larger number), max when zoomed in."),
        )
    return [low, high]


def _without_orphans(rules: Document, before: Document, path: str) -> Document:
    """Rules without those whose parent a patch removed. INVALID_PARAM for a parent that never was."""
    kept = dict(rules)
    for _ in range(len(rules)):
        gone = [ident for ident, each in kept.items() if each.get("parent") is not None and each["parent"] not in kept]
        for ident in gone:
            if kept[ident]["parent"] not in before:
                raise invalid(
                    "{}.{}.parent".format(path, ident),
                    translate("QgisAgent", "is no rule"),
                    translate("QgisAgent", "Rules: {}.").format(", ".join(list(rules)[:20])),
                )
            del kept[ident]
        if not gone:
            break
    return kept


def _check_loop(rules: Document, ident: str, path: str) -> None:
    seen = [ident]
    parent = rules[ident].get("parent")
    while parent is not None:
        if parent in seen:
            raise invalid(path + ".parent", translate("QgisAgent", "makes a loop"))
        seen.append(parent)
        parent = rules[parent].get("parent")
