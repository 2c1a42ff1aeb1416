"""What a rule of the offline grammar is: patterns with named places, and the command that they make.

A pattern must match a whole clause. In patterns ``{layer}``, ``{place}``, ``{field}`` … stand for the named groups below.
What the words mean (which layer, which field) is decided by the plans; ``parser.py`` chooses between rules that fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from .modifiers import Modifiers
from .text import NUMBER, Language
from .words import COLOURS, METRES

_UNITS = "|".join(sorted(METRES, key=len, reverse=True))
_COLOUR_NAMES = "|".join(sorted((re.escape(each) for each in COLOURS), key=len, reverse=True))
_COLOUR_ZH = "(?:分级设色|分级显示|分级|分色|设色|着色|上色|渲染|填色|配色|显示颜色)(?:显示|设色|渲染|着色|一下|图)?"
_CATEGORY_ZH = "(?:分类)(?:显示|渲染|设色|着色|分色|上色)?"
_GROUPS = {
    "{layer}": r"(?P<layer>[^;。]{1,80}?)",
    "{layers}": r"(?P<layers>[^;。]{1,160}?)",
    "{what}": r"(?P<layer>[^;。,]{1,80}?)",
    "{other}": r"(?P<other>[^;。,]{1,80}?)",
    "{by}": r"(?P<by>[^;。,]{1,80}?)",
    "{place}": r"(?P<place>[^;。]{1,80}?)",
    "{area}": rf"(?P<place>(?:(?!{NUMBER}\s*(?:{_UNITS})(?![a-z]))[^;。]){{1,80}}?)",
    "{place2}": r"(?P<place2>[^;。]{1,80}?)",
    "{field}": r"(?P<field>[^;。,]{1,60}?)",
    "{order}": r"(?P<order>[^;。,]{1,60}?)",
    "{where}": r"(?P<where>[^;。]{1,120}?)",
    "{glued}": r"(?P<glued>[^;。,]{2,80}?)",
    "{path}": r"(?P<path>\S.{0,199}?)",
    "{name}": r"(?P<name>\S.{0,79}?)",
    "{n}": rf"(?P<n>{NUMBER})",
    "{percent}": rf"(?P<n>{NUMBER})\s*(?P<percent>%|percent|per cent)?",
    "{distance}": rf"(?P<n>{NUMBER})\s*(?P<unit>{_UNITS})?",
    "{colour}": rf"(?P<colour>#[0-9a-f]{{6}}|(?:{_COLOUR_NAMES}))",
    "{mw}": "[个所家座条处片栋名位间张]?",
    "{many}": "(?:总共|一共|共)?有?(?:多少|几)[个所家座条处片栋名位间]?",
    "{look}": "(?:查一下|查询|查查|查|看看|看一下|统计一下|统计|分析一下|分析|计算一下|计算|算一下|算算|数一下|数数)",
    "{in}": "(?:里面|里边|里|内|中|范围内|境内)?",
    "{tozh}": "(?:按照|按|根据|依据|依|用)",
    "{ba}": "(?:把|将|给|对|让)?",
    "{colourzh}": _COLOUR_ZH,
    "{categoryzh}": _CATEGORY_ZH,
    "{draw}": "(?:colou?r|shade|style|classify|render|symboli[sz]e|paint|draw|display|show|grade|graduate|map)",
    "{list}": "(?:show|list|give|get|find|query|display)(?: me)?(?: the)?",
}


@dataclass(frozen=True)
class Rule:
    """A kind of sentence: what it asks for, in which language, an example that it matches, its patterns.

    ``needs`` are bits of text of which a clause must have one, or no pattern can match: they spare the patterns their work.
    """

    intent: str
    language: Language
    example: str
    needs: tuple[str, ...]
    texts: tuple[str, ...]

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The compiled patterns; compiled when a clause first needs them, because there are hundreds."""
        return tuple(re.compile(_filled(each), re.IGNORECASE) for each in self.texts)

    def matches(self, clause: str) -> Iterator[re.Match[str]]:
        """The match of each pattern that fits all of ``clause``, in order."""
        lowered = clause.casefold()
        if not self.needs or any(each in lowered for each in self.needs):
            yield from (found for pattern in self.patterns if (found := pattern.fullmatch(clause)) is not None)


@dataclass(frozen=True)
class Command:
    """A clause that was understood: the intent and the words in its places."""

    intent: str
    language: Language
    clause: str
    words: dict[str, str]
    where: str = ""
    modifiers: Modifiers = field(default_factory=Modifiers)
    several: tuple[str, ...] = ()
    """The single names of ``layers``, where the words were parted with names of layers kept whole."""


def rule(intent: str, language: Language, example: str, needs: str, *patterns: str) -> Rule:
    """A rule; ``needs`` is parted by "|", lower case, and "" for none."""
    return Rule(intent, language, example, tuple(needs.split("|")) if needs else (), patterns)


def _filled(pattern: str) -> str:
    for name, group in _GROUPS.items():
        pattern = pattern.replace(name, group)
    return pattern
