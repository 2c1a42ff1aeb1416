"""Choosing the layer or field that words mean, or asking the person with sentences to click."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...bridge.messages import CatalogueField, CatalogueLayer
from .answers import MAX_LINES, kind_name, listed, no_layer, say
from .finding import near_layers, sure_layers
from .naming import close_layers, layers_inside, match_fields, match_layers, spelled
from .steps import Ask, Run, Stop
from .text import is_chinese

_LONGEST, _LONGEST_ZH = 3, 8
_FIGURE = re.compile(r"\d")
_PARTS = re.compile(r"\b(?:in|of|within|near|around|inside|from|with)\b|的|(?<!公)里|内|附近", re.IGNORECASE)
"""Words between the parts of a phrase that is more than a name: schools in 云溪区, 云溪区的学校."""
DRAWN = ("point", "line", "polygon")
"""Kinds of layers that have features with a geometry."""


def one_layer(run: Run, phrase: str, kinds: Sequence[str] = ()) -> CatalogueLayer:
    """The layer that ``phrase`` means, of ``kinds`` where several fit. Raises Ask for several or near ones, Stop for none."""
    found = match_layers(phrase, run.layers, kinds) or _sure(phrase, run, kinds)
    if len(found) == 1:
        return found[0]
    if found:
        question = say(
            run.language, "Which layer do you mean by “{phrase}”?", "“{phrase}”指的是哪个图层？", phrase=phrase
        )
        raise Ask(question, _sentences(run, phrase, (spelled(each, run.layers) for each in found)))
    close = close_layers(phrase, run.layers)
    if not close and is_long(phrase):
        raise _garbled(run, phrase)
    close = close or near_layers(phrase, run.layers)
    if not close and _PARTS.search(phrase) and layers_inside(phrase, run.layers):
        raise _garbled(run, phrase)
    if not close:
        raise Stop(no_layer(run.language, phrase, run.layers))
    question = say(
        run.language,
        "There is no layer “{phrase}”. Do you mean {names}?",
        "没有名为“{phrase}”的图层。您是指{names}吗？",
        phrase=phrase,
        names=listed(run.language, (each["name"] for each in close)),
    )
    raise Ask(question, _sentences(run, phrase, (spelled(each, run.layers) for each in close)))


def _sure(phrase: str, run: Run, kinds: Sequence[str]) -> list[CatalogueLayer]:
    """Layers that are named in other letters (pinyin) or words; of several those of the ``kinds``; none that is near already."""
    if close_layers(phrase, run.layers) or is_long(phrase):
        return []
    found = sure_layers(phrase, run.layers)
    return [each for each in found if each["kind"] in kinds] or found


def is_long(phrase: str) -> bool:
    """Whether words are too many to be the name of a layer: more than three, or more than eight Chinese characters.

    Chinese words with a number among them are no name either: 医院500米范围内.
    """
    chinese = sum(is_chinese(each) for each in phrase)
    return (
        len(phrase.split()) > _LONGEST or chinese > _LONGEST_ZH or (chinese > 2 and _FIGURE.search(phrase) is not None)
    )


def _garbled(run: Run, phrase: str) -> Exception:
    """A phrase that is no layer's name but holds one: not understood, with the sentence about that layer as a button."""
    head = say(run.language, "I did not understand “{phrase}”.", "我没有听懂“{phrase}”。", phrase=phrase[:80])
    inside = layers_inside(phrase, run.layers)
    if not inside:
        names = listed(run.language, (each["name"] for each in run.layers[:MAX_LINES]))
        return Stop(say(run.language, "{head} Layers: {names}.", "{head}现有图层：{names}。", head=head, names=names))
    question = say(run.language, "{head} Do you mean this?", "{head}您是指下面的意思吗？", head=head)
    return Ask(question, _sentences(run, phrase, (spelled(each, run.layers) for each in inside)))


def one_field(run: Run, phrase: str, layer: CatalogueLayer) -> CatalogueField | None:
    """The field that ``phrase`` means; None when there is none. Raises Ask for several."""
    found = match_fields(phrase, layer)
    if len(found) <= 1:
        return found[0] if found else None
    question = say(
        run.language,
        "Which field of {layer} do you mean by “{phrase}”?",
        "“{phrase}”指的是{layer}的哪个字段？",
        layer=layer["name"],
        phrase=phrase,
    )
    raise Ask(question, _sentences(run, phrase, (each["name"] for each in found)))


def _sentences(run: Run, phrase: str, names: Iterable[str]) -> list[str]:
    """The request again, once for each name in the place of the phrase."""
    if phrase not in run.sentence:
        return []
    return [run.sentence.replace(phrase, name, 1) for name in names]


def no_raster(run: Run, layer: CatalogueLayer, english: str, chinese: str) -> None:
    """Raise Stop for a layer without features: ``english`` and ``chinese`` say what cannot be done with it."""
    if layer["kind"] not in DRAWN:
        text = say(
            run.language,
            "I cannot {what} “{layer}”: it is a {kind} layer and has no features.",
            "无法{what}“{layer}”：它是{kind}图层，没有要素。",
            what=chinese if run.language == "zh" else english,
            layer=layer["name"],
            kind=kind_name(run.language, layer["kind"]),
        )
        raise Stop(text, "tool_failed", "layer_kind")
