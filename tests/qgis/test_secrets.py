"""Secrets on the QGIS side: no sink of this process writes one that it knows, and settings keep none (B18)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsApplication, QgsSettings, QgsVectorLayer
from qgis.PyQt.QtGui import QGuiApplication

from qgis_agent.bridge.redaction import HIDDEN
from qgis_agent.gis import secrets
from qgis_agent.gis.agent_process import AgentProcess
from qgis_agent.gis.runs import RunController
from qgis_agent.gui.dock.run_view import RunView
from qgis_agent.gui.settings.store import (
    MODEL,
    STORED,
    KeyRing,
    ModelChoice,
    controller_config,
    load_choice,
    save_choice,
)
from qgis_agent.gui.surfaces import GlyphButton

KEY = "Kanarie-6h2k-Vogel-88"
BASE = "https://models.example.com/v1"


@pytest.fixture
def logged(qgis_app: Any) -> Iterator[list[str]]:
    """What QGIS's message log gets."""
    found: list[str] = []

    def keep(*said: Any) -> None:
        found.append(str(said[0]))

    QgsApplication.messageLog().messageReceived.connect(keep)
    yield found
    QgsApplication.messageLog().messageReceived.disconnect(keep)


@pytest.fixture(autouse=True)
def known() -> None:
    """As after the person's entry of the key."""
    KeyRing(storage=False).remember(BASE, KEY)


def test_the_message_log(logged: list[str]) -> None:
    """A line, and a traceback of an error whose text has the key."""
    secrets.log(f"the server said {KEY}")
    try:
        raise ValueError(f"bad header Bearer {KEY} password='p4ss word'")
    except ValueError:
        secrets.log_fault()
    said = "\n".join(logged)
    assert "the server said" in said and "ValueError: bad header" in said
    assert KEY not in said and "p4ss word" not in said and said.count(HIDDEN) >= 3


def test_what_the_agent_process_writes(logged: list[str]) -> None:
    """Its standard error and its log, also where a line is cut at its limit inside the key."""
    AgentProcess._log(f"warning: {KEY}")
    assert logged and KEY not in logged[-1]
    assert KEY[:12] not in secrets.without_secrets("x" * 495 + KEY)[:500]


def test_results_errors_and_cards(bench: Bench) -> None:
    """A value, a field's name, an error's text and a card; the token of a prepared write stays whole."""
    layer = memory_layer("Point?crs=EPSG:4326&field=owner:string(60)", [("POINT(1 2)", [KEY])], "owners")
    bench.add(layer)
    outcome = bench.outcome("query_features", layer_id="owners")
    assert outcome["envelope"]["ok"] and KEY not in json.dumps(outcome) and HIDDEN in json.dumps(outcome)
    refused = bench.outcome("count_features", layer_id=KEY)
    assert not refused["envelope"]["ok"] and KEY not in json.dumps(refused)
    token = bench.ok("prepare_export_layer", layer_id="owners", path="out.gpkg")["confirm_token"]
    assert bench.host.ledger.pending(token) is not None
    layer.setName(f"owners {KEY}")
    asking = Answering("deny")
    bench.calls.approver = asking
    bench.issue(caller="chat", level="read_only")
    bench.call("toggle_layer", layer_id="owners", visible=False)
    assert asking.cards and KEY not in json.dumps(asking.cards, default=str)


def test_passwords_of_layers_are_known_when_they_come(bench: Bench) -> None:
    """A driver's error that tells the password without its name is redacted from the moment the layer is there."""
    uri = "dbname='gis' host=127.0.0.1 port=9 connect_timeout=1 user='u' password='z9-Zeisig' key='id' table=\"t\" (g)"
    assert "z9-Zeisig" in secrets.without_secrets("FATAL: z9-Zeisig")
    bench.host.project.addMapLayer(QgsVectorLayer(uri, "pg", "postgres"))
    assert "z9-Zeisig" not in secrets.without_secrets("FATAL: z9-Zeisig")
    assert "z9-Zeisig" not in json.dumps(bench.outcome("describe_layer", layer_id="pg"))


def test_the_copied_answer(qtbot: Any) -> None:
    """The button "Copy the answer"."""
    view = RunView()
    qtbot.addWidget(view)
    view.finish({"ok": True, "termination": "completed", "answer": f"The key is {KEY}.", "steps": []}, [])
    QGuiApplication.clipboard().setText("")
    buttons = [each for each in view.findChildren(GlyphButton) if each.accessibleName() == "Copy the answer"]
    assert len(buttons) == 1
    buttons[0].click()
    assert QGuiApplication.clipboard().text() == f"The key is {HIDDEN}."


def test_what_the_dock_is_told(bench: Bench) -> None:
    """Events and the report of a run, whatever the agent process sends."""
    controller = RunController(bench.host, Answering(), records=bench.folder)
    controller.when_ready = lambda _then: None  # type: ignore[method-assign]
    told: list[dict[str, Any]] = []
    controller.run_event.connect(told.append)
    controller.finished.connect(told.append)
    assert controller.start("hello")
    run = controller._run
    assert run is not None
    controller._agent_event({"type": "notice", "run_id": run.capability.run_id, "text": f"401: {KEY}"})
    controller._end_run(run, {"ok": True, "termination": "completed", "answer": f"It is {KEY}"})
    controller.close()
    assert len(told) == 2 and KEY not in json.dumps(told) and json.dumps(told).count(HIDDEN) == 2


def test_keys_of_a_configuration_are_known() -> None:
    """However deep: of roles, of an address with user info; but no name of a model."""
    secrets.know_all({"kind": "model", "model": "gpt-x-12345", "roles": {"router": {"api_key": "Rolle-77-Meise"}}})
    secrets.know_all({"api_base": "https://u:adr3sse-p@models.example.com/v1"})
    said = secrets.without_secrets("gpt-x-12345 Rolle-77-Meise adr3sse-p")
    assert said == f"gpt-x-12345 {HIDDEN} {HIDDEN}"


def test_b18_a_saved_key_survives_a_restart(qgis_app: Any) -> None:
    """Recipe: save, new QgsSettings instance, read. The settings hold no key; the encrypted database does."""
    manager = QgsApplication.authManager()
    if manager.isDisabled() or not manager.setMasterPassword("for this test", True):
        pytest.skip("this QGIS has no usable authentication database")
    QgsSettings().remove("qgis_agent/model")
    try:
        save_choice(ModelChoice(MODEL, "m", BASE, STORED))
        assert KeyRing().store(BASE, KEY)
        again = QgsSettings()
        again.sync()
        assert all(KEY not in str(again.value(each)) for each in again.allKeys())
        assert controller_config(load_choice(), KeyRing())["api_key"] == KEY
        KeyRing().forget(BASE)
        assert controller_config(load_choice(), KeyRing())["api_key"] == ""
    finally:
        KeyRing().forget(BASE)
        QgsSettings().remove("qgis_agent/model")
