"""McpDesk: what QGIS lets MCP clients do. It answers the agent process's requests about them.

A client gets a *capability* when it calls for the first time, for as long as the project is open and the person changes nothing
about it: then the capability ends, its calls and questions with it, and the client's next call asks anew. What a capability is
worth is decided as for every other caller, in ``Calls`` and the ledger: the client's level and packs, under the session's level.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, List, Optional, Protocol, Tuple

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from ...bridge import messages
from ...bridge.peer import Incoming
from ...bridge.requested import HOST
from .. import run_choices
from ..approvals import LEVELS, Capability
from ..at_home import projection as at_home
from ..errors import FORBIDDEN, NOT_FOUND, Envelope, ToolError
from ..i18n import translate
from ..layers import clean_text
from ..work import cancelled
from .origins import Origins
from .picture import Pictures
from .settings import Client

if TYPE_CHECKING:
    from ..runs import RunController

IDLE_S = 1800.0
"""The capability of a client that has not called for so long ends: it is not taken for connected any more, and asks anew."""
LOOK_MS = 60_000
GRANTS_OF = "mcp:mcp-"
"""How the caller of a client's grants begins; its id follows (approvals.grant_caller)."""
MAX_SAID = 80
"""Characters of what a program calls itself."""


class Allowed(Protocol):
    """Who may call: ``Clients`` of settings.py, or what the command line names (``FixedClients``)."""

    changed: Any
    problem: str

    def find(self, ident: str) -> Optional[Client]:
        """The client of an id."""

    def admits(self) -> bool:
        """Whether anybody is let in now."""

    def note_seen(self, ident: str) -> None:
        """The client has called."""


@dataclass(frozen=True)
class Held:
    """A client that holds a capability. ``said`` is what the program calls itself, cleaned: it decides nothing."""

    capability: Capability
    client: Client
    session_level: str
    said: str

    @property
    def level(self) -> str:
        """The stricter of the client's level and the session's."""
        return min(self.client.level, self.session_level, key=list(LEVELS).index)


class McpDesk(QObject):
    """See the module. ``connected`` tells that somebody holds a capability who did not, or does not any more.

    ``requested``: what the person who started it asks for beforehand (the command line's ``--allow-write``); in QGIS nothing.
    """

    connected = pyqtSignal()

    def __init__(
        self,
        controller: RunController,
        clients: Allowed,
        parent: Optional[QObject] = None,
        requested: FrozenSet[str] = frozenset(),
    ) -> None:
        super().__init__(parent if parent is not None else controller)
        self._controller = controller
        self._host = controller.host
        self._clients = clients
        self._requested = requested
        self._held: Dict[str, Held] = {}
        self._origins = Origins(self._host)
        self._pictures = Pictures(self._host, self)
        self._answers: Dict[str, Callable[[Incoming], None]] = {
            messages.MCP_CLIENT: lambda incoming: incoming.result(self._client(incoming.params)),
            messages.MCP_ACCESS: lambda incoming: incoming.result(self._access(incoming.params)),
            messages.MCP_SEAL: lambda incoming: incoming.result(self._seal(incoming.params)),
            messages.MAP_PICTURE: self._picture,
        }
        controller.side.handlers.append(self.handles)
        controller.side.level_changed.connect(self._look)
        controller.side.down.connect(lambda: self._end_all(tell=False))
        controller.calls.writers.keep_out = lambda running: self._controller.running and _of_mcp(running)
        controller.finished.connect(lambda _report: QTimer.singleShot(0, controller.calls.writers.look))
        clients.changed.connect(self._list_changed)
        self._clock = QTimer(self)
        self._clock.setInterval(LOOK_MS)
        self._clock.timeout.connect(self._end_idle)
        self._clock.start()
        # What was shown before is not to be had again by a name that the agent process kept.
        self._host.scope.changed.connect(self._project_changed)
        self._host.project.cleared.connect(self._project_changed)
        self._host.project.readProject.connect(self._project_changed)

    def handles(self, incoming: Incoming) -> bool:
        """Answer a request of the agent process; False for one that is none of these."""
        answer = self._answers.get(incoming.method)
        if answer is not None:
            answer(incoming)
        return answer is not None

    def now(self) -> List[Tuple[str, str, str]]:
        """(id, label, what the program calls itself) of the clients that hold a capability."""
        return [(ident, held.client.label, held.said) for ident, held in self._held.items()]

    def revoke(self, ident: str) -> None:
        """The capability of a client ends: its calls stop, its questions close, what it was allowed for the session is forgotten."""
        held = self._held.get(ident)
        self._end(ident, tell=True)
        if held is not None:
            self._host.ledger.session_ended(held.capability.session_id)

    def revoke_all(self) -> None:
        """The same for all clients: MCP is turned off."""
        for ident in list(self._held):
            self.revoke(ident)

    # requests

    def _client(self, params: Dict[str, Any]) -> Dict[str, Any]:
        ident = str(params.get("client_id"))
        client = self._clients.find(ident) if self._clients.admits() else None
        if client is None:
            return {"envelope": _not_allowed()}
        held = self._held.get(ident)
        if held is None or not self._host.ledger.stands(held.capability) or not self._same(held, client):
            self._end(ident, tell=False)
            held = self._issue(client, params)
        self._clients.note_seen(ident)
        return {
            "capability": held.capability.token,
            "session_id": held.capability.session_id,
            "run_id": held.capability.run_id,
            "level": held.level,
            "enabled_packs": sorted(held.capability.enabled_packs),
            "language": run_choices.language() or ("zh" if QgsApplication.locale().startswith("zh") else "en"),
            "project": self._origins.project(),
        }

    def _issue(self, client: Client, params: Dict[str, Any]) -> Held:
        approver = self._controller.calls.approver
        hosts = [HOST + each for each in getattr(approver, "hosts", ())]  # --allow-network names them
        capability = self._host.ledger.issue(
            caller="mcp",
            level=client.level,
            session_id="mcp-" + client.id,
            run_id="mcp-{}-{}".format(client.id, uuid.uuid4().hex[:12]),
            project_id=self._host.project_id(),
            enabled_packs=frozenset(client.packs),
            within=(self._controller.level,),
            requested=frozenset((*self._requested, *hosts)),
            attended=not getattr(approver, "unattended", False),
            client=clean_text(client.label, MAX_SAID),
        )
        said = clean_text("{} {}".format(params.get("name") or "", params.get("version") or ""), MAX_SAID)
        held = Held(capability, client, self._controller.level, said)
        self._held[client.id] = held
        self._host.checkpoints.begin_run(
            capability.run_id, translate("QgisAgent", "Changes by “{}”, over MCP").format(capability.client)
        )
        self._host.audit.event("client_connected", capability, said=said, transport=str(params.get("transport"))[:10])
        self.connected.emit()
        return held

    def _access(self, params: Dict[str, Any]) -> Dict[str, Any]:
        origin = params.get("origin")
        chart = origin.get("chart") if isinstance(origin, dict) else None
        try:
            capability = self._capability(params)
            if chart is None:
                self._origins.require(origin)
            elif at_home.wanted():
                raise _values_stay()
            elif chart != capability.token:
                raise _drawn_before()
        except ToolError as error:
            return {"allowed": False, "envelope": error.envelope}
        self._read(capability, "chart" if chart is not None else "result")
        return {"allowed": True}

    def _read(self, capability: Capability, what: str) -> None:
        """What the agent process shows a client by itself is written down here, and may hold text of others."""
        self._host.taint.note(capability.session_id, "map_picture", {"data": True})
        self._host.audit.event("client_read", capability, what=what)

    def _seal(self, params: Dict[str, Any]) -> Dict[str, Any]:
        try:
            return self._origins.rows(self._capability(params), str(params.get("result_ref")), params.get("cursor"))
        except ToolError as error:
            return {"envelope": error.envelope}

    def _picture(self, incoming: Incoming) -> None:
        try:
            capability = self._capability(incoming.params)
            if at_home.wanted():
                raise _values_stay()
            given = incoming.params
            cancel = self._pictures.draw(given.get("width"), given.get("height"), incoming.result)
        except ToolError as error:
            incoming.result({"envelope": error.envelope})
            return
        self._read(capability, "picture")  # labels on it are text of others
        incoming.on_cancel = lambda: _give_up(incoming, cancel)

    def _capability(self, params: Dict[str, Any]) -> Capability:
        """The capability of a request, which is a client's. FORBIDDEN."""
        capability = self._host.ledger.capability(params.get("capability"), self._host.project_id())
        if capability.caller != "mcp":
            raise ToolError(FORBIDDEN, translate("QgisAgent", "This is for MCP clients only."), reason="caller")
        return capability

    # ends

    def _same(self, held: Held, client: Client) -> bool:
        """Whether a capability is what the client would get now."""
        before = held.client
        return held.session_level == self._controller.level and (
            (before.level, before.packs, before.label, before.token_sha256)
            == (client.level, client.packs, client.label, client.token_sha256)
        )

    def _look(self) -> None:
        """The person has changed something: capabilities that are not what their client would get now end."""
        for ident, held in list(self._held.items()):
            client = self._clients.find(ident)
            if client is None or client.token_sha256 != held.client.token_sha256:
                self.revoke(ident)
            elif not self._same(held, client):
                self._end(ident, tell=True)

    def _list_changed(self) -> None:
        """Also what a program was allowed for good ends with it: its id never comes again."""
        self._look()
        grants = self._host.ledger.grants
        gone = [
            each.id
            for each in grants.listed()
            if each.caller.startswith(GRANTS_OF) and self._clients.find(each.caller[len(GRANTS_OF) :]) is None
        ]
        if gone and not self._clients.problem:
            grants.revoke_all(gone)

    def _end_idle(self) -> None:
        for ident, held in list(self._held.items()):
            if self._host.ledger.idle_s(held.capability) >= IDLE_S:
                self._end(ident, tell=True)

    def _project_changed(self, *_arguments: Any) -> None:
        """Another project, none, or another scope: what the clients hold ends, with what they had begun; they ask anew."""
        self._end_all(tell=True)

    def _end_all(self, tell: bool) -> None:
        for ident in list(self._held):
            self._end(ident, tell)

    def _end(self, ident: str, tell: bool) -> None:
        held = self._held.pop(ident, None)
        if held is None:
            return
        self._controller.calls.end_run(held.capability)
        self._host.ledger.revoke(held.capability)
        self._host.audit.event("client_ended", held.capability)
        if tell:
            self._controller.side.tell(messages.MCP_REVOKED, {"client_id": ident})
        self.connected.emit()


class FixedClients(QObject):
    """The clients that the command line names; nothing of them is kept. ``changed`` is never emitted."""

    changed = pyqtSignal()
    problem = ""

    def __init__(self, clients: List[Client], parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._clients = {each.id: each for each in clients}

    def find(self, ident: str) -> Optional[Client]:
        """See Allowed."""
        return self._clients.get(ident)

    def admits(self) -> bool:
        """See Allowed."""
        return True

    def note_seen(self, ident: str) -> None:
        """See Allowed: nobody asks when."""


def _of_mcp(running: Any) -> bool:
    return bool(running.ruled.caller == "mcp")


def _give_up(incoming: Incoming, cancel: Callable[[], None]) -> None:
    cancel()
    incoming.result({"envelope": cancelled().envelope})


def _not_allowed() -> Envelope:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "This program is not allowed to use QGIS."),
        hint=translate(
            "QgisAgent", "A person can allow it in QGIS: options of QGIS Agent, page “Other programs (MCP)”."
        ),
        reason="client",
    ).envelope


def _drawn_before() -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "This chart was drawn before something changed in QGIS."),
        hint=translate("QgisAgent", "Ask for the chart again."),
        reason="chart",
    )


def _values_stay() -> ToolError:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "Attribute values stay in QGIS, and a picture of the map may show some."),
        hint=translate("QgisAgent", "Ask for counts and names; the person sees the map in QGIS."),
        reason="values_at_home",
    )
