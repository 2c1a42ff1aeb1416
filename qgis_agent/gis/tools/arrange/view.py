"""Handlers of the pack "arrange": the map view."""

from __future__ import annotations

from typing import Any, Generator, List, Optional

from qgis.core import QgsReferencedRectangle

from ...call import Call
from ...errors import INVALID_PARAM, NOT_FOUND, UNSUPPORTED, ToolError
from ...extents import bbox_degrees
from ...i18n import translate
from ...moves import Move, WholeMap, is_grabbed, joined_box, offer_text, perform, view_of
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
SCALE_TOLERANCE = 0.01
MAX_NAMED = 5


@tool("set_map_view", effect="view", runs="task")
def set_map_view(
    call: Call,
    method: Optional[str] = None,
    scale: Optional[float] = None,
    center: Optional[List[float]] = None,
    rotation: Optional[float] = None,
) -> Steps:
    """Move, scale or turn the map. ``center`` is [lon, lat] in degrees; ``scale`` the denominator."""
    _check(method, scale, center, rotation)
    host = call.host
    bbox, note = (yield from _everything(call)) if method == "full_extent" else (None, "")
    move = Move(
        bbox,
        None if method == "full_extent" else method,
        (center[0], center[1]) if center is not None else None,
        scale,
        rotation % 360.0 if rotation is not None else None,
    )
    if is_grabbed(call):
        call.acted("set_map_view", **dict(move.args(), offered=True))
        return Answer(dict(view_of(host), offered=True), " ".join(filter(None, [offer_text(), note])))
    before, extent, turned = view_of(host), host.view.frame(), host.view.rotation()
    perform(host, move)
    if not _is_done(host.view.scale(), host.view.rotation(), move):
        error = _not_done(host.view.scale(), host.view.rotation())
        host.view.restore(extent, turned)
        raise error
    now = view_of(host)
    if not method:
        asked = {key: value for key, value in move.args().items() if key != "bbox"}
        host.remember_view(None, **asked)
    else:
        host.remember_view(list(bbox) if bbox is not None else now["view_bbox"])
    call.acted("set_map_view", **dict(move.args(), view_bbox=now["view_bbox"], scale=now["scale"]))
    return Answer(dict(now, changed=now != before), note)


def _check(method: Optional[str], scale: Optional[float], center: Optional[List[float]], rotation: Any) -> None:
    problem = ""
    if method is None and scale is None and center is None and rotation is None:
        problem = translate("QgisAgent", "set_map_view needs a method, a scale, a centre or a rotation.")
    elif method is not None and (scale is not None or center is not None):
        problem = translate("QgisAgent", "A method sets scale and centre itself.")
    elif center is not None and not (-180 <= center[0] <= 180 and -90 <= center[1] <= 90):
        problem = translate("QgisAgent", "center is not a place in degrees.")
    if problem:
        raise ToolError(
            INVALID_PARAM,
            problem,
            hint=translate("QgisAgent", "Give method alone, or scale and center ([lon, lat] in degrees), or rotation."),
            reason="tool_arguments",
        )


def _everything(call: Call) -> Generator[Step, Any, Any]:
    """The project's own full extent, else the box around the visible layers, in degrees, and what it leaves out."""
    host = call.host
    preset: QgsReferencedRectangle = host.project.viewSettings().presetFullExtent()
    own = bbox_degrees(preset, preset.crs(), host.project)
    if own is not None:
        return tuple(own), ""
    whole = WholeMap(host)
    boxes = yield Work(translate("QgisAgent", "Reading geometry"), whole.read)
    box, lost = joined_box(host, boxes)
    note = ""
    if lost:
        note = translate(
            "QgisAgent", "Left out, for without a CRS or with a wrong one they have no place on earth: {}."
        )
        note = note.format(", ".join(lost[:MAX_NAMED] + (["…"] if len(lost) > MAX_NAMED else [])))
    if box is None and lost:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "No visible layer has a place on earth."),
            hint=translate("QgisAgent", "Let the person say the CRS of {} (set_layer_crs).").format(lost[0]),
            reason="no_crs",
        )
    if box is None:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "No visible layer has anything to show."),
            hint=translate("QgisAgent", "Switch a layer on with toggle_layer."),
            reason="no_features",
        )
    return box, note


def _is_done(scale: float, rotation: float, move: Move) -> bool:
    turned = move.rotation is None or abs((rotation - move.rotation + 180.0) % 360.0 - 180.0) < 0.01
    return turned and (move.scale is None or abs(scale - move.scale) <= SCALE_TOLERANCE * move.scale)


def _not_done(scale: float, rotation: float) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "QGIS showed 1:{:.0f}, rotated by {:.0f}°, instead; the map is as it was.").format(
            scale, rotation
        ),
        hint=translate("QgisAgent", "Use another scale or rotation."),
        reason="read_back",
    )
