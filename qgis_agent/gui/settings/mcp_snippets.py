"""Ready-made settings for programs that speak MCP: what a person pastes so that the program finds this QGIS."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List

from ... import environment
from ...gis.contracts import PLUGIN_ROOT
from ...gis.i18n import translate

FORWARDER = PLUGIN_ROOT / "qgis_agent" / "mcp_forwarder.py"
VARIABLE = "QGIS_AGENT_MCP_TOKEN"
"""Where mcp_forwarder.py looks for the token."""
SERVER = "qgis"
PATIENCE_S = 180
"""A call may wait for a person, who has two minutes to answer."""


@dataclass(frozen=True)
class Snippet:
    """What to paste for one program. ``name`` is the program's, ``where`` a sentence for people."""

    name: str
    where: str
    text: str


def endpoint_url(port: int) -> str:
    """The address of the endpoint."""
    return "http://127.0.0.1:{}/mcp".format(port)


def snippets(url: str, token: str) -> List[Snippet]:
    """One for each program that is known, then what any other needs to know. The token stands in each of them."""
    bearer = "Bearer " + token
    headers = {"Authorization": bearer}
    into = translate("QgisAgent", "Put this into the file {}.")
    return [
        Snippet(
            "Claude Code",
            translate("QgisAgent", "Run this once in a terminal."),
            'claude mcp add --transport http {} {} --header "Authorization: {}"'.format(SERVER, url, bearer),
        ),
        Snippet(
            "Claude Desktop",
            translate("QgisAgent", "Put this into the file {}, which Settings › Developer › Edit Config opens.").format(
                "claude_desktop_config.json"
            ),
            _json({"mcpServers": {SERVER: _forwarded(token)}}),
        ),
        Snippet(
            "Cursor",
            into.format("~/.cursor/mcp.json"),
            _json({"mcpServers": {SERVER: {"url": url, "headers": headers}}}),
        ),
        Snippet(
            "VS Code",
            translate("QgisAgent", "Put this into the file that the command “MCP: Open User Configuration” opens."),
            _json({"servers": {SERVER: {"type": "http", "url": url, "headers": headers}}}),
        ),
        Snippet("Codex", into.format("~/.codex/config.toml"), _codex(url, bearer)),
        Snippet(
            "Cherry Studio",
            translate("QgisAgent", "Paste this in Settings › MCP Servers › Add › Import from JSON."),
            _json({"mcpServers": {SERVER: {"type": "streamableHttp", "url": url, "headers": headers}}}),
        ),
        Snippet(
            translate("QgisAgent", "Another program, over HTTP"),
            translate("QgisAgent", "The address (Streamable HTTP), and the header to send with each request."),
            "{}\nAuthorization: {}".format(url, bearer),
        ),
        Snippet(
            translate("QgisAgent", "Another program that starts a command (stdio)"),
            translate("QgisAgent", "Most programs read settings of this form."),
            _json({"mcpServers": {SERVER: _forwarded(token)}}),
        ),
    ]


def _forwarded(token: str) -> Dict[str, Any]:
    """A command that passes on between the program and this QGIS; the agent's Python is there whenever the endpoint is."""
    python = environment.python_of(environment.locate())
    return {"command": str(python), "args": [str(FORWARDER)], "env": {VARIABLE: token}}


def _codex(url: str, bearer: str) -> str:
    # A JSON string is a basic string of TOML too.
    lines = (
        "[mcp_servers.{}]".format(SERVER),
        "url = {}".format(json.dumps(url)),
        "http_headers = {{ Authorization = {} }}".format(json.dumps(bearer)),
        "tool_timeout_sec = {}".format(PATIENCE_S),
    )
    return "\n".join(lines) + "\n"


def _json(document: Dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)
