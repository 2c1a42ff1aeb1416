"""Words of a conversation: greetings and thanks, and "it" or 刚才那个图层 for the layer that was acted on last."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...bridge.messages import CatalogueLayer
from ..llm.types import ProviderRequest, SettledCall
from .answers import say
from .grammar import Command
from .naming import spelled
from .steps import MAX_OPTIONS
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
_ORDER = {each: at for at, each in enumerate("一二三四五六")} | {
    each: at for at, each in enumerate("first second third fourth fifth sixth".split())
} | {"1st": 0, "2nd": 1, "3rd": 2, "last": -1, "最后": -1}  # fmt: skip
_WHICH = re.compile(
    rf"(?:i mean |take |选|我选|要|我要)?(?:the |option |number |no\.? ?|#|第)?(?P<n>[1-6]|{'|'.join(_ORDER)})"
    r"(?: one| option|一?个|项|种)?[.。!！]?",
    re.IGNORECASE,
)
_PLACES = ("layer", "layers", "place", "other", "glued", "by")
_LAYER_ARGUMENTS = ("layer_id", "polygon_layer_id")
_LAYOUT_TOOLS = ("create_layout", "add_layout_item", "set_layout_item", "prepare_export_layout")


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


def with_own_layer(command: Command, layer: CatalogueLayer, layers: Sequence[CatalogueLayer]) -> Command:
    """A later clause of a sentence with the layer of the clause before in the place of "it" ("zoom to roads and label them")."""
    meant = {name: spelled(layer, layers) for name in _PLACES if _IT.fullmatch(command.words.get(name, "").strip())}
    return replace(command, words=command.words | meant, several=()) if meant else command


def pronoun(sentence: str) -> str:
    """The word that points back, as it was written."""
    found = _IT.search(sentence)
    return found.group() if found else ""


def last_layer(
    messages: Sequence[Mapping[str, Any]],
    settled: Sequence[SettledCall],
    layers: Sequence[CatalogueLayer],
    tools: Collection[str] = (),
) -> CatalogueLayer | None:
    """The layer of the last call of an earlier run that worked on one; the layer that it made, where it made one.

    With ``tools`` only calls of these count.
    """
    by_id = {each["layer_id"]: each for each in layers}
    found: CatalogueLayer | None = None
    for name, arguments, data in _earlier(messages, settled):
        if tools and name not in tools:
            continue
        named = [data.get("layer_id"), *(arguments.get(each) for each in _LAYER_ARGUMENTS)]
        found = next((by_id[each] for each in named if isinstance(each, str) and each in by_id), found)
    return found


def last_layout(messages: Sequence[Mapping[str, Any]], settled: Sequence[SettledCall]) -> str:
    """The name of the print layout that an earlier run made or worked on last, "" where there is none."""
    found = ""
    for name, arguments, data in _earlier(messages, settled):
        if name in _LAYOUT_TOOLS:
            found = str(data.get("layout") or data.get("name") or arguments.get("layout") or found)
    return found


def _earlier(
    messages: Sequence[Mapping[str, Any]], settled: Sequence[SettledCall]
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Name, arguments and data of each call of an earlier run that succeeded, in order."""
    own = {each.call.id for each in settled}
    results = _results(messages)
    for call in _calls(messages):
        envelope = _object(results.get(str(call.get("id"))))
        if call.get("id") in own or not envelope.get("ok"):
            continue
        function = call.get("function") or {}
        data = envelope.get("data")
        yield (
            str(function.get("name")),
            _object(function.get("arguments")),
            data if isinstance(data, dict) else {},
        )


def chosen_option(request: ProviderRequest) -> str:
    """The sentence of the option that "2", 第二个 or "the first one" means; "" where nothing was asked just before.

    What was asked is the last call of the run before: ask_user, or a failed call with options, whose buttons replace words
    of that request as the panel's do.
    """
    found = _WHICH.fullmatch(request.user_text.strip())
    if found is None:
        return ""
    own = {each.call.id for each in request.settled}
    asked: Mapping[str, Any] | None = None
    said = then = before = ""
    for message in request.messages:
        if message.get("role") == "user":
            before = str(message.get("content") or "")
            then = then or before
        for call in message.get("tool_calls") or ():
            if call.get("id") not in own:
                asked, said, then = call, before, ""
    if asked is None or then != request.user_text:
        return ""
    results = _results(request.messages)
    options = _options(asked, _object(results.get(str(asked.get("id")))), said)
    at = _number(found)
    return options[at] if -len(options) <= at < len(options) else ""


def _options(call: Mapping[str, Any], envelope: Mapping[str, Any], said: str) -> list[str]:
    """What each button of a question sends."""
    function = call.get("function") or {}
    if function.get("name") == "ask_user":
        return [str(each) for each in _object(function.get("arguments")).get("options") or ()]
    data = envelope.get("data")
    raw = data.get("options") if isinstance(data, dict) and not envelope.get("ok") else None
    usable = [each for each in raw or () if isinstance(each, dict) and each.get("label")][:MAX_OPTIONS]
    return [
        said.replace(str(each["replaces"]), str(each["label"]), 1) if each.get("replaces") else str(each["label"])
        for each in usable
    ]


def _number(found: re.Match[str]) -> int:
    """The position of the option, from 0; -1 for the last."""
    word = found.group("n").casefold()
    return int(word) - 1 if word.isdigit() else _ORDER[word]


def _calls(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        if message.get("role") == "assistant":
            yield from message.get("tool_calls") or ()


def _results(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {str(each.get("tool_call_id")): each.get("content") for each in messages if each.get("role") == "tool"}


def _object(text: Any) -> dict[str, Any]:
    """A JSON object, {} for what is none."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
