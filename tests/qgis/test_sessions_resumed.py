"""What the QGIS side does when an earlier conversation goes on: its session, grants and taint; and when there is no agent."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsProject

from qgis_agent.bridge import messages
from qgis_agent.gis import runs, sessions


@pytest.fixture
def controller(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[runs.RunController]:
    """A controller whose agent's environment is missing."""
    missing = SimpleNamespace(
        locate=lambda: bench.folder, check=lambda _folder: SimpleNamespace(ok=False, message="not built")
    )
    monkeypatch.setattr(runs, "environment", missing)
    made = runs.RunController(bench.host, Answering(), records=bench.folder)
    yield made
    made.close()


def test_an_earlier_conversation_counts_as_one_that_read_what_others_wrote(
    controller: runs.RunController, bench: Bench
) -> None:
    assert not bench.host.taint.tainted("s-1")
    assert controller.go_on_with("s-1") and controller.session_id == "s-1"
    assert bench.host.taint.tainted("s-1") and bench.host.taint.read("s-1") == []
    controller.new_conversation()
    assert not bench.host.taint.tainted(controller.session_id), "a new one begins clean"


def test_permissions_of_the_conversation_that_is_left_end(
    controller: runs.RunController, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    monkeypatch.setattr(bench.host.ledger, "session_ended", ended.append)
    left = controller.session_id
    controller.go_on_with(left)
    assert ended == [] and not bench.host.taint.tainted(left), "it is the same one"
    controller.go_on_with("s-1")
    assert ended == [left]


def test_in_a_run_no_other_conversation_is_gone_on_with(controller: runs.RunController) -> None:
    before = controller.session_id
    controller._run = object()  # type: ignore[assignment]  # any run
    assert not controller.go_on_with("s-1") and controller.session_id == before
    controller._run = None


def test_without_an_agent_process_the_answer_says_why(controller: runs.RunController) -> None:
    desk, told = sessions.Sessions(controller), []
    desk.find("", False, lambda rows, total, problem: told.append((rows, total, problem)))
    desk.rename("s-1", "title", lambda problem: told.append(problem))
    desk.read("s-1", lambda said, problem: told.append((said, problem)))
    assert told == [([], 0, "not built"), "not built", ([], "not built")]


def test_answers_that_are_none_are_told_as_failures() -> None:
    class Odd:
        host = SimpleNamespace(project=QgsProject.instance())

        def ask_agent(self, method: str, _params: dict[str, Any], done: Any) -> None:
            done(None if method == messages.SESSIONS_LIST else {"reason": "nonsense"}, "")

    desk, told = sessions.Sessions(Odd()), []  # type: ignore[arg-type]
    desk.find("", True, lambda rows, _total, problem: told.append((rows, problem)))
    desk.delete("s-1", told.append)
    desk.read("s-1", lambda said, problem: told.append((said, problem)))
    assert told == [([], sessions.why("failed")), sessions.why("failed"), ([], sessions.why("failed"))]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("one", "> one"), ("one\ntwo", "> one\n> two"), ("", ">"), ("# not a heading", "> # not a heading")],
)
def test_the_words_of_the_person_are_quotes_in_markdown(text: str, quoted: str) -> None:
    said = [{"role": "user", "text": text}, {"role": "assistant", "text": "| a |\n|---|"}]
    assert sessions.as_markdown("A\ntitle", said) == "# A title\n\n{}\n\n| a |\n|---|\n".format(quoted)


# what was being asked when QGIS, its project or a layer went


@pytest.fixture
def asking(bench: Bench) -> tuple[Bench, list[dict[str, Any]]]:
    """A call that waits for a person, on one of two layers."""
    for name in ("roads", "towns"):
        bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], name))
    bench.approver.answer = None
    bench.issue(level="read_only")
    outcomes: list[dict[str, Any]] = []
    assert bench.begin("toggle_layer", {"layer_id": "roads", "visible": False}, outcomes) is not None
    assert len(bench.approver.cards) == 1 and outcomes == []
    return bench, outcomes


def test_a_question_is_left_unanswered_when_the_project_closes(asking: tuple[Bench, list[dict[str, Any]]]) -> None:
    bench, outcomes = asking
    bench.host.project.clear()
    (outcome,) = outcomes
    assert (outcome["envelope"]["code"], outcome["envelope"]["reason"]) == ("PERMISSION_DENIED", "no_answer")
    assert bench.approver.withdrawn == 1 and bench.calls.leave_unanswered(), "its run ends by itself"
    bench.calls.end_run(bench.capability)
    assert not bench.calls.leave_unanswered()


def test_a_question_about_a_layer_that_goes_alone_is_cancelled(asking: tuple[Bench, list[dict[str, Any]]]) -> None:
    bench, outcomes = asking
    bench.host.project.removeMapLayer(bench.host.layers.by_alias("roads").id())
    assert [each["envelope"]["reason"] for each in outcomes] == ["layer_removed"] and bench.approver.withdrawn == 1
    assert not bench.calls.leave_unanswered()


def test_calls_that_ask_nobody_are_not_left_unanswered(bench: Bench) -> None:
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "roads"))
    assert bench.call("count_features", layer_id="roads")["ok"] and not bench.calls.leave_unanswered()
