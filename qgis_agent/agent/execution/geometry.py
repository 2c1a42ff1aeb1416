"""Geometry that a model wrote is checked before it crosses the bridge: readable, finite, valid, on the earth.

QGIS checks it again (nothing from the bridge is trusted). Here the model learns in one step which of its geometries is
wrong and why.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ...bridge.envelope import INVALID_PARAM, Envelope, failure

WKT = "wkt"
LON, LAT = 180.0, 90.0
"""Degrees, EPSG:4326 with the longitude first."""


def geometry_problem(arguments: Mapping[str, Any]) -> Envelope | None:
    """INVALID_PARAM for the first geometry of a call that is none; None when all are good, or there are none."""
    for place, text in _texts(arguments, ""):
        problem = _problem(text)
        if problem is not None:
            what, hint = problem
            return failure(INVALID_PARAM, f"{place}: {what}", hint=hint, reason="geometry")
    return None


def _texts(node: Any, place: str) -> Iterator[tuple[str, str]]:
    """The WKT texts of arguments with where they are: "features[2].wkt"."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            inner = f"{place}.{key}" if place else str(key)
            if key == WKT and isinstance(value, str):
                yield inner, value
            else:
                yield from _texts(value, inner)
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _texts(value, f"{place}[{index}]")


def _problem(text: str) -> tuple[str, str] | None:
    """What is wrong with a WKT text, and how to put it right."""
    shapely = importlib.import_module("shapely")  # only for a call with geometry: it takes a tenth of a second
    try:
        return _problem_of(shapely, shapely.from_wkt(text))
    except NotImplementedError:  # shapely has no types for curves
        return "curves are not drawn.", "Write the curve as LINESTRING or POLYGON with points along it."
    except (shapely.errors.ShapelyError, ValueError, TypeError):
        return "this is no WKT.", "Write for example POINT(120.1 30.2), longitude first."


def _problem_of(shapely: Any, geometry: Any) -> tuple[str, str] | None:
    if geometry is None or geometry.is_empty:
        return "the geometry is empty.", "Give coordinates, or leave the feature out."
    coordinates = shapely.get_coordinates(geometry)
    if not all(math.isfinite(each) for pair in coordinates for each in pair):
        return "a coordinate is not a finite number.", "Give numbers in degrees."
    across = float(abs(coordinates[:, 0]).max())
    up = float(abs(coordinates[:, 1]).max())
    if across > LON or up > LAT:
        return _off_the_earth(across, up)
    if not geometry.is_valid:
        return f"it is not valid: {shapely.is_valid_reason(geometry)}.", "Order the corners of the ring; no crossing."
    return None


def _off_the_earth(across: float, up: float) -> tuple[str, str]:
    """For the greatest longitude and latitude, without their sign."""
    if across <= LAT and up <= LON:
        return "latitude and longitude are swapped.", "Write the longitude first: POINT(lon lat)."
    if across <= 2 * LON and up <= LAT:
        return (
            "a longitude is beyond 180°.",
            "Longitudes are -180 to 180: 182 is -178. What crosses the 180th meridian is split there, into a MULTI… geometry.",
        )
    return "it is not on the earth in degrees.", "Give longitude and latitude (EPSG:4326), not metres."
