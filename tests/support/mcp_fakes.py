"""Stand-ins for the agent process and its owner, as the settings of MCP see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qgis.PyQt.QtCore import QObject, pyqtSignal

from qgis_agent.bridge import messages
from qgis_agent.bridge.peer import RpcError


class FakeSide(QObject):
    """See AgentSide in gis/agent_process.py."""

    up = pyqtSignal()
    down = pyqtSignal()


class FakeAgent:
    """Keeps what it is asked. ``taken`` are ports that it cannot open; ``answering`` whether it answers at all."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.taken: set[int] = set()
        self.answering = True
        self.port = 0

    def request(self, method: str, params: dict[str, Any], answered: Callable[[Any, Any], None]) -> str:
        """As a Peer: the answer may come later, or here at once."""
        self.asked.append((method, params))
        if not self.answering:
            return "1"
        if method == messages.MCP_SERVE and params["port"] in self.taken:
            answered(None, RpcError(messages.INVALID_REQUEST, "address in use"))
        elif method == messages.MCP_SERVE:
            self.port = params["port"]
            answered({"port": self.port, "url": f"http://127.0.0.1:{self.port}/mcp"}, None)
        else:
            self.port = 0
            answered({}, None)
        return "1"


class FakeOwner:
    """A RunController, as far as Listening uses it: ``agent`` is None while no process runs, ``problem`` why none can."""

    def __init__(self, agent: FakeAgent | None = None, problem: str = "") -> None:
        self.side = FakeSide()
        self.agent = agent
        self.problem = problem
        self.wanted = 0

    def agent_when_up(self, then: Callable[[Any, str], None]) -> None:
        """See gis/runs.py."""
        self.wanted += 1
        then(self.agent, "" if self.agent is not None else self.problem)

    def agent_pid(self) -> int:
        """See gis/runs.py."""
        return 4711 if self.agent is not None else 0
