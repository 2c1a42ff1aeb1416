"""Reads the places and values of features, and ends loops when a person stops."""

from __future__ import annotations

from array import array
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeatureSource,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsVariantUtils,
)

from ..gis.analysis.ground.circles import transformed
from ..gis.analysis.ground.units import degrees_crs
from ..gis.i18n import translate

FEWEST = 3
CHECK_EVERY = 500
"""Features after which it is asked whether to stop."""
_TRANSFORMED = 20_000
"""Places that change their CRS at once, so that QGIS is not held for long."""


class Stopped(Exception):
    """A person stopped the algorithm."""


class Sample(NamedTuple):
    """The features that count: ids in the layer, values (n,), longitude and latitude (n, 2) in degrees on WGS 84."""

    ids: List[int]
    values: Any
    lonlat: Any


def stopper(feedback: QgsProcessingFeedback) -> Callable[[], None]:
    """What is called in loops: it ends them when a person stops."""

    def check() -> None:
        if feedback.isCanceled():
            raise Stopped

    return check


def require_enough(count: int, least: int) -> None:
    """QgsProcessingException for too few features."""
    if count < least:
        raise QgsProcessingException(
            translate("QgisAgent", "Only {} features have a place and a value; at least {} are needed.").format(
                count, least
            )
        )


def read_sample(
    source: QgsFeatureSource, field: str, context: QgsProcessingContext, feedback: QgsProcessingFeedback
) -> Tuple[Sample, int]:
    """Features with a place and a number, and how many have not. Without a ``field`` each value is 1.

    The place of a line or polygon is its centroid. QgsProcessingException for a place that is not on earth.
    """
    position = source.fields().lookupField(field) if field else -1
    if field and position < 0:
        raise QgsProcessingException(translate("QgisAgent", "There is no field '{}'.").format(field))
    request = QgsFeatureRequest().setSubsetOfAttributes([position] if field else [])
    ids: List[int] = []
    values = array("d")
    places = array("d")
    rows = nulls = nowhere = 0
    check = stopper(feedback)
    for rows, feature in enumerate(source.getFeatures(request), 1):
        if not rows % CHECK_EVERY:
            check()
        value = number_of(feature[position]) if field else 1.0
        place = place_of(feature)
        nulls += value is None
        nowhere += place is None
        if value is not None and place is not None:
            ids.append(feature.id())
            values.append(value)
            places.extend(place)
    if nulls:
        feedback.pushWarning(
            translate("QgisAgent", "{} features have no value in '{}' and are left out.").format(nulls, field)
        )
    if nowhere:
        feedback.pushWarning(translate("QgisAgent", "{} features have no geometry and are left out.").format(nowhere))
    lonlat = in_degrees(np.array(places).reshape(-1, 2), source.sourceCrs(), context)
    return Sample(ids, np.array(values), lonlat), rows - len(ids)


def number_of(value: Any) -> Optional[float]:
    """A finite number; None of NULL and of what is none."""
    if QgsVariantUtils.isNull(value):
        return None
    number = float(value)
    return number if np.isfinite(number) else None


def place_of(feature: QgsFeature) -> Optional[Tuple[float, float]]:
    """The point, or the centroid, in the layer's CRS; None without a geometry."""
    geometry = feature.geometry()
    if geometry.isNull() or geometry.isEmpty():
        return None
    single = geometry.type() == Qgis.GeometryType.Point and not geometry.isMultipart()
    point = geometry.asPoint() if single else geometry.centroid().asPoint()
    return point.x(), point.y()


def in_degrees(places: Any, crs: Any, context: QgsProcessingContext) -> Any:
    """Places in EPSG:4326 (longitude, latitude). QgsProcessingException for one that has no place on earth."""
    if not len(places):
        return places
    transform = QgsCoordinateTransform(crs, degrees_crs(), context.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        parts = [places[start : start + _TRANSFORMED] for start in range(0, len(places), _TRANSFORMED)]
        lonlat = np.concatenate([transformed(each, transform) for each in parts]) if transform.isValid() else places
    except QgsCsException:
        lonlat = np.full((1, 2), np.nan)
    if not (np.isfinite(lonlat).all() and np.abs(lonlat[:, 1]).max() <= 90.0):
        raise QgsProcessingException(translate("QgisAgent", "A feature has no place on earth in the layer's CRS."))
    return lonlat
