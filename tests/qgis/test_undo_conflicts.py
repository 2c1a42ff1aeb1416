"""Undo where the person, or a later run, changed the same thing since: it asks, and leaves it until it is agreed to."""

from __future__ import annotations

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsCoordinateReferenceSystem, QgsFeature, QgsRectangle
from qgis.PyQt.QtGui import QColor
from test_undo import areas, begin, towns, undone

from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.host import run_until


def keys(report: object) -> list[str]:
    """What is asked about, without the layers' ids."""
    return sorted(each["key"].partition("/")[0] for each in report.conflicts)  # type: ignore[attr-defined]


def test_a_look_that_the_person_changed_since_is_asked_about(bench: Bench) -> None:
    """Their style stays, the rest of the run is taken back; agreed, it goes."""
    layer = bench.add(towns())
    first = layer.renderer().symbol().color().name()
    begin(bench, "r1")
    bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#ff0000"})
    bench.ok("toggle_layer", layer_id="towns", visible=False)
    layer.renderer().symbol().setColor(QColor("#00ff00"))
    report = undone(bench, "r1")
    assert keys(report) == ["style"] and "towns" in report.conflicts[0]["what"] and report.conflicts[0]["words"]
    assert not report.complete
    assert layer.renderer().symbol().color().name() == "#00ff00"
    assert bench.host.project.layerTreeRoot().findLayer(layer.id()).itemVisibilityChecked()
    assert len(bench.host.checkpoints.runs()) == 1, "what is left can still be undone"
    again = undone(bench, "r1", report.conflicts[0]["key"])
    assert again.complete and layer.renderer().symbol().color().name() == first
    assert bench.host.checkpoints.runs() == []


def test_a_name_filter_selection_and_view_of_the_person_stay(bench: Bench) -> None:
    """Each is asked about by itself."""
    layer = bench.add(towns())
    bench.host.set_extent(QgsRectangle(0, 0, 1, 1), QgsCoordinateReferenceSystem("EPSG:4326"))
    begin(bench, "r1")
    bench.ok("rename_layer", layer_id="towns", name="places")
    bench.ok("set_layer_filter", layer_id="towns", where=[{"field": "x", "op": "gt", "value": 0}])
    bench.ok("select_features", layer_id="towns", where=[{"field": "x", "op": "gt", "value": 10}])
    bench.ok("set_map_view", scale=500_000)
    layer.setName("mine")
    assert layer.setSubsetString('"x" > 20')
    layer.selectByIds([5])
    bench.host.view.go(QgsRectangle(2, 2, 3, 3))
    report = undone(bench, "r1")
    assert keys(report) == ["filter", "name", "selection", "view"] and report.undone == []
    assert layer.name() == "mine" and layer.subsetString() == '"x" > 20' and layer.selectedFeatureIds() == [5]
    assert bench.host.view.frame() == QgsRectangle(2, 2, 3, 3)


def test_an_added_layer_that_the_person_styled_edited_or_renamed_stays(bench: Bench) -> None:
    """It has become theirs: asked about, one by one; an untouched one goes without a question."""
    bench.add(towns())
    begin(bench, "r1")
    made = [bench.ok("buffer_layer", layer_id="towns", distance_m=n * 1000.0)["layer_id"] for n in (1, 2, 3, 4)]
    layers = [bench.host.layers.by_alias(each) for each in made]
    ids = [each.id() for each in layers]
    layers[0].renderer().symbol().setColor(QColor("#123456"))
    layers[1].setName("my zones")
    assert layers[2].startEditing()
    report = undone(bench, "r1")
    present = bench.host.project.mapLayers()
    assert [each in present for each in ids] == [True, True, True, False]
    asked = {each["key"] for each in report.conflicts if each["key"].startswith("layer/")}
    assert asked == {"layer/" + each for each in ids[:3]}
    layers[2].rollBack()
    done = bench.host.checkpoints.undo("r1", frozenset(each["key"] for each in report.conflicts))
    assert done.complete, (done.conflicts, done.failed)
    assert not set(ids) & set(bench.host.project.mapLayers())
    assert bench.host.project.layerTreeRoot().findGroup("Agent results") is None


def test_an_older_run_asks_where_a_newer_one_changed_the_same(bench: Bench) -> None:
    """Newest first nothing is asked; the older one first, it is."""
    layer = bench.add(towns())
    for number in (1, 2):
        begin(bench, f"r{number}")
        bench.ok("rename_layer", layer_id="towns", name=f"name {number}")
        bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": f"#00000{number}"})
    report = undone(bench, "r1")
    assert keys(report) == ["name", "style"] and layer.name() == "name 2"
    assert undone(bench, "r2").complete and layer.name() == "name 1"
    assert layer.renderer().symbol().color().name() == "#000001"
    assert undone(bench, "r1").complete and layer.name() == "towns"


def test_what_the_person_did_between_two_calls_of_a_run_is_theirs(bench: Bench) -> None:
    """The second call found the person's name: that is what comes back. Another layer that they hid stays hidden."""
    layer, other = bench.add(towns()), bench.add(areas())
    begin(bench, "r1")
    bench.ok("rename_layer", layer_id="towns", name="first")
    layer.setName("person's")
    bench.host.project.layerTreeRoot().findLayer(other.id()).setItemVisibilityChecked(False)
    bench.ok("rename_layer", layer_id="towns", name="second")
    assert undone(bench, "r1").complete
    assert layer.name() == "person's"
    assert not bench.host.project.layerTreeRoot().findLayer(other.id()).itemVisibilityChecked()


def test_what_the_person_did_while_a_tool_ran_is_theirs(bench: Bench) -> None:
    """A long analysis adds its layer only: what else differs after it was done by the person."""
    layer, other = bench.add(towns()), bench.add(areas())
    begin(bench, "r1")
    outcomes: list[dict[str, object]] = []
    bench.host.set_extent(QgsRectangle(0, 0, 1, 1), QgsCoordinateReferenceSystem("EPSG:4326"))
    bench.begin("buffer_layer", {"layer_id": "towns", "distance_m": 1000.0}, outcomes)
    other.setName("plots")
    other.setOpacity(0.5)
    layer.selectByIds([2])
    bench.host.project.setTitle("Mine")
    bench.host.view.go(QgsRectangle(2, 2, 3, 3))
    assert run_until(lambda: bool(outcomes), 30)
    assert undone(bench, "r1").complete
    assert bench.host.project.title() == "Mine" and bench.host.view.frame() == QgsRectangle(2, 2, 3, 3)
    assert layer.selectedFeatureIds() == [2]
    assert other.name() == "plots" and other.opacity() == 0.5 and layer.name() == "towns"


def test_a_group_into_which_the_person_put_a_layer_stays(bench: Bench) -> None:
    """The run's own layer leaves the group, the person's stays in it."""
    layer, other = bench.add(towns()), bench.add(areas())
    root = bench.host.project.layerTreeRoot()
    begin(bench, "r1")
    bench.ok("group_layers", layer_ids=["towns"], name="mine")
    node, group = root.findLayer(other.id()), root.findGroup("mine")
    group.insertChildNode(0, node.clone())
    root.removeChildNode(node)
    report = undone(bench, "r1")
    assert keys(report) == ["group"]
    assert root.findLayer(layer.id()).parent() == root
    assert [each.name() for each in root.findGroup("mine").children()] == ["areas"]
    again = undone(bench, "r1", report.conflicts[0]["key"])
    assert again.complete and root.findGroup("mine") is None
    assert root.findLayer(other.id()).parent() == root


def test_edits_that_the_person_made_on_top_are_asked_about(bench: Bench) -> None:
    """The run's edit lies below the person's in the undo stack: both stay until it is agreed."""
    layer = bench.add(towns())
    begin(bench, "r1")
    bench.ok(
        "prepare_edit_features",
        layer_id="towns",
        action="set",
        where=[{"field": "x", "op": "gt", "value": 20}],
        values=[{"field": "name", "value": "agent"}],
    )
    layer.changeAttributeValue(1, 0, "mine")
    report = undone(bench, "r1")
    assert keys(report) == ["buffer"]
    names = [each["name"] for each in layer.getFeatures()]
    assert "mine" in names and "agent" in names
    layer.rollBack()


def test_a_removed_layer_that_the_person_put_back_is_left_alone(bench: Bench) -> None:
    """By the tool's own way back: nothing is left to undo for it."""
    layer = bench.add(towns())
    begin(bench, "r1")
    bench.ok("prepare_remove_layer", layer_ids=["towns"])
    begin(bench, "r2")
    bench.ok("prepare_remove_layer", layer_ids=["towns"], restore=True)
    assert bench.host.project.mapLayer(layer.id()) is layer
    report = undone(bench, "r1")
    assert report.complete
    assert bench.host.project.mapLayer(layer.id()) is layer


def test_revert_style_and_undo_go_together(bench: Bench) -> None:
    """After revert_style in the run, Undo goes to before the run; after Undo, what was undone cannot be reverted again."""
    layer = bench.add(towns())
    first = layer.renderer().symbol().color().name()
    begin(bench, "r1")
    rule = bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#ff0000"})["rule_id"]
    bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#0000ff"})
    bench.ok("revert_style", layer_id="towns", rule_id=rule)
    last = bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#00ff00"})["rule_id"]
    assert undone(bench, "r1").complete
    assert layer.renderer().symbol().color().name() == first
    begin(bench, "r2")
    for each in (rule, last):
        assert bench.code("revert_style", layer_id="towns", rule_id=each) == "NOT_FOUND"


def test_a_layer_removed_by_the_person_is_asked_about(bench: Bench) -> None:
    """What the run changed of it cannot be set back; nothing else is held up by it."""
    layer, other = bench.add(towns()), bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "spots"))
    begin(bench, "r1")
    bench.ok("rename_layer", layer_id="towns", name="places")
    bench.ok("rename_layer", layer_id="spots", name="dots")
    bench.host.project.removeMapLayer(layer.id())
    report = undone(bench, "r1")
    assert keys(report) == ["name"] and other.name() == "spots"


def test_undo_waits_for_a_running_tool(bench: Bench) -> None:
    """It is refused while a call is under way, in words."""
    bench.add(towns())
    begin(bench, "r1")
    outcomes: list[dict[str, object]] = []
    bench.begin("buffer_layer", {"layer_id": "towns", "distance_m": 1000.0}, outcomes)
    with pytest.raises(ToolError) as refused:
        bench.host.checkpoints.undo("r1")
    assert refused.value.envelope["reason"] == "busy"
    assert run_until(lambda: bool(outcomes), 30)
    assert undone(bench, "r1").complete


def test_data_that_the_person_added_to_a_made_layer_is_not_lost(bench: Bench) -> None:
    """They edited and saved the agent's layer: it is theirs."""
    bench.add(towns())
    begin(bench, "r1")
    alias = bench.ok("buffer_layer", layer_id="towns", distance_m=1000.0)["layer_id"]
    layer = bench.host.layers.by_alias(alias)
    assert layer.startEditing() and layer.addFeature(QgsFeature(layer.fields())) and layer.commitChanges()
    report = undone(bench, "r1")
    assert "layer" in keys(report) and bench.host.project.mapLayer(layer.id()) is layer


def test_the_agents_own_edit_of_its_layer_is_no_edit_of_the_person(bench: Bench) -> None:
    """Made, edited unsaved and renamed by the run: it goes without a question. One more edit by the person: it is theirs."""
    bench.add(towns())
    for number, person in enumerate((False, True)):
        begin(bench, f"r{number}")
        alias = bench.ok("buffer_layer", layer_id="towns", distance_m=1000.0)["layer_id"]
        bench.ok(
            "prepare_edit_features",
            layer_id=alias,
            action="set",
            where=[{"field": "x", "op": "gt", "value": 20}],
            values=[{"field": "name", "value": "agent"}],
        )
        layer = bench.host.layers.by_alias(alias)
        if person:
            fid = next(layer.getFeatures()).id()
            layer.changeAttributeValue(fid, layer.fields().lookupField("name"), "mine")
        assert undone(bench, f"r{number}").complete is not person
        assert (bench.host.project.mapLayer(layer.id()) is not None) is person
        layer.rollBack()


def test_a_selection_of_very_many_goes_back_and_a_newer_one_stays(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more than some features the ids are not read after a call; what was selected before is still restored."""
    monkeypatch.setattr("qgis_agent.gis.undo.selection_state.MANY", 1)
    layer = bench.add(towns())
    layer.selectByIds([1, 2, 3])
    for touched in (False, True):
        begin(bench, f"r{touched}")
        bench.ok("select_features", layer_id="towns", where=[{"field": "x", "op": "gte", "value": 20}])
        assert sorted(layer.selectedFeatureIds()) == [3, 4, 5]
        if touched:
            layer.selectByIds([1, 4, 5])
        report = undone(bench, f"r{touched}")
        assert keys(report) == (["selection"] if touched else [])
        assert sorted(layer.selectedFeatureIds()) == ([1, 4, 5] if touched else [1, 2, 3])


def test_what_cannot_be_set_back_is_said_and_the_rest_is_done(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing half silently: the name is back, the style is told by name, and a second undo goes on with it."""
    layer = bench.add(towns())
    first = layer.renderer().symbol().color().name()
    begin(bench, "r1")
    bench.ok("rename_layer", layer_id="towns", name="places")
    bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#ff0000"})

    def broken(*_args: object) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as patch:
        patch.setattr("qgis_agent.gis.undo.layer_state.Style.give", broken)
        report = bench.host.checkpoints.undo("r1")
    assert layer.name() == "towns" and report.undone == ["Name of layer: towns → places"]
    assert [each["what"] for each in report.failed] == ["Style: places"] and "RuntimeError" in report.failed[0]["words"]
    assert not report.complete and len(bench.host.checkpoints.runs()) == 1
    assert undone(bench, "r1").complete and layer.renderer().symbol().color().name() == first


def test_a_checkpoint_that_could_not_be_made_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool goes on, and the run says what it cannot take back."""
    bench.add(towns())
    begin(bench, "r1")

    def broken(*_args: object) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as patch:
        patch.setattr("qgis_agent.gis.undo.layer_state.Name.of", broken)
        bench.ok("rename_layer", layer_id="towns", name="places")
    (run,) = bench.host.checkpoints.runs()
    assert run.changes == [] and "rename_layer" in run.not_restorable[0]
    assert undone(bench, "r1").not_restorable == run.not_restorable
