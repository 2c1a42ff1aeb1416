"""Everything of the plugin that lives in QGIS's main window, and how it comes and goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List

from qgis.core import QgsProject
from qgis.PyQt.QtCore import QCoreApplication, Qt, QTimer
from qgis.PyQt.QtGui import QIcon

from ..gis.audit_read import export_audit
from ..gis.contracts import PLUGIN_ROOT
from ..gis.host import Host
from ..gis.i18n import translate
from ..gis.model_test import ModelTester
from ..gis.rules import choose_level, chosen_level
from ..gis.runs import RunController
from .dialogs.approver import DialogApprover
from .dialogs.show_on_map import ShowOnMap
from .dialogs.trust import ask_to_trust
from .dock.dock import AgentDock
from .dock.examples import example_requests
from .first_run import FirstRun, needs_setup
from .highlight import CanvasHighlighter
from .layer_menu import LayerMenu
from .locator import AskFilter
from .notices import Notices
from .programs import Programs
from .project.scope_page import ScopeFactory
from .qt import QAction
from .sessions_desk import SessionsDesk
from .settings import sight
from .settings.data_page import DataFactory
from .settings.page import PAGE_KEY, SettingsFactory
from .settings.permissions_page import PERMISSIONS_KEY, PermissionsFactory
from .settings.store import (
    MODEL,
    OFFLINE,
    KeyRing,
    controller_config,
    keys_missing,
    load_choice,
    save_choice,
    shown_name,
)
from .vision import problem

ICON_PATH = PLUGIN_ROOT / "resources" / "icons" / "qgis_agent.svg"
DEFAULT_SHORTCUT = "Ctrl+Alt+A"


class MainWindowParts:
    """Dock, action, settings page and the controller behind them."""

    def __init__(self, iface: Any) -> None:
        self.iface = iface
        window = iface.mainWindow()
        self._ring = KeyRing()
        self._key_pending = False
        self._started = False
        self._signals: List[Any] = []
        self.approver = DialogApprover(window, ShowOnMap(QgsProject.instance(), iface.mapCanvas()))
        self.host = Host(QgsProject.instance(), canvas=iface.mapCanvas(), iface=iface, parent=window)
        self.host.highlighter = CanvasHighlighter(iface.mapCanvas(), window)
        self.controller = RunController(self.host, self.approver, window, level=chosen_level())
        self.dock = self._make_dock(window)
        self.first_run = FirstRun(self.dock, self.controller, self._configure, window)
        self.dock.opened.connect(self._opened)
        self.action = self._make_action(window)
        self.trust_action = self._make_trust_action(window)
        self.undo_action = self._make_undo_action(window)
        self.menu_actions = self._make_menu_actions(window)
        self._add_around(window)
        self._tester = ModelTester(self.controller, window)
        self._tester.line.connect(lambda line: sight.learn(*self._tester.tested, line))
        icon = QIcon(str(ICON_PATH))
        self._factory = SettingsFactory(icon, self._ring, self._settings_applied, self.set_up, self._tester)
        iface.registerOptionsWidgetFactory(self._factory)
        self._permissions = self._permissions_factory()
        iface.registerOptionsWidgetFactory(self._permissions)
        self._data = DataFactory(icon, self.host.audit.event)
        iface.registerOptionsWidgetFactory(self._data)
        self.programs = Programs(
            iface, self.controller, self.dock.header, icon, window, self.first_run.builder.is_running
        )
        self._scope_factory = ScopeFactory(QIcon(str(ICON_PATH)))
        iface.registerProjectPropertiesWidgetFactory(self._scope_factory)
        QCoreApplication.instance().aboutToQuit.connect(self.quit)
        if self.dock.isVisible():
            self._opened()

    # what a person does

    def set_up(self) -> None:
        """Open the dialog that builds the agent's environment."""
        self.first_run.show()

    def show_settings(self) -> None:
        """Open QGIS's options at our page."""
        self.iface.showOptionsDialog(self.iface.mainWindow(), PAGE_KEY)

    def show_permissions(self) -> None:
        """Open QGIS's options at the page of permissions."""
        self.iface.showOptionsDialog(self.iface.mainWindow(), PERMISSIONS_KEY)

    def open_panel(self) -> None:
        """Show the panel, with the cursor where a person types."""
        self.dock.setUserVisible(True)
        self.dock.focus_composer()

    def show_sessions(self) -> None:
        """Show the earlier conversations, in the panel."""
        self.open_panel()
        if self.dock.sessions.isHidden():
            self.dock.show_sessions()

    def ask(self, text: str) -> None:
        """Send a request that was typed elsewhere, in the panel."""
        self.open_panel()
        self.dock.send(text)

    def ask_about(self, layer: Any) -> None:
        """Put a layer into the message that a person is about to write."""
        self.open_panel()
        self.dock.composer.insert_reference(layer)

    # coming

    def _make_dock(self, window: Any) -> AgentDock:
        dock = AgentDock(self.controller, self._examples, self._before_run, needs_setup, window)
        dock.settings_asked.connect(self.show_settings)
        dock.setup_asked.connect(self.set_up)
        dock.permissions_asked.connect(self.show_permissions)
        dock.level_chosen.connect(self._level_chosen)
        dock.status.level.show_level(self.controller.level)
        self.iface.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        project = QgsProject.instance()
        shown = (
            project.readProject,
            project.cleared,
            project.layersAdded,
            project.layersRemoved,
            self.host.scope.changed,
        )
        for signal in shown:
            signal.connect(self._layers_changed)
            self._signals.append(signal)
        return dock

    def _make_action(self, window: Any) -> QAction:
        action = QAction(QIcon(str(ICON_PATH)), translate("QgisAgent", "QGIS Agent"), window)
        action.setObjectName("QgisAgentToggle")
        action.setCheckable(True)
        action.setToolTip(translate("QgisAgent", "Show or hide the QGIS Agent panel"))
        self.dock.setToggleVisibilityAction(action)
        self.iface.registerMainWindowAction(action, DEFAULT_SHORTCUT)
        self.iface.addToolBarIcon(action)
        self.iface.addPluginToMenu(translate("QgisAgent", "QGIS Agent"), action)
        return action

    def _make_trust_action(self, window: Any) -> QAction:
        action = QAction(translate("QgisAgent", "Trust this project's agent settings…"), window)
        action.setObjectName("QgisAgentTrust")
        action.triggered.connect(lambda: ask_to_trust(QgsProject.instance(), window))
        self.iface.addPluginToMenu(translate("QgisAgent", "QGIS Agent"), action)
        return action

    def _make_undo_action(self, window: Any) -> QAction:
        """Under the plugin's menu: steps back by one run, also by one of a conversation that is not shown any more."""
        action = QAction(translate("QgisAgent", "Undo the agent's last run"), window)
        action.setObjectName("QgisAgentUndo")
        action.setEnabled(False)
        action.triggered.connect(self.dock.undoing.undo_last)
        self.dock.undoing.available.connect(action.setEnabled)
        self.iface.addPluginToMenu(translate("QgisAgent", "QGIS Agent"), action)
        return action

    def _make_menu_actions(self, window: Any) -> List[QAction]:
        """More of the plugin's menu: what is also in the panel, for those who look for it there."""
        wanted = (
            ("QgisAgentSessions", translate("QgisAgent", "Earlier conversations…"), self.show_sessions),
            ("QgisAgentSettings", translate("QgisAgent", "Settings…"), self.show_settings),
            ("QgisAgentLog", translate("QgisAgent", "Show the log"), self.iface.openMessageLog),
        )
        made = []
        for name, words, act in wanted:
            action = QAction(words, window)
            action.setObjectName(name)
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.iface.addPluginToMenu(translate("QgisAgent", "QGIS Agent"), action)
            made.append(action)
        return made

    def _add_around(self, window: Any) -> None:
        """What stands around the panel: conversations, locator, layer menu, message bar."""
        dock, icon = self.dock, QIcon(str(ICON_PATH))
        self.desk = SessionsDesk(
            self.controller, dock.sessions, dock.show_history, dock.new_conversation, dock.leave_sessions
        )
        dock.export_asked.connect(lambda: self.desk.export_current(dock.composer.note.say))
        self.locator = AskFilter(self.ask, icon)
        self.iface.registerLocatorFilter(self.locator)
        self.layer_menu = LayerMenu(self.iface, icon, self.ask_about)
        self.notices = Notices(self.iface.messageBar(), dock.isUserVisible, self.open_panel)
        self.controller.finished.connect(self.notices.finished)
        self.controller.run_event.connect(self.notices.died)
        dock.composer.pictures.problem = lambda: problem(load_choice())
        dock.status.model.settings_asked.connect(self.show_settings)
        dock.status.model.chosen.connect(self._model_chosen)
        self._show_models()

    # going

    def quit(self) -> None:
        """QGIS or the plugin ends: questions are withdrawn and the agent process ends."""
        self.first_run.close()
        self.programs.close()
        self.dock.run_desk.close()
        self.approver.close_all()
        self.controller.close()

    def remove(self) -> None:
        """Take everything out of QGIS's window."""
        QCoreApplication.instance().aboutToQuit.disconnect(self.quit)
        for signal in self._signals:
            signal.disconnect(self._layers_changed)
        self._signals = []
        self.quit()
        self.layer_menu.remove()
        self.iface.deregisterLocatorFilter(self.locator)  # which deletes it
        self.iface.unregisterOptionsWidgetFactory(self._factory)
        self.iface.unregisterProjectPropertiesWidgetFactory(self._scope_factory)
        self.iface.unregisterOptionsWidgetFactory(self._permissions)
        self.iface.unregisterOptionsWidgetFactory(self._data)
        self.programs.remove()
        for each in (self.action, self.trust_action, self.undo_action, *self.menu_actions):
            self.iface.removePluginMenu(translate("QgisAgent", "QGIS Agent"), each)
        self.iface.removeToolBarIcon(self.action)
        self.iface.unregisterMainWindowAction(self.action)
        self.iface.removeDockWidget(self.dock)
        for each in (
            self.action,
            self.trust_action,
            self.undo_action,
            *self.menu_actions,
            self.dock,
            self.programs,
            self.controller,
            self.approver,
            self.first_run,
            self.host,
        ):
            each.deleteLater()

    # the model

    def _opened(self) -> None:
        """The dock is seen for the first time: the agent process starts now, not with QGIS."""
        self.dock.focus_composer()
        if not self._started:
            self._started = True
            self._configure()

    def model_config(self) -> Dict[str, Any]:
        """Who answers by the settings, with the keys that are known here. QGIS may ask for its master password."""
        return controller_config(load_choice(), self._ring)

    def _configure(self) -> None:
        """Tell the agent who answers. A stored key is read later, before a run: QGIS may ask for its master password."""
        choice = load_choice()
        self._key_pending = keys_missing(choice, self._ring)
        config = controller_config(choice, self._ring if not self._key_pending else KeyRing(storage=False))
        self.controller.configure_model(config)

    def _before_run(self) -> None:
        if not self._started:
            self._started = True
            self._configure()
        if self._key_pending:
            self._key_pending = False
            self.controller.configure_model(controller_config(load_choice(), self._ring))

    def _permissions_factory(self) -> PermissionsFactory:
        ledger, icon = self.host.ledger, QIcon(str(ICON_PATH))
        record = self.host.audit.event
        return PermissionsFactory(icon, ledger.grants, ledger.rules, self._permissions_applied, export_audit, record)

    def _permissions_applied(self) -> None:
        """The level holds from the next message on: a run keeps the one that it began with."""
        self.controller.level = chosen_level()
        self.dock.status.level.show_level(self.controller.level)

    def _level_chosen(self, level: str) -> None:
        before = chosen_level()
        choose_level(level)
        self.host.audit.event("level_changed", level=level, before=before)
        self._permissions_applied()

    def _show_models(self) -> None:
        """The menu of models: the chosen one and the offline commands."""
        choice = load_choice()
        entries = [(MODEL, shown_name(choice), choice.kind == MODEL)] if choice.model else []
        offline = translate("QgisAgent", "Offline commands")
        self.dock.status.model.show_models([*entries, (OFFLINE, offline, choice.kind != MODEL)])

    def _model_chosen(self, kind: str) -> None:
        """From the next message on another one answers."""
        save_choice(replace(load_choice(), kind=kind))
        self._settings_applied()
        if not self._started:
            self._opened()

    def _settings_applied(self) -> None:
        self._show_models()
        if self._started:
            self._configure()
        QTimer.singleShot(0, self.controller.network_changed)  # QGIS takes its own settings over after this

    # the project

    def _examples(self) -> List[str]:
        return example_requests(self.host.layers.catalogue())

    def _layers_changed(self, *_args: Any) -> None:
        self.dock.refresh_examples()
