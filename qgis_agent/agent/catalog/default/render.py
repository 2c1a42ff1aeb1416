"""Contracts of the pack "default": colouring a layer by a rule."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import ADVERTISED, plain
from ..base import Arguments, Contract, LayerId


class RenderOptions(Arguments):
    """Less common settings of set_render_rule."""

    classification: Literal["equal_interval", "quantile", "natural_breaks", "pretty", "manual"] = "quantile"
    breaks: Annotated[
        list[float],
        Field(
            max_length=19,
            description="Ascending inner limits of classification manual only; n breaks make n+1 classes.",
        ),
    ] = []  # noqa: RUF012
    reverse: Annotated[bool, Field(description="Turn the palette round.", json_schema_extra=plain("boolean"))] = False
    color: Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$", description="Colour of method single.")] | None = None
    opacity: Annotated[float, Field(ge=0, le=1)] | None = None
    legend_title: Annotated[str, Field(max_length=80)] | None = None


class SetRenderRule(Arguments):
    """Arguments of set_render_rule."""

    layer_id: LayerId
    method: Literal["single", "categorized", "graduated"]
    field: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=128,
                description="Field of categorized and graduated.",
                json_schema_extra=plain("string"),
            ),
        ]
        | None
    ) = None
    classes: Annotated[
        int,
        Field(
            ge=2,
            le=20,
            description="Number of classes of graduated.",
            json_schema_extra={ADVERTISED: {"type": "integer", "minimum": 2, "maximum": 20}},
        ),
    ] = 5
    palette: (
        Literal[
            "OrRd",
            "Blues",
            "Greens",
            "Reds",
            "Purples",
            "YlOrRd",
            "YlGnBu",
            "Viridis",
            "Spectral",
            "RdYlGn",
            "Set2",
            "Paired",
        ]
        | None
    ) = None
    options: RenderOptions = RenderOptions()


CONTRACTS = (
    Contract(
        "set_render_rule", "default", "qgis", "view",
        "Draw a layer with one colour (single), by categories of a field (categorized) or in classes of a number field "
        "(graduated; use it for 分色, 分级). Class limits are computed from the data. Not for densities that are not there yet: "
        "compute them first (stat_by_polygon); counts are not densities. Returns classes, legend, rule_id.",
        SetRenderRule, "Styling {layer_id}", timeout_s=60,
    ),
)  # fmt: skip
