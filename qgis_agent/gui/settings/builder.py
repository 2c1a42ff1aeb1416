"""Builds the agent's environment off the GUI thread."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtCore import QObject, QThread, pyqtSignal

from ... import environment
from ...gis.i18n import translate


class EnvironmentBuilder(QObject):
    """``progress(line, fraction)`` while it builds (fraction is -1 when unknown), then ``done(ok, text)`` once."""

    progress = pyqtSignal(str, float)
    done = pyqtSignal(bool, str)

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._thread: Optional[_BuildThread] = None

    def is_running(self) -> bool:
        """Whether a build goes on."""
        return self._thread is not None

    def start(self) -> None:
        """Begin; nothing happens when a build goes on already."""
        if self._thread is not None:
            return
        self._thread = _BuildThread()
        self._thread.progress.connect(self.progress)
        self._thread.outcome.connect(self._keep)
        self._thread.finished.connect(self._finished)
        self._ok, self._text = False, translate("QgisAgent", "The build was stopped.")
        self._thread.start()

    def stop(self) -> None:
        """Ask the build to end; ``done`` follows within a second or two."""
        if self._thread is not None:
            self._thread.asked_to_stop = True

    def wait(self, ms: int) -> bool:
        """Wait for the end, at QGIS's own end; False when it goes on."""
        if self._thread is None:
            return True
        self._thread.asked_to_stop = True
        return self._thread.wait(ms)

    def _keep(self, ok: bool, text: str) -> None:
        self._ok, self._text = ok, text

    def _finished(self) -> None:
        self._thread = None
        self.done.emit(self._ok, self._text)


class _BuildThread(QThread):
    """Calls environment.build; an error becomes words, never an exception that leaves the thread."""

    progress = pyqtSignal(str, float)
    outcome = pyqtSignal(bool, str)

    def __init__(self) -> None:
        super().__init__()
        self.asked_to_stop = False

    def run(self) -> None:
        """See the class."""
        folder = environment.locate()
        try:
            environment.build(folder, progress=self._report)
        except environment.EnvironmentBuildError as error:
            self.outcome.emit(False, "{} {}".format(error, error.hint).strip())
            return
        except OSError as error:
            self.outcome.emit(False, str(error))
            return
        self.outcome.emit(True, translate("QgisAgent", "The agent environment is ready."))

    def _report(self, line: str, fraction: Optional[float] = None) -> None:
        if self.asked_to_stop:
            raise environment.EnvironmentBuildError(translate("QgisAgent", "The build was stopped."), "")
        if line:
            self.progress.emit(line, -1.0 if fraction is None else fraction)
