"""Runs algorithms of our provider as Processing does, and keeps what they said."""

from __future__ import annotations

from typing import Any

from qgis.core import QgsApplication, QgsProcessingContext, QgsProcessingFeedback, QgsProject

from qgis_agent.gis.host import Host
from qgis_agent.processing.desk import Desk


class Feedback(QgsProcessingFeedback):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(False)
        self.said: list[str] = []
        self.warned: list[str] = []

    def pushInfo(self, info: str) -> None:  # noqa: N802
        """Kept in ``said``."""
        self.said.append(info)

    def pushWarning(self, warning: str) -> None:  # noqa: N802
        """Kept in ``warned``."""
        self.warned.append(warning)

    def reportError(self, error: str, fatalError: bool = False) -> None:  # noqa: N802, N803
        """Kept in ``warned``."""
        self.warned.append(error)


class ScriptedDesk(Desk):
    """A desk whose settings name a scripted model, and whose panel may have a host and a run."""

    def __init__(self, turns: list[dict[str, Any]], host: Host | None = None, running: bool = False) -> None:
        super().__init__()
        self._turns, self._host, self._running = turns, host, running

    def model_config(self) -> dict[str, Any]:
        """The script."""
        return {"kind": "script", "turns": self._turns}

    def host_of(self, project: QgsProject) -> Host | None:
        """The panel's."""
        return self._host

    def is_running(self) -> bool:
        """As told."""
        return self._running


def algorithm(name: str) -> Any:
    """A new instance of an algorithm of ours."""
    return QgsApplication.processingRegistry().createAlgorithmById(f"qgisagent:{name}")


def run(
    name: str, parameters: dict[str, Any], feedback: Feedback | None = None
) -> tuple[dict[str, Any], bool, Feedback]:
    """Outputs, whether it went well, and what was said; on the open project."""
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    told = feedback or Feedback()
    outputs, well = algorithm(name).run(parameters, context, told, {}, True)
    return outputs, well, told
