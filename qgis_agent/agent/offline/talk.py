"""Words of a conversation: greetings and thanks, and "it" or 刚才那个图层 for the layer that was acted on last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...bridge.messages import CatalogueLayer
from ..llm.types import ProviderRequest
from .answers import say
from .grammar import Command
from .naming import spelled
from .text import Language

_END = r"[\s,.!?;:~，。！？；：～…]*"
_THANKS = r"(?:thanks?(?: you)?(?: (?:a lot|so much|very much))?|thx|cheers|谢谢[你您啦了哈]?|多谢|感谢|辛苦了)"
_FINE = r"(?:ok(?:ay)?|good|great|fine|nice|perfect|cool|well done|got it|好的?|好了|行|可以了?|不错|很好|太好了|明白了?|知道了|收到|嗯+)"
_HELLO = r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|你好|您好|大家好|早上好|下午好|晚上好|嗨|哈喽)"
_MORE = r"(?:continue|go on|proceed|carry on|keep going|next|继续|接着(?:做|来)?|往下|下一步)"
_SMALL_TALK: tuple[tuple[str, str, str], ...] = (
    (_MORE, "Nothing is open: every command is carried out at once. Say what to do next.", "没有未完成的任务：每条命令都会立即执行。请说出下一步要做什么。"),
    (_THANKS, "You are welcome.", "不客气。"),
    (_HELLO, "Hello. Say what to do with the map; “help” shows examples.", "你好。请说出要对地图做什么；输入“帮助”可查看示例。"),
    (_FINE, "Good.", "好的。"),
)  # fmt: skip
_PATTERNS = tuple(
    (re.compile(rf"{_END}(?:(?:{_FINE}|{_HELLO}){_END})?{words}(?:{_END}{_THANKS})?{_END}", re.IGNORECASE), en, zh)
    for words, en, zh in _SMALL_TALK
)
_IT = re.compile(
    r"\b(?:it|them|(?:this|that|these|those|the (?:same|last|previous)) layers?)\b|"
    r"(?:刚才|刚刚|上次|上一个|之前)的?(?:那个|那些|这个)?(?:图层)?|(?:那个|这个|该|此)图层|它们?",
    re.IGNORECASE,
)
_PLACES = ("layer", "layers", "place", "other", "glued", "by")
_LAYER_ARGUMENTS = ("layer_id", "polygon_layer_id")


def small_talk(sentence: str, language: Language) -> str:
    """The short answer to a greeting, to thanks or to "go on"; "" for a sentence that is none of these."""
    for pattern, english, chinese in _PATTERNS:
        if pattern.fullmatch(sentence):
            return say(language, english, chinese)
    return ""


def points_back(sentence: str, commands: Sequence[Command] | str) -> bool:
    """Whether a sentence means a layer of an earlier request: by a pronoun where a layer must stand, in its first clause."""
    found = _IT.search(sentence)
    if found is None:
        return False
    if isinstance(commands, str):
        return commands.casefold() in sentence.casefold() and found.group() in commands
    first = commands[0]
    if first.intent == "undo":
        return False
    if first.intent == "colour_last":
        return True
    return any(_IT.fullmatch(first.words.get(each, "").strip()) for each in _PLACES)


def with_layer(sentence: str, layer: CatalogueLayer, layers: Sequence[CatalogueLayer]) -> str:
    """The sentence with the layer's name in the place of its first pronoun."""
    return _IT.sub(lambda _: spelled(layer, layers), sentence, count=1)


def pronoun(sentence: str) -> str:
    """The word that points back, as it was written."""
    found = _IT.search(sentence)
    return found.group() if found else ""


def last_layer(request: ProviderRequest, layers: Sequence[CatalogueLayer]) -> CatalogueLayer | None:
    """The layer of the last call of an earlier run that worked on one; the layer that it made, where it made one."""
    by_id = {each["layer_id"]: each for each in layers}
    own = {each.call.id for each in request.settled}
    results = {
        str(each.get("tool_call_id")): each.get("content") for each in request.messages if each.get("role") == "tool"
    }
    found: CatalogueLayer | None = None
    for call in _calls(request.messages):
        if call.get("id") in own:
            continue
        envelope = _object(results.get(str(call.get("id"))))
        if not envelope.get("ok"):
            continue
        arguments = _object((call.get("function") or {}).get("arguments"))
        data = envelope.get("data")
        named = [data.get("layer_id")] if isinstance(data, dict) else []
        named += [arguments.get(each) for each in _LAYER_ARGUMENTS]
        found = next((by_id[each] for each in named if isinstance(each, str) and each in by_id), found)
    return found


def _calls(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        if message.get("role") == "assistant":
            yield from message.get("tool_calls") or ()


def _object(text: Any) -> dict[str, Any]:
    """A JSON object, {} for what is none."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
