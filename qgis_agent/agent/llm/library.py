"""Loading litellm: late, once, on a thread of its own, and kept quiet.

The import takes about four seconds and 185 MB. Without the settings below it also opens a connection, reads a ``.env`` file
of the current folder, and gives up on answers that repeat a short piece (coordinates do).
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import threading
import warnings
from importlib.metadata import version
from typing import Any

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_TELEMETRY": "False",
    "REPEATED_STREAMING_CHUNK_LIMIT": "1000000000",
}
_REFUSED_VERSIONS = ("1.82.7", "1.82.8")
"""Releases with a credential stealer (March 2026)."""
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "httpcore", "openai")
_lock = threading.Lock()
_loaded: dict[str, Any] = {}


def load() -> Any:
    """The litellm module; blocks while it is imported. ImportError when it is absent or a refused version."""
    with _lock:
        if "litellm" not in _loaded:
            os.environ.update(_ENVIRONMENT)
            _refuse_bad_versions()
            warnings.filterwarnings("ignore", module=r"pydantic\..*")
            module: Any = importlib.import_module("litellm")
            module.suppress_debug_info = True
            module.telemetry = False
            for name in _LOGGERS:  # they write a provider's text, which can hold the key
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
            _loaded["httpx"] = importlib.import_module("httpx")
            _loaded["litellm"] = module
        return _loaded["litellm"]


def httpx_timeout(connect_s: float, idle_s: float) -> Any:
    """Timeouts of one request: to connect, and between two pieces of the answer (also before the first). After ``load``."""
    return _loaded["httpx"].Timeout(connect_s, connect=connect_s, read=idle_s, write=30.0, pool=connect_s)


def httpx_module() -> Any:
    """The httpx that litellm uses. After ``load``."""
    return _loaded["httpx"]


async def loaded() -> Any:
    """The litellm module; the event loop goes on while it is imported, and a stop does not wait for it."""
    if "litellm" in _loaded:
        return _loaded["litellm"]
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(module: Any, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(module)

    def work() -> None:
        module: Any = None
        problem: Exception | None = None
        try:
            module = load()
        except Exception as error:  # noqa: BLE001  handed to the one who waits
            problem = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, module, problem)

    threading.Thread(target=work, name="load-litellm", daemon=True).start()
    return await future


def _refuse_bad_versions() -> None:
    installed = version("litellm")
    if installed in _REFUSED_VERSIONS:
        raise ImportError(f"litellm {installed} is a compromised release and is not loaded")
