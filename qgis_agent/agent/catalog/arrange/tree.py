"""Contracts of the pack "arrange": the layer tree."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId, NoArguments


class ReorderLayer(Arguments):
    """Arguments of reorder_layer."""

    layer_id: LayerId
    position: Literal["top", "bottom", "above", "below"]
    other_layer_id: (
        Annotated[str, Field(min_length=1, max_length=80, description="For above and below: of this layer.")] | None
    ) = None


class GroupLayers(Arguments):
    """Arguments of group_layers."""

    layer_ids: Annotated[list[LayerId], Field(min_length=1, max_length=50)]
    name: Annotated[str, Field(min_length=1, max_length=80)]


class RenameLayer(Arguments):
    """Arguments of rename_layer."""

    layer_id: LayerId
    name: Annotated[str, Field(min_length=1, max_length=80)]


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "reorder_layer", "arrange", "qgis", "view",
        "Change which layer is drawn over which. Use it for 置顶, to the top, below another; not to show or hide. Returns the "
        "place in the drawing order and the layers next to it.",
        ReorderLayer, "Moving {layer_id}",
    ),
    Contract(
        "group_layers", "arrange", "qgis", "view",
        "Put layers into a group of the layer tree, a new one or one of that name. Use it to tidy up, not to merge data. Returns "
        "the group.",
        GroupLayers, "Grouping layers as {name}",
    ),
    Contract(
        "rename_layer", "arrange", "qgis", "view",
        "Give a layer another name in the project. Use it when asked; not for files: data and layer_id stay. Returns both names.",
        RenameLayer, "Renaming {layer_id}",
    ),
    Contract(
        "clear_temp_layers", "arrange", "qgis", "view",
        "Take away the results that you made. Use it to clean up; never takes what the person edited, styled, renamed, moved "
        "or used. Returns what was removed, and what was kept with the reason.",
        NoArguments, "Clearing temporary layers",
    ),
)  # fmt: skip
