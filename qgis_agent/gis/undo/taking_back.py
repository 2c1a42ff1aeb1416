"""Carrying out an undo: look what was changed since, set the rest back in order, read back, and say exactly what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, NamedTuple, Optional

from ..errors import UNSUPPORTED, ToolError
from ..i18n import translate
from ..secrets import log_fault
from .items import UndoItem, UndoReport
from .state import GONE, Aspect, read_state
from .tree_shape import layer_id_of

if TYPE_CHECKING:
    from ..host import Host

_SAVED_RANK = (42, 0)
"""Saved edits and changed files are set back when layers have come back with their filters, and before others go."""
_ROUNDS = 3
"""Setting one thing back may undo another (an exclusive group, a CRS with its units): so all are read and set again."""


class Change(NamedTuple):
    """A thing before the run and as the run left it."""

    before: Any
    after: Any


class _Planned:
    """One change that is to be taken back."""

    def __init__(self, key: str, aspect: Aspect, change: Change, words: str) -> None:
        self.key = key
        self.aspect = aspect
        self.rest = key.partition("/")[2]
        self.change = change
        self.words = words
        self.problem: Optional[str] = None


def busy() -> ToolError:
    """The error for an undo while a tool runs."""
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "A tool is still running, so nothing can be undone yet."),
        hint=translate("QgisAgent", "Stop it or wait until it has ended."),
        reason="busy",
    )


def take_back(host: Host, aspects: Any, run: Any, agreed: FrozenSet[str], report: UndoReport) -> None:
    """Take back the changes and items of a run; what is done is taken from the run, the rest stays in it."""
    planned = _planned(host, aspects, run, agreed, report)
    present_before = read_state(host, [aspects.by_name["node"]])
    first = [each for each in planned if each.aspect.order(each.rest, each.change.before) < _SAVED_RANK]
    _set_back(host, first, agreed)
    _take_back_items(run, [each for each in run.items if not each.after_layers], agreed, report)
    for each in planned:  # features may have come back under other ids
        each.change = run.changes.get(each.key, each.change)
    for _ in range(_ROUNDS):
        if not _set_back(host, planned, agreed):
            break
    _others_as_they_were(host, aspects, planned, present_before)
    failed = {each.key for each in _not_back(host, planned)}
    for each in planned:
        if each.key in failed and each.aspect.name == "group" and report.conflicts:
            continue  # it holds what stays; it goes with that, when that is agreed to
        if each.key in failed or (each.problem and each.aspect.name == "layer"):
            why = each.problem or translate("QgisAgent", "QGIS did not take it")
            report.failed.append({"key": each.key, "what": each.words, "words": why})
        else:
            report.undone.append(each.words)
            _forget_rules(host, each)
        if each.key not in failed:
            del run.changes[each.key]
    _take_back_items(run, [each for each in run.items if each.after_layers], agreed, report)
    report.undone = list(dict.fromkeys(report.undone))


def _set_back(host: Host, planned: List[_Planned], agreed: FrozenSet[str]) -> int:
    """Set back what is not yet as before; how many that were."""
    left = _not_back(host, planned)
    for each in left:
        each.problem = _write(host, each, each.key in agreed)
    return len(left)


def _planned(host: Host, aspects: Any, run: Any, agreed: FrozenSet[str], report: UndoReport) -> List[_Planned]:
    """What is to be set back, in order; what was changed since goes into the report."""
    used = [aspects.by_name[name] for name in dict.fromkeys(key.partition("/")[0] for key in run.changes)]
    present = read_state(host, used, _layers_in(run.changes))
    planned: List[_Planned] = []
    for key, change in list(run.changes.items()):
        aspect = aspects.by_name[key.partition("/")[0]]
        rest = key.partition("/")[2]
        now = present[aspect.name].get(rest, GONE)
        lost = aspect.lost(host, rest, change.before)  # checkpoints.py has told it
        if lost or aspect.is_back(change.before, now) or _is_moot(aspect, run.changes, rest):
            del run.changes[key]
            continue
        each = _Planned(key, aspect, change, words_of(host, aspects, run.changes, key))
        if key in agreed or aspect.is_as_left(host, rest, change.after, now):
            planned.append(each)
        else:
            report.conflicts.append({"key": key, "what": each.words, "words": _why(host, each)})
    return sorted(planned, key=lambda each: each.aspect.order(each.rest, each.change.before))


def _is_moot(aspect: Aspect, changes: Dict[str, Change], rest: str) -> bool:
    """Whether it is a value of a layer or group that the run itself added: it goes with that."""
    if aspect.name in ("layer", "group"):
        return False
    node = rest.rpartition("\t")[2]
    made = [changes.get("layer/" + (layer_id_of(node) or rest)), changes.get("group/" + node)]
    return any(each is not None and each.before is GONE for each in made)


def words_of(host: Host, aspects: Any, changes: Dict[str, Change], key: str) -> str:
    """A change of the run for people. What a removed layer or group had comes back with it, so it is named with that."""
    name, _, rest = key.partition("/")
    node = rest.rpartition("\t")[2]
    for owner in ("layer/" + layer_id_of(node), "group/" + node):
        if name not in ("layer", "group") and owner in changes and changes[owner].after is GONE:
            name, _, rest = owner.partition("/")
            key = owner
    return str(aspects.by_name[name].words(host, rest, *changes[key]))


def _layers_in(changes: Dict[str, Change]) -> FrozenSet[str]:
    return frozenset(key.partition("/")[2] for key in changes)


def _why(host: Host, each: _Planned) -> str:
    told = getattr(each.aspect, "why_changed", None)
    why = told(host, each.rest, each.change.after) if told is not None else ""
    return why or translate("QgisAgent", "changed since, by you or a later request")


def _not_back(host: Host, planned: List[_Planned]) -> List[_Planned]:
    used = list({each.aspect.name: each.aspect for each in planned}.values())
    present = read_state(host, used, frozenset(each.rest for each in planned))
    return [
        each
        for each in planned
        if not each.aspect.is_back(each.change.before, present[each.aspect.name].get(each.rest, GONE))
    ]


def _write(host: Host, each: _Planned, agreed: bool) -> Optional[str]:
    try:
        return each.aspect.write(host, each.rest, each.change.before, agreed)
    except ToolError as error:
        return str(error.envelope["message"])
    except Exception as error:  # noqa: BLE001  the others are still set back, and the person is told of this one
        return _broke(error)


def _others_as_they_were(host: Host, aspects: Any, planned: List[_Planned], before: Dict[str, Dict[str, Any]]) -> None:
    """Nodes of the tree that were not to change and did, for instance in a group that shows one layer only."""
    node = aspects.by_name["node"]
    ours = {each.rest for each in planned if each.aspect is node}
    now = read_state(host, [node])["node"]
    for rest, value in before["node"].items():
        if rest not in ours and rest in now and node.changed(value, now[rest]):
            node.write(host, rest, value, False)


def _forget_rules(host: Host, each: _Planned) -> None:
    """What is undone is not to be reverted again by ``revert_style``."""
    rules = getattr(each.change.after, "rules", ())
    history = getattr(host, "style_history", None)
    if rules and history is not None:
        history.forget([one for one in history.changes(each.rest) if one.rule_id in rules])


def _apply(item: UndoItem) -> Optional[str]:
    try:
        return item.apply()
    except Exception as error:  # noqa: BLE001  as in _write
        return _broke(error)


def _broke(error: Exception) -> str:
    log_fault()
    return translate("QgisAgent", "it broke ({}); the log has the details").format(type(error).__name__)


def _take_back_items(run: Any, among: List[UndoItem], agreed: FrozenSet[str], report: UndoReport) -> None:
    """Some files and saved edits of the run, the last one first. After one that stays, earlier ones of its key stay too."""
    stays = set()
    for item in reversed([each for each in among if each.reversible]):
        words = item.words()
        if item.key in stays:
            continue
        try:
            asks = item.key not in agreed and not item.is_as_left()
        except Exception:  # noqa: BLE001  what cannot be looked at is not as it was left
            log_fault()
            asks = True
        if asks:
            stays.add(item.key)
            why = translate("QgisAgent", "changed since, by you or a later request")
            report.conflicts.append({"key": item.key, "what": words, "words": why})
            continue
        problem = _apply(item)
        if problem is None:
            report.undone.append(words)
            item.discard()
            run.items.remove(item)
        else:
            stays.add(item.key)
            report.failed.append({"key": item.key, "what": words, "words": problem})
