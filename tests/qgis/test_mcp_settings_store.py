"""The programs that a person allowed: kept privately, without their tokens; a file that cannot be read lets nobody in."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from qgis_agent.gis.mcp import settings
from qgis_agent.gis.mcp.settings import Clients


def test_a_token_is_given_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    """The file is its owner's alone; it comes back as it was."""
    clients = Clients(tmp_path)
    heard: list[int] = []
    clients.changed.connect(lambda: heard.append(1))
    made, token = clients.add(" Claude ", "safe_write", ["write"])
    text = (tmp_path / "mcp_clients.json").read_text(encoding="utf-8")
    assert token not in text and len(token) > 40
    assert hashlib.sha256(token.encode()).hexdigest() in text
    assert stat.S_IMODE((tmp_path / "mcp_clients.json").stat().st_mode) == 0o600
    again = Clients(tmp_path).find(made.id)
    assert again is not None
    assert (again.label, again.level, again.packs) == ("Claude", "safe_write", ("write",))
    assert heard == [1]


def test_rotate_change_and_revoke(tmp_path: Path) -> None:
    """Each is kept at once; an id that is not there is a KeyError."""
    clients = Clients(tmp_path)
    made, token = clients.add("A")
    other = clients.rotate(made.id)
    assert other != token
    assert Clients(tmp_path).listed()[0].token_sha256 == hashlib.sha256(other.encode()).hexdigest()
    clients.change(made.id, level="full_access", label="B", packs=["write"])
    assert (clients.listed()[0].label, clients.listed()[0].level) == ("B", "full_access")
    clients.revoke(made.id)
    assert Clients(tmp_path).listed() == []
    for call in (clients.rotate, clients.revoke, clients.change):
        with pytest.raises(KeyError):
            call(made.id)


def test_labels_and_rights_that_cannot_be(tmp_path: Path) -> None:
    """An empty or a known name, a level or pack that is none; nothing is kept of them."""
    clients = Clients(tmp_path)
    clients.add("Claude")
    for label, level, packs in (
        (" \u202e ", "read_only", []),
        ("claude", "read_only", []),
        ("x" * 61, "read_only", []),
        ("B", "root", []),
        ("B", "read_only", ["code"]),
    ):
        with pytest.raises(ValueError):
            clients.add(label, level, packs)
    assert [each.label for each in Clients(tmp_path).listed()] == ["Claude"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"v": 99, "clients": []}',
        '{"v": 1, "clients": [{"id": "../x", "label": "a", "level": "read_only", "packs": [], "token_sha256": "00"}]}',
        '{"v": 1, "clients": [{"id": "a", "label": "a", "level": "root", "packs": [], "token_sha256": "'
        + "0" * 64
        + '"}]}',
    ],
)
def test_a_file_that_cannot_be_read_lets_nobody_in_and_is_left_alone(tmp_path: Path, text: str) -> None:
    """It is said; adding fails, so that what is in the file is not lost."""
    path = tmp_path / "mcp_clients.json"
    path.write_text(text, encoding="utf-8")
    clients = Clients(tmp_path)
    assert clients.problem and clients.listed() == []
    with pytest.raises(OSError):
        clients.add("A")
    assert path.read_text(encoding="utf-8") == text


def test_seen_is_written_down_once_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And tells nobody."""
    clients = Clients(tmp_path)
    made, _token = clients.add("A")
    heard: list[int] = []
    clients.changed.connect(lambda: heard.append(1))
    writes: list[Any] = []
    monkeypatch.setattr(settings, "write_private", lambda path, text: writes.append(json.loads(text)))
    clients.note_seen(made.id)
    clients.note_seen(made.id)
    clients.note_seen("unknown")
    assert len(writes) == 1 and writes[0]["clients"][0]["seen"] and not heard


def test_the_port_and_the_switch(qgis_new_project: Any) -> None:
    """Off until somebody turns it on; a port that is none is refused, and not taken from the settings."""
    settings.choose_enabled(False)
    assert not settings.enabled()
    settings.choose_enabled(True)
    assert settings.enabled()
    settings.choose_port(9000)
    assert settings.port() == 9000
    with pytest.raises(ValueError):
        settings.choose_port(80)
    settings.QgsSettings().setValue(settings.PREFIX + "port", "nonsense")
    assert settings.port() == settings.DEFAULT_PORT
    settings.QgsSettings().remove(settings.PREFIX)
