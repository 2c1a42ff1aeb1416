"""make_chart: values over the bridge, the picture in the report; and the pictures themselves, by matplotlib."""

from __future__ import annotations

import asyncio
import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import REGISTRY, Bench, FakeBridge
from llm_bench import AGENT_PYTHON, ROOT

from qgis_agent.agent.charts import tool
from qgis_agent.agent.charts.draw import ROW_IN, WIDTH_IN, Drawing, number_text, wrapped
from qgis_agent.agent.execution.context import CallRequest
from qgis_agent.bridge.envelope import failure, success
from qgis_agent.bridge.text import wide

DATA = {
    "kind": "bar", "x": "name", "y": "pop", "rows": [{"label": "A", "value": 3}], "total": 1, "used": 1, "left_out": 0,
    "summary": {"sum": 3}, "color": "#4c78a8",
}  # fmt: skip


class PagedBridge(FakeBridge):
    """Gives the rows of a handle in pages of two."""

    def __init__(self, rows: list[Any], **answers: Any) -> None:
        super().__init__(**answers)
        self.rows = rows

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """See FakeBridge."""
        if method != "results/read":
            return await super().request(method, params)
        at = params["cursor"]
        rest = at + 2 if at + 2 < len(self.rows) else None
        return success({"rows": self.rows[at : at + 2], "next": rest})


def chart(tmp_path: Path, bridge: FakeBridge, **arguments: Any) -> dict[str, Any]:
    bench = Bench(tmp_path)
    context = bench.context(bridge)
    context = type(context)(**{**vars(context), "charts_dir": tmp_path / "charts"})
    request = CallRequest("c1", "make_chart", arguments, "native")
    made: dict[str, Any] = asyncio.run(tool.make_chart(context, request))
    return made


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keeps what would be drawn."""
    kept: list[Any] = []

    def draw(data: Any, title: str, path: Path) -> Drawing:
        kept.append((data, title, path))
        return Drawing(960, 600, "")

    monkeypatch.setattr(tool, "draw", draw)
    return kept


def test_the_chart_is_in_the_outcome(tmp_path: Path, drawn: list[Any]) -> None:
    """The model gets the values, the person the picture; the file has no name that a model chose."""
    bridge = FakeBridge(read_chart_values=success(DATA, "one note"))
    outcome = chart(tmp_path, bridge, kind="bar", x="name", y="pop", layer_id="streets", title="../../x\nПлан")
    assert outcome["envelope"]["ok"] and "one note" in outcome["envelope"]["message"]
    assert outcome["envelope"]["data"]["rows"] == DATA["rows"]
    assert "file" not in json.dumps(outcome["envelope"])
    (entry,) = outcome["charts"]
    assert Path(entry["file"]).parent == tmp_path / "charts" and Path(entry["file"]).suffix == ".png"
    assert drawn[0][1] == "../../x План"
    assert bridge.requests[0]["arguments"] == {"kind": "bar", "x": "name", "y": "pop", "layer_id": "streets"}
    assert outcome["evidence"][0]["ref"] == "streets"


def test_all_pages_are_drawn(tmp_path: Path, drawn: list[Any]) -> None:
    """The sample of the envelope is not the chart."""
    rows = [{"label": str(each), "value": each} for each in range(7)]
    bridge = PagedBridge(rows, read_chart_values=success({**DATA, "rows": rows[:2], "result_ref": "r:1"}))
    outcome = chart(tmp_path, bridge, kind="bar", x="name", layer_id="streets")
    assert drawn[0][0]["rows"] == rows
    assert outcome["envelope"]["data"]["total"] == 7


def test_refusals_of_qgis_pass(tmp_path: Path, drawn: list[Any]) -> None:
    """As they are; nothing is drawn."""
    refused = failure("NOT_FOUND", "There is no field 'x'.", hint="Did you mean 'y'?")
    outcome = chart(tmp_path, FakeBridge(read_chart_values=refused), kind="bar", x="x", layer_id="streets")
    assert outcome["envelope"] == refused and "charts" not in outcome and not drawn


@pytest.mark.parametrize("source", [{}, {"layer_id": "a", "result_ref": "fetch:12345678"}])
def test_one_source(tmp_path: Path, drawn: list[Any], source: dict[str, str]) -> None:
    """A layer or a result; without asking QGIS."""
    bridge = FakeBridge()
    outcome = chart(tmp_path, bridge, kind="bar", x="x", **source)
    assert outcome["envelope"]["code"] == "INVALID_PARAM" and not bridge.requests and not drawn


def test_a_picture_that_cannot_be_written_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is an environment without matplotlib."""
    for problem in (OSError(28, "No space left on device"), ImportError("matplotlib")):

        def broken(*_given: Any, error: Exception = problem) -> Drawing:
            raise error

        monkeypatch.setattr(tool, "draw", broken)
        outcome = chart(tmp_path, FakeBridge(read_chart_values=success(DATA)), kind="bar", x="x", layer_id="a")
        assert outcome["envelope"]["code"] == "UPSTREAM_ERROR" and outcome["envelope"]["hint"]
        assert "charts" not in outcome


def test_the_reading_tool_is_not_shown() -> None:
    """It is make_chart's own: no model can call it."""
    assert REGISTRY.get("make_chart") is not None and REGISTRY.get("read_chart_values") is None


def test_ticks_are_for_people() -> None:
    """Thousands apart; powers of ten beyond."""
    assert [number_text(each) for each in (12000.0, 0.25, 0.0, 3.1e9, 2e-7)] == [
        "12,000",
        "0.25",
        "0",
        "3.1e+09",
        "2e-07",
    ]


def test_titles_are_broken_into_lines() -> None:
    """No line over the width, no word torn, nothing lost."""
    english = "A very long English title about schools and hospitals in the city of Hangzhou by district"
    for text, most in (
        (english, 40),
        ("余杭区各街道学校数量与人口密度的关系以及医院分布情况示意图", 20),
        ("人口 pop", 40),
    ):
        lines = wrapped(text, most).split("\n")
        assert all(wide(each) <= most for each in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert set(wrapped(english, 40).split()) == set(english.split())


DRIVER = """
import json, sys
from pathlib import Path
from qgis_agent.agent.charts.draw import draw
folder = Path(sys.argv[1])
from PIL import Image
made = {name: draw(data, title, folder / (name + ".png")) for name, data, title in json.load(sys.stdin)}
pixels = Image.open(folder / "bar.png").convert("RGB").getcolors(1 << 24)
made["orange"] = sum(count for count, color in pixels if color == (0xD9, 0x5F, 0x02))
print(json.dumps(made))
"""
CHARTS = [
    ("bar", {**DATA, "x": "街道", "rows": [
        {"label": "街道A", "value": 12, "color": "#d95f02"}, {"label": "$\\\\frac{1", "value": 8}]}, "学校 $x_1$ \\\\frac{"),
    ("many", {**DATA, "rows": [{"label": f"a long label {n}", "value": n, "others": n == 30} for n in range(31)]}, ""),
    ("line", {**DATA, "kind": "line", "rows": [{"x": f"2024-{n:02d}-01", "y": n * n} for n in range(1, 13)]}, "t"),
    ("scatter", {**DATA, "kind": "scatter", "rows": [{"x": n, "y": -n} for n in range(300)]}, "t"),
    ("histogram", {**DATA, "kind": "histogram", "y": None, "rows": [{"lower": 0, "upper": 1, "count": 4}]}, "t"),
    ("constant", {**DATA, "kind": "histogram", "y": None, "rows": [{"lower": 4, "upper": 4, "count": 4}]}, "t"),
    ("box", {**DATA, "kind": "box", "rows": [
        {"label": "A", "count": 9, "q1": 1, "median": 2, "q3": 3, "low": 0, "high": 5, "outliers": [9]}]}, "t"),
]  # fmt: skip


def test_pictures(tmp_path: Path) -> None:
    """Every kind, in the agent's own environment: 960 by 600 pixels (more for many bars), Chinese with glyphs, mathematics as
    it was typed, and the colour that was asked for."""
    done = subprocess.run(
        [str(AGENT_PYTHON), "-X", "utf8", "-c", DRIVER, str(tmp_path)],
        input=json.dumps(CHARTS), capture_output=True, text=True, cwd=ROOT, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert made.pop("orange") > 10_000  # the bar of 12 of 12: about a quarter of the plot
    for name, (width, height, missing) in made.items():
        content = (tmp_path / f"{name}.png").read_bytes()
        assert struct.unpack(">II", content[16:24]) == (width, height) == (960, 1295 if name == "many" else 600), name
        assert missing == "", name
        assert len(content) > 4000, name


def test_text_is_readable_in_the_panel() -> None:
    """Shown 340 pixels wide, a text of the chart's 9 points (1/72 inch) is at least 9 pixels high, and bars have room for it."""
    pixels_of_a_point = 340 / WIDTH_IN / 72
    assert 9 * pixels_of_a_point >= 9.0 and ROW_IN * 72 >= 9.0
