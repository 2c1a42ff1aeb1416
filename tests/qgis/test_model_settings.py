"""Models in the settings: presets, limits, and the Test button through the real agent process to a loopback server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bad_endpoints import endpoint, models
from conftest import Answering, Bench
from model_server import ModelServer
from qgis.core import QgsSettings
from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from qgis_agent.bridge.model_test import CHECKS, CODES, FAIL, NOT_TESTED, WARN, line
from qgis_agent.gis import runs
from qgis_agent.gis.host import run_until
from qgis_agent.gis.model_test import ModelTester
from qgis_agent.gui.settings.models_presets import PRESETS, bare_name, full_name, preset
from qgis_agent.gui.settings.models_words import said
from qgis_agent.gui.settings.page import SettingsPage
from qgis_agent.gui.settings.store import (
    MODEL,
    KeyRing,
    Limits,
    ModelChoice,
    RoleChoice,
    controller_config,
    keys_missing,
    load_choice,
    save_choice,
)

ROOT = Path(__file__).resolve().parents[2]
AGENT_PYTHON = Path(os.environ.get("QGIS_AGENT_TEST_AGENT_PYTHON", ROOT / ".agent-env" / "bin" / "python"))
BASE = "https://models.example.com/v1"
KEY = "sk-canary-77b1c09de2"


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    yield
    QgsSettings().remove("qgis_agent")


class FakeTester(QObject):
    """Tells the lines that a test gives it."""

    line = pyqtSignal(dict)
    ended = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.configs: list[dict[str, Any]] = []

    def start(self, config: dict[str, Any]) -> None:
        self.running = True
        self.configs.append(config)

    def stop(self) -> None:
        if self.running:
            self.end("stopped")

    def end(self, why: str = "") -> None:
        self.running = False
        self.ended.emit(why)


@pytest.fixture
def page(qtbot: Any) -> Any:
    tester = FakeTester()
    made = SettingsPage(KeyRing(storage=False), lambda: None, lambda: None, None, tester)
    qtbot.addWidget(made)
    made.model_radio.setChecked(True)
    made.tester = tester
    return made


def choose(fields: Any, key: str) -> None:
    fields.provider_box.setCurrentIndex(fields.provider_box.findData(key))


# presets


@pytest.mark.parametrize(
    ("key", "typed", "sent"),
    [  # left of the slash: litellm's name of the interface, which it takes off again; the rest arrives as it was typed
        ("openai", "gpt-5-mini", "openai/gpt-5-mini"),
        ("anthropic", "claude-sonnet-4-6", "anthropic/claude-sonnet-4-6"),
        ("anthropic", "anthropic/claude-sonnet-4-6", "anthropic/claude-sonnet-4-6"),
        ("gemini", "gemini-2.5-flash", "gemini/gemini-2.5-flash"),
        ("openrouter", "anthropic/claude-sonnet-4.6", "openrouter/anthropic/claude-sonnet-4.6"),
        ("lm_studio", "openai/gpt-oss-20b", "openai/openai/gpt-oss-20b"),
        ("vllm", "Qwen/Qwen3-8B", "hosted_vllm/Qwen/Qwen3-8B"),
        ("ollama", "llama3.2:3b", "ollama_chat/llama3.2:3b"),
        ("other", " a-model ", "a-model"),
        ("other", "deepseek/deepseek-chat", "deepseek/deepseek-chat"),
    ],
)
def test_a_name_gets_the_interface_of_its_provider_once(key: str, typed: str, sent: str) -> None:
    assert full_name(preset(key), typed) == sent
    assert full_name(preset(key), bare_name(preset(key), sent)) == sent


def test_every_preset_has_a_source_and_local_ones_need_no_key() -> None:
    named = [each for each in PRESETS if each.key != "other"]
    assert all(each.source.startswith("https://") and each.example for each in named)
    assert {each.key for each in named if not each.needs_key} == {"ollama", "lm_studio", "vllm", "llama_cpp"}
    assert all(("//localhost:" in each.api_base) == (not each.needs_key) for each in named)
    assert len(named) == 12


def test_a_provider_fills_its_address_and_what_was_typed_comes_back(page: Any) -> None:
    fields = page.fields
    choose(fields, "deepseek")
    assert fields.base_edit.text() == "https://api.deepseek.com/v1"
    assert "deepseek-v4-flash" in fields.model_edit.placeholderText()
    fields.model_edit.setText("my-model")
    fields.key_edit.setText(KEY)
    choose(fields, "ollama")
    assert (fields.base_edit.text(), fields.model_edit.text()) == ("http://localhost:11434", "")
    assert fields.key_edit.text() == ""  # a key is only ever for the address that it was typed for
    choose(fields, "deepseek")
    assert fields.model_edit.text() == "my-model"


def test_a_choice_comes_back_into_the_fields(page: Any) -> None:
    choose(page.fields, "openrouter")
    page.model_edit.setText("qwen/qwen3-8b")
    page.apply()
    assert load_choice().model == "openrouter/qwen/qwen3-8b"
    again = SettingsPage(KeyRing(storage=False), lambda: None, lambda: None)
    assert again.provider_box.currentData() == "openrouter" and again.model_edit.text() == "qwen/qwen3-8b"


def test_settings_without_a_provider_are_read_by_their_address(page: Any) -> None:
    """As an earlier version wrote them."""
    save_choice(ModelChoice(MODEL, "gpt-4o", "https://api.openai.com/v1"))
    again = SettingsPage(KeyRing(storage=False), lambda: None, lambda: None)
    assert (again.provider_box.currentData(), again.model_edit.text()) == ("openai", "gpt-4o")
    save_choice(ModelChoice(MODEL, "gpt-4o", BASE))
    other = SettingsPage(KeyRing(storage=False), lambda: None, lambda: None)
    assert (other.provider_box.currentData(), other.base_edit.text()) == ("other", BASE)


# limits, roles, prices


def test_what_is_not_set_is_not_sent() -> None:
    config = controller_config(ModelChoice(MODEL, "m", BASE), KeyRing(storage=False))
    assert set(config) == {"kind", "model", "api_base", "api_key", "label"}


def test_limits_and_a_role_reach_the_agent_with_the_key_of_its_own_address() -> None:
    ring = KeyRing(storage=False)
    ring.remember(BASE, KEY)
    choice = ModelChoice(
        MODEL,
        "ollama_chat/big",
        "http://localhost:11434",
        preset="ollama",
        router=RoleChoice("other", "small", BASE),
        limits=Limits(tokens=50_000, cost=1.5, per_minute=20, context=32_768),
        prices_file="prices.json",
        local_only=True,
    )
    save_choice(choice)
    assert load_choice() == choice
    config = controller_config(load_choice(), ring)
    assert config["label"] == "big" and config["api_key"] == ""
    assert config["roles"] == {"router": {"model": "small", "api_base": BASE, "api_key": KEY, "label": "small"}}
    assert (config["budget_tokens"], config["budget_cost"]) == (50_000, 1.5)
    assert (config["requests_per_minute"], config["context_tokens"]) == (20, 32_768)
    assert (config["prices_file"], config["local_only"]) == ("prices.json", True)
    assert keys_missing(choice, ring)  # the one of the planner's address
    assert KEY not in " ".join(f"{key}={QgsSettings().value(key)}" for key in QgsSettings().allKeys())


def test_settings_that_somebody_broke_by_hand_are_no_limits() -> None:
    for key, value in (("tokens", "many"), ("cost", "-3"), ("per_minute", "nan"), ("context", "1e99")):
        QgsSettings().setValue("qgis_agent/model/limits/" + key, value)
    assert load_choice().limits == Limits()


def test_the_page_says_what_is_missing_only_when_asked(page: Any, tmp_path: Path) -> None:
    assert page.problem_label.isHidden()
    assert not page.isValid()
    assert "name of a model" in page.problem_label.text()
    page.model_edit.setText("m")
    assert "https://" in page.problem_label.text()
    page.base_edit.setText(BASE)
    assert page.problem_label.isHidden() and page.isValid()
    page.more_box.local_box.setChecked(True)
    assert "not local" in page.problem_label.text() and not page.isValid()
    page.base_edit.setText("http://192.168.1.20:8000/v1")
    assert page.isValid()
    page.more_box.prices_edit.setFilePath(str(tmp_path / "none.json"))
    assert "not there" in page.problem_label.text()


def test_more_is_folded_until_something_is_set(page: Any) -> None:
    assert page.more_box.isCollapsed()
    save_choice(ModelChoice(MODEL, "m", BASE, limits=Limits(tokens=1000)))
    again = SettingsPage(KeyRing(storage=False), lambda: None, lambda: None)
    assert not again.more_box.isCollapsed() and again.more_box.tokens_box.value() == 1000


def test_an_unencrypted_address_is_said(page: Any) -> None:
    page.base_edit.setText("http://models.example.com/v1")
    assert "not encrypted" in page.fields.key_note.text()
    page.base_edit.setText("http://localhost:11434")
    assert "not encrypted" not in page.fields.key_note.text()


# words


@pytest.mark.parametrize(("check", "code"), [(check, code) for check in CHECKS for code in (*CODES[check], NOT_TESTED)])
def test_every_line_has_a_sentence_and_a_bad_one_a_hint(check: str, code: str) -> None:
    each = line(check, code)
    sentence, hint = said(each)
    assert sentence.endswith((".", ": ")) and "{" not in sentence + hint
    assert bool(hint) == (each["state"] in (FAIL, WARN))


def test_words_of_a_server_are_shown_as_they_are_and_cut() -> None:
    near = ["<b>bold</b>", "x" * 500, "new\nline", 7, KEY]
    _, hint = said(line("model", "unknown", near=near))
    assert "<b>bold</b>" in hint and "newline" in hint and len(hint) < 400
    assert KEY not in hint  # a key by its shape
    _, hint = said(line("address", "wrong_path", address="javascript:alert(1)"))
    assert "javascript" not in hint


# the button


def ready(page: Any) -> None:
    page.model_edit.setText("a-model")
    page.base_edit.setText(BASE)
    page.key_edit.setText(KEY)


def test_the_button_tests_what_is_typed_and_keeps_nothing(page: Any) -> None:
    ready(page)
    page.test_panel.button.click()
    assert page.tester.configs == [{"model": "a-model", "api_base": BASE, "api_key": KEY}]
    assert page.test_panel.button.text() == "Stop the test"
    page.tester.line.emit(line("address", "reached"))
    page.tester.line.emit(line("key", "rejected"))
    page.tester.end()
    text = page.test_panel.text()
    assert "cannot work" in text and "API key (does not work): The server does not accept the key." in text
    assert page._ring.key(BASE) == "" and load_choice().model == ""


def test_the_verdict_follows_the_lines(page: Any) -> None:
    ready(page)
    for found, words in ((("tools", "as_text"), "within limits"), (("tools", "called"), "All that the agent needs")):
        page.test_panel.button.click()
        page.tester.line.emit(line(*found))
        page.tester.end()
        assert words in page.test_panel.text()


def test_an_edit_takes_old_lines_away_and_a_second_click_stops(page: Any) -> None:
    ready(page)
    page.test_panel.button.click()
    page.tester.line.emit(line("address", "reached"))
    page.test_panel.button.click()
    assert "stopped" in page.test_panel.text() and not page.tester.running
    page.test_panel.button.click()
    page.base_edit.setText(BASE + "/x")
    assert page.test_panel.lines == [] and not page.tester.running


def test_nothing_is_tested_before_the_fields_are_filled(page: Any) -> None:
    page.test_panel.button.click()
    assert page.tester.configs == [] and not page.problem_label.isHidden()


# through the real agent process


@pytest.fixture
def controller(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[runs.RunController]:
    if not AGENT_PYTHON.exists():
        pytest.fail(f"{AGENT_PYTHON} is missing: run make setup")
    found = SimpleNamespace(ok=True, message="")
    others = {"locate": lambda: AGENT_PYTHON.parent.parent, "check": lambda _folder: found}
    real = SimpleNamespace(**{**vars(runs.environment), **others, "python_of": lambda _folder: AGENT_PYTHON})
    monkeypatch.setattr(runs, "environment", real)
    made = runs.RunController(bench.host, Answering(), records=bench.folder)
    yield made
    made.close()


class Listening:
    """A tester with all that it said."""

    def __init__(self, controller: runs.RunController) -> None:
        self.tester = ModelTester(controller)
        self.lines: list[dict[str, Any]] = []
        self.ends: list[str] = []
        self.tester.line.connect(self.lines.append)
        self.tester.ended.connect(self.ends.append)

    def test(self, **config: Any) -> dict[str, str]:
        """What a test said, by check."""
        self.lines.clear()
        count = len(self.ends)
        self.tester.start({"api_key": KEY, **config})
        assert run_until(lambda: len(self.ends) > count, 120)
        return {each["check"]: each["code"] for each in self.lines}


def test_a_test_goes_through_the_agent_and_leaves_nothing_behind(controller: Any, bench: Bench) -> None:
    listening = Listening(controller)
    ticks: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start(20)
    with ModelServer() as server:
        found = listening.test(model="status401", api_base=server.base_url)
        assert server.authorizations[-1] == f"Bearer {KEY}"
    assert found["key"] == "rejected" and found["tools"] == NOT_TESTED and listening.ends == [""]
    assert len(ticks) > 20  # the event loop went on while litellm was imported
    with endpoint({"/v1/models": models("a-model", KEY)}) as (origin, _):
        assert listening.test(model="b-model", api_base=origin + "/v1")["model"] == "unknown"
    assert KEY not in json.dumps(listening.lines)
    written = b"".join(each.read_bytes() for each in bench.folder.rglob("*") if each.is_file())
    assert KEY.encode() not in written


def test_a_stop_is_at_once_and_another_test_goes(controller: Any) -> None:
    listening = Listening(controller)
    with ModelServer() as server:
        listening.test(model="status401", api_base=server.base_url)  # litellm is loaded
        listening.tester.start({"model": "silent", "api_base": server.base_url, "api_key": KEY})
        assert run_until(lambda: len(server.requests) > 1, 20)
        listening.tester.stop()
        assert listening.ends[-1] and not listening.tester.running
        assert run_until(server.closed_early.is_set, 5)
        assert listening.test(model="status401", api_base=server.base_url)["key"] == "rejected"


def test_an_agent_that_dies_ends_the_test_with_words(controller: Any) -> None:
    listening = Listening(controller)
    with ModelServer() as server:
        listening.tester.start({"model": "silent", "api_base": server.base_url, "api_key": KEY})
        assert run_until(lambda: len(server.requests) > 0, 120)
        controller._agent.kill()
        assert run_until(lambda: bool(listening.ends), 10)
    assert listening.ends[0] and not listening.tester.running


def test_a_model_that_is_refused_does_not_stop_the_next_one(controller: Any) -> None:
    states: list[str] = []
    controller.status_changed.connect(lambda state, _text: states.append(state))
    bad = {"kind": "model", "model": "m", "api_base": BASE, "api_key": KEY, "local_only": True}
    controller.configure_model(bad)
    assert run_until(lambda: "broken" in states, 60)
    listening = Listening(controller)
    with ModelServer() as server:
        assert listening.test(model="status401", api_base=server.base_url)["key"] == "rejected"
    states.clear()
    controller.configure_model({"kind": "offline"})
    assert run_until(lambda: "idle" in states, 60)
