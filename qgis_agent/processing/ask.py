"""``qgisagent:ask``: one request to the agent from the Processing toolbox, a model or qgis_process."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

from qgis.core import (
    Qgis,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputString,
    QgsProcessingParameterString,
    QgsProject,
)

from .. import environment
from ..gis.headless import HeadlessApprover
from ..gis.host import Host, run_until
from ..gis.i18n import translate
from ..gis.progress import step_label
from ..gis.runs import RunController

TIMEOUT_S = 900.0


class AskAlgorithm(QgsProcessingAlgorithm):
    """Carries out one request on the open project with the offline commands.

    Runs on the main thread (it changes the project) in a local event loop, so QGIS stays alive. Nobody can be asked
    here: what needs a person's yes is refused and said.
    """

    PROMPT = "PROMPT"
    ANSWER = "ANSWER"
    REPORT = "REPORT"

    def createInstance(self) -> AskAlgorithm:  # noqa: N802
        """Qt's factory."""
        return AskAlgorithm()

    def name(self) -> str:
        """Stable id."""
        return "ask"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Ask the agent")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Carries out one short request on the open project, for example “zoom to streets” or “count schools”. Nothing is "
            "written to disk.",
        )

    def flags(self) -> Any:
        """It changes the open project, so it runs on the main thread and needs a project."""
        return super().flags() | Qgis.ProcessingAlgorithmFlag.NoThreading | Qgis.ProcessingAlgorithmFlag.RequiresProject

    def canExecute(self) -> Tuple[bool, str]:  # noqa: N802
        """Whether the agent's environment is there."""
        report = environment.check(environment.locate())
        return report.ok, "" if report.ok else report.message

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Parameters and outputs."""
        self.addParameter(QgsProcessingParameterString(self.PROMPT, translate("QgisAgent", "Request")))
        self.addOutput(QgsProcessingOutputString(self.ANSWER, translate("QgisAgent", "Answer")))
        self.addOutput(QgsProcessingOutputString(self.REPORT, translate("QgisAgent", "Report (JSON)")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Run the request. QgsProcessingException when it was not carried out."""
        text = self.parameterAsString(parameters, self.PROMPT, context)
        controller = RunController(Host(context.project() or QgsProject.instance()), HeadlessApprover())
        reports: List[Dict[str, Any]] = []
        controller.finished.connect(reports.append)
        controller.run_event.connect(lambda event: _tell(event, feedback))
        feedback.canceled.connect(controller.stop)
        try:
            controller.start(text)
            ended = run_until(lambda: bool(reports), TIMEOUT_S)
        finally:
            controller.close()
        if not ended or not reports[0]["ok"]:
            raise QgsProcessingException(_why(reports[0]) if reports else translate("QgisAgent", "It took too long."))
        return {self.ANSWER: reports[0]["answer"], self.REPORT: json.dumps(reports[0], ensure_ascii=False)}


def _tell(event: Dict[str, Any], feedback: QgsProcessingFeedback) -> None:
    if event["type"] == "tool_started":
        feedback.pushInfo(step_label(event))
    elif event["type"] == "tool_progress":
        feedback.pushDebugInfo(str(event.get("text", "")))
    elif event["type"] == "notice":
        tell = feedback.pushInfo if event.get("level") == "info" else feedback.pushWarning
        tell(str(event.get("text", "")))


def _why(report: Dict[str, Any]) -> str:
    error = report.get("error") or {}
    question = report.get("question") or {}
    texts = [error.get("message"), error.get("hint"), question.get("text"), report.get("answer")]
    return " ".join(str(each) for each in texts if each) or str(report["termination"])
