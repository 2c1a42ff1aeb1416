"""Counting by a word that is no layer but may be a value: 三甲医院有几个, "how many cafes are in POI Paris".

The grammar knows no values. It asks the tool, in the fields that sort things (kind, type, level, 类型, 等级), how many features
have the word there; only a count above zero is an answer, and several that fit are the person's choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...bridge.messages import CatalogueLayer
from ..llm.types import SettledCall
from .answers import listed, num, say
from .choose import DRAWN, is_long
from .filters import joined, remark_of
from .grammar import Command
from .naming import is_result, key, match_layers, sorting_fields, spelled, strip_phrase
from .steps import Ask, Plan, Planned, Run, Stop, succeeded
from .text import is_chinese
from .words import LAYER_SYNONYMS

MOST_LOOKED_AT = 6
"""Fields that are asked; where more could hold the word, nothing is tried."""
_SPLIT_ZH = re.compile(r"[的\s]+$")


def counted_by_value(command: Command, run: Run, home: Sequence[CatalogueLayer] = ()) -> Plan[str | None]:
    """The answer where the words of the command are a value, in the layers ``home`` or in any; None where they are none.

    Raises Ask where the word is a value of several fields.
    """
    phrase = strip_phrase(command.words["layer"])
    tries = [(phrase, each) for each in home] if home else _readings(phrase, run)
    wanted = [(word, layer, field) for word, layer in tries if not is_long(word) for field in sorting_fields(layer)]
    if not wanted or len(wanted) > MOST_LOOKED_AT or not run.has("count_features"):
        return None
    calls = [Planned("count_features", _count(layer, field, word)) for word, layer, field in wanted]
    settled = yield from run.do_all(calls)
    found = [(each, groups) for each, call in zip(wanted, settled, strict=True) if (groups := _groups(call))]
    if len(found) > 1:
        question = say(run.language, "Which do you mean by “{said}”?", "“{said}”指的是哪一个？", said=phrase)
        raise Ask(question, [_sentence(run, groups[0][0], *each[1:]) for each, groups in found])
    if not found:
        return _no_such_value(run, phrase, wanted, home)
    (_, layer, field), groups = found[0]
    text = say(
        run.language,
        "{layer}: {n} features where {field} is {values}.",
        "{layer}中{field}为{values}的要素有 {n} 个。",
        layer=layer["name"],
        n=num(sum(count for _, count in groups)),
        field=field,
        values=listed(run.language, (f"“{value}”" for value, _ in groups)),
    )
    return joined(text, remark_of(run, (layer["layer_id"],)))


def _no_such_value(
    run: Run, phrase: str, wanted: Sequence[tuple[str, CatalogueLayer, str]], home: Sequence[CatalogueLayer]
) -> str | None:
    """What to say where a word that no looked-at field has is no layer either: a filter may hide it, or nothing lies in ``home``.

    None where neither is so. Raises Stop where the word may be no value at all.
    """
    hidden = remark_of(run, {layer["layer_id"] for _, layer, _ in wanted})
    if not hidden and not any(each["kind"] in ("point", "line") for each in home):
        return None
    looked = list(dict.fromkeys(f"{layer['name']}.{field}" for _, layer, field in wanted))
    text = say(
        run.language,
        "No feature has the value “{said}” (looked in {fields}).",
        "没有取值为“{said}”的要素（已查找 {fields}）。",
        said=phrase,
        fields=listed(run.language, looked),
    )
    if hidden and home:
        return joined(text, hidden)
    raise Stop(joined(text, hidden))


def _groups(call: SettledCall) -> list[tuple[str, int]]:
    """The values that were found with their counts; none where a layer cannot be read: another one may hold the word."""
    groups = succeeded(call).data.get("groups") or () if call.envelope.get("ok") else ()
    return [(str(each["value"]), int(each["count"])) for each in groups if each.get("count")]


def _count(layer: CatalogueLayer, field: str, word: str) -> dict[str, Any]:
    return {
        "layer_id": layer["layer_id"],
        "where": [{"field": field, "op": "in", "value": spellings(word)}],
        "group_by": field,
    }


def _sentence(run: Run, word: str, layer: CatalogueLayer, field: str) -> str:
    pattern = "{layer}中{field}为{word}的有多少" if run.language == "zh" else "how many {layer} where {field} = {word}"
    return pattern.format(layer=spelled(layer, run.layers), field=field, word=word)


def _readings(phrase: str, run: Run) -> list[tuple[str, CatalogueLayer]]:
    """A value and the layer that it may belong to: 三甲 of 医院, "三甲" of "hospitals"; the whole phrase of any layer."""
    plain = [each for each in run.layers if each["kind"] in DRAWN and not is_result(each)]
    for at in _parts(phrase):
        layers = match_layers(phrase[at:].strip(), plain, loose=False)
        word = _SPLIT_ZH.sub("", phrase[:at].strip())
        if len(layers) == 1 and word:
            return [(word, layers[0])]
    return [(phrase, each) for each in plain]


def _parts(phrase: str) -> list[int]:
    """Where a phrase may be parted: at blanks, and between Chinese characters, the longest name of a layer first."""
    return [
        at
        for at in range(1, len(phrase))
        if phrase[at - 1] == " " or is_chinese(phrase[at - 1]) or is_chinese(phrase[at])
    ]


def spellings(word: str) -> list[str]:
    """A word as data may write it: singular, in capitals, and the names of the same kind of thing in both languages."""
    one = key(word) if not is_chinese(word) else word
    same = next((words for words in LAYER_SYNONYMS if one in {key(each) for each in words}), ())
    found = [word, one, *same]
    found += [
        form
        for each in found
        if not is_chinese(each)
        for form in (each.lower(), each.capitalize(), each.replace(" ", "_"))
    ]
    return list(dict.fromkeys(found))
