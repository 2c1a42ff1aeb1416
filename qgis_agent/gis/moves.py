"""A move of the map: made at once, or offered when the person has taken hold of the map since the request (M-303)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCsException,
    QgsFeedback,
    QgsRectangle,
    QgsVectorLayer,
)

from .errors import INVALID_PARAM, UNSUPPORTED, ToolError
from .extents import WGS84, bbox_degrees, transformed
from .features import box_of_features, feature_source
from .i18n import translate
from .view import Part, best_view
from .viewport import ZOOM_FACTOR

if TYPE_CHECKING:
    from .call import Call
    from .host import Host

PEOPLE = ("chat", "subagent")
"""Callers behind whom a person sits at the map."""
BACKGROUND = ("wms", "arcgismapserver", "vectortile", "xyzvectortiles")
"""Services that cover the world: they do not count for "show everything" beside data."""
METHODS = ("zoom_in", "zoom_out", "previous")


class Move(NamedTuple):
    """Where the map is to go. What is None stays as it is. Angles and ``bbox`` in degrees (EPSG:4326)."""

    bbox: Optional[Tuple[float, float, float, float]] = None
    method: Optional[str] = None
    center: Optional[Tuple[float, float]] = None
    scale: Optional[float] = None
    rotation: Optional[float] = None

    def args(self) -> Dict[str, Any]:
        """For a map operation: what is given, as JSON data."""
        given = {key: value for key, value in self._asdict().items() if value is not None}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}


def is_grabbed(call: Call) -> bool:
    """Whether moving the map now would take it out of the person's hand."""
    return call.capability.caller in PEOPLE and call.host.view.moved_by_hand()


def offer_text() -> str:
    """What is said in place of a move."""
    return translate("QgisAgent", "You moved the map meanwhile, so it stays there. Click “Zoom to result” to go to it.")


def perform(host: Host, move: Move) -> None:
    """Move the map; on failure it is as it was.

    UNSUPPORTED when the place does not exist in the map's CRS, there is no earlier view, or the map shows nothing yet.
    """
    extent, rotation = host.view.frame(), host.view.rotation()
    try:
        _perform(host, move)
    except ToolError:
        if host.view.frame() != extent:
            host.view.restore(extent, rotation)
        raise
    if move.method != "previous":
        host.view.remember(extent, rotation)


def _perform(host: Host, move: Move) -> None:
    view = host.view
    relative = move.method in ("zoom_in", "zoom_out") or (move.scale is not None and move.center is None)
    if relative and move.bbox is None and view.is_empty():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The map shows nothing yet, so it has no scale that could be changed."),
            hint=translate("QgisAgent", "Add a layer, or give center with scale, or use zoom_to."),
            reason="empty_view",
        )
    if move.scale is not None and view.scale_is_locked():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The scale is locked in QGIS's status bar."),
            hint=translate("QgisAgent", "Let the person unlock it."),
            reason="scale_locked",
        )
    try:
        box = _target(host, move)
        if box is not None:
            view.go(box)  # in one step: what is half way is no view to come back to
    except QgsCsException:
        raise no_place(host) from None
    if move.method == "previous" and not view.back():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "There is no earlier view."),
            hint=translate("QgisAgent", "Use zoom_to for a place or a layer."),
            reason="no_earlier_view",
        )
    if move.rotation is not None:
        view.set_rotation(move.rotation)


def _target(host: Host, move: Move) -> Optional[QgsRectangle]:
    """What the map is to show, in its CRS; None where that stays. QgsCsException when it has no place there."""
    view = host.view
    box = view.frame()
    if move.bbox is not None:
        box = view.around(QgsRectangle(*move.bbox), QgsCoordinateReferenceSystem(WGS84))
    if move.center is not None:
        box = view.centered(box, *move.center)
    if move.method in ("zoom_in", "zoom_out"):
        box.scale(1 / ZOOM_FACTOR if move.method == "zoom_in" else ZOOM_FACTOR)
    if move.scale is not None:
        box = view.scaled(box, move.scale)
    moves = move.method in ("zoom_in", "zoom_out") or (move.bbox, move.center, move.scale) != (None, None, None)
    return box if moves else None


def require_place(host: Host, bbox: Tuple[float, float, float, float]) -> None:
    """UNSUPPORTED when a box in degrees cannot be shown in the map's CRS."""
    try:
        transformed(QgsRectangle(*bbox), QgsCoordinateReferenceSystem(WGS84), host.map_crs(), host.project)
    except QgsCsException:
        raise no_place(host) from None


def no_place(host: Host) -> ToolError:
    """The error for a place that the map's CRS does not have."""
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "This place cannot be shown in the map's CRS ({}).").format(host.map_crs().authid()),
        hint=translate("QgisAgent", "Change the project CRS, for example to EPSG:4326."),
        reason="crs",
    )


def move_of(args: Any) -> Move:
    """The move of an offered map operation, which a person has clicked. INVALID_PARAM when its numbers are none.

    The operation has been through the agent process, so nothing of it is trusted.
    """
    given = args if isinstance(args, dict) else {}
    bbox, center = _numbers(given.get("bbox"), 4), _numbers(given.get("center"), 2)
    scale, rotation = _numbers([given.get("scale")], 1), _numbers([given.get("rotation")], 1)
    method = given.get("method") if given.get("method") in METHODS else None
    move = Move(
        (bbox[0], bbox[1], bbox[2], bbox[3]) if bbox else None,
        method,
        (center[0], center[1]) if center else None,
        scale[0] if scale and scale[0] >= 1 else None,
        rotation[0] if rotation else None,
    )
    if move == Move():
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "This view is not known."),
            hint=translate("QgisAgent", "Ask again."),
            reason="view",
        )
    return move


def _numbers(values: Any, length: int) -> List[float]:
    if not isinstance(values, list) or len(values) != length:
        return []
    plain = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in values)
    return [float(each) for each in values] if plain and all(math.isfinite(each) for each in values) else []


class WholeMap:
    """The box around what the map shows. Made on the main thread; filtered layers are read on a worker thread."""

    def __init__(self, host: Host) -> None:
        alias = host.layers.alias
        self._boxes: List[Any] = []
        self._reading: List[Any] = []
        visible = [each for each in host.layers.visible_layers() if each.isValid() and each.isSpatial()]
        data = [each for each in visible if each.providerType() not in BACKGROUND]
        for layer in data or visible:
            # With edits that are not saved QGIS would read every feature for the extent, and here on the main thread.
            if isinstance(layer, QgsVectorLayer) and (layer.subsetString() or layer.isModified()):
                self._reading.append((alias(layer), feature_source(layer), layer.crs()))
            else:
                self._boxes.append((alias(layer), layer.extent(), layer.crs()))

    def read(self, feedback: QgsFeedback) -> List[Any]:
        """(alias, box, CRS) of each layer."""
        return self._boxes + [(alias, box_of_features(source, feedback), crs) for alias, source, crs in self._reading]


def joined_box(host: Host, boxes: List[Any]) -> Tuple[Optional[Tuple[float, float, float, float]], List[str]]:
    """One box in degrees around (alias, box, CRS), across the 180th meridian where that is narrower, and the aliases of what
    has no place on earth; None when nothing has one."""
    found = [(alias, box, bbox_degrees(box, crs, host.project)) for alias, box, crs in boxes]
    placed = [Part(*degrees, 0.0) for _, _, degrees in found if degrees is not None]
    lost = [alias for alias, box, degrees in found if degrees is None and not box.isNull()]
    return (best_view(placed)[:4] if placed else None), lost


def view_of(host: Host) -> Dict[str, Any]:
    """The view as it is now, for an answer: ``bbox`` in degrees, scale, rotation, CRS."""
    return {
        "view_bbox": host.view_bbox(),
        "scale": round(host.view.scale()),
        "rotation": round(host.view.rotation(), 2),
        "crs": host.map_crs().authid(),
    }
