"""Which metric CRS to suggest for a place: one that people know by its code, for a layer that they keep."""

from __future__ import annotations

import math
from typing import Optional

from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransformContext, QgsRectangle

from .units import (
    in_degrees,
    utm_zone,
)

_WIDEST_DEGREES = 12.0
"""A zone serves its neighbours too; beyond that no zone does."""
_CGCS2000 = (4480, 4490, *range(4491, 4555))
"""EPSG: geocentric-3D, geographic, and the Gauss-Kruger zones of CGCS2000."""


def metric_crs(box: Optional[QgsRectangle], crs: QgsCoordinateReferenceSystem) -> str:
    """The id of a metric CRS for ``box`` (in ``crs``): a 3 degree zone of CGCS2000 for data in CGCS2000, else a UTM zone;
    near a pole the stereographic one. For the whole world or an unknown place EPSG:8857 (Equal Earth)."""
    degrees = None
    if box is not None and crs.isValid():
        degrees = in_degrees(box, crs, QgsCoordinateTransformContext())
    if degrees is None:
        return "EPSG:8857"
    west, east = degrees.xMinimum(), degrees.xMaximum()
    if east < west:
        east += 360.0
    longitude, latitude = (west + east) / 2, degrees.center().y()
    longitude -= 360.0 * math.floor((longitude + 180.0) / 360.0)
    if abs(latitude) > 90.0:
        return "EPSG:8857"
    if latitude > 84.0 or latitude < -80.0:
        return "EPSG:5041" if latitude > 0 else "EPSG:5042"
    if east - west > _WIDEST_DEGREES:
        return "EPSG:8857"
    number = crs.authid()[5:] if crs.authid().startswith("EPSG:") else ""
    if number.isdigit() and int(number) in _CGCS2000 and 73.5 <= longitude <= 136.5:
        return "EPSG:{}".format(4534 + round(longitude / 3) - 25)
    return utm_zone(longitude, latitude)
