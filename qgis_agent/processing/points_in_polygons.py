"""``qgisagent:pointsinpolygons``: points counted and summed up in polygons, both read once."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from qgis.core import (
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsPointXY,
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterMatrix,
    QgsProcessingParameterString,
)
from qgis.PyQt.QtCore import QMetaType

from ..gis.analysis.ground.circles import transformed
from ..gis.analysis.vector.point_arrays import (
    ArrowPlace,
    Points,
    arrow_place,
    read_arrow,
    read_source,
)
from ..gis.analysis.vector.point_in_polygon import (
    Rows,
    edges_of,
)
from ..gis.i18n import translate
from .geodesic_circles import plain_fields
from .tags import Tagged

FUNCTIONS = ("sum", "mean", "min", "max")
_SAMPLES = 200
_TRANSFORMED = 100_000


class Wanted(NamedTuple):
    """One aggregate: a number field of the points, sum, mean, min or max, and the name of the new field."""

    field: str
    function: str
    column: str


class PointsInPolygonsAlgorithm(Tagged, QgsProcessingAlgorithm):
    """Counts points in polygons and aggregates their numbers, NULL left out. A point on a border is in no polygon.

    A sample of the points is looked up by GEOS as well; a difference is an error.
    """

    POLYGONS, POINTS, FIELD, AGGREGATES, OUTPUT = "POLYGONS", "POINTS", "FIELD", "AGGREGATES", "OUTPUT"

    def __init__(self) -> None:
        super().__init__()
        self._place: Optional[ArrowPlace] = None

    def createInstance(self) -> PointsInPolygonsAlgorithm:  # noqa: N802
        """Qt's factory."""
        return PointsInPolygonsAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "pointsinpolygons"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Points in polygons")

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Vector")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "vector"

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Counts the points inside each polygon and aggregates number fields of the points (sum, mean, min, max; NULL is "
            "left out). Points exactly on a border are in no polygon. No spatial index is needed.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Both layers, the name of the count, and rows of field, function and new name."""
        source = QgsProcessing.SourceType
        layers = (
            (self.POLYGONS, translate("QgisAgent", "Polygons"), source.TypeVectorPolygon),
            (self.POINTS, translate("QgisAgent", "Points"), source.TypeVectorPoint),
        )
        for name, said, kind in layers:
            self.addParameter(QgsProcessingParameterFeatureSource(name, said, [kind]))
        self.addParameter(QgsProcessingParameterString(self.FIELD, translate("QgisAgent", "Count field"), "count"))
        said = translate("QgisAgent", "Aggregates")
        headers = [
            translate("QgisAgent", "field"),
            translate("QgisAgent", "function"),
            translate("QgisAgent", "new field"),
        ]
        self.addParameter(QgsProcessingParameterMatrix(self.AGGREGATES, said, 0, False, headers, [], True))
        self.addParameter(QgsProcessingParameterFeatureSink(self.OUTPUT, translate("QgisAgent", "Counted")))
        numbers = {
            "ROWS": translate("QgisAgent", "Rows of the points"),
            "COUNTED_POINTS": translate("QgisAgent", "Points that were counted"),
            "WITHOUT_GEOMETRY": translate("QgisAgent", "Points without a geometry"),
            "MULTIPART": translate("QgisAgent", "Rows of several points"),
            "OUTSIDE": translate("QgisAgent", "Points in no polygon"),
            "ON_BORDER": translate("QgisAgent", "Points on a border"),
            "TWICE": translate("QgisAgent", "Points in several polygons"),
        }
        for name, said in numbers.items():
            self.addOutput(QgsProcessingOutputNumber(name, said))
        self.addOutput(QgsProcessingOutputString("NULLS", translate("QgisAgent", "Missing values of each field")))

    def prepareAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> bool:
        """Whether the points' file can be read in columns is seen on the main thread."""
        self._place = arrow_place(self.parameterAsVectorLayer(parameters, self.POINTS, context))
        return True

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """QgsProcessingException where a layer cannot be read, or the points have no place in the polygons' CRS."""
        polygons = self.parameterAsSource(parameters, self.POLYGONS, context)
        points = self.parameterAsSource(parameters, self.POINTS, context)
        if polygons is None or points is None:
            raise QgsProcessingException(translate("QgisAgent", "A layer cannot be read."))
        wanted = _wanted(self.parameterAsMatrix(parameters, self.AGGREGATES, context), points.fields())
        fields = plain_fields(polygons.fields())
        fields.append(QgsField(self.parameterAsString(parameters, self.FIELD, context), QMetaType.Type.LongLong))
        for each in wanted:
            fields.append(QgsField(each.column, QMetaType.Type.Double))
        sink, destination = self.parameterAsSink(
            parameters, self.OUTPUT, context, fields, polygons.wkbType(), polygons.sourceCrs()
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        names = list(dict.fromkeys(each.field for each in wanted))
        read = read_arrow(self._place, names, feedback) if self._place is not None else None
        if read is None and not feedback.isCanceled():
            read = read_source(points, names, feedback)
        if read is None or feedback.isCanceled():
            return {}
        places = _in_crs(read.places, points.sourceCrs(), polygons.sourceCrs(), context)
        counter = _Counter(read, places, wanted)
        total = polygons.featureCount()
        for number, feature in enumerate(polygons.getFeatures()):
            if feedback.isCanceled():
                return {}
            made = QgsFeature(fields)
            made.setGeometry(feature.geometry())
            made.setAttributes([*feature.attributes(), *counter.row(feature.geometry())])
            if not sink.addFeature(made, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
            feedback.setProgress(100.0 * (number + 1) / total if total > 0 else 0.0)
        return {self.OUTPUT: destination, **counter.facts()}


class _Counter:
    """Goes through the polygons, and knows afterwards where the points are."""

    def __init__(self, read: Points, places: Any, wanted: List[Wanted]) -> None:
        self._read = read
        self._places = places
        self._wanted = wanted
        self._rows = Rows(places)
        self._hits = np.zeros(len(places), dtype=np.int32)
        self._on = np.zeros(len(places), dtype=bool)
        self._sample = np.unique(np.linspace(0, max(0, len(places) - 1), _SAMPLES).astype(int))[: len(places)]

    def row(self, geometry: QgsGeometry) -> List[Any]:
        """The count and the aggregates of one polygon; None of one that has no geometry."""
        if geometry.isNull() or geometry.isEmpty():
            return [None] * (1 + len(self._wanted))
        edges = edges_of(geometry)
        inside, border = self._rows.inside(edges)
        self._hits[inside] += 1
        self._on[border] = True
        self._compare(geometry, edges.box, inside)
        owners = self._read.owners[inside]
        return [len(inside), *(_aggregate(self._read.values[each.field][owners], each) for each in self._wanted)]

    def _compare(self, geometry: QgsGeometry, box: Tuple[float, float, float, float], inside: Any) -> None:
        """GEOS must say the same of the sampled points in the polygon's box."""
        x, y = self._places[self._sample].T
        near = self._sample[(x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])]
        if not len(near):
            return
        ours = np.isin(near, inside)
        for number, found in zip(near.tolist(), ours.tolist()):
            point = QgsPointXY(float(self._places[number, 0]), float(self._places[number, 1]))
            if geometry.contains(point) != found:
                raise QgsProcessingException(
                    translate("QgisAgent", "Point {} was counted wrongly: GEOS finds the opposite.").format(number)
                )

    def facts(self) -> Dict[str, Any]:
        """Numbers of points: read, outside, only on borders, and counted once more than once."""
        inside = self._hits > 0
        owned = self._read.values
        present = np.zeros(self._read.rows, dtype=bool)
        present[self._read.owners] = True
        nulls = {name: int(np.isnan(values[present]).sum()) for name, values in owned.items()}
        return {
            "ROWS": self._read.rows,
            "COUNTED_POINTS": len(self._places),
            "WITHOUT_GEOMETRY": self._read.without_geometry,
            "MULTIPART": self._read.multipart,
            "OUTSIDE": int((~inside & ~self._on).sum()),
            "ON_BORDER": int((~inside & self._on).sum()),
            "TWICE": int(self._hits.sum() - inside.sum()),
            "NULLS": json.dumps({name: count for name, count in nulls.items() if count}, ensure_ascii=False),
        }


def _aggregate(values: Any, wanted: Wanted) -> Optional[float]:
    """Of the values that are there; None of none."""
    present = values[~np.isnan(values)]
    if not len(present):
        return None
    function = {"sum": np.sum, "mean": np.mean, "min": np.min, "max": np.max}[wanted.function]
    return float(function(present))


def _wanted(rows: List[Any], fields: QgsFields) -> List[Wanted]:
    found = [Wanted(*(str(each) for each in rows[start : start + 3])) for start in range(0, len(rows), 3)]
    for each in found:
        position = fields.lookupField(each.field)
        if position < 0 or not fields[position].isNumeric() or each.function not in FUNCTIONS:
            raise QgsProcessingException(
                translate("QgisAgent", "'{}' of '{}' cannot be computed: no number field, or no such function.").format(
                    each.function, each.field
                )
            )
    return found


def _in_crs(places: Any, source: Any, target: Any, context: QgsProcessingContext) -> Any:
    """The points in the polygons' CRS."""
    if source == target or not len(places):
        return places
    transform = QgsCoordinateTransform(source, target, context.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    try:
        parts = [
            transformed(places[start : start + _TRANSFORMED], transform)
            for start in range(0, len(places), _TRANSFORMED)
        ]
    except QgsCsException:
        raise QgsProcessingException(
            translate("QgisAgent", "A point has no place in the CRS of the polygons ({}).").format(target.authid())
        ) from None
    return np.concatenate(parts)
