"""Folders for what an analysis writes to disk: one a call, below one of the session, with names that the host chose.

A folder belongs to the Processing context of a call and goes with it; when a layer of the project reads from it, it goes
with the last of such layers. The path is plain ASCII where the machine has such a place: programs beside QGIS (GDAL, GRASS)
stumble over others on Windows (case A64).
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import os
import shutil
import sys
import tempfile
import weakref
from typing import Dict, List, Set

from qgis.core import QgsMapLayer, QgsProcessingContext
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QCoreApplication, QLockFile

from .errors import UPSTREAM_ERROR, ToolError
from .i18n import translate
from .layers import clean_text

PREFIX = "qgis_agent_"
_LOCK = "session.lock"
_SHORT_PATH = 1024


class Scratch:
    """The folder of one call. ``folder`` is made at once; ``remove`` may be called more than once."""

    def __init__(self) -> None:
        try:
            self.folder = tempfile.mkdtemp(prefix="call_", dir=session_folder())
        except OSError as error:
            raise _no_room(error) from error
        self._layers: Set[int] = set()
        self._kept = self._ended = False
        self._given: List[str] = []
        _OPEN[self.folder] = self

    def file(self, name: str) -> str:
        """A path for a file of that name (ASCII, with its suffix); numbered where it is taken. Nothing is made."""
        stem, suffix = (_plain(each) for each in os.path.splitext(name))
        path, number = os.path.join(self.folder, (stem or "output") + suffix), 2
        while os.path.exists(path) or path in self._given:
            path = os.path.join(self.folder, "{}_{}{}".format(stem or "output", number, suffix))
            number += 1
        self._given.append(path)
        return path

    def watch(self, layer: QgsMapLayer) -> None:
        """The folder stays as long as ``layer`` lives, and goes with the last of such layers."""
        address = sip.unwrapinstance(layer)
        if address not in self._layers:
            self._layers.add(address)
            layer.destroyed.connect(lambda *_: self._layer_gone(address))

    def keep(self) -> None:
        """The folder stays to the end of the session: a person is to look at a file in it."""
        self._kept = True

    def settle(self) -> None:
        """The call has ended: without layers and files to keep, the folder goes now."""
        self._ended = True
        if not self._layers and not self._kept:
            self.remove()

    def remove(self) -> None:
        """Remove the folder. What the system still holds open (Windows) goes with the session's folder."""
        _OPEN.pop(self.folder, None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _layer_gone(self, address: int) -> None:
        self._layers.discard(address)
        if self._ended:
            self.settle()


_OPEN: Dict[str, Scratch] = {}
_SESSION: Dict[str, object] = {}


def scratch_of(context: QgsProcessingContext) -> Scratch:
    """The scratch of a context: made with the first use, and then where algorithms put their own temporary files, too.

    UPSTREAM_ERROR when the disk is full or nothing may be written there.
    """
    known = _OPEN.get(context.temporaryFolder())
    if known is None:
        known = Scratch()
        context.setTemporaryFolder(known.folder)
        weakref.finalize(context, known.settle)
    return known


def watch(layer: QgsMapLayer) -> None:
    """When ``layer`` reads from a scratch folder, the folder stays as long as the layer. More than once does no harm."""
    for scratch in list(_OPEN.values()):
        if scratch.folder in layer.source():
            scratch.watch(layer)


def is_scratch(path: str) -> bool:
    """Whether a path lies in this session's folder."""
    folder = str(_SESSION.get("folder") or "")
    return bool(folder) and os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def open_folders() -> List[str]:
    """The folders of calls that are there now."""
    return sorted(_OPEN)


def session_folder() -> str:
    """The folder of this QGIS session, made with the first use; those of sessions that crashed are removed then."""
    folder = str(_SESSION.get("folder") or "")
    if folder and os.path.isdir(folder):
        return folder
    base = _base()
    _sweep(base)
    folder = tempfile.mkdtemp(prefix=PREFIX, dir=base)
    lock = QLockFile(os.path.join(folder, _LOCK))
    lock.setStaleLockTime(0)  # it is stale only when its process is gone
    lock.tryLock(0)
    _SESSION.update(folder=folder, lock=lock)
    application = QCoreApplication.instance()
    if application is not None:
        application.aboutToQuit.connect(end_session)
    atexit.register(end_session)
    return folder


def end_session() -> None:
    """QGIS ends: everything goes. What a person wanted to keep was to be exported."""
    folder, lock = str(_SESSION.pop("folder", "") or ""), _SESSION.pop("lock", None)
    if isinstance(lock, QLockFile):
        lock.unlock()
    _OPEN.clear()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(base: str) -> None:
    """Remove the folders of sessions whose process is gone."""
    for name in os.listdir(base):
        mark = os.path.join(base, name, _LOCK)
        if not name.startswith(PREFIX) or not os.path.isfile(mark) or not os.access(mark, os.W_OK):
            continue
        lock = QLockFile(mark)
        lock.setStaleLockTime(0)
        if lock.tryLock(0):
            lock.unlock()
            shutil.rmtree(os.path.join(base, name), ignore_errors=True)


def _base() -> str:
    """A folder for temporary files: the system's, by a plain ASCII path where there is one that can be written to."""
    usual = tempfile.gettempdir()
    places = [usual, _short_path(usual), os.environ.get("PUBLIC", ""), os.environ.get("PROGRAMDATA", "")]
    for each in places:
        if each and each.isascii() and os.path.isdir(each) and os.access(each, os.W_OK):
            return each
    return usual


def _short_path(path: str) -> str:
    """Windows' 8.3 name of a folder, which is ASCII; "" elsewhere and where the drive has none."""
    if sys.platform != "win32":
        return ""
    buffer = ctypes.create_unicode_buffer(_SHORT_PATH)
    return buffer.value if ctypes.windll.kernel32.GetShortPathNameW(path, buffer, _SHORT_PATH) else ""


def _no_room(error: OSError) -> ToolError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return ToolError(
        UPSTREAM_ERROR,
        translate("QgisAgent", "The folder for temporary files cannot be written to: {}").format(
            clean_text(error.strerror or "", 120)
        ),
        hint=translate("QgisAgent", "Make room on the disk for temporary files, or choose another folder for them."),
        reason="disk_full" if full else "not_writable",
    )


def _plain(text: str) -> str:
    """ASCII letters, digits and the signs that a file name may have everywhere."""
    kept = text.encode("ascii", "ignore").decode("ascii")
    return "".join(each if each.isalnum() or each in "._-" else "_" for each in kept)
