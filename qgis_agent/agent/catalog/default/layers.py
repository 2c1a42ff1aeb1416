"""Contracts of the pack "default": the layers of the project: find, describe, show or hide."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId, Limit


class SearchLayers(Arguments):
    """Arguments of search_layers."""

    query: Annotated[
        str, Field(max_length=120, description="Words of the name, group, abstract or a field; empty lists all.")
    ]
    kind: Literal["any", "point", "line", "polygon", "raster", "table", "other"] = "any"
    limit: Limit = 10


class DescribeLayer(Arguments):
    """Arguments of describe_layer."""

    layer_id: LayerId


class ToggleLayer(Arguments):
    """Arguments of toggle_layer."""

    layer_id: LayerId
    visible: bool


CONTRACTS = (
    Contract(
        "search_layers", "default", "agent", "read",
        "Find layers of the project by words (name, group, abstract, field). Use it first, to get a layer_id; not to read "
        "features. Returns the best matches with kind, fields and visibility.",
        SearchLayers, "Looking for layers: {query}", parallel=True,
    ),
    Contract(
        "describe_layer", "default", "qgis", "read",
        "What a layer is. Use it before you query, style or analyse a layer that you do not know; not to read values. Returns "
        "kind, CRS and unit, extent, exact number of features, fields with type, filter in force, warnings.",
        DescribeLayer, "Reading about {layer_id}", parallel=True,
    ),
    Contract(
        "toggle_layer", "default", "qgis", "view",
        "Show or hide a layer on the map (use it for 叠加, 打开, 关掉), not to move or style it. Groups above a layer that is "
        "shown are switched on with it. Returns whether it is visible.",
        ToggleLayer, "Switching {layer_id}",
    ),
)  # fmt: skip
