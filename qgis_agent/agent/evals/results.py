"""The expected result against what is there: numbers, state of the map, layers, a code, a question."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .cases import Case
from .matching import matches, shown, value_at
from .observed import Observation

UNITS = (1e3, 1e4, 1e6, 1e8, 100.0)
"""Factors between a number and its expected value: metres in km, m² in km², 万, 亿, shares in per cent. Either way round."""
SCALED_DIGITS = 3
"""A number that stands for another by such a factor must show so many digits: chance hits would be many."""


def result_faults(case: Case, seen: Observation) -> list[str]:
    """What is not as expected, in words."""
    expected = case.result
    faults = [fault for each in expected.get("numbers") or [] if (fault := number_fault(each, seen))]
    for pointer, value in (expected.get("state") or {}).items():
        found = value_at(seen.state or {}, pointer)
        if not matches(value, found):
            faults.append(f"state {pointer}: expected {shown(value)}, found {shown(found)}")
    faults += [fault for each in expected.get("layers") or [] if (fault := layer_fault(each, seen))]
    code = expected.get("code")
    if code and code not in seen.codes:
        faults.append(f"code {code} did not come; came {', '.join(sorted(seen.codes)) or 'none'}")
    if expected.get("question") and not (seen.question or {}).get("text"):
        faults.append("the person was not asked")
    return faults


def number_fault(expected: Mapping[str, Any], seen: Observation) -> str:
    """Whether a number stands in the answer and has a source; what is wrong, or ""."""
    value = float(expected["value"])
    tolerance = expected.get("tolerance")
    hits = [each for each in seen.numbers if is_number(each, value, None if tolerance is None else float(tolerance))]
    if not hits:
        there = ", ".join(str(each.get("text")) for each in seen.numbers[:8]) or "none"
        return f"number {value:g} is not in the answer (there: {there})"
    if all(each.get("source") is None for each in hits):
        return f"number {value:g} has no source"
    return ""


def is_number(found: Mapping[str, Any], value: float, tolerance: float | None) -> bool:
    """Whether a number of an answer stands for ``value``: as it is, or by a unit factor.

    Without a tolerance it must be equal at the digits shown.
    """
    try:
        told, text = float(found.get("value", math.nan)), str(found.get("text", ""))
    except (TypeError, ValueError):
        return False
    # Rounding to the last digit shown; 1e-9 because binary fractions end nowhere.
    decimals, digits = _decimals(text), sum(each.isdigit() for each in text.lstrip("-+0.,"))
    rounding = 0.5 * 10.0**-decimals
    if abs(told - value) <= (rounding * (1 + 1e-9) if tolerance is None else tolerance):
        return True
    if digits < SCALED_DIGITS:
        return False
    for factor in UNITS:
        for scaled in (value / factor, value * factor):
            scale = scaled / value if value else 1.0
            room = rounding * (1 + 1e-9) if tolerance is None else max(tolerance * abs(scale), rounding)
            if abs(told - scaled) <= room:
                return True
    return False


def layer_fault(expected: Mapping[str, Any], seen: Observation) -> str:
    """Whether the run made such a layer; names may differ in what a number adds to them. What is wrong, or ""."""
    named = [each for each in seen.layers if matches(expected["name"], each.get("name"))]
    if not named:
        there = ", ".join(str(each.get("name")) for each in seen.layers) or "none"
        return f"layer {shown(expected['name'])} is not there (there: {there})"
    rest = {key: value for key, value in expected.items() if key != "name"}
    if any(matches(rest, each) for each in named):
        return ""
    wrong = [key for key, value in rest.items() if not matches(value, named[0].get(key))]
    found = {key: named[0].get(key) for key in wrong}
    return f"layer {shown(expected['name'])}: {shown(found)}, expected {shown({key: rest[key] for key in wrong})}"


def _decimals(text: str) -> int:
    plain = text.rstrip("% ").lower().split("e")[0]
    return len(plain.split(".")[1]) if "." in plain else 0
