"""Legends: the texts of classes, by the ids of the style document, and what a legend shows."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsColorRampShader,
    QgsGraduatedSymbolRenderer,
    QgsMapLayer,
    QgsPalettedRasterRenderer,
    QgsRasterLayer,
    QgsRuleBasedRenderer,
    QgsSingleBandPseudoColorRenderer,
    QgsSymbol,
    QgsVectorLayer,
)

from ..errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text
from ..scope_looks import hides_look
from .renderer_copy import renderer_copy
from .renderer_document import entry_ids

LABEL_LENGTH = 120


class ClassText(NamedTuple):
    """A class of a layer: its id as in get_style, its text in the legend, its colour, and whether it is shown."""

    id: str
    label: str
    color: Optional[str]
    visible: bool


def class_texts(layer: QgsMapLayer) -> List[ClassText]:
    """The classes of a layer in order; an empty list for a look without classes, and for one by an excluded field."""
    if hides_look(layer, "renderer"):
        return []
    renderer = layer.renderer() if isinstance(layer, (QgsVectorLayer, QgsRasterLayer)) else None
    if isinstance(renderer, QgsRuleBasedRenderer):
        rules = renderer.rootRule().descendants()
        ids = entry_ids([each.ruleKey() for each in rules], "r")
        return [_text(ident, each.label(), each.symbol(), each.active()) for ident, each in zip(ids, rules)]
    if isinstance(renderer, (QgsCategorizedSymbolRenderer, QgsGraduatedSymbolRenderer)):
        named = isinstance(renderer, QgsCategorizedSymbolRenderer)
        classes = renderer.categories() if named else renderer.ranges()
        ids = entry_ids([each.uuid() for each in classes], "c")
        return [_text(ident, each.label(), each.symbol(), each.renderState()) for ident, each in zip(ids, classes)]
    if isinstance(renderer, QgsPalettedRasterRenderer):
        found = renderer.classes()
        ids = entry_ids([""] * len(found), "c")
        return [ClassText(ident, clean_text(each.label), each.color.name(), True) for ident, each in zip(ids, found)]
    shader = _shader(renderer)
    items = shader.colorRampItemList() if shader is not None else []
    ids = entry_ids([""] * len(items), "c")
    return [ClassText(ident, clean_text(each.label), each.color.name(), True) for ident, each in zip(ids, items)]


def check_texts(layer: QgsMapLayer, texts: Mapping[str, str]) -> Dict[str, str]:
    """The texts as they will be written. UNSUPPORTED without classes, NOT_FOUND for an unknown id, INVALID_PARAM for an
    empty text and for one that QGIS would evaluate."""
    known = [each.id for each in class_texts(layer)]
    if not known:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no classes; its legend shows its name.").format(layer.name()),
            hint=translate("QgisAgent", "Set a title, rename the layer, or draw it in classes with set_render_rule."),
            reason="no_classes",
        )
    for ident in texts:
        if ident not in known:
            shown = ", ".join(known[:12]) + (" …" if len(known) > 12 else "")
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no class '{}' in the layer '{}'.").format(ident, layer.name()),
                hint=translate("QgisAgent", "Classes: {}; get_style shows them.").format(shown),
                reason="class",
            )
    made = {ident: literal(text, LABEL_LENGTH) for ident, text in texts.items()}
    bare = [ident for ident, text in made.items() if not text]
    if bare:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The text of class '{}' is empty, so the legend would not say what it is.").format(
                bare[0]
            ),
            hint=translate("QgisAgent", "Give a text; to hide a class set its visible to false with patch_style."),
            reason="empty_text",
        )
    return made


def literal(text: str, length: int) -> str:
    """A text for a legend. INVALID_PARAM for one that QGIS would evaluate."""
    shown = clean_text(text, length)  # first: what is taken out may stand between the two signs
    if "[%" in shown:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "The text holds [%, which QGIS would evaluate as an expression."),
            hint=translate("QgisAgent", "Write the text itself, without [% %]."),
            reason="evaluated_text",
        )
    return shown


def set_class_texts(layer: QgsMapLayer, texts: Mapping[str, str]) -> None:
    """Write checked texts; everything else of the look stays."""
    places = {each.id: index for index, each in enumerate(class_texts(layer))}
    if isinstance(layer, QgsRasterLayer):
        _set_raster(layer, {places[ident]: text for ident, text in texts.items()})
        return
    renderer = layer.renderer().clone()
    for ident, text in texts.items():
        if isinstance(renderer, QgsRuleBasedRenderer):
            renderer.rootRule().descendants()[places[ident]].setLabel(text)
        elif isinstance(renderer, QgsCategorizedSymbolRenderer):
            renderer.updateCategoryLabel(places[ident], text)
        else:
            renderer.updateRangeLabel(places[ident], text)
    layer.setRenderer(renderer)


def _set_raster(layer: QgsRasterLayer, texts: Mapping[int, str]) -> None:
    renderer = renderer_copy(layer.renderer())
    shader = _shader(renderer)
    if shader is None:
        for place, text in texts.items():
            renderer.setLabel(renderer.classes()[place].value, text)
    else:
        items = shader.colorRampItemList()
        for place, text in texts.items():
            items[place].label = text
        shader.setColorRampItemList(items)
    layer.setRenderer(renderer)


def _shader(renderer: Any) -> Optional[QgsColorRampShader]:
    if not isinstance(renderer, QgsSingleBandPseudoColorRenderer) or renderer.shader() is None:
        return None
    function = renderer.shader().rasterShaderFunction()
    return function if isinstance(function, QgsColorRampShader) else None


def _text(ident: str, label: str, symbol: Optional[QgsSymbol], visible: bool) -> ClassText:
    color = symbol.color().name() if symbol is not None else None
    return ClassText(ident, clean_text(label, LABEL_LENGTH), color, bool(visible))
