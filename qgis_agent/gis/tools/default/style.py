"""Handlers of the pack "default": a layer's look as a document."""

from __future__ import annotations

from ...call import Call
from ...style.document import style_document
from ...work import Answer
from ..registry import tool


@tool("get_style", effect="read")
def get_style(call: Call, layer_id: str, part: str = "all", cursor: int = 0) -> Answer:
    """The style document of a layer, in pages where it has many classes."""
    layer = call.layer(layer_id)
    return Answer(style_document(call.host, layer, part, cursor))
