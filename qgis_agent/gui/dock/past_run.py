"""A run of an earlier conversation: what the panel showed of it, made again from the events in its record."""

from __future__ import annotations

from typing import Any, Dict, Optional

from qgis.PyQt.QtWidgets import QWidget

from ...gis.i18n import translate
from .run_view import RunView


class PastRun(RunView):
    """``run`` is a PastRun of bridge/messages.py. Its steps, legend, evidence and numbers act as ever; its cards no longer do."""

    def __init__(self, run: Dict[str, Any], parent: Optional[QWidget] = None) -> None:
        super().__init__(parent)
        self._took = int(run.get("ms") or 0)
        self.run_id = str(run.get("run_id") or "")
        for event in run.get("events") or []:
            if event.get("type") == "remark":
                self.steps.remark(str(event.get("text") or ""))
            else:
                self.handle(event)
        if not run.get("ended"):
            words = translate("QgisAgent", "This run did not come to its end: QGIS or the agent process ended before.")
            self.steps.notice({"text": words, "level": "warning"})
        self.finish(run.get("report") or {}, [])
        self.disarm()

    def took_ms(self) -> int:
        """As its record has it."""
        return self._took
