"""When the markup of a call is talked about and not meant as one: the person asks for it, or the sentence before says so."""

from __future__ import annotations

import re

_NEAR = 240
"""Characters before a call that are looked at."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_REFUSED = re.compile(
    r"\b(?:will\s+not|won['’]t|can\s?not|can['’]t|must\s+not|mustn['’]t|should\s+not|shouldn['’]t|do\s+not|don['’]t|"
    r"did\s+not|didn['’]t|never|refuse\s+to|not\s+going\s+to|unable\s+to|(?:not|n['’]t)\s+allowed\s+to)\s+(?:\w+\s+){0,2}"
    r"(?:run|execute|call|invoke|make|perform|send|issue)\b"
    r"|\bwould\s+(?:have\s+)?(?:been|look|run|called?|sent)\b"
    r"|(?:不会|不能|不可以|不应该?|不要|不得|不予|拒绝|无法|没有)(?:再|去|帮你|为你|替你|直接){0,2}(?:执行|运行|调用|发出|发送)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"(?:\bfor\s+(?:example|instance)|\be\.g\.|\bsuch\s+as|\blooks?\s+like|\ban?\s+example(?:\s+call)?|\bexample"
    r"|\bthe\s+(?:format|syntax)\s+is|例如|比如|示例|例子|像这样|形如|(?:格式|语法|写法)(?:如下|是|为))"
    r"[\s,:，：]*(?:this|that|the\s+following|follows|如下|的)?[\s.:：]*$",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"</?\s*(?:tool_calls?|function_calls|function\s*=|invoke\b|parameter\b)|dsml|\btool[_ -]calls?[_ ]?"
    r"(?:tags?|format|markup|syntax|xml|json)\b|\bfunction[- ]call(?:ing)?\s+(?:tags?|format|markup|syntax|xml|json)\b"
    r"|(?:工具|函数)调用(?:的)?(?:格式|标记|标签|语法|写法|文本|原文)",
    re.IGNORECASE,
)


def literal_wanted(user_text: str) -> bool:
    """Whether the person's own words speak of such markup: then an answer that shows it is text."""
    return _MARKUP.search(user_text) is not None


def only_mentioned(before: str) -> bool:
    """Whether the sentence that leads to a call says that it is not run, or that it is an example."""
    sentence = _SENTENCE_ENDS.split(before[-_NEAR:].rstrip())[-1]
    return _REFUSED.search(sentence) is not None or _EXAMPLE.search(sentence) is not None
