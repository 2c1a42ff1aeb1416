"""What a run says in the log of an algorithm."""

from __future__ import annotations

from typing import Any, Dict

from qgis.core import QgsProcessingFeedback

from ..gis.errors import FORBIDDEN, PERMISSION_DENIED
from ..gis.progress import step_label


def tell(event: Dict[str, Any], feedback: QgsProcessingFeedback) -> None:
    """Write one event of a run (EVENT_FIELDS in bridge/messages.py) to the log; most say nothing there."""
    kind = event["type"]
    if kind == "tool_started":
        feedback.pushInfo(step_label(event))
    elif kind == "tool_progress":
        feedback.pushDebugInfo(str(event.get("text", "")))
    elif kind == "step_progress":
        feedback.setProgress(float(event["percent"]))
    elif kind == "notice":
        push = feedback.pushInfo if event.get("level") == "info" else feedback.pushWarning
        push(str(event.get("text", "")))
    elif kind == "tool_finished" and event.get("code") in (FORBIDDEN, PERMISSION_DENIED):
        feedback.pushWarning("{}: {}".format(event.get("tool"), event.get("message")))


def why(report: Dict[str, Any]) -> str:
    """Why a run was not carried out, with what helps; a question that nobody can be asked stands with its options."""
    error = report.get("error") or {}
    question = report.get("question") or {}
    options = ", ".join(str(each.get("label")) for each in question.get("options") or [])
    texts = [error.get("message"), error.get("hint"), question.get("text"), options, report.get("answer")]
    return " ".join(dict.fromkeys(str(each) for each in texts if each)) or str(report["termination"])
