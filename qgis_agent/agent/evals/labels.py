"""Intents and effects of tools: what a run did, in the router's words, where no router said it.

The label of a request is the router's where one is set. Without one it is read off the calls that succeeded: the most far
reaching of their labels counts ("write" before "analysis", "render", "map", "query").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

RANK = ("write", "analysis", "render", "map", "query")
_BY_PACK: Mapping[str, str] = {
    "vector": "analysis",
    "overlay": "analysis",
    "join": "analysis",
    "geometry": "analysis",
    "raster": "analysis",
    "layout": "write",
    "write": "write",
    "arrange": "map",
    "data": "map",
}
_BY_NAME: Mapping[str, str] = {
    "set_render_rule": "render",
    "patch_style": "render",
    "set_layer_label": "render",
    "set_raster_style": "render",
    "set_legend": "render",
    "copy_style": "render",
    "revert_style": "render",
    "run_algorithm": "analysis",
    "describe_layout": "query",
    "inspect_data_file": "query",
    "list_data_files": "query",
    "select_by_location": "map",
    "prepare_note": "write",
}
NO_LABEL = frozenset(
    ("ask_user", "request_tool_pack", "fetch_result", "update_plan", "run_subagent", "search_algorithms")
)
"""Calls that say nothing of what is wanted."""
LOOKING = frozenset(("zoom_to", "highlight_features", "set_map_view"))
"""Changes of the view that may go with an answer without being asked for: nothing is lost by them."""
CHANGES = frozenset(("view", "create", "write", "network", "execute"))


def label_of(tool: str, pack: str, effect: str) -> str:
    """The intent that a tool carries out; "" for those that carry out none."""
    if tool in NO_LABEL:
        return ""
    named = _BY_NAME.get(tool) or _BY_PACK.get(pack, "")
    if named:
        return named
    return "query" if effect == "read" else "map"


def intent_of_calls(labels: Iterable[str]) -> str:
    """The label of a run by those of its calls, "" without any."""
    found = set(labels)
    return next((each for each in RANK if each in found), "")
