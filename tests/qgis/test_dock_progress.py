"""What the dock tells of steps that take long: how far they are, what is still stopping, and that QGIS is about to be busy."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    Qgis,
    QgsApplication,
    QgsProcessingAlgorithm,
    QgsProcessingParameterFeatureSource,
    QgsProcessingProvider,
)
from qgis.PyQt.QtCore import QEvent, QObject, Qt
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QMainWindow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gis.analysis.run.plan import (
    PlanStep,
    Ref,
)
from qgis_agent.gis.analysis.run.runner import (
    RunAlgorithm,
    analysis_context,
    run_plan,
)
from qgis_agent.gis.detached import Detached
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.host import run_until
from qgis_agent.gis.main_thread import BeforeHold
from qgis_agent.gis.runs import RunController
from qgis_agent.gis.tools.registry import REGISTRY, Tool
from qgis_agent.gis.work import Answer, Work, running_tasks
from qgis_agent.gui.dock.dock import AgentDock
from qgis_agent.gui.dock.tool_line import ToolLine
from qgis_agent.headless_progress import ProgressLines, tell_progress

HELD = "QGIS will not answer for a moment."


@pytest.fixture
def controller() -> FakeController:
    return FakeController()


@pytest.fixture
def dock(controller: FakeController, qtbot: Any) -> Iterator[AgentDock]:
    window = QMainWindow()
    qtbot.addWidget(window)
    made = AgentDock(controller, list, parent=window)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, made)
    window.resize(420, 600)
    window.show()
    controller.status_changed.emit("idle", "offline commands")
    QTest.qWait(20)
    yield made
    window.close()


def begin(dock: AgentDock, controller: FakeController, tool: str = "buffer_layer", ident: str = "c1") -> ToolLine:
    """A run with one call that is under way."""
    if not controller.running:
        dock.send("buffer the schools")
    controller.say("tool_started", call_id=ident, tool=tool, label=tool, arguments={"layer_id": "schools"})
    return dock.conversation.runs()[-1].lines()[-1]


def percent(controller: FakeController, value: int, ident: str = "c1", tool: str = "buffer_layer") -> None:
    controller.say("step_progress", call_id=ident, tool=tool, percent=value)


# how far a step is


def test_a_running_step_shows_its_percentage_and_says_it(dock: AgentDock, controller: FakeController) -> None:
    line = begin(dock, controller)
    QTest.qWait(300)
    assert line.progress_text() == "" and "%" not in line.accessibleName(), "unknown: only the turning mark"
    percent(controller, 42)
    QTest.qWait(300)
    assert line.progress_text() == "42 %"
    assert line.accessibleName().startswith("Buffering schools, running, 42 %")
    controller.say("tool_finished", call_id="c1", tool="buffer_layer", ok=True, code="", message="", ms=900)
    assert line.progress_text() == "" and "%" not in line.accessibleName()
    percent(controller, 90)
    QTest.qWait(300)
    assert line.progress_text() == "", "late news of a step that is done"


def test_a_percentage_changes_at_most_five_times_a_second(dock: AgentDock, controller: FakeController) -> None:
    line = begin(dock, controller)
    shown: list[str] = []
    for value in range(1, 100):
        percent(controller, value)
        QTest.qWait(10)
        if not shown or shown[-1] != line.progress_text():
            shown.append(line.progress_text())
        if line.elapsed_ms() > 1200:
            break
    took = line.elapsed_ms() / 1000
    assert 2 <= len(shown) - shown.count("") <= 5 * took + 1
    percent(controller, 99)
    QTest.qWait(400)
    assert line.progress_text() == "99 %", "the last one is not lost"


def test_a_percentage_never_goes_back_and_is_never_more_than_99_while_it_runs(
    dock: AgentDock, controller: FakeController
) -> None:
    line = begin(dock, controller)
    for value, expected in ((60, "60 %"), (20, "60 %"), (100, "99 %")):
        percent(controller, value)
        QTest.qWait(300)
        assert line.progress_text() == expected


def test_the_panel_does_not_move_while_the_percentage_changes(dock: AgentDock, controller: FakeController) -> None:
    line = begin(dock, controller)
    QTest.qWait(600)
    before = line.geometry(), dock.composer.geometry()
    places = set()
    for value in (3, 11, 48, 99):
        percent(controller, value)
        QTest.qWait(300)
        places.add((line._label.geometry().getRect(), line._percent.geometry().getRect()))
    assert (line.geometry(), dock.composer.geometry()) == before
    assert len(places) == 1, places


def test_progress_that_comes_before_its_step_is_kept(dock: AgentDock, controller: FakeController) -> None:
    """The agent's events wait behind each other (20 a second); what QGIS tells does not."""
    dock.send("buffer the schools")
    percent(controller, 33)
    line = begin(dock, controller)
    QTest.qWait(300)
    assert line.progress_text() == "33 %"


def test_a_call_that_is_tried_again_is_the_same_step_and_a_step_of_a_subagent_is_not(
    dock: AgentDock, controller: FakeController
) -> None:
    line = begin(dock, controller)
    percent(controller, 12, "c1.2")
    outer = begin(dock, controller, "run_subagent", "c2")
    percent(controller, 70, "c2.c1")
    QTest.qWait(300)
    assert (line.progress_text(), outer.progress_text()) == ("12 %", "")


def test_a_step_that_is_stopped_shows_no_percentage(dock: AgentDock, controller: FakeController) -> None:
    line = begin(dock, controller)
    percent(controller, 42)
    QTest.qWait(300)
    controller.end(termination="interrupted", ok=False)
    assert line.state() == "stopped" and line.progress_text() == ""


# from QGIS to the dock


class Slow(QgsProcessingAlgorithm):
    """Tells 40 %, and ends when the test lets it."""

    def name(self) -> str:
        return "slow"

    def displayName(self) -> str:  # noqa: N802
        return "Slow"

    def createInstance(self) -> QgsProcessingAlgorithm:  # noqa: N802
        return Slow()

    def initAlgorithm(self, configuration: Any = None) -> None:  # noqa: N802
        self.addParameter(QgsProcessingParameterFeatureSource("INPUT", "in"))

    def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> dict[str, Any]:  # noqa: N802
        feedback.setProgress(40)
        for _ in range(1000):
            if WORLD.go:
                break
            QTest.qSleep(10)
        return {}


class OnMain(Slow):
    """One that must run on the main thread: notes what a person sees by then."""

    def name(self) -> str:
        return "onmain"

    def createInstance(self) -> QgsProcessingAlgorithm:  # noqa: N802
        return OnMain()

    def flags(self) -> Any:
        return super().flags() | Qgis.ProcessingAlgorithmFlag.NoThreading

    def processAlgorithm(self, parameters: Any, context: Any, feedback: Any) -> dict[str, Any]:  # noqa: N802
        WORLD.seen.append(WORLD.look())
        return {}


class Provider(QgsProcessingProvider):
    """The test's own."""

    def id(self) -> str:
        return "agentprogress"

    def name(self) -> str:
        return "Test"

    def loadAlgorithms(self) -> None:  # noqa: N802
        self.addAlgorithm(Slow())
        self.addAlgorithm(OnMain())


WORLD = SimpleNamespace(go=False, seen=[], look=lambda: None)


@pytest.fixture
def provider() -> Iterator[None]:
    WORLD.go, WORLD.seen = False, []
    made = Provider()
    QgsApplication.processingRegistry().addProvider(made)
    yield
    WORLD.go = True
    run_until(lambda: running_tasks() == 0, 20)
    QgsApplication.processingRegistry().removeProvider(made)


def tool_of(monkeypatch: pytest.MonkeyPatch, *algorithms: str) -> None:
    """describe_layer runs these algorithms."""

    def handler(call: Any, layer_id: str, **_more: Any) -> Any:
        layer = call.vector_layer(layer_id)
        plan = [PlanStep(str(at), each, {"INPUT": Ref("layer")}, output="") for at, each in enumerate(algorithms)]
        yield from run_plan(plan, {"layer": layer}, analysis_context(call.host.project), [])
        yield Work("after", lambda _feedback: WORLD.seen.append("after"))
        return Answer({"layer_id": layer_id})

    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", handler))


def layer(bench: Bench) -> None:
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(1 1)", [1])], "points"))


def real(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> tuple[RunController, list[dict[str, Any]]]:
    """The real controller with a run that no agent process carries out, on the calls of the bench."""
    made = RunController(bench.host, bench.approver)
    monkeypatch.setattr(made, "when_ready", lambda _then: None)
    events: list[dict[str, Any]] = []
    made.run_event.connect(events.append)
    assert made.start("hello")
    made._run.called.update(f"c{number}" for number in range(1, 10))  # what the bench calls counts as the run's own
    bench.calls = made.calls
    return made, events


def test_the_progress_of_an_algorithm_is_an_event_of_the_run(
    bench: Bench, provider: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Straight in the QGIS process: nothing of it goes to the agent, whose records it would fill."""
    tool_of(monkeypatch, "agentprogress:slow", "agentprogress:slow")
    controller, events = real(bench, monkeypatch)
    layer(bench)
    outcomes: list[Any] = []
    bench.begin("describe_layer", {"layer_id": "points"}, outcomes)
    assert run_until(lambda: len(events) > 1, 20)
    assert events[0]["type"] == "step_began"
    first = events[1]
    assert (first["type"], first["call_id"], first["tool"]) == ("step_progress", "c1", "describe_layer")
    assert first["percent"] == 20, "40 % of the first of two algorithms"
    assert first["run_id"].startswith("run-")
    WORLD.go = True
    assert run_until(lambda: bool(outcomes), 20) and outcomes[0]["envelope"]["ok"]
    controller.close()


def test_the_share_of_a_step_in_its_plan(bench: Bench, provider: None) -> None:
    """Half of the second of four is three eighths."""
    step = RunAlgorithm(
        "agentprogress:slow", {"INPUT": memory_layer("Point", [])}, analysis_context(bench.host.project)
    )
    step.feedback.setProgress(50)
    assert step.progress() == 50.0
    step.share = (1, 4)
    assert step.progress() == 37.5


# QGIS is about to be busy


class Painted(QObject):
    """Whether a widget was drawn while it showed some words."""

    def __init__(self, line: ToolLine) -> None:
        super().__init__()
        self.words = ""
        self._line = line
        line._why.viewport().installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint:
            self.words = self._line.why()
        return False


def told_while_held(
    dock: AgentDock, controller: FakeController, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> tuple[ToolLine, Painted, list[dict[str, Any]]]:
    _controller, events = real(bench, monkeypatch)
    line = begin(dock, controller, "describe_layer")
    painted = Painted(line)
    WORLD.look = lambda: painted.words
    _controller.run_event.connect(controller.run_event)
    layer(bench)
    bench.outcome("describe_layer", layer_id="points")
    _controller.close()
    return line, painted, events


def test_that_qgis_will_not_answer_is_on_the_screen_before_it_is_so(
    dock: AgentDock, controller: FakeController, bench: Bench, provider: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool_of(monkeypatch, "agentprogress:onmain")
    line, _painted, events = told_while_held(dock, controller, bench, monkeypatch)
    assert WORLD.seen == [HELD, "after"]
    told = [(each["type"], each["holds"]) for each in events if each["type"] == "step_holds"]
    assert told == [("step_holds", True), ("step_holds", False)]
    assert line.why() == "", "the words go when it is over"


def test_a_tool_that_holds_qgis_itself_says_so_too(
    dock: AgentDock, controller: FakeController, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    WORLD.seen = []

    def handler(call: Any, layer_id: str, **_more: Any) -> Any:
        yield BeforeHold()
        WORLD.seen.append(WORLD.look())
        return Answer({"layer_id": layer_id})

    monkeypatch.setitem(REGISTRY, "describe_layer", Tool("describe_layer", "read", "task", handler))
    told_while_held(dock, controller, bench, monkeypatch)
    assert WORLD.seen == [HELD]


def test_words_of_progress_come_back_after_a_hold(dock: AgentDock, controller: FakeController) -> None:
    line = begin(dock, controller)
    controller.say("tool_progress", call_id="c1", tool="buffer_layer", text="12 of 40")
    controller.say("step_holds", call_id="c1", tool="buffer_layer", holds=True)
    assert line.why() == HELD
    controller.say("step_holds", call_id="c1", tool="buffer_layer", holds=False)
    assert line.why() == "12 of 40"


# what is still stopping


def test_what_is_still_stopping_is_said_after_half_a_second_until_it_has_ended(
    dock: AgentDock, controller: FakeController
) -> None:
    controller.say("still_stopping", tools=["buffer_layer"])
    QTest.qWait(250)
    assert not dock.stopping.isVisible(), "many end within some milliseconds"
    QTest.qWait(450)
    assert dock.stopping.isVisible()
    assert dock.stopping.text() == "Still stopping: Buffering …"
    assert dock.stopping.accessibleName() == dock.stopping.text()
    controller.say("still_stopping", tools=["buffer_layer", "spatial_join"])
    assert dock.stopping.text() == "Still stopping: Buffering …, Joining … to … by place"
    controller.say("still_stopping", tools=[])
    assert not dock.stopping.isVisible()


def test_what_stops_within_half_a_second_is_not_said(dock: AgentDock, controller: FakeController) -> None:
    controller.say("still_stopping", tools=["buffer_layer"])
    QTest.qWait(100)
    controller.say("still_stopping", tools=[])
    QTest.qWait(600)
    assert not dock.stopping.isVisible()


def test_detached_work_reaches_the_dock_also_after_its_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    controller, events = real(bench, monkeypatch)
    controller.stop()
    assert run_until(lambda: not controller.running, 5)
    work = SimpleNamespace(tool="buffer_layer")
    bench.host.detached.add(work)
    bench.host.detached.remove(work)
    assert events == [
        {"type": "still_stopping", "tools": ["buffer_layer"]},
        {"type": "still_stopping", "tools": []},
    ]
    controller.close()


def test_a_third_long_call_is_shown_as_any_error(dock: AgentDock, controller: FakeController) -> None:
    """Its message stands under its step, the hint in the card of the run's error."""
    detached = Detached()
    for _ in range(2):
        detached._work.append(SimpleNamespace(tool="buffer_layer"))
    with pytest.raises(ToolError) as caught:
        detached.require_room()
    envelope = caught.value.envelope
    line = begin(dock, controller)
    controller.say(
        "tool_finished", call_id="c1", tool="buffer_layer", ok=False, code="RATE_LIMITED",
        message=envelope["message"], ms=1,
    )  # fmt: skip
    assert line.state() == "failed"
    assert line.why() == "2 earlier analyses are still stopping; QGIS cannot interrupt them."
    controller.end(ok=False, termination="failed", error=envelope)
    card = dock.conversation.runs()[-1].error
    assert card is not None and card.message == envelope["message"]
    assert envelope["hint"].startswith("Wait until they have ended")


# the command line


def test_the_command_line_writes_a_line_every_two_seconds_at_most() -> None:
    clock = [100.0]
    out = io.StringIO()
    lines = ProgressLines(out, lambda: clock[0])
    for at, tool, value in (
        (0.0, "buffer_layer", 5),
        (1.9, "buffer_layer", 20),
        (2.0, "buffer_layer", 30),
        (4.5, "zonal_statistics", 7),
        (6.4, "zonal_statistics", 8),
    ):
        clock[0] = 100.0 + at
        lines.tell("c1", tool, value)
    assert out.getvalue().splitlines() == ["buffer_layer: 5 %", "buffer_layer: 30 %", "zonal_statistics: 7 %"]


def test_the_command_line_hears_of_progress(bench: Bench) -> None:
    out = io.StringIO()
    tell_progress(bench.calls, out)
    gc.collect()
    bench.calls.progressed.emit("c1", "buffer_layer", 12)
    assert out.getvalue() == "buffer_layer: 12 %\n"
