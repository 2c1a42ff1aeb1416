"""Styles as they were before a tool changed them, by rule id, so that a change can be taken back.

Only the categories that a tool changes are kept: aliases, forms, variables and properties of the person stay.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsAbstractVectorLayerLabeling,
    QgsMapLayer,
    QgsRasterLayer,
    QgsReadWriteContext,
    QgsVectorLayer,
)
from qgis.PyQt.QtXml import QDomDocument, QDomElement

from ..errors import NOT_FOUND, UPSTREAM_ERROR, ToolError
from ..i18n import translate
from .renderer_copy import renderer_copy

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
SHOW_COUNTS = "showFeatureCount"
"""Property of a layer tree node: QGIS counts the features in the background and writes the numbers into the legend."""
_UUID = re.compile(r"\{[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}")


class Parts(NamedTuple):
    """Copies of a layer's renderer and labelling; None for what it does not have."""

    renderer: Any
    labeling: Optional[QgsAbstractVectorLayerLabeling]


class StyleRecord(NamedTuple):
    """A layer's look: style XML, legend title, whether the legend counts features, copies of renderer and labelling.

    The copies are kept because QGIS does not read from XML just what it wrote: labels get another font where theirs is
    not installed, ranges of a shader and formats of class labels are lost.
    """

    layer_id: str
    before: str
    legend_title: Optional[str]
    show_counts: bool = False
    parts: Optional[Parts] = None


class Change(NamedTuple):
    """One change of a tool: the look before it, and the look that it left."""

    rule_id: str
    before: StyleRecord
    after: StyleRecord


class StyleHistory:
    """The changes of style of one open project. The oldest are forgotten after 100."""

    def __init__(self, host: Any) -> None:
        self.project_id = host.project_id()
        self._host = host
        self._changes: Dict[str, Change] = {}
        self._number = 0
        self._asked: Dict[str, Tuple[str, str]] = {}

    def remember(self, record: StyleRecord) -> str:
        """Keep what was there, and what is there now: to be called when the change is made. Returns the rule id."""
        self._number += 1
        rule_id = "style-{}".format(self._number)
        layer = self._host.project.mapLayer(record.layer_id)
        after = snapshot(self._host, layer) if layer is not None else record
        self._changes[rule_id] = Change(rule_id, record, after)
        while len(self._changes) > MAX_KEPT:
            del self._changes[next(iter(self._changes))]
        return rule_id

    def record(self, rule_id: str) -> StyleRecord:
        """What was there before the change. NOT_FOUND for an unknown rule id."""
        if rule_id not in self._changes:
            raise _unknown(rule_id, list(self._changes))
        return self._changes[rule_id].before

    def changes(self, layer_id: str) -> List[Change]:
        """The changes of a layer (QGIS's id), oldest first, that have not been taken back."""
        return [each for each in self._changes.values() if each.before.layer_id == layer_id]

    def since(self, layer_id: str, rule_id: str) -> List[Change]:
        """The change that ``rule_id`` names and the later ones of the layer. NOT_FOUND when it is none of the layer."""
        found = self.changes(layer_id)
        known = [each.rule_id for each in found]
        if rule_id not in known:
            raise _unknown(rule_id, known)
        return found[known.index(rule_id) :]

    def ask(self, record: StyleRecord, run_id: str) -> None:
        """The person is asked in this run whether this look, with changes of their own, may be lost."""
        self._asked[record.layer_id] = (run_id, canonical(record.before))

    def was_asked(self, record: StyleRecord, run_id: str) -> bool:
        """Whether the person was asked about just this look, in an earlier run: only then they can have answered."""
        asked_in, look = self._asked.get(record.layer_id, (run_id, ""))
        return asked_in != run_id and look == canonical(record.before)

    def has_set_title(self, layer_id: str, title: str) -> bool:
        """Whether a change of a tool gave the layer this legend title."""
        return any(
            each.after.legend_title == title and each.before.legend_title != title for each in self.changes(layer_id)
        )

    def forget(self, changes: List[Change]) -> None:
        """They have been taken back."""
        for each in changes:
            self._changes.pop(each.rule_id, None)


def _unknown(rule_id: str, known: List[str]) -> ToolError:
    return ToolError(
        NOT_FOUND,
        translate("QgisAgent", "The style change '{}' is not known.").format(rule_id),
        hint=translate("QgisAgent", "Use a rule_id that a style tool returned for this layer: {}.").format(
            ", ".join(known[-8:]) or "-"
        ),
        reason="rule_id",
    )


def history_of(host: Any) -> StyleHistory:
    """The host's history; a new one when another project has been opened."""
    history = getattr(host, "style_history", None)
    if history is None or history.project_id != host.project_id():
        history = StyleHistory(host)
        host.style_history = history
    return history


def style_xml(layer: QgsMapLayer, categories: Any) -> str:
    """The layer's look in these categories as QGIS writes it. UPSTREAM_ERROR when it cannot."""
    document = QDomDocument()
    problem = layer.exportNamedStyle(document, QgsReadWriteContext(), categories)
    if problem:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The present style of '{}' cannot be kept, so it is not changed.").format(
                layer.name()
            ),
            hint=translate("QgisAgent", "Save the style in QGIS first, or use another layer."),
            reason="style_export",
        )
    return str(document.toString(-1))


def set_style_xml(layer: QgsMapLayer, xml: str, categories: Any) -> None:
    """Give a layer a look that ``style_xml`` returned. UPSTREAM_ERROR when QGIS does not take it."""
    document = QDomDocument()
    document.setContent(xml)
    done, problem = layer.importNamedStyle(document, categories)
    if not done:
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "The earlier style could not be set: {}").format(problem),
            hint=translate("QgisAgent", "Set the style in QGIS."),
            reason="style_import",
        )


def snapshot(host: Any, layer: QgsMapLayer) -> StyleRecord:
    """The layer's look now."""
    node = host.project.layerTreeRoot().findLayer(layer.id())
    title = node.customProperty(LEGEND_TITLE) if node is not None else None
    counts = node is not None and bool(int(node.customProperty(SHOW_COUNTS, 0) or 0))
    kept = title if isinstance(title, str) and title else None
    return StyleRecord(layer.id(), style_xml(layer, CATEGORIES), kept, counts, parts_of(layer))


def parts_of(layer: QgsMapLayer) -> Parts:
    """Copies of what the layer is drawn by."""
    renderer = layer.renderer() if isinstance(layer, (QgsVectorLayer, QgsRasterLayer)) else None
    labeling = layer.labeling() if isinstance(layer, QgsVectorLayer) else None
    return Parts(
        renderer_copy(renderer) if renderer is not None else None, labeling.clone() if labeling is not None else None
    )


def set_renderer(layer: QgsMapLayer, parts: Parts) -> None:
    """Draw a layer by a copy of the renderer."""
    if parts.renderer is not None:
        layer.setRenderer(renderer_copy(parts.renderer))


def set_labeling(layer: QgsMapLayer, parts: Parts) -> None:
    """Label a vector layer by a copy of the labelling, or by none. Whether labels are on stays."""
    if isinstance(layer, QgsVectorLayer):
        layer.setLabeling(parts.labeling.clone() if parts.labeling is not None else None)


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
    set_style_xml(layer, record.before, CATEGORIES)
    if record.parts is not None:
        set_renderer(layer, record.parts)
        set_labeling(layer, record.parts)
    set_legend_title(host, layer, record.legend_title)
    set_show_counts(host, layer, record.show_counts)
    host.repaint(layer)
    return layer


def same_look(one: StyleRecord, other: StyleRecord) -> bool:
    """Whether two records are the same look. Ids that QGIS makes anew each time do not count."""
    if (one.legend_title, one.show_counts) != (other.legend_title, other.show_counts):
        return False
    return one.before == other.before or canonical(one.before) == canonical(other.before)


def canonical(xml: str) -> str:
    """Style XML in one form for one content: attributes in order, no ids."""
    document = QDomDocument()
    document.setContent(xml)
    parts: List[str] = []
    _canonical(document.documentElement(), parts)
    return "".join(parts)


def _canonical(element: QDomElement, parts: List[str]) -> None:
    attributes = element.attributes()
    pairs = [attributes.item(index).toAttr() for index in range(attributes.count())]
    texts = sorted("{}={}".format(each.name(), _UUID.sub("{}", each.value())) for each in pairs)
    parts.append("<{} {}>".format(element.tagName(), " ".join(texts)))
    nodes = element.childNodes()
    for index in range(nodes.count()):
        child = nodes.at(index)
        if child.isElement():
            _canonical(child.toElement(), parts)
        elif child.isText():
            parts.append(child.nodeValue().strip())
    parts.append("</>")


def set_legend_title(host: Any, layer: QgsMapLayer, title: Optional[str]) -> None:
    """Set or remove the title that legends show above the layer's entries."""
    _set_property(host, layer, LEGEND_TITLE, title or None)


def set_show_counts(host: Any, layer: QgsMapLayer, shown: bool) -> None:
    """Write the number of features into the legend, or not."""
    _set_property(host, layer, SHOW_COUNTS, 1 if shown else None)


def _set_property(host: Any, layer: QgsMapLayer, name: str, value: Any) -> None:
    node = host.project.layerTreeRoot().findLayer(layer.id())
    if node is None or node.customProperty(name) == value:
        return
    if value is None:
        node.removeCustomProperty(name)
    else:
        node.setCustomProperty(name, value)


def revert(host: Any, rule_id: str) -> QgsMapLayer:
    """Take back the change that ``rule_id`` names."""
    return restore(host, history_of(host).record(rule_id))
