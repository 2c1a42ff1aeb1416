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

KINDS = ("names", "ids", "values")
_SENTENCES = frozenset(
    ["user_text", "answer", "text", "message", "hint", "warnings", "notes", "note", "label", "title"]
)
_WORDS_KEPT = frozenset(
    """tool op code reason kind type crs crs_used method algorithm operation predicate palette schema termination decision by
    effect origin caller intent profile recorded_at blend status format count_kind geometry action outcome model prompts tools
    plugin qgis locale unit answered_by statistics pack packs mode area_unit distance_unit ellipsoid digest units template
    source_kind provider driver name_kind redacted color outline_color count_by invalid position relation
    """.split()
)
"""Keys whose texts are the program's own words, not the data's."""
_COUNTS = frozenset(
    """count counts total returned features feature_count input_count features_before features_after cursor next step ms run
    classes limit steps page_size rows_total columns width height size dpi input_tokens output_tokens model_calls tool_calls
    cached_tokens k band bands year_of_schema
    """.split()
)
_MEASURED = frozenset(
    """where values features bbox center view_bbox rows extent points table filters categories classes breaks rules legend
    evidence numbers selection
    """.split()
)
"""Keys of arguments and of the map below which every number is a value."""
_IDS = frozenset(
    """layer_id_qgis source_digest session_id trace_id call_id key result_ref rule_id confirm_token ref ids feature_ids
    selected_ids fid id
    """.split()
)
_PATH = re.compile(r"(?:[A-Za-z]:[\\/]|/|\\\\)[^\s\"'<>|]*[\\/][^\s\"'<>|]*")
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
        for step in trace["steps"]:
            for key, name in _named(step):
                self._name(key, name)
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

    def _next(self, kind: str) -> str:
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{kind}_{self._numbers[kind]}"

    # one trace

    def trace(self, trace: Trace) -> Trace:
        """One trace without what is taken out."""
        made: Trace = {
            key: self._part(key, each, "") for key, each in trace.items() if key not in ("aliases", "project")
        }
        made["aliases"] = {self._key(alias): self._alias(told) for alias, told in trace["aliases"].items()}
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

    def _part(self, key: str, value: Any, inside: str) -> Any:
        if isinstance(value, Mapping):
            below = inside or (key if key in _MEASURED or key == "data" else "")
            return {self._key(str(name)): self._part(str(name), each, below) for name, each in value.items()}
        if isinstance(value, list):
            below = inside or (key if key in _MEASURED else "")
            return [self._part(key, each, below) for each in value]
        if (key in _IDS or inside == "selection") and "ids" in self._kinds and value not in (None, ""):
            return self._id(str(value))
        if isinstance(value, str):
            return self._string(key, value, inside)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and "values" in self._kinds:
            return self._value("number", value) if inside and key not in _COUNTS else value
        return value

    def _key(self, key: str) -> str:
        return self._names.get(key, key) if "names" in self._kinds else key

    def _string(self, key: str, value: str, inside: str) -> str:
        if value in self._names:
            return self._names[value] if "names" in self._kinds else value
        if key in _WORDS_KEPT or not value:
            return value
        if "values" in self._kinds and key in _SENTENCES:
            return self._value("text", value)
        if "values" in self._kinds and inside:
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


def _named(step: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(kind, name) of what a step names: fields in its arguments and result, names that it gives."""
    found: list[tuple[str, Any]] = []

    def look(value: Any) -> None:
        if isinstance(value, Mapping):
            for key, each in value.items():
                if key in ("field", "group_by", "order_by", "x", "y", "join_field", "source_field", "weight_field"):
                    found.append(("field", each))
                elif key == "fields" and isinstance(each, list):
                    named = [one.get("name") if isinstance(one, Mapping) else one for one in each]
                    found.extend(("field", one) for one in named)
                elif key in ("layer_id", "polygon_layer_id", "join_layer_id", "to_layer_id", "overlay_layer_id"):
                    found.append(("layer", each))
                elif key in ("name", "layout", "sublayer"):
                    found.append(("name", each))
                elif key == "rows" and isinstance(each, list):
                    found.extend(("field", name) for one in each if isinstance(one, Mapping) for name in one)
                look(each)
        elif isinstance(value, list):
            for each in value:
                look(each)

    look(step.get("args"))
    look((step.get("result") or {}).get("data"))
    look(step.get("actions"))
    return found
