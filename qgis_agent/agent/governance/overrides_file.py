"""Reading ``.qgis_agent/agents.json``: a small regular file inside the project's folder, strict JSON, or a clear problem."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .profile_check import Problem, shown

FOLDER_NAME = ".qgis_agent"
FILE_NAME = "agents.json"
MAX_BYTES = 64 * 1024

_TEXTS: Mapping[str, tuple[str, str]] = {
    "link": ("it is a link, and links are not followed", "它是链接，不跟随链接"),
    "outside": ("it lies outside the project's folder", "它位于工程文件夹之外"),
    "no_file": ("it is not a regular file", "它不是普通文件"),
    "too_big": ("it has more than {what} bytes", "它超过 {what} 字节"),
    "unreadable": ("it cannot be read ({what})", "无法读取（{what}）"),
    "encoding": ("it is not UTF-8 text (byte {what})", "它不是 UTF-8 文本（字节 {what}）"),
    "json": (
        "line {line}, column {column}: this is not JSON ({what})",
        "第 {line} 行第 {column} 列：不是 JSON（{what}）",
    ),
    "value": ("this is not JSON ({what})", "不是 JSON（{what}）"),
    "deep": ("it is nested too deeply", "嵌套过深"),
    "twice": ("the key {what} is there twice", "键 {what} 出现了两次"),
}


class FileProblem(Exception):
    """Why the file is not used: one reason of reading it, or the problems of what it says."""

    def __init__(self, problems: Sequence[Problem] = (), key: str = "", **values: object) -> None:
        super().__init__(key or "; ".join(each.text() for each in problems))
        self.problems = tuple(problems)
        self.key = key
        self._values = values

    def texts(self, language: str = "en") -> list[str]:
        """A line for each problem."""
        if self.key:
            return [_TEXTS[self.key][language == "zh"].format(**self._values)]
        return [each.text(language) for each in self.problems]


def read_agents_file(folder: Path) -> tuple[bytes, Any] | None:
    """The file's bytes and JSON value; None when there is no such file. FileProblem says why it cannot be used.

    Neither the folder ``.qgis_agent`` nor the file may be a link: what is read lies where the person sees it. The project's
    own folder may be reached through one.
    """
    base = Path(os.path.realpath(folder))
    path = base / FOLDER_NAME / FILE_NAME
    try:
        if path.parent.is_symlink() or path.is_symlink():
            raise FileProblem(key="link")
        if not path.exists():
            return None
        if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):  # a junction of Windows
            raise FileProblem(key="outside")
        raw = _bounded(path)
    except OSError as error:
        raise FileProblem(key="unreadable", what=error.strerror or type(error).__name__) from error
    return raw, _parsed(raw)


def _bounded(path: Path) -> bytes:
    """At most MAX_BYTES of a regular file. Nothing that would block or be followed is opened."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise FileProblem(key="no_file")
    flags = os.O_RDONLY
    for each in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # not every system has every one
        flags |= getattr(os, each, 0)
    with os.fdopen(os.open(path, flags), "rb") as opened:
        raw = opened.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise FileProblem(key="too_big", what=MAX_BYTES)
    return raw


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise FileProblem(key="encoding", what=error.start) from error
    except json.JSONDecodeError as error:
        raise FileProblem(key="json", line=error.lineno, column=error.colno, what=error.msg) from error
    except RecursionError as error:
        raise FileProblem(key="deep") from error
    except ValueError as error:
        raise FileProblem(key="value", what=str(error)[:80]) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise FileProblem(key="twice", what=shown(key))
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")
