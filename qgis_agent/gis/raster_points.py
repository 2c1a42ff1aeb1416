"""The values of a raster at points."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from qgis.core import QgsCoordinateTransform, QgsCsException, QgsFeedback, QgsPointXY, QgsProject, QgsRasterLayer

from .analysis.units import degrees_crs
from .features import cancelled
from .measuring import Chosen
from .raster_cells import CellReader, neat

_CHECK_EVERY = 500


class Samples(NamedTuple):
    """``rows`` up to the limit; counts and the values' min, max and mean are of all points."""

    rows: List[Dict[str, Any]]
    total: int
    hits: int
    outside: int
    nodata: int
    low: Optional[float]
    high: Optional[float]
    mean: Optional[float]


class PointSampler:
    """Reads one band at points given in degrees, or at the points of a layer. Made on the main thread.

    The value is that of the cell that the point lies in; nothing is interpolated.
    """

    def __init__(self, layer: QgsRasterLayer, alias: str, band: int, project: QgsProject) -> None:
        self._cells = CellReader(layer, alias)
        self._crs = layer.crs()
        self._band = band
        self._context = project.transformContext()

    def at_degrees(self, points: Sequence[Sequence[float]], feedback: QgsFeedback, limit: int) -> Samples:
        """At [lon, lat] pairs; rows are numbered from 1 in the order given. On a worker thread."""
        places = (({"point": number}, QgsPointXY(*each)) for number, each in enumerate(points, 1))
        transform = QgsCoordinateTransform(degrees_crs(), self._crs, self._context)
        return self._sample(places, transform, feedback, limit)

    def at_features(self, chosen: Chosen, feedback: QgsFeedback, limit: int) -> Samples:
        """At the points of features; rows name the feature. On a worker thread."""
        transform = QgsCoordinateTransform(chosen.crs, self._crs, self._context)
        return self._sample(_feature_points(chosen, feedback), transform, feedback, limit)

    def _sample(
        self,
        places: Iterable[Tuple[Dict[str, Any], QgsPointXY]],
        transform: QgsCoordinateTransform,
        feedback: QgsFeedback,
        limit: int,
    ) -> Samples:
        transform.setBallparkTransformsAreAppropriate(True)
        rows: List[Dict[str, Any]] = []
        values: List[float] = []
        total = outside = 0
        for entry, point in places:
            total += 1
            if total % _CHECK_EVERY == 0 and feedback.isCanceled():
                raise cancelled()
            value, missing = self._value(point, transform)
            if value is None:
                outside += missing == "outside"
            else:
                values.append(value)
            if len(rows) < limit:
                row = dict(entry, value=None if value is None else neat(value))
                rows.append(row if value is not None else dict(row, missing=missing))
        low, high = (neat(min(values)), neat(max(values))) if values else (None, None)
        mean = math.fsum(values) / len(values) if values else None
        return Samples(rows, total, len(values), outside, total - len(values) - outside, low, high, mean)

    def _value(self, point: QgsPointXY, transform: QgsCoordinateTransform) -> Tuple[Optional[float], str]:
        """The value, or None and why there is none."""
        try:
            place = transform.transform(point)
        except QgsCsException:
            return None, "outside"
        if not self._cells.extent.contains(place):
            return None, "outside"
        value, found = self._cells.provider.sample(place, self._band)
        if not found or not math.isfinite(value) or self._cells.is_excluded(self._band, value):
            return None, "nodata"
        return float(value), ""


def _feature_points(chosen: Chosen, feedback: QgsFeedback) -> Iterator[Tuple[Dict[str, Any], QgsPointXY]]:
    """Every point of every feature; features without a geometry have none."""
    for feature in chosen.features(feedback):
        entry = {"feature_id": feature.id(), "label": chosen.label(feature)}
        for vertex in feature.geometry().vertices():
            yield entry, QgsPointXY(vertex)
