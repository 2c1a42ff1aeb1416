"""Whether an answer says that something was not done: words of English and Chinese.

It decides nothing by itself: a refusal counts only together with an unchanged map and unwritten files.
"""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"(?<![a-z])(?:no|not|none|nothing|neither|nor|cannot|can't|couldn't|could not|isn't|aren't|doesn't|don't|didn't|won't"
    r"|unable|unsupported|unavailable|unknown|without|missing|refused?|denied|forbidden|zero|empty|impossible|lacks?|fail(?:s|ed)?)"
    r"(?![a-z])"
    r"|没有|没能|没找到|未找到|未能|无法|不能|不可|不支持|不存在|不允许|不在|不会|不含|不提供|缺少|拒绝|禁止|失败|无此|为空|找不到|办不到|做不到"
)


def says_no(answer: str) -> bool:
    """Whether the answer says no in so many words."""
    return _WORDS.search(answer.casefold().replace("\u2019", "'")) is not None
