"""What the schema of a SQLite file (GeoPackage, MBTiles) may hold. Runs on worker threads.

A virtual table reads what it likes when it is read: SpatiaLite's VirtualText, VirtualShape and others any file of the
computer. Only those for search are let through. A view may call functions that read files or ask a server.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any, Iterable

from ..errors import FORBIDDEN, ToolError
from ..gdal_calls import GdalReadError, attempt, each_feature
from ..i18n import translate
from ..layers import clean_text

HEADER = b"SQLite format 3\0"
_BLANKS = re.compile(r"/\*.*?\*/|--[^\n]*\n|\s+", re.DOTALL)
_SEARCH_TABLE = re.compile(
    r"""CREATE\s+VIRTUAL\s+TABLE\s+(?:"[^"]*"|'[^']*'|\[[^\]]*\]|`[^`]*`|\w+)\s+USING\s+["'`\[]?"""
    r"""(?:rtree|rtree_i32|fts3|fts4|fts5)["'`\]]?\s*\(.*""",
    re.IGNORECASE | re.DOTALL,
)
_REACHES_OUT = re.compile(
    r"\b(?:ogr_geocode\w*|gdal_get_\w+|ogr_datasource\w*|xb_loadxml|xb_store\w*|blobfromfile|blobtofile|load_extension|"
    r"readfile|writefile|import(?:shp|dbf|zip\w*|wfs|xls|dxf|geojson|wkt)\w*|export\w+|eval)\s*\(",
    re.IGNORECASE,
)
_QUERY = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"


def require_plain_schema(name: str, path: Path) -> None:
    """FORBIDDEN for a file whose schema reaches out of it, before anything but the schema is read. Nothing is written.

    What lies in a -wal beside it is not seen here; ``require_plain_dataset`` sees it.
    """
    try:
        connection = sqlite3.connect(path.as_uri() + "?mode=ro&immutable=1", uri=True)
        try:
            texts = [str(row[0]) for row in connection.execute(_QUERY)]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _reaches_out(name, clean_text(str(error), 100)) from error
    _check(name, texts)


def require_plain_dataset(name: str, dataset: Any) -> None:
    """The same, as GDAL sees a file that it has opened: with a -wal, and in an archive."""
    rows, reason = attempt(dataset.ExecuteSQL, _QUERY)
    if reason:
        raise _reaches_out(name, clean_text(reason, 100))
    if rows is None:
        return
    try:
        _check(name, [str(each.GetField(0)) for each in each_feature(rows)])
    except GdalReadError as error:
        raise _reaches_out(name, clean_text(str(error), 100)) from error
    finally:
        dataset.ReleaseResultSet(rows)


def _check(name: str, texts: Iterable[str]) -> None:
    for text in texts:
        is_virtual = _BLANKS.sub("", text).lower().startswith("createvirtual")
        if (is_virtual and not _SEARCH_TABLE.fullmatch(text)) or _REACHES_OUT.search(text):
            raise _reaches_out(name, clean_text(text, 80))


def _reaches_out(name: str, what: str) -> ToolError:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "The database '{}' has a table that can read other files ({}).").format(name, what),
        hint=translate("QgisAgent", "Ask for a plain GeoPackage with the data alone."),
        reason="refers_elsewhere",
    )
