"""The view of a canvas that is not there: a run that was recorded in a window is repeated with a window of that size."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from qgis.core import QgsMapSettings, QgsProject, QgsRectangle, QgsReferencedRectangle
from qgis.PyQt.QtCore import QObject, QSize

from ..viewport import Viewport


class WindowedView(Viewport):
    """Shows what a QgsMapCanvas of ``size`` pixels would: a box grown to the window's shape. ``dpi`` as the canvas had it."""

    def __init__(
        self, project: QgsProject, size: Tuple[int, int], dpi: float, parent: Optional[QObject] = None
    ) -> None:
        self._size, self._dpi = QSize(*size), dpi
        super().__init__(project, None, parent)

    def frame(self) -> QgsRectangle:
        """See Viewport: what the map was told to show."""
        return QgsRectangle(super().extent())

    def extent(self) -> QgsReferencedRectangle:
        """See Viewport: what the window shows of it."""
        told = super().extent()
        if told.isEmpty() or not told.isFinite():
            return told
        return QgsReferencedRectangle(self._settings().visibleExtent(), self.crs())

    def scaled(self, box: QgsRectangle, scale: float) -> QgsRectangle:
        """See Viewport."""
        settings = self._settings()
        settings.setExtent(box)
        made = QgsRectangle(box)
        if settings.scale() > 0:
            made.scale(scale / settings.scale())
        return made

    def _settings(self) -> QgsMapSettings:
        settings = QgsMapSettings()
        settings.setDestinationCrs(self.crs())
        settings.setOutputSize(self._size)
        settings.setOutputDpi(self._dpi)
        settings.setRotation(self.rotation())
        settings.setExtent(QgsRectangle(super().extent()))
        return settings


def windowed(project: QgsProject, start: Any, parent: QObject) -> Optional[WindowedView]:
    """The view of the window that ``start`` of a trace tells of; None for one that was recorded without a window."""
    size, dpi = start.get("size"), start.get("dpi")
    if not (isinstance(size, list) and len(size) == 2 and all(isinstance(each, int) and each > 0 for each in size)):
        return None
    return WindowedView(project, (size[0], size[1]), float(dpi) if isinstance(dpi, (int, float)) else 96.0, parent)
