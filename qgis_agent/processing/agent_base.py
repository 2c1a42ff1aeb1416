"""What the algorithms of the agent itself have in common: their group, and who answers a request with which permissions."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from qgis.core import (
    Qgis,
    QgsProcessingAlgorithm,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
)

from .. import environment
from ..gis.i18n import translate
from .desk import Desk

POLICIES = ("none", "reversible")
"""What ``APPROVE`` offers: the command line's ``--approve``, without what writes files."""
OFFLINE_MODEL, CHOSEN_MODEL = 0, 1


class AgentGroup(QgsProcessingAlgorithm):
    """An algorithm of the group "Agent"."""

    def createInstance(self) -> QgsProcessingAlgorithm:  # noqa: N802
        """Qt's factory."""
        return type(self)()

    def group(self) -> str:
        """Group in the toolbox."""
        return translate("QgisAgent", "Agent")

    def groupId(self) -> str:  # noqa: N802
        """Stable id of the group."""
        return "agent"


class AgentAlgorithm(AgentGroup):
    """An algorithm that starts the agent process: on the main thread, which its tool calls need, in a local event loop."""

    MODEL, APPROVE = "MODEL", "APPROVE"

    def flags(self) -> Any:
        """On the main thread; it can be cancelled."""
        return super().flags() | Qgis.ProcessingAlgorithmFlag.NoThreading | Qgis.ProcessingAlgorithmFlag.CanCancel

    def canExecute(self) -> Tuple[bool, str]:  # noqa: N802
        """Whether the agent's environment is there."""
        report = environment.check(environment.locate())
        return report.ok, "" if report.ok else report.message

    def require_environment(self) -> None:
        """QgsProcessingException without it: models and ``qgis_process`` do not ask ``canExecute`` first."""
        able, why = self.canExecute()
        if not able:
            hint = translate("QgisAgent", "Open the panel of QGIS Agent in QGIS once: it sets the environment up.")
            raise QgsProcessingException("{} {}".format(why, hint))

    def desk(self) -> Desk:
        """The QGIS around it, as the provider was told."""
        desk = getattr(self.provider(), "desk", None)
        return desk if isinstance(desk, Desk) else Desk()

    def add_model(self) -> None:
        """The parameter for who answers."""
        self.addParameter(
            QgsProcessingParameterEnum(
                self.MODEL,
                translate("QgisAgent", "Who answers"),
                options=[
                    translate("QgisAgent", "Offline commands (no model)"),
                    translate("QgisAgent", "The model of the settings"),
                ],
                defaultValue=OFFLINE_MODEL,
            )
        )

    def add_permission(self) -> None:
        """The parameter for what is agreed to in place of a person."""
        approve = QgsProcessingParameterEnum(
            self.APPROVE,
            translate("QgisAgent", "Agreed to without a question"),
            options=[
                translate("QgisAgent", "Nothing"),
                translate("QgisAgent", "What can be undone"),
            ],
            defaultValue=0,
        )
        self.addParameter(advanced(approve))

    def model_of(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> Dict[str, Any]:
        """Who answers, as ``RunController.configure_model`` takes it. A model is asked only where the person chose it."""
        chosen = self.parameterAsEnum(parameters, self.MODEL, context) == CHOSEN_MODEL
        return self.desk().model_config() if chosen else {"kind": "offline"}

    def policy_of(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> str:
        """The policy of the approver."""
        return POLICIES[self.parameterAsEnum(parameters, self.APPROVE, context)]


def advanced(parameter: QgsProcessingParameterDefinition) -> QgsProcessingParameterDefinition:
    """The parameter, shown under "Advanced parameters"."""
    parameter.setFlags(parameter.flags() | Qgis.ProcessingParameterFlag.Advanced)
    return parameter


def permissions_help() -> str:
    """What is allowed in all algorithms that start the agent, for their help."""
    return translate(
        "QgisAgent",
        "Permissions are those of runs without a window. Nobody is asked: what would need a yes is refused and said, unless "
        "you agree here to what can be undone. Data, project files and other files than those that you name here are never "
        "written, no service is called and no code is run, except that a model, if you choose one, is sent the request.",
    )


def words(*texts: str) -> List[str]:
    """Tags: every word or phrase of comma-separated lists."""
    return [each.strip() for text in texts for each in text.split(",") if each.strip()]
