"""What a handler gets: the project, the layers by alias, a place for what it did, and the way to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Optional

from qgis.core import QgsFeedback, QgsMapLayer, QgsVectorLayer

from .errors import FORBIDDEN, NOT_FOUND, UNSUPPORTED, ToolError, hint_for_name
from .i18n import translate
from .layers import file_of

if TYPE_CHECKING:
    from .approvals import Capability
    from .host import Host


def outside_scope(layer_id: str) -> ToolError:
    """FORBIDDEN for a layer that the person excluded and that was named all the same. Nothing is told of what it holds."""
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "The layer '{}' is hidden from the agent (Project Properties › QGIS Agent).").format(
            layer_id
        ),
        hint=translate("QgisAgent", "Do not try again; use another layer (search_layers names those in scope)."),
        reason="scope",
    )


class Call:
    """One tool call on its way through the QGIS side.

    Handlers use: ``host`` (project, view, results), ``layer`` and ``vector_layer`` (by alias), ``feedback`` (cancelled by
    Stop), and ``acted``, ``legend``, ``add_evidence`` to say what they changed and what supports it.
    """

    def __init__(self, host: Host, capability: Capability, tool: str, arguments: Dict[str, Any], call_id: str) -> None:
        self.host = host
        self.capability = capability
        self.tool = tool
        self.arguments = arguments
        self.call_id = call_id
        self.feedback = QgsFeedback()
        self.actions: List[Dict[str, Any]] = []
        self.legend: List[Dict[str, Any]] = []
        self.evidence: List[Dict[str, Any]] = []
        self.recipes: List[str] = []
        """Its analysis as Python for QGIS's console."""
        self.result_rows: Any = None
        self.written: List[str] = []
        """What it has written or saved already, in words: that stays, also when it is stopped after it or fails."""
        self.asked_because = ""
        """Why the arguments make this call graver than its tool: a line of the card."""
        self.cannot_undo = ""
        """What Undo cannot take back of the call: a line of the card, and of the report of an undo."""
        self.uses: List[str] = []
        """Aliases of layers that the call reads, besides those that its arguments name as ``…layer_id``."""
        self.removing: FrozenSet[str] = frozenset()
        """Ids of layers that the call itself takes out of the project: that does not end it."""

    def layer(self, layer_id: str) -> QgsMapLayer:
        """The layer of an alias. NOT_FOUND with the nearest aliases when there is none."""
        layer = self.host.layers.by_alias(layer_id)
        if layer is None and self.host.scope.names_excluded(layer_id):
            raise outside_scope(layer_id)
        if layer is None:
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "There is no layer '{}' in the project.").format(layer_id),
                hint=hint_for_name(layer_id, self.host.layers.aliases(), "layer_id"),
                reason="layer",
            )
        return layer

    def vector_layer(self, layer_id: str) -> QgsVectorLayer:
        """The vector layer of an alias, readable. UNSUPPORTED for other kinds and for a broken source."""
        layer = self.layer(layer_id)
        if not isinstance(layer, QgsVectorLayer):
            raise ToolError(
                UNSUPPORTED,
                translate("QgisAgent", "'{}' is not a vector layer.").format(layer_id),
                hint=translate("QgisAgent", "Use a vector layer; search_layers tells the kind of each."),
                reason="layer_kind",
            )
        if not layer.isValid():
            raise ToolError(
                UNSUPPORTED,
                # Whether the file is there is not looked up here: on a network drive that can hold QGIS for long.
                translate("QgisAgent", "The data of layer '{}' cannot be read: source not found or broken: {}").format(
                    layer_id, file_of(layer) or layer.providerType()
                ),
                hint=translate("QgisAgent", "Repair its data source in QGIS (the file may have been moved)."),
                reason="broken_source",
            )
        return layer

    def acted(self, op: str, **args: Any) -> None:
        """Record a map operation that has been carried out and read back. ``op`` is zoom_to, layer, render, add_layer …"""
        self.actions.append({"op": op, "args": args, "ok": True, "error": None})

    def add_legend(self, layer_id: str, items: List[Dict[str, Any]]) -> None:
        """Legend entries {label, color} of a layer for the answer's card."""
        self.legend.extend(dict(item, layer_id=layer_id) for item in items)

    def add_evidence(self, ref: str, text: str, algorithms: Optional[Dict[str, Any]] = None) -> None:
        """What the person can look at to check the answer: a handle, a rule id, an algorithm with its parameters.

        ``algorithms``: the same as data, to export the run (``analysis/run/record.py``).
        """
        entry: Dict[str, Any] = {"ref": ref, "tool": self.tool, "text": text}
        self.evidence.append(dict(entry, algorithms=algorithms) if algorithms else entry)
