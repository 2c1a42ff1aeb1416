"""/compact: the beginning of the conversation becomes a summary now; a line in the conversation says what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QLocale, QObject

from ...bridge import messages
from ...gis.at_home import conversations
from ...gis.at_home import projection as at_home
from ...gis.i18n import translate
from ...gis.sessions import why
from ..cards.error_card import NoticeLine

if TYPE_CHECKING:
    from ...gis.runs import RunController
    from ..dock.dock import AgentDock


class Compacting(QObject):
    """Asks the agent process for it, once at a time. A message that is sent meanwhile waits there for its end."""

    def __init__(self, dock: AgentDock, controller: RunController) -> None:
        super().__init__(dock)
        self._controller = controller
        self._dock = dock
        self._session = ""
        self._line: Optional[NoticeLine] = None

    def begin(self) -> None:
        """Begin, with a line that says so in the place of the one that tells the end."""
        if self._session:
            self._dock.composer.note.say(translate("QgisAgent", "The conversation is being summarised already."))
            return
        session = self._controller.session_id
        if at_home.wanted() and not conversations.holds_none(session):
            self._show(conversations.not_summarised(), "info")
            return
        self._session = session
        self._show(translate("QgisAgent", "Summarising the beginning of the conversation…"), "info")
        self._controller.ask_agent(
            messages.SESSION_COMPACT, {"session_id": session}, lambda told, problem: self._done(session, told, problem)
        )

    def _done(self, session: str, told: Any, problem: str) -> None:
        self._session = ""
        if sip.isdeleted(self._dock) or session != self._controller.session_id:
            return  # another conversation is shown
        told = told if isinstance(told, dict) else {}
        usage = told.get("usage")
        if isinstance(usage, dict):
            self._dock.status.usage.take_beside(usage)
        if told.get("done") is True:
            self._dock.status.usage.freed(_count(told, "before") - _count(told, "after"))
            self._show(done_words(told), "info")
        else:
            needless = not problem and told.get("reason") in ("short", "offline")
            self._show(problem or refused_words(told), "info" if needless else "warning")

    def _show(self, words: str, level: str) -> None:
        conversation = self._dock.conversation
        if self._line is not None and not sip.isdeleted(self._line):
            conversation.remove(self._line)
        self._line = NoticeLine(words, level)
        conversation.add_card(self._line)
        conversation.to_end()


def done_words(told: Dict[str, Any]) -> str:
    """What a person reads of a conversation that is smaller now. Tokens are estimated."""
    if told.get("kind") == "pruned":
        words = translate(
            "QgisAgent",
            "Older results of tools are no longer sent to the model: about {before} tokens became {after}. What you see stays.",
        )
    else:
        words = translate(
            "QgisAgent",
            "The beginning of the conversation was summarised for the model: about {before} tokens became {after}. What you see "
            "stays.",
        )
    locale = QLocale()
    return words.format(before=locale.toString(_count(told, "before")), after=locale.toString(_count(told, "after")))


def refused_words(told: Dict[str, Any]) -> str:
    """Why the conversation is as long as before."""
    reason = str(told.get("reason") or "")
    if reason == "short":
        words = translate("QgisAgent", "There is nothing worth summarising: the conversation takes about {} tokens.")
        return words.format(QLocale().toString(_count(told, "before")))
    if reason == "offline":
        return translate("QgisAgent", "The offline commands read no conversation: there is nothing to summarise.")
    if reason == "model":
        said = str(told.get("message") or translate("QgisAgent", "It took too long."))
        return translate("QgisAgent", "The model could not write the summary, so nothing was changed. {}").format(said)
    return why(reason) if reason else translate("QgisAgent", "The conversation could not be summarised.")


def _count(told: Dict[str, Any], key: str) -> int:
    value = told.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
