"""A layer's look before and after, as pictures beside each other."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QPixmap
from qgis.PyQt.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface, ThemedLabel
from ..theme import GAP
from ..tips import breakable


class LookView(QWidget):
    """Two areas: how the layer is drawn now, and how it would be."""

    def __init__(self, looks: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        """``looks`` is what ``looks_of`` in gis/card_looks.py gives."""
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        for key, title in (("before", translate("QgisAgent", "Now")), ("after", translate("QgisAgent", "After"))):
            row.addWidget(_LookSide(title, looks[key]), 1)


class _LookSide(Surface):
    """One look: its signs with their labels below each other, or bare colours beside each other."""

    def __init__(self, title: str, look: Any) -> None:
        super().__init__("plain")
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 8)
        column.setSpacing(4)
        column.addWidget(ThemedLabel(title, muted=True, small=True))
        bare = [each for each in look.signs if not each.label]
        if bare:
            strip = QHBoxLayout()
            strip.setSpacing(3)
            for each in bare:
                strip.addWidget(_picture(each))
            strip.addStretch(1)
            column.addLayout(strip)
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for number, each in enumerate(each for each in look.signs if each.label):
            grid.addWidget(_picture(each), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(ThemedLabel(breakable(each.label)), number, 1)
        column.addLayout(grid)
        if look.words:
            column.addWidget(ThemedLabel(breakable(look.words), muted=True, small=True))
        column.addStretch(1)
        names = [each.label for each in look.signs if each.label] + ([look.words] if look.words else [])
        self.setAccessibleName("{}: {}".format(title, "; ".join(names)))


def _picture(sign: Any) -> QLabel:
    label = QLabel()
    label.setPixmap(QPixmap.fromImage(sign.image))
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFixedSize(sign.image.size())
    label.setStyleSheet("QLabel { background: transparent; border: none; padding: 0; }")
    return label
