"""Backgrounds drawn in the colours of the theme, and labels that never push the dock wider."""

from __future__ import annotations

from typing import Any, Optional

from qgis.PyQt.QtCore import QEvent, QRectF, QSize, Qt
from qgis.PyQt.QtGui import QPainter, QPen
from qgis.PyQt.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton, QWidget

from .glyphs import glyph_icon
from .qt import flag_bits
from .readable import readable_sheet, theme_is_faint
from .tab_order import chain_as_seen
from .theme import RADIUS, follow_palette, is_theme_change, tones
from .tips import plain_tip


class Surface(QFrame):
    """A rounded area. ``kind`` is "bubble", "card" (raised, with a border) or "plain" (the conversation's own colour)."""

    def __init__(self, kind: str = "card", parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self._focused = False
        self.setFrameShape(QFrame.Shape.NoFrame)

    def set_focused(self, focused: bool) -> None:
        """Draw the border in the accent colour, for an area whose content has the keyboard."""
        self._focused = focused
        self.update()

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw the area."""
        colours = tones()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = {"bubble": colours.bubble, "card": colours.raised, "plain": colours.surface}[self._kind]
        if self._kind == "bubble":
            painter.setPen(Qt.PenStyle.NoPen)
        else:
            painter.setPen(QPen(colours.sign if self._focused else colours.line, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.end()


class Ground(QWidget):
    """The ground of the whole panel, in a colour that our texts are readable on, whatever the theme puts behind it."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._recolour()
        follow_palette(self._recolour)

    def _recolour(self, *_palette: Any) -> None:
        sheet = readable_sheet()
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """Fill what is exposed."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), tones().raised)
        painter.end()


class PageGround(Ground):
    """The ground of a page among QGIS's own: it is seen only where the theme's own words cannot be read well."""

    def paintEvent(self, event: Any) -> None:  # noqa: N802
        """Fill what is exposed, or nothing."""
        if theme_is_faint():
            super().paintEvent(event)


class Panel(Ground):
    """A ground whose content grows while it is used."""

    def focusNextPrevChild(self, forwards: bool) -> bool:  # noqa: N802
        """Tab goes on to what stands next, whenever it was made."""
        chain_as_seen(self)
        return super().focusNextPrevChild(forwards)


class ThemedLabel(QLabel):
    """Wrapped plain text in the theme's text colour, or its muted one, smaller or bold when asked."""

    def __init__(
        self,
        text: str = "",
        *,
        muted: bool = False,
        bold: bool = False,
        small: bool = False,
        parent: Optional[QWidget] = None,
    ) -> None:
        super().__init__(text, parent)
        self._muted = muted
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setIndent(0)  # themes that frame labels would move the text
        font = self.font()
        font.setBold(bold)
        if small:
            font.setPointSizeF(smaller(font.pointSizeF()))
        self.setFont(font)
        self._recolour()
        follow_palette(self._recolour)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the theme."""
        super().changeEvent(event)
        if is_theme_change(event):
            self._recolour()

    def _recolour(self, *_palette: Any) -> None:
        colours = tones()
        sheet = "QLabel {{ color: {}; background: transparent; border: none; padding: 0; }}".format(
            (colours.muted if self._muted else colours.text).name()
        )
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)


class ElidedLabel(QWidget):
    """One line of plain text, cut with "…" where it does not fit; the tool tip holds all of it."""

    def __init__(self, text: str = "", *, muted: bool = False, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._muted = muted
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def text(self) -> str:
        """All of the text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show other text."""
        self._text = " ".join(text.split())
        self.setAccessibleName(self._text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as the text."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 2, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: it is cut instead."""
        return QSize(24, self.fontMetrics().height() + 2)

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw what fits."""
        colours = tones()
        painter = QPainter(self)
        painter.setPen(colours.muted if self._muted else colours.text)
        shown = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), flag_bits(Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter), shown)
        painter.end()
        tip = plain_tip(self._text) if shown != self._text else ""
        if self.toolTip() != tip:
            self.setToolTip(tip)


def smaller(points: float) -> float:
    """Size of small text, in points, for text of ``points``."""
    return max(7.5, points * 0.92)


class GlyphButton(QToolButton):
    """A flat button with one of our signs, with or without words; it follows the theme."""

    def __init__(self, glyph: str, name: str, *, text: str = "", parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._glyph = glyph
        self.setAutoRaise(True)
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if text:
            self.setText(text)
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._redraw()
        follow_palette(self._redraw)

    def set_glyph(self, glyph: str) -> None:
        """Show another sign."""
        self._glyph = glyph
        self._redraw()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow the theme."""
        super().changeEvent(event)
        if is_theme_change(event):
            self._redraw()

    def _redraw(self, *_palette: Any) -> None:
        self.setIcon(glyph_icon(self._glyph, tones().text))
        self.setIconSize(QSize(16, 16))
