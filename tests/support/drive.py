"""Runs a plan as ``Driver`` does, without a call: for tests of the run path itself. Needs a QGIS."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from qgis.core import QgsFeedback

from qgis_agent.gis.host import run_until


def drive(steps: Generator[Any, Any, Any], feedback: QgsFeedback | None = None, wait_s: float = 60) -> Any:
    """The value that the generator returns; what it raises is raised."""
    stop = feedback or QgsFeedback()
    told: list[tuple[Any, BaseException | None]] = [(None, None)]
    while True:
        value, error = told.pop()
        try:
            step = steps.throw(error) if error is not None else steps.send(value)
        except StopIteration as end:
            return end.value
        step.start(stop, lambda value, error: told.append((value, error)))
        if not run_until(lambda: bool(told), wait_s):
            raise TimeoutError(type(step).__name__)
