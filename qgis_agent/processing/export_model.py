"""``qgisagent:exportmodel``: the analysis of a recorded run as a Processing model, and as a PyQGIS script."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

from qgis.core import (
    Qgis,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingOutputString,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterNumber,
)

from ..bridge.trace import Trace
from ..gis.errors import ToolError
from ..gis.export_run.model import export_model
from ..gis.export_run.script import export_script
from ..gis.i18n import translate
from .agent_base import AgentGroup, words
from .replay_trace import read, trace_parameter


class ExportModelAlgorithm(AgentGroup):
    """Writes the algorithms that a run used as a model of its own; nothing is run."""

    TRACE, NUMBER, OUTPUT, SCRIPT = "TRACE", "NUMBER", "OUTPUT", "SCRIPT"
    STEPS, NOTES = "STEPS", "NOTES"

    def name(self) -> str:
        """Stable id."""
        return "exportmodel"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Export a run as model")

    def tags(self) -> List[str]:
        """Words that it is found by."""
        return words(translate("QgisAgent", "model designer,script,python,pyqgis,workflow,reproduce,trace"))

    def shortDescription(self) -> str:  # noqa: N802
        """Tip in the toolbox."""
        return translate("QgisAgent", "Writes the analysis of a recorded run as a model and as a script.")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Writes the algorithms that a recorded run used, with their parameters, as a Processing model whose inputs are the "
            "layers of the project, and if you name a file also as a PyQGIS script. Run by themselves they give the same layers.\n"
            "Steps that are no algorithms, as styles and questions, stand in the model's help and in the script. Where a model uses "
            "algorithms of QGIS Agent, its help says that it needs the plugin. Layers that earlier runs of the conversation made "
            "are made again where the file has these runs.\n"
            "Traces are files that “Save as trace” under an answer and “Ask the agent” write. Nothing is run, no agent is started, "
            "and only the files that you name are written.",
        )

    def flags(self) -> Any:
        """On the main thread: making a model looks at the registered algorithms."""
        return super().flags() | Qgis.ProcessingAlgorithmFlag.NoThreading

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """The trace, and where the model and the script go."""
        self.addParameter(trace_parameter(self.TRACE))
        self.addParameter(
            QgsProcessingParameterNumber(
                self.NUMBER,
                translate("QgisAgent", "Which trace of the file"),
                QgsProcessingParameterNumber.Type.Integer,
                1,
                False,
                1,
            )
        )
        self.addParameter(
            QgsProcessingParameterFileDestination(
                self.OUTPUT,
                translate("QgisAgent", "Model"),
                translate("QgisAgent", "Processing models (*.model3)"),
            )
        )
        self.addParameter(
            QgsProcessingParameterFileDestination(
                self.SCRIPT,
                translate("QgisAgent", "Script"),
                translate("QgisAgent", "Python scripts (*.py)"),
                optional=True,
                createByDefault=False,
            )
        )
        self.addOutput(QgsProcessingOutputNumber(self.STEPS, translate("QgisAgent", "Algorithms in the model")))
        self.addOutput(QgsProcessingOutputString(self.NOTES, translate("QgisAgent", "Steps that are no algorithms")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """Write the files. QgsProcessingException where the run has nothing to export or a file cannot be written."""
        traces = read(self.parameterAsFile(parameters, self.TRACE, context))
        number = self.parameterAsInt(parameters, self.NUMBER, context)
        if number > len(traces):
            raise QgsProcessingException(
                translate("QgisAgent", "There are {} traces in the file, not {}.").format(len(traces), number)
            )
        if feedback.isCanceled():
            return {}
        output = self.parameterAsFileOutput(parameters, self.OUTPUT, context)
        script = self.parameterAsFileOutput(parameters, self.SCRIPT, context)
        try:
            before = earlier(traces, number - 1)
            told = export_model(traces[number - 1], output, before)
            if script:
                export_script(traces[number - 1], script, before)
        except ToolError as error:
            raise QgsProcessingException("{message} {hint}".format(**error.envelope)) from error
        notes = "\n".join(str(each) for each in [*told["risks"], *told["notes"]])
        for each in told["risks"]:
            feedback.pushWarning(str(each))
        for each in told["notes"]:
            feedback.pushInfo(str(each))
        if told["needs_plugin"]:
            feedback.pushInfo(translate("QgisAgent", "The model needs the plugin QGIS Agent."))
        return {
            self.OUTPUT: output,
            self.STEPS: told["steps"],
            self.NOTES: notes,
            **({self.SCRIPT: script} if script else {}),
        }


def earlier(traces: Sequence[Trace], at: int) -> List[Trace]:
    """The runs before trace ``at`` in its conversation, as far as the file has them: it may use what they made."""
    trace = traces[at]
    found = {
        int(each.get("run") or 0): each
        for each in traces[:at]
        if each.get("session_id") and each.get("session_id") == trace.get("session_id") and not each.get("redacted")
    }
    return [found[run] for run in sorted(found) if run < int(trace.get("run") or 0)]
