"""Contracts of the pack "data": adding layers from services."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract
from .files import Crs, Name


class ServiceOptions(Arguments):
    """How a service is asked."""

    style: Annotated[str, Field(max_length=120)] | None = None
    format: Annotated[str, Field(max_length=60)] | None = None
    matrix_set: Annotated[str, Field(max_length=120)] | None = None
    min_zoom: Annotated[int, Field(ge=0, le=24)] | None = None
    max_zoom: Annotated[int, Field(ge=0, le=24)] | None = None


class AddServiceLayer(Arguments):
    """Arguments of add_service_layer."""

    kind: Literal["xyz", "wms", "wmts", "wfs"]
    url: Annotated[str, Field(min_length=8, max_length=1000, description="xyz: with {z}, {x}, {y}.")]
    layer: Annotated[str, Field(min_length=1, max_length=200, description="Its name in the service.")] | None = None
    name: Name | None = None
    crs: Crs | None = None
    options: ServiceOptions | None = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "add_service_layer", "data", "qgis", "network",
        "Add a layer of a map service (tiles, WMS, WMTS, WFS) in the network. Use it when the person gives the address; never with "
        "an address you made up. A person is asked for each host. Returns layer_id, CRS and warnings (GCJ-02 offset).",
        AddServiceLayer, "Asking the service {url}", timeout_s=90,
    ),
)  # fmt: skip
