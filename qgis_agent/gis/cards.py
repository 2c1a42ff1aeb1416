"""The words of permission prompts and write previews. Made here, from the arguments: never by the agent process."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .approvals import NO_ANSWER_S, Card
from .call import Call
from .card_looks import looks_of
from .driver import named_layers
from .i18n import translate
from .layers import clean_text
from .progress import action_label, step_label
from .secrets import HIDDEN, REDACTOR, without_secrets
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


def caller_text(caller: str) -> str:
    """Who asks, for people."""
    return {
        "chat": translate("QgisAgent", "the agent in this panel"),
        "subagent": translate("QgisAgent", "a helper of the agent in this panel"),
        "mcp": translate("QgisAgent", "another program, over MCP"),
        "cli": translate("QgisAgent", "the command line"),
        "processing": translate("QgisAgent", "a Processing algorithm"),
    }.get(caller, caller)


def asked_by_text(call: Call) -> str:
    """Who asks, for people; a program by the name that the person gave it."""
    client = call.capability.client
    if not client:
        return caller_text(call.capability.caller)
    return translate("QgisAgent", "“{}”, another program, over MCP").format(client)


def permission_card(
    call: Call, effect: str, each_time: bool = False, *, risks: Sequence[str] = (), always: Optional[bool] = None
) -> Card:
    """A prompt for a call that is not prepared first: its title says what would be done, where that is known.

    ``each_time``: the answer is for this call only. Such a card always shows all arguments, as every card does.
    ``risks``: why it is asked, in words. ``always``: whether a grant for the project may be offered; None: by the effect and
    by whether the project has a file.
    """
    lines = [[translate("QgisAgent", "Effect"), effect_text(effect)]]
    reasons = [each for each in (call.asked_because, *risks) if each]
    lines += [[translate("QgisAgent", "Why you are asked"), each] for each in dict.fromkeys(reasons)]
    names = {}
    for key in ("layer_id", "polygon_layer_id"):
        alias = str(call.arguments.get(key) or "")
        layer = call.host.layers.by_alias(alias) if alias else None
        if layer is not None:
            names[alias] = clean_text(layer.name(), 200)
            lines.append([translate("QgisAgent", "Layer"), names[alias]])
    for alias in call.uses:
        layer = call.host.layers.by_alias(alias)
        if layer is not None and alias not in names:  # not in ``names``: a kept answer would not be for it
            lines.append([translate("QgisAgent", "Layer"), clean_text(layer.name(), 200)])
    host = host_of(str(call.arguments.get("url") or "")) if effect == "network" else ""
    if host:
        lines.append([translate("QgisAgent", "Host"), host])
        lines.append([translate("QgisAgent", "Address"), shown_url(str(call.arguments["url"]))])
    elif call.arguments.get("path"):
        lines.append([translate("QgisAgent", "File"), clean_text(str(call.arguments["path"]), 4000)])
    # An address may hold a key, and the title is what stands in records too.
    url = call.arguments.get("url")
    shown = dict(call.arguments, url=shown_url(url)) if isinstance(url, str) else call.arguments
    title = action_label(call.tool, shown, names)
    if not title:
        title = (
            translate("QgisAgent", "May this program do this?")
            if call.capability.client
            else translate("QgisAgent", "May the agent do this?")
        )
        lines.insert(0, [translate("QgisAgent", "Step"), step_label({"tool": call.tool, "arguments": call.arguments})])
    if always is None:
        always = effect in _GRANTED and bool(call.host.project.fileName())
    more = {
        "host": host,
        "each_time": each_time,
        "always": bool(always) and not each_time,
        "covers": _covers(host, list(names.values())),
        "looks": looks_of(call) if effect == "view" else None,
        "place": place_of(call),
        "undo_words": call.cannot_undo or (_network_undo() if effect == "network" else ""),
    }
    return dict(_card(call, "permission", title, lines, effect in ("read", "view", "create")), **more)


_GRANTED = ("read", "view", "create", "network")
"""Effects whose question a kept permission may answer; a write is clicked and code is asked each time."""


def _network_undo() -> str:
    return translate("QgisAgent", "Undo removes the layer again; that the server was asked cannot be taken back.")


def _covers(host: str, names: List[str]) -> str:
    """What an answer that is kept would be for."""
    if host:
        return translate("QgisAgent", "Kept answers are for this step in this project, with the host {} only.").format(
            host
        )
    if names:
        return translate("QgisAgent", "Kept answers are for this step in this project, on the layer “{}” only.").format(
            names[0]
        )
    return translate("QgisAgent", "Kept answers are for this step in this project only.")


def place_of(call: Call) -> Optional[Dict[str, Any]]:
    """What "Show on map" shows: {"layers": ids, "features": ids of the only layer}; None where there is nothing to show."""
    found = (call.host.layers.by_alias(alias) for alias in named_layers(call.arguments))
    layers = [each.id() for each in found if each is not None and each.isSpatial()]
    return {"layers": layers, "features": []} if layers else None


def write_card(
    call: Call,
    title: str,
    lines: List[List[str]],
    reversible: bool,
    verb: str = "write",
    *,
    undo_words: str = "",
    risks: Sequence[str] = (),
    changes: Any = None,
    place: Optional[Dict[str, Any]] = None,
) -> Card:
    """A preview of a write: ``lines`` are (label, value) pairs with the full effect; ``verb`` of ``button_words``.

    ``undo_words`` says what "Undo this run" does about it, and what not; ``changes`` is a ChangeTable.
    """
    agree, decline = button_words(verb)
    shown = lines + [[translate("QgisAgent", "Note"), each] for each in risks]
    more = {
        "agree": agree,
        "decline": decline,
        "undo_words": undo_words,
        "changes": changes,
        "place": place or place_of(call),
    }
    return dict(_card(call, "write", title, shown, reversible), **more)


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
    values = [title, arguments_text(call.arguments), *(value for _label, value in lines)]
    if any(without_secrets(each) != each for each in values):  # a person must not take what is blotted for all there is
        text = translate("QgisAgent", "What looks like a key or password is shown as {}; the step uses it as it is.")
        lines = [*lines, [translate("QgisAgent", "Hidden here"), text.format(HIDDEN)]]
    return {
        "kind": kind,
        "title": without_secrets(title),
        "verb": call.tool,
        "layer": str(call.arguments.get("layer_id", "")),
        "lines": [[label, without_secrets(value)] for label, value in lines],
        "arguments": arguments_text(REDACTOR.clean(call.arguments)),
        "reversible": reversible,
        "caller": call.capability.caller,
        "asked_by": asked_by_text(call),
        "client": call.capability.client,
        "timeout_s": NO_ANSWER_S,
    }
