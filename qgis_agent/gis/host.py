"""The map that tools work on: the project with its canvas in QGIS, or without one on the command line."""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, List, Optional

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsLayerTree,
    QgsLayerTreeGroup,
    QgsMapLayer,
    QgsProject,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QEventLoop, QObject, QTimer

from .approvals import Ledger
from .audit import Audit
from .detached import Detached
from .extents import WGS84, bbox_degrees, transformed
from .grants import GrantStore, project_file
from .layers import LayerRegistry, layer_kind, literal_name
from .map_state import map_state
from .paths import PathPolicy
from .results import ResultStore
from .revision import DataRevision
from .rules import Rules
from .scratch import watch
from .secrets import know_layers
from .snapshot import Recent, snapshot
from .taint import Taint
from .temporary import MadeLayers, Removed
from .threads import keep_threads
from .undo.checkpoints import Checkpoints
from .viewport import Viewport

__all__ = ["RESULT_GROUP", "WGS84", "Host", "run_until", "transformed"]

RESULT_GROUP = "Agent results"
AREA_KINDS = ("polygon", "raster", "other")


class Host(QObject):
    """One project and its map.

    ``canvas`` is a QgsMapCanvas and ``iface`` a QgisInterface in QGIS; both are None on the command line, where the view
    is kept here. Everything that belongs to the project (aliases, handles, tokens) ends with it.
    """

    def __init__(
        self,
        project: QgsProject,
        canvas: Any = None,
        iface: Any = None,
        paths: Optional[PathPolicy] = None,
        parent: Optional[QObject] = None,
    ) -> None:
        super().__init__(parent)
        keep_threads()
        self.project = project
        self.canvas = canvas
        self.iface = iface
        self.layers = LayerRegistry(project)
        self.scope = self.layers.scope
        self.results = ResultStore()
        self.ledger = Ledger(grants=GrantStore(lambda: project_file(project), parent=self), rules=Rules(self))
        self.taint = Taint()
        self.audit = Audit(project, self.layers, parent=self)
        self.revision = DataRevision(project, self.layers, self)
        self.paths = paths or PathPolicy(project)
        self.view = Viewport(project, canvas, self)
        self.recent = Recent(project)
        self.made = MadeLayers(project, self)
        self.detached = Detached(self)
        self.highlighter: Any = None  # gis/highlight.py: Highlighter, with a window
        self.created_layers: List[str] = []
        self.removed: List[Removed] = []
        self.waived_algorithms: Dict[str, FrozenSet[str]] = {}
        self.choose_destination: Any = None
        """A function (algorithm, parameter) -> path, of tests that compare files; None: memory and scratch files."""
        self._last_action = ""
        self.agent_changes = 0
        """Counts beginnings and ends of calls that change the open project: what was shown before is not what is there."""
        self.asked_view: Optional[Dict[str, Any]] = None
        """What the last view action asked for (``remember_view``)."""
        self.checkpoints = Checkpoints(self)
        self._revisions = 0
        self._opened_as = project.fileName()
        project.cleared.connect(self._project_changed)
        project.readProject.connect(self._project_changed)
        project.layersAdded.connect(self._know_layers)
        know_layers(project.mapLayers().values())
        self.audit.watch(self)

    def _know_layers(self, layers: List[QgsMapLayer]) -> None:
        know_layers(layers)  # by a method: a slot of a plain function would stay with the project, one more a host

    def project_id(self) -> str:
        """Names the open project while it is open: the file that it was opened from, and a number for each opening.

        Saving it under another name opens no other project: what belongs to it (handles, tokens, a run) goes on.
        """
        return "{}#{}".format(self._opened_as, self._revisions)

    def _project_changed(self, *_args: Any) -> None:
        self._revisions += 1
        self._opened_as = self.project.fileName()
        self.layers.clear()
        self.results.clear()
        self.ledger.project_changed()
        self.view.reset()
        self.recent.clear()
        self.made.clear()
        self.checkpoints.clear()
        self.asked_view = None
        self._last_action = ""
        self.created_layers = []
        self.removed = []

    def admission_waived(self, why: str, algorithm: str) -> bool:
        """Whether a test lets an algorithm run that is else refused or asked about for this reason (sql, code, in_place …).

        ``waived_algorithms`` maps reasons to ids. It is empty but in the test suite: nothing in the plugin sets it.
        """
        return algorithm in self.waived_algorithms.get(why, ())

    def note_change(self, effect: str) -> None:
        """A changing call begins or ends. A write is not counted: what it changes was shown and is compared by itself."""
        if effect not in ("", "read", "write"):
            self.agent_changes += 1

    def begin_request(self) -> None:
        """A person has asked for something: from here on it counts when they move the map by hand."""
        self.view.begin_request()

    @property
    def last_action(self) -> str:
        """What a tool did last: the operation and the layer's alias, e.g. "render schools"."""
        return self._last_action

    @last_action.setter
    def last_action(self, text: str) -> None:
        self._last_action = text
        op, _, alias = text.partition(" ")
        if alias and not op.startswith("add"):  # an added layer has told of itself; the alias is the input's
            self.recent.note(self.layers.by_alias(alias), op)

    def active_layer(self) -> Optional[QgsMapLayer]:
        """The layer that is chosen in QGIS's layer panel; None without a window, and for a private layer."""
        layer = self.iface.activeLayer() if self.iface is not None else None
        return layer if layer is not None and not self.layers.is_hidden(layer) else None

    # the view

    def extent(self) -> QgsReferencedRectangle:
        """What the map shows, in the map's CRS."""
        return self.view.extent()

    def set_extent(self, rectangle: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> QgsReferencedRectangle:
        """Show ``rectangle`` (in ``crs``) with a margin of 5 %; returns what the map shows after it, in the map's CRS."""
        return self.view.show(rectangle, crs)

    def map_crs(self) -> QgsCoordinateReferenceSystem:
        """The CRS that the map is drawn in."""
        return self.view.crs()

    def view_bbox(self) -> Optional[List[float]]:
        """[west, south, east, north] of the view in degrees (EPSG:4326), or None when it has no place on earth."""
        extent = self.extent()
        shown = QgsRectangle(extent)
        if extent.crs().isGeographic():  # a map in degrees may show more than there is
            shown = shown.intersect(QgsRectangle(shown.xMinimum(), -90.0, shown.xMaximum(), 90.0))
        return bbox_degrees(shown, extent.crs(), self.project)

    def remember_view(self, bbox: Optional[List[float]], **more: Any) -> None:
        """What the last view action asked for: what a trace compares, never the canvas's own extent."""
        self.asked_view = dict(more, bbox=bbox, crs=WGS84) if bbox is not None else dict(more)

    # the layers

    def add_result_layer(self, layer: QgsMapLayer, name: str) -> str:
        """Add a layer that a tool made, on top of the group "Agent results"; returns its alias.

        Areas go below the points and lines that the map shows, so that they hide none of them.
        """
        layer.setName(literal_name(name))
        group = self.result_group(make=True, index=self._place_for(layer))
        watch(layer)
        self.project.addMapLayer(layer, False)
        group.insertLayer(0, layer)
        self.created_layers.append(layer.id())
        self.made.add(layer)
        return self.layers.alias(layer)

    def result_group(self, make: bool = False, index: int = 0) -> Optional[QgsLayerTreeGroup]:
        """The group "Agent results"; made at ``index`` of the layer tree when it is not there and ``make``."""
        root = self.project.layerTreeRoot()
        return root.findGroup(RESULT_GROUP) or (root.insertGroup(index, RESULT_GROUP) if make else None)

    def _place_for(self, layer: QgsMapLayer) -> int:
        if layer_kind(layer) not in AREA_KINDS:
            return 0
        children = self.project.layerTreeRoot().children()
        for index, child in enumerate(children):
            nodes = [child] if QgsLayerTree.isLayer(child) else child.findLayers()
            if any(node.layer() is not None and layer_kind(node.layer()) in AREA_KINDS for node in nodes):
                return index
        return len(children)

    def repaint(self, layer: QgsMapLayer) -> None:
        """The layer's look has changed: draw it, its legend and its style panel again."""
        layer.triggerRepaint()
        layer.emitStyleChanged()
        if self.iface is not None and self.iface.layerTreeView() is not None:
            self.iface.layerTreeView().refreshLayerSymbology(layer.id())
        self.made.stamp(layer)
        self.project.setDirty(True)

    def selected(self) -> List[QgsVectorLayer]:
        """Vector layers with selected features, in tree order."""
        layers = [each for each in self.layers.layers() if isinstance(each, QgsVectorLayer)]
        return [each for each in layers if each.selectedFeatureCount() > 0]

    def snapshot(self) -> Dict[str, Any]:
        """What the agent is told of the map with each request: at most 1,200 characters as JSON."""
        return snapshot(self)

    def map_state(self) -> Dict[str, Any]:
        """The map as canonical data (map_state.py)."""
        return map_state(self)


def run_until(done: Callable[[], bool], timeout_s: float) -> bool:
    """Run a local event loop until ``done()``; False when ``timeout_s`` passed first.

    The one way to wait on the QGIS side: for the command line, qgis_process and Processing algorithms. Never from the
    dock, which is told by signals.
    """
    if done():
        return True
    loop = QEventLoop()
    poll = QTimer()
    poll.setInterval(5)
    poll.timeout.connect(lambda: loop.quit() if done() else None)
    deadline = QTimer()
    deadline.setSingleShot(True)
    deadline.timeout.connect(loop.quit)
    poll.start()
    deadline.start(int(timeout_s * 1000))
    loop.exec()
    return done()
