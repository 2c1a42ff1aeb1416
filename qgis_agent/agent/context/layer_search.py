"""Which layers of the project a query means, best first; a query about something that is not there finds nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .layer_guesses import SAME, SPELLED
from .layer_index import LayerIndex, Worth, spelling
from .layer_query import Term, terms_of
from .layer_text import is_han, tokens
from .layer_words import STOP

COVERED = 0.6
"""How much of what a query says a layer must have."""
_TAIL = 0.35
"""Layers with less than this share of the points of the best one are left out."""
_SAME_NAME = 5.0
_PARTS = 0.85
_EPSILON = 1e-9
_CERTAIN = SPELLED * SAME - _EPSILON
"""The quality of readings that leave no doubt: full pinyin of what means the same, and better."""


def search(index: LayerIndex, query: str, kind: str = "any") -> list[Mapping[str, Any]]:
    """The layers that match, best first; equal ones in the order of the layer tree. An empty query lists all."""
    layers = index.layers
    groups = terms_of(query, index)
    if not groups:
        places = list(range(len(layers))) if _means_all(query) else []
    else:
        places = _ranked(index, groups, query)
    return [layers[at] for at in places if kind in ("any", layers[at]["kind"])]


def surely(index: LayerIndex, query: str) -> list[Mapping[str, Any]]:
    """The layers that have everything a query says, by words, characters, full pinyin or what means the same.

    Slips, words only begun, broader and narrower things are left out: with them a layer may be meant, with these it is named.
    """
    groups = [[_certain(each) for each in terms] for terms in terms_of(query, index)]
    if len(groups) != 1 or not is_a_name(index, query):
        return []
    worth = [_points(index, each)[0] for each in groups[0]]
    places = set.intersection(*(set(each) for each in worth))
    return [index.layers[at] for at in sorted(places)] if any(each.strong for each in groups[0]) else []


def is_a_name(index: LayerIndex, query: str) -> bool:
    """Whether each word of a query says something of layers; "show schools", 关闭学校 and 街道A have one that does not."""
    said = sum(len(term.text) for terms in terms_of(query, index) for term in terms)
    return said >= sum(map(len, tokens(query)))


def _certain(term: Term) -> Term:
    kept = tuple(each for each in term.readings if each.quality >= _CERTAIN)
    return replace(term, readings=kept, parts=())


def _means_all(query: str) -> bool:
    """Whether a query is empty, or only says "all layers"."""
    words = tokens(query)
    return not query.strip() or (bool(words) and all(each in STOP or is_han(each) for each in words))


def _ranked(index: LayerIndex, groups: list[list[Term]], query: str) -> list[int]:
    points: dict[int, float] = {}
    good: set[int] = set(index.names.get(spelling(query), ()))
    for place in good:
        points[place] = _SAME_NAME
    for terms in groups:
        fitting, of_group = _fitting(index, terms)
        good |= fitting
        for place, worth in of_group.items():
            points[place] = points.get(place, 0.0) + worth
    least = _TAIL * max((points[at] for at in good), default=0.0)
    order = {at: -round(points[at], 6) for at in good if points[at] >= least}
    return sorted(sorted(order), key=order.__getitem__)


def _fitting(index: LayerIndex, terms: list[Term]) -> tuple[set[int], Worth]:
    """The layers that have enough of what the terms say, and the points of all layers."""
    if len(terms) == 1:
        only, shares = _points(index, terms[0])
        return {at for at in only if shares.get(at, 1.0) >= COVERED - _EPSILON}, only
    points: Worth = {}
    covered: Worth = {}
    strong: set[int] = set()
    for term in terms:
        worth, shares = _points(index, term)
        weight = term.weight
        for place, value in worth.items():
            points[place] = points.get(place, 0.0) + weight * value
            covered[place] = covered.get(place, 0.0) + weight * shares.get(place, 1.0)
        if term.strong:
            strong.update(worth)
    least = COVERED * sum(each.weight for each in terms) - _EPSILON
    needs_strong = any(each.strong for each in terms)
    return {at for at, share in covered.items() if share >= least and (at in strong or not needs_strong)}, points


def _points(index: LayerIndex, term: Term) -> tuple[Worth, Worth]:
    """The points of each layer for one term (its best reading, or its parts together), and how much of the term it has.

    A layer that has all of it is not named in the second.
    """
    best: Worth = {}
    for reading in term.readings:
        quality = reading.quality
        for place, worth in index.worth(reading.kind, reading.value).items():
            value = quality * worth
            if value > best.get(place, 0.0):
                best[place] = value
    shares: Worth = {}
    if term.parts:
        _take_parts(best, shares, index, term.parts)
    return best, shares


def _take_parts(best: Worth, shares: Worth, index: LayerIndex, parts: tuple[Term, ...]) -> None:
    """Layers that have the parts of a term apart, where that is worth more."""
    found = [(part.weight, *_points(index, part)) for part in parts]
    weight = sum(each.weight for each in parts)
    for place in set().union(*(worth for _, worth, _ in found)):
        value = _PARTS * sum(each * worth.get(place, 0.0) for each, worth, _ in found) / weight
        if value > best.get(place, 0.0):
            best[place] = value
            shares[place] = sum(each * got.get(place, 1.0) for each, worth, got in found if place in worth) / weight


def rank_layers(layers: Sequence[Mapping[str, Any]], query: str, kind: str = "any") -> list[Mapping[str, Any]]:
    """``search`` over a list that is searched once."""
    return search(LayerIndex(layers), query, kind)


def warm_up() -> None:
    """Load what a first search would else wait for: rapidfuzz, pypinyin, opencc and the glossary."""
    index = LayerIndex([{"layer_id": "学校", "kind": "point"}])
    for query in ("xuexiao", "xuexiaoo", "學效", "skool"):
        search(index, query)
