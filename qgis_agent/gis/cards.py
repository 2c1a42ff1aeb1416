"""The words of permission prompts and write previews. Made here, from the arguments: never by the agent process."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Dict, List, Tuple

from .approvals import NO_ANSWER_S, Card
from .call import Call
from .i18n import translate
from .layers import clean_text
from .progress import action_label, step_label
from .sources.urls import host_of, shown_url

_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Joiners, fillers and the empty Braille cell: no blanks to Unicode, but nothing is seen."""


def effect_text(effect: str) -> str:
    """What an effect means, for people."""
    return {
        "read": translate("QgisAgent", "reads data"),
        "view": translate("QgisAgent", "changes how the open project looks; nothing is saved"),
        "create": translate("QgisAgent", "adds a layer or a layout to the project"),
        "write": translate("QgisAgent", "writes to disk"),
        "network": translate("QgisAgent", "connects to the network"),
        "execute": translate("QgisAgent", "runs code"),
    }[effect]


def permission_card(call: Call, effect: str, each_time: bool = False) -> Card:
    """A prompt for a call that is not prepared first: its title says what would be done, where that is known.

    ``each_time``: the answer is for this call only. Such a card always shows all arguments, as every card does.
    """
    lines = [[translate("QgisAgent", "Effect"), effect_text(effect)]]
    if call.asked_because:
        lines.append([translate("QgisAgent", "Why you are asked"), call.asked_because])
    names = {}
    for key in ("layer_id", "polygon_layer_id"):
        alias = str(call.arguments.get(key) or "")
        layer = call.host.layers.by_alias(alias) if alias else None
        if layer is not None:
            names[alias] = clean_text(layer.name(), 200)
            lines.append([translate("QgisAgent", "Layer"), names[alias]])
    host = host_of(str(call.arguments.get("url") or "")) if effect == "network" else ""
    if host:
        lines.append([translate("QgisAgent", "Host"), host])
        lines.append([translate("QgisAgent", "Address"), shown_url(str(call.arguments["url"]))])
    title = action_label(call.tool, call.arguments, names)
    if not title:
        title = translate("QgisAgent", "May the agent do this?")
        lines.insert(0, [translate("QgisAgent", "Step"), step_label({"tool": call.tool, "arguments": call.arguments})])
    more = {"host": host, "each_time": each_time}
    return dict(_card(call, "permission", title, lines, effect in ("read", "view", "create")), **more)


def write_card(call: Call, title: str, lines: List[List[str]], reversible: bool, verb: str = "write") -> Card:
    """A preview of a write: ``lines`` are (label, value) pairs with the full effect; ``verb`` of ``button_words``."""
    agree, decline = button_words(verb)
    return dict(_card(call, "write", title, lines, reversible), agree=agree, decline=decline)


def button_words(verb: str) -> Tuple[str, str]:
    """What the buttons say that agree to a write and that do not: the one who reads only these knows what is meant."""
    return {
        "write": (translate("QgisAgent", "Write"), translate("QgisAgent", "Don't write")),
        "save": (translate("QgisAgent", "Save"), translate("QgisAgent", "Don't save")),
        "change": (translate("QgisAgent", "Change"), translate("QgisAgent", "Don't change")),
        "add": (translate("QgisAgent", "Add"), translate("QgisAgent", "Don't add")),
        "delete": (translate("QgisAgent", "Delete"), translate("QgisAgent", "Don't delete")),
        "remove": (translate("QgisAgent", "Remove"), translate("QgisAgent", "Don't remove")),
        "restore": (translate("QgisAgent", "Put back"), translate("QgisAgent", "Don't put back")),
    }[verb]


def arguments_text(arguments: Dict[str, Any]) -> str:
    """The arguments as JSON in which no character is invisible or moves the others: those are written as \\uXXXX.

    JSON's own line breaks are the only ones: inside a text a line break is written as \\n.
    """
    text = json.dumps(arguments, ensure_ascii=False, indent=2)
    return "".join(each if each == "\n" or _shown(each) else _escaped(each) for each in text)


def _shown(character: str) -> bool:
    """Not control, bidi, unassigned or a surrogate (C), not a separator (Z) but the blank, not a letter without a picture."""
    return character == " " or (unicodedata.category(character)[0] not in "CZ" and character not in _INVISIBLE)


def _escaped(character: str) -> str:
    """As JSON writes it: one or two units of UTF-16."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join("\\u" + units[at : at + 4] for at in range(0, len(units), 4))


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
