"""Recordings: a run at both of its boundaries, model and QGIS, so that the whole harness can be run again without either.

One line is one run: {"schema": "qgis-agent/recording/1", "session_id", "start" (parameters of run/start, without the
capability), "locale", "window" (tokens that the model takes, null where nobody said), "marks" (random marks around data),
"catalogue" (layers when it began), "models": {role: records of llm/recording.py}, "bridge": [{"key", "result" | "error",
"catalogue" (where it had changed by then)}], "termination", "answer"}.

They hold every word and result unredacted, or the requests would not be the same: a file of its owner alone.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import tempfile
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...bridge.peer import RpcError
from ..context.catalogue import CatalogueStore
from ..llm.recording import RecordingClient, ReplayClient, ReplayMiss, canonical_bytes
from ..llm.roles import ROLES, RoleClients
from ..llm.types import ModelClient

if TYPE_CHECKING:
    from ..execution.context import QgisBridge
    from ..execution.registry import ToolRegistry

SCHEMA = "qgis-agent/recording/1"
MAX_BYTES = 256 * 1024 * 1024
Recording = dict[str, Any]


class _Tap(RecordingClient):
    """A recording client that is otherwise the client it records: limits, prices and warm-up are the same."""

    def __getattr__(self, name: str) -> Any:
        """What only the recorded client has."""
        if name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)


class TurnRecorder:
    """Writes one recording for each run to a file. It stands between the harness and both of its boundaries."""

    def __init__(self, path: Path, bridge: QgisBridge, catalogue: CatalogueStore, locale: str) -> None:
        self._path = path
        self._bridge = bridge
        self._catalogue = catalogue
        self._locale = locale
        self._now: Recording = {}
        self._revision = -1

    def clients(self, roles: RoleClients) -> RoleClients:
        """The clients of all roles, recorded."""
        found = {role: client for role in ROLES if (client := roles.for_role(role)) is not None}
        tapped: dict[Any, ModelClient] = {
            role: cast(ModelClient, _Tap(each, self._sink(role))) for role, each in found.items()
        }
        return RoleClients(tapped, roles.secrets(), roles.prices)

    @property
    def busy(self) -> bool:
        """Whether a run is being recorded."""
        return bool(self._now)

    async def around(
        self, params: Mapping[str, Any], window: int | None, run: Callable[[Mapping[str, Any]], Awaitable[Any]]
    ) -> Any:
        """Record one run; a file that cannot be written takes no answer away."""
        self.begin(params, window)
        report: Any = {}
        try:
            report = await run(params)
        finally:
            try:
                self.end(report)
            except OSError as error:
                sys.stderr.write(f"the recording could not be written: {error}\n")
        return report

    def _sink(self, role: str) -> Callable[[Mapping[str, Any]], None]:
        return lambda record: self._now["models"].setdefault(role, []).append(record) if self._now else None

    def begin(self, params: Mapping[str, Any], window: int | None) -> None:
        """A run begins."""
        self._revision = self._catalogue.revision
        self._now = {
            "schema": SCHEMA,
            "session_id": str(params.get("session_id", "")),
            "start": {key: value for key, value in params.items() if key not in ("capability", "map")},
            "locale": self._locale,
            "window": window,
            "marks": [],
            "catalogue": self._catalogue.layers(),
            "models": {},
            "bridge": [],
        }

    def mark(self) -> str:
        """A random mark, written down."""
        made = secrets.token_hex(4)
        self._now["marks"].append(made)
        return made

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge."""
        entry: dict[str, Any] = {"key": bridge_key(method, params)}
        try:
            result = await self._bridge.request(method, params)
        except RpcError as error:
            self._answered({**entry, "error": {"code": error.code, "message": error.message}})
            raise
        self._answered({**entry, "result": result})
        return result

    def _answered(self, entry: dict[str, Any]) -> None:
        if self._catalogue.revision != self._revision:
            self._revision = self._catalogue.revision
            entry["catalogue"] = self._catalogue.layers()
        self._now["bridge"].append(entry)

    def end(self, report: Mapping[str, Any]) -> None:
        """The run has ended: its line is written. OSError where that cannot be."""
        line = {
            **self._now,
            "ok": report.get("ok"),
            "termination": report.get("termination"),
            "answer": report.get("answer"),
        }
        self._now = {}
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with open(descriptor, "a", encoding="utf-8", newline="\n") as file:
            file.write(text)


def bridge_key(method: str, params: Mapping[str, Any]) -> str:
    """What a request to QGIS is, without the capability that is another each time."""
    kept = {key: value for key, value in params.items() if key != "capability"}
    return f"{method} {canonical_bytes(kept).decode('ascii')}"


class PlaybackBridge:
    """Answers as QGIS did: each request with the first answer to it that has not been given yet."""

    def __init__(self, recording: Recording, catalogue: CatalogueStore) -> None:
        self._answers: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
        for each in recording["bridge"]:
            self._answers[each["key"]].append(each)
        self._catalogue = catalogue
        self.missed = ""
        """The first request that was not recorded."""

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge."""
        key = bridge_key(method, params)
        if not self._answers[key]:
            self.missed = self.missed or f"QGIS was not asked this when it was recorded: {key[:300]}"
            raise RpcError(-32603, "not in the recording")
        entry = self._answers[key].popleft()
        if "catalogue" in entry:
            self._catalogue.replace(entry["catalogue"], "recorded")
        if "error" in entry:
            raise RpcError(entry["error"]["code"], entry["error"]["message"])
        return entry["result"]

    def left(self) -> str:
        """What was asked then and not now, or ""."""
        rest = next((key for key, each in self._answers.items() if each), "")
        return f"QGIS was asked this when it was recorded, and not now: {rest[:300]}" if rest else ""


class _Client(ReplayClient):
    """A replay client with the limits of the model that was recorded."""

    def __init__(self, records: Sequence[Mapping[str, Any]], window: int | None) -> None:
        super().__init__([dict(each) for each in records])
        self.settings = _Settings(window) if window is not None else None


class _Settings:
    vision = False

    def __init__(self, context_tokens: int) -> None:
        self.context_tokens = context_tokens


async def replay_turns(path: Path, registry: ToolRegistry) -> dict[str, Any]:
    """Run the recordings of a file again: {equal, runs, requests, first_difference: {run, what} | None}.

    Equal: every request to a model has the recorded bytes, QGIS is asked the same, and the runs end in the same way with the
    same answer. ValueError where the file is no recording.
    """
    from ..run_service import RunService

    recordings = read_recordings(path)
    requests = 0
    with tempfile.TemporaryDirectory(prefix="qgis-agent-turns-") as folder:
        bridge = _Late()
        service = RunService(bridge, lambda _event: None, registry, Path(folder), str(recordings[0]["locale"]))
        for number, recording in enumerate(recordings, 1):
            playback = bridge.answers = PlaybackBridge(recording, service.catalogue)
            service.catalogue.replace(recording["catalogue"], "recorded")
            clients: dict[Any, _Client] = {
                role: _Client(each, recording["window"]) for role, each in recording["models"].items()
            }
            clients.setdefault("planner", _Client([], recording["window"]))
            service.play(RoleClients(dict(clients)), _one_by_one(recording["marks"]))
            told = await service.run({**recording["start"], "capability": "recorded"})
            requests += sum(len(each.seen) for each in clients.values())
            what = _difference(recording, dict(told), list(clients.values()), playback)
            if what:
                difference = {"run": number, "what": what}
                return {"equal": False, "runs": number, "requests": requests, "first_difference": difference}
    return {"equal": True, "runs": len(recordings), "requests": requests, "first_difference": None}


def _one_by_one(marks: Sequence[str]) -> Callable[[], str]:
    left = deque(marks)
    return lambda: left.popleft() if left else ""


class _Late:
    """A bridge whose answers are known after the service that asks was made."""

    def __init__(self) -> None:
        self.answers: PlaybackBridge | None = None

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge."""
        if self.answers is None:
            raise RpcError(-32603, "not in the recording")
        return await self.answers.request(method, params)


def _difference(
    recording: Recording, report: Mapping[str, Any], clients: Sequence[ReplayClient], bridge: PlaybackBridge
) -> str:
    """What of a run is not as it was recorded, the earliest cause first; "" where it is."""
    for client in clients:
        try:
            client.assert_complete()
        except ReplayMiss as miss:
            return bridge.missed or str(miss)
    if bridge.missed or bridge.left():
        return bridge.missed or bridge.left()
    for key in ("termination", "answer"):
        if report.get(key) != recording[key]:
            return f"{key}: recorded {str(recording[key])[:200]!r}, now {str(report.get(key))[:200]!r}"
    return ""


def read_recordings(path: Path) -> list[Recording]:
    """The recordings of a file. ValueError that names the line that is none."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError("the file is too large for recordings")
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        value = json.loads(line)
        parts = {"start": dict, "marks": list, "catalogue": list, "models": dict, "bridge": list, "locale": str}
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise ValueError(f"line {number}: is no recording")
        wrong = [key for key, kind in parts.items() if not isinstance(value.get(key), kind)]
        if wrong:
            raise ValueError(f"line {number}: {wrong[0]} is missing or of another kind")
        found.append(value)
    if not found:
        raise ValueError("there is no recording in it")
    return found
