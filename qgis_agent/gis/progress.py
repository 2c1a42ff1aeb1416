"""What a step does, in the person's language. The words of the contracts (``progress``) are English."""

from __future__ import annotations

from typing import Any, Dict

from .i18n import translate
from .layers import clean_text

_LONGEST = 60


def step_label(event: Dict[str, Any]) -> str:
    """The words of a tool_started event; the agent's own words for a tool or arguments that are not known here."""
    words = progress_texts().get(str(event.get("tool", "")))
    arguments = event.get("arguments")
    if words is None or not isinstance(arguments, dict):
        return clean_text(str(event.get("label") or event.get("tool") or ""), 200)
    try:
        return words.format(**{name: clean_text(str(value), _LONGEST) for name, value in arguments.items()})
    except (KeyError, IndexError, ValueError):
        return clean_text(str(event.get("label") or event.get("tool") or ""), 200)


def progress_texts() -> Dict[str, str]:
    """Tool to words with the names of its parameters in braces; a test keeps them in step with the contracts."""
    return {
        "ask_user": translate("QgisAgent", "Asking you a question"),
        "buffer_layer": translate("QgisAgent", "Buffering {layer_id}"),
        "commit_action": translate("QgisAgent", "Carrying out the prepared write"),
        "count_features": translate("QgisAgent", "Counting {layer_id}"),
        "describe_layer": translate("QgisAgent", "Reading about {layer_id}"),
        "fetch_result": translate("QgisAgent", "Reading more rows"),
        "get_style": translate("QgisAgent", "Reading the style of {layer_id}"),
        "prepare_export_layer": translate("QgisAgent", "Preparing the export of {layer_id}"),
        "prepare_note": translate("QgisAgent", "Preparing a note"),
        "query_features": translate("QgisAgent", "Querying {layer_id}"),
        "request_tool_pack": translate("QgisAgent", "Getting the tools of {pack}"),
        "resolve_place": translate("QgisAgent", "Looking for the place {text}"),
        "run_subagent": translate("QgisAgent", "Exploring: {task}"),
        "search_layers": translate("QgisAgent", "Looking for layers: {query}"),
        "set_render_rule": translate("QgisAgent", "Styling {layer_id}"),
        "stat_by_polygon": translate("QgisAgent", "Counting {layer_id} by {polygon_layer_id}"),
        "toggle_layer": translate("QgisAgent", "Switching {layer_id}"),
        "update_plan": translate("QgisAgent", "Making a plan"),
        "zoom_to": translate("QgisAgent", "Moving the map"),
    }
