"""Contracts of the pack "data": adding layers from files."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, FieldName

CRS_PATTERN = r"^[A-Za-z]{2,12}:[0-9A-Za-z_]{2,20}$"
Crs = Annotated[str, Field(pattern=CRS_PATTERN, description="EPSG:n.")]
Encoding = Literal[
    "UTF-8", "GBK", "GB18030", "Big5", "windows-1252", "ISO-8859-1", "windows-1251", "Shift_JIS", "EUC-KR", "UTF-16"
]
Path_ = Annotated[
    str,
    Field(
        min_length=1,
        max_length=400,
        description="File; relative to the project folder. In a zip: archive.zip/file.",
    ),
]
Sublayer = Annotated[str, Field(min_length=1, max_length=120, description="Layer in the file, where it has several.")]
Name = Annotated[str, Field(min_length=1, max_length=120)]


class AddVectorLayer(Arguments):
    """Arguments of add_vector_layer."""

    path: Path_
    sublayer: Sublayer | None = None
    name: Name | None = None
    encoding: Encoding | None = None
    crs: Annotated[str, Field(pattern=CRS_PATTERN, description="Assumed CRS, only for a file without one.")] | None = (
        None
    )


class AddRasterLayer(Arguments):
    """Arguments of add_raster_layer."""

    path: Path_
    sublayer: Sublayer | None = None
    name: Name | None = None


class TableOptions(Arguments):
    """How a delimited text is read; what is left out is found out."""

    separator: Literal["comma", "semicolon", "tab", "pipe"] | None = None
    decimal: Literal["point", "comma"] | None = None
    encoding: Encoding | None = None
    x_field: FieldName | None = None
    y_field: FieldName | None = None
    wkt_field: FieldName | None = None
    crs: Crs | None = None
    text_fields: Annotated[list[FieldName], Field(max_length=60)] = []  # noqa: RUF012


class AddTableLayer(Arguments):
    """Arguments of add_table_layer."""

    path: Path_
    name: Name | None = None
    sublayer: Sublayer | None = None
    options: TableOptions | None = None


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "add_vector_layer", "data", "qgis", "create",
        "Add a vector file (GPKG, Shapefile, GeoJSON, KML, GPX, GML, FlatGeobuf, DXF …, also zipped) to the project. Use it when "
        "the person names a file; not for CSV or sheets (add_table_layer). Returns layer_id, exact count, CRS, fields, doubts.",
        AddVectorLayer, "Adding {path}", timeout_s=300,
    ),
    Contract(
        "add_raster_layer", "data", "qgis", "create",
        "Add a raster file (GeoTIFF, PNG, JPEG, ASC, IMG …) to the project. Use it when the person names one; not for services. "
        "Returns layer_id, size, bands, CRS.",
        AddRasterLayer, "Adding {path}", timeout_s=300,
    ),
    Contract(
        "add_table_layer", "data", "qgis", "create",
        "Add a table (CSV, TSV, XLSX, ODS, DBF), with points when options name x_field and y_field or wkt_field. Use it after "
        "inspect_data_file showed columns and types; not for vector files. Codes with leading zeros stay text; points of a sheet are a "
        "temporary copy. Returns layer_id, exact count, guessed types, rows_left_out, coordinates_proposed.",
        AddTableLayer, "Adding {path}", timeout_s=300,
    ),
)  # fmt: skip
