"""``qgisagent:ask``: one request to the agent from the Processing toolbox, a model or qgis_process."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from qgis.core import (
    Qgis,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputMultipleLayers,
    QgsProcessingOutputString,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterString,
    QgsProject,
)

from ..gis.disposal import dispose
from ..gis.errors import ToolError
from ..gis.headless import HeadlessApprover, save_picture
from ..gis.host import Host, run_until
from ..gis.i18n import translate
from ..gis.runs import APPLY_PROFILE, PLAN_PROFILE, RunController
from ..gis.traces import Traces
from .agent_base import AgentAlgorithm, advanced, permissions_help, words
from .telling import tell, why

TIMEOUT_S = 900.0
STOP_S = 5.0
TRACE_S = 60.0
PROFILES = (APPLY_PROFILE, PLAN_PROFILE)


class AskAlgorithm(AgentAlgorithm):
    """Carries out one request on the project.

    Runs on the main thread (it changes the project) in a local event loop, so QGIS stays alive. Nobody can be asked
    here: what needs a person's yes is refused and said.
    """

    PROMPT, PROFILE, PICTURE, TRACE = "PROMPT", "PROFILE", "PICTURE", "TRACE"
    ANSWER, REPORT, LAYERS = "ANSWER", "REPORT", "LAYERS"

    def name(self) -> str:
        """Stable id."""
        return "ask"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Ask the agent")

    def tags(self) -> List[str]:
        """Words that it is found by."""
        return words(translate("QgisAgent", "ai,assistant,llm,chat,question,request,natural language"))

    def shortDescription(self) -> str:  # noqa: N802
        """Tip in the toolbox."""
        return translate("QgisAgent", "Carries out one request in plain words on the open project.")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        request = translate(
            "QgisAgent",
            "Carries out one request on the open project, for example “zoom to streets”, “count schools” or “buffer schools "
            "by 300 m”. The offline commands understand short requests; for others choose the model of QGIS Agent's settings.\n"
            "Layers that are made are temporary, stand in the group “Agent results” and are named in the output “Layers made”, so "
            "that later steps of a model can use them.",
        )
        return request + "\n\n" + permissions_help()

    def flags(self) -> Any:
        """It needs a project."""
        return super().flags() | Qgis.ProcessingAlgorithmFlag.RequiresProject

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Parameters and outputs."""
        self.addParameter(QgsProcessingParameterString(self.PROMPT, translate("QgisAgent", "Request"), multiLine=True))
        self.add_model()
        profile = QgsProcessingParameterEnum(
            self.PROFILE,
            translate("QgisAgent", "Way of working"),
            options=[translate("QgisAgent", "Carry it out"), translate("QgisAgent", "Only read and make a plan")],
            defaultValue=0,
        )
        self.addParameter(advanced(profile))
        self.add_permission()
        picture = QgsProcessingParameterFileDestination(
            self.PICTURE,
            translate("QgisAgent", "Picture of the map"),
            "PNG (*.png)",
            optional=True,
            createByDefault=False,
        )
        self.addParameter(advanced(picture))
        trace = QgsProcessingParameterFileDestination(
            self.TRACE,
            translate("QgisAgent", "Trace"),
            translate("QgisAgent", "Traces (*.jsonl)"),
            optional=True,
            createByDefault=False,
        )
        self.addParameter(advanced(trace))
        self.addOutput(QgsProcessingOutputString(self.ANSWER, translate("QgisAgent", "Answer")))
        self.addOutput(QgsProcessingOutputString(self.REPORT, translate("QgisAgent", "Report (JSON)")))
        self.addOutput(QgsProcessingOutputMultipleLayers(self.LAYERS, translate("QgisAgent", "Layers made")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Run the request. QgsProcessingException when it was not carried out; a person's Cancel is none."""
        self.require_environment()
        text = self.parameterAsString(parameters, self.PROMPT, context)
        if not text.strip():
            raise QgsProcessingException(translate("QgisAgent", "The request is empty."))
        project = context.project() or QgsProject.instance()
        shared = self.desk().host_of(project)
        host = shared or Host(project)
        before = set(host.created_layers)
        try:
            with self.desk().one_at_a_time():
                report = self._run(host, text, parameters, context, feedback)
            picture = self.parameterAsFileOutput(parameters, self.PICTURE, context)
            trace = self.parameterAsFileOutput(parameters, self.TRACE, context)
            return {
                self.ANSWER: report["answer"],
                self.REPORT: json.dumps(report, ensure_ascii=False),
                self.LAYERS: [each for each in host.created_layers if each not in before and project.mapLayer(each)],
                **({self.PICTURE: _drawn(host, picture)} if picture else {}),
                **({self.TRACE: trace} if trace else {}),
            }
        finally:
            if shared is None:
                dispose(host)

    def _run(
        self,
        host: Host,
        text: str,
        parameters: Dict[str, Any],
        context: QgsProcessingContext,
        feedback: QgsProcessingFeedback,
    ) -> Dict[str, Any]:
        approver = HeadlessApprover(self.policy_of(parameters, context))
        profile = PROFILES[self.parameterAsEnum(parameters, self.PROFILE, context)]
        controller = RunController(host, approver, profile=profile)
        reports: List[Dict[str, Any]] = []
        controller.finished.connect(reports.append)
        controller.run_event.connect(lambda event: tell(event, feedback))
        try:
            controller.configure_model(self.model_of(parameters, context))
            controller.start(text)
            run_until(lambda: bool(reports) or feedback.isCanceled(), TIMEOUT_S)
            late = not reports
            if late:
                controller.stop()
                run_until(lambda: bool(reports), STOP_S)
            trace = self.parameterAsFileOutput(parameters, self.TRACE, context)
            if trace and reports and not late:
                _save_trace(controller, trace, str(reports[0]["trace_id"]), feedback)
        finally:
            controller.close()
            dispose(controller)
        report = reports[0]
        if feedback.isCanceled():
            feedback.pushInfo(translate("QgisAgent", "Stopped."))
        elif late:
            raise QgsProcessingException(translate("QgisAgent", "It took too long."))
        elif not report["ok"]:
            raise QgsProcessingException(why(report))
        else:
            feedback.pushInfo(report["answer"])
        return report


def _save_trace(controller: RunController, path: str, trace_id: str, feedback: QgsProcessingFeedback) -> None:
    """Of a run that failed too. QgsProcessingException when the file cannot be written."""
    said: List[str] = []
    traces = Traces(controller)
    traces.save(path, lambda _count, problem: said.append(problem), [trace_id])
    if not run_until(lambda: bool(said), TRACE_S) or said[0]:
        raise QgsProcessingException(
            "{}: {}".format(path, said[0] if said else translate("QgisAgent", "It took too long."))
        )
    if traces.remark():
        feedback.pushWarning(traces.remark())


def _drawn(host: Host, path: str) -> str:
    try:
        return str(save_picture(host, path)["path"])
    except ToolError as error:
        raise QgsProcessingException("{message} {hint}".format(**error.envelope)) from error
