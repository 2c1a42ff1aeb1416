"""The box in degrees around a box in another CRS: longitudes go round, so it may cross the 180th meridian or hold a pole.

QGIS's own ``transformBoundingBox`` gives the complement where a box crosses the meridian: PROJ answers with a west that is
greater than the east, and QgsRectangle changes the two over.
"""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Sequence, Tuple

from qgis.core import QgsCoordinateTransform, QgsCsException, QgsLineString, QgsPointXY, QgsRectangle

Place = Optional[Tuple[float, float]]
_PIECES = (20, 60)
"""Pieces of a box's side between the points that are looked at, and how many where those are too far apart."""
_FAR_DEGREES = 90.0
"""Neighbours farther apart than this do not tell which way round the earth they are joined."""
_QUICK_DEGREES, _QUICK_UP_TO = 90.0, 170.0
"""How wide a box may be, and how far east or west, for QGIS's own answer."""
_FEW, _SMALL_DEGREES = 4, 1.0
"""Pieces of a side for a box in which nothing is farther from the middle than this."""


def degrees_around(rectangle: QgsRectangle, to_degrees: QgsCoordinateTransform) -> QgsRectangle:
    """The box in degrees around a box in a CRS that is not the degrees' own. QgsCsException when it has no place on earth.

    West is from -180 up to 180; east is over 180 where the box crosses the meridian; -180 to 180 where it goes round. Points
    of the box that have no place (beyond the rim of a globe) are left out.
    """
    corners = _corners(rectangle, to_degrees)
    quick = _quick(rectangle, to_degrees, corners)
    if quick is not None:
        return quick
    return _walked(rectangle, to_degrees, (_FEW, *_PIECES) if _is_small(corners) else _PIECES)


def normal(west: float, east: float) -> Tuple[float, float]:
    """Longitudes with the west from -180 up to 180 (not 180 itself); all of the earth as -180 to 180."""
    if east - west >= 360.0 - 1e-9:
        return -180.0, 180.0
    turns = 360.0 * math.floor((west + 180.0) / 360.0)
    return (west - turns, east - turns) if turns else (west, east)


def narrowest(spans: List[Tuple[float, float]]) -> Tuple[float, float]:
    """The narrowest (west, east) that holds spans of longitudes, across the 180th meridian where that is clearly narrower.

    Half of the earth and more is written from -180 to 180 unless it is a quarter narrower across.
    """
    placed = sorted(normal(*each) for each in spans)
    farthest = max(east for _, east in placed)
    plain = (placed[0][0], farthest) if farthest <= 180.0 else (-180.0, 180.0)
    start, end = placed[0][0], max(farthest, placed[0][0])
    gap = placed[0][0] + 360.0 - farthest
    reach = max(placed[0][1], farthest - 360.0)
    for west, east in placed[1:]:
        if west - reach > max(gap, 0.0):
            gap, start, end = west - reach, west, reach + 360.0
        reach = max(reach, east)
    across = normal(start, end) if gap > 0 else (-180.0, 180.0)
    wide = across[1] - across[0] > 180.0
    return plain if across[1] - across[0] > (plain[1] - plain[0]) * (0.75 if wide else 1.0) else across


def _corners(rectangle: QgsRectangle, to_degrees: QgsCoordinateTransform) -> List[Place]:
    """The middle and the corners."""
    xs, ys = (rectangle.xMinimum(), rectangle.xMaximum()), (rectangle.yMinimum(), rectangle.yMaximum())
    return _column([rectangle.center(), *(QgsPointXY(x, y) for x in xs for y in ys)], to_degrees)


def _is_small(corners: List[Place]) -> bool:
    """Whether a box is so small, and so far from the poles, that its sides are nearly straight in degrees."""
    if any(each is None for each in corners):
        return False
    lon, lat = corners[0]  # type: ignore[misc]
    turned = [((each[0] - lon + 180.0) % 360.0 - 180.0, each[1] - lat) for each in corners if each is not None]
    return abs(lat) < 85.0 and all(max(abs(x), abs(y)) < _SMALL_DEGREES for x, y in turned)


def _quick(rectangle: QgsRectangle, to_degrees: QgsCoordinateTransform, corners: List[Place]) -> Optional[QgsRectangle]:
    """QGIS's own answer, where it can be trusted: narrow, around the corners, and away from the 180th meridian."""
    if rectangle.isEmpty() and max(rectangle.width(), rectangle.height()) > 0:
        return None  # a box without height or width (of a straight line) is a point to QGIS
    try:
        box = to_degrees.transformBoundingBox(rectangle)
    except QgsCsException:
        return None
    narrow = box.isFinite() and box.width() < _QUICK_DEGREES and max(box.xMaximum(), -box.xMinimum()) < _QUICK_UP_TO
    around = box.buffered(1e-9)
    return box if narrow and all(each is not None and around.contains(QgsPointXY(*each)) for each in corners) else None


def _walked(rectangle: QgsRectangle, to_degrees: QgsCoordinateTransform, tries: Sequence[int]) -> QgsRectangle:
    """Point by point, each longitude as near as can be to that of its neighbour."""
    poles = [latitude for latitude in (-90.0, 90.0) if _holds_pole(rectangle, to_degrees, latitude)]
    for pieces in tries:
        grid = _grid(rectangle, to_degrees, pieces)
        found = [place for column in grid for place in column if place is not None]
        if not found:
            raise QgsCsException("no place on earth")
        spans, farthest = _spans(grid)
        if farthest <= _FAR_DEGREES:
            break
    latitudes = [latitude for _, latitude in found] + poles
    west, east = (-180.0, 180.0) if poles or farthest > _FAR_DEGREES else narrowest(spans)
    return QgsRectangle(west, min(latitudes), east, max(latitudes))


def _holds_pole(rectangle: QgsRectangle, to_degrees: QgsCoordinateTransform, latitude: float) -> bool:
    """Whether a pole lies in the box, in a CRS in which it is one point."""
    back = QgsCoordinateTransform.TransformDirection.ReverseTransform
    try:
        one, other = (to_degrees.transform(QgsPointXY(longitude, latitude), back) for longitude in (0.0, 90.0))
    except QgsCsException:
        return False
    size = max(rectangle.width(), rectangle.height())
    return bool(math.isfinite(one.x()) and rectangle.contains(one) and one.distance(other) < 1e-6 * size)


def _steps(low: float, high: float, pieces: int) -> List[float]:
    return [low + (high - low) * number / pieces for number in range(pieces + 1)] if high > low else [low]


def _grid(rectangle: QgsRectangle, to_degrees: QgsCoordinateTransform, pieces: int) -> List[List[Place]]:
    """Places all over the box by column and row; None where there is none."""
    xs = _steps(rectangle.xMinimum(), rectangle.xMaximum(), pieces)
    ys = _steps(rectangle.yMinimum(), rectangle.yMaximum(), pieces)
    return [_column([QgsPointXY(x, y) for y in ys], to_degrees) for x in xs]


def _column(points: List[QgsPointXY], to_degrees: QgsCoordinateTransform) -> List[Place]:
    line = QgsLineString(points)
    try:
        line.transform(to_degrees)
        moved: List[Place] = [(each.x(), each.y()) for each in line.points()]
    except QgsCsException:
        moved = [_place(each, to_degrees) for each in points]
    return [each if each is not None and all(map(math.isfinite, each)) else None for each in moved]


def _place(point: QgsPointXY, to_degrees: QgsCoordinateTransform) -> Place:
    try:
        moved = to_degrees.transform(point)
    except QgsCsException:
        return None
    return moved.x(), moved.y()


def _spans(grid: List[List[Place]]) -> Tuple[List[Tuple[float, float]], float]:
    """The longitudes of each connected piece of the grid, and the largest step between neighbours, in degrees."""
    turned: Dict[Tuple[int, int], float] = {}
    spans: List[Tuple[float, float]] = []
    farthest = 0.0
    for start in ((i, j) for i in range(len(grid)) for j in range(len(grid[0])) if grid[i][j] is not None):
        if start in turned:
            continue
        waiting, turned[start] = [start], grid[start[0]][start[1]][0]  # type: ignore[index]
        west = east = turned[start]
        while waiting:
            i, j = waiting.pop()
            for beside in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if not (0 <= beside[0] < len(grid) and 0 <= beside[1] < len(grid[0])) or beside in turned:
                    continue
                place = grid[beside[0]][beside[1]]
                if place is None:
                    continue
                step = (place[0] - turned[(i, j)] + 180.0) % 360.0 - 180.0
                farthest = max(farthest, abs(step))
                turned[beside] = turned[(i, j)] + step
                west, east = min(west, turned[beside]), max(east, turned[beside])
                waiting.append(beside)
        spans.append((west, east))
    return spans, farthest
