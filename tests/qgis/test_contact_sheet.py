"""Every state of the plugin's windows in light, dark and Chinese, on one picture a group: build/desktop/contact_*.png.

The pictures of the real QGIS, which tests/desktop has made, come on sheets of their own when they are there.
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
from desktop_states import DOCK_STATES, WINDOWS, opened, restyle, settle, use_theme

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


def taken(state: str, look: str, folder: Path, light: QPalette) -> QImage:
    theme, language = LOOKS[look]
    use_theme(theme)
    if theme == "default":  # QGIS sets its palette only when it starts
        QApplication.setPalette(light)
    translator = QTranslator()
    if language:
        assert translator.load(QLocale(language), "qgis_agent", "_", str(REPO / "i18n")), "run make qm"
        QCoreApplication.installTranslator(translator)
    try:
        window = opened(state, folder)
        settle()
        picture = window.grab().toImage()
        window.close()
    finally:
        QCoreApplication.removeTranslator(translator)
    return picture


@pytest.mark.parametrize("group", ["dock", "windows"])
def test_the_sheet_of_a_group(group: str, tmp_path: Path) -> None:
    states = [f"dock_{each}" for each in DOCK_STATES] if group == "dock" else WINDOWS
    light = QPalette(QApplication.palette())
    rows = [(state, [taken(state, look, tmp_path, light) for look in LOOKS]) for state in states]
    sheet = contact_sheet(rows, list(LOOKS), PICTURES / f"contact_{group}.png")
    assert sheet.width() > 3 * CELL_WIDTH
    for state, (english, dark, chinese) in rows:
        assert english.pixelColor(3, english.height() - 3).lightness() > 128 > dark.pixelColor(3, 300).lightness(), (
            state
        )
        assert english != chinese, f"{state}: the language changed nothing"


def test_the_sheets_of_the_real_qgis() -> None:
    made = {each.stem for each in PICTURES.glob("*.png") if not each.stem.startswith(("contact", "zh_", "dark_"))}
    states = sorted(each for each in made if f"zh_{each}" in {file.stem for file in PICTURES.glob("zh_*.png")})
    if not states:
        pytest.skip("tests/desktop have made no pictures")
    looks = {"light": "", "dark": "dark_", "Chinese": "zh_"}
    docks = [each for each in states if each.endswith("_dock")]
    for group, names in (("real_dock", docks), ("real_windows", [each for each in states if each not in docks])):
        rows = [(name, [QImage(str(PICTURES / f"{mark}{name}.png")) for mark in looks.values()]) for name in names]
        sheet = contact_sheet(rows, list(looks), PICTURES / f"contact_{group}.png")
        assert not sheet.isNull()
