"""What a call can change. Only that is compared: what else differs after it was done by the person meanwhile."""

from __future__ import annotations

from typing import Any, FrozenSet, List, NamedTuple, Optional

from ..call import Call
from ..driver import named_layers
from .edit_buffer import Edits
from .layer_state import Crs, Encoding, Filter, Name, Style
from .presence import Presence
from .project_state import Bookmarks, Layouts, Notes, Properties, Relations, Themes, Variables
from .selection_state import Selection
from .state import Aspect
from .tree_shape import Groups
from .tree_state import DrawingOrder, GroupsThere, NodeValues, Places
from .view_state import View

_TREE = ("layer", "place", "group", "node", "order")
_LAYER = ("name", "filter", "crs", "encoding", "style", "selection", "buffer")
_PROJECT = ("projection", "project", "variable")
_REFERRING = ("theme", "relation")
_BY_TOOL = {
    "create_layout": ("layout",),
    "add_layout_item": ("layout",),
    "set_layout_item": ("layout",),
    "prepare_bookmark": ("bookmark", "user bookmark"),
    "prepare_note": ("note",),
    "prepare_remove_layer": (*_TREE, *_REFERRING),
    "prepare_edit_features": ("buffer", "selection"),
    "prepare_save_project": (),
    "prepare_export_layer": _TREE,
    "prepare_export_table": _TREE,
    "prepare_export_layout": ("layout",),  # its legends are brought up to date for it
}
"""Tools that change one kind of thing, or wait for a person, who may work on meanwhile."""
_FIRST = ("projection",)
"""Also of a tool that adds the first layer of a project, which may set its CRS."""
_SEEN = (*_TREE, *_LAYER, *_PROJECT, "view")
"""Of a tool that changes what is seen."""


class Reach(NamedTuple):
    """Aspects that a call can change, and the layers (None: any) whose own values it can change."""

    aspects: List[Aspect]
    layer_ids: Optional[FrozenSet[str]]


class Aspects:
    """All aspects by name."""

    def __init__(self) -> None:
        self.groups = Groups()
        tree = [Places(self.groups), GroupsThere(self.groups), NodeValues(self.groups)]
        layer = [Name(), Filter(), Crs(), Encoding(), Style(), Selection(), Edits()]
        project = [
            Properties(True),
            Properties(False),
            Variables(),
            Themes(),
            Bookmarks(False),
            Bookmarks(True),
            Relations(),
            Layouts(),
            Notes(),
        ]
        every: List[Aspect] = [Presence(), *tree, DrawingOrder(), *layer, *project, View()]
        self.by_name = {each.name: each for each in every}

    def reach(self, call: Call) -> Reach:
        """What the call can change."""
        names, named = self._names(call), layers_of(call)
        if not named:  # a look of 300 layers takes 300 ms; what changes one names its layer
            names = [each for each in names if each not in ("style", "encoding")]
        return Reach([self.by_name[each] for each in names], frozenset(named) if named else None)

    def _names(self, call: Call) -> Any:
        from ..tools.registry import REGISTRY  # the tools need the host, which has this

        if call.cannot_undo:  # an algorithm that may change anything
            return tuple(self.by_name)
        if call.tool in _BY_TOOL:
            return _BY_TOOL[call.tool]
        known = REGISTRY.get(call.tool)
        effect = known.effect if known is not None else ""
        if effect in ("create", "network"):
            return _TREE if call.host.project.count() else (*_TREE, *_FIRST)
        return _SEEN if effect == "view" else tuple(self.by_name)


def layers_of(call: Call) -> List[str]:
    """QGIS's ids of the layers that the call names."""
    found = [call.host.layers.by_alias(each) for each in named_layers(call.arguments)]
    return [each.id() for each in found if each is not None]
