"""Contracts of the pack "default": the map view."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Bbox, Contract, Where_


class ZoomTo(Arguments):
    """Arguments of zoom_to."""

    layer_id: (
        Annotated[str, Field(min_length=1, max_length=80, description="Zoom to this layer, or to its where.")] | None
    ) = None
    where: Where_ = []  # noqa: RUF012
    bbox: Bbox | None = None


CONTRACTS = (
    Contract(
        "zoom_to", "default", "qgis", "view",
        "Move the map. Use it for a layer, for the features of a layer that match where (places from resolve_place), or for a "
        "bbox; give layer_id or bbox, not both. Returns the extent shown and what is left out of it.",
        ZoomTo, "Moving the map",
    ),
)  # fmt: skip
