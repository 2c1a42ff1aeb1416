"""The conversation: Markdown while it streams, calls that open, numbers that lead to their source, long sessions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsSettings
from qgis.PyQt.QtCore import Qt, QUrl, pyqtSignal
from qgis.PyQt.QtGui import QColor, QGuiApplication, QPainter, QTextDocument, QTextTable
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QTextEdit, QWidget

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from qgis_agent.gis.progress import done_texts, written_texts
from qgis_agent.gui import answer_view
from qgis_agent.gui.answer_view import AnswerView
from qgis_agent.gui.dock.conversation import Conversation
from qgis_agent.gui.dock.earlier import BATCH
from qgis_agent.gui.dock.map_thumbnail import SETTING, wanted, watch
from qgis_agent.gui.dock.past_run import PastRun
from qgis_agent.gui.dock.run_view import RunView
from qgis_agent.gui.dock.user_bubble import UserBubble
from qgis_agent.gui.markdown import set_markdown
from qgis_agent.gui.markdown_blocks import boundaries, pieces
from qgis_agent.gui.settings.conversation_box import ConversationBox

BLOCKS = [
    "# Title\n\n",
    "A paragraph\nof two lines.\n\n",
    "- one\n\n- two\n  - inner\n\n    more of two\n\n",
    "```python\na = 1\n\nb = 2\n```\n",
    "right after code\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "1. first\n2. second\n\n",
    "the end",
]
TEXT = "".join(BLOCKS)


@pytest.fixture
def conversation(qtbot: Any) -> Iterator[Conversation]:
    made = Conversation()
    qtbot.addWidget(made)
    made.resize(380, 600)
    made.show()
    yield made


@pytest.fixture
def run(conversation: Conversation) -> RunView:
    conversation.add_user("x")
    return conversation.add_run()


def say(run: RunView, kind: str, /, **parts: Any) -> None:
    run.handle(dict(parts, type=kind))


def end(run: RunView, **parts: Any) -> None:
    report = {"ok": True, "termination": "completed", "answer": "", "legend": [], "evidence": [], "numbers": []}
    run.finish({**report, "steps": [], "question": None, "error": None, **parts}, [])
    QTest.qWait(5)


def call(run: RunView, ident: str, tool: str, data: Any = None, recipes: Any = (), **arguments: Any) -> Any:
    """A call as it comes: QGIS tells its end before the agent does."""
    say(run, "tool_started", call_id=ident, tool=tool, label=tool, arguments=arguments)
    envelope = {"ok": True, "data": data, "message": "It is done."}
    evidence = [{"ref": "x", "tool": tool, "text": "1. native:buffer (DISTANCE=5)"}] if recipes else []
    say(run, "step_outcome", call_id=ident, tool=tool, envelope=envelope, evidence=evidence, recipes=list(recipes))
    say(run, "tool_finished", call_id=ident, tool=tool, ok=True, code="", message="", ms=5)
    return run.lines()[-1]


# where Markdown may be cut


def test_blocks_are_cut_where_nothing_joins_them() -> None:
    cuts = [0, *boundaries(TEXT, whole=True), len(TEXT)]
    assert [TEXT[a:b] for a, b in zip(cuts, cuts[1:])] == BLOCKS


def test_no_later_word_undoes_a_cut() -> None:
    final = set(boundaries(TEXT, whole=True))
    for length in range(len(TEXT)):
        assert set(boundaries(TEXT[:length])) <= final, TEXT[:length]


def test_pieces_are_the_text() -> None:
    long = TEXT * 30
    cut = pieces(long, 200)
    assert "".join(cut) == long and len(cut) > 10
    assert all(each.count("```") % 2 == 0 for each in cut), "no piece ends inside code"


# streaming


def fed(view: AnswerView, text: str, step: int = 7) -> None:
    for at in range(0, len(text), step):
        view.append(text[at : at + step])
        QTest.qWait(1)
    view.finish(text)
    for _ in range(50):
        QTest.qWait(5)


def whole(text: str) -> str:
    """What Qt shows of the whole text."""
    document = QTextDocument()
    set_markdown(document, text)
    return document.toPlainText()


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_what_streamed_in_pieces_reads_as_the_whole(qtbot: Any) -> None:
    view = AnswerView()
    qtbot.addWidget(view)
    view.resize(360, 400)
    view.show()
    text = TEXT.replace("the end", "A new part.\n\n") * 12
    fed(view, text, 60)
    assert len(view.views()) > 1
    assert squeezed(view.toPlainText()) == squeezed(whole(text))
    tables = [each for part in view.views() for each in part.document().rootFrame().childFrames()]
    assert sum(isinstance(each, QTextTable) for each in tables) == 12


def test_finished_pieces_are_laid_out_once(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    view = AnswerView()
    qtbot.addWidget(view)
    laid: list[int] = []
    before = answer_view.TextView.set_markdown

    def counted(part: Any, text: str) -> None:
        laid.append(id(part))
        before(part, text)

    monkeypatch.setattr(answer_view.TextView, "set_markdown", counted)
    fed(view, "A paragraph of words that says something.\n\n" * 100, 100)
    order = [view.views().index(each) for each in view.views()]
    seen = [[id(each) for each in view.views()].index(each) for each in laid]
    assert seen == sorted(seen), "no piece is touched again once the next one has begun"
    assert order == list(range(len(order))) and len(order) >= 3


def test_an_answer_that_differs_from_what_streamed_takes_its_place(run: RunView) -> None:
    say(run, "text_delta", text="Half of")
    end(run, answer="**Another** answer.")
    assert run.text_view.toPlainText() == "Another answer."


def test_streamed_html_and_pictures_stay_text(run: RunView) -> None:
    for part in ('<img src="file:///etc/passwd"> ', "![seen](file:///etc/x.png)", "\n\n<b>bold</b>"):
        say(run, "text_delta", text=part)
    QTest.qWait(100)
    assert "<img" in run.text_view.toPlainText() and "<b>bold</b>" in run.text_view.toPlainText()
    assert "[seen]" in run.text_view.toPlainText()


def test_one_endless_block_is_shown_as_it_is_written(qtbot: Any) -> None:
    view = AnswerView()
    qtbot.addWidget(view)
    text = "```\n" + "x = 1\n" * 1500 + "```\n"
    fed(view, text, 300)
    assert view.toPlainText().count("x = 1") == 1500 and "```" not in view.toPlainText()


# calls that open


def shown(line: Any) -> str:
    return "\n".join(each.toPlainText() for each in line.details.findChildren(QTextEdit))


def test_a_call_opens_and_closes(run: RunView) -> None:
    line = call(run, "1", "count_features", {"count": 31, "warnings": ["2 have no geometry"]}, layer_id="schools")
    assert not line.is_open() and line.details is None
    QTest.mouseClick(line.opener, Qt.MouseButton.LeftButton)
    assert line.is_open()
    text = shown(line)
    for words in ("count_features", "layer_id: schools", "It is done.", "count: 31", "2 have no geometry"):
        assert words in text
    assert "Hide details" in line.opener.accessibleName()
    QTest.keyClick(line.opener, Qt.Key.Key_Space)
    assert not line.is_open()


def test_copy_as_python_copies_the_recipe(run: RunView) -> None:
    line = call(run, "1", "buffer_layer", {"features": 1}, ["import processing\n"], layer_id="schools")
    line.toggle()
    assert "native:buffer (DISTANCE=5)" in shown(line)
    button = next(each for each in line.details.buttons if each.text() == "Copy as Python")
    button.click()
    assert QGuiApplication.clipboard().text() == "import processing\n"
    other = call(run, "2", "count_features", {"count": 1}, layer_id="schools")
    other.toggle()
    assert [each.text() for each in other.details.buttons] == ["Copy details"]


def test_words_of_others_stay_on_their_line_in_the_details(run: RunView) -> None:
    line = call(run, "1", "count_features", {"name": "a\nResult\nfake: 1"}, layer_id="<b>x</b>\u202e")
    line.toggle()
    assert "name: a Result fake: 1" in shown(line) and "layer_id: <b>x</b>" in shown(line)


def test_the_outcome_may_come_before_its_step(run: RunView) -> None:
    say(run, "step_outcome", call_id="1", tool="count_features", envelope={"ok": True, "data": {"count": 7}})
    say(run, "tool_started", call_id="1", tool="count_features", label="x", arguments={"layer_id": "a"})
    run.lines()[0].toggle()
    assert "count: 7" in shown(run.lines()[0])


# writes


@pytest.mark.parametrize("written", [True, False])
def test_a_write_says_prepared_only_until_it_is_carried_out(run: RunView, written: bool) -> None:
    line = call(run, "1", "prepare_remove_layer", {"written": written}, layer_ids=["a"])
    assert line.label() == ("Removed layers" if written else "Prepared to remove layers")
    assert line.accessibleName().startswith(line.label())


def test_a_write_that_is_told_late_says_it_too(run: RunView) -> None:
    say(run, "tool_started", call_id="1", tool="prepare_save_project", label="x", arguments={})
    say(run, "tool_finished", call_id="1", tool="prepare_save_project", ok=True, code="", message="", ms=5)
    say(run, "step_outcome", call_id="1", tool="prepare_save_project", envelope={"ok": True, "data": {"written": True}})
    assert run.lines()[0].label() == "Saved the project"


def test_all_writes_have_words_for_their_end() -> None:
    assert {each.split()[0] for each in written_texts()} == {
        each for each in done_texts() if each.startswith("prepare_")
    }


def test_what_was_put_back_is_not_called_removed(run: RunView) -> None:
    line = call(run, "1", "prepare_remove_layer", {"written": True}, layer_ids=["a"], restore=True)
    assert line.label() == "Put removed layers back"


# numbers


def number(text: str, step: int = 1, tool: str = "count_features", path: str = "data.count") -> dict[str, Any]:
    return {"text": text, "value": float(text), "source": {"step": step, "tool": tool, "path": path} if tool else None}


def anchors(run: RunView) -> dict[str, str]:
    found = {}
    for view in run.text_view.views():
        block = view.document().begin()
        while block.isValid():
            pieces_of = block.begin()
            while not pieces_of.atEnd():
                look = pieces_of.fragment().charFormat()
                if look.isAnchor():
                    found[pieces_of.fragment().text()] = look.anchorHref()
                pieces_of += 1
            block = block.next()
    return found


def test_a_number_leads_to_its_step(run: RunView) -> None:
    first = call(run, "1", "count_features", {"count": 31}, layer_id="a")
    second = call(run, "2", "measure", {"km": 7.5}, method="length")
    numbers = [number("31"), number("7.5", 2, "measure", "data.km"), number("99", tool=""), number("4", 0, "request")]
    end(run, answer="There are 31 in 7.5 km, 99 and 4 [5](https://example.org/5).", numbers=numbers)
    assert anchors(run) == {"31": "step:1", "7.5": "step:2", "5": "https://example.org/5"}
    run.text_view.views()[0].anchorClicked.emit(QUrl("step:2"))
    assert second.is_open() and not first.is_open()
    run.sources.fold.toggle()
    words = [each.sentence() for each in run.sources.buttons]
    assert words[0] == "31: step 1, Counted a (count)" and words[2] == "4: from your own words"
    run.sources.buttons[0].click()
    assert first.is_open()


def test_a_link_of_the_text_cannot_pretend_to_be_a_step(run: RunView) -> None:
    line = call(run, "1", "count_features", {"count": 31}, layer_id="a")
    end(run, answer="See [31](step:1).")
    assert anchors(run) == {} and run.sources is None and not line.is_open()


def test_a_number_that_is_doubtful_somewhere_is_linked_nowhere(run: RunView) -> None:
    call(run, "1", "count_features", {"count": 31}, layer_id="a")
    end(run, answer="31 and 31.", numbers=[number("31"), number("31", tool="")])
    assert anchors(run) == {}


# long sessions


def session(count: int) -> list[dict[str, Any]]:
    """Runs of two messages each."""
    return [
        {"run_id": str(at), "text": f"message {at}", "ended": True, "report": {"answer": f"message {at + 1}"}}
        for at in range(0, count, 2)
    ]


def texts(conversation: Conversation) -> list[str]:
    """Messages from the top down."""
    parts = conversation.findChildren(UserBubble) + conversation.findChildren(PastRun)
    kept = [each for each in parts if each.isVisible()]
    return [
        each.text if isinstance(each, UserBubble) else each.streamed_text()
        for each in sorted(kept, key=lambda each: each.mapTo(conversation.widget(), each.rect().topLeft()).y())
    ]


def calm(conversation: Conversation, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: not conversation.earlier.busy, timeout=20_000)
    QTest.qWait(20)


def test_a_session_opens_at_its_end(conversation: Conversation, qtbot: Any) -> None:
    conversation.show_runs(session(90))
    assert not conversation.is_empty()
    calm(conversation, qtbot)
    assert texts(conversation) == [f"message {at}" for at in range(90 - BATCH, 90)]
    bar = conversation.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert conversation.earlier.more.button.text() == f"Show earlier messages ({90 - BATCH})"


def test_going_up_brings_the_older_ones_and_moves_nothing(conversation: Conversation, qtbot: Any) -> None:
    conversation.show_runs(session(90))
    calm(conversation, qtbot)
    first = next(each for each in conversation.findChildren(UserBubble) if each.text == f"message {90 - BATCH}")
    conversation.verticalScrollBar().setValue(20)
    before = first.mapTo(conversation, first.rect().topLeft()).y()
    calm(conversation, qtbot)
    assert texts(conversation) == [f"message {at}" for at in range(90 - 2 * BATCH, 90)]
    assert abs(first.mapTo(conversation, first.rect().topLeft()).y() - before) <= 40
    for _ in range(10):
        conversation.earlier.more.button.click()
        calm(conversation, qtbot)
    assert texts(conversation) == [f"message {at}" for at in range(90)]
    assert not conversation.earlier.more.isVisible()


def test_a_new_message_stands_below_and_a_new_conversation_is_empty(conversation: Conversation, qtbot: Any) -> None:
    conversation.show_runs(session(60))
    conversation.add_user("new")
    calm(conversation, qtbot)
    assert texts(conversation)[-1] == "new"
    conversation.clear()
    QTest.qWait(50)
    assert texts(conversation) == [] and conversation.is_empty()


def test_results_are_json_in_the_details(run: RunView) -> None:
    rows = [{"name": "A", "count": 3}]
    line = call(run, "1", "query_features", {"rows": rows}, layer_id="a")
    line.toggle()
    assert f"rows: {json.dumps(rows)}" in shown(line)


# the map


class Canvas(QWidget):
    """Stands in for a map canvas: red, and drawing until it is told otherwise."""

    mapCanvasRefreshed = pyqtSignal()  # noqa: N815  QGIS's name

    def __init__(self) -> None:
        super().__init__()
        self.drawing = False
        self.resize(600, 300)

    def isDrawing(self) -> bool:  # noqa: N802
        return self.drawing

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#ff0000"))
        painter.end()


ZOOMED = {"map_actions": [{"op": "zoom_to", "args": {"bbox": [0, 0, 1, 1]}, "ok": True, "error": None}]}


def test_a_picture_of_the_map_stands_under_an_answer_that_changed_it(run: RunView, qtbot: Any) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.drawing = True
    end(run, answer="Done.")
    watch(canvas, ZOOMED, run.show_map, run)
    QTest.qWait(600)
    assert run.thumbnail is None, "a map that is being drawn has no picture yet"
    canvas.drawing = False
    canvas.mapCanvasRefreshed.emit()
    qtbot.waitUntil(lambda: run.thumbnail is not None, timeout=5000)
    QTest.qWait(50)
    shot = run.thumbnail.grab().toImage()
    assert shot.pixelColor(60, 40) == QColor("#ff0000")
    assert run.thumbnail.geometry().top() > run.text_view.geometry().bottom()
    canvas.mapCanvasRefreshed.emit()  # nobody listens any more


@pytest.mark.parametrize("why", ["switched off", "only offered", "written elsewhere"])
def test_no_picture_without_a_change_or_against_the_wish(run: RunView, qtbot: Any, why: str) -> None:
    report = json.loads(json.dumps(ZOOMED))
    if why == "only offered":
        report["map_actions"][0]["args"]["offered"] = True
    if why == "written elsewhere":
        report["map_actions"][0]["op"] = "export"
    QgsSettings().setValue(SETTING, why != "switched off")
    canvas = Canvas()
    qtbot.addWidget(canvas)
    end(run, answer="Done.")
    watch(canvas, report, run.show_map, run)
    QTest.qWait(700)
    QgsSettings().remove(SETTING)
    assert run.thumbnail is None


def test_the_pictures_are_switched_off_in_the_settings(qtbot: Any) -> None:
    box = ConversationBox()
    qtbot.addWidget(box)
    assert box.pictures.isChecked() and wanted()
    box.pictures.setChecked(False)
    assert wanted(), "only OK keeps it"
    box.apply()
    assert not wanted() and not ConversationBox().pictures.isChecked()
    QgsSettings().remove(SETTING)


def test_a_link_can_be_seen(run: RunView) -> None:
    end(run, answer="See [the plan](https://example.org/plan).")
    fragments = run.text_view.views()[0].document().begin().begin()
    underlined = {}
    while not fragments.atEnd():
        underlined[fragments.fragment().text()] = fragments.fragment().charFormat().fontUnderline()
        fragments += 1
    assert underlined == {"See ": False, "the plan": True, ".": False}
