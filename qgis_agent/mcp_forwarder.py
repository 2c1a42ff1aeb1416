"""Stands between an MCP host that starts a command (stdio) and the QGIS that is open: ``python mcp_forwarder.py``.

Run by the host as a script, with any Python from 3.9 on; standard library only. Each JSON-RPC line from stdin is sent to the endpoint
of the running QGIS (Streamable HTTP on this machine), each message that comes back is a line on stdout. Nothing is sent twice: when a
connection breaks, whether a call was carried out is not known here, and the host is told so.

The endpoint is found by ``mcp_endpoint.json`` in a QGIS profile, or named by ``--url``. The token comes from the environment variable
QGIS_AGENT_MCP_TOKEN or from ``--token-file``, never from the command line, which other users of the machine can read.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import socket
import sys
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Tuple

URL_VARIABLE = "QGIS_AGENT_MCP_URL"
ENV_NAME = "QGIS_AGENT_MCP_TOKEN"
ENDPOINT_FILE = Path("qgis_agent") / "mcp_endpoint.json"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"
CONNECT_S = 5.0
LAST_WORDS_S = 30.0
"""After the host has closed stdin, open requests are waited for so long."""
AT_A_TIME = 16
MAX_LINE_BYTES = 1024 * 1024
"""The endpoint reads no longer message."""
SERVER_ERROR, INVALID_REQUEST, PARSE_ERROR = -32000, -32600, -32700
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

NOT_RUNNING = (
    "QGIS is not running, or its endpoint is off. Open QGIS and turn it on in the options of QGIS Agent, "
    "page “Other programs (MCP)”."
)
NOT_GIVEN = "There is no token. Set " + ENV_NAME + " to the one that QGIS showed, or give --token-file."
NOT_ACCEPTED = (
    "QGIS does not accept this token. Make a new one in the options of QGIS Agent, page “Other programs (MCP)”."
)
BROKEN = "The connection to QGIS ended before the answer. Whether the call was carried out is not known: look before you repeat it."

Message = Dict[str, Any]


class Refused(Exception):
    """What the host is told in place of an answer."""


class Forwarder:
    """Sends the host's messages on. ``out`` is the host's end of stdout."""

    def __init__(self, token: str, url: str, profile_folder: str, out: BinaryIO) -> None:
        self._token = token
        self._url = url
        self._profile_folder = profile_folder
        self._out = out
        self._writing = threading.Lock()
        self._known = threading.Lock()
        self._open: Dict[str, Optional[http.client.HTTPConnection]] = {}
        """Connections of open requests by the JSON of their id; None before one is there, and for one that is cancelled."""
        self._cancelled: List[str] = []
        self._version = ""
        """What initialize agreed on; a client of the newer era says it in each message."""
        self._pool = ThreadPoolExecutor(AT_A_TIME, "forward")
        self._jobs: List[Any] = []

    def run(self, source: BinaryIO) -> None:
        """Until the end of ``source``."""
        for line in iter(lambda: source.readline(MAX_LINE_BYTES + 2), b""):
            if line.strip():
                self._take(line)
        wait(self._jobs, LAST_WORDS_S)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._say(error(None, PARSE_ERROR, "This is no JSON, or longer than a megabyte."))
            return
        if not isinstance(message, dict):
            self._say(error(None, INVALID_REQUEST, "A message is one JSON object."))
        elif message.get("method") == "notifications/cancelled":
            self._cancel(message)
        else:
            self._jobs = [each for each in self._jobs if not each.done()]
            self._jobs.append(self._pool.submit(self._forward, message))

    def _cancel(self, message: Message) -> None:
        """The end of its connection is what cancels a request: there is no session that a message could do it in."""
        params = message.get("params")
        key = json.dumps(params.get("requestId") if isinstance(params, dict) else None)
        with self._known:
            connection = self._open.get(key)
            if key in self._open:
                self._cancelled.append(key)
        if connection is not None:
            hang_up(connection)

    def _forward(self, message: Message) -> None:
        asks = "method" in message and message.get("id") is not None
        key = json.dumps(message.get("id"))
        if asks:
            with self._known:
                self._open[key] = None
        try:
            for answer in self._sent(message, key):
                self._say(answer)
                asks = asks and answer.get("id") != message["id"]
            problem = BROKEN if asks else ""
        except Refused as refused:
            problem = str(refused)
        except (OSError, http.client.HTTPException, ValueError):
            problem = BROKEN
        with self._known:
            self._open.pop(key, None)
            cancelled = key in self._cancelled
            if cancelled:
                self._cancelled.remove(key)
        if problem and asks and not cancelled:
            self._say(error(message["id"], SERVER_ERROR, problem))

    def _sent(self, message: Message, key: str) -> Iterator[Message]:
        """Send a message; what comes back, until the stream ends. Refused says why there is nothing."""
        if not self._token:
            raise Refused(NOT_GIVEN)
        connection, path = self._connected()
        try:
            with self._known:
                if key in self._open:
                    self._open[key] = connection
                if key in self._cancelled:
                    return
            body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
            connection.request("POST", path, body, self._headers(message))
            answer = connection.getresponse()
            for each in read(answer, message):
                self._note_version(message, each)
                yield each
        finally:
            connection.close()

    def _connected(self) -> Tuple[http.client.HTTPConnection, str]:
        """A connection, and the path to send to."""
        url = self._url or found_url(self._profile_folder)
        if not url:
            raise Refused(NOT_RUNNING)
        host, port, path = loopback(url)
        connection = http.client.HTTPConnection(host, port, timeout=CONNECT_S)
        try:
            connection.connect()
        except OSError as failed:
            connection.close()
            raise Refused(NOT_RUNNING) from failed
        connection.sock.settimeout(None)  # a person may be asked, and an analysis takes its time
        return connection, path

    def _headers(self, message: Message) -> Dict[str, str]:
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        version = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        headers = {
            "Authorization": "Bearer " + self._token,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        method = message.get("method")
        if isinstance(version, str):
            headers["MCP-Protocol-Version"] = header_text(version)
            if isinstance(method, str):
                headers["Mcp-Method"] = header_text(method)
                name = params.get(NAMED_BY.get(method, "")) if isinstance(params, dict) else None
                if isinstance(name, str):
                    headers["Mcp-Name"] = header_text(name)
        elif self._version and method != "initialize":
            headers["MCP-Protocol-Version"] = self._version
        return headers

    def _note_version(self, message: Message, answer: Message) -> None:
        result = answer.get("result")
        if message.get("method") == "initialize" and isinstance(result, dict):
            self._version = header_text(str(result.get("protocolVersion", "")))

    def _say(self, message: Message) -> None:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        with self._writing:
            self._out.write(text + b"\n")
            self._out.flush()


def read(answer: http.client.HTTPResponse, message: Message) -> Iterator[Message]:
    """The messages of an answer: one JSON object, or a stream of events. Refused where it is neither."""
    kind = answer.headers.get_content_type()
    if answer.status == 202:
        return
    if answer.status == 200 and kind == "text/event-stream":
        yield from events(answer)
        return
    body = answer.read()
    told = parsed(body) if kind == "application/json" else None
    if told is not None and ("result" in told or "error" in told):
        if told.get("id") is None and message.get("id") is not None:
            told["id"] = message["id"]
        yield told
        return
    raise Refused(why(answer))


def events(answer: Any) -> Iterator[Message]:
    """The JSON objects of a stream of server-sent events; ``answer`` is read by lines."""
    data: List[bytes] = []
    for line in iter(answer.readline, b""):
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text[5:].strip())
        elif not text and data:
            message = parsed(b"\n".join(data))
            data = []
            if message is not None:
                yield message


def why(answer: http.client.HTTPResponse) -> str:
    """What an answer says that carries no message."""
    if answer.status == 401:
        return NOT_ACCEPTED
    if answer.status == 429:
        after = answer.headers.get("Retry-After", "")
        return "Too many requests at a time. Wait{} and try again.".format(
            " {} s".format(after) if after.isdigit() else ""
        )
    return "QGIS answered with HTTP status {}.".format(answer.status)


def parsed(body: bytes) -> Optional[Message]:
    """A JSON object, None for anything else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def error(ident: Any, code: int, text: str) -> Message:
    """An error answer of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": text}}


def header_text(text: str) -> str:
    """As it may stand in a header: other than visible ASCII in base64, as MCP says."""
    if all(" " < each <= "~" for each in text):
        return text
    return "=?base64?" + base64.b64encode(text.encode("utf-8", "replace")).decode("ascii") + "?="


def hang_up(connection: http.client.HTTPConnection) -> None:
    """End a connection that another thread reads from."""
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended by itself


def loopback(url: str) -> Tuple[str, int, str]:
    """Host, port and path of an address on this machine. Refused for any other: the token is for nobody else."""
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host not in LOOPBACK or parts.scheme != "http" or not port:
        raise Refused("The address must be one of this machine, as http://127.0.0.1:8766/mcp.")
    return str(host), int(port), parts.path or PATH


def found_url(profile_folder: str) -> str:
    """The address of the QGIS that opened its endpoint last, "" when none has."""
    found: List[Tuple[float, str]] = []
    for folder in [Path(profile_folder)] if profile_folder else profiles():
        try:
            path = folder / ENDPOINT_FILE
            told = parsed(path.read_bytes()) or {}
            found.append((path.stat().st_mtime, str(told.get("url") or "")))
        except OSError:
            continue
    return max(found)[1] if found else ""


def profiles() -> List[Path]:
    """The profile that this plugin is installed in, where it is; else all profiles of this user."""
    here = Path(os.path.abspath(__file__))  # not resolved: a plugin that is a link belongs to the profile of the link
    if len(here.parents) > 4 and here.parents[2].name == "plugins" and here.parents[3].name == "python":
        return [here.parents[4]]
    roots = [Path(os.environ["QGIS_CUSTOM_CONFIG_PATH"])] if os.environ.get("QGIS_CUSTOM_CONFIG_PATH") else []
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or Path.home())
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    roots += [base / "QGIS" / name for name in ("QGIS4", "QGIS3")]
    return [each for root in roots for each in sorted((root / "profiles").glob("*")) if each.is_dir()]


def main(argv: Optional[List[str]] = None) -> int:
    """Forward until the host ends; the exit status."""
    parser = argparse.ArgumentParser(description="Connects an MCP host (stdio) with the QGIS that is open.")
    parser.add_argument("--url", default=os.environ.get(URL_VARIABLE, ""), help="of the endpoint; found without it")
    parser.add_argument("--token-file", default="", help="a file with the token; else " + ENV_NAME)
    parser.add_argument("--profile-folder", default="", help="of the QGIS profile whose endpoint it is")
    arguments = parser.parse_args(argv)
    token = os.environ.pop(ENV_NAME, "").strip()
    if arguments.token_file:
        try:
            token = Path(arguments.token_file).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as failed:
            sys.stderr.write("mcp_forwarder: {}: {}\n".format(arguments.token_file, failed))
    if not token:
        sys.stderr.write("mcp_forwarder: {}\n".format(NOT_GIVEN))
    try:
        Forwarder(token, arguments.url, arguments.profile_folder, sys.stdout.buffer).run(sys.stdin.buffer)
    except (OSError, ValueError) as failed:
        sys.stderr.write("mcp_forwarder: {}\n".format(failed))
        return 1
    return 0


if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    os._exit(status)  # connections that are still open are not waited for
