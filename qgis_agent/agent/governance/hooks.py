"""Hooks: Python callables that look at a request, a call or a result, and may stop or change it (T25).

    chain = HookChain()
    chain.add("before_tool", "no_exports_at_night", my_hook, timeout_s=1.0)
    RunService(…, hooks=chain)

A hook gets a ``HookEvent`` and returns a ``HookOutcome``, or None for "allow"; it may be a coroutine function. Hooks run in
the order in which they were added; each sees what the ones before it changed. The strictest outcome counts: deny, then ask,
then modify, then allow; after a deny no other hook runs. A hook that raises, takes too long or returns something else
*denies*: what was meant as a guard must not become a gap by being broken. Arguments that a hook changed are validated and
ruled on again, like a model's. QGIS knows nothing of hooks: they can only make the agent stricter.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ..context.untrusted import clean

Point = Literal["before_prompt", "before_tool", "after_tool"]
POINTS: tuple[Point, ...] = get_args(Point)
Outcome = Literal["allow", "modify", "ask", "deny"]
ORDER: tuple[Outcome, ...] = get_args(Outcome)
"""From the mildest to the strictest."""
TIMEOUT_S = 2.0
MAX_TIMEOUT_S = 30.0
MAX_REASON = 300


@dataclass(frozen=True)
class HookEvent:
    """What a hook looks at: a copy, so that changing it changes nothing.

    ``value`` is {"text"} before a prompt, the arguments before a tool, the envelope after it. ``effect`` is the least effect
    of the tool ("" before a prompt).
    """

    point: Point
    run_id: str
    caller: str
    value: dict[str, Any]
    tool: str = ""
    effect: str = ""
    call_id: str = ""


@dataclass(frozen=True)
class HookOutcome:
    """What a hook says. ``value`` is the new text, arguments or envelope of a "modify"; ``reason`` is shown to the person
    and the model."""

    outcome: Outcome = "allow"
    reason: str = ""
    value: dict[str, Any] | None = None


Hook = Callable[[HookEvent], Any]
"""Returns a HookOutcome, None, or an awaitable of one."""


@dataclass(frozen=True)
class HookRuling:
    """What all hooks at a point came to. ``records`` has a line for each that said something: {hook, outcome, reason}."""

    outcome: Outcome
    value: dict[str, Any]
    by: str = ""
    reason: str = ""
    broken: bool = False
    """Whether it is a deny because a hook raised, hung or answered nonsense."""
    records: tuple[dict[str, str], ...] = ()


@dataclass
class _Registered:
    name: str
    hook: Hook
    timeout_s: float
    busy: threading.Event = field(default_factory=threading.Event)
    """Set while a call of a plain function goes on: a thread cannot be ended, so a hook that hangs is not called again."""


class HookChain:
    """The hooks of one agent process, in order."""

    def __init__(self) -> None:
        self._hooks: dict[Point, list[_Registered]] = {point: [] for point in POINTS}

    def add(self, point: Point, name: str, hook: Hook, *, timeout_s: float = TIMEOUT_S) -> None:
        """Add a hook behind the others. ValueError for an unknown point, a name that is taken, or a time that is none.

        ``timeout_s``: seconds, at most 30; a plain function runs on a thread of its own meanwhile.
        """
        if point not in self._hooks:
            raise ValueError(f"no point for hooks: {point!r} (there are {', '.join(POINTS)})")
        if not callable(hook):
            raise ValueError(f"hook {name!r} cannot be called")
        if any(each.name == name for each in self._hooks[point]):
            raise ValueError(f"there is a hook {name!r} at {point} already")
        if not 0 < timeout_s <= MAX_TIMEOUT_S:
            raise ValueError(f"hook {name!r}: a time limit of {timeout_s!r} s")
        self._hooks[point].append(_Registered(name, hook, timeout_s))

    def has(self, point: Point) -> bool:
        """Whether there is any hook at a point."""
        return bool(self._hooks[point])

    async def rule(self, event: HookEvent) -> HookRuling:
        """Ask all hooks of ``event.point``. Never raises but for a cancelled run."""
        value = copy.deepcopy(event.value)
        worst, by, reason = ORDER[0], "", ""
        records: list[dict[str, str]] = []
        for each in self._hooks[event.point]:
            said, broken = await _asked(each, _with(event, value))
            if said.outcome != ORDER[0]:
                records.append({"hook": each.name, "outcome": said.outcome, "reason": said.reason})
            if said.outcome == "modify" and said.value is not None:
                value = copy.deepcopy(said.value)
            if ORDER.index(said.outcome) > ORDER.index(worst):
                worst, by, reason = said.outcome, each.name, said.reason
            if worst == "deny":
                return HookRuling(worst, value, by, reason, broken, tuple(records))
        return HookRuling(worst, value, by, reason, False, tuple(records))


def _with(event: HookEvent, value: Mapping[str, Any]) -> HookEvent:
    copied: dict[str, Any] = copy.deepcopy(dict(value))
    return HookEvent(event.point, event.run_id, event.caller, copied, event.tool, event.effect, event.call_id)


async def _asked(registered: _Registered, event: HookEvent) -> tuple[HookOutcome, bool]:
    """What a hook says, and whether that is a deny because it is broken."""
    try:
        said = await asyncio.wait_for(_called(registered, event), registered.timeout_s)
    except asyncio.TimeoutError:
        return _broken(registered, f"it did not answer within {registered.timeout_s:g} s")
    except _Busy:
        return _broken(registered, "its last call has not ended yet")
    except Exception as error:  # noqa: BLE001  (whatever a hook raises is a no, and its kind is told)
        return _broken(registered, f"it failed ({type(error).__name__})")
    problem = _problem(said)
    if problem:
        return _broken(registered, problem)
    outcome: HookOutcome = said if said is not None else HookOutcome()
    return HookOutcome(outcome.outcome, clean(outcome.reason, MAX_REASON), outcome.value), False


class _Busy(Exception):
    """The last call of a hook goes on."""


async def _called(registered: _Registered, event: HookEvent) -> Any:
    if inspect.iscoroutinefunction(registered.hook):
        return await registered.hook(event)
    said = await _on_a_thread(registered, event)
    return await said if inspect.isawaitable(said) else said


def _on_a_thread(registered: _Registered, event: HookEvent) -> asyncio.Future[Any]:
    """A daemon thread, not the loop's pool: a hook that hangs must neither hold up the end of the process nor fill the pool."""
    if registered.busy.is_set():
        raise _Busy
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def run() -> None:
        value, error = None, None
        try:
            value = registered.hook(event)
        except BaseException as raised:  # noqa: BLE001  (also SystemExit: it is the hook's failure, not the thread's end)
            error = raised if isinstance(raised, Exception) else RuntimeError(type(raised).__name__)
        registered.busy.clear()
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, error)

    registered.busy.set()
    threading.Thread(target=run, name=f"hook {registered.name}", daemon=True).start()
    return answer


def _problem(said: Any) -> str:
    """Why something is no answer of a hook; "" for one that is."""
    if said is None:
        return ""
    if not isinstance(said, HookOutcome):
        return f"it returned a {type(said).__name__}"
    if said.outcome not in ORDER or not isinstance(said.reason, str):
        return f"its outcome is none: {str(said.outcome)[:40]!r}"
    if said.outcome == "modify" and not isinstance(said.value, dict):
        return "it changes something and does not say into what"
    return ""


def _broken(registered: _Registered, why: str) -> tuple[HookOutcome, bool]:
    return HookOutcome("deny", f"The hook {clean(registered.name, 60)} could not be asked: {why}."), True
