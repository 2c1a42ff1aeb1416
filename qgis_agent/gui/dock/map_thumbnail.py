"""A small picture of the map under an answer that changed it, so that a long conversation shows what it did."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from qgis.core import QgsSettings
from qgis.PyQt.QtCore import QObject, Qt, QTimer
from qgis.PyQt.QtGui import QPixmap
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from .chart_view import Picture

SETTING = "qgis_agent/map_thumbnails"
"""QgsSettings key, a boolean; a person who does not want the pictures sets it to false. Default: true."""
WIDTH = 240
"""Logical pixels."""
QUIET_MS = 400
"""So long nothing is drawn anew before the picture is taken."""
DRAWN_MS = 15_000
"""A map that is not drawn by then has no picture."""
SEEN_OPS = (
    "add_layer",
    "add_temp_layer",
    "edit",
    "filter",
    "group",
    "highlight",
    "label",
    "layer",
    "layer_crs",
    "remove_layers",
    "render",
    "restore_layers",
    "select",
    "set_map_view",
    "zoom_to",
)
"""Map operations of a report that show on the canvas; what is written or laid out elsewhere does not."""


def wanted() -> bool:
    """Whether a person has left the pictures on."""
    return bool(QgsSettings().value(SETTING, True, type=bool))


def changed_map(report: Dict[str, Any]) -> bool:
    """Whether a run has changed what the map shows; a view that is only offered has not."""
    actions = [
        each for each in report.get("map_actions") or [] if isinstance(each, dict) and each.get("ok") is not False
    ]
    return any(each.get("op") in SEEN_OPS and not (each.get("args") or {}).get("offered") for each in actions)


def watch(canvas: Any, report: Dict[str, Any], then: Callable[[QPixmap], None], parent: QObject) -> None:
    """Call ``then`` with a picture of the canvas once it is drawn, where the run changed the map and a person wants it."""
    if canvas is not None and changed_map(report) and wanted():
        MapWatcher(canvas, then, parent)


class MapThumbnail(QWidget):
    """A scaled copy of what the canvas showed; it is never drawn again."""

    def __init__(self, pixmap: QPixmap, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        picture = Picture(pixmap, translate("QgisAgent", "The map after this answer"))
        picture.setMaximumWidth(WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(picture)


class MapWatcher(QObject):
    """Takes one picture of a canvas when it has been drawn, from what is on the screen: nothing is drawn for it."""

    def __init__(self, canvas: Any, then: Callable[[QPixmap], None], parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._canvas, self._then = canvas, then
        canvas.mapCanvasRefreshed.connect(self._drawn)
        canvas.destroyed.connect(self._stop)
        self._end = QTimer(self)
        self._end.setSingleShot(True)
        self._end.setInterval(DRAWN_MS)
        self._end.timeout.connect(self._stop)
        self._end.start()
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(QUIET_MS)
        self._quiet.timeout.connect(self._take)
        self._quiet.start()

    def _drawn(self) -> None:
        self._quiet.start()  # changes of a run come in several drawings: the last one counts

    def _take(self) -> None:
        canvas = self._canvas
        if canvas is None:
            return
        if canvas.isDrawing():
            self._quiet.start()
            return
        ratio = canvas.devicePixelRatioF()
        picture = canvas.grab().scaledToWidth(round(WIDTH * ratio), Qt.TransformationMode.SmoothTransformation)
        picture.setDevicePixelRatio(ratio)
        self._stop()
        self._then(picture)

    def _stop(self, *_gone: Any) -> None:
        canvas, self._canvas = self._canvas, None
        self._quiet.stop()
        self._end.stop()
        if canvas is not None and not _gone:
            canvas.mapCanvasRefreshed.disconnect(self._drawn)
        self.deleteLater()
