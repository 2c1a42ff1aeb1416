"""Where to zoom for a place in several parts, and across the 180th meridian. All boxes are degrees, EPSG:4326."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import QgsCoordinateTransform, QgsCsException, QgsFeatureRequest, QgsFeedback, QgsGeometry, QgsRectangle

from .extents import box_around
from .features import read_features
from .longitudes import narrowest

JOIN_DEGREES = 2.5
"""Parts closer than this are one cluster: it keeps Corsica with France and leaves French Guiana out."""
MAX_PARTS = 5_000
"""Of more, those that have their middle in one cell are put together."""
CELL_DEGREES = 2.0
WIDE_DEGREES, BOTH_DEGREES = 90.0, 15.0
"""A view across the meridian that is wider than the one and has more than the other on each side is one of the earth."""


class Part(NamedTuple):
    """A part of a place: its box and its area in square degrees (0 for points and lines); or a ``number`` of parts."""

    west: float
    south: float
    east: float
    north: float
    area: float
    number: int = 1


class View(NamedTuple):
    """What to show, and how many parts lie outside it. ``east`` may exceed 180 when the view crosses the meridian."""

    west: float
    south: float
    east: float
    north: float
    shown: int
    left_out: Tuple[Part, ...]


def parts_of(
    source: Any, request: QgsFeatureRequest, to_degrees: QgsCoordinateTransform, feedback: QgsFeedback
) -> List[Part]:
    """The parts of the matching features in degrees, read on a worker thread. Parts without a place on earth are dropped.

    CANCELLED when the call is stopped, UPSTREAM_ERROR when the source cannot be read.
    """
    parts: List[Part] = []
    rest = _Cells(to_degrees)
    for feature in read_features(source, request, feedback):
        geometry = feature.geometry()
        if geometry.isEmpty():  # also true of none at all
            continue
        if len(parts) >= MAX_PARTS:
            rest.add(geometry)
            continue
        for piece in geometry.asGeometryCollection():
            part = _part(piece.boundingBox(), piece.area(), to_degrees)
            if part is not None:
                parts.append(part)
    return _together([*parts, *rest.parts()]) if len(parts) > MAX_PARTS or rest.boxes else parts


class _Cells:
    """Boxes of many features in their own CRS, put together where their middles are near each other."""

    def __init__(self, to_degrees: QgsCoordinateTransform) -> None:
        self._to_degrees = to_degrees
        self.boxes: Dict[Tuple[int, int], Tuple[QgsRectangle, float, int]] = {}

    def add(self, geometry: QgsGeometry) -> None:
        """One feature."""
        box = geometry.boundingBox()
        try:
            middle = self._to_degrees.transform(box.center())
        except QgsCsException:
            return
        if not (math.isfinite(middle.x()) and math.isfinite(middle.y())):
            return
        cell = (math.floor(middle.x() / CELL_DEGREES), math.floor(middle.y() / CELL_DEGREES))
        whole, area, number = self.boxes.get(cell, (box, 0.0, 0))
        whole.combineExtentWith(box)
        self.boxes[cell] = (whole, area + geometry.area(), number + 1)

    def parts(self) -> List[Part]:
        """A part for each cell."""
        found = ((_part(box, area, self._to_degrees), number) for box, area, number in self.boxes.values())
        return [part._replace(number=number) for part, number in found if part is not None]


def _part(raw: QgsRectangle, area: float, to_degrees: QgsCoordinateTransform) -> Optional[Part]:
    """The part with this box and area in the layer's CRS."""
    try:
        box = box_around(raw, to_degrees)
    except QgsCsException:
        return None
    if not box.isFinite():
        return None
    fill = area / max(raw.area(), 1e-300) if area > 0 else 0.0
    return Part(box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum(), fill * box.width() * box.height())


def _together(parts: Sequence[Part]) -> List[Part]:
    """Many parts as fewer: one for each cell that holds the middles of some."""
    cells: Dict[Tuple[int, int], List[Part]] = {}
    for each in parts:
        cell = (
            math.floor((each.west + each.east) / 2 / CELL_DEGREES),
            math.floor((each.south + each.north) / 2 / CELL_DEGREES),
        )
        cells.setdefault(cell, []).append(each)
    return [
        Part(*_box(inside), sum(each.area for each in inside), sum(each.number for each in inside))
        for inside in cells.values()
    ]


def best_view(parts: Sequence[Part]) -> View:
    """The cluster that holds the largest part, joined across 180°. ValueError without parts.

    Points and lines have no largest part: all of them are shown, in the narrower of the two ways round the earth.
    """
    if not parts:
        raise ValueError("no parts")
    largest = max(parts, key=lambda each: each.area)
    if largest.area <= 0:
        west, east = narrowest([(each.west, each.east) for each in parts])
        return View(
            west, min(each.south for each in parts), east, max(each.north for each in parts), _number(parts), ()
        )
    turned = _turned(parts, (largest.west + largest.east) / 2)
    cluster = _cluster(turned, turned[list(parts).index(largest)])
    inside = set(map(id, cluster))
    left_out = tuple(each for each in turned if id(each) not in inside)
    return View(*_normal(_box(cluster)), _number(cluster), left_out)


def _number(parts: Sequence[Part]) -> int:
    return sum(each.number for each in parts)


def _turned(parts: Sequence[Part], middle: float) -> List[Part]:
    turned = []
    for each in parts:
        shift = 360.0 * round((middle - (each.west + each.east) / 2) / 360.0)
        turned.append(each._replace(west=each.west + shift, east=each.east + shift))
    return turned


def _cluster(parts: Sequence[Part], start: Part) -> List[Part]:
    cluster, waiting = [start], [each for each in parts if each is not start]
    box = _box(cluster)
    grown = True
    while grown:
        grown = False
        rest: List[Part] = []
        for each in waiting:
            if _gap(box, each) <= JOIN_DEGREES and any(_gap(tuple(part[:4]), each) <= JOIN_DEGREES for part in cluster):
                cluster.append(each)
                grown = True
            else:
                rest.append(each)
        waiting = rest
        box = _box(cluster)
    return cluster


def _gap(box: Tuple[float, ...], part: Part) -> float:
    across = max(box[0] - part.east, part.west - box[2], 0.0)
    up = max(box[1] - part.north, part.south - box[3], 0.0)
    return float(max(across, up))


def _box(parts: Sequence[Part]) -> Tuple[float, float, float, float]:
    return (
        min(each.west for each in parts),
        min(each.south for each in parts),
        max(each.east for each in parts),
        max(each.north for each in parts),
    )


def _normal(box: Tuple[float, float, float, float]) -> Tuple[float, float, float, float]:
    west, south, east, north = box
    shift = 360.0 * round(((west + east) / 2) / 360.0)
    if west - shift < -180.0 and east - shift > -180.0:
        shift -= 360.0  # a box over the meridian is written with an east over 180, as GeoJSON viewers have it
    return west - shift, south, east - shift, north


def cut_at_180(view: View, parts: Sequence[Part]) -> Tuple[View, Tuple[Part, ...]]:
    """A view across the meridian as a map that ends there can show it, and which ``parts`` are out of sight then.

    Where much lies on both sides the whole earth is shown, else the wider side.
    """
    east_side, west_side = 180.0 - view.west, view.east - 180.0
    if view.east - view.west > WIDE_DEGREES and min(east_side, west_side) > BOTH_DEGREES:
        return view._replace(west=-180.0, east=180.0), ()
    west, east = on_one_side(view.west, view.east)
    cut = view._replace(west=west, east=east)
    shown = (each for each in parts if _overlaps(each, view.west, view.east))
    return cut, tuple(each for each in shown if not _overlaps(each, west, east))


def _overlaps(part: Part, west: float, east: float) -> bool:
    """Whether longitudes of a part are between two, in any way of writing them."""
    return any(part.west + turn <= east and part.east + turn >= west for turn in (-360.0, 0.0, 360.0))


def on_one_side(west: float, east: float) -> Tuple[float, float]:
    """For a map CRS that ends at 180°: the wider side of a box that crosses the meridian."""
    if east <= 180.0:
        return west, east
    return (west, 180.0) if 180.0 - west >= east - 180.0 else (-180.0, east - 360.0)


def rectangle(view: View) -> QgsRectangle:
    """The view's box."""
    return QgsRectangle(view.west, view.south, view.east, view.north)
