"""Traces from the QGIS side: asked of the agent process, which makes them from the session's record and writes the file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence

from ..bridge import messages
from ..bridge.trace import Trace, TraceError, read_traces
from .i18n import translate

if TYPE_CHECKING:
    from .runs import RunController

MAX_BYTES = 256 * 1024 * 1024


class Traces:
    """The traces of a conversation's runs. Every answer comes later, by call; a run's trace is whole once it has ended."""

    def __init__(self, controller: RunController) -> None:
        self._controller = controller
        self.unreadable = 0
        """How many lines of the conversation's record were damaged, at the last answer."""

    def remark(self) -> str:
        """What a person is told who gets traces of a damaged record; "" for a whole one."""
        if not self.unreadable:
            return ""
        text = translate(
            "QgisAgent", "Lines of the conversation's record that cannot be read, and are missing here: {}."
        )
        return text.format(self.unreadable)

    def save(
        self,
        path: str,
        done: Callable[[int, str], None],
        trace_ids: Sequence[str] = (),
        *,
        session_id: str = "",
        redact: Sequence[str] = (),
        append: bool = False,
    ) -> None:
        """Write traces (all of the conversation unless some are named) to a file: ``done(how many, "" or why not)``.

        ``redact``: "names", "ids", "values", which are replaced by pseudonyms; such a trace cannot be replayed.
        """
        controller = self._controller
        params: Dict[str, Any] = {
            "session_id": session_id or controller.session_id,
            "path": os.path.abspath(path),
            "trace_ids": list(trace_ids),
            "redact": list(redact),
            "append": append,
            "project_path": "" if redact else controller.host.project.fileName(),
        }

        def answered(result: Any, problem: str) -> None:
            told = result if isinstance(result, dict) else {}
            self.unreadable = int(told.get("unreadable") or 0)
            done(int(told.get("count") or 0), problem)

        controller.ask_agent(messages.TRACE_EXPORT, params, answered)

    def fetch(
        self, done: Callable[[List[Trace], str], None], trace_ids: Sequence[str] = (), *, session_id: str = ""
    ) -> None:
        """The traces themselves: ``done(traces, "" or why not)``, in the order of the runs."""
        handle, name = tempfile.mkstemp(prefix="qgis-agent-", suffix=".jsonl")
        os.close(handle)

        def saved(_count: int, problem: str) -> None:
            found: Optional[List[Trace]] = None
            try:
                if not problem:
                    found = load_traces(name)
            except TraceError as error:
                problem = str(error)
            finally:
                Path(name).unlink()
            done(found or [], problem)

        self.save(name, saved, trace_ids, session_id=session_id)


def load_traces(path: str) -> List[Trace]:
    """The traces of a file. TraceError that says what is wrong with it."""
    try:
        if os.path.getsize(path) > MAX_BYTES:
            raise TraceError("{} is too large for a file of traces".format(path))
        with open(path, encoding="utf-8") as file:
            return read_traces(file)
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError("{} cannot be read: {}".format(path, getattr(error, "strerror", None) or error)) from error
