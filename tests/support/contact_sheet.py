"""Many pictures on one: a row for each state, a column for each look, names beside and above them."""

from __future__ import annotations

from pathlib import Path

from qgis.PyQt.QtCore import QPoint, QRect, Qt
from qgis.PyQt.QtGui import QColor, QImage, QPainter

CELL_WIDTH, GAP, HEAD = 420, 16, 28
PAPER = "#8a8a8a"
"""Neither light nor dark: the edges of both can be seen on it."""


def contact_sheet(rows: list[tuple[str, list[QImage]]], columns: list[str], path: Path) -> QImage:
    """Draw and save; every picture is as wide as the others and keeps its shape."""
    shown = [(name, [_fitted(each) for each in pictures]) for name, pictures in rows]
    heights = [max((each.height() for each in pictures), default=0) + HEAD for _, pictures in shown]
    wide = GAP + len(columns) * (CELL_WIDTH + GAP)
    sheet = QImage(wide, HEAD + GAP + sum(height + GAP for height in heights), QImage.Format.Format_RGB32)
    sheet.fill(QColor(PAPER))
    painter = QPainter(sheet)
    painter.setPen(QColor("#000000"))
    for index, name in enumerate(columns):
        painter.drawText(QRect(GAP + index * (CELL_WIDTH + GAP), 4, CELL_WIDTH, HEAD), Qt.AlignmentFlag.AlignLeft, name)
    top = HEAD + GAP
    for (name, pictures), height in zip(shown, heights):
        painter.drawText(QPoint(GAP, top + HEAD - 10), name)
        for index, each in enumerate(pictures):
            painter.drawImage(QPoint(GAP + index * (CELL_WIDTH + GAP), top + HEAD), each)
        top += height + GAP
    painter.end()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not sheet.save(str(path)):
        raise OSError(f"{path} could not be written")
    return sheet


def _fitted(picture: QImage) -> QImage:
    if picture.isNull():  # this look was not taken: a cell without anything, not what lies in memory
        empty = QImage(CELL_WIDTH, HEAD, QImage.Format.Format_RGB32)
        empty.fill(QColor(PAPER))
        return empty
    return picture.scaledToWidth(CELL_WIDTH, Qt.TransformationMode.SmoothTransformation)
