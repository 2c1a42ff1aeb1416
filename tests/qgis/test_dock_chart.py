"""The chart under an answer: shown in its shape, copied and saved when the person asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from qgis.PyQt.QtGui import QColor, QImage
from qgis.PyQt.QtWidgets import QFileDialog, QMessageBox

from qgis_agent.gui.dock.chart_view import ChartView, Picture
from qgis_agent.gui.dock.footer import AnswerFooter


@pytest.fixture
def chart(tmp_path: Path) -> dict[str, Any]:
    """A picture of 96 by 60 pixels."""
    image = QImage(96, 60, QImage.Format.Format_RGB32)
    image.fill(QColor("#d95f02"))
    path = tmp_path / "charts" / "c.png"
    path.parent.mkdir()
    assert image.save(str(path))
    return {"title": "人口", "kind": "bar", "file": str(path), "width": 96, "height": 60}


def test_a_chart_keeps_its_shape(qtbot: Any, chart: dict[str, Any]) -> None:
    """96 to 60 at any width, no wider than 640."""
    footer = AnswerFooter({"charts": [chart]})
    qtbot.addWidget(footer)
    assert not footer.is_empty
    footer.resize(400, 600)
    footer.show()
    (picture,) = footer.findChildren(Picture)
    assert picture.height() == round(picture.width() * 60 / 96)
    assert picture.accessibleName() == "Chart: 人口"
    grabbed = picture.grab().toImage()
    assert grabbed.pixelColor(grabbed.width() // 2, grabbed.height() // 2).name() == "#d95f02"


def test_a_chart_that_is_gone_is_not_shown(qtbot: Any, chart: dict[str, Any]) -> None:
    """Nor is a file that is no picture, or another kind of file."""
    for file in ("/nowhere/c.png", __file__, ""):
        footer = AnswerFooter({"charts": [{**chart, "file": file}]})
        qtbot.addWidget(footer)
        assert footer.is_empty


def test_saved_where_the_person_says(
    qtbot: Any, chart: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes, with the ending .png; a no writes nothing; what cannot be written is said."""
    view = ChartView(chart)
    qtbot.addWidget(view)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: ("", ""))
    view.save_button.click()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["charts"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_given: (str(tmp_path / "mine"), ""))
    view.save_button.click()
    assert (tmp_path / "mine.png").read_bytes() == Path(chart["file"]).read_bytes()
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda *given: said.append(given[2]))
    assert not view.save_as(tmp_path / "no folder" / "c.png")
    assert len(said) == 1
