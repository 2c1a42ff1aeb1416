"""Contracts of the pack "geometry": merging layers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, LayerId


class MergeLayers(Arguments):
    """Arguments of merge_layers."""

    layer_ids: Annotated[list[LayerId], Field(min_length=2, max_length=50)]
    crs: (
        Annotated[
            str,
            Field(pattern="^[A-Za-z]{2,12}:[0-9]{2,6}$", description="Of the result; absent: the first layer's."),
        ]
        | None
    ) = None
    source_field: Annotated[
        str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\"\\]+$", description="Gets the layer's name.")
    ] = "layer"


CONTRACTS = (
    Contract(
        "merge_layers", "geometry", "qgis", "create",
        "Put the features of layers of one kind under one another in a new layer (fields matched by name, CRS converted). Not for "
        "joining attributes (join_attribute) or overlaying (overlay_layers). Returns the new layer_id, counts, types that clashed.",
        MergeLayers, "Merging layers", timeout_s=300,
    ),
)  # fmt: skip
