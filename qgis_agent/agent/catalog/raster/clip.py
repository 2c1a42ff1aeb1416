"""Contracts of the pack "raster": clipping."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..base import Arguments, Bbox, Contract, LayerId, Where_


class ClipRaster(Arguments):
    """Arguments of clip_raster."""

    layer_id: LayerId
    mask_layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Polygons; or give bbox.")] | None = (
        None
    )
    where: Where_ = []  # noqa: RUF012
    bbox: Bbox | None = None


CONTRACTS = (
    Contract(
        "clip_raster", "raster", "qgis", "create",
        "The part of a raster inside polygons (where chooses among them) or a bbox; adds a raster with the same cells, nodata "
        "outside. Not for numbers per polygon (zonal_statistics). Returns layer_id, valid cells, min, max, mean.",
        ClipRaster, "Clipping {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
