"""One step is cancelled by the person, from its line; the run goes on and its model is told who it was."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gis.features import cancelled
from qgis_agent.gis.host import run_until
from qgis_agent.gis.tools.registry import REGISTRY, Tool
from qgis_agent.gis.work import Answer, Work
from qgis_agent.gui.dock import tool_line
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.dock.run_view import RunView


def patient(until: dict[str, bool]) -> Any:
    """A handler whose work looks at its feedback, and ends by itself when the test says so."""

    def handler(call: Any, layer_id: str) -> Any:
        def work(feedback: Any) -> None:
            end = time.monotonic() + 10
            while not feedback.isCanceled() and not until.get(layer_id) and time.monotonic() < end:
                time.sleep(0.005)
            if feedback.isCanceled():
                raise cancelled()

        yield Work("waiting", work)
        return Answer({"layer_id": layer_id})

    return handler


def test_one_call_ends_and_its_neighbour_goes_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    until: dict[str, bool] = {}
    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", patient(until)))
    began: list[tuple[str, str]] = []
    bench.calls.began.connect(lambda call_id, tool: began.append((call_id, tool)))
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    one = bench.begin("describe_layer", {"layer_id": "a"}, first)
    bench.begin("describe_layer", {"layer_id": "b"}, second)
    assert one is not None
    assert began == [("c1", "describe_layer"), ("c2", "describe_layer")]
    assert not bench.calls.cancel_call(bench.capability, "c9")
    started = time.monotonic()
    assert bench.calls.cancel_call(bench.capability, "c1")
    envelope = first[0]["envelope"]
    assert time.monotonic() - started < 1.5
    assert (envelope["code"], envelope["reason"], envelope["retryable"]) == ("CANCELLED", "person", False)
    assert "person" in envelope["message"] and envelope["hint"]
    assert second == []
    until["b"] = True
    assert run_until(lambda: bool(second), 5)
    assert second[0]["envelope"]["ok"]
    assert not bench.calls.cancel_call(bench.capability, "c1"), "it has ended"
    assert len(first) == 1


def test_a_call_of_another_run_is_not_cancelled(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    until: dict[str, bool] = {}
    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", patient(until)))
    outcomes: list[dict[str, Any]] = []
    bench.begin("describe_layer", {"layer_id": "a"}, outcomes)
    assert not bench.calls.cancel_call(bench.issue(), "c1")
    until["a"] = True
    assert run_until(lambda: bool(outcomes), 5)
    assert outcomes[0]["envelope"]["ok"]


# the line


@pytest.fixture
def run(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> RunView:
    monkeypatch.setattr(tool_line, "CANCEL_AFTER_MS", 30)
    made = RunView()
    qtbot.addWidget(made)
    made.resize(380, 300)
    made.show()
    made.activateWindow()
    return made


def say(run: RunView, kind: str, **parts: Any) -> None:
    run.handle({"type": kind, "tool": "buffer_layer", **parts})


def started(run: RunView, told: str = "1") -> Any:
    say(run, "tool_started", call_id="1", label="x", arguments={})
    say(run, "step_began", call_id=told)
    QTest.qWait(60)
    run.steps.tick()
    return run.lines()[0]


def test_a_step_that_takes_long_can_be_cancelled(run: RunView) -> None:
    asked: list[str] = []
    run.cancel_asked.connect(asked.append)
    say(run, "tool_started", call_id="1", label="x", arguments={})
    line = run.lines()[0]
    line.tick()
    assert line.canceller.isHidden(), "nothing that only flashes"
    say(run, "step_began", call_id="1")
    QTest.qWait(60)
    run.steps.tick()
    assert line.canceller.isVisible()
    assert "Cancel this step" in line.canceller.accessibleName() and line.label() in line.canceller.accessibleName()
    line.canceller.click()
    assert asked == ["1"]
    assert not line.canceller.isEnabled(), "asked once"


def test_what_has_ended_cannot_be_cancelled_and_the_keyboard_stays_in_the_line(run: RunView) -> None:
    line = started(run)
    line.canceller.setFocus()
    QApplication.processEvents()
    message = "The person cancelled this step."
    say(run, "tool_finished", call_id="1", ok=False, code="CANCELLED", message=message, ms=2000)
    run.steps.tick()
    assert line.canceller.isHidden()
    assert run.focusWidget() is line.opener
    assert (line.state(), line.why()) == ("stopped", "You cancelled this step.")
    assert "stopped" in line.accessibleName()


def test_a_call_that_was_tried_again_is_the_one_that_is_cancelled(run: RunView) -> None:
    asked: list[str] = []
    run.cancel_asked.connect(asked.append)
    started(run, "1.2").canceller.click()
    assert asked == ["1.2"]


def test_a_step_of_a_subagent_offers_no_cancel(run: RunView) -> None:
    say(run, "tool_started", call_id="1", label="x", arguments={})
    run.handle({"type": "step_began", "tool": "count_features", "call_id": "1.s1"})
    QTest.qWait(60)
    run.steps.tick()
    assert run.lines()[0].canceller.isHidden()


def test_the_panel_passes_it_on(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_line, "CANCEL_AFTER_MS", 0)
    controller = FakeController()
    dock = AgentDock(controller, list)
    qtbot.addWidget(dock)
    dock.send("buffer")
    controller.say("tool_started", call_id="7", tool="buffer_layer", label="x", arguments={})
    controller.say("step_began", call_id="7", tool="buffer_layer")
    line = dock.conversation.runs()[-1].lines()[0]
    line.tick()
    line.canceller.click()
    assert controller.cancelled == ["7"]
