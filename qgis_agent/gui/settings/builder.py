"""Builds the agent's environment, and takes it away, off the GUI thread."""

from __future__ import annotations

from typing import Callable, List, Optional

from qgis.PyQt.QtCore import QObject, pyqtSignal

from ... import environment
from ...gis.i18n import translate
from ...gis.network_variables import variables_for
from .builder_jobs import Job

LOG_LINES = 2_000


class EnvironmentBuilder(QObject):
    """``progress(line, fraction)`` while it works (fraction is -1 when unknown), then ``done(ok, text)`` once.

    ``began`` comes before either. ``log`` holds the lines of the last work and ``error`` what went wrong with it.
    """

    began = pyqtSignal()
    progress = pyqtSignal(str, float)
    done = pyqtSignal(bool, str)

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._job: Optional[Job] = None
        self._success = ""
        self.removing = False
        self.log: List[str] = []
        self.error: Optional[environment.EnvironmentBuildError] = None

    def is_running(self) -> bool:
        """Whether something is being built or removed."""
        return self._job is not None

    def start(self, python: Optional[str] = None, wheels: Optional[str] = None) -> None:
        """Begin to build, with QGIS's proxy and authorities; nothing happens when some work goes on already.

        ``python`` None takes the best that is found and keeps an environment that is sound; ``wheels`` is a folder to
        install from, without the network.
        """
        if self._job is not None:
            return
        folder = environment.locate()
        base = variables_for(folder)

        def build(report: environment.Progress) -> None:
            environment.build(folder, python, wheels, report, base)

        self._begin(build, translate("QgisAgent", "The agent environment is ready."))

    def remove(self) -> None:
        """Begin to remove the environment; nothing happens when some work goes on. The agent must have ended before."""
        if self._job is not None:
            return
        folder = environment.locate()

        def remove(report: environment.Progress) -> None:
            report(translate("QgisAgent", "Removing {folder}.").format(folder=folder), None)
            environment.remove(folder)

        self._begin(remove, translate("QgisAgent", "The agent environment was removed."), removing=True)

    def stop(self) -> None:
        """Ask a build to end; ``done`` follows within a second or two."""
        if self._job is not None:
            self._job.asked_to_stop = True

    def wait(self, ms: int) -> bool:
        """Wait for the end, at QGIS's own end; False when it goes on."""
        if self._job is None:
            return True
        self._job.asked_to_stop = True
        return bool(self._job.wait(ms))

    def _begin(self, work: Callable[[environment.Progress], None], success: str, removing: bool = False) -> None:
        self.log, self.error, self._success, self.removing = [], None, success, removing
        self._job = Job(work, self)
        self._job.progress.connect(self._heard)
        self._job.finished.connect(self._finished)
        self.began.emit()
        self._job.start()

    def _heard(self, line: str, fraction: float) -> None:
        self.log = (self.log + [line])[-LOG_LINES:]
        self.progress.emit(line, fraction)

    def _finished(self) -> None:
        job, self._job = self._job, None
        if job is None:
            return
        self.error = job.error
        job.deleteLater()
        text = self._success if job.error is None else "{} {}".format(job.error, job.error.hint).strip()
        self.done.emit(job.error is None, text)
