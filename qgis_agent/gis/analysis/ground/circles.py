"""Geodesic circles around many places at once, on numpy.

A buffer of points in a plane needs two changes of CRS, the second of 49 vertices a point: that takes twice as long as the
buffer itself. Here the vertices are computed on the ellipsoid.
"""

from __future__ import annotations

import math
import struct
from typing import Any, List, Sequence, Tuple

import numpy as np
from qgis.core import QgsCoordinateTransform, QgsGeometry

WGS84_A = 6_378_137.0
WGS84_F = 1 / 298.257223563
MAX_DISTANCE_M = 100_000.0
"""Bowring's formulas are good to millimetres up to 150 km."""
MAX_LATITUDE = 85.0
"""Nearer to a pole a circle is wide in longitude, and the general way is taken (``geodesic.py``)."""
_SECOND_ECCENTRICITY = WGS84_F * (2 - WGS84_F) / (1 - WGS84_F) ** 2


def circles(lonlat: Any, distance_m: float, segments: int) -> Any:
    """Closed rings of 4 * ``segments`` + 1 places at the distance, clockwise from the north: an array (n, vertices, 2) in
    degrees around ``lonlat`` (n, 2). Longitudes go on past 180.

    B. R. Bowring, The direct and inverse problems for short geodesic lines on the ellipsoid, Surveying and Mapping 41 (1981).
    """
    latitude = np.radians(lonlat[:, 1:2])
    sine, cosine = np.sin(latitude), np.cos(latitude)
    e2 = _SECOND_ECCENTRICITY
    a = np.sqrt(1 + e2 * cosine**4)
    b = np.sqrt(1 + e2 * cosine**2)
    sigma = distance_m * b**2 / (WGS84_A * math.sqrt(1 + e2))
    azimuth = np.linspace(0.0, 2 * math.pi, 4 * segments + 1)[None, :]
    east, north = np.sin(azimuth), np.cos(azimuth)
    tangent = np.tan(sigma)
    turned = np.arctan2(a * tangent * east, b * cosine - tangent * sine * north)
    half = np.tan(turned / 2)
    arc = np.arcsin(np.sin(sigma) * (north - sine * east * half / a)) / 2
    rings = np.empty((len(lonlat), azimuth.shape[1], 2))
    rings[:, :, 0] = lonlat[:, 0:1] + np.degrees(turned / a)
    change = 2 * arc * (b - 1.5 * e2 * arc * np.sin(2 * latitude + 4 / 3 * b * arc))
    rings[:, :, 1] = lonlat[:, 1:2] + np.degrees(change)
    rings[:, -1] = rings[:, 0]
    return rings


def simple(lonlat: Any, rings: Any, distance_m: float) -> Any:
    """For each circle whether it is an ordinary one: away from the poles, within ±180° and not too large."""
    if distance_m > MAX_DISTANCE_M:
        return np.zeros(len(lonlat), dtype=bool)
    good = np.abs(rings[:, :, 1]).max(axis=1) <= MAX_LATITUDE
    west, east = rings[:, :, 0].min(axis=1), rings[:, :, 0].max(axis=1)
    return good & (west >= -180.0) & (east <= 180.0)


def transformed(places: Any, transform: QgsCoordinateTransform, reverse: bool = False) -> Any:
    """Coordinates (…, 2) in another CRS, all in one call of PROJ. QgsCsException where one has no place there."""
    flat = np.ascontiguousarray(places, dtype="<f8").reshape(-1, 2)
    line = QgsGeometry()
    line.fromWkb(struct.pack("<BII", 1, 2, len(flat)) + flat.tobytes())
    direction = QgsCoordinateTransform.TransformDirection
    line.transform(transform, direction.ReverseTransform if reverse else direction.ForwardTransform)
    return np.frombuffer(line.asWkb().data(), dtype="<f8", offset=9).reshape(places.shape)


def polygons(rings: Sequence[Any]) -> List[bytes]:
    """WKB of multipolygons of one polygon each: outer rings, and perhaps holes, as arrays (n, vertices, 2)."""
    count, vertices = rings[0].shape[:2]
    fields: List[Tuple[Any, ...]] = [("head", "V18")]
    for number in range(len(rings)):
        fields += [("size{}".format(number), "<u4"), ("ring{}".format(number), "<f8", (vertices, 2))]
    packed = np.empty(count, dtype=fields)
    packed["head"] = np.void(struct.pack("<BIIBII", 1, 6, 1, 1, 3, len(rings)))
    for number, ring in enumerate(rings):
        packed["size{}".format(number)] = vertices
        packed["ring{}".format(number)] = ring if number == 0 else ring[:, ::-1]
    size, whole = packed.itemsize, packed.tobytes()
    return [whole[start : start + size] for start in range(0, len(whole), size)]
