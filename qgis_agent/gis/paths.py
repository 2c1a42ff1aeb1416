"""Which files may be read or written. Every path that a tool gets passes here.

Reading: an existing regular file, by its real path below an allowed root, and a member of a zip archive that is such a
file. Writing: a new file in an existing folder below an allowed root. Nothing of ``/vsi…``, URLs, driver prefixes or
inline XML passes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Callable, Iterable, List, Tuple

from qgis.core import QgsProject, QgsProviderRegistry

from .errors import FORBIDDEN, INVALID_PARAM, NOT_FOUND, ToolError, hint_for_name, nearest
from .i18n import translate
from .layers import clean_text

MAX_NAME_BYTES = 200
"""Most file systems hold 255; a draft's name is longer than the file's."""
MAX_FOLDERS_NAMED = 5
MAX_FILES_NAMED = 8
_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:(?!\\)")
_RESERVED = (
    {"con", "prn", "aux", "nul"} | {"com{}".format(n) for n in range(1, 10)} | {"lpt{}".format(n) for n in range(1, 10)}
)


class ReadableRoots:
    """The folders that may be read, as they are now: unlike the policy, a worker thread may ask it."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self._roots = list(roots)

    def require(self, path: str) -> Path:
        """The real path of ``path`` when it lies below a root. FORBIDDEN otherwise."""
        real = _real(Path(path))
        _require_below(real, self._roots, translate("QgisAgent", "read"))
        return real

    def names(self) -> List[str]:
        """The folders, without those inside another one."""
        return [str(each) for each in _outermost(self._roots)]


class PathPolicy:
    """The allowed roots of one project: its folder, the folders of its layers (reading), and what a person added."""

    def __init__(self, project: QgsProject, write_roots: Iterable[str] = (), read_roots: Iterable[str] = ()) -> None:
        self._project = project
        self._write_roots = [Path(each) for each in write_roots]
        self._read_roots = [Path(each) for each in read_roots]

    def project_folder(self) -> str:
        """The project's folder, or "" for a project that was never saved."""
        return self._project.absolutePath()

    def write_roots(self) -> List[Path]:
        """Folders that a write may go below: what a person named, else the project's folder."""
        roots = list(self._write_roots)
        if not roots and self.project_folder():
            roots.append(Path(self.project_folder()))
        return [_real(each) for each in roots]

    def read_roots(self) -> List[Path]:
        """Folders that a file may be read from."""
        roots = list(self._read_roots) + list(self._write_roots)
        if self.project_folder():
            roots.append(Path(self.project_folder()))
        for layer in self._project.mapLayers().values():
            parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
            path = parts.get("path") or ""
            if path and not path.startswith("/vsi") and os.path.exists(path):
                roots.append(Path(path).parent)
                if roots[-1] == roots[-1].parent:
                    roots.pop()  # a layer at the top of the disk opens no more than itself
        return [_real(each) for each in roots]

    def readable(self, text: str) -> Path:
        """The real path of an existing file that may be read. NOT_FOUND or FORBIDDEN with what to do."""
        path = self._absolute(text)
        real = _real(path)
        _require_below(real, self.read_roots(), translate("QgisAgent", "read"))
        if not real.is_file():
            folder = real if real.is_dir() else real.parent  # never the parent of a root, which may not be read
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no file '{}'.").format(clean_text(text, 400)),
                hint=self._nearby(path.name, folder),
                reason="file",
            )
        return real

    def _nearby(self, name: str, folder: Path) -> str:
        """A hint with the files of like name in a folder, or where files can be looked for."""
        files = [each for each in folder.iterdir() if each.is_file()] if folder.is_dir() else []
        close = nearest(name, [clean_text(each.name, 120) for each in files])
        more = translate("QgisAgent", "list_data_files names the files, with the paths to give.")
        if not close:
            here = ", ".join("'{}'".format(clean_text(each.name, 60)) for each in sorted(files)[:MAX_FILES_NAMED])
            return translate("QgisAgent", "In that folder: {}.").format(here) + " " + more if here else more
        short, by_name = self.shortener(), {clean_text(each.name, 120): each for each in files}
        paths = [short(by_name[each]) for each in close]
        named = translate("QgisAgent", " or ").join("'{}'".format(clean_text(each, 400)) for each in paths)
        return translate("QgisAgent", "Did you mean {}?").format(named) + " " + more

    def shortener(self) -> Callable[[Path], str]:
        """Makes a path as the data tools take it: relative to where relative paths start, where it lies below it.

        A worker thread may call what is returned.
        """
        base = self._base()
        real = _real(Path(base)) if base else None

        def short(path: Path) -> str:
            return path.relative_to(real).as_posix() if real is not None and real in path.parents else str(path)

        return short

    def _base(self) -> str:
        """Where relative paths start; "" where they lead nowhere."""
        return self.project_folder() or (str(self._write_roots[0]) if self._write_roots else "")

    def readable_in_archive(self, text: str) -> Tuple[Path, str]:
        """Like ``readable``, and for "archive.zip/member" the archive with the member's name ("" for a plain file).

        The member's name is not checked here: whoever opens it compares it with the names that the archive has.
        """
        path = self._absolute(text)
        for parent in path.parents:
            if parent.suffix.lower() == ".zip" and parent.is_file():
                return self.readable(str(parent)), path.relative_to(parent).as_posix()
        return self.readable(text), ""

    def readable_folder(self, text: str) -> Path:
        """The real path of an existing folder that may be read; "" is the project's folder, or else the first allowed one."""
        roots = self.read_roots()
        if not text.strip():
            if not roots:
                _require_below(Path(os.sep), roots, translate("QgisAgent", "read"))
            first = self.project_folder() or str(roots[0])
            return _real(Path(first))
        path = self._absolute(text)
        real = _real(path)
        _require_below(real, roots, translate("QgisAgent", "read"))
        if not real.is_dir():
            near = _folders(real.parent) if real.parent.is_dir() else []
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no folder '{}'.").format(clean_text(text, 400)),
                hint=hint_for_name(path.name, near, "folder"),
                reason="folder",
            )
        return real

    def readable_roots(self) -> ReadableRoots:
        """The folders that may be read now, for a worker thread."""
        return ReadableRoots(self.read_roots())

    def writable(self, text: str) -> Path:
        """The real path of a file that may be written: its folder exists, below a write root, and it does not exist yet."""
        path = self._absolute(text)
        parent = _real(path.parent)
        real = parent / path.name
        _check_name(path.name)
        _require_below(real, self.write_roots(), translate("QgisAgent", "written"))
        if not parent.is_dir():
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no folder '{}'.").format(clean_text(str(path.parent), 400)),
                hint=translate("QgisAgent", "Choose an existing folder inside {}.").format(_names(self.write_roots())),
                reason="folder",
            )
        if os.path.lexists(str(real)):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "The file '{}' exists already and is not overwritten.").format(path.name),
                hint=translate("QgisAgent", "Choose a new name, for example '{}'.").format(_free_name(real)),
                reason="file_exists",
            )
        return real

    def _absolute(self, text: str) -> Path:
        if not text.strip() or "\0" in text or text.lstrip().startswith(("<", "{")):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "This is not the path of a file."),
                hint=translate("QgisAgent", "Give the path of a file in the project folder."),
                reason="path",
            )
        if text.startswith(("/vsi", "\\\\")) or _URL.match(text):
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "Only local files are allowed, no URLs and no virtual file systems."),
                hint=translate("QgisAgent", "Give the path of a file in the project folder."),
                reason="path",
            )
        path = Path(text)
        if path.is_absolute():
            return path
        base = self._base()
        if not base:
            raise ToolError(
                FORBIDDEN,
                translate("QgisAgent", "The project has no folder yet, so a relative path leads nowhere."),
                hint=translate("QgisAgent", "Save the project first, or add a folder in the settings."),
                reason="no_project_folder",
            )
        return Path(base) / path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(str(path)))


def _require_below(real: Path, roots: List[Path], verb: str) -> None:
    if any(root == real or root in real.parents for root in roots):
        return
    raise ToolError(
        FORBIDDEN,
        translate("QgisAgent", "'{}' is outside the folders that may be {}.").format(clean_text(real.name, 120), verb),
        hint=translate("QgisAgent", "Allowed: {}.").format(_names(roots)),
        reason="path_outside",
    )


def _outermost(roots: List[Path]) -> List[Path]:
    """Each folder once, without those inside another one."""
    return list(dict.fromkeys(each for each in roots if not any(other in each.parents for other in roots)))


def _names(roots: List[Path]) -> str:
    """The folders for a sentence: the first few, because a project may have layers from many."""
    kept = [clean_text(str(each), 200) for each in _outermost(roots)]
    if len(kept) > MAX_FOLDERS_NAMED:
        more = translate("QgisAgent", "and {} more folders of the project's layers")
        kept = [*kept[:MAX_FOLDERS_NAMED], more.format(len(kept) - MAX_FOLDERS_NAMED)]
    return ", ".join(kept) or translate("QgisAgent", "none (save the project first)")


def _folders(parent: Path) -> List[str]:
    return [clean_text(each.name, 120) for each in parent.iterdir() if each.is_dir()]


def _check_name(name: str) -> None:
    stem = name.split(".")[0].casefold()
    odd = name != clean_text(name, len(name)) or name.endswith(".") or re.search(r'[<>:"|?*\\]', name)
    if stem in _RESERVED or odd or len(os.fsencode(name)) > MAX_NAME_BYTES:
        raise ToolError(
            INVALID_PARAM,
            translate("QgisAgent", "'{}' is not a file name that works on every system.").format(clean_text(name, 60)),
            hint=translate("QgisAgent", "Use letters, digits, '-' and '_', at most {} bytes.").format(MAX_NAME_BYTES),
            reason="file_name",
        )


def _free_name(path: Path) -> str:
    number = 2
    while os.path.lexists(str(path.with_name("{}_{}{}".format(path.stem, number, path.suffix)))):
        number += 1
    return "{}_{}{}".format(path.stem, number, path.suffix)
