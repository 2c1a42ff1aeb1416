"""The raw text of a shapefile's table and what a .cpg beside it states, on disk or in a zip archive. On worker threads."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Optional

from qgis.core import QgsFeedback

from .encodings import DbfText, beside, cpg_text, read_dbf_stream
from .formats import ARCHIVE_SUFFIX, DataFile, head_of, members, opened

_SUFFIXES = (".shp", ".dbf")
_PAGE_BYTES = 64


def archive_part(file: DataFile) -> DataFile:
    """The shapefile or table that GDAL reads of an archive that is named without a member; other files as they are."""
    if file.member or file.path.suffix.lower() != ARCHIVE_SUFFIX:
        return file
    names = members(file.path)
    for suffix in _SUFFIXES:
        found = [each for each in names if each.lower().endswith(suffix)]
        if len(found) == 1:
            return DataFile(file.path, found[0])
    return file


def has_table(file: DataFile) -> bool:
    """Whether a file is a shapefile or a .dbf, whose text may be in another encoding than it says."""
    return file.suffix in _SUFFIXES


def _partner(file: DataFile, suffix: str) -> Optional[DataFile]:
    """The file of the same name with another ending, in any case of letters."""
    if not file.member:
        path = beside(file.path, suffix)
        return DataFile(path) if path is not None else None
    wanted = str(PurePosixPath(file.member).with_suffix(suffix)).casefold()
    name = next((each for each in members(file.path) if each.casefold() == wanted), None)
    return DataFile(file.path, name) if name is not None else None


def table_text(file: DataFile, feedback: QgsFeedback) -> Optional[DbfText]:
    """Raw texts of a shapefile's table, read to its end; None for other formats and where there is no table."""
    if not has_table(file):
        return None
    table = file if file.suffix == ".dbf" else _partner(file, ".dbf")
    if table is None:
        return None
    with opened(table) as stream:
        return read_dbf_stream(stream, feedback.isCanceled)


def stated_page(file: DataFile) -> str:
    """What the .cpg beside a file says, from its first bytes; "" where there is none."""
    page = _partner(file, ".cpg")
    return cpg_text(head_of(page, _PAGE_BYTES)) if page is not None else ""
