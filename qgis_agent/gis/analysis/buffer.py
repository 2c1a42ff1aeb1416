"""The plan of a buffer by metres on the ground."""

from __future__ import annotations

import math
from typing import Optional

from qgis.core import Qgis, QgsVectorLayer

from .plan import Plan
from .preflight import Survey
from .steps import Builder, bulky
from .units import EARTH_RADIUS_M, SEGMENTS, Plane, metres_in_units

GEODESIC = "qgisagent:geodesicbuffer"
_BEND = 0.0005
"""Share of the distance by which an edge may bend between two CRSs before it is divided."""


def buffer_plan(
    layer: QgsVectorLayer, survey: Survey, expression: str, plane: Optional[Plane], distance_m: float, dissolve: bool
) -> Plan:
    """Buffer in a local metric CRS and come back to the layer's, or geodesically where no plane is good enough.

    The radius is within 0.35 % of the geodesic distance either way: 0.21 % for the chords of a circle, 0.1 % for the plane.
    """
    builder = Builder("layer")
    builder.prepare(survey, expression)
    if plane is None:
        builder.add(GEODESIC, {"DISTANCE": distance_m, "SEGMENTS": SEGMENTS}, key="buffer")
        if dissolve:
            builder.add("native:dissolve", {"FIELD": [], "SEPARATE_DISJOINT": False}, key="result")
        return builder.steps
    straight = longest_edge_m(distance_m)
    has_edges = layer.geometryType() != Qgis.GeometryType.Point
    if has_edges:
        builder.add("native:densifygeometriesgivenaninterval", {"INTERVAL": metres_in_units(layer.crs(), straight)})
    builder.reproject(plane.crs)
    builder.add(
        "native:buffer",
        {
            "DISTANCE": distance_m,
            "SEGMENTS": SEGMENTS,
            "END_CAP_STYLE": 0,
            "JOIN_STYLE": 0,
            "MITER_LIMIT": 2,
            "DISSOLVE": dissolve,
            "SEPARATE_DISJOINT": False,
        },
        key="buffer",
    )
    if has_edges:
        builder.add("native:densifygeometriesgivenaninterval", {"INTERVAL": straight})
    if bulky(layer, survey.usable):
        builder.keep_in_files()
    builder.reproject(layer.crs())
    return builder.steps


def longest_edge_m(distance_m: float) -> float:
    """An edge of this length bends by 0.05 % of the distance at most, at 45° of latitude: sagitta = L² / (8 R)."""
    return math.sqrt(8 * EARTH_RADIUS_M * distance_m * _BEND)


def expected_count(survey: Survey, dissolve: bool) -> int:
    """How many features the result must have."""
    return 1 if dissolve else survey.usable


def crs_used(plane: Optional[Plane]) -> str:
    """How the distance was measured."""
    return "geodesic on the WGS 84 ellipsoid" if plane is None else plane.name
