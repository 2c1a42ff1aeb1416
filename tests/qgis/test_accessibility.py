"""Every window of the plugin by keyboard, by name and by contrast: WCAG 2.1, 1.4.3, 1.4.11, 2.1.1, 2.4.3 and 4.1.2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsApplication, QgsProject, QgsSettings
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QPoint, QRect, Qt
from qgis.PyQt.QtGui import QColor, QImage
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
from desktop_states import STATES, opened, restyle, settle, use_theme

from qgis_agent.gui.dialogs.approval import ApprovalDialog

THEMES = ["default", "Blend of Gray", "Night Mapping"]
OF_QGIS = ("qt_dockwidget", "collapseButton")
"""Buttons of QGIS's own title bars and boxes, which QGIS looks after."""
LARGEST_STEP_UP = 4
"""How far the next control may lie above the one before, in pixels, where both are in one row."""


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    palette, sheet = QApplication.palette(), QApplication.instance().styleSheet()
    yield
    restyle(lambda: (QApplication.setPalette(palette), QApplication.instance().setStyleSheet(sheet)))
    QgsSettings().remove("qgis_agent")
    QgsProject.instance().clear()


@pytest.fixture
def window(request: Any, qtbot: Any, tmp_path: Path) -> Iterator[QWidget]:
    made = opened(request.param, tmp_path)
    yield made
    if not sip.isdeleted(made):
        made.close()


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


@pytest.mark.parametrize("window", STATES, indirect=True)
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


@pytest.mark.parametrize("window", STATES, indirect=True)
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


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("state", STATES)
def test_words_are_readable_in_every_theme(state: str, theme: str, qtbot: Any, tmp_path: Path) -> None:
    assert theme in QgsApplication.uiThemes()
    use_theme(theme)
    window = opened(state, tmp_path)
    settle()
    picture = drawn(window)
    faint = []
    for widget in words(window):
        area = visible(widget, window)
        if area.width() < 8 or area.height() < 8:
            continue
        ratio, ink, ground = strongest(picture, area)
        least = 4.5 if has_text(widget) else 3.0
        if ratio < least:
            faint.append(f"{told(widget)} {text_of(widget)[:40]!r}: {ratio:.2f} ({ink} on {ground})")
    window.close()
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
    found = [each for each in found if not each.objectName().startswith("qt_dockwidget")]  # QGIS's own bar
    found = [each for each in found if not _is_part(each) and (isinstance(each, kinds) or hasattr(each, "set_text"))]
    # How a box is drawn that can be ticked is the theme's own; what is said beside it is measured.
    return [each for each in found if text_of(each) or (isinstance(each, QToolButton) and each.icon())]


def text_of(widget: QWidget) -> str:
    for name in ("text", "toPlainText", "currentText"):
        method = getattr(widget, name, None)
        if callable(method):
            return str(method())
    return ""


def has_text(widget: QWidget) -> bool:
    return bool(text_of(widget).strip())


def visible(widget: QWidget, window: QWidget) -> QRect:
    """The part of a widget that can be seen, without its border, in the window's coordinates."""
    seen = widget.visibleRegion().boundingRect().adjusted(4, 3, -4, -3)
    return QRect(widget.mapTo(window, seen.topLeft()), seen.size())


def strongest(picture: QImage, area: QRect) -> tuple[float, str, str]:
    """The contrast of the ground, the commonest colour, with the ink, the colour that differs most from it."""
    counts: dict[int, int] = {}
    for y in range(area.top() * SCALE, (area.bottom() + 1) * SCALE, 2):
        for x in range(area.left() * SCALE, (area.right() + 1) * SCALE):
            if picture.valid(x, y):
                pixel = picture.pixel(x, y)
                counts[pixel] = counts.get(pixel, 0) + 1
    ground = QColor(max(counts, key=lambda each: counts[each]))
    ratio, ink = max((wcag(QColor(each), ground), each) for each in counts)
    return ratio, QColor(ink).name(), ground.name()


def wcag(one: QColor, other: QColor) -> float:
    """Contrast ratio as WCAG 2.1 defines it."""

    def luminance(colour: QColor) -> float:
        parts = [channel / 255 for channel in (colour.red(), colour.green(), colour.blue())]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
