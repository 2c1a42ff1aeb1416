"""The person's own rules for tools, and what else they set about permission. All in QGIS's settings, read anew each time.

A rule makes a call stricter than its level, never laxer: ``deny`` before ``ask`` before ``as_level``, whatever the order.
Its pattern is the name of a tool, with ``*`` and ``?``; after ``run_algorithm:`` it is the id of an algorithm.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Iterable, List, Optional, Tuple

from qgis.core import Qgis, QgsApplication, QgsMessageLog, QgsSettings
from qgis.PyQt.QtCore import QObject, pyqtSignal

from .i18n import translate

AS_LEVEL = "as_level"
ASK = "ask"
DENY = "deny"
ACTIONS = (AS_LEVEL, ASK, DENY)
"""From lax to strict."""
LEVEL_NAMES = ("read_only", "safe_write", "full_access")
DEFAULT_LEVEL = "safe_write"
ALGORITHM_PREFIX = "run_algorithm:"
MAX_RULES = 200
PREFIX = "qgis_agent/permissions/"
_RULES_KEY = PREFIX + "rules"
_LEVEL_KEY = PREFIX + "level"
_FOLDERS_KEY = PREFIX + "folders_{}"
_PATTERN = re.compile(r"[a-z0-9_*?]{1,64}(?::[A-Za-z0-9_.:*?-]{1,120})?")


@dataclass(frozen=True)
class Rule:
    """One rule of the person. ``action`` is one of ACTIONS."""

    pattern: str
    action: str

    def speaks_of(self, tool: str, algorithms: Iterable[str] = ()) -> bool:
        """Whether the pattern names this tool, or one of these ids of the algorithm that it would run."""
        wanted, colon, ids = self.pattern.casefold().partition(":")
        if not fnmatchcase(tool.casefold(), wanted):
            return False
        return not colon or any(fnmatchcase(each.casefold(), ids) for each in algorithms)


class Rules(QObject):
    """The rules as the settings hold them now. ``changed`` follows every change that is made through this object."""

    changed = pyqtSignal()

    def __init__(self, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._raw: Optional[str] = None
        self._rules: Tuple[Rule, ...] = ()
        self.problem = ""
        """Why the settings' rules cannot be read, for a person; while they cannot, everything is asked about."""

    def of(self, tool: str, algorithm: str = "") -> str:
        """The strictest of the rules that speak of this call; "as_level" when none does.

        An algorithm is known by the id that was given and by QGIS's own: "qgis:buffer" runs "native:buffer".
        """
        rules = self.listed()
        if self.problem:
            return ASK
        ids = _ids(algorithm) if algorithm else ()
        return max((each.action for each in rules if each.speaks_of(tool, ids)), key=ACTIONS.index, default=AS_LEVEL)

    def listed(self) -> Tuple[Rule, ...]:
        """The rules in the order of the settings."""
        raw = str(QgsSettings().value(_RULES_KEY, "") or "")
        if raw != self._raw:
            self._raw = raw
            try:
                self._rules, self.problem = _parsed(raw), ""
            except (ValueError, KeyError, TypeError, RecursionError):
                self._rules = ()
                self.problem = translate(
                    "QgisAgent", "Your rules for tools cannot be read, so every step is asked about. Set them again."
                )
                QgsMessageLog.logMessage(self.problem, "QGIS Agent", Qgis.MessageLevel.Warning)
        return self._rules

    def replace(self, rules: Iterable[Rule]) -> None:
        """Set all rules. ValueError for a pattern or an action that is none. The last of two with one pattern counts."""
        kept = {each.pattern: checked(each) for each in rules}
        if len(kept) > MAX_RULES:
            raise ValueError("more than {} rules".format(MAX_RULES))
        document = [{"pattern": each.pattern, "action": each.action} for each in kept.values()]
        QgsSettings().setValue(_RULES_KEY, json.dumps(document) if document else "")
        QgsSettings().sync()
        self.changed.emit()

    def add(self, pattern: str, action: str) -> None:
        """One more rule, or another action for this pattern. ValueError as ``replace``."""
        self.replace([*self.listed(), Rule(pattern, action)])

    def remove(self, pattern: str) -> None:
        """Take the rule of this pattern away."""
        self.replace([each for each in self.listed() if each.pattern != pattern])


def checked(rule: Rule) -> Rule:
    """The rule itself. ValueError when its pattern or action is none."""
    tool, colon, _ids_pattern = rule.pattern.partition(":")
    if not _PATTERN.fullmatch(rule.pattern) or rule.action not in ACTIONS:
        raise ValueError("rule {!r}: {!r}".format(rule.pattern, rule.action))
    if colon and tool + colon != ALGORITHM_PREFIX:
        raise ValueError("rule {!r}: only run_algorithm takes an id".format(rule.pattern))
    return rule


def chosen_level() -> str:
    """The level that the person chose for the chat; "safe_write" when none, or something unknown, is set."""
    level = str(QgsSettings().value(_LEVEL_KEY, DEFAULT_LEVEL) or "")
    return level if level in LEVEL_NAMES else DEFAULT_LEVEL


def choose_level(level: str) -> None:
    """Keep the level for the chat. ValueError for an unknown one."""
    if level not in LEVEL_NAMES:
        raise ValueError("unknown level {!r}".format(level))
    QgsSettings().setValue(_LEVEL_KEY, level)


def added_folders(mode: str) -> List[str]:
    """The real paths of folders that the person added: ``mode`` "read" (reading only) or "write" (reading and writing)."""
    kept = QgsSettings().value(_FOLDERS_KEY.format(_mode(mode)), []) or []
    paths = [str(each) for each in ([kept] if isinstance(kept, str) else kept)]
    return [os.path.realpath(each) for each in paths if is_addable(each)]


def set_added_folders(mode: str, paths: Iterable[str]) -> None:
    """Keep these folders, by their real paths. ValueError for one that may not be added (see ``is_addable``)."""
    kept = list(dict.fromkeys(os.path.realpath(each) for each in paths if is_absolute(each)))
    for each in kept:
        if not is_addable(each):
            raise ValueError("not a folder that can be added: {!r}".format(each))
    QgsSettings().setValue(_FOLDERS_KEY.format(_mode(mode)), kept)


def is_absolute(path: str) -> bool:
    """Whether a text is a whole path."""
    return bool(path) and "\0" not in path and os.path.isabs(path)


def is_addable(path: str) -> bool:
    """Whether a path may be added: whole, not a disk as such, not inside the QGIS profile."""
    if not is_absolute(path):
        return False
    real = os.path.normcase(os.path.realpath(path))
    profile = os.path.normcase(os.path.realpath(QgsApplication.qgisSettingsDirPath()))
    below = real == profile or real.startswith(profile.rstrip(os.sep) + os.sep)
    return os.path.dirname(real) != real and not below


def _mode(mode: str) -> str:
    if mode not in ("read", "write"):
        raise ValueError("unknown mode {!r}".format(mode))
    return mode


def _ids(algorithm: str) -> Tuple[str, ...]:
    found = QgsApplication.processingRegistry().algorithmById(algorithm)
    return (algorithm,) if found is None else (algorithm, found.id())


def _parsed(raw: str) -> Tuple[Rule, ...]:
    document: Any = json.loads(raw) if raw else []
    if not isinstance(document, list) or len(document) > MAX_RULES:
        raise ValueError("not a list of rules")
    return tuple(checked(Rule(str(each["pattern"]), str(each["action"]))) for each in document)
