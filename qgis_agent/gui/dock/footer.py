"""What stands under an answer: numbers without a source, the legend, the evidence, and how the run went."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import QRectF, QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QColor, QPainter, QPen
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.layers import alias_of
from ..glyphs import SIZE, Glyph, paint_glyph
from ..painted_button import PaintedButton
from ..qt import flag_bits
from ..surfaces import ElidedLabel, GlyphButton, Surface
from ..text_view import TextView
from ..theme import GAP, tones
from .chart_view import ChartView

LEGEND_ROWS = 12
"""Legend entries that are shown at once; the rest comes with a click."""


class Swatch(QWidget):
    """A colour of the map: the only colour in the dock that is not the theme's."""

    def __init__(self, colour: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.colour = QColor(colour)
        self.setFixedSize(QSize(18, 14))

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw the colour with a border that shows on light and dark."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(tones().muted, 1))
        painter.setBrush(self.colour if self.colour.isValid() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.end()


class FoldButton(PaintedButton):
    """A heading that can be pressed: its sign stands in line with what is above and below it."""

    def __init__(self, title: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Sign and words."""
        metrics = self.fontMetrics()
        return QSize(SIZE + 8 + metrics.horizontalAdvance(self.text()), max(SIZE, metrics.height()) + 6)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: the words are cut instead, and never push the panel wider."""
        return QSize(SIZE + 40, self.sizeHint().height())

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """Draw it; a line under the words shows that it has the keyboard."""
        colours = tones()
        painter = QPainter(self)
        painter.setPen(colours.text)
        words = self.rect().adjusted(SIZE + 4, 0, 0, 0)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, flag_bits(Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter), shown)
        if self.hasFocus():
            painter.setPen(QPen(colours.sign, 1.4))
            painter.drawLine(words.left(), self.height() - 2, self.width() - 4, self.height() - 2)
        painter.translate(-3, (self.height() - SIZE) / 2)
        paint_glyph(painter, "down" if self.isChecked() else "right", colours.text)
        painter.end()


class Fold(QWidget):
    """A heading that shows and hides what is under it, by mouse and keyboard. ``opened`` comes before it is shown."""

    opened = pyqtSignal()

    def __init__(self, title: str, body: QWidget, open_now: bool, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._button = FoldButton(title)
        self._button.toggled.connect(lambda on: self.opened.emit() if on else None)
        self._button.toggled.connect(body.setVisible)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(body)
        body.setVisible(open_now)
        self._button.setChecked(open_now)

    def toggle(self) -> None:
        """Show the body, or hide it."""
        self._button.toggle()

    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self._button.isChecked()


class AnswerFooter(Surface):
    """Legend, evidence and provenance of one RunReport; ``is_empty`` says whether there is anything to show."""

    def __init__(self, report: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(10, 8, 10, 8)
        self._column.setSpacing(GAP)
        unsourced = unsourced_numbers(report)
        if unsourced:
            self._column.addWidget(_unsourced_row(unsourced))
        legend = [each for each in report.get("legend") or [] if isinstance(each, dict)]
        if legend:
            self._column.addWidget(LegendView(legend))
        charts = [ChartView(each) for each in report.get("charts") or [] if isinstance(each, dict)]
        charts = [each for each in charts if not each.is_empty]
        for chart in charts:
            self._column.addWidget(chart)
        evidence = [each for each in report.get("evidence") or [] if isinstance(each, dict)]
        if evidence:
            title = translate("QgisAgent", "Evidence ({count})").format(count=len(evidence))
            self._column.addWidget(Fold(title, _evidence_view(evidence), False))
        self.is_empty = not (unsourced or legend or charts or evidence)


class LegendView(QWidget):
    """Swatches with their labels, layer by layer."""

    def __init__(self, legend: List[Dict[str, Any]], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        self._hidden: List[QWidget] = []
        self.entries: List[Tuple[str, str]] = []
        layer = None
        for index, entry in enumerate(legend):
            if entry.get("layer_id") != layer:
                layer = entry.get("layer_id")
                if not _names_itself(entry, [each for each in legend if each.get("layer_id") == layer]):
                    self._add(column, _legend_heading(entry), index)
            self._add(column, _legend_row(entry), index)
            self.entries.append((str(entry.get("label", "")), str(entry.get("color", ""))))
        if self._hidden:
            title = translate("QgisAgent", "Show all {count} entries").format(count=len(legend))
            self._more = GlyphButton("down", title, text=title)
            self._more.clicked.connect(self._show_all)
            column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)

    def _add(self, column: QVBoxLayout, row: QWidget, index: int) -> None:
        column.addWidget(row)
        if index >= LEGEND_ROWS:
            row.hide()
            self._hidden.append(row)

    def _show_all(self) -> None:
        for row in self._hidden:
            row.show()
        self._more.hide()


def unsourced_numbers(report: Dict[str, Any]) -> List[str]:
    """Numbers of the answer that no tool result and no word of the request contains."""
    numbers = [each for each in report.get("numbers") or [] if isinstance(each, dict)]
    return list(
        dict.fromkeys(str(each.get("text", "")) for each in numbers if each.get("source") is None and each.get("text"))
    )


def _names_itself(entry: Dict[str, Any], entries: List[Dict[str, Any]]) -> bool:
    """Whether the only entry of a layer is labelled with the layer's name, so that a heading would say it twice."""
    return (
        len(entries) == 1 and not entry.get("title") and alias_of(str(entry.get("label", ""))) == entry.get("layer_id")
    )


def _legend_heading(entry: Dict[str, Any]) -> QWidget:
    words = [str(each) for each in (entry.get("title"), entry.get("layer_id")) if each]
    label = ElidedLabel(" · ".join(dict.fromkeys(words)) or translate("QgisAgent", "Legend"))
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def _legend_row(entry: Dict[str, Any]) -> QWidget:
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(GAP)
    line.addWidget(Swatch(str(entry.get("color", ""))))
    line.addWidget(ElidedLabel(str(entry.get("label", ""))), 1)
    return row


def _unsourced_row(numbers: List[str]) -> QWidget:
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(GAP)
    line.addWidget(Glyph("warning", strong=True), 0, Qt.AlignmentFlag.AlignTop)
    text = translate("QgisAgent", "Not from a tool result, so not checked: {numbers}").format(
        numbers=", ".join(numbers)
    )
    view = TextView()
    view.set_plain(text)
    view.setAccessibleName(text)
    line.addWidget(view, 1)
    return row


def _evidence_view(evidence: List[Dict[str, Any]]) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(20, 0, 0, 0)
    column.setSpacing(GAP)
    for each in evidence:
        heading = " · ".join(str(part) for part in (each.get("tool"), each.get("ref")) if part)
        column.addWidget(ElidedLabel(heading, muted=True))
        view = TextView()
        view.set_plain(str(each.get("text", "")))
        view.setAccessibleName(translate("QgisAgent", "Evidence"))
        column.addWidget(view)
    return holder
