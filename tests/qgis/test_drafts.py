"""Files under a name of their own until they are whole: every name, every way to end, nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr
from qgis.core import QgsCoordinateReferenceSystem

from qgis_agent.gis import drafts
from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.host import run_until


@pytest.fixture
def ready(bench: Bench) -> Bench:
    """A layer to export, and a person who agrees."""
    rows = [(f"POINT({x} {x})", [f"n{x}", x]) for x in range(5)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=name:string(20)&field=n:integer", rows, "schools"))
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    return bench


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("name", ["roads [2020].gpkg", "[ab].shp", "a.b.c.geojson"])
def test_brackets_and_dots_in_a_name(ready: Bench, name: str) -> None:
    """Brackets are patterns to glob: the file was written and never moved."""
    form = {".gpkg": "GPKG", ".shp": "ESRI Shapefile", ".geojson": "GeoJSON"}[Path(name).suffix]
    data = ready.ok("prepare_export_layer", layer_id="schools", path=name, format=form)
    assert data["written"] is True and Path(data["path"]).name == name
    assert name in names(ready.folder)
    assert not [each for each in names(ready.folder) if each.startswith(".")]


@pytest.mark.parametrize(("name", "form"), [("Roads.SHP", "ESRI Shapefile"), ("Roads.GPKG", "GPKG"), ("R.CSV", "CSV")])
def test_an_ending_in_capitals(ready: Bench, name: str, form: str) -> None:
    """It is written in small letters, as the drivers do it."""
    data = ready.ok("prepare_export_layer", layer_id="schools", path=name, format=form)
    assert Path(data["path"]).name == name[: name.index(".")] + name[name.index(".") :].lower()
    assert Path(data["path"]).is_file()


def test_a_file_in_the_way_leaves_nothing_moved(tmp_path: Path) -> None:
    """When the last of the files finds its name taken, the others are taken back; the one in the way is not touched."""
    draft = drafts.draft_of(tmp_path / "a.shp")
    for suffix in (".shp", ".dbf", ".prj"):
        draft.with_suffix(suffix).write_text(suffix, "ascii")
    (tmp_path / "a.shp").write_text("there before", "ascii")
    with pytest.raises(ToolError):
        drafts.move(draft, tmp_path / "a.shp")
    drafts.remove(draft)
    assert names(tmp_path) == ["a.shp"]
    assert (tmp_path / "a.shp").read_text("ascii") == "there before"


def test_files_with_longer_endings_and_further_pages(tmp_path: Path) -> None:
    """A sidecar keeps all of its ending, a further page its number."""
    draft = drafts.draft_of(tmp_path / "m.png")
    for ending in (".png", "_2.png", ".png.aux.xml"):
        draft.with_name(draft.stem + ending).write_text(ending, "ascii")
    written = drafts.move(draft, tmp_path / "m.png")
    drafts.remove(draft)
    assert names(tmp_path) == ["m.png", "m.png.aux.xml", "m_2.png"]
    assert sorted(each.name for each in written) == names(tmp_path)


def test_stop_while_it_is_written(ready: Bench) -> None:
    """Stopped at any moment, no draft is left, and nothing has the file's name."""
    rows = [(f"POINT({x % 360 - 180} {x % 90})", [f"n{x}", x]) for x in range(60_000)]
    ready.add(memory_layer("Point?crs=EPSG:4326&field=name:string(20)&field=n:integer", rows, "many"))
    for moment, form in ((0.0, "GPKG"), (0.05, "GPKG"), (0.05, "ESRI Shapefile"), (0.2, "GeoJSON")):
        _stopped(ready, moment, form)


def _stopped(ready: Bench, moment: float, form: str) -> None:
    """An export that is stopped so many seconds after its draft is there."""
    outcomes: list[dict] = []
    running = ready.begin("prepare_export_layer", {"layer_id": "many", "path": "out", "format": form}, outcomes)
    assert running is not None
    assert run_until(lambda: bool(outcomes) or any(each.startswith(".") for each in os.listdir(ready.folder)), 30)
    run_until(lambda: False, moment)
    running.cancel()
    assert run_until(lambda: bool(outcomes), 5)
    run_until(lambda: not names(ready.folder), 10)
    left = names(ready.folder)
    assert left == [] or outcomes[0]["envelope"]["ok"], (moment, form, left)
    for each in left:
        (ready.folder / each).unlink()


def test_a_layer_that_is_gone_before_the_commit(ready: Bench) -> None:
    """The token is for a layer that was removed since: said as a change, not as a fault of the program."""
    ready.issue(caller="cli")
    ready.approver.answer = "headless"
    token = ready.ok("prepare_export_layer", layer_id="schools", path="out.gpkg")["confirm_token"]
    ready.host.ledger.arm(token)
    ready.host.project.removeAllMapLayers()
    envelope = ready.call("commit_action", confirm_token=token)
    assert (envelope["code"], envelope["reason"]) == ("CONFIRM_REQUIRED", "state_changed"), envelope
    assert names(ready.folder) == []


@pytest.mark.parametrize(("field", "values"), [("fid:integer", [1, 1, 2]), ("FID:string(5)", ["x", "y", "z"])])
def test_an_attribute_called_fid(ready: Bench, field: str, values: list) -> None:
    """It stays an attribute with its values; the GeoPackage's key gets another name."""
    rows = [(f"POINT({n} {n})", [each, "a"]) for n, each in enumerate(values)]
    ready.add(memory_layer(f"Point?crs=EPSG:4326&field={field}&field=n:string(5)", rows, "f"))
    data = ready.ok("prepare_export_layer", layer_id="f", path="f.gpkg")
    source = ogr.Open(data["path"])
    layer = source.GetLayer(0)
    assert layer.GetFIDColumn() == "fid_1"
    assert [each.GetField(field.split(":")[0]) for each in layer] == values


def test_geojson_of_a_layer_without_crs_is_refused_before(ready: Bench) -> None:
    """RFC 7946 has degrees: written as they are, the numbers would lie."""
    layer = ready.add(memory_layer("Point?field=n:string(5)", [("POINT(5 6)", ["a"])], "bare"))
    layer.setCrs(QgsCoordinateReferenceSystem())
    assert ready.code("prepare_export_layer", layer_id="bare", path="f.geojson", format="GeoJSON") == "INVALID_PARAM"
    assert ready.ok("prepare_export_layer", layer_id="bare", path="f.gpkg")["feature_count"] == 1
