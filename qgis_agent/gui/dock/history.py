"""Shows an earlier conversation: the newest messages at once, older ones as a person goes up to them (see earlier.py)."""

from __future__ import annotations

from typing import Dict, List

from qgis.PyQt.QtCore import QObject

from ...gis.i18n import translate
from ..surfaces import ThemedLabel
from .conversation import Conversation


class History(QObject):
    """Fills a conversation with what was said before."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._conversation = conversation

    def show_messages(self, said: List[Dict[str, str]]) -> None:
        """Show the last of them, and below them a line that says that they are earlier ones."""
        if not said:
            return
        self._conversation.show_messages(said)
        words = translate("QgisAgent", "Earlier conversation. Layers may have changed since.")
        self._conversation.add_card(ThemedLabel(words, muted=True))
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
