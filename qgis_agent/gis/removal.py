"""Taking layers out of the project with all that refers to them noted, so that they can be put back as they were.

QGIS undoes none of this: themes lose their record of the layer, joins and relations go, layouts show it no more. Each is
noted before and set again by its own setter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from qgis.core import (
    QgsLayerTreeGroup,
    QgsLayoutItemMap,
    QgsMapLayer,
    QgsProject,
    QgsRelation,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
)
from qgis.PyQt import sip

from .i18n import translate
from .layers import clean_text
from .temporary import MAX_KEPT, is_temporary

if TYPE_CHECKING:
    from .host import Host


class Taken:
    """A layer that was taken out, where it was, and what referred to it. Kept in ``host.removed``."""

    def __init__(self, host: Host, layer: QgsMapLayer) -> None:
        project = host.project
        self.layer = layer
        self.alias = host.layers.alias(layer)
        node = project.layerTreeRoot().findLayer(layer.id())
        self.index = node.parent().children().index(node) if node is not None else 0
        self.visible = node is None or node.itemVisibilityChecked()
        self.expanded = node is None or node.isExpanded()
        self._groups = _groups_above(node)
        self._order = [each.id() for each in project.layerTreeRoot().customLayerOrder()]
        self._themes = _theme_records(project, layer)
        self._relations = [QgsRelation(each) for each in relations_of(project, layer)]
        self._joins = [(other.id(), QgsVectorLayerJoinInfo(join)) for other, join in joins_of(project, layer)]
        self._maps = [(item, [each.id() for each in item.layers()]) for _name, item in maps_of(project, layer)]
        self._atlases = [(each, each.atlas().enabled()) for each in atlases_of(project, layer)]

    def put_back(self, host: Host) -> List[str]:
        """The layer with its id, data, place, themes, relations and joins; gives what could not be set again."""
        project, missing = host.project, []
        project.addMapLayer(self.layer, False)
        group = _group_at(project, self._groups)
        node = group.insertLayer(min(self.index, len(group.children())), self.layer)
        node.setItemVisibilityChecked(self.visible)
        node.setExpanded(self.expanded)
        if project.layerTreeRoot().hasCustomLayerOrder():
            layers = [project.mapLayer(each) for each in self._order]
            project.layerTreeRoot().setCustomLayerOrder([each for each in layers if each is not None])
        missing += self._themes_again(project)
        for relation in self._relations:
            project.relationManager().addRelation(relation)
            if not project.relationManager().relation(relation.id()).isValid():
                missing.append(translate("QgisAgent", "relation {}").format(clean_text(relation.name(), 60)))
        for ident, join in self._joins:
            other = project.mapLayer(ident)
            join.setJoinLayer(self.layer)
            if other is None or not other.addJoin(join):
                missing.append(translate("QgisAgent", "a join"))
        self._layouts_again(project)
        host.removed = [each for each in host.removed if each.layer is not self.layer]
        return missing

    def unjoin(self, project: QgsProject) -> None:
        """QGIS ends joins to a layer when the object goes, and here it is kept: so they end now, as a person expects."""
        for ident, _join in self._joins:
            project.mapLayer(ident).removeJoin(self.layer.id())

    def _themes_again(self, project: QgsProject) -> List[str]:
        themes, missing = project.mapThemeCollection(), []
        for name, record in self._themes:
            if not themes.hasMapTheme(name):
                missing.append(translate("QgisAgent", "theme {}").format(clean_text(name, 60)))
                continue
            state = themes.mapThemeState(name)
            state.addLayerRecord(record)
            themes.update(name, state)
        return missing

    def _layouts_again(self, project: QgsProject) -> None:
        for item, ids in self._maps:
            if not sip.isdeleted(item):
                layers = [project.mapLayer(each) for each in ids]
                item.setLayers([each for each in layers if each is not None])
        for layout, enabled in self._atlases:
            if not sip.isdeleted(layout):
                layout.atlas().setCoverageLayer(self.layer)
                layout.atlas().setEnabled(enabled)  # QGIS switches an atlas off that has lost its layer


def take_out(host: Host, layers: List[QgsMapLayer]) -> List[Taken]:
    """Take layers out of the project; the objects and data in memory are kept."""
    taken = [Taken(host, each) for each in layers]
    for each in taken:
        each.unjoin(host.project)
        host.project.takeMapLayer(each.layer)
    host.removed = [*host.removed, *taken][-MAX_KEPT:]
    return taken


def taken_called(host: Host, alias: str) -> Optional[Any]:
    """What was taken out last under this alias in this session."""
    found = [each for each in host.removed if isinstance(each, Taken) and each.alias.casefold() == alias.casefold()]
    return found[-1] if found else None


def references(project: QgsProject, layer: QgsMapLayer) -> List[Tuple[str, str]]:
    """(kind, name) of all that refers to a layer, for people."""
    found = [(translate("QgisAgent", "Join in"), other.name()) for other, _ in joins_of(project, layer)]
    found += [(translate("QgisAgent", "Relation"), each.name()) for each in relations_of(project, layer)]
    found += [(translate("QgisAgent", "Theme"), name) for name, _ in _theme_records(project, layer)]
    found += [(translate("QgisAgent", "Map in layout"), name) for name, _ in maps_of(project, layer)]
    found += [(translate("QgisAgent", "Atlas of layout"), each.name()) for each in atlases_of(project, layer)]
    found += [(translate("QgisAgent", "Value relation of"), name) for name in _value_relations(project, layer)]
    found += [(translate("QgisAgent", "Virtual layer"), name) for name in _virtual_layers(project, layer)]
    return [(kind, clean_text(name, 60)) for kind, name in found]


def is_lost(layer: QgsMapLayer, project: QgsProject) -> bool:
    """Whether the data of a layer that is taken out ends with the session."""
    return is_temporary(layer, project)


def joins_of(project: QgsProject, layer: QgsMapLayer) -> List[Tuple[QgsVectorLayer, Any]]:
    """Other layers with their joins to the layer."""
    others = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer)]
    return [(each, join) for each in others for join in each.vectorJoins() if join.joinLayerId() == layer.id()]


def relations_of(project: QgsProject, layer: QgsMapLayer) -> List[QgsRelation]:
    """Relations from or to the layer."""
    every = project.relationManager().relations().values()
    return [each for each in every if layer.id() in (each.referencedLayerId(), each.referencingLayerId())]


def maps_of(project: QgsProject, layer: QgsMapLayer) -> List[Tuple[str, QgsLayoutItemMap]]:
    """Maps of layouts that name the layer, with the layout's name."""
    return [
        (layout.name(), item)
        for layout in project.layoutManager().printLayouts()
        for item in layout.items()
        if isinstance(item, QgsLayoutItemMap) and any(each.id() == layer.id() for each in item.layers())
    ]


def atlases_of(project: QgsProject, layer: QgsMapLayer) -> List[Any]:
    """Layouts of which the layer is the atlas layer."""
    layouts = project.layoutManager().printLayouts()
    return [
        each
        for each in layouts
        if each.atlas().coverageLayer() is not None and each.atlas().coverageLayer().id() == layer.id()
    ]


def _theme_records(project: QgsProject, layer: QgsMapLayer) -> List[Tuple[str, Any]]:
    themes = project.mapThemeCollection()
    return [
        (name, record)
        for name in themes.mapThemes()
        for record in themes.mapThemeState(name).layerRecords()
        if record.layer() is not None and record.layer().id() == layer.id()
    ]


def _value_relations(project: QgsProject, layer: QgsMapLayer) -> List[str]:
    others = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer)]
    return [
        "{}.{}".format(each.name(), field.name())
        for each in others
        for index, field in enumerate(each.fields())
        if each.editorWidgetSetup(index).config().get("Layer") == layer.id()
    ]


def _virtual_layers(project: QgsProject, layer: QgsMapLayer) -> List[str]:
    others = [each for each in project.mapLayers().values() if each.providerType() == "virtual"]
    return [each.name() for each in others if layer.id() in each.source() or layer.name() in each.source()]


def _groups_above(node: Any) -> List[str]:
    names: List[str] = []
    parent = node.parent() if node is not None else None
    while isinstance(parent, QgsLayerTreeGroup) and parent.parent() is not None:
        names.insert(0, parent.name())
        parent = parent.parent()
    return names


def _group_at(project: QgsProject, names: List[str]) -> QgsLayerTreeGroup:
    """The group of that path, made where it is gone."""
    group = project.layerTreeRoot()
    for name in names:
        inner = [each for each in group.children() if isinstance(each, QgsLayerTreeGroup) and each.name() == name]
        group = inner[0] if inner else group.addGroup(name)
    return group
