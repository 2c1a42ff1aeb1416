"""A model, a QGIS side and an event sink that say what a test tells them to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qgis_agent.agent.context.catalogue import CatalogueStore
from qgis_agent.agent.execution.context import ToolContext
from qgis_agent.agent.execution.registry import ToolRegistry
from qgis_agent.agent.governance.factory import LoopRuntimeBundle, RunOptions, build_loop_runtime_bundle
from qgis_agent.agent.governance.profile import PROFILES, AgentProfile
from qgis_agent.agent.llm.types import LLMResponse, ModelClient, ModelError, OnText, ProviderRequest, ToolCall, Usage
from qgis_agent.agent.records.redact import Redactor
from qgis_agent.agent.records.sessions import Session, SessionStore
from qgis_agent.agent.records.trace import RunRecorder, new_trace_id
from qgis_agent.bridge.envelope import success
from qgis_agent.bridge.messages import EVENT_FIELDS

REGISTRY = ToolRegistry.load()
LAYERS = [
    {
        "layer_id": "streets",
        "name": "街道",
        "kind": "polygon",
        "group": "底图 / 行政",
        "abstract": "Subdistricts",
        "visible": True,
        "crs": "EPSG:4326",
        "fields": [{"name": "name", "alias": "名称", "type": "text"}, {"name": "area", "alias": "", "type": "number"}],
    },
    {
        "layer_id": "schools",
        "name": "Schools 2023",
        "kind": "point",
        "group": "POI",
        "abstract": "",
        "visible": False,
        "crs": "EPSG:4326",
        "fields": [{"name": "level", "alias": "", "type": "text"}],
    },
    {
        "layer_id": "hospitals",
        "name": "医院",
        "kind": "point",
        "group": "POI",
        "abstract": "",
        "visible": False,
        "crs": "EPSG:4326",
        "fields": [],
    },
]


def answer(text: str, finish_reason: str = "stop", usage: Usage | None = None) -> LLMResponse:
    """A turn that is text only."""
    return LLMResponse(text, (), finish_reason, usage or Usage())


def calls(*wanted: tuple[str, Any], text: str = "", finish_reason: str = "tool_calls") -> LLMResponse:
    """A turn that calls tools: (name, arguments); arguments as a string are sent as they stand."""
    made = tuple(
        ToolCall(f"c{at}", name, arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))
        for at, (name, arguments) in enumerate(wanted)
    )
    return LLMResponse(text, made, finish_reason)


Turn = LLMResponse | ModelError | Callable[[ProviderRequest], Any]


class FakeClient:
    """Plays turns; the last one is repeated. A callable gets the request and gives a turn, or an awaitable of one."""

    def __init__(self, *turns: Turn, kind: str = "script") -> None:
        self.kind = kind
        self.label = "fake"
        self.requests: list[ProviderRequest] = []
        self._turns = turns

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """See ModelClient."""
        self.requests.append(request)
        turn: Any = self._turns[min(len(self.requests), len(self._turns)) - 1]
        if callable(turn) and not isinstance(turn, ModelError):
            turn = turn(request)
            if asyncio.iscoroutine(turn):
                turn = await turn
        if isinstance(turn, ModelError):
            raise turn
        if turn.content:
            on_text(turn.content)
        return turn  # type: ignore[no-any-return]


class FakeBridge:
    """The QGIS side: an envelope (or a callable of the parameters) by name of the tool; every request is kept."""

    def __init__(self, **answers: Any) -> None:
        self.requests: list[dict[str, Any]] = []
        self.revision: str | None = None
        """None: QGIS does not know, so nothing is cached."""
        self._answers = answers

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge."""
        if method == "project/revision":
            return {"revision": self.revision}
        assert method == "tools/call"
        self.requests.append(params)
        given = self._answers.get(params["name"], success({}, "done"))
        if callable(given):
            given = given(params)
            if asyncio.iscoroutine(given):
                given = await given
        return (
            given if "envelope" in given else {"envelope": given, "actions": [], "legend": [], "evidence": [], "ms": 1}
        )

    def names(self) -> list[str]:
        """The tools that were called."""
        return [each["name"] for each in self.requests]


class ListEvents:
    """Keeps events; text as ("text", delta)."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    def emit(self, kind: str, /, **fields: Any) -> None:
        """See Events. Every event has exactly its declared fields."""
        assert set(fields) == set(EVENT_FIELDS[kind]), (kind, fields)
        self.seen.append((kind, fields))

    def text(self, delta: str) -> None:
        """See Events."""
        self.seen.append(("text", delta))

    def reset_text(self) -> None:
        """See Events."""
        self.seen.append(("text_reset", {}))

    def kinds(self) -> list[str]:
        """Kinds in order."""
        return [kind for kind, _ in self.seen]


async def no_sleep(_seconds: float) -> None:
    """A sleep that takes no time."""


@dataclass
class Bench:
    """A session in a folder, on which runs are made one after the other."""

    folder: Path
    session_id: str = "s-1"
    snapshot: dict[str, Any] = field(default_factory=lambda: {"project": "city", "visible": ["streets"]})
    redactor: Redactor = field(default_factory=Redactor)

    def __post_init__(self) -> None:
        self.store = SessionStore(self.folder, self.redactor)
        self.catalogue = CatalogueStore()
        self.catalogue.replace(LAYERS, "p1")
        self.runs = 0

    @property
    def session(self) -> Session:
        """The session."""
        return self.store.get(self.session_id)

    @property
    def path(self) -> Path:
        """Its file."""
        return self.folder / "sessions" / f"{self.session_id}.jsonl"

    def context(self, bridge: FakeBridge, *, enabled: tuple[str, ...] = (), caller: str = "chat") -> ToolContext:
        """What the tools of a run are bound to."""
        return ToolContext(
            run_id=f"run-{self.runs}",
            session_id=self.session_id,
            capability="cap",
            caller=caller,
            bridge=bridge,
            catalogue=self.catalogue,
            snapshot=self.snapshot,
            enabled_packs=enabled,
        )

    def bundle(
        self,
        text: str,
        client: ModelClient,
        bridge: FakeBridge,
        *,
        profile: AgentProfile | None = None,
        enabled: tuple[str, ...] = (),
        events: ListEvents | None = None,
        offline: Callable[[], ModelClient] | None = None,
        options: RunOptions | None = None,
        registry: ToolRegistry = REGISTRY,
    ) -> LoopRuntimeBundle:
        """The runtime of one run; its waits take no time."""
        self.runs += 1
        recorder = RunRecorder(self.session, f"run-{self.runs}", new_trace_id())
        bundle = build_loop_runtime_bundle(
            registry,
            client,
            self.context(bridge, enabled=enabled),
            profile or PROFILES["gis-build"],
            session=self.session,
            text=text,
            events=events or ListEvents(),
            recorder=recorder,
            offline=offline,
            options=options,
        )
        bundle.caller._sleep = no_sleep
        bundle.runtime._sleep = no_sleep
        return bundle

    def run(self, text: str, client: ModelClient, bridge: FakeBridge | None = None, **options: Any) -> dict[str, Any]:
        """One run to its report, with ``state`` and ``bundle`` beside it."""
        bundle = self.bundle(text, client, bridge or FakeBridge(), **options)

        async def whole() -> None:
            bundle.recorder.start("gis-build", "fake", self.snapshot)
            await bundle.run()

        asyncio.run(whole())
        report: dict[str, Any] = dict(bundle.recorder.report(bundle.state, ["Schools 2023"]))
        changes = [f"pack:{each}" for each in bundle.materializer.growths] + bundle.context.prefix_events
        bundle.recorder.finish(bundle.recorder.report(bundle.state), bundle.state, changes)
        return {**report, "state": bundle.state, "bundle": bundle}
