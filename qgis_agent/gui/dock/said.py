"""One place for each message: whether a sentence is said already by another part of the same run."""

from __future__ import annotations

_END = " .。!！:：;；"


def is_said(sentence: str, *texts: str) -> bool:
    """Whether one of ``texts`` has the sentence, whatever its blanks and its last mark. An empty sentence is never said."""
    wanted = _plain(sentence).rstrip(_END)
    return bool(wanted) and any(wanted in _plain(each) for each in texts)


def without(text: str, sentence: str) -> str:
    """``text`` without the sentence at its beginning; all of it when it begins otherwise or nothing else would be left."""
    start = sentence.strip()
    rest = text.strip()[len(start) :].lstrip(_END) if start and text.strip().startswith(start) else ""
    return rest or text


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
