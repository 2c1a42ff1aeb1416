"""Symbols in the style document: what a symbol looks like in one glance, and its layers, bottom first, as ``l1``, ``l2`` …

A symbol layer is ``{"kind": QGIS's name of it, property: value, …}``; properties that have the default of a new layer of that
kind are left out. Colours are hex, sizes are mm unless a ``…_unit`` says otherwise. ``color``, ``size``, ``width``,
``outline_color`` and ``outline_width`` of the symbol are read off its layers, and setting one changes the layers.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from qgis.core import Qgis, QgsApplication, QgsSymbol, QgsSymbolLayer, QgsUnitTypes

from .data_defined import Note, read_data_defined
from .merge import Document, same
from .symbol_values import NOT_EXPRESSED, SEEDS, hex_color, plain_value, raw_value
from .symbols import layers_of

TYPES = {
    QgsSymbol.SymbolType.Marker: "marker",
    QgsSymbol.SymbolType.Line: "line",
    QgsSymbol.SymbolType.Fill: "fill",
}
LAYER_KEYS = ("kind", "enabled", "locked", "rendering_pass", "data_defined", "symbol")
"""Of every symbol layer; the others are properties of its kind."""
MAX_REMEMBERED = 2000
_QUICK: Dict[str, Any] = {}
_KEPT: Dict[Tuple[str, str], List[str]] = {}


def read_symbol(symbol: Optional[QgsSymbol], path: str, note: Note) -> Optional[Document]:
    """The document of a symbol; ``note`` is told what it does not express."""
    if symbol is None:
        return None
    said: Document = {"type": TYPES.get(symbol.type(), "other"), **glance(symbol)}
    if symbol.opacity() != 1.0:
        said["opacity"] = round(symbol.opacity(), 4)
    if not symbol.clipFeaturesToExtent():
        said["clip_to_extent"] = False
    if symbol.forceRHR():
        said["right_hand_rule"] = True
    if symbol.flags() & Qgis.SymbolFlag.RendererShouldUseSymbolLevels:
        said["symbol_levels"] = True
    defined = read_data_defined(symbol.dataDefinedProperties(), QgsSymbol.propertyDefinitions(), path, note)
    if defined:
        said["data_defined"] = defined
    if symbol.animationSettings().isAnimated():
        note(path, "animation")
    buffer = symbol.bufferSettings()
    if buffer is not None and buffer.enabled():
        note(path, "symbol buffer")
    said["layers"] = {
        "l{}".format(number): read_layer(each, "{}.layers.l{}".format(path, number), note)
        for number, each in enumerate(layers_of(symbol), 1)
    }
    return said


def glance(symbol: QgsSymbol) -> Document:
    """Colour, size or width, and outline of a symbol."""
    said: Document = {"color": hex_color(symbol.color())}
    for key, unit in (("size", "sizeUnit"), ("width", "widthUnit")):
        if hasattr(symbol, key):
            said[key] = round(float(getattr(symbol, key)()), 6)
            found = getattr(symbol, unit)() if hasattr(symbol, unit) else symbol.outputUnit()
            name = QgsUnitTypes.encodeUnit(found)
            if name not in ("MM", ""):
                said[key + "_unit"] = name
    first = outlined(symbol)
    if first is not None:
        said["outline_color"] = hex_color(first.strokeColor())
        said["outline_width"] = round(float(first.strokeWidth()), 6)
    return said


def outlined(symbol: QgsSymbol) -> Optional[QgsSymbolLayer]:
    """The layer whose outline stands for the symbol's."""
    return next(
        (each for each in layers_of(symbol) if hasattr(each, "strokeWidth") and hasattr(each, "setStrokeWidth")), None
    )


def read_layer(layer: QgsSymbolLayer, path: str, note: Note) -> Document:
    """The document of one symbol layer."""
    kind = layer.layerType()
    said: Document = {"kind": kind, **_properties(layer, path, note)}
    if not layer.enabled():
        said["enabled"] = False
    if layer.isLocked():
        said["locked"] = True
    if layer.renderingPass():
        said["rendering_pass"] = layer.renderingPass()
    collection = layer.dataDefinedProperties()
    if collection.hasActiveProperties():
        defined = read_data_defined(collection, layer.propertyDefinitions(), path, note)
    else:
        defined = {}
    if defined:
        said["data_defined"] = defined
    effect = layer.paintEffect()
    if effect is not None and effect.enabled():
        note(path, "layer effect")
    if layer.subSymbol() is not None:
        said["symbol"] = read_symbol(layer.subSymbol(), path + ".symbol", note)
    return said


def new_layer(kind: str, properties: Dict[str, Any]) -> Optional[QgsSymbolLayer]:
    """A symbol layer of QGIS; None for a kind that it does not have."""
    found = QgsApplication.symbolLayerRegistry().symbolLayerMetadata(kind)
    return found.createSymbolLayer(properties) if found is not None else None


def defaults(kind: str) -> Dict[str, Any]:
    """The properties of a new symbol layer of this kind, as QGIS keeps them; {} for an unknown kind."""
    if kind not in _QUICK:
        made = new_layer(kind, {})
        _QUICK[kind] = dict(made.properties()) if made is not None else {}
    return dict(_QUICK[kind])


def _properties(layer: QgsSymbolLayer, path: str, note: Note) -> Document:
    """What differs from a new layer. What would not come back the same when written is left to ``note``."""
    kind, raw = layer.layerType(), layer.properties()
    usual = defaults(kind)
    said: Document = {}
    written: Dict[str, Any] = {}
    for key in sorted(raw):
        if key not in SEEDS and raw[key] == usual.get(key):
            continue
        value = plain_value(kind, key, raw[key])
        if key not in SEEDS and _usual(raw[key], value, usual.get(key), plain_value(kind, key, usual.get(key))):
            continue
        if value is None:
            note("{}.{}".format(path, key), "file or embedded settings" if key in NOT_EXPRESSED else "value")
            continue
        said[key] = value
        written[key] = raw_value(kind, key, value, usual.get(key), path)
    for key in _not_kept(kind, said, written):
        note("{}.{}".format(path, key), "value")
    return said


def _not_kept(kind: str, said: Document, written: Dict[str, Any]) -> List[str]:
    """The properties that would not come back the same when they are written. Known for what was looked at before."""
    key = (kind, repr(written))
    if key not in _KEPT:
        if len(_KEPT) >= MAX_REMEMBERED:
            _KEPT.clear()
        made = new_layer(kind, written)
        got = made.properties() if made is not None else {}
        _KEPT[key] = [each for each in sorted(said) if not same(plain_value(kind, each, got.get(each)), said[each])]
    return _KEPT[key]


def _usual(raw: Any, value: Any, usual_raw: Any, usual: Any) -> bool:
    """Whether a property is as in a new layer. Not set (NULL, empty) counts as such, an unspoken value (a file) does not."""
    if value is None:
        return bool(not raw or raw == usual_raw)
    return same(value, usual)
