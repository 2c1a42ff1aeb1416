"""Shows a token, this once, and settings that are ready to be pasted into the program it is for."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtGui import QFont, QFontDatabase, QGuiApplication
from qgis.PyQt.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from ..surfaces import Ground, ThemedLabel
from .mcp_snippets import Snippet, snippets

COPIED_MS = 1500


class TokenDialog(QDialog):
    """One program's token. It is not kept anywhere: when this is closed, only the program has it."""

    def __init__(self, label: str, token: str, url: str, note: str = "", parent: Optional[QWidget] = None) -> None:
        """``note``: what is still to be done before the program can reach QGIS."""
        super().__init__(parent)
        self.setObjectName("QgisAgentMcpToken")
        self.setWindowTitle(translate("QgisAgent", "Token for “{}”").format(label))
        self.setMinimumWidth(340)
        self.resize(600, 460)
        ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        column.addWidget(
            ThemedLabel(
                translate(
                    "QgisAgent",
                    "The program shows this token to QGIS with each request. It is shown only now: copy it, or the settings "
                    "below, which hold it. Whoever has it can do what you allowed this program. If it is lost, make a new one.",
                )
            )
        )
        self.token_edit = _TokenEdit(token)
        self.token_edit.setReadOnly(True)
        self.token_edit.setFont(_fixed())
        self.token_edit.setCursorPosition(0)
        self.token_edit.setAccessibleName(translate("QgisAgent", "Token"))
        self.copy_token = _Copier(translate("QgisAgent", "Copy the token"), lambda: self.token_edit.text())
        row = QHBoxLayout()
        row.addWidget(self.token_edit, 1)
        row.addWidget(self.copy_token)
        column.addLayout(row)
        self._snippets: List[Snippet] = snippets(url, token)
        self.program_box = QComboBox()
        self.program_box.addItems([each.name for each in self._snippets])
        self.program_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.program_box.setMinimumContentsLength(14)
        heading = ThemedLabel(translate("QgisAgent", "Settings for"))
        heading.setBuddy(self.program_box)
        self.program_box.setAccessibleName(heading.text())
        self.program_box.currentIndexChanged.connect(self._show)
        column.addWidget(heading)
        column.addWidget(self.program_box)
        self.where_label = ThemedLabel(muted=True)
        column.addWidget(self.where_label)
        self.text_view = QPlainTextEdit()
        self.text_view.setReadOnly(True)
        self.text_view.setTabChangesFocus(True)
        self.text_view.setFont(_fixed())
        self.text_view.setAccessibleName(translate("QgisAgent", "Settings to paste"))
        column.addWidget(self.text_view, 1)
        self.copy_settings = _Copier(translate("QgisAgent", "Copy the settings"), lambda: self.text_view.toPlainText())
        below = QHBoxLayout()
        below.addWidget(self.copy_settings)
        below.addStretch(1)
        column.addLayout(below)
        self.note = ThemedLabel(note)
        self.note.setVisible(bool(note))
        column.addWidget(self.note)
        self.buttons = QDialogButtonBox()
        close = self.buttons.addButton(translate("QgisAgent", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setAutoDefault(False)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        self._show()

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """Begin where most want to: with the copy."""
        super().showEvent(event)
        self.copy_token.setFocus()

    def _show(self, _index: int = 0) -> None:
        chosen = self._snippets[max(0, self.program_box.currentIndex())]
        self.where_label.setText(chosen.where)
        self.text_view.setPlainText(chosen.text)


class _TokenEdit(QLineEdit):
    """Coming here with Tab does not select: themes draw what is selected too faintly, and the button beside it copies."""

    def focusInEvent(self, event: Any) -> None:  # noqa: N802
        """See the class."""
        super().focusInEvent(event)
        self.deselect()


class _Copier(QPushButton):
    """Copies what ``text`` gives, and says for a moment that it did."""

    def __init__(self, words: str, text: Callable[[], str]) -> None:
        super().__init__(words)
        self._words = words
        self._text = text
        self.setAutoDefault(False)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(COPIED_MS)
        self._back.timeout.connect(lambda: self.setText(self._words))
        self.clicked.connect(lambda _checked=False: self._copy())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text())
        self.setText(translate("QgisAgent", "Copied"))
        self._back.start()


def _fixed() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
