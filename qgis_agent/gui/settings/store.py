"""The model that a person chose: name and address in QGIS's settings, the key never there.

A key lives in memory until QGIS closes or, when the person asks for it, encrypted in QGIS's authentication database,
under a name made from the address: a key is only ever sent to the address that it was given for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Dict

from qgis.core import QgsApplication, QgsSettings

from ...gis.secrets import know
from .models_presets import bare_name, preset
from .sight import sees

PREFIX = "qgis_agent/"
OFFLINE = "offline"
MODEL = "model"
SESSION = "session"
STORED = "stored"


@dataclass
class RoleChoice:
    """A model for one kind of work beside the main one; without a name the main one does it."""

    preset: str = ""
    model: str = ""
    api_base: str = ""


@dataclass
class Limits:
    """What may be spent until QGIS closes or the settings change. 0: no limit; ``context``: 0 leaves it to the program.

    ``cost`` is in the currency of the model's price, ``per_minute`` counts requests, the others are tokens.
    """

    tokens: int = 0
    cost: float = 0.0
    per_minute: int = 0
    context: int = 0


@dataclass
class ModelChoice:
    """What the settings page edits. ``keeping`` says where the key is: "session" or "stored"."""

    kind: str = OFFLINE
    model: str = ""
    api_base: str = ""
    keeping: str = SESSION
    preset: str = ""
    router: RoleChoice = field(default_factory=RoleChoice)
    vision: RoleChoice = field(default_factory=RoleChoice)
    limits: Limits = field(default_factory=Limits)
    prices_file: str = ""
    local_only: bool = False


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
    kind = _text("kind", OFFLINE)
    choice = ModelChoice(
        kind=kind if kind in (OFFLINE, MODEL) else OFFLINE,
        model=_text("name"),
        api_base=_text("api_base"),
        keeping=_text("keeping", SESSION),
        preset=_text("preset"),
        router=RoleChoice(_text("router/preset"), _text("router/name"), _text("router/api_base")),
        vision=RoleChoice(_text("vision/preset"), _text("vision/name"), _text("vision/api_base")),
        limits=Limits(
            tokens=int(_number("limits/tokens")),
            cost=_number("limits/cost"),
            per_minute=int(_number("limits/per_minute")),
            context=int(_number("limits/context")),
        ),
        prices_file=_text("prices_file"),
        local_only=QgsSettings().value(PREFIX + "model/local_only", False, type=bool) is True,
    )
    return choice if choice.kind == OFFLINE or choice.model else replace(choice, kind=OFFLINE)


def save_choice(choice: ModelChoice) -> None:
    """Write the choice to QGIS's settings; there is no key in it."""
    values = {
        "kind": choice.kind,
        "name": choice.model,
        "api_base": choice.api_base,
        "keeping": choice.keeping,
        "preset": choice.preset,
        "router/preset": choice.router.preset,
        "router/name": choice.router.model,
        "router/api_base": choice.router.api_base,
        "vision/preset": choice.vision.preset,
        "vision/name": choice.vision.model,
        "vision/api_base": choice.vision.api_base,
        "limits/tokens": choice.limits.tokens,
        "limits/cost": choice.limits.cost,
        "limits/per_minute": choice.limits.per_minute,
        "limits/context": choice.limits.context,
        "prices_file": choice.prices_file,
        "local_only": choice.local_only,
    }
    settings = QgsSettings()
    for name, value in values.items():
        settings.setValue(PREFIX + "model/" + name, value)


def controller_config(choice: ModelChoice, ring: KeyRing) -> Dict[str, Any]:
    """The choice as RunController.configure_model takes it. QGIS may ask for its master password."""
    if choice.kind != MODEL:
        return {"kind": OFFLINE}
    config = _one_model(choice.model, choice.api_base, choice.preset, ring)
    config["kind"] = MODEL
    limits = choice.limits
    given = {
        "budget_tokens": limits.tokens,
        "budget_cost": limits.cost,
        "requests_per_minute": limits.per_minute,
        "context_tokens": limits.context,
        "prices_file": choice.prices_file,
        "local_only": choice.local_only,
        "vision": bool(sees(choice.model, choice.api_base)),
    }
    config.update({key: value for key, value in given.items() if value})
    roles = {"router": choice.router, "vision": choice.vision}
    given_roles = {
        name: _one_model(each.model, each.api_base, each.preset, ring) for name, each in roles.items() if each.model
    }
    if given_roles:
        config["roles"] = given_roles
    return config


def keys_missing(choice: ModelChoice, ring: KeyRing) -> bool:
    """Whether a key has yet to be read from the authentication database, which may ask for the master password."""
    if choice.kind != MODEL:
        return False
    bases = [choice.api_base, *(each.api_base for each in (choice.router, choice.vision) if each.model)]
    return not all(ring.in_memory(each) for each in bases)


def shown_name(choice: ModelChoice) -> str:
    """The model as its provider names it, "" when none is chosen."""
    return bare_name(preset(choice.preset), choice.model)


def _one_model(model: str, api_base: str, preset_key: str, ring: KeyRing) -> Dict[str, Any]:
    """Name, address and key, and what the dock calls it: the provider's own name."""
    label = bare_name(preset(preset_key), model)
    return {"model": model, "api_base": api_base, "api_key": ring.key(api_base), "label": label}


def _text(name: str, default: str = "") -> str:
    return str(QgsSettings().value(PREFIX + "model/" + name, default) or default)


def _number(name: str) -> float:
    """A number that is 0 or more; 0 for anything else: a person may have edited the file of settings."""
    try:
        value = float(QgsSettings().value(PREFIX + "model/" + name, 0) or 0)
    except (TypeError, ValueError):
        return 0.0
    return value if 0 <= value < 1e12 else 0.0


def _entry(api_base: str) -> str:
    return "qgis_agent_model_" + hashlib.sha256(api_base.encode("utf-8")).hexdigest()[:16]
