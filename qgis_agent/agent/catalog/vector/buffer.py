"""Contracts of the pack "vector": buffers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract, LayerId, Where_

Metres = Annotated[float, Field(gt=0, le=1_000_000)]


class BufferOptions(Arguments):
    """What is rarely needed."""

    rings: (
        Annotated[
            list[Metres],
            Field(
                min_length=1,
                max_length=20,
                description="Smaller distances: one ring up to each.",
                json_schema_extra=plain("array", "Smaller distances: one ring up to each."),
            ),
        ]
        | None
    ) = None
    discs: Annotated[bool, Field(description="Full zones, not rings.")] = False
    side: Annotated[Literal["both", "left", "right"], Field(description="Of lines.")] = "both"
    end_cap: Annotated[Literal["round", "flat", "square"], Field(description="Of lines.")] = "round"
    separate_parts: bool = False
    selected: Annotated[bool, Field(description="Only selected features.")] = False


class BufferLayer(Arguments):
    """Arguments of buffer_layer."""

    layer_id: LayerId
    distance_m: Annotated[
        float,
        Field(
            ge=-1_000_000,
            le=1_000_000,
            description="On the ground; negative: polygons inwards.",
            json_schema_extra=plain("number", "On the ground; negative: inwards."),
        ),
    ]
    where: Where_ = []  # noqa: RUF012
    dissolve: Annotated[bool, Field(description="Into one feature.")] = False
    options: BufferOptions = BufferOptions()


CONTRACTS = (
    Contract(
        "buffer_layer", "vector", "qgis", "create",
        "Buffer features by metres on the ground, in any CRS; adds a polygon layer. Use it for a zone or rings around "
        "features; not to count inside polygons that are there. Returns layer_id, counts.",
        BufferLayer, "Buffering {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
