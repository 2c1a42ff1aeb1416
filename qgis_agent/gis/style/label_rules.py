"""Labels by rules: a tree of rules, each with conditions, a range of scales and settings of its own, as flat data."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from qgis.core import QgsPalLayerSettings, QgsRuleBasedLabeling, QgsVectorLayer

from ..conditions import OPS, where_expression
from ..i18n import translate
from ..layers import clean_text
from . import label_checks as checks
from .label_settings import KEYS, TOLD, check_settings, fresh_settings, patched_settings, read_settings
from .where_reading import where_of

MAX_RULES = 200
_ID = re.compile(r"^[A-Za-z][A-Za-z0-9_]{0,31}$")
_KEYS = ("order", "label", "where", "else", "visible", "scale_range", "parent", "style")
Rule = QgsRuleBasedLabeling.Rule


class _Flat(NamedTuple):
    """A rule apart from the tree. ``expression`` is "" for all features."""

    parent: str
    order: float
    label: str
    expression: str
    is_else: bool
    visible: bool
    scale_min: float
    scale_max: float
    settings: Optional[QgsPalLayerSettings]


def read_rules(layer: QgsVectorLayer, labeling: QgsRuleBasedLabeling) -> Dict[str, Any]:
    """The rules by id ("r1" …), outer before inner; ``parent`` is the id of the rule that one is nested in."""
    found: Dict[str, Any] = {}
    for number, (ident, rule) in enumerate(_flat(labeling).items()):
        entry: Dict[str, Any] = {"order": number, "label": clean_text(rule.label, 120), "visible": rule.visible}
        unsupported: List[str] = []
        if rule.is_else:
            entry["else"] = True
        elif rule.expression:
            where = where_of(layer, rule.expression)
            if where is None:
                unsupported.append("expression: {}".format(clean_text(rule.expression, 200)))
            else:
                entry["where"] = where
        if rule.scale_min or rule.scale_max:
            entry["scale_range"] = {
                "min": checks.plain_number(rule.scale_min),
                "max": checks.plain_number(rule.scale_max),
            }
        if rule.parent:
            entry["parent"] = rule.parent
        if rule.settings is not None:
            entry["style"] = read_settings(layer, rule.settings)
        found[ident] = dict(entry, unsupported=unsupported) if unsupported else entry
    return found


def check_rules(layer: QgsVectorLayer, patch: Mapping[str, Any]) -> None:
    """Whether the rules can be patched so: keys, values, fields, and a parent for each that is one."""
    if not isinstance(patch, Mapping):
        raise checks.invalid("labels.rules", translate("QgisAgent", "must be an object of rules by id"))
    present = _present(layer)
    left = {each for each in present if patch.get(each, "") is not None} | {
        each for each, value in patch.items() if value is not None
    }
    if not left or len(left) > MAX_RULES:
        raise checks.invalid(
            "labels.rules",
            translate("QgisAgent", "there must be 1 to {} rules").format(MAX_RULES),
            translate("QgisAgent", "Use enabled false to switch labels off."),
        )
    for ident, value in patch.items():
        path = "labels.rules.{}".format(clean_text(str(ident), 40))
        if value is None:
            if ident not in present:
                raise _unknown(path, present)
            continue
        _check_rule(path, layer, present.get(ident), value, sorted(present))
        parent = value.get("parent")
        if parent is not None and (parent not in left or parent == ident):
            raise checks.invalid(path + ".parent", translate("QgisAgent", "there is no such rule"))
        if ident not in present and not _ID.match(str(ident)):
            raise _unknown(path, present)
    _require_tree(layer, patch)


def rules_labeling(layer: QgsVectorLayer, patch: Mapping[str, Any]) -> QgsRuleBasedLabeling:
    """The labelling that a checked patch gives. A rule that is taken away takes those nested in it along."""
    rules = _patched(layer, patch)
    root = Rule(None)
    made: Dict[str, Rule] = {}

    def place(parent: str, above: Rule) -> None:
        inside = [each for each in rules if rules[each].parent == parent]
        for ident in sorted(inside, key=lambda each: rules[each].order):
            made[ident] = _rule(ident, rules[ident])
            above.appendChild(made[ident])
            place(ident, made[ident])

    place("", root)
    return QgsRuleBasedLabeling(root)


def _check_rule(path: str, layer: QgsVectorLayer, present: Optional[_Flat], value: Any, known: List[str]) -> None:
    if not isinstance(value, Mapping):
        raise checks.invalid(path, translate("QgisAgent", "must be an object"))
    for key in value:
        checks.known_key(path, key, (*_KEYS, *TOLD), {"style": KEYS})
    if present is None and not isinstance(value.get("style"), Mapping) and "parent" not in value:
        near = ", ".join(known) or "-"
        raise checks.invalid(
            path,
            translate("QgisAgent", "there is no such rule, and a new one needs a style with a field"),
            translate("QgisAgent", "Rules: {}.").format(near),
        )
    simple = {
        "order": checks.number(-1e6, 1e6),
        "label": checks.text(120),
        "else": checks.boolean,
        "visible": checks.boolean,
        "scale_range": checks.scale_range,
    }
    for key, check in simple.items():
        if value.get(key) is not None and (key, value[key]) != ("label", ""):
            check("{}.{}".format(path, key), value[key], layer)
    if value.get("where") not in (None, []):
        if value.get("else"):
            raise checks.invalid(path, translate("QgisAgent", "else goes without where"))
        where_expression(layer, _conditions(path, value["where"]))
    if isinstance(value.get("style"), Mapping):
        settings = present.settings if present is not None and present.settings is not None else None
        if settings is None and not value["style"].get("field"):
            raise checks.invalid(path + ".style.field", translate("QgisAgent", "labels need a field"))
        check_settings(path + ".style", layer, settings or fresh_settings(layer), value["style"])
    elif value.get("style") is not None:
        raise checks.invalid(path + ".style", translate("QgisAgent", "must be an object"))


def _conditions(path: str, where: Any) -> List[Dict[str, Any]]:
    """``where`` as a list of conditions in form; what they say is checked against the layer's fields later."""

    def fits(item: Any) -> bool:
        return isinstance(item, Mapping) and isinstance(item.get("field"), str) and item.get("op") in OPS

    if isinstance(where, list) and len(where) <= 20:
        inner = [each.get("any_of") if isinstance(each, Mapping) and "any_of" in each else [each] for each in where]
        if all(isinstance(each, list) and each and all(fits(item) for item in each) for each in inner):
            return where
    raise checks.invalid(
        path + ".where",
        translate("QgisAgent", "must be a list of conditions"),
        translate("QgisAgent", 'Write [{{"field": "name", "op": "eq", "value": "x"}}]; ops: {}.').format(
            ", ".join(OPS)
        ),
    )


def _unknown(path: str, present: Mapping[str, Any]) -> Exception:
    return checks.invalid(
        path,
        translate("QgisAgent", "there is no such rule"),
        translate("QgisAgent", "Rules: {}.").format(", ".join(present) or "-"),
    )


def _require_tree(layer: QgsVectorLayer, patch: Mapping[str, Any]) -> None:
    """Every rule is below the root: no circle of parents."""
    rules = _patched(layer, patch)
    for ident in rules:
        seen, above = {ident}, rules[ident].parent
        while above:
            if above in seen:
                raise checks.invalid(
                    "labels.rules.{}.parent".format(ident), translate("QgisAgent", "rules are nested in a circle")
                )
            seen.add(above)
            above = rules[above].parent


def _present(layer: QgsVectorLayer) -> Dict[str, _Flat]:
    labeling = layer.labeling()
    return _flat(labeling) if isinstance(labeling, QgsRuleBasedLabeling) else {}


def _flat(labeling: QgsRuleBasedLabeling) -> Dict[str, _Flat]:
    rules = labeling.rootRule().descendants()
    idents = _idents([each.ruleKey() for each in rules])
    found: Dict[str, _Flat] = {}
    for number, each in enumerate(rules):
        parent = each.parent()
        found[idents[each.ruleKey()]] = _Flat(
            idents.get(parent.ruleKey(), "") if parent is not None else "",
            number,
            each.description(),
            "" if each.isElse() else each.filterExpression(),
            each.isElse(),
            each.active(),
            each.minimumScale(),
            each.maximumScale(),
            QgsPalLayerSettings(each.settings()) if each.settings() is not None else None,
        )
    return found


def _idents(keys: List[str]) -> Dict[str, str]:
    """By QGIS's key of a rule its id: the key itself where a patch has given it, else "r" and a free number."""
    taken = {each for each in keys if _ID.match(each)}
    found: Dict[str, str] = {}
    number = 0
    for key in keys:
        number += 1
        while key not in taken and "r{}".format(number) in taken:
            number += 1
        found[key] = key if key in taken else "r{}".format(number)
    return found


def _patched(layer: QgsVectorLayer, patch: Mapping[str, Any]) -> Dict[str, _Flat]:
    rules = _present(layer)
    gone = [each for each, value in patch.items() if value is None]
    while gone:
        ident = gone.pop()
        rules.pop(ident, None)
        gone.extend(each for each in rules if rules[each].parent == ident and each not in gone)
    for number, (ident, value) in enumerate(patch.items(), len(rules)):
        if value is not None:
            before = rules.get(ident) or _Flat("", number, "", "", False, True, 0, 0, None)
            rules[ident] = _changed(layer, before, value)
    return {ident: rule for ident, rule in rules.items() if not rule.parent or rule.parent in rules}


def _changed(layer: QgsVectorLayer, rule: _Flat, patch: Mapping[str, Any]) -> _Flat:
    new: Dict[str, Any] = {}
    if "order" in patch:
        new["order"] = float(patch["order"] or 0)
    if "parent" in patch:
        new["parent"] = patch["parent"] or ""
    if "label" in patch:
        new["label"] = patch["label"] or ""
    if "visible" in patch:
        new["visible"] = patch["visible"] is not False
    if "else" in patch:
        new["is_else"] = bool(patch["else"])
        if patch["else"]:
            new["expression"] = ""
    if "where" in patch:
        new["expression"] = where_expression(layer, patch["where"] or [])
        if patch["where"]:
            new["is_else"] = False
    if "scale_range" in patch:
        scales = patch["scale_range"] or {}
        low, high = (scales.get("min", rule.scale_min), scales.get("max", rule.scale_max)) if scales else (0, 0)
        checks.check_scales("labels.rules.scale_range", low, high)
        new.update(scale_min=float(low or 0), scale_max=float(high or 0))
    if "style" in patch:
        new["settings"] = None
        if patch["style"] is not None:
            base = rule.settings if rule.settings is not None else fresh_settings(layer)
            new["settings"] = patched_settings(layer, base, patch["style"])
    return rule._replace(**new)


def _rule(ident: str, flat: _Flat) -> Rule:
    settings = QgsPalLayerSettings(flat.settings) if flat.settings is not None else None
    made = Rule(settings, flat.scale_max, flat.scale_min, flat.expression, flat.label, flat.is_else)
    made.setActive(flat.visible)
    made.setRuleKey(ident)  # so that the id stays when rules before it go
    return made
