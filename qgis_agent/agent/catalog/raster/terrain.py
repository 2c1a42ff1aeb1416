"""Contracts of the pack "raster": terrain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId


class TerrainOptions(Arguments):
    """Further wishes of raster_terrain."""

    z_unit: Annotated[Literal["m", "ft"] | None, Field(description="Of the heights; default the file's, else m.")] = (
        None
    )
    exaggeration: Annotated[float, Field(gt=0, le=1000, description="Of heights, for hillshade.")] = 1.0
    azimuth: Annotated[float, Field(ge=0, lt=360, description="Of the light.")] = 315.0
    altitude: Annotated[float, Field(ge=0, le=90, description="Of the light.")] = 45.0


class RasterTerrain(Arguments):
    """Arguments of raster_terrain."""

    layer_id: LayerId
    method: Literal["slope", "aspect", "hillshade", "roughness", "tri", "tpi"]
    options: TerrainOptions = TerrainOptions()


CONTRACTS = (
    Contract(
        "raster_terrain", "raster", "qgis", "create",
        "Slope (degrees), aspect, hillshade, roughness, ruggedness (tri) or topographic position (tpi) of an elevation raster; "
        "adds a raster. Works as well with degrees and feet. Not for relief that is only drawn (set_raster_style). Returns min, max, mean.",
        RasterTerrain, "Calculating {method} of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
