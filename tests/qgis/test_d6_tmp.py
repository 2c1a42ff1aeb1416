from __future__ import annotations
from typing import Any
from qgis.PyQt.QtWidgets import QScrollArea
from desktop_states import use_theme, settle, closed
from qgis_agent.gui.settings.data_page import DataPage
from qgis_agent.gui.settings.page import SettingsPage
from qgis_agent.gui.settings.store import KeyRing
def test_pics(qgis_app: Any) -> None:
    for theme in ("default", "Night Mapping"):
        use_theme(theme)
        for w in (760, 1060):
            p = DataPage(); p.resize(w, 630); p.show(); settle()
            p.data_box.at_home_box.setChecked(theme != "default"); settle()
            p.grab().save(f"/tmp/d6_{theme[:3]}_{w}_a.png")
            a=p.findChildren(QScrollArea)[0]; a.verticalScrollBar().setValue(99999); settle()
            p.grab().save(f"/tmp/d6_{theme[:3]}_{w}_b.png")
            closed(p)
    use_theme("default")
