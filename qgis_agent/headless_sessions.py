"""The command ``sessions``: lists the conversations of a QGIS profile, or prints one as Markdown. It opens no project."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from qgis.core import QgsProject

from .gis.headless import HeadlessApprover, HeadlessQgis, default_profile
from .gis.host import Host, run_until
from .gis.runs import RunController
from .gis.sessions import Said, Sessions, as_markdown
from .headless_audit import PROFILE_PARTS

if TYPE_CHECKING:
    from .__main__ import Output

TIMEOUT_S = 60.0


def sessions(arguments: argparse.Namespace, output: Output) -> int:
    """``sessions list|show``: exit status 1 where there is nothing of that name, or the agent process does not answer."""
    records = _records(arguments.profile_folder)
    if not (records / "sessions").is_dir() and arguments.profile_folder:
        sys.stderr.write("qgis_agent: {} has no conversations\n".format(arguments.profile_folder))
        return 1
    qgis = HeadlessQgis()
    controller: Optional[RunController] = None
    try:
        records.mkdir(parents=True, exist_ok=True, mode=0o700)
        approver = HeadlessApprover("none", False, [])
        controller = RunController(Host(QgsProject.instance()), approver, caller="cli", records=records)
        desk = Sessions(controller)
        if arguments.action == "list":
            return _list(desk, arguments, output)
        return _show(desk, arguments, output)
    finally:
        if controller is not None:
            controller.close()
        qgis.close()


def _list(desk: Sessions, arguments: argparse.Namespace, output: Output) -> int:
    entries, total, problem = _find(desk, arguments.search)
    if problem:
        return _failed(problem)
    if arguments.json:
        output.json({"sessions": entries, "total": total})
        return 0
    for each in entries:
        at = datetime.datetime.fromtimestamp(float(each["at"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
        parts = (each["session_id"], at, "{} B".format(each["size"]), each["project"] or "-", each["title"])
        output.line("  ".join(parts))
    if not entries:
        sys.stderr.write("no conversations\n")
    return 0


def _show(desk: Sessions, arguments: argparse.Namespace, output: Output) -> int:
    answers: List[Tuple[Said, str]] = []
    desk.read(arguments.session_id, lambda said, problem: answers.append((said, problem)))
    if not run_until(lambda: bool(answers), TIMEOUT_S):
        return _failed("the agent process did not answer")
    said, problem = answers[0]
    if problem or not said:
        return _failed(problem or "there is no conversation {!r}".format(arguments.session_id))
    if arguments.json:
        output.json({"session_id": arguments.session_id, "messages": said})
    else:
        entries, _total, _problem = _find(desk, "")
        titles = {str(each["session_id"]): str(each["title"]) for each in entries}
        output.line(as_markdown(titles.get(arguments.session_id, arguments.session_id), said).rstrip("\n"))
    return 0


def _find(desk: Sessions, query: str) -> Tuple[List[Dict[str, Any]], int, str]:
    answers: List[Tuple[List[Dict[str, Any]], int, str]] = []
    desk.find(query, True, lambda entries, total, problem: answers.append((entries, total, problem)))
    return answers[0] if run_until(lambda: bool(answers), TIMEOUT_S) else ([], 0, "the agent process did not answer")


def _failed(why: str) -> int:
    sys.stderr.write("qgis_agent: {}\n".format(why))
    return 1


def _records(named: Optional[str]) -> Path:
    """The records of a profile's folder, also where that of all profiles is named."""
    base = Path(named) if named else default_profile()
    inner = base.joinpath(*PROFILE_PARTS)
    return (inner if inner.is_dir() else base) / "qgis_agent"
