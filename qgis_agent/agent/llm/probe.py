"""The test of a model: what works with these settings and what does not, line by line.

Four requests and a list of models at most, one of them with ``NEEDED_TOKENS``: nothing of the project or of a conversation is in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...bridge.model_test import CHECKS, NOT_TESTED, line
from . import library
from .connection import Connection
from .keyless import is_local
from .probe_faults import fault
from .probe_requests import (
    CODE_WORD,
    COMFORT_TOKENS,
    NEEDED_TOKENS,
    TOOL_NAME,
    Attempt,
    attempt,
    calling,
    counting,
    long_request,
    picture,
    reported,
)
from .probe_server import ServerList, better_address, server_list
from .quirks import qualified_model, quirks_for
from .role_settings import RoleSettings
from .truncation import was_cut

OnLine = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class ProbeLimits:
    """Seconds: to connect, for a short answer, for the long request (a small computer reads it slowly), and what is slow."""

    connect_s: float = 10.0
    answer_s: float = 60.0
    long_s: float = 240.0
    slow_s: float = 10.0


class Probe:
    """One test. ``run`` gives every check once, in the order of CHECKS; each also goes to ``on_line`` as soon as it is known."""

    def __init__(self, settings: RoleSettings, on_line: OnLine, limits: ProbeLimits | None = None) -> None:
        self._settings = settings
        self._on_line = on_line
        self._limits = limits or ProbeLimits()
        self._model = qualified_model(settings.model, settings.api_base)
        quirks = quirks_for(settings.model, settings.api_base)
        if quirks.context_window is not None and settings.context_tokens:
            quirks = replace(quirks, context_window=settings.context_tokens)
        self._connection = Connection(
            self._model,
            quirks,
            api_base=settings.api_base,
            api_key=settings.api_key,
            connect_timeout_s=self._limits.connect_s,
            idle_timeout_s=self._limits.long_s,
        )
        self._list: ServerList | None = None
        self._lines: dict[str, dict[str, Any]] = {}

    async def run(self) -> list[dict[str, Any]]:
        """The lines of all checks. Cancelling the task ends the request that is going on."""
        try:
            await library.loaded()
        except Exception as error:  # noqa: BLE001  an environment that is broken: said in a line
            self._say(fault(error))
            return self._all()
        first = await attempt(self._connection, counting(), self._limits.answer_s)
        if await self._answers(first):
            self._stream(first)
            await self._tools()
            await self._context()
            await self._pictures()
        return self._all()

    def _say(self, told: dict[str, Any]) -> None:
        if told["check"] not in self._lines:
            self._lines[told["check"]] = told
            self._on_line(told)

    def _all(self) -> list[dict[str, Any]]:
        for check in CHECKS:
            if check not in self._lines:
                self._say(line(check, NOT_TESTED))
        return [self._lines[check] for check in CHECKS]

    # address, key, model

    async def _answers(self, first: Attempt) -> bool:
        """Whether the model answers at all; says the first three lines."""
        failed = first.failed or self._no_answer(first)
        if failed.get("code") in ("wrong_path", "web_page"):
            failed = await self._other_address(failed)
        elif not failed or failed["code"] in ("unknown", "too_small"):
            self._list = await self._ask_list()
        if failed.get("code") == "unknown":
            failed = line("model", "unknown", near=self._list.near(self._bare()) if self._list else [])
        if failed.get("check") == "context":
            failed = line("context", "too_small", tokens=first.sent, window=0)
        if failed.get("check") == "address":
            self._say(failed)
            return False
        if failed.get("code") == "no_answer":
            await self._silent(failed)
            return False
        if failed.get("code") == "missing":  # nothing was sent
            self._say(failed)
            return False
        self._say(line("address", "reached"))
        if failed.get("check") == "key":
            self._say(failed)
            return False
        if failed.get("code") not in (
            "rate_limited",
            "server_failed",
            "empty",
            "request_refused",
        ):  # those may come before the key is looked at
            self._say(line("key", "accepted" if self._settings.api_key else "not_needed"))
        if failed:
            self._say(failed)
            return False
        seconds = round(first.first_s, 1)
        self._say(line("model", "slow" if first.first_s > self._limits.slow_s else "answers", seconds=seconds))
        return True

    async def _silent(self, failed: dict[str, Any]) -> None:
        """Silence: a list of models tells a slow model from a server that says nothing."""
        self._list = await self._ask_list()
        if self._list is None:
            self._say(line("address", "no_answer"))
            return
        self._say(line("address", "reached"))
        self._say(failed)

    async def _ask_list(self) -> ServerList | None:
        return await server_list(self._model, self._settings.api_base, self._settings.api_key)

    async def _other_address(self, failed: dict[str, Any]) -> dict[str, Any]:
        """A path that is not there; or it is, as its list shows, and the model is what is not there."""
        self._list = await self._ask_list()
        if self._list is not None and failed["code"] == "wrong_path" and self._bare() not in self._list.names:
            return line("model", "unknown")
        address = await better_address(self._model, self._settings.api_base, self._settings.api_key)
        return line("address", str(failed["code"]), address=address)

    def _no_answer(self, first: Attempt) -> dict[str, Any]:
        """The line for a request that did not fail and has no answer; empty when it has one."""
        answer = first.answer
        if first.kind.startswith("text/html"):
            return line("address", "web_page", address="")
        if answer is None or not (answer.content or answer.reasoning or answer.tool_calls):
            return line("model", "empty")
        return {} if answer.finish_reason else line("model", "broke_off")

    def _bare(self) -> str:
        return self._model.partition("/")[2]

    # what it can do

    def _stream(self, first: Attempt) -> None:
        refused = "stream" in self._connection.refused
        self._say(line("stream", "refused" if refused else "in_pieces" if first.pieces > 1 else "one_piece"))

    async def _tools(self) -> None:
        tried = await attempt(self._connection, calling(), self._limits.answer_s)
        self._say(line("tools", self._tool_code(tried)))

    def _tool_code(self, tried: Attempt) -> str:
        answer, content = tried.answer, tried.content
        if tried.failed or answer is None or content is None:
            return "failed"
        calls = [each for each in answer.tool_calls if each.name.rpartition(".")[2] == TOOL_NAME]
        if calls:
            return "called" if reported(calls[0].arguments) else "bad_arguments"
        if any(name == TOOL_NAME for name, _ in content.calls):
            return "as_text"
        return "refused" if "tools" in self._connection.refused else "not_called"

    async def _context(self) -> None:
        window = self._window()
        if 0 < window < NEEDED_TOKENS:
            self._say(line("context", "too_small", tokens=NEEDED_TOKENS, window=window))
            return
        tried = await attempt(self._connection, long_request(), self._limits.long_s)
        self._say(self._context_line(tried, window))

    def _context_line(self, tried: Attempt, window: int) -> dict[str, Any]:
        code = tried.failed.get("code")
        if code == "no_answer":
            return line("context", "no_answer", tokens=tried.sent, seconds=tried.failed["facts"]["seconds"])
        if code == "too_small" or (code == "request_refused" and tried.failed["facts"]["status"] in (400, 413, 422)):
            return line("context", "too_small", tokens=tried.sent, window=window)
        if tried.failed:
            return line("context", "failed")
        read = tried.usage.input_tokens if tried.usage is not None else 0
        if CODE_WORD not in tried.text:
            if was_cut(tried.sent, read, self._connection.quirks.context_window):
                return line("context", "cut", tokens=tried.sent, read=read)
            return line("context", "forgotten", tokens=tried.sent)
        return line("context", "tight" if 0 < window < COMFORT_TOKENS else "fits", tokens=tried.sent, window=window)

    def _window(self) -> int:
        """Tokens that the model takes, as the request asks for them, the server says, or litellm's table has it; else 0."""
        asked = self._connection.quirks.context_window
        if asked is not None:
            return asked
        if self._list is not None and self._list.window(self._bare()):
            return self._list.window(self._bare())
        if is_local(self._settings.api_base):
            return 0  # a table is not about a model of the same name on one's own machine
        known = library.load().model_cost
        for name in (self._model, self._bare()):
            entry = known.get(name)
            if isinstance(entry, dict) and isinstance(entry.get("max_input_tokens"), int):
                return int(entry["max_input_tokens"])
        return 0

    async def _pictures(self) -> None:
        tried = await attempt(self._connection, picture(), self._limits.answer_s)
        self._say(line("pictures", "seen" if re.search(r"\borange\b", tried.text) else "not_seen"))
