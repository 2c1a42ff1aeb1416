"""Every window of the plugin by keyboard, by name and by contrast: WCAG 2.1, 1.4.3, 1.4.11, 2.1.1, 2.4.3 and 4.1.2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qgis.core import QgsApplication, QgsProject, QgsSettings
from qgis.PyQt.QtCore import QPoint, QRect, Qt
from qgis.PyQt.QtGui import QImage, QPalette
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QProgressBar,
    QRadioButton,
    QTabBar,
    QToolButton,
    QWidget,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from desktop_states import STATES, closed, opened, restyle, use_theme

from qgis_agent.gui.dialogs.approval import ApprovalDialog

THEMES = ["default", "Blend of Gray", "Night Mapping"]
OF_QGIS = ("qt_dockwidget", "collapseButton")
"""Buttons of QGIS's own title bars and boxes, which QGIS looks after."""
LARGEST_STEP_UP = 4
"""How far the next control may lie above the one before, in pixels, where both are in one row."""


@pytest.fixture(scope="module", autouse=True)
def clean(qgis_app: Any) -> Iterator[QPalette]:
    """The light palette, and all as it was at the end."""
    QgsSettings().remove("qgis_agent")
    palette, sheet = QPalette(QApplication.palette()), QApplication.instance().styleSheet()
    yield palette
    restyle(lambda: (QApplication.setPalette(palette), QApplication.instance().setStyleSheet(sheet)))
    QgsSettings().remove("qgis_agent")
    QgsProject.instance().clear()


@pytest.fixture(scope="module")
def theme(request: Any, clean: QPalette) -> str:
    """The application's looks are changed once for all windows: that costs more than a window."""
    assert request.param in QgsApplication.uiThemes()
    use_theme(request.param)
    if request.param == THEMES[0]:  # QGIS sets this palette only when it starts
        restyle(lambda: QApplication.setPalette(clean))
    return str(request.param)


@pytest.fixture(scope="module")
def window(request: Any, theme: str, tmp_path_factory: Any) -> Iterator[QWidget]:
    """A window in one of its states, made once for everything that is asked of it."""
    made = opened(request.param, tmp_path_factory.mktemp("state"))
    yield made
    closed(made)


in_one_theme = pytest.mark.parametrize(
    ("theme", "window"), [(THEMES[0], each) for each in STATES], ids=STATES, indirect=True
)
in_every_theme = pytest.mark.parametrize(
    ("theme", "window"),
    [(theme, each) for theme in THEMES for each in STATES],
    ids=[f"{theme}-{each}" for theme in THEMES for each in STATES],
    indirect=True,
)


def controls(window: QWidget) -> list[QWidget]:
    """What the keyboard must reach: shown, enabled, takes the focus by Tab, and no part of another control."""
    found = []
    for each in window.findChildren(QWidget):
        takes = each.focusPolicy() & Qt.FocusPolicy.TabFocus
        if takes and each.isVisible() and each.isEnabled() and each.focusProxy() is None and not _is_part(each):
            found.append(each)
    return found


def _is_part(widget: QWidget) -> bool:
    parts = (QLineEdit, QAbstractSpinBox, QComboBox, QAbstractItemView)
    parent = widget.parentWidget()
    while parent is not None and not parent.isWindow():
        if isinstance(parent, parts):
            return True
        parent = parent.parentWidget()
    return False


def name_of(widget: QWidget) -> str:
    """What a screen reader says, by Qt's own rules: the accessible name, else the words on it, else its label's."""
    if widget.accessibleName():
        return widget.accessibleName()
    if isinstance(widget, QAbstractButton) and widget.text():
        return widget.text()
    if isinstance(widget, QGroupBox):
        return widget.title()
    if isinstance(widget, QTabBar):
        return widget.tabText(widget.currentIndex())
    window = widget.window()
    for label in window.findChildren(QLabel):
        if label.buddy() is widget and label.text():
            return label.text()
    return ""


def told(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName()} {name_of(widget)!r}"


@in_one_theme
def test_every_control_has_a_name(window: QWidget) -> None:
    found = controls(window)
    assert found
    buttons = [each for each in window.findChildren(QAbstractButton) if each.isVisible() and not _is_part(each)]
    bars = [each for each in window.findChildren(QProgressBar) if each.isVisible()]
    nameless = [
        f"{told(each)} in {told(each.parentWidget())}" for each in {*found, *buttons, *bars} if not name_of(each)
    ]
    nameless = [each for each in nameless if not any(own in each for own in OF_QGIS)]
    assert nameless == []


def walked(window: QWidget) -> list[QWidget]:
    """The controls in the order in which Tab reaches them, from the first one to the first again."""
    window.activateWindow()
    QTest.qWait(10)
    first = controls(window)[0]
    first.setFocus(Qt.FocusReason.TabFocusReason)
    reached: list[QWidget] = []
    for _ in range(200):
        now = QApplication.focusWidget()
        assert now is not None, "the focus went nowhere"
        if now in reached[:-1]:
            break
        if now not in reached:  # a text stays as long as it has links
            reached.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    return reached


@in_one_theme
def test_tab_reaches_every_control_once_from_top_to_bottom(window: QWidget) -> None:
    reached = walked(window)
    missed = [told(each) for each in controls(window) if each not in reached and not _same_group(each, reached)]
    assert missed == []
    if isinstance(window, ApprovalDialog):
        return  # its answers come first, from the safe one: tests/qgis/test_approval_dialog.py
    back = []
    for one, other in zip(reached, [*reached[1:], reached[0]]):
        if _rect(other, window).bottom() < _rect(one, window).top() - LARGEST_STEP_UP:
            back.append(f"{told(one)} → {told(other)}")
    assert len(back) <= 1, back  # from the last to the first


def _same_group(widget: QWidget, reached: list[QWidget]) -> bool:
    """Of radio buttons Tab reaches one; the arrow keys go to the others."""
    group = [
        each for each in reached if isinstance(each, QRadioButton) and each.parentWidget() is widget.parentWidget()
    ]
    return isinstance(widget, QRadioButton) and bool(group)


def _rect(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


# contrast


@in_every_theme
def test_words_are_readable(window: QWidget) -> None:
    picture = pixels(drawn(window))
    faint = []
    for widget in words(window):
        area = visible(widget, window)
        if area.width() < 8 or area.height() < 8:
            continue
        ratio, ink, ground = strongest(picture, area)
        least = 4.5 if has_text(widget) else 3.0
        if ratio < least:
            faint.append(f"{told(widget)} {text_of(widget)[:40]!r}: {ratio:.2f} ({ink} on {ground})")
    assert faint == []


SCALE = 3
"""Letters are drawn so many times as large, so that some pixel has the full colour of the ink."""


def drawn(window: QWidget) -> QImage:
    """The window as it is shown, larger."""
    picture = QImage(window.size() * SCALE, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(SCALE)
    picture.fill(window.palette().window().color())
    window.render(picture)
    return picture


def words(window: QWidget) -> list[QWidget]:
    """What shows words or a sign, and is enabled (1.4.3 asks nothing of what is not)."""
    kinds = (QLabel, QAbstractButton, QLineEdit, QAbstractScrollArea, QComboBox)
    found = [each for each in window.findChildren(QWidget) if each.isVisible() and each.isEnabled()]
    found = [each for each in found if not each.objectName().startswith(OF_QGIS)]
    found = [each for each in found if not _is_part(each) and (isinstance(each, kinds) or hasattr(each, "set_text"))]
    # How a box is drawn that can be ticked is the theme's own; what is said beside it is measured.
    return [each for each in found if text_of(each) or (isinstance(each, QToolButton) and each.icon())]


def text_of(widget: QWidget) -> str:
    for name in ("text", "toPlainText", "currentText", "placeholderText"):
        method = getattr(widget, name, None)
        if callable(method) and method():
            return str(method())
    return ""


def has_text(widget: QWidget) -> bool:
    return bool(text_of(widget).strip())


def visible(widget: QWidget, window: QWidget) -> QRect:
    """The part of a widget that can be seen, without its border, in the window's coordinates."""
    seen = widget.visibleRegion().boundingRect().adjusted(4, 3, -4, -3)
    return QRect(widget.mapTo(window, seen.topLeft()), seen.size())


def pixels(picture: QImage) -> Any:
    """The colours as an array of rows × columns, each 0xRRGGBB."""
    data = picture.constBits()
    data.setsize(picture.sizeInBytes())
    flat = np.frombuffer(bytes(data), dtype=np.uint32).reshape(picture.height(), picture.bytesPerLine() // 4)
    return flat[:, : picture.width()] & 0xFFFFFF


def strongest(picture: Any, area: QRect) -> tuple[float, str, str]:
    """The contrast of the ground, the commonest colour, with the ink, the colour that differs most from it."""
    left, top = max(area.left(), 0) * SCALE, max(area.top(), 0) * SCALE
    part = picture[top : (area.bottom() + 1) * SCALE : 2, left : (area.right() + 1) * SCALE]
    colours, counts = np.unique(part, return_counts=True)
    light = luminance(colours)
    ground = int(counts.argmax())
    ratios = (np.maximum(light, light[ground]) + 0.05) / (np.minimum(light, light[ground]) + 0.05)
    ink = int(ratios.argmax())
    return float(ratios[ink]), f"#{colours[ink]:06x}", f"#{colours[ground]:06x}"


def luminance(colours: Any) -> Any:
    """The relative luminance of colours as WCAG 2.1 defines it."""
    parts = np.stack([(colours >> shift & 255) / 255 for shift in (16, 8, 0)])
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.array([0.2126, 0.7152, 0.0722]) @ linear


def test_the_measure_itself() -> None:
    """Published values: black on white is 21, #767676 on white the lightest grey that passes (4.54)."""
    picture = np.full((30, 60), 0xFFFFFF)
    picture[9:15, 9:30] = 0x767676
    ratio, ink, ground = strongest(picture, QRect(0, 0, 20, 10))
    assert (round(ratio, 2), ink, ground) == (4.54, "#767676", "#ffffff")
    picture[9:15, 9:30] = 0
    assert strongest(picture, QRect(0, 0, 20, 10))[0] == pytest.approx(21)
