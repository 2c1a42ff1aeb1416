"""Steps of the driver: loading, offline commands and the two golden requests."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import qgis.utils
from driver_kit import (
    REPORTS,
    agent,
    ask,
    brief,
    classes,
    graduated,
    lines,
    place_window,
    press_enter,
    registry,
    shot,
    spin,
    type_of,
    type_text,
    use_model,
    wait,
)
from qgis.core import QgsProject, QgsVectorLayer
from qgis.PyQt.QtWidgets import QAction
from qgis.utils import iface

GOLDEN = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"
GOLDEN_2 = "以每个学校为中心做 500 米缓冲区,统计缓冲区内的公交站数量,按数量分级上图"


def step_load():
    """The plugin is loaded without an error, the dock opens on the right by its action."""
    assert "qgis_agent" in qgis.utils.active_plugins, "not loaded: {}".format(qgis.utils.plugin_times)
    window = iface.mainWindow()
    action = window.findChild(QAction, "QgisAgentToggle")
    dock = agent().dock
    place_window()
    wait(lambda: agent().dock.status.state == "idle", 30, "ready, but: " + agent().dock.status.text())
    shot("1_open")
    examples = [each.sentence() for each in dock.conversation.findChildren(type_of("ChoiceButton"))]
    return {
        "status": dock.status.text(),
        "action_checked": action.isChecked(),
        "area": int(window.dockWidgetArea(dock)),
        "examples": examples,
        "layers": [each.name() for each in QgsProject.instance().mapLayers().values()],
        "provider": any(each.id() == "qgisagent" for each in registry().providers()),
        "pid": agent().controller.agent_pid(),
    }


def step_offline():
    """Offline commands: a layer is switched off, and a count is answered."""
    schools = QgsProject.instance().mapLayersByName("schools")[0]
    node = QgsProject.instance().layerTreeRoot().findLayer(schools.id())
    before = node.isVisible()
    hidden = brief(ask("把学校关掉"))
    after = node.isVisible()
    shot("2_offline")
    shown = brief(ask("show schools"))
    return {
        "before": before,
        "after": after,
        "shown_again": node.isVisible(),
        "hidden": hidden,
        "shown": shown,
        "lines": lines(),
    }


def step_golden():
    """Golden request 1, typed, answered by the loopback server through litellm."""
    use_model()
    streets = QgsProject.instance().mapLayersByName("streets")[0]
    streets.selectAll()
    streamed = []
    agent().controller.run_event.connect(lambda event: streamed.append(event["type"]))
    type_text(GOLDEN)
    shot("3_typed")
    report = REPORTS.after(press_enter, 120, "golden request")
    spin(1500)  # the map is drawn
    shot("4_golden")
    made = [
        each
        for each in QgsProject.instance().mapLayers().values()
        if isinstance(each, QgsVectorLayer) and graduated(each)
    ]
    hospitals = QgsProject.instance().mapLayersByName("hospitals")[0]
    run = agent().dock.conversation.runs()[-1]
    return {
        "report": brief(report),
        "lines": lines(),
        "events": sorted(set(streamed)),
        "deltas": streamed.count("text_delta"),
        "shown_text": run.text_view.toPlainText(),
        "legend_shown": [list(each) for view in run.findChildren(type_of("LegendView")) for each in view.entries],
        "graduated": [[each.name(), each.renderer().classAttribute(), classes(each)] for each in made],
        "graduated_visible": [QgsProject.instance().layerTreeRoot().findLayer(each.id()).isVisible() for each in made],
        "hospitals_visible": QgsProject.instance().layerTreeRoot().findLayer(hospitals.id()).isVisible(),
    }


def step_golden2():
    """Golden request 2, typed: the layer that is graduated, and each school's count in it."""
    use_model()
    type_text(GOLDEN_2)
    report = REPORTS.after(press_enter, 120, "golden request 2")
    spin(1500)  # the map is drawn
    shot("d_golden2")
    project = QgsProject.instance()
    (layer,) = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer) and graduated(each)]
    run = agent().dock.conversation.runs()[-1]
    return {
        "report": brief(report),
        "lines": lines(),
        "shown_text": run.text_view.toPlainText(),
        "legend_shown": [list(each) for view in run.findChildren(type_of("LegendView")) for each in view.entries],
        "field": layer.renderer().classAttribute(),
        "classes": classes(layer),
        "counts": {each["name"]: each["count"] for each in layer.getFeatures()},
        "visible": project.layerTreeRoot().findLayer(layer.id()).isVisible(),
    }
