"""Which files may be read or written. Every path that a tool gets passes here.

Reading: an existing regular file, by its real path below an allowed root, and a member of a zip archive that is such a
file. Writing: a new file in an existing folder below an allowed root. Nothing of ``/vsi…``, URLs, driver prefixes or
inline XML passes, and nothing of ``path_rules.py``.

What is checked is the real path, and that is what is opened, so a link that is swapped afterwards leads nowhere new; the
readers check the files of an opened dataset once more. What is left: a folder above it that another program swaps between
check and opening, and a hard link, which no path tells from a file of its own.
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
from .path_rules import (
    Root,
    covering,
    is_broad,
    is_private,
    is_reserved,
    not_local,
    on_a_drive,
    same_name_on_disk,
    too_long,
)
from .rules import added_folders
from .scope import Scope

MAX_NAME_BYTES = 200
"""Most file systems hold 255; a draft's name is longer than the file's."""
MAX_FOLDERS_NAMED = 5
MAX_FILES_NAMED = 8


class ReadableRoots:
    """The folders that may be read, as they are now: unlike the policy, a worker thread may ask it."""

    def __init__(self, roots: Iterable[Root], hides: Callable[[str], bool] = lambda _path: False) -> None:
        self._roots = list(roots)
        self._hides = hides

    def require(self, path: str) -> Path:
        """The real path of ``path`` when it lies below a root. FORBIDDEN otherwise."""
        real = _real(Path(path))
        _require_below(real, self._roots, translate("QgisAgent", "read"), self._hides)
        return real

    def names(self) -> List[str]:
        """The folders, without those inside another one."""
        return [str(each) for each in _outermost(self._roots)]


class PathPolicy:
    """The allowed roots of one project: its folder, the folders of its layers (reading), and what a person added.

    What the person excluded (``gis/scope.py``) and private places (``path_rules.py``) are in none of them. A project that was
    saved at home, at the top of a disk or among temporary files opens the files beside it, not the folders.
    """

    def __init__(self, project: QgsProject, write_roots: Iterable[str] = (), read_roots: Iterable[str] = ()) -> None:
        self._project = project
        self._scope = Scope(project)
        self._write_roots = [Path(each) for each in write_roots]
        self._read_roots = [Path(each) for each in read_roots]

    def project_folder(self) -> str:
        """The project's folder, or "" for a project that was never saved."""
        return self._project.absolutePath()

    def write_roots(self) -> List[Path]:
        """Folders that a write may go below: what a person named, else the project's folder and what the settings add."""
        return [each.path for each in self._writing()]

    def read_roots(self) -> List[Path]:
        """Folders that a file may be read from."""
        return [each.path for each in self._reading()]

    def _writing(self) -> List[Root]:
        if self._write_roots:
            return [Root(_real(each), True) for each in self._write_roots]
        return self._of_project() + [Root(Path(each), True) for each in added_folders("write")]

    def _reading(self) -> List[Root]:
        named = [*self._read_roots, *self._write_roots, *map(Path, added_folders("read") + added_folders("write"))]
        roots = [Root(_real(each), True) for each in named] + self._of_project()
        for layer in self._project.mapLayers().values():
            if self._scope.hides_layer(layer):
                continue
            parts = QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source())
            path = parts.get("path") or ""
            folder = Path(path).parent
            if path and not path.startswith("/vsi") and os.path.exists(path) and folder != folder.parent:
                roots.append(_root(folder))  # a layer at the top of the disk opens no more than itself
        return list(dict.fromkeys(roots))

    def _of_project(self) -> List[Root]:
        return [_root(Path(self.project_folder()))] if self.project_folder() else []

    def readable(self, text: str) -> Path:
        """The real path of an existing file that may be read. NOT_FOUND or FORBIDDEN with what to do."""
        path = same_name_on_disk(self._absolute(text))
        real = _real(path)
        self._require_readable(real)
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
        files = (
            [each for each in folder.iterdir() if each.is_file() and self._may_read(each)] if folder.is_dir() else []
        )
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
        roots = self._reading()
        if not text.strip():
            real = _real(Path(self.project_folder() or str(roots[0].path))) if roots else Path(os.sep)
        else:
            real = _real(same_name_on_disk(self._absolute(text)))
        self._require_readable(real)
        if not real.is_dir():
            inside = [each for each in real.parent.iterdir() if each.is_dir()] if real.parent.is_dir() else []
            near = [clean_text(each.name, 120) for each in inside if self._may_read(each)]
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no folder '{}'.").format(clean_text(text, 400)),
                hint=hint_for_name(Path(text).name, near, "folder"),
                reason="folder",
            )
        return real

    def readable_roots(self) -> ReadableRoots:
        """The folders that may be read now, for a worker thread."""
        return ReadableRoots(self._reading(), self._scope.path_test())

    def _require_readable(self, real: Path) -> None:
        _require_below(real, self._reading(), translate("QgisAgent", "read"), self._scope.hides_path)

    def _may_read(self, path: Path) -> bool:
        """Whether the name of a file or folder may stand in a hint."""
        try:
            self._require_readable(_real(path))
        except ToolError:
            return False
        return True

    def writable(self, text: str) -> Path:
        """The real path of a file that may be written: its folder exists, below a write root, and it does not exist yet."""
        path = self._absolute(text)
        parent = _real(path.parent)
        real = parent / path.name
        _check_name(path.name)
        _require_below(real, self._writing(), translate("QgisAgent", "written"), self._scope.hides_path)
        if not parent.is_dir():
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no folder '{}'.").format(clean_text(str(path.parent), 400)),
                hint=translate("QgisAgent", "Choose an existing folder inside {}.").format(_names(self._writing())),
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
        if (
            not text.strip()
            or "\0" in text
            or text.lstrip().startswith(("<", "{"))
            or on_a_drive(text)
            or too_long(text)
        ):
            raise ToolError(
                INVALID_PARAM,
                translate("QgisAgent", "This is not the path of a file."),
                hint=translate("QgisAgent", "Give the path of a file in the project folder."),
                reason="path",
            )
        if not_local(text):
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


def _root(folder: Path) -> Root:
    """A folder that a project or a layer brings with it."""
    real = _real(folder)
    return Root(real, not is_broad(real))


def _require_below(real: Path, roots: List[Root], verb: str, hides: Callable[[str], bool]) -> None:
    root = covering(real, roots)
    if root is not None and is_private(real, root):
        raise ToolError(
            FORBIDDEN,
            translate("QgisAgent", "'{}' is in a private place: no tool opens it.").format(clean_text(real.name, 120)),
            hint=translate("QgisAgent", "Ask the person to copy what is needed into the project folder."),
            reason="path_private",
        )
    if root is not None and not hides(str(real)):
        return
    raise ToolError(  # the same for what the person excluded: it is as if it were not there
        FORBIDDEN,
        translate("QgisAgent", "'{}' is outside the folders that may be {}.").format(clean_text(real.name, 120), verb),
        hint=translate("QgisAgent", "Allowed: {}.").format(_names(roots)),
        reason="path_outside",
    )


def _outermost(roots: List[Root]) -> List[Path]:
    """Each folder once, without those inside another one that is open to its depths."""
    deep = {each.path for each in roots if each.deep}
    return list(dict.fromkeys(each.path for each in roots if not deep & set(each.path.parents)))


def _names(roots: List[Root]) -> str:
    """The folders for a sentence: the first few, because a project may have layers from many."""
    kept = [clean_text(str(each), 200) for each in _outermost(roots)]
    if len(kept) > MAX_FOLDERS_NAMED:
        more = translate("QgisAgent", "and {} more folders of the project's layers")
        kept = [*kept[:MAX_FOLDERS_NAMED], more.format(len(kept) - MAX_FOLDERS_NAMED)]
    return ", ".join(kept) or translate("QgisAgent", "none (save the project first)")


def _check_name(name: str) -> None:
    odd = name != clean_text(name, len(name)) or name.endswith(".") or re.search(r'[<>:"|?*\\]', name)
    if is_reserved(name) or odd or len(os.fsencode(name)) > MAX_NAME_BYTES:
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
