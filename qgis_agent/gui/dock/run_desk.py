"""Does what the menu of a run asks for: replays it on a copy of the project, saves its trace, exports it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import QObject, QStandardPaths
from qgis.PyQt.QtWidgets import QFileDialog, QWidget

from ...bridge.trace import Trace
from ...gis.i18n import translate
from ...gis.replay.replayer import Replay
from ...gis.replay.words import words_of
from ...gis.traces import Traces
from ..cards.error_card import NoticeLine
from .run_exports import export_run
from .run_view import RunView

if TYPE_CHECKING:
    from ...gis.runs import RunController

ALL_KINDS = ("names", "ids", "values")


class RunDesk(QObject):
    """``say(text, level)`` shows how something ended."""

    def __init__(self, controller: RunController, window: QWidget, add_card: Callable[[QWidget], None]) -> None:
        super().__init__(window)
        self._controller = controller
        self._window = window
        self._add_card = add_card
        self._traces = Traces(controller)
        self._replay: Optional[Replay] = None
        self._handlers: Dict[str, Callable[[RunView], None]] = {
            "replay": self.replay,
            "save_trace": lambda run: self.save(run, ()),
            "save_redacted": lambda run: self.save(run, ALL_KINDS),
            "export_model": lambda run: self.export("export_model", run),
            "export_script": lambda run: self.export("export_script", run),
        }

    def close(self) -> None:
        """QGIS or the plugin ends."""
        replay, self._replay = self._replay, None
        if replay is not None:
            replay.close()

    def do(self, what: str, run: RunView) -> None:
        """Something of the menu was chosen."""
        self._handlers[what](run)

    def say(self, text: str, level: str = "info") -> None:
        """Show it below the conversation."""
        self._add_card(NoticeLine(text, level))

    def traces_up_to(self, run: RunView, done: Callable[[List[Trace]], None]) -> None:
        """The traces of the conversation up to this run, the run's own last; what went wrong is said."""

        def fetched(traces: List[Trace], problem: str) -> None:
            ids = [each["trace_id"] for each in traces]
            if problem or run.trace_id not in ids:
                self.say(problem or translate("QgisAgent", "There is no record of this run."), "warning")
                return
            if self._traces.remark():
                self.say(self._traces.remark(), "warning")
            done(traces[: ids.index(run.trace_id) + 1])

        self._traces.fetch(fetched)

    def replay(self, run: RunView) -> None:
        """Repeat the conversation up to this run on a copy of the saved project, and say what came of it."""
        path = self._project_path()
        if self._replay is not None:
            self.say(translate("QgisAgent", "A replay is going on already."))
        elif not path:
            self.say(translate("QgisAgent", "Save the project first: a replay works on a copy of its file."), "warning")
        else:
            self.traces_up_to(run, lambda traces: self._begin(traces, path))

    def _begin(self, traces: List[Trace], path: str) -> None:
        if self._replay is not None:
            return
        key = traces[-1]["project"]["key"]
        replay = Replay([each for each in traces if each["project"]["key"] == key], path, parent=self)
        self._replay = replay
        replay.finished.connect(self._replayed)
        self.say(translate("QgisAgent", "Replaying on a copy of the saved project…"))
        replay.start()

    def _replayed(self, report: Dict[str, Any]) -> None:
        replay, self._replay = self._replay, None
        if replay is not None:
            replay.deleteLater()
        self.say(words_of(report), "info" if report["equal"] else "warning")

    def save(self, run: RunView, redact: Any) -> None:
        """Write the conversation up to this run to a file of the person's choice."""

        def fetched(traces: List[Trace]) -> None:
            path = self._chosen_path(run)
            if not path:
                return
            ids = [each["trace_id"] for each in traces]
            self._traces.save(path, lambda _count, problem: self._saved(path, problem), ids, redact=redact)

        self.traces_up_to(run, fetched)

    def export(self, what: str, run: RunView) -> None:
        """Write the algorithms of this run to a file of the person's choice."""
        evidence = run.evidence
        self.traces_up_to(run, lambda traces: export_run(what, traces, evidence, self._window, self.say))

    def _saved(self, path: str, problem: str) -> None:
        if problem:
            self.say(translate("QgisAgent", "The file could not be written: {}").format(problem), "warning")
        else:
            self.say(translate("QgisAgent", "Written to {}").format(path))

    def _chosen_path(self, run: RunView) -> str:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        title = translate("QgisAgent", "Save as trace")
        kinds = translate("QgisAgent", "Traces (*.jsonl)")
        suggested = "{}/{}.jsonl".format(folder, run.trace_id)
        path = QFileDialog.getSaveFileName(self._window.window(), title, suggested, kinds)[0]
        if not path or path.lower().endswith(".jsonl"):
            return str(path)
        if os.path.lexists(path + ".jsonl"):  # the dialog asked about another name
            self.say(translate("QgisAgent", "{} is there already and was not replaced.").format(path + ".jsonl"))
            return ""
        return path + ".jsonl"

    def _project_path(self) -> str:
        host = getattr(self._controller, "host", None)
        path = str(host.project.fileName()) if host is not None else ""
        return path if os.path.isfile(path) else ""
