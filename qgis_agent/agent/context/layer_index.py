"""The texts of a catalogue, looked up by word, by concept, by characters and by sound. Made once for a catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .layer_sounds import Sounds, glossary_sounds
from .layer_words import Piece, glossary, pieces_of

ROLES: Mapping[str, float] = {"name": 10.0, "file": 7.0, "group": 5.0, "abstract": 4.0, "field": 4.0, "kind": 2.0}
"""What a match counts, by where it is."""
_KINDS = {"point": "point 点", "line": "line 线", "polygon": "polygon 面", "raster": "raster 栅格", "table": "table 表"}
_PART_OF_NAME = 0.2
"""The share of a match in a name that depends on how much of the name it is."""

Worth = dict[int, float]
"""By layer (its place in the catalogue) what a match of full trust is worth there: how much of a text, times its role."""
Hits = Iterable[tuple[int, float]]
"""Texts (their places in the index) with a match, and how many units of the text it is."""
_MOST_KEPT = 2000


@dataclass
class Text:
    """A text of the catalogue and the layers (their places) in which it stands."""

    role: str
    pieces: tuple[Piece, ...]
    units: float
    layers: list[int] = field(default_factory=list)


class LayerIndex:
    """The texts of the layers of one catalogue; does not change."""

    def __init__(self, layers: Sequence[Mapping[str, Any]]) -> None:
        self.layers = layers
        self.texts: list[Text] = []
        self.names: dict[str, list[int]] = {}
        self._words: dict[str, list[int]] = {}
        self._joined: dict[str, list[int]] = {}
        self._concepts: dict[int, dict[int, float]] = {}
        self._known: dict[tuple[str, object], Worth] = {}
        self._runs: dict[str, list[int]] = {}
        self._grams: dict[str, set[int]] = {}
        self._at: dict[tuple[str, str], int] = {}
        for place, layer in enumerate(layers):
            for role, text in texts_of(layer):
                if text:
                    self._add(role, text, place)

    def _add(self, role: str, text: str, place: int) -> None:
        at = self._at.get((role, text))
        if at is None:
            pieces = pieces_of(text)
            at = self._at[role, text] = len(self.texts)
            self.texts.append(Text(role, pieces, sum(each.units for each in pieces) or 1.0))
            self._take_pieces(at, pieces)
        kept = self.texts[at].layers
        if not kept or kept[-1] != place:
            kept.append(place)
        if role == "name":
            self.names.setdefault(spelling(text), []).append(place)

    def _take_pieces(self, at: int, pieces: tuple[Piece, ...]) -> None:
        runs = ""
        for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
            for concept in piece.concepts:
                kept = self._concepts.setdefault(concept, {})
                kept[at] = kept.get(at, 0.0) + piece.units
            if piece.han:
                runs += piece.text if after is not None and after.han else f"{piece.text} "
                continue
            for word in dict.fromkeys(piece.words):
                self._words.setdefault(word, []).append(at)
        words = [word for piece in pieces if not piece.han for word in piece.words]
        if len(words) > 1:
            self._joined.setdefault("".join(words), []).append(at)
        for run in runs.split():
            self._runs.setdefault(run, []).append(at)
            for gram in {run[each : each + 2] for each in range(len(run) - 1)} | set(run):
                self._grams.setdefault(gram, set()).add(at)

    def prepare(self) -> None:
        """Make what is else made at first use: the sounds of Chinese names, and the lists that slips are looked up in."""
        _ = (self.all_words, self.all_sounds, self.all_runs)

    @cached_property
    def all_words(self) -> list[str]:
        """The words of the texts and of the glossary, sorted."""
        return sorted(self._words.keys() | self._joined.keys() | glossary().by_word.keys())

    @cached_property
    def all_sounds(self) -> list[str]:
        """The full pinyin of the Chinese names and of the glossary's words, sorted."""
        return sorted({*self.sounds.all_spelled, *glossary_sounds()[0]})

    @cached_property
    def all_runs(self) -> list[str]:
        """The Chinese names and the glossary's words, sorted."""
        return sorted({*self.sounds.runs, *glossary().han_words})

    def has_word(self, word: str) -> bool:
        """Whether a text has this word."""
        return word in self._words or word in self._joined

    def has_characters(self, characters: str) -> bool:
        """Whether these characters stand together in a text."""
        return bool(self._with_characters(characters))

    @cached_property
    def sounds(self) -> Sounds:
        """How the Chinese names sound; made when it is first asked for."""
        return Sounds(self._runs_to_hear())

    def _runs_to_hear(self) -> Iterable[str]:
        heard = ("name", "file", "group", "field")
        return (run for run, at in self._runs.items() if any(self.texts[each].role in heard for each in at))

    def worth(self, kind: str, value: Any) -> Worth:
        """What a reading (word, words, concept, characters, run) is worth for each layer. Kept: broad words match thousands."""
        found = self._known.get((kind, value))
        if found is None:
            looked_up: dict[str, Callable[[Any], Hits]] = {
                "word": self._word,
                "words": self._all_words,
                "concept": self._concept,
                "characters": self._characters,
                "run": self._run,
            }
            found = self._by_layer(looked_up[kind](value))
            if len(self._known) < _MOST_KEPT:
                self._known[kind, value] = found
        return found

    def _by_layer(self, hits: Hits) -> Worth:
        best: Worth = {}
        for at, units in hits:
            text = self.texts[at]
            worth = ROLES[text.role] * self._quality(text, units)
            for place in text.layers:
                if worth > best.get(place, 0.0):
                    best[place] = worth
        return best

    def _word(self, word: str) -> Hits:
        """Texts with a word, or all of whose words joined are it."""
        yield from ((at, 1.0) for at in self._words.get(word, ()))
        yield from ((at, self.texts[at].units) for at in self._joined.get(word, ()))

    def _all_words(self, words: tuple[str, ...]) -> Hits:
        """Texts with all of several words, in any order."""
        places = [set(self._words.get(each, ())) for each in words]
        return ((at, float(len(words))) for at in set.intersection(*places))

    def _concept(self, concept: int) -> Hits:
        """Texts in which a word of the concept stands."""
        return self._concepts.get(concept, {}).items()

    def _characters(self, characters: str) -> Hits:
        """Texts with these characters in a row; a single one only in names."""
        found = self._with_characters(characters)
        if len(characters) == 1:
            found = [at for at in found if self.texts[at].role == "name"]
        return ((at, len(characters) / 2) for at in found)

    def _run(self, part: tuple[str, int]) -> Hits:
        """Texts with this whole run of characters, of which so many count."""
        run, characters = part
        return ((at, characters / 2) for at in self._runs.get(run, ()))

    def _with_characters(self, characters: str) -> list[int]:
        if len(characters) < 2:
            return list(self._grams.get(characters, ()))
        sets = [self._grams.get(characters[each : each + 2], set()) for each in range(len(characters) - 1)]
        common = set.intersection(*sorted(sets, key=len))
        if len(characters) == 2:
            return list(common)
        return [at for at in common if any(characters in each for each in self._runs_of(at))]

    def _runs_of(self, at: int) -> list[str]:
        return "".join(each.text if each.han else " " for each in self.texts[at].pieces).split()

    @staticmethod
    def _quality(text: Text, units: float) -> float:
        """1 for all of a name; a part of one less. Elsewhere a part is as good as the whole."""
        if text.role != "name":
            return 1.0
        return 1.0 - _PART_OF_NAME * (1.0 - min(1.0, units / text.units))


def texts_of(layer: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """What is known of a layer, by role. A file name comes without its ending."""
    yield "name", str(layer["layer_id"])
    yield "name", str(layer.get("name", ""))
    yield "file", str(layer.get("file", "")).rpartition(".")[0] or str(layer.get("file", ""))
    yield "group", str(layer.get("group", ""))
    yield "abstract", str(layer.get("abstract", ""))
    yield "kind", _KINDS.get(str(layer.get("kind", "")), "")
    for each in layer.get("fields", ()):
        yield "field", str(each["name"])
        yield "field", str(each["alias"])


def spelling(text: str) -> str:
    """A whole text for comparing: its tokens without anything between them."""
    return "".join(word for piece in pieces_of(text) for word in piece.words)
