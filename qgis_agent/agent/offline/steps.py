"""How a plan runs: it asks for tool calls, gets their envelopes, and ends with a sentence.

A plan is a generator that is begun anew at every turn and fed what is settled already; it keeps no state of its own, so a
restarted agent process goes on where it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ...bridge.messages import CatalogueLayer
from ..llm.types import ProviderRequest, SettledCall
from .coming import PACK_OF, cannot
from .naming import Layers, fixed
from .text import Language

_ADDING_TOOLS = ("buffer_layer", "stat_by_polygon", "nearest_features")
_STATE = re.compile(r"\AState of the map now[^\n]*\n<state (?P<mark>[^>\n]+)>\n(?P<state>[^\n]*)\n</state (?P=mark)>\n")
MAX_OPTIONS = 6
MAX_OPTION_LENGTH = 80
_T = TypeVar("_T")


@dataclass(frozen=True)
class Planned:
    """A tool call that a plan wants."""

    name: str
    arguments: dict[str, Any]


Plan = Generator[list[Planned], list[SettledCall], _T]


class Stop(Exception):
    """The plan ends here, without having done what was asked: a sentence for the person and the reason for the loop.

    ``reason`` is the finer cause ("tool_not_available"), "" where there is none to tell.
    """

    def __init__(self, text: str, finish_reason: str = "not_understood", reason: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.finish_reason = finish_reason
        self.reason = reason


class ToolFailed(Exception):
    """A tool answered with a failed envelope."""

    def __init__(self, envelope: dict[str, Any]) -> None:
        super().__init__(str(envelope.get("message", "")))
        self.envelope = envelope


class Ask(Exception):
    """The person must choose. ``options`` are whole sentences, each sent as the next message when clicked."""

    def __init__(self, question: str, options: Sequence[str]) -> None:
        super().__init__(question)
        self.question = question
        self.options = [each for each in options if len(each) <= MAX_OPTION_LENGTH][:MAX_OPTIONS]


@dataclass(frozen=True)
class Result:
    """What a tool gave: its data and its remark."""

    data: dict[str, Any]
    message: str


@dataclass
class Run:
    """One run as a plan sees it: the sentence, the layers that it began with, the tools offered now, what is settled."""

    sentence: str
    language: Language
    layers: Layers
    tools: frozenset[str]
    settled: tuple[SettledCall, ...]
    packs: frozenset[str] = frozenset()
    """Packs that can be asked for."""
    position: int = 0
    said: list[str] = field(default_factory=list)
    """Sentences of the clauses that are done."""
    density_layer: str = ""
    """The layer that an earlier clause of the same sentence made with stat_by_polygon, and its number of polygons."""
    density_polygons: int = 0
    snapshot: dict[str, Any] = field(default_factory=dict)
    """The state of the map as the request tells it; {} where it does not."""
    messages: Sequence[Mapping[str, Any]] = ()
    """The conversation, with the calls of earlier requests and what they gave."""
    profile: str = ""
    """Name and level of the profile, "" where nobody says: why a tool is not offered."""
    level: str = ""

    def do(self, tool: str, **arguments: Any) -> Plan[Result]:
        """Call one tool; asks for its pack first where needed. Raises ToolFailed, and Stop where the tool is not there."""
        (settled,) = yield from self.do_all([Planned(tool, arguments)])
        return succeeded(settled)

    def do_all(self, wanted: list[Planned]) -> Plan[list[SettledCall]]:
        """Several calls of one tool in one turn, settled but not looked at. Raises as ``do`` does for the pack."""
        for tool in dict.fromkeys(each.name for each in wanted):
            yield from self.ensure(tool)
        return (yield wanted)

    def has(self, tool: str) -> bool:
        """Whether ``tool`` is offered or can be asked for. The same in every turn of a run, once it was used."""
        used = any(each.call.name == tool for each in self.settled)
        return used or tool in self.tools or (PACK_OF.get(tool) in self.packs and not self._asked(tool))

    def layer_of_last_call(self) -> CatalogueLayer | None:
        """The layer of the last call of the clauses that are done; None before the first."""
        called = [each.arguments.get("layer_id") for each in self.settled[: self.position]]
        by_id = {each["layer_id"]: each for each in self.layers}
        return next((by_id[each] for each in reversed(called) if isinstance(each, str) and each in by_id), None)

    def ensure(self, tool: str) -> Plan[None]:
        """See that ``tool`` is offered. Raises ToolFailed when its pack is refused, Stop when there is no such tool."""
        at = self.position
        asked = at < len(self.settled) and self.settled[at].call.name == "request_tool_pack"
        if asked or (tool not in self.tools and PACK_OF.get(tool) in self.packs and at >= len(self.settled)):
            (settled,) = yield [Planned("request_tool_pack", {"pack": PACK_OF[tool]})]
            if self.profile and settled.envelope.get("reason") in ("profile", "level"):
                raise Stop(cannot(tool, self.language, self.profile, self.level), "tool_failed", "tool_not_available")
            succeeded(settled)
        if self.tools and tool not in self.tools and self.position >= len(self.settled):
            raise Stop(cannot(tool, self.language, self.profile, self.level), "tool_failed", "tool_not_available")

    def _asked(self, tool: str) -> bool:
        """Whether the pack of ``tool`` was asked for in this run already; then it is there or never will be."""
        wanted = PACK_OF.get(tool)
        return any(
            each.call.name == "request_tool_pack" and each.arguments.get("pack") == wanted for each in self.settled
        )


def succeeded(settled: SettledCall) -> Result:
    """The result of a call that worked. Raises ToolFailed for one that did not."""
    envelope = settled.envelope
    if not envelope.get("ok"):
        raise ToolFailed(envelope)
    data = envelope.get("data")
    return Result(data if isinstance(data, dict) else {}, str(envelope.get("message") or ""))


def begin(request: ProviderRequest, sentence: str, language: Language, layers: Sequence[CatalogueLayer]) -> Run:
    """The run of a request. Layers that the run itself has added are left out, so that words keep their meaning."""
    added = {
        str((each.envelope.get("data") or {}).get("layer_id"))
        for each in request.settled
        if each.call.name in _ADDING_TOOLS and each.envelope.get("ok") and not _reused(each)
    }
    offered = {str((tool.get("function") or {}).get("name")): tool.get("function") or {} for tool in request.tools}
    before = _names_before(request.settled)
    kept = fixed(
        [
            {**each, "name": before[each["layer_id"]]} if each["layer_id"] in before else each
            for each in layers
            if each["layer_id"] not in added
        ]
    )
    run = Run(sentence, language, kept, frozenset(offered), request.settled, _packs(offered))
    run.profile, run.level = request.profile, request.level
    run.snapshot, run.messages = _snapshot(request.messages), request.messages
    return run


def _names_before(settled: Sequence[SettledCall]) -> dict[str, str]:
    """What layers were called before this run renamed them, by alias: the sentence speaks of them so."""
    names: dict[str, str] = {}
    for each in settled:
        data = each.envelope.get("data")
        if (
            each.call.name == "rename_layer"
            and each.envelope.get("ok")
            and isinstance(data, dict)
            and data.get("before")
        ):
            names.setdefault(str(data.get("layer_id")), str(data["before"]))
    return names


def _snapshot(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The map's state in the last message of a request, which is the host's own (``context_manager.py``)."""
    last = messages[-1] if messages else {}
    found = _STATE.search(str(last.get("content") or "")) if last.get("role") == "user" else None
    try:
        state = json.loads(found.group("state")) if found else {}
    except ValueError:
        return {}
    snapshot = state.get("snapshot") if isinstance(state, dict) else None
    return snapshot if isinstance(snapshot, dict) else {}


def _reused(settled: SettledCall) -> bool:
    """Whether a tool gave a layer that was there before this run."""
    data = settled.envelope.get("data")
    return isinstance(data, dict) and bool(data.get("reused"))


def _packs(offered: dict[str, Any]) -> frozenset[str]:
    """The packs that request_tool_pack, as it is offered, can be asked for."""
    parameters = (offered.get("request_tool_pack") or {}).get("parameters") or {}
    values = ((parameters.get("properties") or {}).get("pack") or {}).get("enum") or ()
    return frozenset(str(each) for each in values)


@dataclass(frozen=True)
class Turn:
    """The next turn: calls, or the closing text with its reason."""

    calls: tuple[Planned, ...] = ()
    text: str = ""
    finish_reason: str = "stop"
    reason: str = ""
    """The finer cause of a failure: "tool_not_available" for a tool that this QGIS Agent does not have."""


def next_turn(run: Run, plan: Plan[str]) -> Turn:
    """Feed a plan what is settled, up to the first call that is not. Ask, Stop and ToolFailed pass through."""
    try:
        batch = next(plan)
        while True:
            got = run.settled[run.position : run.position + len(batch)]
            if len(got) < len(batch):
                return Turn(tuple(batch[len(got) :]))
            run.position += len(batch)
            batch = plan.send(list(got))
    except StopIteration as end:
        return Turn(text=str(end.value))
