"""A valid call of every tool on the layers of ``hostile_calls.add_layers``, and every place in it that takes a text."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

BBOX = [-0.001, -0.001, 0.01, 0.01]
WHERE = [{"field": "name", "op": "eq", "value": "v1"}]
MEAN = [{"field": "n", "function": "mean"}]
HANDLE = "{handle}"
BASE: Mapping[str, Mapping[str, Any]] = {
    "add_layout_item": {"layout": "sheet", "kind": "text", "text": "hello"},
    "add_raster_layer": {"path": "cells.tif"},
    "add_service_layer": {"kind": "wfs", "url": "http://127.0.0.1:1/wfs", "layer": "stops"},
    "add_table_layer": {"path": "table.csv"},
    "add_temp_layer": {"name": "drawn", "features": [{"wkt": "POINT(0 0)", "label": "a"}]},
    "add_vector_layer": {"path": "points.gpkg"},
    "aggregate_layer": {"layer_id": "points", "fields": ["name"], "aggregates": MEAN, "where": WHERE},
    "ask_user": {"question": "Which?", "options": ["a", "b"]},
    "buffer_layer": {"layer_id": "points", "distance_m": 5, "where": WHERE},
    "calculate_field": {"layer_id": "points", "field": "twice", "formula": '"n" * 2'},
    "check_geometries": {"layer_id": "polygons", "where": WHERE},
    "clear_selection": {"layer_id": "points"},
    "clear_temp_layers": {},
    "clip_raster": {"layer_id": "cells", "mask_layer_id": "polygons", "where": WHERE},
    "commit_action": {"confirm_token": "A" * 32},
    "contour_raster": {"layer_id": "cells", "interval": 20},
    "convert_raster_vector": {"layer_id": "cells", "method": "points"},
    "copy_style": {"layer_id": "points", "to_layer_ids": ["points2"]},
    "count_features": {"layer_id": "points", "group_by": "name", "where": WHERE},
    "create_layout": {"name": "another", "title": "City"},
    "derive_geometry": {"layer_id": "polygons", "kind": "centroid", "where": WHERE},
    "describe_algorithm": {"algorithm": "native:buffer"},
    "describe_layer": {"layer_id": "points"},
    "describe_layout": {"layout": "sheet"},
    "dissolve_layer": {"layer_id": "polygons", "fields": ["name"], "aggregates": MEAN, "where": WHERE},
    "fetch_result": {"result_ref": HANDLE},
    "fix_geometries": {"layer_id": "polygons", "where": WHERE},
    "get_map_state": {},
    "get_raster_info": {"layer_id": "cells"},
    "get_style": {"layer_id": "points"},
    "group_layers": {"layer_ids": ["points"], "name": "together"},
    "heatmap_raster": {"layer_id": "points", "radius_m": 20, "weight_field": "n", "where": WHERE},
    "highlight_features": {"layer_id": "points", "where": WHERE},
    "inspect_data_file": {"path": "points.gpkg"},
    "interpolate_points": {"layer_id": "points", "field": "n"},
    "join_attribute": {"layer_id": "points", "field": "name", "join_layer_id": "points2", "join_field": "name"},
    "list_data_files": {"folder": ""},
    "list_values": {"layer_id": "points", "field": "name", "contains": "v", "where": WHERE},
    "make_chart": {"kind": "bar", "layer_id": "points", "x": "name", "y": "n", "title": "Chart"},
    "measure": {"layer_id": "lines", "method": "length", "where": WHERE},
    "merge_layers": {"layer_ids": ["points", "points2"]},
    "nearest_features": {"layer_id": "points", "to_layer_id": "points2", "fields": ["name"]},
    "overlay_layers": {"layer_id": "points", "operation": "clip", "overlay_layer_id": "polygons"},
    "patch_style": {"layer_id": "points", "patch": {"legend": {"title": "Points"}}},
    "prepare_bookmark": {"name": "here", "bbox": BBOX},
    "prepare_edit_features": {"layer_id": "points", "action": "set", "where": WHERE, "values": [{"field": "name", "value": "w"}]},
    "prepare_export_layer": {"layer_id": "points", "path": "new.gpkg"},
    "prepare_export_layout": {"layout": "sheet", "path": "new.pdf"},
    "prepare_export_table": {"path": "new.csv", "rows": [{"n": 1}]},
    "prepare_note": {"text": "metres, please", "about": "project"},
    "prepare_remove_layer": {"layer_ids": ["points"]},
    "prepare_save_project": {"path": "copy.qgz"},
    "query_features": {"layer_id": "points", "fields": ["name"], "order_by": "name", "where": WHERE},
    "query_in_bbox": {"layer_id": "points", "bbox": BBOX, "fields": ["name"], "where": WHERE},
    "raster_calculate": {"layer_ids": ["cells"], "formula": "A * 2"},
    "raster_terrain": {"layer_id": "cells", "method": "slope"},
    "read_chart_values": {"kind": "bar", "layer_id": "points", "x": "name", "y": "n"},
    "reclassify_raster": {"layer_id": "cells", "table": [{"min": 0, "max": 50, "value": 1}]},
    "refactor_fields": {"layer_id": "points", "changes": [{"field": "n", "name": "m"}]},
    "rename_layer": {"layer_id": "points", "name": "points of the city"},
    "reorder_layer": {"layer_id": "points", "other_layer_id": "lines", "position": "above"},
    "reproject_layer": {"layer_id": "points", "crs": "EPSG:4326", "where": WHERE},
    "request_tool_pack": {"pack": "vector"},
    "resolve_place": {"text": "v1", "layer_id": "polygons"},
    "resolve_reference": {"text": "polygons"},
    "revert_style": {"layer_id": "points", "rule_id": "{rule}"},
    "run_algorithm": {"algorithm": "native:centroids", "parameters": {"INPUT": "points"}, "name": "centres"},
    "run_subagent": {"task": "count the points", "packs": ["inspect"]},
    "sample_raster": {"layer_id": "cells", "from_layer_id": "points", "where": WHERE},
    "search_algorithms": {"query": "buffer"},
    "search_layers": {"query": "points"},
    "select_by_location": {"layer_id": "points", "by_layer_id": "polygons"},
    "select_features": {"layer_id": "points", "where": WHERE},
    "set_layer_crs": {"layer_id": "bare", "crs": "EPSG:3857"},
    "set_layer_encoding": {"layer_id": "shape"},
    "set_layer_filter": {"layer_id": "points", "where": WHERE},
    "set_layer_label": {"layer_id": "points", "field": "name", "visible": True},
    "set_layout_item": {"layout": "sheet", "item_id": "title", "text": "City"},
    "set_legend": {"layer_id": "points", "title": "Points"},
    "set_map_view": {"method": "zoom_in"},
    "set_raster_style": {"layer_id": "cells", "method": "gray"},
    "set_render_rule": {"layer_id": "points", "method": "categorized", "field": "name"},
    "spatial_join": {"layer_id": "points", "join_layer_id": "polygons", "fields": ["name"]},
    "stat_by_polygon": {"layer_id": "points", "polygon_layer_id": "polygons", "where": WHERE},
    "summarize_field": {"layer_id": "points", "field": "n", "where": WHERE},
    "toggle_layer": {"layer_id": "points", "visible": True},
    "update_plan": {"steps": [{"title": "count", "tool": "count_features", "target": "points"}]},
    "zonal_statistics": {"layer_id": "cells", "polygon_layer_id": "polygons", "where": WHERE},
    "zoom_to": {"layer_id": "points", "where": WHERE},
}  # fmt: skip
"""By the name of the tool. A tool without one fails the test."""
ASKED = ("PERMISSION_DENIED", "CONFIRM_REQUIRED")
"""How a valid call ends whose handler came as far as the person's click, who says no."""

Path_ = tuple[str | int, ...]


def slots(schema: Mapping[str, Any]) -> Iterator[Path_]:
    """Every place of a tool's arguments that takes a text, as keys and positions from the top."""
    yield from _slots(schema, ())


def _slots(node: Mapping[str, Any], path: Path_) -> Iterator[Path_]:
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "string" in kinds:
        yield path
    for name, each in node.get("properties", {}).items():
        yield from _slots(each, (*path, name))
    if "object" in kinds and not node.get("properties"):
        yield (*path, "INPUT")
    if "items" in node and not ("string" in kinds and path):
        yield from _slots(node["items"], (*path, 0))
    for each in node.get("anyOf", []):
        yield from _slots(each, path)


def with_text(base: Mapping[str, Any], path: Path_, text: Any) -> dict[str, Any]:
    """The arguments with the text in one place; what the place needs around it is made."""
    made: Any = copy.deepcopy(dict(base))
    node = made
    for at, key in enumerate(path[:-1]):
        empty: Any = [] if isinstance(path[at + 1], int) else {}
        if isinstance(key, int):
            while len(node) <= key:
                node.append(copy.deepcopy(empty))
        elif not isinstance(node.get(key), type(empty)):
            node[key] = empty
        node = node[key]
    last = path[-1]
    if isinstance(last, int):
        node[last:] = [text]
    else:
        node[last] = text
    return made  # type: ignore[no-any-return]


def forms(inside: Path, outside: Path, port: int, marker: str) -> dict[str, str]:
    """The twelve hostile forms by name. ``inside`` is the project's folder, ``outside`` holds secret.csv."""
    url = f"http://127.0.0.1:{port}/{marker}"
    return {
        "url": url,
        "up": os.path.relpath(outside / "secret.csv", inside),
        "link": "link.csv",
        "vsicurl": f"/vsicurl/{url}.tif",
        "vrt": f'<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand band="1"><SimpleSource><SourceFilename>/vsicurl/{url}'
        "</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>",
        "driver": f"PG:host=127.0.0.1 port={port} dbname={marker}",
        "template": "[% env('QGIS_AGENT_CANARY') %]",
        "expression": "env('QGIS_AGENT_CANARY')",
        "sql": f"n\" FROM points; ATTACH '{outside}/{marker}.db' AS x; --",
        "existing": str(inside / "points.gpkg"),
        "html": f"<img src='{url}'>",
        "megabyte": marker + "A" * 1_000_000,
    }
