"""An independent reading of the chat protocol: what a strict provider would refuse. It shares no code with the program."""

from __future__ import annotations

import json
from typing import Any


def problem_of(messages: list[dict[str, Any]], *, alternating: bool = False) -> str | None:
    """Why a strict provider would refuse this history, or None. ``alternating``: it refuses neighbours of one role, too."""
    seen: set[str] = set()
    waiting: list[str] = []
    before = ""
    for message in messages:
        role = message["role"]
        if not before and role not in ("user", "system"):
            return "the person does not speak first"
        if role == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                return "a result without its call right before it"
            before = role
            continue
        if waiting:
            return "a call without result"
        if alternating and role == before:
            return f"two neighbours of the role {role}"
        for call in message.get("tool_calls") or []:
            problem = _problem_of_call(call, seen)
            if problem is not None:
                return problem
            waiting.append(call["id"])
        if role in ("user", "assistant") and not message.get("tool_calls") and not _has_text(message.get("content")):
            return "an empty message"
        before = "" if role == "system" else role
    return "a call without result" if waiting else None


def _problem_of_call(call: Any, seen: set[str]) -> str | None:
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return "a call that is none"
    if not call.get("id") or call["id"] in seen or not call["function"].get("name"):
        return "a call that cannot be told from another"
    seen.add(call["id"])
    try:
        value = json.loads(call["function"]["arguments"].encode("utf-8"))
    except (ValueError, AttributeError):
        return "arguments that are no JSON"
    return None if isinstance(value, dict) else "arguments that are no object"


def _has_text(content: Any) -> bool:
    return bool(content.strip()) if isinstance(content, str) else bool(content)
