"""How far a look covers a layer: features that no class draws, and classes that draw no feature."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Set, Tuple

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsFeatureRenderer,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGraduatedSymbolRenderer,
    QgsRenderContext,
    QgsRuleBasedRenderer,
    QgsVectorLayer,
)

from ..features import expression_context, feature_source, read_features
from ..i18n import translate
from ..layers import clean_text

_CLASSED = (QgsCategorizedSymbolRenderer, QgsGraduatedSymbolRenderer, QgsRuleBasedRenderer)
_NAMED = 5


class Cover(NamedTuple):
    """Features in all, how many of them no class draws, and the labels of classes in use that draw none."""

    features: int
    not_drawn: int
    bare: Tuple[str, ...] = ()


class CoverReader:
    """Counts the features of a layer that a renderer leaves out. Made on the main thread.

    ``by_class`` finds the classes without a feature too, which takes longer.
    """

    def __init__(self, renderer: QgsFeatureRenderer, layer: QgsVectorLayer, by_class: bool = False) -> None:
        self._renderer = renderer.clone()
        self._by_class = by_class
        self._fields = layer.fields()
        self._source = feature_source(layer)
        self._context = QgsRenderContext()
        self._context.setExpressionContext(expression_context(layer))

    def read(self, feedback: QgsFeedback) -> Cover:
        """Count, on a worker thread."""
        request = QgsFeatureRequest()
        if not self._renderer.filterNeedsGeometry():
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        features = not_drawn = 0
        seen: Set[str] = set()
        self._context.expressionContext().setFields(self._fields)
        self._renderer.startRender(self._context, self._fields)
        try:
            for feature in read_features(self._source, request, feedback):
                features += 1
                self._context.expressionContext().setFeature(feature)
                if not self._renderer.willRenderFeature(feature, self._context):
                    not_drawn += 1
                elif self._by_class:
                    seen |= self._renderer.legendKeysForFeature(feature, self._context)
        finally:
            self._renderer.stopRender(self._context)
        return Cover(features, not_drawn, self._bare(seen) if self._by_class else ())

    def _bare(self, seen: Set[str]) -> Tuple[str, ...]:
        found: List[str] = []
        for key, label, used in _classes(self._renderer):
            if used and key not in seen:
                found.append(clean_text(label, 40) or key)
        return tuple(found)


def is_classed(renderer: Any) -> bool:
    """Whether a renderer has classes, of which features can be left out."""
    return isinstance(renderer, _CLASSED)


def selects(renderer: Any) -> Any:
    """What decides which features the classes of a renderer draw; None without classes. Colours do not count."""
    if isinstance(renderer, QgsRuleBasedRenderer):
        rules = renderer.rootRule().descendants()
        places = {each.ruleKey(): place for place, each in enumerate(rules)}  # the root gets a new key with each copy
        return [
            (
                *(each.filterExpression(), each.isElse(), each.active(), each.symbol() is not None),
                places.get(each.parent().ruleKey(), -1),
            )
            for each in rules
        ]
    if isinstance(renderer, QgsCategorizedSymbolRenderer):
        return renderer.classAttribute(), [(str(each.value()), each.renderState()) for each in renderer.categories()]
    if isinstance(renderer, QgsGraduatedSymbolRenderer):
        limits = [(each.lowerValue(), each.upperValue(), each.renderState()) for each in renderer.ranges()]
        return renderer.classAttribute(), limits
    return None


def cover_notes(cover: Optional[Cover]) -> List[str]:
    """What a person must know of it."""
    notes: List[str] = []
    if cover is None:
        return notes
    if cover.not_drawn:
        notes.append(
            translate("QgisAgent", "{} of {} features are drawn by no class.").format(cover.not_drawn, cover.features)
        )
    if cover.bare:
        shown = ", ".join(cover.bare[:_NAMED]) + (", …" if len(cover.bare) > _NAMED else "")
        notes.append(translate("QgisAgent", "These classes draw no feature: {}.").format(shown))
    return notes


def _classes(renderer: Any) -> List[Tuple[str, str, bool]]:
    """(legend key, label, whether it is switched on) of each class that has a symbol."""
    if isinstance(renderer, QgsRuleBasedRenderer):
        rules = renderer.rootRule().descendants()
        return [(each.ruleKey(), each.label(), _is_on(each)) for each in rules if each.symbol() is not None]
    classes = renderer.categories() if isinstance(renderer, QgsCategorizedSymbolRenderer) else renderer.ranges()
    return [(each.uuid(), each.label(), each.renderState()) for each in classes]


def _is_on(rule: Any) -> bool:
    """Whether a rule and all that it is nested in are switched on."""
    while rule is not None:
        if not rule.active():
            return False
        rule = rule.parent()
    return True
