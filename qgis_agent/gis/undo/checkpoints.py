"""What each run changed, so that a person can take it back: "Undo this run", and back through several.

Before and after each changing call what the call can change is read and compared; the differences of a run's calls add up to
its checkpoint. What the person did in between is no part of it. For MCP a checkpoint is one client's, until it has been idle
for 10 minutes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, NamedTuple, Tuple

from qgis.PyQt.QtCore import QObject, pyqtSignal

from ..call import Call
from ..i18n import translate
from ..layers import clean_text
from ..secrets import log_fault
from . import store
from .edits import SavedEdit
from .items import UndoItem, UndoReport
from .reach import Aspects, Reach
from .state import GONE, read_state
from .taking_back import Change, busy, take_back, words_of
from .tree_shape import Place

if TYPE_CHECKING:
    from ..host import Host

MAX_RUNS = 20
IDLE_S = 600.0
"""After this an MCP client's next call begins a checkpoint of its own."""
MAX_TEXTS = 200


@dataclass
class RunSummary:
    """A run for the person: its request, when it began (seconds since 1970), what it changed and what cannot be undone."""

    run_id: str
    caller: str
    text: str
    time: float
    changes: List[str]
    not_restorable: List[str]


@dataclass
class Run:
    """The checkpoint of one run. ``changes`` by key; ``items`` were added by the code that wrote them, oldest first."""

    run_id: str
    caller: str
    text: str
    time: float
    last: float
    changes: Dict[str, Change] = field(default_factory=dict)
    items: List[UndoItem] = field(default_factory=list)
    order: Dict[str, Tuple[str, ...]] = field(default_factory=dict)
    """By group of the layer tree the nodes in it when the run first changed something there, in order."""
    gaps: List[str] = field(default_factory=list)
    """Tools before or after which the state could not be read."""

    def is_empty(self) -> bool:
        """Whether there is nothing to take back or to tell."""
        return not (self.changes or self.items or self.gaps)


class _Open(NamedTuple):
    """A call that is under way: its run, what it can change, and the state before it."""

    run: Run
    reach: Reach
    before: Dict[str, Dict[str, Any]]


class Checkpoints(QObject):
    """See the module; ``host.checkpoints``. ``changed`` tells that there is something else to undo."""

    changed = pyqtSignal()

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._host = host
        self.aspects = Aspects()
        self._runs: List[Run] = []
        self._open: Dict[int, _Open] = {}
        self._texts: Dict[str, str] = {}
        store.sweep()

    # what calls tell

    def begin_run(self, run_id: str, text: str) -> None:
        """A run begins with these words of the person."""
        self._texts[run_id] = text
        while len(self._texts) > MAX_TEXTS:
            del self._texts[next(iter(self._texts))]

    def before_change(self, call: Call) -> None:
        """A call that can change something is about to run."""
        run = self._run_of(call)
        try:
            reach = self.aspects.reach(call)
            self._open[id(call)] = _Open(run, reach, self._read(reach, whole=True))
        except Exception:  # noqa: BLE001  a fault of ours must not keep the person from working: it is told with the run
            self._gap(run, call)

    def after_change(self, call: Call) -> None:
        """The call has ended, well or not."""
        opened = self._open.pop(id(call), None)
        if opened is None:
            return
        try:
            self._compare(opened)
        except Exception:  # noqa: BLE001  as above
            self._gap(opened.run, call)
        opened.run.last = time.monotonic()
        self._trim()
        self.changed.emit()

    def add(self, call: Call, item: UndoItem) -> None:
        """The call has written or saved something that is not seen by comparing: see ``items.py``."""
        self._run_of(call).items.append(item)
        self.changed.emit()

    def clear(self) -> None:
        """Another project: nothing of the old one can be undone."""
        for run in self._runs:
            self._discard(run)
        self._runs, self._open = [], {}
        self.aspects.groups.clear()
        self.changed.emit()

    # what the person does

    def runs(self) -> List[RunSummary]:
        """The runs that changed something, the newest last."""
        return [self._summary(each) for each in self._runs if not each.is_empty()]

    def undo(self, run_id: str, agreed: FrozenSet[str] = frozenset()) -> UndoReport:
        """Take back what the newest run of this id changed, but for what was changed since: that only where ``agreed`` has
        its key. UNSUPPORTED while a call is under way; an unknown run gives an empty report."""
        if self._open:
            raise busy()
        run = next((each for each in reversed(self._runs) if each.run_id == run_id), None)
        report = UndoReport(run_id)
        if run is None:
            return report
        report.not_restorable.extend(self._not_restorable(run))
        take_back(self._host, self.aspects, run, agreed, report)
        if report.complete:
            self._discard(run)
            self._runs.remove(run)
        self._host.project.setDirty(True)
        self._host.last_action = "undo"  # what the agent is told of the map with the next request
        self._host.audit.event("undo", run_id=run_id, caller=run.caller, complete=report.complete, agreed=len(agreed))
        self.changed.emit()
        return report

    def renumber(self, layer_id: str, ids: Dict[int, int]) -> None:
        """Deleted features of a layer have come back under other ids: {old: new}. Selections and edits that are kept follow."""
        for run in self._runs:
            change = run.changes.get("selection/" + layer_id)
            if change is not None:
                run.changes["selection/" + layer_id] = Change(*(_moved(each, ids) for each in change))
            for item in run.items:
                if isinstance(item, SavedEdit):
                    item.renumber(layer_id, ids)

    # inside

    def _run_of(self, call: Call) -> Run:
        capability, now = call.capability, time.monotonic()
        by_client = capability.caller == "mcp"
        for run in reversed(self._runs):
            if by_client and run.caller == "mcp" and run.run_id.startswith(_client(capability) + "/"):
                if now - run.last <= IDLE_S:
                    return run
                break
            if not by_client and run.run_id == capability.run_id:
                return run
        run_id = "{}/{:.0f}".format(_client(capability), time.time() * 1000) if by_client else capability.run_id
        text = self._texts.get(capability.run_id, "")
        run = Run(run_id, capability.caller, text or call.tool, time.time(), now)
        self._runs.append(run)
        return run

    def _read(self, reach: Reach, whole: bool) -> Dict[str, Dict[str, Any]]:
        return read_state(self._host, reach.aspects, reach.layer_ids, whole)

    def _compare(self, opened: _Open) -> None:
        run, host = opened.run, self._host
        present = self._read(opened.reach, whole=False)
        for aspect in opened.reach.aspects:
            one, two = opened.before[aspect.name], present[aspect.name]
            for rest in [*one, *[each for each in two if each not in one]]:
                before, after = one.get(rest, GONE), two.get(rest, GONE)
                if rest not in one and aspect.name == "node" and _node_of(rest) not in _nodes_of(opened.before):
                    continue  # a new node goes with its layer or group
                if aspect.changed(before, after):
                    before, after = aspect.settled(host, rest, before, after)
                    if isinstance(before, Place):
                        before = _first_order(run, before)
                    _merge(run, aspect.name + "/" + rest, Change(before, after), aspect)
        self._stamp(opened)
        _note_inside(run, opened.before.get("group", {}), present.get("group", {}))

    def _stamp(self, opened: _Open) -> None:
        """Layers that the run added and has changed now are as the run left them."""
        presence, named = self.aspects.by_name["layer"], opened.reach.layer_ids
        for key, change in list(opened.run.changes.items()):
            name, _, rest = key.partition("/")
            if name != "layer" or change.before is not GONE or self._host.project.mapLayer(rest) is None:
                continue
            layouts = any(each.name == "layout" for each in opened.reach.aspects)
            if named is None or rest in named or layouts:
                opened.run.changes[key] = Change(*presence.settled(self._host, rest, GONE, change.after))

    def _gap(self, run: Run, call: Call) -> None:
        log_fault()
        if call.tool not in run.gaps:
            run.gaps.append(call.tool)

    def _trim(self) -> None:
        kept = [each for each in self._runs if not each.is_empty()]
        while len(kept) > MAX_RUNS:
            oldest = kept.pop(0)
            self._discard(oldest)
            self._runs.remove(oldest)

    def _discard(self, run: Run) -> None:
        for item in run.items:
            item.discard()
        run.items, run.changes = [], {}

    def _not_restorable(self, run: Run) -> List[str]:
        words = [each.words() for each in run.items if not each.reversible]
        words += [each for each in (self._lost(run, key) for key in run.changes) if each]
        text = translate("QgisAgent", "What {} changed: the state before it could not be kept (see the log)")
        return list(dict.fromkeys(words + [text.format(each) for each in run.gaps]))

    def _lost(self, run: Run, key: str) -> str:
        name, _, rest = key.partition("/")
        return self.aspects.by_name[name].lost(self._host, rest, run.changes[key].before)

    def _summary(self, run: Run) -> RunSummary:
        words = [each.words() for each in run.items if each.reversible]
        words += [
            words_of(self._host, self.aspects, run.changes, key) for key in run.changes if not self._lost(run, key)
        ]
        text = clean_text(run.text, 200)
        return RunSummary(run.run_id, run.caller, text, run.time, list(dict.fromkeys(words)), self._not_restorable(run))


def _moved(selected: Any, ids: Dict[int, int]) -> Any:
    return selected if selected is GONE else selected.renumbered(ids)


def _client(capability: Any) -> str:
    return "mcp-" + str(capability.session_id)


def _node_of(rest: str) -> str:
    return rest.partition("\t")[2]


def _nodes_of(before: Dict[str, Dict[str, Any]]) -> Any:
    return {*before.get("place", {}), "root"}


def _first_order(run: Run, place: Place) -> Place:
    """The place by the order of the group before the run: in a later call others may have left it already."""
    first = run.order.setdefault(place.parent, place.siblings)
    return place._replace(siblings=first) if place.node in first else place


def _note_inside(run: Run, before: Dict[str, Any], present: Dict[str, Any]) -> None:
    """What the call put into a group that the run made is the run's own."""
    for rest, now in present.items():
        known = run.changes.get("group/" + rest)
        if known is not None and known.before is GONE and rest in before:
            new = [each for each in now.inside if each not in before[rest].inside]
            run.changes["group/" + rest] = Change(GONE, known.after.with_inside(new))


def _merge(run: Run, key: str, change: Change, aspect: Any) -> None:
    """Add a change to those of the run. What the person changed between two calls of it is what the second one found."""
    known = run.changes.get(key)
    if known is not None and not aspect.changed(known.after, change.before):
        change = Change(known.before, change.after)
    if aspect.changed(change.before, change.after):
        run.changes[key] = change
    else:
        run.changes.pop(key, None)
