"""Does what the panel of conversations asks for, and shows an earlier conversation in the dock."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import QObject, QStandardPaths, Qt
from qgis.PyQt.QtWidgets import QFileDialog, QMessageBox

from ..gis.i18n import translate
from ..gis.secrets import without_secrets
from ..gis.sessions import Opened, Said, Sessions, about, as_markdown, why
from .sessions import SessionsPanel
from .sessions_list import Row

if TYPE_CHECKING:
    from ..gis.runs import RunController


class SessionsDesk(QObject):
    """``show_history`` shows a conversation that goes on, ``begin_anew`` leaves the one that is shown, ``leave_panel`` goes back."""

    def __init__(
        self,
        controller: RunController,
        panel: SessionsPanel,
        show_history: Callable[[Opened, Callable[..., None]], None],
        begin_anew: Callable[[], None],
        leave_panel: Callable[[], None],
    ) -> None:
        super().__init__(panel)
        self._controller = controller
        self._sessions = Sessions(controller)
        self._panel = panel
        self._show_history = show_history
        self._begin_anew = begin_anew
        self._leave_panel = leave_panel
        self._search = 0
        self.question: Optional[QMessageBox] = None
        panel.find_asked.connect(self._find)
        panel.open_asked.connect(self.open)
        panel.rename_asked.connect(self._rename)
        panel.export_asked.connect(self._export)
        panel.delete_asked.connect(self._ask_to_delete)
        panel.closed.connect(leave_panel)

    def open(self, session_id: str) -> None:
        """Go on with a conversation: it is shown, and the next message belongs to it."""
        if session_id == self._controller.session_id:
            self._leave_panel()
            return
        if self._controller.running:
            self._panel.say(why("running"))
            return

        def loaded(opened: Optional[Opened], problem: str) -> None:
            if opened is None or not self._controller.go_on_with(session_id):
                self._panel.say(problem or why("running"))
                return
            self._show_history(opened, lambda before, done: self._sessions.runs_before(session_id, before, done))
            self._leave_panel()

        self._sessions.open(session_id, loaded)

    def export_current(self, say: Optional[Callable[[str], None]] = None) -> None:
        """Write the conversation that is shown to a Markdown file of the person's choice; ``say`` hears how it ended."""
        self._export(self._controller.session_id, say)

    # inside

    def _find(self, query: str, all_projects: bool) -> None:
        self._search += 1
        number = self._search

        def found(entries: List[Dict[str, Any]], total: int, problem: str) -> None:
            if number != self._search:
                return  # the person has typed on
            current = self._controller.session_id
            rows = [_row(each, all_projects, current) for each in entries]
            self._panel.show_rows(rows, total, problem)

        self._sessions.find(query, all_projects, found)

    def _rename(self, session_id: str, title: str) -> None:
        if not title.strip():
            self._panel.find()
            return

        def done(problem: str) -> None:
            self._panel.find()
            if problem:
                self._panel.say(problem)

        self._sessions.rename(session_id, title.strip(), done)

    def _ask_to_delete(self, session_id: str) -> None:
        title = self._panel.rows.title(session_id)
        box = QMessageBox(self._panel.window())
        box.setObjectName("QgisAgentDeleteConversation")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(translate("QgisAgent", "Delete the conversation?"))
        box.setTextFormat(Qt.TextFormat.PlainText)  # a title may look like markup
        box.setText(translate("QgisAgent", "Delete the conversation “{}”?").format(title))
        box.setInformativeText(
            translate(
                "QgisAgent", "What was said and its charts are deleted for good. Layers and maps stay as they are."
            )
        )
        delete = box.addButton(translate("QgisAgent", "Delete"), QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(translate("QgisAgent", "Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.buttonClicked.connect(lambda button: self._delete(session_id) if button is delete else None)
        box.finished.connect(lambda _code: box.deleteLater())
        self.question = box
        box.open()

    def _delete(self, session_id: str) -> None:
        if session_id == self._controller.session_id:
            if self._controller.running:
                self._panel.say(why("running"))
                return
            self._begin_anew()

        def done(problem: str) -> None:
            self._panel.find()
            if problem:
                self._panel.say(problem)

        self._sessions.delete(session_id, done)

    def _export(self, session_id: str, say: Optional[Callable[[str], None]] = None) -> None:
        say = say or self._panel.say

        def loaded(said: Said, problem: str) -> None:
            if problem or not said:
                say(problem or translate("QgisAgent", "Nothing has been said yet."))
                return
            title = self._panel.rows.title(session_id) or " ".join(said[0]["text"].split())[:80]
            self._write(title, as_markdown(title, said), say)

        self._sessions.read(session_id, loaded)

    def _write(self, title: str, text: str, say: Callable[[str], None]) -> None:
        words = translate("QgisAgent", "Export the conversation")
        kinds = translate("QgisAgent", "Markdown files (*.md)")
        path = QFileDialog.getSaveFileName(self._panel.window(), words, suggested_path(title), kinds)[0]
        if not path:
            return
        if not path.lower().endswith(".md"):
            path += ".md"
            if os.path.lexists(path):  # the dialog asked about another name
                say(translate("QgisAgent", "{} is there already and was not replaced.").format(path))
                return
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(without_secrets(text))
        except OSError as error:
            reason = error.strerror or str(error)
            say(translate("QgisAgent", "The file could not be written: {}").format(reason))
            return
        say(translate("QgisAgent", "Written to {}").format(path))


def suggested_path(title: str) -> str:
    """A file in the person's documents, named by the title without what no file may be named."""
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f]+', " ", title).strip(" .")[:60].strip() or "conversation"
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return "{}/{}.md".format(folder, name)


def _row(entry: Dict[str, Any], with_project: bool, current: str) -> Row:
    ident = str(entry.get("session_id") or "")
    return Row(ident, str(entry.get("title") or ""), about(entry, with_project), ident == current)
