"""What the dock costs the main thread: an answer of 3,000 tokens that streams in, and a session of 500 messages that opens.

Gaps between the beats of a 5 ms timer, beside the naive ways: the whole text as Markdown again at each delta, and one widget
for the whole conversation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rows import Row, row

DELTA_MS = 40
"""The agent process gathers text for so long (TEXT_COALESCE_S)."""
DELTAS = 120
NAIVE_DELTAS = 30
"""Each costs the naive way up to a second: a quarter of them shows its gaps."""
MOST_S = 60
"""Going up ends then, however far it has come."""
MESSAGES = 500
NAIVE_STREAM = "setMarkdown of the whole text at each delta"
NAIVE_MESSAGES = 100
NAIVE_OPEN = f"one text browser for {NAIVE_MESSAGES} of them"

PARAGRAPH = (
    "The schools of the three streets lie **unevenly**: 12 of them within 800 m of the river, 8 in the old town and only 5 "
    "on the hill, where `population` is 2.38 thousand. See [the plan](https://example.org/plan) for the rest.\n\n"
)
TABLE = "| street | schools | density |\n|---|---|---|\n" + "".join(
    f"| street {at} | {at * 3} | {at * 1.37:.2f} |\n" for at in range(1, 9)
)
LIST = "".join(f"- the {at}. step, with *a word* in italics\n" for at in range(1, 7))
CODE = '```python\nprocessing.run("native:buffer", {"DISTANCE": 800})\nprint("done")\n```\n'
ANSWER = ("## A heading\n\n" + PARAGRAPH * 2 + TABLE + "\n" + LIST + "\n" + CODE + "\n") * 9
"""About 3,000 tokens: 12,000 characters of everything that an answer has."""
ONE_TABLE = "| street | schools | density |\n|---|---|---|\n" + "| street of a long name | 12 | 6.49 |\n" * 300


def said(count: int) -> list[dict[str, str]]:
    """A session: questions, and answers of which each tenth is long."""
    short = PARAGRAPH + TABLE
    return [
        {"role": "user", "text": f"How many schools are there in street {at}?"}
        if at % 2 == 0
        else {"role": "assistant", "text": ANSWER[:3000] if at % 20 == 1 else short}
        for at in range(count)
    ]


def runs_of(messages: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The session as the agent process tells it: each answer came after three calls, and shows a legend."""
    return [_run(at, *(each["text"] for each in messages[at : at + 2])) for at in range(0, len(messages) - 1, 2)]


def _run(at: int, text: str, answer: str) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    for call_id in ("1", "2", "3"):
        call = {"call_id": call_id, "tool": "count_features"}
        envelope = {"ok": True, "data": {"count": 31}, "message": "Counted."}
        events.append({"type": "tool_started", **call, "label": "", "arguments": {"layer_id": "schools"}})
        events.append({"type": "step_outcome", **call, "envelope": envelope, "evidence": [], "recipes": []})
        events.append({"type": "tool_finished", **call, "ok": True, "code": "", "message": "", "ms": 20})
    legend = [{"label": str(each), "color": "#fb6a4a", "layer_id": "schools"} for each in range(5)]
    report = {"ok": True, "termination": "completed", "answer": answer, "legend": legend, "numbers": [], "steps": []}
    return {"run_id": str(at), "ms": 900, "text": text, "ended": True, "events": events, "report": report}


def pause(seconds: float) -> None:
    """Let QGIS work for a while, as it does between two deltas."""
    from qgis.PyQt.QtTest import QTest

    QTest.qWait(max(1, round(1000 * seconds)))


def streamed(text: str, feed: Callable[[str], None], deltas: int = DELTAS) -> None:
    """``text`` in deltas, at the pace of the agent process."""
    step = max(1, len(text) // deltas)
    for at in range(0, len(text), step):
        started = time.perf_counter()
        feed(text[at : at + step])
        pause(DELTA_MS / 1000 - (time.perf_counter() - started))


def beats(heartbeat: Any, work: Callable[[], None]) -> tuple[float, float]:
    """(p99, longest) gap in ms while ``work`` goes on."""
    beat = heartbeat()
    pause(0.05)  # a gap lies between two beats
    work()
    pause(0.3)
    gaps = beat.gaps()
    return gaps[int(len(gaps) * 0.99)], gaps[-1]


def rows_of(label: str, ours: tuple[float, float], base: str, naive: tuple[float, float]) -> list[Row]:
    """The two rows of a measurement, with the goals of the issue."""
    return [
        row(f"dock, {label}, p99", ours[0], "ms", base, naive[0], "<= 50 ms", ours[0] <= 50),
        row(f"dock, {label}, longest", ours[1], "ms", base, naive[1], "<= 150 ms", ours[1] <= 150),
    ]


def _panel() -> tuple[Any, Any]:
    from qgis.PyQt.QtWidgets import QMainWindow

    from qgis_agent.gui.dock.conversation import Conversation

    window = QMainWindow()
    view = Conversation()
    window.setCentralWidget(view)
    window.resize(400, 800)
    window.show()
    pause(0.1)
    return window, view


def _naive_panel() -> tuple[Any, Any]:
    from qgis.PyQt.QtWidgets import QMainWindow, QTextBrowser

    window = QMainWindow()
    browser = QTextBrowser()
    window.setCentralWidget(browser)
    window.resize(400, 800)
    window.show()
    pause(0.1)
    return window, browser


def _stream_here(heartbeat: Any, text: str, earlier: int) -> tuple[float, float]:
    window, view = _panel()
    if earlier:
        view.show_runs(runs_of(said(earlier)))
        ends = time.perf_counter() + MOST_S
        while (view.earlier.left() or view.earlier.busy) and time.perf_counter() < ends:
            view.earlier.show_more()
            pause(0.05)
    view.add_user("Tell me all of it")
    run = view.add_run()
    found = beats(heartbeat, lambda: streamed(text, lambda part: run.handle({"type": "text_delta", "text": part})))
    report = {"ok": True, "termination": "completed", "answer": text, "steps": [], "numbers": []}
    ended = beats(heartbeat, lambda: run.finish(report, []))
    window.close()
    return found[0], max(found[1], ended[1])


def _stream_naive(heartbeat: Any, text: str) -> tuple[float, float]:
    window, browser = _naive_panel()
    so_far: list[str] = []

    def feed(part: str) -> None:
        so_far.append(part)
        browser.setMarkdown("".join(so_far))

    found = beats(heartbeat, lambda: streamed(text, feed, NAIVE_DELTAS))
    window.close()
    return found


def _open_here(heartbeat: Any) -> tuple[float, float]:
    window, view = _panel()

    def work() -> None:
        view.show_runs(runs_of(said(MESSAGES)))
        pause(0.2)
        ends = time.perf_counter() + MOST_S
        while view.earlier.left() and time.perf_counter() < ends:  # a person goes up to the very first message
            view.verticalScrollBar().setValue(0)
            while view.earlier.busy and time.perf_counter() < ends:
                pause(0.02)
        pause(0.5)

    found = beats(heartbeat, work)
    window.close()
    return found


def _open_naive(heartbeat: Any) -> tuple[float, float]:
    window, browser = _naive_panel()
    found = beats(
        heartbeat, lambda: browser.setMarkdown("\n\n---\n\n".join(each["text"] for each in said(NAIVE_MESSAGES)))
    )
    window.close()
    return found


def measure_dock(heartbeat: Any) -> list[Row]:
    """All rows of the dock."""
    naive = _stream_naive(heartbeat, ANSWER)
    results = rows_of("3,000 tokens stream", _stream_here(heartbeat, ANSWER, 0), NAIVE_STREAM, naive)
    after = f"3,000 tokens stream below {MESSAGES} messages"
    results += rows_of(after, _stream_here(heartbeat, ANSWER, MESSAGES), NAIVE_STREAM, naive)
    table = _stream_here(heartbeat, ONE_TABLE, 0)
    results += rows_of("one table of 300 rows streams", table, f"{NAIVE_STREAM}, of the answer above", naive)
    results += rows_of(f"{MESSAGES} messages open", _open_here(heartbeat), NAIVE_OPEN, _open_naive(heartbeat))
    return results


if __name__ == "__main__":
    import os
    import sys
    import tempfile
    from pathlib import Path

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
    from rows import keep
    from run import Heartbeat

    from qgis_agent.gis.headless import HeadlessQgis

    with tempfile.TemporaryDirectory() as folder:
        qgis = HeadlessQgis(Path(folder) / "profile")
        keep(measure_dock(Heartbeat), "bench-dock.json")
    sys.stdout.flush()
    os._exit(0)
