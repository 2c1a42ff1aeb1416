"""Ends hosts and conversations that lived for one task only."""

from __future__ import annotations

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject


def dispose(*objects: QObject) -> None:
    """Delete objects now, in this order, with all their connections.

    ``deleteLater`` waits for an event loop, which ``qgis_process`` and a caller that has done waiting may not have any more:
    the project could go first and tell a host of it that no longer has a project. Not from a slot of one of them.
    """
    for each in objects:
        if not sip.isdeleted(each):
            sip.delete(each)
