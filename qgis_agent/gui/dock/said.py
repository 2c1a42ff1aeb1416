"""One place for each message, in words for the person: what another part of the same run says already, what is meant for a model."""

from __future__ import annotations

import re
from typing import Any, Dict

from ...gis.i18n import translate
from ...gis.progress import progress_texts

_END = " .。!！:：;；"
_SENTENCE = re.compile(r"(?<=[。！？])\s*|(?<=[.!?])\s+")
_PROGRAM_WORD = re.compile(r"(?<![\w.])[a-z]+(?:_[a-z]+)+(?!\w|\.\w)|\bdata\.[a-z_]+")
_OFFLINE_FAILURES = ("not_understood", "tool_failed")


def is_said(sentence: str, *texts: str) -> bool:
    """Whether one of ``texts`` has the sentence, whatever its blanks and its last mark. An empty sentence is never said."""
    wanted = _plain(sentence).rstrip(_END)
    return bool(wanted) and any(wanted in _plain(each) for each in texts)


def without(text: str, sentence: str) -> str:
    """``text`` without the sentence at its beginning; all of it when it begins otherwise or nothing else would be left."""
    start = sentence.strip()
    rest = text.strip()[len(start) :].lstrip(_END) if start and text.strip().startswith(start) else ""
    return rest or text


def for_person(hint: str) -> str:
    """A hint without the sentences that only a model can follow: they name a tool, or a part of its result."""
    kept = [each for each in _SENTENCE.split(hint) if each and not _names_program(each)]
    return "".join(each if each[-1] in "。！？" else each + " " for each in kept).strip()


def adds_nothing(error: Dict[str, Any], answer: str) -> bool:
    """Whether the message of an error only repeats that the answer, in words of the offline commands, is a refusal."""
    return bool(answer) and error.get("reason") in _OFFLINE_FAILURES


def has_options(error: Dict[str, Any]) -> bool:
    """Whether an error brings what can be chosen instead: the run's question offers it."""
    data = error.get("data")
    return isinstance(data, dict) and bool(data.get("options"))


def to_person(message: str) -> str:
    """The message of a failed call, said to the one who made it fail: it was written for the model."""
    if message == translate("QgisAgent", "The person cancelled this step."):
        return translate("QgisAgent", "You cancelled this step.")
    return message


def _names_program(sentence: str) -> bool:
    tools = progress_texts()
    return any(each.startswith("data.") or each in tools for each in _PROGRAM_WORD.findall(sentence))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
