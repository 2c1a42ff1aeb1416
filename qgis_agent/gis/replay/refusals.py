"""What is not replayed, and what ends a replay that broke."""

from __future__ import annotations

from typing import Any, Dict, Optional

from ...bridge.trace import Trace
from ..driver import forget
from ..errors import UNSUPPORTED, UPSTREAM_ERROR, ToolError, failure
from ..i18n import translate
from ..secrets import log_fault

NO_MAP = "no_map"


def refusal(trace: Trace) -> Optional[ToolError]:
    """Why a trace cannot be replayed: UNSUPPORTED for one that is redacted, or that does not tell of the map; else None."""
    if trace.get("redacted"):
        return ToolError(
            UNSUPPORTED,
            translate(
                "QgisAgent", "The trace {} cannot be replayed: {} were taken out of it when it was saved."
            ).format(trace["trace_id"], ", ".join(str(each) for each in trace["redacted"])),
            hint=translate("QgisAgent", "Save it again without redaction."),
            reason="redacted",
        )
    if not trace.get("state_in"):
        return ToolError(
            UNSUPPORTED,
            translate(
                "QgisAgent", "The trace {} cannot be replayed: it does not tell how the map was when the run began."
            ).format(trace["trace_id"]),
            hint=translate("QgisAgent", "Ask again, with “Keep attribute values at home” off, and replay that run."),
            reason=NO_MAP,
        )
    return None


def broken(error: Exception) -> Dict[str, Any]:
    """The envelope of what ended a replay; a fault of ours, or of a trace that somebody wrote by hand, is in the log as well.

    To be called where the error is being handled.
    """
    if isinstance(error, ToolError):
        return error.envelope
    log_fault()
    told = "{}: {}".format(type(error).__name__, error)[:300]
    forget(error)
    return failure(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The replay broke: {}").format(told),
        hint=translate("QgisAgent", "The log (tab QGIS Agent) has the details; the project was not changed."),
        reason="internal",
    )
