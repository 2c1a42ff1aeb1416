"""Sizes on the ground: lengths, perimeters and areas of features, always on the ellipsoid WGS 84.

The ellipsoid is set here and nowhere else, so that a number does not hang on the project's own ellipsoid or units: between
a feature's vertices a line runs along the geodesic, and an area is the one inside of these.
"""

from __future__ import annotations

import math
from array import array
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from qgis.core import (
    Qgis,
    QgsCoordinateTransformContext,
    QgsCsException,
    QgsDistanceArea,
    QgsFeature,
    QgsFeedback,
    QgsGeometry,
    QgsVectorLayer,
)

from .conditions import Where
from .errors import INVALID_PARAM, UNSUPPORTED, ToolError
from .features import FeatureReader, json_value
from .i18n import translate
from .layers import clean_text, layer_kind
from .scope import seen_field

ELLIPSOID = "EPSG:7030"
HOW = "ellipsoidal, WGS 84 (EPSG:7030)"
KIND_OF = {"length": "line", "area": "polygon", "perimeter": "polygon"}
"""Method to the kind of layer that has it."""
_MOST_NAMES = 5
_INSTEAD = {
    ("length", "polygon"): "perimeter",
    ("area", "line"): "length",
    ("perimeter", "line"): "length",
}


class Named:
    """How many features, and the names of the first few."""

    def __init__(self) -> None:
        self.count = 0
        self.names: List[str] = []

    def add(self, chosen: Chosen, feature: QgsFeature) -> None:
        """One more."""
        self.count += 1
        if len(self.names) < _MOST_NAMES:
            self.names.append(chosen.label(feature))

    def text(self) -> str:
        """The names, with dots where there are more."""
        return ", ".join(self.names) + (" …" if self.count > len(self.names) else "")


class Sizes(NamedTuple):
    """Sizes of the features that could be measured, in m or m², and how many could not.

    ``without_geometry`` have none, ``failed`` lie where their CRS has no place on earth. ``invalid`` are polygons whose rings
    cross, or whose holes lie outside, so that their area is doubtful (they are measured); ``negative`` are those of them
    whose holes take away more than there is: no area, and left out. Both by name, the first few, and counted.
    """

    values: Any
    without_geometry: int
    failed: int
    invalid: Named
    negative: Named

    def summary(self) -> Dict[str, float]:
        """sum, min, max and mean; nothing when nothing was measured."""
        if not len(self.values):
            return {}
        return {
            "sum": float(self.values.sum()),
            "min": float(self.values.min()),
            "max": float(self.values.max()),
            "mean": float(self.values.mean()),
        }


class Chosen:
    """The features of a layer that ``where`` and, when given, ``ids`` choose. Made on the main thread, read on a worker."""

    def __init__(self, layer: QgsVectorLayer, where: Where, ids: Optional[Sequence[int]] = None) -> None:
        self._reader = FeatureReader(layer, where, ids)
        self._label = (
            layer.fields().lookupField(layer.displayField()) if seen_field(layer, layer.displayField()) else -1
        )
        self.crs = layer.crs()

    def features(self, feedback: QgsFeedback) -> Iterator[QgsFeature]:
        """One by one, in one object that is filled anew each time."""
        return self._reader.read(feedback, geometry=True)

    def label(self, feature: QgsFeature) -> str:
        """What a person calls the feature: its value in the layer's display field, else its number."""
        value = json_value(feature.attribute(self._label), 60) if self._label >= 0 else None
        return clean_text(str(value), 60) if value not in (None, "") else "#{}".format(feature.id())


class SizeReader:
    """Measures features of one layer. Made on the main thread.

    INVALID_PARAM when the layer's geometries have no such size, UNSUPPORTED without a CRS.
    """

    def __init__(
        self, layer: QgsVectorLayer, method: str, where: Where, ids: Optional[Sequence[int]], name: str
    ) -> None:
        require_kind(layer, method, name)
        require_crs(layer, name)
        self._chosen = Chosen(layer, where, ids)
        self._method = method
        self._measure = ground_measure(layer)

    def read(self, feedback: QgsFeedback) -> Sizes:
        """On a worker thread."""
        found = array("d")
        empty = failed = 0
        invalid, negative = Named(), Named()
        for feature in self._chosen.features(feedback):
            geometry = feature.geometry()
            if geometry.isEmpty():
                empty += 1
                continue
            size = self._size(geometry)
            if size is None:
                failed += 1
                continue
            if size < 0.0:
                negative.add(self._chosen, feature)
                continue
            found.append(size)
            if self._method == "area" and not geometry.isGeosValid():
                invalid.add(self._chosen, feature)
        return Sizes(np.array(found, dtype=np.float64), empty, failed, invalid, negative)

    def _size(self, geometry: QgsGeometry) -> Optional[float]:
        try:
            if self._method == "area":
                size = self._measure.measureArea(geometry)
            elif self._method == "length":
                size = self._measure.measureLength(geometry)
            else:
                size = self._measure.measurePerimeter(geometry)
        except QgsCsException:
            return None
        return float(size) if math.isfinite(size) else None


def ground_measure(layer: QgsVectorLayer) -> QgsDistanceArea:
    """A measure for coordinates of a layer, in metres and m² on WGS 84 whatever the project says."""
    project = layer.project()
    context = project.transformContext() if project is not None else QgsCoordinateTransformContext()
    measure = QgsDistanceArea()
    measure.setSourceCrs(layer.crs(), context)
    measure.setEllipsoid(ELLIPSOID)
    return measure


def require_kind(layer: QgsVectorLayer, method: str, name: str) -> None:
    """INVALID_PARAM naming the right method when the layer's geometries have no such size."""
    kind = layer_kind(layer)
    if method in KIND_OF and kind == KIND_OF[method]:
        return
    if method == "distance" and kind in ("point", "line", "polygon"):
        return
    if kind not in ("point", "line", "polygon"):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' has no geometry of one kind that could be measured.").format(name),
            hint=translate(
                "QgisAgent", "Use a line layer (length), a polygon layer (area) or a point layer (distance)."
            ),
            reason="layer_kind",
        )
    raise ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} does not go with '{}', a {} layer.").format(method, name, kind),
        hint=translate("QgisAgent", "Use method {} for this layer.").format(_INSTEAD.get((method, kind), "distance")),
        reason="layer_kind",
    )


def require_crs(layer: QgsVectorLayer, name: str) -> None:
    """UNSUPPORTED for a layer without a CRS: its numbers have no place on earth."""
    if layer.crs().isValid():
        return
    raise ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The layer '{}' has no CRS, so nothing of it can be measured on the ground.").format(
            name
        ),
        hint=translate("QgisAgent", "Set its CRS first (set_layer_crs, when the person knows it)."),
        reason="no_crs",
    )


def fitting(layers: Sequence[QgsVectorLayer], method: str) -> List[QgsVectorLayer]:
    """Those layers whose geometries have the size."""
    wanted: Tuple[str, ...] = (KIND_OF[method],) if method in KIND_OF else ("point", "line", "polygon")
    return [each for each in layers if layer_kind(each) in wanted and _has_place(each)]


def _has_place(layer: QgsVectorLayer) -> bool:
    return layer.geometryType() not in (Qgis.GeometryType.Null, Qgis.GeometryType.Unknown)
