"""Words that can be read in themes of QGIS whose own colours are too close to each other.

"Blend of Gray" and "Night Mapping" write on windows and buttons with a contrast of 3.3 to 4.4 (measured in QGIS 3.40). Where
the theme is such a one, our windows and pages have the dock's ground and colours; in every other theme they look like QGIS's.
"""

from __future__ import annotations

from qgis.PyQt.QtGui import QGuiApplication, QPalette

from .theme import READABLE, blend, contrast, tones

_SHEET = """
QLabel, QCheckBox, QRadioButton, QGroupBox, QGroupBox::title {{ color: {text}; background: transparent; }}
QLabel:disabled, QCheckBox:disabled, QRadioButton:disabled, QGroupBox::title:disabled {{ color: {off}; }}
QComboBox {{ color: {text}; background-color: {button}; }}
QComboBox QAbstractItemView {{ color: {text}; background-color: {button}; }}
QComboBox:disabled {{ color: {off}; }}
QPushButton {{ color: {text}; background: {button}; border: 1px solid {line}; border-radius: 3px; padding: 3px 10px; }}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed, QPushButton:checked {{ background: {pressed}; }}
QPushButton:focus, QPushButton:default {{ border-color: {sign}; }}
QPushButton:disabled {{ color: {off}; background: transparent; }}
"""


def theme_is_faint() -> bool:
    """Whether the theme's own words on windows have less contrast than small text needs."""
    palette = QGuiApplication.palette()
    return contrast(palette.color(QPalette.ColorRole.WindowText), palette.color(QPalette.ColorRole.Window)) < READABLE


def readable_sheet() -> str:
    """A style sheet for the controls on a ground that paints itself in the dock's colours; empty where none is needed."""
    if not theme_is_faint():
        return ""
    colours = tones()
    return _SHEET.format(
        text=colours.text.name(),
        off=blend(colours.surface, colours.text, 0.45).name(),
        line=blend(colours.line, colours.text, 0.25).name(),
        sign=colours.sign.name(),
        button=colours.surface.name(),
        hover=blend(colours.surface, colours.text, 0.1).name(),
        pressed=blend(colours.surface, colours.text, 0.18).name(),
    )
