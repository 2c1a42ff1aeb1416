"""Contracts of the pack "raster": surfaces from points."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_

CellSize = Annotated[float | None, Field(gt=0, description="Default: a fitting one.")]


class HeatmapRaster(Arguments):
    """Arguments of heatmap_raster."""

    layer_id: LayerId
    radius_m: Annotated[float, Field(gt=0, le=500_000, description="On the ground.")]
    weight_field: Annotated[FieldName | None, Field(description="Number each point counts for.")] = None
    cell_size_m: CellSize = None
    where: Where_ = []  # noqa: RUF012
    kernel: Literal["quartic", "triangular", "uniform", "triweight", "epanechnikov"] = "quartic"


class InterpolatePoints(Arguments):
    """Arguments of interpolate_points."""

    layer_id: LayerId
    field: FieldName
    method: Annotated[Literal["idw", "tin"], Field(description="idw: inverse distance; tin: linear in triangles.")] = (
        "idw"
    )
    cell_size_m: CellSize = None
    where: Where_ = []  # noqa: RUF012
    power: Annotated[float, Field(gt=0, le=10, description="Of idw.")] = 2.0


CONTRACTS = (
    Contract(
        "heatmap_raster", "raster", "qgis", "create",
        "Kernel density of points within radius_m; adds a raster. Not for a heatmap that is only drawn (patch_style), nor "
        "for counts per area (stat_by_polygon). Returns layer_id, max, the kernel's formula.",
        HeatmapRaster, "Making a heatmap of {layer_id}", timeout_s=300,
    ),
    Contract(
        "interpolate_points", "raster", "qgis", "create",
        "Surface through measured points, as stations' values; adds a raster. Not for counts of points (heatmap_raster). Returns "
        "layer_id, min, max, points used, NULLs, duplicates, share beyond the points' hull.",
        InterpolatePoints, "Interpolating {field} of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
