"""Checks of a result before it counts as one. What a check raises is ``broken``: the analysis failed, nothing is added.

Which check for what:

- counts: ``require_count``; a statistic over nothing: ``require_values``
- places after a reprojection: ``verify_places.py``
- buffers: ``check_circles``, ``check_grown``
- areas of overlays, sums of groups and the like: beside their plans

Checks that read features run on a worker thread, on sources made on the main thread (``features.feature_source``).
"""

from __future__ import annotations

import math

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeatureRequest,
    QgsFeedback,
    QgsVectorLayerFeatureSource,
)

from ...errors import (
    NOT_FOUND,
    UPSTREAM_ERROR,
    ToolError,
)
from ...features import read_features
from ...i18n import translate
from ..ground.units import EARTH_RADIUS_M
from ..inputs.preflight import ground_measure

CIRCLE_SAMPLES = 50
CIRCLE_TOLERANCE = 0.01
"""Of the area; a radius that is wrong by 0.5 % makes 1 %."""


def broken(why: str) -> ToolError:
    """A check has failed, so the analysis has failed: nothing is added to the project."""
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The result was checked and is not right, so it was dropped: {}").format(why),
        hint=translate("QgisAgent", "Check the layer's geometries (fix_geometries) and its CRS."),
        reason="not_verified",
    )


def require_count(algorithm: str, expected: int, found: int) -> None:
    """UPSTREAM_ERROR unless a step gave as many features as it must."""
    if expected != found:
        raise broken(translate("QgisAgent", "{} gave {} features instead of {}.").format(algorithm, found, expected))


def require_values(what: str, values: int, rows: int) -> None:
    """NOT_FOUND for a statistic over no value at all: QGIS answers with 0, or with the limits of the number type.

    ``what`` names the field or band, ``values`` how many values there are, ``rows`` how many rows or cells were read.
    """
    if values:
        return
    raise ToolError(
        NOT_FOUND,
        translate("QgisAgent", "None of the {} rows has a value in '{}': there is nothing to compute.").format(
            rows, what
        ),
        hint=translate("QgisAgent", "Choose another field, or check the condition with count_features."),
        reason="no_values",
    )


def circle_area(distance_m: float) -> float:
    """m² within a distance of a point on the sphere (the ellipsoid differs by 0.7 % at most)."""
    return 2 * math.pi * EARTH_RADIUS_M**2 * (1 - math.cos(distance_m / EARTH_RADIUS_M))


def check_circles(
    source: QgsVectorLayerFeatureSource,
    crs: QgsCoordinateReferenceSystem,
    count: int,
    distance_m: float,
    feedback: QgsFeedback,
) -> None:
    """Buffers of single points must have the area of a circle on the ground: at most 50 of them are measured.

    On a worker thread. UPSTREAM_ERROR when one is off by more than 1 %.
    """
    measure = ground_measure(crs)
    expected = circle_area(distance_m)
    every = max(1, count // CIRCLE_SAMPLES)
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    for number, feature in enumerate(read_features(source, request, feedback)):
        if number % every == 0 and feature.hasGeometry():
            area = measure.measureArea(feature.geometry())
            if not math.isclose(area, expected, rel_tol=CIRCLE_TOLERANCE):
                raise broken(
                    translate("QgisAgent", "the buffer of a point has {:.6g} m² instead of {:.6g} m².").format(
                        area, expected
                    )
                )


def check_grown(
    source: QgsVectorLayerFeatureSource, crs: QgsCoordinateReferenceSystem, area_m2: float, feedback: QgsFeedback
) -> None:
    """Buffers of polygons hold the polygons, so their areas must sum up to more. On a worker thread. UPSTREAM_ERROR if not."""
    measure = ground_measure(crs)
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    found = sum(measure.measureArea(feature.geometry()) for feature in read_features(source, request, feedback))
    if found <= area_m2:
        raise broken(
            translate("QgisAgent", "the buffers have {:.6g} m², the polygons {:.6g} m².").format(found, area_m2)
        )
