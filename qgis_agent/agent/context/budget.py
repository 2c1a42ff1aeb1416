"""How many tokens a request takes, for the ceiling, and what a person reads of a compaction."""

from __future__ import annotations

from .compaction import Compaction

_SENTENCES: dict[str, tuple[str, str]] = {
    "pruned": (
        "Older tool results were left out of the request: about {before} tokens became {after}.",
        "较早的工具结果已从请求中略去：约 {before} 个词元减至 {after} 个。",
    ),
    "summarised": (
        "The beginning of the conversation was summarised: about {before} tokens became {after}.",
        "对话的前面部分已压缩成摘要：约 {before} 个词元减至 {after} 个。",
    ),
    "fallback": (
        "The model could not summarise the beginning of the conversation, so a list of its steps stands in: about {before} "
        "tokens became {after}.",
        "模型未能生成摘要，已用步骤清单代替对话的前面部分：约 {before} 个词元减至 {after} 个。",
    ),
    "stuck": (
        "The conversation cannot be made much smaller: it takes about {after} of {usable} tokens, of which the instructions "
        "and tools alone take {floor}. Start a new conversation, show fewer tool packs, or choose a model with a longer context.",
        "对话已无法再明显压缩：约占 {usable} 个词元中的 {after} 个，其中仅指令和工具就占 {floor} 个。"
        "请新建对话、减少启用的工具包，或换用上下文更长的模型。",
    ),
}
_DROPPED = (
    " {dropped} of your oldest instructions (never …, always …) are not kept word for word any more; say again what still holds.",
    "您最早的 {dropped} 条要求（不要……、必须……）已不再逐字保留；仍然有效的请再说一遍。",
)


def compaction_text(outcome: Compaction, usable: int, language: str) -> str:
    """What a person reads of a compaction, in "en" or "zh"; "" where nothing was done. ``usable``: tokens of the limits."""
    pair = _SENTENCES.get(outcome.kind)
    if pair is None:
        return ""
    at = 1 if language == "zh" else 0
    text = pair[at].format(before=outcome.before, after=outcome.after, usable=usable, floor=outcome.floor)
    return text + (_DROPPED[at].format(dropped=outcome.dropped) if outcome.dropped else "")
