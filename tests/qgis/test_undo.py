"""Undo of a run through the real tools: what the run changed is as before, and what the person did since stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsMapThemeCollection,
    QgsProject,
    QgsRectangle,
    QgsRelation,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
)
from qgis.PyQt.QtXml import QDomDocument

from qgis_agent.gis.undo.items import UndoReport


def towns(name: str = "towns") -> QgsVectorLayer:
    """Five points with a text and a number."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({n} {n})", [f"t{n}", n * 10.0]) for n in range(5)]
    return memory_layer("Point?crs=EPSG:4326&field=name:string(20)&field=x:double", rows, name)


def areas(name: str = "areas") -> QgsVectorLayer:
    """Two squares."""
    rows: list[tuple[str | None, list[Any]]] = [
        ("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", ["a"]),
        ("POLYGON((2 2, 4 2, 4 4, 2 4, 2 2))", ["b"]),
    ]
    return memory_layer("Polygon?crs=EPSG:4326&field=name:string(20)", rows, name)


def begin(bench: Bench, run_id: str, **more: Any) -> None:
    """The calls from here on are of this run."""
    host = bench.host
    bench.approver.answer = "once"
    bench.capability = host.ledger.issue(
        caller=more.pop("caller", "chat"),
        level="safe_write",
        session_id=more.pop("session_id", "session"),
        run_id=run_id,
        project_id=host.project_id(),
        enabled_packs=frozenset(["write"]),
        **more,
    )
    host.checkpoints.begin_run(run_id, f"request {run_id}")


def xml_of(project: QgsProject, folder: Path) -> dict[str, str]:
    """What QGIS itself would save: the layer tree and each layer, as text. The independent measure."""
    path = folder / "measure.qgs"
    name, dirty = project.fileName(), project.isDirty()
    assert project.write(str(path))
    project.setFileName(name)
    project.setDirty(dirty)
    document = QDomDocument()
    document.setContent(path.read_text(encoding="utf-8"))
    root = document.documentElement()
    found: dict[str, str] = {}
    for tag in ("layer-tree-group", "visibility-presets", "relations", "Bookmarks", "Layouts", "title", "custom-order"):
        for number, element in enumerate(elements(root, tag)):
            found[f"{tag} {number}"] = text_of(element)
    for layer in project.mapLayers().values():
        style = QDomDocument()
        layer.exportNamedStyle(style)
        found["style " + layer.id()] = text_of(style.documentElement())
    return found


def elements(root: Any, tag: str) -> list[Any]:
    """Children of the project's element."""
    found, child = [], root.firstChildElement(tag)
    while not child.isNull():
        found.append(child)
        child = child.nextSiblingElement(tag)
    return found


def text_of(element: Any) -> str:
    """The element with its attributes in order."""
    if element.tagName() == "custom-order" and element.attribute("enabled") == "0":
        return ""  # an order that is not in force
    parts = [element.tagName()]
    attributes = element.attributes()
    names = sorted(attributes.item(n).toAttr().name() for n in range(attributes.count()))
    parts += [f"{name}={element.attribute(name)}" for name in names if name not in ("id", "uuid", "source", "key")]
    child = element.firstChild()
    while not child.isNull():
        parts.append(text_of(child.toElement()) if child.isElement() else child.nodeValue().strip())
        child = child.nextSibling()
    return "<" + " ".join(parts) + ">"


def undone(bench: Bench, run_id: str, *agreed: str) -> UndoReport:
    """The report of an undo."""
    report = bench.host.checkpoints.undo(run_id, frozenset(agreed))
    assert not report.failed, report.failed
    return report


def check_back(bench: Bench, run_id: str, before: dict[str, str]) -> None:
    """The run is undone without a question, and the project is as it was."""
    report = undone(bench, run_id)
    assert not report.conflicts, report.conflicts
    after = xml_of(bench.host.project, bench.folder)
    assert after.keys() == before.keys()
    assert not {key: (before[key], after[key]) for key in before if before[key] != after[key]}


VIEW_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("toggle_layer", {"layer_id": "towns", "visible": False}),
    ("rename_layer", {"layer_id": "towns", "name": "places"}),
    ("reorder_layer", {"layer_id": "towns", "position": "top"}),
    ("group_layers", {"layer_ids": ["towns", "areas"], "name": "mine"}),
    ("set_layer_crs", {"layer_id": "towns", "crs": "EPSG:3857"}),
    ("set_render_rule", {"layer_id": "towns", "method": "graduated", "field": "x", "classes": 3}),
    ("set_layer_label", {"layer_id": "towns", "visible": True, "field": "name"}),
    ("set_legend", {"layer_id": "towns", "title": "The towns"}),
    ("patch_style", {"layer_id": "areas", "patch": {"opacity": 0.5}}),
    ("set_layer_filter", {"layer_id": "towns", "where": [{"field": "x", "op": "gt", "value": 10}]}),
    ("select_features", {"layer_id": "towns", "where": [{"field": "x", "op": "gt", "value": 10}]}),
    ("copy_style", {"layer_id": "red", "to_layer_ids": ["more"]}),
]


@pytest.mark.parametrize(("tool", "arguments"), VIEW_CALLS, ids=[each[0] for each in VIEW_CALLS])
def test_one_call_is_taken_back(bench: Bench, tool: str, arguments: dict[str, Any]) -> None:
    """Each tool that changes what is seen: the project is as QGIS would have saved it before."""
    layer = bench.add(towns())
    for each in (areas(), towns("more"), towns("red")):
        bench.add(each)
    layer.selectByIds([1, 2])
    before = xml_of(bench.host.project, bench.folder)
    begin(bench, "r1")
    bench.ok(tool, **arguments)
    changed = xml_of(bench.host.project, bench.folder)
    assert changed != before or layer.selectedFeatureIds() != [1, 2] or tool == "set_layer_crs" or layer.subsetString()
    assert [each.run_id for each in bench.host.checkpoints.runs()] == ["r1"]
    assert bench.host.checkpoints.runs()[0].changes
    check_back(bench, "r1", before)
    assert sorted(layer.selectedFeatureIds()) == [1, 2]
    assert layer.subsetString() == "" and layer.crs().authid() == "EPSG:4326"
    assert bench.host.checkpoints.runs() == []


def test_a_run_of_many_calls(bench: Bench) -> None:
    """A run that adds, styles, arranges and zooms goes back as one, its layers with it."""
    bench.add(towns())
    bench.add(areas())
    project = bench.host.project
    bench.host.set_extent(QgsRectangle(0, 0, 1, 1), QgsCoordinateReferenceSystem("EPSG:4326"))
    view = bench.host.view.frame()
    ids, before = set(project.mapLayers()), xml_of(project, bench.folder)
    begin(bench, "r1")
    made = bench.ok("buffer_layer", layer_id="towns", distance_m=10_000)["layer_id"]
    bench.ok("set_render_rule", layer_id="towns", method="single")
    bench.ok("rename_layer", layer_id=made, name="zones")
    bench.ok("toggle_layer", layer_id="areas", visible=False)
    bench.ok("set_map_view", scale=500_000)
    bench.ok("create_layout", name="Sheet", title="T")
    assert set(project.mapLayers()) != ids and project.layoutManager().layouts()
    check_back(bench, "r1", before)
    assert set(project.mapLayers()) == ids
    assert bench.host.view.frame() == view
    assert project.layerTreeRoot().findGroup("Agent results") is None


def test_the_persons_work_since_stays(bench: Bench) -> None:
    """They rename, move, hide, select and style other things: nothing of that is lost, and nothing is asked."""
    layer, other, third = bench.add(towns()), bench.add(areas()), bench.add(towns("more"))
    project, root = bench.host.project, bench.host.project.layerTreeRoot()
    begin(bench, "r1")
    bench.ok("toggle_layer", layer_id="towns", visible=False)
    bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#ff0000"})
    bench.ok("group_layers", layer_ids=["towns"], name="mine")
    other.setName("plots")
    third.selectByIds([3])
    third.setOpacity(0.25)
    root.findLayer(third.id()).setItemVisibilityChecked(False)
    node = root.findLayer(other.id())
    root.insertChildNode(0, node.clone())
    root.removeChildNode(node)
    added = bench.add(towns("new"))
    project.setTitle("My map")
    report = undone(bench, "r1")
    assert not report.conflicts
    assert root.findLayer(layer.id()).itemVisibilityChecked() and root.findLayer(layer.id()).parent() == root
    assert layer.renderer().symbol().color().name() != "#ff0000"
    assert root.findGroup("mine") is None
    assert other.name() == "plots" and third.selectedFeatureIds() == [3] and third.opacity() == 0.25
    assert not root.findLayer(third.id()).itemVisibilityChecked()
    assert [each.name() for each in root.children()] == ["new", "plots", "more", "towns"]
    assert project.mapLayer(added.id()) is not None and project.title() == "My map"


def test_a_removed_layer_comes_back_with_all_that_referred_to_it(bench: Bench) -> None:
    """Memory data, place, join, relation, theme and layout map."""
    layer, other = bench.add(towns()), bench.add(towns("more"))
    bench.add(areas())
    project = bench.host.project
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(layer)
    join.setJoinFieldName("name")
    join.setTargetFieldName("name")
    join.setUsingMemoryCache(True)
    assert other.addJoin(join)
    relation = QgsRelation()
    relation.setId("rel")
    relation.setName("rel")
    relation.setReferencedLayer(layer.id())
    relation.setReferencingLayer(other.id())
    relation.addFieldPair("name", "name")
    project.relationManager().addRelation(relation)
    theme = QgsMapThemeCollection.createThemeFromCurrentState(project.layerTreeRoot(), bench_model(project))
    project.mapThemeCollection().insert("day", theme)
    before, values = xml_of(project, bench.folder), [each.attributes() for each in layer.getFeatures()]
    begin(bench, "r1")
    assert bench.ok("prepare_remove_layer", layer_ids=["towns"])["written"]
    assert project.mapLayer(layer.id()) is None and not other.vectorJoins()
    check_back(bench, "r1", before)
    again = project.mapLayer(layer.id())
    assert [each.attributes() for each in again.getFeatures()] == values
    assert [each.joinLayerId() for each in other.vectorJoins()] == [layer.id()]
    assert project.relationManager().relation("rel").isValid()


def bench_model(project: QgsProject) -> Any:
    """A model of the layer tree, which themes are made with."""
    from qgis.core import QgsLayerTreeModel

    model = QgsLayerTreeModel(project.layerTreeRoot())
    project.setProperty("kept model", 0)
    bench_model.kept = model  # type: ignore[attr-defined]
    return model


def test_an_edit_in_the_buffer_goes_back_and_the_persons_stay(bench: Bench) -> None:
    """The person's own unsaved edit, made before, is still there, and the layer is still being edited."""
    layer = bench.add(towns())
    assert layer.startEditing()
    layer.changeAttributeValue(1, 0, "mine")
    begin(bench, "r1")
    data = bench.ok(
        "prepare_edit_features",
        layer_id="towns",
        action="set",
        where=[{"field": "x", "op": "gt", "value": 20}],
        values=[{"field": "name", "value": "agent"}],
    )
    assert data["written"] and not data["saved"]
    assert {each["name"] for each in layer.getFeatures()} >= {"agent", "mine"}
    assert not undone(bench, "r1").conflicts
    assert layer.isEditable() and layer.isModified()
    names = [each["name"] for each in layer.getFeatures()]
    assert "mine" in names and "agent" not in names
    layer.rollBack()


def test_an_edit_that_began_editing_ends_it(bench: Bench) -> None:
    """A layer that was not being edited is not being edited again."""
    layer = bench.add(towns())
    begin(bench, "r1")
    bench.ok(
        "prepare_edit_features",
        layer_id="towns",
        action="set",
        where=[{"field": "x", "op": "gt", "value": 20}],
        values=[{"field": "name", "value": "agent"}],
    )
    assert layer.isEditable()
    assert not undone(bench, "r1").conflicts
    assert not layer.isEditable() and "agent" not in [each["name"] for each in layer.getFeatures()]


def test_bookmark_and_note(bench: Bench) -> None:
    """What is kept beside the map goes back too."""
    bench.add(towns())
    project = bench.host.project
    from qgis_agent.gis import project_files

    project_files.set_preferences("Use kilometres.\n")
    begin(bench, "r1")
    bench.ok("prepare_bookmark", name="home", bbox=[0, 0, 1, 1])
    bench.host.taint = type(bench.host.taint)()
    bench.ok("prepare_note", text="Write short answers.", about="person")
    assert project.bookmarkManager().bookmarks() and "short" in project_files.preferences()
    assert not undone(bench, "r1").conflicts
    assert not project.bookmarkManager().bookmarks()
    assert project_files.preferences() == "Use kilometres.\n"
    project_files.set_preferences("")


def test_a_failed_call_leaves_nothing_to_undo(bench: Bench) -> None:
    """Nothing changed: nothing is offered."""
    bench.add(towns())
    begin(bench, "r1")
    bench.code("set_render_rule", layer_id="towns", method="graduated", field="nothing")
    bench.code("rename_layer", layer_id="towns", name="[% 1 %]")
    assert bench.host.checkpoints.runs() == []
    assert undone(bench, "r1").undone == []


def test_an_mcp_client_has_a_checkpoint_until_it_is_idle(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call of MCP is a run of its own; for Undo a client's calls belong together until 10 idle minutes."""
    bench.add(towns())
    now = [1000.0]
    monkeypatch.setattr("qgis_agent.gis.undo.checkpoints.time.monotonic", lambda: now[0])
    for number, gone in enumerate((0.0, 599.0, 601.0)):
        now[0] += gone
        begin(bench, f"call-{number}", caller="mcp", session_id="client")
        bench.ok("rename_layer", layer_id="towns", name=f"name {number}")
    runs = bench.host.checkpoints.runs()
    assert len(runs) == 2
    undone(bench, runs[1].run_id)
    assert [each.name() for each in bench.host.layers.layers()] == ["name 1"]
    undone(bench, runs[0].run_id)
    assert [each.name() for each in bench.host.layers.layers()] == ["towns"]


def test_another_project_has_nothing_to_undo(bench: Bench) -> None:
    """Opening another project forgets; saving under another name does not."""
    bench.add(towns())
    begin(bench, "r1")
    bench.ok("rename_layer", layer_id="towns", name="places")
    assert bench.host.project.write(str(bench.folder / "other.qgz"))
    assert len(bench.host.checkpoints.runs()) == 1
    bench.host.project.clear()
    assert bench.host.checkpoints.runs() == []


def test_twenty_runs_are_kept(bench: Bench) -> None:
    """The oldest is forgotten."""
    bench.add(towns())
    for number in range(22):
        begin(bench, f"r{number}")
        bench.ok("rename_layer", layer_id="towns", name=f"name {number}")
    assert [each.run_id for each in bench.host.checkpoints.runs()] == [f"r{number}" for number in range(2, 22)]
