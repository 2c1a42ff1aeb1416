"""Text of a model is untrusted: nothing is loaded, run or opened. And it must be readable in every theme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from desktop_states import restyle, use_theme
from qgis.core import QgsApplication
from qgis.PyQt.QtCore import Qt, QUrl
from qgis.PyQt.QtGui import QColor, QDesktopServices, QImage, QPalette, QTextDocument, QTextTable
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QMessageBox

from qgis_agent.gui import theme
from qgis_agent.gui.dock.conversation import Conversation
from qgis_agent.gui.markdown import literal_tildes
from qgis_agent.gui.text_view import TextView


@pytest.fixture
def view(qtbot: Any) -> TextView:
    made = TextView()
    qtbot.addWidget(made)
    made.resize(360, 100)
    made.show()
    return made


def test_pictures_are_not_loaded(view: TextView, tmp_path: Path) -> None:
    picture = tmp_path / "secret.png"
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("#ff0000"))
    assert image.save(str(picture))
    view.set_markdown(f"before ![the picture]({picture.as_uri()}) after")
    assert view.toPlainText() == "before [the picture] after"
    assert view.loadResource(QTextDocument.ResourceType.ImageResource, QUrl(picture.as_uri())) is None
    shot = view.grab().toImage()
    reds = sum(
        shot.pixelColor(x, y).red() > 200 > 100 > shot.pixelColor(x, y).green()
        for x in range(shot.width())
        for y in range(shot.height())
    )
    assert reds == 0


def test_html_is_shown_as_text(view: TextView) -> None:
    view.set_markdown('a <img src="file:///etc/passwd"> <b>bold</b> <script>x</script>')
    shown = view.toPlainText()
    assert "<img" in shown and "<b>bold</b>" in shown and "<script>" in shown


@pytest.mark.parametrize("address", ["https://example.com/x", "http://example.com/"])
def test_links_open_only_after_a_yes(view: TextView, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    view.set_markdown(f"[text]({address})")
    view.anchorClicked.emit(QUrl(address))
    box = next(each for each in QApplication.topLevelWidgets() if isinstance(each, QMessageBox) and each.isVisible())
    assert address in box.informativeText() and opened == []
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert opened == []
    view.anchorClicked.emit(QUrl(address))
    box = next(each for each in QApplication.topLevelWidgets() if isinstance(each, QMessageBox) and each.isVisible())
    box.button(QMessageBox.StandardButton.Open).click()
    assert opened == [address]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "qgis:x", "relative"])
def test_other_links_do_nothing(view: TextView, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    view.anchorClicked.emit(QUrl(address))
    boxes = [each for each in QApplication.topLevelWidgets() if isinstance(each, QMessageBox) and each.isVisible()]
    assert opened == [] and boxes == []


def test_tables_fill_the_width(view: TextView) -> None:
    view.set_markdown("| a | b |\n|---|---|\n| 1 | 2 |\n")
    tables = [each for each in view.document().rootFrame().childFrames() if isinstance(each, QTextTable)]
    assert len(tables) == 1 and tables[0].format().width().rawValue() == 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.4~7.8", "4.4\\~7.8"),
        ("~~gone~~", "~~gone~~"),
        ("`a~b` c~d", "`a~b` c\\~d"),
        ("```\na~b\n```\nc~d", "```\na~b\n```\nc\\~d"),
    ],
)
def test_single_tildes_are_literal_outside_code(text: str, expected: str) -> None:
    assert literal_tildes(text) == expected


def test_height_follows_the_text(view: TextView) -> None:
    heights = []
    for count in (1, 5, 20):
        view.set_plain("\n".join(["line"] * count))
        heights.append(view.height())
    assert heights[0] < heights[1] < heights[2]
    assert view.verticalScrollBar().maximum() == 0
    view.resize(60, 100)
    view.set_plain("word " * 40)
    narrow = view.height()
    view.resize(600, 100)
    QApplication.processEvents()
    assert view.height() < narrow


@pytest.fixture
def restored_theme() -> Iterator[None]:
    palette, sheet = QApplication.palette(), QApplication.instance().styleSheet()
    yield
    restyle(lambda: (QApplication.setPalette(palette), QApplication.instance().setStyleSheet(sheet)))


@pytest.mark.parametrize("name", ["default", "Night Mapping", "Blend of Gray"])
def test_text_is_readable_in_every_theme(name: str, restored_theme: None) -> None:
    if name != "default" and name not in QgsApplication.uiThemes():
        pytest.skip(f"this QGIS has no theme {name!r}")
    use_theme(name)
    colours = theme.tones()
    for ink in (colours.text, colours.muted):
        for ground in (colours.surface, colours.raised, colours.bubble):
            assert wcag(ink, ground) >= 4.5, (name, ink.name(), ground.name())
    assert wcag(colours.on_accent, colours.accent) >= 3.0


def wcag(one: QColor, other: QColor) -> float:
    """Contrast ratio as WCAG 2.1 defines it, written down here a second time."""

    def luminance(colour: QColor) -> float:
        parts = [channel / 255 for channel in (colour.red(), colour.green(), colour.blue())]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_follows_a_change_of_the_palette(view: TextView, restored_theme: None) -> None:
    view.set_plain("streamed")
    dark = QPalette(QApplication.palette())
    dark.setColor(QPalette.ColorRole.Base, QColor("#101010"))
    dark.setColor(QPalette.ColorRole.Text, QColor("#f0f0f0"))
    QApplication.setPalette(dark)
    QApplication.processEvents()
    ink = view.document().begin().begin().fragment().charFormat().foreground().color()
    assert ink == QColor("#f0f0f0")


def test_the_scroll_bar_of_the_conversation_does_not_come_and_go_by_itself(qtbot: Any) -> None:
    """With a bar that shows as needed, texts that fit only without it made Qt resize in a circle: QGIS crashed while the
    dock was made smaller. Its place is kept, and it is hidden while everything fits."""
    view = Conversation()
    qtbot.addWidget(view)
    view.resize(400, 900)
    view.show()
    QTest.qWait(20)
    words = "the quick brown fox jumps over a lazy dog and 学校 分布 "
    view.add_user("hi")
    QTest.qWait(20)
    assert view.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOn
    assert not view.verticalScrollBar().isVisible()
    for _ in range(3):
        view.add_user(words * 2)
    for height in range(600, 200, -5):
        view.resize(400, height)
        QTest.qWait(1)
    QTest.qWait(20)
    assert view.verticalScrollBar().isVisible()
