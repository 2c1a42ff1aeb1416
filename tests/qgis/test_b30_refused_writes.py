"""B30: a person who says no to every write finds the project and all files as they were.

From the registry: every tool whose effect is a write, in each of its ways; a new one without a call here fails.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsApplication, QgsProject, QgsVectorFileWriter, QgsVectorLayer

from qgis_agent.gis.tools.registry import load_all

CALLS: dict[str, list[dict[str, Any]]] = {
    "commit_action": [{"confirm_token": "a-token-that-nobody-made"}],
    "prepare_bookmark": [
        {"name": "here", "bbox": [1, 1, 2, 2]},
        {"name": "mine", "bbox": [1, 1, 2, 2], "store": "user"},
    ],
    "prepare_edit_features": [
        {
            "action": "set",
            "layer_id": "towns",
            "values": [{"field": "name", "value": "x"}],
            "options": {"save": True, "all_features": True},
        },
        {"action": "delete", "layer_id": "towns", "where": [{"field": "n", "op": "eq", "value": 1}]},
        {"action": "add", "layer_id": "towns", "features": [{"wkt": "POINT(3 3)"}], "options": {"save": True}},
        {
            "action": "geometry",
            "layer_id": "towns",
            "where": [{"field": "n", "op": "eq", "value": 1}],
            "features": [{"wkt": "POINT(5 5)"}],
        },
    ],
    "prepare_export_layer": [
        {"layer_id": "towns", "path": "new.gpkg", "format": "GPKG"},
        {"layer_id": "towns", "path": "new.csv", "format": "CSV"},
    ],
    "prepare_export_layout": [{"layout": "sheet", "path": "sheet.pdf"}],
    "prepare_export_table": [{"path": "table.csv", "rows": [{"a": 1}]}],
    "prepare_note": [{"text": "remember", "about": "project"}, {"text": "remember", "about": "person"}],
    "prepare_remove_layer": [{"layer_ids": ["towns"]}],
    "prepare_save_project": [{}, {"path": "other.qgz"}],
    "run_algorithm": [
        {"algorithm": "native:truncatetable", "parameters": {"INPUT": "towns"}},
        {"algorithm": "native:createspatialindex", "parameters": {"INPUT": "towns"}},
    ],
}
NOT_SHOWN = ("commit_action",)
"""What a person is not asked about: it commits what was agreed to, and nothing was."""


@pytest.fixture
def city(bench: Bench, tmp_path: Path) -> Iterator[Bench]:
    """A saved project with a layer of a GeoPackage and a layout, in the chat; the person says no."""
    rows = [(f"POINT({x} {x})", [x, f"p{x}"]) for x in range(1, 4)]
    source = memory_layer("Point?crs=EPSG:4326&field=n:integer&field=name:string", rows, "towns")
    options = QgsVectorFileWriter.SaveVectorOptions()
    context = QgsProject.instance().transformContext()
    QgsVectorFileWriter.writeAsVectorFormatV3(source, str(tmp_path / "towns.gpkg"), context, options)
    bench.add(QgsVectorLayer(str(tmp_path / "towns.gpkg"), "towns", "ogr"))
    bench.issue(caller="chat", level="full_access")
    bench.approver.answer = "deny"
    bench.ok("create_layout", name="sheet")
    assert bench.host.project.write(str(tmp_path / "city.qgs"))
    yield bench


def files(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below the folder, and of the notes and settings in the profile (not of the records, which tell
    of every call). SQLite's own helpers of an open database are not looked at."""
    found = {}
    profile = Path(QgsApplication.qgisSettingsDirPath()) / "qgis_agent"
    for within in (folder.rglob("*"), profile.glob("*")):
        for each in sorted(within):
            if each.is_file() and not each.name.endswith(("-wal", "-shm")):
                found[str(each)] = hashlib.sha256(each.read_bytes()).hexdigest()
    return found


def project_text(bench: Bench, folder: Path) -> str:
    """The project as it would be saved now, without the time of saving."""
    copy = QgsProject.instance()
    name, dirty = copy.fileName(), copy.isDirty()
    at = folder / "now.qgs"
    assert copy.write(str(at))
    text = at.read_text(encoding="utf-8")
    copy.setFileName(name)
    copy.setDirty(dirty)
    text = re.sub(r'saveDateTime="[^"]*"|saveUser(?:Full)?="[^"]*"', "", text)
    # Processing's provider of models adds its (empty) element once it has been loaded.
    return text.replace(str(folder), "").replace("now.qgs", "").replace("  <projectModels/>\n", "")


def test_b30_every_writing_tool_has_a_call_here() -> None:
    """A new tool that writes fails this until it is tried."""
    tools = load_all().values()
    writing = {each.name for each in tools if each.effect in ("write", "execute")}
    raised = {each.name for each in tools if each.effect_of is not None}
    assert writing | raised == set(CALLS)


@pytest.mark.parametrize("answer", ["deny", "no_answer", "session"])
@pytest.mark.parametrize(("name", "arguments"), [(name, each) for name, calls in CALLS.items() for each in calls])
def test_b30_a_no_changes_nothing(
    city: Bench, tmp_path_factory: Any, name: str, arguments: dict[str, Any], answer: str
) -> None:
    """The project as it would be saved, and the bytes of every file, in its folder and in the QGIS profile's notes."""
    aside = tmp_path_factory.mktemp("aside")
    project, before = project_text(city, aside), files(city.folder)
    dirty = city.host.project.isDirty()
    if answer == "session" and name == "run_algorithm":
        answer = "deny"  # there "session" is one yes; a write takes none
    if name == "commit_action":
        city.issue(caller="cli", level="full_access")
    city.approver.answer = answer
    envelope = city.call(name, **arguments)
    assert not envelope["ok"]
    assert envelope["code"] == ("CONFIRM_REQUIRED" if name in NOT_SHOWN else "PERMISSION_DENIED"), envelope
    assert len(city.approver.cards) == (0 if name in NOT_SHOWN else 1)
    assert project_text(city, aside) == project
    assert files(city.folder) == before
    assert city.host.project.isDirty() == dirty
    assert not any(each.isEditable() for each in city.host.project.mapLayers().values())


def test_b30_a_yes_does_change_something(city: Bench, tmp_path_factory: Any) -> None:
    """The same look sees a write that a person agreed to."""
    aside = tmp_path_factory.mktemp("aside")
    project, before = project_text(city, aside), files(city.folder)
    city.approver = city.calls.approver = Answering("once")
    assert city.ok("prepare_export_layer", **CALLS["prepare_export_layer"][0])["written"]
    assert files(city.folder) != before
    assert city.ok("prepare_remove_layer", layer_ids=["towns"])
    assert project_text(city, aside) != project
