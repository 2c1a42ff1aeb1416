"""What a run did, step by step, and the report that is made of it."""

from __future__ import annotations

import datetime
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...bridge.envelope import Envelope
from ...bridge.messages import RunReport
from ..context.blackboard import target_of
from ..context.context_manager import Message
from ..context.projection import Projection
from ..execution.tool_runtime import ToolExecution
from ..llm.types import ToolCall
from ..loop.state import RunnerState
from .provenance import Source, sources_of_arguments, sources_of_request, sources_of_result, trace_numbers
from .sessions import Session, end_of_run


def new_trace_id(now: Callable[[], datetime.datetime] = datetime.datetime.now) -> str:
    """tr_YYYYMMDD_xxxxxxxx."""
    return f"tr_{now():%Y%m%d}_{secrets.token_hex(4)}"


class RunRecorder:
    """Writes a run into its session as it goes, and keeps what the report needs."""

    def __init__(self, session: Session, run_id: str, trace_id: str) -> None:
        self.trace_id = trace_id
        self._session = session
        self._run_id = run_id
        self._steps: list[dict[str, Any]] = []
        self._sources: list[Source] = []
        self._settled: list[tuple[int, str, Envelope, dict[str, Any]]] = []
        self._earlier = 0
        """Messages of earlier runs of the session: their results are sources too, where this run has none."""
        self._actions: list[dict[str, Any]] = []
        self._legend: list[dict[str, Any]] = []
        self._evidence: list[dict[str, Any]] = []
        self._charts: list[dict[str, Any]] = []
        self._last: Envelope | None = None
        self.begun: set[str] = set()
        """Ids of the calls that began: one of these without a result has an unknown outcome."""

    def start(
        self, profile: str, model: str, snapshot: Mapping[str, Any], whole_map: Mapping[str, Any] | None = None
    ) -> None:
        """The run begins. ``snapshot``: what a model is told of the map; ``whole_map``: what a replay needs of it."""
        self._session.write(
            "run_start",
            run_id=self._run_id,
            trace_id=self.trace_id,
            profile=profile,
            model=model,
            state_in=dict(snapshot),
            project=self._session.project,
            map=dict(whole_map or {}),
        )
        self._earlier = len(self._session.messages)
        self._sources += sources_of_result(0, "map_snapshot", {"ok": True, "data": dict(snapshot)})

    def sections_end(self, sections: Mapping[str, str]) -> None:
        """What of the sections is another at the end of the run than at its beginning (the tools)."""
        self._session.sections = {**self._session.sections, **sections}

    def user(self, message: Message) -> None:
        """The person's words."""
        self._session.said.append({"role": "user", "text": str(message["content"])})
        shown = (
            {"pictures": message["pictures"]} if message.get("pictures") else {}
        )  # digests: the bytes are kept nowhere
        self._session.write("user", run_id=self._run_id, content=message["content"], **shown)
        self._sources += sources_of_request(str(message["content"]))

    def assistant(self, message: Message) -> None:
        """A turn of the model, before its calls run."""
        fields = {key: message[key] for key in ("content", "tool_calls", "echo") if key in message}
        self._session.write("assistant", run_id=self._run_id, **fields)

    def seen(self, pictures: Sequence[Mapping[str, str]]) -> None:
        """What another model saw on the person's pictures: [{sha256, seen}]."""
        self._session.write("seen", run_id=self._run_id, pictures=[dict(each) for each in pictures])

    def route(self, by: str, intent: str, packs: Sequence[str]) -> None:
        """What the router took the request for."""
        self._session.write("route", run_id=self._run_id, by=by, intent=intent, packs=list(packs))

    def request(self, turn: int, plan: Mapping[str, Any]) -> None:
        """The hashes of a turn's request: what of it a provider could have cached."""
        self._session.write("request", run_id=self._run_id, turn=turn, **plan)

    def event(self, event: Mapping[str, Any]) -> None:
        """An event that a reader of the record needs: plan, options, usage, compaction, notice, termination."""
        self._session.write("event", run_id=self._run_id, event=dict(event))

    def compaction(self, projection: Projection, kind: str) -> None:
        """What a model sees of the conversation from now on. The messages themselves stay in the record."""
        self._session.projection = projection
        self._session.write(
            "compaction",
            run_id=self._run_id,
            kind=kind,
            summary=projection.summary,
            cut=projection.cut,
            pruned=sorted(projection.pruned),
            level=projection.level,
            seen=projection.seen,
        )

    def subagent(self, call_id: str, task: str, transcript: list[Message], report: Mapping[str, Any]) -> None:
        """A sub-agent's whole conversation; the parent's history has only its summary."""
        self._session.write(
            "subagent", run_id=self._run_id, call_id=call_id, task=task, transcript=transcript, report=dict(report)
        )

    def hook(self, point: str, tool: str, call_id: str, said: Sequence[Mapping[str, str]]) -> None:
        """What hooks said, other than "allow"."""
        self._session.write(
            "hook", run_id=self._run_id, point=point, tool=tool, call_id=call_id, said=[dict(each) for each in said]
        )

    def call_started(self, call: ToolCall, *, changing: bool = False) -> None:
        """A call, before it runs. One that changes something is on the disk before that, should the power fail."""
        self.begun.add(call.id)
        fields = {"tool": call.name, "raw": call.arguments, "origin": call.origin}
        self._session.write("call", sync=changing, run_id=self._run_id, call_id=call.id, **fields)

    def call_settled(self, call: ToolCall, execution: ToolExecution) -> None:
        """A call's result, after it ran or was refused."""
        envelope = execution.envelope
        self._last = envelope
        code = "" if envelope["ok"] else str(envelope.get("code"))
        self._session.write(
            "result",
            run_id=self._run_id,
            call_id=call.id,
            tool=call.name,
            arguments=execution.arguments,
            envelope=envelope,
            decision=execution.decision,
            actions=execution.actions,
            legend=execution.legend,
            evidence=execution.evidence,
            charts=execution.charts,
            recipes=execution.recipes,
            attempts=execution.attempts,
            repairs=list(execution.repairs),
            ms=execution.ms,
        )
        number = len(self._steps) + 1
        self._steps.append(
            {
                "step": number,
                "tool": call.name,
                "args": execution.arguments,
                "ok": bool(envelope["ok"]),
                "code": code,
                "ms": execution.ms,
            }
        )
        if envelope.get("reason") == "interrupted":
            target = target_of(execution.arguments)
            known = {"run_id": self._run_id, "call_id": call.id, "tool": call.name, "target": target}
            self._session.unknown.append(known)
        self._settled.append((number, call.name, envelope, execution.arguments))
        if envelope["ok"]:
            self._keep(call, execution)

    def _keep(self, call: ToolCall, execution: ToolExecution) -> None:
        self._actions += execution.actions
        self._evidence += execution.evidence
        self._charts += execution.charts
        styled = {each.get("layer_id") for each in execution.legend}
        # A style that was put back takes its classes away, also where the earlier one has none to list.
        done = [each.get("args") for each in execution.actions]
        styled |= {each.get("layer_id") for each in done if isinstance(each, dict) and each.get("reverted")}
        self._legend = [each for each in self._legend if each.get("layer_id") not in styled] + execution.legend

    def last_failure(self) -> Envelope | None:
        """The envelope of the last call when it failed."""
        return self._last if self._last is not None and not self._last["ok"] else None

    def summary(self) -> tuple[list[str], list[str]]:
        """Steps that succeeded and steps that did not, in plain words, each said once."""
        done = [self._words(each) for each in self._steps if each["ok"]]
        failed = [f"{self._words(each)} ({each['code']})" for each in self._steps if not each["ok"]]
        return list(dict.fromkeys(done))[:12], list(dict.fromkeys(failed))[:6]

    @staticmethod
    def _words(step: Mapping[str, Any]) -> str:
        target = step["args"].get("layer_id") or step["args"].get("polygon_layer_id") or step["args"].get("text") or ""
        return f"{step['tool']} {target}".strip()

    def report(self, state: RunnerState, names: Iterable[str] = ()) -> RunReport:
        """The run's report. ``names`` are names of layers, whose digits are no numbers."""
        # The examples in "I did not understand" claim nothing of the map.
        # The same holds of the offline commands' help, for which nothing is called.
        unasked = state.reason == "not_understood" or (state.offline and not self._settled)
        claims = "" if unasked else state.answer
        names = list(names)
        sources = self._all_sources()
        numbers = trace_numbers(claims, sources, names)
        if any(each["source"] is None for each in numbers) and self._earlier:
            earlier = sources_of_earlier(self._session.messages[: self._earlier])
            numbers = trace_numbers(claims, [*earlier, *sources], names)
        report: RunReport = {
            "ok": state.termination == "completed",
            "termination": state.termination,
            "answer": state.answer,
            "map_actions": self._actions,
            "legend": self._legend,
            "evidence": self._evidence,
            "charts": self._charts,
            "numbers": numbers,
            "steps": self._steps,
            "usage": state.usage(),
            "trace_id": self.trace_id,
            "question": state.question,
            "error": state.error,
            "answered_by": state.answered_by,
        }
        return report

    def _all_sources(self) -> list[Source]:
        """Numbers of the request and the snapshot, then those of the results and of arguments that worked."""
        found = list(self._sources)
        for number, tool, envelope, arguments in self._settled:
            found += sources_of_result(number, tool, envelope, arguments)
            if envelope["ok"]:
                found += sources_of_arguments(number, tool, arguments)
        return found

    def finish(self, report: RunReport, state: RunnerState, prefix_events: list[str]) -> None:
        """The run has ended."""
        self._session.costs.merge(state.costs)
        if report.get("answer"):
            self._session.said.append({"role": "assistant", "text": report["answer"]})
        self._session.last_end = end_of_run(report, state.reason, state.request or state.text)
        fields: dict[str, Any] = {key: value for key, value in report.items() if key not in ("steps", "answer")}
        self._session.write(
            "run_end",
            run_id=self._run_id,
            reason=state.reason,
            request=state.request or state.text,
            sections=self._session.sections,
            model_attempts=state.model_attempts,
            prefix_events=prefix_events,
            final=report.get("answer", ""),
            session_cost=self._session.costs.text(),
            **fields,
        )


def sources_of_earlier(messages: Iterable[Message]) -> list[Source]:
    """Numbers of earlier runs of the session: their results may be spoken of again. They are step 0."""
    calls: dict[str, tuple[str, str]] = {}
    found: list[Source] = []
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call.get("function", {})
            calls[str(call.get("id"))] = (str(function.get("name", "")), str(function.get("arguments", "")))
        if message.get("role") in ("user", "tool"):
            tool, given = calls.get(str(message.get("tool_call_id")), ("", ""))
            found += _sources_of_message(message["role"] == "tool", tool, given, str(message.get("content", "")))
    return found


@lru_cache(maxsize=1024)
def _sources_of_message(is_result: bool, tool: str, given: str, content: str) -> tuple[Source, ...]:
    """Kept: the messages of a conversation come again with each of its runs."""
    if not is_result:
        return tuple(sources_of_request(content))
    try:
        envelope = json.loads(content)
    except ValueError:
        return ()
    if not isinstance(envelope, dict):
        return ()
    return tuple(sources_of_result(0, tool, envelope, _arguments_of(given)))


def _arguments_of(given: str) -> dict[str, Any] | None:
    """A call's arguments as the model wrote them; None where they cannot be read."""
    try:
        arguments = json.loads(given)
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None
