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

import threading
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Protocol

from qgis.core import Qgis, QgsApplication, QgsFeedback, QgsMessageLog, QgsTask
from qgis.PyQt.QtCore import QCoreApplication, QTimer

from .errors import CANCELLED, ToolError
from .i18n import translate

WATCH_MS = 400
"""After this a task that was not started is looked at; see ``Work._watch``."""
PATIENCE = 8
"""Looks after which a task is added again although others run: QGIS has more than one thread."""
MAX_TRIES = 3
QUIT_S = 120.0
QUIT_LOOK_S = 0.02
LOG_TAG = "QGIS Agent"
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


class _Job:
    """One function that is to run once, whichever of its tasks QGIS starts.

    The function is let go as soon as it runs or is dropped: it holds feature sources, which must not outlive their call (a
    WFS source that is destroyed after QGIS's own end crashes), while tasks and timers hold the job for longer.
    """

    def __init__(self, title: str, function: Callable[[QgsFeedback], Any], feedback: QgsFeedback, done: Done) -> None:
        self.title = title
        self.feedback = feedback
        self.done = done
        self.task: Optional[_WorkTask] = None
        """The task that was added last."""
        self.spare: List[_WorkTask] = []
        """Tasks that were added before it and not started by then."""
        self._function: Optional[Callable[[QgsFeedback], Any]] = function
        self._lock = threading.Lock()
        self._claimed = False

    def claim(self) -> Optional[Callable[[QgsFeedback], Any]]:
        """On a worker thread: the function for the first caller, which is the one that runs it; None for others."""
        with self._lock:
            self._claimed = True
            function, self._function = self._function, None
            return function

    def drop(self) -> None:
        """It will not run."""
        with self._lock:
            self._function = None

    @property
    def claimed(self) -> bool:
        """Whether a task has begun to run the function."""
        with self._lock:
            return self._claimed

    def add(self) -> None:
        """Hand a task for it to QGIS."""
        if self.task is not None:
            self.spare.append(self.task)
        self.task = _WorkTask(self.title, self)
        hold(self.task)
        QgsApplication.taskManager().addTask(self.task)

    def watch(self, tries: int, looks: int = 0) -> None:
        """QGIS 3.40.6 sometimes never starts a task that was added while it finished another one: it stays queued although
        nothing runs. Then the job is added once more; whichever of its tasks is started runs it, once."""
        if self.claimed or self.feedback.isCanceled() or self.task not in _ALIVE:
            return
        if tries > MAX_TRIES:
            return  # the call's own time limit ends it
        if any_running() and looks < PATIENCE:
            QTimer.singleShot(WATCH_MS, lambda: self.watch(tries, looks + 1))
            return
        QgsMessageLog.logMessage("{} was not started; added again".format(self.title), LOG_TAG, Qgis.MessageLevel.Info)
        self.add()
        QTimer.singleShot(WATCH_MS, lambda: self.watch(tries + 1))


class _WorkTask(QgsTask):
    """Runs a job on a worker thread and tells on the main thread.

    It tells by ``finished``, which the task manager calls on the main thread, and not by the signals taskCompleted and
    taskTerminated: those come from the worker thread, queued, and are lost when the manager deletes the task first.
    """

    def __init__(self, title: str, job: _Job) -> None:
        super().__init__(title, QgsTask.Flag.CanCancel | QgsTask.Flag.Hidden)
        self._job = job
        self._mine = False
        self._result: Any = None
        self._error: Optional[BaseException] = None

    def run(self) -> bool:
        """On the worker thread. An exception that escaped here would end QGIS, so each is carried over instead."""
        function = self._job.claim()
        self._mine = function is not None
        if function is None:
            return True
        try:
            self._result = function(self._job.feedback)
        except Exception as error:  # noqa: BLE001  re-raised on the main thread by the call that waits for it
            # Its frames hold feature iterators, which must end on this thread: kept alive, they keep their connection
            # to the data, and the next reader of the layer would wait for it.
            traceback.clear_frames(error.__traceback__)
            self._error = error
        return self._error is None

    def finished(self, result: bool) -> None:
        """On the main thread, also when the task was cancelled before it ran."""
        release(self)
        if not self._mine and (self._job.claimed or self._job.task is not self):
            return  # another task of the same job runs it
        self._job.drop()
        value, error = self._result, self._error
        self._result = self._error = None
        if error is None and not (result and self._mine):
            error = cancelled()
        if self._job.spare:
            QTimer.singleShot(0, self._drop_spare)
        self._job.done(value, error)

    def _drop_spare(self) -> None:
        """Tasks that QGIS has forgotten would else be kept for good."""
        spare, self._job.spare = self._job.spare, []
        for each in spare + [self._job.task]:
            if each is not None and each is not self and each in _ALIVE:
                QgsTask.cancel(each)  # its own cancel would cancel the feedback of the job
                release(each)

    def cancel(self) -> None:
        """QGIS or the person cancels the task."""
        self._job.feedback.cancel()
        super().cancel()


_ALIVE: List[Any] = []
"""What runs. Python must hold it until it is done, also when its call has been answered (detached)."""


_QUITTING: List[Any] = []
"""The application whose end waits for what runs."""


def hold(what: Any) -> None:
    """Keep something alive until ``release``."""
    application = QCoreApplication.instance()
    if application is not None and not _QUITTING:
        _QUITTING.append(application)
        application.aboutToQuit.connect(wait_for_all)
    _ALIVE.append(what)


def release(what: Any) -> None:
    """It is done."""
    _ALIVE[:] = [each for each in _ALIVE if each is not what]


def wait_for_all(limit_s: float = QUIT_S) -> bool:
    """QGIS ends: wait for what runs. A worker that still runs while QGIS takes itself apart crashes it (3.40.6).

    False when something runs on after ``limit_s``.
    """
    for each in list(_ALIVE):
        if isinstance(each, _WorkTask):
            each.cancel()
    end = time.monotonic() + limit_s
    while _ALIVE and time.monotonic() < end:
        QCoreApplication.processEvents()
        time.sleep(QUIT_LOOK_S)
    return not _ALIVE


def any_running() -> bool:
    """Whether any piece of work has begun and not ended."""
    return any(isinstance(each, _WorkTask) and each.status() == QgsTask.TaskStatus.Running for each in _ALIVE)


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
        job = _Job(self._title, self._function, feedback, done)
        job.add()
        QTimer.singleShot(WATCH_MS, lambda: job.watch(1))


class Turn:
    """Nothing but a turn of QGIS's event loop, between pieces that must be done on the main thread (opening many files)."""

    def start(self, feedback: QgsFeedback, done: Done) -> None:
        """See Step."""
        QTimer.singleShot(0, lambda: done(None, cancelled() if feedback.isCanceled() else None))


def cancelled() -> ToolError:
    """The error that ends a call which was stopped."""
    return ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped")
