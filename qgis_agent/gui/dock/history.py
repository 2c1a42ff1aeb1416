"""Shows an earlier conversation: the newest runs at once, older ones as a person goes up to them (see earlier.py)."""

from __future__ import annotations

from qgis.PyQt.QtCore import QObject

from ...gis.i18n import translate
from ...gis.layers import clean_text
from ...gis.sessions import Opened
from ..surfaces import ThemedLabel
from .conversation import Conversation
from .earlier import More


class History(QObject):
    """Fills a conversation with what it was before."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._conversation = conversation

    def show_opened(self, opened: Opened, more: More, project_key: str) -> None:
        """Show the last runs, and below them a line that says that they are earlier ones; ``project_key`` is the open project's."""
        if not opened.runs:
            return
        self._conversation.show_runs(opened.runs, opened.first, more)
        self._conversation.add_card(ThemedLabel(_words(opened, project_key), muted=True))
        self._conversation.to_end()

    def stop(self) -> None:
        """Another conversation is shown."""
        self._conversation.earlier.forget()

    def finish(self) -> None:
        """Something new is to stand below: it can at once, for what is still to come goes above what is shown."""
        self._conversation.to_end()

    def busy(self) -> bool:
        """Whether messages are being made."""
        return self._conversation.earlier.busy


def _words(opened: Opened, project_key: str) -> str:
    key, name = str(opened.project.get("key") or ""), clean_text(str(opened.project.get("name") or ""), 80)
    if key and key != project_key and name:
        words = translate("QgisAgent", "Earlier conversation about the project {name}. Another project is open now.")
        return words.format(name=name)
    return translate("QgisAgent", "Earlier conversation. Layers may have changed since.")
