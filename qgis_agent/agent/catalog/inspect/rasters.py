"""Contracts of the pack "inspect": raster information, samples and look."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId, Limit, Where_
from ..default.render import Classification, Palette

Band = Annotated[int, Field(ge=1, description="Band number, from 1.")]


class GetRasterInfo(Arguments):
    """Arguments of get_raster_info."""

    layer_id: LayerId
    band: Band | None = None


class SampleRaster(Arguments):
    """Arguments of sample_raster."""

    layer_id: LayerId
    points: Annotated[
        list[Annotated[list[float], Field(min_length=2, max_length=2)]],
        Field(max_length=200, description="[lon, lat] in degrees, EPSG:4326."),
    ] = []  # noqa: RUF012
    from_layer_id: (
        Annotated[str, Field(min_length=1, max_length=80, description="A point layer instead of points.")] | None
    ) = None
    where: Where_ = []  # noqa: RUF012
    band: Band = 1
    limit: Limit = 20


class RasterStyleOptions(Arguments):
    """Less common settings of set_raster_style."""

    classification: Annotated[Classification, Field(description="Of pseudocolor in classes.")] | None = None
    breaks: Annotated[list[float], Field(max_length=19, description="Ascending inner limits of manual.")] = []  # noqa: RUF012
    limits: (
        Annotated[list[float], Field(min_length=2, max_length=2, description="[low, high] of a continuous look.")]
        | None
    ) = None
    stretch: (
        Annotated[Literal["minmax", "cumulative_cut", "stddev"], Field(description="Where limits are absent.")] | None
    ) = None
    reverse: bool = False
    bands: Annotated[
        list[Annotated[int, Field(ge=1)]], Field(max_length=3, description="Of multiband: red, green, blue.")
    ] = []  # noqa: RUF012


class SetRasterStyle(Arguments):
    """Arguments of set_raster_style."""

    layer_id: LayerId
    method: Literal["gray", "pseudocolor", "multiband", "paletted", "hillshade"]
    band: Band | None = None
    palette: Palette | None = None
    classes: Annotated[int, Field(ge=2, le=20, description="Pseudocolor in so many classes.")] | None = None
    options: RasterStyleOptions = RasterStyleOptions()


CONTRACTS = (
    Contract(
        "get_raster_info", "inspect", "qgis", "read",
        "Tell what a raster is: size, cell size, CRS, bands with type, nodata, min, max, mean, stdev. Use it before styling or "
        "analysing a raster; not for values at places (sample_raster). Returns facts and suspected undeclared nodata.",
        GetRasterInfo, "Reading about {layer_id}", timeout_s=120, parallel=True,
    ),
    Contract(
        "sample_raster", "inspect", "qgis", "read",
        "Read a raster's values at points, or at the features of a point layer. Use it for elevation or temperature at places; "
        "not for areas (zonal_statistics). Returns rows with value or why it is missing, counts, suspected nodata.",
        SampleRaster, "Reading {layer_id} at points", timeout_s=120, parallel=True,
    ),
    Contract(
        "set_raster_style", "inspect", "qgis", "view",
        "Draw a raster in gray, in colours by value (pseudocolor: a ramp, or classes), by three bands, by categories (paletted) "
        "or as hillshade. Use it for 分层设色, 晕渲; not for vector layers (set_render_rule). Limits come from the cells. Returns "
        "classes, legend, rule_id.",
        SetRasterStyle, "Styling {layer_id}", timeout_s=120,
    ),
)  # fmt: skip
