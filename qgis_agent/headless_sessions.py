"""The command ``sessions``: the conversations of a QGIS profile listed, printed, exported, renamed, deleted. It opens no project."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from qgis.core import QgsProject

from .gis.errors import ToolError
from .gis.headless import HeadlessApprover, HeadlessQgis, default_profile
from .gis.host import Host, run_until
from .gis.runs import RunController
from .gis.secrets import without_secrets
from .gis.sessions import Said, Sessions, as_markdown, key_of
from .headless_audit import PROFILE_PARTS
from .headless_traces import save_trace

if TYPE_CHECKING:
    from .__main__ import Output

TIMEOUT_S = 60.0
NO_ANSWER = "the agent process did not answer"
Found = Tuple[List[Dict[str, Any]], int, str]


def sessions(arguments: argparse.Namespace, output: Output) -> int:
    """``sessions list|show|export|rename|delete``: exit status 1 where nothing was found or done; stderr says why."""
    records = _records(arguments.profile_folder)
    if not (records / "sessions").is_dir() and arguments.profile_folder:
        return _failed("{} has no conversations".format(arguments.profile_folder))
    qgis = HeadlessQgis()
    controller: Optional[RunController] = None
    try:
        records.mkdir(parents=True, exist_ok=True, mode=0o700)
        approver = HeadlessApprover("none", False, [])
        controller = RunController(Host(QgsProject.instance()), approver, caller="cli", records=records)
        if getattr(arguments, "trace", None):
            return _traces(controller, arguments)
        return _ACTIONS[arguments.action](Sessions(controller), arguments, output)
    finally:
        if controller is not None:
            controller.close()
        qgis.close()


def _traces(controller: RunController, arguments: argparse.Namespace) -> int:
    """The runs of a conversation as traces, added to a file; also of one that was cut off."""
    try:
        count = save_trace(controller, arguments.trace, "", arguments.redact, arguments.session_id)
    except ToolError as error:
        return _failed(str(error.envelope["message"]))
    sys.stderr.write("{} traces\n".format(count))
    return 0


def _list(desk: Sessions, arguments: argparse.Namespace, output: Output) -> int:
    key = key_of(str(Path(arguments.project).absolute())) if arguments.project else None
    entries, total, problem = _find(desk, arguments.search, key)
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
    said, problem = _read(desk, arguments.session_id)
    if problem:
        return _failed(problem)
    if arguments.json:
        output.json({"session_id": arguments.session_id, "messages": said})
    else:
        output.line(as_markdown(_title(desk, arguments.session_id, said), said).rstrip("\n"))
    return 0


def _export(desk: Sessions, arguments: argparse.Namespace, _output: Output) -> int:
    """A file that is there is never replaced."""
    said, problem = _read(desk, arguments.session_id)
    if problem:
        return _failed(problem)
    text = without_secrets(as_markdown(_title(desk, arguments.session_id, said), said))
    try:
        with open(arguments.out, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return _failed("{} is there already and was not replaced".format(arguments.out))
    except OSError as error:
        return _failed("{} could not be written: {}".format(arguments.out, error.strerror or error))
    sys.stderr.write("written to {}\n".format(arguments.out))
    return 0


def _rename(desk: Sessions, arguments: argparse.Namespace, _output: Output) -> int:
    if not arguments.title.strip():
        return _failed("a title has at least one character")
    return _done(lambda told: desk.rename(arguments.session_id, arguments.title.strip(), told))


def _delete(desk: Sessions, arguments: argparse.Namespace, _output: Output) -> int:
    said, problem = _read(desk, arguments.session_id)
    if problem:
        return _failed(problem)
    if not arguments.yes and not _agreed(_title(desk, arguments.session_id, said), len(said)):
        return _failed("nothing was deleted")
    return _done(lambda told: desk.delete(arguments.session_id, told))


_ACTIONS: Dict[str, Callable[[Sessions, argparse.Namespace, Output], int]] = {
    "list": _list,
    "show": _show,
    "export": _export,
    "rename": _rename,
    "delete": _delete,
}


def _agreed(title: str, messages: int) -> bool:
    """Whether the person types yes: at a terminal or through a pipe; the end of the input is a no."""
    sys.stderr.write("{}\nDelete this conversation ({} messages) and its charts for good? ".format(title, messages))
    sys.stderr.write("Type yes: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes", "是")


def _done(act: Callable[[Callable[[str], None]], None]) -> int:
    answers: List[str] = []
    act(answers.append)
    if not run_until(lambda: bool(answers), TIMEOUT_S):
        return _failed(NO_ANSWER)
    return _failed(answers[0]) if answers[0] else 0


def _read(desk: Sessions, session_id: str) -> Tuple[Said, str]:
    """What was said, and "" or why nothing can be read."""
    answers: List[Tuple[Said, str]] = []
    desk.read(session_id, lambda said, problem: answers.append((said, problem)))
    if not run_until(lambda: bool(answers), TIMEOUT_S):
        return [], NO_ANSWER
    said, problem = answers[0]
    return said, problem or ("" if said else _missing(session_id))


def _title(desk: Sessions, session_id: str, said: Said) -> str:
    """The title that a person sees in the list; of one that is too old for it, its first words."""
    entries, _total, _problem = _find(desk, "")
    titles = {str(each["session_id"]): str(each["title"]) for each in entries}
    return titles.get(session_id) or " ".join(said[0]["text"].split())[:80]


def _find(desk: Sessions, query: str, project_key: Optional[str] = None) -> Found:
    answers: List[Found] = []
    desk.find_in(query, project_key, lambda entries, total, problem: answers.append((entries, total, problem)))
    return answers[0] if run_until(lambda: bool(answers), TIMEOUT_S) else ([], 0, NO_ANSWER)


def _missing(session_id: str) -> str:
    return "there is no conversation {!r}".format(session_id)


def _failed(why: str) -> int:
    sys.stderr.write("qgis_agent: {}\n".format(why))
    return 1


def _records(named: Optional[str]) -> Path:
    """The records of a profile's folder, also where that of all profiles is named."""
    base = Path(named) if named else default_profile()
    inner = base.joinpath(*PROFILE_PARTS)
    return (inner if inner.is_dir() else base) / "qgis_agent"
