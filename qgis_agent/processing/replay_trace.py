"""``qgisagent:replaytrace``: recorded runs once more on a copy of the project, without a model, and whether they come out alike."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from qgis.core import (
    Qgis,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputBoolean,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFile,
)

from ..bridge.trace import Trace, TraceError
from ..gis.i18n import translate
from ..gis.replay.replayer import Report, conversations, replay_traces
from ..gis.replay.words import left_out
from ..gis.traces import load_traces
from .agent_base import AgentGroup, words


class ReplayTraceAlgorithm(AgentGroup):
    """Replays the traces of a file. On the main thread, where tools run; the open project is not touched."""

    TRACE, PROJECT, STRICT = "TRACE", "PROJECT", "STRICT"
    EQUAL, DIFFERENCE, SKIPPED, REPORT = "EQUAL", "DIFFERENCE", "SKIPPED", "REPORT"

    def name(self) -> str:
        """Stable id."""
        return "replaytrace"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Replay a trace")

    def tags(self) -> List[str]:
        """Words that it is found by."""
        return words(translate("QgisAgent", "repeat,reproduce,compare,verify,regression,recorded run"))

    def shortDescription(self) -> str:  # noqa: N802
        """Tip in the toolbox."""
        return translate("QgisAgent", "Repeats recorded runs on a copy of the project and names the first difference.")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Repeats the calls of recorded runs on a copy of a project, without a model, and compares each result and the map "
            "at the end with what was recorded. The first difference is named with its step.\n"
            "Traces are files that “Save as trace” under an answer and “Ask the agent” write. Without a project the one that the "
            "trace names is copied. The traces of one conversation replay one after the other on the same copy.\n"
            "Permissions are those of runs without a window. Nobody is asked: steps that wrote files or were asked about are "
            "skipped and counted. The project itself, open or not, is never changed.",
        )

    def flags(self) -> Any:
        """On the main thread; it can be cancelled."""
        return super().flags() | Qgis.ProcessingAlgorithmFlag.NoThreading | Qgis.ProcessingAlgorithmFlag.CanCancel

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """The traces and the project."""
        self.addParameter(trace_parameter(self.TRACE))
        self.addParameter(
            QgsProcessingParameterFile(
                self.PROJECT,
                translate("QgisAgent", "Project (empty: the one that the trace names)"),
                optional=True,
                fileFilter=translate("QgisAgent", "QGIS projects (*.qgz *.qgs)"),
            )
        )
        self.addParameter(
            QgsProcessingParameterBoolean(
                self.STRICT, translate("QgisAgent", "A difference is an error"), defaultValue=False
            )
        )
        self.addOutput(QgsProcessingOutputBoolean(self.EQUAL, translate("QgisAgent", "Equal")))
        self.addOutput(QgsProcessingOutputString(self.DIFFERENCE, translate("QgisAgent", "First difference")))
        self.addOutput(QgsProcessingOutputNumber(self.SKIPPED, translate("QgisAgent", "Steps skipped")))
        self.addOutput(QgsProcessingOutputString(self.REPORT, translate("QgisAgent", "Report (JSON)")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Replay all. QgsProcessingException where that cannot be done, and for a difference where one is an error."""
        groups = conversations(read(self.parameterAsFile(parameters, self.TRACE, context)))
        project = self.parameterAsFile(parameters, self.PROJECT, context)
        reports: List[Report] = []
        for number, group in enumerate(groups):
            reports.append(replay_traces(group, project or _named(group), cancelled=feedback.isCanceled))
            feedback.setProgress(100.0 * (number + 1) / len(groups))
            if feedback.isCanceled():
                break
            _say(reports[-1], feedback)
        told = next((text for text in map(difference_text, reports) if text), "")
        failed = next((each["error"] for each in reports if each["error"]), None)
        if failed is not None and not feedback.isCanceled():
            raise QgsProcessingException("{message} {hint}".format(**{"hint": "", **failed}))
        if told and self.parameterAsBoolean(parameters, self.STRICT, context):
            raise QgsProcessingException(told)
        return {
            self.EQUAL: all(each["equal"] for each in reports) and len(reports) == len(groups),
            self.DIFFERENCE: told,
            self.SKIPPED: sum(each["skipped"] for each in reports),
            self.REPORT: json.dumps(reports, ensure_ascii=False),
        }


def trace_parameter(name: str) -> QgsProcessingParameterFile:
    """The parameter for a file of traces."""
    return QgsProcessingParameterFile(
        name, translate("QgisAgent", "Trace"), fileFilter=translate("QgisAgent", "Traces (*.jsonl *.json)")
    )


def read(path: str) -> List[Trace]:
    """The traces of a file. QgsProcessingException that says what is wrong with it."""
    try:
        return load_traces(path)
    except TraceError as error:
        raise QgsProcessingException(str(error)) from error


def difference_text(report: Report) -> str:
    """The first difference in words, "" where there is none."""
    found = report["first_difference"]
    if found is None:
        return ""
    return translate("QgisAgent", "Run {}, step {}, {}: {} was recorded, {} is found.").format(
        found["run"], found["step"], found["path"], _short(found["expected"]), _short(found["found"])
    )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "…"


def _named(group: List[Trace]) -> str:
    path = str(group[0]["project"].get("path") or "")
    if not path:
        raise QgsProcessingException(
            translate("QgisAgent", "The trace {} names no project: give one.").format(group[0]["trace_id"])
        )
    return path


def _say(report: Report, feedback: QgsProcessingFeedback) -> None:
    names = ", ".join(report["traces"])
    told = difference_text(report)
    if told:
        feedback.reportError("{}: {}".format(names, told), False)
    elif report["equal"]:
        feedback.pushInfo(
            translate("QgisAgent", "{}: equal, {} steps, {} skipped.").format(
                names, len(report["steps"]), report["skipped"]
            )
        )
    for each in left_out(report):
        feedback.pushInfo(each)
