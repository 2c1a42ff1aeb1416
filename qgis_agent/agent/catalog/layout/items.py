"""Contracts of the pack "layout": items of layouts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Contract
from .create import Alias, LayoutName

Millimetres = Annotated[float, Field(ge=0, le=1500, json_schema_extra=plain("number"))]

Size = Annotated[float, Field(ge=1, le=1500, json_schema_extra=plain("number"))]


class Place(Arguments):
    """Where an item stands, in millimetres from the upper left corner of the page."""

    x: Millimetres | None = None
    y: Millimetres | None = None
    width: Size | None = None
    height: Size | None = None
    font_size: Annotated[float, Field(ge=4, le=96, description="Points.")] | None = None


class AddLayoutItem(Arguments):
    """Arguments of add_layout_item."""

    layout: LayoutName
    kind: Literal["map", "text", "legend", "scale_bar", "north_arrow", "attribution", "overview", "table"]
    text: Annotated[str, Field(max_length=400, description="Of text, attribution; title of a legend.")] | None = None
    layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Of kind table.")] | None = None
    options: Place = Place()


class ItemChanges(Place):
    """What can be changed of an item. ``scale`` and ``fit_layer_id`` are of maps."""

    visible: Annotated[bool, Field(json_schema_extra=plain("boolean"))] | None = None
    scale: Annotated[float, Field(ge=10, le=500_000_000, description="Denominator, of a map.")] | None = None
    fit_layer_id: Alias | None = None


class SetLayoutItem(Arguments):
    """Arguments of set_layout_item."""

    layout: LayoutName
    item_id: Annotated[str, Field(min_length=1, max_length=80, json_schema_extra=plain("string"))]
    text: Annotated[str, Field(max_length=400, description="Of a text, or the title of a legend.")] | None = None
    options: ItemChanges = ItemChanges()


CONTRACTS = (
    Contract(
        "add_layout_item", "layout", "qgis", "create",
        "Add one item to a print layout; positions in mm from the upper left. Use it for what create_layout did not make, not to "
        "change an item. Without a position a place is chosen. Returns the item and warnings of overlaps.",
        AddLayoutItem, "Adding {kind} to {layout}",
    ),
    Contract(
        "set_layout_item", "layout", "qgis", "create",
        "Change an item of a print layout: text, place, font size, visibility; a map's scale, or fit it to a layer. Use it "
        "with an item_id from describe_layout, not to add one. Returns the item as it is now and warnings.",
        SetLayoutItem, "Changing {item_id} of {layout}",
    ),
)  # fmt: skip
