"""No meaning by colour alone (WCAG 2.1, 1.4.1): in black and white every state still differs, in its shape and in its words."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qgis.PyQt.QtCore import QSize, Qt
from qgis.PyQt.QtGui import QColor, QImage, QPainter, QPalette
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QListWidgetItem, QWidget

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from desktop_states import restyle

from qgis_agent.bridge.model_test import STATES
from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.composer.chips import Chip, ChipText
from qgis_agent.gui.composer.popup import Option, Suggestions
from qgis_agent.gui.dock.run_view import RunView
from qgis_agent.gui.dock.send_button import SendButton
from qgis_agent.gui.dock.status_line import StatusLine
from qgis_agent.gui.dock.tool_line import ToolLine
from qgis_agent.gui.dock.usage_meter import UsageMeter
from qgis_agent.gui.glyphs import _SIGNS, SIZE, paint_glyph
from qgis_agent.gui.sessions_list import Row, SessionsList
from qgis_agent.gui.settings.models_test import SIGNS
from qgis_agent.gui.settings.models_words import state_name
from qgis_agent.gui.theme import tones

GUI = Path(__file__).resolve().parents[2] / "qgis_agent" / "gui"


@pytest.fixture(scope="module", autouse=True)
def one_ink(qgis_app: Any) -> Iterator[None]:
    """White paper, black ink, and an accent that is the ink: what only the accent told is gone."""
    before = QPalette(QApplication.palette())
    palette = QPalette(QColor("white"), QColor("white"))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.Highlight):
        palette.setColor(role, QColor("black"))
    restyle(lambda: QApplication.setPalette(palette))
    assert tones().accent == tones().text == tones().sign
    yield
    restyle(lambda: QApplication.setPalette(before))


def ink(picture: QImage) -> Any:
    """Where there is ink, whatever its colour: true where a pixel differs clearly from the commonest one."""
    grey = picture.convertToFormat(QImage.Format.Format_Grayscale8)
    data = grey.constBits()
    data.setsize(grey.sizeInBytes())
    flat = np.frombuffer(bytes(data), dtype=np.uint8).reshape(grey.height(), grey.bytesPerLine())[:, : grey.width()]
    ground = np.bincount(flat.ravel(), minlength=256).argmax()
    return np.abs(flat.astype(int) - ground) > 70


def shape(widget: QWidget) -> Any:
    QTest.qWait(5)
    return ink(widget.grab().toImage())


def all_differ(shapes: dict[str, Any], least: int = 8) -> None:
    """At least so many pixels have ink in one and none in the other."""
    for (name, one), (other_name, other) in itertools.combinations(shapes.items(), 2):
        if one.shape == other.shape:
            assert (one != other).sum() >= least, f"{name} looks like {other_name}"


# signs


def test_every_sign_has_its_own_shape() -> None:
    shapes = {}
    for name in _SIGNS:
        picture = QImage(QSize(4 * SIZE, 4 * SIZE), QImage.Format.Format_RGB32)
        picture.fill(Qt.GlobalColor.white)
        painter = QPainter(picture)
        painter.scale(4, 4)
        paint_glyph(painter, name, QColor("black"))
        painter.end()
        shapes[name] = ink(picture)
        assert shapes[name].any(), name
    all_differ(shapes, 40)


def test_the_measure_finds_what_differs_by_colour_only() -> None:
    """Red and green of one lightness, in one shape, count as the same."""
    shapes = {}
    for colour in ("#c00000", "#008000"):
        picture = QImage(QSize(20, 20), QImage.Format.Format_RGB32)
        picture.fill(Qt.GlobalColor.white)
        painter = QPainter(picture)
        painter.fillRect(4, 4, 8, 8, QColor(colour))
        painter.end()
        shapes[colour] = ink(picture)
    with pytest.raises(AssertionError, match="looks like"):
        all_differ(shapes)


# states


def step(end: str) -> ToolLine:
    line = ToolLine({"call_id": "1", "tool": "count_features", "label": "x", "arguments": {}})
    if end == "stopped":
        line.stop()
    elif end != "running":
        line.finish({"ok": end == "done", "code": "" if end == "done" else "NOT_FOUND", "message": "", "ms": 3})
    assert line.state() == end
    return line


@pytest.mark.parametrize(
    ("make", "states"),
    [
        (step, ["running", "done", "failed", "stopped"]),
        (lambda state: _status(state), ["starting", "idle", "stopping", "broken"]),
        (lambda level: NoticeLine("x", level), ["info", "warning", "error"]),
        (lambda state: _send(state), ["send", "stop"]),
        (lambda share: _meter(float(share)), ["0.1", "0.5", "0.9"]),
        (lambda problem: Chip("k", ChipText("x", "x", "", problem == "broken")), ["there", "broken"]),
    ],
    ids=["step", "status", "notice", "send", "context", "chip"],
)
def test_every_state_has_its_own_look(make: Callable[[str], QWidget], states: list[str], qtbot: Any) -> None:
    shapes = {}
    for state in states:
        widget = make(state)
        qtbot.addWidget(widget)
        widget.resize(240, max(28, widget.sizeHint().height()) if not isinstance(widget, SendButton) else 28)
        widget.show()
        shapes[state] = shape(widget)
    all_differ(shapes)


def _status(state: str) -> StatusLine:
    line = StatusLine()
    line.show_state(state, "")
    return line


def _send(state: str) -> SendButton:
    button = SendButton()
    button.show_state(state, True)
    return button


def _meter(share: float) -> UsageMeter:
    meter = UsageMeter()
    used = {"turn": 1, "input_tokens": 1, "output_tokens": 1, "cached_tokens": 0, "source": "provider", "cost": ""}
    meter.take({**used, "context_tokens": int(share * 1000), "context_limit": 1000})
    return meter


def test_every_state_of_a_step_is_said(qtbot: Any) -> None:
    names = {}
    for state in ("running", "done", "failed", "stopped"):
        line = step(state)
        qtbot.addWidget(line)
        names[state] = line.accessibleName()
    assert all(state in name for state, name in names.items()) and len(set(names.values())) == 4


def test_every_state_of_the_status_is_said(qtbot: Any) -> None:
    said = set()
    for state in ("starting", "idle", "running", "stopping", "broken"):
        line = _status(state)
        qtbot.addWidget(line)
        said.add(line.text())
    assert len(said) == 5 and all(said)


def test_what_a_test_of_the_model_found_has_a_sign_and_a_word() -> None:
    assert set(SIGNS) == set(STATES)
    assert len(set(SIGNS.values())) == len({state_name(each) for each in SIGNS}) == len(STATES)


# what is chosen, has the keyboard, or is marked


def test_the_chosen_row_of_a_list_has_a_bar_or_a_frame(qtbot: Any) -> None:
    suggestions = Suggestions()
    suggestions.offer([Option("a", "b", 1), Option("a", "b", 2)])
    sessions = SessionsList()
    sessions.show_rows([Row("1", "a", "b"), Row("2", "a", "b")])
    sessions.setCurrentRow(0)
    for each in (suggestions, sessions):
        qtbot.addWidget(each)
        each.resize(240, 140)
        each.show()
        picture = ink(each.viewport().grab().toImage())
        first, second = (_edge(each.visualItemRect(each.item(row)), picture) for row in (0, 1))
        assert first > 0.8 > 0.2 > second, type(each).__name__


def _edge(rect: Any, picture: Any) -> float:
    """The share of a row's left edge, two pixels wide, that has ink."""
    edge = picture[rect.top() + 2 : rect.bottom() - 1, rect.left() : rect.left() + 2]
    return float(edge.any(axis=1).mean())


def test_the_conversation_that_is_shown_is_said_and_not_only_coloured(qtbot: Any) -> None:
    rows = SessionsList()
    qtbot.addWidget(rows)
    rows.show_rows([Row("1", "a", "b", True), Row("2", "a", "b", False)])
    said = [rows.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in (0, 1)]
    assert isinstance(rows.item(0), QListWidgetItem) and said[0] != said[1]


def test_a_number_without_a_source_is_underlined_otherwise_than_one_with(qtbot: Any) -> None:
    """Dashes and dots, and words below the answer."""
    run = RunView()
    qtbot.addWidget(run)
    run.resize(300, 400)
    run.show()
    run.handle({"type": "tool_started", "call_id": "1", "tool": "count_features", "label": "x", "arguments": {}})
    run.handle({"type": "tool_finished", "call_id": "1", "tool": "count_features", "ok": True, "ms": 3})
    numbers = [
        {"text": "25", "value": 25, "source": {"step": 1, "tool": "count_features", "path": "data.count"}},
        {"text": "7.8", "value": 7.8, "source": None},
    ]
    report = {"answer": "There are 25 schools and 7.8 others.", "numbers": numbers, "steps": [{}], "legend": []}
    run.finish({"ok": True, "termination": "completed", "evidence": [], "question": None, "error": None, **report}, [])
    document = run.text_view.views()[0].document()
    styles = {}
    block = document.begin()
    fragments = block.begin()
    while not fragments.atEnd():
        fragment = fragments.fragment()
        styles[fragment.text()] = fragment.charFormat().underlineStyle()
        fragments += 1
    assert len({styles["25"], styles["7.8"], styles["There are "]}) == 3
    assert run.footer is not None


# the source


def test_no_colour_but_the_themes_is_in_the_panel() -> None:
    """A state that had a colour of its own would have to be written down somewhere. (What is drawn on the map is another matter.)"""
    written = re.compile(r"#[0-9a-fA-F]{6}\b|GlobalColor\.(?!transparent)|QColor\(\d|\b(?:red|green|orange)\b\s*;")
    found = [
        f"{path.relative_to(GUI)}: {line.strip()}"
        for path in GUI.rglob("*.py")
        if path.name not in ("highlight.py", "show_on_map.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if written.search(line)
    ]
    assert found == []
