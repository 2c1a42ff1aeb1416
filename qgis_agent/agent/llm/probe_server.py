"""What a server says of itself when it is asked for its list of models: names, the sizes of their contexts, a better address.

Only a test of the settings asks for it. The list is a help, never a condition: many servers have none.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from . import library

LIST_TIMEOUT_S = 8.0
MAX_LIST_BYTES = 8_000_000
"""A list of models takes up to one megabyte (OpenRouter's, November 2026)."""
MAX_NEAR = 5
_MAX_NAME = 80
_WINDOWS = ("loaded_context_length", "max_model_len", "context_length", "context_window", "inputTokenLimit")
"""The fields in which LM Studio, vLLM, OpenRouter, Groq and Gemini say how many tokens a model takes."""
_ENDINGS = ("/chat/completions", "/completions", "/models", "/responses")


@dataclass(frozen=True)
class ServerList:
    """The models of a server, and the sizes of their contexts (tokens) where it says them."""

    names: tuple[str, ...]
    windows: Mapping[str, int] = field(default_factory=dict)

    def window(self, model: str) -> int:
        """The context of a model in tokens, 0 where it is not said."""
        return self.windows.get(model, 0)

    def near(self, model: str) -> list[str]:
        """Up to five names that are most like ``model``, or the first five."""
        by_low = {each.lower(): each for each in reversed(self.names)}
        found = difflib.get_close_matches(model.lower(), list(by_low), MAX_NEAR, 0.4)
        chosen = [by_low[each] for each in found] or list(self.names[:MAX_NEAR])
        return [each[:_MAX_NAME] for each in chosen]


async def server_list(model: str, api_base: str, api_key: str) -> ServerList | None:
    """The list of the server at ``api_base``; None where it gives none. ``model`` is qualified. Never raises for the server."""
    provider = model.partition("/")[0]
    if not api_base:
        return None
    base = api_base.rstrip("/")
    headers = {}
    if api_key:
        headers = {"Authorization": f"Bearer {api_key}"}
        if provider == "gemini":
            headers = {"x-goog-api-key": api_key}
        elif provider == "anthropic":
            headers = {"x-api-key": api_key, "anthropic-version": "2023-06-01"}
    path = {"ollama_chat": "/api/tags", "anthropic": "/v1/models"}.get(provider, "/models")
    return _read(await _get(base.removesuffix("/v1") + path if provider == "ollama_chat" else base + path, headers))


async def better_address(model: str, api_base: str, api_key: str) -> str:
    """An address on the same server that has a list of models where ``api_base`` has none; "" when none was found."""
    for each in _candidates(api_base) if model.startswith("openai/") else ():
        if await server_list(model, each, api_key) is not None:
            return each
    return ""


def _candidates(api_base: str) -> Iterator[str]:
    base = api_base.rstrip("/")
    parts = urlsplit(base)
    origin = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    found: dict[str, None] = {}
    for ending in _ENDINGS:
        if base.endswith(ending):
            found[base.removesuffix(ending)] = None
    if not base.endswith("/v1"):
        found[base + "/v1"] = None
    for path in ("/v1", "/api/v1", "/openai/v1"):
        found[origin + path] = None
    found.pop(base, None)
    yield from found


async def _get(url: str, headers: Mapping[str, str]) -> Any:
    """The JSON at an address; None for anything else."""
    httpx = library.httpx_module()
    body = bytearray()
    try:
        async with (
            httpx.AsyncClient(timeout=LIST_TIMEOUT_S, follow_redirects=False) as client,
            client.stream("GET", url, headers=dict(headers)) as answer,
        ):
            if answer.status_code != 200:
                return None
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > MAX_LIST_BYTES:
                    return None
        return json.loads(bytes(body))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
        return None  # a server without a list is as good as any: the requests of the test say what works


def _read(answer: Any) -> ServerList | None:
    entries = None
    if isinstance(answer, dict):
        entries = answer.get("data") if isinstance(answer.get("data"), list) else answer.get("models")
    if not isinstance(entries, list):
        return None
    names: list[str] = []
    windows: dict[str, int] = {}
    for each in entries:
        name = _name(each)
        if name:
            names.append(name)
            window = next((each[key] for key in _WINDOWS if isinstance(each.get(key), int)), 0)
            if window > 0:
                windows[name] = window
    return ServerList(tuple(names), windows)


def _name(entry: Any) -> str:
    if not isinstance(entry, dict):
        return ""
    name = entry.get("id") or entry.get("name")
    return name.removeprefix("models/") if isinstance(name, str) else ""
