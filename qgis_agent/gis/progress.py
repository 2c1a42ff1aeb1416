"""What a step does, did, or would do, in the person's language. The words of the contracts (``progress``) are English."""

from __future__ import annotations

import re
from typing import Any, Dict, Optional

from .i18n import translate
from .layers import clean_text

_LONGEST = 60


def step_label(event: Dict[str, Any]) -> str:
    """The words of a tool_started event; the agent's own words for a tool or arguments that are not known here."""
    tool, label = str(event.get("tool", "")), str(event.get("label") or event.get("tool") or "")
    words = progress_texts().get(tool)
    found = _filled(words, event.get("arguments"))
    if not found and words is not None and label == tool:  # a call that was refused unread has no words of its own
        found = re.sub(r"\{\w+\}", "…", words)
    return found or clean_text(label, 200)


def done_label(event: Dict[str, Any], written: bool = False) -> str:
    """The words of a tool_started event for a step that has succeeded; "" when nothing better than its label is known.

    ``written``: its result says that what it prepared has been carried out.
    """
    tool, arguments = str(event.get("tool", "")), event.get("arguments")
    carried_out = _filled(written_texts().get(_write_variant(tool, arguments)), arguments) if written else ""
    return carried_out or _filled(done_texts().get(_variant(tool, arguments)), arguments)


def action_label(tool: str, arguments: Dict[str, Any], names: Optional[Dict[str, str]] = None) -> str:
    """What a call would do, as a question before it is done; "" for a tool or arguments that are not known here.

    ``names`` has the names of layers by alias: a person knows a layer by its name.
    """
    known = {
        key: (names or {}).get(str(value), value) if key.endswith("layer_id") else value
        for key, value in arguments.items()
    }
    return _filled(action_texts().get(_variant(tool, arguments)), known)


def _variant(tool: str, arguments: Any) -> str:
    """toggle_layer has two opposite effects, which its arguments tell apart."""
    visible = arguments.get("visible") if isinstance(arguments, dict) else None
    if tool == "toggle_layer" and isinstance(visible, bool):
        return "toggle_layer on" if visible else "toggle_layer off"
    return tool


def _write_variant(tool: str, arguments: Any) -> str:
    """Some writes take away what others of the same tool add."""
    known = arguments if isinstance(arguments, dict) else {}
    if tool == "prepare_remove_layer" and known.get("restore") is True:
        return "prepare_remove_layer restore"
    if tool in ("prepare_bookmark", "prepare_note") and known.get("action") == "remove":
        return tool + " remove"
    return tool


def _filled(words: Optional[str], arguments: Any) -> str:
    """``words`` with the arguments filled in; "" when there are no words or an argument is missing."""
    if words is None or not isinstance(arguments, dict):
        return ""
    try:
        return words.format(**{name: _shown(name, value) for name, value in arguments.items()})
    except (KeyError, IndexError, ValueError):
        return ""


def _shown(name: str, value: Any) -> str:
    """An argument as it stands in the words: a pack of tools by what it is for."""
    packs = pack_texts() if name == "pack" else {}
    return packs.get(str(value)) or clean_text(str(value), _LONGEST)


def tool_label(tool: str, layer: str = "") -> str:
    """A tool in words, for a step that is planned; its id where there are none. ``layer`` is the name of its layer.

    What else the words name is not known yet and is left open ("…").
    """
    words = progress_texts().get(tool)
    if words is None:
        return tool
    return re.sub(r"\{(\w+)\}", lambda found: layer if layer and found[1] == "layer_id" else "…", words)


def names_layer(tool: str) -> bool:
    """Whether ``tool_label`` has a place for the name of the layer."""
    return "{layer_id}" in progress_texts().get(tool, "")


def pack_texts() -> Dict[str, str]:
    """Pack of tools to what it is for; a test keeps them in step with the catalogue."""
    return {
        "default": translate("QgisAgent", "everyday work"),
        "arrange": translate("QgisAgent", "arranging layers and the view"),
        "data": translate("QgisAgent", "adding data"),
        "inspect": translate("QgisAgent", "charts and rasters"),
        "vector": translate("QgisAgent", "buffers and counts by area"),
        "overlay": translate("QgisAgent", "overlays"),
        "join": translate("QgisAgent", "joins and what lies near"),
        "geometry": translate("QgisAgent", "geometries and fields"),
        "raster": translate("QgisAgent", "raster analysis"),
        "processing": translate("QgisAgent", "other QGIS algorithms"),
        "layout": translate("QgisAgent", "print layouts"),
        "subagent": translate("QgisAgent", "exploring by itself"),
        "write": translate("QgisAgent", "writing files and changing data"),
    }


def progress_texts() -> Dict[str, str]:
    """Tool to words with the names of its parameters in braces; a test keeps them in step with the contracts."""
    return {
        "add_layout_item": translate("QgisAgent", "Adding {kind} to {layout}"),
        "add_raster_layer": translate("QgisAgent", "Adding {path}"),
        "add_service_layer": translate("QgisAgent", "Asking the service {url}"),
        "add_table_layer": translate("QgisAgent", "Adding {path}"),
        "add_temp_layer": translate("QgisAgent", "Adding the layer {name}"),
        "add_vector_layer": translate("QgisAgent", "Adding {path}"),
        "aggregate_layer": translate("QgisAgent", "Grouping {layer_id}"),
        "ask_user": translate("QgisAgent", "Asking you a question"),
        "buffer_layer": translate("QgisAgent", "Buffering {layer_id}"),
        "calculate_field": translate("QgisAgent", "Calculating {field} of {layer_id}"),
        "check_geometries": translate("QgisAgent", "Checking {layer_id}"),
        "clear_selection": translate("QgisAgent", "Clearing the selection"),
        "clear_temp_layers": translate("QgisAgent", "Clearing temporary layers"),
        "clip_raster": translate("QgisAgent", "Clipping {layer_id}"),
        "commit_action": translate("QgisAgent", "Carrying out the prepared write"),
        "contour_raster": translate("QgisAgent", "Drawing contours of {layer_id}"),
        "convert_raster_vector": translate("QgisAgent", "Converting {layer_id}"),
        "copy_style": translate("QgisAgent", "Copying the style of {layer_id}"),
        "count_features": translate("QgisAgent", "Counting {layer_id}"),
        "create_layout": translate("QgisAgent", "Making the layout {name}"),
        "derive_geometry": translate("QgisAgent", "Deriving {kind} from {layer_id}"),
        "describe_algorithm": translate("QgisAgent", "Looking at {algorithm}"),
        "describe_layer": translate("QgisAgent", "Reading about {layer_id}"),
        "describe_layout": translate("QgisAgent", "Reading layouts"),
        "dissolve_layer": translate("QgisAgent", "Dissolving {layer_id}"),
        "fetch_result": translate("QgisAgent", "Reading more rows"),
        "fix_geometries": translate("QgisAgent", "Repairing {layer_id}"),
        "get_map_state": translate("QgisAgent", "Looking at the map"),
        "get_raster_info": translate("QgisAgent", "Reading about {layer_id}"),
        "get_style": translate("QgisAgent", "Reading the style of {layer_id}"),
        "group_layers": translate("QgisAgent", "Grouping layers as {name}"),
        "heatmap_raster": translate("QgisAgent", "Making a heatmap of {layer_id}"),
        "highlight_features": translate("QgisAgent", "Highlighting in {layer_id}"),
        "inspect_data_file": translate("QgisAgent", "Looking into {path}"),
        "interpolate_points": translate("QgisAgent", "Interpolating {field} of {layer_id}"),
        "join_attribute": translate("QgisAgent", "Joining {join_layer_id} to {layer_id}"),
        "list_data_files": translate("QgisAgent", "Listing files"),
        "list_values": translate("QgisAgent", "Listing values of {field}"),
        "make_chart": translate("QgisAgent", "Drawing a chart of {x}"),
        "measure": translate("QgisAgent", "Measuring {method}"),
        "merge_layers": translate("QgisAgent", "Merging layers"),
        "nearest_features": translate("QgisAgent", "Looking for what is nearest to {layer_id}"),
        "overlay_layers": translate("QgisAgent", "Overlaying {layer_id} with {overlay_layer_id}"),
        "patch_style": translate("QgisAgent", "Changing the style of {layer_id}"),
        "prepare_bookmark": translate("QgisAgent", "Preparing the bookmark {name}"),
        "prepare_edit_features": translate("QgisAgent", "Preparing an edit of {layer_id}"),
        "prepare_export_layer": translate("QgisAgent", "Preparing the export of {layer_id}"),
        "prepare_export_layout": translate("QgisAgent", "Preparing the export of {layout}"),
        "prepare_export_table": translate("QgisAgent", "Preparing the table {path}"),
        "prepare_note": translate("QgisAgent", "Preparing a note"),
        "prepare_remove_layer": translate("QgisAgent", "Preparing to remove layers"),
        "prepare_save_project": translate("QgisAgent", "Preparing to save the project"),
        "query_features": translate("QgisAgent", "Querying {layer_id}"),
        "query_in_bbox": translate("QgisAgent", "Looking in {layer_id}"),
        "raster_calculate": translate("QgisAgent", "Calculating a raster"),
        "raster_terrain": translate("QgisAgent", "Calculating {method} of {layer_id}"),
        "read_chart_values": translate("QgisAgent", "Reading the values of {x}"),
        "reclassify_raster": translate("QgisAgent", "Reclassifying {layer_id}"),
        "refactor_fields": translate("QgisAgent", "Changing fields of {layer_id}"),
        "rename_layer": translate("QgisAgent", "Renaming {layer_id}"),
        "reorder_layer": translate("QgisAgent", "Moving {layer_id}"),
        "reproject_layer": translate("QgisAgent", "Reprojecting {layer_id}"),
        "request_tool_pack": translate("QgisAgent", "Getting the tools for {pack}"),
        "resolve_place": translate("QgisAgent", "Looking for the place {text}"),
        "resolve_reference": translate("QgisAgent", "Finding out what is meant by {text}"),
        "revert_style": translate("QgisAgent", "Putting the style of {layer_id} back"),
        "run_algorithm": translate("QgisAgent", "Running {algorithm}"),
        "run_subagent": translate("QgisAgent", "Exploring: {task}"),
        "sample_raster": translate("QgisAgent", "Reading {layer_id} at points"),
        "search_algorithms": translate("QgisAgent", "Looking for an algorithm: {query}"),
        "search_layers": translate("QgisAgent", "Looking for layers: {query}"),
        "select_by_location": translate("QgisAgent", "Selecting in {layer_id}"),
        "select_features": translate("QgisAgent", "Selecting in {layer_id}"),
        "set_layer_crs": translate("QgisAgent", "Setting the CRS of {layer_id}"),
        "set_layer_encoding": translate("QgisAgent", "Reading the encoding of {layer_id}"),
        "set_layer_filter": translate("QgisAgent", "Filtering {layer_id}"),
        "set_layer_label": translate("QgisAgent", "Labelling {layer_id}"),
        "set_layout_item": translate("QgisAgent", "Changing {item_id} of {layout}"),
        "set_legend": translate("QgisAgent", "Setting the legend of {layer_id}"),
        "set_map_view": translate("QgisAgent", "Setting the map view"),
        "set_raster_style": translate("QgisAgent", "Styling {layer_id}"),
        "set_render_rule": translate("QgisAgent", "Styling {layer_id}"),
        "spatial_join": translate("QgisAgent", "Joining {join_layer_id} to {layer_id} by place"),
        "stat_by_polygon": translate("QgisAgent", "Counting {layer_id} by {polygon_layer_id}"),
        "summarize_field": translate("QgisAgent", "Summarising {field}"),
        "toggle_layer": translate("QgisAgent", "Switching {layer_id}"),
        "update_plan": translate("QgisAgent", "Making a plan"),
        "zonal_statistics": translate("QgisAgent", "Statistics of {layer_id} by {polygon_layer_id}"),
        "zoom_to": translate("QgisAgent", "Moving the map"),
    }


def done_texts() -> Dict[str, str]:
    """Tool to the words of a step that is done. A write says "prepared": once it is carried out, see ``written_texts``."""
    return {
        "add_layout_item": translate("QgisAgent", "Added {kind} to {layout}"),
        "add_raster_layer": translate("QgisAgent", "Added {path}"),
        "add_service_layer": translate("QgisAgent", "Asked the service {url}"),
        "add_table_layer": translate("QgisAgent", "Added {path}"),
        "add_temp_layer": translate("QgisAgent", "Added the layer {name}"),
        "add_vector_layer": translate("QgisAgent", "Added {path}"),
        "aggregate_layer": translate("QgisAgent", "Grouped {layer_id}"),
        "ask_user": translate("QgisAgent", "Asked you a question"),
        "buffer_layer": translate("QgisAgent", "Buffered {layer_id}"),
        "calculate_field": translate("QgisAgent", "Calculated {field} of {layer_id}"),
        "check_geometries": translate("QgisAgent", "Checked {layer_id}"),
        "clear_selection": translate("QgisAgent", "Cleared the selection"),
        "clear_temp_layers": translate("QgisAgent", "Cleared temporary layers"),
        "clip_raster": translate("QgisAgent", "Clipped {layer_id}"),
        "commit_action": translate("QgisAgent", "Carried out the prepared write"),
        "contour_raster": translate("QgisAgent", "Drew contours of {layer_id}"),
        "convert_raster_vector": translate("QgisAgent", "Converted {layer_id}"),
        "copy_style": translate("QgisAgent", "Copied the style of {layer_id}"),
        "count_features": translate("QgisAgent", "Counted {layer_id}"),
        "create_layout": translate("QgisAgent", "Made the layout {name}"),
        "derive_geometry": translate("QgisAgent", "Derived {kind} from {layer_id}"),
        "describe_algorithm": translate("QgisAgent", "Looked at {algorithm}"),
        "describe_layer": translate("QgisAgent", "Read about {layer_id}"),
        "describe_layout": translate("QgisAgent", "Read layouts"),
        "dissolve_layer": translate("QgisAgent", "Dissolved {layer_id}"),
        "fetch_result": translate("QgisAgent", "Read more rows"),
        "fix_geometries": translate("QgisAgent", "Repaired {layer_id} on a copy"),
        "get_map_state": translate("QgisAgent", "Looked at the map"),
        "get_raster_info": translate("QgisAgent", "Read about {layer_id}"),
        "get_style": translate("QgisAgent", "Read the style of {layer_id}"),
        "group_layers": translate("QgisAgent", "Grouped layers as {name}"),
        "heatmap_raster": translate("QgisAgent", "Made a heatmap of {layer_id}"),
        "highlight_features": translate("QgisAgent", "Highlighted in {layer_id}"),
        "inspect_data_file": translate("QgisAgent", "Looked into {path}"),
        "interpolate_points": translate("QgisAgent", "Interpolated {field} of {layer_id}"),
        "join_attribute": translate("QgisAgent", "Joined {join_layer_id} to {layer_id}"),
        "list_data_files": translate("QgisAgent", "Listed files"),
        "list_values": translate("QgisAgent", "Listed values of {field}"),
        "make_chart": translate("QgisAgent", "Drew a chart of {x}"),
        "measure": translate("QgisAgent", "Measured {method}"),
        "merge_layers": translate("QgisAgent", "Merged layers"),
        "nearest_features": translate("QgisAgent", "Found what is nearest to {layer_id}"),
        "overlay_layers": translate("QgisAgent", "Overlaid {layer_id} with {overlay_layer_id}"),
        "patch_style": translate("QgisAgent", "{layer_id}: style changed"),
        "prepare_bookmark": translate("QgisAgent", "Prepared the bookmark {name}"),
        "prepare_edit_features": translate("QgisAgent", "Prepared an edit of {layer_id}"),
        "prepare_export_layer": translate("QgisAgent", "Prepared the export of {layer_id}"),
        "prepare_export_layout": translate("QgisAgent", "Prepared the export of {layout}"),
        "prepare_export_table": translate("QgisAgent", "Prepared the table {path}"),
        "prepare_note": translate("QgisAgent", "Prepared a note"),
        "prepare_remove_layer": translate("QgisAgent", "Prepared to remove layers"),
        "prepare_save_project": translate("QgisAgent", "Prepared to save the project"),
        "query_features": translate("QgisAgent", "Queried {layer_id}"),
        "query_in_bbox": translate("QgisAgent", "Looked in {layer_id}"),
        "raster_calculate": translate("QgisAgent", "Calculated a raster"),
        "raster_terrain": translate("QgisAgent", "Calculated {method} of {layer_id}"),
        "read_chart_values": translate("QgisAgent", "Read the values of {x}"),
        "reclassify_raster": translate("QgisAgent", "Reclassified {layer_id}"),
        "refactor_fields": translate("QgisAgent", "Changed fields on a copy of {layer_id}"),
        "rename_layer": translate("QgisAgent", "Renamed {layer_id}"),
        "reorder_layer": translate("QgisAgent", "Moved {layer_id}"),
        "reproject_layer": translate("QgisAgent", "Reprojected {layer_id}"),
        "request_tool_pack": translate("QgisAgent", "Got the tools for {pack}"),
        "resolve_place": translate("QgisAgent", "Looked for the place {text}"),
        "resolve_reference": translate("QgisAgent", "Found out what is meant by {text}"),
        "revert_style": translate("QgisAgent", "Put the style of {layer_id} back"),
        "run_algorithm": translate("QgisAgent", "Ran {algorithm}"),
        "run_subagent": translate("QgisAgent", "Explored: {task}"),
        "sample_raster": translate("QgisAgent", "Read {layer_id} at points"),
        "search_algorithms": translate("QgisAgent", "Looked for an algorithm: {query}"),
        "search_layers": translate("QgisAgent", "Looked for layers: {query}"),
        "select_by_location": translate("QgisAgent", "Selected in {layer_id}"),
        "select_features": translate("QgisAgent", "Selected in {layer_id}"),
        "set_layer_crs": translate("QgisAgent", "Set the CRS of {layer_id}"),
        "set_layer_encoding": translate("QgisAgent", "Read the encoding of {layer_id}"),
        "set_layer_filter": translate("QgisAgent", "Filtered {layer_id}"),
        "set_layer_label": translate("QgisAgent", "Labelled {layer_id}"),
        "set_layout_item": translate("QgisAgent", "Changed {item_id} of {layout}"),
        "set_legend": translate("QgisAgent", "Set the legend of {layer_id}"),
        "set_map_view": translate("QgisAgent", "Set the map view"),
        "set_raster_style": translate("QgisAgent", "{layer_id}: styled"),
        "set_render_rule": translate("QgisAgent", "{layer_id}: styled"),
        "spatial_join": translate("QgisAgent", "Joined {join_layer_id} to {layer_id} by place"),
        "stat_by_polygon": translate("QgisAgent", "Counted {layer_id} by {polygon_layer_id}"),
        "summarize_field": translate("QgisAgent", "Summarised {field}"),
        "toggle_layer off": translate("QgisAgent", "{layer_id}: switched off"),
        "toggle_layer on": translate("QgisAgent", "{layer_id}: switched on"),
        "update_plan": translate("QgisAgent", "Made a plan"),
        "zonal_statistics": translate("QgisAgent", "Made statistics of {layer_id} by {polygon_layer_id}"),
        "zoom_to": translate("QgisAgent", "Moved the map"),
    }


def written_texts() -> Dict[str, str]:
    """Tool to the words of a write that was prepared, agreed to and carried out."""
    return {
        "prepare_bookmark": translate("QgisAgent", "Saved the bookmark {name}"),
        "prepare_bookmark remove": translate("QgisAgent", "Removed the bookmark {name}"),
        "prepare_edit_features": translate("QgisAgent", "Edited {layer_id}"),
        "prepare_export_layer": translate("QgisAgent", "Exported {layer_id}"),
        "prepare_export_layout": translate("QgisAgent", "Exported {layout}"),
        "prepare_export_table": translate("QgisAgent", "Wrote the table {path}"),
        "prepare_note": translate("QgisAgent", "Wrote a note"),
        "prepare_note remove": translate("QgisAgent", "Removed a note"),
        "prepare_remove_layer": translate("QgisAgent", "Removed layers"),
        "prepare_remove_layer restore": translate("QgisAgent", "Put removed layers back"),
        "prepare_save_project": translate("QgisAgent", "Saved the project"),
    }


def action_texts() -> Dict[str, str]:
    """Tool with an effect to the question whether it may be done. A write has a card of its own with a title of its own."""
    return {
        "add_layout_item": translate("QgisAgent", "Add {kind} to the layout “{layout}”?"),
        "add_raster_layer": translate("QgisAgent", "Add the raster “{path}” to the project?"),
        "add_service_layer": translate("QgisAgent", "Connect to “{url}” and add a layer?"),
        "add_table_layer": translate("QgisAgent", "Add the table “{path}” to the project?"),
        "add_temp_layer": translate("QgisAgent", "Add the temporary layer “{name}”?"),
        "add_vector_layer": translate("QgisAgent", "Add the file “{path}” to the project?"),
        "aggregate_layer": translate("QgisAgent", "Add a table that groups “{layer_id}”?"),
        "buffer_layer": translate("QgisAgent", "Add a layer with buffers of “{layer_id}”?"),
        "calculate_field": translate("QgisAgent", "Add a copy of “{layer_id}” with the field “{field}”?"),
        "check_geometries": translate("QgisAgent", "Add a layer with the faults of “{layer_id}”?"),
        "clear_selection": translate("QgisAgent", "Clear the selection?"),
        "clear_temp_layers": translate("QgisAgent", "Remove the temporary layers of the agent?"),
        "clip_raster": translate("QgisAgent", "Add a part of the raster “{layer_id}”?"),
        "contour_raster": translate("QgisAgent", "Add contours of “{layer_id}”?"),
        "convert_raster_vector": translate("QgisAgent", "Add “{layer_id}” converted?"),
        "copy_style": translate("QgisAgent", "Copy the style of the layer “{layer_id}” to other layers?"),
        "create_layout": translate("QgisAgent", "Add the layout “{name}”?"),
        "derive_geometry": translate("QgisAgent", "Add a layer with {kind} of “{layer_id}”?"),
        "dissolve_layer": translate("QgisAgent", "Add “{layer_id}” dissolved?"),
        "fix_geometries": translate("QgisAgent", "Add a repaired copy of “{layer_id}”?"),
        "group_layers": translate("QgisAgent", "Put layers into the group “{name}”?"),
        "heatmap_raster": translate("QgisAgent", "Add a heatmap of “{layer_id}”?"),
        "highlight_features": translate("QgisAgent", "Highlight features of the layer “{layer_id}”?"),
        "interpolate_points": translate("QgisAgent", "Add a raster interpolated from “{layer_id}”?"),
        "join_attribute": translate("QgisAgent", "Add “{layer_id}” joined with “{join_layer_id}”?"),
        "merge_layers": translate("QgisAgent", "Add a layer merged from others?"),
        "nearest_features": translate("QgisAgent", "Add what is nearest to “{layer_id}”?"),
        "overlay_layers": translate("QgisAgent", "Add “{layer_id}” overlaid with “{overlay_layer_id}”?"),
        "patch_style": translate("QgisAgent", "Change the style of the layer “{layer_id}”?"),
        "raster_calculate": translate("QgisAgent", "Add a calculated raster?"),
        "raster_terrain": translate("QgisAgent", "Add {method} of “{layer_id}”?"),
        "reclassify_raster": translate("QgisAgent", "Add “{layer_id}” reclassified?"),
        "refactor_fields": translate("QgisAgent", "Add a copy of “{layer_id}” with other fields?"),
        "rename_layer": translate("QgisAgent", "Rename the layer “{layer_id}” to “{name}”?"),
        "reorder_layer": translate("QgisAgent", "Move the layer “{layer_id}” in the layer order?"),
        "reproject_layer": translate("QgisAgent", "Add a copy of “{layer_id}” in {crs}?"),
        "revert_style": translate("QgisAgent", "Put the earlier style of the layer “{layer_id}” back?"),
        "run_algorithm": translate("QgisAgent", "Run the algorithm “{algorithm}”?"),
        "select_by_location": translate("QgisAgent", "Change the selection in the layer “{layer_id}”?"),
        "select_features": translate("QgisAgent", "Change the selection in the layer “{layer_id}”?"),
        "set_layer_crs": translate("QgisAgent", "Assume the CRS {crs} for the layer “{layer_id}”?"),
        "set_layer_encoding": translate("QgisAgent", "Read the layer “{layer_id}” with another encoding?"),
        "set_layer_filter": translate("QgisAgent", "Filter the layer “{layer_id}”?"),
        "set_layer_label": translate("QgisAgent", "Change the labels of the layer “{layer_id}”?"),
        "set_layout_item": translate("QgisAgent", "Change “{item_id}” of the layout “{layout}”?"),
        "set_legend": translate("QgisAgent", "Change the legend of the layer “{layer_id}”?"),
        "set_map_view": translate("QgisAgent", "Move the map?"),
        "set_raster_style": translate("QgisAgent", "Change the style of the layer “{layer_id}”?"),
        "set_render_rule": translate("QgisAgent", "Change the style of the layer “{layer_id}”?"),
        "spatial_join": translate("QgisAgent", "Add “{layer_id}” joined with “{join_layer_id}”?"),
        "stat_by_polygon": translate("QgisAgent", "Add a layer that counts “{layer_id}” by “{polygon_layer_id}”?"),
        "toggle_layer off": translate("QgisAgent", "Hide the layer “{layer_id}”?"),
        "toggle_layer on": translate("QgisAgent", "Show the layer “{layer_id}”?"),
        "zonal_statistics": translate(
            "QgisAgent", "Add a layer with statistics of “{layer_id}” by “{polygon_layer_id}”?"
        ),
        "zoom_to": translate("QgisAgent", "Move the map?"),
    }
