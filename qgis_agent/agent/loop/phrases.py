"""What a text without calls says of itself, in English and Chinese: that its writer will do something, or that a tool is missing."""

from __future__ import annotations

import re

_MISS = re.compile(
    r"(?:没有|不存在|无法(?:使用|调用|找到)|缺少|缺乏|不支持|未提供|找不到).{0,12}(?:工具|功能)"
    r"|工具.{0,8}(?:不可用|不存在|没有提供|无法使用|缺失)"
    r"|\b(?:no|not have|don't have|doesn't have|without|lack|lacks|missing|can't find|cannot find|not find)\b.{0,30}"
    r"\b(?:tools?|capability|functionality)\b(?! ?(?:sheds?|shops?|stores?|box))"
    r"|\btools?\b.{0,20}\b(?:unavailable|not available|missing|not provided|does not exist|doesn't exist)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:我将|我会|我来|我要|我先|让我|接下来|现在我|下面我|马上|^正在|稍等|请稍候|首先我)"
    r"|\b(?:i will|i'll|i am going to|i'm going to|let me|let's|i need to|i should|first,? i|next,? i|now i|one moment|hold on)\b",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(
    r"[?？]|已经?|完成|如果|若需|无法|不能|没有|抱歉|结果|共有|总结|综上"
    r"|\b(?:done|finished|completed|cannot|can't|not|unable|sorry|if you|results?|summar\w*|here (?:is|are)|was"
    r"|were|has been|have been|there (?:is|are))\b",
    re.IGNORECASE,
)
_MAX_ANNOUNCEMENT = 400
_MAX_MISS_TEXT = 4000


def announces_only(text: str) -> bool:
    """Whether a text says only what its writer is going to do: short, no result, no question, no refusal, no condition."""
    plain_text = text.strip()
    if not plain_text or len(plain_text) > _MAX_ANNOUNCEMENT:
        return False
    return _ANNOUNCES.search(plain_text) is not None and _SAYS_MORE.search(plain_text) is None


def misses_a_tool(text: str) -> bool:
    """Whether a text says that a tool is missing or not available."""
    return _MISS.search(text[:_MAX_MISS_TEXT]) is not None
