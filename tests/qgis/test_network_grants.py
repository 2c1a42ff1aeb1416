"""Network calls are asked for each host: the card names it, and "this session" is for that host alone."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from conftest import Answering, Bench
from qgis.PyQt.QtCore import QCoreApplication

from qgis_agent.gis.headless import HeadlessApprover
from qgis_agent.gis.host import run_until


def closed_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def ask_for(bench: Bench, port: int) -> dict[str, Any]:
    url = f"http://127.0.0.1:{port}/wms?key=secret"
    return bench.outcome("add_service_layer", kind="wms", url=url, layer="a")


def test_a_session_grant_is_for_one_host(bench: Bench) -> None:
    """Asked once for the first host, not again; asked for the second."""
    bench.approver = bench.calls.approver = Answering("session")
    first, second = closed_port(), closed_port()
    assert first != second
    ask_for(bench, first)
    assert len(bench.approver.cards) == 1
    lines = dict(bench.approver.cards[0]["lines"])
    assert lines["Host"] == f"127.0.0.1:{first}"
    assert "secret" not in lines["Address"]
    ask_for(bench, first)
    assert len(bench.approver.cards) == 1
    ask_for(bench, second)
    assert len(bench.approver.cards) == 2


def test_a_no_contacts_nobody(bench: Bench) -> None:
    """PERMISSION_DENIED, and no layer."""
    bench.approver = bench.calls.approver = Answering("deny")
    outcome = ask_for(bench, closed_port())
    assert outcome["envelope"]["code"] == "PERMISSION_DENIED"
    assert not bench.host.project.mapLayers()


@pytest.mark.parametrize(
    ("policy", "hosts", "agreed"),
    [("none", ["127.0.0.1:9"], True), ("none", ["127.0.0.1:10"], False), ("all", [], False), ("none", [], False)],
)
def test_headless_a_host_must_be_named(policy: str, hosts: list[str], agreed: bool) -> None:
    """--allow-network, and nothing else."""
    answers: list[str] = []
    card = {"kind": "permission", "reversible": False, "host": "127.0.0.1:9"}
    HeadlessApprover(policy, hosts=hosts).ask(card, answers.append)
    assert run_until(lambda: bool(answers), 5) and QCoreApplication.instance() is not None
    assert answers == ["once" if agreed else "headless"]
