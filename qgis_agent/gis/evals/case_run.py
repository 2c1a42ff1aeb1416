"""One case: a fresh copy of its project, the request, and what came of it (the observation that is scored)."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from qgis.core import QgsMapLayer, QgsVectorLayer, QgsWkbTypes

from ...bridge.trace import Trace
from ..approvals import Card
from ..errors import TIMEOUT, failure
from ..headless import HeadlessApprover
from ..host import Host, run_until
from ..layers import clean_text
from ..map_state import map_state
from ..replay.refusals import NO_MAP
from ..replay.replayer import replay_traces
from ..runs import RunController
from ..secrets import REDACTOR
from ..traces import Traces
from .projects import CaseProjects, changed_files, digests, open_copy

OFFLINE_LABEL = "offline commands"
"""What a report calls them under ``answered_by``, also where they stood in for a model that failed."""
CASE_TIMEOUT_S = 600.0
ANSWER_S = 60.0
Observation = Dict[str, Any]


class CaseApprover:
    """Answers for a person as the case says (``approve``), and counts what a person would have been asked."""

    unattended = True

    def __init__(self) -> None:
        self.asked = 0
        self._policy = HeadlessApprover()

    @property
    def hosts(self) -> Any:
        """See HeadlessApprover: no case may ask the network."""
        return self._policy.hosts

    def begin(self, approve: str) -> None:
        """The next case begins."""
        self.asked = 0
        self._policy = HeadlessApprover(approve, may_write=approve != "none")

    def ask(self, card: Card, answer: Callable[[str], None]) -> Callable[[], None]:
        """See Approver."""
        self.asked += 1
        return self._policy.ask(card, answer)


class CaseRunner:
    """Runs cases one after the other on one project object and one agent process; see ``run``.

    ``cancelled()`` is asked while it waits.
    """

    def __init__(
        self,
        controller: RunController,
        approver: CaseApprover,
        projects: CaseProjects,
        cancelled: Callable[[], bool],
    ) -> None:
        self._controller = controller
        self._approver = approver
        self._projects = projects
        self._cancelled = cancelled
        self._reports: List[Dict[str, Any]] = []
        controller.finished.connect(self._reports.append)

    @property
    def _host(self) -> Host:
        return self._controller.host

    def run(self, case: Dict[str, Any], model: Dict[str, Any], replay: bool) -> Any:
        """(observation, trace or None) of one case, answered by ``model`` (as for ``RunController.configure_model``)."""
        path = self._projects.fresh(str(case.get("project") or "sample"))
        try:
            return self._on_copy(case, model, path, replay)
        finally:
            self._host.project.clear()
            shutil.rmtree(str(path.parent), ignore_errors=True)

    def _on_copy(self, case: Dict[str, Any], model: Dict[str, Any], path: Path, replay: bool) -> Any:
        controller, host = self._controller, self._host
        open_copy(host.project, path)
        controller.new_conversation()
        approve = str(case.get("approve") or "none")
        self._approver.begin(approve)
        controller.set_write_enabled(approve != "none")
        controller.configure_model(model)
        self._set_up(case.get("setup") or [])
        state_in = REDACTOR.strings(map_state(host))
        before, there = digests(path.parent), set(host.project.mapLayers())
        began = time.monotonic()
        report = self._answer(str(case["text"]))
        ms = round((time.monotonic() - began) * 1000)
        trace = self._trace(report)
        seen: Observation = {
            "report": report,
            "state_in": state_in,
            "state": REDACTOR.strings(map_state(host)),
            "layers": [made_layer(each) for ident, each in host.project.mapLayers().items() if ident not in there],
            "files": sorted(changed_files(before, digests(path.parent))),
            "asked": self._approver.asked,
            "stood_in": model["kind"] == "model" and report.get("answered_by") == OFFLINE_LABEL,
            "ms": ms,
        }
        if trace is not None:
            seen["intent"] = trace.get("intent") or ""
            if replay and not case.get("setup"):  # what a person did before is in no trace
                seen["replay"] = self._replayed(trace, str(case.get("project") or "sample"))
        return seen, trace

    def _answer(self, text: str) -> Dict[str, Any]:
        del self._reports[:]
        self._controller.start(text)
        if not self._wait(lambda: bool(self._reports), CASE_TIMEOUT_S):
            self._controller.stop()
            run_until(lambda: bool(self._reports), 2.0)
        return dict(self._reports[-1])

    def _set_up(self, calls: List[Dict[str, Any]]) -> None:
        for each in calls:
            outcomes: List[Dict[str, Any]] = []
            self._controller.call_tool(str(each.get("tool")), dict(each.get("args") or {}), outcomes.append)
            self._wait(lambda: bool(outcomes), ANSWER_S)  # noqa: B023  (waited for before the next)
            envelope = outcomes[0]["envelope"] if outcomes else failure(TIMEOUT, "", hint="")
            if not envelope["ok"]:
                raise RuntimeError("the setup call {} failed: {}".format(each.get("tool"), envelope))

    def _trace(self, report: Dict[str, Any]) -> Optional[Trace]:
        """The run's trace, or None where it never began."""
        if not report.get("trace_id"):
            return None
        told: List[Any] = []
        Traces(self._controller).fetch(lambda traces, problem: told.append((traces, problem)), [report["trace_id"]])
        self._wait(lambda: bool(told), ANSWER_S)
        return told[0][0][0] if told and told[0][0] else None

    def _replayed(self, trace: Trace, project: str) -> Dict[str, Any]:
        told = replay_traces([trace], str(self._projects.template(project)), cancelled=self._cancelled)
        where = told["first_difference"]
        error = told["error"]
        note = "step {step} {path}: {expected!r}, then {found!r}".format(**where) if where else ""
        not_tried = (told["equal"] and not told["map_compared"]) or (error or {}).get("reason") == NO_MAP
        equal = None if not_tried else bool(told["equal"])  # None does not count
        return {"equal": equal, "note": note or str((error or {}).get("message") or "")}

    def _wait(self, done: Callable[[], bool], seconds: float) -> bool:
        return run_until(lambda: done() or self._cancelled(), seconds) and done()


def made_layer(layer: QgsMapLayer) -> Dict[str, Any]:
    """{name, features, crs, geometry} of a layer that a tool made or added: "Point", "Line", "Polygon", "Table" or "Raster"."""
    told: Dict[str, Any] = {"name": clean_text(layer.name(), 120), "crs": layer.crs().authid(), "geometry": "Raster"}
    if isinstance(layer, QgsVectorLayer):
        kind = QgsWkbTypes.geometryDisplayString(layer.geometryType())
        told["geometry"] = kind if layer.isSpatial() else "Table"
        provider = layer.dataProvider()
        # Memory, or a file without a filter: the provider's count is one number that it keeps.
        told["features"] = int(provider.featureCount()) if provider is not None else 0
    return told
