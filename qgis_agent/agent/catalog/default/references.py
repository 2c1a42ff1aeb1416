"""Contracts of the pack "default" that find layers: by words of names, and by words that point back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract, Limit


class SearchLayers(Arguments):
    """Arguments of search_layers."""

    query: Annotated[
        str,
        Field(
            max_length=120,
            description="Words, in any language; empty lists all.",
        ),
    ]
    kind: Literal["any", "point", "line", "polygon", "raster", "table", "other"] = "any"
    limit: Limit = 10


class ResolveReference(Arguments):
    """Arguments of resolve_reference."""

    text: Annotated[
        str, Field(min_length=1, max_length=80, description="The person's words.", json_schema_extra=plain("string"))
    ]


CONTRACTS = (
    Contract(
        "search_layers", "default", "agent", "read",
        "Find layers by words (name, group, abstract, fields, file). Use it first, for a layer_id; not for features. Returns the "
        "best with kind, fields, visibility.",
        SearchLayers, "Looking for layers: {query}", parallel=True,
    ),
    Contract(
        "resolve_reference", "default", "agent", "read",
        "Which layer pointing words mean: 刚才那个图层, it, the result, the top layer; not for names (search_layers). Returns "
        "layer_id and why, never a guess.",
        ResolveReference, "Finding out what is meant by {text}", parallel=True,
    ),
)  # fmt: skip
