"""Which packs a request points to: simple word rules, at most two packs. Wrong guesses cost a few tokens, no permission."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

MAX_INFERRED = 2

_TRIGGERS: Mapping[str, tuple[str, ...]] = {
    # Latin words match as whole words (with a plural s), Chinese ones anywhere.
    "vector": (
        "buffer", "buffered", "density", "densities", "per km", "per km2", "per km²", "per sq", "per square", "within", "inside each",
        "in each", "per polygon", "per district", "per street", "by district", "by street", "average", "mean", "sum of",
        "缓冲", "密度", "统计", "每平方公里", "每个街道", "各街道", "各区", "每个区",
        "范围内", "周边", "半径", "平均", "汇总", "总和", "分布",
    ),
    "write": ("export", "save as", "save to", "write to a file", "导出", "另存", "保存为", "输出为"),
}  # fmt: skip


def infer_tool_packs_for_text(text: str, offered: Collection[str]) -> list[str]:
    """The packs that the words of a request point to, of those ``offered``: most hits first, at most two."""
    lowered = text.casefold()
    hits = {pack: sum(_found(word, lowered) for word in words) for pack, words in _TRIGGERS.items() if pack in offered}
    ranked = sorted((pack for pack, count in hits.items() if count), key=lambda pack: (-hits[pack], pack))
    return ranked[:MAX_INFERRED]


def _found(word: str, text: str) -> bool:
    if not word[0].isascii():
        return word in text
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}s?(?![a-z0-9])", text) is not None
