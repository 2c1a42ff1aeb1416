"""Contracts of the pack "write": a person enables it, and each call is prepared, shown and clicked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName, LayerId, Where_


class ExportOptions(Arguments):
    """Rarer wishes of an export."""

    fields: Annotated[list[FieldName], Field(max_length=200)] = []  # noqa: RUF012
    selected_only: bool = False
    layer_name: Annotated[str, Field(min_length=1, max_length=60, description="Name inside the file.")] | None = None
    encoding: Literal["UTF-8", "GBK", "GB18030", "Big5", "Shift_JIS", "ISO-8859-1", "windows-1252"] = "UTF-8"
    csv_geometry: Literal["wkt", "xy", "none"] | None = None


class PrepareExportLayer(Arguments):
    """Arguments of prepare_export_layer."""

    layer_id: LayerId
    path: Annotated[
        str,
        Field(min_length=1, max_length=400, description="New file; relative paths are inside the project folder."),
    ]
    format: (
        Literal[
            "GPKG",
            "GeoJSON",
            "CSV",
            "ESRI Shapefile",
            "FlatGeobuf",
            "GML",
            "KML",
            "GPX",
            "DXF",
            "MapInfo File",
            "XLSX",
            "ODS",
            "GeoTIFF",
        ]
        | None
    ) = None
    crs: (
        Annotated[
            str, Field(pattern="^[A-Za-z]{2,12}:[0-9]{2,6}$", description="For example EPSG:4326; absent: the layer's.")
        ]
        | None
    ) = None
    where: Where_ = []  # noqa: RUF012
    options: ExportOptions = ExportOptions()


CONTRACTS = (
    Contract(
        "prepare_export_layer", "write", "qgis", "write",
        "Export a layer to a new file (GPKG, rasters GeoTIFF, unless format is given). Use it when the person asked for a file, not "
        "to show results. Shows what would be written and lost; nothing is written without their click. Returns the outcome.",
        PrepareExportLayer, "Preparing the export of {layer_id}", timeout_s=300,
    ),
)  # fmt: skip
