"""What one tool call was in full: arguments, result, warnings, the algorithm, and the analysis as Python."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple

from qgis.PyQt.QtGui import QGuiApplication
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.secrets import without_secrets
from ..cards.card_button import ButtonRow, CardButton
from ..surfaces import Surface, ThemedLabel
from ..text_view import TextView

LONGEST = 3_000
"""Characters of a part that are shown; "Copy details" has all of it."""
_VALUE = 400


class ToolDetails(Surface):
    """``event`` is the run event tool_started, ``outcome`` what QGIS told of its end (step_outcome), where it did."""

    def __init__(self, event: Dict[str, Any], outcome: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        super().__init__("card", parent)
        self._parts = details_of(event, outcome)
        recipes = [str(each) for each in outcome.get("recipes") or []]
        self.buttons: List[CardButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(2)
        for title, text in self._parts:
            column.addWidget(ThemedLabel(title, muted=True, small=True))
            view = TextView(small=True)
            view.set_plain(text if len(text) <= LONGEST else text[:LONGEST] + " …")
            view.setAccessibleName("{}: {}".format(title, text[:LONGEST]))
            column.addWidget(view)
            column.addSpacing(4)
        if recipes:
            self._add_button(translate("QgisAgent", "Copy as Python"), "\n".join(recipes)).setToolTip(
                translate("QgisAgent", "The algorithms with their parameters, for QGIS's Python console")
            )
        self._add_button(translate("QgisAgent", "Copy details"), self.text())
        column.addWidget(ButtonRow(self.buttons))

    def text(self) -> str:
        """All of it as plain text."""
        return "\n\n".join("{}\n{}".format(*each) for each in self._parts)

    def _add_button(self, words: str, text: str) -> CardButton:
        button = CardButton(words)
        button.clicked.connect(lambda: QGuiApplication.clipboard().setText(without_secrets(text)))
        self.buttons.append(button)
        return button


def details_of(event: Dict[str, Any], outcome: Dict[str, Any]) -> List[Tuple[str, str]]:
    """The parts as (title, text), those that there are."""
    envelope = outcome.get("envelope")
    envelope = envelope if isinstance(envelope, dict) else {}
    data = envelope.get("data")
    warnings = data.get("warnings") if isinstance(data, dict) else None
    evidence = [str(each.get("text", "")) for each in outcome.get("evidence") or [] if isinstance(each, dict)]
    rest = {key: value for key, value in data.items() if key != "warnings"} if isinstance(data, dict) else data
    told = [str(envelope.get(key) or "") for key in ("message", "hint")]
    parts = [
        (translate("QgisAgent", "Tool"), clean_text(str(event.get("tool", "")), 80)),
        (translate("QgisAgent", "Arguments"), _listed(event.get("arguments"))),
        (translate("QgisAgent", "Result"), "\n".join(each for each in [*told, _listed(rest)] if each)),
        (translate("QgisAgent", "Warnings"), _listed(warnings)),
        (translate("QgisAgent", "Evidence"), "\n".join(dict.fromkeys(each for each in evidence if each))),
    ]
    return [(title, text) for title, text in parts if text]


def _listed(value: Any) -> str:
    """A line for each argument, fact or warning; values are words of others and stay on their line."""
    if isinstance(value, dict):
        return "\n".join("{}: {}".format(clean_text(str(key), 80), _one_line(each)) for key, each in value.items())
    if isinstance(value, list):
        return "\n".join(_one_line(each) for each in value)
    return "" if value is None else _one_line(value)


def _one_line(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return clean_text(text, _VALUE)
