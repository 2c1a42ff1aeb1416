"""Traces that a test records call by call, in one process: with the map before and after, so that they can be replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qgis.core import QgsProject

from qgis_agent.bridge.requested import requested_by
from qgis_agent.bridge.trace import aliases_of, result_of
from qgis_agent.gis.approvals import Capability
from qgis_agent.gis.calls import Calls
from qgis_agent.gis.host import Host, run_until
from qgis_agent.gis.run_state import state_at_end, state_at_start

WORDS = "buffer the schools"


class Nobody:
    """An approver that is never asked."""

    unattended = True

    def ask(self, card: dict[str, Any], answer: Any) -> Any:
        """See Approver."""
        raise AssertionError(card)


class Agreeing:
    """A person who says yes to everything."""

    def ask(self, _card: dict[str, Any], answer: Any) -> Any:
        """See Approver."""
        answer("once")
        return lambda: None


def recorded(
    path: Path, calls: list[tuple[str, dict[str, Any]]], run: int = 1, approver: Any = None, text: str = WORDS
) -> dict[str, Any]:
    """A trace of calls, made as the record makes it, without an agent process."""
    project = QgsProject()
    assert project.read(str(path))
    host = Host(project)
    bridge = Calls(host, approver or Nobody())
    capability: Capability = host.ledger.issue(
        caller="chat",
        level="safe_write",
        session_id="s",
        run_id="r",
        project_id=host.project_id(),
        enabled_packs=frozenset(["write"]),
        requested=frozenset(requested_by(text)),
    )
    begun = state_at_start(host)
    steps = []
    for number, (tool, args) in enumerate(calls, 1):
        outcomes: list[dict[str, Any]] = []
        params = {"call_id": f"c{number}", "run_id": "r", "capability": capability.token, "name": tool}
        bridge.start({**params, "arguments": args}, outcomes.append)
        assert run_until(lambda found=outcomes: bool(found), 30)
        outcome = outcomes[0]
        kept = {key: outcome[key] for key in ("decision", "actions", "ms")}
        steps.append({"step": number, "tool": tool, "args": args, "result": result_of(outcome["envelope"]), **kept})
    ended = state_at_end(host, capability)
    assert ended is not None
    project.clear()
    project.blockSignals(True)
    return {
        "schema": "qgis-agent/trace/1",
        "trace_id": f"tr_20261130_{run:08d}",
        "session_id": "s-now",
        "run": run,
        "user_text": text,
        "project": {"name": "", "key": "k", "path": str(path)},
        "versions": {},
        "aliases": aliases_of(begun["aliases"], ended["aliases"]),
        "start": begun["start"],
        "state_in": begun["state_in"],
        "steps": steps,
        "final": {"ok": True, "termination": "completed", "answer": "", "map_state": ended["map_state"]},
        "redacted": [],
    }
