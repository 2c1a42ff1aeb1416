"""Contracts of the pack "default": colouring a layer by a rule."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from ..advertise import ADVERTISED, plain
from ..base import Arguments, Contract, LayerId

Classification = Literal[
    "equal_interval", "quantile", "natural_breaks", "pretty", "standard_deviation", "logarithmic", "manual"
]
Palette = Literal[
    "OrRd", "Blues", "Greens", "Reds", "Purples", "Oranges", "Greys", "YlOrRd", "YlOrBr", "YlGnBu", "Viridis", "Cividis",
    "Magma", "Plasma", "Inferno", "RdBu", "RdYlBu", "BrBG", "PuOr", "PRGn", "Spectral", "RdYlGn", "OkabeIto", "Set2",
    "Dark2", "Paired", "Set1", "Set3",
]  # fmt: skip


class RenderOptions(Arguments):
    """Less common settings of set_render_rule."""

    classification: Classification | None = None
    breaks: Annotated[
        list[float],
        Field(max_length=19, description="Ascending inner limits of manual."),
    ] = []  # noqa: RUF012
    reverse: Annotated[bool, Field(description="Turn the palette round.", json_schema_extra=plain("boolean"))] = False
    color: (
        Annotated[
            str,
            Field(
                pattern="^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$",
                description="Of single and cluster, #rrggbb or with alpha #rrggbbaa.",
                json_schema_extra=plain("string", "#rrggbb[aa]"),
            ),
        ]
        | None
    ) = None
    size: (
        Annotated[
            float | str,
            WithJsonSchema(
                {
                    "anyOf": [
                        {"type": "number", "minimum": 0, "maximum": 100},
                        {"type": "string", "minLength": 1, "maxLength": 128},
                    ],
                    "description": "Millimetres (the radius of heatmap, cluster, displacement), or a number field.",
                    ADVERTISED: {
                        "type": ["number", "string"],
                        "description": "mm (of heatmap, cluster: radius) or a number field.",
                    },
                }
            ),
        ]
        | None
    ) = None
    legend_title: Annotated[str, Field(max_length=80)] | None = None


class SetRenderRule(Arguments):
    """Arguments of set_render_rule."""

    layer_id: LayerId
    method: Literal["single", "categorized", "graduated", "heatmap", "cluster", "displacement"]
    field: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=128,
                description="Field; for numbers also $area_km2, $length_m or a ratio of two (pop / $area_km2).",
                json_schema_extra=plain("string", "Or $area_km2, $length_m, a ratio (pop / $area_km2)."),
            ),
        ]
        | None
    ) = None
    classes: (
        Annotated[
            int,
            Field(
                ge=2,
                le=20,
                description="Graduated: 5 if not given. Categorized: only so many most frequent values, the rest in one.",
                json_schema_extra=plain("integer"),
            ),
        ]
        | None
    ) = None
    palette: (
        Annotated[
            Palette,
            Field(
                description="A ColorBrewer scheme, one of the viridis family, or OkabeIto.",
                json_schema_extra=plain("string", "ColorBrewer name, Viridis or OkabeIto."),
            ),
        ]
        | None
    ) = None
    options: RenderOptions = RenderOptions()


CONTRACTS = (
    Contract(
        "set_render_rule", "default", "qgis", "view",
        "Draw a layer in one colour, by categories, in classes of a number (graduated; use it for 分色, 分级), or points as "
        "heatmap (field = weight) or clusters. Class limits come from the data. Not for counts as densities: divide by area, "
        "or stat_by_polygon first. Returns classes, features not drawn, rule_id.",
        SetRenderRule, "Styling {layer_id}", timeout_s=60,
    ),
)  # fmt: skip
