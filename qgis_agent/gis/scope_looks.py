"""Looks and filters that read excluded fields: what may be told of them."""

from __future__ import annotations

from typing import Any, FrozenSet, Set

from qgis.core import (
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsMapLayer,
    QgsRenderContext,
    QgsRuleBasedLabeling,
    QgsVectorLayer,
)

from .i18n import translate
from .layers import clean_text
from .scope import hidden_fields


def outside() -> str:
    """What is said in the place of something that an excluded field shows."""
    return translate("QgisAgent", "(by a field outside the agent's scope)")


def filter_text(layer: QgsVectorLayer, length: int = 200) -> str:
    """The filter in force as it may be told: "" for none, and without its words where it names an excluded field. Cleaned
    and clipped to ``length`` characters; as it is with 0."""
    text = str(layer.subsetString())
    if not text:
        return ""
    low = text.casefold()
    if any(each.casefold() in low for each in hidden_fields(layer)):
        return outside()
    return clean_text(text, length) if length else text


def used_fields(layer: QgsVectorLayer, part: str) -> Set[str]:
    """Names of the fields that the look reads, or its part "renderer" or "labels"."""
    context = QgsRenderContext()
    scopes = QgsExpressionContextUtils.globalProjectLayerScopes(layer)
    context.setExpressionContext(QgsExpressionContext(scopes))
    found: Set[str] = set()
    if part != "labels" and layer.renderer() is not None:
        found |= set(layer.renderer().usedAttributes(context))
        for clause in layer.renderer().orderBy().list() if layer.renderer().orderByEnabled() else []:
            found |= set(clause.expression().referencedColumns())
    if part != "renderer" and layer.labeling() is not None:
        found |= _label_fields(layer.labeling(), context)
    if part == "all" and layer.diagramRenderer() is not None:
        found |= set(layer.diagramRenderer().referencedFields())
    own = {each.name() for each in layer.fields()}
    return {each for each in found if each in own or each == ALL_FIELDS}


ALL_FIELDS = "#!allattributes!#"
"""What QGIS names when an expression may read any field (QgsFeatureRequest.ALL_ATTRIBUTES)."""


def hides_look(layer: QgsMapLayer, part: str) -> bool:
    """Whether the look, or its part "renderer" or "labels", reads an excluded field: its classes are values of it."""
    if not isinstance(layer, QgsVectorLayer):
        return False
    hidden: FrozenSet[str] = hidden_fields(layer)
    if not hidden:
        return False
    used = used_fields(layer, part)
    return ALL_FIELDS in used or bool(used & hidden)


def _label_fields(labeling: Any, context: QgsRenderContext) -> Set[str]:
    found: Set[str] = set()
    for provider in labeling.subProviders():
        settings = labeling.settings(provider)
        found |= set(settings.referencedFields(context))
        if not settings.isExpression:
            found.add(settings.fieldName)
    if isinstance(labeling, QgsRuleBasedLabeling):
        for rule in labeling.rootRule().descendants():
            if rule.filterExpression() and not rule.isElse():
                found |= set(QgsExpression(rule.filterExpression()).referencedColumns())
    return found
