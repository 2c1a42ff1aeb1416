"""The permissions that the person gave for more than one call: to be found, and taken back."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import QDateTime, Qt
from qgis.PyQt.QtWidgets import QGroupBox, QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from ...gis.grants import ALWAYS, FOLDER, HOST, LAYER, Grant, GrantStore
from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.mcp.settings import Clients
from .parts import ListView, SearchEdit, explanation
from .permissions_rules import tool_words

LIST_HEIGHT = 170
PROJECT_COLUMN = 2
PROJECT_WIDTH = 120
"""Device-independent pixels to begin with: the target, which is decided about, gets the rest."""


def target_words(grant: Grant) -> str:
    """What a grant is for, for people."""
    name = clean_text(grant.target, 200)
    if grant.target_kind == LAYER:
        return translate("QgisAgent", "layer {}").format(name)
    if grant.target_kind == FOLDER:
        return translate("QgisAgent", "folder {}").format(name)
    if grant.target_kind == HOST:
        return translate("QgisAgent", "host {}").format(name)
    return translate("QgisAgent", "this tool alone")


def lifetime_words(grant: Grant) -> str:
    """How long a grant holds, for people."""
    if grant.lifetime == ALWAYS:
        return translate("QgisAgent", "always")
    return translate("QgisAgent", "this session")


def since_words(grant: Grant) -> str:
    """The day when it was given, in the computer's time."""
    moment = QDateTime.fromString(grant.created, Qt.DateFormat.ISODate)
    return moment.toLocalTime().toString("yyyy-MM-dd") if moment.isValid() else ""


class GrantsBox(QGroupBox):
    """All grants in force. What is revoked here is asked about at the next call, also in a run that is under way."""

    def __init__(self, grants: GrantStore, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Permissions that you gave"), parent)
        self._grants = grants
        column = QVBoxLayout(self)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "They come from “Allow for this session” and “Always allow here”, and are never for writing files. "
                    "Revoking takes effect at once.",
                )
            )
        )
        self.problem_label = explanation("")
        column.addWidget(self.problem_label)
        self.search = SearchEdit()
        self.search.setShowSearchIcon(True)
        self.search.setPlaceholderText(translate("QgisAgent", "Search by tool, layer, host, project …"))
        self.search.setAccessibleName(translate("QgisAgent", "Search the permissions"))
        self.search.textChanged.connect(lambda _text: self.refresh())
        column.addWidget(self.search)
        self.list = ListView(
            [
                translate("QgisAgent", "Tool"),
                translate("QgisAgent", "For"),
                translate("QgisAgent", "Project"),
                translate("QgisAgent", "Holds"),
                translate("QgisAgent", "Since"),
                translate("QgisAgent", "By"),
            ],
            translate("QgisAgent", "Permissions that you gave"),
            "",
            self.revoke_chosen,
            LIST_HEIGHT,
        )
        self.list.stretch(1)
        self.list.header().setSectionResizeMode(PROJECT_COLUMN, QHeaderView.ResizeMode.Interactive)
        self.list.header().resizeSection(PROJECT_COLUMN, PROJECT_WIDTH)
        self.list.itemSelectionChanged.connect(self._enable)
        column.addWidget(self.list)
        self.revoke_button = QPushButton(translate("QgisAgent", "Revoke"))
        self.revoke_button.clicked.connect(lambda _checked=False: self.revoke_chosen())
        self.revoke_all_button = QPushButton(translate("QgisAgent", "Revoke all"))
        self.revoke_all_button.clicked.connect(lambda _checked=False: self.revoke_listed())
        row = QHBoxLayout()
        row.addStretch(1)
        for each in (self.revoke_button, self.revoke_all_button):
            each.setAutoDefault(False)
            row.addWidget(each)
        column.addLayout(row)
        grants.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is in force now."""
        found = self._grants.listed(self.search.text())
        self.list.emptied = (
            translate("QgisAgent", "No permission matches the search.")
            if self.search.text().strip()
            else translate("QgisAgent", "You have given no permission for more than one step.")
        )
        names = _program_names(found)
        tips = [_tip(each, names) for each in found]
        self.list.show_rows([_row(each) for each in found], [each.id for each in found], tips)
        self.problem_label.setText(self._grants.problem)
        self.problem_label.setVisible(bool(self._grants.problem))
        self._enable()

    def revoke_chosen(self) -> None:
        """Take the chosen ones back."""
        if self.list.chosen():
            self._grants.revoke_all(self.list.chosen())
            self.refresh()

    def revoke_listed(self) -> None:
        """Take all back that are shown: with a search, those that it finds."""
        self._grants.revoke_all([each.id for each in self._grants.listed(self.search.text())])
        self.refresh()

    def showEvent(self, event: Any) -> None:  # noqa: N802
        """Another QGIS may have changed them meanwhile."""
        super().showEvent(event)
        self.refresh()

    def _enable(self) -> None:
        shown = self.list.topLevelItemCount()
        searching = bool(self.search.text().strip())
        self.revoke_button.setEnabled(bool(self.list.chosen()))
        self.revoke_all_button.setEnabled(bool(shown))
        self.revoke_all_button.setText(
            translate("QgisAgent", "Revoke the {} shown").format(shown)
            if searching and shown
            else translate("QgisAgent", "Revoke all")
        )


def _row(grant: Grant) -> List[str]:
    project = os.path.basename(grant.project) or translate("QgisAgent", "(not saved)")
    return [
        clean_text(grant.tool, 80),  # as on the card that asked
        clean_text(grant.target, 200) or target_words(grant),
        clean_text(project, 120),
        lifetime_words(grant),
        since_words(grant),
        clean_text(grant.by, 80),
    ]


_PROGRAM = "mcp:mcp-"
"""How the caller of a grant begins that was asked by a program over MCP; its id follows."""


def _program_names(grants: List[Grant]) -> Dict[str, str]:
    """What the person calls the programs that asked for some of these, by the caller of the grant."""
    if not any(each.caller.startswith(_PROGRAM) for each in grants):
        return {}
    return {_PROGRAM + each.id: each.label for each in Clients().listed()}


def _tip(grant: Grant, names: Dict[str, str]) -> str:
    asker = "“{}”".format(names[grant.caller]) if grant.caller in names else clean_text(grant.caller, 60)
    caller = translate("QgisAgent", "asked by {}").format(asker)
    moment = QDateTime.fromString(grant.created, Qt.DateFormat.ISODate).toLocalTime().toString("yyyy-MM-dd HH:mm")
    parts = (tool_words(grant.tool), target_words(grant), clean_text(grant.project, 400), moment, caller)
    return " · ".join(each for each in parts if each)
