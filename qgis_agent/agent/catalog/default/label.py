"""Contracts of the pack "default": labels."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import ADVERTISED
from ..base import Arguments, Contract, FieldName, LayerId

_Color = Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")]
_Scale = Annotated[float, Field(ge=0, le=1e9, description="Denominator; 0 is no limit.")]


class LabelOptions(Arguments):
    """How labels look. What is left out stays as it is."""

    size: Annotated[float, Field(ge=1, le=200, description="Points.")] | None = None
    color: _Color | None = None
    bold: bool | None = None
    halo_color: _Color | None = None
    halo_size: Annotated[float, Field(ge=0, le=20, description="Millimetres; 0 is no halo.")] | None = None
    placement: (
        Annotated[
            Literal["beside", "around", "over", "curved", "line", "horizontal", "free", "perimeter", "outside"],
            Field(
                description="Points: beside, around, over. Lines: curved, line, horizontal. Polygons: all but beside and "
                "curved."
            ),
        ]
        | None
    ) = None
    min_scale: _Scale | None = None
    max_scale: _Scale | None = None


class SetLayerLabel(Arguments):
    """Arguments of set_layer_label."""

    layer_id: LayerId
    visible: bool
    field: FieldName | None = None
    options: Annotated[
        LabelOptions,
        Field(
            json_schema_extra={
                ADVERTISED: {
                    "type": "object",
                    "description": "size (pt), color, bold, halo_color, halo_size (mm), placement "
                    "(beside|around|over|curved|line|horizontal|free|outside), min_scale, max_scale",
                }
            }
        ),
    ] = LabelOptions()


CONTRACTS = (
    Contract(
        "set_layer_label", "default", "qgis", "view",
        "Label a layer by a field, restyle or switch its labels. Use it for 标注; not for labels by rules: patch_style. Hidden "
        "below 1:min_scale, above 1:max_scale. Returns rule_id, counts.",
        SetLayerLabel, "Labelling {layer_id}", timeout_s=60,
    ),
)  # fmt: skip
