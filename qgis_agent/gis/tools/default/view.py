"""Handlers of the pack "default": the map view."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeatureRequest,
    QgsVectorLayer,
)

from ...call import Call
from ...conditions import Where, request_expression
from ...errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...extents import bbox_degrees, checked_box, ends_at_180
from ...features import expression_context, feature_source
from ...host import WGS84
from ...i18n import translate
from ...layers import layer_kind
from ...moves import Move, is_grabbed, offer_text, perform, require_place
from ...view import best_view, on_one_side, parts_of
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]


@tool("zoom_to", effect="view", runs="task")
def zoom_to(
    call: Call, layer_id: Optional[str] = None, where: Where = (), bbox: Optional[List[float]] = None
) -> Generator[Step, Any, Answer]:
    """Move the map to a layer, to some of its features, or to a box in degrees (EPSG:4326)."""
    if (layer_id is None) == (bbox is None) or (where and layer_id is None):
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "zoom_to needs either layer_id (with or without where) or bbox."),
            hint=translate("QgisAgent", "Give one of the two."),
            reason="tool_arguments",
        )
    left_out: List[Any] = []
    if bbox is not None:
        west, south, east, north = checked_box(bbox)
    else:
        layer = call.layer(str(layer_id))
        _require_place(layer, str(layer_id))
        if where or isinstance(layer, QgsVectorLayer):
            parts = yield _read_parts(call, call.vector_layer(str(layer_id)), where)
            if not parts:
                raise _nothing_there(str(layer_id), bool(where))
            view = best_view(parts) if where else best_view([part._replace(area=0.0) for part in parts])
            west, south, east, north = view[:4]
            left_out = sorted(view.left_out, key=lambda part: -part.area)
        else:
            box = bbox_degrees(layer.extent(), layer.crs(), call.host.project)
            if box is None:
                raise _nothing_there(str(layer_id), False)
            west, south, east, north = box
    return _show(call, west, south, east, north, left_out)


def _show(call: Call, west: float, south: float, east: float, north: float, left_out: List[Any]) -> Answer:
    message = ""
    shown_west, shown_east = west, east
    if east > 180.0 and ends_at_180(call.host.map_crs(), (south + north) / 2, call.host.project):
        shown_west, shown_east = on_one_side(west, east)
        message = translate("QgisAgent", "The map's CRS ends at 180°, so only one side of it is shown.")
    move = Move((shown_west, south, shown_east, north))
    box = [round(each, 6) for each in (west, south, east, north)]
    data: Dict[str, Any] = {"bbox": box, "crs": WGS84}
    if is_grabbed(call):
        require_place(call.host, move.bbox or (west, south, east, north))
        call.acted("zoom_to", **dict(move.args(), padding=0.05, offered=True))
        return Answer(dict(data, offered=True, view_bbox=call.host.view_bbox()), offer_text())
    perform(call.host, move)
    call.host.remember_view(box)
    call.acted("zoom_to", bbox=box, padding=0.05)
    data["view_bbox"] = call.host.view_bbox()
    if left_out:
        data["left_out"] = sum(each.number for each in left_out)
        first = left_out[0]
        data["left_out_largest"] = [round(each, 2) for each in first[:4]]
        message = translate(
            "QgisAgent", "The main part is shown; {} parts farther away are not (the largest around {:.1f}, {:.1f})."
        ).format(data["left_out"], (first.west + first.east) / 2, (first.south + first.north) / 2)
    return Answer(data, message)


def _require_place(layer: Any, layer_id: str) -> None:
    if layer_kind(layer) == "table":
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is a table; its rows have no place.").format(layer_id),
            hint=translate("QgisAgent", "Zoom to a layer with geometry, or use resolve_place or bbox."),
            reason="layer_kind",
        )
    if not layer.crs().isValid():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no CRS, so nobody knows where it is.").format(layer_id),
            hint=translate("QgisAgent", "Set the layer's CRS first (set_layer_crs)."),
            reason="no_crs",
        )


def _nothing_there(layer_id: str, filtered: bool) -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "No feature of '{}' with a geometry matches.").format(layer_id)
        if filtered
        else translate("QgisAgent", "The layer '{}' has nothing to show.").format(layer_id),
        hint=translate("QgisAgent", "Check the condition with count_features."),
        reason="no_features",
    )


def _read_parts(call: Call, layer: QgsVectorLayer, where: Where) -> Work:
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    expression = request_expression(layer, where)
    if expression:
        request = QgsFeatureRequest().setFilterExpression(expression)
        request.setExpressionContext(expression_context(layer))
    source = feature_source(layer)
    to_degrees = QgsCoordinateTransform(
        layer.crs(), QgsCoordinateReferenceSystem(WGS84), call.host.project.transformContext()
    )
    return Work(
        translate("QgisAgent", "Reading geometry"), lambda feedback: parts_of(source, request, to_degrees, feedback)
    )
