"""Contracts of the pack "raster": contours, raster to vector and back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_


class ContourRaster(Arguments):
    """Arguments of contour_raster."""

    layer_id: LayerId
    interval: Annotated[float, Field(gt=0, description="In the raster's unit.")]
    base: Annotated[float, Field(ge=-1e9, le=1e9, description="A value that has a line.")] = 0.0
    band: Annotated[int, Field(ge=1)] = 1
    min_length_m: Annotated[float, Field(ge=0, description="Leave shorter lines out.")] = 0.0


class ConvertRasterVector(Arguments):
    """Arguments of convert_raster_vector."""

    layer_id: LayerId
    method: Annotated[
        Literal["polygons", "points", "raster"], Field(description="raster: of vectors; the others: of a raster.")
    ]
    band: Annotated[int, Field(ge=1)] = 1
    field: Annotated[FieldName | None, Field(description="Number that raster cells get; else 1.")] = None
    cell_size_m: Annotated[float | None, Field(gt=0, description="Needed for raster.")] = None
    where: Where_ = []  # noqa: RUF012


CONTRACTS = (
    Contract(
        "contour_raster", "raster", "qgis", "create",
        "Contour lines of a raster, for heights and other measured values, not for classes; adds a line layer with the value in "
        "field ELEV. Returns layer_id, number of lines, their "
        "lowest and highest value.",
        ContourRaster, "Drawing contours of {layer_id}", timeout_s=300,
    ),
    Contract(
        "convert_raster_vector", "raster", "qgis", "create",
        "Raster of classes to polygons, cells to points, or vectors to a raster; adds a layer. Not for measured values to "
        "polygons: reclassify_raster before. Returns layer_id and counts.",
        ConvertRasterVector, "Converting {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
