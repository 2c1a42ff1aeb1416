"""A scripted QGIS as the parent of the real agent process that serves MCP over HTTP: what is asked of it is kept, by client."""

from __future__ import annotations

import hashlib
import json
import queue
import threading
import time
from pathlib import Path
from typing import Any

from mcp_http import Reply, ask, modern
from test_agent_process import Parent

from qgis_agent.bridge.envelope import failure, success

WAIT_S = 60.0


def digest(token: str) -> str:
    """What QGIS keeps of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class McpParent(Parent):
    """A parent that serves its child from a thread. ``rows`` are the handles of this QGIS, by their name: owner and rows."""

    def __init__(self, records: Path, **answers: Any) -> None:
        self.port = 0
        self.rows: dict[str, tuple[str, list[Any]]] = {}
        self.asked_by_method: dict[str, list[dict[str, Any]]] = {}
        self.allowed = True
        self.levels: dict[str, str] = {}
        self.tokens_used: set[str] = set()
        self._writing = threading.Lock()
        super().__init__(records, **answers)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                line = self._lines.get(timeout=1)
            except queue.Empty:
                continue
            if not line:
                return
            self._take(json.loads(line))

    def forget(self) -> None:
        """As at first, but for what the process itself remembers."""
        self.calls.clear()
        self.cancelled.clear()
        self.answers.clear()
        self.asked_by_method.clear()
        self.allowed = True

    def kill(self) -> None:
        """End the process and its pipes."""
        self.process.kill()
        self.process.wait(5)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def raw(self, data: bytes) -> None:
        """See Parent; from any thread."""
        with self._writing:
            super().raw(data)

    def until(self, done: Any) -> None:
        """Wait; the thread serves."""
        deadline = time.monotonic() + WAIT_S
        while not done():
            assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.005)

    def serve(self, tokens: dict[str, str], **more: Any) -> int:
        """Listen for clients with these tokens; the port."""
        clients = [{"client_id": key, "label": key, "token_sha256": digest(value)} for key, value in tokens.items()]
        answer = self.request("mcp/serve", {"port": 0, "clients": clients, "store": "sqlite", **more})
        return int(answer["result"]["port"])

    def asked_for(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all requests of a kind."""
        return self.asked_by_method.get(method, [])

    def _take(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        if method is not None and "id" in message:
            self.asked_by_method.setdefault(method, []).append(params)
        answer = self._mcp(str(method), params)
        if answer is not None:
            self.send({"id": message["id"], "result": answer})
            if method == "tools/call":
                self.calls.append(message)
            return
        super()._take(message)

    def _mcp(self, method: str, params: dict[str, Any]) -> Any:
        """The answer to what only MCP asks; None where Parent answers."""
        owner = str(params.get("capability", "")).partition("/")[2]
        if method == "mcp/client":
            ident = params["client_id"]
            level = self.levels.get(ident, "read_only")
            names = {"capability": f"cap/{ident}", "session_id": f"mcp-{ident}", "run_id": f"mcp-{ident}/1"}
            return {**names, "level": level, "enabled_packs": [], "language": "", "project": {"key": "p", "name": "x"}}
        if method == "mcp/access":
            return {"allowed": self.allowed}
        if method == "mcp/seal":
            found = self.rows.get(params["result_ref"])
            if found is None or found[0] != owner:
                return {"origin": None, "rows": None}
            start = int(params.get("cursor", 0))
            part = found[1][start : start + 300]
            end = start + len(part)
            return {"origin": {"project": "p"}, "rows": part, "next": end if end < len(found[1]) else None}
        if method == "tools/call" and params["name"] in ("query_features", "fetch_result", "commit_action"):
            return {"envelope": self._called(owner, params), "actions": [], "legend": [], "evidence": [], "ms": 1}
        return None

    def _called(self, owner: str, params: dict[str, Any]) -> Any:
        arguments = params["arguments"]
        if params["name"] == "query_features":
            ref = f"query_features:{len(self.rows)}-{owner}-{self.process.pid}"
            self.rows[ref] = (owner, [[number, f"row {number} of {owner}"] for number in range(1000)])
            return success({"rows": self.rows[ref][1][:5], "total": 1000, "result_ref": ref})
        if params["name"] == "commit_action":
            token = arguments["confirm_token"]
            if token in self.tokens_used:
                return failure("CONFIRM_REQUIRED", "used", hint="Prepare again.", reason="used")
            self.tokens_used.add(token)
            return success({"written": True})
        return failure("NOT_FOUND", "This result is no longer kept.", hint="Ask again.", reason="result_ref")


def call(port: int, token: str, name: str, arguments: dict[str, Any]) -> Reply:
    """A tool call of 2026-07-28."""
    body, headers = modern("tools/call", {"name": name, "arguments": arguments})
    return ask(port, body=body, headers=headers, token=token)


def memory_kb(pid: int) -> int:
    """The resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(each.split()[1]) for each in lines if each.startswith("VmRSS:"))
