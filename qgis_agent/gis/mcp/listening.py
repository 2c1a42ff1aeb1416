"""Keeps the endpoint of MCP open while a person has it on: through restarts of the agent process and changes of the list.

The agent process listens (``mcp/serve``); here it is told to, again and again. Nothing here waits: a conversation never notices.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple

from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from ...bridge import messages
from ...bridge.peer import RpcError
from ..i18n import translate
from ..secrets import log
from . import settings
from .settings import ENDPOINT_NAME, Client, Clients, write_private

OFF, STARTING, ON, FAILED = "off", "starting", "on", "failed"
RETRY_MS = (3_000, 10_000, 30_000)
"""After a failure it is tried again after these, then after the last of them: another QGIS may have closed its port."""
STEADY_S = 60.0
"""An endpoint that was open for so long is no failure when its process ends: it is opened again soon."""
STORE = "sqlite"


class Controller(Protocol):
    """What is used of a RunController."""

    side: Any

    def agent_when_up(self, then: Callable[[Any, str], None]) -> None:
        """See gis/runs.py."""

    def agent_pid(self) -> int:
        """See gis/runs.py."""


class Listening(QObject):
    """``changed`` when what ``state``, ``url`` or ``why`` say is another. ``follow`` takes the settings over; ``close`` for good."""

    changed = pyqtSignal()

    def __init__(
        self,
        controller: Controller,
        clients: Clients,
        revoke_all: Callable[[], None] = lambda: None,
        parent: Optional[QObject] = None,
        building: Callable[[], bool] = lambda: False,
    ) -> None:
        """``revoke_all`` ends what the programs hold in QGIS; it is called when the endpoint is turned off. While ``building``
        says so no process is started: the agent's environment is being built or removed."""
        super().__init__(parent)
        self.state, self.url, self.why = OFF, "", ""
        self._controller = controller
        self._clients = clients
        self._revoke_all = revoke_all
        self._building = building
        self._port = 0
        self._wanted = False
        self._closed = False
        self._round = 0
        """Goes on with each attempt: answers to an earlier one are not listened to."""
        self._failures = 0
        self._since = 0.0
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.timeout.connect(self._begin)
        clients.changed.connect(self._list_changed)
        controller.side.up.connect(self._agent_up)
        controller.side.down.connect(self._agent_down)

    # what a person does

    def follow(self) -> None:
        """The settings may be others now: open, move or close the endpoint."""
        wanted, port = settings.enabled(), settings.port()
        if self._closed or (wanted == self._wanted and port == self._port and self.state != FAILED):
            return
        if self._wanted and not wanted:
            self._wanted = False
            self._stop()
            return
        self._wanted, self._port = wanted, port
        self._failures = 0
        if wanted:
            self._begin()

    def close(self) -> None:
        """QGIS or the plugin ends. The agent process, which listens, is ended by its owner."""
        if not self._closed:
            self._closed, self._wanted = True, False
            self._retry.stop()
            self._forget_endpoint()

    # opening

    def _begin(self) -> None:
        """Have the agent process listen, which is started if need be."""
        self._retry.stop()
        if not self._wanted or self._closed:
            return
        self._round += 1
        turn = self._round
        if self._building():
            self._failed(translate("QgisAgent", "the agent's environment is being built or removed."))
            return
        if self.state != ON:
            self._say(STARTING)
        self._controller.agent_when_up(lambda agent, problem: self._serve(turn, agent, problem))

    def _serve(self, turn: int, agent: Any, problem: str) -> None:
        if turn != self._round or not self._wanted:
            return
        if agent is None:
            self._failed(problem)
            return
        params = {
            "port": self._port,
            "clients": [_served(each) for each in self._clients.listed()],
            "store": STORE,
            "replica": False,
            "fixtures": False,
        }
        agent.request(messages.MCP_SERVE, params, lambda result, error: self._served(turn, result, error))

    def _served(self, turn: int, result: Any, error: Optional[RpcError]) -> None:
        if turn != self._round or not self._wanted:
            return
        if error is not None and error.code == messages.PEER_CLOSED:
            return  # the process has ended: _agent_down begins anew
        if error is not None:
            words = translate("QgisAgent", "Port {} cannot be opened; perhaps another QGIS has it open. ({})")
            self._failed(words.format(self._port, error.message))
            return
        self._since = time.monotonic()
        self.url = str(result.get("url", ""))
        self._note_endpoint(int(result.get("port", self._port)))
        self._say(ON)

    def _failed(self, why: str) -> None:
        self._forget_endpoint()
        self._say(FAILED, why)
        self._again_later()

    def _again_later(self) -> None:
        self._retry.start(RETRY_MS[min(self._failures, len(RETRY_MS) - 1)])
        self._failures += 1

    # changes

    def _list_changed(self) -> None:
        if self._wanted and self.state in (ON, STARTING):
            self._begin()

    def _agent_up(self) -> None:
        """A new process, whoever started it, listens on nothing yet."""
        if self._wanted:
            QTimer.singleShot(0, self._begin)

    def _agent_down(self) -> None:
        """The process ended: its owner may start another, else it is done here, a little later."""
        if self._wanted and not self._closed:
            self._round += 1
            if self.state == ON and time.monotonic() - self._since > STEADY_S:
                self._failures = 0
            self._forget_endpoint()
            self._say(STARTING)
            self._again_later()

    def _stop(self) -> None:
        self._round += 1
        self._retry.stop()
        self._revoke_all()
        if self._controller.agent_pid():
            self._controller.agent_when_up(self._tell_to_stop)
        self._forget_endpoint()
        self._say(OFF)

    def _tell_to_stop(self, agent: Any, _problem: str) -> None:
        if agent is not None and not self._wanted:
            agent.request(messages.MCP_STOP, {}, _stopped)

    def _say(self, state: str, why: str = "") -> None:
        if state != ON:
            self.url = ""
        if (state, why) != (self.state, self.why) or state == ON:
            self.state, self.why = state, why
            self.changed.emit()

    # for programs that look for QGIS (mcp_forwarder.py)

    def _note_endpoint(self, port: int) -> None:
        text = json.dumps({"url": self.url, "port": port, "pid": os.getpid()})
        try:
            write_private(self._endpoint(), text + "\n")
        except OSError as error:
            log("{} cannot be written: {}".format(ENDPOINT_NAME, error.strerror or error))

    def _forget_endpoint(self) -> None:
        """Take the file away, unless another QGIS has written it since."""
        try:
            if json.loads(self._endpoint().read_text(encoding="utf-8")).get("pid") == os.getpid():
                self._endpoint().unlink()
        except (OSError, ValueError, AttributeError):
            return  # there is none, or none of ours

    def _endpoint(self) -> Path:
        return self._clients.path.with_name(ENDPOINT_NAME)


def state_words(listening: Listening) -> Tuple[str, List[str]]:
    """How it stands, for people: a sentence, and more of them where there is more to know."""
    return (
        {
            OFF: translate("QgisAgent", "Off: no port is open, and no program can reach QGIS."),
            STARTING: translate("QgisAgent", "Opening…"),
            ON: translate("QgisAgent", "Listening on {}, for programs on this computer only.").format(listening.url),
            FAILED: translate("QgisAgent", "Not open: {}").format(listening.why),
        }[listening.state],
        [translate("QgisAgent", "It is tried again by itself.")] if listening.state == FAILED else [],
    )


def _served(client: Client) -> Dict[str, str]:
    return {"client_id": client.id, "label": client.label, "token_sha256": client.token_sha256}


def _stopped(_result: Any, error: Optional[RpcError]) -> None:
    if error is not None and error.code != messages.PEER_CLOSED:
        log("mcp/stop: {}".format(error.message))
