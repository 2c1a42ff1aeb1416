"""Evaluation sets and scripted solutions, read from files. What the cases mean is checked by the agent process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Mapping

from ..errors import INVALID_PARAM, ToolError
from ..i18n import translate

MAX_BYTES = 64 * 1024 * 1024


def read_cases(path: str) -> List[Dict[str, Any]]:
    """The lines of a set. INVALID_PARAM names the line that is no JSON object with an id and a text."""
    cases = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _wrong(path, translate("QgisAgent", "line {}: {}").format(number, error)) from error
        if not isinstance(case, dict) or not isinstance(case.get("id"), str) or not isinstance(case.get("text"), str):
            raise _wrong(path, translate("QgisAgent", "line {} has no id and text.").format(number))
        cases.append(case)
    if not cases:
        raise _wrong(path, translate("QgisAgent", "It holds no case."))
    return cases


def read_solutions(path: str) -> Dict[str, List[Any]]:
    """Scripted turns by case id: ``{id: [turn]}`` or ``{id: {"turns": [turn], …}}``. INVALID_PARAM says what is wrong."""
    try:
        raw = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise _wrong(path, str(error)) from error
    if not isinstance(raw, dict):
        raise _wrong(path, translate("QgisAgent", "It must be an object: turns by the ids of cases."))
    found = {}
    for ident, turns in raw.items():
        listed = turns.get("turns") if isinstance(turns, Mapping) else turns
        if not isinstance(listed, list):
            raise _wrong(path, translate("QgisAgent", "{}: the turns must be a list.").format(str(ident)[:60]))
        found[str(ident)] = listed
    return found


def _text(path: str) -> str:
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise _wrong(path, translate("QgisAgent", "The file is too large."))
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(path, getattr(error, "strerror", None) or str(error)) from error


def _wrong(path: str, why: str) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "'{}' cannot be used: {}").format(path, why),
        hint=translate("QgisAgent", "tests/evals/README.md describes the files of an evaluation."),
        reason="evaluation_file",
    )
