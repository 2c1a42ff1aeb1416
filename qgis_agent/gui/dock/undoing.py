"""Undo in the dock: a button below each run that changed something, and the newest of them for the menu."""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, pyqtSignal
from qgis.PyQt.QtWidgets import QWidget

from ...gis.errors import ToolError
from ...gis.i18n import translate
from ..cards.undo_line import UndoLine
from ..dialogs.undo_conflicts import UndoConflicts
from .run_view import RunView


class Undoing(QObject):
    """Connects the runs that the dock shows with ``checkpoints`` (gis/undo/checkpoints.py).

    ``available`` tells whether there is a run to undo now; ``say`` shows a sentence that belongs to no run.
    """

    available = pyqtSignal(bool)

    def __init__(self, checkpoints: Any, say: Callable[[str], None], window: QWidget) -> None:
        super().__init__(window)
        self._checkpoints = checkpoints
        self._say = say
        self._window = window
        self._views: Dict[str, RunView] = {}
        self._busy = False
        self._dialog: Optional[UndoConflicts] = None
        if checkpoints is not None:
            checkpoints.changed.connect(self._changed)

    def offer(self, view: RunView) -> None:
        """A run has ended: where it changed something, its button appears."""
        if view.run_id:
            self._views[view.run_id] = view
        self._changed()

    def offer_past(self, view: QWidget) -> None:
        """A run of an earlier conversation is shown again: in the same QGIS it can perhaps still be undone."""
        if isinstance(view, RunView) and any(each.run_id == view.run_id for each in self._runs()):
            self.offer(view)

    def forget(self) -> None:
        """A new conversation: what was shown is gone. Its runs can still be undone from the menu."""
        self._views = {}
        self._close_dialog()

    def set_busy(self, busy: bool) -> None:
        """While a run goes on nothing is undone."""
        self._busy = busy
        for view in self._shown():
            if view.undo is not None:
                view.undo.set_enabled(not busy)
        self._tell()

    def last_run(self) -> str:
        """The newest run that can be undone, "" without one."""
        runs = self._runs()
        return str(runs[-1].run_id) if runs else ""

    def undo_last(self) -> None:
        """What the menu does: step back by one run. Again: the run before it."""
        run_id = self.last_run()
        if run_id and not self._busy:
            self.undo(run_id)
            view = self._views.get(run_id)
            if view is not None and not sip.isdeleted(view) and view.undo is not None:
                view.reveal.emit(view.undo)  # the run may be far above, and its line says what became of it

    def undo(self, run_id: str, agreed: FrozenSet[str] = frozenset()) -> None:
        """Take a run back, and show what was put back; what was changed since is asked about."""
        if self._busy or self._checkpoints is None:
            return
        try:
            report = self._checkpoints.undo(run_id, agreed)
        except ToolError as error:
            self._say(str(error.envelope["message"]))
            return
        line = self._line(run_id)
        if line is not None:
            line.show_report(report)
        else:
            self._say(_sentence(report))
        asked = [each for each in report.conflicts if each.get("key") not in agreed]
        if asked:
            self._ask(run_id, asked)

    def changes_of(self, run_ids: Sequence[str]) -> List[str]:
        """What these runs changed and can be taken back, in words."""
        return [words for each in self._runs() if each.run_id in run_ids for words in each.changes]

    def undo_all(self, run_ids: Sequence[str]) -> bool:
        """Take these runs back, in the given order. False when something of them is left as it is."""
        for run_id in run_ids:
            if self.changes_of([run_id]):
                self.undo(run_id)
            if self.changes_of([run_id]):
                return False
        return True

    # inside

    def _ask(self, run_id: str, conflicts: List[Dict[str, str]]) -> None:
        self._close_dialog()
        self._dialog = UndoConflicts(conflicts, self._window)
        self._dialog.agreed.connect(lambda keys: self.undo(run_id, keys))
        self._dialog.show()
        self._dialog.activateWindow()

    def _close_dialog(self) -> None:
        if self._dialog is not None and not sip.isdeleted(self._dialog):
            self._dialog.close()
        self._dialog = None

    def conflicts_window(self) -> Optional[UndoConflicts]:
        """The window that asks about what was changed since, while it is open."""
        open_now = self._dialog is not None and not sip.isdeleted(self._dialog) and self._dialog.isVisible()
        return self._dialog if open_now else None

    def _runs(self) -> List[Any]:
        runs = self._checkpoints.runs() if self._checkpoints is not None else []
        return [each for each in runs if each.changes]

    def _shown(self) -> List[RunView]:
        self._views = {key: each for key, each in self._views.items() if not sip.isdeleted(each)}
        return list(self._views.values())

    def _line(self, run_id: str) -> Optional[UndoLine]:
        self._shown()
        view = self._views.get(run_id)
        return view.undo if view is not None else None

    def _changed(self) -> None:
        runs = {str(each.run_id): each for each in self._runs()}
        lost = self._lost()
        for view in self._shown():
            if view.running:
                continue
            run = runs.get(view.run_id)
            if run is None:
                self._expire(view, lost.get(view.run_id, []))
            elif view.undo is None:
                view.show_undo(run.changes, run.not_restorable).asked.connect(
                    lambda run_id=view.run_id: self.undo(run_id)
                )
                view.undo.set_enabled(not self._busy)
            else:
                view.undo.offer(run.changes, run.not_restorable)
        self._tell()

    def _lost(self) -> Dict[str, List[str]]:
        """What can no longer be taken back, by run."""
        runs = self._checkpoints.runs() if self._checkpoints is not None else []
        return {str(each.run_id): list(each.not_restorable) for each in runs}

    def _expire(self, view: RunView, lost: List[str]) -> None:
        if view.undo is None or view.undo.is_over():
            return
        if lost:
            view.undo.expire(translate("QgisAgent", "Cannot be taken back: {}").format("; ".join(lost)))
            return
        view.undo.expire(
            translate("QgisAgent", "This run can no longer be undone: another project is open, or it is too long ago.")
        )

    def _tell(self) -> None:
        self.available.emit(bool(self.last_run()) and not self._busy)


def _sentence(report: Any) -> str:
    if report.undone:
        return translate("QgisAgent", "Undone: {}").format("; ".join(report.undone))
    return translate("QgisAgent", "Nothing was undone.")
