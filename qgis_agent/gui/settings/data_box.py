"""What is sent to the model, in plain words, and the switch that keeps attribute values in QGIS."""

from __future__ import annotations

from typing import List, Optional

from qgis.PyQt.QtWidgets import QCheckBox, QGroupBox, QLabel, QVBoxLayout, QWidget

from ...gis.at_home import projection
from ...gis.i18n import translate
from .parts import explanation


def always_sent() -> List[str]:
    """What goes to the model with every choice here: see ``agent/context/context_manager.py`` and ``gis/snapshot.py``."""
    return [
        translate(
            "QgisAgent",
            "the messages of this conversation, your preferences, the notes of the project, and pictures that you show",
        ),
        translate(
            "QgisAgent",
            "the state of the map: the project's title, coordinate system, extent and scale, names of layers, how many features "
            "are selected, date and time zone",
        ),
        translate(
            "QgisAgent",
            "names and types of layers, groups, fields, files (with their folders) and layouts, and descriptions of layers",
        ),
        translate(
            "QgisAgent", "results of tools: counts, lengths, areas, distances, extents, and what was done and how"
        ),
    ]


def sent_with_values() -> List[str]:
    """What goes to the model unless attribute values are kept at home."""
    return [
        translate(
            "QgisAgent", "attribute values: a few sample rows, lists of values, names of places, values of raster cells"
        ),
        translate(
            "QgisAgent", "numbers computed from them: smallest, largest, sum, mean, limits and labels of classes"
        ),
        translate("QgisAgent", "filters of layers, and conditions and formulas in styles"),
    ]


def never_sent() -> List[str]:
    """What no tool gives to the model."""
    return [
        translate("QgisAgent", "geometries, whole data sets, files, and pictures of the map unless you show one"),
        translate("QgisAgent", "keys and passwords"),
        translate("QgisAgent", "layers and fields that are hidden from the agent (Project Properties › QGIS Agent)"),
    ]


class DataBox(QGroupBox):
    """The statement, and the switch. What is said follows the switch at once; ``apply`` keeps it."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Data sent to the model"), parent)
        column = QVBoxLayout(self)
        self.at_home_box = QCheckBox(translate("QgisAgent", "Keep attribute values at home"))
        self.at_home_box.setChecked(projection.wanted())
        column.addWidget(self.at_home_box)
        meaning = translate(
            "QgisAgent",
            "The tools work as before, and you see their results in full in the steps of an answer. The model gets counts, sizes "
            "and names only, and cannot name values in its answers; charts are not made, answers of the offline commands leave "
            "values out as well, and such runs cannot be replayed. A conversation that holds values already does not go on: your "
            "next message begins a new one. What you or the model write is repeated, and a layer that is named after a value "
            "carries it in its name.",
        )
        until_now = translate(
            "QgisAgent",
            "The switch holds from the next step on: a request that is being answered keeps what it was sent already, until it "
            "ends. A conversation that is opened again shows its results as the model got them, without the values.",
        )
        self.at_home_box.setAccessibleDescription("{} {}".format(meaning, until_now))
        column.addWidget(explanation(meaning))
        column.addWidget(explanation(until_now))
        self.sent = self._part(column, translate("QgisAgent", "Sent to the address of your model:"))
        self.kept = self._part(column, translate("QgisAgent", "Not sent:"))
        self.at_home_box.toggled.connect(lambda _on: self._say())
        self._say()

    def apply(self) -> bool:
        """Keep the choice; whether it is another one than before. It holds from the next step on."""
        chosen = self.at_home_box.isChecked()
        changed = chosen != projection.wanted()
        if changed:
            projection.choose(chosen)
        return changed

    def _say(self) -> None:
        kept = self.at_home_box.isChecked()
        self.sent.setText(_listed(always_sent() + ([] if kept else sent_with_values())))
        self.kept.setText(_listed((sent_with_values() if kept else []) + never_sent()))

    def _part(self, column: QVBoxLayout, title: str) -> QLabel:
        column.addWidget(QLabel(title))
        label = explanation("")
        label.setIndent(12)
        label.setAccessibleName(title)
        column.addWidget(label)
        return label


def _listed(lines: List[str]) -> str:
    return "\n".join("• " + each for each in lines)
