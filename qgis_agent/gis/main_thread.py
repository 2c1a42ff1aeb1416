"""Tools that hold the main thread for longer than the goal of design section 4, each with the reason.

They say so before they begin (``BeforeHold``), and `make bench` measures them apart. Everything else that grows with the data
runs in a task.
"""

from __future__ import annotations

from typing import Dict

from qgis.core import QgsFeedback
from qgis.PyQt.QtCore import QTimer

from .work import Done

BUSY_MS = 60
"""Before QGIS is held by what must run on the main thread, the dock has so long to say so."""

HOLDS_MAIN_THREAD: Dict[str, str] = {
    "prepare_edit_features": "With save: QgsVectorLayer.commitChanges writes where the layer lives.",
    "prepare_export_layout": "QgsLayoutExporter renders on the thread that owns the layout's items (QGraphicsScene).",
    "prepare_save_project": "QgsProject.write reads every layer, on the thread that owns them.",
    "run_algorithm": "Algorithms that QGIS flags NoThreading change layers or the project, which live on the main thread.",
    "set_layer_encoding": "Of delimited text: QgsVectorLayer.setDataSource reads the whole file (2 s for 1e6 rows) where the layer lives.",
}


class BeforeHold:
    """A step that a handler yields right before it holds the main thread: the dock says so, and has the time to draw it."""

    holds_main_thread = True

    def start(self, _feedback: QgsFeedback, done: Done) -> None:
        """See Step. Its result is nothing."""
        QTimer.singleShot(BUSY_MS, lambda: done(None, None))
