"""Where the features of a layer are, in degrees: not the box around the box of a CRS whose axes are turned."""

from __future__ import annotations

import math
from typing import Dict, List, Optional, Tuple

from qgis.core import (
    Qgis,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsLineString,
    QgsPointXY,
    QgsRectangle,
    QgsUnitTypes,
)

from .extents import WGS84, box_around, written
from .longitudes import narrowest

EXACT = 500
"""Up to so many boxes each is brought to degrees; of more those that lie beside each other are put together."""
_CELL_DEGREES, _CELL_METRES = 0.5, 5_000.0
"""Side of the first cells; they grow until there are at most ``_MAX_CELLS``."""
_MAX_CELLS = 4_000
_BATCH = 1_000
_ROOM_DEGREES = 1e-6
"""Around what was brought from another CRS, about 10 cm: so that a query in this box finds all of it."""
Cell = Tuple[int, int]


class Spread:
    """Takes the boxes of features in their CRS, on a worker thread; tells the box around all of them in degrees.

    Of points it is exact. Of many others it may be larger by a part of a cell, never smaller.
    """

    def __init__(self, crs: QgsCoordinateReferenceSystem, context: QgsCoordinateTransformContext) -> None:
        self._valid = crs.isValid()
        self._to_degrees = QgsCoordinateTransform(crs, QgsCoordinateReferenceSystem(WGS84), context)
        self._to_degrees.setBallparkTransformsAreAppropriate(True)
        metre = QgsUnitTypes.fromUnitToUnitFactor(Qgis.DistanceUnit.Meters, crs.mapUnits())
        self._side = _CELL_DEGREES if crs.isGeographic() or not self._valid else _CELL_METRES * metre
        self._boxes: List[QgsRectangle] = []
        self._cells: Dict[Cell, QgsRectangle] = {}
        self._points: List[QgsPointXY] = []
        self._spans: Dict[int, Tuple[float, float]] = {}
        """West and east of the points by whole degree of longitude."""
        self._south, self._north = math.inf, -math.inf

    def add(self, box: QgsRectangle) -> None:
        """The box of one feature."""
        if not self._valid:
            return
        if box.width() == 0 and box.height() == 0:
            self._points.append(QgsPointXY(box.xMinimum(), box.yMinimum()))
            if len(self._points) >= _BATCH:
                self._place_points()
        elif len(self._boxes) < EXACT:
            self._boxes.append(QgsRectangle(box))
        else:
            self._put(QgsRectangle(box))

    def box(self) -> Optional[List[float]]:
        """[west, south, east, north] in degrees (see ``extents.written``); None when nothing has a place on earth."""
        if not self._valid:
            return None
        self._place_points()
        spans = list(self._spans.values())
        for each in [*self._boxes, *self._cells.values()]:
            try:
                degrees = box_around(each, self._to_degrees)
            except QgsCsException:
                continue
            spans.append((degrees.xMinimum(), degrees.xMaximum()))
            self._south, self._north = min(self._south, degrees.yMinimum()), max(self._north, degrees.yMaximum())
        spans = [each for each in spans if all(map(math.isfinite, each))]
        if not spans:
            return None
        west, east = narrowest(spans)
        room = 0.0 if self._to_degrees.isShortCircuited() else _ROOM_DEGREES
        return written(west - room, self._south - room, east + room, self._north + room)

    def _put(self, box: QgsRectangle) -> None:
        middle = box.center()
        if not (math.isfinite(middle.x()) and math.isfinite(middle.y())):
            return
        key = (math.floor(middle.x() / self._side), math.floor(middle.y() / self._side))
        if key in self._cells:
            self._cells[key].combineExtentWith(box)
            return
        self._cells[key] = box
        if len(self._cells) > _MAX_CELLS:
            self._side *= 2.0
            kept, self._cells = self._cells, {}
            for each in kept.values():
                self._put(each)

    def _place_points(self) -> None:
        """Bring the waiting points to degrees, in one go where each has a place."""
        points, self._points = self._points, []
        line = QgsLineString(points)
        try:
            line.transform(self._to_degrees)
            moved = [(each.x(), each.y()) for each in line.points()]
        except QgsCsException:
            moved = [each for each in map(self._placed, points) if each is not None]
        for lon, lat in moved:
            if not (math.isfinite(lon) and math.isfinite(lat)):
                continue
            whole = math.floor(lon)
            west, east = self._spans.get(whole, (lon, lon))
            self._spans[whole] = (min(west, lon), max(east, lon))
            self._south, self._north = min(self._south, lat), max(self._north, lat)

    def _placed(self, point: QgsPointXY) -> Optional[Tuple[float, float]]:
        try:
            moved = self._to_degrees.transform(point)
        except QgsCsException:
            return None
        return moved.x(), moved.y()
