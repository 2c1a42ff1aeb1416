"""The steps of a run, in order: tool lines, remarks of the model between them, and notices."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..cards.error_card import NoticeLine
from ..text_view import TextView
from .footer import FoldButton
from .said import is_said
from .tool_line import REFUSED_CODES, ToolLine

ALIKE = 3
"""So many failures of one kind in a row are shown; when there are more, one line stands for all but the first."""
REFUSED_ALIKE = 2
"""The same for calls that were refused with the same words. Two at least are folded, so that it is always "more steps"."""


class StepList(QWidget):
    """Takes the events of steps; hidden until there is one. ``cancel_asked`` carries the id of a call that a person cancels."""

    cancel_asked = pyqtSignal(str)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._lines: Dict[str, ToolLine] = {}
        self._items: List[QWidget] = []
        self._folds: Dict[ToolLine, FailureFold] = {}
        self._early: Dict[str, List[Dict[str, Any]]] = {}
        self._remark = ""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(3)
        self.hide()

    def lines(self) -> List[ToolLine]:
        """The lines of the tool calls, in order."""
        return list(self._lines.values())

    def unfold(self, line: ToolLine) -> None:
        """Show a line that a fold stands for."""
        for fold in self._folds.values():
            if fold.holds(line) and not fold.button.isChecked():
                fold.button.setChecked(True)

    def is_busy(self) -> bool:
        """Whether a call is running."""
        return any(each.state() == "running" for each in self._lines.values())

    def folds(self) -> List[FailureFold]:
        """The lines that stand for several others, in order."""
        return list(self._folds.values())

    # events

    def remark(self, text: str) -> None:
        """Text that was taken back from the answer. It is shown only when calls follow it: else it was an attempt."""
        self._remark = text.strip()

    def line_of_step(self, number: int, tool: str = "") -> Optional[ToolLine]:
        """The line of the report's step ``number`` (from 1); where the counts differ, the last one of ``tool``."""
        lines = self.lines()
        if 1 <= number <= len(lines) and lines[number - 1].tool == (tool or lines[number - 1].tool):
            return lines[number - 1]
        return next((each for each in reversed(lines) if each.tool == tool), None)

    def forget_remark(self) -> None:
        """The turn is tried again, or ends: what was taken back is gone."""
        self._remark = ""

    def start(self, event: Dict[str, Any]) -> None:
        """A call begins."""
        if self._remark:
            view = TextView(muted=True)
            view.set_plain(self._remark)
            view.setAccessibleName(self._remark)
            self._add(view)
            self._remark = ""
        line = ToolLine(event)
        line.cancel_asked.connect(self.cancel_asked)
        self._lines[str(event.get("call_id"))] = line
        self._add(line)
        for early in self._early.pop(str(event.get("call_id")), []):
            self.qgis_told(early)

    def progress(self, event: Dict[str, Any]) -> None:
        """A call says how far it is."""
        line = self._lines.get(str(event.get("call_id")))
        if line is not None:
            line.show_progress(" ".join(str(event.get("text") or "").split()))

    def qgis_told(self, event: Dict[str, Any]) -> None:
        """QGIS itself tells of a call: step_began, step_progress, step_holds or step_outcome. What comes before its step is kept for
        it: the agent's events wait behind each other."""
        line = self._line_of(str(event.get("call_id")))
        if line is None:
            self._early.setdefault(str(event.get("call_id")), []).append(event)
        elif event.get("type") == "step_holds":
            line.show_hold(bool(event.get("holds")))
        elif line.tool != event.get("tool"):
            return  # how far a step of a sub-agent is, says nothing of the sub-agent
        elif event.get("type") == "step_began":
            line.begin(str(event.get("call_id")))
        elif event.get("type") == "step_outcome":
            line.take_outcome(event)
        else:
            line.show_percent(int(event.get("percent") or 0))

    def finish(self, event: Dict[str, Any]) -> bool:
        """A call has ended; False when it is not known here."""
        line = self._lines.get(str(event.get("call_id")))
        if line is None:
            return False
        line.finish(event)
        if line.state() != "done":
            self._fold_around(line)
        return True

    def notice(self, event: Dict[str, Any]) -> None:
        """Something that a person may want to know."""
        self.forget_remark()
        self._add(NoticeLine(str(event.get("text") or ""), str(event.get("level") or "info")))

    def notices(self) -> List[str]:
        """What was told beside the calls, in order."""
        return [each.text() for each in self._items if isinstance(each, NoticeLine)]

    def stop(self) -> None:
        """The run has ended."""
        self.forget_remark()
        for line in self._lines.values():
            line.stop()

    def hush(self, *texts: str) -> None:
        """What ``texts`` say, a failed step need not say as well."""
        for line in self._lines.values():
            if line.state() != "done" and is_said(line.why(), *texts):
                line.hush()

    def tick(self) -> None:
        """Show times so far."""
        for line in self._lines.values():
            line.tick()

    # internals

    def _add(self, item: QWidget) -> None:
        self._items.append(item)
        self._column.addWidget(item)
        self.show()

    def _line_of(self, call_id: str) -> Optional[ToolLine]:
        """A call that is tried again is "call.2", one of a sub-agent "call.its own": the line is that of "call"."""
        while call_id not in self._lines and "." in call_id:
            call_id = call_id.rpartition(".")[0]
        return self._lines.get(call_id)

    def _fold_around(self, line: ToolLine) -> None:
        alike = self._alike(line)
        refused = line.code in REFUSED_CODES and len({each.why() for each in alike}) == 1
        if len(alike) <= (REFUSED_ALIKE if refused else ALIKE):
            return
        first = alike[0]
        for other in [each for each in alike[1:] if each in self._folds]:  # the call between two groups ended last
            gone = self._folds.pop(other)
            gone.hide()
            gone.deleteLater()
        fold = self._folds.get(first)
        if fold is None:
            fold = FailureFold()
            self._folds[first] = fold
            self._column.insertWidget(self._column.indexOf(first) + 1, fold)
        fold.hold(alike[1:], refused)

    def _alike(self, line: ToolLine) -> List[ToolLine]:
        """The lines beside this one, itself among them, that have ended with the same code; nothing stands between them."""
        at = self._items.index(line)
        first = at
        while first > 0 and _same(self._items[first - 1], line):
            first -= 1
        last = at
        while last + 1 < len(self._items) and _same(self._items[last + 1], line):
            last += 1
        return [each for each in self._items[first : last + 1] if isinstance(each, ToolLine)]


def _same(item: QWidget, line: ToolLine) -> bool:
    return isinstance(item, ToolLine) and item.state() == line.state() and item.code == line.code


class FailureFold(QWidget):
    """One line in place of many that say the same; a press shows them."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._held: List[ToolLine] = []
        self.button = FoldButton("")
        self.button.toggled.connect(self._toggled)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)

    def text(self) -> str:
        """The words."""
        return self.button.text()

    def holds(self, line: ToolLine) -> bool:
        """Whether it stands for this line, too."""
        return line in self._held

    def hold(self, lines: List[ToolLine], refused: bool) -> None:
        """Stand for ``lines``; ``refused``: they were not carried out."""
        self._held = lines
        count = len(lines)
        if refused:
            text = translate("QgisAgent", "{count} more steps were not run").format(count=count)
        else:
            text = translate("QgisAgent", "{count} more steps failed").format(count=count)
        self.button.setText(text)
        self.button.setAccessibleName(text)
        self.button.updateGeometry()
        self._toggled(self.button.isChecked())

    def _toggled(self, shown: bool) -> None:
        for line in self._held:
            line.setVisible(shown)
