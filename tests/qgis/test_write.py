"""Writing: nothing without a click, nothing overwritten, nothing half-written, and what was agreed to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr
from qgis.core import QgsFeature, QgsProject

from qgis_agent.gis import approvals
from qgis_agent.gis.paths import PathPolicy


@pytest.fixture
def ready(bench: Bench) -> Bench:
    """A layer to export."""
    rows = [(f"POINT({x} {x})", [f"学校{x}", x]) for x in range(5)]
    bench.add(memory_layer("Point?crs=EPSG:3857&field=名称:string(20)&field=n:integer", rows, "schools"))
    return bench


def test_without_a_click_nothing_is_written(ready: Bench) -> None:
    """Preview and token, but no file: the token is not armed."""
    data = ready.ok("prepare_export_layer", layer_id="schools", path="out.gpkg")
    assert data["armed"] is False
    assert data["effect"]["Features"] == "5"
    envelope = ready.call("commit_action", confirm_token=data["confirm_token"])
    assert (envelope["code"], envelope["reason"]) == ("CONFIRM_REQUIRED", "not_armed")
    assert list(ready.folder.iterdir()) == []


FORMATS = [("GPKG", ".gpkg"), ("GeoJSON", ".geojson"), ("CSV", ".csv"), ("ESRI Shapefile", ".shp")]


@pytest.mark.parametrize(("name", "suffix"), FORMATS)
def test_with_a_click_it_is_written_and_counted(ready: Bench, name: str, suffix: str) -> None:
    """OGR finds what was promised, and nothing else lies in the folder."""
    ready.issue(caller="chat")
    ready.approver.answer = "once"
    data = ready.ok("prepare_export_layer", layer_id="schools", path="out", format=name)
    source = ogr.Open(str(ready.folder / f"out{suffix}"))
    layer = source.GetLayer(0)
    assert data["written"] is True
    assert layer.GetFeatureCount() == 5
    assert [feature.GetField(0) for feature in layer] == [f"学校{x}" for x in range(5)] or name == "CSV"
    assert all(each.stem == "out" for each in ready.folder.iterdir())


def test_geojson_is_in_degrees(ready: Bench) -> None:
    """RFC 7946: coordinates are WGS 84; 1 m in EPSG:3857 at the equator is 360/(2·π·6378137) degrees."""
    ready.issue(caller="chat")
    ready.approver.answer = "once"
    ready.ok("prepare_export_layer", layer_id="schools", path="out.geojson", format="GeoJSON")
    features = json.loads((ready.folder / "out.geojson").read_text(encoding="utf-8"))["features"]
    assert features[4]["geometry"]["coordinates"] == pytest.approx([4 * 8.983152841195214e-06] * 2, abs=1e-7)


@pytest.mark.parametrize(
    ("answer", "reason"), [("deny", "denied"), ("no_answer", "no_answer"), ("headless", "headless")]
)
def test_a_no_is_a_no(ready: Bench, answer: str, reason: str) -> None:
    """In chat every other answer than the click is PERMISSION_DENIED; no file, no usable token."""
    ready.issue(caller="chat")
    ready.approver.answer = answer
    envelope = ready.call("prepare_export_layer", layer_id="schools", path="out.gpkg")
    assert (envelope["code"], envelope["reason"]) == ("PERMISSION_DENIED", reason)
    assert list(ready.folder.iterdir()) == []


def prepared(ready: Bench) -> str:
    """An armed token."""
    token = ready.ok("prepare_export_layer", layer_id="schools", path="out.gpkg")["confirm_token"]
    ready.host.ledger.arm(token)
    return token


def reason(ready: Bench, token: str) -> str:
    """Why a commit is refused."""
    envelope = ready.call("commit_action", confirm_token=token)
    assert envelope["code"] == "CONFIRM_REQUIRED", envelope
    assert not (ready.folder / "out.gpkg").exists() or envelope["reason"] == "used"
    return envelope["reason"]


def test_a_token_works_once(ready: Bench) -> None:
    """Used is used."""
    token = prepared(ready)
    assert ready.ok("commit_action", confirm_token=token)["written"]
    assert reason(ready, token) == "used"


def test_a_token_is_bound_to_its_caller(ready: Bench) -> None:
    """Each wrong use has a reason of its own; the others are in test_at22_tokens.py."""
    token = prepared(ready)
    ready.issue(caller="mcp")
    assert reason(ready, token) == "other_caller"
    assert reason(ready, "invented-token") not in ("other_caller", "used")


def test_what_was_clicked_is_written_though_data_was_read_and_nothing_else_is(ready: Bench) -> None:
    """The preview itself is data; the click is on just this write, so that words are not asked for once more."""
    ready.issue(requested=frozenset(["write"]))
    clicked = prepared(ready)
    unclicked = ready.ok("prepare_export_layer", layer_id="schools", path="other.gpkg")["confirm_token"]
    ready.issue(requested=frozenset())
    assert ready.host.taint.tainted(ready.capability.session_id)
    assert ready.code("prepare_export_layer", layer_id="schools", path="more.gpkg") == "FORBIDDEN"
    assert reason(ready, unclicked) == "not_armed"
    assert ready.ok("commit_action", confirm_token=clicked)["written"]


def test_a_token_ends_after_five_minutes(ready: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """301 s later: expired."""
    token = prepared(ready)
    now = ready.host.ledger.clock()
    monkeypatch.setattr(ready.host.ledger, "clock", lambda: now + approvals.TOKEN_TTL_S + 1)
    assert reason(ready, token) == "expired"


def test_a_changed_layer_voids_the_preview(ready: Bench) -> None:
    """What was shown is not what would be written: state_changed."""
    token = prepared(ready)
    layer = ready.host.layers.by_alias("schools")
    assert layer is not None
    layer.dataProvider().addFeatures([QgsFeature(layer.fields())])
    assert reason(ready, token) == "state_changed"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../out.gpkg", "FORBIDDEN"),
        ("/etc/out.gpkg", "FORBIDDEN"),
        ("/vsimem/out.gpkg", "FORBIDDEN"),
        ("https://example.org/out.gpkg", "FORBIDDEN"),
        ("missing/out.gpkg", "NOT_FOUND"),
        ("con.gpkg", "INVALID_PARAM"),
        ("a:b.gpkg", "INVALID_PARAM"),
        ("<xml>.gpkg", "INVALID_PARAM"),
        ("  ", "INVALID_PARAM"),
        ("out.csv", "INVALID_PARAM"),
    ],
)
def test_paths(ready: Bench, path: str, code: str) -> None:
    """Outside the folder, virtual, remote, in no folder, no name: each refused with a hint."""
    assert ready.code("prepare_export_layer", layer_id="schools", path=path) == code


def test_a_link_out_of_the_folder_does_not_help(ready: Bench, tmp_path_factory: Any) -> None:
    """The real path counts."""
    outside = tmp_path_factory.mktemp("outside")
    os.symlink(outside, ready.folder / "link")
    assert ready.code("prepare_export_layer", layer_id="schools", path="link/out.gpkg") == "FORBIDDEN"


def test_nothing_is_overwritten(ready: Bench) -> None:
    """Not the target, not a file beside it that the format would write, not one that appears after the preview."""
    (ready.folder / "old.gpkg").write_text("mine")
    envelope = ready.call("prepare_export_layer", layer_id="schools", path="old.gpkg")
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "file_exists")
    assert "old_2.gpkg" in envelope["hint"]
    (ready.folder / "side.dbf").write_text("mine")
    assert (
        ready.code("prepare_export_layer", layer_id="schools", path="side.shp", format="ESRI Shapefile")
        == "INVALID_PARAM"
    )
    token = prepared(ready)
    (ready.folder / "out.gpkg").write_text("came later")
    assert ready.code("commit_action", confirm_token=token) == "INVALID_PARAM"
    assert (ready.folder / "out.gpkg").read_text() == "came later"
    assert sorted(each.name for each in ready.folder.iterdir()) == ["old.gpkg", "out.gpkg", "side.dbf"]


def test_crs_of_an_export(ready: Bench) -> None:
    """A CRS that does not exist, and GeoJSON in another than its own."""
    assert ready.code("prepare_export_layer", layer_id="schools", path="a", crs="EPSG:999999") == "INVALID_PARAM"
    assert (
        ready.code("prepare_export_layer", layer_id="schools", path="a", crs="EPSG:32650", format="GeoJSON")
        == "INVALID_PARAM"
    )


def test_a_project_without_a_folder_has_no_write_folder(ready: Bench) -> None:
    """No implicit place to write."""
    ready.host.paths = PathPolicy(QgsProject.instance())
    assert ready.code("prepare_export_layer", layer_id="schools", path="out.gpkg") == "FORBIDDEN"


def test_reading_stays_inside(ready: Bench) -> None:
    """readable(): a file in an allowed folder, and nothing else."""
    policy = PathPolicy(QgsProject.instance(), read_roots=[str(ready.folder)])
    (ready.folder / "a.csv").write_text("x")
    assert policy.readable(str(ready.folder / "a.csv")) == (ready.folder / "a.csv").resolve()
    for path, code in (("b.csv", "NOT_FOUND"), ("..", "FORBIDDEN"), ("/etc/passwd", "FORBIDDEN")):
        with pytest.raises(approvals.ToolError) as caught:
            policy.readable(str(Path(ready.folder / path)) if not path.startswith("/") else path)
        assert caught.value.envelope["code"] == code
