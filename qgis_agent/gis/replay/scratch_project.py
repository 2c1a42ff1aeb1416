"""The copy of a project that a replay works on. The person's own project and files are never touched."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Optional

from qgis.core import Qgis, QgsPathResolver, QgsProject

from ..errors import NOT_FOUND, UNSUPPORTED, ToolError
from ..headless import WORLD, open_data, open_world
from ..i18n import translate
from .copying import copy_folder, in_copy, is_small


class ScratchProject:
    """A project that is open beside the person's own. ``close`` ends it and removes the copy."""

    def __init__(self, path: str) -> None:
        self.project = QgsProject()
        self.folder = ""
        """Of the project's files; "" for the world map."""
        self.copied: Optional[str] = None
        """The folder that is removed at the end, and the only one of its own that a replay may write to: the copy, or an
        empty one for a project that is too large to copy. Its data are read where they are, which changes nothing in them."""
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
        recorded = wanted.resolve()
        wanted = self._copy(recorded)
        self.folder = str(wanted.parent)
        if wanted.suffix.lower() not in (".qgs", ".qgz"):
            open_data(self.project, wanted, [])
            return
        flags = Qgis.ProjectReadFlag.DontLoad3DViews | Qgis.ProjectReadFlag.DontStoreOriginalStyles
        placed = QgsPathResolver.setPathPreprocessor(lambda path: in_copy(path, str(recorded.parent), self.folder))
        try:
            read = self.project.read(str(wanted), flags)
        finally:
            QgsPathResolver.removePathPreprocessor(placed)
        if not read:
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The project '{}' cannot be opened: {}").format(path, self.project.error()),
                hint=translate("QgisAgent", "Open and repair it in QGIS."),
                reason="project",
            )

    def _copy(self, path: Path) -> Path:
        folder = str(path.parent)
        try:
            small = is_small(folder)
            self.copied = tempfile.mkdtemp(prefix="qgis-agent-replay-")
            if not small:
                return path
            copy_folder(folder, self.copied)
        except OSError as error:
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The folder of the project cannot be copied: {}").format(_words(error)),
                hint=translate("QgisAgent", "Make room on the disk, or name a copy of the project that can be read."),
                reason="copy",
            ) from error
        return Path(self.copied).resolve() / path.name

    def close(self) -> None:
        """Close the project; the copy goes."""
        self.project.clear()
        self.project.blockSignals(True)  # it tells once more when it is destroyed, to a host that may be gone by then
        if self.copied is not None:
            shutil.rmtree(self.copied, ignore_errors=True)
            self.copied = None


def _words(error: OSError) -> str:
    return ": ".join(str(each) for each in (error.strerror or type(error).__name__, error.filename) if each)
