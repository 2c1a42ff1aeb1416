"""The command line: ``.venv/bin/python -m qgis_agent ask|call|tools|doctor|audit|sessions|replay|eval|mcp|env …`` (design section 9).

Exit status: 0 done, 1 the tool or run failed, 2 wrong usage. stdout carries the answer only: QGIS, Qt and GDAL print to
it, so it is duplicated here first and everything else goes to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, List, Optional

from .bridge.redaction import REDACTOR


class Output:
    """The real stdout."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
        os.dup2(2, 1)

    def line(self, text: str) -> None:
        """Write one line, without secrets."""
        self._file.write(REDACTOR.text(text) + "\n")
        self._file.flush()

    def frame(self, text: str) -> None:
        """Write a message of a protocol, a line: what is in it has been redacted by those who made it."""
        self._file.write(text + "\n")
        self._file.flush()

    def json(self, value: Any) -> None:
        """Write one JSON object, without secrets."""
        self._file.write(json.dumps(REDACTOR.strings(value), ensure_ascii=False, indent=2) + "\n")
        self._file.flush()


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    main_parser = argparse.ArgumentParser(prog="python -m qgis_agent", description="QGIS Agent without a window.")
    commands = main_parser.add_subparsers(dest="command", required=True)

    ask = commands.add_parser("ask", help="answer one request on a project")
    ask.add_argument("text")
    ask.add_argument(
        "--profile", default="gis-build", help="gis-build (the default), gis-plan: only reads and makes a plan, …"
    )
    who = ask.add_mutually_exclusive_group()
    who.add_argument(
        "--model", help="a model, e.g. openai/NAME; QGIS_AGENT_API_BASE and QGIS_AGENT_API_KEY name the endpoint"
    )
    who.add_argument("--offline", action="store_true", help="offline commands (the default)")
    who.add_argument("--script", metavar="FILE", help="a scripted model: a JSON list of turns")
    ask.add_argument("--trace", metavar="OUT.jsonl", help="add the trace of the run to this file, for replay")
    ask.add_argument(
        "--redact",
        action="append",
        choices=("names", "ids", "values"),
        default=[],
        help="replace these in the trace by pseudonyms; it can then be read, not replayed",
    )
    ask.add_argument(
        "--record",
        metavar="OUT.jsonl",
        help="write what crosses to the model and to QGIS, unredacted, for replay through the whole harness",
    )
    ask.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    call = commands.add_parser("call", help="one tool through the whole ToolRuntime; prints its envelope")
    call.add_argument("tool")
    call.add_argument("--args", default="{}", metavar="JSON|@FILE")

    for each in (ask, call):
        each.add_argument("--project", metavar="P", help="a .qgz or .qgs, a vector file, or 'world'")
        each.add_argument(
            "--approve",
            choices=("none", "reversible", "all"),
            default="none",
            help="what is agreed to where QGIS would ask: nothing, what can be taken back, or all writes to --allow-write folders",
        )
        each.add_argument(
            "--allow-write",
            action="append",
            default=[],
            metavar="DIR",
            help="switch writing on, into this folder only; each write needs --approve too",
        )
        each.add_argument(
            "--allow-network",
            action="append",
            default=[],
            metavar="HOST",
            help="HOST or HOST:PORT that services may be read from",
        )
        each.add_argument("--save-project", metavar="P2", help="save the project to this new file at the end")
        each.add_argument("--picture", metavar="OUT.png", help="draw the map to this file at the end")

    tools = commands.add_parser("tools", help="list the tools")
    tools.add_argument("--json", action="store_true")
    tools.add_argument("--pack")

    doctor = commands.add_parser("doctor", help="check QGIS, Python and the agent's environment")
    doctor.add_argument("--json", action="store_true")

    audit = commands.add_parser("audit", help="who did what, when, on which layer, allowed by whom")
    audit.add_argument("--since", default="", metavar="ISO", help="from this time on (UTC where it names no zone)")
    audit.add_argument("--until", default="", metavar="ISO", help="up to this time, or to the end of this day")
    audit.add_argument("--tool", default="")
    audit.add_argument("--layer", default="", help="its short name, its name or its id")
    audit.add_argument("--caller", default="", help="chat, cli, mcp or subagent")
    audit.add_argument("--profile-folder", metavar="DIR", help="of a QGIS profile; the command line's own without it")
    form = audit.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object with all lines")
    form.add_argument("--csv", action="store_true")
    audit.add_argument("--out", metavar="FILE", help="write to a new file: CSV where it ends in .csv, else JSON lines")

    sessions = commands.add_parser("sessions", help="the conversations of a QGIS profile")
    actions = sessions.add_subparsers(dest="action", required=True)
    listed = actions.add_parser("list", help="the newest first")
    listed.add_argument("--search", default="", metavar="WORDS", help="in titles and in what was said")
    listed.add_argument("--project", metavar="P", help="only those about this project; of all projects without it")
    show = actions.add_parser("show", help="one conversation, as Markdown")
    show.add_argument("--trace", metavar="OUT.jsonl", help="add the traces of its runs to this file instead")
    show.add_argument(
        "--redact",
        action="append",
        choices=("names", "ids", "values"),
        default=[],
        help="replace these in the traces by pseudonyms",
    )
    export = actions.add_parser("export", help="write one to a new Markdown file")
    rename = actions.add_parser("rename", help="give one another title")
    delete = actions.add_parser("delete", help="delete one and its charts for good, after a question")
    for each in (show, export, rename, delete):
        each.add_argument("session_id", metavar="ID")
    export.add_argument("out", metavar="FILE")
    rename.add_argument("title")
    delete.add_argument("--yes", action="store_true", help="without the question")
    for each in (listed, show):
        each.add_argument("--json", action="store_true")
    for each in (listed, show, export, rename, delete):
        each.add_argument(
            "--profile-folder", metavar="DIR", help="of a QGIS profile; the command line's own without it"
        )

    replay = commands.add_parser("replay", help="repeat what a trace tells, without a model, on a copy of the project")
    replay.add_argument("trace", metavar="TRACE.jsonl", help="a trace, or a recording (ask --record)")
    replay.add_argument("--project", metavar="P", help="the project; the one that the trace names without it")
    replay.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    replay.add_argument(
        "--approve",
        choices=("none", "reversible", "all"),
        default="none",
        help="what is agreed to again of writes; without it they are skipped",
    )
    replay.add_argument("--allow-write", action="append", default=[], metavar="DIR", help="folder of such writes")

    evaluation = commands.add_parser("eval", help="run an evaluation set, score it and write a report")
    evaluation.add_argument("set", metavar="SET.jsonl")
    who = evaluation.add_mutually_exclusive_group()
    who.add_argument("--model", help="a model, as for ask")
    who.add_argument("--script", metavar="FILE", help="scripted turns by case id; cases without turns are not run")
    who.add_argument("--offline", action="store_true", help="offline commands, on the cases that are marked for them")
    evaluation.add_argument("--out", metavar="DIR", required=True, help="where the report is written")
    evaluation.add_argument(
        "--baseline", metavar="DIR", default="", help="the report of an earlier time to compare with"
    )
    evaluation.add_argument("--no-replay", action="store_true", help="do not repeat each run from its trace")
    evaluation.add_argument(
        "--no-offline", action="store_true", help="do not try the offline commands on the set as well"
    )
    evaluation.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    mcp = commands.add_parser("mcp", help="serve the tools to MCP hosts: over stdin and stdout, or --http")
    mcp.add_argument("--project", metavar="P", help="a .qgz or .qgs, a vector file, or 'world'")
    mcp.add_argument("--http", action="store_true", help="listen on 127.0.0.1 instead; each request needs the token")
    mcp.add_argument("--port", type=int, default=0, help="with --http: the port; any free one without it")
    mcp.add_argument("--token-file", metavar="F", help="with --http: the token; the file is made where there is none")
    mcp.add_argument(
        "--approve",
        choices=("none", "reversible", "all"),
        default="none",
        help="what a client may do besides reading: nothing, what can be taken back, or also all writes to --allow-write folders",
    )
    mcp.add_argument("--allow-write", action="append", default=[], metavar="DIR", help="as for ask")
    mcp.add_argument("--allow-network", action="append", default=[], metavar="HOST", help="as for ask")
    mcp.add_argument(
        "--store", metavar="URL", default="", help="where results are kept: redis://… for several replicas"
    )
    mcp.add_argument("--replica", action="store_true", help="one of several servers of a project: it only reads")
    mcp.add_argument("--check", action="store_true", help="look what is wrong, and end")
    mcp.add_argument("--json", action="store_true", help="with --check or --http: print one JSON object")
    mcp.add_argument("--fixtures", action="store_true", help=argparse.SUPPRESS)

    env = commands.add_parser("env", help="the agent's environment")
    env.add_argument("action", choices=("build", "check"))
    env.add_argument("--python", metavar="PATH")
    env.add_argument("--wheels", metavar="DIR")
    return main_parser


def main(argv: Optional[List[str]] = None) -> int:
    """Run one command; returns the exit status."""
    arguments = parser().parse_args(argv)
    output = Output()
    # Keys never stay in the environment, where QGIS, its plugins and child processes could read them.
    endpoint = {
        "api_base": os.environ.pop("QGIS_AGENT_API_BASE", ""),
        "api_key": os.environ.pop("QGIS_AGENT_API_KEY", ""),
    }
    REDACTOR.know(endpoint["api_key"])
    from . import headless_commands as commands

    if arguments.command == "ask":
        return commands.ask(arguments, endpoint, output)
    if arguments.command == "call":
        return commands.call(arguments, endpoint, output)
    if arguments.command == "tools":
        return commands.tools(arguments, output)
    if arguments.command == "audit":
        from .headless_audit import audit

        return audit(arguments, output)
    if arguments.command == "sessions":
        from .headless_sessions import sessions

        return sessions(arguments, output)
    if arguments.command == "replay":
        from .headless_replay import replay

        return replay(arguments, output)
    if arguments.command == "eval":
        from .headless_eval import evaluate

        return evaluate(arguments, endpoint, output)
    if arguments.command == "mcp":
        from .headless_mcp import mcp

        return mcp(arguments, endpoint, output)
    if arguments.command == "doctor":
        return commands.doctor(arguments, output)
    return commands.env(arguments, output)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # QGIS has been closed in order by now; Python's own tear-down of Qt objects in random order may still crash.
    os._exit(status)
