"""Removing layers: what refers to them is shown, nothing goes without a click, and all of it comes back."""

from __future__ import annotations

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsLayoutItemMap,
    QgsMapThemeCollection,
    QgsPrintLayout,
    QgsRelation,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
)


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """Shops in a group that a theme, a relation, a join and a layout refer to; a person who agrees."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    project = bench.host.project
    shops = memory_layer("Point?crs=EPSG:4326&field=id:integer&field=t:string", [("POINT(1 2)", [1, "a"])], "shops")
    project.addMapLayer(shops, False)
    other = bench.add(memory_layer("None?field=id:integer&field=shop:integer", [(None, [5, 1])], "sales"))
    group = project.layerTreeRoot().addGroup("Trade")
    group.addLayer(bench.add(memory_layer("None?field=x:integer", [], "first")))
    group.addLayer(shops).setItemVisibilityChecked(False)
    theme = QgsMapThemeCollection.MapThemeRecord()
    record = QgsMapThemeCollection.MapThemeLayerRecord(shops)
    theme.addLayerRecord(record)
    project.mapThemeCollection().insert("evening", theme)
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(shops)
    join.setJoinFieldName("id")
    join.setTargetFieldName("shop")
    assert other.addJoin(join)
    relation = QgsRelation()
    relation.setId("r1")
    relation.setName("sold in")
    relation.setReferencedLayer(shops.id())
    relation.setReferencingLayer(other.id())
    relation.addFieldPair("shop", "id")
    project.relationManager().addRelation(relation)
    layout = QgsPrintLayout(project)
    layout.initializeDefaults()
    layout.setName("sheet")
    item = QgsLayoutItemMap(layout)
    layout.addLayoutItem(item)
    item.setLayers([shops])
    project.layoutManager().addLayout(layout)
    return bench


def state(bench: Bench) -> dict[str, object]:
    """What refers to the shops, by QGIS's own getters."""
    project = bench.host.project
    sales = project.mapLayersByName("sales")[0]
    item = next(
        each for each in project.layoutManager().printLayouts()[0].items() if isinstance(each, QgsLayoutItemMap)
    )
    assert isinstance(sales, QgsVectorLayer)
    return {
        "layers": sorted(each.name() for each in project.mapLayers().values()),
        "theme": [each.layer().name() for each in project.mapThemeCollection().mapThemeState("evening").layerRecords()],
        "joined": [each["shops_t"] for each in sales.getFeatures()] if sales.vectorJoins() else [],
        "relations": {name: each.isValid() for name, each in project.relationManager().relations().items()},
        "map": [each.name() for each in item.layers()],
        "tree": [each.name() for each in project.layerTreeRoot().findGroup("Trade").children()],
    }


def test_all_that_refers_to_a_layer_is_shown_and_comes_back(chat: Bench) -> None:
    """Removed, the theme, relation, join and map have lost it; restored, all is as before, and the feature too."""
    before = state(chat)
    assert before["joined"] == ["a"]
    ident = chat.host.project.mapLayersByName("shops")[0].id()
    data = chat.ok("prepare_remove_layer", layer_ids=["shops"])
    shown = [tuple(each) for each in chat.approver.cards[-1]["lines"]]
    for line in (("Theme", "evening"), ("Relation", "sold in"), ("Join in", "sales"), ("Map in layout", "sheet")):
        assert line in shown
    assert "lost when QGIS closes" in dict(shown)["Data"]
    assert data["lost_when_qgis_closes"] == ["shops"]
    gone = state(chat)
    assert (gone["theme"], gone["joined"], gone["map"], gone["tree"]) == ([], [], [], ["first"])
    assert chat.ok("prepare_remove_layer", layer_ids=["shops"], restore=True)["restored"] == ["shops"]
    assert state(chat) == before
    layer = chat.host.project.mapLayer(ident)
    assert [each["t"] for each in layer.getFeatures()] == ["a"]
    node = chat.host.project.layerTreeRoot().findLayer(ident)
    assert not node.itemVisibilityChecked()


def test_a_no_removes_nothing(chat: Bench) -> None:
    """And a layer that is not there, or one with unsaved edits, is not even asked about."""
    before = state(chat)
    chat.approver.answer = "deny"
    assert chat.code("prepare_remove_layer", layer_ids=["shops"]) == "PERMISSION_DENIED"
    assert state(chat) == before
    chat.approver.cards.clear()
    assert chat.code("prepare_remove_layer", layer_ids=["shopps"]) == "NOT_FOUND"
    assert chat.code("prepare_remove_layer", layer_ids=["shops"], restore=True) == "NOT_FOUND"
    layer = chat.host.layers.by_alias("shops")
    assert isinstance(layer, QgsVectorLayer)
    layer.startEditing()
    layer.changeAttributeValue(1, 1, "b")
    envelope = chat.call("prepare_remove_layer", layer_ids=["shops"])
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "unsaved_edits")
    assert chat.approver.cards == []
    layer.rollBack()


def test_a_file_stays(chat: Bench) -> None:
    """Only the project lets go of it. (Beside a project that was saved, a file in the temporary folder is not temporary.)"""
    chat.host.project.setFileName(str(chat.folder / "p.qgz"))
    chat.ok("prepare_export_layer", layer_id="shops", path="kept.gpkg")
    chat.add(QgsVectorLayer(str(chat.folder / "kept.gpkg"), "kept", "ogr"))
    chat.ok("prepare_remove_layer", layer_ids=["kept", "first"])
    assert "stays where it is: kept.gpkg" in dict(map(tuple, chat.approver.cards[-1]["lines"][:2]))["Data"]
    assert (chat.folder / "kept.gpkg").exists()
    assert sorted(each.name() for each in chat.host.project.mapLayers().values()) == ["sales", "shops"]


def test_a_token_is_of_what_was_shown(bench: Bench) -> None:
    """A theme that refers to the layer since the preview: state_changed."""
    layer = bench.add(memory_layer("None?field=x:integer", [], "one"))
    token = bench.ok("prepare_remove_layer", layer_ids=["one"])["confirm_token"]
    bench.host.ledger.arm(token)
    theme = QgsMapThemeCollection.MapThemeRecord()
    theme.addLayerRecord(QgsMapThemeCollection.MapThemeLayerRecord(layer))
    bench.host.project.mapThemeCollection().insert("new", theme)
    assert bench.call("commit_action", confirm_token=token)["reason"] == "state_changed"
