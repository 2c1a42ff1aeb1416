"""Blackboard: what a conversation is about and what it has made, in at most 1,200 characters.

A history is linear and gets long; "that layer" and "the same again" refer to the last action, not to a line of the history.
One blackboard lives as long as its session; the goal and the steps are those of the current run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...bridge.envelope import encode
from .untrusted import clean

SNAPSHOT_CHARS = 1200
MAX_ENTITIES = 12
MAX_ARTIFACTS = 8
MAX_STEPS = 6
MAX_TOUCHED = 12
_ENTITY_KEYS = ("layer_id", "polygon_layer_id", "text", "field")
_LAYER_KEYS = ("polygon_layer_id", "layer_id")
NAMED, MADE = "named", "made"


@dataclass(frozen=True)
class Step:
    """A settled call: the tool, what it was about, and its code ("" when it succeeded)."""

    tool: str
    target: str
    code: str


@dataclass
class Blackboard:
    """Goal, entities, artifacts and last action. Strings are data: cleaned and clipped, never instructions."""

    goal: str = ""
    entities: dict[str, str] = field(default_factory=dict)
    """Layers, places and fields that calls named, with the kind of name; the newest stay."""
    artifacts: dict[str, str] = field(default_factory=dict)
    """Layers and result handles that calls made, with the tool; the newest stay."""
    last_action: str = ""
    steps: list[Step] = field(default_factory=list)
    touched: dict[str, str] = field(default_factory=dict)
    """Layers and handles that calls named or made, in the order in which they were touched last; the newest stays last."""
    before: dict[str, str] = field(default_factory=dict)
    """What was touched when the person sent the message of this run: what "that layer" in it can mean."""

    def begin(self, goal: str) -> None:
        """A new message of the person: a new goal, no steps yet. Entities, artifacts and the last action stay."""
        self.goal = clean(goal, 200)
        self.steps = []
        self.before = dict(self.touched)

    def record(self, tool: str, arguments: Mapping[str, Any], envelope: Mapping[str, Any]) -> None:
        """Take one settled call."""
        ok = bool(envelope.get("ok"))
        target = target_of(arguments)
        self.steps.append(Step(tool, target, "" if ok else str(envelope.get("code", ""))))
        if not ok:
            return
        for key in _ENTITY_KEYS:
            if isinstance(arguments.get(key), str):
                _newest(self.entities, clean(arguments[key], 60), key, MAX_ENTITIES)
        for key in _LAYER_KEYS:
            if isinstance(arguments.get(key), str):
                _newest(self.touched, arguments[key], NAMED, MAX_TOUCHED)
        data = envelope.get("data")
        for made in made_by(arguments, data if isinstance(data, Mapping) else {}):
            _newest(self.artifacts, made, tool, MAX_ARTIFACTS)
            _newest(self.touched, made, MADE, MAX_TOUCHED)
        self.last_action = f"{tool} {target}".strip()

    def in_order(self) -> list[str]:
        """What "that" can mean, newest first: what this run made, then what was touched when the message was sent."""
        made = [name for name, how in self.touched.items() if how == MADE and self.before.get(name) != MADE]
        return list(dict.fromkeys([*reversed(made), *reversed(self.before)]))

    def handles(self) -> tuple[str, ...]:
        """Layers and result handles that must outlive a compaction."""
        return tuple(self.artifacts)

    def state(self) -> dict[str, Any]:
        """The blackboard as data."""
        steps = [f"{each.tool} {each.target}: {each.code or 'ok'}" for each in self.steps[-MAX_STEPS:]]
        return {
            "goal": self.goal,
            "entities": dict(self.entities),
            "artifacts": dict(self.artifacts),
            "last_action": self.last_action,
            "steps": steps,
        }

    def snapshot(self, max_chars: int = SNAPSHOT_CHARS) -> dict[str, Any]:
        """The state in at most ``max_chars`` characters of JSON: oldest entities go first, then steps, then artifacts."""
        state = self.state()
        state = {key: value for key, value in state.items() if value}
        for key in ("entities", "steps", "artifacts"):
            while len(encode(state)) > max_chars and state.get(key):
                kept = state[key]
                state[key] = kept[1:] if isinstance(kept, list) else dict(list(kept.items())[1:])
        while len(encode(state)) > max_chars and state.get("goal"):
            state["goal"] = state["goal"][: len(state["goal"]) // 2]
        return {key: value for key, value in state.items() if value}


def target_of(arguments: Mapping[str, Any]) -> str:
    """What a call was about, in a few words: a layer, a place, a handle."""
    for key in ("layer_id", "polygon_layer_id", "text", "query", "result_ref", "path"):
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return clean(value, 60)
    return ""


def made_by(arguments: Mapping[str, Any], data: Mapping[str, Any]) -> Iterable[str]:
    """Names of what a successful call made: a handle, or a layer that its arguments did not name."""
    handle = data.get("result_ref")
    if isinstance(handle, str) and handle:
        yield handle
    layer = data.get("layer_id")
    if isinstance(layer, str) and layer and layer not in arguments.values():
        yield layer


def _newest(kept: dict[str, str], key: str, value: str, limit: int) -> None:
    kept.pop(key, None)
    kept[key] = value
    while len(kept) > limit:
        del kept[next(iter(kept))]
