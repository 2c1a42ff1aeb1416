"""The guide to MCP that comes with the plugin, in a window of QGIS."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from ...gis.contracts import PLUGIN_ROOT
from ...gis.i18n import translate
from ..surfaces import Ground

GUIDE = PLUGIN_ROOT / "docs" / "mcp.md"


class GuideDialog(QDialog):
    """The whole guide; its links open in the browser."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setObjectName("QgisAgentMcpGuide")
        self.setWindowTitle(translate("QgisAgent", "Using QGIS from other programs (MCP)"))
        self.setMinimumWidth(340)
        self.resize(720, 620)
        ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        self.view = QTextBrowser()
        self.view.setOpenExternalLinks(True)
        self.view.setAccessibleName(self.windowTitle())
        self.view.setMarkdown(guide_text())
        column.addWidget(self.view, 1)
        buttons = QDialogButtonBox()
        buttons.addButton(translate("QgisAgent", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)


def guide_text() -> str:
    """The guide as Markdown; words that say where it should be, when it is not there."""
    try:
        return GUIDE.read_text(encoding="utf-8")
    except OSError as error:
        return translate("QgisAgent", "The guide cannot be read: {}").format(error.strerror or error)


def show_guide(parent: QWidget) -> GuideDialog:
    """Open the guide; the window below it can be used meanwhile after it is closed."""
    dialog = GuideDialog(parent.window())
    dialog.finished.connect(lambda _result: dialog.deleteLater())
    dialog.open()
    return dialog
