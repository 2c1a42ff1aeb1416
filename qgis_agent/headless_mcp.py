"""``python -m qgis_agent mcp``: QGIS without a window as an MCP server, over stdin and stdout or on a local address."""

from __future__ import annotations

import argparse
import json
import os
import signal
import stat
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import QEventLoop, QTimer

from .bridge.messages import INTERNAL_ERROR, MCP_OPEN, MCP_SERVE
from .bridge.redaction import REDACTOR
from .bridge.requested import WRITE
from .gis.agent_process import AgentSide
from .gis.errors import ToolError
from .gis.headless import HeadlessApprover, HeadlessQgis
from .gis.host import Host
from .gis.mcp.desk import FixedClients, McpDesk
from .gis.mcp.relay import HostReader, HostWriter, Relay, error_line
from .gis.mcp.settings import Client, new_token, token_digest, write_private
from .gis.paths import PathPolicy
from .gis.runs import RunController, records_folder
from .headless_commands import register_provider

if TYPE_CHECKING:
    from .__main__ import Output

STDIO = "stdio"
HTTP = "command-line"
"""Ids of the clients that the command line lets in."""
KEPT_IN = "mcp_token.txt"
ENV_NAME = "QGIS_AGENT_MCP_TOKEN"
SIGNALS_MS = 200
"""Python sees a signal only when it runs: this often."""
LAST_WORDS_S = 2.0
FIRST_LINE_S = 10.0
"""How long a server that cannot begin waits for the request that it answers with why."""


class Server:
    """QGIS, a project and the agent process for one ``mcp`` command. ToolError, OSError and ValueError say why it cannot begin."""

    def __init__(self, arguments: argparse.Namespace, endpoint: Dict[str, str], clients: List[Client]) -> None:
        self.qgis = HeadlessQgis()
        self.controller: Optional[RunController] = None
        self._loop: Optional[QEventLoop] = None
        self._status: Optional[int] = None
        try:
            project = self.qgis.open_project(arguments.project)
            host = Host(project, paths=PathPolicy(project, write_roots=arguments.allow_write))
            may_write = bool(arguments.allow_write) and not arguments.replica
            approver = HeadlessApprover(arguments.approve, may_write, arguments.allow_network)
            # What one client may do is its own; the session's level leaves it as it is.
            self.controller = RunController(host, approver, caller="mcp", level="full_access")
            register_provider()
            requested = frozenset([WRITE]) if may_write and arguments.approve != "none" else frozenset()
            self.desk = McpDesk(self.controller, FixedClients(clients), requested=requested)
            key = endpoint["api_key"]
            self.controller.configure_model({"kind": "offline", **({"api_key": key} if key else {})})
        except BaseException:
            self.close()
            raise

    @property
    def side(self) -> AgentSide:
        """The agent process, for what belongs to no conversation."""
        if self.controller is None:
            raise RuntimeError("no controller")
        return self.controller.side

    def request(self, method: str, params: Dict[str, Any], done: Callable[[Any, str], None]) -> None:
        """Ask the agent process; ``done(result, "")`` or ``done(None, why not)``."""
        if self.controller is not None:
            self.controller.ask_agent(method, params, done)

    def run(self) -> int:
        """Serve until ``end`` or a signal; the exit status."""
        if self._status is None:
            self._loop = QEventLoop()
            look = QTimer()
            look.setInterval(SIGNALS_MS)
            look.timeout.connect(lambda: None)
            look.start()
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, lambda *_arguments: self.end(0))
            self._loop.exec()
        return self._status or 0

    def end(self, status: int) -> None:
        """Leave ``run``."""
        if self._status is None:
            self._status = status
        if self._loop is not None:
            self._loop.quit()

    def close(self) -> None:
        """End the agent process and QGIS."""
        if self.controller is not None:
            self.controller.close()
        self.qgis.close()


def mcp(arguments: argparse.Namespace, endpoint: Dict[str, str], output: Output) -> int:
    """``mcp``: serve, or look what is wrong."""
    token = os.environ.pop(ENV_NAME, "")
    REDACTOR.know(token)
    if arguments.check:
        from .headless_mcp_check import check

        return check(arguments, token, output)
    if arguments.http:
        return _http(arguments, endpoint, token, output)
    return _stdio(arguments, endpoint, output)


def client_of(arguments: argparse.Namespace, ident: str, label: str) -> Client:
    """What a client of the command line may do: read; with ``--approve`` what can be taken back; with ``--allow-write`` write."""
    if arguments.replica:
        return Client(ident, label)
    packs = ("write",) if arguments.allow_write else ()
    level = "read_only" if arguments.approve == "none" and not packs else "safe_write"
    return Client(ident, label, level, packs)


# stdio


def _stdio(arguments: argparse.Namespace, endpoint: Dict[str, str], output: Output) -> int:
    reader = HostReader(sys.stdin.buffer)
    writer = HostWriter(output.frame)
    try:
        server = Server(arguments, endpoint, [client_of(arguments, STDIO, STDIO)])
    except (ToolError, OSError, ValueError) as error:
        return _cannot_begin(why(error), sys.stdin.buffer, writer)
    try:
        relay: List[Relay] = []

        def opened(_result: Any, problem: str) -> None:
            if problem:
                server.end(_cannot_begin(problem, sys.stdin.buffer, writer))
                return
            relay.append(Relay(server.side, STDIO, reader, writer))
            relay[0].finished.connect(lambda: server.end(0))
            relay[0].failed.connect(lambda words: _say_and_end(server, words))
            reader.start()

        params = {"client_id": STDIO, "transport": STDIO, **({"store": arguments.store} if arguments.store else {})}
        server.request(MCP_OPEN, params, opened)
        return server.run()
    finally:
        writer.close(LAST_WORDS_S)
        server.close()


def _say_and_end(server: Server, words: str) -> None:
    sys.stderr.write("qgis_agent: {}\n".format(words))
    server.end(1)


def _cannot_begin(why: str, source: BinaryIO, writer: HostWriter) -> int:
    """A host shows its person what the answer to its first request says: say there why nothing can be served."""
    sys.stderr.write("qgis_agent: {}\n".format(why))
    first: List[Any] = []

    def read() -> None:
        for line in iter(source.readline, b""):
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict) and "method" in message and "id" in message:
                first.append(message["id"])
                return

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(FIRST_LINE_S)
    if first:
        writer.put(error_line(first[0], INTERNAL_ERROR, why))
    writer.close(LAST_WORDS_S)
    return 1


def why(error: BaseException) -> str:
    """What stopped the start, in words."""
    if isinstance(error, ToolError):
        return "{} {}".format(error.envelope["message"], error.envelope.get("hint", "")).strip()
    return str(error)


# HTTP


def _http(arguments: argparse.Namespace, endpoint: Dict[str, str], token: str, output: Output) -> int:
    client = client_of(arguments, HTTP, "command line")
    try:
        server = Server(arguments, endpoint, [client])
    except (ToolError, OSError, ValueError) as error:
        sys.stderr.write("qgis_agent: {}\n".format(why(error)))
        return 1
    try:
        token, where = token_of(arguments, token)

        def served(result: Any, problem: str) -> None:
            if problem:
                _say_and_end(server, problem)
                return
            sys.stderr.write("MCP: {} (token: {})\n".format(result["url"], where))
            sys.stderr.flush()
            if arguments.json:
                output.json({"url": result["url"], "port": result["port"], "token": where})

        allowed = [{"client_id": HTTP, "label": client.label, "token_sha256": token_digest(token)}]
        params: Dict[str, Any] = {
            "port": arguments.port,
            "clients": allowed,
            "store": arguments.store or "sqlite",
            "replica": arguments.replica,
            "fixtures": arguments.fixtures,
        }
        server.side.down.connect(lambda: _say_and_end(server, "The agent process ended."))
        server.request(MCP_SERVE, params, served)
        return server.run()
    except (OSError, ValueError) as error:
        sys.stderr.write("qgis_agent: {}\n".format(error))
        return 1
    finally:
        server.close()


def token_of(arguments: argparse.Namespace, token: str) -> tuple[str, str]:
    """(token, where it is from): the environment's, or the file's, which is made where there is none. OSError, ValueError."""
    if token and not arguments.token_file:
        return token, ENV_NAME
    path = Path(arguments.token_file) if arguments.token_file else records_folder() / KEPT_IN
    if not path.exists():
        made = new_token()
        write_private(path, made + "\n")
        return made, str(path)
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ValueError("{}: others can read this token. Run: chmod 600 {}".format(path, path))
    kept = path.read_text(encoding="utf-8").strip()
    if len(kept) < 20:
        raise ValueError(
            "{}: this is no token of at least 20 characters. Remove the file; a new one is made.".format(path)
        )
    REDACTOR.know(kept)
    return kept, str(path)
