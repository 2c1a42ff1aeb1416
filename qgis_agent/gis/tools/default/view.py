"""Handlers of the pack "default": the map view."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Sequence

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeatureRequest,
    QgsVectorLayer,
)

from ...call import Call
from ...conditions import Where, request_expression
from ...errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...extents import bbox_degrees, checked_box, ends_at_180, written
from ...features import expression_context, feature_source
from ...host import WGS84
from ...i18n import translate
from ...layers import layer_kind
from ...moves import Move, is_grabbed, offer_text, perform, require_place
from ...view import Part, View, best_view, cut_at_180, parts_of
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
    parts: List[Part] = []
    if bbox is not None:
        view = View(*checked_box(bbox), 1, ())
    else:
        layer = call.layer(str(layer_id))
        _require_place(layer, str(layer_id))
        if where or isinstance(layer, QgsVectorLayer):
            parts = yield _read_parts(call, call.vector_layer(str(layer_id)), where)
            if not parts:
                raise _nothing_there(str(layer_id), bool(where))
            view = best_view(parts) if where else best_view([part._replace(area=0.0) for part in parts])
        else:
            box = bbox_degrees(layer.extent(), layer.crs(), call.host.project)
            if box is None:
                raise _nothing_there(str(layer_id), False)
            view = View(box[0], box[1], box[2], box[3], 1, ())
    return _show(call, view, parts)


def _show(call: Call, view: View, parts: List[Part]) -> Answer:
    shown, said = view, []
    left_out = sorted(view.left_out, key=lambda part: -part.area)
    box = written(*view[:4]) or [round(each, 6) for each in view[:4]]
    data: Dict[str, Any] = {"bbox": box, "crs": WGS84}
    if view.east > 180.0 and ends_at_180(call.host.map_crs(), (view.south + view.north) / 2, call.host.project):
        shown, beyond = cut_at_180(view, parts)
        if (shown.west, shown.east) != (-180.0, 180.0):
            said.append(_one_side(data, beyond, parts))
    move = Move((shown.west, shown.south, shown.east, shown.north))
    if is_grabbed(call):
        require_place(call.host, move.bbox or view[:4])
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
        text = translate(
            "QgisAgent", "The main part is shown; {} parts farther away are not (the largest around {:.1f}, {:.1f})."
        )
        said.append(text.format(data["left_out"], (first.west + first.east) / 2, (first.south + first.north) / 2))
    return Answer(data, " ".join(said))


def _one_side(data: Dict[str, Any], beyond: Sequence[Part], parts: Sequence[Part]) -> str:
    """Say that a map which ends at 180° shows one side only, and how much lies on the other."""
    text = translate("QgisAgent", "The map's CRS ends at 180°, so only one side of it is shown.")
    if not parts:
        return text
    data["beyond_180"] = sum(each.number for each in beyond)
    more = translate("QgisAgent", "{} of {} parts lie on the other side; in EPSG:4326 all of it can be shown.")
    return text + " " + more.format(data["beyond_180"], sum(each.number for each in parts))


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
        hint=translate(
            "QgisAgent", "See the field's values with list_values, or look for the place with resolve_place."
        )
        if filtered
        else translate("QgisAgent", "Look at it with describe_layer."),
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
