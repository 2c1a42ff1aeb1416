"""``make bench``: what the product costs, beside a baseline measured in the same run. Writes build/bench.json.

Each row: {name, value, unit, baseline, baseline_value, ratio, goal, holds}. Ratios are what to trust: the machine drifts.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
REPO = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPO), str(REPO / "tests" / "qgis")]

from analysis import measure_analysis
from dock import measure_dock
from harness import measure
from million import measure_million
from rows import keep, row

POINTS = 200_000
STARTS = 10


def initialize_seconds() -> dict[str, Any]:
    """Start of the agent process to its answer to initialize; baseline: the same Python doing nothing."""
    python = str(REPO / ".agent-env" / "bin" / "python")
    request = {"jsonrpc": "2.0", "id": "q1", "method": "initialize"}
    with tempfile.TemporaryDirectory() as folder:
        schema = str(REPO / "resources" / "tools.schema.json")
        request["params"] = {"protocol": 1, "records_dir": folder, "tools_schema": schema, "locale": "en"}  # type: ignore[assignment]
        times, bare = [], []
        for _ in range(STARTS + 1):
            started = time.perf_counter()
            process = subprocess.Popen(
                [python, "-X", "utf8", str(REPO / "qgis_agent" / "agent" / "__main__.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=folder,
            )
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write((json.dumps(request) + "\n").encode())
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            times.append(time.perf_counter() - started)
            assert "result" in answer, answer
            process.stdin.close()
            process.wait(10)
            started = time.perf_counter()
            subprocess.run([python, "-c", "print(1)"], check=True, stdout=subprocess.DEVNULL)
            bare.append(time.perf_counter() - started)
    value = statistics.median(times[1:])
    return row(
        "initialize", value, "s", "bare Python start", statistics.median(bare[1:]), "median <= 0.3 s", value <= 0.3
    )


class Heartbeat:
    """Gaps of the main thread while something runs, in ms."""

    def __init__(self) -> None:
        from qgis.PyQt.QtCore import QTimer

        self._times: list[float] = []
        self._timer = QTimer()
        self._timer.timeout.connect(lambda: self._times.append(time.perf_counter()))
        self._timer.start(5)

    def gaps(self) -> list[float]:
        """All gaps, sorted."""
        self._timer.stop()
        return sorted(1000 * (b - a) for a, b in zip(self._times, self._times[1:]))


def stalls(folder: Path) -> list[dict[str, Any]]:
    """The longest gap of the main thread in an analysis; baseline: processing on the main thread, as others do it."""
    from conftest import Bench, memory_layer
    from qgis.core import QgsProcessingContext, QgsProcessingFeedback, QgsProject

    bench = Bench(QgsProject.instance(), folder)
    points = [(f"POINT({500000 + i % 1000 * 10} {4000000 + i // 1000 * 10})", [i]) for i in range(POINTS)]
    layer = bench.add(memory_layer("Point?crs=EPSG:32650&field=n:integer", points, "points"))
    squares = []
    for i in range(100):
        x, y = 500000 + i % 10 * 1000, 4000000 + i // 10 * 200
        squares.append((f"POLYGON(({x} {y},{x + 1000} {y},{x + 1000} {y + 200},{x} {y + 200},{x} {y}))", [str(i)]))
    bench.add(memory_layer("Polygon?crs=EPSG:32650&field=code:string(5)", squares, "squares"))
    bench.ok("count_features", layer_id="points")
    results = []
    for name, tool, arguments in (
        ("stat_by_polygon", "stat_by_polygon", {"polygon_layer_id": "squares", "layer_id": "points"}),
        ("buffer_layer", "buffer_layer", {"layer_id": "points", "distance_m": 5.0}),
        ("set_render_rule quantile", "set_render_rule", {"layer_id": "points", "method": "graduated", "field": "n"}),
        ("query_features", "query_features", {"layer_id": "points", "where": [{"field": "n", "op": "gt", "value": 5}]}),
    ):
        from qgis.core import QgsApplication

        beat = Heartbeat()
        started = time.perf_counter()
        bench.ok(tool, **arguments)
        seconds = time.perf_counter() - started
        gaps = beat.gaps()
        algorithm = QgsApplication.processingRegistry().createAlgorithmById("native:buffer")
        context, feedback = QgsProcessingContext(), QgsProcessingFeedback()
        blocked = time.perf_counter()
        algorithm.run({"INPUT": layer, "DISTANCE": 5, "OUTPUT": "memory:"}, context, feedback)
        blocked = 1000 * (time.perf_counter() - blocked)
        p99 = gaps[int(len(gaps) * 0.99)] if gaps else 1000 * seconds
        worst = gaps[-1] if gaps else 1000 * seconds
        label = f"main-thread gap, {name}, {POINTS} points"
        base = "native:buffer run on the main thread"
        results.append(row(label + ", longest", worst, "ms", base, blocked, "<= 150 ms", worst <= 150))
        results.append(row(label + ", p99", p99, "ms", base, blocked, "<= 50 ms", p99 <= 50))
        results.append(row(f"duration, {name}", seconds, "s", base, blocked / 1000, "reported", True))
    return results


def main() -> int:
    """Measure, write build/bench.json, print a table."""
    results = [initialize_seconds(), *measure()]
    from qgis_agent.gis.headless import HeadlessQgis
    from qgis_agent.headless_commands import register_provider

    with tempfile.TemporaryDirectory() as folder:
        qgis = HeadlessQgis(Path(folder) / "profile")
        register_provider()
        results += stalls(Path(folder))
        results += measure_dock(Heartbeat)
        results += measure_million(Path(folder), Heartbeat)
        results += measure_analysis(Path(folder), Heartbeat)
        qgis.close()
    keep(results, "bench.json")
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
