"""All rules of the offline grammar in their order, and the examples that a person is shown.

Order matters only where several rules fit a clause equally well: the first one is taken. Rules of narrow words (labels,
opacity, filters) therefore stand before those that take any words (show, zoom).
"""

from __future__ import annotations

from .grammar import Rule
from .grammar_data import COUNT_RULES, ROW_RULES, SUMMARY_RULES
from .grammar_files import CHART_RULES, FILE_RULES, LAYOUT_RULES, MORE_ARRANGE_RULES
from .grammar_look import STYLE_RULES
from .grammar_map import ASK_RULES, SHOW_RULES, VIEW_RULES
from .grammar_near import NEAR_RULES
from .grammar_pick import ARRANGE_RULES, PICK_RULES
from .grammar_style import LOOK_RULES
from .text import LANGUAGES, Language

_GROUPS = (
    ASK_RULES,
    FILE_RULES,
    LAYOUT_RULES,
    CHART_RULES,
    MORE_ARRANGE_RULES,
    LOOK_RULES,
    NEAR_RULES,
    PICK_RULES,
    ARRANGE_RULES,
    STYLE_RULES,
    COUNT_RULES,
    SUMMARY_RULES,
    ROW_RULES,
    VIEW_RULES,
    SHOW_RULES,
)
RULES: tuple[Rule, ...] = tuple(each for group in _GROUPS for each in group)
EXAMPLES: dict[Language, tuple[str, ...]] = {
    language: tuple(
        each.example
        for each in RULES
        if each.language == language and each.intent not in ("help", "undo", "colour_last", "look")
    )
    for language in LANGUAGES
}
