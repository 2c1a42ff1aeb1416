"""Starts the agent process, speaks with it, notices its death.

The parent is always the QGIS side. Keys go over stdin. No socket is opened. Nothing here blocks, except ``close``, which
gives the process a moment to end by itself.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from qgis.PyQt.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, pyqtSignal

from ..bridge import messages
from ..bridge.peer import Incoming, OnAnswer, Peer, RpcError
from .contracts import PLUGIN_ROOT, SCHEMA_PATH
from .i18n import translate
from .inbox import Inbox
from .secrets import log, without_secrets

AGENT_SCRIPT = PLUGIN_ROOT / "qgis_agent" / "agent" / "__main__.py"
START_TIMEOUT_MS = 15_000
CLOSE_WAIT_MS = 1_500
STDERR_LINES = 20


class AgentProcess(QObject):
    """One agent process.

    Signals: ``ready(dict)`` with the answer to initialize; ``died(str)`` with what to tell the person, once, when it ended
    without being closed; ``run_event(dict)`` for each run event; ``model_tested(dict)`` for each line of a test;
    ``called(object)`` with an Incoming for each request of it; ``told(str, dict)`` for each of its other notifications;
    ``ended()`` when it was closed or died.
    """

    ready = pyqtSignal(dict)
    died = pyqtSignal(str)
    run_event = pyqtSignal(dict)
    model_tested = pyqtSignal(dict)
    called = pyqtSignal(object)
    told = pyqtSignal(str, dict)
    ended = pyqtSignal()

    def __init__(
        self, python: Path, environment: Dict[str, str], records_dir: Path, parent: Optional[QObject] = None
    ) -> None:
        super().__init__(parent)
        self.records_dir = records_dir
        self._closing = False
        self._dead = False
        self._errors: List[str] = []
        self._process = QProcess(self)
        self._process.setProgram(str(python))
        self._process.setArguments(["-X", "utf8", str(AGENT_SCRIPT)])
        self._process.setWorkingDirectory(str(records_dir))
        wanted = QProcessEnvironment()
        for name, value in environment.items():
            wanted.insert(name, value)
        self._process.setProcessEnvironment(wanted)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.readyReadStandardError.connect(self._read_errors)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._failed_to_start)
        self._inbox = Inbox(lambda data: self._peer.feed(data), self)
        self._peer = Peer(self._write, self.called.emit, self._notified, self._log, "q")
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(self._too_slow)

    def start(self, parameters: Dict[str, Any]) -> None:
        """Start the process and say initialize; ``ready`` or ``died`` follows."""
        self._process.start()
        request = dict(
            parameters,
            protocol=messages.PROTOCOL_VERSION,
            records_dir=str(self.records_dir),
            tools_schema=str(SCHEMA_PATH),
        )
        self._deadline.start(START_TIMEOUT_MS)
        self._peer.request(messages.INITIALIZE, request, self._initialized)

    def request(self, method: str, params: Dict[str, Any], on_answer: OnAnswer) -> str:
        """Ask the agent. ``on_answer(result, error)`` is called once, with PEER_CLOSED when the process ends first."""
        return self._peer.request(method, params, on_answer)

    def notify(self, method: str, params: Dict[str, Any]) -> None:
        """Tell the agent something."""
        self._peer.notify(method, params)

    def cancel(self, ident: str) -> None:
        """Cancel a request of ours."""
        self._peer.cancel(ident)

    def pid(self) -> int:
        """The process id, 0 when it does not run."""
        return int(self._process.processId())

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.state() != QProcess.ProcessState.NotRunning and not self._dead

    def close(self) -> None:
        """End the process: by word, then by end of its stdin, then by force."""
        first, self._closing = not self._closing and not self._dead, True
        self._deadline.stop()
        if first:
            self.ended.emit()
        if self._process.state() == QProcess.ProcessState.NotRunning:
            self._peer.close(translate("QgisAgent", "The agent process is closed."))
            return
        self._peer.notify(messages.SHUTDOWN, {})
        self._peer.close(translate("QgisAgent", "The agent process is closed."))
        self._process.closeWriteChannel()
        if not self._process.waitForFinished(CLOSE_WAIT_MS):
            self._process.terminate()
            if not self._process.waitForFinished(500):
                self._process.kill()
                self._process.waitForFinished(500)

    def kill(self) -> None:
        """End a process that no longer listens; ``died`` follows."""
        self._process.kill()

    def _write(self, line: bytes) -> None:
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.write(line)

    def _read(self) -> None:
        self._inbox.add(bytes(self._process.readAllStandardOutput()))

    def _read_errors(self) -> None:
        text = bytes(self._process.readAllStandardError()).decode("utf-8", "replace")
        for line in text.splitlines():
            if line.strip():
                told = without_secrets(line.strip())[:500]  # before it is cut: half a key is none that is known
                self._errors = (self._errors + [told])[-STDERR_LINES:]
                self._log(told)

    def _initialized(self, result: Any, error: Optional[RpcError]) -> None:
        self._deadline.stop()
        if error is not None:
            if error.code != messages.PEER_CLOSED:
                self._die(_why_not_ready(error))
            return
        if not isinstance(result, dict) or result.get("protocol") != messages.PROTOCOL_VERSION:
            self._die(_version_text())
            return
        self.ready.emit(result)

    def _too_slow(self) -> None:
        self._die(
            translate("QgisAgent", "The agent process did not answer within {} s.").format(START_TIMEOUT_MS // 1000)
        )

    def _failed_to_start(self, error: Any) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._die(
                translate("QgisAgent", "The agent process could not be started: {}").format(self._process.errorString())
            )

    def _finished(self, code: int, _status: Any) -> None:
        self._read()
        self._inbox.drain()
        if self._closing:
            return
        last = self._errors[-1] if self._errors else ""
        text = translate("QgisAgent", "The agent process ended unexpectedly (code {}).").format(code)
        self._die("{} {}".format(text, last).strip())

    def _die(self, why: str) -> None:
        if self._dead or self._closing:
            return
        self._dead = True
        self._deadline.stop()
        self._peer.close(why)
        self.ended.emit()
        self.died.emit(why)
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.kill()

    def _notified(self, method: str, params: Dict[str, Any]) -> None:
        if method == messages.RUN_EVENT:
            self.run_event.emit(params)
        elif method == messages.MODEL_TESTED:
            self.model_tested.emit(params)
        elif method == messages.LOG:
            self._log(without_secrets(str(params.get("text", "")))[:2000])
        elif self.receivers(self.told):
            self.told.emit(method, params)
        else:
            self._log("unknown notification: {!r}".format(method))

    @staticmethod
    def _log(text: str) -> None:
        log(text)


class AgentSide(QObject):
    """What else than a conversation has to do with the agent process, through all of its lives: MCP.

    ``up()``: a new process listens. ``down()``: it has ended, or was ended. ``told(method, params)``: a notification that belongs
    to no conversation. ``level_changed()``: the person chose another level of permission. ``handlers`` are asked in order whether
    they answer a request that the conversation does not know; each gives whether it does.
    """

    up = pyqtSignal()
    down = pyqtSignal()
    told = pyqtSignal(str, dict)
    level_changed = pyqtSignal()

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self.handlers: List[Callable[[Incoming], bool]] = []
        self._agent: Optional[AgentProcess] = None

    def attach(self, agent: AgentProcess, called: Callable[[Incoming], None]) -> None:
        """A process begins; ``called`` answers the requests of conversations."""
        self._agent = agent
        agent.called.connect(called)
        agent.ready.connect(lambda _answer: self.up.emit())
        agent.told.connect(self.told.emit)
        agent.ended.connect(lambda: self._ended(agent))

    def answered(self, incoming: Incoming) -> bool:
        """Whether one of ``handlers`` answers the request."""
        return any(each(incoming) for each in self.handlers)

    def tell(self, method: str, params: Dict[str, Any]) -> bool:
        """Tell the agent something; False when no process listens. ValueError for what does not fit a line."""
        if self._agent is None or not self._agent.alive():
            return False
        self._agent.notify(method, params)
        return True

    def _ended(self, agent: AgentProcess) -> None:
        if agent is self._agent:
            self._agent = None
            self.down.emit()


def _why_not_ready(error: RpcError) -> str:
    if error.code == messages.VERSION_MISMATCH:
        return _version_text()
    return translate("QgisAgent", "The agent process could not begin: {}").format(error.message)


def _version_text() -> str:
    return translate(
        "QgisAgent", "Plugin and agent environment are of different versions. Build the agent environment again."
    )


def answer_unknown(incoming: Incoming) -> None:
    """The answer to a request that the QGIS side does not know."""
    incoming.error(messages.METHOD_NOT_FOUND, "unknown method {!r}".format(incoming.method))


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner reads."""
    path.mkdir(parents=True, exist_ok=True)
    os.chmod(str(path), 0o700)
    return path
