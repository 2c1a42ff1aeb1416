"""How far the building of the agent's environment is, how it ended, and what was said meanwhile."""

from __future__ import annotations

from typing import List, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QFontDatabase
from qgis.PyQt.QtWidgets import QHBoxLayout, QPlainTextEdit, QProgressBar, QPushButton, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..glyphs import Glyph
from ..surfaces import ElidedLabel, ThemedLabel

MAX_LINES = 2_000


class SetupProgress(QWidget):
    """A bar with the last line while it works; then a sentence, with what to do. The log can be opened below."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(translate("QgisAgent", "Progress"))
        self.line = ElidedLabel(muted=True)
        self.sign = Glyph("warning", strong=True)
        self.sentence = ThemedLabel(bold=True)
        self.hint = ThemedLabel()
        row = QHBoxLayout()
        row.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.addWidget(self.sentence)
        words.addWidget(self.hint)
        row.addLayout(words, 1)
        column.addLayout(row)
        column.addWidget(self.bar)
        column.addWidget(self.line)
        self.log_button = QPushButton(translate("QgisAgent", "Show the log"))
        self.log_button.setCheckable(True)
        self.log_button.setAutoDefault(False)
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setMaximumBlockCount(MAX_LINES)
        self.log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.log.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.log.setAccessibleName(translate("QgisAgent", "Log of the build"))
        self.log.setMinimumHeight(90)
        buttons = QHBoxLayout()
        buttons.addWidget(self.log_button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addWidget(self.log, 1)
        self.log_button.toggled.connect(self._show_log)
        for each in (self.bar, self.line, self.sign, self.sentence, self.hint, self.log, self.log_button):
            each.setVisible(False)
        self.setVisible(False)

    def _show_log(self, shown: bool) -> None:
        self.log.setVisible(shown)
        self.log_button.setText(
            translate("QgisAgent", "Hide the log") if shown else translate("QgisAgent", "Show the log")
        )

    def begin(self, earlier: List[str]) -> None:
        """Work goes on; ``earlier`` is what was said before the dialog was opened."""
        self.setVisible(True)
        self._show_end("", "", True)
        self.log.setPlainText("\n".join(earlier))
        self.bar.setRange(0, 0)
        self.line.set_text(earlier[-1] if earlier else translate("QgisAgent", "This takes about a minute."))
        for each in (self.bar, self.line, self.log_button):
            each.setVisible(True)

    def heard(self, line: str, fraction: float) -> None:
        """One line; ``fraction`` is 0 to 1, or -1 when unknown."""
        self.log.appendPlainText(line)
        self.line.set_text(line)
        if fraction >= 0:
            self.bar.setRange(0, 1000)
            self.bar.setValue(round(1000 * fraction))

    def end(self, sentence: str, hint: str, ok: bool, log: str = "") -> None:
        """It ended so; ``log`` is added to the log."""
        self.setVisible(True)
        self.bar.setVisible(False)
        self.line.setVisible(False)
        if log and log not in self.log.toPlainText():
            self.log.appendPlainText(log)
        self.log_button.setVisible(bool(self.log.toPlainText()))
        self._show_end(sentence, hint, ok)

    def _show_end(self, sentence: str, hint: str, ok: bool) -> None:
        self.sign.setVisible(bool(sentence) and not ok)
        for label, text in ((self.sentence, sentence), (self.hint, hint)):
            label.setText(text)
            label.setVisible(bool(text))
