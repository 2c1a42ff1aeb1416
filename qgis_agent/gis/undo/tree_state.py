"""The layer tree: places, groups, visibility, expansion, legend properties and the drawing order of the project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Tuple

from qgis.core import QgsLayerTree, QgsLayerTreeGroup

from ..i18n import translate
from ..layers import clean_text
from .state import GONE, NAME_LENGTH, Aspect, Look, layer_title
from .tree_shape import Groups, Place, Shape, layer_id_of, same_place

if TYPE_CHECKING:
    from ..host import Host

_SEPARATOR = "\t"
_PROPERTY = "property "
_PASSING = ("cached_name",)
"""Properties of nodes that QGIS keeps for itself."""


class OfTree(Aspect):
    """An aspect of the tree."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups

    def seen(self, look: Look) -> Shape:
        """The tree, walked once for all aspects of it."""
        if "tree" not in look.memo:
            look.memo["tree"] = self.shape(look.host)
        shape: Shape = look.memo["tree"]
        return shape

    def shape(self, host: Host) -> Shape:
        """The tree now."""
        return self.groups.shape(host.project)

    def title(self, host: Host, node: str) -> str:
        """A node's name for people."""
        if layer_id_of(node):
            return layer_title(host, layer_id_of(node))
        found = self.shape(host).nodes.get(node)
        return clean_text(found.name(), NAME_LENGTH) if found is not None else "-"


class Places(OfTree):
    """Where a node stands. Only what was moved counts: its neighbours stay where they are now."""

    name = "place"
    rank = 44

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        return dict(self.seen(look).places)

    def changed(self, before: Any, after: Any) -> bool:
        """New nodes go with their layer or group; those of layers that come back have to be put in their place."""
        if before is GONE:
            return False
        return after is GONE or not same_place(before, after)

    def is_as_left(self, host: Host, rest: str, after: Any, present: Any) -> bool:
        """See Aspect."""
        if after is GONE or present is GONE:
            return after is present
        return same_place(after, present)

    def is_back(self, before: Any, present: Any) -> bool:
        """See Aspect."""
        return present is not GONE and same_place(before, present)

    def order(self, rest: str, before: Any) -> Tuple[int, int]:
        """From the top of a group down: each goes below the one that stood above it."""
        return self.rank, before.siblings.index(rest) if before is not GONE else 0

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        shape = self.shape(host)
        node, group = shape.nodes.get(rest), shape.nodes.get(before.parent)
        if node is None:
            return translate("QgisAgent", "it is no longer in the layer tree")
        if group is None:
            return translate("QgisAgent", "its group is gone")
        above = _above(group, node)
        if above:
            return translate("QgisAgent", "its group is inside it now")
        index = _index(before, shape.children.get(before.parent, ()))
        clone = node.clone()
        if not layer_id_of(rest):
            self.groups.adopt_clone(node, clone)
        parent = node.parent()
        group.insertChildNode(index, clone)
        parent.removeChildNode(node)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return translate("QgisAgent", "Place in the layer tree: {}").format(self.title(host, rest))


def _above(group: QgsLayerTreeGroup, node: Any) -> bool:
    """Whether ``node`` is ``group`` or stands above it."""
    parent: Any = group
    while parent is not None:
        if parent == node:
            return True
        parent = parent.parent()
    return False


def _index(before: Place, present: Tuple[str, ...]) -> int:
    """Where the fewest of the others stand on another side of it than before; of several places the first."""
    at = before.siblings.index(before.node)
    above, below = set(before.siblings[:at]), set(before.siblings[at + 1 :])
    missed, passed = sum(each in above for each in present), 0
    best, index = (missed, missed), 0
    for number, each in enumerate(present):
        missed, passed = missed - (each in above), passed + (each in below)
        if (missed + passed, missed) < best:
            best, index = (missed + passed, missed), number + 1
    return index


class Seen:
    """A group: its name, place and what stood in it."""

    def __init__(self, name: str, place: Place, inside: Tuple[str, ...]) -> None:
        self.name = name
        self.place = place
        self.inside = inside

    def with_inside(self, nodes: Iterable[str]) -> Seen:
        """The same with more nodes in it."""
        return Seen(self.name, self.place, (*self.inside, *nodes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen)

    __hash__ = None  # type: ignore[assignment]


class GroupsThere(OfTree):
    """Groups that a run made or took away."""

    name = "group"

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        shape = self.seen(look)
        groups = [each for each in shape.places if not layer_id_of(each)]
        return {each: Seen(shape.nodes[each].name(), shape.places[each], shape.children[each]) for each in groups}

    def order(self, rest: str, before: Any) -> Tuple[int, int]:
        """Those that are missing are made before anything is put into them; the others go when they are empty."""
        number = int(rest.partition(":")[2])
        return (45, -number) if before is GONE else (5, number)

    def is_as_left(self, host: Host, rest: str, after: Any, present: Any) -> bool:
        """A group into which the person has put something, or which they renamed, is theirs."""
        if after is GONE or present is GONE:
            return after is present
        return present.name == after.name and set(present.inside) <= set(after.inside)

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        shape = self.shape(host)
        if before is not GONE:
            parent = shape.nodes.get(before.place.parent, shape.nodes["root"])
            index = _index(before.place, shape.children.get(before.place.parent, ()))
            self.groups.adopt(parent.insertGroup(index, before.name), rest)
            return None
        group = shape.nodes.get(rest)
        if group is None:
            return None
        if group.children() and not agreed:
            return translate("QgisAgent", "something is still in it")
        parent = group.parent()
        at = parent.children().index(group)
        parent.insertChildNodes(at, [each.clone() for each in group.children()])
        parent.removeChildNode(group)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        text = (
            translate("QgisAgent", "Group added: {}") if before is GONE else translate("QgisAgent", "Group removed: {}")
        )
        return text.format(clean_text((after if before is GONE else before).name, NAME_LENGTH))


class NodeValues(OfTree):
    """What a node of the tree has: shown, expanded, a group's name, and properties such as the legend's title."""

    name = "node"
    rank = 47

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        found: Dict[str, Any] = {}
        for name, node in self.seen(look).nodes.items():
            for what, value in _values(node).items():
                found[what + _SEPARATOR + name] = value
        return found

    def order(self, rest: str, before: Any) -> Tuple[int, int]:
        """What is to be off first: in a group that shows one layer only, switching one on switches the others off."""
        what = rest.partition(_SEPARATOR)[0]
        return self.rank, {"exclusive": 0 if before is False else 3}.get(what, 2 if before is True else 1)

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        what, _, name = rest.partition(_SEPARATOR)
        node = self.shape(host).nodes.get(name)
        if node is None:
            return translate("QgisAgent", "it is no longer in the layer tree")
        if what == "shown":
            node.setItemVisibilityChecked(before)
        elif what == "expanded":
            node.setExpanded(before)
        elif what == "name":
            node.setName(before)
        elif what == "exclusive":
            node.setIsMutuallyExclusive(before)
        elif before is GONE:
            node.removeCustomProperty(what[len(_PROPERTY) :])
        else:
            node.setCustomProperty(what[len(_PROPERTY) :], before)
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        what, _, name = rest.partition(_SEPARATOR)
        label = {
            "shown": translate("QgisAgent", "Visibility"),
            "expanded": translate("QgisAgent", "Expansion in the layer tree"),
            "name": translate("QgisAgent", "Name of group"),
            "exclusive": translate("QgisAgent", "Showing one layer only"),
        }.get(what, translate("QgisAgent", "Legend"))
        return "{}: {}".format(label, self.title(host, name))


def _values(node: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = {"shown": node.itemVisibilityChecked(), "expanded": node.isExpanded()}
    if not QgsLayerTree.isLayer(node):
        found["exclusive"] = node.isMutuallyExclusive()
        if node.parent() is not None:
            found["name"] = node.name()
    for each in node.customProperties():
        if each not in _PASSING:
            found[_PROPERTY + each] = node.customProperty(each)
    return found


class DrawingOrder(Aspect):
    """The project's own drawing order, where it has one."""

    name = "order"
    rank = 48

    def read(self, look: Look) -> Dict[str, Any]:
        """See Aspect."""
        root = look.host.project.layerTreeRoot()
        own = root.hasCustomLayerOrder()
        return {"layers": tuple(each.id() for each in root.customLayerOrder()) if own else None}

    def changed(self, before: Any, after: Any) -> bool:
        """Layers that have come or gone do not count."""
        if before is None or after is None or GONE in (before, after):
            return before is not after
        return [each for each in before if each in after] != [each for each in after if each in before]

    def write(self, host: Host, rest: str, before: Any, agreed: bool) -> Optional[str]:
        """See Aspect."""
        root = host.project.layerTreeRoot()
        if before is None:
            root.setHasCustomLayerOrder(False)
            return None
        present: List[str] = [each.id() for each in root.customLayerOrder()]
        wanted = [*[each for each in present if each not in before], *before]
        layers = [host.project.mapLayer(each) for each in wanted]
        root.setHasCustomLayerOrder(True)
        root.setCustomLayerOrder([each for each in layers if each is not None])
        return None

    def words(self, host: Host, rest: str, before: Any, after: Any) -> str:
        """See Aspect."""
        return translate("QgisAgent", "Drawing order")
