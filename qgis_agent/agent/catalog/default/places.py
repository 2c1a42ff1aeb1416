"""Contracts of the pack "default": places by name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract


class ResolvePlace(Arguments):
    """Arguments of resolve_place."""

    text: Annotated[str, Field(max_length=120, description="Name or code of the place, as the person wrote it.")]
    use_selection: Annotated[
        bool, Field(description="True for 'these', 'the selected', 这三个: features selected on the map.")
    ] = False
    layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Look in this layer only.")] | None = None


CONTRACTS = (
    Contract(
        "resolve_place", "default", "qgis", "read",
        "Find a place by name or code among the features of the project's layers, or take the selected features. Use it for "
        "every place of a request, not for layers. Returns layer_id, field and values to use in where. Several candidates give "
        "AMBIGUOUS: never choose for the person.",
        ResolvePlace, "Looking for the place {text}", parallel=True,
    ),
)  # fmt: skip
