"""Places, selections and conditions of a sentence, as the tools take them."""

from __future__ import annotations

import re
from typing import Any

from ...bridge.messages import CatalogueLayer
from .answers import say
from .conditions import parse_where
from .grammar import Command
from .steps import Plan, Run, Stop

_SELECTION = re.compile(r"^(?:the )?(?:selection|selected\b.*)$|^(?:当前)?(?:选中|选择|所选)", re.IGNORECASE)


def resolve(run: Run, place: str) -> Plan[dict[str, Any]]:
    """The data of resolve_place. "这三个", "these", "the selection" mean what is selected on the map."""
    pointed = is_pointed(place)
    result = yield from run.do("resolve_place", text=place, **({"use_selection": True} if pointed else {}))
    return result.data


def is_pointed(place: str) -> bool:
    """Whether words point at what is selected instead of naming it."""
    return bool(
        _SELECTION.match(place)
        or re.match(r"^(?:这|那|these\b|those\b|(?:the )?selected\b|选中|所选)", place, re.IGNORECASE)
    )


def features_of(found: dict[str, Any]) -> dict[str, Any]:
    """Arguments that mean the features that resolve_place found. A list that was cut short is shown by its box."""
    where = where_of_place(found)
    if where is None and found.get("bbox"):
        return {"bbox": found["bbox"]}
    return {"layer_id": found["layer_id"], "where": where or []}


def where_of_place(found: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The condition for the features that resolve_place found; None when its list of values is not complete."""
    values = found.get("values") or []
    if len(values) < int(found.get("count") or len(values)):
        return None
    return [{"field": found["field"], "op": "in", "value": list(values)}]


def where_of(command: Command, run: Run, layer: CatalogueLayer) -> list[dict[str, Any]]:
    """The condition of a command for a layer. Raises Stop when it cannot be read."""
    where = parse_where(command.where, layer)
    if where is None:
        text = say(
            run.language,
            "I cannot read the condition “{condition}”. Write it like “kind = 小学” or “pupils > 500”.",
            "无法理解条件“{condition}”。请写成“类型=小学”或“学生数大于500”这样的形式。",
            condition=command.where,
        )
        raise Stop(text)
    return where
