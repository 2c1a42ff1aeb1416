"""Files that lead elsewhere instead of holding data, whatever they are called. Runs on worker threads.

What is looked for is what GDAL would follow: descriptions of other sources, MapInfo's views and seamless tables, a GeoJSON's
CRS by link, a "|" in a name (QGIS reads what follows as options, and opens the file of the name before it).
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Iterator

from ..errors import FORBIDDEN, ToolError
from ..i18n import translate

JSON_DRIVERS = ("", "GeoJSON", "GeoJSONSeq", "TopoJSON", "ESRIJSON")
"""Drivers whose files can have a "crs" member; "" for a file that was recognised as nothing."""
_LEADS_ELSEWHERE = (
    b"<OGRVRTDataSource",
    b"<VRTDataset",
    b"<GDAL_WMS",
    b"<WMS_",
    b"<GDAL_WMTS",
    b"<OGRWFSDataSource",
    b"<WCS_GDAL",
    b"<TileService",
)
"""Beginnings of files that only say where the data is. They are refused whatever their name."""
_TAB_LEADS_ELSEWHERE = (b"isseamless", b"create view")
"""In a MapInfo table, in any case of letters."""
_BLOCK = 1 << 20
_CRS_BYTES = 65_536
"""A "crs" object that is longer than this is refused unread."""
_CRS_KEY = re.compile(rb"""["']crs["']\s*""", re.IGNORECASE)
_ESCAPED_LETTER = re.compile(rb"\\u00([2-7][0-9A-Fa-f])")
Read = Callable[[int], bytes]


def require_data_in_head(name: str, head: bytes) -> None:
    """FORBIDDEN for what only describes a source elsewhere. ``head`` are the first bytes of the file."""
    found = next((each for each in _LEADS_ELSEWHERE if each in head), None)
    if found is not None:
        raise _refers(name, found)


def require_data_in_tab(name: str, content: bytes) -> None:
    """FORBIDDEN for a MapInfo table that is a view of others or made of others. ``content`` is the whole .tab."""
    folded = content.lower()
    found = next((each for each in _TAB_LEADS_ELSEWHERE if each in folded), None)
    if found is not None:
        raise _refers(name, found)


def require_plain_name(name: str, opened_as: str) -> None:
    """FORBIDDEN for a name that QGIS would read as another file's with options."""
    if "|" in opened_as:
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "The name of '{}' or of its folder has a '|', which QGIS reads as options.").format(
                name
            ),
            hint=translate("QgisAgent", "Ask the person to rename it."),
            reason="file_name",
        )


def require_no_linked_crs(name: str, read: Read) -> None:
    """FORBIDDEN for JSON whose crs is a link, which GDAL would follow. The member may stand anywhere in the file."""
    if any(_is_link(after) for after in _after_crs(read)):
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "'{}' names its CRS by an address in the network.").format(name),
            hint=translate("QgisAgent", "Replace the member “crs” of the file, or leave it out."),
            reason="refers_elsewhere",
        )


def _after_crs(read: Read) -> Iterator[bytes]:
    """What follows each key or text "crs", as far as a value may be long. Letters written as \\u00xx are read as GDAL does."""
    kept = b""
    while True:
        block = read(_BLOCK)
        text = _ESCAPED_LETTER.sub(_letter, kept + block)
        for found in _CRS_KEY.finditer(text):
            if not block or len(text) - found.end() > _CRS_BYTES:
                yield text[found.end() : found.end() + _CRS_BYTES]
        if not block:
            return
        kept = text[-(_CRS_BYTES + 64) :]


def _letter(found: Any) -> bytes:
    code = int(found.group(1), 16)
    return bytes(found.group(0)) if code in (0x22, 0x5C) else bytes([code])  # quote and backslash would end the text


def _is_link(after: bytes) -> bool:
    """Whether a value is an object {"type": "link" or "url"}; also what cannot be told (comments, other quotes, too long)."""
    rest = after[1:].lstrip() if after[:1] == b":" else b""
    if after[:1] == b"/" or rest[:1] == b"/":  # a comment, which GDAL's reader skips
        return True
    if rest[:1] != b"{":
        return False
    try:
        value, _ = json.JSONDecoder().raw_decode(rest.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return True
    kinds = [str(each).casefold() for key, each in value.items() if key.casefold() == "type"]
    return any(each.startswith(("link", "url")) for each in kinds)


def _refers(name: str, found: bytes) -> ToolError:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "'{}' only refers to data elsewhere ({}).").format(
            name, found.decode("ascii").strip("<")
        ),
        hint=translate("QgisAgent", "Give the file that holds the data itself, or use add_service_layer."),
        reason="refers_elsewhere",
    )
