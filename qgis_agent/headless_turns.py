"""The command ``replay`` for recordings of ``ask --record``: the recorded model turns through the whole harness again."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, List, Tuple

from qgis.core import QgsProject

from .bridge.messages import TURNS_REPLAY
from .gis.headless import HeadlessApprover, HeadlessQgis
from .gis.host import Host, run_until
from .gis.runs import RunController

if TYPE_CHECKING:
    from .__main__ import Output

TIMEOUT_S = 600.0
MARK = '{"schema": "qgis-agent/recording/1"'.replace(" ", "")


def is_recording(path: str) -> bool:
    """Whether a file begins as a recording does."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, UnicodeDecodeError):
        return False


def replay_recording(arguments: argparse.Namespace, output: Output) -> int:
    """0: every request has the recorded bytes and the runs end alike; 1: the first difference is named."""
    qgis = HeadlessQgis()
    controller = RunController(Host(QgsProject.instance()), HeadlessApprover("none"), caller="cli")
    told: List[Tuple[Any, str]] = []
    try:
        params = {"path": os.path.abspath(arguments.trace)}
        controller.ask_agent(TURNS_REPLAY, params, lambda result, problem: told.append((result, problem)))
        if not run_until(lambda: bool(told), TIMEOUT_S) or told[0][1]:
            why = told[0][1] if told else "the agent process did not answer"
            sys.stderr.write("qgis_agent: {}\n".format(why))
            return 2
    finally:
        controller.close()
        qgis.close()
    report = told[0][0]
    if arguments.json:
        output.json(report)
    elif report["equal"]:
        output.line("equal: {requests} requests of {runs} runs have the recorded bytes".format(**report))
    else:
        output.line("run {run} differs. {what}".format(**report["first_difference"]))
    return 0 if report["equal"] else 1
