"""Read-only text as tall as its content, plain or Markdown, and never a loader.

Model text and data are untrusted: HTML is shown as text, pictures are not loaded, links open only after a person said so.
"""

from __future__ import annotations

import math
from typing import Any, List, Optional

from qgis.PyQt.QtCore import QEvent, QRegularExpression, Qt, QUrl, pyqtSignal
from qgis.PyQt.QtGui import QDesktopServices, QFontDatabase, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from qgis.PyQt.QtWidgets import QFrame, QMessageBox, QSizePolicy, QTextBrowser, QWidget

from ..gis.i18n import translate
from .markdown import LINE_HEIGHT, PROPORTIONAL, broken, polish, safe_link, set_markdown, shown_address
from .surfaces import smaller
from .theme import follow_palette, is_theme_change, tones
from .tips import plain_tip

MAX_CHARS = 60_000
"""More than any answer: beyond it a panel that keeps all of its text laid out stands still. Copy has the whole text."""
MAX_LINES = 3_000
STEP_SCHEME = "step"
"""Of the marks that lead to a step of the run."""


class TextView(QTextBrowser):
    """Text that grows with its content and leaves scrolling to the conversation."""

    height_changed = pyqtSignal()
    step_asked = pyqtSignal(int)
    """The number of a step of the run: a mark that leads to it was pressed."""

    def __init__(
        self, *, muted: bool = False, small: bool = False, fixed_pitch: bool = False, parent: Optional[QWidget] = None
    ) -> None:
        super().__init__(parent)
        self._muted = muted
        self._markdown = False
        if fixed_pitch:
            self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        if small:
            font = self.font()
            font.setPointSizeF(smaller(font.pointSizeF()))
            self.setFont(font)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(40)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.anchorClicked.connect(self._ask_to_open)
        self._restyle()
        follow_palette(self._restyle)
        self._fit()

    def set_plain(self, text: str) -> None:
        """Show text as it is."""
        self._markdown = False
        self.clear()
        self.append_plain(text)

    def append_plain(self, text: str) -> None:
        """Add streamed text at the end: the cost does not grow with what is there already, and ends at ``MAX_CHARS``."""
        text = broken(text[: max(0, MAX_CHARS - self.document().characterCount())])
        cursor = QTextCursor(self.document())
        if self.document().isEmpty():
            block = QTextBlockFormat()
            block.setLineHeight(LINE_HEIGHT, PROPORTIONAL)
            cursor.setBlockFormat(block)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text, self._format())

    def set_markdown(self, text: str) -> None:
        """Show finished text as Markdown, without HTML and without pictures."""
        self._markdown = True
        set_markdown(self.document(), shortened(text))
        self._polish()

    def mark(self, texts: List[str], tip: str, address: str = "") -> int:
        """Underline each place where one of ``texts`` stands alone; returns how many places were marked.

        With an ``address`` ("step:3") the place is a link to a step, with a fainter line; links of the text stay as they are.
        """
        found = 0
        look = QTextCharFormat()
        style = QTextCharFormat.UnderlineStyle
        look.setUnderlineStyle(style.DotLine if address else style.DashUnderline)
        look.setToolTip(plain_tip(tip))
        if address:
            look.setUnderlineColor(tones().muted)
            look.setAnchor(True)
            look.setAnchorHref(address)
        for text in texts:
            cursor = QTextCursor(self.document())
            while text:
                cursor = self._next(text, cursor)
                if cursor.isNull():
                    break
                if self._alone(cursor) and not cursor.charFormat().isAnchor():
                    cursor.mergeCharFormat(look)
                    found += 1
        return found

    def _next(self, text: str, cursor: QTextCursor) -> QTextCursor:
        """The next place of a text; "42%" is found as "42 %" too, as it is written in many languages."""
        if text.endswith("%") and text[:-1].strip():
            pattern = QRegularExpression(QRegularExpression.escape(text[:-1]) + "\\s?%")
            return self.document().find(pattern, cursor)
        return self.document().find(text, cursor)

    def _alone(self, cursor: QTextCursor) -> bool:
        text = cursor.block().text()
        start = min(cursor.position(), cursor.anchor()) - cursor.block().position()
        end = max(cursor.position(), cursor.anchor()) - cursor.block().position()
        before = text[start - 1] if start > 0 else " "
        after = text[end : end + 2]
        joined = after[:1].isdigit() or (len(after) == 2 and after[0] in ".," and after[1].isdigit())
        return not (before.isdigit() or before in ".," or joined)

    # Qt

    def loadResource(self, _kind: int, _name: QUrl) -> Any:  # noqa: N802
        """Nothing is loaded, whatever the text names."""
        return None

    def wheelEvent(self, event: Any) -> None:  # noqa: N802
        """The conversation scrolls, not the message."""
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the theme."""
        super().changeEvent(event)
        if is_theme_change(event) or event.type() == QEvent.Type.FontChange:
            self._restyle()

    # internals

    def _format(self) -> QTextCharFormat:
        look = QTextCharFormat()
        colours = tones()
        look.setForeground(colours.muted if self._muted else colours.text)
        return look

    def _restyle(self, *_palette: Any) -> None:
        colours = tones()
        ink = (colours.muted if self._muted else colours.text).name()
        # A style sheet of its own, because QGIS's dark themes give QTextBrowser a background with theirs.
        sheet = "QTextBrowser {{ background: transparent; border: none; padding: 0; color: {}; }}".format(ink)
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)
        if self._markdown:
            self._polish()
        elif not self.document().isEmpty():
            cursor = QTextCursor(self.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeCharFormat(self._format())

    def _polish(self) -> None:
        polish(self.document(), self._muted)

    def _fit(self, *_args: Any) -> None:
        height = max(1, math.ceil(self.document().size().height()))
        if height != self.height() or self.minimumHeight() != height:
            self.setFixedHeight(height)
            self.height_changed.emit()

    def _ask_to_open(self, url: QUrl) -> None:
        if url.scheme() == STEP_SCHEME:  # no link of a text can have it: see safe_link
            self.step_asked.emit(int(url.path()))
            return
        link = safe_link(shown_address(url))
        if not link.isValid():
            return
        box = QMessageBox(self.window())
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(translate("QgisAgent", "Open link"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(translate("QgisAgent", "Open this address in your web browser?"))
        words = translate(
            "QgisAgent", "It comes from an answer, and an address can carry data of the project. Host: {}"
        ).format(link.host(QUrl.ComponentFormattingOption.FullyEncoded))
        box.setInformativeText("{}\n\n{}".format(shown_address(link), words))
        box.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.accepted.connect(lambda: QDesktopServices.openUrl(link))
        box.open()


def shortened(text: str) -> str:
    """As much of a text as a panel shows; at its end stands how much more there is."""
    kept = "\n".join(text[:MAX_CHARS].split("\n", MAX_LINES)[:MAX_LINES])
    if len(kept) == len(text):
        return text
    more = translate("QgisAgent", "… {} more characters are not shown here.").format(len(text) - len(kept))
    return "{}\n\n{}".format(kept, more)
