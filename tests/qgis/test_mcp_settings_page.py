"""The page "Other programs (MCP)": the switch, the list of programs, tokens that are shown once, and settings to paste."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomllib
from mcp_fakes import FakeAgent, FakeOwner
from qgis.core import QgsSettings
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QGuiApplication, QIcon
from qgis.PyQt.QtWidgets import QDialog, QMessageBox

from qgis_agent.gis.audit import EVENTS
from qgis_agent.gis.grants import GrantStore, Target
from qgis_agent.gis.mcp import settings
from qgis_agent.gis.mcp.listening import Listening
from qgis_agent.gis.mcp.settings import Clients, token_digest
from qgis_agent.gui.dialogs import approval
from qgis_agent.gui.dialogs.approval import ApprovalDialog
from qgis_agent.gui.dialogs.approver import _Question
from qgis_agent.gui.dialogs.card_body import card_rows
from qgis_agent.gui.dock.header import Header
from qgis_agent.gui.settings.mcp_client import ClientDialog, may_words
from qgis_agent.gui.settings.mcp_guide import GuideDialog
from qgis_agent.gui.settings.mcp_page import MCP_KEY, McpFactory, McpPage, McpParts
from qgis_agent.gui.settings.mcp_snippets import FORWARDER, Snippet, snippets
from qgis_agent.gui.settings.mcp_token import TokenDialog
from qgis_agent.gui.settings.permissions_grants import GrantsBox

URL, TOKEN = "http://127.0.0.1:8766/mcp", "qgm_0123456789abcdef"


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    yield
    QgsSettings().remove("qgis_agent")


@pytest.fixture
def page(qtbot: Any, tmp_path: Path) -> Any:
    told: list[tuple[str, dict[str, Any]]] = []
    here: list[tuple[str, str, str]] = []
    clients = Clients(tmp_path)
    listening = Listening(FakeOwner(FakeAgent()), clients)
    made = McpPage(McpParts(clients, listening, lambda: here, lambda kind, **fields: told.append((kind, fields))))
    made.told, made.here, made.clients, made.listening = told, here, clients, listening
    made.resize(760, 690)
    qtbot.addWidget(made)
    made.show()
    return made


def _answer(page: Any, label: str) -> str:
    """Go through "Allow a program…"; returns the token that is shown."""
    page.clients_box.add_button.click()
    dialog = page.clients_box.dialog
    assert isinstance(dialog, ClientDialog)
    dialog.name_edit.setText(label)
    dialog.agree_button.click()
    return label


def _token_window(page: Any, qtbot: Any) -> TokenDialog:
    qtbot.waitUntil(lambda: isinstance(page.clients_box.dialog, TokenDialog), timeout=5000)
    found: TokenDialog = page.clients_box.dialog
    return found


def test_it_is_off_at_first_and_says_so(page: Any) -> None:
    assert not page.switch_box.on_box.isChecked() and page.switch_box.port_box.value() == 8766
    assert "no program can reach QGIS" in page.switch_box.state_label.text()
    assert page.clients_box.list.texts() == [] and "yet" in page.clients_box.list.emptied


def test_the_switch_holds_with_apply_and_is_recorded_once(page: Any) -> None:
    page.switch_box.on_box.setChecked(True)
    assert not settings.enabled() and "Apply" in page.switch_box.state_label.text()
    page.switch_box.port_box.setValue(9123)
    page.apply()
    page.apply()
    assert settings.enabled() and settings.port() == 9123
    assert "http://127.0.0.1:9123/mcp" in page.switch_box.state_label.text()
    page.switch_box.on_box.setChecked(False)
    page.apply()
    assert page.told == [("mcp_switch", {"enabled": True}), ("mcp_switch", {"enabled": False})]
    assert {"mcp_switch", "mcp_client_added", "mcp_client_changed", "mcp_client_removed"} <= set(EVENTS)


def test_a_program_is_allowed_read_only_and_its_token_shown_once(page: Any, qtbot: Any, tmp_path: Path) -> None:
    _answer(page, "Claude Code")
    (client,) = page.clients.listed()
    assert (client.label, client.level, client.packs) == ("Claude Code", "read_only", ())
    window = _token_window(page, qtbot)
    token = window.token_edit.text()
    assert token_digest(token) == client.token_sha256
    assert token in window.text_view.toPlainText() and not window.note.isHidden(), "MCP is off: that is said"
    window.reject()
    kept = "".join(each.read_text(encoding="utf-8") for each in tmp_path.iterdir())
    assert token not in kept and token not in json.dumps(page.told), "it is not kept, and in no record"
    assert page.clients_box.list.texts() == [["Claude Code", "Read only", "never"]]
    assert page.told == [("mcp_client_added", {"client": "Claude Code", "level": "read_only", "packs": []})]


def test_the_settings_to_paste_have_the_port_that_is_chosen_now(page: Any, qtbot: Any) -> None:
    page.switch_box.on_box.setChecked(True)
    page.switch_box.port_box.setValue(9123)
    _answer(page, "Cursor")
    window = _token_window(page, qtbot)
    assert "http://127.0.0.1:9123/mcp" in window.text_view.toPlainText() and "Apply" in window.note.text()
    window.reject()
    page.apply()
    page.clients_box.list.topLevelItem(0).setSelected(True)
    page.clients_box.token_button.click()
    _press(page, True)
    assert _token_window(page, qtbot).note.isHidden()
    page.clients_box.dialog.reject()


def test_copying_the_token_and_the_settings(page: Any, qtbot: Any) -> None:
    _answer(page, "Cursor")
    window = _token_window(page, qtbot)
    window.copy_token.click()
    assert QGuiApplication.clipboard().text() == window.token_edit.text()
    assert window.copy_token.text() == "Copied"
    window.program_box.setCurrentIndex(window.program_box.findText("Cursor"))
    window.copy_settings.click()
    assert json.loads(QGuiApplication.clipboard().text())["mcpServers"]["qgis"]["url"] == URL
    window.reject()


@pytest.mark.parametrize("label", ["", "  ", "Claude code", "\u202e"])
def test_a_name_that_cannot_be_used_is_said_and_nobody_is_let_in(page: Any, label: str) -> None:
    page.clients.add("Claude Code")
    _answer(page, label)
    dialog = page.clients_box.dialog
    assert isinstance(dialog, ClientDialog) and not dialog.problem_label.isHidden() and dialog.problem_label.text()
    assert len(page.clients.listed()) == 1
    dialog.reject()


def test_writes_can_be_prepared_only_above_read_only(page: Any) -> None:
    page.clients_box.add_button.click()
    dialog = page.clients_box.dialog
    assert not dialog.write_box.isEnabled() and dialog.packs() == ()
    dialog.buttons["safe_write"].setChecked(True)
    dialog.write_box.setChecked(True)
    assert dialog.write_box.isEnabled() and dialog.packs() == ("write",)
    dialog.buttons["read_only"].setChecked(True)
    assert not dialog.write_box.isEnabled() and dialog.packs() == ()
    dialog.reject()


def test_what_a_program_may_do_is_changed(page: Any) -> None:
    client, _token = page.clients.add("One")
    page.clients_box.list.topLevelItem(0).setSelected(True)
    page.clients_box.change_button.click()
    dialog = page.clients_box.dialog
    dialog.buttons["safe_write"].setChecked(True)
    dialog.write_box.setChecked(True)
    dialog.agree_button.click()
    changed = page.clients.find(client.id)
    assert (changed.level, changed.packs, changed.token_sha256) == ("safe_write", ("write",), client.token_sha256)
    assert may_words(changed) == "Safe, may prepare writes" and page.clients_box.list.texts()[0][1] == may_words(
        changed
    )


def test_a_level_that_is_not_offered_any_more_stays_as_it_is(page: Any) -> None:
    page.clients.add("Old", "full_access")
    page.clients_box.list.topLevelItem(0).setSelected(True)
    page.clients_box.change_button.click()
    assert page.clients_box.dialog.level() == "full_access"
    page.clients_box.dialog.agree_button.click()
    assert page.clients.listed()[0].level == "full_access"


@pytest.mark.parametrize("agreed", [True, False])
def test_a_new_token_ends_the_old_one_after_a_yes(page: Any, qtbot: Any, agreed: bool) -> None:
    client, old = page.clients.add("One")
    page.clients_box.list.topLevelItem(0).setSelected(True)
    page.clients_box.token_button.click()
    _press(page, agreed)
    if not agreed:
        assert page.clients.find(client.id).token_sha256 == token_digest(old)
        return
    new = _token_window(page, qtbot).token_edit.text()
    assert new != old and page.clients.find(client.id).token_sha256 == token_digest(new)
    page.clients_box.dialog.reject()


@pytest.mark.parametrize("agreed", [True, False])
def test_a_program_is_removed_after_a_yes(page: Any, agreed: bool) -> None:
    page.clients.add("<b>One</b>")
    page.clients.add("Two")
    page.clients_box.list.topLevelItem(0).setSelected(True)
    page.clients_box.remove_button.click()
    box = page.clients_box.dialog
    assert "<b>One</b>" in box.text() and box.textFormat() == Qt.TextFormat.PlainText
    _press(page, agreed)
    assert [each.label for each in page.clients.listed()] == (["Two"] if agreed else ["<b>One</b>", "Two"])
    assert page.told == ([("mcp_client_removed", {"client": "<b>One</b>"})] if agreed else [])


def _press(page: Any, agreed: bool) -> None:
    box = page.clients_box.dialog
    assert isinstance(box, QMessageBox)
    role = QMessageBox.ButtonRole.AcceptRole if agreed else QMessageBox.ButtonRole.RejectRole
    next(each for each in box.buttons() if box.buttonRole(each) == role).click()


def test_buttons_are_for_what_is_chosen(page: Any) -> None:
    box = page.clients_box
    assert box.add_button.isEnabled() and not box.remove_button.isEnabled() and not box.change_button.isEnabled()
    page.clients.add("One")
    page.clients.add("Two")
    box.list.selectAll()
    assert box.remove_button.isEnabled() and not box.change_button.isEnabled() and not box.token_button.isEnabled()


def test_a_connected_program_is_seen(page: Any) -> None:
    client, _token = page.clients.add("One")
    page.here.append((client.id, "One", "claude-code 2.1"))
    page.clients_box.refresh()
    assert page.clients_box.list.texts() == [["One", "Read only", "connected"]]
    assert "claude-code 2.1" in page.clients_box.list.topLevelItem(0).toolTip(0)


def test_a_list_that_cannot_be_read_is_said_and_nobody_is_added(qtbot: Any, tmp_path: Path) -> None:
    (tmp_path / settings.FILE_NAME).write_text("{", encoding="utf-8")
    clients = Clients(tmp_path)
    made = McpPage(McpParts(clients, Listening(FakeOwner(FakeAgent()), clients)))
    qtbot.addWidget(made)
    made.show()
    assert not made.clients_box.problem_label.isHidden() and not made.clients_box.add_button.isEnabled()


def test_the_factory_puts_the_page_below_the_plugins_own(qtbot: Any, tmp_path: Path) -> None:
    clients = Clients(tmp_path)
    factory = McpFactory(QIcon(), McpParts(clients, Listening(FakeOwner(FakeAgent()), clients)))
    made = factory.createWidget()
    qtbot.addWidget(made)
    assert factory.path() == ["QGIS Agent"] and made.objectName() == MCP_KEY


# settings to paste


def _of(name: str) -> Snippet:
    return next(each for each in snippets(URL, TOKEN) if each.name == name)


@pytest.mark.parametrize(
    ("name", "servers"), [("Cursor", "mcpServers"), ("VS Code", "servers"), ("Cherry Studio", "mcpServers")]
)
def test_settings_over_http_are_json_with_address_and_token(name: str, servers: str) -> None:
    found = json.loads(_of(name).text)[servers]["qgis"]
    assert found["url"] == URL and found["headers"] == {"Authorization": "Bearer " + TOKEN}


def test_the_kind_of_transport_is_named_as_each_program_wants_it() -> None:
    assert json.loads(_of("VS Code").text)["servers"]["qgis"]["type"] == "http"
    assert json.loads(_of("Cherry Studio").text)["mcpServers"]["qgis"]["type"] == "streamableHttp"


def test_claude_code_is_told_by_one_command() -> None:
    words = shlex.split(_of("Claude Code").text)
    assert words[:3] == ["claude", "mcp", "add"] and words[words.index("--transport") + 1] == "http"
    assert URL in words and words[words.index("--header") + 1] == "Authorization: Bearer " + TOKEN


def test_codex_reads_its_settings_as_toml() -> None:
    found = tomllib.loads(_of("Codex").text)["mcp_servers"]["qgis"]
    assert found.pop("tool_timeout_sec") > 120, "a person has two minutes to answer"
    assert found == {"url": URL, "http_headers": {"Authorization": "Bearer " + TOKEN}}


def test_programs_that_start_a_command_get_the_forwarder_and_the_token_by_environment() -> None:
    found = json.loads(_of("Claude Desktop").text)["mcpServers"]["qgis"]
    assert found["args"] == [str(FORWARDER)] and found["env"] == {"QGIS_AGENT_MCP_TOKEN": TOKEN}
    assert Path(found["command"]).name.startswith("python") and TOKEN not in found["command"]
    assert FORWARDER.is_file()


# around


def test_the_sign_in_the_panel_is_there_while_a_program_is_connected(qtbot: Any) -> None:
    header = Header()
    qtbot.addWidget(header)
    header.resize(380, 30)
    header.show()
    assert header.programs_button.isHidden()
    header.show_programs(["<img src='x'>", "Cursor"])
    assert not header.programs_button.isHidden()
    assert header.programs_button.accessibleName() == "Connected over MCP: “<img src='x'>”, “Cursor”"
    assert "<img" not in header.programs_button.toolTip()
    asked: list[int] = []
    header.programs_asked.connect(lambda: asked.append(1))
    header.programs_button.click()
    header.show_programs([])
    assert header.programs_button.isHidden() and asked == [1]


def test_the_guide_comes_with_the_plugin(qtbot: Any) -> None:
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    assert isinstance(dialog, QDialog) and "cannot be read" not in dialog.view.toPlainText()
    assert "Claude Code" in dialog.view.toPlainText()


def test_a_permission_says_which_program_asked_for_it(qtbot: Any, tmp_path: Path) -> None:
    client, _token = Clients().add("Claude Code")
    try:
        store = GrantStore(lambda: "/p.qgz", tmp_path / "permissions.json")
        who = {
            "session": "mcp-" + client.id,
            "project_id": "p",
            "effect": "view",
            "target": Target("layer", "a", "d", "1"),
        }
        store.add(caller="mcp:mcp-" + client.id, tool="toggle_layer", lifetime="session", **who)
        store.add(caller="chat", tool="set_layer_opacity", lifetime="session", **who)
        box = GrantsBox(store)
        qtbot.addWidget(box)
        tips = {box.list.topLevelItem(at).text(0): box.list.topLevelItem(at).toolTip(0) for at in range(2)}
        assert "“Claude Code”" in tips["toggle_layer"] and "asked by chat" in tips["set_layer_opacity"]
    finally:
        Clients().revoke(client.id)


def test_a_card_of_a_program_begins_with_its_name(qtbot: Any) -> None:
    card = {"kind": "permission", "title": "May it?", "verb": "toggle_layer", "caller": "mcp", "client": "<b>A</b>"}
    card.update(
        asked_by="“<b>A</b>”, another program, over MCP", lines=[["Effect", "x"]], arguments="{}", reversible=True
    )
    window = ApprovalDialog(card)
    qtbot.addWidget(window)
    assert window.windowTitle() == "“<b>A</b>” asks, over MCP"
    assert card_rows(card)[0] == ["Asked by", "“<b>A</b>”, another program, over MCP"]
    assert "program" in window.answers.reason.placeholderText() and "menu" in window.undo_label.text()
    plain = ApprovalDialog(dict(card, client="", caller="chat", asked_by="the agent"))
    qtbot.addWidget(plain)
    assert plain.windowTitle() == "QGIS Agent asks" and card_rows(plain.card)[0] == ["Effect", "x"]


@pytest.mark.parametrize(("client", "used", "activated"), [("A", True, True), ("A", False, False), ("", False, True)])
def test_a_question_of_a_program_takes_no_keys_from_it(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch, client: str, used: bool, activated: bool
) -> None:
    """The person may be typing in the program that asks."""
    monkeypatch.setattr(approval, "_is_used", lambda: used)
    window = ApprovalDialog({"kind": "permission", "title": "x", "verb": "t", "caller": "mcp", "client": client})
    qtbot.addWidget(window)
    calls: list[str] = []
    monkeypatch.setattr(window, "activateWindow", lambda: calls.append("activated"))
    window.present(120)
    assert window.isVisible() and (calls == ["activated"]) is activated
    assert window.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating) is not activated
    window.withdraw()


def test_one_programs_refusal_is_not_anothers() -> None:
    def question(client: str) -> _Question:
        return _Question({"kind": "permission", "verb": "t", "caller": "mcp", "client": client}, lambda *_said: None)

    assert question("A").is_like(question("A")) and not question("A").is_like(question("B"))
