"""/compact in the panel: what it asks for, what it says of the end, and what the meter shows then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.PyQt.QtCore import QLocale
from qgis.PyQt.QtTest import QTest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gui.cards.error_card import NoticeLine
from qgis_agent.gui.dock.dock import AgentDock

USAGE = {"input_tokens": 9000, "output_tokens": 120, "cached_tokens": 0, "source": "provider", "cost": "$0.0200"}
DONE = {"done": True, "reason": "", "before": 40_000, "after": 12_000, "usage": USAGE, "kind": "summarised"}


@pytest.fixture
def controller() -> FakeController:
    return FakeController()


@pytest.fixture
def dock(qtbot: Any, controller: FakeController) -> Iterator[AgentDock]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    made = AgentDock(controller, list)
    qtbot.addWidget(made)
    made.resize(380, 600)
    made.show()
    yield made
    QLocale.setDefault(before)


def said(dock: AgentDock) -> list[str]:
    QTest.qWait(5)
    return [
        each.accessibleName() or each.text() for each in dock.conversation.findChildren(NoticeLine) if each.isVisible()
    ]


def compact(dock: AgentDock) -> None:
    dock.composer.set_text("/compact")
    dock.composer.submit()


def talk(dock: AgentDock, controller: FakeController) -> None:
    dock.send("schools?")
    used = {"turn": 1, "input_tokens": 50_000, "output_tokens": 10, "cached_tokens": 0, "source": "provider"}
    controller.say("usage", **used, context_tokens=50_000, context_limit=100_000, pressure="ok", cost="$0.1000")
    controller.end(answer="25")


def test_it_says_before_and_after_and_the_meter_falls(dock: AgentDock, controller: FakeController) -> None:
    talk(dock, controller)
    compact(dock)
    method, params, answer = controller.asked[-1]
    assert (method, params) == ("session/compact", {"session_id": "s-now"})
    assert any("Summarising" in each for each in said(dock))
    answer(DONE, "")
    words = said(dock)
    assert len(words) == 1 and "40,000" in words[0] and "12,000" in words[0] and "summarised" in words[0]
    lines = dock.status.usage.lines()
    assert "22 %" in lines[0] and "22,000" in lines[1], "28,000 of 50,000 tokens are gone"
    assert "calls: 2" in lines[2] and "59,130" in lines[2] and "$0.1200" in lines[3]


def test_results_that_are_left_out_are_told_apart(dock: AgentDock, controller: FakeController) -> None:
    talk(dock, controller)
    compact(dock)
    controller.asked[-1][2]({**DONE, "kind": "pruned", "usage": None}, "")
    assert "results of tools" in said(dock)[0]


@pytest.mark.parametrize(
    ("told", "problem", "words"),
    [
        ({"done": False, "reason": "short", "before": 900, "after": 900}, "", "about 900 tokens"),
        ({"done": False, "reason": "offline", "before": 0, "after": 0}, "", "offline commands"),
        ({"done": False, "reason": "model", "message": "The key is not accepted."}, "", "The key is not accepted."),
        ({"done": False, "reason": "model"}, "", "too long"),
        ({"done": False, "reason": "in_use"}, "", "Another QGIS"),
        (None, "The agent process ended.", "The agent process ended."),
        ({}, "", "could not be summarised"),
    ],
)
def test_why_not_is_told(dock: AgentDock, controller: FakeController, told: Any, problem: str, words: str) -> None:
    talk(dock, controller)
    compact(dock)
    controller.asked[-1][2](told, problem)
    assert len(said(dock)) == 1 and words in said(dock)[0]
    compact(dock)
    assert len(controller.asked) == 2, "it can be tried again"


def test_nothing_is_asked_of_an_empty_conversation_in_a_run_or_twice(
    dock: AgentDock, controller: FakeController
) -> None:
    compact(dock)
    assert "Nothing has been said" in dock.composer.note.text()
    dock.send("schools?")
    compact(dock)
    assert "A run goes on" in dock.composer.note.text()
    controller.end(answer="25")
    assert controller.asked == []
    compact(dock)
    compact(dock)
    assert len(controller.asked) == 1 and "already" in dock.composer.note.text()


def test_another_conversation_hears_nothing_of_it(dock: AgentDock, controller: FakeController) -> None:
    talk(dock, controller)
    compact(dock)
    controller.session_id = "s-new"
    dock.new_conversation()
    controller.asked[-1][2](DONE, "")
    assert said(dock) == []
