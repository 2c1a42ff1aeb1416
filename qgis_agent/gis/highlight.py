"""Making features stand out for a while: a drawing on the map, no change of the project."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Protocol, Tuple

from qgis.core import QgsFeedback, QgsGeometry, QgsRectangle, QgsVectorLayer

from .conditions import Where
from .features import FeatureReader

MAX_HIGHLIGHTED = 50


class Found(NamedTuple):
    """The first features that match, in the layer's CRS, their box, and the exact number of all that match."""

    ids: List[int]
    geometries: List[QgsGeometry]
    box: QgsRectangle
    total: int


class Highlighter(Protocol):
    """What draws: in QGIS ``gui/highlight.py``; on the command line nothing does."""

    def show(self, layer: QgsVectorLayer, geometries: List[QgsGeometry]) -> None:
        """Draw these geometries (in the layer's CRS) over the map, instead of those that were drawn before."""

    def clear(self) -> None:
        """Draw nothing any more."""


class Finder:
    """Looks for the features to highlight. Made on the main thread."""

    def __init__(self, layer: QgsVectorLayer, where: Where) -> None:
        self._reader = FeatureReader(layer, where)

    def find(self, feedback: QgsFeedback) -> Found:
        """On a worker thread."""
        ids: List[int] = []
        geometries: List[QgsGeometry] = []
        box = QgsRectangle()
        for feature in self._reader.read(feedback, fields=(), geometry=True):
            if len(ids) == MAX_HIGHLIGHTED:
                break
            ids.append(feature.id())
            if feature.hasGeometry() and not feature.geometry().isEmpty():
                geometries.append(QgsGeometry(feature.geometry()))
                box.combineExtentWith(feature.geometry().boundingBox())
        total = len(ids) if len(ids) < MAX_HIGHLIGHTED else self._reader.count(feedback)
        return Found(ids, geometries, box, total)


def draw(host: Any, layer: QgsVectorLayer, geometries: List[QgsGeometry]) -> Tuple[bool, int]:
    """Let the host's highlighter draw; whether there is one, and how many shapes it got."""
    highlighter = getattr(host, "highlighter", None)
    if highlighter is None:
        return False, 0
    highlighter.show(layer, geometries)
    return True, len(geometries)
