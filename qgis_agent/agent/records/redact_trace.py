"""Takes names, ids and values out of traces before they are given away. The same thing has the same pseudonym throughout.

``names``   of layers, groups, fields, files and projects, in whatever sentence they stand
``ids``     of layers, features, conversations, runs, calls, handles; the project's key and place
``values``  what the data say: texts and numbers of results (not counts), of conditions and coordinates, and every sentence that
            tells of them: the person's words and the answer

What remains says which tools were called in which order on which (renamed) things, how each ended, and how long it took. A
redacted trace says so in ``redacted``; it can be read and its choice of tools scored, not replayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...bridge.trace import Trace, digest_of
from .redact_words import (
    BY_NAME,
    CONTENT,
    COUNTS,
    FIGURES,
    FREE,
    IDS,
    MEASURED,
    SENTENCES,
    WORDS,
    is_program_key,
    is_record,
    names_of,
)

KINDS = ("names", "ids", "values")
_RECORD, _FREE = "record", "free"
"""Where in a trace: below records of the data, and below the parameters of a Processing algorithm."""
_STEP_WORDS = frozenset("tool op code schema effect caller origin".split())
"""Of the frame of a trace. They stay also where a layer or field is called so: the choice of tools is to be scored."""
_PATH = re.compile(r"(?:[A-Za-z]:[\\/]|/|\\\\)[^\s\"'<>|]*[\\/][^\s\"'<>|]*")
_SPACE = re.compile(r"\s")
_UUID = re.compile(r"[0-9a-fA-F]{8}[-_](?:[0-9a-fA-F]{4}[-_]){3}[0-9a-fA-F]{12}")


def redacted(traces: Sequence[Trace], kinds: Iterable[str]) -> list[Trace]:
    """Copies of traces without what ``kinds`` name, with one set of pseudonyms for all; the traces as they are for none."""
    wanted = [each for each in KINDS if each in set(kinds)]
    if not wanted:
        return [dict(each) for each in traces]
    work = _Redaction(frozenset(wanted))
    for trace in traces:
        work.learn(trace)
    return [work.trace(each) for each in traces]


class _Redaction:
    def __init__(self, kinds: frozenset[str]) -> None:
        self._kinds = kinds
        self._names: dict[str, str] = {}
        self._fields: set[str] = set()
        self._values: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._pattern: re.Pattern[str] | None = None

    # names

    def learn(self, trace: Trace) -> None:
        """Give pseudonyms to the names of a trace: aliases, names, groups and fields."""
        states = [each for each in (trace.get("state_in"), trace["final"].get("map_state")) if isinstance(each, dict)]
        for alias, told in trace["aliases"].items():
            self._name("layer", alias, told.get("name") if isinstance(told, dict) else None)
        for state in states:
            for alias, told in (state.get("layers") or {}).items():
                self._name("layer", alias, told.get("name"))
                for group in str(told.get("group") or "").split(" / "):
                    self._name("group", group)
                for field in told.get("fields") or []:
                    self._name("field", field)
        parts = [[step.get("args"), step["result"].get("data"), step.get("actions")] for step in trace["steps"]]
        for kind, name in names_of([parts, trace["final"].get("evidence"), trace["final"].get("legend")]):
            self._name(kind, name)
        for kind, name in names_of(states):
            if kind == "field":  # "name" is that of a shape in a style; those of layers are known by now
                self._name(kind, name)
        self._name("project", trace["project"].get("name"))
        if "names" in self._kinds:
            known = sorted((re.escape(each) for each in self._names if len(each) > 1), key=len, reverse=True)
            self._pattern = re.compile(r"(?<!\w)(?:" + "|".join(known) + r")(?!\w)") if known else None

    def _name(self, kind: str, *names: Any) -> None:
        found = [each for each in names if isinstance(each, str) and each]
        known = next((self._names[each] for each in found if each in self._names), "")
        if found and not known:
            known = self._next(kind)
        for each in found:
            self._names.setdefault(each, known)
        if kind == "field":
            self._fields.update(found)

    def _next(self, kind: str) -> str:
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{kind}_{self._numbers[kind]}"

    # one trace

    def trace(self, trace: Trace) -> Trace:
        """One trace without what is taken out."""
        made: Trace = {
            key: self._part(key, each, "") for key, each in trace.items() if key not in ("aliases", "project")
        }
        made["aliases"] = {
            self._key(alias, "aliases", True): self._alias(told) for alias, told in trace["aliases"].items()
        }
        project = trace["project"]
        made["project"] = {
            "name": self._text(str(project.get("name", ""))),
            "key": self._id(str(project.get("key", ""))) if "ids" in self._kinds else project.get("key", ""),
            "path": "",
        }
        for step in made["steps"]:
            step["result"]["digest"] = digest_of(step["result"].get("data"))
        made["redacted"] = sorted(self._kinds)
        return made

    def _alias(self, told: Any) -> dict[str, Any]:
        fields = dict(told) if isinstance(told, Mapping) else {}
        if "ids" in self._kinds:
            fields["layer_id"] = self._id(str(fields.get("layer_id", "")))
            fields["source_digest"] = ""
        return {**fields, "name": self._text(str(fields.get("name", "")))}

    def _part(self, key: str, value: Any, inside: str, listed: bool = False) -> Any:
        """``inside``: below which key with values, "" for none; ``listed``: an element of the list under ``key``."""
        below = _below(key, inside)
        if isinstance(value, Mapping):
            named = (key in BY_NAME and not listed) or below == _RECORD
            return {
                self._key(str(name), key, named): self._part(str(name), each, below) for name, each in value.items()
            }
        if isinstance(value, list):
            return [self._part(key, each, below, True) for each in value]
        if (key in IDS or inside == "selection") and "ids" in self._kinds and value not in (None, ""):
            return self._id(str(value))
        if isinstance(value, str):
            return self._string(key, value, inside)
        if "values" not in self._kinds or not (inside or key in FIGURES) or value is None:
            return value
        if isinstance(value, bool):  # a flag of the program, unless it is one of the data
            return self._value("value", value) if inside == _RECORD else value
        return value if self._ours(key, inside, COUNTS) else self._value("number", value)

    def _ours(self, key: str, inside: str, ours: frozenset[str]) -> bool:
        """Whether the key is the program's own, and so tells what its value is."""
        return key in ours and inside not in (_RECORD, _FREE) and not (inside and key in self._fields)

    def _key(self, key: str, of: str, named: bool) -> str:
        """A key of the object under ``of``; ``named``: whose keys are names, whatever else they may be."""
        if "names" not in self._kinds or (not named and is_program_key(key, of)):
            return key
        return self._names.get(key, key)

    def _string(self, key: str, value: str, inside: str) -> str:
        values = "values" in self._kinds
        if not value or (not inside and key in _STEP_WORDS):
            return value
        if value in self._names:
            if "names" in self._kinds:
                return self._names[value]
            if not (values and inside == _RECORD and key not in ("field", "layer_id")):
                return value
        if self._ours(key, inside, WORDS) and (key.startswith("crs") or not _SPACE.search(value)):
            return value  # a sentence is none of the program's words: how something was computed holds the formula
        if values and self._ours(key, inside, SENTENCES):
            return self._value("text", value)
        if values and (inside or key.lower() in CONTENT):
            return self._value("value", value)
        return self._text(value)

    def _value(self, kind: str, value: Any) -> str:
        spelled = f"{kind}:{value}"
        if spelled not in self._values:
            self._values[spelled] = self._next(kind)
        return self._values[spelled]

    def _id(self, value: str) -> str:
        return self._value("id", value) if value else ""

    def _text(self, text: str) -> str:
        """A text that stays, without the names and places in it."""
        if "names" in self._kinds and self._pattern is not None:
            text = self._pattern.sub(lambda found: self._names[found.group(0)], text)
        if "ids" in self._kinds:
            text = _UUID.sub(lambda found: self._id(found.group(0)), text)
        return _PATH.sub(lambda found: self._value("path", found.group(0)), text)


def _below(key: str, inside: str) -> str:
    if inside == _RECORD or is_record(key):
        return _RECORD
    if inside == _FREE or key.lower() in FREE:
        return _FREE
    return inside or (key if key.lower() in MEASURED else "")
