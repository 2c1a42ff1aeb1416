"""The tree of a project's groups, layers and fields, with a tick at what the agent does not see."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Set

from qgis.core import QgsIconUtils, QgsLayerTree, QgsLayerTreeGroup, QgsMapLayer, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QEvent, QSize, Qt, pyqtSignal
from qgis.PyQt.QtGui import QIcon
from qgis.PyQt.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.scope import Scope
from ..settings.parts import literal_tip
from ..theme import is_theme_change, tones

HEIGHT = 300
_KEY = Qt.ItemDataRole.UserRole
_GROUP, _LAYER, _FIELD, _GONE = "group", "layer", "field", "gone"
_ON, _OFF, _PART = Qt.CheckState.Checked, Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked


class ScopeTree(QTreeWidget):
    """Ticks are kept here until ``chosen_layers`` and ``chosen_fields`` are asked. Fields are listed when a layer is opened."""

    edited = pyqtSignal()

    def __init__(self, project: QgsProject, scope: Scope) -> None:
        super().__init__()
        self._project, self._scope = project, scope
        self._layers: Set[str] = set(scope.rules().layers)
        self._fields: Dict[str, Set[str]] = {}
        self._filling = False
        for ident, rule in scope.rules().fields.items():
            layer = project.mapLayer(ident)
            known = scope.chosen_fields(layer) if isinstance(layer, QgsVectorLayer) else rule.names
            self._fields[ident] = set(known)
        self.setAccessibleName(translate("QgisAgent", "Layers and fields that the agent does not see"))
        self.setColumnCount(2)
        self.setHeaderLabels(
            [translate("QgisAgent", "Tick what the agent does not see"), translate("QgisAgent", "Hidden")]
        )
        self.setUniformRowHeights(True)
        self.setTabKeyNavigation(False)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.setMinimumHeight(HEIGHT // 2)
        self.itemExpanded.connect(self._opened)
        self.itemChanged.connect(self._ticked)
        self._fill()

    def sizeHint(self) -> QSize:  # noqa: N802
        """High enough for a dozen layers; longer trees scroll."""
        return QSize(super().sizeHint().width(), HEIGHT)

    # what was chosen

    def chosen_layers(self) -> FrozenSet[str]:
        """Ids of the layers that are ticked."""
        return frozenset(self._layers)

    def chosen_fields(self) -> Dict[str, FrozenSet[str]]:
        """Names of the ticked fields by their layer's id."""
        return {ident: frozenset(names) for ident, names in self._fields.items() if names}

    def start_anew(self) -> None:
        """Nothing is ticked."""
        self._layers, self._fields = set(), {}
        self._fill()
        self.edited.emit()

    def search(self, text: str) -> None:
        """Show only what has the text in its name, with what is above it; "" shows all."""
        wanted = text.strip().casefold()
        for at in range(self.topLevelItemCount()):
            self._filter(self.topLevelItem(at), wanted)

    # building

    def _fill(self) -> None:
        self._filling = True
        self.clear()
        self._add_group(self.invisibleRootItem(), self._project.layerTreeRoot())
        in_tree = set(self._project.layerTreeRoot().findLayerIds())
        for ident, layer in self._project.mapLayers().items():
            if ident not in in_tree:
                self._add_layer(self.invisibleRootItem(), layer)
        for ident in sorted((self._layers | set(self._fields)) - set(self._project.mapLayers())):
            item = self._item(self.invisibleRootItem(), _GONE, ident, clean_text(ident, 80), ident in self._layers)
            item.setText(1, translate("QgisAgent", "no longer in the project"))
        self._filling = False
        self._show_groups()

    def _add_group(self, parent: QTreeWidgetItem, group: QgsLayerTreeGroup) -> None:
        for child in group.children():
            if QgsLayerTree.isLayer(child):
                if child.layer() is not None:
                    self._add_layer(parent, child.layer())
                continue
            item = self._item(parent, _GROUP, "", clean_text(child.name(), 120), False)
            item.setIcon(0, QIcon(":/images/themes/default/mActionFolder.svg"))
            self._add_group(item, child)
            item.setExpanded(True)

    def _add_layer(self, parent: QTreeWidgetItem, layer: QgsMapLayer) -> None:
        item = self._item(parent, _LAYER, layer.id(), clean_text(layer.name(), 120), layer.id() in self._layers)
        item.setIcon(0, QgsIconUtils.iconForLayer(layer))
        if isinstance(layer, QgsVectorLayer) and layer.fields().count():
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        self._tell(item)

    def _item(self, parent: QTreeWidgetItem, kind: str, key: str, text: str, on: bool) -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent, [text, ""])
        item.setData(0, _KEY, (kind, key))
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(0, _ON if on else _OFF)
        item.setToolTip(0, literal_tip(text))
        return item

    def _opened(self, item: QTreeWidgetItem) -> None:
        """The fields of a layer, the first time that it is opened."""
        kind, ident = item.data(0, _KEY)
        layer = self._project.mapLayer(ident) if kind == _LAYER else None
        if not isinstance(layer, QgsVectorLayer) or item.childCount():
            return
        self._filling = True
        hidden = self._fields.get(ident, set())
        for field in layer.fields():
            text = clean_text(field.name(), 120)
            shown = "{} ({})".format(text, clean_text(field.alias(), 80)) if field.alias() else text
            child = self._item(item, _FIELD, field.name(), shown, field.name() in hidden)
            child.setIcon(0, layer.fields().iconForField(layer.fields().indexOf(field.name())))
        self._enable_fields(item)
        self._filling = False

    # ticking

    def _ticked(self, item: QTreeWidgetItem, _column: int) -> None:
        if self._filling:
            return
        self._filling = True
        kind, key = item.data(0, _KEY)
        on = item.checkState(0) == _ON
        if kind == _GROUP:
            for each in self._below(item):
                each.setCheckState(0, _ON if on else _OFF)
                self._keep_layer(each, on)
        elif kind == _FIELD:
            names = self._fields.setdefault(item.parent().data(0, _KEY)[1], set())
            names.discard(key)
            names.update([key] if on else [])
            self._tell(item.parent())
        else:
            self._keep_layer(item, on)
            if kind == _GONE and not on:
                self._fields.pop(key, None)
        self._filling = False
        self._show_groups()
        self.edited.emit()

    def _keep_layer(self, item: QTreeWidgetItem, on: bool) -> None:
        ident = item.data(0, _KEY)[1]
        self._layers.discard(ident)
        self._layers.update([ident] if on else [])
        self._enable_fields(item)
        self._tell(item)

    def _below(self, item: QTreeWidgetItem) -> List[QTreeWidgetItem]:
        """The layers below a group."""
        found: List[QTreeWidgetItem] = []
        for at in range(item.childCount()):
            child = item.child(at)
            kind = child.data(0, _KEY)[0]
            found += [child] if kind == _LAYER else self._below(child) if kind == _GROUP else []
        return found

    def _enable_fields(self, item: QTreeWidgetItem) -> None:
        """Fields of a layer that is hidden as a whole need no tick of their own."""
        off = item.checkState(0) == _ON
        for at in range(item.childCount()):
            child = item.child(at)
            if child.data(0, _KEY)[0] == _FIELD:
                child.setDisabled(off)

    def _tell(self, item: QTreeWidgetItem) -> None:
        """Say in the second column what of a layer is hidden, and why where it is not by its own tick."""
        kind, ident = item.data(0, _KEY)
        layer = self._project.mapLayer(ident)
        if kind != _LAYER or layer is None:
            return
        names = self._fields.get(ident, set())
        text = ""
        if item.checkState(0) == _ON:
            text = translate("QgisAgent", "the whole layer")
        elif layer.flags() & QgsMapLayer.LayerFlag.Private:
            text = translate("QgisAgent", "a private layer of QGIS")
        elif names:
            text = translate("QgisAgent", "{} fields").format(len(names)) if len(names) > 1 else _one_field()
        elif self._is_hidden_by_other(layer):
            text = translate("QgisAgent", "as it shows hidden data")
        item.setText(1, text)
        item.setForeground(1, tones().muted)

    def _is_hidden_by_other(self, layer: QgsMapLayer) -> bool:
        rules = self._scope.rules()
        return not rules.damaged and layer.id() not in rules.layers and self._scope.hides_layer(layer)

    def _show_groups(self) -> None:
        """A group is ticked when all of its layers are, and partly when some are."""
        self._filling = True
        self._show_group(self.invisibleRootItem())
        self._filling = False

    def _show_group(self, item: QTreeWidgetItem) -> None:
        for at in range(item.childCount()):
            child = item.child(at)
            if child.data(0, _KEY)[0] != _GROUP:
                continue
            self._show_group(child)
            states = {each.checkState(0) for each in self._below(child)}
            child.setCheckState(0, states.pop() if len(states) == 1 else _PART if states else _OFF)

    def _filter(self, item: QTreeWidgetItem, wanted: str) -> bool:
        kind = item.data(0, _KEY)[0]
        if wanted and kind == _LAYER and any(wanted in each.casefold() for each in self._field_names(item)):
            self._opened(item)
        own = wanted in item.text(0).casefold()
        below = [self._filter(item.child(at), "" if own else wanted) for at in range(item.childCount())]
        shown = not wanted or own or any(below)
        item.setHidden(not shown)
        if wanted and any(below) and not own:
            item.setExpanded(True)
        return shown

    def _field_names(self, item: QTreeWidgetItem) -> List[str]:
        layer = self._project.mapLayer(item.data(0, _KEY)[1])
        return layer.fields().names() if isinstance(layer, QgsVectorLayer) else []

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another theme: the muted words get its colour."""
        super().changeEvent(event)
        if is_theme_change(event) and not self._filling and self.topLevelItemCount():
            self._filling = True
            self._recolour(self.invisibleRootItem())
            self._filling = False

    def _recolour(self, item: QTreeWidgetItem) -> None:
        for at in range(item.childCount()):
            item.child(at).setForeground(1, tones().muted)
            self._recolour(item.child(at))


def _one_field() -> str:
    return translate("QgisAgent", "1 field")


def counts_text(layers: int, fields: int, folders: int) -> str:
    """ "2 layers, 3 fields and 1 folder are hidden from the agent." """
    parts: List[Any] = [
        (layers, translate("QgisAgent", "1 layer"), translate("QgisAgent", "{} layers")),
        (fields, _one_field(), translate("QgisAgent", "{} fields")),
        (folders, translate("QgisAgent", "1 folder"), translate("QgisAgent", "{} folders")),
    ]
    words = [one if number == 1 else many.format(number) for number, one, many in parts if number]
    if not words:
        return translate("QgisAgent", "Nothing of this project is hidden from the agent.")
    listed = (
        words[0] if len(words) == 1 else translate("QgisAgent", "{} and {}").format(", ".join(words[:-1]), words[-1])
    )
    single = layers + fields + folders == 1
    form = (
        translate("QgisAgent", "{} is hidden from the agent.")
        if single
        else translate("QgisAgent", "{} are hidden from the agent.")
    )
    return form.format(listed)
