"""What of a trace becomes a model or a script: the algorithms that ran with their parameters, linked with each other.

A trace may come from anywhere: names are made here, and what an algorithm's id or parameter cannot be is refused.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from ..analysis.run.record import INPUT
from ..errors import INVALID_PARAM, UNSUPPORTED, ToolError
from ..i18n import translate
from ..layers import clean_text
from .allowed import not_exportable, refusal
from .beginnings import assumed, drawn, file_of_layer, layers_of
from .names import Names

OWN = "qgisagent:"
"""Prefix of our own algorithms: what uses one needs the plugin."""
_ID = re.compile(r"^[A-Za-z0-9_.\-]{1,40}:[A-Za-z0-9_.\-:]{1,200}$")
_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_ .\-]{0,80}$")
_VECTOR = ("point", "line", "polygon")
MAX_STEPS = 2_000
_DEEPEST = 12


KEEPS_IDS = frozenset(
    "native:" + each
    for each in (
        "assignprojection buffer centroids clip convexhull deletecolumn densifygeometriesgivenaninterval difference dissolve "
        "extractbyexpression extractbylocation fieldcalculator fixgeometries orderbyexpression pointonsurface refactorfields "
        "removenullgeometries reprojectlayer retainfields saveselectedfeatures simplifygeometries smoothgeometry "
        "zonalstatisticsfb"
    ).split()
) | {OWN + each for each in ("geodesiccircles", "geodesicbuffer", "pointsinpolygons")}
"""Algorithms that give no feature of an input twice."""


class Source(NamedTuple):
    """A layer that the run found: ``key`` is what parameters call it, ``name`` its plain name here, ``title`` that in the project.

    ``kind`` is one of layer_kind's; ``file`` is the path of a layer that the run itself added, "" for one of the project;
    ``temporary``: it is not in the project's file.
    """

    key: str
    name: str
    title: str
    layer_id: str
    kind: str
    filtered: bool
    temporary: bool
    file: str


class Settings(NamedTuple):
    """How an algorithm measured, and what it did with invalid geometries ("ignore" or "stop"); units as QGIS writes them."""

    ellipsoid: str = "EPSG:7030"
    area_unit: str = "m2"
    distance_unit: str = "meters"
    invalid: str = "ignore"


class Algorithm(NamedTuple):
    """One algorithm. Parameters as in ``analysis/run/record.py``; ``number`` is the step of the trace that ran it."""

    key: str
    number: int
    ident: str
    parameters: Dict[str, Any]
    output: str
    more: Tuple[str, ...]
    indexed: bool
    settings: Settings


class Result(NamedTuple):
    """A layer that the run gave: the output of an algorithm, and what it was called in the project.

    ``fid``: a field that holds ids of features and may have one twice, as a GeoPackage's own must not, and what it can be
    called instead; () for none.
    """

    key: str
    parameter: str
    name: str
    title: str
    fid: Tuple[str, ...]


class Note(NamedTuple):
    """A step that is no algorithm, or one that cannot be repeated (``lost``) or is not exported (``why``)."""

    number: int
    tool: str
    arguments: str
    lost: bool
    why: str


class RunSteps(NamedTuple):
    """A run to export."""

    title: str
    answer: str
    trace_id: str
    project: str
    sources: List[Source]
    algorithms: List[Algorithm]
    results: List[Result]
    notes: List[Note]

    def needs_plugin(self) -> bool:
        """Whether an algorithm is one of this plugin."""
        return any(each.ident.startswith(OWN) for each in self.algorithms)


def steps_of(trace: Mapping[str, Any], before: Sequence[Mapping[str, Any]] = ()) -> RunSteps:
    """Read a trace; ``before`` are those of earlier runs of its conversation, for layers that it has from them.

    UNSUPPORTED (``nothing_to_export``) where no algorithm ran, and (``redacted``) where names and values are taken out;
    INVALID_PARAM where the record cannot be read.
    """
    if trace.get("redacted"):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "Names and values are taken out of this trace, so it cannot be exported."),
            hint=translate("QgisAgent", "Export the trace again, with its names and values."),
            reason="redacted",
        )
    return _Reader(trace, before).read()


def has_algorithms(report: Mapping[str, Any]) -> bool:
    """Whether a report, or the end of a trace, tells of algorithms that can be exported."""
    return bool(_evidence(report))


def keys_in(value: Any) -> Iterator[str]:
    """The outputs and inputs that a parameter names."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield str(value["$ref"])
        for each in value.values():
            yield from keys_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from keys_in(each)


class _Reader:
    """Reads one trace."""

    def __init__(self, trace: Mapping[str, Any], before: Sequence[Mapping[str, Any]]) -> None:
        self._trace = trace
        self._final = _object(trace.get("final"))
        self._steps = _objects(trace.get("steps"))
        self._told = [step for each in before for step in _objects(each.get("steps"))]
        self._before = len(self._told)
        """How many steps earlier runs had: ``_told`` has them, and then those of this run."""
        self._told += self._steps
        self._earlier = {
            str(entry.get("ref")): entry for each in before for entry in _evidence(_object(each.get("final")))
        }
        self._aliases = _object(trace.get("aliases"))
        self._names = Names()
        self._places: Dict[str, str] = {}
        """What the layers that the run made are called here, by alias."""
        self._sources: Dict[str, Source] = {}
        self._algorithms: List[Algorithm] = []
        self._results: List[Result] = []
        self._taken: Dict[str, str] = {}
        self._exported: List[int] = []
        self._refused: Dict[int, str] = {}
        """Why steps are not exported, by number."""

    def read(self) -> RunSteps:
        at = 0
        for entry in _evidence(self._final):
            at = self._step_of(entry, at)
            self._take(entry, at + 1)
        if not self._algorithms:
            raise not_exportable(next(iter(self._refused.values()))) if self._refused else _nothing()
        return RunSteps(
            title=clean_text(str(self._trace.get("user_text") or ""), 200),
            answer=clean_text(str(self._final.get("answer") or ""), 2_000),
            trace_id=clean_text(str(self._trace.get("trace_id") or ""), 60),
            project=clean_text(str(_object(self._trace.get("project")).get("name") or ""), 120),
            sources=list(self._sources.values()),
            algorithms=self._algorithms,
            results=self._results,
            notes=[self._note(number, each) for number, each in enumerate(self._steps, 1) if self._is_note(number)],
        )

    # algorithms

    def _take(self, entry: Dict[str, Any], number: int) -> None:
        """Add what one piece of evidence tells; the outputs of one algorithm may be told one by one. Step 0: an earlier run."""
        found = entry["algorithms"]
        steps, result = found.get("steps"), found.get("result")
        if not isinstance(steps, list) or len(steps) > MAX_STEPS:
            raise _damaged("steps")
        why = next(filter(None, map(_refusal, steps)), "")
        if why:
            self._refused.setdefault(number, why)
            return
        told = json.dumps([number, found.get("inputs"), steps], sort_keys=True)
        if told not in self._taken:
            self._taken[told] = "s{}_".format(len(self._taken) + 1)
            for each in found.get("inputs") or []:
                self._source(_object(each), number)
            known = {key: str(each) for key, each in _object(found.get("settings")).items() if key in Settings._fields}
            for each in steps:
                self._add(_object(each), self._taken[told], number, Settings(**known))
        self._exported.append(number)
        if isinstance(result, list) and len(result) == 2:
            self._made(self._taken[told] + str(result[0]), str(result[1]), str(entry.get("ref") or ""), number)
            if number and found.get("fid"):
                self._name_ids(found["fid"])

    def _add(self, step: Dict[str, Any], prefix: str, number: int, settings: Settings) -> None:
        ident, output = str(step.get("algorithm") or ""), str(step.get("output") or "")
        more = tuple(str(each) for each in step.get("more") or [])
        if not _ID.match(ident) or any(each and not _NAME.match(each) for each in (output, *more)):
            raise _damaged(ident)
        parameters = {}
        for name, value in _object(step.get("parameters")).items():
            if not _NAME.match(name):
                raise _damaged(name)
            parameters[name] = self._linked(value, prefix)
        key = prefix + str(step.get("key"))
        indexed = bool(step.get("indexed"))
        self._algorithms.append(Algorithm(key, number, ident, parameters, output, more, indexed, settings))

    def _linked(self, value: Any, prefix: str, depth: int = 0) -> Any:
        """A parameter whose references are those of the whole run."""
        if depth > _DEEPEST:
            raise _damaged("parameters")
        if isinstance(value, dict) and "$ref" in value:
            return {"$ref": self._place(str(value["$ref"]), prefix)}
        if isinstance(value, dict):
            return {key: self._linked(each, prefix, depth + 1) for key, each in value.items()}
        if isinstance(value, list):
            return [self._linked(each, prefix, depth + 1) for each in value]
        return value

    def _place(self, key: str, prefix: str) -> str:
        if key.startswith(INPUT):
            alias = key[len(INPUT) :]
            place = self._places.get(alias, key)
            if place == key and key not in self._sources:
                raise _damaged(key)
            return place
        known = [each.key for each in self._algorithms]
        if prefix + key not in known and (prefix + key).rpartition(".")[0] not in known:
            raise _damaged(key)
        return prefix + key

    def _made(self, key: str, parameter: str, alias: str, number: int) -> None:
        """A layer of the run. Those of earlier runs are on the way only."""
        last = next((each for each in self._algorithms if each.key == key), None)
        if last is None:
            raise _damaged(key)
        self._places[alias] = key if parameter == last.output else "{}.{}".format(key, parameter)
        if not number or parameter not in (last.output, *last.more):
            return  # a layer that an algorithm made without declaring it has no parameter that names it
        if any((each.key, each.parameter) == (key, parameter) for each in self._results):
            return
        name, label = self._names.of_result(self._title(alias))
        self._results.append(Result(key, parameter, name, label, ()))

    def _name_ids(self, fid: Any) -> None:
        """The last result has a field that a GeoPackage takes for its own ids: they must not be there twice."""
        result = self._results[-1] if self._results else None
        if (
            result is None
            or not isinstance(fid, list)
            or len(fid) != 2
            or not all(isinstance(each, str) for each in fid)
        ):
            return
        before, waiting = [], [result.key]
        while waiting:
            step = next((each for each in self._algorithms if each.key == waiting[0].partition(".")[0]), None)
            waiting.pop(0)
            if step is not None and step not in before:
                before.append(step)
                waiting += [each for value in step.parameters.values() for each in keys_in(value)]
        if any(each.ident not in KEEPS_IDS for each in before):
            self._results[-1] = result._replace(fid=(fid[0], fid[1]))

    # layers

    def _source(self, found: Dict[str, Any], number: int) -> None:
        """A layer that the run's step ``number`` read."""
        alias, kind = str(found.get("alias") or ""), str(found.get("kind") or "other")
        key = INPUT + alias
        if key in self._sources or alias in self._places:
            return
        if alias in self._earlier:
            self._take(self._earlier.pop(alias), 0)
        if alias in self._places:
            return
        made = drawn(self._told, alias)
        if not made:
            known = _object(self._aliases.get(alias))
            self._sources[key] = Source(
                key=key,
                name=self._names.of_layer(alias),
                title=clean_text(str(known.get("name") or alias), 120),
                layer_id=str(known.get("layer_id") or ""),
                kind=kind,
                filtered=bool(found.get("filtered")),
                temporary=bool(found.get("temporary")),
                file=file_of_layer(self._told, alias, str(_object(self._trace.get("project")).get("path") or "")),
            )
        for each in [*made, *(assumed(self._told, alias, self._before + number) if kind in _VECTOR else [])]:
            given = {} if each in made else {"INPUT": {"$ref": key}}
            key = "before_{}".format(len(self._algorithms) + 1)
            self._algorithms.append(
                Algorithm(key, number, each.algorithm, {**given, **each.parameters}, "OUTPUT", (), False, Settings())
            )
            self._places[alias] = key

    def _title(self, alias: str) -> str:
        for action in self._actions():
            told = _object(action.get("args"))
            if told.get("layer_id") == alias and told.get("name"):
                return clean_text(str(told["name"]), 120)
        return clean_text(str(_object(self._aliases.get(alias)).get("name") or alias), 120)

    def _actions(self) -> List[Dict[str, Any]]:
        """What was done to the map, the newest first."""
        found = [action for step in self._steps for action in _objects(step.get("actions"))]
        return [*reversed(_objects(self._final.get("map_actions"))), *reversed(found)]

    # steps that are no algorithms

    def _step_of(self, entry: Dict[str, Any], at: int) -> int:
        """The position of the step that a piece of evidence is of: not before ``at``."""
        ref, tool = str(entry.get("ref") or ""), entry.get("tool")
        fitting = [number for number in range(at, len(self._steps)) if self._steps[number].get("tool") == tool]
        naming = [number for number in fitting if ref in layers_of(self._steps[number])]
        return (naming or fitting or [at])[0]

    def _is_note(self, number: int) -> bool:
        done = bool(_object(self._steps[number - 1].get("result")).get("ok", True))
        return done and (number in self._refused or number not in self._exported)

    def _note(self, number: int, step: Dict[str, Any]) -> Note:
        arguments = json.dumps(_object(step.get("args")), ensure_ascii=False, sort_keys=True, default=str)
        data = _object(_object(step.get("result")).get("data"))
        tool, why = clean_text(str(step.get("tool")), 60), clean_text(self._refused.get(number, ""), 300)
        return Note(number, tool, clean_text(arguments, 400), "algorithm" in data, why)


def _evidence(report: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """The pieces of evidence that tell of algorithms."""
    return [each for each in _objects(report.get("evidence")) if _object(each.get("algorithms")).get("steps")]


def _refusal(step: Any) -> str:
    """Why a step of a record is not exported; "" where it is, and where it is damaged."""
    step = _object(step)
    if not _ID.match(str(step.get("algorithm") or "")):
        return ""
    outputs = [str(each) for each in (step.get("output"), *(step.get("more") or [])) if each]
    return refusal(str(step.get("algorithm") or ""), _object(step.get("parameters")), outputs)


def _objects(value: Any) -> List[Dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _object(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _damaged(what: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "The record of the run cannot be read ({}).").format(clean_text(what, 60)),
        hint=translate("QgisAgent", "Export the trace again from its conversation."),
        reason="trace",
    )


def _nothing() -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "No algorithm ran in this request, so there is nothing to export as a model or script."),
        hint=translate("QgisAgent", "Choose a request with an analysis, for example a buffer or an overlay."),
        reason="nothing_to_export",
    )
