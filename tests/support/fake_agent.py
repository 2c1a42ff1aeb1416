"""A stand-in for the agent process that misbehaves as its first argument says. Standard library only.

Modes: good (answers; a run calls the tool named in its text), old (another protocol version), silent, garbage (noise on
the line between good messages), dies_at_start, dies_in_run, deaf (ignores cancel).
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def send(message: dict[str, Any]) -> None:
    """Write one line."""
    sys.stdout.buffer.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
    sys.stdout.buffer.flush()


def report(termination: str, answer: str) -> dict[str, Any]:
    """A RunReport."""
    return {"ok": termination == "completed", "termination": termination, "answer": answer, "steps": []}


def main(mode: str) -> None:  # noqa: C901  a list of misbehaviours
    """Serve until the end of stdin."""
    if mode == "dies_at_start":
        sys.stderr.write("cannot begin\n")
        sys.exit(3)
    waiting: dict[str, Any] = {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        ident, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if mode == "garbage":
            sys.stdout.buffer.write(b"Warning: something printed here\n\xff\xfe\n{\n")
        if method == "initialize" and mode != "silent":
            send({"id": ident, "result": {"protocol": 0 if mode == "old" else params["protocol"], "pid": os.getpid()}})
        elif method == "model/configure":
            send({"id": ident, "result": {"label": params["kind"], "kind": params["kind"]}})
        elif method == "run/start":
            if mode == "dies_in_run":
                os.kill(os.getpid(), 9)
            waiting[params["run_id"]] = ident
            send({"method": "run/event", "params": {"run_id": params["run_id"], "type": "text_delta", "text": "…"}})
            if params["text"].startswith("call "):
                name, arguments = params["text"].split(" ", 2)[1:]
                call = {"call_id": "1", "run_id": params["run_id"], "capability": params["capability"], "name": name}
                send({"id": "t1", "method": "tools/call", "params": {**call, "arguments": json.loads(arguments)}})
            elif params["text"] == "say plan":  # what a run was started with, and a plan in the report
                said = {key: params.get(key) for key in ("profile", "approved_plan")}
                plan = {"steps": [{"title": "a"}], "hash": "x"}
                send({"id": ident, "result": dict(report("completed", json.dumps(said)), plan=plan)})
            elif params["text"].startswith("ask "):  # any other request of the agent: its result is the answer
                method, values = params["text"].split(" ", 2)[1:]
                values = {"capability": params["capability"], **json.loads(values)}
                send({"id": "t1", "method": method, "params": values})
            elif params["text"] != "wait":
                send({"id": ident, "result": report("completed", params["text"].upper())})
        elif method == "$/cancel" and mode != "deaf":
            send({"id": params["id"], "result": report("interrupted", "")})
        elif ident == "t1":
            _, run = waiting.popitem()
            send(
                {
                    "id": run,
                    "result": report("completed", json.dumps(message["result"].get("envelope", message["result"]))),
                }
            )
        elif method == "shutdown":
            return


if __name__ == "__main__":
    main(os.environ["FAKE_AGENT_MODE"])
