"""Contracts of the pack "data": temporary layers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Contract, ResultRef


class DrawnFeature(Arguments):
    """One geometry to draw."""

    wkt: Annotated[str, Field(min_length=5, max_length=20000)]
    label: Annotated[str, Field(max_length=200)] | None = None


class AddTempLayer(Arguments):
    """Arguments of add_temp_layer."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    features: Annotated[
        list[DrawnFeature], Field(max_length=200, description="WKT in lon/lat (EPSG:4326), one kind of geometry.")
    ] = []  # noqa: RUF012
    result_ref: ResultRef | None = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "add_temp_layer", "data", "qgis", "create",
        "Add a temporary layer: a few geometries that the person gave, or a table from a result_ref. Use it to mark places; not "
        "for files, and never with invented coordinates. Returns layer_id and count.",
        AddTempLayer, "Adding the layer {name}",
    ),
)  # fmt: skip
