"""The button that goes to a view which an answer offers, because the person had moved the map meanwhile."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from .card_button import ButtonRow, CardButton

VIEW_OPS = ("zoom_to", "set_map_view")


def offered_view(report: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The last map operation of a report that moves the map, when it was only offered; else None."""
    actions = [each for each in report.get("map_actions") or [] if isinstance(each, dict)]
    views = [each for each in actions if each.get("op") in VIEW_OPS and isinstance(each.get("args"), dict)]
    return views[-1] if views and views[-1]["args"].get("offered") is True else None


class ViewOffer(QWidget):
    """A button under an answer; ``asked`` carries the map operation. It may be pressed again: it only moves the map."""

    asked = pyqtSignal(dict)

    def __init__(self, action: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.button = CardButton(translate("QgisAgent", "Zoom to result"))
        self.button.setToolTip(translate("QgisAgent", "The map stayed where you moved it; this goes to the result."))
        self.button.clicked.connect(lambda: self.asked.emit(action))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(ButtonRow([self.button]))
