"""Coordinate systems outlive the worker that first named them."""

from __future__ import annotations

import subprocess
import sys

# In a process of its own: the pools of this one are kept for all tests. 500 ms stand for the 30 s of idle threads.
CHILD = """
import sys, time
from qgis.core import (
    QgsApplication, QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsPointXY, QgsProject, QgsTask
)
from qgis.PyQt.QtCore import QCoreApplication, QThreadPool

application = QgsApplication([], False)
application.initQgis()
for pool in (QThreadPool.globalInstance(), QgsApplication.taskManager().threadPool()):
    pool.setExpiryTimeout(500)
if sys.argv[1] == "kept":
    from qgis_agent.gis.host import Host

    host = Host(QgsProject.instance())


def wait(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        QCoreApplication.processEvents()
        time.sleep(0.01)


task = QgsTask.fromFunction("names it first", lambda task: bool(QgsCoordinateReferenceSystem("EPSG:2193").toWkt()))
QgsApplication.taskManager().addTask(task)
while task.status() not in (QgsTask.TaskStatus.Complete, QgsTask.TaskStatus.Terminated):
    wait(0.01)
QgsCoordinateReferenceSystem("EPSG:2193").toWkt()  # the main thread has it too
wait(1.5)
crs = QgsCoordinateReferenceSystem("EPSG:2193")
back = QgsCoordinateTransform(crs, QgsCoordinateReferenceSystem("EPSG:4167"), QgsProject.instance())
place = back.transform(QgsPointXY(1600000, 10000000))
print(crs.isValid(), bool(crs.toWkt()), round(place.x(), 6), round(place.y(), 6))
"""


def said(how: str) -> list[str]:
    """What a QGIS says of New Zealand's grid, and of its true origin (173° east on the equator), two seconds later."""
    done = subprocess.run([sys.executable, "-c", CHILD, how], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()


def test_a_coordinate_system_outlives_its_thread() -> None:
    """EPSG:2193 has its true origin (false easting 1,600,000, false northing 10,000,000) at 173°, 0°. QGIS alone loses it."""
    assert said("kept") == ["True", "True", "173.0", "0.0"]


def test_qgis_alone_loses_it() -> None:
    """When this fails QGIS has been mended, and ``gis/threads.py`` may go."""
    assert said("alone")[:2] == ["True", "False"]
