"""How full the model's context is, how many tokens the session took, and what they cost: a ring, with the numbers in its menu.

Nothing is shown before a model has said or been counted: the offline commands read no tokens.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Dict, List, Optional

from qgis.PyQt.QtCore import QLocale, QRectF, QSize, Qt
from qgis.PyQt.QtGui import QPainter, QPen
from qgis.PyQt.QtWidgets import QLabel, QMenu, QWidget, QWidgetAction

from ...gis.i18n import translate
from ..painted_button import PaintedButton
from ..theme import MARGIN, tones

_AMOUNT = re.compile(r"(~?)(<?)([^0-9~<]*)([0-9]+(?:\.[0-9]+)?)")
FULL = 0.8
"""From this share on the ring is drawn thicker: soon older parts are summarised."""


class SessionUsage:
    """Adds up what the ``usage`` events and the reports say. ``share`` of the context is None while nobody has told it."""

    def __init__(self) -> None:
        self.share: Optional[float] = None
        self.context_tokens = 0
        self._limit = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cached_tokens = 0
        self.estimated = False
        self.calls = 0
        self._costs: Dict[str, Decimal] = {}
        self._cost_estimated = False
        self._cost_below = False
        self._unknown = 0

    def take(self, event: Dict[str, Any]) -> None:
        """One ``usage`` event: one call of the model."""
        self.context_tokens = _count(event, "context_tokens")
        self._limit = _count(event, "context_limit")
        self._divide()
        self.take_beside(event)

    def take_beside(self, event: Dict[str, Any]) -> None:
        """One call of the model beside the conversation, whose context it says nothing of: a summary."""
        self.calls += 1
        self.input_tokens += _count(event, "input_tokens")
        self.output_tokens += _count(event, "output_tokens")
        self.cached_tokens += _count(event, "cached_tokens")
        self.estimated = self.estimated or event.get("source") == "estimated"
        self._add_cost(str(event.get("cost") or ""))

    def freed(self, tokens: int) -> None:
        """The next request is so many tokens smaller than the last one."""
        self.context_tokens = max(0, self.context_tokens - tokens)
        self._divide()

    def _divide(self) -> None:
        self.share = min(1.0, self.context_tokens / self._limit) if self._limit else None

    def resume(self, totals: Dict[str, Any]) -> None:
        """What the calls of an earlier conversation took, see Opened in gis/sessions.py."""
        self.take({**totals, "cost": ""})
        self.calls = _count(totals, "calls")
        for each in totals.get("costs") or []:
            self._add_cost(str(each))

    def tokens_text(self) -> str:
        """Tokens of the session; "~" where some were estimated."""
        total = QLocale().toString(self.input_tokens + self.output_tokens)
        return "~" + total if self.estimated else total

    def cost_text(self) -> str:
        """The sum, "~" where some of it is an estimate, "unknown" for what has no known price; "" where nothing costs."""
        mark = "~" if self._cost_estimated else ""
        below = "<" if self._cost_below and not any(self._costs.values()) else ""
        parts = ["{}{}{}{}".format(mark, below, sign, amount) for sign, amount in sorted(self._costs.items())]
        if self._unknown:
            parts.append(translate("QgisAgent", "unknown"))
        return " + ".join(parts)

    def _add_cost(self, text: str) -> None:
        if not text:
            return
        found = _AMOUNT.fullmatch(text)
        if found is None:  # "unknown": never taken for nothing
            self._unknown += 1
            return
        estimated, below, sign, amount = found.groups()
        self._cost_estimated = self._cost_estimated or bool(estimated) or bool(below)
        self._costs[sign] = self._costs.get(sign, Decimal(0)) + Decimal(amount)


class UsageMeter(PaintedButton):
    """The ring. Pressed, it lists the numbers; its tool tip and accessible name hold them too."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self.usage = SessionUsage()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(QSize(22, 22))
        self.menu = QMenu(self)
        self.clicked.connect(self._open)
        self.hide()

    def take(self, event: Dict[str, Any]) -> None:
        """One ``usage`` event."""
        self.usage.take(event)
        self._tell()

    def take_beside(self, event: Dict[str, Any]) -> None:
        """One call of the model beside the conversation: a summary."""
        self.usage.take_beside(event)
        self._tell()

    def freed(self, tokens: int) -> None:
        """The next request is so many tokens smaller than the last one."""
        if self.usage.calls:
            self.usage.freed(tokens)
            self._tell()

    def resume(self, totals: Dict[str, Any]) -> None:
        """An earlier conversation goes on: what it took so far, as gis/sessions.py has it."""
        if _count(totals, "calls"):
            self.usage.resume(totals)
            self._tell()

    def _tell(self) -> None:
        words = self.lines()
        self.setToolTip("\n".join(words))
        self.setAccessibleName(words[0])
        self.setAccessibleDescription("; ".join(words[1:]))
        self.show()
        self.update()

    def forget(self) -> None:
        """Another conversation."""
        self.usage = SessionUsage()
        self.hide()

    def lines(self) -> List[str]:
        """The numbers, in words."""
        usage, locale = self.usage, QLocale()
        share = translate("QgisAgent", "unknown") if usage.share is None else _percent(usage.share)
        lines = [
            translate("QgisAgent", "Context used: {}").format(share),
            translate("QgisAgent", "Last request: {} tokens").format(locale.toString(usage.context_tokens)),
            translate(
                "QgisAgent", "This conversation: {total} tokens, {cached} of them from cache; calls: {calls}"
            ).format(total=usage.tokens_text(), calls=usage.calls, cached=locale.toString(usage.cached_tokens)),
        ]
        cost = usage.cost_text()
        if cost:
            lines.append(translate("QgisAgent", "Cost: {}").format(cost))
        return lines

    def paintEvent(self, _event: Any) -> None:  # noqa: N802
        """A ring that fills clockwise from the top."""
        colours, share = tones(), self.usage.share or 0.0
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(5, 5, 12, 12)
        painter.setPen(QPen(colours.line, 2.4))
        painter.drawEllipse(box)
        painter.setPen(QPen(colours.text if share >= FULL else colours.muted, 3.4 if share >= FULL else 2.4))
        painter.drawArc(box, 90 * 16, -round(share * 360 * 16))
        if self.hasFocus():
            painter.setPen(QPen(colours.sign, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.end()

    def _open(self) -> None:
        self.menu.clear()
        for line in self.lines():
            self.menu.addAction(self._line(line))
        self.menu.popup(self.mapToGlobal(self.rect().topLeft()))

    def _line(self, text: str) -> QWidgetAction:
        """A line that is read, not chosen: an action that is off would be too pale to read."""
        action = QWidgetAction(self.menu)
        action.setText(text)
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setContentsMargins(MARGIN, 3, MARGIN, 3)
        action.setDefaultWidget(label)
        return action


def _count(event: Dict[str, Any], key: str) -> int:
    value = event.get(key)
    return int(value) if isinstance(value, (int, float)) and value > 0 else 0


def _percent(share: float) -> str:
    return translate("QgisAgent", "{} %").format(QLocale().toString(round(share * 100)))
