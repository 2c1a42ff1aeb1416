"""Pictures of a layer's look for a question: how it is drawn now, and how it would be, as far as that is known beforehand.

Made on the main thread from renderers; nothing of the data is read, so classes whose limits come from the data are shown as
the colours of their palette.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from qgis.core import QgsFeatureRenderer, QgsMapLayer, QgsSymbol, QgsVectorLayer
from qgis.PyQt.QtCore import QSize, Qt
from qgis.PyQt.QtGui import QColor, QImage, QPainter

from .call import Call
from .errors import ToolError
from .i18n import translate
from .layers import clean_text
from .style import palettes, renderers
from .style.document import full_document
from .style.history import history_of
from .style.legend import class_texts
from .style.merge import merged
from .style.renderer_patch import renderer_from
from .style.rule import DEFAULT_CLASSES, Rule

MAX_SIGNS = 8
"""More are counted in words; a person compares the look, not each class."""
SIZE = 22
"""Width and height of a sign in pixels: it is shown as large as on the map."""
_LABEL = 60


class Sign(NamedTuple):
    """One entry of a look: a picture and what stands beside it."""

    image: QImage
    label: str


class Look(NamedTuple):
    """The first entries of a look, and what is to be said of it ("" for nothing)."""

    signs: List[Sign]
    words: str


def looks_of(call: Call) -> Optional[Dict[str, Look]]:
    """{"before", "after"} for a call that changes a layer's look; None for other calls and where nothing can be shown."""
    make = _AFTER.get(call.tool)
    alias = str(call.arguments.get("layer_id") or "")
    layer = call.host.layers.by_alias(alias) if alias else None
    if make is None or layer is None:
        return None
    if call.tool == "copy_style":
        targets = [call.host.layers.by_alias(str(each)) for each in call.arguments.get("to_layer_ids") or []]
        layer = next((each for each in targets if each is not None), None)
        if layer is None:
            return None
    try:
        after = make(call, layer)
    except (ToolError, KeyError, ValueError, TypeError):
        after = None  # the call itself will say what does not fit; the question is then about the present look only
    before = look_of(layer)
    if not before.signs and after is None:
        return None
    return {"before": before, "after": after or Look([], translate("QgisAgent", "not known before it is done"))}


def look_of(layer: QgsMapLayer) -> Look:
    """How a layer is drawn now."""
    if isinstance(layer, QgsVectorLayer):
        return _of_renderer(layer.renderer())
    entries = class_texts(layer)
    signs = [Sign(_chip(each.color), each.label) for each in entries[:MAX_SIGNS] if each.color]
    return Look(signs, _more(len(entries)))


def _of_renderer(renderer: Optional[QgsFeatureRenderer]) -> Look:
    items = renderer.legendSymbolItems() if renderer is not None else []
    drawn = [each for each in items if each.symbol() is not None]
    signs = [Sign(_picture(each.symbol()), clean_text(each.label(), _LABEL)) for each in drawn[:MAX_SIGNS]]
    return Look(signs, _more(len(drawn)))


def _more(count: int) -> str:
    return translate("QgisAgent", "and {} more").format(count - MAX_SIGNS) if count > MAX_SIGNS else ""


def _picture(symbol: QgsSymbol) -> QImage:
    return QImage(symbol.asImage(QSize(SIZE, SIZE)))


def _chip(color: Optional[str]) -> QImage:
    image = QImage(SIZE, SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(0, 0, 0, 90))
    painter.setBrush(QColor(color or "#000000"))
    painter.drawRoundedRect(2, 4, SIZE - 5, SIZE - 9, 3, 3)
    painter.end()
    return image


def _chips(colors: Sequence[str], words: str) -> Look:
    return Look([Sign(_chip(each), "") for each in colors[:MAX_SIGNS]], words)


# how it would be


def _after_rule(call: Call, layer: QgsMapLayer) -> Optional[Look]:
    given = call.arguments
    rule = Rule(
        str(given.get("method")),
        given.get("field"),
        given.get("classes"),
        given.get("palette"),
        dict(given.get("options") or {}),
    )
    if rule.method == "single" and rule.color and isinstance(layer, QgsVectorLayer):
        look = renderers.Look(0.0, None, rule.opacity)
        return _of_renderer(renderers.single(layer, rule.color, look).renderer)
    if rule.method in ("graduated", "categorized"):
        fallback = palettes.DEFAULT_GRADUATED if rule.method == "graduated" else palettes.default_categorized(8)
        count = rule.classes or (DEFAULT_CLASSES if rule.method == "graduated" else MAX_SIGNS)
        colors = palettes.colors(rule.palette or fallback, min(int(count), MAX_SIGNS), rule.reverse)
        return _chips(colors, _classes_words(rule))
    if rule.method == "heatmap":
        colors = palettes.colors(rule.palette or palettes.DEFAULT_HEATMAP, 5, rule.reverse)
        return _chips(colors, translate("QgisAgent", "the density of the points"))
    if rule.color:
        return _chips([rule.color], "")
    return None


def _classes_words(rule: Rule) -> str:
    field = clean_text(str(rule.field or ""), _LABEL)
    if rule.method == "categorized":
        return translate("QgisAgent", "a colour for each value of {}").format(field)
    return translate("QgisAgent", "{} classes by {}; their limits come from the data").format(
        rule.classes or DEFAULT_CLASSES, field
    )


def _after_patch(call: Call, layer: QgsMapLayer) -> Optional[Look]:
    patch = call.arguments.get("patch")
    if not isinstance(layer, QgsVectorLayer) or not isinstance(patch, dict):
        return None
    if not isinstance(patch.get("renderer"), dict):
        present = look_of(layer)
        return Look(present.signs, present.words or translate("QgisAgent", "the same signs; see the arguments below"))
    before = full_document(call.host, layer)
    wanted = merged({"renderer": before["renderer"]}, {"renderer": patch["renderer"]})
    return _of_renderer(renderer_from(layer, layer.renderer(), before["renderer"], wanted["renderer"], "renderer"))


def _after_revert(call: Call, layer: QgsMapLayer) -> Optional[Look]:
    changes = history_of(call.host).changes(layer.id())
    wanted = str(call.arguments.get("rule_id") or "")
    found = [each for each in changes if each.rule_id == wanted] if wanted else changes[-1:]
    if not found or found[0].before.parts is None or not isinstance(layer, QgsVectorLayer):
        return None
    return _of_renderer(found[0].before.parts.renderer)


def _after_copy(call: Call, _layer: QgsMapLayer) -> Optional[Look]:
    source = call.host.layers.by_alias(str(call.arguments.get("layer_id")))
    return look_of(source) if source is not None and call.arguments.get("part") != "labels" else None


def _after_raster(call: Call, _layer: QgsMapLayer) -> Optional[Look]:
    palette = call.arguments.get("palette")
    if not palette:
        return None
    options: Any = call.arguments.get("options") or {}
    count = min(int(call.arguments.get("classes") or 5), MAX_SIGNS)
    return _chips(palettes.colors(str(palette), count, bool(options.get("reverse"))), "")


_AFTER = {
    "set_render_rule": _after_rule,
    "patch_style": _after_patch,
    "revert_style": _after_revert,
    "copy_style": _after_copy,
    "set_raster_style": _after_raster,
}
