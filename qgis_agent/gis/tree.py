"""Moving and grouping layers in the layer tree. Every node is put in its new place before the old one goes.

A layer that stands nowhere in the tree is removed from the project by QGIS, a moment later (case A65): so callers look
again after ``Settled``.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from qgis.core import QgsFeedback, QgsLayerTreeGroup, QgsLayerTreeLayer, QgsMapLayer, QgsProject
from qgis.PyQt.QtCore import QTimer

from .errors import UNSUPPORTED, UPSTREAM_ERROR, ToolError
from .i18n import translate
from .layers import LayerRegistry, clean_text
from .work import Done

SETTLE_MS = 30


class Settled:
    """A step that lets QGIS do what it has put off, then goes on."""

    def start(self, feedback: QgsFeedback, done: Done) -> None:
        """See Step."""
        QTimer.singleShot(SETTLE_MS, lambda: done(None, None))


def node_of(project: QgsProject, layer: QgsMapLayer) -> QgsLayerTreeLayer:
    """The layer's node. UNSUPPORTED for a layer that is not in the tree."""
    node = project.layerTreeRoot().findLayer(layer.id())
    if node is None:
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "The layer '{}' is not in the layer tree.").format(clean_text(layer.name(), 60)),
            hint=translate("QgisAgent", "Add it to the layer tree in QGIS."),
            reason="not_in_tree",
        )
    return node


def drawing_order(project: QgsProject) -> List[str]:
    """QGIS ids of all layers of the tree, the one that is drawn on top first."""
    root = project.layerTreeRoot()
    ids = list(dict.fromkeys(node.layerId() for node in root.findLayers()))
    if not root.hasCustomLayerOrder():
        return ids
    custom = [each.id() for each in root.customLayerOrder()]
    return custom + [each for each in ids if each not in custom]


def move(project: QgsProject, layer: QgsMapLayer, position: str, other: Optional[QgsMapLayer]) -> bool:
    """Draw ``layer`` on "top" or at the "bottom" of all, or just "above" or "below" ``other``; False when it is so already.

    Where the project has a drawing order of its own, the layer is moved in that, and the tree stays as it is.
    """
    before = drawing_order(project)
    wanted = _wanted(before, layer.id(), position, other.id() if other is not None else "")
    node = node_of(project, layer)
    if other is not None:
        node_of(project, other)
    if wanted == before:
        return False
    root = project.layerTreeRoot()
    if root.hasCustomLayerOrder():
        root.setCustomLayerOrder([project.mapLayer(each) for each in wanted if project.mapLayer(each) is not None])
    else:
        _move_node(root, node, position, node_of(project, other) if other is not None else None)
    return True


def _wanted(order: List[str], ident: str, position: str, other: str) -> List[str]:
    rest = [each for each in order if each != ident]
    if position in ("top", "bottom"):
        return [ident, *rest] if position == "top" else [*rest, ident]
    index = rest.index(other) + (1 if position == "below" else 0)
    return [*rest[:index], ident, *rest[index:]]


def _move_node(
    root: QgsLayerTreeGroup, node: QgsLayerTreeLayer, position: str, beside: Optional[QgsLayerTreeLayer]
) -> None:
    if beside is None:
        group, index = root, 0 if position == "top" else len(root.children())
    else:
        group = beside.parent()
        index = group.children().index(beside) + (1 if position == "below" else 0)
    _put(node, group, index)


def _put(node: QgsLayerTreeLayer, group: QgsLayerTreeGroup, index: int) -> None:
    parent = node.parent()
    group.insertChildNode(index, node.clone())
    parent.removeChildNode(node)


def gather(project: QgsProject, layers: Sequence[QgsMapLayer], name: str) -> bool:
    """Put layers into the group ``name``, in the order that they have; False when all are in it already.

    A group of that name at the top of the tree is used, else one is made where the topmost of the layers stands.
    """
    root = project.layerTreeRoot()
    wanted = {each.id() for each in layers}
    nodes = [node for node in root.findLayers() if node.layerId() in wanted]
    group = next((each for each in root.findGroups() if each.name() == name), None)
    moving = [node for node in nodes if group is None or node.parent() != group]
    if not moving:
        return False
    if group is None:
        group = _new_group(root, moving[0], name)
    for number, node in enumerate(moving):
        _put(node, group, number)
    return True


def _new_group(root: QgsLayerTreeGroup, first: QgsLayerTreeLayer, name: str) -> QgsLayerTreeGroup:
    """At the top level, where the branch with ``first`` is."""
    branch: Any = first
    while branch.parent() != root:
        branch = branch.parent()
    return root.insertGroup(root.children().index(branch), name)


def neighbours(layers: LayerRegistry, project: QgsProject, layer: QgsMapLayer) -> Dict[str, Any]:
    """The layer's place in the drawing order, from 1 on top, and the aliases of the layers right above and below it."""
    seen = {each.id(): layers.alias(each) for each in layers.layers()}
    order = [each for each in drawing_order(project) if each in seen]
    index = order.index(layer.id())
    found: Dict[str, Any] = {"order": index + 1, "of": len(order)}
    if index > 0:
        found["below_layer"] = seen[order[index - 1]]
    if index + 1 < len(order):
        found["above_layer"] = seen[order[index + 1]]
    return found


def require_all(project: QgsProject, ids: Sequence[str]) -> None:
    """After ``Settled``: all layers are still in the project. UPSTREAM_ERROR for one that has gone."""
    gone = [each for each in ids if project.mapLayer(each) is None]
    if gone:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS removed {} layers while they were moved.").format(len(gone)),
            hint=translate("QgisAgent", "Open the project again without saving it."),
            reason="layers_lost",
        )
