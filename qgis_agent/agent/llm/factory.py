"""From the parameters of ``model/configure`` to clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...bridge.messages import CatalogueLayer
from ..offline.client import OfflineClient
from .keyless import is_local
from .prices import PRICES_PATH, PriceTable, load_prices
from .role_settings import settings_of
from .roles import ROLES, RoleClients, language_model, model_client
from .scripted import ScriptedClient, parse_turns
from .types import ModelClient, Role

OFFLINE_LABEL = "offline commands"


def build_client(config: dict[str, Any], catalogue: Callable[[], list[CatalogueLayer]]) -> ModelClient:
    """The client that ``config`` describes; ``catalogue`` gives the project's layers as they are when it is called.

    Nothing slow happens here: litellm is imported by the first request or by ``warm_up``. Raises ValueError that says what
    is wrong with ``config``.
    """
    kind = config.get("kind")
    label = _text(config, "label")
    if kind == "offline":
        return OfflineClient(catalogue, label or OFFLINE_LABEL)
    if kind == "script":
        return ScriptedClient(parse_turns(config.get("turns")), label or "script")
    if kind == "model":
        return language_model(settings_of(config, ""))
    raise ValueError(f"kind: must be offline, script or model, not {kind!r}")


def build_roles(config: dict[str, Any], catalogue: Callable[[], list[CatalogueLayer]]) -> RoleClients:
    """The clients of all roles: ``config`` itself is the planner's, ``config["roles"]`` holds the others' (same form).

    ``roles.planner`` may add limits to the planner. ``local_only`` refuses every address outside this machine and its private
    network. ``prices_file`` names a person's own price table. Raises ValueError that says what is wrong.
    """
    roles = {} if config.get("roles") is None else config["roles"]
    if not isinstance(roles, Mapping) or not all(isinstance(each, Mapping) for each in roles.values()):
        raise ValueError("roles: must be an object of objects")
    unknown = sorted(set(roles) - set(ROLES))
    if unknown:
        raise ValueError(f"roles: unknown role {str(unknown[0])!r}; allowed: {', '.join(ROLES)}")
    wanted: dict[Role, dict[str, Any]] = {"planner": {**config, **roles.get("planner", {})}}
    for role in ROLES:
        if role != "planner" and role in roles:
            wanted[role] = {"kind": "model", **roles[role]}
    prices = _prices(config)
    local_only = config.get("local_only") is True
    clients: dict[Role, ModelClient] = {}
    for role, each in wanted.items():
        clients[role] = _role_client(role, each, catalogue, prices, local_only=local_only)
    keys = [_text(each, "api_key") for each in wanted.values()]
    return RoleClients(clients, tuple(dict.fromkeys(key for key in keys if key)), prices)


def _role_client(
    role: Role,
    config: dict[str, Any],
    catalogue: Callable[[], list[CatalogueLayer]],
    prices: PriceTable | None,
    *,
    local_only: bool,
) -> ModelClient:
    if config.get("kind") != "model":
        return build_client(config, catalogue)
    place = "" if role == "planner" else f"roles.{role}."
    settings = settings_of(config, place)
    if local_only and not is_local(settings.api_base):
        raise ValueError(f"{place}api_base: only addresses on this machine or its private network are allowed")
    return model_client(settings, prices)


def _prices(config: dict[str, Any]) -> PriceTable | None:
    own = _text(config, "prices_file")
    return load_prices(PRICES_PATH, Path(own)) if own else None


def _text(config: Mapping[str, Any], key: str) -> str:
    value = config.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key}: must be a string")  # the value may be a key: it is not repeated
    return (value or "").strip()
