"""What went wrong, from what an algorithm and GDAL told: the code, the finer cause, and what can be done."""

from __future__ import annotations

import re
import shutil
from typing import List, Tuple

from osgeo import gdal

from ...errors import (
    INVALID_PARAM,
    UPSTREAM_ERROR,
    ToolError,
)
from ...i18n import translate
from ...layers import clean_text
from .messages import (
    CollectingFeedback,
    GdalError,
)

ROOM = 1_000_000
"""Bytes; with less on the disk of the scratch folder a failure is put down to it."""
_CAUSES: Tuple[Tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(words, re.IGNORECASE))
    for name, words in (
        ("locked", r"database (table )?is locked|SQLITE_BUSY|Resource temporarily unavailable"),
        ("disk_full", r"no space left|disk (is )?full|file too large|not enough (disk )?space|disk I/O error"),
        (
            "not_writable",
            r"permission denied|read-?only (file system|database)|attempt to write a readonly|access is denied",
        ),
        ("source_missing", r"no such file|does not exist in the file system|file not found"),
        (
            "unreadable_source",
            r"IReadBlock failed|TIFFRead|TIFFFill|read error|corrupt|malformed|truncated|decod|"
            r"ZSTD|LZW|inflate|unexpected end|disk image",
        ),
    )
)
"""GDAL's and SQLite's words, which nobody translates."""
_WRITING = re.compile(
    r"TIFFAppend|TIFFFlush|TIFFWrite|WriteEncoded|write error|failed to write|cannot write", re.IGNORECASE
)
_FILE_IO = 3
_HARMFUL_NUMBERS = (2, _FILE_IO, 8)
"""CPLE_OutOfMemory, CPLE_FileIO, CPLE_NoWriteAccess."""


def harmful(errors: List[GdalError]) -> List[str]:
    """Those of GDAL's errors after which a result is not to be trusted: data not read, or not written.

    Others are of probing: QGIS asks GDAL for things that may not be there.
    """
    return [
        each.text
        for each in errors
        if each.number in _HARMFUL_NUMBERS or _WRITING.search(each.text) or cause_of([each.text])
    ]


def cause_of(texts: List[str]) -> str:
    """The finer cause that the texts name; "" for none."""
    return next((name for name, words in _CAUSES if any(words.search(each) for each in texts)), "")


def failure_of(ident: str, told: CollectingFeedback, folder: str) -> ToolError:
    """The error of an algorithm that failed, or that told of an error although it ended."""
    texts = told.errors + harmful(told.gdal)
    cause = cause_of(texts) or ("disk_full" if folder and _is_full(folder) else "")
    if told.rows_lost and not cause:
        return _rows_lost(ident, told)
    if not cause and any(_is_invalid_geometry(each) for each in texts):
        return _invalid_geometry(ident, texts)
    if not texts:
        texts = [each.text for each in told.gdal[:1]]
    why = " ".join(texts[:3]) or translate("QgisAgent", "QGIS gave no reason.")
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "{} failed: {}").format(ident, clean_text(why, 600)),
        hint=_hint(cause),
        reason=cause or "algorithm",
    )


def require_read() -> None:
    """After the last feature: UPSTREAM_ERROR when GDAL could not read on. QGIS takes a file that is locked, gone or broken for
    one that ends there, and a part of the features, or none, would pass for all.

    On the thread that has read; ``gdal.ErrorReset`` was called on it before.
    """
    if gdal.GetLastErrorType() < gdal.CE_Failure:
        return
    told = GdalError(gdal.GetLastErrorNo(), clean_text(gdal.GetLastErrorMsg(), 300))
    if not harmful([told]):
        return
    cause = cause_of([told.text])
    raise ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The layer's data could not be read: {}").format(told.text),
        hint=_hint(cause),
        reason=cause or "provider",
    )


def _is_full(folder: str) -> bool:
    try:
        return shutil.disk_usage(folder).free < ROOM
    except OSError:
        return False


def _is_invalid_geometry(text: str) -> bool:
    """By QGIS's own sentence, which a translation may change: then the general failure is told."""
    return "invalid geometry" in text.lower() or "geometry error" in text.lower()


def _rows_lost(ident: str, told: CollectingFeedback) -> ToolError:
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "{}: {} features do not fit into the result and would be lost: {}").format(
            ident, told.rows_lost, clean_text(told.errors[0], 300)
        ),
        hint=_hint_of_lost(told.errors[0]),
        reason="rows_lost",
    )


def _hint_of_lost(text: str) -> str:
    if "geometry type" in text:
        return translate(
            "QgisAgent", "The layer mixes kinds of geometry, a result has one: run native:filterbygeometry first."
        )
    return translate(
        "QgisAgent", "Use a field type, length or precision that holds the values (text, or a 64-bit integer)."
    )


def _invalid_geometry(ident: str, texts: List[str]) -> ToolError:
    return ToolError(
        INVALID_PARAM,
        translate("QgisAgent", "{} failed: {}").format(ident, clean_text(texts[0], 400)),
        hint=translate("QgisAgent", "Repair a copy with fix_geometries first, and use that."),
        reason="invalid_geometry",
    )


def _hint(cause: str) -> str:
    hints = {
        "locked": translate(
            "QgisAgent", "Another program holds the file: end its edit there, or wait a little, and try again."
        ),
        "disk_full": translate(
            "QgisAgent", "Make room on the disk for temporary files, or use fewer features (where)."
        ),
        "not_writable": translate("QgisAgent", "QGIS may not write there; use another folder for temporary files."),
        "source_missing": translate("QgisAgent", "Check that the layer's file is still there."),
        "unreadable_source": translate("QgisAgent", "The layer's file is damaged: get a sound copy of it."),
    }
    return hints.get(
        cause,
        translate("QgisAgent", "Check the layer's geometries and coordinates, or use fewer features (where)."),
    )
