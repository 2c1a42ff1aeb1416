"""Handlers of the pack "default": labels."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Mapping, Optional

from qgis.core import QgsVectorLayer
from qgis.PyQt.QtGui import QColor

from ...call import Call
from ...conditions import fields_like
from ...errors import INVALID_PARAM, UNSUPPORTED, UPSTREAM_ERROR, ToolError
from ...i18n import translate
from ...layers import layer_kind
from ...style import label_fonts as fonts
from ...style.history import history_of, restore, snapshot
from ...style.label_settings import KEYS
from ...style.label_values import LabelValueReader, LabelValues, name_field
from ...style.labels import check_labels, label_type, patch_labels, read_labels
from ...style.scales import map_scale
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_DARK_HALO = "#1a1a1a"
_LIGHT_HALO = "#ffffff"
_MIN_CONTRAST = 3.0
"""WCAG 2 asks for this between large text and its background."""
_TOLD = ("field", "font", "size", "color", "halo", "placement", "scale_range")


@tool("set_layer_label", effect="view", runs="task")
def set_layer_label(
    call: Call,
    layer_id: str,
    visible: bool,
    field: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Steps:
    """Label a layer by a field, change how labels look, or switch them off and on. Undone when QGIS does not take it."""
    layer = _drawn(call, layer_id)
    kind = label_type(layer)
    alias = call.host.layers.alias(layer)
    if not visible and not kind:
        data = {"layer_id": alias, "visible": False, "rule_id": None}
        return Answer(data, translate("QgisAgent", "The layer has no labels; nothing was changed."))
    patch = _patch(layer, kind, visible, field, dict(options or {}))
    check_labels(layer, patch)
    values: Optional[LabelValues] = None
    labelled = patch.get("field") or read_labels(layer).get("field")
    if visible and labelled:
        reader = LabelValueReader(layer, labelled)
        values = yield Work(translate("QgisAgent", "Reading values"), reader.read)
        layer = _drawn(call, layer_id)
    notes: List[str] = []
    if values is not None:
        _choose_font(layer, kind, patch, values, notes)
    rule_id = _apply(call, layer, patch)
    data = _result(layer, alias, visible, rule_id, values)
    _warn(call, layer, data, values, notes)
    call.acted("label", layer_id=alias, visible=visible, field=data.get("field"), rule_id=rule_id)
    call.add_evidence(rule_id, _evidence(alias, visible, data))
    return Answer(data, " ".join(notes))


def _patch(
    layer: QgsVectorLayer, kind: str, visible: bool, field: Optional[str], more: Dict[str, Any]
) -> Dict[str, Any]:
    """The arguments as a patch of the labels document."""
    if kind in ("rules", "other") and (field is not None or more):
        raise ToolError(
            INVALID_PARAM,
            translate(
                "QgisAgent", "The labels of '{}' have rules that a person made; they can be switched on and off."
            ).format(layer.name()),
            hint=translate(
                "QgisAgent",
                "Change a rule with patch_style, or replace all: patch labels with type simple and a field.",
            ),
            reason="label_rules",
        )
    if visible and not kind and field is None:
        field = _obvious(layer)
    patch: Dict[str, Any] = {"enabled": visible}
    if field is not None:
        patch["field"] = field
    if more.get("size") is not None:
        patch.update(size=more["size"], size_unit="pt")
    patch.update({key: more[key] for key in ("color", "bold", "placement") if more.get(key) is not None})
    halo = _halo(layer, kind, more)
    if halo is not False:
        patch["halo"] = halo
    scales = {key: more[key + "_scale"] for key in ("min", "max") if more.get(key + "_scale") is not None}
    if scales:
        patch["scale_range"] = scales
    return patch


def _halo(layer: QgsVectorLayer, kind: str, more: Mapping[str, Any]) -> Any:
    """The halo to be set: an object, None for none, False to leave it. A new colour of the text keeps its contrast."""
    if more.get("halo_size") == 0:
        return None
    halo = {key[5:]: more[key] for key in ("halo_color", "halo_size") if more.get(key) is not None}
    present = read_labels(layer).get("halo") if kind else {"color": _LIGHT_HALO}
    color = more.get("color")
    if color and "color" not in halo and (present or halo):
        behind = (present or {}).get("color", _LIGHT_HALO)
        if contrast(color, behind) < _MIN_CONTRAST:
            halo["color"] = max((_LIGHT_HALO, _DARK_HALO), key=lambda each: contrast(color, each))
    return halo or False


def contrast(one: str, other: str) -> float:
    """Contrast of two colours by WCAG 2: from 1, the same, to 21, black on white."""
    lights = sorted((_luminance(QColor(one[:7])), _luminance(QColor(other[:7]))))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _luminance(color: QColor) -> float:
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _obvious(layer: QgsVectorLayer) -> str:
    found = name_field(layer)
    if found is not None:
        return found
    likely = fields_like(layer, "name", ("text",))
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The layer '{}' has no labels yet, so a field is needed.").format(layer.name()),
        hint=translate("QgisAgent", "Give field, one of: {}.").format(", ".join(likely) or "-"),
        reason="field",
        options=[{"label": each} for each in likely],
    )


def _choose_font(
    layer: QgsVectorLayer, kind: str, patch: Dict[str, Any], values: LabelValues, notes: List[str]
) -> None:
    """An installed font with glyphs for the values: for new labels at once, for a person's own only against boxes."""
    present = read_labels(layer)
    family = present.get("font", "")
    if kind and family:
        settings = layer.labeling().settings()
        text = settings.format()
        boxes = fonts.missing_glyphs(text.font(), values.characters)
        if not boxes:
            return
    choice = fonts.family_for(values.characters or {"a"})
    boxes = fonts.missing_glyphs(fonts.plain_font(choice.family), choice.missing)
    if choice.family:
        patch["font"] = choice.family
        if kind:
            notes.append(
                translate("QgisAgent", "The font {} lacks characters of the values, so {} is used.").format(
                    family, choice.family
                )
            )
    if boxes:
        notes.append(
            translate(
                "QgisAgent", "No font of this machine has glyphs for {} characters ({}); they are drawn as boxes."
            ).format(len(boxes), " ".join(sorted(boxes)[:8]))
        )


def _apply(call: Call, layer: QgsVectorLayer, patch: Dict[str, Any]) -> str:
    """Set the labels and read them back; everything is as before when QGIS did not take them over."""
    before = snapshot(call.host, layer)
    try:
        patch_labels(layer, patch)
        _require_taken(layer, patch)
    except ToolError:
        restore(call.host, before)
        raise
    rule_id = history_of(call.host).remember(before)
    call.host.repaint(layer)
    return rule_id


def _require_taken(layer: QgsVectorLayer, patch: Mapping[str, Any]) -> None:
    found = read_labels(layer)
    for key, value in patch.items():
        read = found.get(key)
        if isinstance(value, dict):
            taken = isinstance(read, dict) and all(read.get(each) == value[each] for each in value)
        else:
            taken = read == value or (key not in found and key in KEYS)  # not told: as in new labels
        if not taken:
            raise ToolError(
                UPSTREAM_ERROR,
                translate("QgisAgent", "QGIS did not take over the labels of '{}' ({}); they are as before.").format(
                    layer.name(), key
                ),
                hint=translate("QgisAgent", "Leave this option out."),
                reason="not_verified",
            )


def _result(
    layer: QgsVectorLayer, alias: str, visible: bool, rule_id: str, values: Optional[LabelValues]
) -> Dict[str, Any]:
    labels = read_labels(layer)
    data: Dict[str, Any] = {"layer_id": alias, "rule_id": rule_id, "visible": visible}
    data.update({key: labels[key] for key in _TOLD if key in labels})
    if "rules" in labels:
        data["rules"] = len(labels["rules"])
    if values is not None:
        data.update(features=values.features, with_value=values.with_value, null_count=values.without_value)
    return data


def _warn(
    call: Call, layer: QgsVectorLayer, data: Dict[str, Any], values: Optional[LabelValues], notes: List[str]
) -> None:
    """What keeps labels from being seen."""
    if not data["visible"]:
        return
    if values is not None and values.without_value:
        notes.append(
            translate("QgisAgent", "{} of {} features have no value and get no label.").format(
                values.without_value, values.features
            )
        )
    if not call.host.layers.is_visible(layer):
        notes.append(translate("QgisAgent", "The layer is hidden; toggle_layer shows it."))
    scale = map_scale(call.host)
    scales = data.get("scale_range") or {}
    low, high = scales.get("min") or 0, scales.get("max") or 0
    if scale and ((low and scale > low) or (high and scale < high)):
        notes.append(
            translate(
                "QgisAgent", "At the present scale, 1:{:.0f}, the labels are hidden by their range of scales."
            ).format(scale)
        )
    elif scale and not layer.isInScaleRange(scale):
        notes.append(
            translate(
                "QgisAgent", "At the present scale, 1:{:.0f}, the layer is hidden by its range of scales."
            ).format(scale)
        )


def _evidence(alias: str, visible: bool, data: Mapping[str, Any]) -> str:
    if not visible:
        return translate("QgisAgent", "{}: labels off").format(alias)
    return translate("QgisAgent", "{}: labels by {}, {}").format(
        alias, data.get("field", "-"), data.get("placement", "-")
    )


def _drawn(call: Call, layer_id: str) -> QgsVectorLayer:
    layer = call.vector_layer(layer_id)
    if layer_kind(layer) not in ("point", "line", "polygon"):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no geometry to put labels on.").format(layer_id),
            hint=translate("QgisAgent", "Use a point, line or polygon layer."),
            reason="layer_kind",
        )
    return layer
