"""Titles above a layer's legend entries: they go with what the look shows, and go when that changes."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsExpression,
    QgsFeatureRenderer,
    QgsHeatmapRenderer,
    QgsMapLayer,
    QgsPointDistanceRenderer,
    QgsRasterRenderer,
    QgsRuleBasedRenderer,
)

from ..i18n import translate
from ..layers import clean_text
from . import sizes
from .history import LEGEND_TITLE, history_of, set_legend_title
from .legend import literal
from .symbols import symbol_of

TITLE_LENGTH = 80
Subject = Tuple[str, ...]


class Title(NamedTuple):
    """The title that a layer is to have (None for none), and what is to be said of it ("" for nothing)."""

    text: Optional[str]
    note: str = ""


def subject(renderer: Any) -> Subject:
    """What a renderer shows: fields or expressions of its classes, weights and sizes; bands of a raster.

    Looks with the same subject can share a title, whatever their colours and class limits.
    """
    if isinstance(renderer, QgsRasterRenderer):
        relief = renderer.type() if renderer.type() == "hillshade" else ""
        return (relief, *(str(each) for each in renderer.usesBands() if each > 0))
    if isinstance(renderer, QgsPointDistanceRenderer):
        return subject(renderer.embeddedRenderer())
    if not isinstance(renderer, QgsFeatureRenderer):
        return ()
    if isinstance(renderer, QgsRuleBasedRenderer):
        filters = [each.filterExpression() for each in renderer.rootRule().descendants() if not each.isElse()]
        return tuple(sorted({name for each in filters if each for name in QgsExpression(each).referencedColumns()}))
    if isinstance(renderer, QgsHeatmapRenderer):
        attribute = renderer.weightExpression()
    else:
        attribute = getattr(renderer, "classAttribute", str)()
    symbol = symbol_of(renderer)
    return tuple(each for each in (attribute, sizes.expression_on(symbol) if symbol is not None else "") if each)


def present_title(host: Any, layer: QgsMapLayer) -> Optional[str]:
    """The title that the layer tree has for the layer's legend; None for none."""
    node = host.project.layerTreeRoot().findLayer(layer.id())
    title = node.customProperty(LEGEND_TITLE) if node is not None else None
    return title if isinstance(title, str) and title else None


def title_after(
    host: Any,
    layer: QgsMapLayer,
    shows: Subject,
    given: Optional[str] = None,
    own: str = "",
    was: Optional[Subject] = None,
) -> Title:
    """The title when the layer shows ``shows`` from now on, and showed ``was`` before (None: what it shows at present).

    ``given`` is set as it is ("" takes the title away; INVALID_PARAM for what QGIS would evaluate); ``own`` explains the new
    look where nobody has chosen a title. A title that a tool set for something else goes; a person's own stays. Both are told.
    """
    if given is not None:
        return Title(literal(given, TITLE_LENGTH) or None)
    title = present_title(host, layer)
    if title is None:
        return Title(own or None)
    if (subject(layer.renderer()) if was is None else was) == shows:
        return Title(title)
    if history_of(host).has_set_title(layer.id(), title):
        note = translate("QgisAgent", "The legend title '{}' belonged to the earlier style and was taken away.")
        return Title(own or None, note.format(clean_text(title, 60)))
    note = translate("QgisAgent", "The legend title '{}' was left; set_legend changes it.")
    return Title(title, note.format(clean_text(title, 60)))


def put_title(host: Any, layer: QgsMapLayer, title: Title) -> None:
    """Set or take away the title."""
    set_legend_title(host, layer, title.text)


def said(title: Title) -> Dict[str, str]:
    """What an answer says of the title."""
    return {"legend_title": clean_text(title.text, TITLE_LENGTH)} if title.text else {}
