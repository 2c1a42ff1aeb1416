"""The command ``replay``: a file of traces is repeated without a model; exit status 1 where something differs."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from .bridge.trace import Trace, TraceError
from .gis.errors import ToolError
from .gis.headless import HeadlessApprover, HeadlessQgis
from .gis.replay.refusals import refusal
from .gis.replay.replayer import conversations, replay_traces
from .gis.replay.words import words_of
from .gis.traces import load_traces
from .headless_commands import register_provider
from .headless_turns import is_recording, replay_recording

if TYPE_CHECKING:
    from .__main__ import Output


def replay(arguments: argparse.Namespace, output: Output) -> int:
    """``replay``: 0 all is as it was, 1 something differs (the first difference is named), 2 wrong usage."""
    if is_recording(arguments.trace):
        return replay_recording(arguments, output)
    try:
        traces = load_traces(arguments.trace)
    except TraceError as error:
        sys.stderr.write("qgis_agent: {}\n".format(error))
        return 2
    refused = next(filter(None, map(refusal, traces)), None)
    if refused is not None:
        output.json(refused.envelope)
        return 1
    missing = _without_project(traces, arguments.project)
    if missing is not None:
        text = "{} does not say which project it was recorded on; name it with --project".format(missing["trace_id"])
        sys.stderr.write("qgis_agent: {}\n".format(text))
        return 2
    qgis = HeadlessQgis()
    try:
        register_provider()
        approver = HeadlessApprover(arguments.approve, bool(arguments.allow_write))
        reports = [
            replay_traces(
                group,
                arguments.project or str(group[0]["project"]["path"]),
                approver,
                write_roots=arguments.allow_write,
            )
            for group in conversations(traces)
        ]
        _print(reports, arguments.json, output)
        return 0 if all(each["equal"] for each in reports) else 1
    except ToolError as error:
        output.json(error.envelope)
        return 1
    finally:
        qgis.close()


def _without_project(traces: List[Trace], named: Optional[str]) -> Optional[Trace]:
    return None if named else next((each for each in traces if not each["project"].get("path")), None)


def _print(reports: List[Dict[str, Any]], as_json: bool, output: Output) -> None:
    first = next((each for each in reports if not each["equal"]), reports[0])
    if as_json:
        whole = {
            "equal": all(each["equal"] for each in reports),
            "first_difference": first["first_difference"],
            "error": first["error"],
        }
        more = reports[0] if len(reports) == 1 else {"replays": reports}
        output.json({**more, **whole})
        return
    for report in reports:
        for row in report["steps"]:
            output.line("- {step} {tool}: {outcome} {why}".format(**dict(row, why=row.get("why", ""))).rstrip())
        output.line(words_of(report))
