"""Handler of get_map_state."""

from __future__ import annotations

from ..call import Call
from ..work import Answer
from .registry import tool


@tool("get_map_state", effect="read")
def get_map_state(call: Call) -> Answer:
    """The same snapshot that chat is sent with each request, at most 1,200 characters."""
    return Answer(call.host.snapshot())
