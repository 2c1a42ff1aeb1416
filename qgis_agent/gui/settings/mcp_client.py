"""The dialog in which a person allows a program to use QGIS over MCP, or changes what it may do."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from qgis.PyQt.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QRadioButton,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from ...gis.mcp.settings import MAX_LABEL, Client
from ..surfaces import Ground, ThemedLabel
from .permissions_level import level_words

READ_ONLY, SAFE = "read_only", "safe_write"
WRITE = "write"

Save = Callable[[str, str, Tuple[str, ...]], None]
"""save(label, level, packs). ValueError and OSError say why it cannot be."""


def program_levels() -> List[Tuple[str, str, str]]:
    """(level, its name, what it means) for a program, from strict to lax."""
    return [
        (
            READ_ONLY,
            translate("QgisAgent", "Read only (recommended)"),
            translate(
                "QgisAgent",
                "Looks at the map, counts, measures and searches. You are asked each time before it changes the look of the map or "
                "adds a layer. It never writes files, changes data or uses the network.",
            ),
        ),
        (
            SAFE,
            translate("QgisAgent", "Safe"),
            translate(
                "QgisAgent",
                "Styles layers and adds results without asking; you can undo this. You are asked for each host of the network.",
            ),
        ),
    ]


def may_words(client: Client) -> str:
    """What a program may do, in a few words for a list."""
    names = {level: name.partition("(")[0].partition("（")[0].strip() for level, name, _meaning in level_words()}
    name = names.get(client.level, client.level)
    if WRITE in client.packs and client.level != READ_ONLY:
        return translate("QgisAgent", "{}, may prepare writes").format(name)
    return name


class ClientDialog(QDialog):
    """``save`` is called by the button that agrees; what it raises is shown, and the dialog stays."""

    def __init__(self, save: Save, client: Optional[Client] = None, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._save = save
        self.setObjectName("QgisAgentMcpClient")
        title = (
            translate("QgisAgent", "Allow a program") if client is None else translate("QgisAgent", "Change a program")
        )
        self.setWindowTitle(title)
        self.setMinimumWidth(340)
        self.resize(520, 400)
        ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        heading = ThemedLabel(translate("QgisAgent", "Name, as you want to see it when the program asks"))
        self.name_edit = QLineEdit(client.label if client is not None else "")
        self.name_edit.setMaxLength(MAX_LABEL)
        self.name_edit.setAccessibleName(heading.text())
        heading.setBuddy(self.name_edit)
        column.addWidget(heading)
        column.addWidget(self.name_edit)
        column.addWidget(ThemedLabel(translate("QgisAgent", "What it may do without asking you"), bold=True))
        self.write_box = QCheckBox(translate("QgisAgent", "May prepare writing files and changing data"))
        self.buttons: Dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        for level, name, meaning in self._levels(client):
            self._add_level(column, level, name, meaning)
        self.write_box.setChecked(client is not None and WRITE in client.packs)
        column.addWidget(self.write_box)
        self.write_label = self._meaning(
            translate(
                "QgisAgent",
                "You see each of them in full first, and nothing is written without your click. Not with “Read only”.",
            )
        )
        self.write_box.setAccessibleDescription(self.write_label.text())
        column.addWidget(self.write_label)
        column.addWidget(
            ThemedLabel(
                translate(
                    "QgisAgent",
                    "It can never do more than the agent itself, and never sees layers, fields and folders that are hidden from the agent.",
                ),
                muted=True,
            )
        )
        self.problem_label = ThemedLabel(bold=True)
        self.problem_label.hide()
        column.addWidget(self.problem_label)
        column.addStretch(1)
        column.addWidget(self._answers(client))
        self.buttons[client.level if client is not None else READ_ONLY].setChecked(True)
        self.write_box.setEnabled(self.level() != READ_ONLY)
        self.name_edit.setFocus()

    def level(self) -> str:
        """The level that is chosen."""
        return next(level for level, button in self.buttons.items() if button.isChecked())

    def packs(self) -> Tuple[str, ...]:
        """The packs that are switched on."""
        return (WRITE,) if self.write_box.isChecked() and self.level() != READ_ONLY else ()

    def accept(self) -> None:
        """Keep it; where that cannot be, say why and stay."""
        try:
            self._save(self.name_edit.text().strip(), self.level(), self.packs())
        except (ValueError, OSError) as problem:
            self.problem_label.setText(str(problem))
            self.problem_label.show()
            self.name_edit.setFocus()
            return
        super().accept()

    # building

    @staticmethod
    def _levels(client: Optional[Client]) -> List[Tuple[str, str, str]]:
        """Those that are offered, and the one that the program has."""
        offered = program_levels()
        if client is None or client.level in [level for level, _name, _meaning in offered]:
            return offered
        return offered + [each for each in level_words() if each[0] == client.level]

    def _add_level(self, column: QVBoxLayout, level: str, name: str, meaning: str) -> None:
        button = QRadioButton(name)
        button.setAccessibleDescription(meaning)
        self._group.addButton(button)
        button.toggled.connect(lambda on: self.write_box.setEnabled(level != READ_ONLY) if on else None)
        self.buttons[level] = button
        column.addWidget(button)
        column.addWidget(self._meaning(meaning))

    def _meaning(self, text: str) -> ThemedLabel:
        label = ThemedLabel(text, muted=True)
        style = self.style()
        indent = style.pixelMetric(QStyle.PixelMetric.PM_ExclusiveIndicatorWidth)
        label.setContentsMargins(indent + style.pixelMetric(QStyle.PixelMetric.PM_RadioButtonLabelSpacing), 0, 0, 4)
        return label

    def _answers(self, client: Optional[Client]) -> QDialogButtonBox:
        box = QDialogButtonBox()
        words = (
            translate("QgisAgent", "Allow and show the token") if client is None else translate("QgisAgent", "Change")
        )
        self.agree_button = box.addButton(words, QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = box.addButton(translate("QgisAgent", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setAutoDefault(False)
        self.agree_button.setDefault(True)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        return box
