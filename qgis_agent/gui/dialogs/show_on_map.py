"""The button "Show on map" of a question: the place of what would be changed flashes on the map."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCsException,
    QgsFeatureRequest,
    QgsGeometry,
    QgsMapLayer,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtGui import QColor

from ...gis.extents import transformed
from ...gis.i18n import translate

MOST_FEATURES = 50
"""Read one by one, by their ids, on the main thread: no more."""
_START = QColor(255, 140, 0, 255)
_END = QColor(255, 140, 0, 40)
_FLASHES = 4
_FLASH_MS = 450
Shape = Tuple[QgsGeometry, QgsCoordinateReferenceSystem]


class ShowOnMap:
    """Flashes features, or the box of layers; goes there first when the map does not show the place."""

    def __init__(self, project: QgsProject, canvas: Any) -> None:
        self._project = project
        self._canvas = canvas

    def __call__(self, place: Dict[str, Any]) -> str:
        """Show a card's place ({"layers": ids, "features": ids}); "" or why it cannot be shown."""
        found = (self._project.mapLayer(each) for each in place.get("layers") or [])
        layers = [each for each in found if each is not None and each.isValid()]
        features = [int(each) for each in place.get("features") or []][:MOST_FEATURES]
        shapes: List[Shape] = []
        for layer in layers:
            shapes += _shapes_of(layer, features if len(layers) == 1 else [])
        boxes = [each for each in map(self._on_canvas, shapes) if each is not None]
        if not boxes:
            return translate("QgisAgent", "This has no place on the map.")
        self._go_to(boxes)
        for geometry, crs in shapes:
            self._canvas.flashGeometries([geometry], crs, _START, _END, _FLASHES, _FLASH_MS)
        return ""

    def _on_canvas(self, shape: Shape) -> Optional[QgsRectangle]:
        geometry, crs = shape
        try:
            box = transformed(geometry.boundingBox(), crs, self._canvas.mapSettings().destinationCrs(), self._project)
        except QgsCsException:
            return None
        return box if box.isFinite() and not box.isNull() else None

    def _go_to(self, boxes: List[QgsRectangle]) -> None:
        whole = QgsRectangle(boxes[0])
        for each in boxes[1:]:
            whole.combineExtentWith(each)
        if self._canvas.extent().intersects(whole):
            return
        if whole.width() == 0 and whole.height() == 0:
            self._canvas.setCenter(whole.center())
        else:
            whole.scale(1.2)
            self._canvas.setExtent(whole)
        self._canvas.refresh()


def _shapes_of(layer: QgsMapLayer, features: List[int]) -> List[Shape]:
    if isinstance(layer, QgsVectorLayer) and (features or layer.subsetString() or layer.isModified()):
        # Of a filtered or edited layer QGIS would read every feature for the extent, here on the main thread.
        request = QgsFeatureRequest().setNoAttributes().setLimit(MOST_FEATURES)
        if features:
            request.setFilterFids(features)
        found = [each.geometry() for each in layer.getFeatures(request)]
        return [(QgsGeometry(each), layer.crs()) for each in found if not each.isNull()]
    extent = layer.extent()
    return [] if extent.isNull() or not extent.isFinite() else [(QgsGeometry.fromRect(extent), layer.crs())]
