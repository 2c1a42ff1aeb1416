"""Where the numbers of an answer come from: each is a link to its step, and a list under the answer says it in words."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ..cards.choice_button import ChoiceButton
from .footer import Fold, unsourced_numbers

MOST = 40
"""Numbers that are listed; more are still links in the answer."""
_DATA = "data."
_ROW = re.compile(r"^data\.\w+\[(?P<at>\d+)\]\.(?P<name>[^.\[\]]+)$")
StepName = Callable[[int, str], str]
"""Words of a step by its number and tool; "" for one that is not shown."""


class NumberSource(NamedTuple):
    """A number as the answer has it, and where it is from in words; ``step`` is 0 for what is no step of this run."""

    text: str
    words: str
    step: int
    tool: str


def number_sources(report: Dict[str, Any], name_of: StepName) -> List[NumberSource]:
    """The numbers of a report that have a source, each once, in the order of the answer."""
    doubtful = set(unsourced_numbers(report))
    found: Dict[str, NumberSource] = {}
    for each in report.get("numbers") or []:
        source = each.get("source") if isinstance(each, dict) else None
        text = str(each.get("text") or "") if isinstance(each, dict) else ""
        if text and text not in doubtful and text not in found and isinstance(source, dict):
            found[text] = _source_of(text, source, name_of)
    return list(found.values())


def _source_of(text: str, source: Dict[str, Any], name_of: StepName) -> NumberSource:
    step, tool = int(source.get("step") or 0), str(source.get("tool") or "")
    name = name_of(step, tool) if step else ""
    path = _place(clean_text(str(source.get("path") or ""), 80))
    if name:
        words = translate("QgisAgent", "{number}: step {step}, {name} ({path})").format(
            number=text, step=step, name=name, path=path
        )
        return NumberSource(text, words, step, tool)
    if tool == "request":
        words = translate("QgisAgent", "{number}: from your own words").format(number=text)
    elif tool == "map_snapshot":
        words = translate("QgisAgent", "{number}: from the map as it was ({path})").format(number=text, path=path)
    else:
        words = translate("QgisAgent", "{number}: from an earlier result, {tool} ({path})").format(
            number=text, tool=clean_text(tool, 60), path=path
        )
    return NumberSource(text, words, 0, tool)


def _place(path: str) -> str:
    """Where a number stands in a result, in words: "data.rows[0].count" is "count, row 1"."""
    found = _ROW.match(path)
    if found is not None:
        return translate("QgisAgent", "{name}, row {number}").format(name=found["name"], number=int(found["at"]) + 1)
    return path.removeprefix(_DATA)


class NumberSources(QWidget):
    """A folded list of sources; ``asked`` carries the number of a step that a person wants to see."""

    asked = pyqtSignal(int)

    def __init__(self, sources: List[NumberSource], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._sources = sources[:MOST]
        self._body = QWidget()
        self._rows = QVBoxLayout(self._body)
        self._rows.setContentsMargins(20, 0, 0, 0)
        self._rows.setSpacing(4)
        title = translate("QgisAgent", "Sources of the numbers ({count})").format(count=len(sources))
        self.fold = Fold(title, self._body, False)
        self.fold.opened.connect(self._fill)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.fold)
        self.buttons: List[ChoiceButton] = []

    def _fill(self) -> None:
        """Made when it is first looked at: most people never do."""
        if self.buttons:
            return
        for each in self._sources:
            button = ChoiceButton(each.words)
            button.setEnabled(each.step > 0)
            button.clicked.connect(lambda _checked=False, step=each.step: self.asked.emit(step))
            self.buttons.append(button)
            self._rows.addWidget(button)
