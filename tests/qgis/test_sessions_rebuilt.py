"""An earlier conversation in the panel is what it was live: the same events, from the records that the real recorder wrote."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.PyQt.QtGui import QColor, QImage
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QAbstractButton, QLabel, QWidget

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from test_sessions_panel import Here, past

from qgis_agent.gui.dock.chart_view import ChartView
from qgis_agent.gui.dock.footer import LegendView
from qgis_agent.gui.dock.past_run import PastRun
from qgis_agent.gui.dock.user_bubble import UserBubble

LEGEND = [{"label": "0 – 4", "color": "#fee5d9", "layer_id": "density"}, {"label": "4 – 9", "color": "#fb6a4a"}]
EVIDENCE = [{"ref": "q1", "tool": "count_features", "text": "31 features counted"}]
PLAN = {"steps": [{"title": "Count", "tool": "count_features", "target": "schools"}], "hash": "h"}
QUESTION = {"text": "Which one?", "options": [{"label": "Ward A", "send": "ward a"}, {"label": "Ward B", "send": "b"}]}


def called(ident: str, tool: str, ok: bool = True, ms: int = 300, **arguments: Any) -> list[dict[str, Any]]:
    """A call as the agent process tells it afterwards."""
    envelope: dict[str, Any] = {
        "ok": ok,
        "data": {"count": 31} if ok else None,
        "message": "" if ok else "No such layer.",
    }
    ended = {"ok": ok, "code": "" if ok else "NOT_FOUND", "message": envelope["message"], "ms": ms}
    call = {"call_id": ident, "tool": tool}
    return [
        {"type": "tool_started", **call, "label": tool, "arguments": arguments},
        {"type": "step_outcome", **call, "envelope": envelope, "evidence": EVIDENCE, "recipes": ["processing.run(1)"]},
        {"type": "tool_finished", **call, **ended},
    ]


@pytest.fixture
def here(qtbot: Any) -> Iterator[Here]:
    made = Here(qtbot)
    yield made
    made.window.close()


def opened(here: Here, *runs: dict[str, Any], count: int = 1) -> list[PastRun]:
    """Open a conversation of these runs; the views of those that are made, oldest first."""
    here.controller.runs["s-1"] = list(runs)
    here.desk.open("s-1")
    calm(here)
    views = here.dock.conversation.findChildren(PastRun)
    assert len(views) == count
    return sorted(views, key=lambda each: each.mapTo(here.dock.conversation.widget(), each.rect().topLeft()).y())


def calm(here: Here) -> None:
    """Wait until nothing more is made."""
    ends = time.monotonic() + 20
    while here.dock.conversation.earlier.busy and time.monotonic() < ends:
        QTest.qWait(5)


def words(widget: QWidget) -> list[str]:
    """All that is written in a widget, in the order of its parts."""
    found = []
    for each in widget.findChildren(QWidget):
        if not each.isVisibleTo(widget):
            continue
        if hasattr(each, "toPlainText"):
            found.append(each.toPlainText())
        elif isinstance(each, (QLabel, QAbstractButton)):
            found.append(each.text())
        elif each.accessibleName():
            found.append(each.accessibleName())
    return [each for each in found if each]


def test_a_run_looks_as_it_did_live(here: Here) -> None:
    events = [
        {"type": "remark", "text": "Let me count."},
        *called("1", "count_features", layer_id="schools"),
        {"type": "notice", "level": "warning", "text": "One school has no name."},
        *called("2", "zoom_to", ok=False, layer_id="roads"),
    ]
    number = {"text": "31", "value": 31.0, "source": {"step": 1, "tool": "count_features", "path": "count"}}
    report = {
        "legend": LEGEND,
        "evidence": EVIDENCE,
        "numbers": [number, {"text": "77", "value": 77.0, "source": None}],
    }
    report["steps"] = [{"step": 1, "tool": "count_features", "ok": True}, {"step": 2, "tool": "zoom_to", "ok": False}]
    run = past("r1", "How many schools?", "There are **31**, not 77.", *events, **report)
    assert opened(here, run)[0].run_id == "r1"
    here.dock.new_conversation()
    live = here.dock.conversation.add_run()
    live.handle({"type": "turn_started", "turn": 1})
    live.handle({"type": "text_delta", "text": "Let me count."})
    live.handle({"type": "text_reset"})
    for each in events[1:]:
        live.handle({**each, "run_id": "r1"})
    live.took_ms = lambda: 1500  # type: ignore[method-assign]
    live.finish(run["report"], [])
    QTest.qWait(20)
    again = PastRun(run)
    assert words(again) == words(live) and len(words(live)) > 12
    assert again.run_id == live.run_id == "r1"
    assert [each.state() for each in again.lines()] == ["done", "failed"]
    assert any("1.5 s" in each for each in words(again)) and "Let me count." in words(again)
    assert again.findChild(LegendView).entries == [("0 – 4", "#fee5d9"), ("4 – 9", "#fb6a4a")]
    again.show_step(1)
    assert "schools" in again.lines()[0].details.text() and "count: 31" in again.lines()[0].details.text()
    assert [each.text() for each in again.lines()[0].details.buttons] == ["Copy as Python", "Copy details"]


def test_cards_of_an_earlier_run_no_longer_act(here: Here) -> None:
    sent: list[str] = []
    here.dock.conversation.send.connect(sent.append)
    asked = past("r1", "Zoom to the ward", "", termination="awaiting_user", ok=False, question=QUESTION)
    planned = past("r2", "Plan it", "Here is a plan.", plan=PLAN)
    first, second = opened(here, asked, planned, count=2)
    assert first.question is not None and [each.text() for each in first.question.buttons] == ["Ward A", "Ward B"]
    assert second.plan is not None
    for button in (*first.question.buttons, *second.plan.buttons):
        assert not button.isEnabled()
        button.click()
    assert sent == [] and here.controller.started == []
    assert any("Waiting for your answer" in each for each in words(first))


def test_an_error_is_shown_again_without_its_buttons(here: Here) -> None:
    error = {"ok": False, "code": "UPSTREAM_ERROR", "message": "The model did not answer.", "hint": "Try later."}
    (view,) = opened(here, past("r1", "Hello", "", ok=False, termination="failed", error=error))
    assert view.error is not None and "The model did not answer." in words(view)
    assert view.error.findChildren(QAbstractButton) == []


def test_a_run_that_was_killed_says_so(here: Here) -> None:
    events = called("1", "count_features") + called("2", "zoom_to")[:1]
    run = {**past("r1", "Count", "", *events, termination="interrupted", ok=False), "ended": False}
    (view,) = opened(here, run)
    assert [each.state() for each in view.lines()] == ["done", "stopped"]
    assert any("did not come to its end" in each for each in words(view))


def test_charts_are_shown_while_their_files_are_there(here: Here, tmp_path: Path) -> None:
    picture = QImage(40, 30, QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    assert picture.save(str(tmp_path / "c.png"))
    charts = [{"title": "There", "file": str(tmp_path / "c.png")}, {"title": "Gone", "file": str(tmp_path / "no.png")}]
    (view,) = opened(here, past("r1", "Draw", "Drawn.", charts=charts))
    assert len([each for each in view.findChildren(ChartView) if each.isVisibleTo(view)]) == 1


def test_what_the_conversation_used_is_there_at_once(here: Here) -> None:
    here.controller.usage = {
        "calls": 7,
        "input_tokens": 5000,
        "output_tokens": 400,
        "cached_tokens": 100,
        "source": "estimated",
        "context_tokens": 3000,
        "context_limit": 6000,
        "costs": ["$0.0100", "$0.0025", "unknown"],
    }
    opened(here, past("r1", "Hello", "Hello."))
    meter = here.dock.status.usage
    assert meter.isVisible() and meter.usage.share == 0.5 and meter.usage.calls == 7
    assert meter.usage.cost_text() == "$0.0125 + unknown"
    assert meter.usage.tokens_text().startswith("~") and meter.usage.input_tokens + meter.usage.output_tokens == 5400
    here.controller.usage = {}
    here.controller.session_id = "s-now"
    opened(here, past("r1", "Hello", "Hello."))
    assert meter.isHidden(), "offline commands used nothing"


def test_a_conversation_about_another_project_names_it(here: Here) -> None:
    here.controller.project = {"key": "0123456789abcdef", "name": "harbour"}
    opened(here, past("r1", "Hello", "Hello."))
    labels = [each.text() for each in here.dock.conversation.findChildren(QLabel)]
    assert any("harbour" in each for each in labels)
    here.controller.project = {"key": "", "name": ""}
    here.controller.session_id = "s-now"
    opened(here, past("r1", "Hello", "Hello."))
    QTest.qWait(10)
    shown = [each.text() for each in here.dock.conversation.findChildren(QLabel) if each.isVisible()]
    assert "Earlier conversation. Layers may have changed since." in shown


def test_pages_are_asked_for_when_a_person_goes_up(here: Here) -> None:
    runs = [past(f"r{at}", f"question {at}", f"answer {at}") for at in range(30)]
    views = opened(here, *runs, count=10)
    loads = [params.get("before") for method, params in here.controller.asked if method == "session/runs"]
    assert loads == [None, *range(29, 20, -1)], "ten runs are twenty messages; no more is asked for"
    assert [each.run_id for each in views] == [f"r{at}" for at in range(20, 30)]
    more = here.dock.conversation.earlier.more
    assert more.button.text() == "Show earlier messages (40)"
    here.controller.refusal = "missing"
    more.button.click()
    calm(here)
    before = len(here.controller.asked)
    QTest.qWait(400)
    assert len(here.controller.asked) == before and more.isVisible(), "it is not asked for again by itself"
    here.controller.refusal = ""
    more.button.click()
    calm(here)
    assert len(here.dock.conversation.findChildren(PastRun)) == 20


def test_answers_for_a_conversation_that_was_left_are_dropped(here: Here) -> None:
    kept: list[Any] = []
    conversation = here.dock.conversation
    conversation.show_runs([past("r9", "last", "last")], 9, lambda _before, done: kept.append(done))
    for _ in range(500):
        if not kept:
            QTest.qWait(10)
    assert len(kept) == 1
    here.dock.new_conversation()
    kept[0]([past("r8", "late", "late")], 8)
    QTest.qWait(50)
    assert conversation.earlier.left() == 0 and not [
        each for each in conversation.findChildren(UserBubble) if each.text == "late" and not each.isHidden()
    ]


def test_what_can_still_be_undone_is_offered_again(here: Here) -> None:
    class Checkpoints:
        def runs(self) -> list[Any]:
            return [type("Run", (), {"run_id": "r2", "changes": ["style of schools"], "not_restorable": []})()]

    here.dock.undoing._checkpoints = Checkpoints()
    first, second = opened(here, past("r1", "a", "A"), past("r2", "b", "B"), count=2)
    assert first.undo is None and second.undo is not None
