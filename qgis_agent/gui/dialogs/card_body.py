"""What a question shows: the whole effect in one place that scrolls. Nothing of it is cut off, nothing of it is markup."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface, ThemedLabel
from ..text_view import TextView
from ..theme import GAP, MARGIN, tones
from .change_view import ChangeView
from .look_view import LookView


class CardBody(QScrollArea):
    """Lines, looks, changed values and arguments of a card (see gis/cards.py)."""

    def __init__(self, card: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._holder = QWidget()
        column = QVBoxLayout(self._holder)
        column.setContentsMargins(0, 0, GAP, 0)
        column.setSpacing(GAP)
        column.addLayout(_form(card_rows(card)))
        if card.get("looks"):
            column.addWidget(LookView(card["looks"]))
        self.changes: Optional[ChangeView] = None
        if card.get("changes") is not None and card["changes"].rows:
            self.changes = ChangeView(card["changes"])
            column.addWidget(self.changes)
        arguments = str(card.get("arguments") or "")
        if arguments:
            column.addWidget(ThemedLabel(translate("QgisAgent", "Arguments of the call"), muted=True, small=True))
            column.addWidget(_arguments_view(arguments))
        column.addStretch(1)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Never "as needed": a bar that comes makes the text narrower and so taller, one that goes the contrary, and Qt does
        # both inside one another until the stack is full: QGIS crashes.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setWidget(self._holder)
        self.setMinimumHeight(120)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # reached with Tab, the arrows and Page Down scroll it
        edge = "QScrollArea {{ background: transparent; border: 1px solid transparent; }} QScrollArea:focus {{ border-color: {}; }}"
        self.setStyleSheet(edge.format(tones().sign.name()))
        self.viewport().setAutoFillBackground(False)
        self._holder.setAutoFillBackground(False)
        self.setAccessibleName(translate("QgisAgent", "What would happen"))

    def read_height(self) -> int:
        """What there is to read, in pixels at its present width."""
        return int(self._holder.layout().totalMinimumSize().height())

    def is_cut(self) -> bool:
        """Whether a part of it can only be seen by scrolling."""
        return self.read_height() > self.viewport().height()


def card_rows(card: Dict[str, Any]) -> List[List[str]]:
    """Label and text of each line. What the table of changes shows in full is left out; the tool comes last, because what a
    person decides about is the title and the effect."""
    lines = [[str(each[0]), str(each[1])] for each in card.get("lines") or []]
    if card.get("changes") is not None and card["changes"].rows:
        for number, words in card["changes"].instead.items():
            lines[number][1] = words
        first, end = card["changes"].replaces
        lines = lines[:first] + lines[end:]
    layer = str(card.get("layer") or "")
    if layer and not any(layer == value for _label_text, value in lines):
        lines.append([translate("QgisAgent", "Layer"), layer])
    asked_by = str(card.get("asked_by") or card.get("caller") or "")
    if asked_by:
        lines.append([translate("QgisAgent", "Asked by"), asked_by])
    lines.append([translate("QgisAgent", "Tool"), str(card.get("verb") or "")])
    return lines


def _form(rows: List[List[str]]) -> QFormLayout:
    form = QFormLayout()
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(MARGIN)
    form.setVerticalSpacing(6)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    shown = ""
    for label, value in rows:
        # A label that is the one above it again is not repeated: the list is easier to read.
        form.addRow(_label("" if label == shown else label), _value(label, value))
        shown = label
    return form


def _label(text: str) -> QLabel:
    label = ThemedLabel(text, muted=True)
    label.setWordWrap(False)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    return label


def _value(label: str, text: str) -> QWidget:
    view = TextView()
    view.set_plain(text)
    view.setAccessibleName("{}: {}".format(label, text))
    view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab goes through what can be answered, not through each line
    return view


def _arguments_view(text: str) -> QWidget:
    view = TextView(fixed_pitch=True)
    view.set_plain(text)
    view.setAccessibleName(translate("QgisAgent", "Arguments of the call"))
    frame = Surface("plain")
    column = QVBoxLayout(frame)
    column.setContentsMargins(10, 8, 10, 8)
    column.addWidget(view)
    return frame
