"""Styles as they were before a tool changed them, by rule id, so that a change can be taken back.

Only the categories that a tool changes are kept: aliases, forms, variables and properties of the person stay as they are.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

from qgis.core import QgsMapLayer, QgsReadWriteContext
from qgis.PyQt.QtXml import QDomDocument

from ..errors import NOT_FOUND, UPSTREAM_ERROR, ToolError
from ..i18n import translate

CATEGORIES = (
    QgsMapLayer.StyleCategory.Symbology
    | QgsMapLayer.StyleCategory.Labeling
    | QgsMapLayer.StyleCategory.Rendering
    | QgsMapLayer.StyleCategory.Diagrams
    | QgsMapLayer.StyleCategory.Legend
)
MAX_KEPT = 100
LEGEND_TITLE = "legend/title-label"
"""Property of a layer tree node that legends read."""


class StyleRecord(NamedTuple):
    """A layer's look (style XML and legend title) before the change that ``rule_id`` names."""

    layer_id: str
    before: str
    legend_title: Optional[str]


class StyleHistory:
    """The changes of style of one open project. The oldest are forgotten after 100."""

    def __init__(self, project_id: str) -> None:
        self.project_id = project_id
        self._records: Dict[str, StyleRecord] = {}
        self._number = 0

    def remember(self, record: StyleRecord) -> str:
        """Keep what was there; returns the rule id."""
        self._number += 1
        rule_id = "style-{}".format(self._number)
        self._records[rule_id] = record
        while len(self._records) > MAX_KEPT:
            del self._records[next(iter(self._records))]
        return rule_id

    def record(self, rule_id: str) -> StyleRecord:
        """What was there before the change. NOT_FOUND for an unknown rule id."""
        if rule_id not in self._records:
            raise ToolError(
                NOT_FOUND,
                translate("QgisAgent", "The style change '{}' is not known.").format(rule_id),
                hint=translate("QgisAgent", "Use a rule_id that set_render_rule returned in this project."),
                reason="rule_id",
            )
        return self._records[rule_id]


def history_of(host: Any) -> StyleHistory:
    """The host's history; a new one when another project has been opened."""
    history = getattr(host, "style_history", None)
    if history is None or history.project_id != host.project_id():
        history = StyleHistory(host.project_id())
        host.style_history = history
    return history


def snapshot(host: Any, layer: QgsMapLayer) -> StyleRecord:
    """The layer's look now."""
    document = QDomDocument()
    problem = layer.exportNamedStyle(document, QgsReadWriteContext(), CATEGORIES)
    if problem:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The present style of '{}' cannot be kept, so it is not changed.").format(
                layer.name()
            ),
            hint=translate("QgisAgent", "Save the style in QGIS first, or use another layer."),
            reason="style_export",
        )
    node = host.project.layerTreeRoot().findLayer(layer.id())
    title = node.customProperty(LEGEND_TITLE) if node is not None else None
    return StyleRecord(layer.id(), document.toString(-1), title if isinstance(title, str) and title else None)


def restore(host: Any, record: StyleRecord) -> QgsMapLayer:
    """Give a layer the look of a record and draw it. NOT_FOUND when the layer is gone."""
    layer = host.project.mapLayer(record.layer_id)
    if layer is None:
        raise ToolError(
            NOT_FOUND,
            translate("QgisAgent", "The layer of this style is no longer in the project."),
            hint=translate("QgisAgent", "Nothing is to be taken back."),
            reason="layer",
        )
    document = QDomDocument()
    document.setContent(record.before)
    done, problem = layer.importNamedStyle(document, CATEGORIES)
    if not done:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The earlier style could not be set: {}").format(problem),
            hint=translate("QgisAgent", "Set the style in QGIS."),
            reason="style_import",
        )
    set_legend_title(host, layer, record.legend_title)
    host.repaint(layer)
    return layer


def set_legend_title(host: Any, layer: QgsMapLayer, title: Optional[str]) -> None:
    """Set or remove the title that legends show above the layer's entries."""
    node = host.project.layerTreeRoot().findLayer(layer.id())
    if node is None:
        return
    if title:
        node.setCustomProperty(LEGEND_TITLE, title)
    else:
        node.removeCustomProperty(LEGEND_TITLE)


def revert(host: Any, rule_id: str) -> QgsMapLayer:
    """Take back the change that ``rule_id`` names."""
    return restore(host, history_of(host).record(rule_id))
