"""Steps of a tool call that take time.

A handler that needs time is a generator. It prepares on the main thread, yields a step, and goes on with the step's
result, again on the main thread:

    @tool("count_features", effect="read", runs="task")
    def count_features(call, layer_id, where=()):
        layer = call.vector_layer(layer_id)
        source = QgsVectorLayerFeatureSource(layer)            # main thread
        count = yield Work("Counting", lambda feedback: counted(source, feedback))   # worker thread
        return Answer({"layer_id": layer_id, "count": count})  # main thread again

So no handler blocks QGIS, none runs an event loop of its own, and Stop reaches all of them in one place (``calls.py``).
"""

from __future__ import annotations

import traceback
from typing import Any, Callable, Dict, List, Optional, Protocol

from qgis.core import QgsApplication, QgsFeedback, QgsTask

from .errors import CANCELLED, ToolError
from .i18n import translate

Done = Callable[[Any, Optional[BaseException]], None]


class Step(Protocol):
    """Something a handler can yield."""

    def start(self, feedback: QgsFeedback, done: Done) -> None:
        """Begin, on the main thread; ``done(result, error)`` is called once, on the main thread, later."""


class Answer:
    """What a handler returns.

    ``data`` is plain JSON data without geometry. ``rows_key`` names the list in it that may be cut to a sample with a
    ``result_ref`` when the whole is over the budget; ``rows`` is then the full list, when ``data`` holds only a part.
    """

    def __init__(
        self, data: Dict[str, Any], message: str = "", *, rows_key: str = "", rows: Optional[list] = None
    ) -> None:
        self.data = data
        self.message = message
        self.rows_key = rows_key
        self.rows = rows


class _WorkTask(QgsTask):
    """Runs a function on a worker thread and tells on the main thread.

    It tells by ``finished``, which the task manager calls on the main thread, and not by the signals taskCompleted and
    taskTerminated: those come from the worker thread, queued, and are lost when the manager deletes the task first.
    """

    def __init__(self, title: str, function: Callable[[QgsFeedback], Any], feedback: QgsFeedback, done: Done) -> None:
        super().__init__(title, QgsTask.Flag.CanCancel | QgsTask.Flag.Hidden)
        self._function = function
        self._feedback = feedback
        self._done = done
        self._result: Any = None
        self._error: Optional[BaseException] = None

    def run(self) -> bool:
        """On the worker thread. An exception that escaped here would end QGIS, so each is carried over instead."""
        try:
            self._result = self._function(self._feedback)
        except Exception as error:  # noqa: BLE001  re-raised on the main thread by the call that waits for it
            # Its frames hold feature iterators, which must end on this thread: kept alive, they keep their connection
            # to the data, and the next reader of the layer would wait for it.
            traceback.clear_frames(error.__traceback__)
            self._error = error
        return self._error is None

    def finished(self, result: bool) -> None:
        """On the main thread, also when the task was cancelled before it ran."""
        release(self)
        value, error = self._result, self._error
        self._result = self._error = None
        if error is None and not result:
            error = ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")
        self._done(value, error)

    def cancel(self) -> None:
        """QGIS or the person cancels the task."""
        self._feedback.cancel()
        super().cancel()


_ALIVE: List[Any] = []
"""What runs. Python must hold it until it is done, also when its call has been answered (detached)."""


def hold(what: Any) -> None:
    """Keep something alive until ``release``."""
    _ALIVE.append(what)


def release(what: Any) -> None:
    """It is done."""
    _ALIVE[:] = [each for each in _ALIVE if each is not what]


def running_tasks() -> int:
    """How many pieces of work run, detached ones included."""
    return len(_ALIVE)


class Work:
    """A function that runs on a worker thread. It gets a QgsFeedback and must not touch layers, project or widgets."""

    def __init__(self, title: str, function: Callable[[QgsFeedback], Any]) -> None:
        self._title = title
        self._function = function

    def start(self, feedback: QgsFeedback, done: Done) -> None:
        """See Step."""
        task = _WorkTask(self._title, self._function, feedback, done)
        hold(task)
        QgsApplication.taskManager().addTask(task)
