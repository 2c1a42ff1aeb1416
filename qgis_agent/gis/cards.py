"""The words of permission prompts and write previews. Made here, from the arguments: never by the agent process."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Dict, List

from .approvals import NO_ANSWER_S, Card
from .call import Call
from .i18n import translate
from .layers import clean_text


def effect_text(effect: str) -> str:
    """What an effect means, for people."""
    return {
        "read": translate("QgisAgent", "reads data"),
        "view": translate("QgisAgent", "changes how the open project looks; nothing is saved"),
        "create": translate("QgisAgent", "adds a temporary layer"),
        "write": translate("QgisAgent", "writes to disk"),
        "network": translate("QgisAgent", "connects to the network"),
        "execute": translate("QgisAgent", "runs code"),
    }[effect]


def permission_card(call: Call, effect: str) -> Card:
    """A prompt for a call that is not a write."""
    layer_id = str(call.arguments.get("layer_id") or call.arguments.get("polygon_layer_id") or "")
    layer = call.host.layers.by_alias(layer_id) if layer_id else None
    lines = [[translate("QgisAgent", "Effect"), effect_text(effect)]]
    if layer is not None:
        lines.append([translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)])
    return _card(
        call,
        "permission",
        translate("QgisAgent", "May the agent do this?"),
        lines,
        effect in ("read", "view", "create"),
    )


def write_card(call: Call, title: str, lines: List[List[str]], reversible: bool) -> Card:
    """A preview of a write: ``lines`` are (label, value) pairs with the full effect."""
    return _card(call, "write", title, lines, reversible)


def arguments_text(arguments: Dict[str, Any]) -> str:
    """The arguments as JSON in which no character is invisible or moves the others: those are written as \\uXXXX.

    JSON's own line breaks are the only ones: inside a text a line break is written as \\n.
    """
    text = json.dumps(arguments, ensure_ascii=False, indent=2)
    return "".join(each if each == "\n" or _shown(each) else json.dumps(each)[1:-1] for each in text)


def _shown(character: str) -> bool:
    """Not control, bidi, unassigned or a surrogate (C), not a line or paragraph separator, not a blank but the blank."""
    return character == " " or unicodedata.category(character)[0] not in "CZ"


def _card(call: Call, kind: str, title: str, lines: List[List[str]], reversible: bool) -> Card:
    return {
        "kind": kind,
        "title": title,
        "verb": call.tool,
        "layer": str(call.arguments.get("layer_id", "")),
        "lines": lines,
        "arguments": arguments_text(call.arguments),
        "reversible": reversible,
        "caller": call.capability.caller,
        "timeout_s": NO_ANSWER_S,
    }
