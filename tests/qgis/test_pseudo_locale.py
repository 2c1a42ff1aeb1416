"""In a language that is longer than English: no text is cut off, and none is left in German."""

from __future__ import annotations

import getpass
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from qgis.core import QgsProcessingParameterEnum, QgsProject, QgsSettings
from qgis.PyQt.QtCore import QPoint, QRect, Qt
from qgis.PyQt.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QRadioButton,
    QTabBar,
    QTextEdit,
    QToolButton,
    QTreeWidget,
    QWidget,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from desktop_states import STATES, closed, opened, settle
from pseudo_locale import pseudo, pseudo_locale

from qgis_agent.processing.provider import QgisAgentProvider

WORD = re.compile(r"[A-Za-z]{3,}")
NAMES = set("QGIS Ctrl Alt Shift Esc Enter Del https http www com org EPSG CSV JSON MCP".split())
NAMES |= set(
    "OpenAI Anthropic Azure DeepSeek Google Gemini Studio Ollama OpenRouter Qwen DashScope vLLM llama cpp".split()
)
"""What is the same in every language."""
NAMES |= {"Singapore", "Python", "English", getpass.getuser()}
TYPES = ("Float32", "Float64")
OF_QT = {"Cancel", "OK", "Close", "Yes", "No", "Help", "Apply", "Float"}
"""Qt's own words on standard buttons and title bars: its own catalogue has them."""
PROGRAMS = {"Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex", "Cherry Studio"}
"""Names of other programs, whole."""


@pytest.fixture(scope="module", autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    font = QApplication.font()
    QgsSettings().remove("qgis_agent")
    yield
    QApplication.setFont(font)
    QgsSettings().remove("qgis_agent")
    QgsProject.instance().clear()


@pytest.fixture(scope="module")
def scale(request: Any, clean: None) -> Iterator[float]:
    """Letters of all windows so many times as large: the application's font is changed once for all of them."""
    font = QApplication.font()
    larger = QApplication.font()
    larger.setPointSizeF(font.pointSizeF() * request.param)
    QApplication.setFont(larger)
    yield float(request.param)
    QApplication.setFont(font)


class Opened(NamedTuple):
    """A window in the pseudo-locale, the folder that it was given, and the texts that were asked for."""

    window: QWidget
    folder: Path
    asked: set[str]


@pytest.fixture(scope="module")
def shown(request: Any, scale: float, tmp_path_factory: Any) -> Iterator[Opened]:
    """A window in one of its states, made once for everything that is asked of it."""
    folder = tmp_path_factory.mktemp("state")
    with pseudo_locale() as translator:
        window = opened(request.param, folder, scale)
        yield Opened(window, folder, translator.asked)
        closed(window)


at_one_scale = pytest.mark.parametrize(("scale", "shown"), [(1.0, each) for each in STATES], ids=STATES, indirect=True)
at_both_scales = pytest.mark.parametrize(
    ("scale", "shown"),
    [(scale, each) for scale in (1.0, 2.0) for each in STATES],
    ids=[f"{scale}-{each}" for scale in (100, 200) for each in STATES],
    indirect=True,
)


def texts(widget: QWidget) -> Iterator[str]:
    """All that a widget says: on it, in its tip, and to a screen reader."""
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.statusTip())
    if widget.isWindow():
        yield widget.windowTitle()
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield widget.text()
    if isinstance(widget, QGroupBox):
        yield widget.title()
    if isinstance(widget, QLineEdit):
        yield from (widget.text(), widget.placeholderText())
    if isinstance(widget, QTextEdit):
        yield from (widget.toPlainText(), widget.placeholderText())
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(index) for index in range(widget.count()))
    if isinstance(widget, QTabBar):
        yield from (widget.tabText(index) for index in range(widget.count()))
    if isinstance(widget, QListWidget):
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.AccessibleTextRole)
        yield from (str(widget.item(row).data(role) or "") for row in range(widget.count()) for role in roles)
    if isinstance(widget, QTreeWidget):
        header = widget.headerItem()
        yield from (header.text(column) for column in range(widget.columnCount()))
        for index in range(widget.topLevelItemCount()):
            yield from (widget.topLevelItem(index).text(column) for column in range(widget.columnCount()))
    for action in widget.actions():
        yield from (action.text(), action.toolTip())


def english(text: str) -> list[str]:
    """Words without an accent, apart from names."""
    # Tags; names of tools, which are shown beside their words where rules are made for them; ends of files.
    plain = re.sub(
        r"<[^<>]*>|(?<!\w)@\w+|&[a-z]+;|\b[a-z]+(_[a-z]+)+\b|^[a-z]+ (?=\(\[)|/\S+|\.[a-z]{3,4}\b", " ", text
    ).replace("&", "")
    return [word for word in WORD.findall(plain) if word not in NAMES]


@at_one_scale
def test_no_english_is_left(shown: Opened) -> None:
    left = {}
    for widget in [shown.window, *shown.window.findChildren(QWidget)]:
        for text in texts(widget):
            if english(text) and text.replace("&", "") not in OF_QT | PROGRAMS and str(shown.folder) not in text:
                left[text[:100]] = type(widget).__name__
    assert len(shown.asked) > 2
    assert left == {}


@at_both_scales
def test_nothing_is_cut_off(shown: Opened) -> None:
    window = shown.window
    cut = [each for widget in window.findChildren(QWidget) if widget.isVisible() for each in cut_off(widget, window)]
    assert cut == []


def cut_off(widget: QWidget, window: QWidget) -> Iterator[str]:
    """What does not fit: less room than the words need, or a part of it outside the window."""
    name = f"{type(widget).__name__} {_words(widget)[:60]!r}"
    if not _words(widget) or widget.objectName().startswith("qt_"):
        return
    needed = None
    if isinstance(widget, QLabel):
        needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.sizeHint().height()
        if not widget.wordWrap() and widget.width() < widget.sizeHint().width():
            yield f"{name}: {widget.width()} px wide, needs {widget.sizeHint().width()}"
    elif isinstance(widget, (QPushButton, QCheckBox, QRadioButton, QToolButton)) and not hasattr(
        widget, "set_full_text"
    ):
        needed = widget.minimumSizeHint().height() if isinstance(widget, QPushButton) else 0
        wide = widget.minimumSizeHint().width()
        if widget.width() < wide and "…" not in widget.text():
            yield f"{name}: {widget.width()} px wide, needs {wide}"
    if needed is not None and widget.height() < needed - 1:
        yield f"{name}: {widget.height()} px high, needs {needed}"
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    if place.left() < 0 or place.right() > window.width():
        yield f"{name}: from {place.left()} to {place.right()} of {window.width()} px"


def _words(widget: QWidget) -> str:
    return str(widget.text()) if isinstance(widget, (QLabel, QAbstractButton)) else ""


def test_a_planted_text_is_found(qtbot: Any) -> None:
    with pseudo_locale():
        window = QWidget()
        qtbot.addWidget(window)
        window.resize(60, 40)
        label = QLabel("left in German", window)
        label.resize(40, 10)
        window.show()
        settle()
        assert english(label.text()) == ["left", "German"]
        assert list(cut_off(label, window))
        assert english(pseudo("Write {count} features to <b>{path}</b>?").format(count=3, path="/数据")) == []


def test_no_english_is_left_in_the_algorithms() -> None:
    with pseudo_locale():
        provider = QgisAgentProvider()
        provider.loadAlgorithms()
        left = {}
        assert len(provider.algorithms()) > 10
        for algorithm in provider.algorithms():
            said = [
                algorithm.displayName(),
                algorithm.group(),
                algorithm.shortHelpString(),
                algorithm.shortDescription(),
            ]
            for each in algorithm.parameterDefinitions():
                said += [each.description(), each.help()]
                # Static strings are values that scripts give and QGIS shows as they are, as the names of results are.
                if isinstance(each, QgsProcessingParameterEnum) and not each.usesStaticStrings():
                    said += each.options()
            said += [each.description() for each in algorithm.outputDefinitions() if each.description() != each.name()]
            found = [text for text in said if english(text) and text not in TYPES]
            if found:
                left[algorithm.name()] = found
        assert left == {}
