"""Earlier conversations, from the QGIS side: asked of the agent process, put into words for a person. No widgets.

Which project a conversation belongs to is said by a key made from the file that the project was opened from: the QGIS
profile's records then hold no path for it, and the project file holds nothing of the conversation.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from qgis.core import QgsProject
from qgis.PyQt.QtCore import QDateTime, QLocale

from ..bridge import messages
from .i18n import translate
from .layers import clean_text

if TYPE_CHECKING:
    from .runs import RunController

Said = List[Dict[str, str]]
Runs = List[Dict[str, Any]]
"""PastRun of bridge/messages.py, oldest first."""
Told = Callable[[str], None]
"""Is given "" when all went well, else what a person should read."""


def project_fields(project: QgsProject) -> Dict[str, str]:
    """{key, name} of a project, as a run tells the agent. The key of a project that is not saved is ""."""
    name = clean_text(project.title() or project.baseName(), 100)
    return {"key": project_key(project), "name": name}


def project_key(project: QgsProject) -> str:
    """16 hexadecimal digits that stand for the project's file (or its place in a database), "" for an unsaved one."""
    return key_of(project.fileName())


def key_of(opened: str) -> str:
    """The key of a project that was opened from ``opened``."""
    if not opened:
        return ""
    place = os.path.normcase(os.path.realpath(opened)) if os.path.exists(opened) else opened
    return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Opened:
    """An earlier conversation that goes on: its newest runs, and how many there are above them.

    ``usage`` is what all of its model calls took (``totals_of`` in agent/records/past_runs.py); ``project`` {key, name} is the one
    that its last run worked on.
    """

    def __init__(self, answer: Dict[str, Any]) -> None:
        self.runs: Runs = _objects(answer.get("runs"))
        self.first = int(answer.get("first") or 0)
        self.usage: Dict[str, Any] = _object(answer.get("usage"))
        self.project: Dict[str, Any] = _object(answer.get("project"))


class Sessions:
    """What the panel, the menu and the command line do with sessions; all answers come later, by call."""

    def __init__(self, controller: RunController) -> None:
        self._controller = controller

    def find(self, query: str, all_projects: bool, done: Callable[[List[Dict[str, Any]], int, str], None]) -> None:
        """``done(sessions, how many there are in all, "" or why not)``: of this project, or of all."""
        self.find_in(query, None if all_projects else project_key(self._controller.host.project), done)

    def find_in(self, query: str, key: Optional[str], done: Callable[[List[Dict[str, Any]], int, str], None]) -> None:
        """``find`` for a project's key ("" for those that were not saved), None for all projects."""
        params: Dict[str, Any] = {"query": query}
        if key is not None:
            params["project_key"] = key

        def answered(result: Any, problem: str) -> None:
            if problem or not isinstance(result, dict):
                done([], 0, problem or why("failed"))
                return
            found = [each for each in result.get("sessions") or [] if isinstance(each, dict)]
            done(found, int(result.get("total") or len(found)), "")

        self._controller.ask_agent(messages.SESSIONS_LIST, params, answered)

    def rename(self, session_id: str, title: str, done: Told) -> None:
        """Give a session another title."""
        self._change(messages.SESSIONS_RENAME, {"session_id": session_id, "title": title}, done)

    def delete(self, session_id: str, done: Told) -> None:
        """Delete a session for good. The one that is shown must have been left before."""
        self._change(messages.SESSIONS_DELETE, {"session_id": session_id}, done)

    def read(self, session_id: str, done: Callable[[Said, str], None]) -> None:
        """All that was said in a session."""
        self._page(session_id, None, [], done)

    def open(self, session_id: str, done: Callable[[Optional[Opened], str], None]) -> None:
        """Go on with a session, which another QGIS then cannot: ``done`` gets its newest runs, or None and why not."""

        def answered(result: Any, problem: str) -> None:
            refused = problem or _refusal(result)
            done(None if refused else Opened(result), refused)

        self._controller.ask_agent(messages.SESSION_RUNS, {"session_id": session_id, "own": True}, answered)

    def runs_before(self, session_id: str, before: int, done: Callable[[Runs, int], None]) -> None:
        """The runs above run ``before``: ``done(runs, number of the first of them)``; none, and ``before``, where that failed."""

        def answered(result: Any, problem: str) -> None:
            if problem or _refusal(result):
                done([], before)
            else:
                done(_objects(result.get("runs")), int(result.get("first") or 0))

        self._controller.ask_agent(messages.SESSION_RUNS, {"session_id": session_id, "before": before}, answered)

    def _page(self, session_id: str, before: Optional[int], later: Said, done: Callable[[Said, str], None]) -> None:
        params: Dict[str, Any] = {"session_id": session_id}
        if before is not None:
            params["before"] = before

        def answered(result: Any, problem: str) -> None:
            if problem or not isinstance(result, dict) or result.get("reason"):
                done([], problem or why(str((result or {}).get("reason") or "failed")))
                return
            said = [_message(each) for each in result.get("messages") or [] if isinstance(each, dict)] + later
            first = int(result.get("first") or 0)
            if first > 0 and result.get("messages"):
                self._page(session_id, first, said, done)
            else:
                done(said, "")

        self._controller.ask_agent(messages.SESSION_LOAD, params, answered)

    def _change(self, method: str, params: Dict[str, Any], done: Told) -> None:
        def answered(result: Any, problem: str) -> None:
            if problem:
                done(problem)
            elif isinstance(result, dict) and result.get("done"):
                done("")
            else:
                given = result if isinstance(result, dict) else {}
                done(
                    " ".join(each for each in (why(str(given.get("reason"))), str(given.get("message") or "")) if each)
                )

        self._controller.ask_agent(method, params, answered)


def why(reason: str) -> str:
    """Why the agent process did not do it, in words."""
    return {
        "in_use": translate("QgisAgent", "Another QGIS has this conversation open. Close it there, then try again."),
        "damaged": translate("QgisAgent", "The file of this conversation is damaged. A copy is kept beside it."),
        "newer": translate(
            "QgisAgent", "A newer version of this plugin wrote this conversation. Update the plugin to open it."
        ),
        "running": translate("QgisAgent", "A request is running. Wait for its end, or stop it, then try again."),
        "missing": translate("QgisAgent", "This conversation is no longer there."),
    }.get(reason, translate("QgisAgent", "That did not work."))


def when(at: float, now: Optional[float] = None) -> str:
    """Time of the last message in the locale's words: the hour today, else the day. ``at``, ``now``: seconds since 1970."""
    moment = QDateTime.fromMSecsSinceEpoch(round(at * 1000))
    today = QDateTime.currentDateTime() if now is None else QDateTime.fromMSecsSinceEpoch(round(now * 1000))
    locale = QLocale()
    if moment.date() == today.date():
        return locale.toString(moment.time(), QLocale.FormatType.ShortFormat)
    return locale.toString(moment.date(), QLocale.FormatType.ShortFormat)


def about(entry: Dict[str, Any], with_project: bool = False) -> str:
    """The second line of a session: time, requests, size, and its project where those of all are shown."""
    parts = [
        when(float(entry.get("at") or 0.0)),
        translate("QgisAgent", "Requests: {}").format(int(entry.get("requests") or 0)),
        QLocale().formattedDataSize(int(entry.get("size") or 0), 0, QLocale.DataSizeFormat.DataSizeSIFormat),
    ]
    if with_project:
        parts.append(str(entry.get("project") or "") or translate("QgisAgent", "project not saved"))
    return " · ".join(parts)


def as_markdown(title: str, said: Said) -> str:
    """A conversation as Markdown: the person's words as quotes, the answers as they are."""
    parts = ["# {}".format(" ".join(title.split()))]
    for each in said:
        if each["role"] == "user":
            parts.append("\n".join("> " + line for line in each["text"].splitlines()) or ">")
        else:
            parts.append(each["text"])
    return "\n\n".join(parts) + "\n"


def _refusal(result: Any) -> str:
    """Why the agent process did not answer with runs, "" where it did."""
    if not isinstance(result, dict):
        return why("failed")
    return why(str(result["reason"])) if result.get("reason") else ""


def _object(value: Any) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> Runs:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _message(given: Dict[str, Any]) -> Dict[str, str]:
    return {"role": str(given.get("role") or ""), "text": str(given.get("text") or "")}
