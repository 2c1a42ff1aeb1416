"""Stands in for the RunController of gis/runs.py in tests of the dock: same signals, moved by the test itself."""

from __future__ import annotations

from typing import Any

from qgis.PyQt.QtCore import QObject, pyqtSignal


class FakeController(QObject):
    """Records what the dock asks for; a test emits events and reports as the agent process would."""

    status_changed = pyqtSignal(str, str)
    run_event = pyqtSignal(dict)
    finished = pyqtSignal(dict)

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.profile = "gis-build"
        self.session_id = "s-now"
        self.started: list[str] = []
        self.plans: list[dict[str, Any] | None] = []
        self.stops = 0
        self.cancelled: list[str] = []
        self.pictures: list[list[Any]] = []
        self.asked: list[tuple[str, dict[str, Any], Any]] = []
        self.conversations = 0
        self.write_enabled = False

    def start(self, text: str, approved_plan: dict[str, Any] | None = None, pictures: Any = ()) -> bool:
        if self.running:
            return False
        self.running = True
        self.started.append(text)
        self.plans.append(approved_plan)
        self.pictures.append(list(pictures))
        self.status_changed.emit("running", "offline commands")
        return True

    def stop(self) -> None:
        self.stops += 1
        self.status_changed.emit("stopping", "offline commands")

    def ask_agent(self, method: str, params: dict[str, Any], done: Any) -> None:
        self.asked.append((method, params, done))

    def cancel_step(self, call_id: str) -> bool:
        self.cancelled.append(call_id)
        return True

    def new_conversation(self) -> None:
        self.conversations += 1

    def set_write_enabled(self, enabled: bool) -> None:
        self.write_enabled = enabled

    # what the agent process would do

    def say(self, kind: str, **parts: Any) -> None:
        self.run_event.emit(dict(parts, type=kind))

    def end(self, **parts: Any) -> None:
        """The run ends with a report; what is not given is empty, as in bridge/messages.py."""
        self.running = False
        report = {"ok": True, "termination": "completed", "answer": "", "legend": [], "evidence": [], "numbers": []}
        report.update({"steps": [], "question": None, "error": None}, **parts)
        self.finished.emit(report)
        self.status_changed.emit("idle", "offline commands")


GOLDEN_REQUEST = "查一下这三个街道的学校分布,按每平方公里密度分色,再叠加医院"

GOLDEN_ANSWER = """三个街道的学校密度(所/km²):

| 街道 | 学校 | 密度 |
|---|---|---|
| 街道A | 12 | 6.49 |
| 街道B | 8 | 7.84 |
| 街道C | 5 | 2.38 |

**街道B** 最密。医院已叠加显示,范围 4.4~7.8 仅供参考。"""


def golden_report() -> dict[str, Any]:
    """A report like the one of golden request 1, with one number that no tool gave."""
    return {
        "answer": GOLDEN_ANSWER,
        "legend": [
            {"label": "2.38 – 4.20", "color": "#fee5d9", "layer_id": "schools_by_streets"},
            {"label": "4.20 – 6.49", "color": "#fb6a4a", "layer_id": "schools_by_streets"},
            {"label": "6.49 – 7.84", "color": "#a50f15", "layer_id": "schools_by_streets"},
            {"label": "医院", "color": "#1f78b4", "layer_id": "hospitals"},
        ],
        "evidence": [
            {
                "ref": "call-2",
                "tool": "stat_by_polygon",
                "text": "25 schools counted in 3 streets; area ellipsoidal (WGS 84).",
            },
            {
                "ref": "call-3",
                "tool": "set_render_rule",
                "text": "Class limits from the values of density_per_km2, quantile.",
            },
        ],
        "numbers": [
            {"text": "6.49", "value": 6.49, "source": {"step": 2, "tool": "stat_by_polygon", "path": "rows/0"}},
            {"text": "4.4", "value": 4.4, "source": None},
        ],
        "steps": [{"step": index, "tool": "x"} for index in range(1, 5)],
    }
