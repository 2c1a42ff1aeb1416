"""The file of the permissions that outlive QGIS: ``permissions.json`` in the plugin's folder of the QGIS profile.

It is never beside a project: a project that someone sends must not bring permissions along. Several QGIS may use it at
once: each change is made to what the file holds at that moment, under a lock, and put in its place in one step. A file that
cannot be understood gives nothing; it is set aside as ``permissions.json.bad``, so that a person can look at it.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any, Callable, Dict, Generic, Optional, Tuple, TypeVar

from qgis.core import Qgis, QgsApplication, QgsMessageLog
from qgis.PyQt.QtCore import QLockFile

from .i18n import translate

VERSION = 1
FILE_NAME = "permissions.json"
MAX_BYTES = 1024 * 1024
MAX_ROWS = 1000
"""The oldest ones go: a person could not look through more."""
LOCK_MS = 1000
"""Another QGIS holds the lock for a few milliseconds; this is on the main thread."""
STALE_MS = 10_000
LOG_TAG = "QGIS Agent"

Row = Dict[str, Any]
Item = TypeVar("Item")


class _Unusable(Exception):
    """The file is there and is not understood; the text says why, for a person."""


def default_path() -> Path:
    """The file in the QGIS profile in use."""
    return Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent" / FILE_NAME


class RowsFile(Generic[Item]):
    """Items in a JSON file, read anew whenever it has changed. ``parse`` raises ValueError for a row that is none.

    ``problem`` is what went wrong last, for a person; "" when all is well.
    """

    def __init__(
        self, path: Optional[Path], parse: Callable[[Any], Item], as_row: Callable[[Item], Row], key: str = "grants"
    ) -> None:
        """``path`` None: the file in the QGIS profile that is in use when it is asked."""
        self._path = path
        self._parse = parse
        self._as_row = as_row
        self._key = key
        self._seen: Optional[Tuple[int, int, int]] = None
        self._items: Tuple[Item, ...] = ()
        self.problem = ""

    @property
    def path(self) -> Path:
        """Where the file is, whether it exists or not."""
        return self._path or default_path()

    def read(self) -> Tuple[Item, ...]:
        """What the file holds now; nothing when there is none or it cannot be used (see ``problem``)."""
        stamp = self._stamp()
        if stamp is None:
            self._seen, self._items = None, ()
        elif stamp != self._seen:
            try:
                self._items, self._seen = self._load(), stamp
                self.problem = ""
            except _Unusable as error:
                self._items, self._seen = (), None
                self._set_aside(str(error))
            except OSError as error:
                self._items, self._seen = (), None
                self._tell(translate("QgisAgent", "The stored permissions cannot be read: {}").format(error.strerror))
        return self._items

    def change(self, edit: Callable[[Tuple[Item, ...]], Tuple[Item, ...]]) -> bool:
        """Give the file what ``edit`` makes of its items. False, and ``problem``, when it cannot be written."""
        self.read()  # a file that is not understood is set aside first
        try:
            lock = self._lock()
            try:
                self._seen = None  # what is there now counts, not what looks unchanged
                kept = edit(self.read())[-MAX_ROWS:]
                self._write(kept)
            finally:
                lock.unlock()
        except OSError as error:
            why = error.strerror or str(error)
            self._tell(translate("QgisAgent", "The permissions could not be stored: {}").format(why))
            return False
        return True

    def _stamp(self) -> Optional[Tuple[int, int, int]]:
        try:
            found = os.stat(str(self.path))
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _load(self) -> Tuple[Item, ...]:
        with self.path.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise _Unusable(translate("QgisAgent", "it is too large"))
        try:
            document = json.loads(raw.decode("utf-8"))
            version = document["version"]
            if isinstance(version, int) and version > VERSION:
                raise _Unusable(translate("QgisAgent", "a newer version of the plugin wrote it"))
            if version != VERSION or not isinstance(document[self._key], list):
                raise ValueError("version or list")
            return tuple(self._parse(row) for row in document[self._key])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _Unusable(translate("QgisAgent", "it is damaged")) from error

    def _write(self, items: Tuple[Item, ...]) -> None:
        document = {"version": VERSION, self._key: [self._as_row(each) for each in items]}
        raw = json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8")
        draft = self.path.with_name(".{}-{}".format(FILE_NAME, uuid.uuid4().hex[:8]))
        try:
            with os.fdopen(os.open(str(draft), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
                opened.write(raw)
                opened.flush()
                os.fsync(opened.fileno())
            os.replace(str(draft), str(self.path))
        finally:
            if os.path.lexists(str(draft)):
                draft.unlink()
        self._items, self._seen, self.problem = items, self._stamp(), ""

    def _lock(self) -> QLockFile:
        folder = self.path.parent
        folder.mkdir(parents=True, exist_ok=True)
        os.chmod(str(folder), 0o700)
        lock = QLockFile(str(self.path) + ".lock")
        lock.setStaleLockTime(STALE_MS)
        if not lock.tryLock(LOCK_MS):
            raise OSError(0, translate("QgisAgent", "another QGIS is using the file"))
        return lock

    def _set_aside(self, why: str) -> None:
        """Rename the file, unless another QGIS has put a good one in its place meanwhile."""
        bad = self.path.with_name(self.path.name + ".bad")
        try:
            lock = self._lock()
            try:
                self._items = self._load()
                self._seen = self._stamp()
                return
            except _Unusable:
                os.replace(str(self.path), str(bad))
            finally:
                lock.unlock()
        except OSError as error:
            why = "{}; {}".format(why, error.strerror or error)
        text = translate("QgisAgent", "The stored permissions are not used: {}. The old file is kept as {}.")
        self._tell(text.format(why, bad.name))

    def _tell(self, text: str) -> None:
        if text != self.problem:
            QgsMessageLog.logMessage(text, LOG_TAG, Qgis.MessageLevel.Warning)
        self.problem = text
