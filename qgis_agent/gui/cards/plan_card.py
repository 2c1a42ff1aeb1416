"""A plan that the agent made, for a person to apply or to discard. Nothing of it has been done yet."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.PyQt.QtCore import pyqtSignal
from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.progress import names_layer, tool_label
from .question_card import QuestionCard

_APPLY = "apply"
_DISCARD = "discard"


class PlanCard(QuestionCard):
    """``applied`` carries the plan as it came with the report; "Discard" takes the card away."""

    applied = pyqtSignal(dict)

    def __init__(self, plan: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        """``plan`` is {steps, hash} of a RunReport."""
        options = [
            {"label": translate("QgisAgent", "Apply plan"), "send": _APPLY},
            {"label": translate("QgisAgent", "Discard"), "send": _DISCARD},
        ]
        text = plan_text(plan)
        super().__init__({"text": text, "options": options}, parent=parent)
        self.setAccessibleName(text)
        self._plan = plan
        self.chosen.connect(self._answered)

    def _answered(self, answer: str) -> None:
        if answer == _APPLY:
            self.applied.emit(self._plan)
        else:
            self.hide()


def plan_text(plan: Dict[str, Any]) -> str:
    """All that a person agrees to: a line for each step with what its tool does, layers, file and number of features."""
    steps = [each for each in plan.get("steps") or [] if isinstance(each, dict)]
    lines = ["{}. {}".format(number, _step_text(step)) for number, step in enumerate(steps, 1)]
    return "\n".join([translate("QgisAgent", "Plan (nothing has been changed yet):"), *lines])


def _step_text(step: Dict[str, Any]) -> str:
    inputs = step.get("inputs")
    tool, target = _part(step.get("tool")), _layer_text(_part(step.get("target")))
    layers = [] if target and names_layer(tool) else [target]
    layers += [_layer_text(_part(each)) for each in (inputs if isinstance(inputs, list) else [])]
    parts = [tool_label(tool, target), ", ".join(each for each in layers if each)]
    if step.get("path"):
        parts.append(translate("QgisAgent", "file {path}").format(path=_part(step["path"])))
    if step.get("features") is not None:
        parts.append(translate("QgisAgent", "at most {count} features").format(count=_part(step["features"])))
    called = " · ".join(each for each in parts if each)
    # The call has a line of its own: a title has one line, so no title can look like another call.
    return "{}\n    → {}".format(_part(step.get("title")), called) if called else _part(step.get("title"))


def _layer_text(layer: str) -> str:
    """ "$2" in words."""
    if layer.startswith("$") and layer[1:].isdecimal():
        return translate("QgisAgent", "the layer of step {number}").format(number=layer[1:])
    return layer


def _part(value: Any) -> str:
    """Words of the model: one line, and nothing in them that moves what stands beside them."""
    return clean_text("" if value is None else str(value), 400)
