"""Tools that hold the main thread for longer than the goal of design section 4, each with the reason.

They say so before they begin (the step's words), and `make bench` measures them apart. Everything else that grows with the
data runs in a task.
"""

from __future__ import annotations

from typing import Dict

HOLDS_MAIN_THREAD: Dict[str, str] = {
    "prepare_export_layout": "QgsLayoutExporter renders on the thread that owns the layout's items (QGraphicsScene).",
    "run_algorithm": "Algorithms that QGIS flags NoThreading change layers or the project, which live on the main thread.",
    "set_layer_encoding": "Of delimited text: QgsVectorLayer.setDataSource reads the whole file (2 s for 1e6 rows) where the layer lives.",
}
