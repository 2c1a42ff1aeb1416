"""What things were called when a trace was recorded, and what they are called now: layers, handles, rules, files."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from qgis.core import QgsMapLayer

from ...bridge.trace import NOT_ALIASES, Trace
from ..host import Host
from ..map_state import source_digest

_LAYER_KEYS = ("layer_id", "layer", "output", "outputs", "layer_ids", "added")
_HANDLES = ("result_ref", "rule_id")


class Names:
    """Names then -> names now, and back. Grows with each step that makes something."""

    def __init__(self, host: Host, folder: str) -> None:
        self._host = host
        self._folder = folder
        self._then_folder = ""
        self._now: Dict[str, str] = {}

    def begin(self, trace: Trace) -> None:
        """A trace begins: its layers are found by id, else by name and source, else by name; else the alias stands."""
        path = str(trace["project"].get("path") or "").replace("\\", "/")
        self._then_folder = path.rpartition("/")[0]
        layers = self._host.layers.layers()
        alias = self._host.layers.alias
        for then, told in trace["aliases"].items():
            if then in self._now or not isinstance(told, dict) or told.get("made"):
                continue
            found = _found(layers, told)
            if found is not None and alias(found) != then:
                self._now[then] = alias(found)

    def arguments(self, value: Any) -> Any:
        """Arguments of then as they are to be given now."""
        if isinstance(value, dict):
            return {key: each if key in NOT_ALIASES else self.arguments(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.arguments(each) for each in value]
        if not isinstance(value, str):
            return value
        if value in self._now:
            return self._now[value]
        plain = value.replace("\\", "/")
        if self._folder and self._then_folder and plain.startswith(self._then_folder + "/"):
            return self._folder + plain[len(self._then_folder) :]
        return value

    def learn(self, then: Any, now: Any) -> None:
        """A step was answered with ``then``, and now with ``now`` (their data, or the arguments of their actions)."""
        for recorded, found in _pairs(then, now, ""):
            if recorded != found:
                self._now[recorded] = found

    def back(self) -> Dict[str, str]:
        """Names of now -> names of then."""
        return {now: then for then, now in self._now.items()}


def _found(layers: List[QgsMapLayer], told: Mapping[str, Any]) -> Optional[QgsMapLayer]:
    """The layer that ``told`` ({layer_id, name, source_digest}) means."""
    named = [each for each in layers if each.name() == told.get("name")]
    same = [each for each in named if source_digest(each) == told.get("source_digest")]
    by_id = [each for each in layers if each.id() == told.get("layer_id")]
    return next(iter([*by_id, *same, *named]), None)


def _pairs(then: Any, now: Any, key: str) -> Iterator[Tuple[str, str]]:
    """Names at the same place of two values."""
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for each in then:
            if each in now:
                yield from _pairs(then[each], now[each], str(each))
    elif isinstance(then, list) and isinstance(now, list):
        for one, other in zip(then, now):
            yield from _pairs(one, other, key)
    elif isinstance(then, str) and isinstance(now, str) and (key in _HANDLES or key.endswith(_LAYER_KEYS)):
        yield then, now


def _below(key: str, value: Any, names: Mapping[str, str]) -> Any:
    if key not in NOT_ALIASES:
        return renamed(value, names)
    keys = isinstance(value, dict) and key == "filters"  # of which the keys are aliases
    return {names.get(each, each): text for each, text in value.items()} if keys else value


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """``value`` with every text and key that is a name replaced."""
    if isinstance(value, dict):
        return {names.get(key, key): _below(key, each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value
