"""Categorized and graduated renderers from their document: classes by id, kept where nothing about them changes."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    Qgis,
    QgsCategorizedSymbolRenderer,
    QgsClassificationCustom,
    QgsClassificationEqualInterval,
    QgsClassificationJenks,
    QgsClassificationLogarithmic,
    QgsClassificationPrettyBreaks,
    QgsClassificationQuantile,
    QgsClassificationStandardDeviation,
    QgsFeatureRenderer,
    QgsGraduatedSymbolRenderer,
    QgsRendererCategory,
    QgsRendererRange,
    QgsSymbol,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QVariant

from ..conditions import require_field
from ..i18n import translate
from ..layers import layer_kind
from . import palettes
from .merge import Document, flag, in_order, invalid, number, one_of, only, same, text
from .symbol_patch import SYMBOL_KEYS, symbol_from
from .symbols import base_symbol
from .values import number_attribute

MAX_CLASSES = 500
METHODS = {
    "equal_interval": QgsClassificationEqualInterval,
    "quantile": QgsClassificationQuantile,
    "natural_breaks": QgsClassificationJenks,
    "pretty": QgsClassificationPrettyBreaks,
    "standard_deviation": QgsClassificationStandardDeviation,
    "logarithmic": QgsClassificationLogarithmic,
    "manual": QgsClassificationCustom,
}
_SYMBOL_TYPES = {"point": "marker", "line": "line", "polygon": "fill"}
_VALUE_KEYS = ("value", "values", "is_null", "others")
_CATEGORY_KEYS = ("order", "label", "color", "visible", "symbol", *_VALUE_KEYS)
_RANGE_KEYS = ("order", "label", "color", "visible", "symbol", "lower", "upper")


class Change(NamedTuple):
    """A renderer on its way: the present one and its document (None and {} for another type), the document wanted."""

    layer: QgsVectorLayer
    old: Optional[Any]
    before: Document
    after: Document
    path: str


def categorized_from(change: Change) -> QgsFeatureRenderer:
    """A categorized renderer with these categories."""
    layer, old, before, after, path = change
    field = _attribute(old, before, after, path, lambda name: require_field(layer, name).name())
    had = dict(zip(before.get("classes") or {}, old.categories() if old is not None else []))
    made = []
    for ident, entry, symbol in _entries(layer, before, after, had, _CATEGORY_KEYS, path):
        inner = "{}.classes.{}".format(path, ident)
        was = (before.get("classes") or {}).get(ident) or {}
        kept = ident in had and all(same(was.get(key), entry.get(key)) for key in _VALUE_KEYS)
        value = had[ident].value() if kept else _value(entry, inner)
        label = _label(entry, had.get(ident), was, inner)
        shown = flag(entry.get("visible", True), inner + ".visible")
        made.append(QgsRendererCategory(value, symbol, label, shown, ident))
    _check_values(made, path)
    if old is None:
        return QgsCategorizedSymbolRenderer(field, made)
    renderer = old.clone()
    renderer.setClassAttribute(field)
    renderer.deleteAllCategories()
    for each in made:
        renderer.addCategory(each)
    return renderer


def graduated_from(change: Change) -> QgsFeatureRenderer:
    """A graduated renderer with these classes. Limits that a patch changes make the classification ``manual``."""
    layer, old, before, after, path = change
    field = _attribute(old, before, after, path, lambda name: number_attribute(layer, name)[0])
    had = dict(zip(before.get("classes") or {}, old.ranges() if old is not None else []))
    made = []
    for ident, entry, symbol in _entries(layer, before, after, had, _RANGE_KEYS, path):
        inner = "{}.classes.{}".format(path, ident)
        was = (before.get("classes") or {}).get(ident) or {}
        lower = number(entry.get("lower"), inner + ".lower", -1e300, 1e300)
        upper = number(entry.get("upper"), inner + ".upper", -1e300, 1e300)
        if lower > upper:
            raise invalid(inner, translate("QgisAgent", "has a lower limit above its upper one"))
        shown = flag(entry.get("visible", True), inner + ".visible")
        made.append(QgsRendererRange(lower, upper, symbol, _label(entry, had.get(ident), was, inner), shown, ident))
    renderer = QgsGraduatedSymbolRenderer(field, made) if old is None else old.clone()
    if old is not None:
        renderer.setClassAttribute(field)
        renderer.deleteAllClasses()
        for each in made:
            renderer.addClassRange(each)
    _set_method(renderer, before, after, old is None, path)
    return renderer


def limits(said: Document) -> List[Tuple[Any, Any]]:
    """(lower, upper) of each class of a graduated document."""
    return [(each.get("lower"), each.get("upper")) for each in (said.get("classes") or {}).values()]


def _set_method(renderer: Any, before: Document, after: Document, fresh: bool, path: str) -> None:
    wanted = one_of(after.get("classification", "manual"), tuple(METHODS), path + ".classification")
    moved = not same([list(each) for each in limits(before)], [list(each) for each in limits(after)])
    if not fresh and not moved and wanted != before.get("classification") and wanted != "manual":
        raise invalid(
            path + ".classification",
            translate("QgisAgent", "alone does not compute new limits"),
            translate("QgisAgent", "Use set_render_rule: it takes the limits from the data."),
        )
    if moved and not fresh and wanted == before.get("classification"):
        wanted = "manual"
    if fresh or wanted != before.get("classification"):
        renderer.setClassificationMethod(METHODS[wanted]())
    by = one_of(after.get("by", "color"), ("color", "size"), path + ".by")
    renderer.setGraduatedMethod(Qgis.GraduatedMethod.Size if by == "size" else Qgis.GraduatedMethod.Color)


def _attribute(old: Any, before: Document, after: Document, path: str, checked: Callable[[str], str]) -> str:
    if after.get("expression") != before.get("expression") and after.get("expression") is not None:
        raise invalid(
            path + ".expression",
            translate("QgisAgent", "is not taken: expressions are a person's to write"),
            translate("QgisAgent", "Give a field."),
            reason="expression",
        )
    name = after.get("field")
    if old is not None and name == before.get("field"):
        return str(old.classAttribute())
    if not isinstance(name, str):
        raise invalid(path + ".field", translate("QgisAgent", "must be the name of a field"))
    return checked(name)


def _entries(
    layer: QgsVectorLayer, before: Document, after: Document, had: Dict[str, Any], keys: Tuple[str, ...], path: str
) -> List[Tuple[str, Document, QgsSymbol]]:
    """(id, entry, symbol) of each class in its order."""
    classes = after["classes"]
    if not isinstance(classes, dict) or not 1 <= len(classes) <= MAX_CLASSES:
        raise invalid(path + ".classes", translate("QgisAgent", "must hold 1 to {} classes").format(MAX_CLASSES))
    ids = in_order(classes)
    colors = _palette_colors(before, after, len(ids), path)
    wanted = _SYMBOL_TYPES.get(layer_kind(layer), "")
    pattern = next((each.symbol() for each in had.values() if each.symbol() is not None), None)
    found = []
    for position, ident in enumerate(ids):
        inner = "{}.classes.{}".format(path, ident)
        check_id(ident, "c", inner)
        entry = only(classes[ident], keys, inner, {"symbol": SYMBOL_KEYS})
        was = (before.get("classes") or {}).get(ident)
        if colors is not None and (was is None or same(was.get("color"), entry.get("color"))):
            entry = dict(entry, color=colors[position])
        present = had[ident].symbol() if ident in had else None
        found.append((ident, entry, class_symbol(layer, present, was, entry, pattern, wanted, inner)))
    return found


def check_id(ident: str, letter: str, path: str) -> None:
    """Ids are a letter and a number; INVALID_PARAM for others."""
    if not (ident[:1] == letter and ident[1:].isdigit() and len(ident) <= 5):
        raise invalid(
            path,
            translate("QgisAgent", "is no id of this kind"),
            translate(
                "QgisAgent", "Ids are {0}1, {0}2 … as get_style shows them; take a free number for a new one."
            ).format(letter),
        )


def class_symbol(
    layer: QgsVectorLayer,
    old: Optional[QgsSymbol],
    before: Optional[Document],
    after: Document,
    pattern: Optional[QgsSymbol],
    wanted: str,
    path: str,
) -> QgsSymbol:
    """The symbol of a class or rule whose colour stands beside it. A new one without a symbol looks like the others."""
    if "symbol" in after and not isinstance(after["symbol"], dict):
        raise invalid(path + ".symbol", translate("QgisAgent", "must be an object"))
    if old is not None and before is not None:
        was = dict(before.get("symbol") or {}, color=before.get("color"))
        now = dict(after.get("symbol", before.get("symbol") or {}))
        if after.get("color") is not None:
            now["color"] = after["color"]
        return symbol_from(old, was, now, layer, path + ".symbol", wanted)
    now = dict(after.get("symbol", {}))
    if after.get("color") is not None:
        now["color"] = after["color"]
    if not now:
        raise invalid(
            path,
            translate("QgisAgent", "lacks color or symbol"),
            translate("QgisAgent", "Give a colour."),
            reason="incomplete",
        )
    if "layers" in now:
        return symbol_from(None, None, now, layer, path + ".symbol", wanted)
    base = pattern.clone() if pattern is not None else base_symbol(layer, as_large=True)
    return symbol_from(base, {}, now, layer, path + ".symbol", wanted)


def _palette_colors(before: Document, after: Document, count: int, path: str) -> Optional[List[str]]:
    """The colours of the palette that a patch sets; None where it sets none."""
    palette, reverse = after.get("palette"), after.get("reverse", False)
    if palette is None or (palette == before.get("palette") and reverse == before.get("reverse", False)):
        return None
    one_of(palette, palettes.PALETTES, path + ".palette")
    ids = in_order(after["classes"])
    last = after["classes"][ids[-1]]
    neutral = count > 2 and isinstance(last, dict) and last.get("color") == palettes.NEUTRAL
    found = palettes.colors(palette, count - neutral, flag(reverse, path + ".reverse"))
    return [*found, palettes.NEUTRAL] if neutral else found


def _label(entry: Document, old: Any, was: Document, path: str) -> str:
    """A label that did not change keeps all of its text, also what the document shows shortened."""
    if old is not None and entry.get("label") == was.get("label"):
        return str(old.label())
    return text(entry.get("label", ""), path + ".label")


def _value(entry: Document, path: str) -> Any:
    if entry.get("is_null"):
        if "value" in entry:
            raise invalid(path, translate("QgisAgent", "has both a value and is_null"))
        return QVariant()
    if "values" in entry:
        values = entry["values"]
        if not isinstance(values, list) or not 1 <= len(values) <= MAX_CLASSES:
            raise invalid(path + ".values", translate("QgisAgent", "must be a list of values"))
        return [_scalar(each, path + ".values") for each in values]
    if "value" in entry:
        return _scalar(entry["value"], path + ".value")
    if entry.get("others"):
        return ""
    raise invalid(
        path, translate("QgisAgent", "lacks value"), translate("QgisAgent", 'Give value, or "is_null": true.')
    )


def _scalar(value: Any, path: str) -> Any:
    if isinstance(value, (str, int, float, bool)) and (not isinstance(value, str) or len(value) <= 500):
        return value
    raise invalid(path, translate("QgisAgent", "must be a text, a number, true or false"))


def _check_values(categories: List[QgsRendererCategory], path: str) -> None:
    """QGIS looks values up by their text, NULL being the empty one: of two alike only the last would be drawn."""
    seen = set()
    for category in categories:
        values = category.value() if isinstance(category.value(), list) else [category.value()]
        for each in values:
            name = "" if each is None or (isinstance(each, QVariant) and each.isNull()) else str(each)
            if name in seen:
                raise invalid(
                    path + ".classes",
                    translate("QgisAgent", "has two classes for the value '{}'").format(name),
                    translate("QgisAgent", "NULL, the empty text and all other values are one class in QGIS."),
                )
            seen.add(name)
