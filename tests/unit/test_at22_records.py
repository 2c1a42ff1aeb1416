"""AT22 on the agent's side: a token that reaches this process stands in no record, and nothing here can arm one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge, FakeClient, answer, calls

from qgis_agent.agent.governance.permissions import PermissionRuntime
from qgis_agent.agent.governance.profile import PROFILES
from qgis_agent.bridge.envelope import success
from qgis_agent.bridge.messages import EVENT_FIELDS

TOKEN = "Zk3vQ9-pXw7_LmT2aYb8RcDe5FgHjN1u"
"""As secrets.token_urlsafe(24) makes them."""


def test_at22_a_token_is_in_no_record(tmp_path: Path) -> None:
    """QGIS gives one by mistake and the model quotes it in a call: neither the session's file nor any other
    below the profile has it."""
    bench = Bench(tmp_path)
    preview = success({"confirm_token": TOKEN, "armed": False, "written": False})
    export = {"layer_id": "streets", "path": "a.gpkg", "format": "GPKG"}
    client = FakeClient(
        calls(("prepare_export_layer", export)), calls(("commit_action", {"confirm_token": TOKEN})), answer("Written.")
    )
    bridge = FakeBridge(prepare_export_layer=preview)
    bench.run("export the streets", client, bridge, enabled=("write",))
    assert bridge.names() == ["prepare_export_layer"]  # commit_action is not the chat's: it never reaches QGIS
    files = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert any("prepare_export_layer" in each.read_text(encoding="utf-8") for each in files)
    assert not [each.name for each in files if TOKEN in each.read_text(encoding="utf-8", errors="replace")]


@pytest.mark.parametrize("profile", sorted(PROFILES))
@pytest.mark.parametrize("caller", ["chat", "subagent"])
def test_at22_no_model_has_commit_action(profile: str, caller: str) -> None:
    """In no profile of the chat or of a sub-agent."""
    spec = REGISTRY.get("commit_action")
    assert spec is not None and set(spec.callers) == {"cli", "mcp"}
    ruled = PermissionRuntime.from_profile(PROFILES[profile], ("write",), caller, requested=("write",))
    assert ruled.rule(spec, {"confirm_token": TOKEN}).outcome == "deny"


def test_at22_no_tool_and_no_message_arms() -> None:
    """No parameter of a tool and no field of an event is about arming or agreeing."""
    words = ("armed", "confirmed", "approve", "agree", "consent")
    for spec in REGISTRY.list_registered():
        assert not [each for each in spec.parameters.get("properties", {}) if each.startswith(words)], spec.name
    assert not any(word in json.dumps(list(fields)) for fields in EVENT_FIELDS.values() for word in ("armed", 'token"'))
