"""Temporary layers: which will be lost when QGIS closes, which QGIS Agent made, and which of those may be cleared away."""

from __future__ import annotations

import hashlib
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from qgis.core import (
    QgsLayoutItemMap,
    QgsMapLayer,
    QgsPrintLayout,
    QgsProject,
    QgsProviderRegistry,
    QgsReadWriteContext,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QObject, QTimer
from qgis.PyQt.QtXml import QDomDocument

from .scratch import is_scratch
from .style.history import CATEGORIES

if TYPE_CHECKING:
    from .host import Host

MAX_KEPT = 20
"""Removed layers that can be put back."""


def is_temporary(layer: QgsMapLayer, project: QgsProject) -> bool:
    """Whether the data is lost when QGIS closes: in memory, or a file in the system's folder for temporary files.

    ``isValid`` is no test: a memory layer that was saved with a project comes back valid and empty. A project that lies in
    the temporary folder itself has its files beside it: those are no more temporary than the project.
    """
    if layer.providerType() == "memory":
        return True
    path = str(QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("path") or "")
    if is_scratch(path):
        return True
    if not layer.isTemporary():
        return False
    home = os.path.realpath(project.absolutePath()) if project.absolutePath() else ""
    folder = os.path.realpath(os.path.dirname(path))
    return not (
        home and home != os.path.realpath(tempfile.gettempdir()) and (folder + os.sep).startswith(home + os.sep)
    )


def temporary_layers(project: QgsProject) -> List[QgsMapLayer]:
    """The layers whose data would be lost: to be offered for export before the project is saved or closed (case A57)."""
    return [each for each in project.mapLayers().values() if each.isValid() and is_temporary(each, project)]


def style_digest(layer: QgsMapLayer) -> str:
    """A name for the layer's look: another look has another one."""
    document = QDomDocument()
    layer.exportNamedStyle(document, QgsReadWriteContext(), CATEGORIES)
    return hashlib.sha256(document.toString(-1).encode("utf-8", "replace")).hexdigest()


class _Made:
    """What is known of a layer that a tool made."""

    def __init__(self, layer: QgsMapLayer) -> None:
        self.name = layer.name()
        self.source = layer.source()
        self.style = style_digest(layer)
        self.touched = ""


class MadeLayers(QObject):
    """Notices when a person edits or styles a layer that a tool made: then it is the person's."""

    def __init__(self, project: QgsProject, parent: Optional[QObject] = None) -> None:
        super().__init__(parent)
        self._project = project
        self._made: Dict[str, _Made] = {}

    def add(self, layer: QgsMapLayer) -> None:
        """A tool has made ``layer`` and added it to the project."""
        ident = layer.id()
        self._made[ident] = _Made(layer)
        layer.styleChanged.connect(lambda: QTimer.singleShot(0, lambda: self._look(ident)))
        if isinstance(layer, QgsVectorLayer):
            layer.editingStarted.connect(lambda: self._touch(ident, "edited"))

    def stamp(self, layer: QgsMapLayer) -> None:
        """A tool has styled ``layer``: its look now is the agent's."""
        if layer.id() in self._made:
            self._made[layer.id()].style = style_digest(layer)

    def keep(self, layer: QgsMapLayer) -> None:
        """The person wants the layer to stay."""
        self._touch(layer.id(), "kept")

    def clear(self) -> None:
        """Another project."""
        self._made.clear()

    def why_not_agents(self, layer: QgsMapLayer) -> str:
        """Why a layer must stay: "edited", "styled", "kept" (also renamed or saved to a file), "not_made"; "" for none."""
        made = self._made.get(layer.id())
        if made is None:
            return "not_made"
        self._look(layer.id())
        if made.touched:
            return made.touched
        return "kept" if (layer.name(), layer.source()) != (made.name, made.source) else ""

    def _look(self, ident: str) -> None:
        """After a change of style. A tool stamps its own within the same call, so what differs by now is the person's."""
        layer, made = self._project.mapLayer(ident), self._made.get(ident)
        if layer is not None and made is not None and style_digest(layer) != made.style:
            self._touch(ident, "styled")

    def _touch(self, ident: str, how: str) -> None:
        made = self._made.get(ident)
        if made is not None and not made.touched:
            made.touched = how


class Removed(NamedTuple):
    """A layer that was taken out of the project, and its place in the group for results. Its data is still there."""

    layer: QgsMapLayer
    alias: str
    index: int
    visible: bool = True


def why_it_stays(host: Host, layer: QgsMapLayer) -> str:
    """Why ``clear_temp_layers`` leaves a layer: as ``MadeLayers.why_not_agents``, or "in_use" by something else."""
    reason = host.made.why_not_agents(layer)
    if reason:
        return reason
    group = host.result_group()
    node = host.project.layerTreeRoot().findLayer(layer.id())
    if node is None or group is None or node.parent() != group or len(_nodes(host.project, layer)) > 1:
        return "kept"  # the person has moved it out, or put it into another group as well
    return "in_use" if _in_use(host.project, layer) else ""


def take_out(host: Host, layer: QgsMapLayer) -> Removed:
    """Take a layer out of the project; the object and its data are kept for ``put_back``."""
    node = host.project.layerTreeRoot().findLayer(layer.id())
    index = node.parent().children().index(node) if node is not None else 0
    removed = Removed(layer, host.layers.alias(layer), index, node is None or node.itemVisibilityChecked())
    host.project.takeMapLayer(layer)
    host.removed = [*host.removed, removed][-MAX_KEPT:]
    return removed


def put_back(host: Host, removed: Removed) -> None:
    """Undo ``take_out``: the layer comes back with its id, data and place."""
    group = host.result_group(make=True)
    host.project.addMapLayer(removed.layer, False)
    node = group.insertLayer(min(removed.index, len(group.children())), removed.layer)
    node.setItemVisibilityChecked(removed.visible)
    host.removed = [each for each in host.removed if each.layer is not removed.layer]


def _nodes(project: QgsProject, layer: QgsMapLayer) -> List[Any]:
    return [each for each in project.layerTreeRoot().findLayers() if each.layerId() == layer.id()]


def _in_use(project: QgsProject, layer: QgsMapLayer) -> bool:
    """Whether a join, a relation, a layout or a theme refers to the layer."""
    ident = layer.id()
    others = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer) and each.id() != ident]
    joined = any(join.joinLayerId() == ident for each in others for join in each.vectorJoins())
    relations = project.relationManager().relations().values()
    related = any(ident in (each.referencedLayerId(), each.referencingLayerId()) for each in relations)
    themes = project.mapThemeCollection()
    themed = any(ident in themes.mapThemeVisibleLayerIds(name) for name in themes.mapThemes())
    return (
        joined or related or themed or any(_in_layout(each, ident) for each in project.layoutManager().printLayouts())
    )


def _in_layout(layout: QgsPrintLayout, ident: str) -> bool:
    coverage = layout.atlas().coverageLayer()
    maps = [each for each in layout.items() if isinstance(each, QgsLayoutItemMap)]
    shown = any(layer.id() == ident for each in maps for layer in each.layers())
    return shown or (coverage is not None and coverage.id() == ident)
