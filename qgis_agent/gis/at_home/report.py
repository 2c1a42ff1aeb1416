"""What the person sees of a run although it did not leave QGIS: legend, map operations and evidence in full."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Dict, List

from . import projection

MAX_RUNS = 4
MAX_CALLS = 500


class Kept:
    """The outcomes of the last runs, in the order in which they were given, while attribute values stay at home."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, List[Dict[str, Any]]] = OrderedDict()

    def note(self, run_id: str, outcome: Dict[str, Any]) -> None:
        """A call has ended. Kept are those that succeeded, and only where something may be left out of them."""
        if not projection.wanted() or not outcome["envelope"]["ok"]:
            return
        outcomes = self._runs.setdefault(run_id, [])
        if len(outcomes) < MAX_CALLS:
            outcomes.append({key: outcome[key] for key in ("actions", "legend", "evidence")})
        while len(self._runs) > MAX_RUNS:
            self._runs.popitem(last=False)

    def restored(self, run_id: str, report: Dict[str, Any]) -> Dict[str, Any]:
        """The agent's report of a run with what QGIS itself knows of its calls; the report as it is where it knows nothing."""
        outcomes = self._runs.pop(run_id, None)
        if not outcomes:
            return report
        legend: List[Dict[str, Any]] = []
        for each in outcomes:
            styled = {entry.get("layer_id") for entry in each["legend"]}
            styled |= {action["args"].get("layer_id") for action in each["actions"] if action["args"].get("reverted")}
            legend = [entry for entry in legend if entry.get("layer_id") not in styled] + each["legend"]
        return {
            **report,
            "legend": legend,
            "map_actions": [action for each in outcomes for action in each["actions"]],
            "evidence": [entry for each in outcomes for entry in each["evidence"]],
        }
