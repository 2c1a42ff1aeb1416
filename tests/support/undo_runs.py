"""Forty runs that together use every tool that changes something. Data: what is called, and what a person does in between.

A step is (tool, arguments); arguments may be a function of the results of the run's earlier steps. ``earlier``: steps of a
run before it, which is not undone. ``person``: a name in undo_persons; it happens after the first step. ``stays``: what an
undo cannot take back, as the card of that step says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Union

Arguments = Union[dict[str, Any], Callable[[list[dict[str, Any]]], dict[str, Any]]]
Step = tuple[str, Arguments]


class Run(NamedTuple):
    """See the module."""

    name: str
    steps: list[Step]
    person: str = ""
    earlier: tuple[Step, ...] = ()
    caller: str = "chat"
    stays: tuple[str, ...] = ()


def where(field: str, op: str, value: Any) -> list[dict[str, Any]]:
    """One condition."""
    return [{"field": field, "op": op, "value": value}]


SAVE = {"save": True}
BOX = [120.93, 29.81, 120.94, 29.82]
VIEW: list[Run] = [
    Run("colour", [("set_render_rule", {"layer_id": "areas", "method": "categorized", "field": "code"})], "style"),
    Run(
        "classes and legend",
        [
            ("set_render_rule", {"layer_id": "points", "method": "graduated", "field": "v", "classes": 3}),
            ("set_legend", {"layer_id": "points", "title": "Values", "show_counts": True}),
            ("patch_style", {"layer_id": "points", "patch": {"opacity": 0.5}}),
        ],
        "rename",
    ),
    Run(
        "labels and copied look",
        [
            ("set_layer_label", {"layer_id": "areas", "visible": True, "field": "code"}),
            ("copy_style", {"layer_id": "shops", "to_layer_ids": ["points"]}),
        ],
    ),
    Run(
        "styled and reverted",
        [
            ("set_render_rule", {"layer_id": "areas", "method": "single", "options": {"color": "#123456"}}),
            ("set_layer_label", {"layer_id": "areas", "visible": True, "field": "code"}),
            ("revert_style", {"layer_id": "areas"}),
        ],
        "hide",
    ),
    Run(
        "an earlier look reverted",
        [("revert_style", {"layer_id": "areas"})],
        earlier=(("set_render_rule", {"layer_id": "areas", "method": "single", "options": {"color": "#654321"}}),),
    ),
    Run(
        "raster look",
        [("set_raster_style", {"layer_id": "dem", "method": "pseudocolor", "palette": "Viridis"})],
        "move",
    ),
    Run(
        "tree",
        [
            ("toggle_layer", {"layer_id": "bowtie", "visible": False}),
            ("rename_layer", {"layer_id": "areas", "name": "districts"}),
            ("reorder_layer", {"layer_id": "points", "position": "bottom"}),
            ("group_layers", {"layer_ids": ["points", "bowtie"], "name": "together"}),
        ],
    ),
    Run("grouped out of a group", [("group_layers", {"layer_ids": ["areas", "shops"], "name": "new"})], "add"),
    Run(
        "selections",
        [
            ("select_features", {"layer_id": "areas", "where": where("n", "gte", 2)}),
            ("select_by_location", {"layer_id": "points", "by_layer_id": "areas"}),
            ("clear_selection", {"layer_id": "areas"}),
        ],
        "select",
    ),
    Run("nothing selected", [("clear_selection", {})], "edit"),
    Run("highlighted", [("highlight_features", {"layer_id": "areas", "where": where("n", "eq", 1)})]),
    Run("filter", [("set_layer_filter", {"layer_id": "areas", "where": where("n", "lt", 2)})], "theme"),
    Run(
        "filter within a filter",
        [
            ("set_layer_filter", {"layer_id": "roads", "where": where("n", "eq", 1)}),
            ("set_layer_filter", {"layer_id": "roads", "where": []}),
            ("set_layer_filter", {"layer_id": "roads", "where": where("n", "eq", 2)}),
        ],
    ),
    Run("zoomed", [("zoom_to", {"layer_id": "points"}), ("set_map_view", {"method": "zoom_in"})], "group"),
    Run("turned", [("set_map_view", {"rotation": 30.0, "scale": 5000.0}), ("zoom_to", {"layer_id": "areas"})]),
    Run("crs stated", [("set_layer_crs", {"layer_id": "nocrs", "crs": "EPSG:32651"})], "look"),
    Run("encoding stated", [("set_layer_encoding", {"layer_id": "coded", "encoding": "GBK"})], "bookmark"),
]
MADE: list[Run] = [
    Run(
        "layers from files",
        [
            ("add_vector_layer", {"path": "shops.gpkg", "name": "again"}),
            ("add_table_layer", {"path": "table.csv"}),
            ("add_raster_layer", {"path": "dem.tif", "name": "dem again"}),
        ],
        "layout",
    ),
    Run("a service", [("add_service_layer", {"kind": "xyz", "url": "{server}/{z}/{x}/{y}.png", "name": "tiles"})]),
    Run(
        "a drawn layer",
        [("add_temp_layer", {"name": "drawn", "features": [{"wkt": "POINT(120.93 29.81)"}]})],
        "variable",
    ),
    Run(
        "buffer, styled",
        [
            ("buffer_layer", {"layer_id": "points", "distance_m": 20.0}),
            (
                "set_render_rule",
                lambda done: {"layer_id": done[0]["layer_id"], "method": "single", "options": {"color": "#ff8800"}},
            ),
            ("rename_layer", lambda done: {"layer_id": done[0]["layer_id"], "name": "near"}),
            ("zoom_to", lambda done: {"layer_id": done[0]["layer_id"]}),
        ],
        "filtered",
    ),
    Run(
        "overlays",
        [
            (
                "overlay_layers",
                {
                    "layer_id": "areas",
                    "overlay_layer_id": "bowtie",
                    "operation": "intersection",
                    "overlay_where": where("n", "eq", 2),
                },
            ),
            ("dissolve_layer", {"layer_id": "areas"}),
            ("merge_layers", {"layer_ids": ["points", "shops"]}),
        ],
    ),
    Run(
        "joins",
        [
            ("spatial_join", {"layer_id": "shops", "join_layer_id": "areas"}),
            ("join_attribute", {"layer_id": "areas", "field": "code", "join_layer_id": "points", "join_field": "code"}),
            ("nearest_features", {"layer_id": "shops", "to_layer_id": "points"}),
        ],
        "background",
    ),
    Run(
        "numbers",
        [
            ("stat_by_polygon", {"layer_id": "points", "polygon_layer_id": "areas"}),
            ("zonal_statistics", {"layer_id": "dem", "polygon_layer_id": "areas", "statistics": ["mean"]}),
            (
                "aggregate_layer",
                {"layer_id": "points", "fields": ["kind"], "aggregates": [{"field": "v", "function": "sum"}]},
            ),
        ],
    ),
    Run(
        "fields and shapes",
        [
            ("calculate_field", {"layer_id": "areas", "field": "twice", "formula": '"n" * 2', "type": "integer"}),
            ("refactor_fields", {"layer_id": "areas", "changes": [{"field": "n", "name": "number"}]}),
            ("derive_geometry", {"layer_id": "areas", "kind": "centroid"}),
            ("reproject_layer", {"layer_id": "areas", "crs": "EPSG:4326"}),
        ],
        "style",
    ),
    Run(
        "repairs",
        [("check_geometries", {"layer_id": "bowtie", "add_layer": True}), ("fix_geometries", {"layer_id": "bowtie"})],
    ),
    Run(
        "terrain",
        [
            ("raster_terrain", {"layer_id": "dem", "method": "slope"}),
            ("contour_raster", {"layer_id": "dem", "interval": 20.0}),
            ("reclassify_raster", {"layer_id": "dem", "table": [{"min": 0.0, "max": 120.0, "value": 1.0}]}),
            ("raster_calculate", {"layer_ids": ["dem"], "formula": "A * 2"}),
        ],
        "save_rows",
    ),
    Run(
        "rasters",
        [
            ("clip_raster", {"layer_id": "dem", "mask_layer_id": "areas", "where": where("n", "eq", 0)}),
            ("convert_raster_vector", {"layer_id": "classes", "method": "polygons"}),
            ("heatmap_raster", {"layer_id": "points", "radius_m": 50.0, "cell_size_m": 10.0}),
            ("interpolate_points", {"layer_id": "points", "field": "v", "cell_size_m": 20.0}),
        ],
    ),
    Run(
        "any algorithm",
        [("run_algorithm", {"algorithm": "native:centroids", "parameters": {"INPUT": "areas"}, "name": "centres"})],
        "rename",
    ),
    Run(
        "temporary layers cleared",
        [("clear_temp_layers", {})],
        earlier=(
            ("buffer_layer", {"layer_id": "points", "distance_m": 10.0}),
            ("dissolve_layer", {"layer_id": "areas"}),
        ),
    ),
    Run(
        "a layout",
        [
            ("create_layout", {"name": "sheet", "title": "Title"}),
            ("add_layout_item", {"layout": "sheet", "kind": "text", "text": "more"}),
        ],
        "move",
    ),
    Run(
        "a person's layout changed",
        [
            ("add_layout_item", {"layout": "mine", "kind": "text", "text": "more"}),
            ("set_layout_item", {"layout": "mine", "item_id": "map", "options": {"width": 150.0}}),
        ],
    ),
]
WRITTEN: list[Run] = [
    Run(
        "exports",
        [
            ("prepare_export_layer", {"layer_id": "areas", "path": "out.shp", "format": "ESRI Shapefile"}),
            ("prepare_export_layer", {"layer_id": "dem", "path": "out.tif"}),
            ("prepare_export_table", {"path": "rows.csv", "rows": [{"a": 1}]}),
            ("prepare_export_layout", {"layout": "mine", "path": "mine.png", "format": "png", "dpi": 72}),
        ],
        "select",
    ),
    Run(
        "committed by token",
        [("prepare_export_layer", {"layer_id": "shops", "path": "token.gpkg"}), ("commit_action", {})],
        caller="cli",
    ),
    Run(
        "edits in a GeoPackage",
        [
            (
                "prepare_edit_features",
                {
                    "layer_id": "areas",
                    "action": "set",
                    "where": where("n", "gte", 2),
                    "values": [{"field": "code", "value": "b"}],
                    "options": SAVE,
                },
            ),
            (
                "prepare_edit_features",
                {"layer_id": "areas", "action": "delete", "where": where("n", "eq", 0), "options": SAVE},
            ),
        ],
        "edit",
    ),
    Run(
        "edits in a shapefile and in memory",
        [
            (
                "prepare_edit_features",
                {"layer_id": "roads", "action": "delete", "where": where("n", "eq", 0), "options": SAVE},
            ),
            (
                "prepare_edit_features",
                {
                    "layer_id": "points",
                    "action": "set",
                    "where": where("n", "gte", 6),
                    "values": [{"field": "kind", "value": "q"}],
                    "options": SAVE,
                },
            ),
        ],
    ),
    Run(
        "rows deleted in memory",
        [
            (
                "prepare_edit_features",
                {"layer_id": "points", "action": "delete", "where": where("n", "lt", 3), "options": SAVE},
            )
        ],
        "save_rows",
    ),
    Run(
        "edits that are not saved",
        [
            (
                "prepare_edit_features",
                {
                    "layer_id": "points",
                    "action": "set",
                    "where": where("n", "gte", 6),
                    "values": [{"field": "kind", "value": "q"}],
                },
            ),
            (
                "prepare_edit_features",
                {
                    "layer_id": "areas",
                    "action": "add",
                    "features": [{"wkt": "POLYGON((120.93 29.8, 120.94 29.8, 120.94 29.81, 120.93 29.8))"}],
                },
            ),
        ],
        "variable",
    ),
    Run(
        "bookmarks and notes",
        [
            ("prepare_bookmark", {"name": "new", "bbox": BOX}),
            ("prepare_bookmark", {"name": "centre", "action": "remove"}),
            ("prepare_bookmark", {"name": "of the person", "bbox": BOX, "store": "user"}),
            ("prepare_note", {"about": "project", "text": "areas are districts"}),
        ],
    ),
    Run(
        "layers removed, one put back",
        [
            ("prepare_remove_layer", {"layer_ids": ["areas", "points"]}),
            ("prepare_remove_layer", {"layer_ids": ["points"], "restore": True}),
            ("prepare_remove_layer", {"layer_ids": ["shops"]}),
        ],
        "group",
    ),
    Run(
        "project saved",
        [
            ("toggle_layer", {"layer_id": "roads", "visible": False}),
            ("prepare_save_project", {}),
            ("prepare_save_project", {"path": "other.qgz"}),
        ],
        "background",
    ),
    Run(
        "an algorithm that empties a layer",
        [
            ("toggle_layer", {"layer_id": "roads", "visible": False}),
            ("run_algorithm", {"algorithm": "native:truncatetable", "parameters": {"INPUT": "bowtie"}}),
        ],
        stays=("/layers/bowtie/rows", "/layers/bowtie/shown"),
    ),
]
RUNS: list[Run] = [*VIEW, *MADE, *WRITTEN]
