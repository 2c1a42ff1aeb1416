"""Recovery: three classes of failure, and a question with buttons where nothing else is left.

Parameter: the model may correct the call, once, with the hint. Transient: the host itself tried again, read tools only, with
back-off. Business: it cannot be done; no retry, the person gets choices. Choices are made of what the tool returned and never
invented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from ...bridge.envelope import AMBIGUOUS, HOST_RETRIED, INVALID_PARAM, NOT_FOUND
from ..context.untrusted import clean
from ..execution.tool_runtime import PACK_HIDDEN, UNKNOWN_TOOL
from ..texts import has_cjk

FailureClass = Literal["parameter", "transient", "business"]
PARAMETER: FailureClass = "parameter"
TRANSIENT: FailureClass = "transient"
BUSINESS: FailureClass = "business"
MAX_CHOICES = 6
MAX_LABEL = 80
_MODELS_AFFAIRS = (UNKNOWN_TOOL, "tool_arguments", "truncated_call")
_TEXTS: Mapping[str, tuple[str, str]] = {
    "choose": ("{why} Choose one, or say it in other words:", "{why}请选择一个，或换一种说法："),
    "why": ("That did not work.", "没有成功。"),
    "which": ("More than one fits. Which one is meant?", "有不止一个符合，指的是哪一个？"),
    "which_of": ("More than one fits “{said}”. Which one is meant?", "符合“{said}”的不止一个，指的是哪一个？"),
    "field": ("There is no field “{said}”.", "没有字段“{said}”。"),
    "layer": ("There is no layer “{said}”.", "没有名为“{said}”的图层。"),
    "missing": ("“{said}” was not found.", "没有找到“{said}”。"),
}
_LATIN = re.compile(r"[A-Za-z]{2,}")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.){1,120})'|\"([^\"]{1,120})\"|“([^”]{1,120})”|‘([^’]{1,120})’|「([^」]{1,120})」")


def classify(code: str, reason: str = "") -> FailureClass:
    """The class of a failure. A pack that was only not shown yet is correctable; an unknown code is final."""
    if code in (INVALID_PARAM, NOT_FOUND) or reason == PACK_HIDDEN:
        return PARAMETER
    if code in HOST_RETRIED:
        return TRANSIENT
    return BUSINESS


def lesson(tool: str, envelope: Mapping[str, Any]) -> str:
    """One line on a failure for the tail. The hint is data: cleaned, clipped and quoted."""
    code = str(envelope.get("code", ""))
    hint = quoted(str(envelope.get("hint", "")), 160)
    return f"{tool} failed with {code}; its hint, as data: {hint}" if hint else f"{tool} failed with {code}."


def quoted(text: str, length: int) -> str:
    """Somebody else's words as data inside a sentence of ours: cleaned, clipped, in quotation marks; "" for nothing."""
    kept = clean(text.replace('"', "'"), length)
    return f'"{kept}"' if kept else ""


def choices(envelope: Mapping[str, Any], request: str, language: str) -> dict[str, Any] | None:
    """A question with buttons from a failed call, or None where the tool named nothing that can be chosen.

    ``data.options`` come first; else the names that the hint quotes. A click sends the request with the wrong words
    replaced where they are known, else the name. AMBIGUOUS is a question by itself, even without options: the person types.
    """
    options = _from_data(envelope, request) or _from_hint(envelope, request)
    at = language == "zh"
    message = in_language(clean(str(envelope.get("message") or ""), 300), language)
    said = _replaced(envelope)
    if envelope.get("code") == AMBIGUOUS:
        general = _TEXTS["which_of"][at].format(said=said) if said else _TEXTS["which"][at]
        return {"text": message or general, "options": options}
    if not options:
        return None
    why = message or _why(envelope, said)[at].format(said=said)
    return {"text": _TEXTS["choose"][at].format(why=_ended(why, language)), "options": options}


def in_language(message: str, language: str) -> str:
    """A tool's message where it is in the language of the request, else "": names in quotes do not count, nor single words.

    Tools of the agent process speak English, those of QGIS the language of its user interface.
    """
    bare = _QUOTED.sub("", message)
    chinese = sum(map(has_cjk, bare)) > 2 * len(_LATIN.findall(bare))
    return message if chinese == (language == "zh") else ""


def _replaced(envelope: Mapping[str, Any]) -> str:
    """The person's words that the options stand for, "" where they do not say so."""
    data = envelope.get("data")
    raw = data.get("options") if isinstance(data, Mapping) else None
    found = (each.get("replaces") for each in raw or () if isinstance(each, Mapping)) if isinstance(raw, list) else ()
    return next((clean(str(each), 60) for each in found if each), "")


def _why(envelope: Mapping[str, Any], said: str) -> tuple[str, str]:
    """Why there is a question, in general words, by the reason of the failure."""
    if not said:
        return _TEXTS["why"]
    reason = str(envelope.get("reason") or "")
    known = {"field": "field", "layer": "layer", "layer_id": "layer"}.get(reason, "missing")
    return _TEXTS[known if envelope.get("code") == NOT_FOUND else "why"]


def option_button(raw: Mapping[str, Any], request: str) -> dict[str, str]:
    """A button. What a click sends: ``send``, else the request with the words in ``replaces`` replaced, else the label."""
    label = str(raw["label"])
    replaced = str(raw.get("replaces") or "")
    if raw.get("send"):
        return {"label": label, "send": str(raw["send"])}
    if replaced and replaced in request:
        return {"label": label, "send": request.replace(replaced, label, 1)}
    return {"label": label, "send": label}


def _from_data(envelope: Mapping[str, Any], request: str) -> list[dict[str, str]]:
    data = envelope.get("data")
    raw = data.get("options") if isinstance(data, Mapping) else None
    if not isinstance(raw, (list, tuple)):
        return []
    named = [{"label": each} if isinstance(each, str) else each for each in raw]
    usable = [each for each in named if isinstance(each, Mapping) and each.get("label")]
    return [option_button(each, request) for each in usable][:MAX_CHOICES]


def _from_hint(envelope: Mapping[str, Any], request: str) -> list[dict[str, str]]:
    """The quoted names of a hint ("Did you mean 'schools'?"), where it is the person's word that was not found or not valid.

    A tool or a parameter that does not exist is the model's affair.
    """
    if envelope.get("code") not in (NOT_FOUND, INVALID_PARAM) or envelope.get("reason") in _MODELS_AFFAIRS:
        return []
    wrong = [each for each in _names(str(envelope.get("message", ""))) if each in request]
    raw = [{"label": each, "replaces": wrong[0] if wrong else ""} for each in _names(str(envelope.get("hint", "")))]
    return [option_button(each, request) for each in raw][:MAX_CHOICES]


def _names(text: str) -> list[str]:
    found = [next(each for each in match.groups() if each) for match in _QUOTED.finditer(text)]
    names = [clean(each.replace("\\'", "'").replace("\\\\", "\\"), MAX_LABEL) for each in found]
    return list(dict.fromkeys(each for each in names if each))


def _ended(text: str, language: str) -> str:
    """A sentence with its end mark, and in Latin text room after it."""
    if text[-1] in ".!?。！？":
        return text
    return text + ("。" if language == "zh" else ".")
