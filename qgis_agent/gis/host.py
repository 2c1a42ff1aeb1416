"""The map that tools work on: the project with its canvas in QGIS, or without one on the command line."""

from __future__ import annotations

import datetime
from typing import Any, Callable, Dict, List, Optional

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsLayerTree,
    QgsMapLayer,
    QgsProject,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QEventLoop, QObject, QTimer

from .approvals import Ledger
from .layers import LayerRegistry, clean_text, layer_kind
from .paths import PathPolicy
from .results import ResultStore
from .revision import DataRevision

WGS84 = "EPSG:4326"
RESULT_GROUP = "Agent results"
AREA_KINDS = ("polygon", "raster", "other")
SNAPSHOT_LENGTH = 1200


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
        self.project = project
        self.canvas = canvas
        self.iface = iface
        self.layers = LayerRegistry(project)
        self.results = ResultStore()
        self.ledger = Ledger()
        self.revision = DataRevision(project, self.layers, self)
        self.paths = paths or PathPolicy(project)
        self.last_action = ""
        self.created_layers: List[str] = []
        self._extent: Optional[QgsReferencedRectangle] = None
        self._asked_view: Optional[Dict[str, Any]] = None
        self._revisions = 0
        project.cleared.connect(self._project_changed)
        project.readProject.connect(self._project_changed)

    def project_id(self) -> str:
        """Names the open project while it is open: its file, and a number that changes when another one is opened."""
        return "{}#{}".format(self.project.fileName(), self._revisions)

    def _project_changed(self, *_args: Any) -> None:
        self._revisions += 1
        self.layers.clear()
        self.results.clear()
        self.ledger.project_changed()
        self._extent = None
        self._asked_view = None
        self.last_action = ""
        self.created_layers = []

    # the view

    def extent(self) -> QgsReferencedRectangle:
        """What the map shows, in the project's (canvas's) CRS."""
        if self.canvas is not None:
            return QgsReferencedRectangle(self.canvas.extent(), self.canvas.mapSettings().destinationCrs())
        if self._extent is None:
            settings = self.project.viewSettings()
            saved = settings.defaultViewExtent()
            self._extent = saved if not saved.isEmpty() else settings.fullExtent()
        return self._extent

    def set_extent(self, rectangle: QgsRectangle, crs: QgsCoordinateReferenceSystem) -> QgsReferencedRectangle:
        """Show ``rectangle`` (in ``crs``) with a margin of 5 %; returns what the map shows after it, in the map's CRS."""
        target = self.map_crs()
        shown = transformed(rectangle, crs, target, self.project)
        shown = QgsRectangle(shown)
        if shown.width() <= 0 or shown.height() <= 0:
            grow = 0.005 if target.isGeographic() else 250.0
            shown.grow(grow)
        else:
            shown.scale(1.05)
        if self.canvas is not None:
            self.canvas.setExtent(shown)
            self.canvas.refresh()
            return self.extent()
        self._extent = QgsReferencedRectangle(shown, target)
        return self._extent

    def map_crs(self) -> QgsCoordinateReferenceSystem:
        """The CRS that the map is drawn in."""
        if self.canvas is not None and self.canvas.mapSettings().destinationCrs().isValid():
            return self.canvas.mapSettings().destinationCrs()
        return self.project.crs() if self.project.crs().isValid() else QgsCoordinateReferenceSystem(WGS84)

    def view_bbox(self) -> Optional[List[float]]:
        """[west, south, east, north] of the view in degrees (EPSG:4326), or None when it has no place on earth."""
        extent = self.extent()
        try:
            box = transformed(extent, extent.crs(), QgsCoordinateReferenceSystem(WGS84), self.project)
        except QgsCsException:
            return None
        values = [box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()]
        return [round(each, 6) for each in values] if box.isFinite() else None

    def remember_view(self, bbox: List[float]) -> None:
        """The extent that the last view action asked for: what a trace compares, never the canvas's own extent."""
        self._asked_view = {"bbox": bbox, "crs": WGS84}

    # the layers

    def add_result_layer(self, layer: QgsMapLayer, name: str) -> str:
        """Add a layer that a tool made, on top of the group "Agent results"; returns its alias.

        Areas go below the points and lines that the map shows, so that they hide none of them.
        """
        layer.setName(name)
        root = self.project.layerTreeRoot()
        group = root.findGroup(RESULT_GROUP) or root.insertGroup(self._place_for(layer), RESULT_GROUP)
        self.project.addMapLayer(layer, False)
        group.insertLayer(0, layer)
        self.created_layers.append(layer.id())
        return self.layers.alias(layer)

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
        self.project.setDirty(True)

    def selected(self) -> List[QgsVectorLayer]:
        """Vector layers with selected features, in tree order."""
        found = (self.layers.by_alias(alias) for alias in self.layers.aliases())
        return [each for each in found if isinstance(each, QgsVectorLayer) and each.selectedFeatureCount() > 0]

    def snapshot(self) -> Dict[str, Any]:
        """What the agent is told of the map with each request: at most 1,200 characters as JSON."""
        now = datetime.datetime.now().astimezone()
        visible = [self.layers.alias(each) for each in self.layers.visible_layers()]
        return {
            "project": clean_text(self.project.title() or self.project.baseName(), 80),
            "crs": self.map_crs().authid(),
            "layers": len(self.layers.aliases()),
            "visible": [each[:40] for each in visible[:12]],
            "view_bbox": self.view_bbox(),
            "selection": {self.layers.alias(each)[:40]: each.selectedFeatureCount() for each in self.selected()[:4]},
            "last_action": self.last_action[:120],
            "now": now.isoformat(timespec="minutes"),
            "time_zone": str(now.tzinfo)[:40],
        }

    def map_state(self) -> Dict[str, Any]:
        """The map as canonical data: asked view, visible layers in order, filters, selection, layers that tools made."""
        made = {layer_id for layer_id in self.created_layers if self.project.mapLayer(layer_id) is not None}
        layers = [
            layer for layer in (self.layers.by_alias(each) for each in self.layers.aliases()) if layer is not None
        ]
        vectors = [each for each in layers if isinstance(each, QgsVectorLayer)]
        return {
            "view": self._asked_view,
            "visible": [self.layers.alias(each) for each in self.layers.visible_layers()],
            "filters": {self.layers.alias(each): each.subsetString() for each in vectors if each.subsetString()},
            "selection": {self.layers.alias(each): sorted(each.selectedFeatureIds()) for each in self.selected()},
            "created": [self.layers.alias(each) for each in layers if each.id() in made],
        }


def transformed(
    rectangle: QgsRectangle,
    source: QgsCoordinateReferenceSystem,
    target: QgsCoordinateReferenceSystem,
    project: QgsProject,
) -> QgsRectangle:
    """The box around ``rectangle`` in another CRS. QgsCsException when it has no place there."""
    if source == target or not source.isValid() or not target.isValid():
        return QgsRectangle(rectangle)
    transform = QgsCoordinateTransform(source, target, project.transformContext())
    transform.setBallparkTransformsAreAppropriate(True)
    return transform.transformBoundingBox(rectangle)


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
