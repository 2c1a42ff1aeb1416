"""MCP programs of others list and call our tools: the inspector's command line, and the official SDK as a client in both eras (2.x as it
is in .venv, 1.x in an environment of its own). The server is the real command, on the sample project: over stdio, over HTTP, and over
the forwarder, by which a host that only knows stdio reaches the HTTP endpoint of a QGIS that is open.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import subprocess
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_command import REPO, STDIO_COMMAND, Endpoint, environment, listening, node_program, others_program

INSPECTOR = ("@modelcontextprotocol/inspector", "clients/launcher/build/index.js")
WAIT_S = 120
TRANSPORTS = ("stdio", "http", "forwarder")
SCHOOLS = 31
"""Features of the sample's layer, as ogrinfo counts them."""
ADVERTISED = REPO / "resources" / "tools.schema.json"


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A server over HTTP."""
    with listening(tmp_path_factory.mktemp("http")) as found:
        yield found


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The profile of the servers over stdio."""
    return tmp_path_factory.mktemp("profile")


def run(command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A program, which starts its server itself where it speaks over stdio."""
    return subprocess.run(command, cwd=REPO, env=variables, capture_output=True, text=True, timeout=WAIT_S, check=False)


def command_of(transport: str, endpoint: Endpoint) -> list[str]:
    """What a host starts to speak with over stdio."""
    if transport == "forwarder":
        return ["/usr/bin/python3", str(REPO / "qgis_agent" / "mcp_forwarder.py"), "--url", endpoint.url]
    return STDIO_COMMAND


def variables_of(transport: str, endpoint: Endpoint, profile: Path) -> dict[str, str]:
    """With which variables; the token is known to nobody over stdio."""
    token = {"QGIS_AGENT_MCP_TOKEN": endpoint.token} if transport == "forwarder" else {}
    return {**environment(profile), **token}


def readers() -> set[str]:
    """Names of tools that only read and that any catalogue has: a client that may only read is shown them."""
    return {"count_features", "describe_layer", "fetch_result", "get_map_state", "query_features", "search_layers"}


def check_tools(names: list[str]) -> None:
    """Those of the catalogue, in order, without what a reader cannot do."""
    known = {each["name"] for each in json.loads(ADVERTISED.read_text(encoding="utf-8"))["tools"]}
    assert readers() <= set(names) <= known
    assert names == sorted(names)
    assert "commit_action" not in names and not any(each.startswith("prepare_") for each in names)


def check_counted(text: str) -> None:
    """The one compact JSON of a result."""
    envelope = json.loads(text)
    assert envelope["ok"] is True and envelope["data"]["count"] == SCHOOLS
    assert text == json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))


def check_wrong(text: str) -> None:
    """What an unknown argument is answered."""
    envelope = json.loads(text)
    assert (envelope["ok"], envelope["code"]) == (False, "INVALID_PARAM") and "colour" in envelope["message"]


# the inspector's command line


def inspected(transport: str, era: str, endpoint: Endpoint, profile: Path, *arguments: str) -> Any:
    """What it prints, read as JSON."""
    server = command_of(transport, endpoint)
    if transport == "http":
        server = [endpoint.url, "--transport", "http", "--header", f"Authorization: Bearer {endpoint.token}"]
    # What comes after the server's own arguments is the inspector's where it knows the name.
    command = [*node_program(*INSPECTOR), "--cli", *server, "--protocol-era", era, *arguments]
    done = run(command, {**variables_of(transport, endpoint, profile), "HOME": str(profile)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("transport", "era"), [("stdio", "modern"), ("http", "modern"), ("http", "legacy")])
def test_the_inspector_lists_our_tools(transport: str, era: str, endpoint: Endpoint, profile: Path) -> None:
    """Strict: it ends with an error where a schema would not do for other programs."""
    listed = inspected(transport, era, endpoint, profile, "--method", "tools/list", "--strict")
    check_tools([each["name"] for each in listed["tools"]])
    assert all(each["inputSchema"]["additionalProperties"] is False for each in listed["tools"])


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("http", "modern"), ("http", "legacy")])
def test_the_inspector_calls_a_tool(transport: str, era: str, endpoint: Endpoint, profile: Path) -> None:
    """As its documentation says: --tool-name, --tool-arg key=value."""
    call = ("--method", "tools/call", "--tool-name", "count_features", "--tool-arg", "layer_id=schools")
    result = inspected(transport, era, endpoint, profile, *call)
    assert result["isError"] is False and "structuredContent" not in result
    check_counted(result["content"][0]["text"])


# the SDK of our own server, as a client


@asynccontextmanager
async def over_http(endpoint: Endpoint) -> Any:
    """The transport with the token."""
    headers = {"Authorization": f"Bearer {endpoint.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT_S, trust_env=False) as http,
        streamable_http_client(endpoint.url, http_client=http) as streams,
    ):
        yield streams


def transport_of(name: str, endpoint: Endpoint, profile: Path) -> Any:
    """A transport of the SDK by name."""
    if name == "http":
        return over_http(endpoint)
    command, *arguments = command_of(name, endpoint)
    variables = variables_of(name, endpoint, profile)
    return stdio_client(StdioServerParameters(command=command, args=arguments, env=variables, cwd=str(REPO)))


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_sdk_2_lists_and_calls(transport: str, mode: str, version: str, endpoint: Endpoint, profile: Path) -> None:
    """Both eras, chosen by the client."""
    assert importlib.metadata.version("mcp").startswith("2.")

    async def talk() -> None:
        async with Client(transport_of(transport, endpoint, profile), mode=mode) as client:
            assert client.protocol_version == version
            listed = await client.list_tools()
            check_tools([each.name for each in listed.tools])
            counted = await client.call_tool("count_features", {"layer_id": "schools"})
            assert counted.is_error is False and counted.structured_content is None
            check_counted(counted.content[0].text)
            wrong = await client.call_tool("count_features", {"layer_id": "schools", "colour": "red"})
            assert wrong.is_error is True
            check_wrong(wrong.content[0].text)
            layers = await client.read_resource("qgis://layers")
            assert "schools" in layers.contents[0].text

    asyncio.run(asyncio.wait_for(talk(), WAIT_S))


# the SDK of before 2.0


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_sdk_1_lists_and_calls(transport: str, endpoint: Endpoint, profile: Path) -> None:
    """A client that knows nothing of the newer era."""
    where = (
        ["http", endpoint.url, endpoint.token] if transport == "http" else ["stdio", *command_of(transport, endpoint)]
    )
    script = REPO / "tests" / "support" / "mcp_old_client.py"
    done = run([others_program("bin", "python"), "-I", str(script), *where], variables_of(transport, endpoint, profile))
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout)
    assert (said["sdk"], said["version"]) == ("1.30.0", "2025-11-25")
    check_tools(said["tools"])
    assert (said["counted"][0], said["wrong"][0]) == (False, True)
    check_counted(said["counted"][1])
    check_wrong(said["wrong"][1])
    assert {"qgis://layers", "qgis://map", "qgis://map.png"} <= set(said["resources"])
    assert "describe_project" in said["prompts"]
