"""Undo of written files and of the saved project: what the run wrote goes, what anybody changed since is asked about."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsProject, QgsVectorLayer

from qgis_agent.gis.undo import store

ROWS = [(f"POINT({x} {x})", [f"p{x}", x]) for x in range(5)]


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A person who agrees to everything, and a layer of five points."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    bench.add(memory_layer("Point?crs=EPSG:4326&field=name:string(5)&field=n:integer", ROWS, "points"))
    return bench


def listing(folder: Path) -> dict[str, str]:
    """Every file of a folder with its digest."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


FORMATS = {"GPKG": "a.gpkg", "ESRI Shapefile": "a.shp", "GeoJSON": "a.geojson", "CSV": "a.csv", "GML": "a.gml"}


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_an_export_is_removed_with_what_belongs_to_it(chat: Bench, form: str) -> None:
    """All files of the format, and nothing else; the card had said so."""
    (chat.folder / "a.txt").write_text("a person's")
    before = listing(chat.folder)
    chat.ok("prepare_export_layer", layer_id="points", path=FORMATS[form], format=form)
    assert len(listing(chat.folder)) > len(before)
    assert chat.approver.cards[-1]["undo_words"].startswith("Undo removes the new file")
    assert chat.host.checkpoints.undo("run").complete
    assert listing(chat.folder) == before


def test_a_table_and_a_layout_are_removed(chat: Bench) -> None:
    """Also a layout that the same run made."""
    before = listing(chat.folder)
    chat.ok("prepare_export_table", path="t.csv", rows=[{"a": 1}, {"a": 2}])
    chat.ok("create_layout", name="sheet")
    chat.ok("prepare_export_layout", layout="sheet", path="sheet.pdf", dpi=72)
    assert set(listing(chat.folder)) == {"t.csv", "sheet.pdf"}
    assert chat.host.checkpoints.undo("run").complete
    assert listing(chat.folder) == before
    assert chat.host.project.layoutManager().layouts() == []


def test_a_file_that_was_changed_since_is_asked_for(chat: Bench) -> None:
    """It stays until the person agrees."""
    chat.ok("prepare_export_table", path="t.csv", rows=[{"a": 1}])
    path = chat.folder / "t.csv"
    path.write_text(path.read_text().replace("1", "2"))  # as long as before
    report = chat.host.checkpoints.undo("run")
    assert [each["key"] for each in report.conflicts] == [f"file:{path}"]
    assert path.exists()
    assert chat.host.checkpoints.undo("run", frozenset([f"file:{path}"])).complete
    assert not path.exists()


def test_a_file_that_is_gone_needs_nothing(chat: Bench) -> None:
    """The person has removed it."""
    chat.ok("prepare_export_table", path="t.csv", rows=[{"a": 1}])
    (chat.folder / "t.csv").unlink()
    assert chat.host.checkpoints.undo("run").complete


def test_opening_a_geopackage_does_not_change_it(chat: Bench) -> None:
    """QGIS writes journal mode and counters into its head; that is nobody's change. A new row is one."""
    chat.ok("prepare_export_layer", layer_id="points", path="a.gpkg")
    path = chat.folder / "a.gpkg"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with sqlite3.connect(path) as database:
        database.execute("pragma journal_mode=wal").fetchall()
        database.execute("pragma journal_mode=delete").fetchall()
    database.close()
    assert hashlib.sha256(path.read_bytes()).hexdigest() != digest
    assert chat.host.checkpoints.undo("run").complete
    assert not path.exists()
    chat.ok("prepare_export_layer", layer_id="points", path="b.gpkg")
    other = QgsVectorLayer(str(chat.folder / "b.gpkg"), "b", "ogr")
    assert other.dataProvider().changeAttributeValues({1: {1: "mine"}})
    del other
    assert len(chat.host.checkpoints.undo("run").conflicts) == 1


def test_a_file_that_a_persons_layer_shows_is_asked_for(chat: Bench) -> None:
    """The agent's own untouched layer of it goes with it."""
    chat.ok("prepare_export_layer", layer_id="points", path="a.gpkg")
    chat.add(QgsVectorLayer(str(chat.folder / "a.gpkg"), "mine", "ogr"))
    assert len(chat.host.checkpoints.undo("run").conflicts) == 1
    assert (chat.folder / "a.gpkg").exists()


def test_a_file_that_the_run_added_as_a_layer_goes_with_the_layer(chat: Bench) -> None:
    """Exported and added in one run."""
    count = chat.host.project.count()
    chat.ok("prepare_export_layer", layer_id="points", path="a.gpkg")
    chat.ok("add_vector_layer", path="a.gpkg")
    assert chat.host.project.count() == count + 1
    assert chat.host.checkpoints.undo("run").complete
    assert chat.host.project.count() == count
    assert [each for each in os.listdir(chat.folder) if each.startswith("a.gpkg")] == []


@pytest.fixture
def saved(chat: Bench) -> Path:
    """The project is saved as p.qgz, and then changed."""
    path = chat.folder / "p.qgz"
    assert chat.host.project.write(str(path))
    chat.host.project.setTitle("changed")
    return path


@pytest.mark.parametrize("ending", ["qgz", "qgs"])
def test_a_saved_project_gets_its_old_file_back(chat: Bench, ending: str) -> None:
    """Byte for byte, and the copy beside it is gone; the open project stays as it is, unsaved."""
    path = chat.folder / f"p.{ending}"
    assert chat.host.project.write(str(path))
    chat.host.project.setTitle("changed")
    before = listing(chat.folder)
    chat.ok("prepare_save_project")
    assert listing(chat.folder) != before
    assert "removes the copy" in chat.approver.cards[-1]["undo_words"]
    assert chat.host.checkpoints.undo("run").complete
    assert listing(chat.folder) == before
    assert chat.host.project.title() == "changed"
    assert chat.host.project.isDirty()
    again = QgsProject()
    assert again.read(str(path)) and again.title() == ""


def test_saving_under_a_new_name_is_taken_back(chat: Bench, saved: Path) -> None:
    """The new file is gone and the open project has its old name."""
    before = listing(chat.folder)
    chat.ok("prepare_save_project", path="new.qgs")
    assert Path(chat.host.project.fileName()).name == "new.qgs"
    assert "p.qgz" in chat.approver.cards[-1]["undo_words"]
    assert chat.host.checkpoints.undo("run").complete
    assert listing(chat.folder) == before
    assert chat.host.project.fileName() == str(saved)


def test_a_project_that_the_person_saved_since_is_asked_for(chat: Bench, saved: Path) -> None:
    """Their file stays."""
    chat.ok("prepare_save_project")
    chat.host.project.setTitle("mine")
    assert chat.host.project.write()
    now = saved.read_bytes()
    report = chat.host.checkpoints.undo("run")
    assert [each["key"] for each in report.conflicts] == [f"file:{saved}"]
    assert saved.read_bytes() == now


def test_a_project_that_is_too_large_for_a_copy_is_said_before(
    chat: Bench, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same words as the report."""
    monkeypatch.setattr(store, "MAX_BYTES", 10)
    chat.ok("prepare_save_project")
    said: Any = chat.approver.cards[-1]["undo_words"]
    assert "cannot be undone" in said
    assert chat.host.checkpoints.undo("run").not_restorable == [said]
