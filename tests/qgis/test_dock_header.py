"""The row above the conversation in narrow panels and with large letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QHBoxLayout, QWidget

from qgis_agent.gui.dock.header import Header


@pytest.fixture
def restored_font() -> Iterator[None]:
    font = QApplication.font()
    yield
    QApplication.setFont(font)


def header(qtbot: Any, width: int) -> Header:
    holder = QWidget()
    qtbot.addWidget(holder)
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    made = Header()
    row.addWidget(made)
    made.holder = holder  # the holder lives as long as what it holds
    holder.resize(width, 60)
    holder.show()
    QTest.qWait(10)
    assert made.width() == width, "the header must not push the panel wider"
    return made


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("width", [260, 270, 300, 380, 800])
def test_nothing_of_the_header_is_cut_off(qtbot: Any, restored_font: None, width: int, scale: float) -> None:
    font = QApplication.font()
    font.setPointSizeF(font.pointSizeF() * scale)
    QApplication.setFont(font)
    made = header(qtbot, width)
    parts = [made.new_button, made.export_box, made.settings_button]
    for part in (made.new_button, made.settings_button):
        assert part.width() >= part.sizeHint().width(), part.accessibleName()
    written = made.export_box.fontMetrics().horizontalAdvance(made.export_box.text())
    assert written < made.export_box.width(), "the words fit, or are cut with a sign that says so"
    edges = [(each.geometry().left(), each.geometry().right()) for each in parts]
    assert edges[0][0] >= 0 and edges[-1][1] < width
    assert all(left[1] < right[0] for left, right in zip(edges, edges[1:]))
    assert made.new_button.accessibleName() == made.new_button.toolTip() == "New conversation"
    assert made.export_box.accessibleName() == "Allow file export" and "Allow file export" in made.export_box.toolTip()


def test_there_are_words_where_there_is_room(qtbot: Any) -> None:
    made = header(qtbot, 1200)
    assert made.new_button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    assert made.export_box.text() == "Allow file export"
    made.parentWidget().resize(270, 60)
    QTest.qWait(10)
    made.parentWidget().resize(1200, 60)
    QTest.qWait(10)
    assert made.new_button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    assert made.export_box.text() == "Allow file export"
