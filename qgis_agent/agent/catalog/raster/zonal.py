"""Contracts of the pack "raster": zonal statistics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId, Where_


class ZonalStatistics(Arguments):
    """Arguments of zonal_statistics."""

    polygon_layer_id: Annotated[str, Field(min_length=1, max_length=80, description="The zones.")]
    layer_id: LayerId
    bands: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=12)] = [1]  # noqa: RUF012
    statistics: Annotated[
        list[
            Literal[
                "count",
                "sum",
                "mean",
                "median",
                "std",
                "min",
                "max",
                "range",
                "minority",
                "majority",
                "variety",
                "variance",
            ]
        ],
        Field(min_length=1, max_length=12),
    ] = ["count", "mean"]  # noqa: RUF012
    where: Where_ = []  # noqa: RUF012


CONTRACTS = (
    Contract(
        "zonal_statistics", "raster", "qgis", "create",
        "Statistics of a raster's cells in each polygon; adds a polygon layer with them. For counts of points: stat_by_polygon; "
        "for values at points: sample_raster. Returns layer_id, rows, zones without a cell, the rule for edges.",
        ZonalStatistics, "Statistics of {layer_id} by {polygon_layer_id}", timeout_s=300,
    ),
)  # fmt: skip
