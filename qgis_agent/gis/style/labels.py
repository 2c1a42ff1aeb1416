"""The labels part of the style document: read, checked, patched."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from qgis.core import (
    QgsAbstractVectorLayerLabeling,
    QgsMapLayer,
    QgsPalLayerSettings,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)

from ..errors import UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import layer_kind
from ..scope import seen_fields
from ..scope_looks import hides_look, outside
from . import label_checks as checks
from .label_rules import check_rules, read_rules, rules_labeling
from .label_settings import KEYS, TOLD, check_settings, fresh_settings, patched_settings, read_settings

TYPES = ("simple", "rules")
_OWN = ("enabled", "type", "rules")
Made = Tuple[Optional[QgsAbstractVectorLayerLabeling], bool]


def read_labels(layer: QgsMapLayer) -> Dict[str, Any]:
    """The labels of a layer. ``unsupported`` lists what the document does not express; a patch leaves that as it is."""
    labeling = layer.labeling() if isinstance(layer, QgsVectorLayer) else None
    if labeling is None:
        return {"enabled": False}
    found: Dict[str, Any] = {"enabled": bool(layer.labelsEnabled()), "type": label_type(layer)}
    if hides_look(layer, "labels"):
        return {**found, "unsupported": [outside()]}
    if found["type"] == "simple":
        found.update(read_settings(layer, labeling.settings()))
    elif found["type"] == "rules":
        found.update(rules=read_rules(layer, labeling), unsupported=[])
    else:
        found["unsupported"] = ["labeling of type {}".format(labeling.type())]
    return found


def label_type(layer: QgsVectorLayer) -> str:
    """simple, rules, other, or "" for a layer that never had labels."""
    labeling = layer.labeling()
    if labeling is None:
        return ""
    return {"simple": "simple", "rule-based": "rules"}.get(labeling.type(), "other")


def check_labels(layer: QgsMapLayer, patch: Optional[Mapping[str, Any]]) -> None:
    """Whether the patch can be applied; nothing is changed. INVALID_PARAM, NOT_FOUND (a field) or UNSUPPORTED if not."""
    _made(layer, patch)


def patch_labels(layer: QgsMapLayer, patch: Optional[Mapping[str, Any]]) -> None:
    """Apply a merge patch to the labels; None takes them away. What the patch does not name stays as it is."""
    labeling, enabled = _made(layer, patch)
    if patch is None or any(key not in ("enabled", *TOLD) for key in patch):
        layer.setLabeling(labeling)
    layer.setLabelsEnabled(enabled)


def _made(layer: QgsMapLayer, patch: Optional[Mapping[str, Any]]) -> Made:
    """The labelling that the patch gives, and whether it is on."""
    if patch is None:
        return None, False
    if not isinstance(patch, Mapping):
        raise checks.invalid("labels", translate("QgisAgent", "must be an object"))
    _require_drawn(layer, patch)
    for key in patch:
        checks.known_key("labels", key, (*_OWN, *KEYS, *TOLD, "expression"))
    kind = _kind(layer, patch)
    enabled = patch.get("enabled")
    if enabled is not None:
        checks.boolean("labels.enabled", enabled)
    rest = {key: value for key, value in patch.items() if key not in _OWN and key not in TOLD}
    if enabled is None:
        changes = bool(rest or patch.get("rules"))
        enabled = layer.labelsEnabled() or (changes and layer.labeling() is None)
    if kind == "rules":
        return _rules(layer, patch, rest), bool(enabled)
    if kind == "simple":
        return _simple(layer, patch, rest), bool(enabled)
    if rest or (enabled and not kind):
        raise _needs_field(layer)
    return (layer.labeling().clone() if layer.labeling() is not None else None), bool(enabled)


def _kind(layer: QgsVectorLayer, patch: Mapping[str, Any]) -> str:
    """What kind of labels the layer has after the patch."""
    present = label_type(layer)
    wanted = patch.get("type")
    if wanted is None:
        wanted = present or ("rules" if patch.get("rules") else "simple" if patch.get("field") else "")
    elif wanted != present:  # a kind that the document tells may be repeated
        checks.one_of(TYPES)("labels.type", wanted)
    return str(wanted)


def _simple(layer: QgsVectorLayer, patch: Mapping[str, Any], rest: Mapping[str, Any]) -> QgsAbstractVectorLayerLabeling:
    if patch.get("rules") is not None:
        raise checks.invalid(
            "labels.rules",
            translate("QgisAgent", "labels of the type simple have no rules"),
            translate("QgisAgent", 'Give "type": "rules" with them; each rule brings its own style.'),
        )
    had = label_type(layer) == "simple"
    settings = QgsPalLayerSettings(layer.labeling().settings()) if had else fresh_settings(layer)
    if not had and not rest.get("field"):
        raise _needs_field(layer)
    check_settings("labels", layer, settings, rest)
    return QgsVectorLayerSimpleLabeling(patched_settings(layer, settings, rest))


def _rules(layer: QgsVectorLayer, patch: Mapping[str, Any], rest: Mapping[str, Any]) -> QgsAbstractVectorLayerLabeling:
    if rest:
        raise checks.invalid(
            "labels.{}".format(next(iter(rest))),
            translate("QgisAgent", "these labels have rules, each with a style of its own"),
            translate("QgisAgent", 'Write {"rules": {"r1": {"style": {…}}}}, or "type": "simple" with a field.'),
        )
    rules = {} if patch.get("rules") is None else patch["rules"]
    check_rules(layer, rules)
    return rules_labeling(layer, rules)


def _require_drawn(layer: QgsMapLayer, patch: Mapping[str, Any]) -> None:
    if isinstance(layer, QgsVectorLayer) and layer_kind(layer) in ("point", "line", "polygon"):
        return
    if patch.get("enabled") is False and len(patch) == 1:
        return
    raise ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer '{}' has no geometry to put labels on.").format(layer.name()),
        hint=translate("QgisAgent", "Use a point, line or polygon layer."),
        reason="layer_kind",
    )


def _needs_field(layer: QgsVectorLayer) -> ToolError:
    return checks.invalid(
        "labels.field",
        translate("QgisAgent", "labels need a field"),
        translate("QgisAgent", "Give field, one of: {}.").format(
            ", ".join(each.name() for each in seen_fields(layer))[:400] or "-"
        ),
    )
