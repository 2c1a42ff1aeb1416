"""The layer tree: order, groups, names. Read back after QGIS has done what it puts off."""

from __future__ import annotations

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsLayerTreeLayer, QgsRasterLayer, QgsVectorLayer

from qgis_agent.gis.host import run_until


@pytest.fixture
def tree(bench: Bench) -> Bench:
    """From the top: a, group G with b and c, d."""
    root = bench.host.project.layerTreeRoot()
    group = root.addGroup("G")
    for name in "abcd":
        layer = memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], name)
        bench.host.project.addMapLayer(layer, False)
        {"a": root, "d": root}.get(name, group).addLayer(layer)
    a = next(node for node in root.findLayers() if node.name() == "a")
    root.insertChildNode(0, a.clone())
    root.removeChildNode(a)
    settle()
    assert order(bench) == list("abcd")
    return bench


def settle() -> None:
    """Let the event loop run."""
    done: list[int] = []
    from qgis.PyQt.QtCore import QTimer

    QTimer.singleShot(60, lambda: done.append(1))
    assert run_until(lambda: bool(done), 5)


def order(bench: Bench) -> list[str]:
    """Names as they stand in the tree."""
    return [each.name() for each in bench.host.project.layerTreeRoot().findLayers()]


@pytest.mark.parametrize(
    ("layer", "position", "other", "expected"),
    [
        ("d", "top", None, "dabc"),
        ("a", "bottom", None, "bcda"),
        ("d", "above", "c", "abdc"),
        ("a", "below", "b", "bacd"),
        ("c", "top", None, "cabd"),
        ("c", "above", "b", "acbd"),
    ],
)
def test_reorder(tree: Bench, layer: str, position: str, other: str | None, expected: str) -> None:
    """Every position, across groups; a second time changes nothing; no layer is lost a moment later."""
    more = {"other_layer_id": other} if other else {}
    outcome = tree.outcome("reorder_layer", layer_id=layer, position=position, **more)
    data = outcome["envelope"]["data"]
    assert data["changed"]
    assert data["order"] == expected.index(layer) + 1
    assert outcome["actions"][0]["op"] == "layer"
    settle()
    assert order(tree) == list(expected)
    assert len(tree.host.project.mapLayers()) == 4
    again = tree.outcome("reorder_layer", layer_id=layer, position=position, **more)
    assert again["envelope"]["data"]["changed"] is False
    assert again["actions"] == []


def test_a_layer_that_leaves_its_group_is_said(tree: Bench) -> None:
    """The person sees that it is not in the group any more, or that it came into one."""
    assert "G" in tree.call("reorder_layer", layer_id="b", position="top")["message"]
    assert (
        "in the group G now"
        in tree.call("reorder_layer", layer_id="b", position="above", other_layer_id="c")["message"]
    )


def test_a_custom_drawing_order_is_kept(tree: Bench) -> None:
    """Where the project draws in its own order, that is what changes; the tree does not."""
    project = tree.host.project
    root = project.layerTreeRoot()
    layers = {each.name(): each for each in project.mapLayers().values()}
    root.setHasCustomLayerOrder(True)
    root.setCustomLayerOrder([layers[each] for each in "dcba"])
    assert [each.name() for each in tree.host.layers.visible_layers()] == list("dcba")
    envelope = tree.call("reorder_layer", layer_id="a", position="top")
    assert "order of its own" in envelope["message"]
    assert [each.name() for each in root.customLayerOrder()] == list("adcb")
    assert [each.name() for each in tree.host.layers.visible_layers()] == list("adcb")
    assert order(tree) == list("abcd")


def test_wrong_arguments_of_reorder(tree: Bench) -> None:
    """above without another layer, top with one, beside itself, unknown layers."""
    assert tree.code("reorder_layer", layer_id="a", position="above") == "INVALID_PARAM"
    assert tree.code("reorder_layer", layer_id="a", position="top", other_layer_id="b") == "INVALID_PARAM"
    assert tree.code("reorder_layer", layer_id="a", position="below", other_layer_id="a") == "INVALID_PARAM"
    assert tree.code("reorder_layer", layer_id="zz", position="top") == "NOT_FOUND"
    assert order(tree) == list("abcd")


def test_group(tree: Bench) -> None:
    """A new group where the topmost stands, in their order; then into the same group again, and more into it."""
    data = tree.ok("group_layers", layer_ids=["d", "b"], name=" 交通\n设施 ")
    assert (data["group"], data["layer_ids"], data["changed"]) == ("交通 设施", ["d", "b"], True)
    settle()
    group = tree.host.project.layerTreeRoot().findGroup("交通 设施")
    assert [each.name() for each in group.findLayers()] == ["b", "d"]
    assert order(tree) == list("abdc")
    assert tree.ok("group_layers", layer_ids=["b", "d"], name="交通 设施")["changed"] is False
    assert tree.ok("group_layers", layer_ids=["a"], name="交通 设施")["changed"] is True
    assert len(tree.host.project.layerTreeRoot().findGroups()) == 2
    assert len(tree.host.project.mapLayers()) == 4


def test_group_names_are_checked(tree: Bench) -> None:
    """Not empty, not evaluated by QGIS, not the group of results; an unknown layer moves none of the others."""
    assert tree.code("group_layers", layer_ids=["a"], name="\u202e ") == "INVALID_PARAM"
    assert tree.code("group_layers", layer_ids=["a"], name="[% @qgis_version %]") == "INVALID_PARAM"
    assert tree.code("group_layers", layer_ids=["a"], name="Agent results") == "INVALID_PARAM"
    assert tree.code("group_layers", layer_ids=["a", "zz"], name="new") == "NOT_FOUND"
    assert order(tree) == list("abcd")
    assert len(tree.host.project.layerTreeRoot().findGroups()) == 1


def test_a_group_that_is_off_is_said(tree: Bench) -> None:
    """Layers that come into it are not drawn any more."""
    tree.host.project.layerTreeRoot().findGroup("G").setItemVisibilityChecked(False)
    assert "switched off" in tree.call("group_layers", layer_ids=["a"], name="G")["message"]


def test_rename(tree: Bench) -> None:
    """The name in the project changes, the alias and the source stay; equal names are said."""
    layer = tree.host.layers.by_alias("a")
    assert isinstance(layer, QgsVectorLayer)
    source = layer.source()
    data = tree.ok("rename_layer", layer_id="a", name="道路 2024")
    assert (data["layer_id"], data["name"], data["before"]) == ("a", "道路 2024", "a")
    assert (layer.name(), layer.source(), tree.host.layers.alias(layer)) == ("道路 2024", source, "a")
    assert tree.ok("rename_layer", layer_id="a", name="道路 2024")["changed"] is False
    assert "Another layer" in tree.call("rename_layer", layer_id="b", name="道路 2024")["message"]
    assert tree.code("rename_layer", layer_id="b", name="[% env('HOME') %]") == "INVALID_PARAM"
    node = tree.host.project.layerTreeRoot().findLayer(layer.id())
    assert isinstance(node, QgsLayerTreeLayer)
    assert node.name() == "道路 2024"


def test_a_layer_below_a_raster_is_said(tree: Bench) -> None:
    """Only while the raster is drawn."""
    source = "type=xyz&url=https://tile.example/{z}/{x}/{y}.png&zmax=18&zmin=0"
    raster = QgsRasterLayer(source, "base", "wms")
    tree.host.project.addMapLayer(raster, False)
    tree.host.project.layerTreeRoot().addLayer(raster)
    assert "may cover" in tree.call("reorder_layer", layer_id="a", position="bottom")["message"]
    tree.ok("toggle_layer", layer_id="base", visible=False)
    assert "cover" not in tree.call("reorder_layer", layer_id="b", position="below", other_layer_id="base")["message"]
