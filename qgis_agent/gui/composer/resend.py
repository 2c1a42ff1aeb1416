"""Change the last message and send it again, with the question whether what it did to the map is taken back first."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject

from ...gis.i18n import translate


class Resend(QObject):
    """Knows the last message and the runs that began since. What was said before stays in the conversation, and the model
    still knows it; the map goes back only when the person says so."""

    def __init__(self, composer: Any, undoing: Any, send: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._composer = composer
        self._undoing = undoing
        self._send = send
        self._bubble: Any = None
        self._runs: List[Any] = []
        self._text = ""
        composer.edited.connect(self._edited)
        composer.asking.answered.connect(self._answered)
        composer.running_changed.connect(self._running)

    def said(self, bubble: Any) -> None:
        """A message was sent: it is the last one now, and the one before can no longer be changed."""
        before = self._last()
        if before is not None:
            before.offer_edit(False)
        self._bubble, self._runs = bubble, []
        bubble.edit_asked.connect(self.begin)

    def began(self, run: Any) -> None:
        """A run began after the last message."""
        self._runs.append(run)

    def forget(self) -> None:
        """Another conversation is shown."""
        self._composer.end_edit(False)
        self._bubble, self._runs = None, []

    def begin(self) -> None:
        """Put the last message into the field, to be changed."""
        bubble = self._last()
        if bubble is not None and not self._composer.is_running():
            self._composer.begin_edit(bubble.text, bubble.pictures)

    # inside

    def _last(self) -> Optional[Any]:
        if self._bubble is not None and sip.isdeleted(self._bubble):
            self._bubble = None
        return self._bubble

    def _running(self, running: bool) -> None:
        bubble = self._last()
        if bubble is not None:
            bubble.offer_edit(not running)
        if running:
            self._composer.end_edit(False)

    def _run_ids(self) -> List[str]:
        """The runs since the last message, newest first."""
        return [each.run_id for each in reversed(self._runs) if not sip.isdeleted(each) and each.run_id]

    def _edited(self, text: str) -> None:
        self._text = text
        changed = self._undoing.changes_of(self._run_ids())
        if changed:
            self._composer.asking.ask(changed)
        else:
            self._send_again()

    def _answered(self, answer: str) -> None:
        if answer == "leave":
            self._composer.end_edit(False)
        elif answer == "keep" or self._undoing.undo_all(self._run_ids()):
            self._send_again()
        else:
            self._composer.note.say(
                translate("QgisAgent", "Not everything could be put back, see above. Nothing was sent yet.")
            )

    def _send_again(self) -> None:
        bubble = self._last()
        if bubble is not None:
            bubble.show_replaced()
        self._composer.end_edit(True)
        self._send(self._text)
