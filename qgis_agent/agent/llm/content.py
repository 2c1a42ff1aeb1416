"""The text of an answer while it streams: thoughts apart, tool calls that were written as text found, the rest shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from .text_calls import TextCallScanner
from .text_literal import literal_wanted


@dataclass(frozen=True)
class Content:
    """What the text came to. ``rest`` is the part of ``text`` that was not shown yet; ``calls`` are (name, JSON arguments);
    ``unknown`` are tools that well-formed calls named and nobody offered."""

    text: str
    rest: str
    thought: str
    calls: tuple[tuple[str, str], ...] = ()
    unreadable: bool = False
    unknown: tuple[str, ...] = ()


class ContentReader:
    """Reads one answer. Without ``offered`` tools nothing in the text is a call, and only thoughts are taken out.

    ``user_text`` are the words of the person: who asks to see the markup of a call gets to see it.
    """

    def __init__(self, offered: Collection[str], *, bare_json: bool = False, user_text: str = "") -> None:
        literal = not offered or literal_wanted(user_text)
        self._scanner = TextCallScanner(offered, bare_json=bare_json, literal_wanted=literal)

    def feed(self, delta: str) -> str:
        """The text that can be shown now."""
        return self._scanner.feed(delta) if delta else ""

    def finish(self, *, native_calls: bool) -> Content:
        """The end of the answer. With native calls beside it nothing in the text is a call; markup is taken out all the same."""
        found = self._scanner.finish()
        calls = () if native_calls else tuple((each.name, each.arguments_json) for each in found.calls)
        unknown = () if native_calls else tuple(dict.fromkeys(found.unknown))
        return Content(found.text, found.rest, found.reasoning, calls, found.unreadable and not native_calls, unknown)
