"""Contracts of the pack "arrange": selection."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract


class ClearSelection(Arguments):
    """Arguments of clear_selection."""

    layer_id: (
        Annotated[str, Field(min_length=1, max_length=80, description="Only in this layer; absent: in all.")] | None
    ) = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "clear_selection", "arrange", "qgis", "view",
        "Select nothing, in one layer or in all. Use it to undo a selection; not to hide features. Returns how many were "
        "selected.",
        ClearSelection, "Clearing the selection",
    ),
)  # fmt: skip
