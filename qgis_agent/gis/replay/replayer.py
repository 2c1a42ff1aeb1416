"""Replays traces without a model: the same calls, through the same checks, on a copy of the project.

``replay_traces`` waits for the end (command line, Processing); ``Replay`` tells by signals (the panel). A report is
{"equal", "first_difference": {"run", "step", "path", "expected", "found"} | None, "steps": [{"run", "step", "tool", "outcome",
"why", "code", "ms"}], "skipped": how many, "not_compared": how many of these depend on a skipped one, "map_compared": whether
the map at the end of each trace was, "map_state", "digest" (of the map state), "traces": ids, "error": envelope or None}.

Step 0 is the beginning (path /state_in/…), the number after the last step the end (path /map_state/…). What differs ends the
replay. A step that wrote, or that a person was asked about, is "skipped" unless ``approver`` agrees again; what uses the layers
and files that it changed then is repeated, but not compared, where it comes out otherwise.

It writes to the copy and to ``write_roots``, nowhere else. Whatever breaks ends the replay with an ``error``.
"""

from __future__ import annotations

import time
import uuid
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from ...bridge.requested import requested_by
from ...bridge.trace import Trace, canonical_json, digest_of
from ..approvals import Approver
from ..calls import Calls
from ..errors import failure
from ..headless import HeadlessApprover
from ..host import Host, run_until
from ..i18n import translate
from ..map_state import map_state
from ..paths import PathPolicy
from ..secrets import log_fault
from ..tools.registry import load_all
from .beginning import restore
from .names import Names, renamed
from .outcome import (
    DIFFERENT,
    EQUAL,
    NOT_RUN,
    SKIPPED,
    WHY_AFTER_COMMIT,
    WHY_COMMIT,
    difference_of,
    is_refused,
    state_difference,
    touched_by,
    used_by,
    why_not_repeated,
)
from .refusals import broken, refusal
from .scratch_project import ScratchProject

TIMEOUT_S = 1800.0
Report = Dict[str, Any]


class Replay(QObject):
    """One replay. ``progressed(done, all)`` after each step, ``finished(report)`` once; ``cancel`` ends it early."""

    progressed = pyqtSignal(int, int)
    finished = pyqtSignal(dict)

    def __init__(
        self,
        traces: Sequence[Trace],
        project_path: str,
        approver: Optional[Approver] = None,
        parent: Optional[QObject] = None,
        *,
        write_roots: Sequence[str] = (),
    ) -> None:
        super().__init__(parent)
        self._traces = list(traces)
        self._path = project_path
        self._approver = approver or HeadlessApprover("none")
        self._write_roots = list(write_roots)
        self._scratch: Optional[ScratchProject] = None
        self._host: Optional[Host] = None
        self._calls: Optional[Calls] = None
        self._names: Optional[Names] = None
        self._queue: List[Any] = []
        self._steps: List[Dict[str, Any]] = []
        self._open: Set[str] = set()
        """Names (layers, files) that steps which were not repeated, or not compared, changed or made."""
        self._view_open = False
        """Whether the view of now is that of a step which was not compared."""
        self._maps = 0
        """Of how many traces the map at the end was compared."""
        self._report: Optional[Report] = None

    def start(self) -> None:
        """Open the copy and begin. ``finished`` comes later, also where the project cannot be opened."""
        QTimer.singleShot(0, self._begin)

    def cancel(self) -> None:
        """End it now; the report says that it was stopped."""
        self._end(error=failure("CANCELLED", translate("QgisAgent", "Stopped."), reason="stopped"))

    def close(self) -> None:
        """QGIS or the plugin ends: the copy is closed at once, and nothing is told."""
        self.blockSignals(True)
        self.cancel()
        self._close()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do it: a slot must not raise into Qt, and who waits for the end would wait for the timeout."""
        try:
            work()
        except Exception as error:  # noqa: BLE001  a fault of ours, a full disk, or a file that no program of ours wrote
            self._end(error=broken(error))

    def _begin(self) -> None:
        if self._report is None:
            self._guarded(self._open_copy)

    def _next(self) -> None:
        if self._report is None:
            self._guarded(self._go_on)

    def _open_copy(self) -> None:
        for error in filter(None, map(refusal, self._traces)):
            raise error
        self._scratch = ScratchProject(self._path)
        project = self._scratch.project
        # Without any the policy would take the folders that the project and the settings name.
        own = [self._scratch.copied] if self._scratch.copied else []
        self._host = Host(project, paths=PathPolicy(project, write_roots=[*own, *self._write_roots]), parent=self)
        self._calls = Calls(self._host, self._approver, parent=self)
        self._names = Names(self._host, self._scratch.folder)
        self._queue = [
            (trace, step) for trace in self._traces for step in [None, *trace["steps"], "end"]
        ]  # None: its beginning
        self._next()

    def _go_on(self) -> None:
        if not self._queue:
            self._end()
            return
        trace, step = self._queue.pop(0)
        if step is None:
            self._start_trace(trace)
        elif step == "end":
            self._end_trace(trace)
        else:
            self._repeat(trace, step)

    def _later(self) -> None:
        self.progressed.emit(len(self._steps), sum(len(each["steps"]) for each in self._traces))
        QTimer.singleShot(0, self._next)

    def _start_trace(self, trace: Trace) -> None:
        host, names = self._parts()
        names.begin(trace)
        now = {then: present for present, then in names.back().items()}
        restore(host, trace, now)
        self._view_open = False
        told = state_difference(trace["state_in"], map_state(host), names.back(), self._open, "/state_in")
        if told is not None:
            self._end(dict(told, run=trace.get("run", 1), step=0))
            return
        words = str(trace["user_text"])
        host.begin_request()
        self._capability = host.ledger.issue(
            caller="chat",
            level="safe_write",
            session_id="replay-" + uuid.uuid4().hex[:12],
            run_id="replay-" + uuid.uuid4().hex[:12],
            project_id=host.project_id(),
            enabled_packs=frozenset(["write"]),
            requested=frozenset(requested_by(words)),
            words=words,
            attended=False,
        )
        host.checkpoints.begin_run(self._capability.run_id, words)
        self._later()

    def _parts(self) -> Any:
        if self._host is None or self._names is None:
            raise RuntimeError("the replay has not begun")
        return self._host, self._names

    def _repeat(self, trace: Trace, step: Dict[str, Any]) -> None:
        host, names = self._parts()
        calls = self._calls
        if calls is None:
            raise RuntimeError("the replay has not begun")
        why = why_not_repeated(step, frozenset(load_all()))
        if why:
            self._told(trace, step, SKIPPED, why)
            self._later()
            return
        began, view = time.monotonic(), host.asked_view

        def done(outcome: Dict[str, Any]) -> None:
            if self._report is None:
                ms = round((time.monotonic() - began) * 1000)
                self._guarded(lambda: self._compare(trace, step, outcome, ms, view))

        calls.start(
            {
                "call_id": "{}/{}".format(trace.get("run", 1), step.get("step")),
                "run_id": self._capability.run_id,
                "capability": self._capability.token,
                "name": step["tool"],
                "arguments": names.arguments(step["args"]),
                "origin": "native",
            },
            done,
        )

    def _compare(self, trace: Trace, step: Dict[str, Any], outcome: Dict[str, Any], ms: int, view: Any) -> None:
        host, names = self._parts()
        envelope = outcome["envelope"]
        if is_refused(step, envelope):
            self._open |= touched_by(step, [])
            self._told(trace, step, SKIPPED, WHY_COMMIT, ms)
            self._later()
            return
        names.learn(step["result"].get("data"), envelope.get("data"))
        for then, now in zip(step.get("actions") or [], outcome["actions"]):
            names.learn(then.get("args"), now.get("args"))
        told = difference_of(step, envelope, outcome["actions"], names.back())
        if told is not None and not self._open & used_by(step["args"]):
            self._told(trace, step, DIFFERENT, "", ms, str(envelope.get("code") or ""))
            self._end(dict(told, run=trace.get("run", 1), step=step.get("step")))
            return
        if host.asked_view != view:
            self._view_open = told is not None
        if told is not None:
            self._open |= touched_by(step, renamed(outcome["actions"], names.back()))
        self._told(trace, step, *((EQUAL, "") if told is None else (SKIPPED, WHY_AFTER_COMMIT)), ms)
        self._later()

    def _told(self, trace: Trace, step: Dict[str, Any], outcome: str, why: str, ms: int = 0, code: str = "") -> None:
        row = {"run": trace.get("run", 1), "step": step.get("step"), "tool": step["tool"], "outcome": outcome, "ms": ms}
        self._steps.append({**row, **({"why": why} if why else {}), **({"code": code} if code else {})})

    def _end_trace(self, trace: Trace) -> None:
        host, names = self._parts()
        host.ledger.revoke(self._capability)
        recorded = trace["final"].get("map_state")
        if recorded:
            self._maps += 1
            state, view = map_state(host), not self._view_open
            told = state_difference(recorded, state, names.back(), self._open, "/map_state", view)
            if told is not None:
                self._end(dict(told, run=trace.get("run", 1), step=len(trace["steps"]) + 1))
                return
        self._later()

    def _end(self, difference: Optional[Dict[str, Any]] = None, error: Optional[Dict[str, Any]] = None) -> None:
        if self._report is not None:
            return
        state = self._state()
        for trace, step in self._queue:
            if isinstance(step, dict):
                self._told(trace, step, NOT_RUN, "")
        self._queue = []
        self._report = {
            "equal": difference is None and error is None,
            "first_difference": difference,
            "steps": self._steps,
            "skipped": sum(each["outcome"] == SKIPPED for each in self._steps),
            "not_compared": sum(each.get("why") == WHY_AFTER_COMMIT for each in self._steps),
            "map_compared": bool(self._traces) and self._maps == len(self._traces),
            "map_state": state,
            "digest": digest_of(state) if state is not None else "",
            "traces": [each["trace_id"] for each in self._traces],
            "error": error,
        }
        if self._calls is not None:
            self._calls.cancel_all()
        QTimer.singleShot(0, self._close)

    def _state(self) -> Optional[Dict[str, Any]]:
        """The map as it is, in the names of then; None where nobody can tell."""
        if self._host is None or self._names is None:
            return None
        try:
            state: Dict[str, Any] = renamed(map_state(self._host), self._names.back())
        except Exception:  # noqa: BLE001  perhaps it is what broke; the end is told all the same
            log_fault()
            return None
        return state

    def _close(self) -> None:
        """From the event loop: what the last call still holds of the copy has gone by now."""
        calls, self._calls = self._calls, None
        host, self._host = self._host, None
        scratch, self._scratch = self._scratch, None
        try:
            if calls is not None:
                calls.deleteLater()
            if scratch is not None:
                scratch.close()
            if host is not None:
                host.deleteLater()
        finally:
            self.finished.emit(dict(self._report or {}))


def replay_traces(
    traces: Sequence[Trace],
    project_path: str,
    approver: Optional[Approver] = None,
    *,
    write_roots: Sequence[str] = (),
    cancelled: Any = None,
) -> Report:
    """Replay and wait; see the module. ``cancelled()`` is asked now and then, True ends it.

    ``traces`` of one conversation go on with one copy of the project, in their order.
    """
    replay = Replay(traces, project_path, approver, write_roots=write_roots)
    reports: List[Report] = []
    replay.finished.connect(reports.append)
    replay.start()

    def over() -> bool:
        if cancelled is not None and cancelled():
            replay.cancel()
        return bool(reports)

    if not run_until(over, TIMEOUT_S):
        replay.cancel()
        run_until(lambda: bool(reports), 10.0)
    return reports[0]


def replay_trace(trace: Trace, project_path: str, approver: Optional[Approver] = None) -> Report:
    """Replay one trace and wait; see the module."""
    return replay_traces([trace], project_path, approver)


def conversations(traces: Sequence[Trace]) -> List[List[Trace]]:
    """The traces of a file as they replay: those of a conversation that follow each other are one group, in their order."""
    groups: List[List[Trace]] = []
    for trace in traces:
        last = groups[-1][-1] if groups else None
        same = last is not None and last.get("session_id") and last.get("session_id") == trace.get("session_id")
        if same and last is not None and int(trace.get("run") or 0) > int(last.get("run") or 0):
            groups[-1].append(trace)
        else:
            groups.append([trace])
    return groups


def report_text(report: Report) -> str:
    """The canonical spelling of a report's map state: what two replays of a trace have in common, byte by byte."""
    return canonical_json(report["map_state"])
