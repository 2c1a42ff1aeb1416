"""What a run came to, as scoring sees it: made of a report, or of a recorded trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Step:
    """One settled call. ``code`` is "" when it succeeded."""

    number: int
    tool: str
    args: Mapping[str, Any]
    ok: bool
    code: str


@dataclass(frozen=True)
class Observation:
    """A run. ``state_in`` and ``state`` are canonical map states, None where nobody could tell.

    ``layers``: those that the run made, [{name, features, crs, geometry}]; ``files``: files of the case's folder that are
    others than before; ``routed``: the router's label, "" where none was asked; ``replay``: True, False, or None where it
    was not tried; ``asked``: how often a person would have been asked.
    """

    termination: str
    answer: str
    steps: tuple[Step, ...] = ()
    numbers: tuple[Mapping[str, Any], ...] = ()
    question: Mapping[str, Any] | None = None
    error_code: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    trace_id: str = ""
    state_in: Mapping[str, Any] | None = None
    state: Mapping[str, Any] | None = None
    layers: tuple[Mapping[str, Any], ...] = ()
    files: tuple[str, ...] = ()
    routed: str = ""
    replay: bool | None = None
    replay_note: str = ""
    asked: int = 0
    ms: float = 0.0
    stood_in: bool = False
    """The model that is evaluated failed, and the offline commands answered in its place."""

    @property
    def succeeded(self) -> list[Step]:
        """The calls that succeeded."""
        return [each for each in self.steps if each.ok]

    @property
    def codes(self) -> set[str]:
        """Codes of calls that failed and of the run."""
        return {each.code for each in self.steps if each.code} | ({self.error_code} if self.error_code else set())

    @property
    def changed(self) -> bool:
        """Whether the map is another than before."""
        return self.state_in is not None and self.state is not None and self.state_in != self.state


def observation_of(raw: Mapping[str, Any]) -> Observation:
    """Read {report, state_in, state, layers, files, intent, replay: {equal, note}, asked, ms}, as gis/evals.py sends it."""
    report = _object(raw.get("report"))
    replay = raw.get("replay")
    return Observation(
        termination=str(report.get("termination") or ""),
        answer=str(report.get("answer") or ""),
        steps=_steps(report.get("steps")),
        numbers=_objects(report.get("numbers")),
        question=report.get("question") if isinstance(report.get("question"), dict) else None,
        error_code=str(_object(report.get("error")).get("code") or ""),
        usage=_object(report.get("usage")),
        trace_id=str(report.get("trace_id") or ""),
        state_in=raw.get("state_in") if isinstance(raw.get("state_in"), dict) else None,
        state=raw.get("state") if isinstance(raw.get("state"), dict) else None,
        layers=_objects(raw.get("layers")),
        files=tuple(str(each) for each in raw.get("files") or ()),
        routed=str(raw.get("intent") or ""),
        replay=replay.get("equal") if isinstance(replay, dict) and isinstance(replay.get("equal"), bool) else None,
        replay_note=str(_object(replay).get("note") or "")[:300],
        asked=int(raw.get("asked") or 0),
        ms=float(raw.get("ms") or 0.0),
        stood_in=raw.get("stood_in") is True,
    )


def observation_of_trace(trace: Mapping[str, Any]) -> Observation:
    """A recorded trace (bridge/trace.py), scored as a run is: a set for replay is judged by the same code."""
    final = _object(trace.get("final"))
    report = {**final, "trace_id": trace.get("trace_id"), "steps": trace.get("steps")}
    return observation_of(
        {
            "report": report,
            "state_in": trace.get("state_in"),
            "state": final.get("map_state"),
            "intent": trace.get("intent"),
        }
    )


def _steps(raw: Any) -> tuple[Step, ...]:
    found = []
    for number, each in enumerate(_objects(raw), 1):
        outcome = each["result"] if isinstance(each.get("result"), Mapping) else each
        code = "" if outcome.get("ok") else str(outcome.get("code") or "UNKNOWN")
        found.append(Step(number, str(each.get("tool")), _object(each.get("args")), bool(outcome.get("ok")), code))
    return tuple(found)


def _objects(raw: Any) -> tuple[Mapping[str, Any], ...]:
    listed: Sequence[Any] = raw if isinstance(raw, (list, tuple)) else ()
    return tuple(each for each in listed if isinstance(each, Mapping))


def _object(raw: Any) -> Mapping[str, Any]:
    return raw if isinstance(raw, Mapping) else {}
