"""Takes attribute values out of everything that goes to the agent process. Pure: what is given is left as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Set

from qgis.core import QgsSettings, QgsVectorLayer

from ...bridge.envelope import Envelope, failure, size_bytes
from ...bridge.messages import MAX_RESULT_BYTES
from ..errors import PERMISSION_DENIED, UNSUPPORTED
from ..i18n import translate
from ..layers import clean_text, file_of
from ..scope import seen_fields
from .passes import SENTENCES, WITHHELD, action_passes, passes
from .sentences import GAP, Sentences

if TYPE_CHECKING:
    from ..host import Host

SETTING = "qgis_agent/values_at_home"
MARK = "kept_at_home"
"""The key of a result under which it says what was left out of it."""
_NOTHING: Any = object()
_CODE = re.compile(r"[a-z0-9_:]{1,60}")

Outcome = Dict[str, Any]


def note() -> str:
    """What is said where something was left out: to the model, and by the offline commands to the person."""
    return translate("QgisAgent", "Attribute values stay in QGIS: its step shows this result in full.")


def wanted() -> bool:
    """Whether the person keeps attribute values at home."""
    return QgsSettings().value(SETTING, False, type=bool) is True


def choose(at_home: bool) -> None:
    """Keep the person's choice; it holds from the next result on."""
    QgsSettings().setValue(SETTING, at_home)


def projected(outcome: Outcome, tool: str, arguments: Dict[str, Any], host: Host) -> Outcome:
    """A tool's outcome as the agent process may have it."""
    sentences = Sentences(names_of(host, tool, "{} {}".format(arguments, outcome)))
    safe = sentences.safe
    return {
        **outcome,
        "envelope": _envelope(outcome["envelope"], tool, sentences),
        "actions": [_action(each, sentences) for each in outcome["actions"]],
        "legend": [_legend(each, safe) for each in outcome["legend"]],
        "evidence": [_evidence(each, safe) for each in outcome["evidence"]],
        "recipes": [],  # code with its conditions and formulas
    }


def projected_snapshot(snapshot: Dict[str, Any]) -> Dict[str, Any]:
    """The state of the map without the words of filters, and with a word on what the agent does not see."""
    found = {key: value for key, value in snapshot.items() if key != "filters"}
    if snapshot.get("filters"):
        found["filtered"] = sorted(snapshot["filters"])
    found["attribute_values"] = "kept in QGIS: results have counts, sizes and names, no values"
    return found


def names_of(host: Host, tool: str, about: str) -> Set[str]:
    """What may be said although it is not ours: names of layers, groups, layouts and tools, and of fields, files and CRSs.

    ``about`` is all that is said: fields are those of the layers in it, as a project can have thousands of others.
    """
    from ..tools.registry import load_all  # handlers import what this module is imported by

    tools = load_all()
    found: Set[str] = {host.project.crs().authid(), *tools}
    if tool in tools:
        found |= set(tools[tool].parameters())
    for place in host.layers.places().values():
        found |= set(place.groups)
    for layer in host.layers.layers():
        names = {host.layers.alias(layer), clean_text(layer.name(), 256)}
        found |= names
        if not any(each in about for each in names):
            continue
        found |= {file_of(layer), layer.crs().authid()}
        if isinstance(layer, QgsVectorLayer):
            found |= {text for each in seen_fields(layer) for text in (each.name(), each.alias())}
    found |= {layout.name() for layout in host.project.layoutManager().printLayouts()}
    return {each for each in found if each}


def _envelope(envelope: Envelope, tool: str, sentences: Sentences) -> Envelope:
    if not envelope["ok"]:
        return _failed(envelope, sentences)
    if tool in WITHHELD:
        return failure(
            UNSUPPORTED,
            translate(
                "QgisAgent", "Attribute values are kept in QGIS (Settings › QGIS Agent), so there is no chart of them."
            ),
            hint=translate(
                "QgisAgent", "Say so; a styled layer or a layout shows the values on the person's own screen."
            ),
            reason="values_at_home",
        )
    data = envelope["data"] if isinstance(envelope["data"], dict) else {"value": envelope["data"]}
    left: Set[str] = set()

    def may(path: str) -> bool:
        return passes(tool, path)

    kept = _part(data, "", may, sentences, left)
    message = sentences.safe(str(envelope.get("message", "")))
    if left:
        kept[MARK] = sorted(left)[:20]
        message = "{} {}".format(message, note()).strip()
    made: Envelope = {"ok": True, "data": kept, "message": message}
    return made if size_bytes(made) <= MAX_RESULT_BYTES else {**made, "message": note()}


def _part(node: Any, path: str, may: Callable[[str], bool], sentences: Sentences, left: Set[str]) -> Any:
    """What of a node passes; the keys at the top of what does not are put into ``left``."""
    if isinstance(node, dict):
        found = {}
        for key, value in node.items():
            here = "{}.{}".format(path, key) if path else str(key)
            part = _part(value, here, may, sentences, left)
            if part is not _NOTHING:
                found[key] = part
        return found if found or not path else _NOTHING
    if isinstance(node, (list, tuple)):
        parts = [_part(each, path + "[]", may, sentences, left) for each in node]
        kept = [each for each in parts if each is not _NOTHING]
        return kept if kept or not node else _NOTHING
    top = path.split(".")[0].split("[")[0]
    if may(path):
        return node
    if isinstance(node, str) and top in SENTENCES:
        return sentences.safe(node)
    if node is not None:
        left.add(top)
    return _NOTHING


def _failed(envelope: Envelope, sentences: Sentences) -> Envelope:
    if envelope["code"] == PERMISSION_DENIED:
        return envelope  # our own words and those of the person who said no
    reason = str(envelope.get("reason", ""))
    made: Envelope = {
        **envelope,
        "reason": reason if _CODE.fullmatch(reason) else "",
        "message": sentences.safe(str(envelope.get("message", ""))),
        "hint": sentences.safe(str(envelope.get("hint", ""))),
    }
    made.pop("data", None)
    options = (envelope.get("data") or {}).get("options") or []
    told = _options(options, sentences)
    if told:
        made["data"] = {"options": told}
    if GAP in made["message"] + made["hint"] or len(told) < len(options):
        longer = {**made, "hint": "{} {}".format(made["hint"], note()).strip()}
        return longer if size_bytes(longer) <= MAX_RESULT_BYTES else made
    return made


def _options(options: List[Dict[str, Any]], sentences: Sentences) -> List[Dict[str, Any]]:
    """The choices whose words are ours or names; one that names a value is for the person's eyes only."""
    found = []
    for each in options:
        texts = {key: sentences.safe(value) for key, value in each.items() if isinstance(value, str)}
        told = {key: text for key, text in texts.items() if GAP not in text}
        if len(told) == len(texts) or "label" in told:
            found.append({**told, **{key: value for key, value in each.items() if isinstance(value, bool)}})
    return found


def _action(action: Dict[str, Any], sentences: Sentences) -> Dict[str, Any]:
    args = _part(action.get("args") or {}, "", action_passes, sentences, set())
    error = action.get("error")
    return {**action, "args": args, "error": sentences.safe(str(error)) if error else None}


def _evidence(entry: Dict[str, Any], safe: Callable[[str], str]) -> Dict[str, Any]:
    """Without the parameters of algorithms: formulas and conditions hold values."""
    return {"ref": entry.get("ref"), "tool": entry.get("tool"), "text": safe(str(entry.get("text", "")))}


def _legend(entry: Dict[str, Any], safe: Callable[[str], str]) -> Dict[str, Any]:
    return {
        "layer_id": entry.get("layer_id"),
        "color": entry.get("color"),
        "label": safe(str(entry.get("label", ""))),
    }
