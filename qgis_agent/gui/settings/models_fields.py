"""The fields of one model: provider, name, address and key. A key is only ever shown as "there is one"."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

from qgis.gui import QgsPasswordLineEdit
from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from ...bridge.addresses import is_local, is_web_address
from ...gis.i18n import translate
from .models_presets import OTHER, PRESETS, bare_name, full_name, preset, preset_name, preset_of
from .parts import explanation
from .store import KeyRing, RoleChoice

NONE = ""


class _Row(QWidget):
    """No plain QWidget: dark themes give one a ground of its own while it is switched off."""


class ModelFields(QWidget):
    """``changed`` when anything but the key's place is edited. ``without`` is an entry for "no model of its own"."""

    changed = pyqtSignal()

    def __init__(self, ring: KeyRing, without: str = "", parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._ring = ring
        self._typed: Dict[str, Tuple[str, str]] = {}
        """Name and address by provider: who looks at another provider and comes back finds what was there."""
        self._provider = ""
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.provider_box = QComboBox()
        if without:
            self.provider_box.addItem(without, NONE)
        for each in PRESETS:
            self.provider_box.addItem(preset_name(each), each.key)
        self.provider_box.currentIndexChanged.connect(lambda _index: self._provider_chosen())
        self.model_edit = QLineEdit()
        self.base_edit = QLineEdit()
        self.key_edit = QgsPasswordLineEdit()
        self.key_note = explanation("")
        self.forget_button = QPushButton(translate("QgisAgent", "Forget the key"))
        self.forget_button.setAutoDefault(False)
        self.forget_button.clicked.connect(lambda _checked=False: self._forget())
        self._note_row = _Row()
        row = QHBoxLayout(self._note_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.key_note, 1)
        row.addWidget(self.forget_button, 0, Qt.AlignmentFlag.AlignTop)
        self.form.addRow(translate("QgisAgent", "Provider"), self.provider_box)
        self.form.addRow(translate("QgisAgent", "Model"), self.model_edit)
        self.form.addRow(translate("QgisAgent", "Address"), self.base_edit)
        self.form.addRow(translate("QgisAgent", "API key"), self.key_edit)
        self.form.addRow("", self._note_row)
        for each in (self.model_edit, self.base_edit, self.key_edit):
            each.textChanged.connect(lambda _text: self._edited())

    def choice(self) -> RoleChoice:
        """What the fields say now; no model where none of its own is wanted."""
        key = str(self.provider_box.currentData())
        if key == NONE:
            return RoleChoice()
        return RoleChoice(key, full_name(preset(key), self.model_edit.text()), self.base_edit.text().strip())

    def show_choice(self, choice: RoleChoice) -> None:
        """Fill the fields."""
        key = choice.preset or (preset_of(choice.api_base).key if choice.model or choice.api_base else NONE)
        index = self.provider_box.findData(key)
        self.provider_box.setCurrentIndex(index if index >= 0 else self.provider_box.findData(OTHER))
        each = preset(str(self.provider_box.currentData()))
        self._provider_chosen()
        if choice.model or choice.api_base:
            self.model_edit.setText(bare_name(each, choice.model))
            self.base_edit.setText(choice.api_base)
        self._edited()

    def problem(self) -> str:
        """What is missing or wrong, in a sentence; "" when a request could be sent."""
        choice = self.choice()
        if not choice.preset:
            return ""
        if not choice.model:
            return translate("QgisAgent", "Enter the name of a model.")
        if not is_web_address(choice.api_base):
            return translate("QgisAgent", "Enter an address that begins with https:// or http://.")
        return ""

    def keep_key(self, stored: bool) -> bool:
        """Keep the key that was typed, if any, where the person wants it. False: it could not be stored, and is in memory."""
        key, base = self.key_edit.text().strip(), self.base_edit.text().strip()
        self.key_edit.clear()
        kept = True
        if key and stored:
            kept = self._ring.store(base, key)
        elif key:
            self._ring.remember(base, key)
        self.show_key_state()
        return kept

    def key(self) -> str:
        """The key as typed, else the one that is known for the address. QGIS may ask for its master password."""
        return self.key_edit.text().strip() or self._ring.key(self.base_edit.text().strip())

    def show_key_state(self) -> None:
        """Say whether a key is known for the address, and whether it would travel unencrypted."""
        base = self.base_edit.text().strip()
        self.key_note.setText(self._key_words(base))
        self.forget_button.setVisible(self._ring.is_stored(base) or self._ring.in_memory(base))

    def _key_words(self, base: str) -> str:
        if base.startswith("http://") and not is_local(base) and is_web_address(base):
            return translate(
                "QgisAgent", "This address is not encrypted: others on the way can read the key and what is sent."
            )
        if self.key_edit.text():
            return translate("QgisAgent", "Kept with OK or Apply, for this address only.")
        if self._ring.is_stored(base):
            return translate("QgisAgent", "A key for this address is stored. Leave the field empty to keep it.")
        if self._ring.in_memory(base):
            return translate("QgisAgent", "A key for this address is known until QGIS closes.")
        if is_local(base):
            return translate("QgisAgent", "A server on this computer or in your own network may need no key.")
        if not self._ring.can_store():
            return translate(
                "QgisAgent", "QGIS's authentication database is switched off: a key is kept until QGIS closes."
            )
        return translate("QgisAgent", "No key is known for this address yet.")

    def _provider_chosen(self) -> None:
        """Another provider: its address, and the name that was typed for it before."""
        key = str(self.provider_box.currentData())
        if self._provider != key:
            self._typed[self._provider] = (self.model_edit.text(), self.base_edit.text())
            each = preset(key)
            model, base = self._typed.get(key, ("", each.api_base))
            self._provider = key
            self.model_edit.setText(model)
            self.base_edit.setText(base)
            self.key_edit.clear()  # it was typed for another address
        each = preset(key)
        example = translate("QgisAgent", "for example {}").format(each.example)
        self.model_edit.setPlaceholderText(example if each.example else translate("QgisAgent", "name of the model"))
        self.base_edit.setPlaceholderText(each.shown_base)
        for row in range(1, self.form.rowCount()):
            for role in (QFormLayout.ItemRole.LabelRole, QFormLayout.ItemRole.FieldRole):
                item = self.form.itemAt(row, role)
                if item is not None and item.widget() is not None:
                    item.widget().setVisible(key != NONE)
        self._edited()

    def _edited(self) -> None:
        self.show_key_state()
        self.changed.emit()

    def _forget(self) -> None:
        self._ring.forget(self.base_edit.text().strip())
        self.key_edit.clear()
        self.show_key_state()
