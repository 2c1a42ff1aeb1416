"""Contracts of the pack "raster": calculations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract

Role = Literal["blue", "green", "red", "red_edge", "nir", "swir1", "swir2"]


class CalculateOptions(Arguments):
    """Further wishes of raster_calculate."""

    reproject: Annotated[bool, Field(description="Bring other CRSs to that of A.")] = False
    scale: Annotated[float, Field(gt=0, description="Factor of all bands, e.g. 0.0001 to reflectance.")] = 1.0
    data_type: Literal["float32", "float64"] = "float32"


class RasterCalculate(Arguments):
    """Arguments of raster_calculate."""

    layer_ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=80)]],
        Field(min_length=1, max_length=8, description="Rasters A, B, …; one for all bands."),
    ]
    bands: Annotated[
        list[Annotated[int, Field(ge=1)]], Field(max_length=8, description="A band for each of A, B, …")
    ] = []  # noqa: RUF012
    formula: Annotated[str, Field(max_length=1000, description="As A - B, if(A > 5, 1, 0).")] = ""
    index: (
        Literal[
            "ndvi",
            "gndvi",
            "ndre",
            "ndwi",
            "mndwi",
            "ndmi",
            "ndbi",
            "ndsi",
            "nbr",
            "evi",
            "evi2",
            "savi",
            "msavi",
            "bsi",
        ]
        | None
    ) = None
    roles: Annotated[list[Role], Field(max_length=8, description="With index: what each band is, as [nir, red].")] = []  # noqa: RUF012
    options: CalculateOptions = CalculateOptions()


CONTRACTS = (
    Contract(
        "raster_calculate", "raster", "qgis", "create",
        "Formula over rasters (letters A, B, …; + - * / ^, comparisons, and, or, if, sqrt, ln …), or a spectral index by name; "
        "adds a raster on the grid of A. Not for classes by ranges (reclassify_raster). Returns layer_id, min, max, mean, valid cells.",
        RasterCalculate, "Calculating a raster", timeout_s=300,
    ),
)  # fmt: skip
