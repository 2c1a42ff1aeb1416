"""Contracts of the pack "raster": reclassification."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId


class Range(Arguments):
    """One row of the table; a limit that is absent is open."""

    min: Annotated[float | None, Field(ge=-1e15, le=1e15)] = None
    max: Annotated[float | None, Field(ge=-1e15, le=1e15)] = None
    value: Annotated[float, Field(ge=-1e15, le=1e15)]


class ReclassifyRaster(Arguments):
    """Arguments of reclassify_raster."""

    layer_id: LayerId
    table: Annotated[list[Range], Field(min_length=1, max_length=64, description="Ranges that do not overlap.")]
    band: Annotated[int, Field(ge=1)] = 1
    boundaries: Annotated[
        Literal["min_included", "max_included", "both_included"],
        Field(description="[min, max), (min, max] or [min, max]."),
    ] = "min_included"
    missing: Annotated[Literal["nodata", "keep"], Field(description="Cells that no range holds.")] = "nodata"


CONTRACTS = (
    Contract(
        "reclassify_raster", "raster", "qgis", "create",
        "New values for ranges of a raster's values; adds a raster. Not for colours only (set_raster_style). Returns layer_id and "
        "for each new value its cells and area_km2 (ellipsoidal); gaps are told.",
        ReclassifyRaster, "Reclassifying {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
