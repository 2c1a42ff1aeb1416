"""Models without a key: none is asked for over the network where one is needed, and none is sent where there is none."""

from __future__ import annotations

import importlib
from typing import Any

from ...bridge.addresses import is_local
from .types import ModelError

__all__ = ["NO_KEY", "client_without_key", "is_local", "require_key"]

NO_KEY = "no-key"
"""Given to litellm where no key is set: it would else take one from the environment, meant for somebody else."""
_WITHOUT_KEY = ("ollama", "ollama_chat", "lm_studio", "vllm", "hosted_vllm", "llamafile", "xinference")
"""Providers whose own address, when none is given, is this machine."""


def require_key(model: str, api_base: str, api_key: str) -> None:
    """ModelError "auth", before anything is sent, for a server outside the own network when no key is set."""
    local = is_local(api_base) if api_base else model.partition("/")[0] in _WITHOUT_KEY
    if not api_key and not local:
        raise ModelError(
            "auth",
            "No key is set for the model's server.",
            hint="Enter the key in the settings. A server that takes none accepts any word as key.",
        )


def client_without_key(model: str, api_base: str, httpx: Any) -> Any:
    """A client for an OpenAI-compatible server that sends no Authorization header; None for other interfaces, which have
    other headers. Call it on the loop that it is used on, after litellm was loaded; ``httpx`` is the module."""
    if not model.startswith("openai/") or not api_base:
        return None
    openai: Any = importlib.import_module("openai")  # it comes with litellm

    async def without_authorization(request: Any) -> None:
        request.headers.pop("Authorization", None)

    plain = httpx.AsyncClient(event_hooks={"request": [without_authorization]}, follow_redirects=True)
    return openai.AsyncOpenAI(api_key=NO_KEY, base_url=api_base, max_retries=0, http_client=plain)
