"""An MCP client as other programs are: the SDK's own, over HTTP, in a process of its own (run by the agent environment's Python).

Standard input: {url, token, mode, calls: [{name, arguments}]}; a text ``{confirm_token}`` in the arguments stands for the token of
the call before. Standard output: one JSON object: {version, tools, results: [{error, text}], resources}.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

WAIT_S = 120.0
"""A person may take their time."""


async def talk(plan: dict[str, Any]) -> dict[str, Any]:
    """List, call one after the other, and read the picture of the map."""
    headers = {"Authorization": "Bearer " + plan["token"]}
    async with httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http:
        transport = streamable_http_client(plan["url"], http_client=http)
        async with Client(transport, mode=plan.get("mode", "auto"), read_timeout_seconds=WAIT_S) as client:
            tools = [each.name for each in (await client.list_tools()).tools]
            results: list[dict[str, Any]] = []
            for call in plan["calls"]:
                results.append(await carried_out(client, call, results))
            resources = [str(each.uri) for each in (await client.list_resources()).resources]
            return {"version": client.protocol_version, "tools": tools, "results": results, "resources": resources}


async def carried_out(client: Client, call: dict[str, Any], before: list[dict[str, Any]]) -> dict[str, Any]:
    """One call: whether it is an error for the model, and the text that the model sees."""
    arguments = json.dumps(call["arguments"])
    if "{confirm_token}" in arguments:
        told = json.loads(before[-1]["text"])
        arguments = arguments.replace("{confirm_token}", str((told.get("data") or {}).get("confirm_token", "none")))
    result = await client.call_tool(call["name"], json.loads(arguments))
    text = "".join(getattr(each, "text", "") for each in result.content)
    size = len(text.encode()) + len(json.dumps(result.structured_content or "").encode())
    return {"name": call["name"], "error": bool(result.is_error), "text": text, "bytes": size}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(talk(json.load(sys.stdin)))))
