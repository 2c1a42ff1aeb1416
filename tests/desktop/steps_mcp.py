"""Steps of the driver: other programs over MCP. A person turns it on and allows one; programs in processes of their own call."""

# ruff: noqa  (a script that runs inside QGIS)
from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import threading
import time
import traceback
from pathlib import Path

from driver_kit import PLAN, agent, ask, brief, classes, graduated, shot, spin, type_of, wait
from qgis.core import QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QByteArray, QObject, QProcess, Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDialog
from qgis.utils import iface

LABEL = "Claude Code <b>1</b>"
"""What a person calls it; shown as it is written."""
TOKENS = {}
COUNT = {"name": "count_features", "arguments": {"layer_id": "schools"}}


def programs():
    """What the plugin keeps of other programs."""
    return agent().window.programs


def press(button):
    """Click a button as a mouse does."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def in_options(work):
    """Open QGIS's options at the page, do ``work(dialog, page)`` in it; what it raised is raised here."""
    problem = []

    def begin():
        page_class = type_of("McpPage")
        dialog = None
        try:
            dialog, page = next(
                (each, found[0])
                for each in QApplication.topLevelWidgets()
                for found in [each.findChildren(page_class)]
                if found and isinstance(each, QDialog) and each.isVisible()
            )
            dialog.resize(1280, 690)
            spin(150)
            work(dialog, page)
        except Exception:
            problem.append(traceback.format_exc())
            for each in QApplication.topLevelWidgets():
                if isinstance(each, QDialog) and each.isVisible():
                    each.reject()

    QTimer.singleShot(1500, begin)
    programs().show_settings()
    if problem:
        raise AssertionError(problem[0])


def free_port():
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def allow(page, label, level="read_only", write=False, picture=""):
    """Allow a program through the windows; returns its token."""
    box = page.clients_box
    press(box.add_button)
    wait(lambda: box.dialog is not None and box.dialog.isVisible(), 5, "the window for a program")
    box.dialog.name_edit.setFocus()
    QTest.keyClicks(box.dialog.name_edit, label)
    if level != "read_only":
        box.dialog.buttons[level].click()
    if write:
        box.dialog.write_box.click()
    spin(100)
    if picture:
        box.dialog.grab().save(PLAN["shots"] + picture + "_program.png")
    press(box.dialog.agree_button)
    wait(lambda: hasattr(box.dialog, "token_edit") and box.dialog.isVisible(), 5, "the window with the token")
    spin(150)
    if picture:
        box.dialog.grab().save(PLAN["shots"] + picture + "_token.png")
    token = box.dialog.token_edit.text()
    box.dialog.reject()
    spin(50)
    return token


def step_mcp_on():
    """Off at first; a person turns it on, allows a program, and copies its token."""
    seen = {"before": [programs().listening.state, agent().dock.header.programs_button.isHidden()]}

    def work(dialog, page):
        seen["first"] = page.switch_box.state_label.text()
        dialog.grab().save(PLAN["shots"] + "off.png")
        page.switch_box.on_box.click()
        page.switch_box.port_box.setValue(free_port())
        TOKENS["golden"] = allow(page, LABEL, picture="allow")
        TOKENS["writer"] = allow(page, "Writer", "safe_write", True)
        spin(100)
        dialog.grab().save(PLAN["shots"] + "list.png")
        seen["list"] = page.clients_box.list.texts()
        dialog.accept()

    in_options(work)
    took = wait(lambda: programs().listening.state == "on", 30, "it listens: " + programs().listening.why)
    kept = Path(programs().clients.path)
    return dict(
        seen,
        took=took,
        url=programs().listening.url,
        kept=kept.read_text(encoding="utf-8"),
        mode=oct(kept.stat().st_mode & 0o777),
        secrets=list(TOKENS.values()),
    )


class Program:
    """Another program: a script of tests/support in a process of its own."""

    def __init__(self, script, plan):
        self._process = QProcess()
        self._process.setProgram(os.environ["QGIS_AGENT_ENV"] + "/bin/python")
        self._process.setArguments(["-I", str(Path(PLAN["support"]) / script)])
        self._process.start()
        self._process.write(QByteArray(json.dumps(plan).encode("utf-8")))
        self._process.closeWriteChannel()

    def ended(self):
        """Whether it is done."""
        return self._process.state() == QProcess.ProcessState.NotRunning

    def result(self):
        """What it said at the end."""
        said = bytes(self._process.readAllStandardOutput()).decode("utf-8")
        assert said, bytes(self._process.readAllStandardError()).decode("utf-8")[-3000:]
        return json.loads(said)


class Person(QObject):
    """Answers the windows that ask: looks, waits until the buttons can be pressed, and clicks."""

    def __init__(self, agrees=True, picture=""):
        super().__init__()
        self.asked = []
        self._agrees = agrees
        self._picture = picture
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._timer.start(50)

    def _look(self):
        window = agent().window.approver.current()
        if window is None or not window.is_armed() or window in [each[0] for each in self.asked]:
            return
        body = [each.toPlainText() for each in window.findChildren(type_of("TextView"))]
        self.asked.append((window, window.windowTitle(), window.card["title"], body))
        if self._picture:
            window.grab().save(PLAN["shots"] + "{}_{}.png".format(self._picture, len(self.asked)))
        press(window.agree_button if self._agrees else window.deny_button)

    def leave(self):
        """Stop answering; title of each window, what was asked, and its words."""
        self._timer.stop()
        return [list(each[1:]) for each in self.asked]


def step_mcp_golden():
    """Golden request 1, each step called by the SDK's client; what changes something is asked here."""
    project = QgsProject.instance()
    project.mapLayersByName("streets")[0].selectAll()
    project.layerTreeRoot().findLayer(project.mapLayersByName("hospitals")[0].id()).setItemVisibilityChecked(False)
    calls = [each for turn in PLAN["golden_calls"] for each in turn]
    person = Person(picture="card")
    program = Program("mcp_caller.py", {"url": programs().listening.url, "token": TOKENS["golden"], "calls": calls})
    wait(program.ended, 120, "the program ends")
    asked = person.leave()
    spin(1500)  # the map is drawn
    shot("golden")
    made = [each for each in project.mapLayers().values() if isinstance(each, QgsVectorLayer) and graduated(each)]
    hospitals = project.mapLayersByName("hospitals")[0]
    sign = agent().dock.header.programs_button
    return {
        "told": program.result(),
        "asked": asked,
        "graduated": [[each.name(), each.renderer().classAttribute(), classes(each)] for each in made],
        "graduated_visible": [project.layerTreeRoot().findLayer(each.id()).isVisible() for each in made],
        "hospitals_visible": project.layerTreeRoot().findLayer(hospitals.id()).isVisible(),
        "sign": [sign.isVisible(), sign.accessibleName(), sign.toolTip()],
        "undo": agent().window.undo_action.isEnabled(),
    }


def step_mcp_undo():
    """What the program changed is taken back from QGIS's menu, at once."""
    project = QgsProject.instance()
    agent().window.undo_action.trigger()
    wait(
        lambda: not any(isinstance(each, QgsVectorLayer) and graduated(each) for each in project.mapLayers().values()),
        20,
        "its layer is gone",
    )
    spin(300)
    shot("undone")
    hospitals = project.mapLayersByName("hospitals")[0]
    return {
        "layers": sorted(each.name() for each in project.mapLayers().values()),
        "hospitals_visible": project.layerTreeRoot().findLayer(hospitals.id()).isVisible(),
        "conflicts": len(
            [each for each in QApplication.topLevelWidgets() if isinstance(each, QDialog) and each.isVisible()]
        ),
    }


def step_mcp_write():
    """A write is prepared; the person says no to one, and yes to the next. Nothing is there before the click."""
    target = Path(PLAN["project"]).parent / "by_program.gpkg"
    prepare = {"name": "prepare_export_layer", "arguments": {"layer_id": "schools", "path": target.name}}
    commit = {"name": "commit_action", "arguments": {"confirm_token": "{confirm_token}"}}
    seen = {}
    for name, agrees in (("refused", False), ("agreed", True)):
        person = Person(agrees, picture="write_" + name)
        plan = {"url": programs().listening.url, "token": TOKENS["writer"], "calls": [prepare, commit]}
        program = Program("mcp_caller.py", plan)
        wait(program.ended, 90, "the program ends")
        seen[name] = {"told": program.result()["results"], "asked": person.leave(), "file": target.exists()}
    layer = QgsVectorLayer(str(target), "x", "ogr")
    return dict(seen, features=layer.featureCount() if target.exists() else -1)


class Beats(QObject):
    """How long the main thread was away: by the clock, by the clock without the time in which it waited for a core that other
    processes had ("held": it worked, or waited for something), and in its own time of the processor."""

    def __init__(self):
        super().__init__()
        self.gaps = []
        self.late = []
        self._last = self._now()
        self._main = threading.get_ident()
        self._watching = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(5)

    @staticmethod
    def _now():
        """Clock, time that this thread waited for a core (proc(5), schedstat), time of the processor; in s."""
        waited = int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
        return time.perf_counter(), waited, time.thread_time()

    def _beat(self):
        now = self._now()
        clock, waited, used = (1000 * (after - before) for after, before in zip(now, self._last))
        self.gaps.append((clock, max(0.0, clock - waited), used))
        self._last = now

    def _watch(self):
        """Beside the main thread: where it is when a beat is late."""
        told = 0.0
        while not self._watching.wait(0.01):
            last = self._last[0]
            if last != told and time.perf_counter() - last > 0.05 and len(self.late) < 12:
                told = last
                stack = traceback.extract_stack(sys._current_frames()[self._main])
                self.late.append(
                    ["{}:{} {}".format(Path(each.filename).name, each.lineno, each.name) for each in stack[-6:]]
                )

    def leave(self):
        """Worst and 99th percentile of each, in ms."""
        self._timer.stop()
        self._watching.set()
        found = {}
        for at, name in enumerate(("clock", "held", "processor")):
            ordered = sorted(each[at] for each in self.gaps)
            found[name] = {"worst": ordered[-1], "p99": ordered[int(0.99 * (len(ordered) - 1))]}
        return dict(found, beats=len(self.gaps), late=self.late)


def files():
    """Each file beside the project with its digest."""
    folder = Path(PLAN["project"]).parent
    return {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.iterdir())
        if not each.name.endswith(("-wal", "-shm"))
    }


def step_mcp_burst():
    """10,000 requests at once from 50 clients, reads and writes, and one in ten with a token that nobody was given."""

    def work(_dialog, page):
        TOKENS["burst"] = [allow(page, "Burst {}".format(number)) for number in range(2)]
        page.window().accept()

    in_options(work)
    wait(lambda: programs().listening.state == "on", 30, "it listens")
    spin(500)
    before, layers = files(), sorted(QgsProject.instance().mapLayers())
    dirty = QgsProject.instance().isDirty()
    calls = [
        COUNT,
        {"name": "describe_layer", "arguments": {"layer_id": "schools"}},
        {"name": "prepare_export_layer", "arguments": {"layer_id": "schools", "path": "burst.gpkg"}},
        {"name": "commit_action", "arguments": {"confirm_token": "x" * 32}},
        {"name": "no_such_tool", "arguments": {}},
    ]
    idle = Beats()
    spin(2000)
    idle = idle.leave()
    plan = {"url": programs().listening.url, "tokens": TOKENS["burst"], "requests": 10000, "clients": 50, "wrong": 5}
    program = Program("mcp_burst.py", dict(plan, calls=calls))
    beats = Beats()
    spin(6000)
    gaps = beats.leave()
    beats = Beats()  # a message of the person is drawn by the panel, which is measured by itself
    began = time.monotonic()
    chat = brief(ask("How many schools are there?"))
    chat = {
        "ok": chat["ok"],
        "answer": chat["answer"],
        "seconds": time.monotonic() - began,
        "meanwhile": not program.ended(),
    }
    wait(program.ended, 300, "the burst ends")
    with_chat = beats.leave()
    return {
        "told": program.result(),
        "idle": idle,
        "gaps": gaps,
        "with_chat": with_chat,
        "open": agent().window.approver.current() is not None,
        "waiting": agent().window.approver.waiting(),
        "unchanged": [
            files() == before,
            sorted(QgsProject.instance().mapLayers()) == layers,
            QgsProject.instance().isDirty() == dirty,
        ],
        "state": agent().dock.status.state,
        "chat": chat,
    }


def is_open(url):
    """Whether anybody listens at the address."""
    with socket.socket() as probe:
        probe.settimeout(2)
        return probe.connect_ex(("127.0.0.1", int(url.rsplit(":", 1)[1].split("/")[0]))) == 0


def step_mcp_restart():
    """The agent process dies: the endpoint comes back by itself, with the same token."""
    url, pid = programs().listening.url, agent().controller.agent_pid()
    os.kill(pid, 9)
    wait(lambda: programs().listening.state != "on", 10, "it is noticed")
    wait(lambda: programs().listening.state == "on", 60, "it listens again")
    plan = {"url": url, "token": TOKENS["golden"], "calls": [COUNT]}
    program = Program("mcp_caller.py", plan)
    wait(program.ended, 60, "the program ends")
    return {
        "same": programs().listening.url == url,
        "failed": program.result()["results"][0]["error"],
        "new": agent().controller.agent_pid() != pid,
    }


def step_mcp_off():
    """A program is removed, then the switch is turned off: nobody gets in, and no port is open."""
    url, seen = programs().listening.url, {}
    plan = {"url": url, "tokens": [TOKENS["golden"]], "requests": 1, "clients": 1, "calls": [COUNT]}

    def remove(dialog, page):
        box = page.clients_box
        box.list.topLevelItem(0).setSelected(True)
        press(box.remove_button)
        wait(lambda: box.dialog is not None and box.dialog.isVisible(), 5, "the question")
        spin(100)
        box.dialog.grab().save(PLAN["shots"] + "remove.png")
        yes = next(each for each in box.dialog.buttons() if each.text().replace("&", "") in ("Remove", "移除", "删除"))
        press(yes)
        spin(200)
        seen["list"] = [each[0] for each in box.list.texts()]
        dialog.accept()

    in_options(remove)
    spin(300)
    program = Program("mcp_burst.py", plan)
    wait(program.ended, 60, "the program ends")
    seen["statuses"] = program.result()["statuses"]
    seen["sign"] = agent().dock.header.programs_button.accessibleName()
    seen["open"] = is_open(url)

    def turn_off(dialog, page):
        page.switch_box.on_box.click()
        dialog.accept()

    in_options(turn_off)
    wait(lambda: not is_open(url), 10, "the port is closed")
    seen["after"] = [programs().listening.state, agent().dock.header.programs_button.isHidden()]
    return seen
