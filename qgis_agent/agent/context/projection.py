"""What is sent of an append-only history: a summary for its beginning, skeletons for old results. Pure and deterministic.

The history itself is never rewritten. A ``Projection`` changes only when a compaction makes a new one, so that between two of
them the messages of one request begin with those of the request before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..llm.pictures import without_pictures
from ..llm.tokens import estimate_tokens
from .limits import TABLE, ContextLimits, Level
from .sanitize import call_ids, with_calls
from .skeleton import clipped_arguments, clipped_result, skeleton

Message = dict[str, Any]

CUT_MARK = "… [the rest of this earlier message is left out]"
EARLIER = "(Answered earlier; the summary of the conversation has it.)"


@dataclass(frozen=True)
class Projection:
    """How a history is shown.

    Messages before ``cut`` are represented by ``summary`` (section S3) but for the person's own. Results of the calls in
    ``pruned`` are shown as skeletons. Raw results and arguments before ``seen`` are held to the limits of ``level``.
    """

    summary: str = ""
    cut: int = 0
    pruned: frozenset[str] = frozenset()
    level: Level = "ok"
    seen: int = 0


def project(history: Sequence[Message], projection: Projection, limits: ContextLimits) -> list[Message]:
    """The messages to send, without the summary. ``cut`` moves back to the nearest place that parts no batch."""
    cut = safe_cut(history, projection.cut)
    live = _live(history, cut, projection)
    head = _persons_words(history[:cut], limits.user_tokens)
    if head and live and live[0].get("role") == "user":
        head.append({"role": "assistant", "content": EARLIER})
    return head + live


def boundaries(history: Sequence[Message]) -> list[int]:
    """Every index at which the history can be cut so that a call and its results stay on one side, ascending, with 0."""
    last_use = _last_uses(history)
    places = [0]
    open_until = -1
    for at, message in enumerate(history):
        open_until = max([open_until, *(last_use[ident] for ident in call_ids(message))])
        if open_until <= at:
            places.append(at + 1)
    return places


def _last_uses(history: Sequence[Message]) -> dict[str, int]:
    """Where each call was last answered; a call that still waits for its result, in the last batch, counts as open."""
    uses: dict[str, int] = {}
    waiting: set[str] = set()
    for at, message in enumerate(history):
        if message.get("role") == "tool":
            ident = str(message.get("tool_call_id"))
            waiting.discard(ident)
            if ident in uses:
                uses[ident] = at
            continue
        waiting = set(call_ids(message))
        for ident in waiting:
            uses.setdefault(ident, at)
    return {**uses, **dict.fromkeys(waiting, len(history))}


def safe_cut(history: Sequence[Message], cut: int) -> int:
    """The last boundary that is not behind ``cut``."""
    if cut <= 0:
        return 0
    if cut <= len(history) and _parts_nothing(history, cut):
        return cut
    return max(each for each in boundaries(history) if each <= cut)


def _parts_nothing(history: Sequence[Message], cut: int) -> bool:
    """A quick reading of what is behind the cut and of the batch before it; True is always right."""
    called: set[str] = set()
    for message in history[cut:]:
        if message.get("role") == "tool" and message.get("tool_call_id") not in called:
            return False
        called.update(call_ids(message))
    answered: set[str] = set()
    at = cut - 1
    while at >= 0 and history[at].get("role") == "tool":
        answered.add(str(history[at].get("tool_call_id")))
        at -= 1
    return at < 0 or answered.issuperset(call_ids(history[at]))


def tool_names(history: Sequence[Message]) -> dict[str, str]:
    """The name of the tool by the id of its call."""
    return {
        str(call["id"]): str(call["function"].get("name"))
        for message in history
        for call in message.get("tool_calls") or ()
        if isinstance(call, dict) and call.get("id") and isinstance(call.get("function"), dict)
    }


def _live(history: Sequence[Message], cut: int, projection: Projection) -> list[Message]:
    if not projection.pruned and not projection.seen:
        return list(history[cut:])
    allowed = TABLE[projection.level]
    names = tool_names(history[cut:]) if projection.pruned or projection.seen > cut else {}
    shown: list[Message] = []
    for at, message in enumerate(history[cut:], start=cut):
        role = message.get("role")
        if role == "tool":
            shown.append(
                _result(message, names, projection, allowed.tool_result_chars if at < projection.seen else None)
            )
        elif role == "assistant" and at < projection.seen and message.get("tool_calls") and not message.get("echo"):
            shown.append(_call(message, allowed.code_chars))
        else:
            shown.append(message)
    return shown


def _result(message: Message, names: dict[str, str], projection: Projection, limit: int | None) -> Message:
    content = message.get("content")
    ident = str(message.get("tool_call_id"))
    if not isinstance(content, str):
        return message
    tool = names.get(ident, "")
    if ident in projection.pruned:
        return _with(message, skeleton(content, tool, ident))
    return message if limit is None else _with(message, clipped_result(content, limit, tool, ident))


def _call(message: Message, limit: int) -> Message:
    """A message whose calls carry no text over the limit. One with an ``echo`` never comes here: it is what was signed."""
    new = []
    for call in message["tool_calls"]:
        function = call.get("function") if isinstance(call, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(function, dict) and isinstance(arguments, str) and len(arguments) > limit:
            call = {**call, "function": {**function, "arguments": clipped_arguments(arguments, limit)}}
        new.append(call)
    return message if new == message["tool_calls"] else with_calls(message, new)


def _with(message: Message, content: str) -> Message:
    return message if content == message["content"] else {**message, "content": content}


def _persons_words(head: Sequence[Message], budget: int) -> list[Message]:
    """The person's messages of the part that is summarised: verbatim, newest first while they fit; the last may be cut."""
    kept: list[Message] = []
    left = budget
    for message in reversed(head):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        text = content if isinstance(content, str) else ""
        cost = estimate_tokens(text)
        if cost > left:
            part = _beginning(text, left)
            if part:
                kept.append(without_pictures({**message, "content": part}))
            break
        left -= cost
        kept.append(without_pictures(message))
    return kept[::-1]


def _beginning(text: str, budget: int) -> str:
    """The beginning of a text in about ``budget`` tokens with a mark behind it; "" where that is not worth it."""
    room = budget - estimate_tokens(CUT_MARK)
    if room < 20:
        return ""
    length = int(len(text) * room / estimate_tokens(text))
    while length > 0 and estimate_tokens(text[:length]) > room:
        length -= max(1, length // 10)
    return text[:length] + CUT_MARK if length > 0 else ""
