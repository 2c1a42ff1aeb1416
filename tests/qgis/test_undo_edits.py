"""Undo of saved edits: what each kind of data can give back, what the card says before, and what the person did since."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import gdal, ogr, osr
from qgis.core import QgsFeature, QgsGeometry, QgsVectorLayer

from qgis_agent.gis.host import Host
from qgis_agent.gis.undo import edits, store

ROWS = [(f"POINT({x} {x})", [f"p{x}", x]) for x in range(5)]
DRIVERS = {"gpkg": "GPKG", "shp": "ESRI Shapefile", "geojson": "GeoJSON"}
KINDS = ["memory", *DRIVERS]
BIG = [{"field": "n", "op": "gte", "value": 3}]
EDITS: dict[str, dict[str, Any]] = {
    "set": {"action": "set", "where": BIG, "values": [{"field": "n", "value": 9}]},
    "delete": {"action": "delete", "where": BIG},
    "add": {
        "action": "add",
        "features": [{"wkt": "POINT(7 7)", "values": [{"field": "name", "value": "new"}, {"field": "n", "value": 7}]}],
    },
    "geometry": {
        "action": "geometry",
        "where": [{"field": "n", "op": "eq", "value": 4}],
        "features": [{"wkt": "POINT(8 8)"}],
    },
}


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A person who agrees to everything."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    return bench


def make(bench: Bench, kind: str) -> QgsVectorLayer:
    """Five points called "data"."""
    if kind == "memory":
        return bench.add(memory_layer("Point?crs=EPSG:4326&field=name:string(5)&field=n:integer", ROWS, "data"))
    path = bench.folder / f"data.{kind}"
    source = ogr.GetDriverByName(DRIVERS[kind]).CreateDataSource(str(path))
    layer = source.CreateLayer("data", wgs84(), ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for wkt, (name, n) in ROWS:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        feature.SetField("name", name)
        feature.SetField("n", n)
        layer.CreateFeature(feature)
    del feature, layer, source
    return bench.add(QgsVectorLayer(str(path), "data", "ogr"))


def wgs84() -> Any:
    """EPSG:4326, longitude first."""
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return crs


def rows(layer: QgsVectorLayer) -> list[tuple[Any, ...]]:
    """The rows as QGIS shows them, in the order of n."""
    found = [(each["name"], each["n"], each.geometry().asWkt(3)) for each in layer.getFeatures()]
    return sorted(found, key=repr)


def in_file(bench: Bench, kind: str) -> list[tuple[Any, ...]]:
    """The rows as OGR reads them from the file."""
    source = gdal.OpenEx(str(bench.folder / f"data.{kind}"), gdal.OF_VECTOR)
    return sorted(((each.GetField("name"), each.GetField("n")) for each in source.GetLayer(0)), key=repr)


def edit(bench: Bench, what: str) -> dict[str, Any]:
    """Make one edit and save it."""
    return bench.ok("prepare_edit_features", layer_id="data", options={"save": True}, **EDITS[what])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", sorted(EDITS))
def test_a_saved_edit_is_taken_back(chat: Bench, kind: str, what: str) -> None:
    """The layer, and the file as another reader sees it, are as before; the card had said what Undo does."""
    layer = make(chat, kind)
    before = rows(layer)
    edit(chat, what)
    assert rows(layer) != before
    assert chat.approver.cards[-1]["undo_words"].startswith("Undo ")
    report = chat.host.checkpoints.undo("run")
    assert (report.conflicts, report.failed) == ([], [])
    said = chat.approver.cards[-1]["undo_words"]
    assert all(each in said for each in report.not_restorable)
    assert bool(report.not_restorable) == (kind == "memory" and what == "delete")
    assert rows(layer) == before
    assert not layer.isEditable()
    if kind != "memory":
        assert in_file(chat, kind) == sorted(((name, n) for _, (name, n) in ROWS), key=repr)
    assert chat.host.checkpoints.runs() == []


@pytest.mark.parametrize("kind", KINDS)
def test_two_edits_of_a_run_go_back_in_turn(chat: Bench, kind: str) -> None:
    """The second one is of what the first one left."""
    layer = make(chat, kind)
    before = rows(layer)
    edit(chat, "set")
    chat.ok(
        "prepare_edit_features",
        layer_id="data",
        action="set",
        where=[{"field": "n", "op": "eq", "value": 9}],
        values=[{"field": "n", "value": 12}],
        options={"save": True},
    )
    edit(chat, "add")
    assert chat.host.checkpoints.undo("run").complete
    assert rows(layer) == before


def test_ids_come_back_in_a_geopackage_and_not_in_memory(chat: Bench) -> None:
    """The card says so."""
    layer = make(chat, "gpkg")
    ids = sorted(layer.allFeatureIds())
    edit(chat, "delete")
    assert "new feature ids" not in chat.approver.cards[-1]["undo_words"]
    assert chat.host.checkpoints.undo("run").complete
    assert sorted(layer.allFeatureIds()) == ids
    chat.host.project.removeMapLayer(layer.id())
    memory = make(chat, "memory")
    ids = sorted(memory.allFeatureIds())
    edit(chat, "delete")
    assert "new feature ids" in chat.approver.cards[-1]["undo_words"]
    assert chat.host.checkpoints.undo("run").complete
    assert sorted(memory.allFeatureIds()) != ids
    assert rows(memory) == sorted(((name, n, f"Point ({n} {n})") for _, (name, n) in ROWS), key=repr)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_person_changed_since_is_asked_for(chat: Bench, kind: str) -> None:
    """A changed value stays until the person agrees; then the run's own values go back."""
    layer = make(chat, kind)
    before = rows(layer)
    edit(chat, "set")
    layer.startEditing()
    mine = next(each.id() for each in layer.getFeatures() if each["name"] == "p4")
    layer.changeAttributeValue(mine, layer.fields().indexOf("n"), 77)
    assert layer.commitChanges()
    now = rows(layer)
    report = chat.host.checkpoints.undo("run")
    assert len(report.conflicts) == 1 and not report.complete
    assert rows(layer) == now
    agreed = frozenset(each["key"] for each in report.conflicts)
    assert chat.host.checkpoints.undo("run", agreed).complete
    assert rows(layer) == before


@pytest.mark.parametrize("kind", ["memory", "gpkg"])
def test_another_feature_of_the_persons_is_kept(chat: Bench, kind: str) -> None:
    """What the run did not touch stays as the person left it."""
    layer = make(chat, kind)
    edit(chat, "set")
    layer.startEditing()
    first = next(each.id() for each in layer.getFeatures() if each["name"] == "p0")
    layer.changeAttributeValue(first, layer.fields().indexOf("name"), "mine")
    added = QgsFeature(layer.fields())
    added.setAttribute("name", "extra")
    added.setGeometry(QgsGeometry.fromWkt("POINT(50 50)"))
    layer.addFeature(added)
    assert layer.commitChanges()
    assert chat.host.checkpoints.undo("run").complete
    names = {name: n for name, n, _ in rows(layer) if name != "extra"}
    assert names == {"mine": 0, "p1": 1, "p2": 2, "p3": 3, "p4": 4}
    assert "extra" in [name for name, _, _ in rows(layer)]


def test_unsaved_edits_of_a_person_are_not_saved_by_undo(chat: Bench) -> None:
    """It asks, and says what to do first; nothing is changed."""
    layer = make(chat, "gpkg")
    edit(chat, "set")
    layer.startEditing()
    first = next(each.id() for each in layer.getFeatures() if each["name"] == "p0")
    layer.changeAttributeValue(first, layer.fields().indexOf("name"), "mine")
    report = chat.host.checkpoints.undo("run")
    agreed = frozenset(each["key"] for each in report.conflicts)
    assert agreed
    report = chat.host.checkpoints.undo("run", agreed)
    assert "unsaved edits" in report.failed[0]["words"]
    assert layer.isModified()
    layer.rollBack()
    assert chat.host.checkpoints.undo("run").complete


def test_what_is_too_large_for_a_copy_is_said_before(chat: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the card are those of the report; the edit stays."""
    monkeypatch.setattr(store, "MAX_BYTES", 10)
    layer = make(chat, "geojson")
    edit(chat, "set")
    now = rows(layer)
    said = chat.approver.cards[-1]["undo_words"]
    assert "cannot be undone" in said
    assert [each.not_restorable for each in chat.host.checkpoints.runs()] == [[said]]
    report = chat.host.checkpoints.undo("run")
    assert report.not_restorable == [said]
    assert rows(layer) == now


def test_deleted_features_too_large_to_keep_are_said_before(chat: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for what is kept in memory."""
    monkeypatch.setattr(edits, "MAX_KEPT_BYTES", 10)
    make(chat, "gpkg")
    edit(chat, "delete")
    said = chat.approver.cards[-1]["undo_words"]
    assert "cannot be undone" in said
    assert chat.host.checkpoints.undo("run").not_restorable == [said]


def test_copies_go_with_their_checkpoint(chat: Bench) -> None:
    """After the undo, after 20 further runs, with the project, and at the end of the session."""
    layer = make(chat, "shp")
    kept = lambda: [each for each in Path(store.session_folder()).iterdir() if each.name != "session.lock"]  # noqa: E731
    edit(chat, "set")
    assert kept()
    assert chat.host.checkpoints.undo("run").complete
    assert kept() == []
    edit(chat, "set")
    assert kept()
    chat.host.project.removeMapLayer(layer.id())
    chat.host.checkpoints.clear()
    assert kept() == []
    folder = Path(store.session_folder())
    store.end_session()
    assert not folder.exists()


def test_what_a_crash_left_is_removed_at_the_next_start(chat: Bench) -> None:
    """A folder without a living process; one of a living process stays."""
    store.end_session()
    dead = store.base_folder() / "session_dead"
    dead.mkdir(parents=True)
    (dead / "copy").write_text("x")
    living = Path(store.session_folder())
    assert dead.exists()
    Host(chat.host.project)
    assert not dead.exists() and living.exists()
    store.end_session()


def test_selection_and_earlier_runs_follow_features_that_get_new_ids(chat: Bench) -> None:
    """Deleted features of a layer in memory come back under new ids: selected as before, and an older run finds them."""
    layer = make(chat, "memory")
    before = rows(layer)
    layer.selectByIds([each.id() for each in layer.getFeatures() if each["name"] in ("p1", "p4")])
    chat.ok(
        "prepare_edit_features",
        layer_id="data",
        action="set",
        where=BIG,
        values=[{"field": "name", "formula": "\"name\" || '!'"}],
        options={"save": True},
    )
    chat.capability = chat.host.ledger.issue(
        caller="chat",
        level="safe_write",
        session_id="session",
        run_id="second",
        project_id=chat.host.project_id(),
        enabled_packs=frozenset(["write"]),
    )
    edit(chat, "delete")
    assert chat.host.checkpoints.undo("second").complete
    assert sorted(each["name"] for each in layer.selectedFeatures()) == ["p1", "p4!"]
    assert layer.selectedFeatureCount() == 2
    assert chat.host.checkpoints.undo("run").complete
    assert rows(layer) == before


@pytest.mark.parametrize("stays_in_edit_mode", [False, True])
def test_unsaved_edits_that_the_person_saved_are_told_as_lost(chat: Bench, stays_in_edit_mode: bool) -> None:
    """Undo does not say "nothing was left": the values are in the file. Before the saving it was offered."""
    layer, points = make(chat, "gpkg"), chat.host.checkpoints
    chat.ok("prepare_edit_features", layer_id="data", **EDITS["set"])
    assert "as long as you have not saved them" in chat.approver.cards[-1]["undo_words"]
    assert points.runs()[0].changes and points.runs()[0].not_restorable == []
    told: list[int] = []
    points.changed.connect(lambda: told.append(1))
    assert layer.commitChanges(not stays_in_edit_mode)
    assert told and points.runs()[0].changes == []
    assert "saved after the run" in points.runs()[0].not_restorable[0] and "data" in points.runs()[0].not_restorable[0]
    report = points.undo("run")
    assert (report.undone, report.conflicts, report.failed) == ([], [], [])
    assert len(report.not_restorable) == 1 and points.runs() == []
    assert in_file(chat, "gpkg") == [("p0", 0), ("p1", 1), ("p2", 2), ("p3", 9), ("p4", 9)]
    assert layer.isEditable() is stays_in_edit_mode, "the person's edit mode is theirs"
    layer.rollBack()


@pytest.mark.parametrize("how", ["discarded", "undone by hand, then something else saved"])
def test_edits_that_were_not_saved_are_not_lost(chat: Bench, how: str) -> None:
    """They are back already: nothing is left, and nothing is said to be lost."""
    layer = make(chat, "gpkg")
    chat.ok("prepare_edit_features", layer_id="data", **EDITS["set"])
    if how == "discarded":
        assert layer.rollBack()
    else:
        layer.undoStack().undo()
        feature = next(layer.getFeatures())
        assert (
            layer.changeAttributeValue(feature.id(), layer.fields().indexOf("name"), "mine") and layer.commitChanges()
        )
    report = chat.host.checkpoints.undo("run")
    assert (report.undone, report.conflicts, report.failed, report.not_restorable) == ([], [], [], [])
