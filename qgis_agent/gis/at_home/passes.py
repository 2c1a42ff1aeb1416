"""What passes of the results of tools when attribute values stay at home: by the path of each value, and nothing else.

A path names keys with dots between them; "[]" stands for the entries of a list, "*" for any key, "**" for all below. Passed are
counts, sizes that are measured from geometry (lengths, areas, distances, boxes), how it was done, and names of layers, fields,
files and layouts. Not passed: values of attributes and of raster cells, labels, classes and their limits, conditions and filters
(they hold values), and every number that is computed from values, be it a smallest one, a mean or a sum.

A path that is not here does not pass: a new key of a result has to be thought about first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import FrozenSet, Mapping, Tuple

_COUNTS = (
    "count count_kind total total_count total_groups total_distinct total_classes total_changed total_cells feature_count "
    "input_count overlay_count row_count layer_feature_count features matched unmatched unchanged multiple pairs returned "
    "returned_rows selected before_count highlighted cleared created dissolved groups join_features join_unused rows_in rows_out "
    "without_key duplicate_keys without_geometry null_count nulls nulls_left_out with_value not_drawn ties points polygons outside "
    "on_border nodata valid_cells nodata_cells undefined_cells overlap_cells input_valid_cells cells_in_no_range checked_count "
    "invalid_before repaired problems dropped distinct_values vertices vertices_before parts_before points_used duplicates distinct "
    "zones_without_cell zones_weighted compared bands band_count band columns_count pages "
    "earlier_changes bookmarks lines levels left_out used k "
    "visible_more cursor next unreadable_geometries"
)
_SIZES = (
    "area_m2 area_m2_before area_km2 input_area_km2 overlay_area_km2 total_area_km2 length_m length_m_before length_km "
    "total_length_km distance_m moved_km accuracy_m nearest_min_m nearest_mean_m nearest_max_m share_percent nodata_share "
    "beyond_hull_share cell_size_m radius_m scale rotation bytes dpi opacity"
)
_HOW = (
    "method area_method length_method how rule computed checked crs crs_name crs_before crs_used crs_unit crs_kind operation "
    "predicate mode kind kernel grid boundaries unit z_unit z_factor type geometry geometry_type provider driver compression "
    "stats_kind encoding separator decimal format action store about position method value_is name_field "
    "palette classification colorblind_safe blend algorithm output formula placement visible written armed saved reversible "
    "changed assumed certain show_counts spatial_index effect time_zone now modified"
)
_NAMES = (
    "layer_id name layer layer_ids to_layer_id other_layer_id by_layer_id field group_by file path folder kept_in layout item_id "
    "rule_id group below_layer above_layer source_field coverage_layer project title result_ref confirm_token expires_s"
)
_LISTS = (
    "bbox[] view_bbox[] extent[] middle_now[] middle_before[] size[] cell_size[] cell_size_m[] page_mm[] algorithm[] fields[] "
    "columns[] added_fields[] layer_ids[] visible[] sorted_by[] reverted[] lost_when_qgis_closes[] renamed_fields[] "
    "fields[].name fields[].type fields[].alias fields[].length fields[].hidden layers[].layer_id layers[].cleared "
    "layers[].name layers[].kind recent[].layer_id recent[].what selection.* copied[].layer_id copied[].rule_id "
    "parts[].layer_id parts[].feature_count inputs[].layer_id inputs[].feature_count counts.* halo.color halo.size "
    "sublayers[].sublayer sublayers[].geometry sublayers[].feature_count doubts[].problem atlas.name_field "
    "atlas.coverage_layer atlas.pages"
)
SHARED: FrozenSet[str] = frozenset(f"{_COUNTS} {_SIZES} {_HOW} {_NAMES} {_LISTS}".split())
"""What passes of every result. None of these keys is ever the name of a field: those stand below keys that are not here."""

_SYMBOL = "type color size outline_color outline_width opacity"

OWN: Mapping[str, Tuple[str, ...]] = {
    "add_layout_item": ("x", "y", "width", "height", "font_size"),
    "add_raster_layer": ("columns", "rows"),
    "create_layout": ("items[].item_id", "items[].kind", "items[].x", "items[].y", "items[].width", "items[].height"),
    "describe_algorithm": ("**",),
    "describe_layout": (
        "items[].item_id", "items[].kind", "items[].x", "items[].y", "items[].width", "items[].height", "items[].scale",
        "items[].bbox[]", "items[].font_size",
    ),
    "get_map_state": ("layers",),
    "get_raster_info": (
        "bands[].band", "bands[].type", "bands[].color", "bands[].nodata", "bands[].valid_cells", "bands[].nodata_cells",
        "bands[].distinct_values",
    ),
    "get_style": (
        "renderer.type", "renderer.field", "renderer.classification", "renderer.palette", "renderer.band",
        "renderer.classes.*.order", "renderer.classes.*.color", "renderer.classes.*.visible",
        *("renderer.symbol." + each for each in _SYMBOL.split()),
        "labels.enabled", "labels.type", "labels.field", "labels.font", "labels.size", "labels.color", "labels.placement",
        "labels.distance", "labels.halo.color", "labels.halo.size", "scale_range.min", "scale_range.max", "legend.title",
    ),
    "list_data_files": ("files[].path", "files[].kind", "files[].bytes", "files[].modified"),
    "measure": ("value", "value_km", "value_km2", "min", "max", "mean", "other_count"),
    "prepare_save_project": ("layers",),
    "reclassify_raster": ("rows[].cells", "rows[].area_km2"),
    "rename_layer": ("before",),
    "reorder_layer": ("order", "of"),
    "search_algorithms": ("**",),
    "select_by_location": ("before",),
    "select_features": ("before",),
    "set_layer_crs": ("before",),
    "set_layer_label": ("font", "size", "color"),
    "set_layout_item": ("x", "y", "width", "height", "font_size"),
    "set_raster_style": ("stretch.algorithm",),
    "set_render_rule": ("size.field", "size.proportional", "size.max_mm", "color"),
    "stat_by_polygon": ("mean_count", "min_count", "max_count"),
}  # fmt: skip
"""What passes of the results of single tools beside that. Their rows are never here: their keys are names of fields."""

WITHHELD: FrozenSet[str] = frozenset({"read_chart_values"})
"""Tools whose result is values and nothing else: their answer is a refusal that says so."""

SENTENCES: FrozenSet[str] = frozenset({"warnings", "remarks", "notes", "note", "warning"})
"""Keys of lists and texts that are sentences of ours."""

ACTIONS: FrozenSet[str] = frozenset(
    "layer_id layer_ids[] other_layer_id name features visible mode selected rule_id reverted[] reverted position crs before "
    "encoding bbox[] view_bbox[] scale padding offered layout item_id path store field rows".split()
)
"""What passes of the arguments of map operations."""


@lru_cache(maxsize=4096)
def passes(tool: str, path: str) -> bool:
    """Whether the value at a path of a tool's result may go to the agent process."""
    own = OWN.get(tool, ())
    return path in SHARED or path in own or any(_fits(each, path) for each in (*_WILD, *own) if "*" in each)


def action_passes(path: str) -> bool:
    """Whether an argument of a map operation may go to the agent process."""
    return path in ACTIONS


def _fits(pattern: str, path: str) -> bool:
    if pattern == "**":
        return True
    keys, wanted = path.split("."), pattern.split(".")
    return len(keys) == len(wanted) and all(one == two or one == "*" for one, two in zip(wanted, keys))


_WILD = tuple(each for each in SHARED if "*" in each)
