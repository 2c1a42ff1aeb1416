"""What belongs to a conversation goes with it: a plugin that is loaded again leaves no earlier host that answers the project."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

from conftest import Answering
from qgis.core import QgsProject

from qgis_agent.gis.calls import Calls
from qgis_agent.gis.host import Host
from qgis_agent.gis.runs import RunController


def test_a_host_that_nobody_holds_is_gone(qgis_new_project: Any) -> None:
    """The project and its scope outlive it, and must not keep it: each further one would answer every change of the project."""
    project = QgsProject.instance()
    host = Host(project)
    calls = Calls(host, Answering())
    gone = [weakref.ref(host), weakref.ref(calls)]
    del host, calls
    gc.collect()
    assert [each() for each in gone] == [None, None]


def test_a_controller_that_was_closed_is_gone(qgis_new_project: Any, tmp_path: Path) -> None:
    controller = RunController(Host(QgsProject.instance()), Answering(), records=tmp_path)
    gone = [weakref.ref(controller), weakref.ref(controller.host)]
    controller.close()
    del controller
    gc.collect()
    assert [each() for each in gone] == [None, None]
