"""A plan as data, and the gate that holds a run to the plan that a person approved (T21).

A plan is declared as a whole each time (``update_plan``). What was approved is a hash of what would be done: title, tool,
layers, file and number of features of every step; a status may change without a new approval, nothing else may. Leaving plan mode is
the person's own act: ``run/start`` carries the approved plan, and no tool can make one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ...bridge.envelope import CONFIRM_REQUIRED, Envelope, failure
from ...bridge.plan import layers_of_call, plan_hash, texts
from ..context.untrusted import clean
from .profile_check import TOOL_NAME

Status = Literal["pending", "in_progress", "done", "skipped", "failed"]
STATUSES: tuple[Status, ...] = get_args(Status)
MAX_STEPS = 50
MAX_TITLE = 200
MAX_TARGET = 80
PLAN_DEVIATION = "plan_deviation"
MAX_INPUTS = 10
MAX_PATH = 400
_STEP_KEYS = ("title", "tool", "target", "inputs", "path", "status", "features")
_LAYER_RULE = "must be a layer_id, or $n for the layer that step n makes"
_WORDS: Mapping[str, tuple[str, str]] = {
    "no_step": ("The approved plan has no step with {tool}.", "已批准的计划中没有使用 {tool} 的步骤。"),
    "target": (
        "The approved plan uses {tool} on {planned}, not on {target}.",
        "已批准的计划对 {planned} 使用 {tool}，而不是 {target}。",
    ),
    "inputs": (
        "The approved plan does not let {tool} on {target} use {others}.",
        "已批准的计划中，对 {target} 使用 {tool} 时未包含 {others}。",
    ),
    "path": (
        "The approved plan lets {tool} write {planned}, not {path}.",
        "已批准的计划允许 {tool} 写入 {planned}，而不是 {path}。",
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
    "no_path": ("no file", "无文件"),
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

    ``target`` is the layer_id that the tool works on, or "$n" for the layer that step n (counted from 1) will have made;
    ``inputs`` are the other layers that it may use, named the same way. ``path`` is the file that it writes, "" for none.
    ``features`` is how many features it may work on at most, None for as many as the layer has.
    """

    title: str
    tool: str = ""
    target: str = ""
    status: Status = "pending"
    features: int | None = None
    inputs: tuple[str, ...] = ()
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As ``update_plan`` takes it; what the step has not (inputs, path, features) is left out."""
        data: dict[str, Any] = {
            "title": self.title,
            "tool": self.tool,
            "target": self.target,
            "status": self.status,
        }
        more = {"inputs": list(self.inputs), "path": self.path}
        data.update({key: value for key, value in more.items() if value})
        return data if self.features is None else {**data, "features": self.features}


@dataclass(frozen=True)
class Plan:
    """At most 50 steps in order."""

    steps: tuple[PlanStep, ...]

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical steps without their status: the same in every process."""
        return plan_hash([each.to_dict() for each in self.steps])

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
    """A call as the gate looks at it: all its layers and its file. ``features`` is None while their number is not known."""

    tool: str
    effect: str
    target: str = ""
    features: int | None = None
    inputs: tuple[str, ...] = ()
    path: str = ""


def planned_call(tool: str, effect: str, arguments: Mapping[str, Any], features: int | None = None) -> PlannedCall:
    """The call with its target (``layer_id``, else the first other parameter that names a layer, else none), the layers of
    all its other parameters, and its ``path``."""
    layers = layers_of_call(arguments)
    path = "".join(texts(arguments.get("path")))
    return PlannedCall(tool, effect, "".join(layers[:1]), features, tuple(layers[1:]), path)


@dataclass
class PlanGate:
    """Holds changing calls to a plan. ``approved_hash`` is what the person approved; another plan approves nothing.

    A call keeps to the plan when one step of its tool has its target, all its other layers and its file.
    """

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
        steps = self._steps(call)
        if not steps:
            return self._deviation(call)
        most = _most(steps)
        if most is None:
            return None
        if call.features is None:
            return self._ask("unknown_features", call, planned=most)
        return None if call.features <= most else self._ask("features", call, planned=most)

    def needs_features(self, call: PlannedCall) -> bool:
        """Whether the number of features decides: a call of the plan whose step has a number, while the call's is unknown."""
        return call.effect != "read" and call.features is None and _most(self._steps(call)) is not None

    def settled(self, call: PlannedCall, envelope: Mapping[str, Any]) -> None:
        """Take the outcome of a call: a layer that it made stands for "$n" from now on."""
        data = envelope.get("data")
        made = data.get("layer_id") if isinstance(data, Mapping) else None
        if not envelope.get("ok") or call.effect != "create" or not isinstance(made, str):
            return
        for number, step in enumerate(self.plan.steps, 1):
            if self._has(step, call) and number not in self._made:
                self._made[number] = made
                return

    def _steps(self, call: PlannedCall) -> list[PlanStep]:
        """The steps that the call may be."""
        return [each for each in self.plan.steps if self._has(each, call)]

    def _has(self, step: PlanStep, call: PlannedCall) -> bool:
        return (
            (step.tool, self._layer(step.target), step.path) == (call.tool, call.target, call.path)
            and set(call.inputs) <= self._inputs(step)
        )  # fmt: skip

    def _inputs(self, step: PlanStep) -> set[str]:
        return {self._layer(each) for each in step.inputs}

    def _deviation(self, call: PlannedCall) -> Envelope:
        """What differs first: the tool, the target, the other layers, the file."""
        steps = [each for each in self.plan.steps if each.tool == call.tool]
        if not steps:
            return self._ask("no_step", call)
        here = [each for each in steps if self._layer(each.target) == call.target]
        if not here:
            return self._ask("target", call, planned=self._list(self._layer(each.target) for each in steps))
        fitting = [each for each in here if set(call.inputs) <= self._inputs(each)]
        if not fitting:
            known = set().union(*(self._inputs(each) for each in here))
            others = [each for each in call.inputs if each not in known] or call.inputs
            return self._ask("inputs", call, others=self._list(others))
        planned = self._list((each.path for each in fitting), "no_path")
        return self._ask("path", call, planned=planned, path=clean(call.path, MAX_PATH) or self._say("no_path"))

    def _list(self, names: Iterable[str], nothing: str = "no_layer") -> str:
        return ", ".join(dict.fromkeys(each or self._say(nothing) for each in names))

    def _layer(self, name: str) -> str:
        """A layer of a step; "$n" stays as it is, and matches nothing, until step n has made its layer."""
        number = name[1:]
        if name.startswith("$") and number.isdecimal():
            return self._made.get(int(number), name)
        return name

    def _ask(self, key: str, call: PlannedCall, **values: object) -> Envelope:
        target = call.target or self._say("no_layer")
        message = self._say(key).format(tool=call.tool, target=target, features=call.features, **values)
        options = [{"label": self._say(each), "send": self._say(each)} for each in ("replan", "leave_out")]
        hint = "Do not try a way round. Say what differs from the plan; the person decides on a new plan."
        return failure(CONFIRM_REQUIRED, message, hint=hint, reason=PLAN_DEVIATION, options=options)

    def _say(self, key: str) -> str:
        return _WORDS[key][self.language == "zh"]


def _most(steps: Sequence[PlanStep]) -> int | None:
    """How many features the steps allow at most; None for as many as there are, and without a step."""
    if not steps or any(each.features is None for each in steps):
        return None
    return max(each.features or 0 for each in steps)


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
    if target != "":
        problems += [f"target: {problem}" for problem in _layer_problems(target, number)]
    inputs = data.get("inputs", [])
    if not isinstance(inputs, list) or len(inputs) > MAX_INPUTS:
        problems.append(f"inputs: must be a list of at most {MAX_INPUTS} layers")
    else:
        problems += [f"inputs: {problem}" for each in inputs for problem in _layer_problems(each, number)]
    path = data.get("path", "")
    if not isinstance(path, str) or len(path) > MAX_PATH or not path.isprintable():
        problems.append(f"path: must be the name of a file, at most {MAX_PATH} characters")
    if data.get("status", "pending") not in STATUSES:
        problems.append("status: must be one of " + ", ".join(STATUSES))
    features = data.get("features")
    if features is not None and (isinstance(features, bool) or not isinstance(features, int) or features < 0):
        problems.append("features: must be a whole number from 0")
    return problems


def _layer_problems(name: Any, number: int) -> list[str]:
    if not isinstance(name, str) or not name or len(name) > MAX_TARGET or name != clean(name, MAX_TARGET):
        return [_LAYER_RULE]
    return ["$n must name an earlier step"] if name.startswith("$") and not _earlier(name, number) else []


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
        inputs=tuple(dict.fromkeys(data.get("inputs", []))),
        path=data.get("path", ""),
    )
