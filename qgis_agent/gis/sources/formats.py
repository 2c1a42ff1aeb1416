"""The formats that a file may have, and opening one without writing beside it and without reading what it refers to.

A file is opened only when GDAL recognises it, among all its drivers, as one of the named ones. Drivers that lead elsewhere
(VRT, services, databases) are never asked. Everything here runs on worker threads.
"""

from __future__ import annotations

import re
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Iterator, List, Tuple

from osgeo import gdal

from ..errors import FORBIDDEN, NOT_FOUND, UNSUPPORTED, UPSTREAM_ERROR, ToolError, hint_for_name
from ..i18n import translate
from ..layers import clean_text
from ..paths import ReadableRoots

VECTOR_DRIVERS = (
    "ESRI Shapefile",
    "GPKG",
    "GeoJSON",
    "GeoJSONSeq",
    "TopoJSON",
    "KML",
    "LIBKML",
    "GPX",
    "GML",
    "FlatGeobuf",
    "DXF",
    "DGN",
    "MapInfo File",
    "XLSX",
    "ODS",
    "XLS",
)
RASTER_DRIVERS = (
    "GTiff",
    "COG",
    "PNG",
    "JPEG",
    "JP2OpenJPEG",
    "WEBP",
    "GIF",
    "BMP",
    "AAIGrid",
    "HFA",
    "EHdr",
    "ENVI",
    "SRTMHGT",
    "DTED",
    "USGSDEM",
    "SAGA",
    "RST",
    "GSBG",
    "GRIB",
    "netCDF",
    "GPKG",
    "MBTiles",
)
TABLE_SUFFIXES = (".csv", ".tsv", ".txt")
"""Delimited text, which QGIS's own provider reads."""
SHEET_SUFFIXES = (".xlsx", ".ods", ".xls")
ARCHIVE_SUFFIX = ".zip"
MAX_MEMBERS = 10_000
MAX_UNPACKED = 4 * 1024**3
"""Bytes that an archive may hold unpacked."""
_HEAD = 65_536
_LEADS_ELSEWHERE = (
    b"<OGRVRTDataSource",
    b"<VRTDataset",
    b"<GDAL_WMS",
    b"<WMS_",
    b"<GDAL_WMTS",
    b"<OGRWFSDataSource",
    b"<WCS_GDAL",
    b"<TileService",
    b"IsSeamless",
)
"""Beginnings of files that only say where the data is. They are refused whatever their name."""
_CRS_LINK = re.compile(rb'"crs"\s*:\s*\{(?:[^{}]|\{[^{}]*\})*?"type"\s*:\s*"(?:link|url)"', re.IGNORECASE)


@dataclass(frozen=True)
class DataFile:
    """A file to open: its real path, and in an archive the member's name."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """Name of the file or member."""
        return Path(self.member).name if self.member else self.path.name

    @property
    def suffix(self) -> str:
        """Ending in lower case."""
        return Path(self.name).suffix.lower()

    @property
    def opened_as(self) -> str:
        """The name that GDAL opens. The prefix for archives is only ever put here."""
        return "/vsizip/{}/{}".format(self.path, self.member) if self.member else str(self.path)


@contextmanager
def quiet_gdal() -> Iterator[None]:
    """GDAL on this thread writes no statistics beside a raster (.aux.xml) and fetches nothing from the network."""
    options = {
        "GDAL_PAM_ENABLED": "NO",
        "GDAL_HTTP_PROXY": "127.0.0.1:9",
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": "{none}",
        "GML_DOWNLOAD_SCHEMA": "NO",
        "OGR_SQLITE_LIST_VIRTUAL_OGR": "NO",
    }
    before = {name: gdal.GetThreadLocalConfigOption(name) for name in options}
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    for name, value in options.items():
        gdal.SetThreadLocalConfigOption(name, value)
    try:
        yield
    finally:
        gdal.PopErrorHandler()
        for name, old in before.items():
            gdal.SetThreadLocalConfigOption(name, old)


def members(path: Path) -> List[str]:
    """Names of the files in a zip archive. UNSUPPORTED for one that is broken, encrypted or unreasonably big."""
    try:
        with zipfile.ZipFile(str(path)) as archive:
            found = [each for each in archive.infolist() if not each.is_dir()]
    except (OSError, zipfile.BadZipFile) as error:
        raise _unreadable(path.name, str(error)) from error
    if len(found) > MAX_MEMBERS or sum(each.file_size for each in found) > MAX_UNPACKED:
        raise _unreadable(path.name, translate("QgisAgent", "the archive is too big"))
    if any(each.flag_bits & 1 for each in found):
        raise _unreadable(path.name, translate("QgisAgent", "the archive is encrypted"))
    return [each.filename for each in found if not _leaves(each.filename)]


def _leaves(name: str) -> bool:
    return name.startswith(("/", "\\")) or ".." in Path(name.replace("\\", "/")).parts or ":" in name or "\0" in name


def member_file(path: Path, wanted: str) -> DataFile:
    """A member of an archive by its exact name. NOT_FOUND with the nearest."""
    names = members(path)
    if wanted not in names:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The archive has no file '{}'.").format(clean_text(wanted, 120)),
            hint=hint_for_name(wanted, names, "file"),
            reason="archive_member",
        )
    return DataFile(path, wanted)


@contextmanager
def opened(file: DataFile) -> Iterator[IO[bytes]]:
    """The bytes of a file or member."""
    try:
        if file.member:
            with zipfile.ZipFile(str(file.path)) as archive, archive.open(file.member) as stream:
                yield stream
        else:
            with open(str(file.path), "rb") as plain:
                yield plain
    except (OSError, zipfile.BadZipFile) as error:
        raise _unreadable(file.name, str(error)) from error


def head_of(file: DataFile, size: int = _HEAD) -> bytes:
    """The first bytes of a file or member."""
    with opened(file) as stream:
        return stream.read(size)


def open_dataset(file: DataFile, kind: str, roots: ReadableRoots) -> Tuple[Any, str]:
    """(GDAL dataset opened for reading, driver's short name). ``kind`` is "vector" or "raster".

    UNSUPPORTED for a format that is not named, FORBIDDEN when the file leads to others outside the allowed folders.
    """
    _require_data_inside(file)
    drivers = VECTOR_DRIVERS if kind == "vector" else RASTER_DRIVERS
    flag = gdal.OF_VECTOR if kind == "vector" else gdal.OF_RASTER
    recognised = gdal.IdentifyDriverEx(file.opened_as, flag, [], [])
    name = recognised.ShortName if recognised is not None else ""
    if name and name not in drivers:
        raise _not_named(file, name)
    try:
        dataset = gdal.OpenEx(file.opened_as, flag | gdal.OF_READONLY, list(drivers), _options(name))
    except RuntimeError as error:  # raised instead of None where some plugin switched GDAL's exceptions on
        raise _unreadable(file.name, clean_text(str(error), 200)) from error
    if dataset is None:
        raise _not_named(file, name) if not name else _unreadable(file.name, clean_text(gdal.GetLastErrorMsg(), 200))
    for each in dataset.GetFileList() or []:
        if not each.startswith("/vsizip/"):
            roots.require(each)
    return dataset, dataset.GetDriver().ShortName


def _options(driver: str) -> List[str]:
    return ["WRITE_GFS=NO", "DOWNLOAD_SCHEMA=NO"] if driver == "GML" else []


def layer_options(driver: str) -> str:
    """What QGIS's provider must be told, as the end of a source."""
    return "".join("|option:" + each for each in _options(driver))


def _require_data_inside(file: DataFile) -> None:
    head = head_of(file)
    found = next((each for each in _LEADS_ELSEWHERE if each in head), None)
    if found is None and file.suffix == ".tab" and b"create view" in head.lower():
        found = b"create view"
    if found is not None:
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "'{}' only refers to data elsewhere ({}).").format(
                file.name, found.decode("ascii").strip("<")
            ),
            hint=translate("QgisAgent", "Give the file that holds the data itself, or use add_service_layer."),
            reason="refers_elsewhere",
        )
    if file.suffix in (".geojson", ".json") and _crs_by_link(file):
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "'{}' names its CRS by an address in the network.").format(file.name),
            hint=translate("QgisAgent", "Replace the member “crs” of the file, or leave it out."),
            reason="refers_elsewhere",
        )


def _crs_by_link(file: DataFile) -> bool:
    """Whether a GeoJSON's crs is a link, which GDAL would follow. The member may stand anywhere in the file."""
    before = b""
    with opened(file) as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            if _CRS_LINK.search(before + block):
                return True
            before = block[-1024:]
    return False


def _not_named(file: DataFile, driver: str) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "'{}' has no format that can be read here{}.").format(
            file.name, " ({})".format(driver) if driver else ""
        ),
        hint=translate("QgisAgent", "Vector: {}. Raster: {}. Tables: CSV, XLSX, ODS.").format(
            "GPKG, Shapefile, GeoJSON, KML, GPX, GML, FlatGeobuf, DXF, MapInfo", "GeoTIFF, PNG, JPEG, ASC, IMG, netCDF"
        ),
        reason="format",
    )


def _unreadable(name: str, why: str) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "'{}' cannot be read: {}").format(
            name, why or translate("QgisAgent", "no reason given")
        ),
        hint=translate("QgisAgent", "Check that the file is whole; inspect_data_file tells what is in it."),
        reason="unreadable",
    )
