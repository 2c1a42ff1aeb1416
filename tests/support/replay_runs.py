"""Runs of all packs, recorded as traces and replayed: the child process of tests/qgis/test_replay_traces.py.

``record FOLDER``           runs each of RUNS on a fresh copy of the sample and writes FOLDER/<name>.jsonl
``replay FOLDER OUT``       replays each and writes {name: {equal, steps, first_difference, error, state: its canonical bytes}} to OUT
``changed FOLDER OUT``      replays on copies that CHANGES makes, and writes {name: first difference} to OUT
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)] if str(ROOT) not in sys.path else []
SAMPLE = ROOT / "resources" / "sample"

Call = tuple[str, dict[str, Any]]


def _pack(name: str) -> Call:
    return ("request_tool_pack", {"pack": name})


PUPILS = [{"field": "pupils", "op": "gt", "value": 500}]
SAVED: dict[str, Any] = {"options": {"save": True}, "where": [{"field": "beds", "op": "gt", "value": 100}]}
RUNS: dict[str, list[Call]] = {
    # default
    "zoom": [("zoom_to", {"layer_id": "streets"}), ("highlight_features", {"layer_id": "streets"})],
    "filter_and_count": [
        ("set_layer_filter", {"layer_id": "schools", "where": PUPILS}),
        ("count_features", {"layer_id": "schools"}),
        ("toggle_layer", {"layer_id": "hospitals", "visible": True}),
    ],
    "select_and_measure": [
        ("select_features", {"layer_id": "districts", "where": [{"field": "pop", "op": "gt", "value": 0}]}),
        ("measure", {"method": "area", "layer_id": "districts", "use_selection": True}),
        ("summarize_field", {"layer_id": "schools", "field": "pupils"}),
    ],
    "graduated": [
        ("set_render_rule", {"layer_id": "schools", "method": "graduated", "field": "pupils", "classes": 4, "palette": "Reds"}),
        ("set_layer_label", {"layer_id": "schools", "visible": True, "field": "name"}),
    ],
    "categories_and_patch": [
        ("set_render_rule", {"layer_id": "schools", "method": "categorized", "field": "kind"}),
        ("patch_style", {"layer_id": "districts", "patch": {"opacity": 0.5}}),
        ("get_style", {"layer_id": "districts"}),
    ],
    "queries": [
        ("search_layers", {"query": "schools"}),
        ("describe_layer", {"layer_id": "schools"}),
        ("query_features", {"layer_id": "schools", "fields": ["name", "pupils"], "order_by": "pupils", "limit": 5}),
        ("list_values", {"layer_id": "schools", "field": "kind"}),
        ("query_features", {"layer_id": "nothing_of_that_name"}),
    ],
    # arrange
    "arrange_tree": [
        _pack("arrange"),
        ("group_layers", {"layer_ids": ["schools", "bus_stops"], "name": "points"}),
        ("rename_layer", {"layer_id": "schools", "name": "all schools"}),
        ("reorder_layer", {"layer_id": "dem", "position": "top"}),
    ],
    "arrange_view": [
        _pack("arrange"),
        ("zoom_to", {"layer_id": "districts"}),
        ("set_map_view", {"method": "zoom_in"}),
        ("set_map_view", {"scale": 20000, "center": [119.62, 30.36]}),
        ("set_map_view", {"rotation": 30}),
        ("set_map_view", {"method": "previous"}),
    ],
    "arrange_styles": [
        _pack("arrange"),
        ("set_render_rule", {"layer_id": "schools", "method": "single", "options": {"color": "#aa0000"}}),
        ("copy_style", {"layer_id": "schools", "to_layer_ids": ["hospitals"]}),
        ("set_legend", {"layer_id": "schools", "title": "Schools"}),
        ("revert_style", {"layer_id": "schools"}),
    ],
    # data
    "data_file": [
        _pack("data"),
        ("list_data_files", {}),
        ("add_vector_layer", {"path": "city.gpkg", "sublayer": "hospitals", "name": "clinics"}),
        ("count_features", {"layer_id": "clinics"}),
    ],
    "data_points": [
        _pack("data"),
        ("add_temp_layer", {"name": "places", "features": [{"wkt": "POINT(119.6 30.35)", "label": "a"}]}),
        ("zoom_to", {"layer_id": "places"}),
    ],
    # inspect
    "inspect": [
        _pack("inspect"),
        ("get_raster_info", {"layer_id": "dem"}),
        ("sample_raster", {"layer_id": "dem", "from_layer_id": "schools", "limit": 3}),
        ("set_raster_style", {"layer_id": "dem", "method": "pseudocolor", "palette": "Viridis"}),
        ("query_in_bbox", {"layer_id": "schools", "bbox": [119.5, 30.3, 119.7, 30.4], "fields": ["name"], "limit": 3}),
    ],
    # vector, overlay, join
    "buffer_twice": [
        _pack("vector"),
        ("buffer_layer", {"layer_id": "schools", "distance_m": 300}),
        ("buffer_layer", {"layer_id": "schools", "distance_m": 300, "dissolve": True}),
        ("select_features", {"layer_id": "schools_buffer_300_m", "where": PUPILS}),
    ],
    "density": [
        _pack("vector"),
        ("stat_by_polygon", {"polygon_layer_id": "streets", "layer_id": "schools"}),
        ("set_render_rule", {"layer_id": "schools_per_streets", "method": "graduated", "field": "density_per_km2", "classes": 3}),
        ("toggle_layer", {"layer_id": "hospitals", "visible": True}),
    ],
    "overlay": [
        _pack("overlay"),
        ("overlay_layers", {"layer_id": "streets", "operation": "intersection", "overlay_layer_id": "districts"}),
        ("dissolve_layer", {"layer_id": "districts"}),
    ],
    "joins": [
        _pack("join"),
        ("nearest_features", {"layer_id": "schools", "to_layer_id": "hospitals", "k": 1}),
        ("select_by_location", {"layer_id": "schools", "by_layer_id": "streets"}),
        ("spatial_join", {"layer_id": "schools", "join_layer_id": "districts", "fields": ["name"]}),
    ],
    # geometry
    "centroids": [
        _pack("geometry"),
        ("derive_geometry", {"layer_id": "districts", "kind": "centroid"}),
        ("reproject_layer", {"layer_id": "schools", "crs": "EPSG:32650"}),
    ],
    "calculated": [
        _pack("geometry"),
        ("calculate_field", {"layer_id": "districts", "field": "per_km2", "formula": "pop / $area * 1000000", "type": "number"}),
        ("merge_layers", {"layer_ids": ["schools", "hospitals"]}),
        ("check_geometries", {"layer_id": "districts"}),
    ],
    # raster
    "terrain": [
        _pack("raster"),
        ("raster_terrain", {"layer_id": "dem", "method": "slope"}),
        ("zonal_statistics", {"layer_id": "dem", "polygon_layer_id": "districts", "statistics": ["mean", "max"]}),
    ],
    "contours": [
        _pack("raster"),
        ("contour_raster", {"layer_id": "dem", "interval": 50}),
        ("clip_raster", {"layer_id": "dem", "mask_layer_id": "streets"}),
    ],
    # processing
    "algorithms": [
        _pack("processing"),
        ("search_algorithms", {"query": "bounding boxes"}),
        ("run_algorithm", {"algorithm": "native:boundingboxes", "parameters": {"INPUT": "districts"}, "name": "boxes"}),
        ("run_algorithm", {"algorithm": "native:nothing", "parameters": {}}),
    ],
    # layout
    "layout": [
        _pack("layout"),
        ("create_layout", {"name": "sheet", "template": "a4_landscape", "title": "Schools"}),
        ("describe_layout", {"layout": "sheet"}),
    ],
    # write: each of these has a commit
    "commit_export": [
        ("toggle_layer", {"layer_id": "hospitals", "visible": True}),
        ("prepare_export_layer", {"layer_id": "schools", "path": "{write}/schools.geojson", "format": "GeoJSON"}),
        ("count_features", {"layer_id": "schools"}),
    ],
    "commit_remove": [
        ("prepare_remove_layer", {"layer_ids": ["bus_stops"]}),
        ("zoom_to", {"layer_id": "schools"}),
    ],
    "commit_edit": [
        ("prepare_edit_features", {"layer_id": "hospitals", "action": "set", "values": [{"field": "beds", "value": 1}], **SAVED}),
        ("summarize_field", {"layer_id": "hospitals", "field": "beds"}),
        ("zoom_to", {"layer_id": "hospitals"}),
    ],
}  # fmt: skip


def turns_of(calls: list[Call], write: str) -> list[dict[str, Any]]:
    """A script: one call a turn, and a last word."""
    text = json.dumps(calls).replace("{write}", write)
    made = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in json.loads(text)]
    return [*made, {"text": "That is done."}]


def sample_copy() -> Path:
    """The sample project in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="replay-sample-"))
    shutil.copytree(SAMPLE, folder / "city")
    return folder / "city" / "city.qgz"


def _sql(*statements: str) -> Callable[[Path], None]:
    def change(project: Path) -> None:
        with sqlite3.connect(project.with_name("city.gpkg")) as base:
            triggers = base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for (name,) in triggers:  # they call functions of SpatiaLite, which Python's sqlite does not have
                base.execute('DROP TRIGGER "{}"'.format(name))
            for each in statements:
                base.execute(each)

    return change


def _opened(change: Callable[[Any], None]) -> Callable[[Path], None]:
    def apply(project: Path) -> None:
        from qgis.core import QgsProject

        opened = QgsProject()
        opened.read(str(project))
        change(opened)
        opened.write()
        opened.clear()

    return apply


def _higher(project: Path) -> None:
    """Every second row of the relief is 10 m higher: the slopes are others."""
    from osgeo import gdal

    data = gdal.Open(str(project.with_name("dem.tif")), gdal.GA_Update)
    values = data.GetRasterBand(1).ReadAsArray()
    values[::2] += 10
    data.GetRasterBand(1).WriteArray(values)
    data.FlushCache()


def _layer(project: Any, name: str) -> Any:
    return project.mapLayersByName(name)[0]


CHANGES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "a school is gone": ("filter_and_count", _sql("DELETE FROM schools WHERE pupils = (SELECT max(pupils) FROM schools)")),
    "pupils are others": ("queries", _sql("UPDATE schools SET pupils = pupils + 1")),
    "a kind is renamed": ("categories_and_patch", _sql("UPDATE schools SET kind = 'x' WHERE fid = 1")),
    "a school in a street is gone": ("density", _sql("DELETE FROM schools WHERE fid IN (SELECT fid FROM schools LIMIT 1)")),
    "districts have other people": ("calculated", _sql("UPDATE districts SET pop = pop * 2")),
    "a hospital is gone": ("joins", _sql("DELETE FROM hospitals WHERE fid = 1")),
    "the relief is higher": ("terrain", _higher),
    "the layer of step 2 is gone": ("joins", _opened(lambda p: p.removeMapLayer(_layer(p, "hospitals").id()))),
    "a visible layer is gone": ("zoom", _opened(lambda p: p.removeMapLayer(_layer(p, "streets").id()))),
    "a style is another": ("graduated", _opened(lambda p: _layer(p, "districts").setOpacity(0.25))),
}  # fmt: skip
"""What was changed in a copy of the project, the trace that is replayed on it, and the change."""


def record(folder: Path) -> None:
    """See the module."""
    from qgis.core import QgsProject

    from qgis_agent.gis.headless import HeadlessApprover, HeadlessQgis
    from qgis_agent.gis.host import Host, run_until
    from qgis_agent.gis.paths import PathPolicy
    from qgis_agent.gis.runs import RunController
    from qgis_agent.headless_commands import register_provider
    from qgis_agent.headless_traces import save_trace

    qgis = HeadlessQgis()
    register_provider()
    project = QgsProject.instance()
    write = folder / "written"
    write.mkdir(exist_ok=True)
    (folder / "records").mkdir(exist_ok=True)
    host = Host(project)
    controller = RunController(host, HeadlessApprover("all", True, []), records=folder / "records")
    only = os.environ.get("REPLAY_ONLY", "").split()
    for name, calls in RUNS.items():
        if only and name not in only:
            continue
        copy = sample_copy()
        project.read(str(copy))
        # Nobody is asked here: what is written, and which edits are saved, stays in these folders.
        host.paths = PathPolicy(project, write_roots=[str(write), str(copy.parent)])
        controller.new_conversation()
        controller.set_write_enabled(True)
        controller.configure_model({"kind": "script", "turns": turns_of(calls, str(write))})
        reports: list[dict[str, Any]] = []
        controller.finished.connect(reports.append)
        controller.start("do it: export, remove, edit and save what I ask for")
        if not run_until(lambda found=reports: bool(found), 60.0):
            raise SystemExit(f"{name} did not end")
        controller.finished.disconnect(reports.append)
        save_trace(controller, str(folder / f"{name}.jsonl"), reports[0]["trace_id"])
    controller.close()
    qgis.close()


def replay(folder: Path, out: Path) -> None:
    """See the module."""
    from qgis_agent.bridge.trace import canonical_json
    from qgis_agent.gis.headless import HeadlessQgis
    from qgis_agent.gis.replay.replayer import replay_traces
    from qgis_agent.gis.traces import load_traces
    from qgis_agent.headless_commands import register_provider

    qgis = HeadlessQgis()
    register_provider()
    told: dict[str, Any] = {}
    for name in RUNS:
        traces = load_traces(str(folder / f"{name}.jsonl"))
        report = replay_traces(traces, str(SAMPLE / "city.qgz"))
        kept = {key: report[key] for key in ("equal", "steps", "first_difference", "error")}
        told[name] = {**kept, "state": canonical_json(report["map_state"])}
    out.write_text(json.dumps(told), encoding="utf-8")
    qgis.close()


def changed(folder: Path, out: Path) -> None:
    """See the module."""
    from qgis_agent.gis.headless import HeadlessQgis
    from qgis_agent.gis.replay.replayer import replay_traces
    from qgis_agent.gis.traces import load_traces
    from qgis_agent.headless_commands import register_provider

    qgis = HeadlessQgis()
    register_provider()
    told: dict[str, Any] = {}
    for what, (name, change) in CHANGES.items():
        project = sample_copy()
        change(project)
        report = replay_traces(load_traces(str(folder / f"{name}.jsonl")), str(project))
        told[what] = {key: report[key] for key in ("equal", "first_difference", "error")}
    out.write_text(json.dumps(told), encoding="utf-8")
    qgis.close()


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    {"record": record, "replay": replay, "changed": changed}[what](*[Path(each) for each in paths])
    sys.stdout.flush()
    os._exit(0)
