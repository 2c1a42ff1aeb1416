"""From the words of a person to layers and fields of the catalogue.

Equal names win over synonyms, synonyms over names that only contain the words. Several equal matches are all returned:
the caller asks, nothing is picked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ...bridge.envelope import nearest
from ...bridge.messages import CatalogueField, CatalogueLayer
from .text import fold, is_chinese
from .words import FIELD_SYNONYMS, LAYER_SYNONYMS

_LEAD_WORD = re.compile(
    r"^(?:the|all|of|my|our|every|layer)\s+(?=\S)|^(?:一下|所有的?|全部的?|这个|那个|图层)(?=.)", re.IGNORECASE
)
_TAIL = re.compile(r"(?<=.)(?:\s+(?:layers?|features?|data)|的?(?:图层|数据|要素|点位))$", re.IGNORECASE)
_BRACKETED = re.compile(r"^\[(.+)\]$")
_Thing = TypeVar("_Thing", CatalogueLayer, CatalogueField)


def strip_phrase(phrase: str) -> str:
    """A phrase without articles, "all", "layer" and quotation marks around the name."""
    text = phrase.strip().strip("\"'“”‘’「」《》").strip()
    before = None
    while text != before:
        before = text
        text = _TAIL.sub("", _LEAD_WORD.sub("", text)).strip()
    return text


def singular(word: str) -> str:
    """An English word without its plural ending; others as they are."""
    if len(word) < 4 or not word.isascii() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes", "zes")) and not word.endswith(("houses", "courses", "uses")):
        return word[:-2]
    return word.removesuffix("s")


def key(text: str) -> str:
    """What two spellings of one name have in common: case, plural, blanks and underscores make no difference."""
    words = [singular(each) for each in fold(text).split()]
    return "".join(words) if all(is_chinese(each) for each in words) else " ".join(words)


def _groups(synonyms: Iterable[Sequence[str]]) -> dict[str, int]:
    return {key(word): number for number, words in enumerate(synonyms) for word in words}


_LAYER_CONCEPTS = _groups(LAYER_SYNONYMS)
_FIELD_CONCEPTS = _groups(FIELD_SYNONYMS)


def match_layers(
    phrase: str, layers: Sequence[CatalogueLayer], kinds: Sequence[str] = (), *, loose: bool = True
) -> list[CatalogueLayer]:
    """The layers that ``phrase`` names, all of the best tier; of several, those of the ``kinds`` where there are such.

    "[alias]" in square brackets means exactly this alias. Without ``loose``, names that only contain the words do not count.
    """
    exact = _BRACKETED.match(phrase.strip())
    if exact:
        return [each for each in layers if each["layer_id"].casefold() == exact.group(1).casefold()]
    found = _best(strip_phrase(phrase), layers, lambda each: (each["layer_id"], each["name"]), _LAYER_CONCEPTS, loose)
    fitting = [each for each in found if each["kind"] in kinds]
    return fitting or found


def match_fields(phrase: str, layer: CatalogueLayer) -> list[CatalogueField]:
    """The fields of ``layer`` that ``phrase`` names, by name or alias, all of the best tier."""
    text = strip_phrase(phrase)
    exact = [each for each in layer["fields"] if each["name"] == text]
    return exact or _best(text, layer["fields"], lambda each: (each["name"], each["alias"]), _FIELD_CONCEPTS)


def same_concept(phrase: str, words: Sequence[str]) -> bool:
    """Whether ``phrase`` is one of ``words`` in any spelling."""
    return key(strip_phrase(phrase)) in {key(each) for each in words}


def close_layers(phrase: str, layers: Sequence[CatalogueLayer]) -> list[CatalogueLayer]:
    """Layers whose name looks like a phrase that names none: for "did you mean"."""
    by_name = {each["name"]: each for each in reversed(layers)} | {each["layer_id"]: each for each in reversed(layers)}
    close = [by_name[name] for name in nearest(strip_phrase(phrase), by_name)]
    return list({each["layer_id"]: each for each in close}.values())


def _best(
    text: str,
    things: Sequence[_Thing],
    names: Callable[[_Thing], tuple[str, str]],
    concepts: dict[str, int],
    loose: bool = True,
) -> list[_Thing]:
    if not text:
        return []
    wanted = key(text)
    concept = concepts.get(wanted)
    tiers: tuple[Callable[[str], bool], ...] = (
        lambda name: name.casefold() == text.casefold(),
        lambda name: fold(name) == fold(text),
        lambda name: key(name) == wanted,
        lambda name: concept is not None and concepts.get(key(name)) == concept,
        lambda name: _contains(name, wanted, concept, concepts),
    )
    for fits in tiers if loose else tiers[:-1]:
        hits = [each for each in things if any(name and fits(name) for name in names(each))]
        if hits:
            return hits
    return []


def _contains(name: str, wanted: str, concept: int | None, concepts: dict[str, int]) -> bool:
    """Whether the words of ``wanted``, or a synonym of it, stand in ``name``. One Chinese character is too little."""
    whole = key(name)
    spellings = {wanted} | {word for word, number in concepts.items() if concept is not None and number == concept}
    for each in spellings:
        if is_chinese(each):
            if len(each) > 1 and each in whole:
                return True
        elif f" {each} " in f" {whole} ":
            return True
    return False
