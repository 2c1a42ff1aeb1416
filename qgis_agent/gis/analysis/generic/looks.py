"""One look at the outputs of any algorithm, on a worker thread: features, geometries, their box, fields without a value.

Algorithms end well with results that are nothing: a formula that gives NULL everywhere, centroids of nothing, coordinates
that no place has.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Set

from qgis.core import (
    QgsFeatureRequest,
    QgsFeedback,
    QgsMapLayer,
    QgsProcessingAlgorithm,
    QgsRasterLayer,
    QgsRectangle,
    QgsVectorLayer,
)

from ...features import (
    feature_source,
    json_value,
    read_features,
)
from ...i18n import translate
from ...layers import clean_text

FARTHEST = 1e12
"""No coordinate of a place: the way round the earth is 4e7 m, or 4e10 mm."""
_BEYOND = QgsRectangle(-360.0, -90.0, 360.0, 90.0)
_SLACK = 1e-6
_NAMED_FIELDS = 3
MANY = 50_000
"""Features above which a layer in memory is not read once more in whole, which would take a tenth of the time of an algorithm."""
MOST = 1_000_000
"""Above it the box is not asked for: QGIS goes through all features for it, and holds Python meanwhile, so the main thread."""
SAMPLE = 10_000


class Look(NamedTuple):
    """Of a vector layer: features, those with a geometry, those with coordinates that are no numbers, the box of the others,
    and the fields that are NULL in every feature."""

    count: int
    shapes: int
    not_finite: int
    box: QgsRectangle
    nulls: List[str]


class Looker:
    """Looks at a layer. Made on the main thread. ``fields``: names of those that must have a value somewhere."""

    def __init__(self, layer: QgsVectorLayer, fields: Set[str]) -> None:
        self._source = feature_source(layer)
        self._spatial = layer.isSpatial()
        # Nobody else has an output yet, so that a worker may ask its provider.
        alone = layer.providerType() == "memory" and layer.project() is None
        self._memory = layer.dataProvider() if alone else None
        self._fields = {at: each.name() for at, each in enumerate(layer.fields()) if each.name() in fields}

    def read(self, feedback: QgsFeedback) -> Look:
        """All features once; those fields until each has shown a value."""
        look = self.read_places(feedback)
        return look._replace(nulls=self._nulls(feedback)) if look.count else look

    def read_places(self, feedback: QgsFeedback) -> Look:
        """All but the fields."""
        return self._sampled(feedback) or self._read(QgsFeatureRequest(), feedback)

    def _sampled(self, feedback: QgsFeedback) -> Optional[Look]:
        """Of many features in memory QGIS keeps the exact count and the box of all, and every so many are looked at; None for
        another layer, and where the box says that something is wrong."""
        count = self._memory.featureCount() if self._memory is not None and self._spatial else 0
        if not MANY < count <= MOST:
            return None
        box = self._memory.extent()
        if box.isNull() or not box.isFinite():
            return None
        request = QgsFeatureRequest().setFilterFids(list(range(1, count + 1, count // SAMPLE)))
        look = self._read(request, feedback)
        return None if look.not_finite or not look.shapes else look._replace(count=count, box=box)

    def _read(self, request: QgsFeatureRequest, feedback: QgsFeedback) -> Look:
        count = shapes = not_finite = 0
        box = QgsRectangle()
        box.setNull()
        request.setSubsetOfAttributes([])
        if not self._spatial:
            request.setFlags(QgsFeatureRequest.Flag.NoGeometry)
        for feature in read_features(self._source, request, feedback):
            count += 1
            if not feature.hasGeometry():
                continue
            shapes += 1
            around = feature.geometry().boundingBox()
            if around.isNull():
                continue
            if around.isFinite():
                box.combineExtentWith(around)
            else:
                not_finite += 1
        return Look(count, shapes, not_finite, box, [])

    def _nulls(self, feedback: QgsFeedback) -> List[str]:
        left = dict(self._fields)
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry)
        request.setSubsetOfAttributes(list(left))
        if left:
            for feature in read_features(self._source, request, feedback):
                for at in [each for each in left if json_value(feature[each], 1) is not None]:
                    del left[at]
                if not left:
                    break
        return list(left.values())


def known_fields(algorithm: QgsProcessingAlgorithm, values: Dict[str, Any], inputs: List[QgsMapLayer]) -> Set[str]:
    """Names that an input already has as a field, and that are not written over: a NULL there is no news."""
    known = {each.name() for layer in inputs if isinstance(layer, QgsVectorLayer) for each in layer.fields()}
    written = {
        values[each.name()]
        for each in algorithm.parameterDefinitions()
        if each.type() == "string" and isinstance(values.get(each.name()), str)
    }
    return known - written


def looker(layer: QgsVectorLayer, known: Set[str]) -> Looker:
    """For an output, whose fields are looked at unless they are ``known``."""
    return Looker(layer, {each.name() for each in layer.fields()} - known)


def absurd(layer: QgsMapLayer, look: Optional[Look]) -> bool:
    """Whether some of it has no place anywhere: coordinates that are no numbers, or without bounds."""
    box = _box(layer, look)
    if look is not None and look.not_finite:
        return True
    if box is None or box.isNull():
        return False
    edges = (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum())
    return not box.isFinite() or max(abs(each) for each in edges) > FARTHEST


def off_the_map(layer: QgsMapLayer, look: Optional[Look]) -> bool:
    """Whether some of it lies beyond what longitudes and latitudes can be, in a geographic CRS."""
    box = _box(layer, look)
    if box is None or box.isNull() or not layer.crs().isGeographic():
        return False
    return not _BEYOND.buffered(_SLACK).contains(box)


def _box(layer: QgsMapLayer, look: Optional[Look]) -> Optional[QgsRectangle]:
    if look is not None:
        return look.box
    return layer.extent() if isinstance(layer, QgsRasterLayer) else None


def said(title: str, layer: QgsMapLayer, look: Look) -> List[str]:
    """Features without a geometry or a value, in words."""
    found: List[str] = []
    if isinstance(layer, QgsVectorLayer) and layer.isSpatial() and look.count and not look.shapes:
        text = translate("QgisAgent", "{}: None of the {} features has a geometry.")
        found.append(text.format(title, look.count))
    if look.nulls:
        names = ", ".join(clean_text(each, 60) for each in look.nulls[:_NAMED_FIELDS])
        names += ", …" if len(look.nulls) > _NAMED_FIELDS else ""
        found.append(translate("QgisAgent", "{}: {} is NULL in all {} features.").format(title, names, look.count))
    return found
