"""The page "QGIS Agent" in QGIS's options: who answers, where the key is kept, and the agent's environment."""

from __future__ import annotations

from typing import Callable, Optional

from qgis.gui import QgsOptionsPageWidget, QgsOptionsWidgetFactory, QgsPasswordLineEdit
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from .environment_box import EnvironmentBox
from .parts import explanation, scrolled
from .store import MODEL, OFFLINE, SESSION, STORED, KeyRing, ModelChoice, load_choice, save_choice

PAGE_KEY = "QgisAgentOptions"


class SettingsPage(QgsOptionsPageWidget):
    """Edits a ModelChoice. ``applied`` is called after OK or Apply; ``set_up`` begins a build of the environment."""

    def __init__(
        self, ring: KeyRing, applied: Callable[[], None], set_up: Callable[[], None], parent: Optional[QWidget] = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(PAGE_KEY)
        self._ring = ring
        self._applied = applied
        self._set_up = set_up
        scrolled(self, [self._answering_box(), self._model_box(), EnvironmentBox(self._set_up)])
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
                    "statistics, a few sample rows without geometry) are sent to the address below.",
                )
            )
        )
        self.model_radio.toggled.connect(self._enable_fields)
        return box

    def _model_box(self) -> QGroupBox:
        self.model_box = QGroupBox(translate("QgisAgent", "Model (any OpenAI-compatible address)"))
        form = QFormLayout(self.model_box)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.model_edit = QLineEdit()
        self.model_edit.setPlaceholderText(translate("QgisAgent", "name of the model"))
        self.base_edit = QLineEdit()
        self.base_edit.setPlaceholderText("https://…/v1")
        self.key_edit = QgsPasswordLineEdit()
        self.keeping_box = QComboBox()
        self.keeping_box.addItem(translate("QgisAgent", "Only until QGIS closes"), SESSION)
        self.keeping_box.addItem(translate("QgisAgent", "Encrypted in QGIS's authentication database"), STORED)
        self.forget_button = QPushButton(translate("QgisAgent", "Forget the key"))
        self.forget_button.clicked.connect(self._forget)
        self.key_note = explanation("")
        form.addRow(translate("QgisAgent", "Model"), self.model_edit)
        form.addRow(translate("QgisAgent", "Address"), self.base_edit)
        form.addRow(translate("QgisAgent", "API key"), self.key_edit)
        form.addRow(translate("QgisAgent", "Keep the key"), self.keeping_box)
        form.addRow("", self.key_note)
        row = QHBoxLayout()
        row.addWidget(self.forget_button)
        row.addStretch(1)
        form.addRow("", row)
        self.base_edit.textChanged.connect(lambda _text: self._show_key_state())
        return self.model_box

    # state

    def choice(self) -> ModelChoice:
        """What the fields say now."""
        return ModelChoice(
            kind=MODEL if self.model_radio.isChecked() else OFFLINE,
            model=self.model_edit.text().strip(),
            api_base=self.base_edit.text().strip(),
            keeping=str(self.keeping_box.currentData()),
        )

    def isValid(self) -> bool:  # noqa: N802
        """A model needs a name and an address that begins with http(s)."""
        choice = self.choice()
        return choice.kind == OFFLINE or (bool(choice.model) and choice.api_base.startswith(("https://", "http://")))

    def apply(self) -> None:
        """OK or Apply: keep the choice, and the key where the person wants it."""
        choice = self.choice()
        if not self.isValid():
            choice.kind = OFFLINE
        key = self.key_edit.text()
        if key and choice.keeping == STORED:
            if not self._ring.store(choice.api_base, key):
                choice.keeping = SESSION
        elif key:
            self._ring.remember(choice.api_base, key)
        self.key_edit.clear()
        save_choice(choice)
        self._show_key_state()
        self._applied()

    def _show(self, choice: ModelChoice) -> None:
        self.offline_radio.setChecked(choice.kind == OFFLINE)
        self.model_radio.setChecked(choice.kind == MODEL)
        self.model_edit.setText(choice.model)
        self.base_edit.setText(choice.api_base)
        index = self.keeping_box.findData(choice.keeping)
        self.keeping_box.setCurrentIndex(max(0, index))
        if not self._ring.can_store():
            self.keeping_box.setCurrentIndex(0)
            self.keeping_box.setEnabled(False)
        self._enable_fields()
        self._show_key_state()

    def _enable_fields(self, _on: bool = True) -> None:
        self.model_box.setEnabled(self.model_radio.isChecked())

    def _show_key_state(self) -> None:
        base = self.base_edit.text().strip()
        if self._ring.is_stored(base):
            text = translate("QgisAgent", "A key for this address is stored. Leave the field empty to keep it.")
        elif self._ring.in_memory(base):
            text = translate("QgisAgent", "A key for this address is known until QGIS closes.")
        elif not self._ring.can_store():
            text = translate(
                "QgisAgent", "QGIS's authentication database is switched off: a key is kept until QGIS closes."
            )
        else:
            text = translate("QgisAgent", "No key is known for this address. A server on this computer may need none.")
        self.key_note.setText(text)
        self.forget_button.setEnabled(self._ring.is_stored(base) or self._ring.in_memory(base))

    def _forget(self) -> None:
        self._ring.forget(self.base_edit.text().strip())
        self.key_edit.clear()
        self._show_key_state()


class SettingsFactory(QgsOptionsWidgetFactory):
    """Gives QGIS the page."""

    def __init__(self, icon: QIcon, ring: KeyRing, applied: Callable[[], None], set_up: Callable[[], None]) -> None:
        super().__init__(translate("QgisAgent", "QGIS Agent"), icon, PAGE_KEY)
        self._icon = icon
        self._ring = ring
        self._applied = applied
        self._set_up = set_up
        self.page: Optional[SettingsPage] = None

    def icon(self) -> QIcon:
        """The plugin's icon."""
        return self._icon

    def createWidget(self, parent: Optional[QWidget] = None) -> QgsOptionsPageWidget:  # noqa: N802
        """A page; a reference is kept, or Python would delete it."""
        self.page = SettingsPage(self._ring, self._applied, self._set_up, parent)
        return self.page
