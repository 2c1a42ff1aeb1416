"""Contracts of the pack "vector": buffers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, LayerId, Where_


class BufferLayer(Arguments):
    """Arguments of buffer_layer."""

    layer_id: LayerId
    distance_m: Annotated[float, Field(gt=0, le=1_000_000, description="On the ground.")]
    where: Where_ = []  # noqa: RUF012
    dissolve: Annotated[bool, Field(description="Into one feature.")] = False


CONTRACTS = (
    Contract(
        "buffer_layer", "vector", "qgis", "create",
        "Buffer features by metres on the ground; adds a polygon layer. Use it for a zone around features; not to count inside "
        "polygons that are there. In any CRS. Returns the new layer_id, counts, CRS and algorithm.",
        BufferLayer, "Buffering {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
