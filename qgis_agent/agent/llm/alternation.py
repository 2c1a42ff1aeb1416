"""For servers whose chat template wants the person and the assistant in turn: Mistral's and Gemma's, wherever they run.

Such a template refuses two messages of one role in a row, more than one system message, and words of the person right behind
results of tools (to it calls and results are no turn of the assistant). Pure; nothing is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..context.sanitize import merge_neighbours

Message = dict[str, Any]
RESULTS_ABOVE = "(The results are above.)"
"""Said in the assistant's place between results and the words that follow them."""


def in_turn(messages: Sequence[Message], whole: Callable[[Message], bool]) -> list[Message]:
    """The messages with their roles in turn. A message that must stay ``whole`` (it carries what was signed) is not joined."""
    spaced: list[Message] = []
    for message in joined_system(messages):
        if message.get("role") == "user" and spaced and spaced[-1].get("role") == "tool":
            spaced.append({"role": "assistant", "content": RESULTS_ABOVE})
        spaced.append(message)
    return merge_neighbours(spaced, whole)[0]


def joined_system(messages: Sequence[Message]) -> list[Message]:
    """The system messages at the start as one."""
    count = next((at for at, each in enumerate(messages) if each.get("role") != "system"), len(messages))
    if count < 2:
        return list(messages)
    text = "\n\n".join(str(each.get("content") or "") for each in messages[:count])
    return [{"role": "system", "content": text}, *messages[count:]]


def has_neighbours(messages: Sequence[Message]) -> bool:
    """Whether ``in_turn`` could change something: what a server that complains of the roles may mean."""
    roles = [each.get("role") for each in messages]
    pairs = list(zip(roles, roles[1:]))
    return any(one == other != "tool" or (one, other) == ("tool", "user") for one, other in pairs)
