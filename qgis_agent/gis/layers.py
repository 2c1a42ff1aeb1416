"""The layers of a project by short readable aliases, and the catalogue that the agent gets."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from qgis.core import (
    QgsField,
    QgsLayerTree,
    QgsLayerTreeGroup,
    QgsMapLayer,
    QgsProject,
    QgsProviderRegistry,
    QgsRasterLayer,
    QgsVectorLayer,
    QgsWkbTypes,
)
from qgis.PyQt.QtCore import QMetaType

from ..bridge.text import clean
from .scope import hides_layer, scope_of, seen_fields

ALIAS_LENGTH = 40
_TEXT_TYPES = (QMetaType.Type.QString, QMetaType.Type.QChar)
_INTEGER_TYPES = (QMetaType.Type.Int, QMetaType.Type.UInt, QMetaType.Type.LongLong, QMetaType.Type.ULongLong)
_DATE_TYPES = (QMetaType.Type.QDate, QMetaType.Type.QDateTime, QMetaType.Type.QTime)
_GEOMETRY_KINDS = {"Point": "point", "Line": "line", "Polygon": "polygon", "No geometry": "table"}


def clean_text(text: str, length: int = 256) -> str:
    """Data as text that is safe to show: no control or bidi characters, one line, clipped to ``length`` characters."""
    return clean(text, length)


def literal_name(name: str) -> str:
    """A name for a layer: QGIS evaluates "[% %]" in the names that legends show, so that it is taken apart."""
    return name.replace("[%", "[ %")


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


def file_of(layer: QgsMapLayer) -> str:
    """The base name of the file that a layer reads, also of one that is not there; "" for services, databases, memory."""
    path = str(QgsProviderRegistry.instance().decodeUri(layer.providerType(), layer.source()).get("path") or "")
    return "" if "://" in path else clean_text(re.split(r"[\\/]", path)[-1], 120)


class Place(NamedTuple):
    """Where a layer is in the layer tree: the groups above it, outermost first, and whether it is drawn."""

    groups: Tuple[str, ...]
    visible: bool

    @property
    def path(self) -> str:
        """ "outer / inner"."""
        return " / ".join(self.groups)


NOWHERE = Place((), False)


class LayerRegistry:
    """Aliases of one project. A layer keeps its alias while the project is open; nothing is written to the project."""

    def __init__(self, project: QgsProject) -> None:
        self._project = project
        self._alias_to_id: Dict[str, str] = {}
        self._id_to_alias: Dict[str, str] = {}
        self._seen = -1
        """Layers of the project at the last refresh; -1 when layers have come or gone since."""
        self.scope = scope_of(project)
        """What the person has excluded from every tool's sight."""
        project.layersAdded.connect(self._changed)
        project.layersRemoved.connect(self._changed)
        self.scope.changed.connect(self._changed)

    def _changed(self, *_args: Any) -> None:
        self._seen = -1

    def refresh(self) -> None:
        """Give aliases to layers that have none yet, in the order of the layer tree, and forget removed ones."""
        if self._seen == self._project.count():
            return
        self._seen = self._project.count()
        present = self._shown()
        ids = set(self._project.mapLayers())
        for gone in [each for each in self._id_to_alias if each not in ids]:
            del self._alias_to_id[self._id_to_alias.pop(gone)]
        taken = {alias.casefold() for alias in self._alias_to_id}
        numbers: Dict[str, int] = {}
        for layer in present:
            if layer.id() in self._id_to_alias:
                continue
            base = alias_of(layer.name())
            alias, number = base, numbers.get(base.casefold(), 1)
            while alias.casefold() in taken:
                number += 1
                alias = "{}-{}".format(base, number)
            numbers[base.casefold()] = number
            taken.add(alias.casefold())
            self._alias_to_id[alias] = layer.id()
            self._id_to_alias[layer.id()] = alias

    def clear(self) -> None:
        """Another project: every alias is free again."""
        self._alias_to_id.clear()
        self._id_to_alias.clear()
        self._seen = -1

    @staticmethod
    def is_hidden(layer: QgsMapLayer) -> bool:
        """Private layers of QGIS, and what the person excluded, are out of every tool's sight."""
        return bool(layer.flags() & QgsMapLayer.LayerFlag.Private) or hides_layer(layer)

    def _shown(self) -> List[QgsMapLayer]:
        """The layers that are not hidden, in the order of the layer tree; the rules are read once for all."""
        excluded, private = self.scope.layer_test(), QgsMapLayer.LayerFlag.Private
        return [each for each in self._ordered_layers() if not each.flags() & private and not excluded(each)]

    def by_alias(self, alias: str) -> Optional[QgsMapLayer]:
        """The layer of an alias, also when only the case differs. None for one that was made private since."""
        ident = self._found(alias)
        if ident is None:
            self._changed()  # it may have been private until now
            ident = self._found(alias)
        layer = self._project.mapLayer(ident) if ident is not None else None
        return None if layer is None or self.is_hidden(layer) else layer

    def _found(self, alias: str) -> Optional[str]:
        self.refresh()
        folded = alias.casefold()
        return self._alias_to_id.get(alias) or next(
            (self._alias_to_id[each] for each in self._alias_to_id if each.casefold() == folded), None
        )

    def alias(self, layer: QgsMapLayer) -> str:
        """The alias of a layer of the project. KeyError for a private layer."""
        self.refresh()
        if layer.id() not in self._id_to_alias:
            self._changed()  # it was private when the others got theirs
            self.refresh()
        if self.is_hidden(layer):
            raise KeyError(layer.id())
        return self._id_to_alias[layer.id()]

    def layers(self) -> List[QgsMapLayer]:
        """The layers that tools may see, in the order of the layer tree."""
        self.refresh()
        return self._shown()

    def aliases(self) -> List[str]:
        """All aliases, in the order of the layer tree."""
        return [self.alias(layer) for layer in self.layers()]

    def visible_layers(self) -> List[QgsMapLayer]:
        """The layers that the map draws, topmost first: in the project's own drawing order where it has one."""
        root = self._project.layerTreeRoot()
        places = self.places()
        drawn = [layer for layer in self.layers() if places.get(layer.id(), NOWHERE).visible]
        if not root.hasCustomLayerOrder():
            return drawn
        rank = {layer.id(): number for number, layer in enumerate(root.customLayerOrder())}
        return sorted(drawn, key=lambda layer: rank.get(layer.id(), len(rank)))

    def group_of(self, layer: QgsMapLayer) -> str:
        """The groups above a layer, "outer / inner"."""
        node = self._project.layerTreeRoot().findLayer(layer.id())
        names: List[str] = []
        parent = node.parent() if node is not None else None
        while isinstance(parent, QgsLayerTreeGroup) and parent.parent() is not None:
            names.insert(0, clean_text(parent.name(), 60))
            parent = parent.parent()
        return Place(tuple(names), False).path

    def places(self) -> Dict[str, Place]:
        """By QGIS id the place of each layer of the tree, in one walk: to look each up is slow with 10,000 layers."""
        found: Dict[str, Place] = {}

        def walk(group: QgsLayerTreeGroup, names: Tuple[str, ...], shown: bool) -> None:
            for child in group.children():
                on = shown and child.itemVisibilityChecked()
                if QgsLayerTree.isLayer(child):
                    first = found.setdefault(child.layerId(), Place(names, on))
                    found[child.layerId()] = first._replace(visible=first.visible or on)
                else:
                    walk(child, (*names, clean_text(child.name(), 60)), on)

        walk(self._project.layerTreeRoot(), (), True)
        return found

    def titles(self) -> Dict[str, str]:
        """By alias a name for people that means one layer: its name, with its group where names are equal, else the alias."""
        places = self.places()
        layers = [(self.alias(layer), layer) for layer in self.layers()]
        names = {alias: clean_text(layer.name(), 60) for alias, layer in layers}
        grouped = {
            alias: " / ".join(filter(None, (places.get(layer.id(), NOWHERE).path, names[alias])))
            for alias, layer in layers
        }
        counts = [(called, Counter(each.casefold() for each in called.values())) for called in (names, grouped)]
        titles: Dict[str, str] = {}
        for alias, _ in layers:
            fitting = [called[alias] for called, times in counts if times[called[alias].casefold()] == 1]
            titles[alias] = next((each for each in fitting if each and "]" not in each), alias)
        return titles

    def is_visible(self, layer: QgsMapLayer) -> bool:
        """Whether the layer and every group above it are switched on."""
        root = self._project.layerTreeRoot()
        node = root.findLayer(layer.id())
        if node is None or node.isVisible() or root.findLayerIds().count(layer.id()) == 1:
            return node is not None and bool(node.isVisible())
        return any(each.isVisible() for each in root.findLayers() if each.layerId() == layer.id())

    def catalogue(self) -> List[Dict[str, Any]]:
        """The layers as the agent may know them (``CatalogueLayer``): no source, no geometry, no QGIS id."""
        places = self.places()
        all_seen = self.scope.rules().empty
        return [self._entry(layer, places.get(layer.id(), NOWHERE), all_seen) for layer in self.layers()]

    def _entry(self, layer: QgsMapLayer, place: Place, all_seen: bool) -> Dict[str, Any]:
        fields: List[Dict[str, str]] = []
        if isinstance(layer, QgsVectorLayer):
            fields = [
                {"name": each.name(), "alias": clean_text(each.alias(), 80), "type": field_type(each)}
                for each in (layer.fields() if all_seen else seen_fields(layer))
            ]
        return {
            "layer_id": self.alias(layer),
            "name": clean_text(layer.name(), 120),
            "kind": layer_kind(layer),
            "group": place.path,
            "abstract": clean_text(layer.metadata().abstract() or layer.serverProperties().abstract(), 200),
            "file": file_of(layer),
            "visible": place.visible,
            "crs": layer.crs().authid(),
            "fields": fields,
        }

    def _ordered_layers(self) -> List[QgsMapLayer]:
        layers = dict(self._project.mapLayers())
        in_tree = [layers.pop(each) for each in self._project.layerTreeRoot().findLayerIds() if each in layers]
        return in_tree + sorted(layers.values(), key=lambda each: each.name())


def show_node(project: QgsProject, layer: QgsMapLayer, visible: bool) -> List[str]:
    """Switch a layer on or off in the tree; returns the names of groups that had to be switched on with it.

    A layer that stands in the tree more than once is switched off everywhere.
    """
    root = project.layerTreeRoot()
    node = root.findLayer(layer.id())
    if node is None:
        return []
    for each in [node] if visible else [each for each in root.findLayers() if each.layerId() == layer.id()]:
        each.setItemVisibilityChecked(visible)
    switched: List[str] = []
    parent = node.parent()
    while visible and parent is not None and not QgsLayerTree.isLayer(parent):
        if not parent.itemVisibilityChecked():
            parent.setItemVisibilityChecked(True)
            if parent.parent() is not None:
                switched.append(clean_text(parent.name(), 60))
        parent = parent.parent()
    return switched
