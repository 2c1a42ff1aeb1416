"""From the words of a person to layers and fields of the catalogue.

Equal names win over synonyms, synonyms over names that only contain the words. Several equal matches are all returned:
the caller asks, nothing is picked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from ...bridge.messages import CatalogueField, CatalogueLayer
from .text import fold, is_chinese, simplify
from .words import FIELD_SYNONYMS, LAYER_SYNONYMS

_LEAD_WORD = re.compile(
    r"^(?:the|all|of|my|our|every|an?|layer|layers)\s+(?=\S)|^(?:一下|所有的?|全部的?|这个|那个|图层|各个?)(?=.)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?<=.)(?:\s+(?:layers?|features?|data)|的?(?:图层|数据|要素|点位|专题)|(?:的?分布)(?:情况|图)?)$", re.IGNORECASE
)
_BRACKETED = re.compile(r"^\[(.+)\]$")
_KEY_FIELD = re.compile(
    r"^(?:fid|ogc_fid|osm_id|id|gid|oid|uid|uuid|object_?id|feature_?id|row_?id|pk|key)(?:_\d+)?$", re.IGNORECASE
)
_RESULT_GROUP = "Agent results"
_MAX_CLOSE = 3
_MEMORY = 2000
_SEVERAL = re.compile(r"\s*[,、&]\s*(?:and\s+)?|\s+and\s+|[和与跟及]", re.IGNORECASE)


def strip_phrase(phrase: str) -> str:
    """A phrase without articles, "all", "layer" and quotation marks around the name, in the characters it was written in."""
    text = phrase.strip().strip("\"'“”‘’「」《》").strip()
    plain = simplify(text)
    while True:
        lead, tail = _LEAD_WORD.match(plain), _TAIL.search(plain)
        start, end = lead.end() if lead else 0, tail.start() if tail else len(plain)
        if (start == 0 and end == len(plain)) or start >= end:
            return text
        text = text[start:end].strip()
        plain = simplify(text)


def singular(word: str) -> str:
    """An English word without its plural ending; others as they are."""
    if len(word) < 4 or not word.isascii() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes", "zes")) and not word.endswith(("houses", "courses", "uses")):
        return word[:-2]
    return word.removesuffix("s")


@lru_cache(maxsize=8192)
def key(text: str) -> str:
    """What two spellings of one name have in common: case, plural, blanks and underscores make no difference."""
    words = [singular(each) for each in fold(text).split()]
    return "".join(words) if all(is_chinese(each) for each in words) else " ".join(words)


def _groups(synonyms: Iterable[Sequence[str]]) -> dict[str, int]:
    return {key(word): number for number, words in enumerate(synonyms) for word in words}


_LAYER_CONCEPTS = _groups(LAYER_SYNONYMS)
_FIELD_CONCEPTS = _groups(FIELD_SYNONYMS)


Names = tuple[tuple[str, str], ...]
"""The two names of each thing: alias and name of a layer, name and alias of a field."""


class _Index:
    """Two names a thing, looked up by spelling; made once for a catalogue."""

    def __init__(self, names: Names, concepts: dict[str, int]) -> None:
        self.names = names
        self._concepts = concepts
        self._keys = [tuple(key(each) for each in pair if each) for pair in names]
        self._found: dict[tuple[str, bool], list[int]] = {}
        self._near: dict[str, list[int]] = {}
        self._tiers: tuple[dict[str | int, list[int]], ...] = ({}, {}, {}, {})
        for at, pair in enumerate(names):
            for name in filter(None, dict.fromkeys(pair)):
                found = (name.casefold(), fold(name), key(name), concepts.get(key(name)))
                for tier, spelled in zip(self._tiers, found, strict=True):
                    if spelled is not None:
                        tier.setdefault(spelled, []).append(at)

    def find(self, text: str, loose: bool) -> list[int]:
        """Positions of the best tier: equal, equal but for spelling, one concept, and with ``loose`` containing."""
        if (text, loose) not in self._found:
            if len(self._found) >= _MEMORY:
                self._found.clear()
            self._found[text, loose] = self._look_up(text, loose)
        return self._found[text, loose]

    def _look_up(self, text: str, loose: bool) -> list[int]:
        wanted = key(text)
        concept = self._concepts.get(wanted)
        for tier, spelled in zip(self._tiers, (text.casefold(), fold(text), wanted, concept), strict=True):
            if spelled is not None and spelled in tier:
                return list(dict.fromkeys(tier[spelled]))
        if not loose:
            return []
        spellings = {wanted}
        if concept is not None:
            spellings |= {word for word, number in self._concepts.items() if number == concept}
        return [at for at, pair in enumerate(self._keys) if any(_contains(each, spellings) for each in pair)]

    def close(self, text: str) -> list[int]:
        """Positions of the things one of whose names is one slip away."""
        wanted = key(text)
        if wanted not in self._near:
            least, most = len(wanted) - 1, len(wanted) + 1
            if len(self._near) >= _MEMORY:
                self._near.clear()
            self._near[wanted] = [
                at
                for at, pair in enumerate(self._keys)
                if any(least <= len(each) <= most and one_slip(wanted, each) for each in pair)
            ]
        return self._near[wanted]


@lru_cache(maxsize=64)
def _layer_index(names: Names) -> _Index:
    return _Index(names, _LAYER_CONCEPTS)


class Layers(tuple[CatalogueLayer, ...]):
    """A catalogue that does not change, with its names looked up once."""

    _made: _Index | None = None

    @cached_property
    def sure(self) -> dict[str, list[CatalogueLayer]]:
        """What ``finding.sure_layers`` has found, by phrase."""
        return {}

    @property
    def index_of_names(self) -> _Index:
        """The index; made at its first use."""
        if self._made is None:
            self._made = _layer_index(tuple((each["layer_id"], each["name"]) for each in self))
        return self._made


def fixed(layers: Sequence[CatalogueLayer]) -> Layers:
    """The layers as a catalogue that does not change; one that is such already stays."""
    return layers if isinstance(layers, Layers) else Layers(layers)


@lru_cache(maxsize=256)
def _field_index(names: Names) -> _Index:
    return _Index(names, _FIELD_CONCEPTS)


def several_names(phrase: str) -> list[str]:
    """The single names of "schools and hospitals", 学校和医院."""
    return [each for each in _SEVERAL.split(phrase) if each.strip()]


def match_layers(
    phrase: str, layers: Sequence[CatalogueLayer], kinds: Sequence[str] = (), *, loose: bool = True
) -> list[CatalogueLayer]:
    """The layers that ``phrase`` names, all of the best tier; of several, those of the ``kinds`` where there are such.

    "[alias]", "[name]" and "[group / name]" mean exactly this. Without ``loose``, names that only contain the words do not count.
    """
    exact = _BRACKETED.match(phrase.strip())
    if exact:
        return _called_exactly(exact.group(1), layers)
    index = fixed(layers).index_of_names
    for text in dict.fromkeys((phrase.strip(), strip_phrase(phrase))):
        found = [layers[at] for at in index.find(text, loose)] if text else []
        if found:
            return [each for each in found if each["kind"] in kinds] or found
    return []


def _called_exactly(wanted: str, layers: Sequence[CatalogueLayer]) -> list[CatalogueLayer]:
    """The layers of this alias, else of this name, else of this "group / name"; as it is written before any case."""
    for folded in (str, str.casefold):
        for called in (lambda each: each["layer_id"], lambda each: each["name"], group_name):
            found = [each for each in layers if folded(called(each)) == folded(wanted)]
            if found:
                return found
    return []


def match_fields(phrase: str, layer: CatalogueLayer) -> list[CatalogueField]:
    """The fields of ``layer`` that ``phrase`` names, by name or alias, all of the best tier."""
    text = strip_phrase(phrase)
    exact = [each for each in layer["fields"] if each["name"] == text]
    if exact or not text:
        return exact
    index = _field_index(tuple((each["name"], each["alias"]) for each in layer["fields"]))
    return [layer["fields"][at] for at in index.find(text, loose=True)]


def is_key_field(name: str) -> bool:
    """Whether a field only numbers the rows, as ``gis/conditions.py`` sees it too."""
    return _KEY_FIELD.match(name) is not None


def spelled(layer: CatalogueLayer, layers: Sequence[CatalogueLayer]) -> str:
    """How to name a layer to a person so that nothing else is meant: its name, its group too where names are equal.

    "[…]" around it where the name alone would fit another layer as well.
    """
    for said in (layer["name"], f"[{layer['name']}]", f"[{group_name(layer)}]", layer["layer_id"]):
        if [each["layer_id"] for each in match_layers(said, layers)] == [layer["layer_id"]]:
            return said
    return f"[{layer['layer_id']}]"


def is_result(layer: CatalogueLayer) -> bool:
    """Whether a layer is in the group for results of QGIS Agent: its features are copies of others."""
    return layer["group"].split(" / ")[0] == _RESULT_GROUP


def group_name(layer: CatalogueLayer) -> str:
    """ "group / name"; the name alone for a layer in no group."""
    return " / ".join(each for each in (layer["group"], layer["name"]) if each)


_SORTING = ("kind", "level", "class", "fclass", "amenity", "subtype", "等级", "类型", "类别")
_SORTING_LIKE = re.compile(r"kind|type|category|level|grade|class$|类型|类别|种类|等级|级别", re.IGNORECASE)


def sorting_fields(layer: CatalogueLayer) -> list[str]:
    """Text fields of a layer that sort its features: kind, type, level, class and what is called like them."""
    concepts = {_FIELD_CONCEPTS.get(key(each)) for each in _SORTING} - {None}
    return [
        each["name"]
        for each in layer["fields"]
        if each["type"] == "text"
        and any(
            _FIELD_CONCEPTS.get(key(name)) in concepts or key(name) in _SORTING or _SORTING_LIKE.search(name)
            for name in (each["name"], each["alias"])
            if name
        )
    ]


def same_concept(phrase: str, words: Sequence[str]) -> bool:
    """Whether ``phrase`` is one of ``words`` in any spelling."""
    return key(strip_phrase(phrase)) in {key(each) for each in words}


def close_layers(phrase: str, layers: Sequence[CatalogueLayer]) -> list[CatalogueLayer]:
    """Layers whose name is one slip away from a phrase that names none: for "did you mean"."""
    return [layers[at] for at in fixed(layers).index_of_names.close(strip_phrase(phrase))][:_MAX_CLOSE]


def layers_inside(phrase: str, layers: Sequence[CatalogueLayer]) -> list[CatalogueLayer]:
    """Layers that a part of a longer phrase names, in the order in which they stand there; at most three."""
    words = phrase.split()
    parts = [" ".join(words[at : at + size]) for at in range(len(words)) for size in (3, 2, 1)]
    chinese = [phrase[at : at + size] for at in range(len(phrase)) for size in range(8, 1, -1) if is_chinese(phrase)]
    found: dict[str, CatalogueLayer] = {}
    for part in [*parts, *chinese]:
        fitting = match_layers(part, layers, loose=False)
        if len(fitting) == 1:
            found.setdefault(fitting[0]["layer_id"], fitting[0])
    return list(found.values())[:_MAX_CLOSE]


def one_slip(said: str, meant: str) -> bool:
    """Whether one letter was left out, added, wrong, or swapped with the next. Short words are too near to each other."""
    chinese = is_chinese(meant)
    least = 2 if chinese else 4
    if said == meant or len(meant) < least or abs(len(said) - len(meant)) > 1:
        return False
    if chinese and len(said) != len(meant):
        return False  # 街道A is no slip for 街道
    start = 0
    while start < min(len(said), len(meant)) and said[start] == meant[start]:
        start += 1
    left, right = said[start:], meant[start:]
    swapped = left[1:2] + left[:1] + left[2:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:] or swapped == right


def _contains(name: str, spellings: Iterable[str]) -> bool:
    """Whether one of the spellings stands in ``name`` as words. One Chinese character is too little."""
    for each in spellings:
        if is_chinese(each):
            if len(each) > 1 and each in name:
                return True
        elif each and f" {each} " in f" {name} ":
            return True
    return False
