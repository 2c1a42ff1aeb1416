"""The plan that a person approved, on the QGIS side: its hash is made here from what was shown, and calls are held to it.

The agent process has a gate of its own (agent/governance/plan.py); this one does not rely on it. What differs from the plan
asks the person, each time.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from ..bridge.plan import layers_of_call, plan_hash

NEW_TOOLS_ASK = ("create", "network", "write", "execute")
"""Effects of a tool that the plan does not have at all. A mere view (zoom, highlight) of a layer is none of its steps."""

COUNTING = "count_features"
LEAVES_COUNTS = ("zoom_to", "describe_layer", "query_features")
"""Tools after which a count still holds. Any other that succeeds may have changed the data."""


class Step(NamedTuple):
    """What one step of a plan lets be done: ``target`` and ``inputs`` are aliases, or "$n" for what step n makes."""

    tool: str
    target: str
    inputs: Tuple[str, ...]
    path: str
    features: Optional[int]
    """How many features it may work on at most; None for as many as the layer has."""


class ApprovedPlan:
    """The steps that a person approved. ``hash`` is that of these steps, whatever the plan says of itself."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        steps = plan.get("steps")
        self.hash = plan_hash(steps)
        self.genuine = bool(self.hash) and plan.get("hash", self.hash) == self.hash
        """Whether the plan that was shown is the one whose hash came along. What is not genuine approves nothing."""
        self._steps = [_step(each) for each in steps] if self.genuine and isinstance(steps, list) else []
        self._made: Dict[str, str] = {}
        self._counted: Dict[str, int] = {}
        """Features of whole layers, as QGIS itself has counted them since the last change."""

    def deviates(self, tool: str, effect: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is not in the plan: a new tool that does more than show, another layer, another file."""
        if effect == "read":
            return False
        if not self.genuine:
            return True
        if not any(each.tool == tool for each in self._steps):
            return effect in NEW_TOOLS_ASK
        steps = [each for each in self._steps if self._has(each, tool, arguments)]
        return not steps or self._too_many(steps, arguments)

    def _too_many(self, steps: List[Step], arguments: Mapping[str, Any]) -> bool:
        """Whether the call may work on more features than were approved. What was not counted is not taken for few."""
        allowed = [each.features for each in steps]
        if None in allowed:
            return False
        counted = self._counted.get("".join(layers_of_call(arguments)[:1]))
        return counted is None or counted > max(each for each in allowed if each is not None)

    def settled(self, tool: str, arguments: Mapping[str, Any], envelope: Mapping[str, Any]) -> None:
        """A call of the run has ended: a layer that it made stands for "$n" from now on, and a count is remembered."""
        if tool == COUNTING:
            self._count(arguments, envelope)
        elif envelope.get("ok") and tool not in LEAVES_COUNTS:
            self._counted.clear()
        data = envelope.get("data")
        made = data.get("layer_id") if isinstance(data, Mapping) else None
        if not envelope.get("ok") or not isinstance(made, str) or made in layers_of_call(arguments):
            return
        for number, step in enumerate(self._steps, 1):
            name = "${}".format(number)
            if name not in self._made and self._has(step, tool, arguments):
                self._made[name] = made
                return

    def _count(self, arguments: Mapping[str, Any], envelope: Mapping[str, Any]) -> None:
        """Take an exact count of a whole layer; one of a part of it says nothing about the others."""
        data = envelope.get("data")
        count = data.get("count") if isinstance(data, Mapping) else None
        exact = isinstance(data, Mapping) and data.get("count_kind", "exact") == "exact"
        if envelope.get("ok") and exact and isinstance(count, int) and set(arguments) == {"layer_id"}:
            self._counted[str(arguments["layer_id"])] = count

    def _has(self, step: Step, tool: str, arguments: Mapping[str, Any]) -> bool:
        layers = layers_of_call(arguments)
        allowed: Set[str] = {self._made.get(each, each) for each in step.inputs}
        return (step.tool, self._made.get(step.target, step.target), step.path) == (
            tool,
            "".join(layers[:1]),
            str(arguments.get("path") or ""),
        ) and set(layers[1:]) <= allowed


def _step(data: Mapping[str, Any]) -> Step:
    inputs, features = data.get("inputs") or [], data.get("features")
    return Step(
        str(data.get("tool", "")),
        str(data.get("target", "")),
        tuple(map(str, inputs)),
        str(data.get("path", "")),
        None if features is None else features if isinstance(features, int) else 0,
    )
