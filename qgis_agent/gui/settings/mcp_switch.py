"""Whether programs can reach QGIS over MCP at all, on which port, and how it stands."""

from __future__ import annotations

from typing import Any, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from ...gis.mcp import settings
from ...gis.mcp.listening import FAILED, ON, STARTING, Listening, state_words
from ..glyphs import Glyph
from .mcp_guide import show_guide
from .mcp_snippets import endpoint_url
from .parts import explanation

_SIGNS = {ON: "done", FAILED: "warning", STARTING: "waiting"}


class SwitchBox(QGroupBox):
    """The switch and the port are kept by ``apply``; the line below says how it stands now."""

    def __init__(self, listening: Listening, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Other programs (MCP)"), parent)
        self._listening = listening
        column = QVBoxLayout(self)
        self.on_box = QCheckBox(translate("QgisAgent", "Let programs that I allow use this QGIS"))
        self.on_box.setChecked(settings.enabled())
        column.addWidget(self.on_box)
        meaning = translate(
            "QgisAgent",
            "Assistants such as Claude Code, Cursor or Cherry Studio can then look at the open project and, as far as you allow it, "
            "change the map with the same tools as the agent. What they read goes where they send it: to their own models. "
            "Anything beyond reading is asked here, in QGIS, with the program's name. Only programs on this computer that have "
            "a token can connect.",
        )
        self.on_box.setAccessibleDescription(meaning)
        column.addWidget(explanation(meaning))
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        self.port_box = QSpinBox()
        self.port_box.setRange(settings.LEAST_PORT, settings.MOST_PORT)
        self.port_box.setValue(settings.port())
        self.port_box.setAccessibleName(translate("QgisAgent", "Port"))
        form.addRow(translate("QgisAgent", "Port"), self.port_box)
        column.addLayout(form)
        row = QHBoxLayout()
        self._sign = Glyph("info", strong=True)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        self.state_label = explanation("")
        row.addWidget(self.state_label, 1)
        column.addLayout(row)
        self.guide_button = QPushButton(translate("QgisAgent", "How to set up a program…"))
        self.guide_button.setAutoDefault(False)
        self.guide_button.clicked.connect(lambda _checked=False: show_guide(self))
        column.addWidget(self.guide_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.on_box.toggled.connect(lambda _on: self.refresh())
        self.port_box.valueChanged.connect(lambda _port: self.refresh())
        listening.changed.connect(self.refresh)
        self.refresh()

    def apply(self) -> bool:
        """Keep the choice; whether the switch stands otherwise than before. It holds at once."""
        before = settings.enabled()
        settings.choose_enabled(self.on_box.isChecked())
        settings.choose_port(self.port_box.value())
        self._listening.follow()
        self.refresh()
        return before != self.on_box.isChecked()

    def url(self) -> str:
        """The address of the endpoint, when what is chosen here holds."""
        return endpoint_url(self.port_box.value())

    def note(self) -> str:
        """What is still to be done before a program can reach QGIS; "" for nothing."""
        if not self.on_box.isChecked():
            return translate(
                "QgisAgent", "MCP is off now: turn it on in the settings, or the program cannot reach QGIS."
            )
        if self._is_applied():
            return ""
        return translate(
            "QgisAgent", "Press Apply or OK in the settings as well: only then can the program reach QGIS."
        )

    def _is_applied(self) -> bool:
        return (self.on_box.isChecked(), self.port_box.value()) == (settings.enabled(), settings.port())

    def refresh(self) -> None:
        """Say how it stands, and that a change is still to be applied."""
        said, more = state_words(self._listening)
        if not self._is_applied():
            more = [*more, translate("QgisAgent", "Your change holds when you press Apply or OK.")]
        self.state_label.setText(" ".join([said, *more]))
        self._sign.show_sign(_SIGNS.get(self._listening.state, "info"), strong=True)

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """It may have changed while another page was shown."""
        super().showEvent(event)
        self.refresh()
