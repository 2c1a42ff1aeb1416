"""What a question shows: the whole effect in one place that scrolls. Nothing of it is cut off, nothing of it is markup."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ..surfaces import Surface, ThemedLabel
from ..text_view import TextView
from ..theme import GAP, MARGIN, tones
from .change_view import ChangeView
from .look_view import LookView

_PIECE = 50_000
"""Characters; a TextView shows 60,000."""
_ENDLESS = re.compile(r"\S{400}(?=\S)")


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
    if card.get("client"):  # another program: who it is comes before what it wants
        lines.insert(0, [translate("QgisAgent", "Asked by"), asked_by])
    elif asked_by:
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


def wrapped(text: str) -> str:
    """``text`` with a line's end in words that go on for 400 characters: a view that breaks them itself would put blanks into
    a path, which is then another one."""
    return _ENDLESS.sub(lambda found: found.group() + "\u2028", text)


def pieces(text: str) -> List[str]:
    """``text`` in parts that a view takes whole: one that ends at its own limit would hide the rest of what is agreed to."""
    whole = wrapped(text)
    return [whole[at : at + _PIECE] for at in range(0, len(whole), _PIECE)] or [""]


def _value(label: str, text: str) -> QWidget:
    return _views(text, "{}: {}".format(label, text), fixed_pitch=False)


def _views(text: str, name: str, fixed_pitch: bool) -> QWidget:
    views = []
    for piece in pieces(text):
        view = TextView(fixed_pitch=fixed_pitch)
        view.set_plain(piece)
        view.setAccessibleName(name)
        view.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab goes through what can be answered, not through each line
        views.append(view)
    if len(views) == 1:
        return views[0]
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for view in views:
        column.addWidget(view)
    return holder


def _arguments_view(text: str) -> QWidget:
    frame = Surface("plain")
    column = QVBoxLayout(frame)
    column.setContentsMargins(10, 8, 10, 8)
    column.addWidget(_views(text, translate("QgisAgent", "Arguments of the call"), fixed_pitch=True))
    return frame
