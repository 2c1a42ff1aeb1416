"""The page "Permissions" in QGIS's options: the level, rules for single tools, permissions that were given, and folders."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from qgis.gui import QgsOptionsPageWidget, QgsOptionsWidgetFactory
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QFileDialog, QGroupBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from ...gis.grants import GrantStore
from ...gis.i18n import translate
from ...gis.rules import Rules, choose_level, chosen_level
from .parts import explanation, scrolled
from .permissions_folders import FoldersBox
from .permissions_grants import GrantsBox
from .permissions_level import LevelBox
from .permissions_rules import RulesBox

PERMISSIONS_KEY = "QgisAgentPermissions"

ExportAudit = Callable[[str], int]
"""Writes the audit log to a file of this path and says how many lines it has. OSError when it cannot be written."""
Record = Callable[..., None]
"""``Audit.event``: takes a kind (level_changed, folder_added, folder_removed) and its fields. Grants and rules tell of
themselves."""


class PermissionsPage(QgsOptionsPageWidget):
    """Level, rules and folders are kept with OK or Apply, and ``applied`` is called; revoking takes effect at once."""

    def __init__(
        self,
        grants: GrantStore,
        rules: Rules,
        applied: Callable[[], None],
        export_audit: Optional[ExportAudit] = None,
        record: Optional[Record] = None,
        parent: Optional[QWidget] = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(PERMISSIONS_KEY)
        self._applied = applied
        self._export = export_audit
        self._record = record
        self.level_box = LevelBox()
        self.rules_box = RulesBox(rules)
        self.grants_box = GrantsBox(grants)
        self.folders_box = FoldersBox()
        boxes: List[QWidget] = [self.level_box, self.grants_box, self.rules_box, self.folders_box]
        if export_audit is not None:
            boxes.append(self._audit_box())
        scrolled(self, boxes)

    def apply(self) -> None:
        """OK or Apply: rules and folders hold from the next call on, the level from the next message on."""
        level = self.level_box.level()
        before = chosen_level()
        if level != before:
            choose_level(level)
            self._tell("level_changed", level=level, before=before)
        self.rules_box.save()
        for kind, mode, path in self.folders_box.save():
            self._tell(kind, mode=mode, path=path)
        self._applied()

    def _tell(self, kind: str, **fields: str) -> None:
        if self._record is not None:
            self._record(kind, **fields)

    def _audit_box(self) -> QGroupBox:
        box = QGroupBox(translate("QgisAgent", "Audit"))
        column = QVBoxLayout(box)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "Every decision and every step is recorded in the QGIS profile: who did what, when, on which layer, "
                    "allowed by whom. Secrets are left out.",
                )
            )
        )
        self.audit_button = QPushButton(translate("QgisAgent", "Export the audit log…"))
        self.audit_button.setAutoDefault(False)
        self.audit_button.clicked.connect(lambda _checked=False: self._choose_export())
        row = QHBoxLayout()
        row.addWidget(self.audit_button)
        row.addStretch(1)
        column.addLayout(row)
        self.audit_note = explanation("")
        self.audit_note.setVisible(False)
        column.addWidget(self.audit_note)
        return box

    def _choose_export(self) -> None:
        path, _kind = QFileDialog.getSaveFileName(
            self, translate("QgisAgent", "Export the audit log"), "audit.jsonl", "JSON Lines (*.jsonl);;CSV (*.csv)"
        )
        if path:
            self.export_audit(path)

    def export_audit(self, path: str) -> None:
        """Write the audit log to a file that the person named, and say how it went."""
        if self._export is None:
            return
        try:
            lines = self._export(path)
        except OSError as error:
            said = translate("QgisAgent", "It could not be written: {}").format(error.strerror or error)
        else:
            said = translate("QgisAgent", "{} entries written to {}").format(lines, path)
        self.audit_note.setText(said)
        self.audit_note.setVisible(True)


class PermissionsFactory(QgsOptionsWidgetFactory):
    """Gives QGIS the page."""

    def __init__(
        self,
        icon: QIcon,
        grants: GrantStore,
        rules: Rules,
        applied: Callable[[], None],
        export_audit: Optional[ExportAudit] = None,
        record: Optional[Record] = None,
    ) -> None:
        super().__init__(translate("QgisAgent", "Permissions"), icon, PERMISSIONS_KEY)
        self._icon = icon
        self._parts: Any = (grants, rules, applied, export_audit, record)
        self.page: Optional[PermissionsPage] = None

    def icon(self) -> QIcon:
        """The plugin's icon."""
        return self._icon

    def path(self) -> List[str]:
        """Below the plugin's own page, which QGIS knows by its title."""
        return [translate("QgisAgent", "QGIS Agent")]

    def createWidget(self, parent: Optional[QWidget] = None) -> QgsOptionsPageWidget:  # noqa: N802
        """A page; a reference is kept, or Python would delete it."""
        self.page = PermissionsPage(*self._parts, parent=parent)
        return self.page
