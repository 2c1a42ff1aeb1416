"""The model that a person chose: name and address in QGIS's settings, the key never there.

A key lives in memory until QGIS closes or, when the person asks for it, encrypted in QGIS's authentication database,
under a name made from the address: a key is only ever sent to the address that it was given for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Dict

from qgis.core import QgsApplication, QgsSettings

from ...gis.secrets import know

PREFIX = "qgis_agent/"
OFFLINE = "offline"
MODEL = "model"
SESSION = "session"
STORED = "stored"


@dataclass
class ModelChoice:
    """What the settings page edits. ``keeping`` says where the key is: "session" or "stored"."""

    kind: str = OFFLINE
    model: str = ""
    api_base: str = ""
    keeping: str = SESSION


class KeyRing:
    """Keys by address. With ``storage=False`` only keys in memory count."""

    def __init__(self, storage: bool = True) -> None:
        self._in_memory: Dict[str, str] = {}
        self._storage = storage

    def can_store(self) -> bool:
        """Whether QGIS has a usable authentication database."""
        return self._storage and not QgsApplication.authManager().isDisabled()

    def remember(self, api_base: str, key: str) -> None:
        """Keep a key until QGIS closes."""
        know(key)
        self._in_memory[api_base] = key

    def store(self, api_base: str, key: str) -> bool:
        """Keep a key encrypted in QGIS's authentication database; QGIS may ask for its master password. False: it is not."""
        self.remember(api_base, key)
        return self.can_store() and bool(QgsApplication.authManager().storeAuthSetting(_entry(api_base), key, True))

    def forget(self, api_base: str) -> None:
        """Remove the key of an address, wherever it is."""
        self._in_memory.pop(api_base, None)
        manager = QgsApplication.authManager()
        if self.can_store() and manager.existsAuthSetting(_entry(api_base)):
            manager.removeAuthSetting(_entry(api_base))

    def is_stored(self, api_base: str) -> bool:
        """Whether the authentication database has a key for this address; does not ask for the master password."""
        return self.can_store() and QgsApplication.authManager().existsAuthSetting(_entry(api_base))

    def in_memory(self, api_base: str) -> bool:
        """Whether a key for this address is known until QGIS closes."""
        return bool(self._in_memory.get(api_base))

    def key(self, api_base: str) -> str:
        """The key for an address, "" when there is none. QGIS may ask for its master password."""
        known = self._in_memory.get(api_base)
        if known:
            return known
        if not self.is_stored(api_base):
            return ""
        key = str(QgsApplication.authManager().authSetting(_entry(api_base), "", True) or "")
        if key:
            self.remember(api_base, key)
        return key


def load_choice() -> ModelChoice:
    """The choice in QGIS's settings; offline commands when there is none."""
    settings = QgsSettings()
    kind = str(settings.value(PREFIX + "model/kind", OFFLINE))
    choice = ModelChoice(
        kind=kind if kind in (OFFLINE, MODEL) else OFFLINE,
        model=str(settings.value(PREFIX + "model/name", "") or ""),
        api_base=str(settings.value(PREFIX + "model/api_base", "") or ""),
        keeping=str(settings.value(PREFIX + "model/keeping", SESSION)),
    )
    return (
        choice
        if choice.kind == OFFLINE or choice.model
        else ModelChoice(OFFLINE, choice.model, choice.api_base, choice.keeping)
    )


def save_choice(choice: ModelChoice) -> None:
    """Write the choice to QGIS's settings; there is no key in it."""
    settings = QgsSettings()
    settings.setValue(PREFIX + "model/kind", choice.kind)
    settings.setValue(PREFIX + "model/name", choice.model)
    settings.setValue(PREFIX + "model/api_base", choice.api_base)
    settings.setValue(PREFIX + "model/keeping", choice.keeping)


def controller_config(choice: ModelChoice, ring: KeyRing) -> Dict[str, Any]:
    """The choice as RunController.configure_model takes it. QGIS may ask for its master password."""
    if choice.kind != MODEL:
        return {"kind": OFFLINE}
    return {"kind": MODEL, "model": choice.model, "api_base": choice.api_base, "api_key": ring.key(choice.api_base)}


def _entry(api_base: str) -> str:
    return "qgis_agent_model_" + hashlib.sha256(api_base.encode("utf-8")).hexdigest()[:16]
