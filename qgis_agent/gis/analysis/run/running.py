"""One algorithm as a step of a call: prepared on the main thread, run on a worker, ended on the main thread.

What it reads is kept alive until it has returned, also when its call has been answered long before (detached), and when a
person removes a layer, opens another project or unloads the plugin meanwhile.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

from qgis.core import (
    Qgis,
    QgsFeedback,
    QgsMapLayer,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProject,
)
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QTimer

from ...errors import (
    CANCELLED,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from ...main_thread import BUSY_MS
from ...source_files import (
    local_path,
    require_readable,
)
from ...work import (
    Done,
    Work,
    hold,
    release,
)
from .catalog import (
    check_parameters,
    find_algorithm,
)
from .failures import (
    cause_of,
    failure_of,
    harmful,
)
from .harmless import is_harmless
from .messages import (
    CollectingFeedback,
    GdalWatch,
)
from .room import RoomWatch
from .scoped import DROP, Given, reduce_all, replaced, to_reduce

NO_STATISTICS_FILE = "--config GDAL_PAM_ENABLED NO"
"""For commands that would write the statistics that they compute beside the source."""


class RunAlgorithm:
    """A step that runs one algorithm: in a task, or on the main thread where the algorithm demands it.

    Its result is the map of results. Parameters are layers and plain values; they are checked first. Fails with
    UPSTREAM_ERROR when the algorithm fails or reports an error, with INVALID_PARAM for parameters that do not fit.
    ``feedback`` has what it told, ``layer_ids`` the layers that it reads. ``tolerant``: errors with which the algorithm
    itself goes on are left to the caller, who tells them (``feedback.errors``); lost rows and unread data never are.
    """

    detachable = True
    """It may run on after Stop: of such steps only a few may be under way (``calls.py``)."""

    def __init__(
        self,
        algorithm: str,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        *,
        tolerant: bool = False,
        whole: bool = False,
    ) -> None:
        self._algorithm = find_algorithm(algorithm)
        self.holds_main_thread = bool(self._algorithm.flags() & Qgis.ProcessingAlgorithmFlag.NoThreading)
        self.share: Tuple[int, int] = (0, 1)
        """Its place in a plan: (steps before it, steps in all)."""
        self._tolerant = tolerant
        self._reduced = whole
        """Whether no layer among the parameters has excluded fields, or they are to be read all the same."""
        self._parameters = dict(parameters)
        self._context = context
        provider = self._algorithm.provider()
        self.feedback = CollectingFeedback(console=provider is not None and provider.id() == "gdal")
        if context.project() is None:
            context.setProject(QgsProject.instance())
        self._layers = list(_layers_in(parameters, context.project()))
        self.layer_ids = frozenset(each.id() for each in self._layers)
        self._files = sorted({local_path(each) for each in self._layers})
        self._project: Optional[QgsProject] = None
        self._room: Optional[RoomWatch] = None
        check_parameters(self._algorithm, parameters, context)
        context.setFeedback(self.feedback)  # sinks tell there of features that they could not write

    def progress(self) -> float:
        """Percent done of the whole plan, as the algorithm tells it; for one that does not, what is before it."""
        before, steps = self.share
        return (100.0 * before + float(self.feedback.progress())) / steps

    def start(self, feedback: QgsFeedback, done: Done) -> None:
        """See Step. What the person excluded is left out of the layers first (``scoped.py``)."""
        waiting = [] if self._reduced else to_reduce(self._algorithm, self._parameters, self._context.project())
        if waiting:
            self._reduced = True
            self._reduce(waiting, feedback, done)
            return
        feedback.canceled.connect(self.feedback.cancel)
        if feedback.isCanceled():
            self.feedback.cancel()
        hold(self)
        self._room = RoomWatch(self._context.temporaryFolder(), self.feedback.cancel)
        self._project = self._context.project()
        self._project.layersWillBeRemoved.connect(self._layers_go)
        if self.holds_main_thread:
            QTimer.singleShot(BUSY_MS, lambda: self._run_here(done))
            return
        with GdalWatch(self.feedback):
            prepared = self._algorithm.prepare(self._with_quiet_command(), self._context, self.feedback)
        if not prepared:
            self._finish(None, done)
            return
        title = clean_text(self._algorithm.displayName(), 80)
        Work(title, self._execute).start(feedback, lambda value, error: self._executed(value, error, done))

    def _reduce(self, waiting: List[Given], feedback: QgsFeedback, done: Done) -> None:
        hold(self)

        def run(parameters: Dict[str, Any], told: Done) -> None:
            RunAlgorithm(DROP, parameters, self._context, whole=True).start(feedback, told)

        def ready(copies: Dict[int, Any], error: Optional[BaseException]) -> None:
            release(self)
            if error is not None:
                done(None, error)
                return
            self._parameters = replaced(self._parameters, copies)
            self._context.setFeedback(self.feedback)
            self.start(feedback, done)

        reduce_all(waiting, self._context, run, ready)

    def _execute(self, _feedback: QgsFeedback) -> Dict[str, Any]:
        """On the worker thread."""
        for path in self._files:
            require_readable(path)
        with GdalWatch(self.feedback):
            return dict(self._algorithm.runPrepared(self._with_quiet_command(), self._context, self.feedback))

    def _executed(self, value: Any, error: Optional[BaseException], done: Done) -> None:
        if isinstance(error, ToolError):
            self._finish(None, done, error)
            return
        if error is not None and not self.feedback.isCanceled():
            self.feedback.reportError(_said_by(error), True)
        results: Optional[Dict[str, Any]] = None
        try:
            with GdalWatch(self.feedback):
                ended = self._algorithm.postProcess(self._context, self.feedback, error is None)
            results = {**value, **ended} if error is None else None
        except QgsProcessingException as late:
            self.feedback.reportError(_said_by(late), True)
        self._finish(results, done)

    def _run_here(self, done: Done) -> None:
        """On the main thread, as the algorithm demands; QGIS stands still meanwhile."""
        if self.feedback.isCanceled():
            self._finish(None, done)
            return
        with GdalWatch(self.feedback):
            results, good = self._algorithm.run(self._with_quiet_command(), self._context, self.feedback)
        self._finish(results if good else None, done)

    def _finish(self, results: Optional[Dict[str, Any]], done: Done, error: Optional[ToolError] = None) -> None:
        release(self)
        lack = self._ended_watch()
        if self._project is not None and not sip.isdeleted(self._project):
            self._project.layersWillBeRemoved.disconnect(self._layers_go)
        folder, ident = self._context.temporaryFolder(), self._algorithm.id()
        self._context.setFeedback(None)
        self._parameters, self._layers = {}, []
        self.feedback.excuse(lambda text: is_harmless(ident, text))
        del self._context, self._algorithm  # timers hold this step for longer; the scratch goes with its context
        if lack is not None:
            done(None, lack)
        elif self.feedback.isCanceled():
            done(None, ToolError(CANCELLED, translate("QgisAgent", "Stopped."), reason="stopped"))
        elif error is not None:
            done(None, error)
        elif results is None or self._spoilt():
            done(None, failure_of(ident, self.feedback, folder))
        else:
            done(results, None)

    def _ended_watch(self) -> Optional[ToolError]:
        """What was lacking, when that is why it was stopped."""
        room, self._room = self._room, None
        if room is None:
            return None
        room.end()
        return room.error

    def _spoilt(self) -> bool:
        """Whether an algorithm that ended told of something after which its result is not to be used."""
        if harmful(self.feedback.gdal) or self.feedback.rows_lost or cause_of(self.feedback.errors):
            return True
        return bool(self.feedback.errors) and not self._tolerant

    def _layers_go(self, layer_ids: List[str]) -> None:
        """Layers are taken out of the project: those that the algorithm reads live on, here, until it has returned.

        The project deletes only layers that are its children.
        """
        for each in self._layers:
            if not sip.isdeleted(each) and each.id() in layer_ids:
                each.setParent(None)

    def _with_quiet_command(self) -> Dict[str, Any]:
        if self._algorithm.id() != "gdal:gdalinfo":
            return self._parameters
        more = str(self._parameters.get("EXTRA") or "")
        return {**self._parameters, "EXTRA": "{} {}".format(more, NO_STATISTICS_FILE).strip()}


def _layers_in(value: Any, project: QgsProject) -> Iterator[QgsMapLayer]:
    """The layers among the values of parameters, in lists and tables as well, and in definitions of sources."""
    if isinstance(value, QgsMapLayer):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _layers_in(each, project)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _layers_in(each, project)
    elif hasattr(value, "source") and hasattr(value.source, "staticValue"):  # QgsProcessingFeatureSourceDefinition
        found = project.mapLayer(str(value.source.staticValue()))
        if found is not None:
            yield found


def _said_by(error: BaseException) -> str:
    """What an exception of an algorithm says; one without words is told by its kind."""
    return str(error).strip() or type(error).__name__
