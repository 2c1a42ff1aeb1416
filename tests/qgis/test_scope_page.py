"""The page in the project's properties: what a person sees and does there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsMapLayer, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QIcon

from qgis_agent.gui.project.scope_page import PAGE_KEY, ScopeFactory, ScopePage
from qgis_agent.gui.project.scope_tree import counts_text

ON, OFF, PART = Qt.CheckState.Checked, Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked


def layer(name: str) -> QgsVectorLayer:
    """A layer with three fields."""
    fields = "Point?crs=EPSG:4326&field=id:integer&field=name:string&field=income:double"
    return memory_layer(fields, [("POINT(1 1)", [1, "a", 2.0])], name)


@pytest.fixture
def page(bench: Bench, qtbot: Any) -> Any:
    project = QgsProject.instance()
    group = project.layerTreeRoot().addGroup("People")
    for name in ("households", "schools"):
        made = project.addMapLayer(layer(name), False)
        group.addLayer(made)
    bench.add(layer("roads"))
    return opened(qtbot)


def opened(qtbot: Any) -> Any:
    made = ScopePage(QgsProject.instance())
    made.resize(680, 760)
    qtbot.addWidget(made)
    made.show()
    return made


def item(page: Any, text: str) -> Any:
    """The row of this name."""
    found = page.tree.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    assert len(found) == 1, (text, len(found))
    return found[0]


def test_a_tick_hides_a_layer_when_the_person_applies_it(page: Any, bench: Bench) -> None:
    assert page.counts.text() == "Nothing of this project is hidden from the agent."
    item(page, "roads").setCheckState(0, ON)
    assert page.counts.text() == "1 layer is hidden from the agent."
    assert "roads" in bench.host.layers.aliases()
    page.apply()
    assert "roads" not in bench.host.layers.aliases() and QgsProject.instance().isDirty()


def test_fields_are_listed_when_a_layer_is_opened_and_a_tick_hides_one(page: Any, bench: Bench) -> None:
    row = item(page, "roads")
    assert row.childCount() == 0
    row.setExpanded(True)
    assert [row.child(at).text(0) for at in range(row.childCount())] == ["id", "name", "income"]
    row.child(2).setCheckState(0, ON)
    assert row.text(1) == "1 field" and page.counts.text() == "1 field is hidden from the agent."
    page.apply()
    entry = next(each for each in bench.host.layers.catalogue() if each["layer_id"] == "roads")
    assert [each["name"] for each in entry["fields"]] == ["id", "name"]
    row.setCheckState(0, ON)
    assert row.child(2).isDisabled() and row.text(1) == "the whole layer"


def test_a_group_ticks_all_of_its_layers(page: Any, bench: Bench) -> None:
    group = item(page, "People")
    item(page, "schools").setCheckState(0, ON)
    assert group.checkState(0) == PART
    group.setCheckState(0, ON)
    assert item(page, "households").checkState(0) == ON
    page.apply()
    assert bench.host.layers.aliases() == ["roads"]
    group.setCheckState(0, OFF)
    page.apply()
    assert len(bench.host.layers.aliases()) == 3


def test_folders_are_added_and_removed(page: Any, bench: Bench, tmp_path: Path, qtbot: Any) -> None:
    assert not page.remove_button.isEnabled()
    page.add_folder(str(tmp_path))
    page.add_folder(str(tmp_path))
    item(page, "roads").setCheckState(0, ON)
    assert page.counts.text() == "1 layer and 1 folder are hidden from the agent."
    page.apply()
    assert bench.host.scope.hides_path(str(tmp_path / "a.csv"))
    page.list.topLevelItem(0).setSelected(True)
    qtbot.mouseClick(page.remove_button, Qt.MouseButton.LeftButton)
    page.apply()
    assert not bench.host.scope.hides_path(str(tmp_path / "a.csv"))


def test_the_page_opens_with_what_is_kept(page: Any, bench: Bench, qtbot: Any, tmp_path: Path) -> None:
    roads = QgsProject.instance().mapLayersByName("roads")[0]
    schools = QgsProject.instance().mapLayersByName("schools")[0]
    bench.host.scope.set([schools.id()], {roads.id(): ["income", "name"]}, [str(tmp_path)])
    again = opened(qtbot)
    assert item(again, "schools").checkState(0) == ON and item(again, "People").checkState(0) == PART
    assert item(again, "roads").text(1) == "2 fields"
    item(again, "roads").setExpanded(True)
    assert [item(again, each).checkState(0) for each in ("id", "name", "income")] == [OFF, ON, ON]
    assert again.counts.text() == "1 layer, 2 fields and 1 folder are hidden from the agent."
    before = bench.host.scope.rules()
    again.apply()
    assert bench.host.scope.rules() == before


def test_a_damaged_choice_is_replaced_only_when_the_person_says_so(page: Any, bench: Bench, qtbot: Any) -> None:
    QgsProject.instance().writeEntry("QgisAgent", "/scope", "{")
    again = opened(qtbot)
    assert again.damage.isVisible() and not again.tree.isEnabled()
    assert again.counts.text() == "Everything of this project is hidden from the agent."
    again.apply()
    assert bench.host.scope.damaged
    qtbot.mouseClick(again.renew_button, Qt.MouseButton.LeftButton)
    assert again.tree.isEnabled() and not again.damage.isVisible()
    again.apply()
    assert not bench.host.scope.damaged and len(bench.host.layers.aliases()) == 3


def test_search_finds_layers_and_fields(page: Any, qtbot: Any) -> None:
    qtbot.keyClicks(page.search, "schoo")
    assert not item(page, "schools").isHidden() and item(page, "roads").isHidden()
    page.search.clear()
    qtbot.keyClicks(page.search, "incom")
    assert not item(page, "roads").isHidden() and item(page, "roads").isExpanded()
    page.search.clear()
    assert not item(page, "roads").isHidden()


def test_the_keyboard_ticks(page: Any, qtbot: Any) -> None:
    page.tree.setFocus()
    page.tree.setCurrentItem(item(page, "roads"))
    qtbot.keyClick(page.tree, Qt.Key.Key_Space)
    assert item(page, "roads").checkState(0) == ON


def test_private_layers_and_copies_say_why_they_are_hidden(page: Any, bench: Bench, qtbot: Any) -> None:
    roads = QgsProject.instance().mapLayersByName("roads")[0]
    bench.host.scope.set([roads.id()], {}, [])
    copy = roads.clone()
    copy.setName("copy")
    bench.add(copy)
    private = bench.add(layer("private"))
    private.setFlags(private.flags() | QgsMapLayer.LayerFlag.Private)
    again = opened(qtbot)
    assert item(again, "copy").text(1) == "as it shows hidden data"
    assert item(again, "private").text(1) == "a private layer of QGIS"


def test_the_factory_keeps_its_page(qgis_app: Any, bench: Bench, qtbot: Any) -> None:
    factory = ScopeFactory(QIcon())
    made = factory.createWidget(None)
    qtbot.addWidget(made)
    assert made is factory.page and made.objectName() == PAGE_KEY


def test_the_sentence_of_counts() -> None:
    assert counts_text(2, 3, 1) == "2 layers, 3 fields and 1 folder are hidden from the agent."
    assert counts_text(0, 0, 2) == "2 folders are hidden from the agent."
