"""Below a run that changed something: the button that takes it back, and afterwards what was put back and what not."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..dialogs.undo_conflicts import conflict_words
from ..text_view import TextView
from ..tips import plain_tip
from .card_button import ButtonRow, CardButton

_SEPARATOR = "; "


class UndoLine(QWidget):
    """``asked`` when the person wants the run taken back, or the rest of it."""

    asked = pyqtSignal()

    def __init__(self, changed: Sequence[str], lost: Sequence[str] = (), parent: Optional[QWidget] = None) -> None:
        """``changed``: what the run changed, in words; ``lost``: what of it cannot be taken back."""
        super().__init__(parent)
        self.button = CardButton(translate("QgisAgent", "Undo this run"))
        self.button.clicked.connect(self.asked)
        self._over = False
        self._said = ""
        self._undone: List[str] = []
        """Of all times that the button was pressed: the rest may have been undone later."""
        self._row = ButtonRow([self.button])
        self._view = TextView(muted=True)
        self._view.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._view)
        column.addWidget(self._row)
        self.offer(changed, lost)

    def text(self) -> str:
        """The words that are shown."""
        return self._said

    def offer(self, changed: Sequence[str], lost: Sequence[str]) -> None:
        """What the button would take back; on its tool tip, because the steps above say it already."""
        tip = [translate("QgisAgent", "Puts back: {}").format(_SEPARATOR.join(changed))] if changed else []
        if lost:
            tip.append(translate("QgisAgent", "Cannot be put back: {}").format(_SEPARATOR.join(lost)))
        self.button.setToolTip(plain_tip("\n".join(tip)))
        self.button.setAccessibleDescription("\n".join(tip))

    def set_enabled(self, enabled: bool) -> None:
        """Off while a run goes on."""
        self.button.setEnabled(enabled)

    def show_report(self, report: Any) -> None:
        """What an undo did (an UndoReport). Where something was left, the button asks about it again."""
        lines: List[str] = []
        self._undone += [each for each in report.undone if each not in self._undone]
        if self._undone:
            lines.append(translate("QgisAgent", "Undone: {}").format(_SEPARATOR.join(self._undone)))
        elif not report.conflicts and not report.failed and not report.not_restorable:
            lines.append(translate("QgisAgent", "Nothing was left to undo."))
        if report.conflicts:
            kept = _SEPARATOR.join(conflict_words(report.conflicts))
            lines.append(translate("QgisAgent", "Left as it is: {}").format(kept))
        if report.failed:
            failed = _SEPARATOR.join(conflict_words(report.failed))
            lines.append(translate("QgisAgent", "Could not be put back: {}").format(failed))
        if report.not_restorable:
            lost = _SEPARATOR.join(report.not_restorable)
            lines.append(translate("QgisAgent", "Cannot be taken back: {}").format(lost))
        self._say("\n".join(lines))
        rest = not report.complete
        self._over = not rest
        self._row.setVisible(rest)
        if rest:
            self.button.setText(translate("QgisAgent", "Undo the rest…"))

    def expire(self, why: str) -> None:
        """It can no longer be taken back."""
        self._over = True
        self._row.hide()
        if not self._said:
            self._say(why)

    def is_over(self) -> bool:
        """Whether there is nothing to press any more."""
        return self._over

    def _say(self, text: str) -> None:
        self._said = text
        self._view.set_plain(text)
        self._view.setAccessibleName(text)
        self._view.setVisible(bool(text))
