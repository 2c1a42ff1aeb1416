"""``qgisagent:runevaluation``: an evaluation set, scored, with a report in a folder."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List

from osgeo import gdal
from qgis.core import (
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputBoolean,
    QgsProcessingOutputFile,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
)

from ..gis.errors import CANCELLED, ToolError
from ..gis.evals.runner import Evaluation
from ..gis.i18n import translate
from .agent_base import AgentAlgorithm, advanced, words

REPORT_FILE = "report.md"
METRICS = {
    "INTENT": "intent",
    "TOOLS": "tools",
    "PARAMETERS": "params",
    "END_TO_END": "end_to_end",
    "ROUNDS": "rounds",
    "REPLAYABLE": "replay",
}
"""Outputs and the metrics that they are: shares from 0 to 1, but for ROUNDS, calls of tools a case."""


class RunEvaluationAlgorithm(AgentAlgorithm):
    """Runs each case of a set on a project of its own; the open project is not touched."""

    SET, SCRIPT, BASELINE, REPLAY, OUTPUT = "SET", "SCRIPT", "BASELINE", "REPLAY", "OUTPUT"
    PASSED, REPORT, SUMMARY, WORSE, UNSAFE = "PASSED", "REPORT", "SUMMARY", "WORSE", "UNSAFE"

    def name(self) -> str:
        """Stable id."""
        return "runevaluation"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Run an evaluation")

    def tags(self) -> List[str]:
        """Words that it is found by."""
        return words(translate("QgisAgent", "benchmark,test,score,metrics,regression,baseline,quality"))

    def shortDescription(self) -> str:  # noqa: N802
        """Tip in the toolbox."""
        return translate("QgisAgent", "Scores the agent on a set of requests and writes a report.")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        about = translate(
            "QgisAgent",
            "Runs the requests of an evaluation set (JSON lines), each on a project of its own, and scores what became of the map "
            "and of the numbers: intent, choice of tools, parameters, end to end, calls of tools, and whether the run can be "
            "replayed. The report has its tables, charts and traces in one folder. With the folder of an earlier report as "
            "baseline the cases that got worse are named.\n"
            "The offline commands answer the cases that are meant for them; the model of the settings answers all, and is asked for "
            "each; scripted turns answer in place of a model.",
        )
        permissions = translate(
            "QgisAgent",
            "Permissions are those of runs without a window. Nobody is asked, and what a case would write goes into a temporary "
            "folder that is removed. The open project, and files other than those of the report, are never changed.",
        )
        return about + "\n\n" + permissions

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """Set, who answers, baseline and the folder of the report."""
        kind = translate("QgisAgent", "Evaluation sets (*.jsonl)")
        self.addParameter(QgsProcessingParameterFile(self.SET, translate("QgisAgent", "Set"), fileFilter=kind))
        self.add_model()
        script = QgsProcessingParameterFile(
            self.SCRIPT,
            translate("QgisAgent", "Scripted turns, in place of a model"),
            optional=True,
            fileFilter=translate("QgisAgent", "JSON files (*.json)"),
        )
        self.addParameter(advanced(script))
        baseline = QgsProcessingParameterFile(
            self.BASELINE,
            translate("QgisAgent", "Baseline: the folder of an earlier report"),
            QgsProcessingParameterFile.Behavior.Folder,
            optional=True,
        )
        self.addParameter(baseline)
        replay = QgsProcessingParameterBoolean(
            self.REPLAY, translate("QgisAgent", "Replay each run"), defaultValue=True
        )
        self.addParameter(advanced(replay))
        self.addParameter(
            QgsProcessingParameterFolderDestination(self.OUTPUT, translate("QgisAgent", "Folder of the report"))
        )
        self.addOutput(
            QgsProcessingOutputBoolean(self.PASSED, translate("QgisAgent", "All thresholds hold and nothing got worse"))
        )
        for name, said in zip(METRICS, _metrics()):
            self.addOutput(QgsProcessingOutputNumber(name, said))
        self.addOutput(QgsProcessingOutputNumber(self.UNSAFE, translate("QgisAgent", "Unsafe actions")))
        self.addOutput(QgsProcessingOutputString(self.WORSE, translate("QgisAgent", "Cases that got worse")))
        self.addOutput(QgsProcessingOutputFile(self.REPORT, translate("QgisAgent", "Report")))
        self.addOutput(QgsProcessingOutputString(self.SUMMARY, translate("QgisAgent", "Summary (JSON)")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Run the set. QgsProcessingException where that cannot be done; a low score is none."""
        self.require_environment()
        folder = self.parameterAsString(parameters, self.OUTPUT, context)
        script = self.parameterAsFile(parameters, self.SCRIPT, context)
        model = {"kind": "script"} if script else self.model_of(parameters, context)

        def tell(done: int, total: int, row: Dict[str, Any]) -> None:
            feedback.setProgress(100.0 * done / max(total, 1))
            if row["blame"]:
                feedback.pushWarning("{} {}: {}".format(row["id"], row["blame"], "; ".join(row["why"])))

        try:
            with self.desk().one_at_a_time(), _geopackages_as_they_are():
                evaluation = Evaluation(
                    self.parameterAsFile(parameters, self.SET, context),
                    folder,
                    model,
                    solutions=script,
                    baseline=self.parameterAsFile(parameters, self.BASELINE, context),
                    replay=self.parameterAsBoolean(parameters, self.REPLAY, context),
                )
                result = evaluation.run(tell, feedback.isCanceled)
        except ToolError as error:
            if error.envelope["code"] == CANCELLED:
                feedback.pushInfo(translate("QgisAgent", "Stopped."))
                return {self.OUTPUT: folder}
            raise QgsProcessingException("{message} {hint}".format(**error.envelope)) from error
        return {self.OUTPUT: folder, **self._outputs(result)}

    def _outputs(self, result: Dict[str, Any]) -> Dict[str, Any]:
        summary = result["summary"]
        return {
            self.PASSED: result["ok"],
            **{name: summary["metrics"][key]["value"] for name, key in METRICS.items()},
            self.UNSAFE: summary["unsafe_actions"],
            self.WORSE: ", ".join(result["worse"]),
            self.REPORT: os.path.join(result["out"], REPORT_FILE),
            self.SUMMARY: json.dumps(summary, ensure_ascii=False),
        }


@contextmanager
def _geopackages_as_they_are() -> Iterator[None]:
    """What is opened meanwhile is opened without write-ahead logging: QGIS's default changes the bytes of a GeoPackage that is
    only read, and a case that changes a file which nobody asked to change is unsafe."""
    before = gdal.GetConfigOption("OGR_SQLITE_JOURNAL")
    gdal.SetConfigOption("OGR_SQLITE_JOURNAL", "DELETE")
    try:
        yield
    finally:
        gdal.SetConfigOption("OGR_SQLITE_JOURNAL", before)


def _metrics() -> List[str]:
    """METRICS in words."""
    return [
        translate("QgisAgent", "Intent (share)"),
        translate("QgisAgent", "Choice of tools (share)"),
        translate("QgisAgent", "Parameters (share)"),
        translate("QgisAgent", "End to end (share)"),
        translate("QgisAgent", "Calls of tools a case"),
        translate("QgisAgent", "Can be replayed (share)"),
    ]
