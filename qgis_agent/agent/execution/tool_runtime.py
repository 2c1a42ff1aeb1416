"""ToolRuntime: the one path of a tool call: known and visible -> arguments -> permission -> dispatch -> bound."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ...bridge.envelope import (
    FORBIDDEN,
    HOST_RETRIED,
    INVALID_PARAM,
    NOT_FOUND,
    TIMEOUT,
    Envelope,
    encode,
    failure,
    hint_for_name,
)
from ..context.sanitize import is_json_object
from ..governance.hooks import HookChain, HookEvent, HookRuling
from ..governance.permissions import PermissionRuntime
from ..llm.types import ToolCall
from .arguments import ArgumentError, ArgumentValidator, arguments_of
from .bound import bound, checked_envelope
from .callables import ToolCallable
from .context import CallRequest
from .geometry import geometry_problem
from .registry import ToolSpec

HOST_RETRIES = 2
LONG_WORK_S = 60.0
"""Tools with a longer time limit announce long work (X-1), whatever a profile's own ceiling is."""
BACK_OFF_S = (0.3, 1.0)
UNKNOWN_TOOL = "unknown_tool"
PACK_HIDDEN = "pack_hidden"


@dataclass(frozen=True)
class ToolExecution:
    """A settled call. ``envelope`` is what the model sees; the rest is for the report.

    ``counted_ms`` is the time that counts against the ceiling: none for announced long work, nor for a call that the person was
    asked about (how much of it was waiting is not known).
    """

    envelope: Envelope
    arguments: dict[str, Any] = field(default_factory=dict)
    actions: list[dict[str, Any]] = field(default_factory=list)
    legend: list[dict[str, Any]] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    charts: list[dict[str, Any]] = field(default_factory=list)
    recipes: list[str] = field(default_factory=list)
    """The analysis as Python, for the person who looks at the step."""
    decision: dict[str, Any] = field(default_factory=dict)
    question: dict[str, Any] | None = None
    ms: int = 0
    counted_ms: int = 0
    attempts: int = 0
    truncated: bool = False
    repairs: tuple[str, ...] = ()
    """What was not as it should be in the argument text, and how it was read."""


class Shelf(Protocol):
    """What the runtime asks the materializer: what is visible, and to show a pack that was called while hidden."""

    def visible_names(self) -> Collection[str]:
        """Names that may be called now."""
        ...

    def hidden_packs(self) -> Collection[str]:
        """Packs that could be shown and are not."""
        ...

    def grow(self, packs: list[str]) -> list[str]:
        """Show packs from the next turn on."""
        ...


@dataclass(frozen=True)
class PreparedCall:
    """A call that passed every check on this side, or ``refused`` with the envelope that says why not."""

    spec: ToolSpec | None
    arguments: dict[str, Any]
    refused: Envelope | None = None
    repairs: tuple[str, ...] = ()
    ask_reason: str = ""
    """Why QGIS is to ask the person, although the tool as such is allowed; "" for no question of ours."""
    guarded: bool = False
    """Whether the hooks have been asked about it."""


class ToolRuntime:
    """Settles calls. Never raises for what a model wrote. A fault of a tool is the settler's to take (loop/settle.py).

    ``long_work_s``: tools with a longer time limit announce long work, and their time is not counted. ``on_retry`` is told of
    the call and the number of the attempt before the host tries a read again. ``hooks`` are asked before and after every call,
    ``on_hook`` is told what they said.
    """

    def __init__(
        self,
        registered: Mapping[str, ToolSpec],
        callables: Mapping[str, ToolCallable],
        permission: PermissionRuntime,
        shelf: Shelf | None,
        *,
        long_work_s: float = LONG_WORK_S,
        sleep: Callable[[float], Any] = asyncio.sleep,
        on_retry: Callable[[CallRequest, int], None] | None = None,
        hooks: HookChain | None = None,
        on_hook: Callable[[HookEvent, HookRuling], None] | None = None,
        run_id: str = "",
        caller: str = "chat",
    ) -> None:
        self._hooks = hooks or HookChain()
        self._on_hook = on_hook
        self._run_id, self._caller = run_id, caller
        self._registered = registered
        self._callables = callables
        self._permission = permission
        self._shelf = shelf
        self._long_work_s = long_work_s
        self._sleep = sleep
        self._on_retry = on_retry
        self._validator = ArgumentValidator()

    def prepare(self, call: ToolCall) -> PreparedCall:
        """All checks before anything runs."""
        spec = self._registered.get(call.name)
        if spec is None or spec.name not in self._callables:
            return PreparedCall(None, {}, self._unknown(call.name))
        offered = self._permission.admit(spec)
        if not offered.allow:
            return PreparedCall(spec, {}, offered.envelope)
        if self._shelf is not None and spec.pack in self._shelf.hidden_packs():
            return PreparedCall(spec, {}, self._hidden(spec, self._shelf))
        try:
            read = arguments_of(call.arguments, spec.parameters, effect=spec.effect, origin=call.origin)
        except ArgumentError as error:
            return PreparedCall(spec, {}, error.envelope)
        return self._checked(call, spec, read.arguments, read.repairs)

    def _checked(
        self, call: ToolCall, spec: ToolSpec, arguments: dict[str, Any], repairs: tuple[str, ...]
    ) -> PreparedCall:
        """The rules on arguments that are an object: the model's, or what a hook made of them."""
        problem = self._validator.check(spec.name, spec.parameters, arguments)
        problem = problem or geometry_problem(arguments)
        ruled = self._permission.rule(spec, arguments, origin=call.origin)
        refused = problem or ruled.envelope
        if refused is None and ruled.ask_reason and spec.where != "qgis":
            refused = failure(  # the question is QGIS's to put, and this call never gets there
                FORBIDDEN,
                f"{spec.name} would have to be asked for, which is not possible here.",
                hint="Use another tool.",
                reason="ask_unavailable",
            )
        return PreparedCall(spec, arguments, refused, repairs, ruled.ask_reason)

    async def guard(self, call: ToolCall, ready: PreparedCall) -> PreparedCall:
        """Ask the hooks about a call that passed the checks; what they changed is checked and ruled on again."""
        spec = ready.spec
        if ready.guarded or ready.refused is not None or spec is None or not self._hooks.has("before_tool"):
            return replace(ready, guarded=True)
        event = HookEvent("before_tool", self._run_id, self._caller, ready.arguments, spec.name, spec.effect, call.id)
        ruling = await self._hooks.rule(event)
        self._told(event, ruling)
        if ruling.outcome == "deny":
            return replace(ready, refused=refused_by_hook(ruling, spec.name), guarded=True)
        if ruling.value != ready.arguments:
            ready = self._checked(call, spec, ruling.value, (*ready.repairs, f"hook:{ruling.by}"))
        if ready.refused is None and ruling.outcome == "ask" and not ready.ask_reason:
            if spec.where != "qgis":
                return replace(ready, refused=refused_by_hook(ruling, spec.name), guarded=True)
            ready = replace(ready, ask_reason="rule")
        return replace(ready, guarded=True)

    async def _after(self, call: ToolCall, spec: ToolSpec, envelope: Envelope) -> Envelope:
        """The envelope as the hooks leave it. What they withhold has happened all the same, and that is said."""
        if not self._hooks.has("after_tool"):
            return envelope
        event = HookEvent("after_tool", self._run_id, self._caller, dict(envelope), spec.name, spec.effect, call.id)
        ruling = await self._hooks.rule(event)
        self._told(event, ruling)
        if ruling.outcome in ("deny", "ask"):
            done = bool(envelope.get("ok")) and spec.effect != "read"
            return refused_by_hook(ruling, spec.name, carried_out=done)
        return checked_envelope(ruling.value) if ruling.outcome == "modify" else envelope

    def _told(self, event: HookEvent, ruling: HookRuling) -> None:
        if self._on_hook is not None and ruling.records:
            self._on_hook(event, ruling)

    def readable(self, call: ToolCall) -> str | None:
        """The arguments as they will be run, as JSON, where the model's own text is no JSON object; None where it is or cannot
        be read. A history that quotes what was run keeps the model from learning its own slip."""
        spec = self._registered.get(call.name)
        if spec is None or is_json_object(call.arguments):
            return None
        try:
            read = arguments_of(call.arguments, spec.parameters, effect=spec.effect, origin=call.origin)
        except ArgumentError:
            return None
        return encode(read.arguments)

    async def execute(self, call: ToolCall, call_id: str, prepared: PreparedCall | None = None) -> ToolExecution:
        """Settle one call. ``call_id`` is unique in the run."""
        ready = await self.guard(call, prepared or self.prepare(call))
        if ready.refused is not None or ready.spec is None:
            refused = bound(ready.refused or self._unknown(call.name))[0]
            return ToolExecution(refused, ready.arguments, repairs=ready.repairs)
        started = time.monotonic()
        outcome, attempts = await self._dispatch(
            ready.spec, CallRequest(call_id, call.name, ready.arguments, call.origin, ready.ask_reason)
        )
        ms = round((time.monotonic() - started) * 1000)
        told = await self._after(call, ready.spec, checked_envelope(outcome.get("envelope")))
        envelope, truncated = bound(told)
        self.note(ready.spec, envelope)
        decision = outcome.get("decision")
        decision = decision if isinstance(decision, dict) else {}
        waited = str(decision.get("by", "")).startswith("person")
        long_work = ready.spec.timeout_s > self._long_work_s
        return ToolExecution(
            envelope=envelope,
            arguments=ready.arguments,
            actions=_objects(outcome.get("actions")),
            legend=_objects(outcome.get("legend")),
            evidence=_objects(outcome.get("evidence")),
            charts=_objects(outcome.get("charts")),
            recipes=_texts(outcome.get("recipes")),
            decision=decision,
            question=outcome.get("question"),
            ms=ms,
            counted_ms=0 if waited or long_work else ms,
            attempts=attempts,
            truncated=truncated,
            repairs=ready.repairs,
        )

    def note(self, spec: ToolSpec, envelope: Envelope) -> None:
        """A result reaches the model, from QGIS or from the cache: text of others may have been read."""
        self._permission.note_result(spec, envelope)

    async def _dispatch(self, spec: ToolSpec, request: CallRequest) -> tuple[dict[str, Any], int]:
        attempt, first = 1, request.call_id
        while True:
            outcome = await self._within_its_time(spec, request)
            code = checked_envelope(outcome.get("envelope")).get("code")
            if spec.effect != "read" or code not in HOST_RETRIED or attempt > HOST_RETRIES:
                return outcome, attempt
            if spec.where != "qgis":
                return outcome, attempt  # what happens in this process does not get better by itself
            await self._sleep(BACK_OFF_S[attempt - 1])
            attempt += 1
            if self._on_retry is not None:
                self._on_retry(replace(request, call_id=first), attempt)
            request = replace(request, call_id=f"{first}.{attempt}")

    async def _within_its_time(self, spec: ToolSpec, request: CallRequest) -> dict[str, Any]:
        """QGIS keeps the time of its own tools; that of this process's tools is kept here."""
        call = self._callables[spec.name](request)
        if spec.where == "qgis":
            return await call
        try:
            return await asyncio.wait_for(call, spec.timeout_s)
        except asyncio.TimeoutError:
            late = failure(
                TIMEOUT, f"{spec.name} took longer than {spec.timeout_s:g} s.", hint="Ask for less.", reason="tool_time"
            )
            return {"envelope": late}

    def _unknown(self, name: str) -> Envelope:
        visible = self._shelf.visible_names() if self._shelf is not None else self._registered
        return failure(
            NOT_FOUND,
            f"There is no tool {name[:80]!r}.",
            hint=hint_for_name(name, sorted(visible), "tools"),
            reason=UNKNOWN_TOOL,
        )

    @staticmethod
    def _hidden(spec: ToolSpec, shelf: Shelf) -> Envelope:
        shelf.grow([spec.pack])
        return failure(
            FORBIDDEN,
            f"The tools of the pack '{spec.pack}' were not shown yet.",
            hint=f"They are shown now: read {spec.name}'s parameters and call it again.",
            reason=PACK_HIDDEN,
        )


def refused_by_hook(ruling: HookRuling, tool: str, *, carried_out: bool = False) -> Envelope:
    """FORBIDDEN, in a hook's words."""
    done = f"{tool} was carried out, and its result is withheld: " if carried_out else ""
    return failure(
        FORBIDDEN,
        done + (ruling.reason or f"The hook {ruling.by} does not allow {tool}."),
        hint="Do not try it again; say what else can be done.",
        reason="hook_failed" if ruling.broken else "hook",
    )


def refused_arguments(message: str) -> Envelope:
    """INVALID_PARAM for arguments that are no JSON object (calls that do not come from a model)."""
    return failure(INVALID_PARAM, message, hint="Give the arguments as one JSON object.", reason="tool_arguments")


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
