"""Five runs recorded in the real QGIS, with a window and what a person did by hand, are replayed headless (Must show 2)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from desktop_harness import REPO, Outcome, run_qgis, scripted, why_not

pytestmark = [pytest.mark.skipif(bool(why_not()), reason=why_not()), pytest.mark.timeout(300)]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """A turn of the model with one call."""
    return {"text": "", "tool_calls": [{"name": name, "arguments": arguments}]}


DONE = {"text": "That is done."}
TURNS = [
    *scripted("golden_1.json"),
    call("set_map_view", method="zoom_in"),
    call("zoom_to", layer_id="districts"),
    call("set_map_view", scale=30000, center=[119.62, 30.36]),
    call("set_map_view", method="previous"),
    DONE,
    call("buffer_layer", layer_id="schools", distance_m=250),
    call("select_features", layer_id="schools_buffer_250_m", where=[{"field": "pupils", "op": "gt", "value": 300}]),
    call("set_layer_filter", layer_id="bus_stops", where=[{"field": "name", "op": "not_null"}]),
    DONE,
    call("set_render_rule", layer_id="schools", method="graduated", field="pupils", classes=4, palette="Blues"),
    call("set_layer_label", layer_id="schools", visible=True, field="name"),
    DONE,
    call("request_tool_pack", pack="inspect"),
    call("set_raster_style", layer_id="dem", method="pseudocolor", palette="Viridis"),
    call("contour_raster", layer_id="dem", interval=50),
    DONE,
]
ASKED = [
    ["查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院", "select"],
    ["move the map a little: zoom in, out, scale and back, pan", "zoom"],
    ["buffer the schools and select and filter the vector layers", ""],
    ["colour the schools by pupils and label them", "hide"],
    ["colour the elevation raster, inspect it, and make contours", ""],
]
TOOLS = [
    ["resolve_place", "stat_by_polygon", "set_render_rule", "toggle_layer", "zoom_to"],
    ["set_map_view", "zoom_to", "set_map_view", "set_map_view"],
    ["buffer_layer", "select_features", "set_layer_filter"],
    ["set_render_rule", "set_layer_label"],
    ["request_tool_pack", "set_raster_style", "contour_raster"],
]


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    folder = tmp_path_factory.mktemp("traces")
    return run_qgis(folder, ["traces"], prefix="t_", turns=TURNS, more={"asked": ASKED}), folder


def test_each_run_is_saved_from_its_menu(desktop: tuple[Outcome, Path]) -> None:
    seen = desktop[0].step("traces")
    assert [[ok, [name for name, _ok in steps]] for ok, steps in seen["reports"]] == [[True, each] for each in TOOLS]
    assert [name for _done, steps in seen["reports"] for name, ok in steps if not ok] == []
    assert [each.rsplit("/", 1)[-1] for each in seen["written"]] == [f"{number}.jsonl" for number in range(1, 6)]
    assert desktop[0].errors == ""


def test_the_menu_replays_on_a_copy_and_says_that_it_is_equal(desktop: tuple[Outcome, Path]) -> None:
    seen = desktop[0].step("traces")
    assert seen["replayed"].startswith("The replay is equal"), seen["replayed"]
    assert len(seen["layers"]) == len(set(seen["layers"])), "the copy has added nothing to the person's project"


def test_the_five_replay_headless_to_the_same_map(desktop: tuple[Outcome, Path], tmp_path: Path) -> None:
    _outcome, folder = desktop
    lines = [(folder / "traces" / f"{number}.jsonl").read_text(encoding="utf-8") for number in range(1, 6)]
    assert all(each.count("\n") == 1 for each in lines)
    path = tmp_path / "five.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    project = str(folder / "project" / "city.qgz")
    command = [str(REPO / ".venv/bin/python"), "-m", "qgis_agent", "replay", str(path), "--project", project, "--json"]
    found = []
    for _ in range(2):
        done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=200, check=False)
        report = json.loads(done.stdout)
        assert (done.returncode, report["equal"]) == (0, True), report["first_difference"]
        found.append([each["digest"] for each in report["replays"]])
    assert found[0] == found[1] and len(set(found[0])) == 5
    started = [json.loads(each)["start"]["size"] for each in lines]
    assert all(width > 300 and height > 300 for width, height in started), "a window's own size, not the command line's"
