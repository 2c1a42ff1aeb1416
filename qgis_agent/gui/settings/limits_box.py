"""The limits of one request: steps, tokens, time and cost."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QFormLayout,
    QGroupBox,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from ...gis.run_choices import LIMITS, choose_limits, limits
from .parts import explanation

_STEPS = {"tokens": 10_000, "model_s": 30, "tool_s": 10}


def limit_words() -> List[Tuple[str, str, str]]:
    """(limit, its name, what it counts), in the order of the page."""
    return [
        (
            "model_calls",
            translate("QgisAgent", "Requests to the model"),
            translate("QgisAgent", "How often the model is asked; one more request sums up what was done."),
        ),
        (
            "tool_calls",
            translate("QgisAgent", "Steps"),
            translate("QgisAgent", "Calls of tools, those that failed included"),
        ),
        (
            "tokens",
            translate("QgisAgent", "Tokens"),
            translate("QgisAgent", "Sent and received, all requests together"),
        ),
        (
            "model_s",
            translate("QgisAgent", "Time of the model"),
            translate("QgisAgent", "Seconds in which the model is waited for"),
        ),
        (
            "tool_s",
            translate("QgisAgent", "Time of the steps"),
            translate("QgisAgent", "Seconds; analyses that are known to take long are not counted"),
        ),
        (
            "cost",
            translate("QgisAgent", "Cost"),
            translate("QgisAgent", "In the currency of the model's price; calls of unknown price are not counted"),
        ),
    ]


class LimitsBox(QGroupBox):
    """A number for each limit, within the bounds that the agent process keeps to. ``apply`` keeps them."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Limits of one request"), parent)
        column = QVBoxLayout(self)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "At a limit the agent stops and says what is done, what not, and how to go on. Time in which it waits for you "
                    "is not counted. Profiles with less of their own keep it, and a project can only lower these limits. They "
                    "hold from the next message on.",
                )
            )
        )
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        self.boxes: Dict[str, QAbstractSpinBox] = {}
        for name, title, meaning in limit_words():
            box = _money(name) if name == "cost" else _number(name)
            box.setToolTip(meaning)
            box.setAccessibleName(title)
            box.setAccessibleDescription(meaning)
            self.boxes[name] = box
            form.addRow(title, box)
        column.addLayout(form)
        self.default_button = QPushButton(translate("QgisAgent", "Restore defaults"))
        self.default_button.setAutoDefault(False)
        self.default_button.clicked.connect(lambda _checked=False: self.show_limits({}))
        column.addWidget(self.default_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.show_limits(limits())

    def show_limits(self, chosen: Dict[str, float]) -> None:
        """Fill the fields; the default where ``chosen`` has nothing."""
        for name, box in self.boxes.items():
            value = chosen.get(name, LIMITS[name][0])
            box.setValue(value if isinstance(box, QDoubleSpinBox) else int(value))

    def chosen(self) -> Dict[str, float]:
        """What the fields say."""
        return {name: float(box.value()) for name, box in self.boxes.items()}

    def apply(self) -> None:
        """Keep it."""
        choose_limits(self.chosen())


def _number(name: str) -> QSpinBox:
    default, least, most = LIMITS[name]
    box = QSpinBox()
    box.setRange(int(least), int(most))
    box.setSingleStep(_STEPS.get(name, 1))
    box.setGroupSeparatorShown(True)
    if name.endswith("_s"):
        box.setSuffix(translate("QgisAgent", " s"))
    box.setValue(int(default))
    return box


def _money(name: str) -> QDoubleSpinBox:
    _default, least, most = LIMITS[name]
    box = QDoubleSpinBox()
    box.setRange(least, most)
    box.setSingleStep(0.1)
    box.setSpecialValueText(translate("QgisAgent", "no limit"))
    return box
