"""For every tool that takes a layer or a field: a call that works on the project of ``test_scope_everywhere.py``.

Layers: ``people`` (points with kind, salary, id), ``zones`` (polygons with kind, salary, id), ``dem`` (a raster). A tool that is not
here fails the test that compares this table with the registry.
"""

from __future__ import annotations

from typing import Any

Arguments = dict[str, Any]
IDS = [{"field": "id", "op": "lt", "value": 9}]
SUM = [{"field": "salary", "function": "sum"}]

CALLS: dict[str, list[Arguments]] = {
    "add_layout_item": [{"layout": "sheet", "kind": "table", "layer_id": "people"}],
    "aggregate_layer": [
        {"layer_id": "people", "fields": ["kind"], "aggregates": SUM, "options": {"order_by": "kind"}},
    ],
    "buffer_layer": [{"layer_id": "people", "distance_m": 100}, {"layer_id": "zones", "distance_m": 9, "dissolve": True}],
    "calculate_field": [{"layer_id": "people", "field": "twice", "formula": '"salary" * 2'}],
    "check_geometries": [{"layer_id": "zones", "checks": ["validity", "duplicates", "overlaps"], "add_layer": True}],
    "clear_selection": [{"layer_id": "people"}],
    "clip_raster": [{"layer_id": "dem", "mask_layer_id": "zones"}],
    "contour_raster": [{"layer_id": "dem", "interval": 2}],
    "convert_raster_vector": [
        {"layer_id": "dem", "method": "points"},
        {"layer_id": "zones", "method": "raster", "field": "salary", "cell_size_m": 5_000},
    ],
    "copy_style": [{"layer_id": "plain", "to_layer_ids": ["people"], "part": "renderer"}],
    "count_features": [{"layer_id": "people", "group_by": "kind"}],
    "create_layout": [
        {"name": "atlas", "options": {"atlas_layer_id": "zones", "atlas_name_field": "kind", "table_layer_id": "people"}},
        {"name": "plain sheet", "options": {"atlas_layer_id": "zones"}},
    ],
    "derive_geometry": [
        {"layer_id": "people", "kind": "convex_hull", "options": {"per": "field", "field": "kind"}},
        {"layer_id": "zones", "kind": "centroid"},
        {"layer_id": "people", "kind": "voronoi"},
    ],
    "describe_layer": [{"layer_id": "people"}, {"layer_id": "zones"}],
    "dissolve_layer": [{"layer_id": "zones", "fields": ["kind"], "aggregates": SUM}],
    "fix_geometries": [{"layer_id": "zones"}],
    "get_raster_info": [{"layer_id": "dem"}],
    "get_style": [{"layer_id": "people"}, {"layer_id": "zones"}, {"layer_id": "people", "part": "labels"}],
    "group_layers": [{"layer_ids": ["people", "zones"], "name": "both"}],
    "heatmap_raster": [{"layer_id": "people", "radius_m": 20_000, "weight_field": "salary", "cell_size_m": 3_000}],
    "highlight_features": [{"layer_id": "people"}],
    "interpolate_points": [{"layer_id": "people", "field": "salary", "cell_size_m": 5_000}],
    "join_attribute": [
        {"layer_id": "people", "field": "id", "join_layer_id": "zones", "join_field": "id", "fields": ["kind"]},
        {"layer_id": "zones", "field": "id", "join_layer_id": "people", "join_field": "id"},
    ],
    "list_values": [{"layer_id": "people", "field": "kind"}],
    "measure": [{"layer_id": "people", "method": "distance", "other_layer_id": "zones"}, {"layer_id": "zones", "method": "area"}],
    "merge_layers": [{"layer_ids": ["people", "plain"], "source_field": "from_layer"}],
    "nearest_features": [
        {"layer_id": "people", "to_layer_id": "zones", "fields": ["kind"]},
        {"layer_id": "zones", "to_layer_id": "people"},
    ],
    "overlay_layers": [
        {"layer_id": "people", "operation": "clip", "overlay_layer_id": "zones"},
        {"layer_id": "zones", "operation": "intersection", "overlay_layer_id": "zones",
         "options": {"fields": ["kind"], "overlay_fields": ["salary"]}},
        {"layer_id": "people", "operation": "intersection", "overlay_layer_id": "zones"},
    ],
    "patch_style": [{"layer_id": "people", "patch": {"opacity": 0.5}}, {"layer_id": "zones", "patch": {"opacity": 0.5}}],
    "prepare_edit_features": [
        {"layer_id": "people", "action": "set", "where": IDS, "values": [{"field": "kind", "value": "z"}]},
        {"layer_id": "people", "action": "delete", "where": IDS},
    ],
    "prepare_export_layer": [
        {"layer_id": "people", "path": "out.geojson", "format": "GeoJSON"},
        {"layer_id": "zones", "path": "out.csv", "format": "CSV", "options": {"fields": ["kind"]}},
    ],
    "prepare_remove_layer": [{"layer_ids": ["people"]}],
    "query_features": [
        {"layer_id": "people", "limit": 20},
        {"layer_id": "zones", "fields": ["kind"], "order_by": "salary", "limit": 3},
    ],
    "query_in_bbox": [
        {"layer_id": "people", "bbox": [-1, -1, 20, 20]},
        {"layer_id": "people", "bbox": [-1, -1, 20, 20], "fields": ["kind"]},
    ],
    "raster_calculate": [{"layer_ids": ["dem"], "formula": "a * 2"}],
    "raster_terrain": [{"layer_id": "dem", "method": "slope"}],
    "read_chart_values": [{"layer_id": "people", "kind": "bar", "x": "kind", "y": "salary"}],
    "reclassify_raster": [{"layer_id": "dem", "table": [{"min": 0, "max": 5, "value": 1}, {"min": 5, "max": 500, "value": 2}]}],
    "refactor_fields": [
        {"layer_id": "people", "changes": [{"field": "kind", "name": "sort"}]},
        {"layer_id": "people", "changes": [], "keep": ["kind", "id"]},
    ],
    "rename_layer": [{"layer_id": "people", "name": "humans"}],
    "reorder_layer": [{"layer_id": "people", "position": "above", "other_layer_id": "zones"}],
    "reproject_layer": [{"layer_id": "people", "crs": "EPSG:3857"}],
    "resolve_place": [{"text": "a", "layer_id": "people"}],
    "revert_style": [{"layer_id": "people"}],
    "run_algorithm": [
        {"algorithm": "native:centroids", "parameters": {"INPUT": "zones", "ALL_PARTS": False}},
        {"algorithm": "native:extractbyattribute", "parameters": {"INPUT": "people", "FIELD": "kind", "OPERATOR": 0, "VALUE": "a"}},
        {"algorithm": "native:joinattributestable",
         "parameters": {"INPUT": "people", "FIELD": "id", "INPUT_2": "zones", "FIELD_2": "id"}},
    ],
    "sample_raster": [{"layer_id": "dem", "from_layer_id": "people"}],
    "select_by_location": [{"layer_id": "people", "by_layer_id": "zones"}],
    "select_features": [{"layer_id": "people", "where": IDS}],
    "set_layer_crs": [{"layer_id": "people", "crs": "EPSG:4490"}],
    "set_layer_encoding": [{"layer_id": "people", "encoding": "GBK"}, {"layer_id": "people"}],
    "set_layer_filter": [{"layer_id": "people", "where": IDS}],
    "set_layer_label": [{"layer_id": "people", "visible": True, "field": "kind"}, {"layer_id": "people", "visible": False}],
    "set_layout_item": [{"layout": "sheet", "item_id": "map", "options": {"fit_layer_id": "people"}}],
    "set_legend": [{"layer_id": "people", "title": "People"}, {"layer_id": "people", "labels": [{"id": "c1", "text": "x"}]}],
    "set_raster_style": [{"layer_id": "dem", "method": "gray"}],
    "set_render_rule": [
        {"layer_id": "people", "method": "categorized", "field": "kind"},
        {"layer_id": "people", "method": "graduated", "field": "salary"},
        {"layer_id": "people", "method": "single", "options": {"size": "salary"}},
    ],
    "spatial_join": [
        {"layer_id": "people", "join_layer_id": "zones", "fields": ["kind"]},
        {"layer_id": "zones", "join_layer_id": "people"},
    ],
    "stat_by_polygon": [{"polygon_layer_id": "zones", "layer_id": "people", "aggregates": SUM}],
    "summarize_field": [{"layer_id": "people", "field": "salary"}],
    "toggle_layer": [{"layer_id": "people", "visible": False}],
    "zonal_statistics": [{"polygon_layer_id": "zones", "layer_id": "dem"}],
    "zoom_to": [{"layer_id": "people"}],
}  # fmt: skip

NAMES_TO_MAKE = {("calculate_field", "field"), ("merge_layers", "source_field"), ("refactor_fields", "name")}
"""Parameters that name a field to be made, not one that is read."""

FIELD_WORDS = ("field", "fields", "group_by", "order_by", "x", "y", "keep")
"""A parameter of one of these names, or one that ends with "_field" or "_fields", names fields."""

NO_DATA = {
    "search_algorithms",
    "describe_algorithm",
    "list_data_files",
    "get_map_state",
    "set_map_view",
    "describe_layout",
}
"""Tools without a parameter for a layer that tell something of the project or the disk all the same."""


def names_fields(key: str) -> bool:
    """Whether a parameter of this name names fields."""
    return key in FIELD_WORDS or key.endswith(("_field", "_fields"))


def names_layers(key: str) -> bool:
    """Whether a parameter of this name names layers."""
    return key.endswith(("layer_id", "layer_ids"))


def keys_of(schema: Any) -> set[str]:
    """All names of parameters in a schema, at any depth."""
    found: set[str] = set()
    if isinstance(schema, dict):
        properties = schema.get("properties")
        found |= set(properties) if isinstance(properties, dict) else set()
        for each in schema.values():
            found |= keys_of(each)
    elif isinstance(schema, list):
        for each in schema:
            found |= keys_of(each)
    return found


def places(node: Any, wanted: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths in arguments of the texts below a key that ``wanted``."""
    found: list[tuple[Any, ...]] = []
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        here = (*path, key)
        named = next((each for each in reversed(here) if isinstance(each, str)), "")
        if isinstance(value, str) and wanted(named):
            found.append(here)
        found += places(value, wanted, here)
    return found


def replaced(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The arguments with another value at a path."""
    if not path:
        return value
    if isinstance(node, dict):
        return {key: replaced(each, path[1:], value) if key == path[0] else each for key, each in node.items()}
    return [replaced(each, path[1:], value) if at == path[0] else each for at, each in enumerate(node)]
