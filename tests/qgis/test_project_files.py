"""What lies beside the project: read with care, carried by run/start, and a yes that is kept in the QGIS profile."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench
from qgis.core import QgsApplication, QgsSettings
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QDialog, QDialogButtonBox, QMessageBox, QPlainTextEdit

from qgis_agent.gis import project_files, runs
from qgis_agent.gui.dialogs import trust

SETTINGS = (
    b'{"profiles": {"gis-build": {"level": "full_access", "budget": {"tokens": 9}, "packs": []}, "\xe6\x96\xb0": {}}}'
)
HASH = hashlib.sha256(SETTINGS).hexdigest()


@pytest.fixture(autouse=True)
def clean_settings() -> Iterator[None]:
    yield
    for key in ("qgis_agent/trusted_files", "qgis_agent/preferences"):
        QgsSettings().remove(key)


@pytest.fixture
def saved(bench: Bench) -> Bench:
    """A project with a folder, and an empty .qgis_agent in it."""
    assert bench.host.project.write(str(bench.folder / "city.qgz"))
    (bench.folder / ".qgis_agent").mkdir()
    return bench


def put(bench: Bench, name: str, raw: bytes) -> Path:
    path = bench.folder / ".qgis_agent" / name
    path.write_bytes(raw)
    return path


def test_a_project_without_a_folder_brings_nothing(bench: Bench) -> None:
    fields = project_files.run_fields(bench.host.project)
    assert fields == {"project_folder": "", "preferences": "", "project_notes": "", "trusted_files": []}
    assert project_files.agent_settings(bench.host.project) is None


def test_the_fields_of_a_run(saved: Bench) -> None:
    """Folder, preferences, notes and the hashes, as they are."""
    put(saved, "notes.md", "\ufeff道路 2019\nSecond line".encode())
    project_files.set_preferences("Use blue.\n用公里")
    project_files.trust_file("a" * 64)
    assert project_files.run_fields(saved.host.project) == {
        "project_folder": str(saved.folder),
        "preferences": "Use blue.\n用公里",
        "project_notes": "道路 2019\nSecond line",
        "trusted_files": ["a" * 64],
    }


def test_run_start_carries_them(saved: Bench) -> None:
    """The controller sends them with the person's words."""
    put(saved, "notes.md", b"note")
    controller = runs.RunController(saved.host, Answering(), records=saved.folder)
    sent: list[tuple[str, dict[str, Any]]] = []

    class Agent:
        def request(self, method: str, params: dict[str, Any], _answered: Any) -> str:
            sent.append((method, params))
            return "1"

        def notify(self, _method: str, _params: dict[str, Any]) -> None:
            pass

        def cancel(self, _request: str) -> None:
            pass

        def close(self) -> None:
            pass

        def pid(self) -> int:
            return 0

    double: Any = Agent()
    controller._agent, controller._ready = double, True
    assert controller.start("hello")
    assert [method for method, _ in sent] == ["run/start"]
    params = sent[0][1]
    assert (params["text"], params["project_folder"], params["project_notes"]) == ("hello", str(saved.folder), "note")
    assert (params["preferences"], params["trusted_files"]) == ("", [])
    controller.close()


def test_a_yes_is_kept_and_can_be_taken_back(saved: Bench) -> None:
    """One hash, several, the same again, none; never more than two hundred."""
    project_files.trust_file("a")
    assert project_files.trusted_files() == ["a"]
    project_files.trust_file("b")
    project_files.trust_file("a")
    assert project_files.trusted_files() == ["b", "a"]
    project_files.forget_file("a")
    project_files.forget_file("b")
    assert project_files.trusted_files() == []
    for number in range(203):
        project_files.trust_file(str(number))
    assert project_files.trusted_files() == [str(number) for number in range(3, 203)]


def test_the_settings_of_a_project_are_all_shown(saved: Bench) -> None:
    """Every value with its place, and the hash of these very bytes."""
    put(saved, "agents.json", SETTINGS)
    found = project_files.agent_settings(saved.host.project)
    assert found == project_files.AgentSettings(
        HASH,
        [
            'profiles.gis-build.level: "full_access"',
            "profiles.gis-build.budget.tokens: 9",
            "profiles.gis-build.packs: []",
            "profiles.新: {}",
        ],
    )
    put(saved, "agents.json", '{"a\u202eb": "c\u2066d\\u202e"}'.encode())
    hidden = project_files.agent_settings(saved.host.project)
    assert hidden is not None
    assert hidden.lines == ['ab: "cd"']


@pytest.mark.parametrize(
    ("raw", "said"), [(b"{", "not JSON"), (b"\xff", "not JSON"), (b"[" * 60_000, "not JSON"), (b" " * 65_537, "64 KB")]
)
def test_a_file_that_cannot_be_used_says_why(saved: Bench, raw: bytes, said: str) -> None:
    put(saved, "agents.json", raw)
    with pytest.raises(project_files.ProjectFileProblem, match=said):
        project_files.agent_settings(saved.host.project)


def test_links_pipes_and_folders_are_not_read(saved: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither the file nor the folder may lead somewhere else, and nothing blocks."""
    outside = tmp_path_factory.mktemp("outside") / "notes.md"
    outside.write_text("secret", encoding="utf-8")
    path = saved.folder / ".qgis_agent" / "notes.md"
    path.symlink_to(outside)
    log = QgsApplication.messageLog()
    said: list[str] = []
    log.messageReceived.connect(lambda text, _tag, _level: said.append(text))
    assert project_files.run_fields(saved.host.project)["project_notes"] == ""
    assert any("notes.md" in each and "link" in each for each in said)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(project_files.ProjectFileProblem, match="regular file"):
        project_files.read_bounded(str(saved.folder), "notes.md")
    path.unlink()
    path.mkdir()
    with pytest.raises(project_files.ProjectFileProblem, match="regular file"):
        project_files.read_bounded(str(saved.folder), "notes.md")
    path.rmdir()
    path.parent.rmdir()
    path.parent.symlink_to(outside.parent)
    with pytest.raises(project_files.ProjectFileProblem, match="link"):
        project_files.read_bounded(str(saved.folder), "notes.md")


def test_a_file_that_the_system_does_not_give_out(saved: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    put(saved, "notes.md", b"x")

    def refuse(*_args: Any, **_more: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(project_files.ProjectFileProblem, match="Permission denied"):
        project_files.read_bounded(str(saved.folder), "notes.md")


# the question


def test_the_dialog_shows_everything_and_cancel_is_the_default(qtbot: Any) -> None:
    """Return does not agree; the button does."""
    lines = ["line {}".format(number) for number in range(300)]
    dialog = trust.TrustDialog(project_files.AgentSettings(HASH, lines), trusted=False)
    qtbot.addWidget(dialog)
    dialog.show()
    text = dialog.findChild(QPlainTextEdit)
    assert text.toPlainText().split("\n") == lines
    assert text.isReadOnly()
    cancel = dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel)
    assert cancel.isDefault() and not dialog.agree.isDefault()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Rejected
    dialog.show()
    QTest.mouseClick(dialog.agree, Qt.MouseButton.LeftButton)
    assert dialog.result() == QDialog.DialogCode.Accepted


@pytest.mark.parametrize("agree", [True, False])
def test_the_answer_is_kept(saved: Bench, monkeypatch: pytest.MonkeyPatch, agree: bool) -> None:
    """Yes trusts this content; on a trusted one it takes the trust back; Cancel changes nothing."""
    put(saved, "agents.json", SETTINGS)
    result = QDialog.DialogCode.Accepted if agree else QDialog.DialogCode.Rejected
    monkeypatch.setattr(trust.TrustDialog, "exec", lambda _self: result)
    trust.ask_to_trust(saved.host.project)
    assert project_files.trusted_files() == ([HASH] if agree else [])
    trust.ask_to_trust(saved.host.project)
    assert project_files.trusted_files() == []


def test_without_a_file_or_with_a_broken_one_it_says_so(saved: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, str]] = []
    for kind in ("information", "warning"):
        monkeypatch.setattr(QMessageBox, kind, lambda _parent, _title, text, kind=kind: said.append((kind, text)))
    trust.ask_to_trust(saved.host.project)
    put(saved, "agents.json", b"{")
    trust.ask_to_trust(saved.host.project)
    assert [kind for kind, _ in said] == ["information", "warning"]
    assert ".qgis_agent/agents.json" in said[0][1]
    assert "not JSON" in said[1][1]
    assert project_files.trusted_files() == []
