"""The projects that cases run on, each time a fresh copy: the sample, the world map of QGIS, or one beside the set."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Dict, Set

from qgis.core import Qgis, QgsApplication, QgsProject

from ..errors import NOT_FOUND, UNSUPPORTED, ToolError
from ..headless import SAMPLE_FOLDER, WORLD, open_data
from ..i18n import translate

SAMPLE = "sample"
_SAMPLE_FILE = "city.qgz"
_QUIET = ("-wal", "-shm", "-journal")
"""Ends of files that SQLite makes beside a database while it is read."""


class CaseProjects:
    """Templates in ``base`` and a copy for each case. ``set_folder`` is where the set lies: its own projects are named from it."""

    def __init__(self, base: Path, set_folder: Path) -> None:
        self._base = base
        self._set_folder = set_folder
        self._templates: Dict[str, Path] = {}
        self._number = 0

    def template(self, name: str) -> Path:
        """The project file of a template, which nothing changes: a replay copies it by itself. NOT_FOUND, UNSUPPORTED."""
        if name not in self._templates:
            self._templates[name] = self._made(name)
        return self._templates[name]

    def fresh(self, name: str) -> Path:
        """The project file of a new copy."""
        template = self.template(name)
        self._number += 1
        folder = self._base / "case{}".format(self._number)
        shutil.copytree(str(template.parent), str(folder))
        return folder / template.name

    def _made(self, name: str) -> Path:
        folder = self._base / "template{}".format(len(self._templates))
        if name == SAMPLE:
            shutil.copytree(str(SAMPLE_FOLDER), str(folder))
            return folder / _SAMPLE_FILE
        if name == WORLD:
            return _world(folder)
        wanted = (self._set_folder / name).resolve()
        if not wanted.is_file() or wanted.suffix.lower() not in (".qgs", ".qgz"):
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no project '{}'.").format(name),
                hint=translate("QgisAgent", "Use 'sample', 'world', or a project file beside the set."),
                reason="project",
            )
        shutil.copytree(str(wanted.parent), str(folder))
        return folder / wanted.name


def _world(folder: Path) -> Path:
    folder.mkdir()
    data = folder / "world_map.gpkg"
    shutil.copyfile(str(Path(QgsApplication.pkgDataPath()) / "resources" / "data" / data.name), str(data))
    project = QgsProject()
    open_data(project, data, ["countries"])
    path = folder / "world.qgz"
    if not project.write(str(path)):
        raise _cannot_open(path.name, project.error())
    project.clear()
    return path


def open_copy(project: QgsProject, path: Path) -> None:
    """Open a project file. UNSUPPORTED says why it cannot be."""
    flags = Qgis.ProjectReadFlag.DontLoad3DViews | Qgis.ProjectReadFlag.DontStoreOriginalStyles
    if not project.read(str(path), flags):
        raise _cannot_open(path.name, project.error())


def _cannot_open(name: str, why: str) -> ToolError:
    return ToolError(
        UNSUPPORTED,
        translate("QgisAgent", "The project '{}' cannot be opened: {}").format(name, why),
        hint=translate("QgisAgent", "Open and repair it in QGIS."),
        reason="project",
    )


def digests(folder: Path) -> Dict[str, str]:
    """SHA-256 of each file below a folder, by its path from there; what SQLite leaves beside a database is not looked at."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(_QUIET)
    }


def changed_files(before: Dict[str, str], after: Dict[str, str]) -> Set[str]:
    """Files that are new, gone, or others than before."""
    return {each for each in {*before, *after} if before.get(each) != after.get(each)}
