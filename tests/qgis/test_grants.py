"""Grants are data: as narrow as the call, session ones gone with QGIS, stored ones in the profile and for one project."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsProject, QgsVectorLayer

from qgis_agent.gis.approvals import CallFacts
from qgis_agent.gis.grants import (
    ALWAYS,
    SESSION,
    Grant,
    GrantStore,
    Target,
    folder_target,
    host_target,
    layer_target,
    project_file,
    source_digest,
)
from qgis_agent.gis.rules import DENY

REPO = Path(__file__).resolve().parents[2]
HOST = host_target("https://tiles.example.com/wms")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "qgis_agent" / "permissions.json"


def store_of(file: Path, project: str = "/data/plan.qgz") -> GrantStore:
    """A store as it is after QGIS has started."""
    return GrantStore(lambda: project, file)


def add(store: GrantStore, target: Target = HOST, **more: Any) -> Grant:
    values: dict[str, Any] = {
        "caller": "chat",
        "tool": "add_service_layer",
        "effect": "network",
        "session": "s1",
        "project_id": "p#1",
        "lifetime": ALWAYS,
    }
    return store.add(target=target, **{**values, **more})


def answered(store: GrantStore, target: Target = HOST, **more: Any) -> bool:
    values = {
        "caller": "chat",
        "tool": "add_service_layer",
        "effect": "network",
        "session": "s1",
        "project_id": "p#1",
    }
    return store.matching(target=target, **{**values, **more}) is not None


def test_a_restart_keeps_what_is_for_always_and_loses_what_is_for_the_session(file: Path) -> None:
    first = store_of(file)
    other = host_target("https://other.example.com")
    add(first)
    add(first, other, lifetime=SESSION)
    assert answered(first) and answered(first, other)
    later = store_of(file)
    assert answered(later, session="s2", project_id="p#7")
    assert not answered(later, other)
    assert [each.target for each in later.listed()] == ["tiles.example.com:443"]


def test_another_project_and_another_caller_do_not_see_them(file: Path) -> None:
    add(store_of(file))
    assert not answered(store_of(file, "/data/other.qgz"))
    assert not answered(store_of(file, ""))
    assert not answered(store_of(file), caller="mcp")
    assert not answered(store_of(file), caller="subagent")
    assert not answered(store_of(file), tool="add_vector_layer")
    assert not answered(store_of(file), effect="create")


def test_a_session_grant_is_for_its_session_and_its_opening_of_the_project(file: Path) -> None:
    store = store_of(file)
    add(store, lifetime=SESSION)
    assert not answered(store, session="s2")
    assert not answered(store, project_id="p#2")
    store.session_ended("s2")
    assert answered(store)
    store.session_ended("s1")
    assert not answered(store)
    add(store, lifetime=SESSION)
    add(store, host_target("https://kept.example.com"))
    store.project_changed()
    assert [each.lifetime for each in store.listed()] == [ALWAYS]


@pytest.mark.parametrize(
    "url",
    [
        "https://tiles.example.com:8443/wms",
        "http://tiles.example.com/wms",
        "https://a.tiles.example.com/wms",
        "https://example.com/wms",
        "https://tiles.example.com.evil.test/wms",
        "https://tiles.example.com@evil.test/wms",
        "https://tiles.example.org/wms",
        "https://tiles.example.com./wms",
        "not an address",
        "",
    ],
)
def test_a_host_grant_answers_no_other_host_subdomain_or_port(file: Path, url: str) -> None:
    store = store_of(file)
    add(store)
    assert not answered(store, host_target(url))
    assert answered(store, host_target("https://TILES.example.com:443/other?x=1"))


def test_a_write_and_code_have_no_grants(file: Path) -> None:
    store = store_of(file)
    for effect in ("write", "execute", "anything"):
        for lifetime in (SESSION, ALWAYS):
            with pytest.raises(ValueError, match="no grant"):
                add(store, effect=effect, lifetime=lifetime)
        assert not answered(store, effect=effect)
    assert store.listed() == () and not file.exists()


def test_a_target_must_have_a_name(file: Path) -> None:
    store = store_of(file)
    for target in (host_target("nothing"), Target("layer"), Target("folder", os.sep), Target("planet", "earth")):
        with pytest.raises(ValueError, match=r"name|disk|kind"):
            add(store, target)


def test_a_folder_grant_covers_what_is_inside_by_real_path(file: Path, tmp_path: Path) -> None:
    inside, beside = tmp_path / "data" / "deep", tmp_path / "data2"
    inside.mkdir(parents=True)
    beside.mkdir()
    (inside / "link").symlink_to(beside)
    store = store_of(file)
    add(store, folder_target(str(tmp_path / "data")), effect="read", tool="list_data_files")

    def allowed(path: Path) -> bool:
        return answered(store, folder_target(str(path)), effect="read", tool="list_data_files")

    assert allowed(tmp_path / "data") and allowed(inside)
    assert not allowed(beside) and not allowed(tmp_path)
    assert not allowed(inside / "link") and not allowed(inside / ".." / ".." / "data2")


def test_layers_are_known_by_id_in_a_session_and_by_name_and_source_later(
    file: Path, bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "a.geojson"
    path.write_text('{"type":"FeatureCollection","features":[]}')
    layer = bench.add(QgsVectorLayer(str(path), "schools", "ogr"))
    twin = bench.add(memory_layer("Point?crs=EPSG:4326", [], "schools"))
    call = {"effect": "view", "tool": "patch_style"}
    store = store_of(file)
    add(store, layer_target(layer), lifetime=SESSION, **call)
    assert answered(store, layer_target(layer), **call)
    assert not answered(store, layer_target(twin), **call)
    layer.setName("renamed")
    assert answered(store, layer_target(layer), **call)
    layer.setName("schools")
    add(store, layer_target(layer), **call)
    later = store_of(file)
    again = bench.add(QgsVectorLayer(str(path), "schools", "ogr"))
    assert again.id() != layer.id()
    assert answered(later, layer_target(again), **call)
    assert not answered(later, layer_target(twin), **call)
    again.setName("roads")
    assert not answered(later, layer_target(again), **call)


def test_a_layer_in_memory_has_session_grants_only(file: Path, bench: Bench) -> None:
    layer = layer_target(bench.add(memory_layer("Point?crs=EPSG:4326", [], "drawn")))
    store = store_of(file)
    assert not store.can_keep(layer) and store.can_keep(HOST)
    assert add(store, layer, effect="view").lifetime == SESSION
    assert answered(store, layer, effect="view") and not file.exists()


def test_a_source_is_the_same_with_another_filter_or_password(tmp_path: Path, qgis_app: Any) -> None:
    path = str(tmp_path / "a.gpkg")
    plain = QgsVectorLayer(path + "|layername=a", "a", "ogr")
    filtered = QgsVectorLayer(path + "|layername=a|subset=x > 1", "a", "ogr")
    assert source_digest(plain) == source_digest(filtered) != ""
    assert source_digest(QgsVectorLayer(path + "|layername=b", "a", "ogr")) != source_digest(plain)
    uri = 'dbname=\'d\' host=h port=5432 {} table="s"."t" (geom){}'
    first = QgsVectorLayer(uri.format("user='u' password='one'", ""), "t", "postgres")
    second = QgsVectorLayer(uri.format("user='u' password='two'", " sql=a = 1"), "t", "postgres")
    other = QgsVectorLayer(uri.replace("host=h", "host=i").format("user='u' password='one'", ""), "t", "postgres")
    assert source_digest(first) == source_digest(second) != source_digest(other)


def test_a_project_without_a_file_has_session_grants_only(file: Path) -> None:
    store = store_of(file, "")
    assert not store.can_keep(HOST)
    assert add(store).lifetime == SESSION
    assert answered(store) and not file.exists()
    assert not answered(store_of(file, ""))


def test_a_project_is_known_by_its_real_path(bench: Bench, tmp_path: Path) -> None:
    assert project_file(bench.host.project) == ""
    path = tmp_path / "plan.qgz"
    assert bench.host.project.write(str(path))
    link = tmp_path / "link.qgz"
    link.symlink_to(path)
    bench.host.project.setFileName(str(link))
    assert project_file(bench.host.project) == os.path.realpath(str(path))
    bench.host.project.setFileName(f"geopackage:{tmp_path}/a.gpkg?projectName=x")
    assert project_file(bench.host.project) == ""


def test_the_file_is_the_owners_alone_and_lies_in_the_profile(file: Path) -> None:
    add(store_of(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert sorted(each.name for each in file.parent.iterdir()) == ["permissions.json"]
    document = json.loads(file.read_text("utf-8"))
    assert document["version"] == 1
    assert set(document["grants"][0]) >= {"id", "caller", "tool", "target_kind", "target", "project", "created", "by"}
    assert not {"session", "project_id", "layer_id"} & set(document["grants"][0])


GOOD = {
    "id": "a1",
    "caller": "chat",
    "tool": "add_service_layer",
    "effect": "network",
    "target_kind": "host",
    "target": "tiles.example.com:443",
    "source": "",
    "project": "/data/plan.qgz",
    "lifetime": "always",
    "created": "2026-01-01T00:00:00Z",
    "by": "me",
}


def written(file: Path, *grants: Any, version: Any = 1) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"version": version, "grants": list(grants)}), encoding="utf-8")


def test_a_stored_grant_is_read_as_it_is_written_here(file: Path) -> None:
    """The counterpart of the damaged ones below: this very row holds."""
    written(file, GOOD)
    assert answered(store_of(file))


@pytest.mark.parametrize(
    "change",
    [
        {"effect": "write"},
        {"effect": "execute"},
        {"target_kind": "galaxy"},
        {"target": ""},
        {"lifetime": "session"},
        {"project": ""},
        {"id": ""},
        {"tool": ["add_service_layer"]},
        {"more": "x"},
        {"target_kind": "layer"},
    ],
)
def test_a_row_that_add_would_not_have_stored_spoils_the_file(file: Path, change: dict[str, Any]) -> None:
    written(file, GOOD, {**GOOD, **change})
    assert not answered(store_of(file))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe\x00", b'{"version": 1}', b'{"version": 1, "grants": {}}']
)
def test_a_damaged_file_gives_nothing_is_kept_and_said(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    store = store_of(file)
    assert not answered(store)
    assert store.listed() == ()
    assert "permissions.json.bad" in store.problem
    assert (file.parent / "permissions.json.bad").read_bytes() == content
    add(store)  # and the store works on
    assert answered(store_of(file)) and store.problem == ""


def test_a_newer_file_is_not_guessed_at(file: Path) -> None:
    written(file, GOOD, version=2)
    store = store_of(file)
    assert not answered(store)
    assert "newer" in store.problem and (file.parent / "permissions.json.bad").exists()


def test_a_file_of_many_megabytes_is_not_read(file: Path) -> None:
    written(file, *[{**GOOD, "by": "x" * 2000}] * 600)
    store = store_of(file)
    assert not answered(store) and "too large" in store.problem


def test_a_disk_that_refuses_leaves_a_session_grant_and_says_so(file: Path, tmp_path: Path) -> None:
    file.parent.parent.mkdir()
    file.parent.write_text("a file where the folder should be")
    store = store_of(file)
    assert add(store).lifetime == SESSION
    assert answered(store) and store.problem


def test_what_is_revoked_is_asked_about_again_here_and_in_another_qgis(file: Path) -> None:
    here, there = store_of(file), store_of(file)
    grant = add(here)
    assert answered(there)
    told: list[Any] = []
    there.revoked.connect(told.append)
    assert there.revoke(grant.id) and not there.revoke(grant.id)
    assert [each.id for each in told] == [grant.id]
    assert not answered(there) and not answered(here) and not answered(store_of(file))


def test_what_cannot_be_struck_off_the_file_still_ends_here(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(file)
    grant = add(store)

    def refuse(*_args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    assert store.revoke(grant.id)
    assert not answered(store) and "No space left" in store.problem
    assert sorted(each.name for each in file.parent.iterdir()) == ["permissions.json"]


def test_a_search_finds_by_all_of_its_words(file: Path) -> None:
    store = store_of(file)
    add(store)
    add(store, host_target("https://other.example.com"), lifetime=SESSION)
    assert len(store.listed()) == 2
    assert [each.target for each in store.listed("TILES service")] == ["tiles.example.com:443"]
    assert [each.lifetime for each in store.listed("session")] == [SESSION]
    assert store.listed("tiles session") == ()


def test_the_same_permission_twice_is_one(file: Path) -> None:
    store = store_of(file)
    assert add(store).id == add(store).id
    assert add(store, HOST, lifetime=SESSION).id == add(store, HOST, lifetime=SESSION).id
    assert len(store.listed()) == 2


WRITER = """
import sys
from pathlib import Path
from qgis_agent.gis.grants import GrantStore, host_target
store = GrantStore(lambda: "/data/plan.qgz", Path(sys.argv[1]))
for number in range(15):
    grant = store.add(caller="chat", tool="t", effect="network", session="", project_id="", lifetime="always",
                      target=host_target("https://{}-{}.example.com".format(sys.argv[2], number)))
    if number % 3 == 0:
        store.revoke(grant.id)
print(store.problem)
"""


def test_two_qgis_at_once_lose_nothing_of_each_other(file: Path, qgis_app: Any) -> None:
    environment = {**os.environ, "PYTHONPATH": str(REPO), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", WRITER, str(file)]
    running = [subprocess.Popen([*command, name], env=environment, stdout=subprocess.PIPE) for name in "abc"]
    said = [each.communicate(timeout=60)[0].strip() for each in running]
    assert said == [b""] * 3 and [each.returncode for each in running] == [0] * 3
    wanted = {f"{name}-{number}.example.com:443" for name in "abc" for number in range(15) if number % 3}
    assert {each.target for each in store_of(file).listed()} == wanted


def test_a_change_is_made_to_what_the_file_holds_even_where_it_looks_unchanged(file: Path) -> None:
    store = store_of(file)
    add(store)
    before = file.stat()
    file.write_text(file.read_text("utf-8").replace("tiles.example", "other.example"), encoding="utf-8")
    os.utime(str(file), ns=(before.st_atime_ns, before.st_mtime_ns))
    add(store, host_target("https://third.example.com"))
    assert {each.target for each in store_of(file).listed()} == {"other.example.com:443", "third.example.com:443"}


# through the boundary


def facts(**more: Any) -> CallFacts:
    return CallFacts(tool="add_service_layer", effect="network", target=HOST, **more)


def test_a_denying_rule_beats_a_grant_and_an_asking_rule_too(bench: Bench) -> None:
    capability = bench.issue(caller="chat")
    ledger = bench.host.ledger
    assert ledger.decide(capability, facts()).outcome == "ask"
    ledger.grant(capability, facts())
    assert ledger.decide(capability, facts()).outcome == "allow"
    try:
        ledger.rules.add("add_service_layer", "ask")
        assert ledger.decide(capability, facts()).outcome == "ask"
        ledger.rules.add("add_*", DENY)
        assert ledger.decide(capability, facts()).outcome == "deny"
    finally:
        ledger.rules.replace([])
    assert ledger.decide(capability, facts()).outcome == "allow"


def test_a_revoked_grant_asks_at_the_next_call(bench: Bench) -> None:
    bench.approver = bench.calls.approver = Answering("session")
    bench.issue(caller="chat", level="read_only")
    bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(1 2)", [])], "schools"))
    for _ in range(2):
        bench.ok("toggle_layer", layer_id="schools", visible=False)
    assert len(bench.approver.cards) == 1
    assert bench.host.ledger.grants.revoke_all() == 1
    bench.approver.answer = "deny"
    assert bench.call("toggle_layer", layer_id="schools", visible=True)["code"] == "PERMISSION_DENIED"
    assert len(bench.approver.cards) == 2


def test_always_here_holds_when_the_project_is_opened_again(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "a.geojson"
    path.write_text('{"type":"FeatureCollection","features":[]}')
    bench.add(QgsVectorLayer(str(path), "schools", "ogr"))
    project = bench.host.project
    assert project.write(str(tmp_path / "plan.qgz"))
    bench.approver = bench.calls.approver = Answering("always")
    bench.issue(caller="chat", level="read_only")
    try:
        bench.ok("toggle_layer", layer_id="schools", visible=False)
        assert len(bench.approver.cards) == 1
        project.read(str(tmp_path / "plan.qgz"))
        bench.issue(caller="chat", level="read_only")
        bench.approver.answer = "deny"
        bench.ok("toggle_layer", layer_id="schools", visible=True)
        assert len(bench.approver.cards) == 1
        project.write(str(tmp_path / "copy.qgz"))
        project.read(str(tmp_path / "copy.qgz"))
        bench.issue(caller="chat", level="read_only")
        assert bench.call("toggle_layer", layer_id="schools", visible=False)["code"] == "PERMISSION_DENIED"
    finally:
        bench.host.ledger.grants.revoke_all()
    assert isinstance(QgsProject.instance(), QgsProject)
