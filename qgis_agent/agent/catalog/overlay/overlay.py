"""Contracts of the pack "overlay": overlays."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract, FieldName, LayerId, Where_


class OverlayOptions(Arguments):
    """What is rarely needed."""

    fields: (
        Annotated[
            list[FieldName],
            Field(
                min_length=1,
                max_length=40,
                description="Kept of layer_id.",
                json_schema_extra=plain("array", "Kept of layer_id."),
            ),
        ]
        | None
    ) = None
    overlay_fields: (
        Annotated[
            list[FieldName],
            Field(min_length=1, max_length=40, description="Kept of the overlay.", json_schema_extra=plain("array")),
        ]
        | None
    ) = None
    prefix: Annotated[
        str,
        Field(
            max_length=20,
            pattern=r"^\w*$",
            description="Of the overlay's fields.",
            json_schema_extra=plain("string", "Of overlay_fields."),
        ),
    ] = ""
    min_area_m2: (
        Annotated[
            float,
            Field(gt=0, description="Drop smaller pieces.", json_schema_extra=plain("number", "Drop smaller pieces.")),
        ]
        | None
    ) = None


class OverlayLayers(Arguments):
    """Arguments of overlay_layers."""

    layer_id: LayerId
    overlay_layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Polygons.")]
    operation: Literal["clip", "intersection", "difference", "union", "symmetrical_difference"]
    where: Where_ = []  # noqa: RUF012
    overlay_where: Where_ = []  # noqa: RUF012
    options: OverlayOptions = OverlayOptions()


CONTRACTS = (
    Contract(
        "overlay_layers", "overlay", "qgis", "create",
        "Cut or combine a layer with polygons; adds a layer. Use it for what lies inside or outside of them: clip keeps the "
        "fields, intersection and union get both's. Not to count points in polygons (stat_by_polygon). Returns layer_id, "
        "counts, areas.",
        OverlayLayers, "Overlaying {layer_id} with {overlay_layer_id}", timeout_s=300,
    ),
)  # fmt: skip
