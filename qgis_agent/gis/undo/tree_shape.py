"""The layer tree as names: which node stands in which group, in which order. Groups have no id in QGIS, so they get one here."""

from __future__ import annotations

import bisect
from functools import lru_cache
from typing import Any, Dict, FrozenSet, List, NamedTuple, Sequence, Set, Tuple

from qgis.core import QgsLayerTree, QgsLayerTreeGroup, QgsProject
from qgis.PyQt import sip

ROOT = "root"


class Place(NamedTuple):
    """Where a node stands: its group, and all nodes of that group in order, itself among them."""

    node: str
    parent: str
    siblings: Tuple[str, ...]


def same_place(one: Place, other: Place) -> bool:
    """Whether a node stands in the same group and its order among those that stand there both times is the same."""
    if one.parent != other.parent:
        return False
    return one.siblings == other.siblings or one.node not in moved(one.siblings, other.siblings)


@lru_cache(maxsize=16)
def moved(before: Sequence[str], after: Sequence[str]) -> FrozenSet[str]:
    """The fewest nodes (of those in both) that were moved to get from one order to the other."""
    rank = {each: number for number, each in enumerate(before)}
    common = [each for each in after if each in rank]
    tails: List[int] = []
    ends: List[int] = []
    links: List[int] = []
    for number, each in enumerate(common):
        at = bisect.bisect_left(tails, rank[each])
        links.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [rank[each]]
        ends[at : at + 1] = [number]
    kept: Set[str] = set()
    number = ends[-1] if ends else -1
    while number >= 0:
        kept.add(common[number])
        number = links[number]
    return frozenset(common) - kept


class Shape:
    """The tree at one moment. ``nodes`` by name, ``places`` by name, ``groups`` with the names of what stands in them."""

    def __init__(self) -> None:
        self.nodes: Dict[str, Any] = {}
        self.places: Dict[str, Place] = {}
        self.children: Dict[str, Tuple[str, ...]] = {}


class _Known(NamedTuple):
    parent: str
    name: str


class Groups:
    """Gives each group of the tree a name that lasts, also when it is renamed, or moved (which makes a new node in QGIS)."""

    def __init__(self) -> None:
        self._known: Dict[str, _Known] = {}
        self._live: Dict[int, str] = {}
        self._number = 0

    def clear(self) -> None:
        """Another project."""
        self._known.clear()
        self._live.clear()

    def shape(self, project: QgsProject) -> Shape:
        """The tree now."""
        shape = Shape()
        root = project.layerTreeRoot()
        live = self._live_groups(root)
        used = set(live.values())
        shape.nodes[ROOT] = root
        self._walk(root, ROOT, shape, live, used)
        return shape

    def adopt(self, node: QgsLayerTreeGroup, ident: str) -> None:
        """This node is the group of that name from now on."""
        self._live[sip.unwrapinstance(node)] = ident
        address = sip.unwrapinstance(node)
        node.destroyed.connect(lambda *_: self._live.pop(address, None))

    def adopt_clone(self, node: QgsLayerTreeGroup, clone: QgsLayerTreeGroup) -> None:
        """A clone takes the place of a group: it and the groups in it keep their names."""
        pairs = zip([node, *node.findGroups(True)], [clone, *clone.findGroups(True)])
        for old, new in pairs:
            ident = self._live.get(sip.unwrapinstance(old))
            if ident is not None:
                self.adopt(new, ident)

    def _live_groups(self, root: QgsLayerTreeGroup) -> Dict[int, str]:
        addresses = {sip.unwrapinstance(each) for each in root.findGroups(True)}
        return {address: ident for address, ident in self._live.items() if address in addresses}

    def _walk(self, group: QgsLayerTreeGroup, ident: str, shape: Shape, live: Dict[int, str], used: Set[str]) -> None:
        names: List[str] = []
        inner: List[Tuple[QgsLayerTreeGroup, str]] = []
        for child in group.children():
            if QgsLayerTree.isLayer(child):
                name, number = "l:" + child.layerId(), 1
                while name in shape.nodes:
                    number += 1
                    name = "l{}:{}".format(number, child.layerId())
            else:
                name = self._name_of(child, ident, live, used)
                inner.append((child, name))
            shape.nodes[name] = child
            names.append(name)
        shape.children[ident] = tuple(names)
        for name in names:
            shape.places[name] = Place(name, ident, shape.children[ident])
        for child, name in inner:
            self._walk(child, name, shape, live, used)

    def _name_of(self, group: QgsLayerTreeGroup, parent: str, live: Dict[int, str], used: Set[str]) -> str:
        known = live.get(sip.unwrapinstance(group))
        if known is None:
            lost = [each for each, what in self._known.items() if each not in used and what.name == group.name()]
            near = [each for each in lost if self._known[each].parent == parent]
            known = (near or lost or [""])[0]
            if not known:
                self._number += 1
                known = "g:{}".format(self._number)
            self.adopt(group, known)
            used.add(known)
        self._known[known] = _Known(parent, group.name())
        return known


def layer_id_of(node: str) -> str:
    """The id of the layer of a layer's node; "" for a group."""
    return node.partition(":")[2] if node.startswith("l") else ""
