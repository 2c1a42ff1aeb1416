"""Saving the project: whole, with a copy of the old file, and honest about layers in memory."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsProject, QgsVectorLayer

from qgis_agent.gis.paths import PathPolicy
from qgis_agent.gis.tools.write import project as saving


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A saved project with a file layer, and a person who agrees."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(1 2)", [7])], "memo"))
    bench.ok("prepare_export_layer", layer_id="memo", path="kept.gpkg")
    bench.host.project.removeAllMapLayers()
    bench.add(QgsVectorLayer(str(bench.folder / "kept.gpkg"), "kept", "ogr"))
    assert bench.host.project.write(str(bench.folder / "map.qgz"))
    bench.issue(caller="chat")
    return bench


def lines(bench: Bench) -> dict[str, str]:
    """The last card."""
    return dict(bench.approver.cards[-1]["lines"])


def reopened(path: Path) -> list[tuple[str, int]]:
    """(name, features) of the layers of a project file, read by another QgsProject."""
    project = QgsProject()
    assert project.read(str(path))
    return sorted((each.name(), each.featureCount()) for each in project.mapLayers().values())


def test_a57_own_file_with_a_copy_and_what_is_lost(chat: Bench) -> None:
    """The memory layer is named before and after; reopened it is there and empty, which is the case; the old file is kept."""
    old = (chat.folder / "map.qgz").read_bytes()
    chat.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(1 2)", [7])], "scratch"))
    data = chat.ok("prepare_save_project")
    assert "scratch" in lines(chat)["Layers whose data is lost"]
    assert data["lost_when_qgis_closes"] == ["scratch"]
    assert Path(data["copy_of_the_old_file"]).read_bytes() == old
    assert reopened(chat.folder / "map.qgz") == [("kept", 1), ("scratch", 0)]
    assert not chat.host.project.isDirty()


@pytest.mark.parametrize(("path", "name"), [("new", "new.qgz"), ("新 (1).qgs", "新 (1).qgs")])
def test_a_new_file(chat: Bench, path: str, name: str) -> None:
    """The old one is as it was; the open project is the new one; the run goes on under its own id."""
    old, ident = (chat.folder / "map.qgz").read_bytes(), chat.host.project_id()
    data = chat.ok("prepare_save_project", path=path)
    assert data["path"] == str(chat.folder / name)
    assert reopened(chat.folder / name) == [("kept", 1)]
    assert (chat.folder / "map.qgz").read_bytes() == old
    assert chat.host.project.fileName() == str(chat.folder / name)
    assert chat.host.project_id() == ident


def test_refused(chat: Bench, bench: Bench) -> None:
    """Another existing file, another ending, outside, no file of its own; a no."""
    assert chat.call("prepare_save_project", path="map.qgz")["reason"] == "file_exists"
    assert chat.code("prepare_save_project", path="map.txt") == "INVALID_PARAM"
    assert chat.code("prepare_save_project", path="/etc/map.qgz") == "FORBIDDEN"
    before = (chat.folder / "map.qgz").read_bytes()
    chat.approver.answer = "deny"
    assert chat.code("prepare_save_project") == "PERMISSION_DENIED"
    assert (chat.folder / "map.qgz").read_bytes() == before
    assert sorted(each.name for each in chat.folder.iterdir()) == ["kept.gpkg", "map.qgz"]
    chat.host.paths = PathPolicy(chat.host.project, write_roots=[os.sep + "nowhere"])
    assert chat.code("prepare_save_project") == "FORBIDDEN"
    QgsProject.instance().setFileName("")
    assert chat.call("prepare_save_project")["reason"] == "no_project_file"


def test_a_save_that_is_not_whole_is_taken_back(chat: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old file again, no copy beside it, and the project still has changes to save."""
    old = (chat.folder / "map.qgz").read_bytes()
    chat.host.project.setTitle("changed")
    chat.host.project.setDirty(True)
    monkeypatch.setattr(saving, "layer_ids", lambda _path: set())
    for more, left in (({}, "map.qgz"), ({"path": "new.qgz"}, "map.qgz")):
        assert chat.code("prepare_save_project", **more) == "UPSTREAM_ERROR"
        assert (chat.folder / "map.qgz").read_bytes() == old
        assert chat.host.project.fileName() == str(chat.folder / left)
        assert chat.host.project.isDirty()
    assert sorted(each.name for each in chat.folder.iterdir()) == ["kept.gpkg", "map.qgz"]


def test_secrets_are_named_and_not_shown(chat: Bench) -> None:
    """Names of variables and layers; never what they hold."""
    project = chat.host.project
    project.setCustomVariables({"db_password": "hunter2", "city": "武汉"})
    uri = "dbname='x' host=127.0.0.1 user='u' password='hunter3' table=\"a\""
    project.addMapLayer(QgsVectorLayer(uri, "server", "postgres"))
    chat.approver.answer = "deny"
    chat.call("prepare_save_project")
    card: dict[str, Any] = chat.approver.cards[-1]
    assert lines(chat)["Variables in plain text that look secret"] == "db_password"
    assert lines(chat)["Passwords in plain text in layers"] == "server"
    assert "hunter" not in str(card)


def test_unsaved_edits_are_named(chat: Bench) -> None:
    """Edits of features are not saved with the project."""
    layer = chat.host.layers.by_alias("kept")
    assert isinstance(layer, QgsVectorLayer)
    layer.startEditing()
    layer.changeAttributeValue(1, layer.fields().indexOf("n"), 8)
    chat.ok("prepare_save_project")
    assert lines(chat)["Edits that are not saved with it"] == "kept"
    assert layer.isModified()
    layer.rollBack()


def test_a_qgz_is_read_as_what_it_is(chat: Bench) -> None:
    """The check looks into the archive: one without the layer is found out."""
    assert saving.layer_ids(chat.folder / "map.qgz") == set(chat.host.project.mapLayers())
    broken = chat.folder / "broken.qgz"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("a.qgs", "<qgis/>")
    assert saving.layer_ids(broken) == set()
