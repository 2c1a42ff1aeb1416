"""The plan that a person approved, on the QGIS side: its hash is made here from what was shown, and calls are held to it.

The agent process has a gate of its own (agent/governance/plan.py); this one does not rely on it. What differs from the plan
asks the person, each time.
"""

from __future__ import annotations

import hashlib
from typing import Any, Dict, List, Mapping, NamedTuple, Set, Tuple

from ..bridge.envelope import encode

NEW_TOOLS_ASK = ("create", "network", "write", "execute")
"""Effects of a tool that the plan does not have at all. A mere view (zoom, highlight) of a layer is none of its steps."""


class Step(NamedTuple):
    """What one step of a plan lets be done: ``target`` and ``inputs`` are aliases, or "$n" for what step n makes."""

    tool: str
    target: str
    inputs: Tuple[str, ...]
    path: str


def plan_hash(steps: Any) -> str:
    """SHA-256 of the canonical steps without their status, as the agent process makes it; "" for what is no plan."""
    if not isinstance(steps, list) or not all(isinstance(each, Mapping) for each in steps):
        return ""
    said = [
        [
            each.get("title"),
            each.get("tool", ""),
            each.get("target", ""),
            list(dict.fromkeys(each.get("inputs") or [])),
            each.get("path", ""),
            each.get("features"),
        ]
        for each in steps
    ]
    return hashlib.sha256(encode(said).encode("utf-8", "replace")).hexdigest()


class ApprovedPlan:
    """The steps that a person approved. ``hash`` is that of these steps, whatever the plan says of itself."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        steps = plan.get("steps")
        self.hash = plan_hash(steps)
        self.genuine = bool(self.hash) and plan.get("hash", self.hash) == self.hash
        """Whether the plan that was shown is the one whose hash came along. What is not genuine approves nothing."""
        self._steps = [_step(each) for each in steps] if self.genuine and isinstance(steps, list) else []
        self._made: Dict[str, str] = {}

    def deviates(self, tool: str, effect: str, arguments: Mapping[str, Any]) -> bool:
        """Whether a call is not in the plan: a new tool that does more than show, another layer, another file."""
        if effect == "read":
            return False
        if not self.genuine:
            return True
        if not any(each.tool == tool for each in self._steps):
            return effect in NEW_TOOLS_ASK
        return not any(self._has(each, tool, arguments) for each in self._steps)

    def settled(self, tool: str, arguments: Mapping[str, Any], envelope: Mapping[str, Any]) -> None:
        """A call of the plan has ended: a layer that it made stands for "$n" from now on."""
        data = envelope.get("data")
        made = data.get("layer_id") if isinstance(data, Mapping) else None
        if not envelope.get("ok") or not isinstance(made, str) or made in _layers(arguments):
            return
        for number, step in enumerate(self._steps, 1):
            name = "${}".format(number)
            if name not in self._made and self._has(step, tool, arguments):
                self._made[name] = made
                return

    def _has(self, step: Step, tool: str, arguments: Mapping[str, Any]) -> bool:
        layers = _layers(arguments)
        allowed: Set[str] = {self._made.get(each, each) for each in step.inputs}
        return (step.tool, self._made.get(step.target, step.target), step.path) == (
            tool,
            "".join(layers[:1]),
            str(arguments.get("path") or ""),
        ) and set(layers[1:]) <= allowed


def _step(data: Mapping[str, Any]) -> Step:
    inputs = data.get("inputs") or []
    return Step(
        str(data.get("tool", "")), str(data.get("target", "")), tuple(map(str, inputs)), str(data.get("path", ""))
    )


def _layers(arguments: Mapping[str, Any]) -> List[str]:
    """The layers of a call, ``layer_id`` first: as ``planned_call`` of the agent process orders them."""
    named = _texts(arguments.get("layer_id"))
    for key, value in arguments.items():
        if key.endswith(("_layer_id", "layer_ids")):
            named += _texts(value)
    return list(dict.fromkeys(named))


def _texts(value: Any) -> List[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str) and each]
