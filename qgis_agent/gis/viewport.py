"""The map view: the canvas in QGIS, or a view kept here on the command line. It knows when a person has moved the map."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsMapSettings,
    QgsPointXY,
    QgsProject,
    QgsRectangle,
    QgsReferencedRectangle,
)
from qgis.PyQt.QtCore import QObject, QSize

from .extents import WGS84, transformed

MARGIN = 1.05
"""What is shown of a box: 5 % more than the box."""
PICTURE_SIZE = (1200, 800)
"""Pixels of the view on the command line, which scales are computed with (at 96 dots an inch)."""
ZOOM_FACTOR = 2.0
KEPT_VIEWS = 20
FIRST_DEGREES, FIRST_UNITS = 1.0, 100_000.0
"""Sides of what is shown around a centre, in a map that showed nothing before."""


class Viewport(QObject):
    """What the map shows. ``canvas`` is a QgsMapCanvas, or None without a window."""

    def __init__(self, project: QgsProject, canvas: Any = None, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._project = project
        self.canvas = canvas
        self._extent: Optional[QgsReferencedRectangle] = None
        self._rotation = 0.0
        self._earlier: List[QgsReferencedRectangle] = []
        self._ours = False
        self._moved = False
        self._frame = self._frame_now()
        if canvas is not None:
            canvas.extentsChanged.connect(self._extents_changed)
            canvas.rotationChanged.connect(self._extents_changed)

    # who moves the map

    def begin_request(self) -> None:
        """A request begins: from here on a move of the map by hand counts."""
        self._moved = False
        self._frame = self._frame_now()

    def moved_by_hand(self) -> bool:
        """Whether a person has moved the map since ``begin_request``. A resized window or a new map CRS is no move."""
        return self._moved

    def _extents_changed(self, *_args: Any) -> None:
        frame = self._frame_now()
        if not self._ours and frame == self._frame:
            self._moved = True
        self._frame = frame

    def _frame_now(self) -> Tuple[Any, ...]:
        """Size, CRS and "has layers": where one of them changes, QGIS itself moves the map."""
        if self.canvas is None:
            return ()
        settings = self.canvas.mapSettings()
        size = settings.outputSize()
        return (size.width(), size.height(), settings.destinationCrs().authid(), bool(self.canvas.layers()))

    # what is shown

    def reset(self) -> None:
        """Another project: its own saved view."""
        self._extent = None
        self._rotation = 0.0
        self._earlier = []
        self._moved = False

    def crs(self) -> QgsCoordinateReferenceSystem:
        """The CRS that the map is drawn in."""
        if self.canvas is not None and self.canvas.mapSettings().destinationCrs().isValid():
            return self.canvas.mapSettings().destinationCrs()
        return self._project.crs() if self._project.crs().isValid() else QgsCoordinateReferenceSystem(WGS84)

    def extent(self) -> QgsReferencedRectangle:
        """What the map shows, in the map's CRS."""
        if self.canvas is not None:
            return QgsReferencedRectangle(self.canvas.extent(), self.canvas.mapSettings().destinationCrs())
        if self._extent is None:
            settings = self._project.viewSettings()
            saved = settings.defaultViewExtent()
            self._extent = saved if not saved.isEmpty() else settings.fullExtent()
        return self._extent

    def scale(self) -> float:
        """The denominator of the scale; 0 when the view has none."""
        if self.is_empty():
            return 0.0
        scale = float(self.canvas.scale() if self.canvas is not None else self._settings().scale())
        return scale if math.isfinite(scale) else 0.0

    def rotation(self) -> float:
        """Degrees clockwise, from 0 up to 360."""
        degrees = float(self.canvas.rotation()) if self.canvas is not None else self._rotation
        return degrees % 360.0

    def scale_is_locked(self) -> bool:
        """Whether the person has fixed the scale in QGIS's status bar: then QGIS magnifies instead."""
        return self.canvas is not None and bool(self.canvas.scaleLocked())

    def is_empty(self) -> bool:
        """Whether the map shows nothing yet: no layers, and nobody has gone anywhere."""
        extent = self.extent()
        return extent.isEmpty() or not extent.isFinite()

    # moves

    def show(self, rectangle: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> QgsReferencedRectangle:
        """Show ``rectangle`` (in ``crs``) with a margin of 5 %; returns what the map shows after it, in the map's CRS.

        QgsCsException when it has no place there; then nothing is moved.
        """
        target = self.crs()
        shown = QgsRectangle(transformed(rectangle, crs, target, self._project))
        if shown.width() <= 0 or shown.height() <= 0:
            shown.grow(0.005 if target.isGeographic() else 250.0)
        else:
            shown.scale(MARGIN)
        self._apply(shown)
        return self.extent()

    def restore(self, extent: QgsRectangle, rotation: float) -> None:
        """Show what was shown before a move that failed: ``extent`` in the map's CRS."""
        self._apply(QgsRectangle(extent))
        self.set_rotation(rotation)

    def zoom(self, factor: float) -> None:
        """Show ``factor`` times as much in each direction, about the centre; less than 1 zooms in."""
        box = QgsRectangle(self.extent())
        box.scale(factor)
        self._apply(box)

    def set_scale(self, scale: float) -> None:
        """Show the map at 1:``scale``, about the centre."""
        if self.canvas is None:
            box = QgsRectangle(self._settings().visibleExtent())
            box.scale(scale / self.scale())
            self._apply(box)
            return
        self._ours = True
        try:
            self.canvas.zoomScale(scale)
        finally:
            self._ours = False
        self.canvas.refresh()

    def set_center(self, lon: float, lat: float) -> None:
        """Move the centre to a place in degrees (EPSG:4326). QgsCsException when it has no place in the map's CRS."""
        crs = self.crs()
        transform = QgsCoordinateTransform(QgsCoordinateReferenceSystem(WGS84), crs, self._project.transformContext())
        center = transform.transform(QgsPointXY(lon, lat))
        side = FIRST_DEGREES if crs.isGeographic() else FIRST_UNITS
        box = QgsRectangle(0, 0, side, side) if self.is_empty() else self.extent()
        self._apply(QgsRectangle.fromCenterAndSize(center, box.width(), box.height()))

    def set_rotation(self, degrees: float) -> None:
        """Turn the map, clockwise."""
        if self.canvas is None:
            self._rotation = degrees % 360.0
            return
        self._ours = True
        try:
            self.canvas.setRotation(degrees)
        finally:
            self._ours = False
        self.canvas.refresh()

    def back(self) -> bool:
        """Show what was shown before; False when nothing is remembered."""
        before = QgsRectangle(self.extent())
        if self.canvas is None:
            if not self._earlier:
                return False
            self._extent = self._earlier.pop()
            return True
        self._ours = True
        try:
            self.canvas.zoomToPreviousExtent()
        finally:
            self._ours = False
        return QgsRectangle(self.canvas.extent()) != before

    def _apply(self, box: QgsRectangle) -> None:
        if not box.isFinite() and not box.isNull():
            raise QgsCsException("no place in the map's CRS")
        if self.canvas is None:
            if self._extent is not None:
                self._earlier = [*self._earlier, self._extent][-KEPT_VIEWS:]
            self._extent = QgsReferencedRectangle(box, self.crs())
            return
        self._ours = True
        try:
            self.canvas.setExtent(box)
        finally:
            self._ours = False
        self.canvas.refresh()

    def _settings(self) -> QgsMapSettings:
        settings = QgsMapSettings()
        settings.setDestinationCrs(self.crs())
        settings.setOutputSize(QSize(*PICTURE_SIZE))
        settings.setOutputDpi(96)
        settings.setExtent(self.extent())
        return settings
