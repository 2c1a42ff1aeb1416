"""The question whether a project's own settings for the agent may give it more (X-13). Shows all of the file's settings."""

from __future__ import annotations

from typing import Optional

from qgis.core import QgsProject
from qgis.PyQt.QtWidgets import QDialog, QDialogButtonBox, QMessageBox, QPlainTextEdit, QVBoxLayout, QWidget

from ...gis import project_files
from ...gis.i18n import translate
from ..surfaces import Ground, ThemedLabel


class TrustDialog(QDialog):
    """One file. Accepting it means: trust it, or no longer when it is trusted already. Cancel is the default."""

    def __init__(self, settings: project_files.AgentSettings, trusted: bool, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.setObjectName("QgisAgentTrust")
        self.setWindowTitle(translate("QgisAgent", "Agent settings of this project"))
        self.setMinimumSize(480, 320)
        ground = Ground()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)
        column = QVBoxLayout(ground)
        intro = translate(
            "QgisAgent",
            "This project brings settings for the agent. They came with the project and may be anyone's. Without your yes "
            "they can only make the agent stricter; with it they can also give it more steps, tools and instructions. "
            "Writing files is asked for every time in any case. If the file changes, your yes ends.",
        )
        column.addWidget(ThemedLabel(intro))
        self.list = QPlainTextEdit("\n".join(settings.lines))
        self.list.setReadOnly(True)
        self.list.setTabChangesFocus(True)
        self.list.setAccessibleName(translate("QgisAgent", "All settings of the file"))
        column.addWidget(self.list, 1)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        verb = (
            translate("QgisAgent", "No longer trust it") if trusted else translate("QgisAgent", "Trust these settings")
        )
        self.agree = self.buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        self.agree.setAutoDefault(False)
        cancel = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        cancel.setText(translate("QgisAgent", "Cancel"))  # Qt's own word is there only with Qt's translations
        cancel.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)
        self.buttons.setFocusProxy(None)  # with one Qt passes over Cancel: Tab came only to the button that agrees


def ask_to_trust(project: QgsProject, parent: Optional[QWidget] = None) -> None:
    """Show the settings that a project brings and keep the person's answer in the QGIS profile."""
    title = translate("QgisAgent", "Agent settings of this project")
    try:
        settings = project_files.agent_settings(project)
    except project_files.ProjectFileProblem as problem:
        text = translate("QgisAgent", "The agent settings of this project are not used. {}")
        QMessageBox.warning(parent, title, text.format(problem))
        return
    if settings is None:
        path = project_files.FOLDER + "/" + project_files.AGENTS_FILE
        text = translate("QgisAgent", "This project brings no agent settings ({} in its folder).")
        QMessageBox.information(parent, title, text.format(path))
        return
    trusted = settings.sha256 in project_files.trusted_files()
    dialog = TrustDialog(settings, trusted, parent)
    if dialog.exec() != QDialog.DialogCode.Accepted:
        return
    if trusted:
        project_files.forget_file(settings.sha256)
    else:
        project_files.trust_file(settings.sha256)
