"""The MCP SDK of before 2.0 as a client, in .mcp-env: lists the tools and calls one, and prints what came as one JSON object.

mcp_old_client.py http URL TOKEN | stdio COMMAND ...
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import os
import sys
from contextlib import AsyncExitStack
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def asked(transport: str, rest: list[str]) -> dict[str, Any]:
    """What a server said, from initialize to the end."""
    async with AsyncExitStack() as stack:
        if transport == "http":
            headers = {"Authorization": f"Bearer {rest[1]}"}
            reads, writes, _session = await stack.enter_async_context(streamablehttp_client(rest[0], headers=headers))
        else:
            server = StdioServerParameters(command=rest[0], args=rest[1:], env=dict(os.environ))
            reads, writes = await stack.enter_async_context(stdio_client(server))
        session = await stack.enter_async_context(ClientSession(reads, writes))
        begun = await session.initialize()
        tools = (await session.list_tools()).tools
        counted = await session.call_tool("count_features", {"layer_id": "schools"})
        wrong = await session.call_tool("count_features", {"layer_id": "schools", "colour": "red"})
        resources = (await session.list_resources()).resources
        prompts = (await session.list_prompts()).prompts
        return {
            "sdk": importlib.metadata.version("mcp"),
            "version": begun.protocolVersion,
            "tools": [each.name for each in tools],
            "counted": [counted.isError, counted.content[0].text],
            "wrong": [wrong.isError, wrong.content[0].text],
            "resources": [str(each.uri) for each in resources],
            "prompts": [each.name for each in prompts],
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(asked(sys.argv[1], sys.argv[2:]))))
