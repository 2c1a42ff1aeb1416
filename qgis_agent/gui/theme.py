"""Colours and distances of the dock: every colour is a blend of roles of the application's palette.

QGIS's dark themes set both a palette and a style sheet; a widget's own palette then holds a mixture of the two. The
application's palette is what the theme meant, so that is what is read here, each time something is painted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Callable

from qgis.PyQt.QtCore import QEvent
from qgis.PyQt.QtGui import QColor, QGuiApplication, QPalette

GAP = 8
"""Distance between things that belong together, in device-independent pixels."""
MARGIN = 12
"""Distance from an edge, in device-independent pixels."""
RADIUS = 8
"""Corner of a bubble or card, in device-independent pixels."""
READABLE = 4.5
"""Least contrast of small text against its background (WCAG 2.1, success criterion 1.4.3)."""

VISIBLE = 3.0
"""Least contrast of a sign against its background (WCAG 2.1, success criterion 1.4.11)."""


@dataclass(frozen=True)
class Tones:
    """The colours of the present theme."""

    surface: QColor  # behind the conversation
    raised: QColor  # cards, code, table heads
    bubble: QColor  # what the person said
    line: QColor  # borders and rules
    text: QColor
    muted: QColor  # secondary text, still readable on every background above
    accent: QColor  # the send button's ground
    sign: QColor  # signs and focus: the accent where it can be seen, else the text's colour
    on_accent: QColor


def tones() -> Tones:
    """The colours of the theme as it is now."""
    return _tones_of(
        *(
            QGuiApplication.palette().color(each).rgba()
            for each in (QPalette.ColorRole.Base, QPalette.ColorRole.Text, QPalette.ColorRole.Highlight)
        )
    )


@lru_cache(maxsize=8)
def _tones_of(base: int, ink: int, highlight: int) -> Tones:
    """Asked for at each drawing: the contrasts are computed once a theme. Colours are QRgb."""
    surface, text, accent = (QColor.fromRgba(each) for each in (base, ink, highlight))
    raised = blend(surface, text, 0.05)
    bubble = blend(surface, accent, 0.16)
    return Tones(
        surface=surface,
        raised=raised,
        bubble=bubble,
        line=blend(surface, text, 0.18),
        text=text,
        muted=_muted(text, surface, raised, bubble),
        accent=accent,
        sign=accent if min(contrast(accent, each) for each in (surface, raised)) >= VISIBLE else text,
        on_accent=surface if contrast(surface, accent) >= VISIBLE else text,
    )


def follow_palette(restyle: Callable[[], None]) -> None:
    """Call ``restyle``, a method of a widget, when the palette of the application changes.

    A widget with a style sheet of its own is not told by an event, because its own palette stays as the sheet says.
    """
    changed = getattr(QGuiApplication.instance(), "paletteChanged", None)
    if changed is not None:
        changed.connect(restyle)


def is_theme_change(event: QEvent) -> bool:
    """Whether a change event may mean other colours."""
    return event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.ApplicationPaletteChange)


def blend(below: QColor, above: QColor, share: float) -> QColor:
    """``above`` laid over ``below`` with an opacity of ``share`` (0 to 1)."""
    keep = 1.0 - share
    return QColor(
        round(below.red() * keep + above.red() * share),
        round(below.green() * keep + above.green() * share),
        round(below.blue() * keep + above.blue() * share),
    )


def contrast(one: QColor, other: QColor) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1, relative luminance)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def _muted(text: QColor, *grounds: QColor) -> QColor:
    for share in (0.42, 0.36, 0.3, 0.24, 0.18, 0.12, 0.06):
        candidate = blend(text, grounds[0], share)
        if all(contrast(candidate, each) >= READABLE for each in grounds):
            return candidate
    return text
