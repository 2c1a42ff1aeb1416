"""The stdin and stdout of an MCP host, and the frames of the bridge between them.

The parent of the agent process owns them, so it passes lines on: each from the host is an ``mcp/frame`` to the agent process, each
frame back a line on stdout. A thread reads and another one writes, and neither makes QGIS wait; a host that sends faster than its
lines are passed on, or does not read, is what waits. Requests that are open when the agent process ends are answered here.
"""

from __future__ import annotations

import json
import queue
import threading
from typing import Any, BinaryIO, Callable, Dict, Optional

from qgis.PyQt.QtCore import QObject, Qt, pyqtSignal

from ...bridge.messages import INTERNAL_ERROR, INVALID_REQUEST, MAX_LINE_BYTES, MCP_END, MCP_FRAME
from ..agent_process import AgentSide
from ..i18n import translate

MAX_FRAME_BYTES = (MAX_LINE_BYTES - 2048) // 2
"""Of a line of the host: its text becomes a string in a message of the bridge, with each quote and backslash escaped."""
AHEAD = 32
"""Lines that are read before the first of them is passed on."""
MAX_UNREAD = 2_000
"""Lines that a host has not read; with more its stream ends."""
_END: Any = object()


class HostReader(QObject):
    """Reads a host's lines on a thread. ``line(bytes)`` for each, ``ended()`` at the end; both reach the main thread."""

    line = pyqtSignal(bytes)
    ended = pyqtSignal()

    def __init__(self, source: BinaryIO, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._source = source
        self._room = threading.Semaphore(AHEAD)

    def start(self) -> None:
        """Begin to read; the thread ends with the stream, or with the process."""
        threading.Thread(target=self._read, name="mcp-stdin", daemon=True).start()

    def taken(self) -> None:
        """A line has been passed on: there is room for another."""
        self._room.release()

    def _read(self) -> None:
        try:
            while True:
                text = self._source.readline(MAX_FRAME_BYTES + 1)
                if not text:
                    break
                if len(text) > MAX_FRAME_BYTES and not text.endswith(b"\n"):
                    text = self._long_line(text)
                if text.strip():
                    self._room.acquire()
                    self.line.emit(text)
        except (OSError, ValueError):  # closed under the reader: the same as its end
            pass
        finally:
            self.ended.emit()

    def _long_line(self, text: bytes) -> bytes:
        """Read a line that is too long to its end. What is given on is too long as well, and is refused by that."""
        while True:
            more = self._source.readline(MAX_FRAME_BYTES)
            if not more or more.endswith(b"\n"):
                return text


class HostWriter:
    """Writes lines to a host on a thread. ``broken`` once it cannot: the host has gone, or does not read."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._lines: queue.Queue = queue.Queue(MAX_UNREAD)
        self.broken = False
        self._thread = threading.Thread(target=self._run, name="mcp-stdout", daemon=True)
        self._thread.start()

    def put(self, text: str) -> None:
        """Write a line, later."""
        try:
            self._lines.put_nowait(text)
        except queue.Full:
            self.broken = True

    def close(self, wait_s: float) -> None:
        """Write what is left, for ``wait_s`` at most."""
        try:
            self._lines.put_nowait(_END)
        except queue.Full:
            return
        self._thread.join(wait_s)

    def _run(self) -> None:
        while True:
            text = self._lines.get()
            if text is _END:
                return
            try:
                self._write(text)
            except (OSError, ValueError):
                self.broken = True
                return


class Relay(QObject):
    """Passes the frames of one client between its host and the agent process. ``finished()`` when the host has ended and has
    its answers, or is gone. ``failed(str)``: the agent process ended; what was open has been answered."""

    finished = pyqtSignal()
    failed = pyqtSignal(str)

    def __init__(
        self, side: AgentSide, client_id: str, reader: HostReader, writer: HostWriter, parent: Optional[QObject] = None
    ) -> None:
        super().__init__(parent)
        self._side = side
        self._client_id = client_id
        self._reader = reader
        self._writer = writer
        self._open: Dict[str, Any] = {}
        """Ids of the host's requests that have no answer, by their JSON."""
        self._ended = False
        self._over = False
        reader.line.connect(self._from_host, Qt.ConnectionType.QueuedConnection)
        reader.ended.connect(self._host_ended, Qt.ConnectionType.QueuedConnection)
        side.told.connect(self._from_agent)
        side.down.connect(self._agent_ended)

    def _from_host(self, line: bytes) -> None:
        self._reader.taken()
        if self._over:
            return
        if len(line) > MAX_FRAME_BYTES:
            self._writer.put(error_line(None, INVALID_REQUEST, translate("QgisAgent", "This message is too long.")))
            return
        text = line.decode("utf-8", "replace").strip()
        self._note(_object(text) or {})
        if not self._side.tell(MCP_FRAME, {"client_id": self._client_id, "text": text}):
            self._agent_ended()

    def _note(self, message: Dict[str, Any]) -> None:
        """Which requests of the host are open; one that it cancels is not waited for."""
        if message.get("method") == "notifications/cancelled":
            given = message.get("params")
            self._open.pop(json.dumps(given.get("requestId") if isinstance(given, dict) else None), None)
        elif "method" in message and "id" in message:
            self._open[json.dumps(message["id"])] = message["id"]

    def _from_agent(self, method: str, params: Dict[str, Any]) -> None:
        if method != MCP_FRAME or params.get("client_id") != self._client_id or self._over:
            return
        text = str(params.get("text"))
        message = _object(text)
        if message is not None and "method" not in message:
            self._open.pop(json.dumps(message.get("id")), None)
        self._writer.put(text)
        self._look()

    def _host_ended(self) -> None:
        self._ended = True
        self._look()

    def _look(self) -> None:
        if not self._over and (self._writer.broken or (self._ended and not self._open)):
            self._over = True
            self._side.tell(MCP_END, {"client_id": self._client_id})
            self.finished.emit()

    def _agent_ended(self) -> None:
        if self._over:
            return
        self._over = True
        words = translate("QgisAgent", "The agent process of QGIS Agent ended. Start the server again.")
        for ident in self._open.values():
            self._writer.put(error_line(ident, INTERNAL_ERROR, words))
        self._open.clear()
        self.failed.emit(words)


def error_line(ident: Any, code: int, message: str) -> str:
    """An error answer of JSON-RPC, as a line."""
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": ident, "error": error}, ensure_ascii=False, separators=(",", ":"))


def _object(text: str) -> Optional[Dict[str, Any]]:
    """A JSON object, None for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
