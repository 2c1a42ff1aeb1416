"""MCP clients: what QGIS lets each one do, and its calls through the same ToolRuntime as everybody's.

Nothing here imports the SDK. A client is known by an id that the transport gives ("stdio", or the id of the allowed client whose
token was presented); what a client says of itself is shown to a person and decides nothing.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ...bridge.envelope import FORBIDDEN, INVALID_PARAM, RATE_LIMITED, UPSTREAM_ERROR, Envelope, failure
from ...bridge.messages import MCP_CLIENT
from ...bridge.peer import RpcError
from ..charts.tool import SEEN
from ..context.untrusted import clean
from ..execution.bound import checked_envelope
from ..execution.context import QgisBridge

MAX_SAID = 80
"""Characters of what a client calls itself."""
CAPABILITY_ENDED = "capability"
"""The reason of FORBIDDEN for a call whose capability QGIS has taken back (another project was opened)."""
MAX_AT_ONCE = 8
"""Calls of one client that QGIS gets at a time; the others wait in line."""
MAX_IN_LINE = 64
PACE_S = 0.01
"""Seconds between two requests of MCP clients to QGIS, of all clients together: each takes a moment of its main thread, and fifty
clients at once must not take one long one."""
CHARTS = "qgis://charts/"
MAX_CHARTS = 50
MAX_CLIENTS = 256
"""Clients that are remembered; only ids that a person allowed, and "stdio", get so far."""


@dataclass(frozen=True)
class Access:
    """What QGIS answered to mcp/client. ``capability`` is its word for who calls; nothing is done without it."""

    capability: str
    session_id: str
    run_id: str
    level: str = "read_only"
    enabled_packs: tuple[str, ...] = ()
    language: str = ""
    project: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Chart:
    """The picture of a chart, and the capability under which it was drawn: QGIS shows it under no other."""

    path: Path
    capability: str


class AccessRefused(Exception):
    """QGIS lets the client do nothing now; ``envelope`` says why."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__(str(envelope.get("message", "")))
        self.envelope = envelope


class CallTool(Protocol):
    """RunService.call_tool."""

    async def __call__(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """One tool through the whole ToolRuntime: a ToolOutcome."""
        ...


class ResultKeeper(Protocol):
    """Keeps the full results behind handles where every replica of this server finds them (``store.py``)."""

    async def keep(self, client: Client, tool: str, arguments: Mapping[str, Any], envelope: Envelope) -> None:
        """A result with a ``result_ref`` is about to be told to ``client``: keep its pages, with what they came from."""
        ...

    async def fetch(self, client: Client, arguments: Mapping[str, Any]) -> Envelope | None:
        """The envelope of ``fetch_result`` with these (checked) arguments, after QGIS has said that the client may still see
        it. None where the store does not have this handle: QGIS's own table is asked then."""
        ...


class Pace:
    """Lets requests go one after the other, ``PACE_S`` apart, in the order in which they came."""

    def __init__(self) -> None:
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for one's turn."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        mine = max(now, self._next)
        self._next = mine + PACE_S
        if mine > now:
            await asyncio.sleep(mine - now)


class Client:
    """One client. ``name`` and ``version`` are its own words, cleaned and clipped."""

    def __init__(self, ident: str, transport: str, bridge: QgisBridge, call_tool: CallTool, pace: Pace) -> None:
        self.id = ident
        self._pace = pace
        self.transport = transport
        self.name = ""
        self.version = ""
        self.charts: OrderedDict[str, Chart] = OrderedDict()
        """The charts that it asked for, by the name that its resource has; the newest."""
        self._project: Any = None
        self._renamed = True
        self._bridge = bridge
        self._call_tool = call_tool
        self._access: Access | None = None
        self._asking: asyncio.Task[Access] | None = None
        self._places = asyncio.Semaphore(MAX_AT_ONCE)
        self._in_line = 0
        self.keeper: ResultKeeper | None = None

    @property
    def bridge(self) -> QgisBridge:
        """The way to QGIS, for what belongs to this client."""
        return self._bridge

    def said(self, name: str, version: str) -> None:
        """What the client calls itself; the first that is said counts until QGIS is asked anew."""
        if self._renamed:
            self._renamed = False
            self.name, self.version = clean(name, MAX_SAID), clean(version, MAX_SAID)

    def forget(self) -> None:
        """QGIS took the capability back, or another host speaks: it is asked for again at the next call."""
        self._access = None
        self._renamed = True

    async def access(self) -> Access:
        """What QGIS lets this client do; asked once, by whoever comes first. AccessRefused."""
        if self._access is not None:
            return self._access
        if self._asking is None:
            self._asking = asyncio.get_running_loop().create_task(self._ask())
            self._asking.add_done_callback(self._asked)
        return await asyncio.shield(self._asking)

    def _asked(self, task: asyncio.Task[Access]) -> None:
        self._asking = None
        if not task.cancelled() and task.exception() is None:
            self._access = task.result()

    async def _ask(self) -> Access:
        params = {"client_id": self.id, "name": self.name, "version": self.version, "transport": self.transport}
        try:
            answer = await self._bridge.request(MCP_CLIENT, params)
        except RpcError as error:
            raise AccessRefused(
                failure(
                    UPSTREAM_ERROR,
                    f"QGIS did not answer: {error.message[:200]}",
                    hint="Look whether QGIS is running, with its project open.",
                    reason="bridge",
                )
            ) from error
        return access_of(answer)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Envelope:
        """One tool call: its envelope, of at most 4,096 bytes. RATE_LIMITED where too many of this client wait already."""
        if self._in_line >= MAX_IN_LINE:
            return failure(
                RATE_LIMITED,
                f"{MAX_IN_LINE} calls of this client are waiting.",
                hint="Wait for their results before you call again.",
                reason="in_line",
            )
        self._in_line += 1
        try:
            async with self._places:
                return await self._granted(name, arguments)
        finally:
            self._in_line -= 1

    async def _granted(self, name: str, arguments: Mapping[str, Any]) -> Envelope:
        """The call under a capability; one that has ended is asked for once more."""
        for _attempt in range(2):
            try:
                access = await self.access()
            except AccessRefused as refused:
                return refused.envelope
            before, self._project = self._project, access.project.get("key")
            if before not in (None, self._project):
                return _another_project()
            envelope = await self._once(access, name, arguments)
            if envelope.get("code") != FORBIDDEN or envelope.get("reason") != CAPABILITY_ENDED:
                return envelope
            if self._access is access:
                self.forget()
        return envelope

    async def _once(self, access: Access, name: str, arguments: Mapping[str, Any]) -> Envelope:
        if name == "fetch_result" and self.keeper is not None:
            kept = await self.keeper.fetch(self, arguments)
            if kept is not None:
                return kept
        await self._pace.turn()
        outcome = await self._call_tool(
            {
                "run_id": access.run_id,
                "session_id": access.session_id,
                "capability": access.capability,
                "caller": "mcp",
                "name": name,
                "arguments": dict(arguments),
                "enabled_packs": list(access.enabled_packs),
                "language": access.language,
            }
        )
        charts = outcome.get("charts")
        envelope = self._with_charts(checked_envelope(outcome.get("envelope")), charts, access.capability)
        if self.keeper is not None and has_handle(envelope):
            await self.keeper.keep(self, name, arguments, envelope)
        return envelope

    def _with_charts(self, envelope: Envelope, charts: Any, capability: str) -> Envelope:
        """What make_chart drew is a resource of this client, which the result names."""
        for each in charts if isinstance(charts, list) else []:
            path = Path(str(each.get("file", "")))
            self.charts[path.name] = Chart(path, capability)
            data = {"chart": CHARTS + path.name, **envelope["data"]}
            said = str(envelope["message"]).replace(SEEN, "The resource that chart names is the picture.")
            envelope = {**envelope, "data": data, "message": said}
        while len(self.charts) > MAX_CHARTS:
            self.charts.popitem(last=False)
        return envelope

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """A request to QGIS in this client's name: its answer, or {envelope} that says why there is none."""
        for _attempt in range(2):
            try:
                access = await self.access()
                await self._pace.turn()
                answer = await self._bridge.request(method, {**params, "capability": access.capability})
            except AccessRefused as refused:
                return {"envelope": refused.envelope}
            except RpcError as error:
                text = f"QGIS did not answer: {error.message[:200]}"
                return {"envelope": failure(UPSTREAM_ERROR, text, hint="Try again.", reason="bridge")}
            result = answer if isinstance(answer, dict) else {}
            envelope = result.get("envelope")
            ended = isinstance(envelope, dict) and envelope.get("reason") == CAPABILITY_ENDED
            if not ended:
                return result
            if self._access is access:
                self.forget()
        return result


def _another_project() -> Envelope:
    """What was to be done on one project is not done on another unasked; the next call is."""
    return failure(
        INVALID_PARAM,
        "Another project is open in QGIS now. Nothing was done.",
        hint="Look at its layers (get_map_state, search_layers); then call again with their layer_ids.",
        reason="project_changed",
    )


def has_handle(envelope: Envelope) -> bool:
    """Whether a result names a handle that can be fetched from."""
    data = envelope.get("data")
    return bool(envelope.get("ok")) and isinstance(data, dict) and isinstance(data.get("result_ref"), str)


def access_of(answer: Any) -> Access:
    """The answer of mcp/client as an Access. AccessRefused where it is a no, or no answer at all."""
    given = answer if isinstance(answer, dict) else {}
    capability, session_id, run_id = (given.get(key) for key in ("capability", "session_id", "run_id"))
    if not (isinstance(capability, str) and capability and isinstance(session_id, str) and isinstance(run_id, str)):
        raise AccessRefused(checked_envelope(given.get("envelope")))
    packs, project = given.get("enabled_packs"), given.get("project")
    return Access(
        capability=capability,
        session_id=session_id,
        run_id=run_id,
        level=str(given.get("level", "read_only")),
        enabled_packs=tuple(each for each in packs if isinstance(each, str)) if isinstance(packs, list) else (),
        language=str(given.get("language", "")),
        project=project if isinstance(project, dict) else {},
    )


class Clients:
    """The clients of this process by id. The same id is the same client, whatever stream it comes by."""

    def __init__(
        self, bridge: QgisBridge, call_tool: CallTool, keeper: Callable[[], ResultKeeper | None] = lambda: None
    ) -> None:
        self._bridge = bridge
        self._call_tool = call_tool
        self._keeper = keeper
        self._pace = Pace()
        self._known: dict[str, Client] = {}

    def of(self, ident: str, transport: str) -> Client:
        """The client with this id. KeyError where there are too many."""
        client = self._known.get(ident)
        if client is None:
            if len(self._known) >= MAX_CLIENTS:
                raise KeyError("too many clients")
            client = self._known[ident] = Client(ident, transport, self._bridge, self._call_tool, self._pace)
        client.keeper = self._keeper()
        return client

    def forget(self, ident: str) -> None:
        """QGIS took the capability of a client back."""
        client = self._known.get(ident)
        if client is not None:
            client.forget()

    def drop(self, ident: str) -> None:
        """A client is not allowed any more."""
        self.forget(ident)
        self._known.pop(ident, None)
