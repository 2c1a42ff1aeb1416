"""Checks of buffers before they count as such: the areas of circles and rings, and which way a polygon went."""

from __future__ import annotations

import math
from typing import Any, Generator, Optional

from qgis.core import Qgis, QgsCoordinateReferenceSystem, QgsFeatureRequest, QgsFeedback, QgsVectorLayer

from ...features import (
    feature_source,
    read_features,
)
from ...i18n import translate
from ...work import (
    Step,
    Work,
)
from ..checks.verify import (
    CIRCLE_SAMPLES,
    CIRCLE_TOLERANCE,
    broken,
    check_circles,
    check_grown,
    circle_area,
)
from ..inputs.preflight import (
    Survey,
    ground_measure,
)
from .buffer import (
    FROM,
    TO,
    Zone,
)
from .overlay import (
    Measured,
    Meter,
)

MAX_MEASURED = 5_000
"""Features of a result up to which its area is told."""


def check_buffers(
    kind: Qgis.GeometryType, result: QgsVectorLayer, survey: Survey, zone: Zone
) -> Generator[Step, Any, None]:
    """Measure the result where it is known what it must be. UPSTREAM_ERROR where it is not."""
    if zone.dissolve or zone.separate or not result.featureCount():
        return
    source, crs = feature_source(result), result.crs()
    title = translate("QgisAgent", "Checking the buffers")
    distance = zone.distance_m
    if kind == Qgis.GeometryType.Point and not survey.multipart:
        if zone.ringed:
            yield Work(title, lambda feedback: check_rings(source, crs, result_count(survey, zone), feedback))
        else:
            yield Work(title, lambda feedback: check_circles(source, crs, survey.usable, distance, feedback))
    elif kind == Qgis.GeometryType.Polygon and not survey.invalid and not zone.ringed:
        if distance > 0:
            yield Work(title, lambda feedback: check_grown(source, crs, survey.area_m2, feedback))
        else:
            meter = Meter(result, True)
            shrunk = yield Work(title, meter.read)
            if shrunk.ground >= survey.area_m2:
                raise broken(
                    translate(
                        "QgisAgent", "inwards the polygons have {:.6g} m² instead of less than {:.6g} m²."
                    ).format(shrunk.ground, survey.area_m2)
                )


def result_count(survey: Survey, zone: Zone) -> int:
    """Zones of all features together."""
    return survey.usable * len(zone.distances)


def check_rings(source: Any, crs: QgsCoordinateReferenceSystem, count: int, feedback: QgsFeedback) -> None:
    """Rings around single points have the area between two circles: some are measured. On a worker thread. UPSTREAM_ERROR."""
    measure = ground_measure(crs)
    fields = source.fields()
    inner, outer = fields.lookupField(FROM), fields.lookupField(TO)
    every = max(1, count // CIRCLE_SAMPLES)
    request = QgsFeatureRequest().setSubsetOfAttributes([inner, outer])
    for number, feature in enumerate(read_features(source, request, feedback)):
        if number % every or not feature.hasGeometry():
            continue
        area = measure.measureArea(feature.geometry())
        expected = circle_area(feature[outer]) - circle_area(feature[inner])
        if not math.isclose(area, expected, rel_tol=CIRCLE_TOLERANCE):
            raise broken(
                translate("QgisAgent", "the ring around a point has {:.6g} m² instead of {:.6g} m².").format(
                    area, expected
                )
            )


def measured(result: QgsVectorLayer) -> Generator[Step, Any, Optional[Measured]]:
    """The result's sizes on the ellipsoid; None where it has too many features for it."""
    if result.featureCount() > MAX_MEASURED:
        return None
    meter = Meter(result, True)
    found: Measured = yield Work(translate("QgisAgent", "Measuring the buffers"), meter.read)
    return found
