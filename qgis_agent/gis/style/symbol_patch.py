"""From the document of a symbol back to a symbol. What the document does not express stays as it is in the present symbol."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsFillSymbol,
    QgsLineSymbol,
    QgsMarkerSymbol,
    QgsSymbol,
    QgsSymbolLayer,
    QgsUnitTypes,
    QgsVectorLayer,
)

from ..i18n import translate
from .data_defined import write_data_defined
from .merge import Document, flag, in_order, invalid, leaves, number, one_of, only, same, whole
from .symbol_document import LAYER_KEYS, TYPES, defaults, glance, new_layer, outlined, read_symbol
from .symbol_values import allowed_hint, hex_color, parse_color, plain_value, raw_value

SYMBOL_KEYS = (
    "type",
    "color",
    "size",
    "size_unit",
    "width",
    "width_unit",
    "outline_color",
    "outline_width",
    "opacity",
    "clip_to_extent",
    "right_hand_rule",
    "symbol_levels",
    "data_defined",
    "layers",
)
GLANCE = ("color", "size", "size_unit", "width", "width_unit", "outline_color", "outline_width")
"""What is read off the layers."""
MAX_LAYERS = 20
MAX_MM = 1000.0
_CLASSES = {"marker": QgsMarkerSymbol, "line": QgsLineSymbol, "fill": QgsFillSymbol}
_KINDS = {name: kind for kind, name in TYPES.items()}
_EXPRESSION_KINDS = ("GeometryGenerator",)


def symbol_from(
    old: Optional[QgsSymbol], before: Optional[Document], after: Any, layer: QgsVectorLayer, path: str, wanted: str = ""
) -> QgsSymbol:
    """A symbol that looks as ``after`` says. ``before`` is the document of ``old``; both are None for a new symbol.

    ``wanted`` is the type that the place asks for (marker, line, fill). INVALID_PARAM for what the document does not have.
    """
    only(after, SYMBOL_KEYS, path)
    had: Document = before or {}
    if old is not None and same(had, after):
        return old.clone()
    kind = one_of(after.get("type", had.get("type") or wanted), tuple(_CLASSES), path + ".type")
    if wanted and kind != wanted:
        raise invalid(path + ".type", translate("QgisAgent", "must be {} here").format(wanted))
    if old is None or TYPES.get(old.type()) != kind:
        old, had = None, {}
    symbol = old.clone() if old is not None else _CLASSES[kind].createSimple({})
    if old is None or not same(had.get("layers"), after.get("layers")):
        _set_layers(symbol, had.get("layers") or {}, after.get("layers"), layer, path + ".layers", old is None)
    _set_rest(symbol, had, after, layer, path)
    seen = symbol.clone()
    _set_glance(seen, had, after, path)
    return symbol if _contradicts(symbol, seen, had, after) else seen


def _contradicts(symbol: QgsSymbol, seen: QgsSymbol, before: Document, after: Document) -> bool:
    """Whether the glance (``seen``) takes back what the same patch sets in a layer. The layers are right then: a document
    in which one property of a layer was edited still has the old glance."""
    given = dict(leaves(after.get("layers") or {}))
    present = dict(leaves(before.get("layers") or {}))
    had, now = (dict(leaves(_plain_layers(each))) for each in (symbol, seen))
    changed = [path for path in given if not same(given[path], present.get(path))]
    return any(not same(had.get(path), now.get(path)) for path in changed)


def _plain_layers(symbol: QgsSymbol) -> Document:
    return read_symbol(symbol, "", lambda _path, _what: None)["layers"]  # type: ignore[index]


def _set_layers(symbol: QgsSymbol, before: Document, after: Any, layer: QgsVectorLayer, path: str, fresh: bool) -> None:
    if after is None:
        if fresh:
            return  # the simple layer that a new symbol comes with
        raise invalid(path, translate("QgisAgent", "must keep one layer at least"))
    if not isinstance(after, dict) or not 1 <= len(after) <= MAX_LAYERS:
        raise invalid(path, translate("QgisAgent", "must hold 1 to {} layers").format(MAX_LAYERS))
    made: List[QgsSymbolLayer] = []
    for ident in in_order(after):
        position = list(before).index(ident) if ident in before else -1
        old = symbol.symbolLayer(position) if position >= 0 else None
        made.append(_layer_from(old, before.get(ident), after[ident], symbol, layer, "{}.{}".format(path, ident)))
    while symbol.symbolLayerCount():
        symbol.deleteSymbolLayer(0)
    for each in made:
        symbol.appendSymbolLayer(each)


def _layer_from(
    old: Optional[QgsSymbolLayer],
    before: Optional[Document],
    after: Any,
    symbol: QgsSymbol,
    layer: QgsVectorLayer,
    path: str,
) -> QgsSymbolLayer:
    if old is not None and same(before, after):
        return old.clone()
    kind = _checked_kind(after, symbol, old, path)
    kept = old if old is not None and old.layerType() == kind else None
    had: Document = (before or {}) if kept is not None else {}
    made = _with_properties(kind, kept, had, after, path)
    _set_sub_symbol(made, kept, had, after, layer, path)
    collection = (kept or made).dataDefinedProperties()
    defined = write_data_defined(
        collection,
        made.propertyDefinitions(),
        had.get("data_defined") or {},
        after.get("data_defined") or {},
        layer,
        path + ".data_defined",
    )
    made.setDataDefinedProperties(defined)
    made.setEnabled(flag(after.get("enabled", True), path + ".enabled"))
    made.setLocked(flag(after.get("locked", False), path + ".locked"))
    made.setRenderingPass(whole(after.get("rendering_pass", 0), path + ".rendering_pass", 0, 100))
    if kept is not None and kept.paintEffect() is not None:
        made.setPaintEffect(kept.paintEffect().clone())
    return made


def _checked_kind(after: Any, symbol: QgsSymbol, old: Optional[QgsSymbolLayer], path: str) -> str:
    if not isinstance(after, dict):
        raise invalid(path, translate("QgisAgent", "must be an object"))
    present = old.layerType() if old is not None else ""
    fitting = QgsApplication.symbolLayerRegistry().symbolLayersForType(symbol.type())
    kind = after.get("kind", present)
    if symbol.type() == QgsSymbol.SymbolType.Fill:
        fitting = [*fitting, *QgsApplication.symbolLayerRegistry().symbolLayersForType(QgsSymbol.SymbolType.Line)]
    kind = one_of(kind, sorted(set(fitting)), path + ".kind")
    if kind in _EXPRESSION_KINDS and kind != present:
        raise invalid(
            path + ".kind",
            translate("QgisAgent", "is made by an expression and is not taken"),
            translate("QgisAgent", "Use another kind of symbol layer."),
            reason="expression",
        )
    return kind


def _with_properties(
    kind: str, old: Optional[QgsSymbolLayer], before: Document, after: Document, path: str
) -> QgsSymbolLayer:
    """A layer with these properties, read back: QGIS replaces what it does not know by its default, without a word."""
    usual = defaults(kind)
    given = {key: value for key, value in after.items() if key not in LAYER_KEYS}
    ramp = ("stops",) if "rampType" in usual else ()
    only(given, sorted({**usual, **(old.properties() if old is not None else {})}) + list(ramp), path)
    raw: Dict[str, Any] = dict(old.properties()) if old is not None else {}
    for key in before:
        if key not in LAYER_KEYS and key not in given:
            raw.pop(key, None)
    changed = {key: value for key, value in given.items() if not same(before.get(key), value)}
    for key, value in changed.items():
        raw[key] = raw_value(kind, key, value, usual.get(key), "{}.{}".format(path, key))
    made = new_layer(kind, raw)
    got = made.properties()
    for key, value in changed.items():
        found = plain_value(kind, key, got.get(key))
        if not same(found, _expected(found, value)):
            raise invalid(
                "{}.{}".format(path, key),
                translate("QgisAgent", "does not take {!r}").format(value),
                allowed_hint(key),
            )
    return made


def _expected(found: Any, value: Any) -> Any:
    """The value as it is read back: switches may be written true and read 1, colours in capitals."""
    if isinstance(value, bool) and not isinstance(found, bool):
        return int(value)
    if isinstance(value, str) and value.startswith("#"):
        return hex_color(parse_color(value, ""))
    if isinstance(value, list):
        return [[each[0], hex_color(parse_color(each[1], ""))] for each in value]
    return value


def _set_sub_symbol(
    made: QgsSymbolLayer, old: Optional[QgsSymbolLayer], before: Document, after: Document, layer: Any, path: str
) -> None:
    present = old.subSymbol() if old is not None else None
    if "symbol" not in after:
        if present is not None:
            made.setSubSymbol(present.clone())
        return
    wanted = made.subSymbol() or present
    base = present if present is not None else None
    name = TYPES.get(wanted.type(), "") if wanted is not None and made.layerType() not in _EXPRESSION_KINDS else ""
    sub = symbol_from(base, before.get("symbol"), after["symbol"], layer, path + ".symbol", name)
    if not made.setSubSymbol(sub):
        raise invalid(path + ".symbol", translate("QgisAgent", "does not go with this kind of symbol layer"))


def _set_rest(symbol: QgsSymbol, before: Document, after: Document, layer: Any, path: str) -> None:
    if before.get("opacity") != after.get("opacity"):
        symbol.setOpacity(number(after.get("opacity", 1.0), path + ".opacity", 0, 1))
    if before.get("clip_to_extent") != after.get("clip_to_extent"):
        symbol.setClipFeaturesToExtent(flag(after.get("clip_to_extent", True), path + ".clip_to_extent"))
    if before.get("right_hand_rule") != after.get("right_hand_rule"):
        symbol.setForceRHR(flag(after.get("right_hand_rule", False), path + ".right_hand_rule"))
    if before.get("symbol_levels") != after.get("symbol_levels"):
        wants = flag(after.get("symbol_levels", False), path + ".symbol_levels")
        others = symbol.flags() & ~Qgis.SymbolFlag.RendererShouldUseSymbolLevels
        symbol.setFlags(others | Qgis.SymbolFlag.RendererShouldUseSymbolLevels if wants else others)
    had, wanted = before.get("data_defined") or {}, after.get("data_defined") or {}
    if had != wanted:
        collection = symbol.dataDefinedProperties()
        definitions = QgsSymbol.propertyDefinitions()
        made = write_data_defined(collection, definitions, had, wanted, layer, path + ".data_defined")
        for key in definitions:
            symbol.setDataDefinedProperty(QgsSymbol.Property(key), made.property(key))


def _set_glance(symbol: QgsSymbol, before: Document, after: Document, path: str) -> None:
    """Colour, size, width and outline, where the patch set them and the layers do not give them yet."""
    _set_sizes(symbol, before, after, path)
    if after.get("color") is not None and not same(before.get("color"), after["color"]):
        wanted = parse_color(after["color"], path + ".color")
        if glance(symbol)["color"] != hex_color(wanted):
            symbol.setColor(wanted)
            if glance(symbol)["color"] != hex_color(wanted):
                raise invalid(
                    path + ".color",
                    translate("QgisAgent", "cannot be set: the symbol takes no colour"),
                    translate("QgisAgent", "Set the colours of its layers, or give it other layers."),
                )
    for key in ("outline_color", "outline_width"):
        if after.get(key) is None or same(before.get(key), after[key]) or same(glance(symbol).get(key), after[key]):
            continue
        part = outlined(symbol)
        if part is None:
            raise invalid("{}.{}".format(path, key), translate("QgisAgent", "cannot be set: the symbol has no outline"))
        if key == "outline_color":
            part.setStrokeColor(parse_color(after[key], path + "." + key))
        else:
            part.setStrokeWidth(number(after[key], path + "." + key, 0, MAX_MM))


def _set_sizes(symbol: QgsSymbol, before: Document, after: Document, path: str) -> None:
    for key, setter in (("size", "setSize"), ("width", "setWidth")):
        unit = key + "_unit"
        if after.get(key) is None and after.get(unit) is None:
            continue
        if same(before.get(key), after.get(key)) and before.get(unit) == after.get(unit):
            continue
        if not hasattr(symbol, setter):
            raise invalid(
                "{}.{}".format(path, key),
                translate("QgisAgent", "is no property of this type of symbol"),
                translate("QgisAgent", "It has: {}.").format(", ".join(glance(symbol))),
            )
        now = glance(symbol)
        if after.get(unit, "MM") != now.get(unit, "MM") and before.get(unit) != after.get(unit):
            decoded, known = QgsUnitTypes.decodeRenderUnit(str(after.get(unit, "MM")))
            if not known:
                raise invalid("{}.{}".format(path, unit), translate("QgisAgent", "must be a unit"))
            getattr(symbol, setter + "Unit")(decoded)
        if after.get(key) is not None and not same(now[key], after[key]):
            getattr(symbol, setter)(number(after[key], "{}.{}".format(path, key), 0, MAX_MM * 1000))
