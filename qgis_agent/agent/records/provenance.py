"""Where the numbers of an answer come from. A number without a source is marked, in the card and as a metric.

A number has a source when a tool result, the request or an argument of a successful call holds it: equal at the digits
shown, up to a factor of 1, 100, 1e3, 1e4, 1e6, 1e8 or an inverse (per cent, km, 万, km², 亿). A range is one statement: when one
of its ends has no source, neither has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .numbers import Number, numbers_in, ranges_in

FACTORS = (100.0, 1e3, 1e4, 1e6, 1e8, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
_NOT_DATA = frozenset({"result_ref", "confirm_token", "color", "colors", "rule_id", "retryable", "ok"})
_PLACES = frozenset({"bbox", "extent", "view_bbox", "cursor", "next", "limit", "classes", "fid", "id"})
"""Below these keys a number is a source as it stands and not by a factor: chance hits would be many."""
_RESULT, _REQUEST, _ARGUMENT = 0, 1, 2


@dataclass(frozen=True)
class Source:
    """A number that an answer may repeat."""

    value: float
    step: int
    tool: str
    path: str
    origin: int
    scalable: bool
    """Whether a unit factor may lie between it and the answer."""


def sources_of_result(
    step: int, tool: str, envelope: Mapping[str, Any], arguments: Mapping[str, Any] | None = None
) -> list[Source]:
    """The numbers of a successful result's data and message; of a failed one the candidates it offers.

    With the call's ``arguments`` also what a failure says of the data ("can mean 3 places"), but nothing that comes from the
    arguments: a failure repeats what a model made up. What is said of a refused argument is no statement on the data.
    """
    data = envelope.get("data")
    found = list(_walk(data, "data", step, tool, _RESULT, scalable=True))
    if envelope.get("ok"):
        found += _of_text(str(envelope.get("message", "")), "message", step, tool, _RESULT, scalable=False)
    elif arguments is not None and envelope.get("code") != "INVALID_PARAM":
        made_up = sources_of_arguments(step, tool, arguments)
        for key in ("message", "hint"):
            for number in numbers_in(str(envelope.get(key) or "")):
                if _best(number, made_up) is None:
                    found.append(Source(number.value, step, tool, key, _RESULT, False))
    return found


def sources_of_arguments(step: int, tool: str, arguments: Mapping[str, Any]) -> list[Source]:
    """The numbers of a successful call's arguments."""
    return list(_walk(arguments, "arguments", step, tool, _ARGUMENT, scalable=True))


def sources_of_request(text: str) -> list[Source]:
    """The numbers that the person wrote."""
    return _of_text(text, "text", 0, "request", _REQUEST, scalable=True)


def trace_numbers(answer: str, sources: Sequence[Source], names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Each number of an answer with its source: {text, value, source: {step, tool, path} | null}."""
    numbers = numbers_in(answer, names)
    found = [_best(each, sources) for each in numbers]
    for first, second in ranges_in(answer, numbers):
        if found[first] is None or found[second] is None:
            found[first] = found[second] = None
    return [
        {
            "text": number.text,
            "value": number.value,
            "source": None if source is None else {"step": source.step, "tool": source.tool, "path": source.path},
        }
        for number, source in zip(numbers, found)
    ]


def _best(number: Number, sources: Sequence[Source]) -> Source | None:
    best: tuple[tuple[int, ...], Source] | None = None
    for source in sources:
        quality = _quality(number, source)
        if quality is None:
            continue
        rank = _rank(number, source, quality)
        if best is None or rank < best[0]:
            best = (rank, source)
    return best[1] if best else None


def _rank(number: Number, source: Source, quality: int) -> tuple[int, ...]:
    """The less, the likelier the number comes from there.

    What this run found (steps from 1) goes before what was known at its beginning, and of numbers with three digits or more,
    which hardly agree by chance, a value goes before the same digits in a text (the label of a class) or a place.
    """
    by_factor, telling = quality == 2, number.digits >= 3
    return (
        int(by_factor),
        source.origin,
        0 if telling else quality,
        int(source.step == 0),
        int(telling and not source.scalable),
        quality,
        source.step,
    )


def _quality(number: Number, source: Source) -> int | None:
    """0 equal, 1 equal at the digits shown, 2 equal by a factor; None for not."""
    if source.value == number.value:
        return 0
    if _equal_at_digits(number, source.value):
        return 1
    if not source.scalable or number.value == 0:
        return None
    for factor in FACTORS:
        scaled = source.value * factor
        exact = abs(scaled - number.value) <= 1e-9 * abs(number.value)
        if exact or (number.digits >= 2 and _equal_at_digits(number, scaled)):
            return 2
    return None


def _equal_at_digits(number: Number, value: float) -> bool:
    if number.value != 0 and (value < 0) != (number.value < 0):
        return False
    half = 0.5 * 10.0**-number.decimals
    return abs(value - number.value) <= half * (1 + 1e-9)


def _walk(node: Any, path: str, step: int, tool: str, origin: int, *, scalable: bool) -> Iterator[Source]:
    if isinstance(node, bool) or node is None:
        return
    if isinstance(node, (int, float)):
        yield Source(float(node), step, tool, path, origin, scalable)
    elif isinstance(node, str):
        yield from _of_text(node, path, step, tool, origin, scalable=False)
    elif isinstance(node, Mapping):
        for key, item in node.items():
            if key not in _NOT_DATA:
                yield from _of_text(str(key), path, step, tool, origin, scalable=False)
                yield from _walk(item, f"{path}.{key}", step, tool, origin, scalable=scalable and key not in _PLACES)
    elif isinstance(node, (list, tuple)):
        for at, item in enumerate(node):
            yield from _walk(item, f"{path}[{at}]", step, tool, origin, scalable=scalable)


def _of_text(text: str, path: str, step: int, tool: str, origin: int, *, scalable: bool) -> list[Source]:
    return [Source(each.value, step, tool, path, origin, scalable) for each in numbers_in(text)]
