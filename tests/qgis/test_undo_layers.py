"""Undo of what happens to layers and groups: order, groups, exclusive groups, own drawing order, and the cost of a checkpoint."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsCoordinateReferenceSystem, QgsLayerTreeGroup, QgsProject, QgsRectangle
from qgis.gui import QgsMapCanvas
from test_undo import areas, begin, check_back, towns, undone, xml_of

from qgis_agent.gis.calls import Calls
from qgis_agent.gis.host import Host
from qgis_agent.gis.undo.tree_shape import Place, moved, same_place


def outline(group: QgsLayerTreeGroup) -> list[Any]:
    """The tree as nested names, with what is shown and expanded."""
    return [
        (each.name(), each.itemVisibilityChecked(), each.isExpanded(), outline(each) if each.children() else [])
        for each in group.children()
    ]


def grouped(bench: Bench) -> QgsProject:
    """Six layers, four of them in two groups, one within the other."""
    project = bench.host.project
    root = project.layerTreeRoot()
    outer = root.addGroup("outer")
    inner = outer.addGroup("inner")
    for number in range(6):
        layer = towns(f"t{number}")
        project.addMapLayer(layer, False)
        (root, outer, outer, inner, inner, root)[number].addLayer(layer)
    inner.setExpanded(False)
    root.findLayer(next(iter(project.mapLayersByName("t4"))).id()).setItemVisibilityChecked(False)
    return project


def test_every_order_comes_back(bench: Bench) -> None:
    """Several moves, in and out of groups, in one run."""
    project = grouped(bench)
    tree, before = outline(project.layerTreeRoot()), xml_of(project, bench.folder)
    begin(bench, "r1")
    bench.ok("reorder_layer", layer_id="t4", position="top")
    bench.ok("reorder_layer", layer_id="t1", position="bottom")
    bench.ok("reorder_layer", layer_id="t5", position="above", other_layer_id="t3")
    bench.ok("group_layers", layer_ids=["t0", "t2", "t3"], name="new")
    assert outline(project.layerTreeRoot()) != tree
    check_back(bench, "r1", before)
    assert outline(project.layerTreeRoot()) == tree


def test_a_group_that_the_person_renamed_and_moved_is_still_the_same(bench: Bench) -> None:
    """What was taken out of it goes back into it, under its new name and at its new place."""
    project = grouped(bench)
    root = project.layerTreeRoot()
    begin(bench, "r1")
    bench.ok("reorder_layer", layer_id="t1", position="top")
    root.findGroup("outer").setName("renamed")
    assert undone(bench, "r1").complete
    assert "t1" in [each.name() for each in root.findGroup("renamed").children()]


def test_an_exclusive_group_shows_what_it_showed(bench: Bench) -> None:
    """In a group that shows one layer only, switching one on switches the others off."""
    project = grouped(bench)
    root = project.layerTreeRoot()
    root.findGroup("outer").setIsMutuallyExclusive(True, 0)
    tree = outline(root)
    begin(bench, "r1")
    bench.ok("toggle_layer", layer_id="t2", visible=True)
    assert outline(root) != tree
    assert undone(bench, "r1").complete
    assert outline(root) == tree and root.findGroup("outer").isMutuallyExclusive()


def test_a_drawing_order_of_the_projects_own(bench: Bench) -> None:
    """It comes back; the tree was not touched."""
    project = grouped(bench)
    root = project.layerTreeRoot()
    root.setHasCustomLayerOrder(True)
    order = [each.id() for each in root.customLayerOrder()]
    begin(bench, "r1")
    bench.ok("reorder_layer", layer_id="t4", position="top")
    assert [each.id() for each in root.customLayerOrder()] != order
    assert undone(bench, "r1").complete
    assert [each.id() for each in root.customLayerOrder()] == order


def test_several_removed_layers_come_back_in_their_places(bench: Bench) -> None:
    """Out of groups, with legend properties of their nodes and what was shown."""
    project = grouped(bench)
    root = project.layerTreeRoot()
    node = root.findLayer(project.mapLayersByName("t3")[0].id())
    node.setCustomProperty("legend/title-label", "Third")
    tree, before = outline(root), xml_of(project, bench.folder)
    begin(bench, "r1")
    bench.ok("prepare_remove_layer", layer_ids=["t1", "t3", "t4", "t0"])
    check_back(bench, "r1", before)
    assert outline(root) == tree


def test_cleared_result_layers_come_back(bench: Bench) -> None:
    """clear_temp_layers of a later run; then the run that made them can be undone as well."""
    bench.add(towns())
    project = bench.host.project
    start = outline(project.layerTreeRoot())
    begin(bench, "r1")
    for metres in (1000.0, 2000.0):
        bench.ok("buffer_layer", layer_id="towns", distance_m=metres)
    tree, ids = outline(project.layerTreeRoot()), set(project.mapLayers())
    begin(bench, "r2")
    assert bench.ok("clear_temp_layers")["count"] == 2
    assert undone(bench, "r2").complete
    assert outline(project.layerTreeRoot()) == tree and set(project.mapLayers()) == ids
    report = undone(bench, "r1")
    assert report.complete, report.conflicts
    assert outline(project.layerTreeRoot()) == start


def timed(real: Callable[[Any], None], spent: list[float]) -> Callable[[Any], None]:
    """The same function, which notes the seconds that it held its thread."""

    def call(what: Any) -> None:
        gc.collect()  # or what earlier tests left is collected within
        started = time.thread_time()
        real(what)
        spent.append(time.thread_time() - started)

    return call


def test_a_checkpoint_of_300_layers_is_cheap(bench: Bench) -> None:
    """The main thread is not held: the goal is 50 ms, asserted at three times that on a busy machine."""
    project = bench.host.project
    layers = [memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(0 0)", [1])], f"l{n}") for n in range(300)]
    project.addMapLayers(layers)
    begin(bench, "r1")
    points = bench.host.checkpoints
    spent: list[float] = []
    for name in ("before_change", "after_change"):
        setattr(points, name, timed(getattr(points, name), spent))
    bench.ok("toggle_layer", layer_id="l7", visible=False)
    bench.ok("set_render_rule", layer_id="l8", method="single")
    bench.ok("buffer_layer", layer_id="l9", distance_m=1000.0)
    bench.ok("clear_selection")
    print(f"slowest checkpoint of 300 layers: {max(spent) * 1000:.0f} ms")
    assert len(spent) == 8 and max(spent) < 0.15


def test_the_fewest_nodes_count_as_moved() -> None:
    """By hand: one of five was moved, and two swapped is one move."""
    assert moved("abcde", "bcdea") == {"a"}
    assert moved("abcde", "eabcd") == {"e"}
    assert len(moved("ab", "ba")) == 1
    assert moved("abc", "axbyc") == set()
    assert same_place(Place("b", "r", ("a", "b", "c")), Place("b", "r", ("x", "a", "b")))
    assert not same_place(Place("b", "r", ("a", "b")), Place("b", "q", ("b",)))


def test_an_unchanged_neighbour_is_not_touched(bench: Bench) -> None:
    """Undo of one layer's look leaves the other's alone, the same object."""
    layer, other = bench.add(towns()), bench.add(areas())
    renderer = other.renderer()
    begin(bench, "r1")
    bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#ff0000"})
    assert undone(bench, "r1").undone == ["Style: towns"]
    assert other.renderer() is renderer and layer.renderer().symbol().color().name() != "#ff0000"


@pytest.fixture
def canvas(bench: Bench, qtbot: Any) -> Iterator[QgsMapCanvas]:
    """A real canvas of 600 × 400 pixels that draws nothing; the bench's host uses it."""
    made = QgsMapCanvas()
    qtbot.addWidget(made)
    made.setRenderFlag(False)
    made.resize(600, 400)
    made.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    made.setLayers([bench.add(towns())])
    made.setExtent(QgsRectangle(0, 0, 6, 4))
    bench.host = Host(bench.host.project, canvas=made, paths=bench.host.paths)
    bench.calls = Calls(bench.host, bench.approver)
    yield made
    bench.host.view.canvas = None


def test_the_view_of_a_canvas_goes_back_and_a_panned_one_stays(bench: Bench, canvas: QgsMapCanvas) -> None:
    """Extent and rotation; after the person has panned they are asked, and a resized window is no move of theirs."""
    first = QgsRectangle(canvas.mapSettings().extent())
    for panned in (False, True):
        begin(bench, f"r{panned}")
        bench.ok("set_map_view", scale=5_000_000, rotation=30)
        assert canvas.rotation() == 30 and canvas.mapSettings().extent() != first
        canvas.resize(620, 410)
        if panned:
            canvas.setExtent(QgsRectangle(1, 1, 2, 2))
        report = undone(bench, f"r{panned}")
        assert [each["key"] for each in report.conflicts] == (["view/map"] if panned else [])
        shown = canvas.mapSettings().extent()
        if not panned:
            assert canvas.rotation() == 0 and abs(shown.xMinimum() - first.xMinimum()) < 1e-6
            assert abs(shown.width() - first.width()) < 1e-6
    assert canvas.rotation() == 30
