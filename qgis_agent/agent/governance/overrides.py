"""A project's own changes to the profiles: ``.qgis_agent/agents.json`` in its folder (X-13).

The file comes with the project and may be anyone's. Without a person's yes it can only lower: level, packs, budgets, tools.
What would give more, and every text in it (a prompt suffix would enter the system prompt), waits for the yes, which QGIS
keeps by the file's SHA-256, so that any later change of the file has to be asked for again.

The file: ``{"profiles": {"gis-build": {"level": "read_only", "budget": {"model_calls": 6}}, ...}}``, with the keys of
``AgentProfile.to_dict``. A name that is not built in makes a new profile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..context.untrusted import clean
from .overrides_file import FILE_NAME, FOLDER_NAME, FileProblem, read_agents_file
from .profile import CEILING, PROFILES, AgentProfile, Budget, strictest, within_ceiling
from .profile_check import (
    ACTIONS,
    BUDGET_RANGES,
    LEVELS,
    TOOL_NAME,
    TOOL_PATTERN,
    Action,
    Problem,
    is_number_of,
    name_problems,
    problems_of,
    shown,
)

MAX_SHOWN = 12
"""Problems or raises that one notice names."""
_PATH = f"{FOLDER_NAME}/{FILE_NAME}"
_TEXTS: Mapping[str, tuple[str, str]] = {
    "broken": (
        "{path} of this project was not used, and the built-in profiles are in force: {what}",
        "未使用此工程的 {path}，内置配置仍然有效：{what}",
    ),
    "wants_more": (
        "{path} of this project asks for more than the built-in profiles give, and that part is not in force: {what}. To "
        "allow it, choose “Trust this project's agent settings…” in the menu Plugins > QGIS Agent.",
        "此工程的 {path} 要求的权限超出内置配置，该部分未生效：{what}。"
        "如需允许，请在菜单“插件 > QGIS Agent”中选择“信任此工程的智能体设置…”。",
    ),
    "trusted": (
        "{path} of this project changes these profiles, as you agreed: {what}.",
        "按照您的许可，此工程的 {path} 更改了以下配置：{what}。",
    ),
    "lowered": (
        "{path} of this project makes these profiles stricter: {what}.",
        "此工程的 {path} 收紧了以下配置：{what}。",
    ),
    "new": ("new profile ({mode}, {level}, {packs})", "新配置（{mode}，{level}，{packs}）"),
    "more": ("and {count} more", "另有 {count} 项"),
}


@dataclass(frozen=True)
class Notice:
    """A sentence for the person. ``level`` is info or warning."""

    level: str
    text: str


@dataclass(frozen=True)
class Overrides:
    """The profiles in force in a project. ``wants_trust`` is the hash of a file that would raise something, else None."""

    profiles: Mapping[str, AgentProfile]
    notices: tuple[Notice, ...] = ()
    wants_trust: str | None = None
    raises: tuple[str, ...] = ()
    """What the file would raise, a line each."""


def load_overrides(
    folder: Path | None,
    trusted_hashes: Collection[str],
    *,
    language: str = "en",
    ceiling: Budget = CEILING,
    built_in: Mapping[str, AgentProfile] = PROFILES,
) -> Overrides:
    """The profiles of the project in ``folder``; None for a project without one. Never raises for what the file holds."""
    base = {name: within_ceiling(each, ceiling) for name, each in built_in.items()}
    defaults = MappingProxyType(base)
    if folder is None:
        return Overrides(defaults)
    try:
        read = read_agents_file(folder)
        if read is None:
            return Overrides(defaults)
        raw, document = read
        given = _profiles_in(document)
    except FileProblem as problem:
        return Overrides(defaults, (_notice("warning", "broken", language, problem.texts(language)),))
    digest = hashlib.sha256(raw).hexdigest()
    wanted = {name: replaced(base.get(name), name, data, ceiling) for name, data in given.items()}
    raises = [line for name, each in wanted.items() for line in _raised_lines(base.get(name), each, language)]
    if raises and digest in trusted_hashes:
        notice = _notice("info", "trusted", language, sorted(given))
        return Overrides(MappingProxyType({**base, **wanted}), (notice,), None, tuple(raises))
    lower = {name: lowered(base[name], data) for name, data in given.items() if name in base}
    changed = sorted(name for name, each in lower.items() if each != base[name])
    notices = [_notice("info", "lowered", language, changed)] if changed else []
    if raises:
        notices.append(_notice("warning", "wants_more", language, raises))
    return Overrides(MappingProxyType({**base, **lower}), tuple(notices), digest if raises else None, tuple(raises))


def lowered(base: AgentProfile, override: Mapping[str, Any]) -> AgentProfile:
    """``base`` with what ``override`` makes stricter. Pure; anything in it that is wider, unknown or wrong has no effect."""
    level, packs = override.get("level"), override.get("packs")
    metadata = _object(override.get("metadata"))
    changes: dict[str, Any] = {"budget": _lower_budget(base.budget, _object(override.get("budget")))}
    if isinstance(level, str) and level in LEVELS[: LEVELS.index(base.level)]:
        changes["level"] = level
    if override.get("mode") == "plan":  # the one mode that forbids more than the others
        changes["mode"] = "plan"
    if isinstance(packs, (list, tuple)):
        changes["packs"] = tuple(each for each in base.packs if each in packs)
    changes["metadata"] = _metadata(
        {**base.permissions, **_stricter_rules(base.permissions, _object(metadata.get("permissions")))},
        _fewer_tools(base.tools, metadata.get("tools")),
    )
    return replace(base, **changes)


def replaced(
    base: AgentProfile | None, name: str, override: Mapping[str, Any], ceiling: Budget = CEILING
) -> AgentProfile:
    """The profile as the file wants it: its keys in place of the base's, or a new profile; never over the ceiling.

    ``override`` has been checked (``problems_of``); its texts are cleaned.
    """
    if base is None:
        return _cleaned(AgentProfile.from_dict({**override, "name": name}, ceiling))
    data = base.to_dict()
    merged = {**data, **override, "name": name}
    for key in ("budget", "metadata"):
        merged[key] = {**data[key], **override.get(key, {})}
    profile = AgentProfile.from_dict(merged, ceiling)
    return _cleaned(profile) if {"description", "prompt_suffix"} & set(override) else profile


def raised(base: AgentProfile | None, wanted: AgentProfile, language: str = "en") -> list[str]:
    """In which respects ``wanted`` is more than ``base``, a line each; empty when it only lowers."""
    if base is None:
        new = _TEXTS["new"][language == "zh"]
        lines = [new.format(mode=wanted.mode, level=wanted.level, packs=", ".join(wanted.packs))]
        return lines + ([f"prompt_suffix: {wanted.prompt_suffix}"] if wanted.prompt_suffix else [])
    lines = []
    if LEVELS.index(wanted.level) > LEVELS.index(base.level):
        lines.append(f"level: {base.level} → {wanted.level}")
    if wanted.mode not in (base.mode, "plan"):
        lines.append(f"mode: {base.mode} → {wanted.mode}")
    lines += [f"packs: + {each}" for each in wanted.packs if each not in base.packs]
    for key in BUDGET_RANGES:
        before, after = getattr(base.budget, key), getattr(wanted.budget, key)
        if after > before:
            lines.append(f"budget.{key}: {before:.15g} → {after:.15g}")
    lines += _looser_rules(base, wanted)
    for key in ("description", "prompt_suffix"):
        if getattr(wanted, key) != getattr(base, key):
            lines.append(f"{key}: {getattr(wanted, key)}")
    return lines


def _raised_lines(base: AgentProfile | None, wanted: AgentProfile, language: str) -> list[str]:
    return [f"{wanted.name}: {line}" for line in raised(base, wanted, language)]


def _looser_rules(base: AgentProfile, wanted: AgentProfile) -> list[str]:
    lines = []
    for pattern, action in base.permissions.items():
        new = wanted.permissions.get(pattern, "allow")
        if ACTIONS.index(new) < ACTIONS.index(action):
            lines.append(f"permissions.{pattern}: {action} → {new}")
    if base.tools is not None:
        more = [each for each in wanted.tools or () if each not in base.tools]
        lines += ["tools: *"] if wanted.tools is None else [f"tools: + {each}" for each in more]
    return lines


def _profiles_in(document: Any) -> dict[str, Mapping[str, Any]]:
    """The checked overrides of a file by name. FileProblem with all that is wrong."""
    problems: list[Problem] = []
    if not isinstance(document, Mapping):
        raise FileProblem([Problem(FILE_NAME, "object")])
    problems += [Problem(shown(key), "unknown", "profiles") for key in document if key != "profiles"]
    profiles = document.get("profiles", {})
    if not isinstance(profiles, Mapping):
        raise FileProblem([*problems, Problem("profiles", "object")])
    for name, data in profiles.items():
        where = f"profiles.{shown(name)}"
        problems += name_problems(name, where) + problems_of(data, where, needs_name=False)
    if problems:
        raise FileProblem(problems)
    return dict(profiles)


def _lower_budget(base: Budget, wanted: Mapping[str, Any]) -> Budget:
    given = {key: value for key, value in wanted.items() if key in BUDGET_RANGES and is_number_of(key, value)}
    return replace(base, **given).within(base)


def _stricter_rules(base: Mapping[str, Action], wanted: Mapping[Any, Any]) -> dict[str, Action]:
    rules: dict[str, Action] = {}
    for pattern, action in wanted.items():
        known = isinstance(pattern, str) and TOOL_PATTERN.fullmatch(pattern) is not None
        if known and isinstance(action, str) and action in ACTIONS:
            rules[pattern] = strictest(base.get(pattern, "allow"), ACTIONS[ACTIONS.index(action)])
    return rules


def _fewer_tools(base: Sequence[str] | None, wanted: Any) -> tuple[str, ...] | None:
    if not isinstance(wanted, (list, tuple)):
        return None if base is None else tuple(base)
    names = tuple(each for each in wanted if isinstance(each, str) and TOOL_NAME.fullmatch(each))
    return names if base is None else tuple(each for each in base if each in names)


def _metadata(permissions: Mapping[str, Action], tools: tuple[str, ...] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if permissions:
        found["permissions"] = dict(permissions)
    if tools is not None:
        found["tools"] = tools
    return found


def _cleaned(profile: AgentProfile) -> AgentProfile:
    """Texts of a file without control and bidi characters, on one line."""
    return replace(
        profile, description=clean(profile.description, 300), prompt_suffix=clean(profile.prompt_suffix, 2000)
    )


def _object(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}


def _notice(level: str, key: str, language: str, lines: Sequence[str]) -> Notice:
    zh = language == "zh"
    kept = [clean(each, 200) for each in lines[:MAX_SHOWN]]
    if len(lines) > MAX_SHOWN:
        kept.append(_TEXTS["more"][zh].format(count=len(lines) - MAX_SHOWN))
    return Notice(level, _TEXTS[key][zh].format(path=_PATH, what=("；" if zh else "; ").join(kept)))
