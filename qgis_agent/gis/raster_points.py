"""The values of a raster at points. A value that looks like undeclared nodata is kept apart from the others, and told."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from qgis.core import QgsCoordinateTransform, QgsCsException, QgsFeedback, QgsPointXY, QgsProject, QgsRasterLayer

from .analysis.ground.units import degrees_crs
from .errors import ToolError
from .measuring import Chosen
from .raster_cells import CellReader, neat
from .raster_stats import band_stats, is_known_nodata, suspect
from .work import cancelled

_DOUBT_CELLS = 4_000_000
"""Cells of the band that a suspicion is founded on; of larger ones a sample."""
_CHECK_EVERY = 500


class Samples(NamedTuple):
    """``rows`` up to the limit; counts and the values' min, max and mean are of all points.

    ``doubt`` is a value that looks like undeclared nodata, met at ``doubtful`` points: not among ``hits``, nor in the numbers.
    """

    rows: List[Dict[str, Any]]
    total: int
    hits: int
    outside: int
    nodata: int
    low: Optional[float]
    high: Optional[float]
    mean: Optional[float]
    doubt: Optional[float]
    doubtful: int


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
        doubt = self._doubt(values, feedback) if values else None
        kept = [each for each in values if each != doubt]
        for row in rows:
            if doubt is not None and row["value"] == neat(doubt):
                row["suspected_nodata"] = True
        low, high = (neat(min(kept)), neat(max(kept))) if kept else (None, None)
        mean = math.fsum(kept) / len(kept) if kept else None
        nodata, doubtful = total - len(values) - outside, len(values) - len(kept)
        return Samples(rows, total, len(kept), outside, nodata, low, high, mean, doubt if doubtful else None, doubtful)

    def _doubt(self, values: Sequence[float], feedback: QgsFeedback) -> Optional[float]:
        """The undeclared nodata value of the band, also one that only these points have met.

        None as well where the band is damaged elsewhere: the values at the points were read, and nothing founds a doubt.
        """
        size = self._cells.size(exact=_DOUBT_CELLS)
        try:
            stats = band_stats(self._cells, self._band, feedback, size)
            known = [each for each in values if is_known_nodata(each)]
            if known:
                stats.add(np.array(known), 0, np.empty(0))
            found = suspect(self._cells, self._band, feedback, stats, size)
        except ToolError as error:
            if error.envelope["reason"] != "unreadable":
                raise
            return None
        return found.value if found is not None else None

    def _value(self, point: QgsPointXY, transform: QgsCoordinateTransform) -> Tuple[Optional[float], str]:
        """The value, or None and why there is none."""
        try:
            place = transform.transform(point)
        except QgsCsException:
            return None, "outside"
        return self._cells.value_at(place, self._band)


def _feature_points(chosen: Chosen, feedback: QgsFeedback) -> Iterator[Tuple[Dict[str, Any], QgsPointXY]]:
    """Every point of every feature; features without a geometry have none."""
    for feature in chosen.features(feedback):
        entry = {"feature_id": feature.id(), "label": chosen.label(feature)}
        for vertex in feature.geometry().vertices():
            yield entry, QgsPointXY(vertex)
