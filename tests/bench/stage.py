"""The stage on which the harness is measured: a model and a QGIS side without latency, and a session that may be unwritten."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qgis_agent.agent.context.catalogue import CatalogueStore
from qgis_agent.agent.execution.context import ToolContext
from qgis_agent.agent.execution.registry import ToolRegistry, ToolSpec
from qgis_agent.agent.governance.factory import LoopRuntimeBundle, build_loop_runtime_bundle
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.agent.llm.types import LLMResponse, OnText, ProviderRequest
from qgis_agent.agent.records.redact import Redactor
from qgis_agent.agent.records.sessions import Session, SessionStore
from qgis_agent.agent.records.trace import RunRecorder, new_trace_id

TOOL_COUNT = 20


def encoded(messages: Sequence[Any], tools: Sequence[Any]) -> bytes:
    """A request as it would go over the wire."""
    body = {"model": "bench", "stream": True, "messages": messages, "tools": tools}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


class InstantModel:
    """Plays turns, each at once. It encodes nothing: that is the work of a client, and a row of its own."""

    kind = "script"
    label = "bench"

    def __init__(self, turns: Sequence[LLMResponse], on_request: Callable[[ProviderRequest], None]) -> None:
        self._turns = turns
        self._on_request = on_request
        self.asked = 0

    async def complete(self, request: ProviderRequest, on_text: OnText) -> LLMResponse:
        """See ModelClient."""
        self._on_request(request)
        turn = self._turns[self.asked]
        self.asked += 1
        if turn.content:
            on_text(turn.content)
        return turn


class InstantQgis:
    """Answers every call at once, with the next of ``envelopes``; the last one is repeated."""

    def __init__(self, envelopes: Sequence[Mapping[str, Any]]) -> None:
        self._envelopes = envelopes
        self.calls = 0

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See QgisBridge."""
        envelope = self._envelopes[min(self.calls, len(self._envelopes) - 1)]
        self.calls += 1
        return {"envelope": dict(envelope), "actions": [], "legend": [], "evidence": [], "ms": 1}


class NoEvents:
    """Nobody watches."""

    def emit(self, kind: str, /, **fields: Any) -> None:
        """See Events."""

    def text(self, delta: str) -> None:
        """See Events."""

    def reset_text(self) -> None:
        """See Events."""


class UnwrittenSession(Session):
    """A session whose records go nowhere."""

    def write(self, kind: str, **fields: Any) -> None:
        """Nothing."""


def twenty_tools() -> ToolRegistry:
    """Tools of four typed parameters each, read only."""
    parameters = {
        "type": "object",
        "additionalProperties": False,
        "required": ["layer_id"],
        "properties": {
            "layer_id": {"type": "string", "minLength": 1, "maxLength": 80},
            "limit": {"type": "integer", "minimum": 1, "default": 20},
            "method": {"type": "string", "enum": ["count", "sum", "mean"]},
            "fields": {"type": "array", "items": {"type": "string"}, "maxItems": 60},
        },
    }
    specs = tuple(
        ToolSpec(
            name=f"read_thing_{at:02}",
            pack="default",
            where="qgis",
            effect="read",
            description=f"Reads things of kind {at}. Use it for such things; not for others. Returns rows and a total.",
            progress="Reading {layer_id}",
            timeout_s=30.0,
            callers=("chat",),
            parameters=parameters,
        )
        for at in range(TOOL_COUNT)
    )
    return ToolRegistry(specs, {"default": "things"})


@dataclass
class Stage:
    """What a run is made of. ``folder`` is where its records go; None keeps them off the disk."""

    registry: ToolRegistry
    turns: Sequence[LLMResponse]
    envelopes: Sequence[Mapping[str, Any]]
    request: str
    snapshot: Mapping[str, Any] = field(default_factory=dict)
    layers: Sequence[dict[str, Any]] = ()
    history: Sequence[dict[str, Any]] = ()
    folder: Path | None = None

    def __post_init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._catalogue = CatalogueStore()
        self._catalogue.replace(list(self.layers), "p1")
        self._number = 0
        self.records_s = 0.0
        """CPU time so far of what is done once a run for its records: the sources of numbers, and the report."""

    def close(self) -> None:
        """End of the event loop."""
        self._loop.close()

    def play(self, on_request: Callable[[ProviderRequest, LoopRuntimeBundle], None] | None = None) -> None:
        """One run from the person's words to the report. Raises RuntimeError when it did not go as it should."""
        made: list[LoopRuntimeBundle] = []

        def seen(request: ProviderRequest) -> None:
            if on_request is not None:
                on_request(request, made[0])

        model, qgis = InstantModel(self.turns, seen), InstantQgis(self.envelopes)
        bundle = self._bundle(model, qgis)
        made.append(bundle)
        self._loop.run_until_complete(self._whole(bundle))
        calls = sum(len(each.tool_calls) for each in self.turns)
        state = bundle.state
        if (state.termination, model.asked, qgis.calls) != ("completed", len(self.turns), calls):
            raise RuntimeError(f"{state.termination} ({state.reason}): {model.asked} turns, {qgis.calls} calls")

    def _bundle(self, model: InstantModel, qgis: InstantQgis) -> LoopRuntimeBundle:
        self._number += 1
        session = self._session()
        session.messages[:] = self.history
        context = ToolContext(
            run_id=f"run-{self._number}",
            session_id=session.id,
            capability="cap",
            caller="chat",
            bridge=qgis,
            catalogue=self._catalogue,
            snapshot=self.snapshot,
        )
        return build_loop_runtime_bundle(
            self.registry,
            model,
            context,
            PROFILES["gis-build"],
            session=session,
            text=self.request,
            events=NoEvents(),
            recorder=RunRecorder(session, context.run_id, new_trace_id()),
        )

    def _session(self) -> Session:
        ident = f"s-{self._number}"
        if self.folder is None:
            return UnwrittenSession(ident, Path("unwritten"), Redactor(), lambda: 0.0)
        return SessionStore(self.folder, Redactor()).get(ident)

    async def _whole(self, bundle: LoopRuntimeBundle) -> None:
        began = time.process_time()
        bundle.recorder.start("gis-build", "bench", self.snapshot)
        middle = time.process_time()
        await bundle.loop.run(bundle.state)
        ended = time.process_time()
        report = bundle.recorder.report(bundle.state)
        bundle.recorder.finish(report, bundle.state, list(bundle.context.prefix_events))
        self.records_s += middle - began + time.process_time() - ended
