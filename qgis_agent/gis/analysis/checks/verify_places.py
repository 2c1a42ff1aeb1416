"""Checks of where a result lies after a reprojection. Sampled where the whole would be slow."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsFeatureRequest,
    QgsFeedback,
    QgsGeometry,
    QgsPointXY,
    QgsVectorLayerFeatureSource,
)

from ...features import read_features
from ...i18n import translate
from ..ground.scale import metres_of_unit
from ..inputs.pair import base_of
from .verify import broken

SAMPLES = 200
"""Of more features about so many to twice so many are looked at closely, spread over the layer."""
ROUND_TRIP_M = 0.005
"""PROJ's own inverses agree to 1e-7 m, but for those of equal-area projections with the authalic latitude, a short series:
up to 1.6 mm (20,000 places each in EPSG:3035, 6933, 8857 and ESRI:54034, pyproj with PROJ 9.5.1). File formats that keep 9
digits of a degree agree to 1e-4 m."""
OTHER_DATUM_M = 0.02
"""A shift of the datum loses the height that it leads to: there and back differs by 3 mm at most of 15 national datums."""


def check_reprojected(
    before: QgsVectorLayerFeatureSource,
    after: QgsVectorLayerFeatureSource,
    crs: Tuple[QgsCoordinateReferenceSystem, QgsCoordinateReferenceSystem],
    context: QgsCoordinateTransformContext,
    feedback: QgsFeedback,
    expression: str = "",
) -> int:
    """Counts agree, and sampled features lie where they lay: their first vertex, brought back, is within 5 mm (2 cm across
    datums).

    ``crs`` is (before, after); ``expression`` chose the features that were taken. Both sources are read in their order, which
    native:reprojectlayer keeps in memory; a FlatGeobuf does not. On a worker thread. Returns how many were compared: the
    first 200, then of each 200 more every second, fourth … feature. UPSTREAM_ERROR when one has moved.
    """
    back = QgsCoordinateTransform(crs[1], crs[0], context)
    back.setBallparkTransformsAreAppropriate(True)
    room = (ROUND_TRIP_M if base_of(crs[0]) == base_of(crs[1]) else OTHER_DATUM_M) / metres_of_unit(crs[0])
    counts, compared, every = [0, 0], 0, 1
    pairs = zip_longest(_features(before, feedback, expression), _features(after, feedback, ""))
    for number, (one, other) in enumerate(pairs):
        counts[0] += one is not None
        counts[1] += other is not None
        if one is None or other is None or number % every:
            continue
        start, end = _first_vertex(one.geometry()), _first_vertex(other.geometry())
        if (start is None) != (end is None):
            raise broken(translate("QgisAgent", "a feature has lost its geometry, or got one."))
        if start is None or end is None:
            continue
        _require_same_place(start, end, back, room)
        compared += 1
        if compared % SAMPLES == 0:
            every *= 2
    if counts[0] != counts[1]:
        raise broken(translate("QgisAgent", "{} features became {}.").format(*counts))
    return compared


def _features(source: QgsVectorLayerFeatureSource, feedback: QgsFeedback, expression: str) -> Any:
    request = QgsFeatureRequest().setSubsetOfAttributes([])
    if expression:
        request = QgsFeatureRequest().setFilterExpression(expression)
    return read_features(source, request, feedback)


def _first_vertex(geometry: QgsGeometry) -> Optional[QgsPointXY]:
    """None without geometry."""
    return None if geometry.isEmpty() else QgsPointXY(geometry.vertexAt(0))


def _require_same_place(start: QgsPointXY, end: QgsPointXY, back: QgsCoordinateTransform, room: float) -> None:
    try:
        returned = back.transform(end)
        across, along = abs(returned.x() - start.x()), abs(returned.y() - start.y())
    except QgsCsException:
        across = along = math.inf
    if back.destinationCrs().isGeographic():
        across = min(across, abs(across - 360.0))  # 180° and -180° are one place
    if not math.hypot(across, along) <= room:
        raise broken(
            translate("QgisAgent", "a place does not come back to where it was: ({:.9g}, {:.9g}).").format(
                start.x(), start.y()
            )
        )
