"""What the agent process sends is taken in order and a little at a time."""

from __future__ import annotations

import time
from typing import Any

from qgis.PyQt.QtCore import QEventLoop, QTimer

from qgis_agent.gis.inbox import Inbox


def test_what_is_quick_is_taken_at_once_and_in_order(qgis_app: Any) -> None:
    seen: list[bytes] = []
    inbox = Inbox(seen.append)
    inbox.add(b"a\nb\nc")
    inbox.add(b"d\n\ne\n")
    assert seen == [b"a\n", b"b\n", b"c", b"d\n", b"\n", b"e\n"]
    assert b"".join(seen) == b"a\nb\ncd\n\ne\n"


def test_others_have_their_turn_between_messages_that_take_long(qtbot: Any) -> None:
    order: list[str] = []

    def take(line: bytes) -> None:
        order.append(line.decode().strip())
        time.sleep(0.003)

    inbox = Inbox(take, budget_s=0.001)
    timer = QTimer()
    timer.timeout.connect(lambda: order.append("-"))
    timer.start(0)
    inbox.add(b"1\n2\n3\n4\n")
    inbox.add(b"5\n")
    assert order == ["1"]
    qtbot.waitUntil(lambda: "5" in order, timeout=5000)
    timer.stop()
    assert [each for each in order if each != "-"] == ["1", "2", "3", "4", "5"]
    between = "".join(order).strip("-")
    assert all("-" in between[between.index(a) : between.index(b)] for a, b in ("23", "34", "45")), between


def test_one_that_waits_in_a_loop_of_its_own_holds_nobody_back(qtbot: Any) -> None:
    seen: list[bytes] = []

    def take(line: bytes) -> None:
        seen.append(line)
        if line == b"1\n":
            loop = QEventLoop()
            timer = QTimer()
            timer.timeout.connect(lambda: loop.quit() if len(seen) == 3 else None)
            timer.start(1)
            QTimer.singleShot(5000, loop.quit)
            loop.exec()
            seen.append(b"back")

    Inbox(take).add(b"1\n2\n3\n")
    assert seen == [b"1\n", b"2\n", b"3\n", b"back"]


def test_at_the_end_nothing_is_left(qgis_app: Any) -> None:
    seen: list[bytes] = []
    inbox = Inbox(lambda line: (seen.append(line), time.sleep(0.002))[0], budget_s=0.0)
    inbox.add(b"1\n2\n3\n")
    inbox.drain()
    assert seen == [b"1\n", b"2\n", b"3\n"]
