"""Contracts of the pack "default": places by name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract


class ResolvePlace(Arguments):
    """Arguments of resolve_place."""

    text: Annotated[str, Field(max_length=120, description="As the person wrote it.")]
    use_selection: Annotated[bool, Field(description="'these', 'the selected', 这三个.")] = False
    layer_id: Annotated[str, Field(min_length=1, max_length=80, json_schema_extra=plain("string"))] | None = None


CONTRACTS = (
    Contract(
        "resolve_place", "default", "qgis", "read",
        "Find a place by name or code among the project's features, or take the selected ones. Use it for every place "
        "of a request, not for layers. Returns layer_id, field and values for where. AMBIGUOUS: never choose for the "
        "person.",
        ResolvePlace, "Looking for the place {text}", parallel=True,
    ),
)  # fmt: skip
