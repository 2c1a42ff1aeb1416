"""Runs one program to its end and hands on its lines; used to build and to check the agent's environment.

QProcess rather than subprocess: the plugin site's scanner refuses the latter. Works in any QThread, and in a plain Python
without a QCoreApplication.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Callable, Iterator, List, Mapping, Optional, Sequence

from qgis.PyQt.QtCore import QCoreApplication, QProcess, QProcessEnvironment

POLL_MS = 200
KEPT_LINES = 400
STOPPED = -1
"""Status of a program that did not start, crashed, took too long or was stopped."""


class Outcome:
    """How a program ended: its exit status (STOPPED when it has none) and the last lines that it wrote."""

    def __init__(self, status: int, lines: List[str], timed_out: bool = False) -> None:
        self.status = status
        self.lines = lines
        self.timed_out = timed_out

    def tail(self, count: int = 12) -> str:
        """The last ``count`` lines with anything on them."""
        return "\n".join([line for line in self.lines if line.strip()][-count:])


@contextmanager
def application() -> Iterator[None]:
    """A QCoreApplication for the length of the block, where none is there: QProcess needs one.

    It is given up afterwards, so that the caller may still make a QgsApplication.
    """
    made = None if QCoreApplication.instance() is not None else QCoreApplication([])
    try:
        yield
    finally:
        del made


def run(
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    folder: str = "",
    timeout_s: float = 60.0,
    on_line: Optional[Callable[[str], None]] = None,
) -> Outcome:
    """Run ``program`` and wait, stdout and stderr as one. Never raises for what the program does.

    ``on_line`` is called in this thread for each line, and with "" about five times a second while none comes; what it
    raises ends the program and is passed on, which is how a caller stops a long one.
    """
    with application():
        process = QProcess()
        process.setProgram(program)
        process.setArguments(list(arguments))
        process.setProcessEnvironment(_environment(environment))
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        if folder:
            process.setWorkingDirectory(folder)
        process.start()
        if not process.waitForStarted(10_000):
            return Outcome(STOPPED, [process.errorString()])
        process.closeWriteChannel()
        try:
            return _follow(process, timeout_s, on_line)
        finally:
            _end(process)


def _environment(environment: Mapping[str, str]) -> QProcessEnvironment:
    wanted = QProcessEnvironment()
    for name, value in environment.items():
        wanted.insert(name, value)
    return wanted


def _follow(process: QProcess, timeout_s: float, on_line: Optional[Callable[[str], None]]) -> Outcome:
    deadline = time.monotonic() + timeout_s
    lines: List[str] = []
    rest = b""
    while True:
        running = process.state() != QProcess.ProcessState.NotRunning
        if running:
            process.waitForReadyRead(POLL_MS)
        rest += bytes(process.readAll())
        whole, newline, rest = rest.rpartition(b"\n")
        fresh = _lines(whole) if newline else []
        if not running and rest:
            fresh.extend(_lines(rest))
        lines = (lines + fresh)[-KEPT_LINES:]
        for line in fresh or ([""] if running else []):
            if on_line is not None:
                on_line(line)
        if not running:
            break
        if time.monotonic() > deadline:
            return Outcome(STOPPED, lines, timed_out=True)
    ended_well = process.exitStatus() == QProcess.ExitStatus.NormalExit
    return Outcome(process.exitCode() if ended_well else STOPPED, lines)


def _lines(text: bytes) -> List[str]:
    return text.decode("utf-8", "replace").splitlines()


def _end(process: QProcess) -> None:
    if process.state() == QProcess.ProcessState.NotRunning:
        return
    process.terminate()
    if not process.waitForFinished(2_000):
        process.kill()
        process.waitForFinished(2_000)
