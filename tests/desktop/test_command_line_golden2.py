"""Golden request 2 on the sample project, headless: 500 m around each school, bus stops counted inside, graduated by count.

Expected numbers are geodesic distances by pyproj between the sample's own points, read without QGIS (``test_command_line``).
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from test_command_line import REPO, SAMPLE, ask, geometries

SCRIPT = REPO / "tests" / "support" / "golden_2.json"
REQUEST = "以每个学校为中心做 500 米缓冲区,统计缓冲区内的公交站数量,按数量分级上图"
RADIUS_M = 500.0
BUFFER, COUNTED = "schools_buffer_500_m", "bus_stops_per_schools_buffer_500_m"


def expected_counts() -> list[int]:
    """Bus stops within 500 m of each school. No stop may be so near to the circle that its chords (0.35 %) matter."""
    import pyproj

    geod = pyproj.Geod(ellps="WGS84")
    gpkg = SAMPLE / "city.gpkg"
    stops = [point for point, *_ in geometries(gpkg, "bus_stops", "1")]
    counts = []
    for school, *_ in geometries(gpkg, "schools", "1"):
        metres = [geod.inv(school.x, school.y, stop.x, stop.y)[2] for stop in stops]
        assert not any(abs(each - RADIUS_M) < RADIUS_M * 0.0035 for each in metres)
        counts.append(sum(each < RADIUS_M for each in metres))
    return counts


def test_golden_2_with_a_script() -> None:
    """Every number of the answer is right and has a source; the new layer is graduated by the counts and on the map."""
    counts = expected_counts()
    report = ask(REQUEST, "--script", str(SCRIPT))
    assert report["ok"] and report["termination"] == "completed", report
    assert [step["tool"] for step in report["steps"]] == [
        "buffer_layer",
        "stat_by_polygon",
        "list_values",
        "set_render_rule",
        "zoom_to",
    ]
    assert all(step["ok"] for step in report["steps"])
    spread = Counter(counts)
    wanted = [len(counts), sum(counts), round(sum(counts) / len(counts), 2), *(n for _, n in sorted(spread.items()))]
    assert [number["source"] is not None for number in report["numbers"]] == [True] * len(report["numbers"])
    texts = re.findall(r"\d+(?:\.\d+)?", report["answer"])
    assert {f"{each:g}" for each in wanted} <= set(texts)
    added = {
        each["args"]["layer_id"]: each["args"]["features"]
        for each in report["map_actions"]
        if each["op"] == "add_layer"
    }
    assert added == {BUFFER: len(counts), COUNTED: len(counts)}
    render = next(action for action in report["map_actions"] if action["op"] == "render")
    assert render["args"]["layer_id"] == COUNTED and render["args"]["rule"]["field"] == "count"
    assert render["args"]["rule"]["breaks"] == np.quantile(counts, [0.25, 0.5, 0.75]).tolist()
    assert {BUFFER, COUNTED} == set(report["map_state"]["created"])
    assert COUNTED in report["map_state"]["visible"]
    assert sum(item["layer_id"] == COUNTED for item in report["legend"]) == 4
    assert {each["ref"] for each in report["evidence"]} >= {BUFFER, COUNTED}
