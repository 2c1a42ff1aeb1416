"""Runs and single calls: what the server does when it is asked, without knowing about pipes."""

from __future__ import annotations

import asyncio
import secrets
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..bridge.envelope import (
    CANCELLED,
    FORBIDDEN,
    INVALID_PARAM,
    UNSUPPORTED,
    UPSTREAM_ERROR,
    Envelope,
    encode,
    failure,
    hint_for_name,
    size_bytes,
)
from ..bridge.messages import CALLS_OUTCOME, MAX_LINE_BYTES, RunReport, failed_report
from ..bridge.peer import RpcError
from .compact_now import CompactNow
from .context.catalogue import CatalogueStore
from .context.limits import ContextLimits
from .context.notes import Notes
from .events import Event, RunEvents
from .execution.context import QgisBridge, ToolContext
from .execution.registry import ToolRegistry
from .execution.result_cache import ResultCache
from .execution.tool_runtime import ToolExecution, refused_arguments
from .governance.factory import (
    LoopRuntimeBundle,
    RunOptions,
    build_loop_runtime_bundle,
    build_single_call_runtime,
)
from .governance.hooks import HookChain, HookEvent
from .governance.overrides import Notice, Overrides, load_overrides
from .governance.person_limits import ceiling_of, cost_limit_of, profiles_under
from .governance.plan import Plan, PlanError, PlanGate
from .governance.profile import DEFAULT_PROFILE, PROFILES, AgentProfile
from .llm.pictures import PictureError, PictureStore, metas_of
from .llm.roles import RoleClients
from .llm.tokens import Calibrations
from .llm.types import ModelClient, ToolCall
from .loop.agent_loop import internal_failure
from .loop.spending import Spending
from .mcp.journal import Journal
from .parameters import ParamsError, object_of, text_of, texts_of
from .records.redact import Redactor, know_proxies
from .records.sessions import Session, SessionError, SessionStore
from .records.trace import RunRecorder, new_trace_id
from .records.turns import TurnRecorder, replay_turns
from .session_service import SessionService
from .texts import language_of, say
from .trace_service import TraceService

if TYPE_CHECKING:
    from .evals.service import EvalService

MAX_ASKED = 8
"""Interrupted calls whose outcome QGIS is asked for when the next run begins."""
ASK_S = 2.0
"""Seconds to wait for such an answer: QGIS gives it at once, or is busy with something that a run must not wait for."""
OFFLINE: Mapping[str, Any] = {"kind": "offline"}


class RunService:
    """The agent of one process: its catalogue, model and sessions. One run at a time."""

    def __init__(
        self,
        bridge: QgisBridge,
        send_event: Callable[[Event], None],
        registry: ToolRegistry,
        records_dir: Path,
        locale: str,
        hooks: HookChain | None = None,
    ) -> None:
        self.hooks = hooks or HookChain()
        self.catalogue = CatalogueStore()
        self.redactor = Redactor()
        know_proxies(self.redactor)
        self._bridge = bridge
        self._send_event = send_event
        self._registry = registry
        self._sessions = SessionStore(records_dir, self.redactor)
        self._client_calls = Journal(records_dir, self.redactor)
        self._charts_dir = records_dir / "charts"
        self.sessions = SessionService(self._sessions, records_dir, lambda: self.running)
        self.traces = TraceService(self._sessions)
        self._locale = locale
        self._roles: RoleClients | None = None
        self._turns: TurnRecorder | None = None
        """Writes runs down at both of their boundaries, where that is wanted."""
        self._mark: Callable[[], str] | None = None
        self._cache = ResultCache()
        self._calibrations = Calibrations()
        self.running = False
        self.pictures = PictureStore()
        self._one = asyncio.Lock()
        """A run, or a compaction that a person asked for: a run waits for it."""

    @property
    def registry(self) -> ToolRegistry:
        """The tools of this process."""
        return self._registry

    @cached_property
    def evals(self) -> EvalService:
        """Evaluations; loaded by the first of them."""
        from .evals.service import EvalService

        return EvalService(self._registry, self.redactor)

    def configure(self, config: dict[str, Any]) -> ModelClient:
        """Set who answers from the next run on. ParamsError that says what is wrong."""
        self.redactor.know(config.get("api_key"))
        record_to = text_of(config, "record_to", "")
        try:
            self._roles = self._build({key: value for key, value in config.items() if key != "record_to"})
        except (ValueError, TypeError) as error:
            raise ParamsError(str(error)) from error
        for secret in self._roles.secrets():
            self.redactor.know(secret)
        self._turns = TurnRecorder(Path(record_to), self._bridge, self.catalogue, self._locale) if record_to else None
        self._mark = self._turns.mark if self._turns is not None else None
        if self._turns is not None:
            self._roles = self._turns.clients(self._roles)
        return self._roles.planner

    def play(self, roles: RoleClients, mark: Callable[[], str]) -> None:
        """From the next run on these clients answer, which play a recording back; ``mark`` gives its marks."""
        self._roles, self._mark, self._turns = roles, mark, None

    def _build(self, config: Mapping[str, Any]) -> RoleClients:
        from .llm.factory import build_roles

        return build_roles(dict(config), self.catalogue.layers)

    async def replay_turns(self, path: str) -> dict[str, Any]:
        """turns/replay; see ``records/turns.py``. ValueError and OSError where the file is no recording."""
        return await replay_turns(Path(path), self._registry)

    async def run(self, params: Mapping[str, Any]) -> RunReport:
        """A run from the person's words to its report. ParamsError; anything else that goes wrong is in the report."""
        if self._turns is not None and not self._turns.busy:
            return cast(RunReport, await self._turns.around(params, self._window(), self.run))
        text = text_of(params, "text")
        name = text_of(params, "profile", DEFAULT_PROFILE) or DEFAULT_PROFILE
        context = self._context(params, default_caller="chat")
        language = language_of(text, self._locale, context.language)
        project = object_of(params, "project")
        overrides = self._overrides(params, language)
        profile = overrides.profiles.get(name)
        if profile is None:
            waits = [each.text for each in overrides.notices if each.level == "warning"]
            hint = " ".join([hint_for_name(name, overrides.profiles, "profiles"), *waits])
            return failed_report(
                failure(INVALID_PARAM, say("profile", language, name=name[:80]), hint=hint, reason="profile")
            )
        try:
            session = self._sessions.get(context.session_id)
            session.own()
            session.project = {key: text_of(project, key, "")[:200] for key in ("key", "name")}
        except SessionError as error:
            if not error.reason:
                raise ParamsError(str(error)) from error
            return failed_report(session_refused(error.reason, language))
        options = self._options(params, profile, language)
        self.running = True
        try:
            async with self._one:
                options = replace(options, earlier=await self._outcomes(context, session))
                return await self._run(text, profile, context, session, options, overrides.notices)
        finally:
            self.running = False

    async def compact(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """session/compact: the beginning of a conversation becomes a summary now; see ``compact_now.py``."""
        none = {"done": False, "before": 0, "after": 0, "usage": None}
        if self.running or self._one.locked():
            return {**none, "reason": "running"}
        async with self._one:
            try:
                session = self._sessions.get(text_of(params, "session_id"))
                session.own()
            except SessionError as error:
                if not error.reason:
                    raise ParamsError(str(error)) from error
                return {**none, "reason": error.reason}
            client = (self._roles or self._build(OFFLINE)).planner
            spending = Spending(self._roles.prices if self._roles is not None else None)
            calibration = self._calibrations.of(client.label)
            language = language_of("", self._locale)
            return await CompactNow(session, client, self._limits(), calibration, spending, language).run()

    async def _outcomes(self, context: ToolContext, session: Session) -> dict[str, str]:
        """Ask QGIS how the calls ended whose outcome was not learnt: nothing is done twice, and nothing is guessed."""
        asked, session.unknown = session.unknown[-MAX_ASKED:], []
        found: dict[str, str] = {}
        for each in asked:
            params = {"capability": context.capability, "run_id": each["run_id"], "call_id": each["call_id"]}
            try:
                answer = await asyncio.wait_for((self._turns or self._bridge).request(CALLS_OUTCOME, params), ASK_S)
            except (RpcError, asyncio.TimeoutError):
                continue
            outcome = answer.get("outcome") if isinstance(answer, dict) and answer.get("known") else None
            envelope = outcome.get("envelope") if isinstance(outcome, dict) else None
            if isinstance(envelope, dict):
                found[f"{each['tool']} {each['target']}".strip()] = (
                    "ok" if envelope.get("ok") else str(envelope.get("code"))
                )
        return found

    @staticmethod
    def _overrides(params: Mapping[str, Any], language: str) -> Overrides:
        """The profiles under the person's ceiling (X-1), as the project's own file leaves them (X-13)."""
        folder = text_of(params, "project_folder", "")
        trusted = texts_of(params, "trusted_files")
        ceiling = ceiling_of(object_of(params, "limits"))
        built_in = profiles_under(ceiling)
        return load_overrides(
            Path(folder) if folder else None, trusted, language=language, ceiling=ceiling, built_in=built_in
        )

    def _options(self, params: Mapping[str, Any], profile: AgentProfile, language: str) -> RunOptions:
        """What the run may have beside its model. ParamsError for a plan that is none."""
        gate = None
        if params.get("approved_plan") is not None and profile.mode != "plan":
            try:
                plan = Plan.approved(params["approved_plan"])
            except PlanError as error:
                raise ParamsError(str(error)) from error
            gate = PlanGate(plan.hash, plan, language)
        try:
            pictures = metas_of(params.get("pictures"))
        except PictureError as error:
            raise ParamsError(str(error)) from error
        notes = Notes.load(text_of(params, "preferences", ""), text_of(params, "project_notes", ""))
        client = self._roles.planner if self._roles is not None else None
        return RunOptions(
            roles=self._roles,
            prices=self._roles.prices if self._roles is not None else None,
            notes=notes,
            cache=self._cache,
            gate=gate,
            limits=self._limits(),
            cost_limit=cost_limit_of(object_of(params, "limits")),
            calibration=self._calibrations.of(client.label if client is not None else ""),
            hooks=self.hooks,
            pictures=pictures,
            picture_store=self.pictures,
            mark=self._mark,
        )

    def _limits(self) -> ContextLimits:
        """Of the model that answers."""
        return ContextLimits.for_window(self._window())

    def _window(self) -> int | None:
        """Tokens that the model takes, None where nobody said."""
        client: Any = self._roles.planner if self._roles is not None else None
        settings = getattr(client, "settings", None)
        return cast("int | None", settings.context_tokens) if settings is not None else None

    async def _run(
        self,
        text: str,
        profile: AgentProfile,
        context: ToolContext,
        session: Session,
        options: RunOptions,
        notices: Iterable[Notice],
    ) -> RunReport:
        client = (self._roles or self._build(OFFLINE)).planner
        events = RunEvents(context.run_id, lambda event: self._send_event(self.redactor.strings(event)))
        recorder = RunRecorder(session, context.run_id, new_trace_id())
        asked = HookEvent("before_prompt", context.run_id, context.caller, {"text": text})
        ruling = await self.hooks.rule(asked)
        if ruling.records:
            recorder.hook(asked.point, "", "", ruling.records)
        changed = ruling.value.get("text")
        if ruling.outcome in ("deny", "ask") or not isinstance(changed, str) or not changed.strip():
            said = ruling.reason or say(
                "hook_prompt", language_of(text, self._locale, context.language), name=ruling.by
            )
            reason = "hook_failed" if ruling.broken else "hook"
            return failed_report(failure(FORBIDDEN, said, reason=reason))
        text = changed
        bundle = build_loop_runtime_bundle(
            self._registry,
            client,
            context,
            profile,
            session=session,
            text=text,
            events=events,
            recorder=recorder,
            offline=lambda: self._build(OFFLINE).planner,
            options=options,
        )
        state = bundle.state
        try:
            recorder.start(profile.name, client.label, context.snapshot, context.whole_map)
            for notice in notices:
                events.emit("notice", level=notice.level, text=notice.text)
            for said in options.notes.notices(state.language):
                events.emit("notice", level="info", text=said)
            await bundle.run()
        except Exception:  # noqa: BLE001  (a fault of ours: the log has it, the person is told, the process goes on)
            sys.stderr.write(self.redactor.text(traceback.format_exc()))
            state.end("failed", "internal", error=internal_failure(state.language))
        report = self._finish(bundle)
        try:
            if state.termination != "interrupted":
                await events.drain()
        except asyncio.CancelledError:  # stopped while the last events went out: the run itself had ended
            state.reason = state.reason or "stopped"
        finally:
            events.close()
        return report

    def _finish(self, bundle: LoopRuntimeBundle) -> RunReport:
        names = [text for each in self.catalogue.layers() for text in (each["layer_id"], each["name"])]
        report = bundle.recorder.report(bundle.state, names)
        if bundle.desk.plan is not None:
            report["plan"] = bundle.desk.plan.to_dict()
        growths = [f"pack:{each}" for each in bundle.materializer.growths]
        try:
            bundle.recorder.finish(report, bundle.state, growths + bundle.context.prefix_events)
        except OSError as error:  # a full disk must not take the answer away
            sys.stderr.write(self.redactor.text(f"the end of the run could not be recorded: {error}\n"))
        return fit_report(self.redactor.strings(report))

    async def call_tool(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """One tool through the whole ToolRuntime, without a model: a ToolOutcome."""
        name = text_of(params, "name")
        context = self._context(params, default_caller="cli")
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict):
            return outcome_of(ToolExecution(refused_arguments("the arguments must be one JSON object")))
        runtime = build_single_call_runtime(self._registry, context, PROFILES[DEFAULT_PROFILE], self.hooks)
        call = ToolCall(f"t{secrets.token_hex(6)}", name, encode(arguments))
        write = self._writer(context)
        write("call", run_id=context.run_id, call_id=call.id, tool=name, raw=call.arguments, origin=context.caller)
        execution = await runtime.execute(call, call.id)
        write(
            "result",
            run_id=context.run_id,
            call_id=call.id,
            tool=name,
            envelope=execution.envelope,
            decision=execution.decision,
        )
        return outcome_of(execution)

    def _writer(self, context: ToolContext) -> Callable[..., None]:
        """Where a single call is written down. ParamsError for a session that cannot be written."""
        try:
            if context.caller == "mcp":
                return partial(self._client_calls.write, context.session_id)
            return self._sessions.get(context.session_id).write
        except SessionError as error:
            raise ParamsError(str(error)) from error

    def _context(self, params: Mapping[str, Any], *, default_caller: str) -> ToolContext:
        caller = text_of(params, "caller", default_caller)  # a recording is of runs; MCP clients call beside them
        return ToolContext(
            run_id=text_of(params, "run_id"),
            session_id=text_of(params, "session_id"),
            capability=text_of(params, "capability"),
            caller=caller,
            bridge=self._bridge if caller == "mcp" else self._turns or self._bridge,
            catalogue=self.catalogue,
            snapshot=object_of(params, "snapshot"),
            whole_map=object_of(params, "map"),
            enabled_packs=texts_of(params, "enabled_packs"),
            locale=self._locale,
            attended=params.get("attended") is not False,
            language=text_of(params, "language", ""),
            charts_dir=self._charts_dir,
        )


def outcome_of(execution: ToolExecution) -> dict[str, Any]:
    """A settled call as a ToolOutcome."""
    return {
        "envelope": execution.envelope,
        "actions": execution.actions,
        "legend": execution.legend,
        "evidence": execution.evidence,
        "charts": execution.charts,
        "decision": execution.decision,
        "ms": execution.ms,
    }


def session_refused(reason: str, language: str) -> Envelope:
    """Why a session cannot be gone on with; ``reason`` is a SessionError's."""
    code, key = {
        "in_use": (FORBIDDEN, "session_in_use"),
        "newer": (UNSUPPORTED, "newer_session"),
        "damaged": (UPSTREAM_ERROR, "damaged_session"),
    }[reason]
    return failure(code, say(key, language), hint=say(f"{key}_hint", language), reason="session")


def stopped_envelope() -> Envelope:
    """The answer to a request that was cancelled."""
    return failure(CANCELLED, "Stopped.", reason="stopped")


def fit_report(report: RunReport) -> RunReport:
    """A report that fits one line of the bridge: arguments of the steps go first, then evidence and legend."""
    limit = MAX_LINE_BYTES - 4096
    if size_bytes(report) <= limit:
        return report
    smaller = cast(RunReport, dict(report))
    smaller["steps"] = [dict(each, args={}) for each in report["steps"]]
    if size_bytes(smaller) > limit:
        smaller["evidence"], smaller["legend"] = report["evidence"][:50], report["legend"][:50]
        smaller["map_actions"], smaller["numbers"] = report["map_actions"][:200], report["numbers"][:200]
    if size_bytes(smaller) > limit:
        smaller["answer"] = report["answer"][: limit // 8]
        smaller["evidence"], smaller["legend"], smaller["map_actions"], smaller["numbers"] = [], [], [], []
    return smaller
