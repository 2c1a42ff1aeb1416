"""Contracts of the pack "write": a person enables it, and each call is prepared, shown and clicked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId


class PrepareExportLayer(Arguments):
    """Arguments of prepare_export_layer."""

    layer_id: LayerId
    path: Annotated[
        str,
        Field(min_length=1, max_length=400, description="File to write; relative paths are inside the project folder."),
    ]
    format: Literal["GPKG", "GeoJSON", "CSV", "ESRI Shapefile"] = "GPKG"
    crs: (
        Annotated[
            str, Field(pattern="^[A-Za-z]{2,12}:[0-9]{2,6}$", description="For example EPSG:4326; absent: the layer's.")
        ]
        | None
    ) = None


CONTRACTS = (
    Contract(
        "prepare_export_layer", "write", "qgis", "write",
        "Export a layer to a new file. Use it only when the person asked for a file. Shows them what would be written; nothing is "
        "written without their click. In chat it returns after the decision, with the outcome.",
        PrepareExportLayer, "Preparing the export of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
