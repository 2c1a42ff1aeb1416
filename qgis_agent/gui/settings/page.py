"""The page "QGIS Agent" in QGIS's options: who answers, where the key is kept, and the agent's environment."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from qgis.gui import QgsOptionsPageWidget, QgsOptionsWidgetFactory
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGroupBox,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from .conversation_box import ConversationBox
from .environment_box import EnvironmentBox
from .models_fields import ModelFields
from .models_more import MoreBox
from .models_test import ModelTestPanel
from .parts import explanation, scrolled
from .store import MODEL, OFFLINE, SESSION, STORED, KeyRing, ModelChoice, RoleChoice, load_choice, save_choice

PAGE_KEY = "QgisAgentOptions"


class SettingsPage(QgsOptionsPageWidget):
    """Edits a ModelChoice. ``applied`` is called after OK or Apply; ``set_up`` begins a build of the environment."""

    def __init__(
        self,
        ring: KeyRing,
        applied: Callable[[], None],
        set_up: Callable[[], None],
        parent: Optional[QWidget] = None,
        tester: Any = None,
    ) -> None:
        """``tester`` is a ModelTester (gis/model_test.py); without one there is no Test button."""
        super().__init__(parent)
        self.setObjectName(PAGE_KEY)
        self._ring = ring
        self._tester = tester
        self._complain = False
        self.test_panel: Optional[ModelTestPanel] = None
        self._applied = applied
        self._set_up = set_up
        self.conversation_box = ConversationBox()
        scrolled(
            self,
            [self._answering_box(), self._model_box(), self.conversation_box, EnvironmentBox(self._set_up)],
        )
        self._show(load_choice())

    # building

    def _answering_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "Who answers"))
        column = QVBoxLayout(box)
        self.offline_radio = QRadioButton(translate("QgisAgent", "Offline commands, without a model"))
        self.model_radio = QRadioButton(translate("QgisAgent", "A language model"))
        group = QButtonGroup(self)
        group.addButton(self.offline_radio)
        group.addButton(self.model_radio)
        column.addWidget(self.offline_radio)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "Short commands in English or Chinese, such as “zoom to …” or “buffer … 500 m”. "
                    "Nothing leaves this computer.",
                )
            )
        )
        column.addWidget(self.model_radio)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "Your message, the names of layers and fields, and the results of tools (counts, "
                    "statistics, a few sample rows without geometry) are sent to the address below. The page Data and limits says "
                    "all that is sent, and can keep attribute values at home.",
                )
            )
        )
        self.model_radio.toggled.connect(self._enable_fields)
        return box

    def _model_box(self) -> QGroupBox:
        self.model_box = QGroupBox(translate("QgisAgent", "Model"))
        column = QVBoxLayout(self.model_box)
        self.fields = ModelFields(self._ring)
        self.provider_box = self.fields.provider_box
        self.model_edit = self.fields.model_edit
        self.base_edit = self.fields.base_edit
        self.key_edit = self.fields.key_edit
        self.forget_button = self.fields.forget_button
        self.keeping_box = QComboBox()
        self.keeping_box.addItem(translate("QgisAgent", "Only until QGIS closes"), SESSION)
        self.keeping_box.addItem(translate("QgisAgent", "Encrypted in QGIS's authentication database"), STORED)
        self.fields.form.insertRow(4, translate("QgisAgent", "Keep the key"), self.keeping_box)
        column.addWidget(self.fields)
        self.problem_label = explanation("")
        column.addWidget(self.problem_label)
        if self._tester is not None:
            self.test_panel = ModelTestPanel(self._tester, self._test_config)
            column.addWidget(self.test_panel)
        self.more_box = MoreBox(self._ring)
        column.addWidget(self.more_box)
        self.fields.changed.connect(self._changed)
        self.more_box.changed.connect(self._changed)
        return self.model_box

    # state

    def choice(self) -> ModelChoice:
        """What the fields say now."""
        main = self.fields.choice()
        choice = ModelChoice(
            kind=MODEL if self.model_radio.isChecked() else OFFLINE,
            model=main.model,
            api_base=main.api_base,
            keeping=str(self.keeping_box.currentData()),
            preset=main.preset,
        )
        self.more_box.put_into(choice)
        return choice

    def problem(self) -> str:
        """What keeps the model from being used, in a sentence; "" when nothing does."""
        return self.fields.problem() or self.more_box.problem(self.base_edit.text().strip())

    def isValid(self) -> bool:  # noqa: N802
        """A model needs a name and an address; the page says what is missing."""
        self._complain = True
        self._show_problem()
        return self.offline_radio.isChecked() or not self.problem()

    def apply(self) -> None:
        """OK or Apply: keep the choice, and the key where the person wants it."""
        choice = self.choice()
        if not self.isValid():
            choice.kind = OFFLINE
        stored = choice.keeping == STORED
        kept = self.fields.keep_key(stored)
        for each in (self.more_box.router, self.more_box.vision):
            kept = each.keep_key(stored) and kept
        if not kept:
            choice.keeping = SESSION
        save_choice(choice)
        self.conversation_box.apply()
        self._applied()

    def _show(self, choice: ModelChoice) -> None:
        self.offline_radio.setChecked(choice.kind == OFFLINE)
        self.model_radio.setChecked(choice.kind == MODEL)
        self.fields.show_choice(RoleChoice(choice.preset, choice.model, choice.api_base))
        self.more_box.show_choice(choice)
        index = self.keeping_box.findData(choice.keeping)
        self.keeping_box.setCurrentIndex(max(0, index))
        if not self._ring.can_store():
            self.keeping_box.setCurrentIndex(0)
            self.keeping_box.setEnabled(False)
        self._complain = False
        self._enable_fields()

    def _enable_fields(self, _on: bool = True) -> None:
        self.model_box.setEnabled(self.model_radio.isChecked())
        self._show_problem()

    def _changed(self) -> None:
        self._show_problem()
        if self.test_panel is not None:
            self.test_panel.clear()

    def _show_problem(self) -> None:
        """Nobody is told that a field is empty before they had the time to fill it."""
        text = self.problem() if self._complain and self.model_radio.isChecked() else ""
        self.problem_label.setText(text)
        self.problem_label.setVisible(bool(text))

    def _test_config(self) -> Optional[Dict[str, Any]]:
        """What the Test button sends; None when something is missing, which the page then says."""
        if not self.isValid():
            return None
        choice = self.choice()
        config: Dict[str, Any] = {"model": choice.model, "api_base": choice.api_base, "api_key": self.fields.key()}
        if choice.limits.context:
            config["context_tokens"] = choice.limits.context
        return config


class SettingsFactory(QgsOptionsWidgetFactory):
    """Gives QGIS the page."""

    def __init__(
        self, icon: QIcon, ring: KeyRing, applied: Callable[[], None], set_up: Callable[[], None], tester: Any = None
    ) -> None:
        super().__init__(translate("QgisAgent", "QGIS Agent"), icon, PAGE_KEY)
        self._icon = icon
        self._ring = ring
        self._applied = applied
        self._set_up = set_up
        self._tester = tester
        self.page: Optional[SettingsPage] = None

    def icon(self) -> QIcon:
        """The plugin's icon."""
        return self._icon

    def createWidget(self, parent: Optional[QWidget] = None) -> QgsOptionsPageWidget:  # noqa: N802
        """A page; a reference is kept, or Python would delete it."""
        self.page = SettingsPage(self._ring, self._applied, self._set_up, parent, self._tester)
        return self.page
