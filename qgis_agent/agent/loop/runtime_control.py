"""RuntimeControl: soft governance of one run. It sees every settled call and answers with corrections or an end.

Identical call and result three times in a row: a correction; five times: halted. The same tool failing with the same code
three times in a row: a correction; five times: one tool-free turn (forced_final). Two calls in turn six times: the same.
Three denials in a run: halted. The corrections go into the dynamic tail, never into the history.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...bridge.envelope import FORBIDDEN, PERMISSION_DENIED, encode
from ..execution.tool_runtime import PACK_HIDDEN

NUDGE_AT = 3
HALT_AT = 5
ALTERNATION = 6
MAX_DENIALS = 3
GUARD_BLOCKED = "runner_guard_blocked"
_VOLATILE = frozenset({"result_ref", "confirm_token", "rule_id", "ms"})
_MISS = re.compile(
    r"(没有|不存在|无法(使用|调用)|缺少|不支持).{0,12}(工具|功能)|工具.{0,8}(不可用|不存在|没有提供)"
    r"|\b(no|not have|don't have|without|lack)\b.{0,30}\btools?\b|\btools?\b.{0,20}\b(unavailable|not available|missing)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ControlDecision:
    """What follows from a batch. ``halt`` and ``force_final`` are reasons, empty for none."""

    halt: str = ""
    force_final: str = ""
    tool: str = ""


@dataclass(frozen=True)
class _Seen:
    tool: str
    call: str
    result: str
    code: str


class RuntimeControl:
    """One for each run; its state only grows."""

    def __init__(self) -> None:
        self._history: list[_Seen] = []
        self._denials = 0
        self._empty = 0
        self._misses = 0
        self._corrections: list[str] = []

    def take_corrections(self) -> list[str]:
        """The corrections for the next turn's tail; each is said once."""
        corrections, self._corrections = self._corrections, []
        return corrections

    def correct(self, text: str) -> None:
        """Say something in the next turn's tail."""
        if text not in self._corrections:
            self._corrections.append(text)

    def observe(self, tool: str, arguments: Mapping[str, Any], envelope: Mapping[str, Any]) -> ControlDecision:
        """Take one settled call, in order."""
        code = "" if envelope.get("ok") else str(envelope.get("code"))
        if envelope.get("reason") == GUARD_BLOCKED:
            return ControlDecision()
        self._history.append(_Seen(tool, encode([tool, _sorted(arguments)]), _digest(envelope), code))
        if code in (FORBIDDEN, PERMISSION_DENIED) and envelope.get("reason") != PACK_HIDDEN:
            self._denials += 1
            self.correct(f"{tool} was not allowed. Do not try a way round; tell the person what is not possible.")
            if self._denials >= MAX_DENIALS:
                return ControlDecision(halt="denials", tool=tool)
        return self._repetition(tool, code)

    def _repetition(self, tool: str, code: str) -> ControlDecision:
        identical = self._streak(lambda a, b: (a.call, a.result) == (b.call, b.result))
        if identical >= HALT_AT:
            return ControlDecision(halt="loop", tool=tool)
        if identical >= NUDGE_AT:
            self.correct(
                f"{tool} was called {identical} times with the same arguments and the same result. Do something else or answer."
            )
            return ControlDecision()
        failures = self._streak(lambda a, b: bool(b.code) and (a.tool, a.code) == (b.tool, b.code)) if code else 0
        if failures >= HALT_AT:
            return ControlDecision(force_final="repeated_failure", tool=tool)
        if failures >= NUDGE_AT:
            self.correct(
                f"{tool} failed {failures} times with {code}. Do not retry it unchanged: follow the hint, or say what is not possible."
            )
        if self._alternates():
            return ControlDecision(force_final="alternation", tool=tool)
        return ControlDecision()

    def _streak(self, same: Any) -> int:
        last = self._history[-1]
        count = 1
        for earlier in reversed(self._history[:-1]):
            if not same(last, earlier):
                break
            count += 1
        return count

    def _alternates(self) -> bool:
        recent = [(each.call, each.result) for each in self._history[-ALTERNATION:]]
        return len(recent) == ALTERNATION and len(set(recent)) == 2 and all(a != b for a, b in zip(recent, recent[1:]))

    def empty_answer(self) -> bool:
        """An answer without text and calls came. True: ask once more; False: give up."""
        self._empty += 1
        if self._empty > 1:
            return False
        self.correct("Your last answer was empty. Answer the person, or call a tool.")
        return True

    def visibility_miss(self, text: str) -> bool:
        """Whether an answer says that a tool is missing, for the first time: then all packs are shown once."""
        if self._misses or _MISS.search(text) is None:
            return False
        self._misses += 1
        self.correct(
            "You said that a tool is missing. Tools are shown in packs; all packs of this profile are shown now. Look again and "
            "carry out the request, or say what QGIS cannot do."
        )
        return True


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def _digest(envelope: Mapping[str, Any]) -> str:
    """A result without what differs from call to call (handles)."""
    return hashlib.sha256(encode(_sorted(_stable(envelope))).encode("utf-8", "replace")).hexdigest()


def _stable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _stable(each) for key, each in value.items() if key not in _VOLATILE}
    return [_stable(each) for each in value] if isinstance(value, list) else value
