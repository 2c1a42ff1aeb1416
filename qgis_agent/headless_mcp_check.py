"""``mcp --check``: what is wrong, for a person: the environment, the project and a real conversation; with --http the endpoint."""

from __future__ import annotations

import argparse
import http.client
import io
import json
import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from qgis.PyQt.QtCore import QTimer

from . import environment
from .bridge.messages import MCP_FRAME, MCP_OPEN
from .gis.errors import ToolError
from .headless_mcp import ENV_NAME, STDIO, Server, client_of, why
from .mcp_forwarder import PATH, Refused, events, found_url, loopback, parsed

if TYPE_CHECKING:
    from .__main__ import Output

ANSWER_S = 30
CONNECT_S = 5.0
HELLO: Dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "qgis_agent mcp --check", "version": "1"},
    },
}
LIST: Dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``hint`` says how to put it right."""

    name: str
    ok: bool
    text: str
    hint: str = ""


def check(arguments: argparse.Namespace, token: str, output: Output) -> int:
    """Look, tell, and give the exit status: 0 where all is well."""
    findings = [_environment()]
    if arguments.http:
        findings += _endpoint(arguments, token)
    elif findings[0].ok:
        findings += _conversation(arguments)
    ok = all(each.ok for each in findings)
    if arguments.json:
        shown = [dict(asdict(each), hint="" if each.ok else each.hint) for each in findings]
        output.json({"ok": ok, "checks": shown})
        return 0 if ok else 1
    for each in findings:
        output.line("{:5} {}: {}".format("ok" if each.ok else "WRONG", each.name, each.text))
        if each.hint and not each.ok:
            output.line("      " + each.hint)
    return 0 if ok else 1


def _environment() -> Finding:
    folder = environment.locate()
    report = environment.check(folder)
    hint = "Build it: python -m qgis_agent env build, or in QGIS: options of QGIS Agent."
    return Finding("environment", report.ok, str(folder) if report.ok else report.message, hint)


# stdio: what a host would get


def _conversation(arguments: argparse.Namespace) -> List[Finding]:
    try:
        server = Server(arguments, {"api_base": "", "api_key": ""}, [client_of(arguments, STDIO, STDIO)])
    except (ToolError, OSError, ValueError) as error:
        return [Finding("project", False, why(error), "Name a project that QGIS opens: --project FILE.")]
    project = "opened" if arguments.project else "none named: an empty one is served"
    findings = [Finding("project", True, project)]
    answers: Dict[int, Any] = {}
    problems: List[str] = []

    def told(method: str, params: Dict[str, Any]) -> None:
        message = parsed(str(params.get("text")).encode("utf-8")) if method == MCP_FRAME else None
        if message is None or message.get("id") not in (1, 2):
            return
        answers[message["id"]] = message
        if message["id"] == 1:
            say(LIST)
        else:
            server.end(0)

    def say(message: Dict[str, Any]) -> None:
        server.side.tell(MCP_FRAME, {"client_id": STDIO, "text": json.dumps(message)})

    def opened(_result: Any, problem: str) -> None:
        if problem:
            problems.append(problem)
            server.end(1)
        else:
            say(HELLO)

    try:
        server.side.told.connect(told)
        deadline = QTimer()
        deadline.setSingleShot(True)
        deadline.timeout.connect(lambda: server.end(1))
        deadline.start(ANSWER_S * 1000)
        server.request(MCP_OPEN, {"client_id": STDIO, "transport": STDIO}, opened)
        server.run()
        deadline.stop()
    finally:
        server.close()
    if problems:
        findings.append(Finding("server", False, problems[0], "See the lines above on stderr."))
        return findings
    return [*findings, *_said(answers.get(1), answers.get(2))]


def _said(hello: Any, listed: Any) -> List[Finding]:
    """What the answers to initialize and tools/list come to."""
    result = hello.get("result") if isinstance(hello, dict) else None
    if not isinstance(result, dict):
        text = "no answer to initialize" if hello is None else json.dumps(hello.get("error"), ensure_ascii=False)
        return [
            Finding("protocol", False, text, "Start QGIS again; if that does not help, build the environment anew.")
        ]
    version = str(result.get("protocolVersion"))
    found = [Finding("protocol", True, "initialize is answered, version {}".format(version))]
    tools = listed.get("result", {}).get("tools") if isinstance(listed, dict) else None
    count = len(tools) if isinstance(tools, list) else 0
    found.append(Finding("tools", count > 0, "{} tools".format(count), "The client may use none: look at its level."))
    return found


# HTTP: the endpoint that is, or should be, open


def _endpoint(arguments: argparse.Namespace, token: str) -> List[Finding]:
    url = "http://127.0.0.1:{}{}".format(arguments.port, PATH) if arguments.port else found_url("")
    opening = "Open QGIS and turn the endpoint on (options of QGIS Agent, page “Other programs (MCP)”), or name --port."
    if not url:
        return [Finding("endpoint", False, "no QGIS of this user has its endpoint open", opening)]
    try:
        host, port, path = loopback(url)
    except Refused as refused:
        return [Finding("endpoint", False, str(refused), opening)]
    try:
        status, body, _kind = _asked(host, port, "GET", "/health", None, {})
    except (OSError, http.client.HTTPException) as error:
        return [Finding("endpoint", False, "nothing answers at {} ({})".format(url, error), opening)]
    if status != 200 or (parsed(body) or {}).get("status") != "ok":
        text = "{} answers, but not as QGIS Agent (status {})".format(url, status)
        return [Finding("endpoint", False, text, "Another program has this port: choose another one in QGIS.")]
    found = [Finding("endpoint", True, url)]
    given, finding = _given(arguments, token)
    found.append(finding)
    return [*found, *_spoken(host, port, path, given)] if finding.ok else found


def _given(arguments: argparse.Namespace, token: str) -> Tuple[str, Finding]:
    """The token that a host would send."""
    hint = "Set {}, or give --token-file with the token that QGIS showed.".format(ENV_NAME)
    if not arguments.token_file:
        text = "the token is in {}".format(ENV_NAME) if token else "no token was given"
        return token, Finding("key", bool(token), text, hint)
    path = Path(arguments.token_file)
    try:
        kept = path.read_text(encoding="utf-8").strip()
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, ValueError) as error:
        return "", Finding("key", False, "{}: {}".format(path, error), hint)
    if os.name == "posix" and mode & 0o077:
        return "", Finding("key", False, "others can read {}".format(path), "Run: chmod 600 {}".format(path))
    return kept, Finding(
        "key", bool(kept), "the token is in {}".format(path) if kept else "{} is empty".format(path), hint
    )


def _spoken(host: str, port: int, path: str, token: str) -> List[Finding]:
    headers = {
        "Authorization": "Bearer " + token,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    answers: List[Optional[Dict[str, Any]]] = []
    for message in (HELLO, LIST):
        try:
            status, body, kind = _asked(host, port, "POST", path, message, headers)
        except (OSError, http.client.HTTPException) as error:
            return [Finding("protocol", False, "the connection broke ({})".format(error), "Look at QGIS's log.")]
        if status == 401:
            hint = "Make a new one in QGIS: options of QGIS Agent, page “Other programs (MCP)”."
            return [Finding("access", False, "QGIS does not accept this token", hint)]
        answers.append(next(events_of(body), None) if kind == "text/event-stream" else parsed(body))
        headers = dict(headers, **{"MCP-Protocol-Version": HELLO["params"]["protocolVersion"]})
    return [Finding("access", True, "the token is accepted"), *_said(*answers)]


def events_of(body: bytes) -> Any:
    """The messages of a stream that has ended."""
    return events(io.BytesIO(body))


def _asked(
    host: str, port: int, method: str, path: str, message: Optional[Dict[str, Any]], headers: Dict[str, str]
) -> Tuple[int, bytes, str]:
    """Status, body and content type of an answer."""
    connection = http.client.HTTPConnection(host, port, timeout=CONNECT_S if message is None else ANSWER_S)
    try:
        connection.request(method, path, None if message is None else json.dumps(message).encode("utf-8"), headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers.get_content_type()
    finally:
        connection.close()
