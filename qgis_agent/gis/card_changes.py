"""The table of an edit for its question: each feature, field, old and new value, all of them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple

from qgis.core import QgsVectorLayer

from .edits.plan import EditPlan
from .features import json_value
from .i18n import translate
from .layers import clean_text

_LONGEST = 200
_COUNT_LINE = 1
"""The line of an edit's card that says how many features change, and that only some are shown: here all are."""


class ChangeTable(NamedTuple):
    """``head`` names the columns, ``rows`` hold texts; ``words`` says how many there are and how many are in the list.

    ``replaces``: the lines of the card (from, to) that say the same in fewer words. ``instead``: other words for a line, by
    its number.
    """

    head: Tuple[str, ...]
    rows: List[Tuple[str, ...]]
    words: str
    replaces: Tuple[int, int] = (0, 0)
    instead: Mapping[int, str] = MappingProxyType({})


def change_table(layer: QgsVectorLayer, plan: EditPlan, replaces: Tuple[int, int] = (0, 0)) -> ChangeTable:
    """The table of a plan. Changed values are listed one by one (at most MAX_FEATURES features); whole features by
    their ids, with their values as far as the plan has kept them."""
    feature = translate("QgisAgent", "Feature")
    if plan.action != "set":
        head = (feature, _what(plan.action))
        rows: List[Tuple[str, ...]] = [(each[0], each[1]) for each in plan.rows]
        rows += [("#{}".format(fid), "") for fid in plan.ids[len(rows) :]]
        words = translate("QgisAgent", "{} features, the first {} with what they hold").format(
            plan.size(), len(plan.rows)
        )
        return ChangeTable(head, rows, words, replaces)
    named = {int(each[0][1:].split(" ", 1)[0]): each[0] for each in plan.rows}
    fields = layer.fields()
    rows = []
    for fid, changed in plan.changes.items():
        for index, (old, new) in changed.items():
            name = clean_text(fields.at(index).name(), 60)
            rows.append((named.get(fid, "#{}".format(fid)), name, _words(old), _words(new)))
    head = (feature, translate("QgisAgent", "Field"), translate("QgisAgent", "Now"), translate("QgisAgent", "After"))
    words = translate("QgisAgent", "Features that change: {} of {}. Values that change, all listed here: {}").format(
        plan.size(), plan.total, len(rows)
    )
    return ChangeTable(head, rows, words, replaces, {_COUNT_LINE: str(plan.size())})


def affected(layer: QgsVectorLayer, plan: EditPlan, most: int = 50) -> Dict[str, Any]:
    """What "Show on map" shows: the layer and the first features that the plan is about."""
    ids = list(plan.changes) if plan.action == "set" else list(plan.ids)
    return {"layers": [layer.id()], "features": [int(each) for each in ids[:most]]}


def _what(action: str) -> str:
    if action == "geometry":
        return translate("QgisAgent", "Shape now → after")
    return translate("QgisAgent", "What is added") if action == "add" else translate("QgisAgent", "What is deleted")


def _words(value: Any) -> str:
    """Texts stand in quotation marks, so that 'NULL' and NULL, '7' and 7 are not taken for one another."""
    shown = json_value(value, _LONGEST)
    if shown is None:
        return "NULL"
    return "'{}'".format(shown) if isinstance(value, str) else str(shown)
