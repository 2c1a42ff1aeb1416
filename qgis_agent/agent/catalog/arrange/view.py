"""Contracts of the pack "arrange": the map view."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract


class SetMapView(Arguments):
    """Arguments of set_map_view."""

    method: Literal["zoom_in", "zoom_out", "full_extent", "previous"] | None = None
    scale: Annotated[float, Field(ge=1, le=1_000_000_000, description="Denominator: 5000 for 1:5000.")] | None = None
    center: (
        Annotated[list[float], Field(min_length=2, max_length=2, description="[lon, lat] in degrees, EPSG:4326.")]
        | None
    ) = None
    rotation: Annotated[float, Field(ge=-360, le=360, description="Degrees clockwise; 0 is north up.")] | None = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "set_map_view", "arrange", "qgis", "view",
        "Set scale, centre or rotation of the map, zoom by a step, show everything, or go back to the view before. Not for a "
        "place or layer (zoom_to). Returns the view.",
        SetMapView, "Setting the map view",
    ),
)  # fmt: skip
