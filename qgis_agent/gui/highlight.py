"""Draws highlighted features over the map canvas for some seconds."""

from __future__ import annotations

from typing import Any, List

from qgis.core import QgsGeometry, QgsProject, QgsVectorLayer
from qgis.gui import QgsHighlight
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, QTimer
from qgis.PyQt.QtGui import QColor

SHOWN_MS = 10_000
_LINE = QColor(255, 140, 0)
_FILL = QColor(255, 140, 0, 80)
_LINE_WIDTH_PX = 3


class CanvasHighlighter(QObject):
    """The highlighter of QGIS's map canvas; see ``gis/highlight.py: Highlighter``.

    What it draws goes after 10 seconds, with the next highlight, with its layer, and with the project.
    """

    def __init__(self, canvas: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._drawn: List[QgsHighlight] = []
        self._layer_id = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.clear)
        project = QgsProject.instance()
        project.cleared.connect(self.clear)
        project.layersWillBeRemoved.connect(self._removed)

    def show(self, layer: QgsVectorLayer, geometries: List[QgsGeometry]) -> None:
        """See Highlighter."""
        self.clear()
        self._layer_id = layer.id()
        for geometry in geometries:
            drawn = QgsHighlight(self._canvas, geometry, layer)
            drawn.setColor(_LINE)
            drawn.setFillColor(_FILL)
            drawn.setWidth(_LINE_WIDTH_PX)
            drawn.show()
            self._drawn.append(drawn)
        if self._drawn:
            self._timer.start(SHOWN_MS)

    def clear(self) -> None:
        """See Highlighter."""
        self._timer.stop()
        drawn, self._drawn = self._drawn, []
        if not sip.isdeleted(self._canvas):  # with the canvas its drawings have gone
            for each in drawn:
                each.hide()
                self._canvas.scene().removeItem(each)
        self._layer_id = ""

    def shown(self) -> int:
        """How many shapes are drawn now."""
        return len(self._drawn)

    def _removed(self, layer_ids: List[str]) -> None:
        if self._layer_id in layer_ids:
            self.clear()
