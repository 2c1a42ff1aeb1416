"""Contracts of the pack "default": the map view."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..advertise import plain
from ..base import Arguments, Bbox, Contract, Where_


class ZoomTo(Arguments):
    """Arguments of zoom_to."""

    layer_id: Annotated[str, Field(min_length=1, max_length=80, json_schema_extra=plain("string"))] | None = None
    where: Where_ = []  # noqa: RUF012
    bbox: Bbox | None = None


CONTRACTS = (
    Contract(
        "zoom_to", "default", "qgis", "view",
        "Move the map to a layer, its features that match where, or a bbox. Use layer_id or bbox, not both. Returns "
        "the extent shown and what is left out.",
        ZoomTo, "Moving the map",
    ),
)  # fmt: skip
