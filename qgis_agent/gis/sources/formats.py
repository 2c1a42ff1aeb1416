"""The formats that a file may have, and opening one without writing beside it and without reading what it refers to.

A file is opened only when GDAL recognises it, among all its drivers, as one of the named ones. Drivers that lead elsewhere
(VRT, services, databases) are never asked. Everything here runs on worker threads.
"""

from __future__ import annotations

import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Iterator, List, Tuple

from osgeo import gdal

from .. import gdal_calls
from ..errors import NOT_FOUND, UNSUPPORTED, UPSTREAM_ERROR, ToolError, hint_for_name
from ..gdal_calls import attempt, thread_options
from ..i18n import translate
from ..layers import clean_text
from ..paths import ReadableRoots
from .encodings import BIG5, GB18030, GBK, UTF8, decoded, guess
from .refers import (
    JSON_DRIVERS,
    require_data_in_head,
    require_data_in_tab,
    require_no_linked_crs,
    require_plain_name,
)
from .sqlite_schema import HEADER, require_plain_dataset, require_plain_schema

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
_PACKED = b"PK\x03\x04"
MAX_PACKED = 512 * 1024**2
"""Bytes that a format which is a zip archive itself (KMZ, XLSX, ODS) may hold unpacked: GDAL unpacks it as a whole."""
MAX_TAB = 1 << 20


@dataclass(frozen=True)
class DataFile:
    """A file to open: its real path, and in an archive the member's name."""

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """Name of the file or member as it may be said and shown: a name is untrusted text."""
        return clean_text(Path(_readable_name(self.member) or self.path).name, 160)

    @property
    def suffix(self) -> str:
        """Ending in lower case."""
        return Path(self.member or self.path).suffix.lower()

    @property
    def opened_as(self) -> str:
        """The name that GDAL opens. The prefix for archives is only ever put here."""
        return "/vsizip/{}/{}".format(self.path, self.member) if self.member else str(self.path)


def _readable_name(member: str) -> str:
    """A name in an archive: one without the mark of UTF-8 comes as code page 437, whatever its writer had."""
    try:
        raw = member.encode("cp437")
    except UnicodeEncodeError:
        return member
    found = guess([raw]).encoding
    return decoded(raw, found) if found in (UTF8, GBK, GB18030, BIG5) else member


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
    with thread_options(options):
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        try:
            yield
        finally:
            gdal.PopErrorHandler()


def members(path: Path) -> List[str]:
    """Names of the files in a zip archive. UNSUPPORTED for one that is broken, encrypted or unreasonably big."""
    name = clean_text(path.name, 160)
    try:
        with zipfile.ZipFile(str(path)) as archive:
            found = [each for each in archive.infolist() if not each.is_dir()]
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise unreadable(name, clean_text(str(error), 200)) from error
    if len(found) > MAX_MEMBERS or sum(each.file_size for each in found) > MAX_UNPACKED:
        raise unreadable(name, translate("QgisAgent", "the archive is too big"))
    if any(each.flag_bits & 1 for each in found):
        raise unreadable(name, translate("QgisAgent", "the archive is encrypted"))
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
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise unreadable(file.name, clean_text(str(error), 200)) from error


def head_of(file: DataFile, size: int = _HEAD) -> bytes:
    """The first bytes of a file or member."""
    with opened(file) as stream:
        return stream.read(size)


def open_dataset(file: DataFile, kind: str, roots: ReadableRoots) -> Tuple[Any, str]:
    """(GDAL dataset opened for reading, driver's short name). ``kind`` is "vector" or "raster".

    UNSUPPORTED for a format that is not named, FORBIDDEN when the file leads to others outside the allowed folders.
    """
    _require_data_inside(file)
    _require_bearable(file)
    drivers = VECTOR_DRIVERS if kind == "vector" else RASTER_DRIVERS
    flag = gdal.OF_VECTOR if kind == "vector" else gdal.OF_RASTER
    recognised, _ = attempt(gdal.IdentifyDriverEx, file.opened_as, flag, [], [])
    name = recognised.ShortName if recognised is not None else ""
    if name and name not in drivers:
        raise _not_named(file, name)
    if name in JSON_DRIVERS:
        with opened(file) as stream:
            require_no_linked_crs(file.name, stream.read)
    dataset, reason = gdal_calls.open_dataset(file.opened_as, flag, drivers, _options(name))
    if dataset is None:
        raise _not_named(file, name) if not name else unreadable(file.name, clean_text(reason, 200))
    if dataset.GetDriver().ShortName in ("GPKG", "MBTiles"):
        require_plain_dataset(file.name, dataset)
    for each in attempt(dataset.GetFileList)[0] or []:
        if not each.startswith("/vsizip/"):
            roots.require(each)
    return dataset, dataset.GetDriver().ShortName


def _options(driver: str) -> List[str]:
    return ["WRITE_GFS=NO", "DOWNLOAD_SCHEMA=NO"] if driver == "GML" else []


def layer_options(driver: str) -> str:
    """What QGIS's provider must be told, as the end of a source."""
    return "".join("|option:" + each for each in _options(driver))


def _require_data_inside(file: DataFile) -> None:
    require_plain_name(file.name, file.opened_as)
    head = head_of(file)
    require_data_in_head(file.name, head)
    if head.startswith(HEADER) and not file.member:
        require_plain_schema(file.name, file.path)
    if file.suffix == ".tab":
        content = head_of(file, MAX_TAB + 1)
        if len(content) > MAX_TAB:
            raise unreadable(file.name, translate("QgisAgent", "a .tab of more than 1 MB describes no table"))
        require_data_in_tab(file.name, content)


def _require_bearable(file: DataFile) -> None:
    """UPSTREAM_ERROR for a file that is packed and would fill the memory when it is unpacked."""
    if head_of(file, len(_PACKED)) != _PACKED:
        return
    with opened(file) as stream, zipfile.ZipFile(stream) as archive:
        found = archive.infolist()
    if len(found) > MAX_MEMBERS or sum(each.file_size for each in found) > MAX_PACKED:
        raise unreadable(file.name, translate("QgisAgent", "it is too big when it is unpacked"))


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


def unreadable(name: str, why: str) -> ToolError:
    """The error of a file whose content is broken or more than can be read. ``name`` is clean."""
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "'{}' cannot be read: {}").format(
            name, why or translate("QgisAgent", "no reason given")
        ),
        hint=translate("QgisAgent", "Check that the file is whole; inspect_data_file tells what is in it."),
        reason="unreadable",
    )
