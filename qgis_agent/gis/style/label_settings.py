"""One set of label settings as data, and back: what labels of a layer, or of one rule, look like."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from qgis.core import Qgis, QgsPalLayerSettings, QgsTextBufferSettings, QgsTextFormat, QgsVectorLayer
from qgis.PyQt.QtGui import QColor

from ..i18n import translate
from ..layers import clean_text, layer_kind
from ..scope import seen_fields
from . import label_fonts as fonts
from .label_checks import invalid, known_key
from .label_placement import PLACEMENT_ENTRIES
from .label_text import TEXT_ENTRIES
from .label_units import PLACEMENTS, PLACEMENTS_OF
from .label_unsupported import differences

ENTRIES = TEXT_ENTRIES + PLACEMENT_ENTRIES
KEYS = tuple(each.key for each in ENTRIES)
TOLD = ("unsupported", "font_found")
"""Keys that a document tells and that a patch may repeat without effect."""
_ALWAYS = ("field", "font", "size", "color", "halo", "placement")
"""Keys that are always told; others only where they are not as in new labels."""
_TEXT_COLOR = "#323232"
_HALO_COLOR = "#ffffff"
_SIZE_PT = 9.0
_HALO_MM = 0.8


def fresh_settings(layer: QgsVectorLayer) -> QgsPalLayerSettings:
    """Settings of new labels: dark text in a light halo, readable on light and dark maps, placed as the geometry asks."""
    settings = QgsPalLayerSettings()
    kind = layer_kind(layer)
    settings.placement = PLACEMENTS[PLACEMENTS_OF.get(kind, ("around",))[0]]
    if kind == "point":
        settings.dist = 0.4
        settings.offsetType = Qgis.LabelOffsetType.FromSymbolBounds
    text = settings.format()
    text.setSize(_SIZE_PT)
    text.setSizeUnit(Qgis.RenderUnit.Points)
    text.setColor(QColor(_TEXT_COLOR))
    halo = QgsTextBufferSettings(text.buffer())
    halo.setEnabled(True)
    halo.setColor(QColor(_HALO_COLOR))
    halo.setSize(_HALO_MM)
    halo.setSizeUnit(Qgis.RenderUnit.Millimeters)
    text.setBuffer(halo)
    settings.setFormat(text)
    return settings


def read_settings(layer: QgsVectorLayer, settings: QgsPalLayerSettings) -> Dict[str, Any]:
    """The settings as data. Keys that are not told are as in new labels; ``unsupported`` says what data cannot express."""
    found = _told(settings, fresh_settings(layer))
    unsupported: List[str] = []
    if settings.isExpression:
        unsupported.append("expression: {}".format(clean_text(settings.fieldName, 200)))
        found.pop("field", None)
    elif not _has_field(layer, settings.fieldName):
        unsupported.append("field that the layer does not have: {}".format(clean_text(settings.fieldName, 80)))
        found.pop("field", None)
    if not fonts.is_installed(found["font"]):
        found["font_found"] = False
    for key in [each for each in found if each.endswith("_field") and not _has_field(layer, found[each])]:
        unsupported.append("{} that the layer does not have: {}".format(key, clean_text(found.pop(key), 80)))
    unsupported += differences(settings, _written(fresh_settings(layer), found))
    found["unsupported"] = unsupported
    return found


def check_settings(path: str, layer: QgsVectorLayer, settings: QgsPalLayerSettings, patch: Mapping[str, Any]) -> None:
    """Whether ``patch`` may be applied to these settings. A value that is there already passes unseen."""
    present = _values(settings)
    for key, value in patch.items():
        if key in TOLD:
            continue
        where = "{}.{}".format(path, key)
        if key == "expression":
            raise invalid(
                where,
                translate("QgisAgent", "expressions are not accepted"),
                translate("QgisAgent", "Give field, a field of the layer."),
            )
        known_key(path, key, KEYS)
        if value is None or value == present[key]:
            continue
        entry = next(each for each in ENTRIES if each.key == key)
        entry.check(where, value, layer)
        if key == "font" and not fonts.is_installed(value):
            raise _no_font(where, value)
    if patch.get("field", "") is None:
        raise invalid("{}.field".format(path), translate("QgisAgent", "labels need a field"))


def patched_settings(
    layer: QgsVectorLayer, settings: QgsPalLayerSettings, patch: Mapping[str, Any]
) -> QgsPalLayerSettings:
    """A copy of checked settings with the patch applied: null is "none", or the default of new labels."""
    defaults = _values(fresh_settings(layer))
    present = _values(settings)
    values = {}
    for entry in ENTRIES:
        if entry.key in patch and patch[entry.key] != present[entry.key]:
            value = patch[entry.key]
            values[entry.key] = defaults[entry.key] if value is None and not entry.nullable else value
    return _written(QgsPalLayerSettings(settings), values)


def _values(settings: QgsPalLayerSettings) -> Dict[str, Any]:
    text = settings.format()
    return {each.key: each.read(settings, text) for each in ENTRIES}


def _told(settings: QgsPalLayerSettings, fresh: QgsPalLayerSettings) -> Dict[str, Any]:
    usual = _values(fresh)
    return {key: value for key, value in _values(settings).items() if key in _ALWAYS or value != usual[key]}


def _written(settings: QgsPalLayerSettings, values: Mapping[str, Any]) -> QgsPalLayerSettings:
    text: QgsTextFormat = settings.format()
    for entry in ENTRIES:
        if entry.key in values:
            entry.write(settings, text, values[entry.key])
    settings.setFormat(text)
    return settings


def _has_field(layer: QgsVectorLayer, name: Any) -> bool:
    return isinstance(name, str) and name in [each.name() for each in seen_fields(layer)]


def _no_font(path: str, name: str) -> Exception:
    return invalid(
        path,
        translate("QgisAgent", "the font '{}' is not on this machine").format(clean_text(name, 60)),
        translate("QgisAgent", "Use one of: {}.").format(", ".join(fonts.nearest_families(name))),
    )
