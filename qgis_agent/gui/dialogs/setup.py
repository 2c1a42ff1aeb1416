"""The dialog that sets the agent's environment up: at the first run, again after a failure, and to take it away."""

from __future__ import annotations

from typing import Any, Callable, Optional

from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtGui import QGuiApplication
from qgis.PyQt.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ... import environment
from ...gis.i18n import translate
from ..settings.builder import EnvironmentBuilder
from ..surfaces import Ground, ThemedLabel
from .setup_choices import SetupChoices
from .setup_progress import SetupProgress


class SetupDialog(QDialog):
    """Shows what ``builder`` does, whoever began it; closing the dialog does not stop it.

    ``free_to_remove`` ends what uses the environment and says whether it could.
    """

    def __init__(
        self,
        builder: EnvironmentBuilder,
        free_to_remove: Callable[[], bool],
        parent: Optional[QWidget] = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("QgisAgentSetup")
        self.setWindowTitle(translate("QgisAgent", "Set up QGIS Agent"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(520)
        self._builder = builder
        self._free_to_remove = free_to_remove
        self._there = False
        self.intro = ThemedLabel(_intro())
        self.state = ThemedLabel(muted=True)
        self.choices = SetupChoices()
        self.progress = SetupProgress()
        self._lay_out()
        self._connect()
        if builder.is_running():
            self._began()
            self.progress.begin(builder.log)
        else:
            self._show_idle()
        self.choices.look()

    def done(self, result: int) -> None:
        """The dialog closes, in whatever way."""
        self.choices.end()
        super().done(result)

    # building

    def _lay_out(self) -> None:
        """All but the buttons scrolls, where letters are large and the screen is small."""
        self._inner = Ground()
        inner = QVBoxLayout(self._inner)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(10)
        inner.addWidget(self.intro)
        inner.addWidget(self.state)
        inner.addWidget(self.progress, 1)
        inner.addWidget(self.choices)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the control that has the focus
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._inner)
        ground = Ground()
        column = QVBoxLayout(ground)
        column.setSpacing(10)
        column.addWidget(self._area, 1)
        column.addLayout(self._buttons())
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ground)

    def _buttons(self) -> QHBoxLayout:
        self.build_button = QPushButton(translate("QgisAgent", "Set up"))
        self.build_button.setDefault(True)
        self.stop_button = QPushButton(translate("QgisAgent", "Stop"))
        self.remove_button = QPushButton(translate("QgisAgent", "Remove…"))
        self.remove_button.setAutoDefault(False)
        self.close_button = QPushButton(translate("QgisAgent", "Close"))
        self.close_button.setAutoDefault(False)
        row = QHBoxLayout()
        row.addWidget(self.remove_button)
        row.addStretch(1)
        for each in (self.build_button, self.stop_button, self.close_button):
            row.addWidget(each)
        return row

    def _connect(self) -> None:
        self.build_button.clicked.connect(lambda _checked=False: self._build())
        self.stop_button.clicked.connect(lambda _checked=False: self._stop())
        self.remove_button.clicked.connect(lambda _checked=False: self._remove())
        self.close_button.clicked.connect(lambda _checked=False: self.close())
        self.choices.changed.connect(self._show_buttons)
        self.choices.from_folder.toggled.connect(self._fit_soon)
        self.progress.log_button.toggled.connect(self._fit_soon)
        self._builder.began.connect(self._began)
        self._builder.progress.connect(self.progress.heard)
        self._builder.done.connect(self._ended)

    # what a person does

    def _build(self) -> None:
        self._builder.start(self.choices.python(), self.choices.wheels())

    def _stop(self) -> None:
        self.stop_button.setEnabled(False)
        self._builder.stop()

    def _remove(self) -> None:
        question = translate(
            "QgisAgent",
            "Remove the agent environment?\n\n{folder}\n\nThe agent then answers nothing until it is set up again. Your "
            "conversations, settings and keys stay.",
        ).format(folder=environment.locate())
        box = QMessageBox(
            QMessageBox.Icon.Question, self.windowTitle(), question, QMessageBox.StandardButton.Cancel, self
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        agree = box.addButton(translate("QgisAgent", "Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        if box.clickedButton() is not agree:
            return
        if not self._free_to_remove():
            self.progress.end(
                translate("QgisAgent", "The agent is working."),
                translate("QgisAgent", "Stop it, then remove the environment."),
                False,
            )
            return
        self._builder.remove()

    # what goes on

    def _began(self) -> None:
        self.progress.begin([])
        self.stop_button.setEnabled(True)
        self._show_buttons()

    def _ended(self, ok: bool, text: str) -> None:
        error = self._builder.error
        hint, log = (error.hint, error.log) if error is not None else (_afterwards(self._builder.removing), "")
        self._show_idle()
        self.progress.end(text if error is None else str(error), hint, ok, log)
        self._fit_soon()
        (self.close_button if ok else self.build_button).setFocus()

    def _show_idle(self) -> None:
        folder = environment.locate()
        report = environment.check(folder)
        ready = translate("QgisAgent", "Ready, with Python {version}: {folder}")
        self.state.setText(
            ready.format(version=report.python, folder=folder)
            if report.ok
            else translate("QgisAgent", "It is built in {folder}.").format(folder=folder)
        )
        again = translate("QgisAgent", "Build again") if report.ok else translate("QgisAgent", "Set up")
        failed = self._builder.error is not None and not self._builder.removing
        self.build_button.setText(translate("QgisAgent", "Try again") if failed else again)
        self._there = report.exists
        self._show_buttons()

    def _show_buttons(self) -> None:
        busy = self._builder.is_running()
        self.choices.setVisible(not busy)
        self.build_button.setVisible(not busy)
        self.build_button.setEnabled(self.choices.ready())
        self.stop_button.setVisible(busy and not self._builder.removing)
        self.remove_button.setVisible(not busy and self._there)
        self._fit_soon()

    def _fit_soon(self, *_change: Any) -> None:
        """After the layout has heard what is shown and hidden now. What has been read makes room for what is new."""
        self.intro.setVisible(self.progress.isHidden())
        QTimer.singleShot(0, self._fit)

    def _fit(self) -> None:
        """As high as what is shown needs at this width, and no higher than the screen."""
        self.layout().activate()
        layout = self._inner.layout()
        layout.activate()
        shown = self._area.viewport()
        needed = max(layout.totalHeightForWidth(shown.width()), layout.totalMinimumSize().height())
        wanted = self.height() - shown.height() + needed
        screen = self.screen() or QGuiApplication.primaryScreen()
        room = screen.availableGeometry().height() - 60 if screen is not None else wanted
        self.resize(self.width(), min(wanted, room))

    def closeEvent(self, event: Any) -> None:  # noqa: N802
        """As Close: the builder goes on, the search for Pythons ends."""
        self.choices.end()
        super().closeEvent(event)


def _intro() -> str:
    return translate(
        "QgisAgent",
        "The agent works in a Python environment of its own, apart from QGIS's. It is built once from tested packages and "
        "takes about 540 MB. Afterwards short commands work at once, offline and without a key.",
    )


def _afterwards(removed: bool) -> str:
    if removed:
        return translate("QgisAgent", "To use the agent again, set it up again.")
    return translate("QgisAgent", "Type a request into the QGIS Agent panel; “help” lists what works without a model.")
