"""Places, selections and conditions of a sentence, as the tools take them."""

from __future__ import annotations

import re
from typing import Any

from ...bridge.envelope import NOT_FOUND
from ...bridge.messages import CatalogueLayer
from .answers import say
from .conditions import parse_where
from .grammar import Command
from .naming import several_names
from .steps import Plan, Run, Stop, ToolFailed
from .text import simplify
from .units import has_unit

_SELECTION = re.compile(r"^(?:the )?(?:selection|selected\b.*)$|^(?:当前)?(?:选中|选择|所选)", re.IGNORECASE)


def resolve(run: Run, place: str) -> Plan[dict[str, Any]]:
    """The data of resolve_place. "这三个", "these", "the selection" mean what is selected on the map.

    A name in traditional characters that is not found is looked for in simplified ones too.
    """
    pointed = is_pointed(place)
    options = {"use_selection": True} if pointed else {}
    try:
        result = yield from run.do("resolve_place", text=place, **options)
    except ToolFailed as failure:
        plain = simplify(place)
        if plain == place or failure.envelope.get("code") != NOT_FOUND:
            raise
        try:
            result = yield from run.do("resolve_place", text=plain, **options)
        except ToolFailed as second:
            raise failure if second.envelope.get("code") == NOT_FOUND else second from None
    return result.data


def resolve_all(run: Run, place: str) -> Plan[dict[str, Any]]:
    """The data of resolve_place for one place, or for several of one layer ("街道A and 街道B") as one.

    The words are tried as one place first: 大和 is a name. Raises Stop for places of several layers.
    """
    parts = [] if is_pointed(place) else several_names(place)
    try:
        return (yield from resolve(run, place))
    except ToolFailed as failure:
        if len(parts) < 2 or failure.envelope.get("code") != NOT_FOUND:
            raise
    found: list[dict[str, Any]] = []
    for each in parts:
        found.append((yield from resolve(run, each)))
    if len({(each["layer_id"], each["field"]) for each in found}) > 1:
        text = say(
            run.language,
            "“{places}” are in several layers. Ask for one at a time.",
            "“{places}”分属几个图层，请分别说出。",
            places=place,
        )
        raise Stop(text, "tool_failed")
    return _joined(found)


def _joined(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Several results of resolve_place, of one layer and field, as one."""
    joined = dict(found[0])
    for part in ("values", "names"):
        joined[part] = [value for each in found for value in each.get(part) or ()]
    boxes = [each["bbox"] for each in found if each.get("bbox")]
    ends = (min, min, max, max)
    joined["bbox"] = [end(box[at] for box in boxes) for at, end in enumerate(ends)] if boxes else None
    joined["count"] = sum(int(each.get("count") or len(each.get("values") or ())) for each in found)
    return joined


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
    _require_plain_numbers(run, layer, where)
    return where


def _require_plain_numbers(run: Run, layer: CatalogueLayer, where: list[dict[str, Any]]) -> None:
    """Raise Stop for a value with a unit where the field does not say its own: what it means would be a guess."""
    types = {each["name"]: each["type"] for each in layer["fields"]}
    for each in (inner for entry in where for inner in entry.get("any_of", [entry])):
        value = each.get("value")
        if types.get(each["field"]) in ("integer", "number") and isinstance(value, str) and has_unit(value):
            text = say(
                run.language,
                "I do not know the unit of the field “{field}”, so I cannot compare it with “{value}”. "
                "Write the number alone, in the unit of the field.",
                "不知道字段“{field}”的单位，无法与“{value}”比较。请只写数字，并使用该字段的单位。",
                field=each["field"],
                value=value,
            )
            raise Stop(text)
