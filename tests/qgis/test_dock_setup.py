"""Building the agent's environment from the dock: off the GUI thread, with progress, and errors in words."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtWidgets import QApplication, QMessageBox

from qgis_agent import environment
from qgis_agent.gui.cards.setup_card import SetupCard
from qgis_agent.gui.dialogs.setup import SetupDialog
from qgis_agent.gui.settings.builder import EnvironmentBuilder


@pytest.fixture
def builder(qtbot: Any) -> EnvironmentBuilder:
    return EnvironmentBuilder()


def outcome(qtbot: Any, builder: EnvironmentBuilder) -> list[Any]:
    with qtbot.waitSignal(builder.done, timeout=5000) as caught:
        builder.start()
    return list(caught.args)


def test_progress_comes_from_another_thread(
    qtbot: Any, builder: EnvironmentBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def build(_folder: Any, _python: Any, _wheels: Any, progress: Any, _base: Any) -> None:
        threads.append(threading.get_ident())
        for line, fraction in (("Looking for a Python.", 0.1), ("", None), ("pip says something", None), ("Done", 1.0)):
            progress(line, fraction)

    monkeypatch.setattr(environment, "build", build)
    seen: list[tuple[str, float]] = []
    builder.progress.connect(lambda line, fraction: seen.append((line, fraction)))
    ok, text = outcome(qtbot, builder)
    assert ok is True and text
    assert threads and threads[0] != threading.get_ident()
    assert seen == [("Looking for a Python.", 0.1), ("pip says something", -1.0), ("Done", 1.0)]
    assert not builder.is_running()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            environment.EnvironmentBuildError("It did not work.", "Check the proxy."),
            "It did not work. Check the proxy.",
        ),
        (
            OSError(28, "No space left on device"),
            "[Errno 28] No space left on device Make room on the disk (about 900 MB), then try again.",
        ),
    ],
)
def test_an_error_becomes_words(
    qtbot: Any, builder: EnvironmentBuilder, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def build(_folder: Any, _python: Any, _wheels: Any, progress: Any, _base: Any) -> None:
        raise error

    monkeypatch.setattr(environment, "build", build)
    assert outcome(qtbot, builder) == [False, words]


def test_stop_ends_the_build_and_a_second_one_works(
    qtbot: Any, builder: EnvironmentBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = threading.Event()

    def endless(_folder: Any, _python: Any, _wheels: Any, progress: Any, _base: Any) -> None:
        while not ticks.wait(0.01):
            progress("still going", 0.5)

    monkeypatch.setattr(environment, "build", endless)
    card = SetupCard(builder.stop, lambda: None)
    qtbot.addWidget(card)
    builder.progress.connect(card.show_progress)
    with qtbot.waitSignal(builder.done, timeout=5000) as caught:
        builder.start()
        builder.start()  # does nothing: one build at a time
        qtbot.waitUntil(lambda: bool(builder.log), timeout=3000)
        card.stop_button.click()
    ticks.set()
    assert caught.args[0] is False
    monkeypatch.setattr(environment, "build", lambda *_arguments: None)
    assert outcome(qtbot, builder)[0] is True


@pytest.mark.parametrize(("answer", "free"), [("Remove", True), ("Cancel", True), ("Remove", False)])
def test_removing_asks_first(
    qtbot: Any, builder: EnvironmentBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str, free: bool
) -> None:
    """Cancel is what Enter presses; nothing is removed while the agent works."""
    folder = tmp_path / "env"
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    monkeypatch.setattr(environment, "locate", lambda: folder)
    dialog = SetupDialog(builder, lambda: free)
    qtbot.addWidget(dialog)
    dialog.show()
    seen: list[str] = []

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(50, press)
            return
        seen.extend([box.text(), box.defaultButton().text().replace("&", "")])
        next(each for each in box.buttons() if each.text().replace("&", "") == answer).click()

    QTimer.singleShot(50, press)
    dialog.remove_button.click()
    qtbot.waitUntil(lambda: not builder.is_running(), timeout=10_000)
    assert str(folder) in seen[0] and seen[1] == "Cancel"
    removed = answer == "Remove" and free
    assert folder.exists() is not removed
    assert dialog.remove_button.isVisible() is not removed
    words = {True: "was removed", False: "" if free else "is working"}[removed]
    assert words in dialog.progress.sentence.text()
