"""A desk for MCP clients on a test's host, without an agent process: requests go in as the agent would send them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from qgis_agent.gis.host import Host, run_until
from qgis_agent.gis.mcp.desk import FixedClients, McpDesk
from qgis_agent.gis.mcp.settings import Client
from qgis_agent.gis.runs import RunController


class Person:
    """An approver that keeps its cards open until a test answers one."""

    def __init__(self) -> None:
        self.cards: list[dict[str, Any]] = []
        self.open: list[Callable[..., None]] = []

    def ask(self, card: dict[str, Any], answer: Callable[..., None]) -> Callable[[], None]:
        """See Approver."""
        self.cards.append(card)
        self.open.append(answer)
        return lambda: self.open.remove(answer) if answer in self.open else None

    def say(self, words: str) -> None:
        """Answer the open card."""
        answer = self.open.pop(0)
        answer(words)


class Asked:
    """A request of the agent process."""

    def __init__(self, method: str, params: dict[str, Any]) -> None:
        self.method, self.params = method, params
        self.answers: list[Any] = []
        self.on_cancel: Callable[[], None] | None = None

    def result(self, value: Any) -> None:
        """See Incoming."""
        self.answers.append(value)


class Front:
    """Clients "a" (may write, level safe_write) and "b" (reads), and who else a test names; a person; what the agent is told."""

    def __init__(self, host: Host, folder: Path, clients: Any = None, level: str = "full_access") -> None:
        self.person = Person()
        self.controller = RunController(host, self.person, records=folder, level=level)
        self.clients = clients or FixedClients(
            [Client("a", "Claude", "safe_write", ("write",)), Client("b", "Other"), Client("c", "Third", "safe_write")]
        )
        self.desk = McpDesk(self.controller, self.clients)
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.controller.side.tell = lambda method, params: bool(self.told.append((method, params))) or True
        self._number = 0

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request."""
        asked = Asked(method, params)
        assert self.desk.handles(asked)
        assert run_until(lambda: bool(asked.answers), 40)
        return asked.answers[0]

    def client(self, ident: str, **said: Any) -> dict[str, Any]:
        """What a client is let do."""
        return self.ask("mcp/client", client_id=ident, transport="http", **said)

    def begin(self, ident: str, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """Start a call of a client; its outcome comes into the list."""
        return self.begin_with(self.client(ident), name, arguments)

    def begin_with(self, given: dict[str, Any], name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        """The same with what mcp/client answered earlier."""
        self._number += 1
        outcomes: list[dict[str, Any]] = []
        params = {"call_id": f"m{self._number}", "caller": "mcp", "name": name, "arguments": arguments}
        self.controller.calls.start(
            {**params, "run_id": given["run_id"], "capability": given["capability"]}, outcomes.append
        )
        return outcomes

    def call(self, ident: str, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The envelope of a call."""
        return ended(self.begin(ident, name, **arguments))


def ended(outcomes: list[dict[str, Any]], seconds: float = 30) -> dict[str, Any]:
    """The envelope of a call that was begun."""
    assert run_until(lambda: bool(outcomes), seconds), "no answer"
    return outcomes[0]["envelope"]
