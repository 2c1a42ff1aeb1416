"""Finds the algorithm for a task in words, English or Chinese: built once, then a search takes milliseconds.

What counts most are the words of ``task_words.json``, written by hand; then the words of an algorithm's own name, tags,
group and help, each the more the rarer it is.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Sequence, Set, Tuple

from qgis.core import Qgis, QgsApplication, QgsProcessingAlgorithm

from ..run.providers import load_providers

WORDS_PATH = Path(__file__).with_name("task_words.json")
_CHINESE = "\u3400-\u9fff"
_WORD = re.compile(r"[a-z0-9]+|[{}]+".format(_CHINESE))
_STOP = frozenset(
    "a an and are as at be between by can do does for from get give how i in into make create is it its me my of on or that the their "
    "this to want what where which with each every all".split()
)
_ENDINGS = (
    "izations",
    "ization",
    "isation",
    "ations",
    "ation",
    "ings",
    "ing",
    "ions",
    "ion",
    "ies",
    "ed",
    "es",
    "er",
    "e",
    "s",
)
_PROVIDERS = {"native": 0.4, "qgis": 0.35, "qgisagent": 0.35, "gdal": 0.2}
"""A little more for what needs no other program, where the rest is equal."""
_HIDDEN = -6.0
_PHRASE, _NAME, _TAG, _GROUP, _HELP = 3.0, 2.0, 1.2, 0.4, 0.25
_PER_CHARACTER, _APART, _SCATTERED = 2.2, 0.6, 0.35
MAX_HELP = 400


class Found(NamedTuple):
    """An algorithm that fits, with how well."""

    algorithm: str
    score: float


class _Entry(NamedTuple):
    algorithm: str
    plain_name: str
    phrases: Tuple[FrozenSet[str], ...]
    texts: Tuple[str, ...]
    """Chinese phrases."""
    weights: Dict[str, float]
    bonus: float


class AlgorithmIndex:
    """All algorithms of the registry as they were when it was made."""

    def __init__(self, algorithms: Sequence[QgsProcessingAlgorithm]) -> None:
        words: Dict[str, str] = task_words()["words"]
        self._entries = [_entry(each, words.get(each.id(), "")) for each in algorithms]
        seen = Counter(word for each in self._entries for word in {*each.weights, *_all_words(each.phrases)})
        self._rarity = {word: math.log(1 + len(self._entries) / count) for word, count in seen.items()}

    def search(self, query: str, limit: int) -> List[Found]:
        """The best ones, best first; only those of which something fits."""
        words, text = frozenset(tokens(query)), "".join(re.findall("[{}]".format(_CHINESE), query))
        plain = re.sub(r"[\W_]+", "", query).casefold()
        scored = [Found(each.algorithm, self._score(each, words, text, plain)) for each in self._entries]
        fitting = [each for each in scored if each.score > 1.0]
        return sorted(fitting, key=lambda each: (-each.score, each.algorithm))[:limit]

    def _score(self, entry: _Entry, words: FrozenSet[str], text: str, plain: str) -> float:
        phrases = [self._phrase(each, words) for each in entry.phrases]
        chinese = [_PER_CHARACTER * len(each) * _likeness(each, text) for each in entry.texts] if text else []
        best = sorted(phrases + chinese, reverse=True)[:2]
        score = sum(value * factor for value, factor in zip(best, (1.0, 0.3)))
        score += sum(weight * self._rarity.get(word, 0) for word, weight in entry.weights.items() if word in words)
        if plain and plain in (entry.plain_name, re.sub(r"[\W_]+", "", entry.algorithm)):
            score += 50.0
        return score + entry.bonus if score > 0 else 0.0

    def _phrase(self, phrase: FrozenSet[str], words: FrozenSet[str]) -> float:
        """How much of a phrase is asked for: all of it counts most, half of it little."""
        total = sum(self._rarity.get(each, 0) for each in phrase)
        there = sum(self._rarity.get(each, 0) for each in phrase if each in words)
        return _PHRASE * there * (there / total) ** 2 if total else 0.0


def task_words() -> Dict[str, Dict[str, str]]:
    """The file: "words" by algorithm, and "tools": the tool of ours that does it better, by algorithm."""
    if not _WORDS:
        _WORDS.update(json.loads(WORDS_PATH.read_text(encoding="utf-8")))
    return _WORDS


_WORDS: Dict[str, Any] = {}
_BUILT: Dict[str, Any] = {}


def index() -> AlgorithmIndex:
    """The index of the algorithms that there are now; made anew when providers have come or gone."""
    load_providers()
    algorithms = QgsApplication.processingRegistry().algorithms()
    known = hash(tuple(each.id() for each in algorithms))
    if _BUILT.get("of") != known:
        _BUILT.update(of=known, index=AlgorithmIndex(algorithms))
    built: AlgorithmIndex = _BUILT["index"]
    return built


def tokens(text: str) -> List[str]:
    """The words of a text, without endings; of Chinese each pair of characters."""
    found: List[str] = []
    for each in _WORD.findall(text.casefold()):
        if each[0] > "\u3000":
            found += [each[start : start + 2] for start in range(max(1, len(each) - 1))]
        elif each not in _STOP:
            found.append(stem(each))
    return found


def stem(word: str) -> str:
    """An English word without its ending: clipping, clips and clip are one."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4 - (ending == "s"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _entry(algorithm: QgsProcessingAlgorithm, words: str) -> _Entry:
    phrases = [each.strip() for each in words.split(";") if each.strip()]
    english = tuple(frozenset(tokens(each)) for each in phrases if each[0] < "\u3000")
    chinese = tuple(each for each in phrases if each[0] >= "\u3000")
    weights: Dict[str, float] = {}
    help_text = re.sub(r"<[^>]*>", " ", algorithm.shortHelpString() or "")[:MAX_HELP]
    for text, weight in (
        (help_text, _HELP),
        (algorithm.group(), _GROUP),
        (" ".join(algorithm.tags()), _TAG),
        ("{} {}".format(algorithm.displayName(), algorithm.shortDescription()), _NAME),
    ):
        weights.update(dict.fromkeys(tokens(text), weight))
    flags = algorithm.flags()
    hidden = flags & (Qgis.ProcessingAlgorithmFlag.Deprecated | Qgis.ProcessingAlgorithmFlag.HideFromToolbox)
    bonus = _PROVIDERS.get(algorithm.provider().id(), 0.0) + (_HIDDEN if hidden else 0.0)
    return _Entry(algorithm.id(), algorithm.name().casefold(), english, chinese, weights, bonus)


def _likeness(phrase: str, text: str) -> float:
    """1 where a Chinese text holds the phrase; less where its characters stand there in order, not far apart; least where
    most of them are there at all."""
    if phrase in text:
        return 1.0
    if len(phrase) < 3:
        return 0.0
    if _in_order(phrase, text):
        return _APART
    share = sum(each in text for each in phrase) / len(phrase)
    return _SCATTERED * share if len(phrase) > 3 and share > 0.6 else 0.0


def _in_order(phrase: str, text: str) -> bool:
    place = first = -1
    for each in phrase:
        place = text.find(each, place + 1)
        if place < 0:
            return False
        first = place if first < 0 else first
    return place - first < 2 * len(phrase)


def _all_words(phrases: Iterable[FrozenSet[str]]) -> Set[str]:
    return {word for each in phrases for word in each}
