"""One line for one tool call: sign, what it does, how long it took; and why, when it failed. It opens to all of the call."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.PyQt.QtCore import QElapsedTimer, Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.progress import done_label, step_label
from ..glyphs import SIZE, Glyph
from ..surfaces import ElidedLabel, GlyphButton, ThemedLabel
from ..text_view import TextView
from ..theme import GAP
from .said import to_person
from .tool_details import ToolDetails

STOPPED_CODES = ("CANCELLED",)
CANCEL_AFTER_MS = 1000
"""A step that is over sooner shows no button that would only flash."""
UPDATE_MS = 200
"""A percentage changes this often at the most: five times a second."""
MOST_WHILE_RUNNING = 99
"""An algorithm that tells 100 % has not ended: its result is still read and checked."""
REFUSED_CODES = ("CANCELLED", "FORBIDDEN", "PERMISSION_DENIED")
"""Codes of calls that were answered without being carried out."""


def duration_text(ms: float) -> str:
    """A duration of ``ms`` milliseconds for people: "< 0.1 s", "0.3 s", "12 s", "2 min 5 s"."""
    seconds = ms / 1000.0
    if seconds < 0.1:
        return translate("QgisAgent", "< 0.1 s")
    if seconds < 10:
        return translate("QgisAgent", "{seconds} s").format(seconds="{:.1f}".format(seconds))
    if seconds < 60:
        return translate("QgisAgent", "{seconds} s").format(seconds=round(seconds))
    minutes, rest = divmod(round(seconds), 60)
    return translate("QgisAgent", "{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)


class ToolLine(QWidget):
    """A call that is running, done, failed or stopped. ``cancel_asked`` carries the id of the call that a person cancels."""

    cancel_asked = pyqtSignal(str)

    def __init__(self, event: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        """``event`` is the run event tool_started."""
        super().__init__(parent)
        self._clock = QElapsedTimer()
        self._clock.start()
        self._state = "running"
        self.tool = str(event.get("tool", ""))
        self.code = ""
        self._event = dict(event)
        self._outcome: Dict[str, Any] = {}
        self.details: Optional[ToolDetails] = None
        """All of the call, made when a person first asks for it."""
        self._label = ElidedLabel(step_label(event))
        self._glyph = Glyph("running", strong=True)
        self._time = ThemedLabel(muted=True, small=True)
        self._time.setWordWrap(False)
        # Most lines never need these three: they are made when they are first shown, or a long session opens slowly.
        self._percent_made: Optional[ThemedLabel] = None
        self._why_made: Optional[TextView] = None
        self._canceller_made: Optional[GlyphButton] = None
        self._running_call = ""
        """What QGIS carries out now and can be cancelled; a call that is tried again has an id of its own."""
        self._known = self._shown = 0
        self._shown_at = -UPDATE_MS
        self._below = ""
        self.opener = GlyphButton("right", translate("QgisAgent", "Show details"))
        self.opener.setFixedSize(SIZE + 6, SIZE + 4)
        self.opener.setAccessibleName("{}: {}".format(self.opener.toolTip(), self._label.text()))
        self.opener.clicked.connect(self.toggle)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self._glyph)
        row.addWidget(self._label, 1)
        row.addWidget(self._time)
        row.addWidget(self.opener)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 1, 0, 1)
        column.setSpacing(1)
        column.addLayout(row)
        self._row, self._column = row, column
        self.tick()

    def state(self) -> str:
        """running, done, failed or stopped."""
        return self._state

    def label(self) -> str:
        """What the call does, in words."""
        return self._label.text()

    def why(self) -> str:
        """What stands under the line: why the call failed, how far it is, or nothing."""
        return "" if self._why_made is None else self._why_made.toPlainText()

    def progress_text(self) -> str:
        """How far the call is, as "42 %"; "" while that is not known, and when it has ended."""
        label = self._percent_made
        return "" if label is None or label.isHidden() else label.text()

    def elapsed_ms(self) -> int:
        """Milliseconds since the call began."""
        return int(self._clock.elapsed())

    def is_open(self) -> bool:
        """Whether all of the call is shown."""
        return self.details is not None and not self.details.isHidden()

    def toggle(self) -> None:
        """Show all of the call, or only its line."""
        if self.is_open():
            self._drop_details()
        else:
            self.details = ToolDetails(self._event, self._outcome)
            self._column.addWidget(self.details)
            self.details.show()
        self.opener.set_glyph("down" if self.is_open() else "right")
        words = translate("QgisAgent", "Hide details") if self.is_open() else translate("QgisAgent", "Show details")
        self.opener.setToolTip(words)
        self.opener.setAccessibleName("{}: {}".format(words, self._label.text()))

    def open(self) -> None:
        """Show all of the call and give it the keyboard."""
        if not self.is_open():
            self.toggle()
        self.opener.setFocus(Qt.FocusReason.OtherFocusReason)

    def tick(self) -> None:
        """Show the time so far; called a few times a second while the call runs."""
        if self._state != "running":
            return
        elapsed = self._clock.elapsed()
        self._glyph.turn_to(elapsed / 1000.0)
        if self._running_call and elapsed >= CANCEL_AFTER_MS and self.canceller.isHidden():
            self.canceller.show()
        if self._known > self._shown and elapsed - self._shown_at >= UPDATE_MS:
            self._show_percent(elapsed)
        self._show_time(elapsed if elapsed >= 500 else None)

    def show_progress(self, text: str) -> None:
        """How far a call is that runs; it stands where the reason of a failure would stand."""
        if self._state == "running":
            self._below = text
            self._show_below(text)

    def show_percent(self, percent: int) -> None:
        """How far a call is that runs, in percent; drawn with one of the next ticks. It never goes back."""
        if self._state == "running":
            self._known = max(self._known, min(percent, MOST_WHILE_RUNNING))

    def begin(self, call_id: str) -> None:
        """QGIS carries the call out: a person can cancel it, as soon as it takes long."""
        if self._state == "running":
            self._running_call = call_id

    def show_hold(self, holds: bool) -> None:
        """Say now that QGIS is about to be busy and will not draw, or that this is over."""
        if self._state == "running":
            self._show_below(translate("QgisAgent", "QGIS will not answer for a moment.") if holds else self._below)

    def take_outcome(self, event: Dict[str, Any]) -> None:
        """What QGIS tells of the call's end: its result, evidence and recipe."""
        self._outcome = event
        self._no_cancel()
        if self._state == "done":
            self._say_done()
            self._name()
        if self.is_open():
            self.toggle()
            self.toggle()

    def finish(self, event: Dict[str, Any]) -> None:
        """``event`` is the run event tool_finished."""
        self._no_cancel()
        ok = bool(event.get("ok"))
        self.code = "" if ok else str(event.get("code") or "")
        self._state = "done" if ok else ("stopped" if self.code in STOPPED_CODES else "failed")
        if ok:
            self._say_done()
        self._glyph.show_sign(self._state, strong=ok)
        self._show_time(float(event.get("ms") or 0))
        self._show_below("" if ok else to_person(str(event.get("message") or "")))

    def hush(self) -> None:
        """Why it failed is said elsewhere in the same run."""
        self._show_below("")

    def stop(self) -> None:
        """The run ended before the call did."""
        self._no_cancel()
        if self._state == "running":
            self._state = "stopped"
            self._glyph.show_sign("stopped")
            self._show_time(self._clock.elapsed())
            self._show_below("")

    @property
    def canceller(self) -> GlyphButton:
        """The button that cancels this step; hidden until it runs for long."""
        if self._canceller_made is None:
            words = translate("QgisAgent", "Cancel this step; the run goes on")
            made = self._canceller_made = GlyphButton("failed", words)
            made.setFixedSize(SIZE + 6, SIZE + 4)
            made.setAccessibleName("{}: {}".format(words, self._label.text()))
            made.clicked.connect(self._cancel)
            made.hide()
            self._row.insertWidget(self._row.indexOf(self.opener), made)
        return self._canceller_made

    @property
    def _percent(self) -> ThemedLabel:
        if self._percent_made is None:
            made = self._percent_made = ThemedLabel(muted=True, small=True)
            made.setWordWrap(False)
            made.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            made.hide()
            self._row.insertWidget(self._row.indexOf(self._time), made)
        return self._percent_made

    @property
    def _why(self) -> TextView:
        if self._why_made is None:
            made = self._why_made = TextView(muted=True, small=True)
            made.hide()
            below = QHBoxLayout()
            below.setContentsMargins(SIZE + GAP, 0, 0, 0)
            below.addWidget(made)
            self._column.insertLayout(1, below)
        return self._why_made

    def _cancel(self) -> None:
        """Ask for it once; what comes of it is told as the call's end."""
        call_id, self._running_call = self._running_call, ""
        self.canceller.setEnabled(False)
        if call_id:
            self.cancel_asked.emit(call_id)

    def _no_cancel(self) -> None:
        """There is nothing (more) that could be cancelled. The keyboard goes on to the button beside it."""
        self._running_call = ""
        if self._canceller_made is not None and not self.canceller.isHidden():
            if self.canceller.hasFocus():
                self.opener.setFocus(Qt.FocusReason.OtherFocusReason)
            self.canceller.hide()
            self.canceller.setEnabled(True)

    def _say_done(self) -> None:
        data = (self._outcome.get("envelope") or {}).get("data")
        written = isinstance(data, dict) and data.get("written") is True
        words = done_label(self._event, written)
        if words:
            self._label.set_text(words)

    def _drop_details(self) -> None:
        if self.details is not None:
            self.details.hide()
            self.details.deleteLater()
            self.details = None

    def _show_percent(self, elapsed: int) -> None:
        self._shown, self._shown_at = self._known, elapsed
        words = translate("QgisAgent", "{percent} %")
        if self._percent.isHidden():  # as wide from the start as it will ever be, so that nothing moves
            widest = words.format(percent=MOST_WHILE_RUNNING)
            self._percent.setFixedWidth(self._percent.fontMetrics().horizontalAdvance(widest) + 2)
            self._percent.show()
        self._percent.setText(words.format(percent=self._known))

    def _show_below(self, text: str) -> None:
        if not text and self._why_made is None:
            return
        self._why.set_plain(text)
        self._why.setAccessibleName(text)
        self._why.setVisible(bool(text))

    def _show_time(self, ms: Optional[float]) -> None:
        running = self._state == "running"
        self._time.setText("" if ms is None else duration_text(ms))
        self._time.setMinimumWidth(max(self._time.minimumWidth(), self._time.sizeHint().width()) if running else 0)
        if not running and self._percent_made is not None:
            self._percent_made.hide()
        self._name()

    def _name(self) -> None:
        """Say all of the line to a screen reader."""
        states = {
            "running": translate("QgisAgent", "running"),
            "done": translate("QgisAgent", "done"),
            "failed": translate("QgisAgent", "failed"),
            "stopped": translate("QgisAgent", "stopped"),
        }
        parts = (self._label.text(), states[self._state], self.progress_text(), self._time.text())
        name = ", ".join(parts if parts[2] else parts[:2] + parts[3:])
        if self.accessibleName() != name:
            self.setAccessibleName(name)
