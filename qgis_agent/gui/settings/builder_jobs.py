"""What takes long around the agent's environment, each on a thread of its own: build, remove, look for Pythons."""

from __future__ import annotations

from typing import Callable, Dict, List, Mapping, Optional

from qgis.PyQt.QtCore import QObject, QThread, pyqtSignal

from ... import environment
from ...environment_failures import cause_of
from ...environment_python import FoundPython, candidates, examine, find_uv, process_environment
from ...gis.i18n import translate
from ...gis.secrets import without_secrets


class Stopped(environment.EnvironmentBuildError):
    """The person stopped the build."""

    def __init__(self) -> None:
        super().__init__(
            translate("QgisAgent", "The build was stopped."),
            translate("QgisAgent", "Nothing was changed. Try again at any time."),
            kind="stopped",
        )


class Job(QThread):
    """Calls ``work(report)``; an error becomes an EnvironmentBuildError in ``error``, never one that leaves the thread."""

    progress = pyqtSignal(str, float)

    def __init__(self, work: Callable[[environment.Progress], None], parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._work = work
        self.asked_to_stop = False
        self.error: Optional[environment.EnvironmentBuildError] = None

    def run(self) -> None:
        """See the class."""
        try:
            self._work(self._report)
        except environment.EnvironmentBuildError as error:
            self.error = error
        except OSError as error:
            cause = cause_of([str(error)])
            self.error = environment.EnvironmentBuildError(str(error), cause.hint, kind=cause.kind)

    def _report(self, line: str, fraction: Optional[float] = None) -> None:
        if self.asked_to_stop:
            raise Stopped()
        if line:
            self.progress.emit(without_secrets(line), -1.0 if fraction is None else fraction)


class PythonFinder(QThread):
    """Looks at the Pythons of this machine; ``found(list of FoundPython, path of uv or "")`` comes once."""

    found = pyqtSignal(list, str)

    def __init__(self, base: Mapping[str, str], chosen: str = "", parent: Optional[QObject] = None) -> None:
        """``chosen``: look at this program only."""
        super().__init__(parent)
        self._base: Dict[str, str] = dict(base)
        self._chosen = chosen

    def run(self) -> None:
        """See the class."""
        variables = process_environment(self._base)
        programs = [self._chosen] if self._chosen else candidates(self._base)
        seen: List[FoundPython] = []
        for each in programs:
            if self.isInterruptionRequested():
                return
            seen.append(examine(each, variables))
        self.found.emit(seen, find_uv(self._base) or "")
