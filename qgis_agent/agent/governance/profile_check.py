"""What the data of a profile may look like: known keys, types and ranges. Plain data in, readable problems out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Mode = Literal["build", "plan", "explore", "workflow", "subagent"]
Level = Literal["read_only", "safe_write", "full_access"]
Action = Literal["allow", "ask", "deny"]

MODES: tuple[Mode, ...] = get_args(Mode)
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the strictest to the widest."""
ACTIONS: tuple[Action, ...] = get_args(Action)
"""From the widest to the strictest."""
KNOWN_PACKS = (
    "default", "arrange", "data", "inspect", "vector", "overlay", "join", "geometry", "raster", "processing", "layout", "write", "subagent",
)  # fmt: skip
"""Packs of tools that there are; a test compares them with the catalog."""
BUDGET_RANGES: Mapping[str, tuple[float, float, bool]] = {
    # lowest, highest, whole number. The global ceiling is lower; this only tells a number from a slip of the pen.
    "model_calls": (1, 1000, True),
    "tool_calls": (0, 1000, True),
    "code_calls": (0, 1000, True),
    "plain_calls": (0, 1000, True),
    "tokens": (1000, 100_000_000, True),
    "model_s": (1, 86_400, False),
    "tool_s": (0, 86_400, False),
}
TEXT_LIMITS: Mapping[str, int] = {"description": 300, "prompt_suffix": 2000}
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
TOOL_NAME = re.compile(r"[a-z0-9_]{1,32}")
TOOL_PATTERN = re.compile(r"[a-z0-9_*]{1,32}")

_KINDS: Mapping[str, tuple[str, str]] = {
    "unknown": ("is not known here; known are {what}", "不是已知的键；可用的键：{what}"),
    "choice": ("must be one of {what}", "必须是以下之一：{what}"),
    "range": ("must be a number from {what}", "必须是数字，范围 {what}"),
    "whole": ("must be a whole number from {what}", "必须是整数，范围 {what}"),
    "text": ("must be a text of at most {what} characters", "必须是文本，最多 {what} 个字符"),
    "name": (
        "must be a name of small letters, digits and '-', at most 40 characters",
        "名称只能用小写字母、数字和“-”，最多 40 个字符",
    ),
    "tool": ("must be the name of a tool", "必须是工具名称"),
    "object": ("must be an object", "必须是对象"),
    "list": ("must be a list", "必须是列表"),
}


@dataclass(frozen=True)
class Problem:
    """What is wrong at ``where``, the dotted path of a value. ``what`` fills the sentence of ``kind``."""

    where: str
    kind: str
    what: str = ""

    def text(self, language: str = "en") -> str:
        """One line for a person."""
        return f"{self.where}: {_KINDS[self.kind][language == 'zh'].format(what=self.what)}"


class ProfileError(ValueError):
    """Data that is no profile; ``problems`` has all that is wrong with it."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(each.text() for each in problems))
        self.problems = tuple(problems)


def problems_of(data: Any, where: str = "", *, needs_name: bool = True) -> list[Problem]:
    """All problems of a profile's data, in the order of its keys. Keys that are absent have defaults."""
    if not isinstance(data, Mapping):
        return [Problem(where or "profile", "object")]
    prefix = f"{where}." if where else ""
    known = ("name", *_CHECKS) if needs_name else tuple(_CHECKS)
    found: list[Problem] = []
    if needs_name:
        found += name_problems(data.get("name"), f"{prefix}name")
    for key, value in data.items():
        path = f"{prefix}{shown(key)}"
        if key in _CHECKS:
            found += _CHECKS[key](value, path)
        elif key not in known:
            found.append(_unknown(path, known))
    return found


def name_problems(value: Any, where: str) -> list[Problem]:
    """A profile's name."""
    return [] if isinstance(value, str) and NAME.fullmatch(value) else [Problem(where, "name")]


def is_number_of(key: str, value: Any) -> bool:
    """Whether ``value`` is a number that the budget's ``key`` can take: a finite one of the right type, in its range."""
    low, high, whole = BUDGET_RANGES[key]
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return False
    return (isinstance(value, int) or math.isfinite(value)) and low <= value <= high


def shown(key: Any) -> str:
    """A key of someone else's file in a message: short, and without control characters."""
    return re.sub(r"[^\w.*-]", "?", str(key))[:40]


def _choice(choices: tuple[str, ...]) -> Callable[[Any, str], list[Problem]]:
    def check(value: Any, where: str) -> list[Problem]:
        return [] if isinstance(value, str) and value in choices else [Problem(where, "choice", ", ".join(choices))]

    return check


def _text(limit: int) -> Callable[[Any, str], list[Problem]]:
    def check(value: Any, where: str) -> list[Problem]:
        return [] if isinstance(value, str) and len(value) <= limit else [Problem(where, "text", str(limit))]

    return check


def _packs(value: Any, where: str) -> list[Problem]:
    if not isinstance(value, (list, tuple)):
        return [Problem(where, "list")]
    check = _choice(KNOWN_PACKS)
    return [each for at, pack in enumerate(value) for each in check(pack, f"{where}[{at}]")]


def _budget(value: Any, where: str) -> list[Problem]:
    if not isinstance(value, Mapping):
        return [Problem(where, "object")]
    found: list[Problem] = []
    for key, number in value.items():
        path = f"{where}.{shown(key)}"
        if key not in BUDGET_RANGES:
            found.append(_unknown(path, tuple(BUDGET_RANGES)))
        elif not is_number_of(key, number):
            low, high, whole = BUDGET_RANGES[key]
            found.append(Problem(path, "whole" if whole else "range", f"{low:.0f} – {high:.0f}"))
    return found


def _metadata(value: Any, where: str) -> list[Problem]:
    if not isinstance(value, Mapping):
        return [Problem(where, "object")]
    checks = {"permissions": _permissions, "tools": _tools}
    found: list[Problem] = []
    for key, inner in value.items():
        path = f"{where}.{shown(key)}"
        found += checks[key](inner, path) if key in checks else [_unknown(path, tuple(checks))]
    return found


def _permissions(value: Any, where: str) -> list[Problem]:
    if not isinstance(value, Mapping):
        return [Problem(where, "object")]
    check = _choice(ACTIONS)
    found: list[Problem] = []
    for tool, action in value.items():
        path = f"{where}.{shown(tool)}"
        if not isinstance(tool, str) or not TOOL_PATTERN.fullmatch(tool):
            found.append(Problem(path, "tool"))
        found += check(action, path)
    return found


def _tools(value: Any, where: str) -> list[Problem]:
    if not isinstance(value, (list, tuple)):
        return [Problem(where, "list")]
    wrong = [at for at, each in enumerate(value) if not isinstance(each, str) or not TOOL_NAME.fullmatch(each)]
    return [Problem(f"{where}[{at}]", "tool") for at in wrong]


def _unknown(where: str, known: tuple[str, ...]) -> Problem:
    return Problem(where, "unknown", ", ".join(known))


_CHECKS: Mapping[str, Callable[[Any, str], list[Problem]]] = {
    "mode": _choice(MODES),
    "description": _text(TEXT_LIMITS["description"]),
    "packs": _packs,
    "level": _choice(LEVELS),
    "budget": _budget,
    "prompt_suffix": _text(TEXT_LIMITS["prompt_suffix"]),
    "metadata": _metadata,
}
