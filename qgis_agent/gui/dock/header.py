"""The row above the conversation: new conversation, earlier ones, connected programs, whether files may be written, settings."""

from __future__ import annotations

from typing import Any, List, Optional

from qgis.PyQt.QtCore import QEvent, QSize, Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QStyle, QStyleOptionButton, QWidget

from ...gis.i18n import translate
from ..surfaces import GlyphButton
from ..theme import MARGIN
from ..tips import plain_tip

_SPACING = 6


class ElidedCheckBox(QCheckBox):
    """A check box whose words are cut with "…" where they do not fit; its accessible name holds all of them."""

    def __init__(self, text: str, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._words = text
        self.setText(text)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As wide as all of the words."""
        width = self._beside_words() + self.fontMetrics().horizontalAdvance(self._words)
        # Two more, because advances are rounded and elidedText cuts what fits exactly.
        return QSize(width + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: the words are cut instead."""
        return QSize(self._beside_words(), super().sizeHint().height())

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Cut the words anew."""
        super().resizeEvent(event)
        room = self.width() - self._beside_words()
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, max(0, room))
        if self.text() != shown:
            self.setText(shown)

    def _beside_words(self) -> int:
        """Width of all but the words, in pixels."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self._words
        wide = self.fontMetrics().horizontalAdvance(self._words)
        words = QSize(wide, self.fontMetrics().height())
        whole = self.style().sizeFromContents(QStyle.ContentsType.CT_CheckBox, option, words, self)
        return whole.width() - wide


class Header(QWidget):
    """What a person reaches for now and then."""

    new_asked = pyqtSignal()
    sessions_asked = pyqtSignal()
    settings_asked = pyqtSignal()
    programs_asked = pyqtSignal()
    export_toggled = pyqtSignal(bool)

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        new = translate("QgisAgent", "New conversation")
        self.new_button = GlyphButton("new", new, text=new)
        self.sessions_button = GlyphButton("sessions", translate("QgisAgent", "Earlier conversations"))
        self.programs_button = GlyphButton("plug", "")
        self.programs_button.hide()
        export = translate("QgisAgent", "Allow file export")
        self.export_box = ElidedCheckBox(export)
        tip = translate(
            "QgisAgent",
            "The agent may then offer to write a layer to a file. Each file is shown to you first and is written only "
            "when you click Write.",
        )
        self.export_box.setToolTip("{}\n{}".format(export, tip))
        self.export_box.setAccessibleDescription(tip)
        self.settings_button = GlyphButton("settings", translate("QgisAgent", "Settings"))
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN - 6, 4, MARGIN - 6, 4)
        row.setSpacing(_SPACING)
        row.addWidget(self.new_button)
        row.addWidget(self.sessions_button)
        row.addStretch(1)
        row.addWidget(self.programs_button)
        row.addWidget(self.export_box)
        row.addWidget(self.settings_button)
        self.new_button.clicked.connect(self.new_asked)
        self.sessions_button.clicked.connect(self.sessions_asked)
        self.settings_button.clicked.connect(self.settings_asked)
        self.programs_button.clicked.connect(self.programs_asked)
        self.export_box.toggled.connect(self.export_toggled)

    def show_programs(self, names: List[str]) -> None:
        """Show a sign while programs are connected over MCP; its tip has their names, as the person gave them."""
        words = translate("QgisAgent", "Connected over MCP: {}").format(
            ", ".join("“{}”".format(each) for each in names)
        )
        self.programs_button.setToolTip(plain_tip(words))
        self.programs_button.setAccessibleName(words)
        self.programs_button.setVisible(bool(names))
        self._choose()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrow: "New conversation" becomes its sign, then the words of the check box are cut."""
        return QSize(120, super().minimumSizeHint().height())

    def resizeEvent(self, event: Any) -> None:  # noqa: N802
        """Words or a sign, by the room there is."""
        super().resizeEvent(event)
        self._choose()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another font needs other room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._choose()

    def _choose(self) -> None:
        words, sign = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        margins = self.layout().contentsMargins()
        others = [self.sessions_button, self.programs_button, self.export_box, self.settings_button]
        others = [each for each in others if not each.isHidden()]
        room = self.width() - margins.left() - margins.right() - len(others) * _SPACING
        beside = sum(each.sizeHint().width() for each in others)
        self.new_button.setToolButtonStyle(words)
        if self.new_button.sizeHint().width() + beside > room:
            self.new_button.setToolButtonStyle(sign)
