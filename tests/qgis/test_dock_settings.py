"""Model settings: names in QGIS's settings, keys never; a key goes only to the address that it was given for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsApplication, QgsSettings

from qgis_agent.gui.settings.page import SettingsPage
from qgis_agent.gui.settings.store import (
    MODEL,
    OFFLINE,
    STORED,
    KeyRing,
    ModelChoice,
    controller_config,
    load_choice,
    save_choice,
)

BASE = "https://models.example.com/v1"
CANARY = "canary-key-7f3a"


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    yield
    QgsSettings().remove("qgis_agent")


def every_setting() -> str:
    settings = QgsSettings()
    settings.sync()
    words = " ".join(f"{key}={settings.value(key)}" for key in settings.allKeys())
    file = Path(settings.fileName())
    return words + (file.read_text(encoding="utf-8", errors="replace") if file.is_file() else "")


def test_offline_is_the_default() -> None:
    assert load_choice().kind == OFFLINE
    assert controller_config(load_choice(), KeyRing()) == {"kind": "offline"}


def test_a_choice_comes_back() -> None:
    save_choice(ModelChoice(MODEL, "a-model", BASE, STORED))
    assert load_choice() == ModelChoice(MODEL, "a-model", BASE, STORED)


def test_a_model_without_a_name_is_offline() -> None:
    save_choice(ModelChoice(MODEL, "", BASE))
    assert load_choice().kind == OFFLINE


def test_a_key_goes_only_to_its_address() -> None:
    ring = KeyRing()
    ring.remember(BASE, CANARY)
    assert controller_config(ModelChoice(MODEL, "m", BASE), ring)["api_key"] == CANARY
    assert controller_config(ModelChoice(MODEL, "m", "https://elsewhere.example.com/v1"), ring)["api_key"] == ""
    assert "api_key" not in controller_config(ModelChoice(OFFLINE, "m", BASE), ring)


@pytest.fixture
def page(qtbot: Any) -> Any:
    applied: list[bool] = []
    ring = KeyRing()
    made = SettingsPage(ring, lambda: applied.append(True), lambda: None)
    qtbot.addWidget(made)
    made.ring, made.applied = ring, applied
    return made


def test_the_page_keeps_the_key_out_of_the_settings(page: Any) -> None:
    page.model_radio.setChecked(True)
    page.model_edit.setText(" a-model ")
    page.base_edit.setText(BASE)
    page.key_edit.setText(CANARY)
    assert page.isValid()
    page.apply()
    assert page.applied == [True]
    assert load_choice().model == "a-model" and page.ring.key(BASE) == CANARY
    assert CANARY not in every_setting()
    assert page.key_edit.text() == ""


def test_an_address_that_is_none_leaves_it_offline(page: Any) -> None:
    page.model_radio.setChecked(True)
    page.model_edit.setText("a-model")
    page.base_edit.setText("file:///etc/passwd")
    assert not page.isValid()
    page.apply()
    assert load_choice().kind == OFFLINE


def test_a_stored_key_is_encrypted_and_can_be_forgotten(qgis_app: Any) -> None:
    manager = QgsApplication.authManager()
    if manager.isDisabled() or not manager.setMasterPassword("for this test", True):
        pytest.skip("this QGIS has no usable authentication database")
    ring = KeyRing()
    assert ring.store(BASE, CANARY)
    later = KeyRing()
    assert later.is_stored(BASE) and not later.in_memory(BASE)
    assert later.key(BASE) == CANARY
    assert CANARY not in every_setting()
    database = (
        Path(manager.authenticationDatabaseUri().replace("QSQLITE://", ""))
        if hasattr(manager, "authenticationDatabaseUri")
        else None
    )
    if database is not None and database.is_file():
        assert CANARY.encode() not in database.read_bytes()
    later.forget(BASE)
    assert not later.is_stored(BASE) and later.key(BASE) == ""
