"""The words of permission prompts and write previews. Made here, from the arguments: never by the agent process."""

from __future__ import annotations

import json
from typing import List

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
        call, "permission", translate("QgisAgent", "May the agent do this?"), lines, effect in ("view", "create")
    )


def write_card(call: Call, title: str, lines: List[List[str]], reversible: bool) -> Card:
    """A preview of a write: ``lines`` are (label, value) pairs with the full effect."""
    return _card(call, "write", title, lines, reversible)


def _card(call: Call, kind: str, title: str, lines: List[List[str]], reversible: bool) -> Card:
    return {
        "kind": kind,
        "title": title,
        "verb": call.tool,
        "layer": str(call.arguments.get("layer_id", "")),
        "lines": lines,
        "arguments": json.dumps(call.arguments, ensure_ascii=False, indent=2),
        "reversible": reversible,
        "caller": call.capability.caller,
        "timeout_s": NO_ANSWER_S,
    }
