"""What the person sees of a run although it did not leave QGIS: legend, map operations and evidence in full.

The agent's report says which entries there are and in which order, for it knows what was answered from its cache and what came
before the switch; each entry that went out without values is replaced by what it was made from.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, Dict, List, Tuple

MAX_RUNS = 4
MAX_CALLS = 500
MAX_EARLIER = 1000
"""Entries of earlier runs, which the agent may have in its cache."""
_LISTS = (("map_actions", "actions"), ("legend", "legend"), ("evidence", "evidence"))
"""Keys of a report, and of an outcome."""

Entry = Dict[str, Any]
Pairs = List[Tuple[str, Entry]]


class Kept:
    """The entries of the last runs by what was sent in their place, while attribute values stay at home."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, Dict[str, Pairs]] = OrderedDict()
        self._earlier: OrderedDict[str, Entry] = OrderedDict()

    def note(self, run_id: str, call_id: str, outcome: Entry, sent: Entry) -> None:
        """A call has ended, and ``sent`` is what the agent gets of its outcome: nothing is kept where that is all of it."""
        if sent is outcome or not outcome["envelope"]["ok"]:
            return
        calls = self._runs.setdefault(run_id, {})
        if len(calls) < MAX_CALLS:
            calls[call_id] = [
                (_key(kind, less), full) for _, kind in _LISTS for less, full in zip(sent[kind], outcome[kind])
            ]
        while len(self._runs) > MAX_RUNS:
            self._runs.popitem(last=False)

    def restored(self, run_id: str, report: Entry) -> Entry:
        """The agent's report of a run with what QGIS itself knows of its entries; what it does not know stays as it is."""
        found: Dict[str, List[Entry]] = {}
        for pairs in self._runs.pop(run_id, {}).values():
            for key, full in pairs:
                found.setdefault(key, []).append(full)
        self._remember(found)
        if not self._earlier and not found:
            return report
        whole = dict(report)
        for name, kind in _LISTS:
            # From the end: the agent leaves earlier classes of a layer out that was styled again, and entries can look alike.
            listed = [self._full(_key(kind, each), each, found) for each in reversed(report.get(name) or [])]
            if listed:
                whole[name] = listed[::-1]
        return whole

    def _full(self, key: str, entry: Entry, found: Dict[str, List[Entry]]) -> Entry:
        """What an entry was made from. The first of those that look alike stands for answers that were given again."""
        known = found.get(key)
        if not known:
            return self._earlier.get(key, entry)
        return known.pop() if len(known) > 1 else known[0]

    def _remember(self, found: Dict[str, List[Entry]]) -> None:
        for key, known in found.items():
            for full in known:
                if not key.endswith(_text(full)):  # it went out as it is
                    self._earlier[key] = full
                    self._earlier.move_to_end(key)
        while len(self._earlier) > MAX_EARLIER:
            self._earlier.popitem(last=False)


def _key(kind: str, entry: Entry) -> str:
    return "{} {}".format(kind, _text(entry))


def _text(entry: Entry) -> str:
    return json.dumps(entry, sort_keys=True, ensure_ascii=False, default=str)
