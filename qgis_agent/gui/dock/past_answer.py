"""An answer of an earlier session: its text, and a button to copy it."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QGuiApplication
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.secrets import without_secrets
from ..answer_view import AnswerView
from ..surfaces import GlyphButton
from ..theme import GAP


class PastAnswer(QWidget):
    """Markdown, as the answer of a run; what belonged to the run (steps, legend) is in the session's record."""

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.text = text
        self.view = AnswerView()
        self.view.set_markdown(text)
        copy = GlyphButton("copy", translate("QgisAgent", "Copy the answer"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(without_secrets(text)))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(copy, 0, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP // 2)
        column.addWidget(self.view)
        column.addLayout(row)
