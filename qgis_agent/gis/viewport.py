"""The map view: the canvas in QGIS, or a view kept here on the command line. It knows when a person has moved the map."""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Tuple

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

from .extents import WGS84, bbox_degrees, transformed

MARGIN = 1.05
"""What is shown of a box: 5 % more than the box."""
PICTURE_SIZE = (1200, 800)
"""Pixels of the view on the command line, which scales are computed with (at 96 dots an inch)."""
ZOOM_FACTOR = 2.0
KEPT_VIEWS = 20
SAME_VIEW = 1e-6
"""Of a view's size: what differs by less is one view."""
FIRST_DEGREES, FIRST_UNITS = 1.0, 100_000.0
"""Sides of what is shown around a centre, in a map that showed nothing before."""


class _Step(NamedTuple):
    """A move of the map: what it showed before, and after. Rotations in degrees."""

    extent_before: QgsReferencedRectangle
    rotation_before: float
    extent_after: QgsRectangle
    rotation_after: float

    def is_from(self, extent: QgsRectangle, rotation: float) -> bool:
        """Whether this was shown before it."""
        return _same(self.extent_before, self.rotation_before, extent, rotation)

    def is_to(self, extent: QgsRectangle, rotation: float) -> bool:
        """Whether this was shown after it."""
        return _same(self.extent_after, self.rotation_after, extent, rotation)


def same_view(extent: QgsRectangle, rotation: float, other: QgsRectangle, turned: float) -> bool:
    """Whether two views (boxes in the map's CRS, degrees) are one, but for rounding."""
    return _same(extent, rotation, other, turned)


def _same(extent: QgsRectangle, rotation: float, other: QgsRectangle, turned: float) -> bool:
    if extent.isEmpty() or other.isEmpty():
        return extent.isEmpty() == other.isEmpty() and rotation == turned
    size = extent.width() + extent.height()
    moved = extent.center().distance(other.center()) + abs(extent.width() - other.width())
    return moved < SAME_VIEW * size and abs((rotation - turned + 180.0) % 360.0 - 180.0) < 0.01


class Viewport(QObject):
    """What the map shows. ``canvas`` is a QgsMapCanvas, or None without a window."""

    def __init__(self, project: QgsProject, canvas: Any = None, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._project = project
        self.canvas = canvas
        self._extent: Optional[QgsReferencedRectangle] = None
        self._rotation = 0.0
        self._earlier: List[_Step] = []
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
            self._extent = saved if not saved.isEmpty() else self._everything()
        return self._extent

    def _everything(self) -> QgsReferencedRectangle:
        """The project's full extent; without layers that have no place on earth, which would push the others out of sight."""
        settings = self._project.viewSettings()
        layers = [each for each in self._project.mapLayers().values() if each.isValid() and each.isSpatial()]
        boxes = [(each.extent(), each.crs()) for each in layers if not each.extent().isNull()]
        good = [pair for pair in boxes if bbox_degrees(*pair, self._project) is not None]
        if not good or len(good) == len(boxes) or not settings.presetFullExtent().isNull():
            return settings.fullExtent()
        whole = QgsRectangle()
        for box, crs in good:
            whole.combineExtentWith(transformed(box, crs, self.crs(), self._project))
        return QgsReferencedRectangle(whole, self.crs())

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
        self.go(self.around(rectangle, crs))
        return self.extent()

    def frame(self) -> QgsRectangle:
        """What the map was told to show, in its CRS: as ``extent``, but not grown by a rotation as a canvas has it."""
        return QgsRectangle(self.extent() if self.canvas is None else self.canvas.mapSettings().extent())

    def go(self, box: QgsRectangle) -> None:
        """Show a box in the map's CRS, in one step. QgsCsException when it is none."""
        self._apply(box)

    def kept(self) -> Tuple[Optional[QgsRectangle], float]:
        """The frame and the rotation. No frame where nobody has looked yet: it is not computed for this."""
        if self.canvas is None and self._extent is None:
            return None, self.rotation()
        return self.frame(), self.rotation()

    def put_back(self, extent: Optional[QgsRectangle], rotation: float) -> None:
        """Show again what ``kept`` told."""
        if extent is None:
            self._extent, self._rotation = None, rotation
        else:
            self.restore(extent, rotation)

    def restore(self, extent: QgsRectangle, rotation: float) -> None:
        """Show what was shown before a move that failed: ``extent`` is the ``frame`` of then."""
        self._apply(QgsRectangle(extent))
        self.set_rotation(rotation)
        if self._earlier and self._earlier[-1].is_from(extent, rotation):
            self._earlier.pop()

    def around(self, rectangle: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> QgsRectangle:
        """The box to show for ``rectangle`` (in ``crs``), in the map's CRS. QgsCsException when it has no place there."""
        target = self.crs()
        shown = QgsRectangle(transformed(rectangle, crs, target, self._project))
        if shown.width() <= 0 or shown.height() <= 0:
            shown.grow(0.005 if target.isGeographic() else 250.0)
        else:
            shown.scale(MARGIN)
        return shown

    def centered(self, box: QgsRectangle, lon: float, lat: float) -> QgsRectangle:
        """``box`` moved to a centre in degrees (EPSG:4326). QgsCsException when it has no place in the map's CRS."""
        crs = self.crs()
        transform = QgsCoordinateTransform(QgsCoordinateReferenceSystem(WGS84), crs, self._project.transformContext())
        center = transform.transform(QgsPointXY(lon, lat))
        side = FIRST_DEGREES if crs.isGeographic() else FIRST_UNITS
        size = QgsRectangle(0, 0, side, side) if box.isEmpty() or not box.isFinite() else box
        return QgsRectangle.fromCenterAndSize(center, size.width(), size.height())

    def scaled(self, box: QgsRectangle, scale: float) -> QgsRectangle:
        """``box`` about its centre so that the map shows it at 1:``scale``."""
        settings = self._settings() if self.canvas is None else QgsMapSettings(self.canvas.mapSettings())
        settings.setExtent(box)
        made = QgsRectangle(settings.visibleExtent() if self.canvas is None else box)
        if settings.scale() > 0:
            made.scale(scale / settings.scale())
        return made

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

    def remember(self, extent: QgsRectangle, rotation: float) -> None:
        """A move is done: ``extent`` (the ``frame``) and ``rotation`` were before it. One that changed nothing is none."""
        step = _Step(QgsReferencedRectangle(extent, self.crs()), rotation, self.frame(), self.rotation())
        if not step.is_from(step.extent_after, step.rotation_after):
            self._earlier = [*self._earlier, step][-KEPT_VIEWS:]

    def back(self) -> bool:
        """Show what was shown before the last move, its rotation too; False when nothing is remembered.

        A move by hand, which only the canvas remembers, goes back in the canvas.
        """
        last = self._earlier[-1] if self._earlier else None
        if last is not None and (self.canvas is None or last.is_to(self.frame(), self.rotation())):
            self._earlier.pop()
            self._apply(QgsRectangle(last.extent_before))
            self.set_rotation(last.rotation_before)
            return True
        return self.canvas is not None and self._canvas_back()

    def _canvas_back(self) -> bool:
        before = QgsRectangle(self.canvas.extent())
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
