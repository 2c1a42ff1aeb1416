"""Where labels are put and when they are shown."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.core import Qgis, QgsLabelLineSettings, QgsPalLayerSettings, QgsTextFormat, QgsVectorLayer

from ..i18n import translate
from ..layers import layer_kind
from . import label_checks as checks
from .label_checks import Entry, invalid, plain_number
from .label_text import field_of, set_field
from .label_units import DISTANCE_FROM, LINE_SIDES, OVERLAPS, PLACEMENTS, PLACEMENTS_OF, POSITIONS, UNITS, word_of

Settings = QgsPalLayerSettings
Format = QgsTextFormat
_Property = QgsPalLayerSettings.Property


def _placement(path: str, value: Any, layer: QgsVectorLayer) -> None:
    checks.one_of(PLACEMENTS)(path, value)
    fitting = PLACEMENTS_OF.get(layer_kind(layer), ())
    if value not in fitting:
        raise invalid(
            path,
            translate("QgisAgent", "{} does not go with a {} layer").format(value, layer_kind(layer)),
            translate("QgisAgent", "Use one of: {}.").format(", ".join(fitting)),
        )


def _read_position(settings: Settings, _text: Format) -> str:
    return word_of(POSITIONS, settings.pointSettings().quadrant())


def _write_position(settings: Settings, _text: Format, value: str) -> None:
    points = settings.pointSettings()
    points.setQuadrant(POSITIONS[value])
    settings.setPointSettings(points)


def _read_sides(settings: Settings, _text: Format) -> List[str]:
    flags = settings.lineSettings().placementFlags()
    return [word for word, flag in LINE_SIDES.items() if flags & flag]


def _write_sides(settings: Settings, _text: Format, value: List[str]) -> None:
    flags = Qgis.LabelLinePlacementFlags()
    for word in value:
        flags |= LINE_SIDES[word]
    lines = QgsLabelLineSettings(settings.lineSettings())
    lines.setPlacementFlags(flags)
    settings.setLineSettings(lines)


def _write_merge(settings: Settings, _text: Format, value: bool) -> None:
    lines = QgsLabelLineSettings(settings.lineSettings())
    lines.setMergeLines(value)
    settings.setLineSettings(lines)


def _write_overlap(settings: Settings, _text: Format, value: str) -> None:
    placing = settings.placementSettings()
    placing.setOverlapHandling(OVERLAPS[value])
    settings.setPlacementSettings(placing)


def _write_offset(settings: Settings, _text: Format, value: List[float]) -> None:
    settings.xOffset, settings.yOffset = (float(each) for each in value)


def _read_scales(settings: Settings, _text: Format) -> Optional[Dict[str, Any]]:
    if not settings.scaleVisibility:
        return None
    return {"min": plain_number(settings.minimumScale), "max": plain_number(settings.maximumScale)}


def _write_scales(settings: Settings, _text: Format, value: Optional[Dict[str, Any]]) -> None:
    """A range is merged into the present one; the two together must make sense."""
    before = _read_scales(settings, _text) or {}
    merged = {**before, **(value or {})}
    checks.check_scales("labels.scale_range", merged.get("min"), merged.get("max"))
    settings.scaleVisibility = value is not None
    settings.minimumScale = float(merged.get("min") or 0)
    settings.maximumScale = float(merged.get("max") or 0)


def _number(name: str) -> Any:
    return lambda settings, _text: plain_number(getattr(settings, name))


def _set_number(name: str) -> Any:
    return lambda settings, _text, value: setattr(settings, name, float(value))


def _unit(key: str, name: str) -> Entry:
    return Entry(
        key,
        checks.one_of(UNITS),
        lambda s, _t: word_of(UNITS, getattr(s, name)),
        lambda s, _t, v: setattr(s, name, UNITS[v]),
    )


def _flag(key: str, name: str) -> Entry:
    return Entry(key, checks.boolean, lambda s, _t: getattr(s, name), lambda s, _t, v: setattr(s, name, v))


PLACEMENT_ENTRIES = (
    Entry(
        "placement",
        _placement,
        lambda s, _t: word_of(PLACEMENTS, s.placement),
        lambda s, _t, v: setattr(s, "placement", PLACEMENTS[v]),
    ),
    Entry("position", checks.one_of(POSITIONS), _read_position, _write_position),
    Entry("line_sides", checks.several_of(LINE_SIDES), _read_sides, _write_sides),
    Entry("distance", checks.number(-1e6, 1e6), _number("dist"), _set_number("dist")),
    _unit("distance_unit", "distUnits"),
    Entry(
        "distance_from",
        checks.one_of(DISTANCE_FROM),
        lambda s, _t: word_of(DISTANCE_FROM, s.offsetType),
        lambda s, _t, v: setattr(s, "offsetType", DISTANCE_FROM[v]),
    ),
    Entry(
        "offset",
        checks.pair(-1e6, 1e6),
        lambda s, _t: [plain_number(s.xOffset), plain_number(s.yOffset)],
        _write_offset,
    ),
    _unit("offset_unit", "offsetUnits"),
    Entry("rotation", checks.number(-360, 360), _number("angleOffset"), _set_number("angleOffset")),
    Entry(
        "rotation_field",
        checks.number_field,
        lambda s, _t: field_of(s, _Property.LabelRotation),
        lambda s, _t, v: set_field(s, _Property.LabelRotation, v),
        True,
    ),
    Entry("repeat_distance", checks.number(0, 1e6), _number("repeatDistance"), _set_number("repeatDistance")),
    _unit("repeat_unit", "repeatDistanceUnit"),
    Entry("scale_range", checks.scale_range, _read_scales, _write_scales, True),
    Entry("priority", checks.number(0, 10, True), lambda s, _t: s.priority, lambda s, _t, v: setattr(s, "priority", v)),
    Entry("z_index", checks.number(-1e6, 1e6), _number("zIndex"), _set_number("zIndex")),
    Entry(
        "overlap",
        checks.one_of(OVERLAPS),
        lambda s, _t: word_of(OVERLAPS, s.placementSettings().overlapHandling()),
        _write_overlap,
    ),
    _flag("all_parts", "labelPerPart"),
    Entry("merge_lines", checks.boolean, lambda s, _t: s.lineSettings().mergeLines(), _write_merge),
    _flag("only_inside", "fitInPolygonOnly"),
    _flag("whole_centroid", "centroidWhole"),
    _flag("centroid_inside", "centroidInside"),
)
