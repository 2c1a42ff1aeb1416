"""Buffers by metres on the ellipsoid for geometries anywhere on earth. All coordinates here are degrees (EPSG:4326).

A point's buffer is the geodesic circle itself. A line or polygon is buffered in azimuthal equidistant projections around
its pieces, none of which reaches farther than 490 km: distances are within 0.1 % there (``units.py``). Rings are then
laid out over 180° and around the poles, and cut where the map ends.
"""

from __future__ import annotations

import math
from typing import Dict, Iterable, List, Sequence, Tuple

from qgis.core import (
    Qgis,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsDistanceArea,
    QgsGeometry,
    QgsPointXY,
    QgsRectangle,
)

from .units import (
    EARTH_RADIUS_M,
    PLANE_RADIUS_M,
    SEGMENTS,
    WGS84_ELLIPSOID,
    degrees_crs,
    local_crs,
)

Lonlat = Tuple[float, float]
STEP_DEGREES = 0.25
"""Edges longer than this are divided before a ring or line changes its projection: its chord lies 16 m off at most."""
PIECE_DEGREES = 2.0
"""Length of the pieces that long lines and rings are buffered in."""
_MAX_JUMP_DEGREES = 5.0
_MAX_CIRCLE_POINTS = 3072
_NARROW_DEGREES = 40.0
"""A ring that is not wider than this goes round no pole, and its neighbours are near each other."""


class GeodesicBuffer:
    """Buffers geometries by one distance. Not shared between threads.

    Edges of lines and polygons are to be at most ``STEP_DEGREES`` long: how a longer edge runs is known in the layer's CRS.
    """

    def __init__(self, distance_m: float, ellipsoid: str = WGS84_ELLIPSOID, segments: int = SEGMENTS) -> None:
        self._distance = distance_m
        self._segments = segments
        self._transform_context = QgsCoordinateTransformContext()
        self._measure = QgsDistanceArea()
        self._measure.setSourceCrs(degrees_crs(), self._transform_context)
        self._measure.setEllipsoid(ellipsoid)
        self._planes: Dict[int, QgsCoordinateTransform] = {}

    def buffer(self, geometry: QgsGeometry) -> QgsGeometry:
        """The buffer of a geometry in degrees, a multipolygon in degrees within ±180 and ±90; empty for an empty one."""
        areas: List[QgsGeometry] = []
        for part in geometry.asGeometryCollection():
            if part.isEmpty():
                continue
            if part.type() == Qgis.GeometryType.Point:
                point = part.asPoint()
                areas.append(region(self.circle(point.x(), point.y())))
            elif self._fits_one_plane(part):
                areas.append(self._in_plane(part, _middle(part.boundingBox())))
            else:
                areas.extend(self._in_pieces(part))
        return multipolygon(areas)

    def circle(self, longitude: float, latitude: float) -> List[Lonlat]:
        """A closed ring of places at the distance; neighbours are at most 5° of longitude apart where that can be had."""
        centre, count = QgsPointXY(longitude, latitude), 4 * self._segments
        project, distance = self._measure.computeSpheroidProject, self._distance
        while True:
            places = [project(centre, distance, 2 * math.pi * step / count) for step in range(count)]
            ring = [(each.x(), each.y()) for each in places]
            ring.append(ring[0])
            if _width(ring) < _NARROW_DEGREES or count >= _MAX_CIRCLE_POINTS:
                return ring
            if max(abs(_turn(low[0], high[0])) for low, high in zip(ring, ring[1:])) <= _MAX_JUMP_DEGREES:
                return ring
            count *= 2

    def _fits_one_plane(self, part: QgsGeometry) -> bool:
        box = part.boundingBox()
        if max(abs(box.yMinimum()), abs(box.yMaximum())) > 85.0:
            return False
        wide = math.radians(box.width()) * math.cos(math.radians(_nearest_to_equator(box)))
        radius = math.hypot(wide, math.radians(box.height())) / 2 * EARTH_RADIUS_M
        return radius + min(self._distance, PLANE_RADIUS_M / 2) < PLANE_RADIUS_M

    def _in_plane(self, part: QgsGeometry, centre: Lonlat) -> QgsGeometry:
        """Buffer around a centre. The earth is turned until the centre lies on the meridian 0, which changes no distance."""
        forth = self._plane(centre[1])
        local = QgsGeometry(part)
        local.translate(-centre[0], 0.0)
        local.transform(forth)
        grown = local.buffer(self._distance, self._segments).densifyByDistance(STEP_DEGREES * 111_000)
        grown.transform(forth, QgsCoordinateTransform.TransformDirection.ReverseTransform)
        return multipolygon(_shape(each, centre[0]) for each in grown.asGeometryCollection())

    def _in_pieces(self, part: QgsGeometry) -> Iterable[QgsGeometry]:
        """The part itself, when it is an area, and buffers along its edges, piece by piece."""
        if part.type() == Qgis.GeometryType.Polygon:
            yield _shape(part)
            lines = part.asPolygon()
        else:
            lines = [part.asPolyline()]
        for line in lines:
            for piece in _pieces(line):
                yield self._in_plane(QgsGeometry.fromPolylineXY(piece), _middle_of(piece))

    def _plane(self, latitude: float) -> QgsCoordinateTransform:
        """The projection around (0, latitude), on whole degrees: a projection takes QGIS 20 ms to make."""
        key = round(latitude)
        if key not in self._planes:
            self._planes[key] = QgsCoordinateTransform(degrees_crs(), local_crs(0.0, key), self._transform_context)
        return self._planes[key]


def region(ring: Sequence[Lonlat]) -> QgsGeometry:
    """The area inside a closed ring on the earth, as polygons within ±180 and ±90 degrees.

    A ring that goes round the earth encloses a pole: the nearer one. ValueError for a ring that is no ring.
    """
    if _width(ring) < _NARROW_DEGREES and abs(ring[0][0]) <= 180.0 - _NARROW_DEGREES:
        return _valid(QgsGeometry.fromPolygonXY([[QgsPointXY(*each) for each in ring]]))
    unrolled = _unrolled(ring)
    turns = round((unrolled[-1][0] - unrolled[0][0]) / 360.0)
    if turns:
        pole = 90.0 if sum(each[1] for each in unrolled) > 0 else -90.0
        unrolled += [(unrolled[-1][0], pole), (unrolled[0][0], pole), unrolled[0]]
    shape = _valid(QgsGeometry.fromPolygonXY([[QgsPointXY(*each) for each in unrolled]]))
    west = min(each[0] for each in unrolled)
    east = max(each[0] for each in unrolled)
    if west >= -180.0 and east <= 180.0:
        return shape
    return multipolygon(_world_pieces(shape, west, east))


def _valid(shape: QgsGeometry) -> QgsGeometry:
    if shape.isGeosValid():
        return shape
    repaired = shape.makeValid()
    if repaired.isNull():
        raise ValueError("a ring cannot be repaired: {}".format(repaired.lastError()))
    return repaired


def multipolygon(shapes: Iterable[QgsGeometry]) -> QgsGeometry:
    """The union of polygons as one multipolygon; lines and points that a repair left are dropped."""
    polygons = [
        part
        for shape in shapes
        for part in shape.asGeometryCollection()
        if part.type() == Qgis.GeometryType.Polygon and not part.isEmpty()
    ]
    if not polygons:
        return QgsGeometry.fromWkt("MultiPolygon EMPTY")
    union = polygons[0] if len(polygons) == 1 else QgsGeometry.unaryUnion(polygons)
    union.convertToMultiType()
    return union


def _world_pieces(shape: QgsGeometry, west: float, east: float) -> Iterable[QgsGeometry]:
    for world in range(math.floor((west + 180.0) / 360.0), math.ceil((east + 180.0) / 360.0)):
        window = QgsGeometry.fromRect(QgsRectangle(-180.0 + 360.0 * world, -90.0, 180.0 + 360.0 * world, 90.0))
        piece = shape.intersection(window)
        if not piece.isEmpty():
            piece.translate(-360.0 * world, 0.0)
            yield piece


def _unrolled(ring: Sequence[Lonlat]) -> List[Lonlat]:
    """The ring with longitudes that go on past 180 instead of jumping; whole turns are added, so that it closes exactly."""
    found = [(_normal(ring[0][0]), ring[0][1])]
    for longitude, latitude in ring[1:]:
        found.append((longitude + 360.0 * round((found[-1][0] - longitude) / 360.0), latitude))
    return found


def _width(ring: Sequence[Lonlat]) -> float:
    longitudes = [each[0] for each in ring]
    return max(longitudes) - min(longitudes)


def _turn(start: float, end: float) -> float:
    return (end - start + 180.0) % 360.0 - 180.0


def _normal(longitude: float) -> float:
    return longitude - 360.0 * round(longitude / 360.0)


def _shape(polygon: QgsGeometry, east: float = 0.0) -> QgsGeometry:
    """The area of a polygon whose longitudes are to be moved by ``east`` degrees."""
    rings = [[(each.x() + east, each.y()) for each in ring] for ring in polygon.asPolygon()]
    shape = region(rings[0])
    for hole in rings[1:]:
        shape = shape.difference(region(hole))
    return shape


def _pieces(line: Sequence[QgsPointXY]) -> Iterable[List[QgsPointXY]]:
    """Consecutive runs of a line's places, each at most about 2° of the earth long, that share their ends."""
    piece, length = [line[0]], 0.0
    for start, end in zip(line, line[1:]):
        across = abs(_turn(start.x(), end.x())) * math.cos(math.radians((start.y() + end.y()) / 2))
        piece.append(end)
        length += math.hypot(across, end.y() - start.y())
        if length >= PIECE_DEGREES:
            yield piece
            piece, length = [end], 0.0
    if len(piece) > 1:
        yield piece


def _middle_of(piece: Sequence[QgsPointXY]) -> Lonlat:
    middle = piece[len(piece) // 2]
    return middle.x(), middle.y()


def _middle(box: QgsRectangle) -> Lonlat:
    return box.center().x(), box.center().y()


def _nearest_to_equator(box: QgsRectangle) -> float:
    if box.yMinimum() <= 0 <= box.yMaximum():
        return 0.0
    return float(min(abs(box.yMinimum()), abs(box.yMaximum())))
