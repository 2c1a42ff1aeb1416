"""Handlers of the pack "layout": items of layouts."""

from __future__ import annotations

import datetime
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence

from qgis.core import (
    QgsCsException,
    QgsLayoutItem,
    QgsLayoutItemLabel,
    QgsLayoutItemLegend,
    QgsLayoutItemMap,
    QgsLayoutItemScaleBar,
    QgsMapLayer,
    QgsPrintLayout,
    QgsRectangle,
    QgsVectorLayer,
)

from ...call import Call
from ...errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...features import FeatureReader, box_of_features, feature_source
from ...host import transformed
from ...i18n import translate
from ...layers import clean_text
from ...layouts import items
from ...layouts.build import layout_of, scale_note, sources_text, table_notes, warnings_of
from ...layouts.legend import fit, make_legend
from ...layouts.sheets import Box
from ...layouts.words import MUTED, literal
from ...work import Answer, Step, Work
from ..registry import tool

_SIZES = {
    "map": (120.0, 90.0),
    "text": (80.0, 8.0),
    "legend": (58.0, 80.0),
    "scale_bar": (58.0, 14.0),
    "north_arrow": (14.0, 14.0),
    "attribution": (120.0, 5.0),
    "overview": (40.0, 30.0),
    "table": (120.0, 40.0),
}
"""Width and height in mm where none are given."""
_TAKES = {
    "text": ("text", "attribution", "legend"),
    "layer_id": ("table",),
    "font_size": ("text", "attribution", "scale_bar", "table"),
}
"""The kinds that a parameter is for."""
_ONLY_MAPS = ("scale", "fit_layer_id")


@tool("add_layout_item", effect="create", runs="task")
def add_layout_item(
    call: Call,
    layout: str,
    kind: str,
    text: Optional[str] = None,
    layer_id: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Generator[Step, Any, Answer]:
    """One more item. Without a position: the free place on the page that is nearest to the upper left corner."""
    sheet = layout_of(call.host.project, layout)
    more = dict(options or {})
    _check_new(kind, text, layer_id, more)
    rows = 0
    if kind == "table" and layer_id is not None:
        reader = FeatureReader(call.vector_layer(layer_id), ())
        rows = yield Work(translate("QgisAgent", "Counting"), reader.count)
        sheet = layout_of(call.host.project, layout)
    box = _box(sheet, kind, more)
    made = _make(call, sheet, kind, box, text, layer_id, float(more.get("font_size") or 0))
    if more.get("font_size"):
        items.set_font_size(made, float(more["font_size"]))
    notes: List[str] = []
    if kind == "table" and layer_id is not None:
        shown = items.table_rows(box.height, float(more.get("font_size") or 8.0))
        notes = table_notes(call.vector_layer(layer_id), rows, shown)
    return _changed(call, sheet, made, notes)


def _check_new(kind: str, text: Optional[str], layer_id: Optional[str], more: Mapping[str, Any]) -> None:
    """What an item of this kind does not take is refused, not ignored."""
    given = {"text": text, "layer_id": layer_id, "font_size": more.get("font_size")}
    wrong = [key for key, value in given.items() if value and kind not in _TAKES[key]]
    if wrong:
        kinds = translate("QgisAgent", "Leave it out; it goes with {}.").format(", ".join(_TAKES[wrong[0]]))
        raise _wrong_kind(wrong[0], kind, kinds)


def _make(
    call: Call, sheet: QgsPrintLayout, kind: str, box: Box, text: Optional[str], layer_id: Optional[str], size: float
) -> QgsLayoutItem:
    host = call.host
    if kind == "text":
        if not text:
            raise _lacks("text", kind)
        return items.make_text(sheet, "text", box, literal(text, 400, "text"), size or 10.0)
    if kind == "attribution":
        layers = host.layers.visible_layers()
        words = literal(text, 200, "text") if text else sources_text(host.project, layers, _now())
        return items.make_text(sheet, "attribution", box, words, size or 7.0, color=MUTED)
    if kind == "table":
        if layer_id is None:
            raise _lacks("layer_id", kind)
        return items.make_table(sheet, box, call.vector_layer(layer_id), size or 8.0)
    if kind == "map":
        return items.make_map(
            sheet, box, _view(call), [each for each in host.layers.visible_layers() if each.isValid()]
        )
    of = items.main_map(sheet)
    if kind == "legend":
        return make_legend(sheet, box, of, of.layers(), literal(text or "", 80, "text")).item
    if kind == "scale_bar":
        return items.make_scale_bar(sheet, box, of)
    if kind == "north_arrow":
        return items.make_north_arrow(sheet, box, of)
    around = QgsRectangle(of.extent())
    around.scale(5.0)
    return items.make_overview(sheet, box, around, of)


@tool("set_layout_item", effect="create", runs="task")
def set_layout_item(
    call: Call,
    layout: str,
    item_id: str,
    text: Optional[str] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Generator[Step, Any, Answer]:
    """Change one item. All is checked before anything changes; several values are one step of the layout's own undo."""
    sheet = layout_of(call.host.project, layout)
    item = items.item_of(sheet, item_id)
    more = {key: value for key, value in dict(options or {}).items() if value is not None}
    _check(item, text, more)
    extent: Optional[QgsRectangle] = None
    if "fit_layer_id" in more:
        extent = yield from _extent_of_layer(call, str(more["fit_layer_id"]))
        sheet = layout_of(call.host.project, layout)  # anew: the person may have changed it meanwhile
        item = items.item_of(sheet, item_id)
        _check(item, text, more)
    words = None if text is None else literal(text, 400, "text")
    sheet.undoStack().beginCommand(item, translate("QgisAgent", "Change by QGIS Agent"))
    _apply(item, words, extent, more)
    sheet.undoStack().endCommand()
    _follow(sheet, item, more)
    return _changed(call, sheet, item)


def _check(item: QgsLayoutItem, text: Optional[str], more: Mapping[str, Any]) -> None:
    if text is None and not more:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "Nothing is to be changed."),
            hint=translate("QgisAgent", "Give text or options."),
            reason="tool_arguments",
        )
    kind = items.kind_of(item)
    for_maps = [key for key in _ONLY_MAPS if key in more]
    if for_maps and not isinstance(item, QgsLayoutItemMap):
        raise _wrong_kind(for_maps[0], kind, translate("QgisAgent", "Use the item_id of a map."))
    if text is not None and kind == "page_name":
        raise _wrong_kind(
            "text", kind, translate("QgisAgent", "It is the name of each atlas page; add a text beside it.")
        )
    if text is not None and not isinstance(item, (QgsLayoutItemLabel, QgsLayoutItemLegend)):
        raise _wrong_kind("text", kind, translate("QgisAgent", "Use the item_id of a text or a legend."))
    if "font_size" in more and not isinstance(item, (QgsLayoutItemLabel, QgsLayoutItemScaleBar)):
        raise _wrong_kind("font_size", kind, translate("QgisAgent", "A legend's letters follow its size."))


def _apply(item: QgsLayoutItem, text: Optional[str], extent: Optional[QgsRectangle], more: Mapping[str, Any]) -> None:
    if any(key in more for key in ("x", "y", "width", "height")):
        now = items.box_of(item)
        items.place(item, Box(*(float(more.get(key, getattr(now, key))) for key in ("x", "y", "width", "height"))))
    if "visible" in more:
        item.setVisibility(bool(more["visible"]))
    if text is not None and isinstance(item, QgsLayoutItemLabel):
        item.setText(text)
    if text is not None and isinstance(item, QgsLayoutItemLegend):
        item.setTitle(text)
    if "font_size" in more:
        items.set_font_size(item, float(more["font_size"]))
    if extent is not None and isinstance(item, QgsLayoutItemMap):
        item.zoomToExtent(extent)
    if "scale" in more and isinstance(item, QgsLayoutItemMap):
        item.setScale(float(more["scale"]))


def _follow(sheet: QgsPrintLayout, item: QgsLayoutItem, more: Mapping[str, Any]) -> None:
    """A scale bar keeps to its map, a legend to the size that it is given."""
    if isinstance(item, QgsLayoutItemMap):
        for each in items.items_of(sheet):
            if isinstance(each, QgsLayoutItemScaleBar) and each.linkedMap() is item:
                items.fit_scale_bar(each, items.box_of(each))
    if isinstance(item, QgsLayoutItemLegend) and ("width" in more or "height" in more):
        fit(item, items.box_of(item))
    item.refresh()


def _changed(call: Call, sheet: QgsPrintLayout, item: QgsLayoutItem, notes: Sequence[str] = ()) -> Answer:
    call.host.project.setDirty(True)
    data: Dict[str, Any] = dict(items.describe(item), layout=clean_text(sheet.name(), 80))
    warnings = list(notes) + [each for each in warnings_of(sheet) if "'{}'".format(items.shown_id(item)) in each]
    said = scale_note(item, call.host.project) if isinstance(item, QgsLayoutItemMap) else ""
    if said:
        warnings.append(said)
    if warnings:
        data["warnings"] = warnings
    call.acted("layout_item", layout=clean_text(sheet.name(), 80), item_id=items.shown_id(item))
    return Answer(data, " ".join(warnings))


def _box(sheet: QgsPrintLayout, kind: str, more: Mapping[str, Any]) -> Box:
    width, height = _SIZES[kind]
    width, height = float(more.get("width") or width), float(more.get("height") or height)
    if more.get("x") is not None and more.get("y") is not None:
        return Box(float(more["x"]), float(more["y"]), width, height)
    page = items.page_box(sheet, 0)
    taken = [items.box_of(each) for each in items.items_of(sheet) if each.isVisible() and each.page() <= 0]
    step = 5.0
    for down in range(int((page.height - height - 10) / step) + 1):
        for across in range(int((page.width - width - 10) / step) + 1):
            box = Box(5 + across * step, 5 + down * step, width, height)
            if not any(box.overlap(each) for each in taken):
                return box
    return Box(float(more.get("x") or 10.0), float(more.get("y") or 10.0), width, height)


def _view(call: Call) -> QgsRectangle:
    now = call.host.extent()
    return QgsRectangle(transformed(now, now.crs(), call.host.project.crs(), call.host.project))


def _extent_of_layer(call: Call, layer_id: str) -> Generator[Step, Any, QgsRectangle]:
    """The true extent of a layer in the project's CRS, read in a task for vectors."""
    layer: QgsMapLayer = call.layer(layer_id)
    if not layer.isValid() or not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no place on the map.").format(layer_id),
            hint=translate("QgisAgent", "Its data cannot be read, or it has no CRS."),
            reason="no_extent",
        )
    if isinstance(layer, QgsVectorLayer):
        source = feature_source(layer)
        extent = yield Work(
            translate("QgisAgent", "Reading geometry"), lambda feedback: box_of_features(source, feedback)
        )
    else:
        extent = layer.extent()
    project = call.host.project
    if extent.isNull():
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The layer '{}' has nothing to show.").format(layer_id),
            hint=translate("QgisAgent", "Check its filter."),
            reason="no_features",
        )
    try:
        made = QgsRectangle(transformed(extent, layer.crs(), project.crs(), project))
    except QgsCsException:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' cannot be shown in the project's CRS.").format(layer_id),
            hint=translate("QgisAgent", "Change the project CRS."),
            reason="crs",
        ) from None
    made.grow(max(made.width(), made.height(), 1e-6) * 0.03)
    return made


def _lacks(name: str, kind: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "An item of kind {} needs {}.").format(kind, name),
        hint=translate("QgisAgent", "Give {}.").format(name),
        reason="tool_arguments",
    )


def _wrong_kind(key: str, kind: str, hint: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} does not go with an item of kind {}.").format(key, kind),
        hint=hint,
        reason="item_kind",
    )


def _now() -> datetime.datetime:
    return datetime.datetime.now().astimezone()
