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


def done_label(event: Dict[str, Any]) -> str:
    """The words of a tool_started event for a step that has succeeded; "" when nothing better than its label is known."""
    tool, arguments = str(event.get("tool", "")), event.get("arguments")
    return _filled(done_texts().get(_variant(tool, arguments)), arguments)


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


def _filled(words: Optional[str], arguments: Any) -> str:
    """``words`` with the arguments filled in; "" when there are no words or an argument is missing."""
    if words is None or not isinstance(arguments, dict):
        return ""
    try:
        return words.format(**{name: clean_text(str(value), _LONGEST) for name, value in arguments.items()})
    except (KeyError, IndexError, ValueError):
        return ""


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


def done_texts() -> Dict[str, str]:
    """Tool to the words of a step that is done. A write says "prepared": whether it was written, the answer says."""
    return {
        "ask_user": translate("QgisAgent", "Asked you a question"),
        "buffer_layer": translate("QgisAgent", "Buffered {layer_id}"),
        "commit_action": translate("QgisAgent", "Carried out the prepared write"),
        "count_features": translate("QgisAgent", "Counted {layer_id}"),
        "describe_layer": translate("QgisAgent", "Read about {layer_id}"),
        "fetch_result": translate("QgisAgent", "Read more rows"),
        "get_style": translate("QgisAgent", "Read the style of {layer_id}"),
        "prepare_export_layer": translate("QgisAgent", "Prepared the export of {layer_id}"),
        "prepare_note": translate("QgisAgent", "Prepared a note"),
        "query_features": translate("QgisAgent", "Queried {layer_id}"),
        "request_tool_pack": translate("QgisAgent", "Got the tools of {pack}"),
        "resolve_place": translate("QgisAgent", "Looked for the place {text}"),
        "run_subagent": translate("QgisAgent", "Explored: {task}"),
        "search_layers": translate("QgisAgent", "Looked for layers: {query}"),
        "set_render_rule": translate("QgisAgent", "{layer_id}: styled"),
        "stat_by_polygon": translate("QgisAgent", "Counted {layer_id} by {polygon_layer_id}"),
        "toggle_layer on": translate("QgisAgent", "{layer_id}: switched on"),
        "toggle_layer off": translate("QgisAgent", "{layer_id}: switched off"),
        "update_plan": translate("QgisAgent", "Made a plan"),
        "zoom_to": translate("QgisAgent", "Moved the map"),
    }


def action_texts() -> Dict[str, str]:
    """Tool with an effect to the question whether it may be done. A write has a card of its own with a title of its own."""
    return {
        "buffer_layer": translate("QgisAgent", "Add a layer with buffers of “{layer_id}”?"),
        "set_render_rule": translate("QgisAgent", "Change the style of the layer “{layer_id}”?"),
        "stat_by_polygon": translate("QgisAgent", "Add a layer that counts “{layer_id}” by “{polygon_layer_id}”?"),
        "toggle_layer on": translate("QgisAgent", "Show the layer “{layer_id}”?"),
        "toggle_layer off": translate("QgisAgent", "Hide the layer “{layer_id}”?"),
        "zoom_to": translate("QgisAgent", "Move the map?"),
    }
