"""Every state of the plugin's windows in light, dark and Chinese, on one picture a group: build/desktop/contact_*.png.

The pictures of the real QGIS have sheets of their own: tests/desktop/test_desktop_sheets.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qgis.core import QgsProject, QgsSettings
from qgis.PyQt.QtCore import QCoreApplication, QLocale, QTranslator
from qgis.PyQt.QtGui import QImage, QPalette
from qgis.PyQt.QtWidgets import QApplication

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from contact_sheet import CELL_WIDTH, contact_sheet
from desktop_states import DOCK_STATES, STATES, WINDOWS, closed, opened, restyle, use_theme

REPO = Path(__file__).resolve().parents[2]
PICTURES = REPO / "build" / "desktop"
LOOKS = {"light": ("default", ""), "dark": ("Night Mapping", ""), "Chinese": ("default", "zh_CN")}


@pytest.fixture(autouse=True)
def clean(qgis_app: Any) -> Iterator[None]:
    QgsSettings().remove("qgis_agent")
    palette, sheet = QApplication.palette(), QApplication.instance().styleSheet()
    yield
    restyle(lambda: (QApplication.setPalette(palette), QApplication.instance().setStyleSheet(sheet)))
    QgsSettings().remove("qgis_agent")
    QgsProject.instance().clear()


def taken(states: list[str], look: str, folder: Path, light: QPalette) -> list[QImage]:
    """Pictures of the states in one look; the application's looks are changed once for all of them."""
    theme, language = LOOKS[look]
    use_theme(theme)
    if theme == "default":  # QGIS sets its palette only when it starts
        restyle(lambda: QApplication.setPalette(light))
    translator = QTranslator()
    if language:
        assert translator.load(QLocale(language), "qgis_agent", "_", str(REPO / "i18n")), "run make qm"
        QCoreApplication.installTranslator(translator)
    try:
        return [pictured(each, folder) for each in states]
    finally:
        QCoreApplication.removeTranslator(translator)


def pictured(state: str, folder: Path) -> QImage:
    window = opened(state, folder)
    picture = window.grab().toImage()
    closed(window)
    return picture


def test_the_sheet_of_every_window(tmp_path: Path) -> None:
    light = QPalette(QApplication.palette())
    looks = [taken(STATES, look, tmp_path, light) for look in LOOKS]
    rows = dict(zip(STATES, map(list, zip(*looks))))
    for group, names in (("dock", [f"dock_{each}" for each in DOCK_STATES]), ("windows", WINDOWS)):
        sheet = contact_sheet([(each, rows[each]) for each in names], list(LOOKS), PICTURES / f"contact_{group}.png")
        assert sheet.width() > 3 * CELL_WIDTH
    for state, (english, dark, chinese) in rows.items():
        assert english.pixelColor(3, english.height() - 3).lightness() > 128 > dark.pixelColor(3, 300).lightness(), (
            state
        )
        assert english != chinese, f"{state}: the language changed nothing"
