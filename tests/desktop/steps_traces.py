"""Steps of the driver: five conversations are saved as traces from the menu under their answers, and one is replayed there."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

from pathlib import Path

from driver_kit import PLAN, agent, ask, place_window, shot, spin, type_of, use_model, wait
from qgis.core import QgsProject
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QFileDialog
from qgis.utils import iface


def notices():
    """The words of the notices below the conversation."""
    return [each.text() for each in agent().dock.conversation.findChildren(type_of("NoticeLine"))]


def last_run():
    """The last run of the dock."""
    return agent().dock.conversation.runs()[-1]


def select_by_hand(name):
    """A person selects everything in a layer."""
    layer = QgsProject.instance().mapLayersByName(name)[0]
    layer.selectAll()
    return layer


def step_traces():
    """Each on the project as it is saved, with what a person has done by hand before it."""
    place_window()
    use_model()
    folder = Path(PLAN["folder"]) / "traces"
    folder.mkdir()
    seen = {"reports": [], "written": []}
    told_path = []
    QFileDialog.getSaveFileName = lambda *_args: (told_path[-1], "")
    for number, (text, by_hand) in enumerate(PLAN["asked"], 1):
        QgsProject.instance().read(PLAN["project"])
        spin(800)
        QTest.mouseClick(agent().dock.header.new_button, Qt.MouseButton.LeftButton)
        if by_hand == "select":
            select_by_hand("streets")
        elif by_hand == "zoom":
            iface.mapCanvas().zoomScale(45678)
        elif by_hand == "hide":
            root = QgsProject.instance().layerTreeRoot()
            root.findLayer(QgsProject.instance().mapLayersByName("schools")[0].id()).setItemVisibilityChecked(False)
        spin(300)
        report = ask(text, 120)
        seen["reports"].append([report["ok"], [[each["tool"], each["ok"]] for each in report["steps"]]])
        told_path.append(str(folder / "{}.jsonl".format(number)))
        last_run().menu.choices["save_trace"].trigger()
        wait(lambda: Path(told_path[-1]).exists() and len(notices()) > 0, 30, "the trace is written")
        seen["written"].append(notices()[-1])
    last_run().menu.setFocus()
    last_run().menu.choices["replay"].trigger()
    wait(lambda: len(notices()) > 2, 60, "the replay has ended: {}".format(notices()))
    seen["replayed"] = notices()[-1]
    seen["layers"] = sorted(each.name() for each in QgsProject.instance().mapLayers().values())
    shot("t_replayed")
    return seen
