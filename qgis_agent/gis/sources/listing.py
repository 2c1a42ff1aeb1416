"""The data files of a folder, by their endings. Nothing is opened."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

from qgis.core import QgsFeedback

from ..errors import ToolError
from ..layers import clean_text
from ..paths import ReadableRoots
from .formats import SHEET_SUFFIXES, TABLE_SUFFIXES

_SUFFIXES: Dict[str, tuple] = {
    "vector": (
        ".gpkg",
        ".shp",
        ".geojson",
        ".json",
        ".geojsonl",
        ".kml",
        ".kmz",
        ".gpx",
        ".gml",
        ".fgb",
        ".dxf",
        ".tab",
        ".mif",
    ),
    "raster": (
        ".tif",
        ".tiff",
        ".png",
        ".jpg",
        ".jpeg",
        ".jp2",
        ".asc",
        ".img",
        ".hgt",
        ".dem",
        ".nc",
        ".grib2",
        ".mbtiles",
    ),
    "table": TABLE_SUFFIXES + SHEET_SUFFIXES + (".dbf",),
    "archive": (".zip",),
}
MAX_DEPTH = 4
MAX_SEEN = 20_000
MAX_PATH = 400
"""Characters, as many as the tools take."""


def kind_of_file(name: str) -> str:
    """vector, raster, table, archive, or "" for no data."""
    suffix = os.path.splitext(name)[1].lower()
    return next((kind for kind, endings in _SUFFIXES.items() if suffix in endings), "")


def local_time(stamp: float) -> str:
    """A file's time, given in seconds since 1970, as local ISO 8601 with the offset."""
    return datetime.fromtimestamp(stamp, timezone.utc).astimezone().isoformat(timespec="minutes")


def data_files(
    folder: Path, kind: str, roots: ReadableRoots, short: Callable[[Path], str], feedback: QgsFeedback
) -> List[Dict[str, Any]]:
    """Rows {path, kind, bytes, modified} of a folder and the ones below it, at most 4 deep, sorted by path.

    ``short`` makes a path of the kind that the other tools take.
    What links lead to outside the allowed folders is left out, as are hidden files and the table of a shapefile.
    """
    rows = []
    for path in _walk(folder, feedback):
        found = kind_of_file(path.name)
        if not found or (kind != "any" and found != kind):
            continue
        if path.suffix.lower() == ".dbf" and any(path.with_suffix(each).exists() for each in (".shp", ".SHP")):
            continue
        try:
            real = roots.require(str(path))
            state = real.stat()
        except (ToolError, OSError):
            continue  # a link that leads outside or nowhere
        rows.append(
            {
                "path": clean_text(short(path), MAX_PATH),
                "kind": found,
                "bytes": state.st_size,
                "modified": local_time(state.st_mtime),
            }
        )
    return sorted(rows, key=lambda each: str(each["path"]).casefold())


def _walk(folder: Path, feedback: QgsFeedback) -> Iterator[Path]:
    seen = 0
    for here, folders, names in os.walk(str(folder)):
        depth = len(Path(here).relative_to(folder).parts)
        folders[:] = sorted(each for each in folders if not each.startswith(".")) if depth < MAX_DEPTH else []
        for name in sorted(names):
            seen += 1
            if seen > MAX_SEEN or feedback.isCanceled():
                return
            if not name.startswith("."):
                yield Path(here) / name
