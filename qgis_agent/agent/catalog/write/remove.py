"""Contracts of the pack "write": layers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, LayerId


class PrepareRemoveLayer(Arguments):
    """Arguments of prepare_remove_layer."""

    layer_ids: Annotated[list[LayerId], Field(min_length=1, max_length=20)]
    restore: Annotated[bool, Field(description="Put back layers that were removed in this session.")] = False


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "prepare_remove_layer", "write", "qgis", "write",
        "Take layers out of the project; their files stay. Use it when the person asked to remove them, not to hide (toggle_layer) "
        "or clear results (clear_temp_layers). Shows what refers to them; done after their click. Returns what was removed.",
        PrepareRemoveLayer, "Preparing to remove layers", timeout_s=120,
    ),
)  # fmt: skip
