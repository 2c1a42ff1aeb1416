"""Layers by the search where plain matching of names finds none: pinyin, synonyms, slips. Nothing is picked from several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ...bridge.messages import CatalogueLayer
from ..context.layer_index import LayerIndex
from ..context.layer_search import is_a_name, search, surely
from .naming import Layers, close_layers, fixed, match_layers, strip_phrase

_MAX_NEAR = 6
_LONGEST = 40
"""Characters of a phrase that is looked up; what is longer names no layer."""
_Names = tuple[tuple[str, str, str], ...]


@lru_cache(maxsize=4)
def _index(names: _Names) -> LayerIndex:
    """An index over names alone: a field or a group that fits is no reason to take a layer for the one that is named."""
    return LayerIndex([{"layer_id": each[0], "name": each[1], "kind": each[2]} for each in names])


def sure_layers(phrase: str, layers: Sequence[CatalogueLayer]) -> list[CatalogueLayer]:
    """Layers whose name says all of what ``phrase`` says in other letters or words: xuexiao, 學校 or "schools" for 学校."""
    known = fixed(layers)
    name = strip_phrase(phrase)
    if name not in known.sure:
        found = surely(_indexed(known), name) if 1 < len(name) <= _LONGEST else []
        known.sure[name] = _picked(found, known)
    return known.sure[name]


def near_layers(phrase: str, layers: Sequence[CatalogueLayer]) -> list[CatalogueLayer]:
    """Layers that may be meant, best first: one slip away, else what the search finds by name."""
    name = strip_phrase(phrase)
    known = fixed(layers)
    close = close_layers(phrase, known)
    if close or len(name) > _LONGEST or not is_a_name(_indexed(known), name):
        return close
    return _picked(search(_indexed(known), name), known)[:_MAX_NEAR]


def is_no_layer(phrase: str, layers: Sequence[CatalogueLayer]) -> bool:
    """Whether words name no layer, in no letters, and none is one slip away."""
    known = match_layers(phrase, layers) or close_layers(phrase, layers)
    return not known and not sure_layers(phrase, layers)


def _indexed(layers: Layers) -> LayerIndex:
    return _index(tuple((each["layer_id"], each["name"], each["kind"]) for each in layers))


def _picked(found: Sequence[Mapping[str, object]], layers: Layers) -> list[CatalogueLayer]:
    by_id = {each["layer_id"]: each for each in layers}
    return [by_id[str(each["layer_id"])] for each in found]
