"""What an undo would take from the person: shown one by one, nothing ticked, so that all stays as it is unless they say so."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Optional, Sequence

from qgis.PyQt.QtCore import Qt, QTimer, pyqtSignal
from qgis.PyQt.QtWidgets import QCheckBox, QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Ground, ThemedLabel
from ..theme import GAP, MARGIN
from ..tips import breakable

_MOST_HEIGHT = 360


class UndoConflicts(QDialog):
    """``agreed`` carries the keys of what is to be put back although it was changed since; nothing comes when all is kept."""

    agreed = pyqtSignal(object)

    def __init__(self, conflicts: Sequence[Dict[str, str]], parent: Optional[QWidget] = None) -> None:
        """``conflicts`` are {key, what, words} of an UndoReport."""
        super().__init__(parent)
        self.setObjectName("QgisAgentUndoConflicts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(translate("QgisAgent", "Undo this run"))
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setMinimumWidth(340)
        self.resize(460, 10)
        self.boxes: Dict[str, QCheckBox] = {}
        ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        column.setContentsMargins(MARGIN + 4, MARGIN + 4, MARGIN + 4, MARGIN)
        column.setSpacing(MARGIN)
        title = translate("QgisAgent", "This was changed after the run")
        column.addWidget(ThemedLabel(title, bold=True))
        text = translate(
            "QgisAgent", "It stays as it is now, unless you tick it. What you tick goes back to before the run."
        )
        column.addWidget(ThemedLabel(text, muted=True))
        column.addWidget(self._list(conflicts), 1)
        column.addLayout(self._buttons())
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)

    def keys(self) -> FrozenSet[str]:
        """What is ticked."""
        return frozenset(key for key, box in self.boxes.items() if box.isChecked())

    def _list(self, conflicts: Sequence[Dict[str, str]]) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, GAP, 0)
        column.setSpacing(2)
        for each in conflicts:
            column.addLayout(self._entry(each))
        column.addStretch(1)
        area = QScrollArea()
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the control that has the focus
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # never "as needed", see card_body.py
        area.setWidget(holder)
        area.setStyleSheet("QScrollArea { background: transparent; border: none; }")
        area.viewport().setAutoFillBackground(False)
        holder.setAutoFillBackground(False)
        lines = sum(2 if each.get("words") else 1 for each in conflicts)
        area.setMinimumHeight(min(_MOST_HEIGHT, lines * (self.fontMetrics().height() + 10) + 2 * GAP))
        self._area = area
        return area

    def _entry(self, conflict: Dict[str, str]) -> QVBoxLayout:
        what, words = str(conflict.get("what") or ""), str(conflict.get("words") or "")
        box = QCheckBox()
        box.setAccessibleName(what)
        box.setAccessibleDescription(words)
        box.toggled.connect(self._ticked)
        self.boxes[str(conflict["key"])] = box
        entry = QVBoxLayout()
        entry.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(box, 0, Qt.AlignmentFlag.AlignTop)
        # The words stand beside the box: a box's own text would not wrap, and "&" in it would be a sign for the keyboard.
        label = ThemedLabel(breakable(what))
        label.setBuddy(box)
        row.addWidget(label, 1)
        entry.addLayout(row)
        if words and words != what:
            why = ThemedLabel(breakable(words), muted=True, small=True)
            why.setContentsMargins(box.sizeHint().width() + GAP, 0, 0, 4)
            entry.addWidget(why)
        return entry

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addStretch(1)
        self.put_back = QPushButton(translate("QgisAgent", "&Put the ticked back"))
        self.keep = QPushButton(translate("QgisAgent", "&Keep all as it is"))
        for button in (self.put_back, self.keep):
            button.setAutoDefault(False)
            row.addWidget(button)
        self.put_back.setEnabled(False)
        self.put_back.clicked.connect(self._agree)
        self.keep.clicked.connect(self.reject)
        self.keep.setDefault(True)
        return row

    def _ticked(self, _on: bool) -> None:
        self.put_back.setEnabled(bool(self.keys()))

    def _agree(self) -> None:
        keys = self.keys()
        self.accept()
        self.agreed.emit(keys)

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """The safe answer has the keyboard."""
        super().showEvent(event)
        self.keep.setFocus()
        QTimer.singleShot(0, self._settle)

    def _settle(self) -> None:
        """No bar where there is nothing to scroll; decided once, see card_body.py."""
        if self._area.widget().layout().totalMinimumSize().height() <= self._area.viewport().height():
            self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Smaller than its content: then it scrolls."""
        super().resizeEvent(event)
        if self._area.widget().layout().totalMinimumSize().height() > self._area.viewport().height():
            self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)


def conflict_words(conflicts: Sequence[Dict[str, str]]) -> List[str]:
    """The things of a report's conflicts, or of what failed with why, for a line of text."""
    found = []
    for each in conflicts:
        what, words = str(each.get("what") or ""), str(each.get("words") or "")
        found.append("{} ({})".format(what, words) if words and words != what else what)
    return found
