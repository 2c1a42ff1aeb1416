"""The page "Data and limits": what a person sees and sets there, and that every run is started with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Answering, Bench
from qgis.core import QgsSettings
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QAbstractSpinBox, QCheckBox, QComboBox, QFormLayout, QPushButton, QScrollArea

from qgis_agent.agent.governance.person_limits import BOUNDS, MOST_COST
from qgis_agent.agent.governance.profile import CEILING
from qgis_agent.bridge import messages
from qgis_agent.gis import run_choices
from qgis_agent.gis.at_home import projection
from qgis_agent.gis.audit import EVENTS
from qgis_agent.gis.runs import RunController
from qgis_agent.gui.settings.data_page import DataFactory, DataPage
from qgis_agent.gui.settings.page import SettingsFactory
from qgis_agent.gui.settings.permissions_page import PermissionsPage
from qgis_agent.gui.settings.store import KeyRing


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    yield
    QgsSettings().remove("qgis_agent")


@pytest.fixture
def page(qtbot: Any) -> Any:
    told: list[tuple[str, dict[str, Any]]] = []
    made = DataPage(lambda kind, **fields: told.append((kind, fields)))
    made.told = told
    made.resize(760, 690)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_settings_offer_what_the_agent_keeps_to() -> None:
    """The two sides cannot import each other: the same numbers stand on both."""
    for name, (default, least, most) in run_choices.LIMITS.items():
        if name == "cost":
            assert (default, least, most) == (0, 0, MOST_COST)
        else:
            assert (least, most) == BOUNDS[name] and default == getattr(CEILING, name)
    assert set(BOUNDS) == set(run_choices.LIMITS) - {"cost"}


def test_the_page_begins_with_what_is_in_force(page: Any) -> None:
    assert {name: box.value() for name, box in page.limits_box.boxes.items()} == {
        "model_calls": 12, "tool_calls": 24, "tokens": 200_000, "model_s": 180, "tool_s": 60, "cost": 0,
    }  # fmt: skip
    assert page.limits_box.boxes["cost"].text() == "no limit"
    assert page.language_box.answers_box.currentData() == "" and not page.data_box.at_home_box.isChecked()


def test_limits_are_kept_with_apply_and_within_their_bounds(page: Any) -> None:
    boxes = page.limits_box.boxes
    boxes["model_calls"].setValue(10_000)
    boxes["cost"].setValue(0.25)
    assert run_choices.run_fields() == {}
    page.apply()
    assert run_choices.run_fields() == {"limits": {"model_calls": 60.0, "cost": 0.25}}
    page.limits_box.default_button.click()
    page.apply()
    assert run_choices.run_fields() == {}


@pytest.mark.parametrize("nonsense", ["many", "-3", "1e99", ""])
def test_a_damaged_setting_is_the_default(nonsense: str) -> None:
    QgsSettings().setValue("qgis_agent/run/model_calls", nonsense)
    QgsSettings().setValue("qgis_agent/run/language", nonsense)
    assert run_choices.limits()["model_calls"] == 12 and run_choices.language() == ""


def test_the_statement_follows_the_switch(page: Any) -> None:
    box = page.data_box
    assert "sample rows" in box.sent.text() and "sample rows" not in box.kept.text()
    box.at_home_box.setChecked(True)
    assert "sample rows" not in box.sent.text() and "sample rows" in box.kept.text()
    assert "counts" in box.sent.text() and "keys and passwords" in box.kept.text()
    assert not projection.wanted()


def test_the_switch_is_kept_and_recorded_once(page: Any) -> None:
    page.apply()
    page.data_box.at_home_box.setChecked(True)
    page.apply()
    page.apply()
    assert projection.wanted() and page.told == [("values_at_home", {"enabled": True})]
    assert "values_at_home" in EVENTS
    page.data_box.at_home_box.setChecked(False)
    page.apply()
    assert not projection.wanted() and len(page.told) == 2


def test_a_language_is_kept_and_another_is_refused(page: Any) -> None:
    box = page.language_box.answers_box
    assert [box.itemText(at) for at in range(box.count())][1:] == ["English", "简体中文"]
    box.setCurrentIndex(2)
    page.apply()
    assert run_choices.run_fields() == {"language": "zh"}
    with pytest.raises(ValueError, match="fr"):
        run_choices.choose_language("fr")


def test_everything_has_a_name_and_is_reached_by_the_keyboard(page: Any) -> None:
    controls = page.findChildren(QAbstractSpinBox) + page.findChildren(QCheckBox) + page.findChildren(QComboBox)
    controls += [each for each in page.findChildren(QPushButton) if each.isVisible()]
    assert len(controls) >= 9
    for each in controls:
        labelled = [form.labelForField(each) for form in page.findChildren(QFormLayout) if form.indexOf(each) >= 0]
        named = each.accessibleName() or getattr(each, "text", str)() or any(label is not None for label in labelled)
        assert named, each
        assert each.focusPolicy() != Qt.FocusPolicy.NoFocus, each


@pytest.mark.parametrize("kind", ["data", "models", "permissions"])
def test_the_pages_can_be_used_at_1280_by_720(qtbot: Any, bench: Bench, kind: str) -> None:
    """The options dialog is 1280 x 690 there, and its list of pages takes 220 or more: no page is cut off at the right, and what
    is below is reached by scrolling."""
    made = {
        "data": lambda: DataFactory(QIcon()).createWidget(),
        "models": lambda: SettingsFactory(QIcon(), KeyRing(storage=False), lambda: None, lambda: None).createWidget(),
        "permissions": lambda: PermissionsPage(bench.host.ledger.grants, bench.host.ledger.rules, lambda: None),
    }[kind]()
    qtbot.addWidget(made)
    made.resize(1280 - 220, 690 - 60)
    made.show()
    qtbot.wait(20)
    area = made.findChildren(QScrollArea)[0]
    assert area.horizontalScrollBar().maximum() == 0, "it is cut off at the right"
    assert made.minimumSizeHint().width() <= 1280 - 220 and made.minimumSizeHint().height() <= 690 - 60
    last = [each for each in made.findChildren(QAbstractSpinBox) + made.findChildren(QPushButton) if each.isVisible()][
        -1
    ]
    area.ensureWidgetVisible(last)
    qtbot.wait(20)
    shown = last.mapTo(area.viewport(), last.rect().center())
    assert area.viewport().rect().contains(shown)


def test_a_run_is_sent_what_was_chosen(bench: Bench) -> None:
    sent = _sent_with(bench, "count the people")
    assert "language" not in sent and "limits" not in sent
    run_choices.choose_language("zh")
    run_choices.choose_limits({"tool_calls": 3})
    sent = _sent_with(bench, "count the people")
    assert sent["language"] == "zh" and sent["limits"] == {"tool_calls": 3}


def _sent_with(bench: Bench, text: str) -> dict[str, Any]:
    """The parameters of ``run/start`` that a controller sends."""
    controller, agent = controller_of(bench)
    controller.start(text)
    controller.close()
    return agent.sent[-1]


class FakeAgent:
    """Takes requests, and answers none."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def request(self, method: str, params: dict[str, Any], _answered: Any) -> str:
        if method == messages.RUN_START:
            self.sent.append(params)
        return "1"

    def notify(self, *_args: Any) -> None:
        """Nothing hears it."""

    def cancel(self, *_args: Any) -> None:
        """Nothing hears it."""

    def close(self) -> None:
        """There is no process."""


def controller_of(bench: Bench) -> tuple[RunController, FakeAgent]:
    """A controller whose agent is up, and writes down what it is sent."""
    controller = RunController(bench.host, Answering())
    agent = FakeAgent()
    controller._agent, controller._ready = agent, True  # type: ignore[assignment]
    return controller, agent


def test_a_conversation_that_holds_values_does_not_go_on_with_the_switch(bench: Bench) -> None:
    """Its history goes to the model with every request. What began with the switch goes on; one run without it ends that."""
    controller, agent = controller_of(bench)
    told: list[dict[str, Any]] = []
    controller.run_event.connect(told.append)

    def say(at_home: bool) -> str:
        projection.choose(at_home)
        assert controller.start("count the people")
        controller._end_run(controller._run, messages.failed_report({}))  # type: ignore[arg-type]
        assert agent.sent[-1]["session_id"] == controller.session_id
        return controller.session_id

    first = say(False)
    assert say(False) == first and not told
    second = say(True)
    assert second != first and "new conversation" in told[-1]["text"] and told[-1]["type"] == "notice"
    assert say(True) == second and len(told) == 1
    assert say(False) == second
    third = say(True)
    assert third not in (first, second) and len(told) == 2
    assert controller.go_on_with(first)
    assert say(True) not in (first, second, third)
    assert controller.go_on_with(third)
    assert say(True) == third
    controller.new_conversation()
    assert say(True) == controller.session_id and len(told) == 3
    assert "filters" not in agent.sent[-1]["snapshot"] and agent.sent[-1]["snapshot"]["attribute_values"]
    controller.close()
