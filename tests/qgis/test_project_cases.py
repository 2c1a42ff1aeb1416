"""Temporary layers: listed before they are lost, and cleared away only where they are the agent's alone."""

from __future__ import annotations

from pathlib import Path

from conftest import Bench, memory_layer
from qgis.core import (
    QgsFeature,
    QgsProject,
    QgsRasterLayer,
    QgsSingleSymbolRenderer,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
)
from qgis.PyQt.QtCore import QTimer
from qgis.PyQt.QtGui import QColor

from qgis_agent.gis.host import run_until
from qgis_agent.gis.temporary import is_temporary, put_back, temporary_layers


def settle() -> None:
    """Let the event loop run."""
    done: list[int] = []
    QTimer.singleShot(60, lambda: done.append(1))
    assert run_until(lambda: bool(done), 5)


def results(bench: Bench, *names: str) -> list[QgsVectorLayer]:
    """Layers as tools make them."""
    made = []
    for name in names:
        layer = memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(0 0)", [1])], name)
        bench.host.add_result_layer(layer, name)
        made.append(layer)
    settle()
    return made


def names_of(bench: Bench) -> set[str]:
    """Names of the project's layers."""
    return {each.name() for each in bench.host.project.mapLayers().values()}


def test_a57_temporary_layers_are_listed_and_said(bench: Bench, tmp_path: Path) -> None:
    """A memory layer comes back from a saved project valid and empty, so it is named before: also a raster in the temporary
    folder; but not files beside a project that lies there itself."""
    from osgeo import gdal

    folder = tmp_path / "project"
    folder.mkdir()
    memory = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "scratch"))
    for place in (tmp_path / "t.tif", folder / "kept.tif"):
        gdal.GetDriverByName("GTiff").Create(str(place), 2, 2, 1).SetGeoTransform((0, 1, 0, 0, 0, -1))
        bench.host.project.addMapLayer(QgsRasterLayer(str(place), place.stem))
    project = bench.host.project
    assert {each.name() for each in temporary_layers(project)} == {"scratch", "t", "kept"}
    assert project.write(str(folder / "p.qgz"))
    assert {each.name() for each in temporary_layers(project)} == {"scratch", "t"}
    data = bench.ok("describe_layer", layer_id="scratch")
    assert data["temporary"] is True
    assert any("lost when QGIS closes" in each for each in data["warnings"])
    assert "temporary" not in bench.ok("describe_layer", layer_id="kept")
    again = QgsProject()
    assert again.read(str(folder / "p.qgz"))
    came_back = again.mapLayer(memory.id())
    assert isinstance(came_back, QgsVectorLayer)
    assert came_back.isValid()
    assert list(came_back.getFeatures()) == []
    assert is_temporary(came_back, again)
    again.clear()


def test_clear_temp_layers_takes_the_agents_own(bench: Bench) -> None:
    """Results go, the person's layers stay; a second time there is nothing to do; the removed can be put back."""
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "mine"))
    results(bench, "one", "two")
    outcome = bench.outcome("clear_temp_layers")
    assert sorted(outcome["envelope"]["data"]["removed"]) == ["one", "two"]
    assert outcome["actions"][0]["op"] == "remove_layers"
    settle()
    assert names_of(bench) == {"mine"}
    assert bench.host.result_group() is None
    again = bench.outcome("clear_temp_layers")
    assert (again["envelope"]["data"]["count"], again["actions"]) == (0, [])
    assert again["envelope"]["message"]
    for each in list(bench.host.removed):
        put_back(bench.host, each)
    settle()
    assert names_of(bench) == {"mine", "one", "two"}
    one = bench.host.layers.by_alias("one")
    assert isinstance(one, QgsVectorLayer)
    assert [each["a"] for each in one.getFeatures()] == [1]


def test_clear_temp_layers_leaves_what_is_the_persons(bench: Bench) -> None:
    """Edited, styled, renamed, moved out, or used by a join: each stays, with the reason."""
    edited, styled, renamed, moved, joined, agent_styled = results(
        bench, "edited", "styled", "renamed", "moved", "joined", "agent"
    )
    edited.startEditing()
    edited.addFeature(QgsFeature(edited.fields()))
    edited.commitChanges()
    renderer = styled.renderer().clone()
    assert isinstance(renderer, QgsSingleSymbolRenderer)
    renderer.symbol().setColor(QColor("#123456"))
    styled.setRenderer(renderer)
    renamed.setName("keep me")
    root = bench.host.project.layerTreeRoot()
    node = root.findLayer(moved.id())
    root.insertChildNode(0, node.clone())
    node.parent().removeChildNode(node)
    mine = bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(0 0)", [1])], "mine"))
    info = QgsVectorLayerJoinInfo()
    info.setJoinLayer(joined)
    info.setTargetFieldName("a")
    info.setJoinFieldName("a")
    mine.addJoin(info)
    settle()
    bench.ok("set_render_rule", layer_id="agent", method="single", options={"color": "#ff0000"})
    data = bench.ok("clear_temp_layers")
    assert data["removed"] == ["agent"]
    assert data["kept"] == {
        "edited": "edited",
        "styled": "styled",
        "renamed": "kept",
        "moved": "kept",
        "joined": "in_use",
    }
    settle()
    assert names_of(bench) == {"edited", "styled", "keep me", "moved", "joined", "mine"}
    assert agent_styled.id() not in bench.host.project.mapLayers()


def test_clear_temp_layers_sees_a_persons_style_below_the_agents(bench: Bench) -> None:
    """The person styles, then a tool does: the layer is still the person's."""
    (layer,) = results(bench, "both")
    layer.setOpacity(0.3)
    renderer = layer.renderer().clone()
    renderer.symbol().setColor(QColor("#123456"))
    layer.setRenderer(renderer)
    layer.emitStyleChanged()
    settle()
    bench.ok("set_render_rule", layer_id="both", method="single", options={"color": "#ff0000"})
    assert bench.ok("clear_temp_layers")["kept"] == {"both": "styled"}


def test_a65_nothing_else_goes_with_a_group(bench: Bench) -> None:
    """QGIS removes the layers of a removed group a moment later: others in the group for results are still there then, also
    one that sits in two groups."""
    results(bench, "mine_too", "goes")
    project = bench.host.project
    guest = memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "guest")
    project.addMapLayer(guest, False)
    bench.host.result_group().addLayer(guest)
    twice = bench.host.layers.by_alias("mine_too")
    project.layerTreeRoot().addGroup("second").addLayer(twice)
    data = bench.ok("clear_temp_layers")
    assert data["removed"] == ["goes"]
    assert data["kept"] == {"mine_too": "kept"}
    settle()
    assert names_of(bench) == {"guest", "mine_too"}
    assert [each.name() for each in bench.host.result_group().findLayers()] == ["mine_too", "guest"]


def test_a65_the_trap_is_there(bench: Bench) -> None:
    """What QGIS does by itself: removing the group takes the layer out of the project, a moment later."""
    results(bench, "one")
    group = bench.host.result_group()
    group.parent().removeChildNode(group)
    assert names_of(bench) == {"one"}
    settle()
    assert names_of(bench) == set()
