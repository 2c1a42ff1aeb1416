"""QGIS without a window: start, open a project, answer for a person by policy, draw a picture, end."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from qgis.analysis import QgsNativeAlgorithms
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsMapRendererParallelJob,
    QgsProject,
    QgsProviderRegistry,
    QgsSettings,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QStandardPaths, QTimer

from .approvals import Card
from .contracts import PLUGIN_ROOT
from .errors import NOT_FOUND, UNSUPPORTED, ToolError, hint_for_name
from .host import Host, run_until
from .i18n import translate
from .map_picture import picture_settings
from .scratch import end_session
from .viewport import PICTURE_SIZE
from .work import wait_for_all

WORLD = "world"
"""As a project: the world map that QGIS itself ships."""
SAMPLE_FOLDER = PLUGIN_ROOT / "resources" / "sample"
PICTURE_TIMEOUT_S = 60.0


class HeadlessQgis:
    """QGIS on the command line. ``close`` ends it."""

    def __init__(self, profile: Optional[Path] = None) -> None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        os.environ["GDAL_PAM_ENABLED"] = "NO"  # statistics of a raster leave no .aux.xml beside it
        self.profile = profile or default_profile()
        self.profile.mkdir(parents=True, exist_ok=True)
        # The argument of QgsApplication for it has no effect in Python (3.40.6): QGIS reads this variable.
        os.environ["QGIS_CUSTOM_CONFIG_PATH"] = str(self.profile)
        self.app = QgsApplication([], True, str(self.profile))
        self.app.initQgis()
        # A GeoPackage that is only read must stay as it is, byte for byte, without -wal and -shm beside it.
        QgsSettings().setValue("qgis/walForSqlite3", False)
        registry = QgsApplication.processingRegistry()
        if registry.providerById("native") is None:
            registry.addProvider(QgsNativeAlgorithms(registry))
        self._scratch: List[str] = []

    def open_project(self, path: Optional[str]) -> QgsProject:
        """Open a project file, a vector file as a new project, or "world". NOT_FOUND and UNSUPPORTED say what is wrong.

        The sample is opened as a copy, so that nothing can change it.
        """
        project = QgsProject.instance()
        if path is None:
            return project
        if path == WORLD:
            open_world(project)
            return project
        wanted = Path(path)
        if not wanted.is_file():
            siblings = [each.name for each in wanted.parent.iterdir()] if wanted.parent.is_dir() else []
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no project '{}'.").format(path),
                hint=hint_for_name(wanted.name, siblings, "files"),
                reason="project",
            )
        wanted = self._copied(wanted.resolve())
        if wanted.suffix.lower() not in (".qgs", ".qgz"):
            open_data(project, wanted, [])
        elif not project.read(str(wanted)):
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "The project '{}' cannot be opened: {}").format(path, project.error()),
                hint=translate("QgisAgent", "Open and repair it in QGIS."),
                reason="project",
            )
        return project

    def _copied(self, path: Path) -> Path:
        if SAMPLE_FOLDER.resolve() not in path.parents:
            return path
        folder = tempfile.mkdtemp(prefix="qgis-agent-")
        self._scratch.append(folder)
        shutil.copytree(str(path.parent), folder, dirs_exist_ok=True)
        return Path(folder) / path.name

    def close(self) -> None:
        """Close the project and QGIS, and remove copies. Algorithms that cannot be interrupted are waited for."""
        wait_for_all()
        QgsProject.instance().clear()
        end_session()  # nothing else does: exitQgis does not tell that QGIS quits, and the command line ends without atexit
        self.app.exitQgis()
        for folder in self._scratch:
            shutil.rmtree(folder, ignore_errors=True)


def default_profile() -> Path:
    """The command line's own folder for profiles: it never changes the settings of a person's QGIS."""
    named = os.environ.get("QGIS_AGENT_PROFILE") or os.environ.get("QGIS_CUSTOM_CONFIG_PATH")
    if named:
        return Path(named)
    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    return Path(base) / "qgis-agent"


def open_world(project: QgsProject) -> None:
    """The world map that QGIS itself ships, as a project."""
    open_data(project, Path(QgsApplication.pkgDataPath()) / "resources" / "data" / "world_map.gpkg", ["countries"])


def open_data(project: QgsProject, path: Path, only: List[str]) -> None:
    """A vector file as a project: all its layers, or ``only`` some. UNSUPPORTED where it is none."""
    details = QgsProviderRegistry.instance().querySublayers(str(path))
    names = [each for each in details if each.providerKey() == "ogr" and (not only or each.name() in only)]
    layers = [QgsVectorLayer(each.uri(), each.name(), "ogr") for each in names]
    if not layers or not all(each.isValid() for each in layers):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is neither a QGIS project nor vector data.").format(path.name),
            hint=translate("QgisAgent", "Give a .qgz or .qgs file, a vector file, or 'world'."),
            reason="project",
        )
    project.clear()
    project.setTitle(path.stem)
    project.setCrs(layers[0].crs() if layers[0].crs().isValid() else QgsCoordinateReferenceSystem("EPSG:4326"))
    project.setEllipsoid("EPSG:7030")
    project.addMapLayers(layers)


class HeadlessApprover:
    """Nobody is there: the policy of ``--approve`` answers, by default with no.

    ``none`` agrees to nothing; ``reversible`` to view, create and writes that say they are reversible; ``all`` to every
    write. Writes need ``--allow-write`` as well. ``hosts`` are those that may be asked over the network
    (``--allow-network``), whatever the policy; code is never agreed to.
    """

    unattended = True

    def __init__(self, policy: str = "none", may_write: bool = False, hosts: Sequence[str] = ()) -> None:
        if policy not in ("none", "reversible", "all"):
            raise ValueError("unknown policy {!r}".format(policy))
        self._policy = policy
        self._may_write = may_write
        self.hosts = frozenset(each.lower() for each in hosts)

    def ask(self, card: Card, answer: Callable[[str], None]) -> Callable[[], None]:
        """See Approver."""
        decided = self._decide(card)
        QTimer.singleShot(0, lambda: answer(decided))
        return lambda: None

    def _decide(self, card: Card) -> str:
        agreed = self._policy == "all" or (self._policy == "reversible" and card["reversible"])
        if card["kind"] == "write":
            return "once" if agreed and self._may_write else "headless"
        if card.get("host"):
            return "once" if card["host"] in self.hosts else "headless"
        return "once" if agreed and card["reversible"] else "headless"


def save_picture(host: Host, path: str) -> Dict[str, Any]:
    """Draw the map as it is shown into a PNG; returns {path, width, height, errors}. UNSUPPORTED when nothing was written."""
    settings = picture_settings(host, *PICTURE_SIZE)
    job = QgsMapRendererParallelJob(settings)
    finished: List[bool] = []
    job.finished.connect(lambda: finished.append(True))
    job.start()
    if not run_until(lambda: bool(finished), PICTURE_TIMEOUT_S):
        job.cancelWithoutBlocking()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if not finished or not job.renderedImage().save(path):
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The picture '{}' could not be written.").format(path),
            hint=translate("QgisAgent", "Use a .png name in an existing folder."),
            reason="picture",
        )
    return {
        "path": path,
        "width": PICTURE_SIZE[0],
        "height": PICTURE_SIZE[1],
        "errors": [each.message for each in job.errors()],
    }
