"""Guards: rules that look at a call after the model wrote it and before it runs.

A rule is data: in which modes it holds, which calls it blocks (by name, pack or effect), what lifts it. The rules for operations,
workers and workflows bite as soon as those packs are offered. A blocked call is answered FORBIDDEN with the reason
``runner_guard_blocked`` and a hint. A rule that raises blocks everything but ``read`` (C-7).

Beside the rules stands the retry budget per (tool, arguments): a call that the model may correct can be repeated once unchanged,
one that cannot succeed not at all. A successful change of the map or of the data clears it, but never clears a denial. A call
that failed before runs once at a time: its twins in the same batch wait for what comes of it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...bridge.envelope import (
    CANCELLED,
    FORBIDDEN,
    INVALID_PARAM,
    NOT_FOUND,
    PERMISSION_DENIED,
    UNSUPPORTED,
    Envelope,
    encode,
    failure,
)
from ..execution.tool_runtime import PACK_HIDDEN
from ..llm.types import ToolCall
from .task_modes import Task, TaskMode

GUARD_BLOCKED = "runner_guard_blocked"
CHANGING = frozenset({"view", "create", "write", "network", "execute"})
CODE_PACKS = frozenset({"code", "web", "system"})
ONE_SHOT = frozenset({"execute_code", "run_script_file", "bash"})
DENIALS = (FORBIDDEN, PERMISSION_DENIED)
_ALLOWED: Mapping[str, int] = {INVALID_PARAM: 1, NOT_FOUND: 1, FORBIDDEN: 0, PERMISSION_DENIED: 0, UNSUPPORTED: 0}
"""How often a failed call may be sent again unchanged. Of transient failures the host itself takes care."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Selector:
    """Which calls: one of the names, or of the packs, or of the effects; never one of ``exempt``."""

    names: frozenset[str] = frozenset()
    packs: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    exempt: frozenset[str] = frozenset()

    def takes(self, tool: Known) -> bool:
        """Whether a tool is meant."""
        if tool.name in self.exempt or tool.pack in self.exempt:
            return False
        return tool.name in self.names or tool.pack in self.packs or tool.effect in self.effects


@dataclass(frozen=True)
class Known:
    """What is known of a tool: its name, and its pack and least effect ("" where the contract is not known)."""

    name: str
    pack: str = ""
    effect: str = ""


@dataclass(frozen=True)
class Outcome:
    """A settled call in the guards' memory; ``code`` is "" for a success."""

    tool: Known
    code: str


@dataclass
class RunFacts:
    """What the guards of a run know: the task, the tools, what has happened, tools to keep off until one of others ran."""

    task: Task = field(default_factory=Task)
    effects: Mapping[str, str] = field(default_factory=dict)
    packs: Mapping[str, str] = field(default_factory=dict)
    avoid: Collection[str] = ()
    prefer: Collection[str] = ()
    outcomes: list[Outcome] = field(default_factory=list)

    def known(self, name: str) -> Known:
        """A tool's contract in short."""
        return Known(name, self.packs.get(name, ""), self.effects.get(name, ""))

    def used(self, which: Selector, *, ok: bool) -> bool:
        """Whether such a tool has run, or (``ok``) has succeeded."""
        return any(which.takes(each.tool) and not (ok and each.code) for each in self.outcomes)

    def failed_since(self, which: Selector, mended: Selector) -> bool:
        """Whether such a tool failed and nothing of ``mended`` has succeeded since, nor the tool itself."""
        for each in reversed(self.outcomes):
            if not each.code and (mended.takes(each.tool) or which.takes(each.tool)):
                return False
            if each.code and each.code != CANCELLED and which.takes(each.tool):
                return True
        return False

    def unmended(self) -> str:
        """A dedicated tool whose last outcome was a failure, or "". Code and network tools are no dedicated tools."""
        last = {each.tool.name: each for each in self.outcomes}
        for each in reversed(last.values()):
            dedicated = (
                each.tool.pack not in CODE_PACKS and each.tool.effect != "execute" and each.tool.name not in ONE_SHOT
            )
            if dedicated and each.code and each.code != CANCELLED:
                return each.tool.name
        return ""


Guard = Callable[[Known, RunFacts], "str | tuple[str, str] | None"]
"""A guard gives (message, hint) to block a call, and None to let it pass."""


@dataclass(frozen=True)
class Rule:
    """One rule as data. ``needs`` lifts it once such a tool has run; ``after`` and ``until`` make it hold only between them."""

    modes: frozenset[TaskMode]
    blocks: Selector
    message: str
    hint: str
    visual: bool | None = None
    needs: Selector | None = None
    after: Selector | None = None
    until: Selector = Selector()

    def __call__(self, tool: Known, facts: RunFacts) -> tuple[str, str] | None:
        """See Guard."""
        if facts.task.mode not in self.modes or not self.blocks.takes(tool):
            return None
        if self.visual is not None and facts.task.visual is not self.visual:
            return None
        if self.needs is not None and facts.used(self.needs, ok=False):
            return None
        if self.after is not None and not facts.failed_since(self.after, self.until):
            return None
        return self.message.format(tool=tool.name), self.hint


_DATA_SIDE = frozenset({"set_layer_crs", "set_layer_encoding", "revert_style", "clear_temp_layers"})
"""Tools of effect ``view`` that an analysis may need, or that put the map back."""
RULES: tuple[Rule, ...] = (
    Rule(
        modes=frozenset({"data_analysis"}),
        visual=False,
        blocks=Selector(effects=frozenset({"view"}), exempt=_DATA_SIDE),
        message="{tool} changes the map, and the request asks for an analysis only.",
        hint="Use where, fields or an analysis tool to narrow the data down, and answer from the results; leave the map as it is.",
    ),
    Rule(
        modes=frozenset({"operation_repair"}),
        after=Selector(names=frozenset({"run_operation"})),
        until=Selector(names=frozenset({"edit_operation", "edit_file"})),
        blocks=Selector(names=ONE_SHOT, packs=frozenset({"code"}), effects=frozenset({"view", "execute"})),
        message="The operation has just failed and was not edited yet; {tool} would go round it.",
        hint="Read it with get_operation(include_code=true), change it with edit_operation, then run it again.",
    ),
    Rule(
        modes=frozenset({"worker"}),
        blocks=Selector(names=ONE_SHOT, packs=frozenset({"code"}), effects=frozenset({"execute"}), exempt=frozenset({"worker"})),
        message="{tool} runs once; the request is for work that goes on in the background.",
        hint="Use start_worker, and check it afterwards.",
    ),
    Rule(
        modes=frozenset({"workflow"}),
        needs=Selector(packs=frozenset({"workflow"})),
        blocks=Selector(
            packs=frozenset({"worker"}), effects=frozenset({"view", "create", "write", "execute"}), exempt=frozenset({"workflow"})
        ),
        message="{tool} changes something, and no tool for workflows has been used yet.",
        hint="Use the tools for workflows first.",
    ),
)  # fmt: skip


def no_bypass(tool: Known, facts: RunFacts) -> tuple[str, str] | None:
    """After a dedicated tool failed, code and network tools may not do its work, unless the person asked for code."""
    by_code = tool.effect == "execute" or tool.pack in CODE_PACKS or tool.name in ONE_SHOT
    if not by_code or facts.task.wants_code:
        return None
    failed = facts.unmended()
    if not failed:
        return None
    return (
        f"{failed} failed; {tool.name} may not do its work by other means.",
        f"Correct the call of {failed} by its hint, or say what is not possible.",
    )


def keeps_to_the_offer(tool: Known, facts: RunFacts) -> tuple[str, str] | None:
    """After a short yes to an offer, the tools that the offer is about come first (C-1)."""
    if tool.name not in facts.avoid or any(each.tool.name in facts.prefer for each in facts.outcomes):
        return None
    return (
        f"The person said yes to an offer; {tool.name} is not what was offered.",
        f"Do what was offered with {', '.join(facts.prefer)}.",
    )


DEFAULT_GUARDS: tuple[Guard, ...] = (*RULES, no_bypass, keeps_to_the_offer)


def check_guards(name: str, facts: RunFacts, guards: Sequence[Guard] = DEFAULT_GUARDS) -> Envelope | None:
    """The envelope of a blocked call, or None. A guard that raises lets only ``read`` pass."""
    tool = facts.known(name)
    for guard in guards:
        try:
            blocked = guard(tool, facts)
        except Exception:  # noqa: BLE001  (logged, and whatever it was, the call is blocked unless it only reads)
            _log.exception("a guard failed for %s", name[:80])
            if tool.effect == "read":
                continue
            return _blocked(
                f"{name[:80]} could not be checked, so it was not run.", "Use another tool, or tell the person."
            )
        if blocked is not None:
            return _blocked(*blocked)
    return None


def _blocked(message: str, hint: str) -> Envelope:
    return failure(FORBIDDEN, message, hint=hint, reason=GUARD_BLOCKED)


Signed = Mapping[str, Any] | str
"""Arguments of a call, or their text where it cannot be read; see ``signed``."""


@dataclass
class _Spent:
    code: str
    envelope: Mapping[str, Any]
    failures: int = 0


class RetryBudget:
    """How often a call may be repeated unchanged after it failed (X-9): the host counts, not the model."""

    def __init__(self) -> None:
        self._failed: dict[str, _Spent] = {}
        self._running: dict[str, str] = {}
        self._held: set[str] = set()

    def spent(self, tool: str, arguments: Signed) -> Mapping[str, Any] | None:
        """The earlier failure of this very call when its budget is used up, else None."""
        before = self._failed.get(signature(tool, arguments))
        if before is None:
            return None
        allowed = _ALLOWED.get(before.code)
        return before.envelope if allowed is not None and before.failures > allowed else None

    def begin(self, call: ToolCall, arguments: Signed) -> Mapping[str, Any] | None:
        """A call is about to run: None, or its earlier failure when it failed before and its twin runs beside it now."""
        key = signature(call.name, arguments)
        before = self._failed.get(key)
        if before is not None and self._running.get(key, call.id) != call.id:
            self._held.add(call.id)
            return before.envelope
        self._running.setdefault(key, call.id)
        return None

    def held(self, call: ToolCall | None) -> bool:
        """Whether a call was not run because its twin ran beside it."""
        return call is not None and call.id in self._held

    def failure_of(self, tool: str, arguments: Signed) -> Mapping[str, Any] | None:
        """The last failure of this very call, if it has not succeeded since."""
        before = self._failed.get(signature(tool, arguments))
        return before.envelope if before is not None else None

    def end_batch(self) -> None:
        """Nothing runs any more."""
        self._running.clear()
        self._held.clear()

    def take(self, tool: str, arguments: Signed, envelope: Mapping[str, Any], *, changed: bool) -> None:
        """Count one settled call. ``changed``: a success that may have made other calls possible."""
        self._running.pop(signature(tool, arguments), None)
        if envelope.get("ok"):
            if changed:
                self._failed = {key: each for key, each in self._failed.items() if each.code in DENIALS}
            self._failed.pop(signature(tool, arguments), None)
            return
        if envelope.get("reason") == PACK_HIDDEN:  # it is shown now; the same call again is what was asked for
            return
        code = str(envelope.get("code", ""))
        key = signature(tool, arguments)
        before = self._failed.get(key)
        failures = before.failures + 1 if before is not None and before.code == code else 1
        self._failed[key] = _Spent(code, envelope, failures)


def repeat_blocked(tool: str, before: Mapping[str, Any]) -> Envelope:
    """The answer to a call whose budget is used up: what came of it before, and what to do instead."""
    hint = str(before.get("hint", ""))
    return failure(
        FORBIDDEN,
        f"{tool} with these arguments ended with {before.get('code')} before; the same call was not run again.",
        hint=hint or "Change the arguments, or tell the person what is not possible.",
        reason=GUARD_BLOCKED,
    )


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """The arguments of a call as an object, or None where they are no JSON object."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def signed(call: ToolCall, arguments: Mapping[str, Any] | None = None) -> Signed:
    """What tells a call from others: ``arguments`` as they are run, else as they were written, else the text that nobody can read.

    A call that was refused before its arguments were fitted has none; then the written ones count, too.
    """
    if arguments:
        return arguments
    written = arguments_of(call)
    return call.arguments.strip() if written is None else written


def signature(tool: str, arguments: Signed) -> str:
    """Name and canonical arguments: order of keys, absent or null keys and 5 or 5.0 make no difference."""
    return encode([tool, canonical_value(arguments)])


def canonical_value(value: Any) -> Any:
    """JSON data with sorted keys, without nulls in objects, whole numbers as integers."""
    if isinstance(value, Mapping):
        return {key: canonical_value(value[key]) for key in sorted(value) if value[key] is not None}
    if isinstance(value, (list, tuple)):
        return [canonical_value(each) for each in value]
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return str(value)
        return int(value) if value.is_integer() else value
    return value
