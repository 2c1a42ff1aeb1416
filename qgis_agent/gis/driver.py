"""Drives the handler of one call: a plain function at once, a generator from step to step.

When a call is answered while a step runs (Stop, time limit, a layer removed), the generator is closed as soon as the step
has returned: its own ``finally`` clears up then, and not while a worker still uses what it holds.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QTimer

from .confirm import Asking
from .errors import UPSTREAM_ERROR, ToolError, failure
from .i18n import translate
from .results import fit
from .secrets import log_fault
from .work import Answer, Step

if TYPE_CHECKING:
    from .call import Call
    from .calls import Calls, RunningCall
    from .tools.registry import Tool

PROGRESS_MS = 500


class Driver:
    """See the module. ``tool`` is the name of the call's tool."""

    def __init__(self, calls: Calls, running: RunningCall, tool: Tool) -> None:
        self.tool = tool.name
        self._calls = calls
        self._running = running
        self._step: Optional[Step] = None
        self._told = 0
        self._holds = False
        running.on_answered = self._answered
        arguments: Dict[str, Any] = running.call.arguments
        try:
            made = tool.handler(running.call, **arguments)
            if tool.runs == "task":
                self._generator = made
                self._resume(None, None)
            elif inspect.isgenerator(made):
                raise TypeError("handler of {} is a generator but runs on the main thread".format(tool.name))
            else:
                self._finish(made)
        except ToolError as error:
            self._failed(error)
        except Exception:  # noqa: BLE001  a fault of ours: the person and the model are told, the log has it
            self._broke()

    def _resume(self, value: Any, error: Optional[BaseException]) -> None:
        if self._running.answered:
            self._generator.close()
            return
        try:
            step = self._generator.throw(error) if error is not None else self._generator.send(value)
        except StopIteration as stop:
            self._finish(stop.value)
            return
        except ToolError as failed:
            self._failed(failed)
            return
        except Exception:  # noqa: BLE001  as above
            self._broke()
            return
        self._start(step)

    def _start(self, step: Step) -> None:
        if isinstance(step, Asking):
            step.bind(self._calls, self._running)
        if getattr(step, "detachable", False):
            try:
                self._calls.host.detached.require_room()
            except ToolError as error:
                self._resume(None, error)
                return
            QTimer.singleShot(PROGRESS_MS, lambda: self._progress(step))
        self._step = step
        self._running.step = step
        self._tell_hold(bool(getattr(step, "holds_main_thread", False)))
        step.start(self._running.call.feedback, self._later)

    def _later(self, value: Any, error: Optional[BaseException]) -> None:
        # A task that is added while the task manager is still finishing another one is sometimes never started
        # (seen with QGIS 3.40.6: it stays queued while the thread pool is idle). So go on from the event loop.
        QTimer.singleShot(0, lambda: self._guarded(value, error))

    def _guarded(self, value: Any, error: Optional[BaseException]) -> None:
        self._step = self._running.step = None
        try:
            self._resume(value, error)
        except Exception:  # noqa: BLE001  as above; a slot must not raise into Qt
            self._broke()
        self._calls.host.detached.remove(self)

    def _answered(self) -> None:
        """The call has its answer; a step that runs on is detached."""
        if getattr(self._step, "detachable", False):
            self._calls.host.detached.add(self)

    def _progress(self, step: Any) -> None:
        """Tell how far a long step is, while it runs."""
        if self._step is not step or self._running.answered or sip.isdeleted(self._calls):
            return
        percent = int(step.progress())
        if percent > self._told:
            self._told = percent
            self._calls.progressed.emit(self._running.call.call_id, self.tool, percent)
        QTimer.singleShot(PROGRESS_MS, lambda: self._progress(step))

    def _tell_hold(self, holds: bool) -> None:
        """Tell before the main thread is held, and when it is free again."""
        if holds != self._holds:
            self._holds = holds
            self._calls.held.emit(self._running.call.call_id, self.tool, holds)

    def _finish(self, result: Any) -> None:
        call = self._running.call
        if self._running.answered:
            return
        answer = result if isinstance(result, Answer) else Answer(dict(result or {}))
        rows = answer.rows if answer.rows is not None else answer.data.get(answer.rows_key) if answer.rows_key else None

        def keep() -> Optional[str]:
            if rows is None:
                return None
            capability = call.capability
            return call.host.results.put(
                rows,
                tool=call.tool,
                project_id=call.host.project_id(),
                caller=capability.caller,
                session_id=capability.session_id,
                seal=call.host.scope.seal(_layer_ids(call)),
            )

        if call.actions:
            call.host.last_action = "{} {}".format(call.actions[-1]["op"], call.arguments.get("layer_id", "")).strip()
        self._running.answer(fit(answer.data, answer.message, answer.rows_key, keep))

    def _failed(self, error: ToolError) -> None:
        self._running.fail(error)
        forget(error)

    def _broke(self) -> None:
        log_fault()
        self._running.answer(
            failure(
                UPSTREAM_ERROR,
                translate("QgisAgent", "The tool {} broke.").format(self._running.call.tool),
                hint=translate("QgisAgent", "The log (tab QGIS Agent) has the details; try another way."),
                reason="internal",
            )
        )


def _layer_ids(call: Call) -> List[str]:
    """The ids of the layers that a call was made on."""
    found = (call.host.layers.by_alias(each) for each in _named_anywhere(call.arguments) + call.uses)
    return [each.id() for each in found if each is not None]


def _named_anywhere(node: Any) -> List[str]:
    """``named_layers`` of arguments and of the objects in them."""
    if isinstance(node, (list, tuple)):
        return [alias for each in node for alias in _named_anywhere(each)]
    if not isinstance(node, dict):
        return []
    return named_layers(node) + [alias for each in node.values() for alias in _named_anywhere(each)]


def named_layers(arguments: Dict[str, Any]) -> List[str]:
    """The aliases among the arguments of a call."""
    found: List[str] = []
    for key, value in arguments.items():
        if key.endswith("layer_id") and isinstance(value, str):
            found.append(value)
        elif key.endswith("layer_ids") and isinstance(value, list):
            found += [each for each in value if isinstance(each, str)]
    return found


def forget(error: Optional[BaseException]) -> None:
    """Let go what the frames of an error hold: layers, contexts, and with them temporary files."""
    while error is not None:
        error.__traceback__ = None
        error = error.__context__
