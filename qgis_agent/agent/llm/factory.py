"""From the parameters of ``model/configure`` to a client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...bridge.messages import CatalogueLayer
from ..offline.client import OfflineClient
from .litellm_client import LiteLLMClient
from .scripted import ScriptedClient, parse_turns
from .types import ModelClient

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
        model = _text(config, "model")
        if not model:
            raise ValueError("model: the name of a model is missing")
        return LiteLLMClient(model, api_base=_text(config, "api_base"), api_key=_text(config, "api_key"), label=label)
    raise ValueError(f"kind: must be offline, script or model, not {kind!r}")


def _text(config: dict[str, Any], key: str) -> str:
    value = config.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key}: must be a string")  # the value may be a key: it is not repeated
    return (value or "").strip()
