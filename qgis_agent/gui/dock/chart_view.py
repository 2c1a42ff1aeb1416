"""A chart under an answer: the picture as wide as the panel, with buttons to copy it and to save it as a file."""

from __future__ import annotations

import html
import shutil
from pathlib import Path
from typing import Any, Dict, Optional

from qgis.PyQt.QtCore import QRectF, QSize
from qgis.PyQt.QtGui import QGuiApplication, QPainter, QPaintEvent, QPixmap
from qgis.PyQt.QtWidgets import QFileDialog, QHBoxLayout, QMessageBox, QSizePolicy, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ..cards.card_button import CardButton

WIDEST = 640
"""Logical pixels: a chart is drawn for this width and is not blown up beyond it."""


class Picture(QWidget):
    """A pixmap that keeps its shape and is scaled down to the width that there is."""

    def __init__(self, pixmap: QPixmap, words: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._pixmap = pixmap
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMaximumWidth(WIDEST)
        self.setAccessibleName(words)
        looks_rich = "<" in words or "&lt;" in words  # Qt would draw it as HTML
        self.setToolTip(html.escape(words) if looks_rich else words)

    def hasHeightForWidth(self) -> bool:  # noqa: N802  Qt's name
        """The height follows the width."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height at which the picture keeps its shape."""
        return round(min(width, WIDEST) * self._pixmap.height() / max(1, self._pixmap.width()))

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as a narrow panel."""
        return QSize(320, self.heightForWidth(320))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Charts are not readable below this."""
        return QSize(160, self.heightForWidth(160))

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Keep the height that goes with the new width."""
        super().resizeEvent(event)
        self.setFixedHeight(self.heightForWidth(self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the picture, smoothly scaled."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(QRectF(self.rect()), self._pixmap, QRectF(self._pixmap.rect()))
        painter.end()


class ChartView(QWidget):
    """One entry of a report's ``charts``. ``is_empty`` when the picture is no longer there."""

    def __init__(self, chart: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._file = Path(str(chart.get("file", "")))
        self._title = clean_text(str(chart.get("title") or chart.get("x") or ""), 80)
        self._pixmap = QPixmap(str(self._file)) if self._file.suffix == ".png" else QPixmap()
        self.is_empty = self._pixmap.isNull()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        if self.is_empty:
            return
        words = translate("QgisAgent", "Chart: {title}").format(title=self._title)
        column.addWidget(Picture(self._pixmap, words))
        row = QHBoxLayout()
        row.setSpacing(6)
        self.save_button = CardButton(translate("QgisAgent", "Save image…"))
        self.save_button.clicked.connect(self._ask_where)
        self.copy_button = CardButton(translate("QgisAgent", "Copy image"))
        self.copy_button.clicked.connect(self._copy)
        row.addWidget(self.save_button)
        row.addWidget(self.copy_button)
        row.addStretch(1)
        column.addLayout(row)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setPixmap(self._pixmap)

    def _ask_where(self) -> None:
        name = "".join(each if each.isalnum() or each in " -_" else "_" for each in self._title).strip() or "chart"
        path, _ = QFileDialog.getSaveFileName(
            self, translate("QgisAgent", "Save the chart"), name + ".png", translate("QgisAgent", "Pictures (*.png)")
        )
        if path:
            self.save_as(Path(path if path.lower().endswith(".png") else path + ".png"))

    def save_as(self, target: Path) -> bool:
        """Copy the picture to a file that the person chose; False, and said, when that was not possible."""
        try:
            shutil.copyfile(str(self._file), str(target))
        except OSError as error:
            QMessageBox.warning(
                self,
                translate("QgisAgent", "Save the chart"),
                translate("QgisAgent", "The picture could not be written: {reason}").format(reason=error.strerror),
            )
            return False
        return True
