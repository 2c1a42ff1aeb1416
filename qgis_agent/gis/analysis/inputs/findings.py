"""What a look at features finds: counts, box, types of geometry, faults; and the sums that lead to it."""

from __future__ import annotations

import math
from array import array
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import Qgis, QgsCsException, QgsDistanceArea, QgsFeature, QgsGeometry, QgsRectangle, QgsWkbTypes

from ...layers import clean_text
from ...sources.coordinates import Misplaced

NAMED_FAULTS = 3
"""Invalid geometries that are named with their feature id and reason."""


class Fault(NamedTuple):
    """An invalid geometry: the feature's id and GEOS's reason ("Self-intersection")."""

    feature_id: int
    reason: str


class Survey(NamedTuple):
    """The features that an analysis gets: how many, how many without a geometry, with an invalid one, in several parts;
    their box in the layer's CRS; the sum of their areas on the ellipsoid in m² (0 but for polygons).

    Of a table without geometries nothing is counted as missing. Validity is looked at for polygons only: points have none,
    and no algorithm fails on a line.
    """

    count: int
    without_geometry: int
    invalid: int
    multipart: int
    box: QgsRectangle
    area_m2: float
    empty: int = 0
    """Those of ``without_geometry`` that have an empty one (POINT EMPTY), not none (NULL)."""
    faults: Tuple[Fault, ...] = ()
    """The first invalid ones."""
    pointlike: int = 0
    """Lines with fewer than two different points: they have no length. They stay in the data."""
    not_finite: int = 0
    """Geometries with coordinates that are no numbers; they are not in ``box``."""
    types: Tuple[Tuple[str, int], ...] = ()
    """(type of geometry as QGIS names it, features), most frequent first."""
    with_z: int = 0
    with_m: int = 0
    curved: int = 0
    repeated_ids: int = 0
    """Features whose id another one has too: selections and edits would mix them up."""
    repeated_fids: int = 0
    """Features whose value in the field ``fid`` another one has too: a GeoPackage takes each value once."""
    long_way: int = 0
    """Lines and polygons in degrees with an edge over more than half of the longitudes: the map draws it the long way round
    the earth, and planar work takes it so, where a person means the short way across 180°."""
    misplaced: Optional[Misplaced] = None
    """Of a geographic CRS, when some coordinates are no degrees."""

    @property
    def usable(self) -> int:
        """Features with a geometry; all rows of a table that has none."""
        return self.count - self.without_geometry

    @property
    def kinds(self) -> List[str]:
        """The kinds among the types: Point, Line, Polygon, Unknown (collections)."""
        found = (
            QgsWkbTypes.geometryDisplayString(QgsWkbTypes.geometryType(QgsWkbTypes.parseType(name)))
            for name, _ in self.types
        )
        return sorted(set(found))


class Kind(NamedTuple):
    """What is known of a type of geometry."""

    name: str
    multi: bool
    area: bool
    line: bool
    z: bool
    m: bool
    curved: bool


def kind_of(wkb: Any) -> Kind:
    """What a type of geometry is (Qgis.WkbType)."""
    name = QgsWkbTypes.displayString(wkb)
    sort = QgsWkbTypes.geometryType(wkb)
    return Kind(
        name,
        QgsWkbTypes.isMultiType(wkb),
        sort == Qgis.GeometryType.Polygon,
        sort == Qgis.GeometryType.Line,
        QgsWkbTypes.hasZ(wkb),
        QgsWkbTypes.hasM(wkb),
        QgsWkbTypes.isCurvedType(wkb),
    )


class Found:
    """Adds up features."""

    def __init__(self, measure: QgsDistanceArea, spatial: bool, key: int, keep_ids: bool) -> None:
        self._measure, self._spatial, self._key, self._keep_ids = measure, spatial, key, keep_ids
        self._count = 0
        self._kinds: Dict[Any, Kind] = {}
        self._times: Dict[Any, int] = {}
        self._ids, self._keys = array("q"), array("d")
        self._without = self._empty = self._invalid = self._multipart = self._pointlike = self._not_finite = 0
        self._geographic, self._long_way = measure.sourceCrs().isGeographic(), 0
        self._faults: List[Fault] = []
        self._area = 0.0
        self._box = QgsRectangle()
        self._box.setNull()

    def add(self, feature: QgsFeature) -> None:
        """One feature."""
        self._count += 1
        if self._keep_ids:
            self._ids.append(feature.id())
        if self._key >= 0:
            self._add_key(feature[self._key])
        if not self._spatial:
            return
        geometry = feature.geometry()
        if geometry.isEmpty():  # also of none at all
            self._without += 1
            self._empty += not geometry.isNull()
            return
        wkb = geometry.wkbType()
        kind = self._kinds.get(wkb)
        if kind is None:
            kind = self._kinds[wkb] = kind_of(wkb)
        self._times[wkb] = self._times.get(wkb, 0) + 1
        box = geometry.boundingBox()
        if not box.isFinite():
            self._not_finite += 1
            return
        self._box.combineExtentWith(box)
        if self._geographic and box.width() > 180.0 and (kind.area or kind.line):
            self._long_way += goes_long_way(geometry)
        if kind.multi:
            self._multipart += geometry.constGet().numGeometries() > 1
        if kind.area:
            self._add_area(feature, geometry)
        elif kind.line and box.width() == 0 and box.height() == 0:
            self._pointlike += 1

    def _add_key(self, value: Any) -> None:
        if isinstance(value, (int, float)):
            self._keys.append(value)

    def _add_area(self, feature: QgsFeature, geometry: QgsGeometry) -> None:
        if not geometry.isGeosValid():
            self._invalid += 1
            if len(self._faults) < NAMED_FAULTS:
                self._faults.append(Fault(feature.id(), clean_text(geometry.lastError(), 60)))
        try:
            area = self._measure.measureArea(geometry)
        except QgsCsException:  # no place on earth: told by the coordinates' doubts
            area = math.nan
        if math.isfinite(area):
            self._area += area
        else:  # over a pole, in degrees
            self._not_finite += 1

    def survey(self) -> Survey:
        """The sums."""
        times = sorted(self._times.items(), key=lambda item: -item[1])
        kinds = [(self._kinds[wkb], number) for wkb, number in times]
        return Survey(
            self._count,
            self._without,
            self._invalid,
            self._multipart,
            self._box,
            self._area,
            empty=self._empty,
            faults=tuple(self._faults),
            pointlike=self._pointlike,
            not_finite=self._not_finite,
            types=tuple((kind.name, number) for kind, number in kinds),
            with_z=sum(number for kind, number in kinds if kind.z),
            with_m=sum(number for kind, number in kinds if kind.m),
            curved=sum(number for kind, number in kinds if kind.curved),
            long_way=self._long_way,
            repeated_ids=_repeated(self._ids, np.int64),
            repeated_fids=_repeated(self._keys, np.float64),
        )


def goes_long_way(geometry: QgsGeometry) -> bool:
    """Whether an edge goes over more than 180° of longitude; all the way from -180° to 180° is meant so (the whole world,
    the lower edge of Antarctica)."""
    for part in geometry.constGet().coordinateSequence():
        for ring in part:
            for start, end in zip(ring, ring[1:]):
                if 180.0 < abs(end.x() - start.x()) < 360.0 - 1e-6:
                    return True
    return False


def _repeated(values: Any, kind: Any) -> int:
    """How many of the values are there once more than needed."""
    return len(values) - len(np.unique(np.frombuffer(values, kind))) if values else 0
