"""The threads of QGIS's pools are kept, because coordinate systems die with them.

QGIS 3.40 keeps the PROJ object of a coordinate system by the thread that first named it. When that thread ends (a pool ends its
idle threads after 30 s) the system stays in QGIS's cache, calls itself valid and has no definition any more: its WKT is
empty, files are written without it, and a new transform from or to it silently leaves coordinates as they are.
"""

from __future__ import annotations

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QThreadPool

_FOR_EVER = -1
"""Qt's value for threads that are never ended for being idle."""


def keep_threads() -> None:
    """Let no thread of QGIS's pools end before QGIS does. At most one idle thread a core stays, which costs nothing."""
    QThreadPool.globalInstance().setExpiryTimeout(_FOR_EVER)
    QgsApplication.taskManager().threadPool().setExpiryTimeout(_FOR_EVER)
