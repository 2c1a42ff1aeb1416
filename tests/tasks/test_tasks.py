"""The ten tasks of ../shared/data/tasks, solved with catalogue tools only and judged by the grader of task_grader.py.

Their model is a script (tests/support/task_scripts): what is looked at is whether the tools can do it, whole and exactly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from conftest import Play
from task_data import read
from task_grader import TASKS, expected_folder, grade, load, task_ids

pytestmark = pytest.mark.skipif(not TASKS.is_dir(), reason=f"no tasks in {TASKS}")
CHINESE = {
    "crs-l1-paris-lambert93": "我们的热损失模型不接受经纬度坐标的 `paris_buildings` 文件。它需要以米为单位的坐标,使用巴黎地区的标准"
    "官方投影。请把建筑物转换过去,好让模型能读入。属性请保持不变,每个几何图形都保持为普通的 Polygon,不要变成 MultiPolygon。"
    "把结果写成 GeoPackage `paris_buildings_lambert93.gpkg`,用 `id` 作为键。",
    "dd-l1-london-parks-count": "我有伦敦市中心的公园数据(london_parks),在委托做绿地可达性研究之前想先估计一下规模。"
    "面积在一公顷及以上的公园有多少个,总面积是多少公顷,在 WGS84 地图上这部分公园的外接矩形是什么?"
    "请输出 parks_summary.json,键为 count、total_area_ha 和 "
    "bbox_wgs84([xmin, ymin, xmax, ymax] 数组)。",
}
"""Instructions in Chinese. The task's own are in English."""
ASKED = [(each, each, load(each)["instruction"]) for each in task_ids()]
ASKED += [(f"{each}-zh", each, words) for each, words in CHINESE.items() if each in task_ids()]
KEYS = {
    "crs-l1-paris-lambert93": "id",
    "dc-l1-bangkok-attribute-coercion": "station_id",
    "dc-l1-tokyo-ring-orientation": "feature_id",
    "fio-l1-vienna-shapefile-recovery": "GRUNDSTUECKSNUMMER",
    "geo-l1-cairo-multipoint-hull": "station_name_en",
    "geo-l1-capetown-building-centroids": "building_id",
    "spa-l1-paris-amenity-within": "osm_id",
}
"""Columns that tell the rows of an answer apart; the names of the KML's placemarks do not."""


@pytest.mark.parametrize(("name", "task_id", "words"), ASKED, ids=[each[0] for each in ASKED])
def test_task_is_solved(plays: dict[str, Future[Play]], name: str, task_id: str, words: str) -> None:
    """Every check passed, no call failed, every value as expected, and no number that no tool told."""
    play = plays[name].result()
    report = play.report
    assert report["ok"], (words, report["error"])
    assert report["termination"] == "completed"
    assert [each for each in report["steps"] if not each["ok"]] == []
    assert report["notices"] == []
    found = grade(task_id, play.folder)
    assert (found.score, found.failed, found.gate) == (1.0, (), "")
    assert {each.name for each in play.folder.iterdir()} - {"project.qgs"} == _files(task_id)
    output = play.folder / load(task_id)["expected_outputs"][0]["name"]
    if output.suffix == ".json":
        told = list(_leaves([each for each in play.told if not each.get("data", {}).get("written")]))
        assert [each for each in _leaves(json.loads(output.read_text(encoding="utf-8"))) if each not in told] == []
    elif task_id in KEYS:
        assert _cells(output, KEYS[task_id]) == _cells(expected_folder(task_id) / output.name, KEYS[task_id])


def test_rings_are_turned_and_nothing_else(plays: dict[str, Future[Play]]) -> None:
    """The Tokyo footprints keep every vertex of the file that was given, to the seven decimals of RFC 7946 (1 cm)."""
    task_id = "dc-l1-tokyo-ring-orientation"
    if task_id not in plays:
        pytest.skip("its run was not asked for")
    given, found = (
        {key: [_vertices(ring) for ring in (shape.exterior, *shape.interiors)] for key, (_, shape) in table.items()}
        for table in (
            read(TASKS / task_id / "inputs" / "tokyo_buildings_legacy.geojson").by("feature_id"),
            read(plays[task_id].result().folder / "tokyo_buildings_fixed.geojson").by("feature_id"),
        )
    )
    assert found == given


def _vertices(ring: Any) -> set[tuple[float, float]]:
    return {(round(x, 7), round(y, 7)) for x, y in ring.coords}


def _files(task_id: str) -> set[str]:
    """The inputs and the one file that was asked for: nothing else may lie there in the end."""
    inputs = {each.name for each in (TASKS / task_id / "inputs").iterdir()}
    return inputs | {load(task_id)["expected_outputs"][0]["name"]}


def _cells(path: Path, key: str) -> dict[Any, dict[str, Any]]:
    """Every row of a file by its key; numbers to nine digits, and without what a format or a tool adds."""
    return {
        value: {
            name: float(f"{cell:.9g}") if isinstance(cell, float) else cell
            for name, cell in row.items()
            if name not in ("fid", "area_m2")
        }
        for value, (row, _) in read(path).by(key).items()
    }


def _leaves(value: Any) -> Iterator[Any]:
    """Every text and number of a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value
