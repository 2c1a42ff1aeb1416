"""The copy of a project that a replay works on. The person's own project and files are never touched."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Optional

from qgis.core import Qgis, QgsProject

from ..errors import NOT_FOUND, UNSUPPORTED, ToolError
from ..headless import WORLD, open_data, open_world
from ..i18n import translate

MAX_BYTES = 300 * 1024 * 1024
MAX_FILES = 2000
"""A project folder that holds more is not copied: its data are read where they are, which changes nothing in them."""


class ScratchProject:
    """A project that is open beside the person's own. ``close`` ends it and removes the copy."""

    def __init__(self, path: str) -> None:
        self.project = QgsProject()
        self.folder = ""
        """Of the project's files; "" for the world map."""
        self.copied: Optional[str] = None
        """The folder that is removed at the end."""
        try:
            self._open(path)
        except BaseException:
            self.close()
            raise

    def _open(self, path: str) -> None:
        if path == WORLD:
            open_world(self.project)
            return
        wanted = Path(path)
        if not wanted.is_file():
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no project '{}'.").format(path or "?"),
                hint=translate("QgisAgent", "Name the project, or a copy of it, that the trace was recorded on."),
                reason="project",
            )
        wanted = self._copy(wanted.resolve())
        self.folder = str(wanted.parent)
        if wanted.suffix.lower() not in (".qgs", ".qgz"):
            open_data(self.project, wanted, [])
            return
        flags = Qgis.ProjectReadFlag.DontLoad3DViews | Qgis.ProjectReadFlag.DontStoreOriginalStyles
        if not self.project.read(str(wanted), flags):
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The project '{}' cannot be opened: {}").format(path, self.project.error()),
                hint=translate("QgisAgent", "Open and repair it in QGIS."),
                reason="project",
            )

    def _copy(self, path: Path) -> Path:
        if not _is_small(path.parent):
            return path
        self.copied = tempfile.mkdtemp(prefix="qgis-agent-replay-")
        shutil.copytree(str(path.parent), self.copied, dirs_exist_ok=True)
        return Path(self.copied).resolve() / path.name

    def close(self) -> None:
        """Close the project; the copy goes."""
        self.project.clear()
        self.project.blockSignals(True)  # it tells once more when it is destroyed, to a host that may be gone by then
        if self.copied is not None:
            shutil.rmtree(self.copied, ignore_errors=True)
            self.copied = None


def _is_small(folder: Path) -> bool:
    files = size = 0
    for place, _folders, names in os.walk(str(folder)):
        files += len(names)
        if files > MAX_FILES:
            return False
        for name in names:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue  # it has gone meanwhile, and is not copied either
        if size > MAX_BYTES:
            return False
    return True
