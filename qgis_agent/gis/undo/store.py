"""Copies of files as they were before a run changed them, in ``undo`` of the agent's folder in the QGIS profile.

Each session of QGIS has a folder of its own there. A copy goes when its checkpoint is forgotten, and all go when QGIS ends; what
a crash left behind is removed when the next session starts.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Dict, Sequence

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication, QLockFile

MAX_BYTES = 200 * 1024 * 1024
"""Of one change: what is larger is not copied, and the card says so before."""
MAX_TOTAL = 1024 * 1024 * 1024
"""Of all copies of a session."""
_PREFIX = "session_"
_LOCK = "session.lock"
_SESSION: Dict[str, object] = {}


def fits(paths: Sequence[Path]) -> bool:
    """Whether copies of these files (those that are there) are kept."""
    size = sum(os.stat(str(each)).st_size for each in paths if each.is_file())
    return size <= MAX_BYTES and size + total() <= MAX_TOTAL


def total() -> int:
    """Bytes that the copies of this session take."""
    folder = str(_SESSION.get("folder") or "")
    if not folder or not os.path.isdir(folder):
        return 0
    return sum(each.stat().st_size for each in os.scandir(folder) if each.is_file(follow_symlinks=False))


def keep(path: Path) -> Path:
    """A copy of a file; OSError when the disk is full. On a worker thread ``session_folder`` must have been called before."""
    copy = Path(session_folder()) / uuid.uuid4().hex
    try:
        with open(str(path), "rb") as source, open(str(copy), "xb") as target:
            shutil.copyfileobj(source, target, 1024 * 1024)
        shutil.copystat(str(path), str(copy))
    except OSError:
        forget(copy)
        raise
    return copy


def forget(copy: Path) -> None:
    """Remove a copy. What the system still holds (Windows) goes with the session's folder."""
    try:
        os.unlink(str(copy))
    except OSError:
        return


def session_folder() -> str:
    """The folder of this session, made with the first use, on the main thread."""
    folder = str(_SESSION.get("folder") or "")
    if folder and os.path.isdir(folder):
        return folder
    base = base_folder()
    os.makedirs(str(base), mode=0o700, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=str(base))
    lock = QLockFile(os.path.join(folder, _LOCK))
    lock.setStaleLockTime(0)  # it is stale only when its process is gone
    lock.tryLock(0)
    _SESSION.update(folder=folder, lock=lock)
    application = QCoreApplication.instance()
    if application is not None:
        application.aboutToQuit.connect(end_session)
    atexit.register(end_session)
    return folder


def base_folder() -> Path:
    """Where the sessions' folders are."""
    return Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent" / "undo"


def end_session() -> None:
    """QGIS ends: there is nothing to go back to any more."""
    folder, lock = str(_SESSION.pop("folder", "") or ""), _SESSION.pop("lock", None)
    if isinstance(lock, QLockFile):
        lock.unlock()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def sweep() -> None:
    """Remove the folders of sessions whose process is gone; called when QGIS starts."""
    base = base_folder()
    for each in base.iterdir() if base.is_dir() else ():
        if not each.name.startswith(_PREFIX) or each.is_symlink() or not each.is_dir():
            continue
        lock = QLockFile(str(each / _LOCK))
        lock.setStaleLockTime(0)
        if lock.tryLock(0):
            lock.unlock()
            shutil.rmtree(str(each), ignore_errors=True)
