"""A whole evaluation: every case on its own copy of a project, scored by the agent process, reported into a folder.

For the command line and the Processing algorithm; it waits with ``run_until``. The person's open project is not touched: cases
run on a project object of their own, the records of the runs are kept in a temporary folder, and the only files that are
written are those of the report: report.md, cases.csv, summary.json, two small charts and traces.jsonl.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from qgis.core import QgsProject

from ...bridge import messages
from ...bridge.trace import to_line
from ..disposal import dispose
from ..errors import CANCELLED, INVALID_PARAM, UPSTREAM_ERROR, ToolError
from ..host import Host, run_until
from ..i18n import translate
from ..paths import PathPolicy
from ..runs import RunController
from .case_run import ANSWER_S, CaseApprover, CaseRunner
from .projects import CaseProjects
from .sets import read_cases, read_solutions

CHUNK = 50
"""Cases that are sent at a time."""
REPORT_S = 120.0
TRACES = "traces.jsonl"
Progress = Callable[[int, int, Dict[str, Any]], None]


class Evaluation:
    """See the module. ``model``: as for ``RunController.configure_model``; with kind "script" and ``solutions`` (a file), each
    case is answered by its own turns, and cases without any are not run.
    """

    def __init__(
        self,
        set_path: str,
        out: str,
        model: Dict[str, Any],
        *,
        solutions: str = "",
        baseline: str = "",
        replay: bool = True,
        offline: bool = True,
    ) -> None:
        self.cases = read_cases(set_path)
        self._set_path = Path(set_path).resolve()
        self._out = Path(out).resolve()
        self._baseline = str(Path(baseline).resolve()) if baseline else ""
        self._model = model
        self._solutions = read_solutions(solutions) if solutions else None
        self._replay = replay
        self._offline = offline and model["kind"] != "offline"
        self._ident = "eval-" + uuid.uuid4().hex[:12]
        self._versions: Dict[str, Any] = {}
        self._cancelled: Callable[[], bool] = lambda: False

    def run(self, progress: Progress, cancelled: Callable[[], bool] = lambda: False) -> Dict[str, Any]:
        """Run all cases and write the report; returns what eval/report answers.

        ``progress(done, all, row)`` after each case. ToolError: CANCELLED, INVALID_PARAM for a set that has faults,
        UPSTREAM_ERROR when the agent process or the disk fails.
        """
        self._cancelled = cancelled
        base = Path(tempfile.mkdtemp(prefix="qgis-agent-eval-")).resolve()
        project = QgsProject()
        host: Optional[Host] = None
        controller: Optional[RunController] = None
        try:
            self._out.mkdir(parents=True, exist_ok=True)
            records = base / "records"
            records.mkdir(mode=0o700)
            approver = CaseApprover()
            host = Host(project, paths=PathPolicy(project, write_roots=[str(base)]))
            controller = RunController(host, approver, records=records)
            runner = CaseRunner(controller, approver, CaseProjects(base, self._set_path.parent), cancelled)
            traces = base / TRACES
            result = self._all(controller, runner, progress, traces)
            _put(traces, self._out / TRACES)
            return result
        except OSError as error:
            raise _failed(str(error)) from error
        finally:
            if controller is not None:
                controller.close()
                dispose(controller)
            project.clear()
            if host is not None:
                dispose(host)  # before its project goes
            shutil.rmtree(str(base), ignore_errors=True)

    def _all(self, controller: RunController, runner: CaseRunner, progress: Progress, traces: Path) -> Dict[str, Any]:
        """All cases and the report. Traces go to a file of their own: an earlier report keeps its until this one is made."""
        self._begin(controller)
        jobs = self._jobs()
        with traces.open("w", encoding="utf-8") as file:
            for number, (case, model, part) in enumerate(jobs, 1):
                self._stop_where_cancelled()
                try:
                    seen, trace = runner.run(case, model, self._replay)
                except (RuntimeError, ToolError) as error:
                    raise _failed("{}: {}".format(case["id"], error)) from error
                self._stop_where_cancelled()
                if trace is not None:
                    self._versions = self._versions or dict(trace.get("versions") or {})
                    file.write(to_line(trace))
                row = self._scored(controller, case, part, seen)
                progress(number, len(jobs), dict(row, part=part))
        return self._report(controller)

    def _jobs(self) -> List[Any]:
        """(case, model, part) of all runs. With --offline the set's offline cases are all that there is."""
        if self._model["kind"] == "offline":
            return [(each, self._model, "main") for each in self.cases if each.get("offline") is True]
        jobs: List[Any] = []
        for each in self.cases:
            turns = None if self._solutions is None else self._solutions.get(each["id"])
            if self._solutions is None:
                jobs.append((each, self._model, "main"))
            elif turns is not None:
                jobs.append((each, {"kind": "script", "turns": turns}, "main"))
        if self._offline:
            jobs += [(each, {"kind": "offline"}, "offline") for each in self.cases if each.get("offline") is True]
        return jobs

    def _begin(self, controller: RunController) -> None:
        problems: List[str] = []
        for at in range(0, len(self.cases), CHUNK):
            params = {"eval_id": self._ident, "cases": self.cases[at : at + CHUNK]}
            problems += self._ask(controller, messages.EVAL_BEGIN, params)["problems"]
        if problems:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The set has {} faults: {}").format(len(problems), "; ".join(problems[:10])),
                hint=translate("QgisAgent", "tests/evals/README.md describes the files of an evaluation."),
                reason="evaluation_file",
            )
        unknown = sorted(set(self._solutions or ()) - {each["id"] for each in self.cases})
        if unknown:
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "There is no case '{}' for the turns of that name.").format(unknown[0]),
                hint=translate("QgisAgent", "The script must belong to the set."),
                reason="evaluation_file",
            )

    def _scored(
        self, controller: RunController, case: Dict[str, Any], part: str, seen: Dict[str, Any]
    ) -> Dict[str, Any]:
        params = {"eval_id": self._ident, "id": case["id"], "part": part, "observation": _fitting(seen)}
        return dict(self._ask(controller, messages.EVAL_SCORE, params))

    def _report(self, controller: RunController) -> Dict[str, Any]:
        ran = {case["id"] for case, _model, part in self._jobs() if part == "main"}
        about = {"set": self._set_path.name, "kind": self._model["kind"], "versions": self._versions}
        params = {
            "eval_id": self._ident,
            "about": about,
            "not_run": [each["id"] for each in self.cases if each["id"] not in ran],
            "out": str(self._out),
            "baseline": self._baseline,
        }
        result = dict(self._ask(controller, messages.EVAL_REPORT, params, REPORT_S))
        if result.get("problem"):
            raise _failed(str(result["problem"]))
        return dict(result, out=str(self._out), not_run=params["not_run"])

    def _ask(self, controller: RunController, method: str, params: Dict[str, Any], seconds: float = ANSWER_S) -> Any:
        told: List[Any] = []
        controller.ask_agent(method, params, lambda result, problem: told.append((result, problem)))
        run_until(lambda: bool(told) or self._cancelled(), seconds)
        self._stop_where_cancelled()
        if not told or told[0][1] or not isinstance(told[0][0], dict):
            raise _failed(told[0][1] if told else translate("QgisAgent", "The agent process did not answer."))
        return told[0][0]

    def _stop_where_cancelled(self) -> None:
        if self._cancelled():
            raise ToolError(CANCELLED, translate("QgisAgent", "Stopped."), hint="", reason="stopped")


def _put(source: Path, target: Path) -> None:
    """Move a file, maybe to another disk: what is there is replaced by a whole file, or stays."""
    part = target.with_name(".{}.part".format(target.name))
    try:
        shutil.copyfile(str(source), str(part))
        os.replace(str(part), str(target))
    finally:
        if part.exists():
            part.unlink()


def _fitting(seen: Dict[str, Any]) -> Dict[str, Any]:
    """An observation that fits one line of the bridge: looks of layers are the largest part, and go first."""
    limit = messages.MAX_LINE_BYTES - 8192
    if len(json.dumps(seen)) <= limit:
        return seen
    smaller = dict(seen)
    for key in ("state_in", "state"):
        if isinstance(smaller.get(key), dict):
            smaller[key] = dict(smaller[key], styles={})
    return smaller


def _failed(why: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The evaluation could not be carried out: {}").format(why),
        hint=translate("QgisAgent", "Put it right and run it again."),
        reason="evaluation",
    )
