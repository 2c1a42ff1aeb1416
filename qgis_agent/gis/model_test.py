"""A test of a model in the agent process, as the page of settings asks for it. Nothing of it is kept. No widgets."""

from __future__ import annotations

import uuid
from typing import Any, Dict, Optional

from qgis.PyQt.QtCore import QObject, QTimer, pyqtSignal

from ..bridge import messages
from ..bridge.model_test import is_line
from ..bridge.peer import RpcError
from .agent_process import AgentProcess
from .i18n import translate
from .runs import RunController
from .secrets import REDACTOR, know_all

LONGEST_MS = 450_000
"""All requests of a test at their own limits: three of up to a minute, and the long one."""


class ModelTester(QObject):
    """One test at a time. Signals: ``line(dict)`` as in bridge/model_test.py, ``ended(str)`` once, with why it could not be done.

    Stopped by ``stop`` it ends too, with the words that say so. The key crosses the bridge and is written nowhere.
    """

    line = pyqtSignal(dict)
    ended = pyqtSignal(str)

    def __init__(self, controller: RunController, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._test_id = ""
        self.tested = ("", "")
        """Name and address of the model that the last test is about."""
        self._agent: Optional[AgentProcess] = None
        self._request = ""
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(lambda: self._end(translate("QgisAgent", "The test took too long.")))

    @property
    def running(self) -> bool:
        """Whether a test goes on."""
        return bool(self._test_id)

    def start(self, config: Dict[str, Any]) -> None:
        """Test {"model", "api_base", "api_key", "context_tokens"?}; nothing happens while another test goes on."""
        if self.running:
            return
        know_all(config)
        test_id = "test-" + uuid.uuid4().hex[:12]
        self._test_id = test_id
        self.tested = (str(config.get("model") or ""), str(config.get("api_base") or ""))
        self._deadline.start(LONGEST_MS)
        self._controller.agent_when_up(lambda agent, why: self._begin(test_id, config, agent, why))

    def stop(self) -> None:
        """End the test now; its requests are cancelled."""
        self._end(translate("QgisAgent", "The test was stopped."))

    def _begin(self, test_id: str, config: Dict[str, Any], agent: Optional[AgentProcess], why: str) -> None:
        if test_id != self._test_id:
            return  # stopped before the agent was up
        if agent is None:
            self._end(why or translate("QgisAgent", "The agent process is not there."))
            return
        self._agent = agent
        agent.model_tested.connect(self._tested)
        params = dict(config, test_id=test_id)
        params.pop("kind", None)
        self._request = agent.request(
            messages.MODEL_TEST, params, lambda result, error: self._answered(test_id, result, error)
        )

    def _tested(self, told: Dict[str, Any]) -> None:
        line = told.get("line")
        if self._test_id and told.get("test_id") == self._test_id and is_line(line):
            self.line.emit(REDACTOR.strings(line))

    def _answered(self, test_id: str, result: Any, error: Optional[RpcError]) -> None:
        if test_id != self._test_id:
            return
        self._request = ""
        if error is not None:
            self._end(REDACTOR.text(error.message) or translate("QgisAgent", "The agent process is not there."))
        elif not isinstance(result, dict) or "lines" not in result:
            self._end(translate("QgisAgent", "The test was stopped."))
        else:
            self._end("")

    def _end(self, why: str) -> None:
        if not self._test_id:
            return
        self._test_id = ""
        self._deadline.stop()
        agent, self._agent = self._agent, None
        request, self._request = self._request, ""
        if agent is not None:
            try:
                agent.model_tested.disconnect(self._tested)
                if request:
                    agent.cancel(request)
            except (RuntimeError, TypeError):  # the process has ended meanwhile, and its object with it
                agent = None
        self.ended.emit(why)
