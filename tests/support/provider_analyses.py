"""Each analysis algorithm of our provider with parameters for the sample project, and the ending of a file that it writes."""

from __future__ import annotations

from typing import Any

PLACE = {"FIELD": "pupils", "NEIGHBOURS": 1, "NUMBER": 5}
ENDS = {"START": "745000,3366000 [EPSG:32650]", "END": "758000,3357000 [EPSG:32650]"}
LOCATION = {"PREDICATE": "within", "FIELDS": "name", "PREFIX": "in_", "DISCARD_NONMATCHING": "true"}
VALUE = {"FIELD": "name", "FIELD_2": "name", "PREFIX": "b_"}

ANALYSES: dict[str, tuple[dict[str, Any], str]] = {
    "checkgeometries": ({"INPUT": "districts", "CHECKS": 0}, "geojson"),
    "geodesicbuffer": ({"INPUT": "schools", "DISTANCE": 300, "SEGMENTS": 12}, "geojson"),
    "geodesiccircles": ({"INPUT": "schools", "DISTANCE": 300, "SEGMENTS": 12}, "geojson"),
    "pointsinpolygons": ({"POLYGONS": "streets", "POINTS": "schools", "FIELD": "n"}, "geojson"),
    "joinbylocation": ({"INPUT": "schools", "JOIN": "streets", **LOCATION}, "geojson"),
    "joinbyvalue": ({"INPUT": "schools", "JOIN": "schools", **VALUE}, "geojson"),
    "nearestfeatures": ({"INPUT": "schools", "JOIN": "hospitals", "PREFIX": "h_"}, "geojson"),
    "rastercalculate": ({"LAYERS": "dem", "FORMULA": "A * 2"}, "tif"),
    "curvature": ({"INPUT": "dem"}, "tif"),
    "focalstatistics": ({"INPUT": "dem", "RADIUS": 1, "STATISTIC": 0}, "tif"),
    "leastcostpath": ({"INPUT": "dem", **ENDS}, "geojson"),
    "deviationalellipse": ({"INPUT": "schools"}, "geojson"),
    "globalmoran": ({"INPUT": "schools", **PLACE, "PERMUTATIONS": 99}, "geojson"),
    "hotspots": ({"INPUT": "schools", **PLACE}, "geojson"),
    "localmoran": ({"INPUT": "schools", **PLACE, "PERMUTATIONS": 99}, "geojson"),
}
