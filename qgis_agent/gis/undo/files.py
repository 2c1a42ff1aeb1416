"""Taking back what a run wrote: files that it made are removed, files that it changed get back their stored copies."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence, Tuple

from qgis.core import QgsMapLayer

from ..i18n import translate
from ..layers import clean_text
from ..source_files import local_path
from . import store
from .stamps import Stamp, same, stamp

if TYPE_CHECKING:
    from ..host import Host

_MACHINES = ("-shm", "-wal", ".aux.xml")
"""Endings of files that QGIS and GDAL make beside a file that they have open. They hold nothing of a person's, but an
unfinished "-wal" does."""


class WrittenFile:
    """Files that the run made: ``files`` with their stamps, the one that a person named first. See UndoItem."""

    reversible = True
    after_layers = True

    def __init__(self, host: Host, files: Sequence[Tuple[Path, Stamp]]) -> None:
        self._host = host
        self._files = list(files)
        self._path = self._files[0][0]
        self.key = "file:{}".format(self._path)

    def words(self) -> str:
        """See UndoItem."""
        return translate("QgisAgent", "the new file {}").format(clean_text(str(self._path), 400))

    def is_as_left(self) -> bool:
        """Each file holds what the run wrote, or is gone, and no layer shows it."""
        if any(os.path.lexists(str(path)) and not same(path, left) for path, left in self._files):
            return False
        if any(_size(_beside(path, "-wal")) for path, _ in self._files):
            return False
        return not self._is_shown()

    def apply(self) -> Optional[str]:
        """Remove the files."""
        try:
            for path, _ in self._files:
                for each in (path, *(_beside(path, ending) for ending in _MACHINES)):
                    if os.path.lexists(str(each)):
                        os.unlink(str(each))
        except OSError as error:
            return translate("QgisAgent", "{} could not be removed: {}").format(
                clean_text(self._path.name, 120), error.strerror or "-"
            )
        return None

    def discard(self) -> None:
        """Nothing is stored for it."""

    def _is_shown(self) -> bool:
        """Whether a layer reads the file: by then those that the run added are gone."""
        return any(_reads(each, self._path) for each in self._host.project.mapLayers().values())


class ChangedFiles:
    """Files that the run changed, with stored copies of what they held before. See UndoItem.

    Made before the change (``keep_copies`` first, on a worker thread); ``left`` is called after it. ``settle`` is called when
    files have been put back: it lets QGIS read them again.
    """

    reversible = True
    after_layers = False

    def __init__(self, key: str, words: str, copies: Dict[Path, Optional[Path]], settle: Callable[[], None]) -> None:
        self.key = key
        self._words = words
        self._copies = copies
        self._settle = settle
        self._left: Dict[Path, Optional[Stamp]] = {}

    def left(self) -> None:
        """The change is done: what the files hold now is what the run left. A file that is new belongs to it."""
        self._left = {each: stamp(each) for each in self._copies}

    def words(self) -> str:
        """See UndoItem."""
        return self._words

    def is_as_left(self) -> bool:
        """See UndoItem."""
        return all(same(path, left) for path, left in self._left.items())

    def apply(self) -> Optional[str]:
        """Give the files what they held before; when one of them fails, all are as they were a moment ago."""
        try:
            present = keep_copies(list(self._copies))
        except OSError as error:
            return self._failed(error)
        try:
            _put_all(self._copies)
            wanted = {path: stamp(copy, path.suffix) if copy else None for path, copy in self._copies.items()}
            found = [path for path, was in wanted.items() if not same(path, was)]
            if found:
                raise OSError(0, translate("QgisAgent", "{} reads back differently").format(found[0].name))
        except OSError as error:
            return self._back_to(present, error)
        finally:
            _forget_all(present)
        self._settle()
        return None

    def discard(self) -> None:
        """See UndoItem."""
        _forget_all(self._copies)

    def _back_to(self, present: Dict[Path, Optional[Path]], error: OSError) -> str:
        try:
            _put_all(present)
        except OSError as worse:
            return translate("QgisAgent", "{} The file is incomplete now: {}").format(
                self._failed(error), worse.strerror or "-"
            )
        return self._failed(error)

    def _failed(self, error: OSError) -> str:
        return translate("QgisAgent", "The stored copy could not be put back: {}").format(
            clean_text(error.strerror or "-", 200)
        )


class CannotUndo:
    """Something that the run did and that nothing here can take back; ``words`` are those that the card said. See UndoItem."""

    reversible = False
    after_layers = False

    def __init__(self, key: str, words: str) -> None:
        self.key = key
        self._words = words

    def words(self) -> str:
        """See UndoItem."""
        return self._words

    def is_as_left(self) -> bool:
        """It stays as it is."""
        return True

    def apply(self) -> Optional[str]:
        """Never called."""
        return self._words

    def discard(self) -> None:
        """Nothing is stored for it."""


def keep_copies(paths: Sequence[Path]) -> Dict[Path, Optional[Path]]:
    """Stored copies of files as they are now, None for those that are not there. OSError: then none is kept."""
    made: Dict[Path, Optional[Path]] = {}
    try:
        for each in paths:
            made[each] = store.keep(each) if each.is_file() else None
    except OSError:
        _forget_all(made)
        raise
    return made


def family_of(path: Path) -> List[Path]:
    """A data file with the files beside it that belong to it: of the same stem in the formats that have several."""
    endings = _FAMILIES.get(path.suffix.lower(), ())
    there = [each for each in path.parent.iterdir() if each.stem == path.stem and each.suffix.lower() in endings]
    wanted = [path.with_suffix(each) for each in endings if not any(each == found.suffix.lower() for found in there)]
    return list(dict.fromkeys([path, *there, *wanted]))


_FAMILIES: Dict[str, Tuple[str, ...]] = {
    ".shp": (".shp", ".shx", ".dbf", ".prj", ".cpg", ".qix", ".sbn", ".sbx", ".idm", ".ind"),
    ".dbf": (".dbf", ".cpg"),
    ".tab": (".tab", ".dat", ".map", ".id", ".ind"),
    ".mif": (".mif", ".mid"),
    ".gml": (".gml", ".xsd", ".gfs"),
}


def _reads(layer: QgsMapLayer, path: Path) -> bool:
    found = local_path(layer)
    return bool(found) and os.path.realpath(found) == os.path.realpath(str(path))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _size(path: Path) -> int:
    return os.stat(str(path)).st_size if path.is_file() else 0


def _put_all(copies: Dict[Path, Optional[Path]]) -> None:
    for path, copy in copies.items():
        if copy is not None:
            _put(copy, path)
        elif os.path.lexists(str(path)):
            os.unlink(str(path))


def _put(copy: Path, path: Path) -> None:
    """In one step where the system lets a file that is open be replaced, else into the file itself (Windows)."""
    draft = path.with_name(".{}-{}".format(path.name, uuid.uuid4().hex[:8]))
    try:
        shutil.copy2(str(copy), str(draft))
        try:
            os.replace(str(draft), str(path))
        except PermissionError:
            with open(str(draft), "rb") as source, open(str(path), "r+b") as target:
                shutil.copyfileobj(source, target, 1024 * 1024)
                target.truncate()
    finally:
        if os.path.lexists(str(draft)):
            os.unlink(str(draft))


def _forget_all(copies: Dict[Path, Optional[Path]]) -> None:
    for copy in copies.values():
        if copy is not None:
            store.forget(copy)
