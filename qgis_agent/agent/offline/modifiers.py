"""What a colouring can carry along, anywhere in its sentence: number of classes, way of classifying, palette, reversal."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .text import NUMBER, number
from .words import CLASSIFICATIONS, PALETTES

_COLOURING = re.compile(
    r"colou?r|shade|style|classif|graduat|grade|render|symboli|categor|paint|heat ?-?map|热力|热图|彩色|分色|设色|着色|上色|分级|渲染|填色|配色|"
    rf"\bby\b.{{1,60}}\b{NUMBER} (?:classes|bins)\b|分类|分(?:成|为)?\s*{NUMBER}\s*[级类档]",
    re.IGNORECASE,
)
_SPLIT_INTO = re.compile(rf"分(?:成|为)?\s*(?P<n>{NUMBER})\s*个?(?:级别?|类|档|等级)")
_CLASSES = re.compile(
    rf"(?:(?:\b(?:with|in|into|using)\s+)?\b(?P<en>{NUMBER})\s+(?:classes|class|groups|levels|bins)\b|(?P<zh>{NUMBER})\s*个?(?:级别?|类|档|等级))",
    re.IGNORECASE,
)
_REVERSED = re.compile(r"\b(?:reversed|inverted)\b|反转(?:色带|颜色)?|颜色反转", re.IGNORECASE)


@dataclass(frozen=True)
class Modifiers:
    """Settings of a colouring that were said; None and False where nothing was."""

    classes: int | None = None
    classification: str | None = None
    palette: str | None = None
    reverse: bool = False


def take_modifiers(sentence: str) -> tuple[str, Modifiers]:
    """The sentence without its modifiers, and the modifiers. Sentences that colour nothing stay as they are."""
    if not _COLOURING.search(sentence):
        return sentence, Modifiers()
    rest, classes = _take_classes(sentence)
    rest, classification = _take_named(
        rest,
        CLASSIFICATIONS,
        r"(?:\b(?:with|using|by|in)\s+|(?:[使采]?用|按)\s*)?",
        r"(?:\s*(?:classification|method|分级法|分类法))?",
    )
    rest, palette = _take_named(
        rest,
        PALETTES,
        r"(?:\b(?:with|using|in)\s+)?(?:\bthe\s+)?(?:palette\s+)?(?:[使采]?用\s*)?",
        r"(?:\s*(?:palette|ramp|colou?rs|色带|配色))?",
    )
    rest, turned = _REVERSED.subn("", rest)
    rest = re.sub(r",\s*分级$", "", rest)
    rest = re.sub(r"\s*,(?:\s*(?:and\b|,))*\s*", ",", rest)
    rest = re.sub(r"\s+(?:and|with|in|using)$", "", rest.strip(" ,"), flags=re.IGNORECASE)
    return " ".join(rest.strip(" ,").split()), Modifiers(classes, classification, palette, bool(turned))


def _take_classes(sentence: str) -> tuple[str, int | None]:
    for pattern, instead in ((_SPLIT_INTO, "分级"), (_CLASSES, "")):
        found = pattern.search(sentence)
        if found is None:
            continue
        said = next(each for each in found.groups() if each)
        value = number(said)
        if value is None or value != int(value):
            continue
        return sentence[: found.start()] + instead + sentence[found.end() :], int(value)
    return sentence, None


def _take_named(
    sentence: str, table: tuple[tuple[str, str, str], ...], before: str, after: str
) -> tuple[str, str | None]:
    for name, english, chinese in table:
        words = rf"(?<![A-Za-z])(?:{english})(?![A-Za-z])" + (f"|{chinese}" if chinese else "")
        found = re.search(f"{before}(?:{words}){after}", sentence, re.IGNORECASE)
        if found is not None:
            left, right = sentence[: found.start()], sentence[found.end() :]
            # A way of classifying can be all that stands between "by area" and the verb in Chinese: 按面积分位数分色.
            return left + " " * bool(left.isascii()) + right, name
    return sentence, None
