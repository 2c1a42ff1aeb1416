"""The endpoint of MCP is open exactly while a person has it on: through restarts, changed lists and ports that are taken."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_fakes import FakeAgent, FakeOwner
from qgis.core import QgsSettings

from qgis_agent.bridge import messages
from qgis_agent.gis.mcp import listening as module
from qgis_agent.gis.mcp import settings
from qgis_agent.gis.mcp.listening import FAILED, OFF, ON, STARTING, Listening, state_words
from qgis_agent.gis.mcp.settings import Clients

SERVE, STOP = messages.MCP_SERVE, messages.MCP_STOP


@pytest.fixture(autouse=True)
def clean(qgis_app: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    monkeypatch.setattr(module, "RETRY_MS", (20, 20, 20))
    yield
    QgsSettings().remove("qgis_agent")


class World:
    """A Listening between its stand-ins."""

    def __init__(self, folder: Path, agent: FakeAgent | None = None, problem: str = "") -> None:
        self.agent = agent or FakeAgent()
        self.owner = FakeOwner(None if problem else self.agent, problem)
        self.clients = Clients(folder)
        self.revoked = 0
        self.listening = Listening(self.owner, self.clients, self._revoke_all)
        self.endpoint = folder / settings.ENDPOINT_NAME

    def _revoke_all(self) -> None:
        self.revoked += 1

    def turn(self, on: bool, port: int = 8766) -> None:
        """What the page does with Apply."""
        settings.choose_enabled(on)
        settings.choose_port(port)
        self.listening.follow()

    def asked(self) -> list[str]:
        """What the agent process was asked."""
        return [method for method, _params in self.agent.asked]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "records")


def test_it_is_off_until_somebody_turns_it_on(world: World) -> None:
    world.listening.follow()
    assert (world.listening.state, world.asked(), world.owner.wanted) == (OFF, [], 0)
    assert "no port is open" in state_words(world.listening)[0]


def test_turned_on_it_listens_for_those_who_are_allowed(world: World) -> None:
    client, token = world.clients.add("Claude Code")
    world.turn(True, 8899)
    assert world.listening.state == ON and "http://127.0.0.1:8899/mcp" in state_words(world.listening)[0]
    ((_method, params),) = world.agent.asked
    assert params["port"] == 8899
    assert params["clients"] == [{"client_id": client.id, "label": "Claude Code", "token_sha256": client.token_sha256}]
    assert token not in json.dumps(params), "the token itself goes nowhere"
    told = json.loads(world.endpoint.read_text(encoding="utf-8"))
    assert told == {"url": "http://127.0.0.1:8899/mcp", "port": 8899, "pid": os.getpid()}
    assert stat.S_IMODE(world.endpoint.stat().st_mode) == 0o600


def test_turned_off_it_closes_and_what_the_programs_held_ends(world: World) -> None:
    world.turn(True)
    world.turn(False)
    assert world.asked() == [SERVE, STOP] and world.revoked == 1 and world.agent.port == 0
    assert world.listening.state == OFF and not world.endpoint.exists()
    world.clients.add("Late")
    assert world.asked() == [SERVE, STOP]


def test_a_changed_list_is_told_at_once(world: World) -> None:
    world.turn(True)
    client, _token = world.clients.add("One")
    world.clients.rotate(client.id)
    world.clients.revoke(client.id)
    lists = [[each["token_sha256"] for each in params["clients"]] for _method, params in world.agent.asked]
    assert [len(each) for each in lists] == [0, 1, 1, 0] and lists[1] != lists[2]


def test_another_port_is_another_endpoint(world: World) -> None:
    world.turn(True, 8766)
    world.turn(True, 9000)
    assert [params["port"] for _method, params in world.agent.asked] == [8766, 9000]
    world.turn(True, 9000)
    assert len(world.agent.asked) == 2, "nothing has changed"


def test_a_port_that_is_taken_is_said_and_tried_again(world: World, qtbot: Any) -> None:
    world.agent.taken = {8766}
    world.turn(True)
    assert world.listening.state == FAILED and not world.endpoint.exists()
    said, more = state_words(world.listening)
    assert "8766" in said and "another QGIS" in said and more
    world.agent.taken = set()  # the other QGIS was closed
    qtbot.waitUntil(lambda: world.listening.state == ON, timeout=5000)


def test_no_environment_is_said_and_it_opens_when_there_is_one(tmp_path: Path, qtbot: Any) -> None:
    world = World(tmp_path, problem="The agent's environment is not built.")
    world.turn(True)
    assert world.listening.state == FAILED and "not built" in state_words(world.listening)[0]
    world.owner.agent, world.owner.problem = world.agent, ""
    world.owner.side.up.emit()
    qtbot.waitUntil(lambda: world.listening.state == ON, timeout=5000)


def test_it_comes_back_after_the_agent_process_died(world: World, qtbot: Any) -> None:
    world.turn(True)
    world.owner.agent = None
    world.owner.side.down.emit()
    assert world.listening.state == STARTING and not world.endpoint.exists()
    world.owner.agent = world.agent
    world.owner.side.up.emit()
    qtbot.waitUntil(lambda: world.listening.state == ON, timeout=5000)
    assert world.asked() == [SERVE, SERVE] and world.endpoint.exists()


def test_it_comes_back_also_where_nobody_else_starts_the_process(world: World, qtbot: Any) -> None:
    world.turn(True)
    wanted = world.owner.wanted
    world.owner.side.down.emit()
    qtbot.waitUntil(lambda: world.listening.state == ON, timeout=5000)
    assert world.owner.wanted == wanted + 1


def test_no_process_is_started_while_the_environment_is_built(world: World, qtbot: Any) -> None:
    going_on = [True]
    world.listening = Listening(world.owner, world.clients, world._revoke_all, building=lambda: going_on[0])
    world.turn(True)
    qtbot.wait(60)
    assert world.owner.wanted == 0 and world.listening.state == FAILED and "built" in world.listening.why
    going_on.clear()
    going_on.append(False)
    qtbot.waitUntil(lambda: world.listening.state == ON, timeout=5000)


def test_a_late_answer_does_not_open_what_was_turned_off(world: World) -> None:
    world.agent.answering = False
    late: list[Any] = []
    world.agent.request = lambda method, params, answered: late.append((method, answered))  # type: ignore[method-assign]
    world.turn(True)
    world.turn(False)
    late[0][1]({"port": 8766, "url": "http://127.0.0.1:8766/mcp"}, None)
    assert world.listening.state == OFF and not world.endpoint.exists()
    assert [method for method, _answered in late] == [SERVE, STOP]


def test_qgis_leaves_and_nothing_is_begun_any_more(world: World, qtbot: Any) -> None:
    world.turn(True)
    world.listening.close()
    assert not world.endpoint.exists()
    world.owner.side.down.emit()
    world.owner.side.up.emit()
    world.clients.add("Late")
    qtbot.wait(60)
    assert world.asked() == [SERVE]


def test_the_file_of_another_qgis_is_left_alone(world: World) -> None:
    world.turn(True)
    other = json.dumps({"url": "x", "port": 1, "pid": os.getpid() + 1})
    world.endpoint.write_text(other, encoding="utf-8")
    world.turn(False)
    assert world.endpoint.read_text(encoding="utf-8") == other
