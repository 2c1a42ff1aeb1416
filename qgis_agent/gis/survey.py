"""One look at all of a layer's features, on a worker thread: number, true extent, geometry, NULL shares, keys of joins."""

from __future__ import annotations

from array import array
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsFeature,
    QgsFeatureRequest,
    QgsFeedback,
    QgsRectangle,
    QgsVectorLayer,
    QgsVectorLayerFeatureSource,
    QgsWkbTypes,
)

from .features import feature_source, json_value, read_features, told_apart
from .spread import Spread

ALL_ROWS = 20_000
"""Up to so many rows NULL shares are of all of them; above, of a sample of ``SAMPLE_ROWS`` spread over the layer."""
SAMPLE_ROWS = 5_000
CHECKED = 5_000
"""Up to so many geometries, and ``CHECKED_VERTICES``, are checked for validity: checking costs more than reading."""
CHECKED_VERTICES = 200_000
JOIN_ROWS = 1_000_000


class Survey(NamedTuple):
    """What was found. ``box`` is in the layer's CRS, of the features in force (filter and open edits included)."""

    count: int
    box: QgsRectangle
    types: Dict[str, int]
    without: int
    """Features without a geometry, or with an empty one."""
    invalid: Optional[int]
    """Invalid geometries; None when there are too many to check."""
    nulls: Tuple[int, ...]
    """NULLs by field, in the order of the fields, among ``rows`` rows."""
    rows: int
    duplicate_keys: Tuple[Optional[int], ...]
    """For each join how many keys its table has more than once; None when it could not be read."""
    degrees: Optional[List[float]] = None
    """The box around the features in degrees (EPSG:4326), across the 180th meridian where that is narrower."""
    unread: int = 0
    """Rows whose geometry is there and cannot be read. They are not in ``count``: to QGIS they are no features."""


class Surveyor:
    """Made on the main thread, read on a worker thread."""

    def __init__(self, layer: QgsVectorLayer) -> None:
        self._source = feature_source(layer)
        self._fields = len(layer.fields())
        self._spatial = layer.isSpatial()
        self._every_row = QgsVectorLayerFeatureSource(layer) if self._source.drops_rows else None
        self._polygonal = layer.geometryType().value > 0
        self._crs, self._transforms = layer.crs(), layer.transformContext()
        self._joins = [_join_source(layer, index) for index in range(len(layer.vectorJoins()))]

    def read(self, feedback: QgsFeedback) -> Survey:
        """Read the layer. CANCELLED when the call is stopped, UPSTREAM_ERROR when it cannot be read."""
        fids, found = self._geometry(feedback)
        nulls, rows = self._nulls(fids, feedback)
        keys = tuple(_duplicates(each, feedback) for each in self._joins)
        unread = self._rows(feedback) - len(fids) if self._every_row is not None else 0
        return Survey(
            len(fids),
            found.box,
            found.types,
            found.without,
            found.invalid,
            nulls,
            rows,
            keys,
            found.spread.box(),
            unread,
        )

    def _rows(self, feedback: QgsFeedback) -> int:
        """All rows, also those whose geometry cannot be read."""
        request = QgsFeatureRequest().setSubsetOfAttributes([])
        request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        return sum(1 for _ in read_features(self._every_row, request, feedback))

    def _geometry(self, feedback: QgsFeedback) -> Tuple[Any, _Shapes]:
        request = QgsFeatureRequest().setSubsetOfAttributes([])
        if not self._spatial:
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        fids, found = array("q"), _Shapes(self._polygonal, Spread(self._crs, self._transforms))
        for feature in read_features(self._source, request, feedback):
            fids.append(feature.id())
            if self._spatial:
                found.add(feature)
        return fids, found

    def _nulls(self, fids: Any, feedback: QgsFeedback) -> Tuple[Tuple[int, ...], int]:
        request = QgsFeatureRequest()
        request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        if len(fids) > ALL_ROWS:
            step = len(fids) / SAMPLE_ROWS
            ordered = sorted(fids)
            request.setFilterFids([ordered[int(number * step)] for number in range(SAMPLE_ROWS)])
        nulls, rows = [0] * self._fields, 0
        for feature in read_features(self._source, request, feedback):
            rows += 1
            for index, value in enumerate(feature.attributes()):
                if value is None or json_value(told_apart(value), 1) is None:
                    nulls[index] += 1
        return tuple(nulls), rows


class _Shapes:
    """Adds up geometries."""

    def __init__(self, check: bool, spread: Spread) -> None:
        self.box = QgsRectangle()
        self.spread = spread
        self.without = 0
        self.invalid: Optional[int] = 0 if check else None
        self._times: Dict[Any, int] = {}
        self._number = 0
        self._vertices = 0

    @property
    def types(self) -> Dict[str, int]:
        """Features by type of geometry."""
        return {QgsWkbTypes.displayString(kind): number for kind, number in self._times.items()}

    def add(self, feature: QgsFeature) -> None:
        """One feature."""
        geometry = feature.geometry()
        if geometry.isEmpty():  # also true of none at all
            self.without += 1
            return
        box = geometry.boundingBox()
        self.box.combineExtentWith(box)
        self.spread.add(box)
        kind = geometry.wkbType()
        self._times[kind] = self._times.get(kind, 0) + 1
        if self.invalid is not None:
            self._number += 1
            self._vertices += geometry.constGet().nCoordinates()
            if self._number > CHECKED or self._vertices > CHECKED_VERTICES:
                self.invalid = None
            elif not geometry.isGeosValid():
                self.invalid += 1


def _join_source(layer: QgsVectorLayer, index: int) -> Optional[Tuple[QgsVectorLayerFeatureSource, int]]:
    join = layer.vectorJoins()[index]
    table = join.joinLayer()
    if table is None or not table.isValid():
        return None
    position = table.fields().lookupField(join.joinFieldName())
    return (feature_source(table), position) if position >= 0 else None


def _duplicates(table: Optional[Tuple[QgsVectorLayerFeatureSource, int]], feedback: QgsFeedback) -> Optional[int]:
    """How many values of a key field stand in more than one row; NULL is no key."""
    if table is None:
        return None
    source, position = table
    request = QgsFeatureRequest().setSubsetOfAttributes([position]).setLimit(JOIN_ROWS)
    request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
    times: Dict[Any, int] = {}
    for feature in read_features(source, request, feedback):
        key = json_value(feature.attribute(position))
        if key is not None:
            times[str(key)] = times.get(str(key), 0) + 1
    return sum(1 for each in times.values() if each > 1)
