"""One case of an evaluation set: a request with what should come of it (a line of a JSONL file).

Keys: ``id``, ``text``, ``lang``, ``project``, ``tags``, ``negative`` (null, "impossible", "unclear", "forbidden"), ``offline``
(the short commands without a model are judged on it as well), and what is expected:

``expect_intent``   a label of the router, or several of which each is right
``expect_tools``    names in the order in which they are called; others may lie between them
``expect_params``   {tool: {parameter: value}}, or flat {parameter: value} for the first expected tool. See matching.py
``expect_calls``    [{tool: {parameter: [allowed values]}}], judged strictly in place of ``expect_params`` (allowed_calls.py)
``expect_result``   ``numbers`` [{value, tolerance?}], ``state`` {JSON pointer into the canonical map state: value},
                    ``layers`` [{name, features?, crs?, geometry?}], ``code`` (of a step or of the run), ``question`` true

How it is run: ``approve`` ("none", "reversible", "all": as on the command line, writes into the case's own folder only),
``setup`` [{tool, args}] (calls before the request, in the same conversation), ``allow_tools`` (changing tools that are no fault
when they are called besides the expected ones).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..loop.router import INTENTS

NEGATIVES = ("impossible", "unclear", "forbidden")
APPROVALS = ("none", "reversible", "all")
_KEYS = frozenset(
    "id text lang project expect_intent expect_tools expect_params expect_calls expect_result tags negative offline approve setup "
    "allow_tools trace_id recorded_at about".split()
)
_RESULT_KEYS = frozenset(("numbers", "state", "layers", "code", "question"))


class CaseError(ValueError):
    """A line of a set that is no case; says which and why."""


@dataclass(frozen=True)
class Case:
    """See the module."""

    id: str
    text: str
    lang: str = ""
    project: str = "sample"
    intents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    calls: tuple[Mapping[str, Mapping[str, Any]], ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    negative: str = ""
    offline: bool = False
    allow_tools: tuple[str, ...] = ()

    @property
    def reaches_code(self) -> bool:
        """Whether the expected calls need not succeed: it is a failure that is expected."""
        return bool(self.negative or self.result.get("code"))


def parse_case(raw: Any, tools: Mapping[str, str]) -> Case:
    """Check a line and read it. ``tools``: effect by name, of all tools that there are. Raises CaseError."""
    if not isinstance(raw, dict):
        raise CaseError("a case must be an object")
    ident = raw.get("id")
    if not isinstance(ident, str) or not ident:
        raise CaseError("a case needs an id")
    checker = _Checker(ident, raw, tools)
    negative = checker.one_of("negative", ("", *NEGATIVES)) if raw.get("negative") else ""
    expected = checker.tools("expect_tools")
    case = Case(
        id=ident,
        text=checker.text("text"),
        lang=str(raw.get("lang") or ""),
        project=str(raw.get("project") or "sample"),
        intents=checker.intents(),
        tools=expected,
        params=checker.params(expected),
        calls=checker.calls(),
        result=checker.result(),
        tags=checker.texts("tags"),
        negative=negative,
        offline=raw.get("offline") is True,
        allow_tools=checker.tools("allow_tools"),
    )
    checker.one_of("approve", APPROVALS) if raw.get("approve") else None
    if not negative and not case.result:
        raise checker.wrong("expect_result: a case that is not negative needs something to be judged by")
    return case


class _Checker:
    """Reads the parts of one line."""

    def __init__(self, ident: str, raw: Mapping[str, Any], tools: Mapping[str, str]) -> None:
        self._ident, self._raw, self._known = ident, raw, tools
        unknown = sorted(set(raw) - _KEYS)
        if unknown:
            raise self.wrong(f"unknown key {unknown[0]!r}")

    def wrong(self, why: str) -> CaseError:
        return CaseError(f"{self._ident}: {why}")

    def text(self, key: str) -> str:
        value = self._raw.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"{key}: must be a text that is not empty")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._raw.get(key) or []
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(f"{key}: must be a list of texts")
        return tuple(value)

    def one_of(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self._raw.get(key)
        if value not in allowed:
            raise self.wrong(f"{key}: must be one of {', '.join(each for each in allowed if each)}")
        return str(value)

    def tools(self, key: str) -> tuple[str, ...]:
        names = self.texts(key)
        for name in names:
            if name not in self._known:
                raise self.wrong(f"{key}: there is no tool {name!r}")
        return names

    def intents(self) -> tuple[str, ...]:
        value = self._raw.get("expect_intent") or []
        labels = (value,) if isinstance(value, str) else tuple(value)
        for label in labels:
            if label not in INTENTS:
                raise self.wrong(f"expect_intent: {label!r} is none of {', '.join(INTENTS)}")
        return labels

    def params(self, expected: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        value = self._raw.get("expect_params") or {}
        if not isinstance(value, dict):
            raise self.wrong("expect_params: must be an object")
        if not value:
            return {}
        if not expected:
            raise self.wrong("expect_params: there is no expected tool that they could belong to")
        if not set(value) <= set(expected):
            other = sorted(set(value) & set(self._known))
            if other:
                raise self.wrong(f"expect_params: {other[0]} is not among the expected tools")
            value = {expected[0]: value}
        if not all(isinstance(each, dict) for each in value.values()):
            raise self.wrong("expect_params: each tool's must be an object")
        return {name: dict(each) for name, each in value.items()}

    def calls(self) -> tuple[dict[str, Any], ...]:
        value = self._raw.get("expect_calls") or []
        if not isinstance(value, list) or not all(isinstance(each, dict) and len(each) == 1 for each in value):
            raise self.wrong("expect_calls: must be a list of objects with one tool each")
        for each in value:
            tool, params = next(iter(each.items()))
            if tool not in self._known:
                raise self.wrong(f"expect_calls: there is no tool {tool!r}")
            if not isinstance(params, dict) or not all(isinstance(allowed, list) for allowed in params.values()):
                raise self.wrong(f"expect_calls: {tool}: each parameter needs a list of allowed values")
        return tuple(value)

    def result(self) -> dict[str, Any]:
        value = self._raw.get("expect_result") or {}
        if not isinstance(value, dict):
            raise self.wrong("expect_result: must be an object")
        unknown = sorted(set(value) - _RESULT_KEYS)
        if unknown:
            raise self.wrong(f"expect_result: unknown key {unknown[0]!r}")
        for number in value.get("numbers") or []:
            if not isinstance(number, dict) or not isinstance(number.get("value"), (int, float)):
                raise self.wrong("expect_result.numbers: each needs a value")
        for pointer in value.get("state") or {}:
            if not pointer.startswith("/"):
                raise self.wrong(f"expect_result.state: {pointer!r} is no JSON pointer")
        if not all(isinstance(each, dict) and each.get("name") for each in value.get("layers") or []):
            raise self.wrong("expect_result.layers: each needs a name")
        return dict(value)
