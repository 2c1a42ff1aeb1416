"""The measure of Undo's tests: it is the same for the same project, and another one for what a person would see."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsBookmark,
    QgsCategorizedSymbolRenderer,
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsGeometry,
    QgsLayerTreeModel,
    QgsLayoutItemLabel,
    QgsMapThemeCollection,
    QgsPalLayerSettings,
    QgsPrintLayout,
    QgsProject,
    QgsRectangle,
    QgsReferencedRectangle,
    QgsRelation,
    QgsRendererCategory,
    QgsRuleBasedRenderer,
    QgsSymbol,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtGui import QColor

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from canonical_project import canonical_project, differences, saved


def rich(bench: Bench) -> tuple[QgsVectorLayer, QgsVectorLayer]:
    """Two layers in a group, rules, labels, a theme, a relation, a join, a bookmark, a layout, a variable, a selection."""
    project = bench.host.project
    rows = [(f"POINT({x} {x})", [x, f"n{x}"]) for x in range(5)]
    one = memory_layer("Point?crs=EPSG:4326&field=a:integer&field=name:string", rows, "one")
    two = memory_layer("Point?crs=EPSG:4326&field=a:integer&field=name:string", rows, "two")
    group = project.layerTreeRoot().addGroup("places")
    for each in (one, two):
        project.addMapLayer(each, False)
        group.addLayer(each)
    root = QgsRuleBasedRenderer.Rule(None)
    for text in ('"a" > 2', '"a" <= 2'):
        symbol = QgsSymbol.defaultSymbol(one.geometryType())
        root.appendChild(QgsRuleBasedRenderer.Rule(symbol, filterExp=text, label=text))
    one.setRenderer(QgsRuleBasedRenderer(root))
    label = QgsPalLayerSettings()
    label.fieldName = "name"
    two.setLabeling(QgsVectorLayerSimpleLabeling(label))
    two.setLabelsEnabled(True)
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(two)
    join.setJoinFieldName("a")
    join.setTargetFieldName("a")
    one.addJoin(join)
    relation = QgsRelation()
    relation.setId("r")
    relation.setName("r")
    relation.setReferencedLayer(one.id())
    relation.setReferencingLayer(two.id())
    relation.addFieldPair("a", "a")
    project.relationManager().addRelation(relation)
    state = QgsMapThemeCollection.createThemeFromCurrentState(
        project.layerTreeRoot(), QgsLayerTreeModel(project.layerTreeRoot())
    )
    project.mapThemeCollection().insert("theme", state)
    bookmark = QgsBookmark()
    bookmark.setName("here")
    bookmark.setExtent(QgsReferencedRectangle(QgsRectangle(0, 0, 1, 1), QgsCoordinateReferenceSystem("EPSG:4326")))
    project.bookmarkManager().addBookmark(bookmark)
    sheet = QgsPrintLayout(project)
    sheet.initializeDefaults()
    sheet.setName("sheet")
    text_item = QgsLayoutItemLabel(sheet)
    text_item.setText("title")
    sheet.addLayoutItem(text_item)
    project.layoutManager().addLayout(sheet)
    project.setCustomVariables({"who": "me"})
    two.selectByIds([1, 2])
    return one, two


def canonical(bench: Bench) -> dict[str, Any]:
    """The project now."""
    return canonical_project(bench.host.project, bench.host.view)


def test_the_same_project_is_the_same(bench: Bench) -> None:
    """Twice in a row, and neither name, dirtiness nor paths of the project are touched."""
    rich(bench)
    project = bench.host.project
    project.setDirty(True)
    first = canonical(bench)
    assert differences(first, canonical(bench)) == []
    assert (project.fileName(), project.isDirty()) == ("", True)


def test_a_saved_project_is_the_same_when_it_is_opened_again(bench: Bench, tmp_path: Path) -> None:
    """What QGIS saves of it, but for the numbers of memory layers' fields and rows, which a project file does not hold."""
    rich(bench)
    project = bench.host.project
    assert project.write(str(tmp_path / "p.qgz"))
    first = saved(project)
    other = QgsProject()
    assert other.read(str(tmp_path / "p.qgz"))
    second = saved(other)
    assert differences(first, second) == []


def _recolour(one: QgsVectorLayer, _two: QgsVectorLayer, _project: QgsProject) -> None:
    one.renderer().rootRule().children()[0].symbol().setColor(QColor("#123456"))


def _swap_rules(one: QgsVectorLayer, _two: QgsVectorLayer, _project: QgsProject) -> None:
    root = one.renderer().rootRule()
    root.insertChild(0, root.takeChildAt(1))


def _categories(_one: QgsVectorLayer, two: QgsVectorLayer, _project: QgsProject) -> None:
    symbol = QgsSymbol.defaultSymbol(two.geometryType())
    two.setRenderer(QgsCategorizedSymbolRenderer("a", [QgsRendererCategory(1, symbol, "one")]))


def _value(_one: QgsVectorLayer, two: QgsVectorLayer, _project: QgsProject) -> None:
    two.dataProvider().changeAttributeValues({1: {1: "changed"}})


def _shape(_one: QgsVectorLayer, two: QgsVectorLayer, _project: QgsProject) -> None:
    two.dataProvider().changeGeometryValues({1: QgsGeometry.fromWkt("POINT(9 9)")})


def _buffer(_one: QgsVectorLayer, two: QgsVectorLayer, _project: QgsProject) -> None:
    two.startEditing()
    feature = QgsFeature(two.fields())
    feature.setAttributes([9, "new"])
    two.addFeature(feature)


def _theme(_one: QgsVectorLayer, two: QgsVectorLayer, project: QgsProject) -> None:
    state = project.mapThemeCollection().mapThemeState("theme")
    state.removeLayerRecord(two)
    project.mapThemeCollection().update("theme", state)


def _bookmark(_one: QgsVectorLayer, _two: QgsVectorLayer, project: QgsProject) -> None:
    mark = project.bookmarkManager().bookmarks()[0]
    mark.setExtent(QgsReferencedRectangle(QgsRectangle(0, 0, 2, 2), QgsCoordinateReferenceSystem("EPSG:4326")))
    project.bookmarkManager().updateBookmark(mark)


def _layout(_one: QgsVectorLayer, _two: QgsVectorLayer, project: QgsProject) -> None:
    items = project.layoutManager().layouts()[0].items()
    next(each for each in items if isinstance(each, QgsLayoutItemLabel)).setText("another")


def _labels(_one: QgsVectorLayer, two: QgsVectorLayer, _project: QgsProject) -> None:
    two.setLabelsEnabled(False)


def _node(project: QgsProject, layer: QgsVectorLayer) -> Any:
    return project.layerTreeRoot().findLayer(layer.id())


def _order(_one: QgsVectorLayer, two: QgsVectorLayer, project: QgsProject) -> None:
    group = project.layerTreeRoot().findGroup("places")
    node = _node(project, two)
    group.insertChildNode(0, node.clone())
    group.removeChildNode(node)


MUTATIONS: dict[str, Callable[[QgsVectorLayer, QgsVectorLayer, QgsProject], Any]] = {
    "colour": _recolour,
    "rule order": _swap_rules,
    "renderer": _categories,
    "labels": _labels,
    "value": _value,
    "shape": _shape,
    "edit buffer": _buffer,
    "edit mode": lambda one, two, project: two.startEditing(),
    "theme": _theme,
    "bookmark": _bookmark,
    "layout text": _layout,
    "layer order": _order,
    "visibility": lambda one, two, project: _node(project, two).setItemVisibilityChecked(False),
    "expansion": lambda one, two, project: _node(project, two).setExpanded(False),
    "feature count": lambda one, two, project: _node(project, two).setCustomProperty("showFeatureCount", 1),
    "group name": lambda one, two, project: project.layerTreeRoot().findGroup("places").setName("other"),
    "layer name": lambda one, two, project: two.setName("other"),
    "selection": lambda one, two, project: two.selectByIds([3]),
    "filter": lambda one, two, project: two.setSubsetString('"a" > 1'),
    "crs of a layer": lambda one, two, project: two.setCrs(QgsCoordinateReferenceSystem("EPSG:3857")),
    "crs of the project": lambda one, two, project: project.setCrs(QgsCoordinateReferenceSystem("EPSG:3857")),
    "title": lambda one, two, project: project.setTitle("other"),
    "variable": lambda one, two, project: project.setCustomVariables({"who": "you"}),
    "background": lambda one, two, project: project.setBackgroundColor(QColor("#ff0000")),
    "opacity": lambda one, two, project: two.setOpacity(0.5),
    "scale range": lambda one, two, project: (two.setScaleBasedVisibility(True), two.setMinimumScale(5000)),
    "alias": lambda one, two, project: two.setFieldAlias(1, "other"),
    "join": lambda one, two, project: one.removeJoin(two.id()),
    "relation": lambda one, two, project: project.relationManager().removeRelation("r"),
    "layer removed": lambda one, two, project: project.removeMapLayer(two.id()),
    "custom order": lambda one, two, project: (
        project.layerTreeRoot().setHasCustomLayerOrder(True),
        project.layerTreeRoot().setCustomLayerOrder([two, one]),
    ),
}


@pytest.mark.parametrize("what", sorted(MUTATIONS))
def test_what_a_person_would_see_is_a_difference(bench: Bench, what: str) -> None:
    """One change at a time."""
    one, two = rich(bench)
    before = canonical(bench)
    MUTATIONS[what](one, two, bench.host.project)
    found = differences(before, canonical(bench))
    assert found, what
    if what.startswith("edit"):
        two.rollBack()


@pytest.mark.parametrize("move", ["extent", "rotation"])
def test_the_view_is_part_of_it(bench: Bench, move: str) -> None:
    """Where the map is, and how it is turned."""
    rich(bench)
    before = canonical(bench)
    if move == "extent":
        bench.host.view.go(QgsRectangle(0, 0, 2, 2))
    else:
        bench.host.view.set_rotation(30.0)
    assert any(each.startswith("/view") for each in differences(before, canonical(bench)))


def test_a_new_uuid_is_no_difference(bench: Bench) -> None:
    """The same rules with new keys and symbols."""
    one, _two = rich(bench)
    before = canonical(bench)
    keys = [each.ruleKey() for each in one.renderer().rootRule().children()]
    renderer = one.renderer().clone()
    for rule in renderer.rootRule().children():
        rule.setRuleKey("{" + str(uuid.uuid4()) + "}")
    one.setRenderer(renderer)
    assert keys != [each.ruleKey() for each in one.renderer().rootRule().children()]
    assert differences(before, canonical(bench)) == []
