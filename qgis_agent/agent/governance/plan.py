"""A plan as data, and the gate that holds a run to the plan that a person approved (T21).

A plan is declared as a whole each time (``update_plan``). What was approved is a hash of what would be done: title, tool,
target and number of features of every step; a status may change without a new approval, nothing else may. Leaving plan mode is
the person's own act: ``run/start`` carries the approved plan, and no tool can make one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ...bridge.envelope import CONFIRM_REQUIRED, Envelope, encode, failure
from ..context.untrusted import clean
from .profile_check import TOOL_NAME

Status = Literal["pending", "in_progress", "done", "skipped", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)
MAX_STEPS = 50
MAX_TITLE = 200
MAX_TARGET = 80
PLAN_DEVIATION = "plan_deviation"
_STEP_KEYS = ("title", "tool", "target", "status", "features")
_WORDS: Mapping[str, tuple[str, str]] = {
    "no_step": ("The approved plan has no step with {tool}.", "已批准的计划中没有使用 {tool} 的步骤。"),
    "target": (
        "The approved plan uses {tool} on {planned}, not on {target}.",
        "已批准的计划对 {planned} 使用 {tool}，而不是 {target}。",
    ),
    "features": (
        "The approved plan lets {tool} work on at most {planned} features; this call needs {features}.",
        "已批准的计划允许 {tool} 最多处理 {planned} 个要素；此调用需要 {features} 个。",
    ),
    "unknown_features": (
        "The approved plan lets {tool} work on at most {planned} features, and the number of this call is not known.",
        "已批准的计划允许 {tool} 最多处理 {planned} 个要素，而此调用的要素数未知。",
    ),
    "not_approved": ("The plan was changed after it was approved.", "计划在批准后被修改。"),
    "no_layer": ("no layer", "无图层"),
    "replan": ("Make a new plan", "重新制定计划"),
    "leave_out": ("Go on without this step", "跳过此步骤继续"),
}


class PlanError(ValueError):
    """Data that is no plan; ``problems`` has a line for each thing that is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class PlanStep:
    """One step. ``tool`` and ``target`` are "" for a step that calls nothing.

    ``target`` is the layer_id that the tool works on, or "$n" for the layer that step n (counted from 1) will have made.
    ``features`` is how many features it may work on at most, None for as many as the layer has.
    """

    title: str
    tool: str = ""
    target: str = ""
    status: Status = "pending"
    features: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As ``update_plan`` takes it."""
        data: dict[str, Any] = {
            "title": self.title,
            "tool": self.tool,
            "target": self.target,
            "status": self.status,
        }
        return data if self.features is None else {**data, "features": self.features}


@dataclass(frozen=True)
class Plan:
    """At most 50 steps in order."""

    steps: tuple[PlanStep, ...]

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical steps without their status: the same in every process."""
        said = [[each.title, each.tool, each.target, each.features] for each in self.steps]
        return hashlib.sha256(encode(said).encode("utf-8", "replace")).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The event ``plan`` and the parameter ``approved_plan``."""
        return {"steps": [each.to_dict() for each in self.steps], "hash": self.hash}

    @classmethod
    def from_steps(cls, steps: Any, tools: Mapping[str, Any] | None = None) -> Plan:
        """The plan of ``update_plan``'s ``steps``: the whole plan, in place of the one before. PlanError with all problems.

        With ``tools`` (by name) a step's tool has to be one of them.
        """
        if not isinstance(steps, list):
            raise PlanError(["steps: must be a list"])
        problems = [f"steps: at most {MAX_STEPS}, not {len(steps)}"] if len(steps) > MAX_STEPS else []
        for at, each in enumerate(steps[:MAX_STEPS], 1):
            problems += [f"step {at}: {problem}" for problem in _step_problems(each, at, tools)]
        if problems:
            raise PlanError(problems)
        return cls(tuple(_step(each) for each in steps))

    @classmethod
    def approved(cls, data: Any) -> Plan:
        """The plan of ``run/start``. PlanError when its hash is not the hash of its steps."""
        if not isinstance(data, Mapping):
            raise PlanError(["approved_plan: must be an object"])
        plan = cls.from_steps(data.get("steps"))
        if data.get("hash") != plan.hash:
            raise PlanError(["approved_plan: the hash is not the hash of these steps"])
        return plan


@dataclass(frozen=True)
class PlannedCall:
    """A call as the gate looks at it. ``features`` is None while their number is not known."""

    tool: str
    effect: str
    target: str = ""
    features: int | None = None


def planned_call(tool: str, effect: str, arguments: Mapping[str, Any], features: int | None = None) -> PlannedCall:
    """The call with its target: ``layer_id``, else the first other parameter that names a layer, else none."""
    named = [arguments.get("layer_id")] + [value for key, value in arguments.items() if key.endswith("_layer_id")]
    target = next((each for each in named if isinstance(each, str) and each), "")
    return PlannedCall(tool, effect, target, features)


@dataclass
class PlanGate:
    """Holds changing calls to a plan. ``approved_hash`` is what the person approved; another plan approves nothing."""

    approved_hash: str
    plan: Plan
    language: str = "en"
    _made: dict[int, str] = field(default_factory=dict)

    def check(self, call: PlannedCall) -> Envelope | None:
        """None for a call that only reads or that the plan has; else why the person has to be asked (plan_deviation)."""
        if call.effect == "read":
            return None
        if self.plan.hash != self.approved_hash:
            return self._ask("not_approved", call)
        steps = [each for each in self.plan.steps if each.tool == call.tool]
        if not steps:
            return self._ask("no_step", call)
        here = [each for each in steps if self._target(each) == call.target]
        if not here:
            planned = ", ".join(dict.fromkeys(self._target(each) or self._say("no_layer") for each in steps))
            return self._ask("target", call, planned=planned)
        if any(each.features is None for each in here):
            return None
        most = max(each.features or 0 for each in here)
        if call.features is None:
            return self._ask("unknown_features", call, planned=most)
        return None if call.features <= most else self._ask("features", call, planned=most)

    def settled(self, call: PlannedCall, envelope: Mapping[str, Any]) -> None:
        """Take the outcome of a call: a layer that it made stands for "$n" from now on."""
        data = envelope.get("data")
        made = data.get("layer_id") if isinstance(data, Mapping) else None
        if not envelope.get("ok") or call.effect != "create" or not isinstance(made, str):
            return
        for number, step in enumerate(self.plan.steps, 1):
            if step.tool == call.tool and self._target(step) == call.target and number not in self._made:
                self._made[number] = made
                return

    def _target(self, step: PlanStep) -> str:
        """The step's layer; "$n" stays as it is, and matches nothing, until step n has made its layer."""
        number = step.target[1:]
        if step.target.startswith("$") and number.isdecimal():
            return self._made.get(int(number), step.target)
        return step.target

    def _ask(self, key: str, call: PlannedCall, **values: object) -> Envelope:
        target = call.target or self._say("no_layer")
        message = self._say(key).format(tool=call.tool, target=target, features=call.features, **values)
        options = [{"label": self._say(each), "send": self._say(each)} for each in ("replan", "leave_out")]
        hint = "Do not try a way round. Say what differs from the plan; the person decides on a new plan."
        return failure(CONFIRM_REQUIRED, message, hint=hint, reason=PLAN_DEVIATION, options=options)

    def _say(self, key: str) -> str:
        return _WORDS[key][self.language == "zh"]


def _step_problems(data: Any, number: int, tools: Mapping[str, Any] | None) -> list[str]:
    if not isinstance(data, Mapping):
        return ["must be an object"]
    problems = [f"'{str(key)[:40]}' is not known" for key in data if key not in _STEP_KEYS]
    title, tool, target = data.get("title"), data.get("tool", ""), data.get("target", "")
    if not isinstance(title, str) or not clean(title, MAX_TITLE):
        problems.append("title: must be a text that is not empty")
    if not isinstance(tool, str) or (tool and not TOOL_NAME.fullmatch(tool)):
        problems.append("tool: must be the name of a tool")
    elif tool and tools is not None and tool not in tools:
        problems.append(f"tool: there is no tool '{tool}'")
    if not isinstance(target, str) or len(target) > MAX_TARGET or target != clean(target, MAX_TARGET):
        problems.append("target: must be a layer_id, or $n for the layer that step n makes")
    elif target.startswith("$") and not _earlier(target, number):
        problems.append("target: $n must name an earlier step")
    if data.get("status", "pending") not in STATUSES:
        problems.append("status: must be one of " + ", ".join(STATUSES))
    features = data.get("features")
    if features is not None and (isinstance(features, bool) or not isinstance(features, int) or features < 0):
        problems.append("features: must be a whole number from 0")
    return problems


def _earlier(target: str, number: int) -> bool:
    wanted = target[1:]
    return wanted.isdecimal() and len(wanted) < 4 and 1 <= int(wanted) < number


def _step(data: Mapping[str, Any]) -> PlanStep:
    return PlanStep(
        title=clean(data["title"], MAX_TITLE),
        tool=data.get("tool", ""),
        target=data.get("target", ""),
        status=data.get("status", "pending"),
        features=data.get("features"),
    )
