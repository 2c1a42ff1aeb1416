"""The programs that may use this QGIS over MCP: allowed, changed, given a new token and removed here."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from qgis.PyQt.QtCore import QDateTime, Qt, QTimer
from qgis.PyQt.QtWidgets import QDialog, QGroupBox, QHBoxLayout, QMessageBox, QPushButton, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.mcp.settings import Client, Clients
from .mcp_client import ClientDialog, may_words
from .mcp_token import TokenDialog
from .parts import ListView, explanation

LIST_HEIGHT = 150

Now = Callable[[], List[Tuple[str, str, str]]]
"""(client id, label, what the program calls itself) of those that are connected."""
Reached = Callable[[], Tuple[str, str]]
"""The address of the endpoint, and what is still to be done before a program can reach it."""
Record = Callable[..., None]
"""``Audit.event``: takes a kind (mcp_client_added, …) and its fields."""


def moment_words(moment: str) -> str:
    """A time that is kept, in the computer's own; "never" for none."""
    found = QDateTime.fromString(moment, Qt.DateFormat.ISODate) if moment else QDateTime()
    return found.toLocalTime().toString("yyyy-MM-dd HH:mm") if found.isValid() else translate("QgisAgent", "never")


class ClientsBox(QGroupBox):
    """The list. All of it holds at once: what is removed here can do nothing any more."""

    def __init__(
        self,
        clients: Clients,
        now: Now,
        reached: Reached,
        record: Optional[Record] = None,
        parent: Optional[QWidget] = None,
    ) -> None:
        super().__init__(translate("QgisAgent", "Programs that I allow"), parent)
        self._clients = clients
        self._reached = reached
        self._now = now
        self._record = record
        self.dialog: Optional[QDialog] = None
        """The window that is open over the page, for tests and to keep it alive."""
        column = QVBoxLayout(self)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "Each has a token of its own. Changes here hold at once: a removed program, and an old token, can do "
                    "nothing any more, and questions that are open for it are closed.",
                )
            )
        )
        self.problem_label = explanation("")
        column.addWidget(self.problem_label)
        self.list = ListView(
            [
                translate("QgisAgent", "Program"),
                translate("QgisAgent", "What it may do"),
                translate("QgisAgent", "Last seen"),
            ],
            translate("QgisAgent", "Programs that I allow"),
            translate("QgisAgent", "No program is allowed yet."),
            self.remove_chosen,
            LIST_HEIGHT,
        )
        self.list.stretch(0)
        self.list.itemSelectionChanged.connect(self._enable)
        self.list.itemDoubleClicked.connect(lambda _item, _column: self.change())
        column.addWidget(self.list)
        self.add_button = _button(translate("QgisAgent", "Allow a program…"), self.add)
        self.change_button = _button(translate("QgisAgent", "Change…"), self.change)
        self.token_button = _button(translate("QgisAgent", "New token…"), self.rotate)
        self.remove_button = _button(translate("QgisAgent", "Remove"), self.remove_chosen)
        row = QHBoxLayout()
        row.addWidget(self.add_button)
        row.addStretch(1)
        for each in (self.change_button, self.token_button, self.remove_button):
            row.addWidget(each)
        column.addLayout(row)
        clients.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show them as they are now."""
        here = {ident: said for ident, _label, said in self._now()}
        found = self._clients.listed()
        self.list.show_rows(
            [[each.label, may_words(each), _seen_words(each, here)] for each in found],
            [each.id for each in found],
            [_tip(each, here.get(each.id, "")) for each in found],
        )
        self.problem_label.setText(self._clients.problem)
        self.problem_label.setVisible(bool(self._clients.problem))
        self._enable()

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """Programs come and go."""
        super().showEvent(event)
        self.refresh()

    # what a person does

    def add(self) -> None:
        """Ask for a name and what the program may do, then show its token."""
        self._open(ClientDialog(self._added, None, self.window()))

    def change(self) -> None:
        """Change what the chosen program is called or may do."""
        client = self._chosen()
        if client is not None:
            ident = client.id
            self._open(ClientDialog(lambda *fields: self._changed(ident, *fields), client, self.window()))

    def rotate(self) -> None:
        """A new token for the chosen program, after a yes: the old one ends."""
        client = self._chosen()
        if client is not None:
            text = translate("QgisAgent", "Make a new token for “{}”? Its present one ends at once.").format(
                client.label
            )
            self._ask(text, translate("QgisAgent", "New token"), lambda: self._rotated(client))

    def remove_chosen(self) -> None:
        """Take the chosen programs off the list, after a yes."""
        chosen = [each for each in self._clients.listed() if each.id in self.list.chosen()]
        if chosen:
            names = ", ".join("“{}”".format(each.label) for each in chosen)
            text = translate("QgisAgent", "Remove {}? To let it in again you would give it a new token.").format(names)
            self._ask(text, translate("QgisAgent", "Remove"), lambda: self._removed(chosen))

    # what comes of it

    def _added(self, label: str, level: str, packs: Tuple[str, ...]) -> None:
        client, token = self._clients.add(label, level, packs)
        self._tell("mcp_client_added", client=client.label, level=level, packs=list(packs))
        self.list.clearSelection()
        QTimer.singleShot(0, lambda: self._show_token(client.label, token))  # after the window that asked is gone

    def _changed(self, ident: str, label: str, level: str, packs: Tuple[str, ...]) -> None:
        self._clients.change(ident, label=label, level=level, packs=packs)
        self._tell("mcp_client_changed", client=label, level=level, packs=list(packs))

    def _rotated(self, client: Client) -> None:
        token = self._guarded(lambda: self._clients.rotate(client.id))
        if token:
            self._tell("mcp_client_changed", client=client.label, renewed=True)
            QTimer.singleShot(0, lambda: self._show_token(client.label, token))

    def _removed(self, gone: List[Client]) -> None:
        for each in gone:
            if self._guarded(lambda ident=each.id: self._clients.revoke(ident) or ident):
                self._tell("mcp_client_removed", client=each.label)

    def _guarded(self, act: Callable[[], str]) -> str:
        """Do it; what keeps it from being done is said on the page."""
        try:
            return act()
        except KeyError:
            self.refresh()  # another window was faster
        except OSError as error:
            self.problem_label.setText(
                translate("QgisAgent", "It could not be kept: {}").format(error.strerror or error)
            )
            self.problem_label.show()
        return ""

    def _tell(self, kind: str, **fields: Any) -> None:
        if self._record is not None:
            self._record(kind, **fields)

    # windows

    def _show_token(self, label: str, token: str) -> None:
        self._open(TokenDialog(label, token, *self._reached(), self.window()))

    def _ask(self, text: str, agree: str, then: Callable[[], None]) -> None:
        box = QMessageBox(self.window())
        box.setWindowTitle(translate("QgisAgent", "QGIS Agent"))
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        yes = box.addButton(agree, QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(translate("QgisAgent", "Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        yes.clicked.connect(lambda _checked=False: then())
        self._open(box)

    def _open(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.finished.connect(lambda _result: self._gone(dialog))
        dialog.open()

    def _gone(self, dialog: QDialog) -> None:
        if self.dialog is dialog:
            self.dialog = None
        dialog.deleteLater()

    def _chosen(self) -> Optional[Client]:
        chosen = self.list.chosen()
        return self._clients.find(chosen[0]) if len(chosen) == 1 else None

    def _enable(self) -> None:
        chosen = len(self.list.chosen())
        self.change_button.setEnabled(chosen == 1)
        self.token_button.setEnabled(chosen == 1)
        self.remove_button.setEnabled(chosen > 0)
        self.add_button.setEnabled(not self._clients.problem)


def _button(words: str, act: Callable[[], None]) -> QPushButton:
    button = QPushButton(words)
    button.setAutoDefault(False)
    button.clicked.connect(lambda _checked=False: act())
    return button


def _seen_words(client: Client, here: Any) -> str:
    return translate("QgisAgent", "connected") if client.id in here else moment_words(client.seen)


def _tip(client: Client, said: str) -> str:
    parts = [client.label, may_words(client)]
    if said:
        parts.append(translate("QgisAgent", "calls itself “{}”").format(said))
    parts.append(translate("QgisAgent", "allowed since {}").format(moment_words(client.created)))
    parts.append(translate("QgisAgent", "last seen: {}").format(moment_words(client.seen)))
    return " · ".join(parts)
