"""The formats that a layer can be exported to, and what each of them can hold."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from osgeo import gdal
from qgis.core import QgsVectorLayer, QgsWkbTypes

from ..errors import UNSUPPORTED, ToolError
from ..gdal_calls import attempt
from ..i18n import translate
from ..sources.shapefile_limits import short_names

RASTER = "GeoTIFF"
GEOJSON_DECIMALS = 9
"""GDAL's own 7 decimals of RFC 7946 are 1 cm: too few for a survey."""
CODECS = {
    "UTF-8": "utf-8",
    "GBK": "gbk",
    "GB18030": "gb18030",
    "Big5": "big5",
    "Shift_JIS": "shift_jis",
    "ISO-8859-1": "iso8859-1",
    "windows-1252": "cp1252",
}
"""Encodings by the name that QGIS and GDAL take, with Python's name."""


class Format(NamedTuple):
    """One format.

    ``beside``: endings of the files that the driver writes beside the first. ``degrees``: always EPSG:4326. ``fields``:
    "all", "none" (only shapes) or "few" (those of the format; the others are not sure to be read back). ``ordered``: rows
    keep their order. ``encoded``: text may be in another encoding than UTF-8. ``grid``: coordinates are rounded to about so
    many units by the driver (0: they are not).
    """

    driver: str
    suffix: str
    beside: Tuple[str, ...] = ()
    degrees: bool = False
    geometry: bool = True
    fields: str = "all"
    z: bool = True
    m: bool = False
    curves: bool = False
    ordered: bool = True
    encoded: bool = False
    grid: float = 0.0


FORMATS: Dict[str, Format] = {
    "GPKG": Format("GPKG", ".gpkg", m=True, curves=True),
    "GeoJSON": Format("GeoJSON", ".geojson", degrees=True),
    "CSV": Format("CSV", ".csv", m=True),
    "ESRI Shapefile": Format(
        "ESRI Shapefile", ".shp", (".shx", ".dbf", ".prj", ".cpg", ".qmd", ".qix"), m=True, encoded=True
    ),
    "FlatGeobuf": Format("FlatGeobuf", ".fgb", m=True, ordered=False),
    "GML": Format("GML", ".gml", (".xsd", ".gfs")),
    "KML": Format("KML", ".kml", degrees=True, fields="few"),
    "GPX": Format("GPX", ".gpx", degrees=True, fields="few"),
    "DXF": Format("DXF", ".dxf", fields="none"),
    "MapInfo File": Format("MapInfo File", ".tab", (".dat", ".map", ".id", ".ind"), z=False, encoded=True),
    "XLSX": Format("XLSX", ".xlsx", geometry=False),
    "ODS": Format("ODS", ".ods", geometry=False),
}


def has_shapes(layer: QgsVectorLayer) -> bool:
    """Whether a layer has geometry. (QGIS says of one of geometry collections that it is not spatial.)"""
    return layer.wkbType() != QgsWkbTypes.Type.NoGeometry


def suffixes() -> List[str]:
    """The endings of all formats."""
    return [each.suffix for each in FORMATS.values()] + [".tif", ".tiff"]


def format_of(name: str) -> Format:
    """The format of this name. UNSUPPORTED when this QGIS has no driver that writes it."""
    found = FORMATS[name]
    driver = _driver(found.driver)
    if driver is None and name == "KML" and _driver("LIBKML") is not None:
        return found._replace(driver="LIBKML")
    if driver is None or driver.GetMetadataItem(gdal.DCAP_CREATE) != "YES":
        able = [each for each in FORMATS if _driver(FORMATS[each].driver) is not None]
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "This QGIS cannot write the format {}.").format(name),
            hint=translate("QgisAgent", "It writes: {}.").format(", ".join(able)),
            reason="driver",
        )
    return found


def _driver(name: str) -> Any:
    return attempt(gdal.GetDriverByName, name)[0]


def file_names(name: str, fields: Sequence[str]) -> List[str]:
    """The names of the fields in a file. A shapefile cuts them; names in a GeoPackage differ by more than their case; GML
    takes XML names only. Two that became the same are numbered: drivers would leave out the second, or fail. Of a CSV GDAL
    takes each column called WKT or _WKT… for geometry, and fails where it is none: such a field is numbered too."""
    if name == "ESRI Shapefile":
        return short_names(fields)
    if name == "CSV":
        return [_no_shape(each, fields) for each in fields]
    if name not in ("GPKG", "GML"):
        return list(fields)
    found: List[str] = []
    for each in fields:
        plain = each if name == "GPKG" else re.sub(r"^(?=[\d.-])", "_", re.sub(r"[^\w.-]", "_", each))
        free, number = plain, 0
        while free.lower() in (other.lower() for other in found):
            number += 1
            free = "{}_{}".format(plain, number)
        found.append(free)
    return found


def _no_shape(field: str, fields: Sequence[str]) -> str:
    if field.upper() != "WKT" and not field.upper().startswith("_WKT"):
        return field
    plain = field.lstrip("_") or field
    number = 1
    while "{}_{}".format(plain, number) in fields:
        number += 1
    return "{}_{}".format(plain, number)


def grid_of(name: str, geographic: bool) -> float:
    """How far a coordinate may be moved, in units of the CRS. MapInfo keeps whole numbers of 32 bits between the bounds of
    the CRS: measured with GDAL 3.6 up to 5e-7 degrees, 0.02 m and 0.16 ft."""
    if name != "MapInfo File":
        return 0.0
    return 1e-6 if geographic else 0.5


def open_options(driver: str, encoding: str) -> List[str]:
    """How a file of ours is to be opened so that it is read as it was written. (QGIS keeps GDAL from reading the encoding of
    a shapefile by itself, for the whole process.)"""
    return {
        "CSV": ["AUTODETECT_TYPE=NO", "HEADERS=NO"],
        "ESRI Shapefile": ["ENCODING=" + encoding],
        "GeoJSON": ["DATE_AS_STRING=YES"],  # else a text such as 2026-01-01 comes back as a date, written otherwise
    }.get(driver, [])


def config_options(driver: str) -> Dict[str, str]:
    """GDAL's settings while a file of ours is read: the first row of a sheet is its header, also where all is text."""
    return {"OGR_{}_HEADERS".format(driver): "FORCE"} if driver in ("XLSX", "ODS") else {}
