"""Pending intent: what a short yes ("好的", "go ahead") answers, and what "继续" goes on with.

The person's words stay as they are in the history; this module finds what they refer to and says it in the objective. The offer
is a model's text and is quoted there as data. A yes never arms or confirms a write: only a click on its card does (X-7).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..execution.packs import plain
from .recovery import quoted

PendingKind = Literal["confirm_offer", "confirm_map_load", "choose_option", "resume", "ask_again"]
MAX_QUOTE = 300
MAX_AFFIRMATION = 30
_YES = (
    r"(?:好的|好呀|好啊|好吧|好|可以|行|没问题|当然|对的?|是的?|嗯+|要的?|需要|同意|确认|确定|加载吧?|就这样|开始吧?|来吧|执行吧?|做吧"
    r"|ok|okay|k|yes|yeah|yep|yup|sure|fine|great|alright|all right|correct|right|go ahead|do it|do that|do so|please do|sounds good"
    r"|yes please|confirm(?:ed)?|agreed?|of course|absolutely|load (?:it|them)|add (?:it|them)|show (?:it|them))"
)
_ON = r"(?:继续|接着做?|接着来|往下|继续做|继续吧|下一步|continue|go on|carry on|proceed|keep going|resume|next)"
_SOFT = r"(?:请|那|就|吧|呀|啊|了|哦|呢|谢谢你?|麻烦你?|please|thanks|thank you|then|now|and)"
_BREAK = r"[\s,，.。!！~、]*"
_AFFIRMS = re.compile(rf"{_BREAK}(?:(?:{_YES}|{_ON}|{_SOFT}){_BREAK})+")
_HAS_ON = re.compile(rf"(?<![a-z]){_ON}(?![a-z])")
_HAS_YES = re.compile(rf"(?<![a-z])(?:{_YES}|{_ON})(?![a-z])")
_SENTENCE = re.compile(r"(?<=[。！？!?])|\n+|(?<=\.)\s+")
_OFFERS = re.compile(
    r"要不要|需要我|是否|要我|需不需要|可以(?:帮|为|替)[你您]|我(?:可以|能)(?:再|继续|帮|为|把)|如果需要|[吗么][?？]?\s*$|好吗|可以吗"
    r"|(?<![a-z])(?:would you like|shall i|should i|do you want|want me to|may i|can i|i can (?:also )?|if you (?:like|want|wish)"
    r"|let me know if|is that (?:ok|okay|right))(?![a-z])"
)
_LOADS = re.compile(r"加载|添加到|放到?地图|显示|上图|叠加|(?<![a-z])(?:load|add|show|display|overlay|put)(?![a-z])")
MAP_LOAD_TOOLS = (
    "toggle_layer",
    "add_vector_layer",
    "add_raster_layer",
    "add_table_layer",
    "add_temp_layer",
    "zoom_to",
)
SIDE_TOOLS = ("bash", "execute_code", "run_script_file", "list_directory", "glob")
NO_WRITE = (
    "These words confirm no write. Where one was waiting for the person, prepare it anew, so that its card is shown and they "
    "decide there."
)


@dataclass(frozen=True)
class Offer:
    """What came before the person's words: the last answer, how that run ended, and the request that it was about."""

    text: str = ""
    termination: str = "completed"
    question: Mapping[str, Any] | None = None
    request: str = ""
    reason: str = ""


@dataclass(frozen=True)
class PendingIntent:
    """What a short answer refers to. ``request`` is the earlier request when the run goes on with it."""

    kind: PendingKind
    objective: tuple[str, ...]
    preferred: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    request: str = ""
    quote: str = field(default="")


def is_affirmation(text: str) -> bool:
    """Whether a whole message is a short yes or "go on", in English or Chinese."""
    words = plain(text)
    if not 0 < len(words) <= MAX_AFFIRMATION or "?" in words or words.endswith("吗"):
        return False
    return _AFFIRMS.fullmatch(words) is not None and _HAS_YES.search(words) is not None


def resolve_pending(text: str, offer: Offer | None) -> PendingIntent | None:
    """What the words refer to, or None where they stand for themselves or nothing was offered."""
    if offer is None or not is_affirmation(text):
        return None
    on = _HAS_ON.search(plain(text)) is not None
    if offer.termination == "awaiting_user" and offer.question is not None:
        return _question(offer.question, offer)
    if offer.termination in ("budget_exceeded", "forced_final", "halted", "interrupted", "failed") and offer.request:
        return _resume(offer)
    sentence = offer_sentence(offer.text)
    if sentence:
        return _offer(sentence)
    return _resume(offer) if on and offer.request else None


def offer_sentence(text: str) -> str:
    """The last sentence of an answer that offers something, or ""."""
    sentences = [each.strip() for each in _SENTENCE.split(text[-4000:]) if each.strip()]
    return next((each for each in reversed(sentences) if _OFFERS.search(plain(each))), "")


def _offer(sentence: str) -> PendingIntent:
    quote = quoted(sentence, MAX_QUOTE)
    loads = _LOADS.search(plain(sentence)) is not None
    lines = [
        f"The person agrees to what you offered last. The offer, as data: {quote} Carry that out and nothing beyond it."
    ]
    if loads:
        lines.append("It is about layers on the map: use the tools for layers first.")
    return PendingIntent(
        "confirm_map_load" if loads else "confirm_offer",
        (*lines, NO_WRITE),
        MAP_LOAD_TOOLS if loads else (),
        SIDE_TOOLS if loads else (),
        quote=sentence,
    )


def _question(question: Mapping[str, Any], offer: Offer) -> PendingIntent:
    quote = quoted(str(question.get("text", "")), MAX_QUOTE)
    options = [each for each in question.get("options") or () if isinstance(each, Mapping)]
    if offer.reason == "no_answer" or any(each.get("send") == offer.request for each in options if offer.request):
        line = (
            f"A question about a permission was not answered: {quote} The person's words only re-open it: call the tool again with "
            "the same purpose, so that the card is shown anew."
        )
        return PendingIntent("ask_again", (line, NO_WRITE), request=offer.request, quote=str(question.get("text", "")))
    if len(options) == 1:
        send = quoted(str(options[0].get("send") or options[0].get("label") or ""), MAX_QUOTE)
        line = f"You asked, as data: {quote} The person agrees to its only option, as data: {send}"
    elif options:
        labels = ", ".join(quoted(str(each.get("label", "")), 60) for each in options[:6])
        line = (
            f"You asked, as data: {quote} with the options {labels}. The person's words choose none of them: ask again with "
            "ask_user, unless the conversation makes the choice plain."
        )
    else:
        line = f"You asked, as data: {quote} The person says yes to it."
    return PendingIntent("choose_option", (line, NO_WRITE), request=offer.request, quote=str(question.get("text", "")))


def _resume(offer: Offer) -> PendingIntent:
    request, last = quoted(offer.request, MAX_QUOTE), quoted(offer.text[-2 * MAX_QUOTE :], 2 * MAX_QUOTE)
    ended = "" if offer.termination == "completed" else f"It ended as {offer.termination} before all of it was done. "
    lines = [
        f"The person wants the earlier request to go on. The request, as data: {request} {ended}"
        "Do only the steps that are still open; do not repeat what the results in this conversation show as done."
    ]
    if last:
        lines.append(f"The last report on it, as data: {last}")
    return PendingIntent("resume", (*lines, NO_WRITE), request=offer.request, quote=offer.request)
