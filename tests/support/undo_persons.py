"""What a person does while or after a run works: each must be there after the run was undone. Needs a QGIS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qgis.core import (
    QgsBookmark,
    QgsFeature,
    QgsGeometry,
    QgsLayerTreeModel,
    QgsMapThemeCollection,
    QgsPrintLayout,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsVectorLayer,
)
from qgis.PyQt.QtGui import QColor
from undo_world import CRS, X0, Y0, layer, named


def style(host: Any) -> None:
    """Another colour for the roads."""
    roads = layer(host.project, "roads")
    roads.renderer().symbol().setColor(QColor("#ff00ff"))
    roads.triggerRepaint()
    roads.emitStyleChanged()


def rename(host: Any) -> None:
    """The roads get another name."""
    layer(host.project, "roads").setName("Straßen")


def hide(host: Any) -> None:
    """A layer is switched off."""
    host.project.layerTreeRoot().findLayer("bowtie").setItemVisibilityChecked(False)


def move(host: Any) -> None:
    """A layer goes to the end of the list."""
    root = host.project.layerTreeRoot()
    node = root.findLayer("coded")
    root.insertChildNode(-1, node.clone())
    root.removeChildNode(node)


def add(host: Any) -> None:
    """A layer of their own, at the end of the list."""
    made = named(QgsVectorLayer("Point?crs=EPSG:32651&field=a:integer", "own", "memory"), "own")
    host.project.addMapLayer(made, False)
    host.project.layerTreeRoot().addLayer(made)


def select(host: Any) -> None:
    """Other features are selected."""
    layer(host.project, "shops").selectByIds([2, 5])


def edit(host: Any) -> None:
    """Unsaved edits in the buffer of a layer."""
    shops = layer(host.project, "shops")
    shops.startEditing()
    shops.changeAttributeValue(1, shops.fields().indexOf("code"), "changed")
    feature = QgsFeature(shops.fields())
    feature.setAttribute("code", "mine")
    feature.setGeometry(QgsGeometry.fromWkt(f"POINT({X0 + 7} {Y0 + 7})"))
    shops.addFeature(feature)


def save_rows(host: Any) -> None:
    """A value that is changed and saved."""
    shops = layer(host.project, "shops")
    shops.startEditing()
    shops.changeAttributeValue(3, shops.fields().indexOf("n"), 33)
    assert shops.commitChanges()


def look(host: Any) -> None:
    """The map is moved."""
    host.view.go(QgsRectangle(X0 + 100, Y0 + 100, X0 + 200, Y0 + 180))


def group(host: Any) -> None:
    """A group of their own."""
    host.project.layerTreeRoot().addGroup("own group")


def variable(host: Any) -> None:
    """A variable and the title of the project."""
    host.project.setCustomVariables({"who": "me", "more": "1"})
    host.project.setTitle("another title")


def bookmark(host: Any) -> None:
    """A bookmark."""
    made = QgsBookmark()
    made.setId("own")
    made.setName("own")
    made.setExtent(QgsReferencedRectangle(QgsRectangle(X0, Y0, X0 + 10, Y0 + 10), CRS))
    host.project.bookmarkManager().addBookmark(made)


def layout(host: Any) -> None:
    """A layout."""
    made = QgsPrintLayout(host.project)
    made.initializeDefaults()
    made.setName("own")
    host.project.layoutManager().addLayout(made)


def theme(host: Any) -> None:
    """A theme of one layer."""
    tree = host.project.layerTreeRoot()
    state = QgsMapThemeCollection.createThemeFromCurrentState(tree, QgsLayerTreeModel(tree))
    state.setLayerRecords([each for each in state.layerRecords() if each.layer().id() == "dem"])
    host.project.mapThemeCollection().insert("own", state)


def filtered(host: Any) -> None:
    """A filter of another layer."""
    assert layer(host.project, "shops").setSubsetString('"n" > 1')


def background(host: Any) -> None:
    """The colour of the paper."""
    host.project.setBackgroundColor(QColor("#fffff0"))


PERSONS: dict[str, Callable[[Any], None]] = {
    each.__name__: each
    for each in (
        style, rename, hide, move, add, select, edit, save_rows, look, group, variable, bookmark, layout, theme, filtered,
        background,
    )
}  # fmt: skip
