"""What a person reads while a tool runs, in their language. English as in the contracts (a test compares them)."""

from __future__ import annotations

from typing import Any, Dict

from .i18n import translate
from .layers import clean_text

MAX_ARGUMENT = 60


def progress_template(tool: str) -> str:
    """The translated sentence of a tool with names of parameters in braces; the tool's name when it is unknown."""
    return {
        "ask_user": translate("QgisAgent", "Asking you a question"),
        "buffer_layer": translate("QgisAgent", "Buffering {layer_id}"),
        "commit_action": translate("QgisAgent", "Carrying out the prepared write"),
        "count_features": translate("QgisAgent", "Counting {layer_id}"),
        "describe_layer": translate("QgisAgent", "Reading about {layer_id}"),
        "fetch_result": translate("QgisAgent", "Reading more rows"),
        "get_style": translate("QgisAgent", "Reading the style of {layer_id}"),
        "prepare_export_layer": translate("QgisAgent", "Preparing the export of {layer_id}"),
        "query_features": translate("QgisAgent", "Querying {layer_id}"),
        "request_tool_pack": translate("QgisAgent", "Getting the tools of {pack}"),
        "resolve_place": translate("QgisAgent", "Looking for the place {text}"),
        "search_layers": translate("QgisAgent", "Looking for layers: {query}"),
        "set_render_rule": translate("QgisAgent", "Styling {layer_id}"),
        "stat_by_polygon": translate("QgisAgent", "Counting {layer_id} by {polygon_layer_id}"),
        "toggle_layer": translate("QgisAgent", "Switching {layer_id}"),
        "zoom_to": translate("QgisAgent", "Moving the map"),
    }.get(tool, tool)


def progress_text(tool: str, arguments: Dict[str, Any]) -> str:
    """The sentence with the call's own arguments, each cleaned and clipped."""
    text = progress_template(tool)
    for key, value in arguments.items():
        text = text.replace("{" + str(key) + "}", clean_text(str(value), MAX_ARGUMENT))
    return text
