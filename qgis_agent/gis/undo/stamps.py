"""What a file held when the run left it: size and digest, without the bytes that opening a file alone changes."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO, Dict, List, NamedTuple, Optional, Tuple

WHOLE = 64 * 1024 * 1024
"""Up to here all bytes are compared; of larger files the first and last ones, the size and the time of the last write."""
_ENDS = 1024 * 1024
_PIECE = 1024 * 1024
_SQLITE = b"SQLite format 3\0"
_SQLITE_OWN: Tuple[Tuple[int, int], ...] = ((18, 20), (24, 28), (92, 100))
"""Journal mode, change counter and version: QGIS changes them when it opens a GeoPackage (https://sqlite.org/fileformat.html)."""
_DBF_OWN: Tuple[Tuple[int, int], ...] = ((1, 4),)
"""The date of the last update in a dBASE header."""


class Stamp(NamedTuple):
    """``size`` in bytes, ``digest`` of the content, ``written`` in ns for files that are too large to be read whole, else 0."""

    size: int
    digest: str
    written: int


def stamp(path: Path, suffix: str = "") -> Optional[Stamp]:
    """The stamp of a regular file; None for one that is not there or is no file. OSError when it cannot be read.

    ``suffix``: that of the file which it is a copy of, where its own name has another one.
    """
    try:
        found = os.lstat(str(path))
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    large = found.st_size > WHOLE
    with open(str(path), "rb") as file:
        digest = _of_ends(file, found.st_size) if large else _of_all(file, suffix or path.suffix)
    return Stamp(found.st_size, digest, found.st_mtime_ns if large else 0)


def same(path: Path, left: Optional[Stamp]) -> bool:
    """Whether a file is as it was left. A file that cannot be read is not."""
    try:
        size = os.lstat(str(path)).st_size
    except OSError:
        return left is None and not os.path.lexists(str(path))
    if left is None or size != left.size:
        return False
    try:
        return stamp(path) == left
    except OSError:
        return False


def stamps_by_ending(draft: Path, family: List[Path]) -> Dict[str, Stamp]:
    """The stamps of a draft's files by what their names have after the draft's stem: they get other names, not other bytes."""
    found = {each.name[len(draft.stem) :]: stamp(each) for each in family}
    return {ending: made for ending, made in found.items() if made is not None}


def _of_all(file: BinaryIO, suffix: str) -> str:
    made = hashlib.sha256()
    head = bytearray(file.read(_PIECE))
    own: Tuple[Tuple[int, int], ...] = ()
    if head.startswith(_SQLITE):
        own = _SQLITE_OWN
    elif suffix.lower() == ".dbf":
        own = _DBF_OWN
    for start, end in own:
        head[start:end] = bytes(len(head[start:end]))
    made.update(head)
    for piece in iter(lambda: file.read(_PIECE), b""):
        made.update(piece)
    return made.hexdigest()


def _of_ends(file: BinaryIO, size: int) -> str:
    made = hashlib.sha256(file.read(_ENDS))
    file.seek(size - _ENDS)
    made.update(file.read(_ENDS))
    return made.hexdigest()
