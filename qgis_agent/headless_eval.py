"""The command ``eval``: runs an evaluation set and writes its report. It opens no project of a person."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Dict, Optional

from .gis.errors import CANCELLED, INVALID_PARAM, ToolError
from .gis.evals.runner import Evaluation
from .gis.headless import HeadlessQgis
from .headless_commands import register_provider

if TYPE_CHECKING:
    from .__main__ import Output

SIGNS = {True: "yes", False: "NO", None: "not measured"}


def evaluate(arguments: argparse.Namespace, endpoint: Dict[str, str], output: Output) -> int:
    """``eval``: 0 when all thresholds hold and nothing is worse than the baseline, 1 otherwise, 2 wrong usage."""
    if not (arguments.model or arguments.script or arguments.offline):
        sys.stderr.write("qgis_agent: say who answers: --model, --script or --offline\n")
        return 2
    try:
        evaluation = Evaluation(
            arguments.set,
            arguments.out,
            _model(arguments, endpoint),
            solutions=arguments.script or "",
            baseline=arguments.baseline,
            replay=not arguments.no_replay,
            offline=not arguments.no_offline,
        )
    except ToolError as error:
        sys.stderr.write("qgis_agent: {}\n".format(error.envelope["message"]))
        return 2
    qgis: Optional[HeadlessQgis] = HeadlessQgis()
    try:
        register_provider()
        result = evaluation.run(_tell)
    except ToolError as error:
        output.json(error.envelope)
        return 2 if error.envelope["code"] == INVALID_PARAM else 1
    except KeyboardInterrupt:
        output.json({"ok": False, "code": CANCELLED, "message": "Stopped."})
        return 1
    finally:
        if qgis is not None:
            qgis.close()
    if arguments.json:
        output.json(result)
    else:
        _print(result, output)
    return 0 if result["ok"] else 1


def _model(arguments: argparse.Namespace, endpoint: Dict[str, str]) -> Dict[str, Any]:
    if arguments.script:
        return {"kind": "script"}
    if arguments.model:
        return dict(endpoint, kind="model", model=arguments.model)
    return {"kind": "offline"}


def _tell(done: int, of: int, row: Dict[str, Any]) -> None:
    if row["blame"]:
        sys.stderr.write("{}/{} {} {}: {}\n".format(done, of, row["id"], row["blame"], "; ".join(row["why"])))
    elif done % 20 == 0 or done == of:
        sys.stderr.write("{}/{}\n".format(done, of))


def _print(result: Dict[str, Any], output: Output) -> None:
    """The metrics on stdout; the report has the rest."""
    summary = result["summary"]
    for name, each in summary["metrics"].items():
        value = (
            "-"
            if each["value"] is None
            else "{:.2f}".format(each["value"] if name == "rounds" else 100 * each["value"])
        )
        unit = "" if name == "rounds" or each["value"] is None else " %"
        output.line(
            "{:20} {:>8}{:2}  n = {:<4} holds: {}".format(each["title"], value, unit, each["n"], SIGNS[each["holds"]])
        )
    output.line("{:20} {:>8}".format("Unsafe actions", summary["unsafe_actions"]))
    output.line("{:20} {:>8}".format("Unverified numbers", summary["unverified_numbers"]))
    for key in ("worse", "better"):
        if result[key]:
            output.line("{}: {}".format(key, ", ".join(result[key])))
    if result["not_run"]:
        sys.stderr.write("not run, without turns: {}\n".format(len(result["not_run"])))
    output.line("Report: {}/report.md".format(result["out"]))
