"""Traces on the command line: ``ask --trace``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

from .gis.errors import UPSTREAM_ERROR, ToolError
from .gis.host import run_until
from .gis.i18n import translate
from .gis.runs import RunController
from .gis.traces import Traces

TIMEOUT_S = 60.0


def save_trace(
    controller: Optional[RunController], path: str, trace_id: str, redact: Sequence[str] = (), session_id: str = ""
) -> int:
    """Add the trace of a run (all of a conversation with "") to a file; returns how many. UPSTREAM_ERROR says why not."""
    if controller is None:
        raise RuntimeError("no controller")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    told: List[Tuple[int, str]] = []
    traces = Traces(controller)
    traces.save(
        path,
        lambda count, problem: told.append((count, problem)),
        [trace_id] if trace_id else [],
        session_id=session_id,
        redact=redact,
        append=True,
    )
    if not run_until(lambda: bool(told), TIMEOUT_S) or told[0][1]:
        why = told[0][1] if told else translate("QgisAgent", "The agent process did not answer.")
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The trace was not saved as '{}': {}").format(path, why),
            hint=translate("QgisAgent", "Choose another file."),
            reason="trace",
        )
    if traces.remark():
        sys.stderr.write(traces.remark() + "\n")
    return told[0][0]
