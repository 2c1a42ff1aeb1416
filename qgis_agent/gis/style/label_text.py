"""How the text of labels looks: field, font, size, colour, halo, background, lines, numbers."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.core import (
    Qgis,
    QgsPalLayerSettings,
    QgsProperty,
    QgsTextBackgroundSettings,
    QgsTextBufferSettings,
    QgsTextFormat,
)
from qgis.PyQt.QtCore import QSizeF

from . import label_checks as checks
from . import label_fonts as fonts
from .label_checks import Entry, color_of, hex_of, plain_number
from .label_units import ALIGNMENTS, SHAPES, UNITS, word_of

Settings = QgsPalLayerSettings
Format = QgsTextFormat
_Property = QgsPalLayerSettings.Property
_HALO = {
    "color": checks.color,
    "size": checks.number(0, 1000),
    "size_unit": checks.one_of(UNITS),
    "opacity": checks.number(0, 1),
}
_BACKGROUND = {
    "shape": checks.one_of(SHAPES),
    "color": checks.color,
    "outline_color": checks.color,
    "outline_width": checks.number(0, 100),
    "padding": checks.pair(0, 1000),
    "radius": checks.number(0, 1000),
    "opacity": checks.number(0, 1),
}


def field_of(settings: Settings, key: int) -> Optional[str]:
    """The plain field that an active data-defined property reads; None for none and for an expression."""
    value = settings.dataDefinedProperties().property(key)
    if not value.isActive() or value.propertyType() != Qgis.PropertyType.Field:
        return None
    return str(value.field())


def set_field(settings: Settings, key: int, name: Optional[str]) -> None:
    """Let a property be read from a field, or no more."""
    properties = settings.dataDefinedProperties()
    properties.setProperty(key, QgsProperty.fromField(name) if name else QgsProperty())
    settings.setDataDefinedProperties(properties)


def _write_field(settings: Settings, _text: Format, value: str) -> None:
    settings.fieldName = value
    settings.isExpression = False


def _read_field(settings: Settings, _text: Format) -> Any:
    return None if settings.isExpression else settings.fieldName


def _read_halo(_settings: Settings, text: Format) -> Optional[Dict[str, Any]]:
    halo = text.buffer()
    if not halo.enabled():
        return None
    found = {"color": hex_of(halo.color()), "size": plain_number(halo.size())}
    if halo.sizeUnit() != Qgis.RenderUnit.Millimeters:
        found["size_unit"] = word_of(UNITS, halo.sizeUnit())
    if halo.opacity() != 1:
        found["opacity"] = halo.opacity()
    return found


def _write_halo(_settings: Settings, text: Format, value: Optional[Dict[str, Any]]) -> None:
    halo = QgsTextBufferSettings(text.buffer())
    halo.setEnabled(value is not None)
    more = value or {}
    if "color" in more:
        halo.setColor(color_of(more["color"]))
    if "size" in more:
        halo.setSize(float(more["size"]))
    if "size_unit" in more:
        halo.setSizeUnit(UNITS[more["size_unit"]])
    if "opacity" in more:
        halo.setOpacity(float(more["opacity"]))
    text.setBuffer(halo)


def _read_background(_settings: Settings, text: Format) -> Optional[Dict[str, Any]]:
    shape = text.background()
    if not shape.enabled():
        return None
    return {
        "shape": word_of(SHAPES, shape.type()),
        "color": hex_of(shape.fillColor()),
        "outline_color": hex_of(shape.strokeColor()),
        "outline_width": plain_number(shape.strokeWidth()),
        "padding": [plain_number(shape.size().width()), plain_number(shape.size().height())],
        "radius": plain_number(shape.radii().width()),
        "opacity": plain_number(shape.opacity()),
    }


def _write_background(_settings: Settings, text: Format, value: Optional[Dict[str, Any]]) -> None:
    shape = QgsTextBackgroundSettings(text.background())
    if value is not None and not shape.enabled():
        shape = _plain_background()
    shape.setEnabled(value is not None)
    more = value or {}
    millimetres = Qgis.RenderUnit.Millimeters
    if "shape" in more:
        shape.setType(SHAPES[more["shape"]])
    if "color" in more:
        shape.setFillColor(color_of(more["color"]))
    if "outline_color" in more:
        shape.setStrokeColor(color_of(more["outline_color"]))
    if "outline_width" in more:
        shape.setStrokeWidth(float(more["outline_width"]))
        shape.setStrokeWidthUnit(millimetres)
    if "padding" in more:
        shape.setSizeType(QgsTextBackgroundSettings.SizeType.SizeBuffer)
        shape.setSize(QSizeF(*more["padding"]))
        shape.setSizeUnit(millimetres)
    if "radius" in more:
        shape.setRadii(QSizeF(more["radius"], more["radius"]))
        shape.setRadiiUnit(millimetres)
    if "opacity" in more:
        shape.setOpacity(float(more["opacity"]))
    text.setBackground(shape)


def _plain_background() -> QgsTextBackgroundSettings:
    shape = QgsTextBackgroundSettings()
    shape.setSize(QSizeF(1, 0.5))
    for set_unit in (shape.setSizeUnit, shape.setRadiiUnit, shape.setStrokeWidthUnit, shape.setOffsetUnit):
        set_unit(Qgis.RenderUnit.Millimeters)
    return shape


def _read_numbers(settings: Settings, _text: Format) -> Optional[Dict[str, Any]]:
    return {"decimals": settings.decimals, "plus_sign": settings.plusSign} if settings.formatNumbers else None


def _write_numbers(settings: Settings, _text: Format, value: Optional[Dict[str, Any]]) -> None:
    settings.formatNumbers = value is not None
    settings.decimals = (value or {}).get("decimals", settings.decimals)
    settings.plusSign = (value or {}).get("plus_sign", settings.plusSign)


def _set(name: str) -> Any:
    """A writer of an attribute of the settings."""
    return lambda settings, _text, value: setattr(settings, name, value)


TEXT_ENTRIES = (
    Entry("field", checks.any_field, _read_field, _write_field),
    Entry("font", checks.text(120), lambda _s, t: t.font().family(), lambda _s, t, v: fonts.set_family(t, v)),
    Entry("bold", checks.boolean, lambda _s, t: fonts.is_bold(t), lambda _s, t, v: fonts.set_face(t, bold=v)),
    Entry("italic", checks.boolean, lambda _s, t: fonts.is_italic(t), lambda _s, t, v: fonts.set_face(t, italic=v)),
    Entry(
        "underline", checks.boolean, lambda _s, t: t.font().underline(), lambda _s, t, v: fonts.set_underline(t, v)
    ),
    Entry(
        "size",
        checks.number(0.1, 1e6),
        lambda _s, t: plain_number(t.size()),
        lambda _s, t, v: t.setSize(float(v)),
    ),
    Entry(
        "size_unit",
        checks.one_of(UNITS),
        lambda _s, t: word_of(UNITS, t.sizeUnit()),
        lambda _s, t, v: t.setSizeUnit(UNITS[v]),
    ),
    Entry(
        "size_field",
        checks.number_field,
        lambda s, _t: field_of(s, _Property.Size),
        lambda s, _t, v: set_field(s, _Property.Size, v),
        True,
    ),
    Entry("color", checks.color, lambda _s, t: hex_of(t.color()), lambda _s, t, v: t.setColor(color_of(v))),
    Entry(
        "opacity",
        checks.number(0, 1),
        lambda _s, t: plain_number(t.opacity()),
        lambda _s, t, v: t.setOpacity(float(v)),
    ),
    Entry("halo", checks.group(_HALO), _read_halo, _write_halo, True),
    Entry("background", checks.group(_BACKGROUND), _read_background, _write_background, True),
    Entry("wrap", checks.text(20), lambda s, _t: s.wrapChar or None, lambda s, _t, v: setattr(s, "wrapChar", v or ""), True),
    Entry("wrap_length", checks.number(0, 1000, True), lambda s, _t: s.autoWrapLength, _set("autoWrapLength")),
    Entry(
        "align",
        checks.one_of(ALIGNMENTS),
        lambda s, _t: word_of(ALIGNMENTS, s.multilineAlign),
        lambda s, _t, v: setattr(s, "multilineAlign", ALIGNMENTS[v]),
    ),
    Entry(
        "line_height",
        checks.number(0.1, 10),
        lambda _s, t: plain_number(t.lineHeight()),
        lambda _s, t, v: t.setLineHeight(float(v)),
    ),
    Entry(
        "number_format",
        checks.group({"decimals": checks.number(0, 15, True), "plus_sign": checks.boolean}),
        _read_numbers,
        _write_numbers,
        True,
    ),
)  # fmt: skip
