"""Contracts of the pack "layout": making and describing layouts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Bbox, Contract

LayoutName = Annotated[
    str, Field(min_length=1, max_length=80, description="Name of the layout.", json_schema_extra=plain("string"))
]
Alias = Annotated[str, Field(min_length=1, max_length=80, json_schema_extra=plain("string"))]


class LayoutOptions(Arguments):
    """What a layout may have beside the map, its legend, scale bar and north arrow."""

    subtitle: Annotated[str, Field(max_length=160)] | None = None
    attribution: (
        Annotated[str, Field(max_length=200, description="Absent: from the layers, with CRS and date.")] | None
    ) = None
    bbox: Bbox | None = None
    scale: Annotated[float, Field(ge=10, le=500_000_000, description="Denominator.")] | None = None
    overview: Annotated[bool, Field(json_schema_extra=plain("boolean"))] = False
    table_layer_id: Alias | None = None
    atlas_layer_id: (
        Annotated[str, Field(min_length=1, max_length=80, description="A page for each feature of this layer.")] | None
    ) = None
    atlas_name_field: Annotated[str, Field(min_length=1, max_length=128, json_schema_extra=plain("string"))] | None = (
        None
    )


class CreateLayout(Arguments):
    """Arguments of create_layout."""

    name: LayoutName
    template: Literal["a4_landscape", "a4_portrait", "a3_landscape", "a3_portrait"] = "a4_landscape"
    title: Annotated[str, Field(max_length=120)] | None = None
    options: LayoutOptions = LayoutOptions()


class DescribeLayout(Arguments):
    """Arguments of describe_layout."""

    layout: Annotated[str, Field(min_length=1, max_length=80, description="Absent: list all layouts.")] | None = None


CONTRACTS = (
    Contract(
        "create_layout", "layout", "qgis", "create",
        "Make a print layout of the map with title, legend, scale bar, north arrow and sources. Use it to print or export a map; "
        "not to style layers. Shows the present view or bbox. Returns its items with positions in mm, scale and warnings.",
        CreateLayout, "Making the layout {name}", timeout_s=60,
    ),
    Contract(
        "describe_layout", "layout", "qgis", "read",
        "Read a print layout. Use it before you change one; not for the map in the window. Returns pages, items with ids, "
        "positions and sizes in mm, texts, scale, warnings.",
        DescribeLayout, "Reading layouts", parallel=True,
    ),
)  # fmt: skip
