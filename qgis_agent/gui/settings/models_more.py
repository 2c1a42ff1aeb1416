"""What few people set: a model of its own for sorting requests, limits, own prices, and addresses that are allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from qgis.gui import QgsCollapsibleGroupBox, QgsFileWidget
from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from ...bridge.addresses import is_local
from ...gis.i18n import translate
from .models_fields import ModelFields
from .parts import explanation
from .store import KeyRing, Limits, ModelChoice

_MOST_TOKENS = 1_000_000_000


class MoreBox(QgsCollapsibleGroupBox):
    """Folded until somebody looks for it. ``changed`` when anything is edited."""

    changed = pyqtSignal()

    def __init__(self, ring: KeyRing, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "More…"), parent)
        self.setSaveCollapsedState(False)
        column = QVBoxLayout(self)
        self.local_box = QCheckBox(translate("QgisAgent", "Only models on this computer or its own network"))
        self.local_box.toggled.connect(lambda _on: self.changed.emit())
        column.addWidget(self.local_box)
        column.addWidget(explanation(translate("QgisAgent", "Model that sorts requests before the work begins")))
        self.router = ModelFields(ring, without=translate("QgisAgent", "None: requests are sorted without a model"))
        self.router.changed.connect(self.changed)
        column.addWidget(self.router)
        column.addWidget(
            explanation(translate("QgisAgent", "Model that looks at pictures, where the one that answers sees none"))
        )
        self.vision = ModelFields(
            ring, without=translate("QgisAgent", "None: pictures are shown to the one that answers")
        )
        self.vision.changed.connect(self.changed)
        column.addWidget(self.vision)
        column.addLayout(self._limits())
        self.setCollapsed(True)

    def show_choice(self, choice: ModelChoice) -> None:
        """Fill the fields; unfolded where something is set."""
        self.local_box.setChecked(choice.local_only)
        self.router.show_choice(choice.router)
        self.vision.show_choice(choice.vision)
        limits = choice.limits
        self.tokens_box.setValue(limits.tokens)
        self.cost_box.setValue(limits.cost)
        self.rate_box.setValue(limits.per_minute)
        self.context_box.setValue(limits.context)
        self.prices_edit.setFilePath(choice.prices_file)
        used = (
            choice.local_only or choice.router.model or choice.vision.model or limits != Limits() or choice.prices_file
        )
        self.setCollapsed(not used)

    def put_into(self, choice: ModelChoice) -> None:
        """Write what the fields say into a choice."""
        choice.local_only = self.local_box.isChecked()
        choice.router = self.router.choice()
        choice.vision = self.vision.choice()
        choice.limits = Limits(
            tokens=self.tokens_box.value(),
            cost=self.cost_box.value(),
            per_minute=self.rate_box.value(),
            context=self.context_box.value(),
        )
        choice.prices_file = self.prices_edit.filePath().strip()

    def problem(self, api_base: str) -> str:
        """What is wrong, in a sentence; "" when nothing is."""
        bases = (api_base, self.router.choice().api_base, self.vision.choice().api_base)
        if self.local_box.isChecked() and not all(is_local(each) for each in bases if each):
            return translate(
                "QgisAgent", "Under More… only local addresses are allowed, and this address is not local."
            )
        problem = self.router.problem()
        if problem:
            return translate("QgisAgent", "Model that sorts requests: {}").format(problem)
        problem = self.vision.problem()
        if problem:
            return translate("QgisAgent", "Model that looks at pictures: {}").format(problem)
        prices = self.prices_edit.filePath().strip()
        if prices and not Path(prices).is_file():
            return translate("QgisAgent", "The file with your own prices is not there.")
        return ""

    def _limits(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        none = translate("QgisAgent", "no limit")
        self.tokens_box = _spin(_MOST_TOKENS, 10_000, none)
        self.cost_box = QDoubleSpinBox()
        self.cost_box.setRange(0, 1_000_000)
        self.cost_box.setSpecialValueText(none)
        self.cost_box.setToolTip(translate("QgisAgent", "In the currency of the model's price"))
        self.rate_box = _spin(10_000, 10, none)
        self.context_box = _spin(10_000_000, 4096, translate("QgisAgent", "as the program sets it"))
        self.context_box.setToolTip(translate("QgisAgent", "Tokens that are asked of Ollama; others are not asked."))
        self.prices_edit = QgsFileWidget()
        self.prices_edit.setFilter(translate("QgisAgent", "Price table (*.json)"))
        self.prices_edit.lineEdit().setAccessibleName(translate("QgisAgent", "Own prices"))
        self.prices_edit.setDialogTitle(translate("QgisAgent", "Own prices"))
        for box in (self.tokens_box, self.cost_box, self.rate_box, self.context_box):
            box.valueChanged.connect(lambda _value: self.changed.emit())
        self.prices_edit.fileChanged.connect(lambda _path: self.changed.emit())
        form.addRow(translate("QgisAgent", "Tokens until QGIS closes"), self.tokens_box)
        form.addRow(translate("QgisAgent", "Cost until QGIS closes"), self.cost_box)
        form.addRow(translate("QgisAgent", "Requests a minute"), self.rate_box)
        form.addRow(translate("QgisAgent", "Context"), self.context_box)
        form.addRow(translate("QgisAgent", "Own prices"), self.prices_edit)
        words = translate(
            "QgisAgent",
            "At a limit the agent stops and says so. Counting begins anew when QGIS closes or these settings change.",
        )
        form.addRow(explanation(words))
        return form


def _spin(most: int, step: int, at_zero: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(0, most)
    box.setSingleStep(step)
    box.setGroupSeparatorShown(True)
    box.setSpecialValueText(at_zero)
    return box
