"""The layers of a project by short readable aliases, the catalogue that the agent gets, and the map snapshot."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Dict, Iterable, List, Optional

from qgis.core import (
    QgsField,
    QgsLayerTree,
    QgsLayerTreeGroup,
    QgsLayerTreeLayer,
    QgsMapLayer,
    QgsProject,
    QgsRasterLayer,
    QgsVectorLayer,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QMetaType

ALIAS_LENGTH = 40
_TEXT_TYPES = (QMetaType.Type.QString, QMetaType.Type.QChar)
_INTEGER_TYPES = (QMetaType.Type.Int, QMetaType.Type.UInt, QMetaType.Type.LongLong, QMetaType.Type.ULongLong)
_DATE_TYPES = (QMetaType.Type.QDate, QMetaType.Type.QDateTime, QMetaType.Type.QTime)
_GEOMETRY_KINDS = {"Point": "point", "Line": "line", "Polygon": "polygon", "No geometry": "table"}


def clean_text(text: str, length: int = 256) -> str:
    """Data as text that is safe to show: no control or bidi characters, one line, clipped to ``length`` characters."""
    kept = "".join(
        " " if each in "\t\r\n" else each for each in text if each in "\t\r\n" or unicodedata.category(each)[0] != "C"
    )
    kept = " ".join(kept.split())
    return kept if len(kept) <= length else kept[: length - 1] + "…"


def alias_of(name: str) -> str:
    """The alias that a layer of this name gets when it is free: the name in NFC, blanks as "_", at most 40 characters."""
    alias = re.sub(r"\s+", "_", clean_text(unicodedata.normalize("NFC", name), 10_000))[:ALIAS_LENGTH]
    return alias or "layer"


def field_type(field: QgsField) -> str:
    """One of text, integer, number, date, boolean, other."""
    kind = field.type()
    if kind in _TEXT_TYPES:
        return "text"
    if kind in _INTEGER_TYPES:
        return "integer"
    if kind == QMetaType.Type.Double:
        return "number"
    if kind in _DATE_TYPES:
        return "date"
    return "boolean" if kind == QMetaType.Type.Bool else "other"


def layer_kind(layer: QgsMapLayer) -> str:
    """One of point, line, polygon, table, raster, other."""
    if isinstance(layer, QgsRasterLayer):
        return "raster"
    if not isinstance(layer, QgsVectorLayer):
        return "other"
    return _GEOMETRY_KINDS.get(QgsWkbTypes.geometryDisplayString(layer.geometryType()), "other")


def _times(name: str, names: Iterable[str]) -> int:
    """How often a name occurs, whatever its case."""
    return [each.casefold() for each in names].count(name.casefold())


class LayerRegistry:
    """Aliases of one project. A layer keeps its alias while the project is open; nothing is written to the project."""

    def __init__(self, project: QgsProject) -> None:
        self._project = project
        self._alias_to_id: Dict[str, str] = {}
        self._id_to_alias: Dict[str, str] = {}

    def refresh(self) -> None:
        """Give aliases to layers that have none yet, in the order of the layer tree, and forget removed ones."""
        present = [layer for layer in self._ordered_layers() if not self.is_hidden(layer)]
        ids = {layer.id() for layer in present}
        for gone in [each for each in self._id_to_alias if each not in ids]:
            del self._alias_to_id[self._id_to_alias.pop(gone)]
        taken = {alias.casefold() for alias in self._alias_to_id}
        for layer in present:
            if layer.id() in self._id_to_alias:
                continue
            base = alias_of(layer.name())
            alias, number = base, 1
            while alias.casefold() in taken:
                number += 1
                alias = "{}-{}".format(base, number)
            taken.add(alias.casefold())
            self._alias_to_id[alias] = layer.id()
            self._id_to_alias[layer.id()] = alias

    def clear(self) -> None:
        """Another project: every alias is free again."""
        self._alias_to_id.clear()
        self._id_to_alias.clear()

    @staticmethod
    def is_hidden(layer: QgsMapLayer) -> bool:
        """Private layers of QGIS are out of every tool's sight."""
        return bool(layer.flags() & QgsMapLayer.LayerFlag.Private)

    def by_alias(self, alias: str) -> Optional[QgsMapLayer]:
        """The layer of an alias, also when only the case differs."""
        self.refresh()
        ident = self._alias_to_id.get(alias)
        if ident is None:
            folded = alias.casefold()
            ident = next((self._alias_to_id[each] for each in self._alias_to_id if each.casefold() == folded), None)
        return self._project.mapLayer(ident) if ident is not None else None

    def alias(self, layer: QgsMapLayer) -> str:
        """The alias of a layer of the project. KeyError for a private layer."""
        self.refresh()
        return self._id_to_alias[layer.id()]

    def aliases(self) -> List[str]:
        """All aliases, in the order of the layer tree."""
        self.refresh()
        return [self._id_to_alias[layer.id()] for layer in self._ordered_layers() if layer.id() in self._id_to_alias]

    def visible_layers(self) -> List[QgsMapLayer]:
        """The layers that the map draws, topmost first."""
        return [
            node.layer()
            for node in self._project.layerTreeRoot().findLayers()
            if node.layer() is not None and node.isVisible() and not self.is_hidden(node.layer())
        ]

    def group_of(self, layer: QgsMapLayer) -> str:
        """The groups above a layer, "outer / inner"."""
        node = self._project.layerTreeRoot().findLayer(layer.id())
        names: List[str] = []
        parent = node.parent() if node is not None else None
        while isinstance(parent, QgsLayerTreeGroup) and parent.parent() is not None:
            names.insert(0, clean_text(parent.name(), 60))
            parent = parent.parent()
        return " / ".join(names)

    def titles(self) -> Dict[str, str]:
        """By alias a name for people that means one layer: its name, with its group where names are equal, else the alias."""
        self.refresh()
        layers = [(alias, self._project.mapLayer(ident)) for alias, ident in self._alias_to_id.items()]
        names = {alias: clean_text(layer.name(), 60) for alias, layer in layers}
        grouped = {alias: " / ".join(filter(None, (self.group_of(layer), names[alias]))) for alias, layer in layers}
        titles: Dict[str, str] = {}
        for alias, _ in layers:
            fitting = [called[alias] for called in (names, grouped) if _times(called[alias], called.values()) == 1]
            titles[alias] = next((each for each in fitting if each and "]" not in each), alias)
        return titles

    def is_visible(self, layer: QgsMapLayer) -> bool:
        """Whether the layer and every group above it are switched on."""
        node = self._project.layerTreeRoot().findLayer(layer.id())
        return node is not None and node.isVisible()

    def catalogue(self) -> List[Dict[str, Any]]:
        """The layers as the agent may know them (``CatalogueLayer``): no source, no geometry, no QGIS id."""
        self.refresh()
        return [self._entry(layer) for layer in self._ordered_layers() if layer.id() in self._id_to_alias]

    def _entry(self, layer: QgsMapLayer) -> Dict[str, Any]:
        fields: List[Dict[str, str]] = []
        if isinstance(layer, QgsVectorLayer):
            fields = [
                {"name": each.name(), "alias": clean_text(each.alias(), 80), "type": field_type(each)}
                for each in layer.fields()
            ]
        return {
            "layer_id": self._id_to_alias[layer.id()],
            "name": clean_text(layer.name(), 120),
            "kind": layer_kind(layer),
            "group": self.group_of(layer),
            "abstract": clean_text(layer.metadata().abstract() or layer.serverProperties().abstract(), 200),
            "visible": self.is_visible(layer),
            "crs": layer.crs().authid(),
            "fields": fields,
        }

    def _ordered_layers(self) -> List[QgsMapLayer]:
        in_tree = [
            node.layer()
            for node in self._project.layerTreeRoot().findLayers()
            if isinstance(node, QgsLayerTreeLayer) and node.layer() is not None
        ]
        seen = {layer.id() for layer in in_tree}
        rest = sorted(
            (layer for layer in self._project.mapLayers().values() if layer.id() not in seen),
            key=lambda each: each.name(),
        )
        return in_tree + rest


def show_node(project: QgsProject, layer: QgsMapLayer, visible: bool) -> List[str]:
    """Switch a layer on or off in the tree; returns the names of groups that had to be switched on with it."""
    node = project.layerTreeRoot().findLayer(layer.id())
    if node is None:
        return []
    node.setItemVisibilityChecked(visible)
    switched: List[str] = []
    parent = node.parent()
    while visible and parent is not None and not QgsLayerTree.isLayer(parent):
        if not parent.itemVisibilityChecked():
            parent.setItemVisibilityChecked(True)
            if parent.parent() is not None:
                switched.append(clean_text(parent.name(), 60))
        parent = parent.parent()
    return switched
