"""The tools of the map, the attribute table and the styling panel on 1,000,000 features of a GeoPackage.

For each: the gaps of the main thread while it runs (QGIS's own work included) and how long our handler itself held it; for
queries the time beside the same read in plain PyQGIS; for class limits the time of 1,000,000 values and the goodness of
variance fit beside QGIS's own natural breaks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rows import Row, row

COUNT = 1_000_000
NAMES = 500
BREAKS_SAMPLE = 100_000
CLASSES = 5
WHERE = [{"field": "n", "op": "gt", "value": 900_000}]


def write_points(path: Path) -> None:
    """A GeoPackage with n (0 … 999,999), v (a skewed number, every 1,000th NULL) and name (500 values)."""
    from osgeo import ogr, osr

    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32650)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer("points", crs, ogr.wkbPoint)
    for name, kind in (("n", ogr.OFTInteger), ("v", ogr.OFTReal), ("name", ogr.OFTString)):
        layer.CreateField(ogr.FieldDefn(name, kind))
    values = np.random.default_rng(1).lognormal(3.0, 1.0, COUNT)
    definition = layer.GetLayerDefn()
    layer.StartTransaction()
    for index in range(COUNT):
        feature = ogr.Feature(definition)
        feature.SetField(0, index)
        if index % 1000:
            feature.SetField(1, float(values[index]))
        feature.SetField(2, f"name {index % NAMES}")
        point = ogr.Geometry(ogr.wkbPoint)
        point.AddPoint_2D(500_000 + index % 1000 * 10, 4_000_000 + index // 1000 * 10)
        feature.SetGeometryDirectly(point)
        layer.CreateFeature(feature)
    layer.CommitTransaction()


class Hold:
    """How long the handlers of tools keep the main thread: the longest of their stretches between two yields, in ms."""

    def __init__(self) -> None:
        from qgis_agent.gis.driver import Driver

        self.longest = 0.0
        driver = Driver
        for name in ("__init__", "_resume"):
            setattr(driver, name, self._timed(getattr(driver, name)))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                self.longest = max(self.longest, 1000 * (time.perf_counter() - started))

        return timed

    def take(self) -> float:
        """The longest stretch since the last question."""
        longest, self.longest = self.longest, 0.0
        return longest


TOOLS: list[tuple[str, str, dict[str, Any]]] = [
    ("describe_layer", "describe_layer", {}),
    ("count_features where", "count_features", {"where": WHERE}),
    ("count_features group_by", "count_features", {"group_by": "name"}),
    ("query_features order_by", "query_features", {"where": WHERE, "order_by": "v", "limit": 20}),
    ("query_in_bbox", "query_in_bbox", {"bbox": [117.0, 36.1, 117.02, 36.2]}),
    ("summarize_field", "summarize_field", {"field": "v"}),
    ("list_values", "list_values", {"field": "name"}),
    (
        "measure distance",
        "measure",
        {"method": "distance", "where": [{"field": "n", "op": "in", "value": [1, 999_999]}]},
    ),
    ("zoom_to where", "zoom_to", {"where": WHERE}),
    ("highlight_features", "highlight_features", {"where": [{"field": "n", "op": "lt", "value": 40}]}),
    ("select_features 100,000", "select_features", {"where": WHERE}),
    ("select_features all", "select_features", {"where": []}),
    ("clear_selection", "clear_selection", {}),
    ("set_layer_filter", "set_layer_filter", {"where": WHERE}),
    ("set_layer_filter off", "set_layer_filter", {"where": []}),
    ("set_render_rule quantile", "set_render_rule", {"method": "graduated", "field": "v"}),
    (
        "set_render_rule natural_breaks",
        "set_render_rule",
        {"method": "graduated", "field": "v", "options": {"classification": "natural_breaks"}},
    ),
    ("set_render_rule heatmap", "set_render_rule", {"method": "heatmap"}),
    ("set_layer_label", "set_layer_label", {"field": "name", "visible": True}),
    ("get_style", "get_style", {}),
    ("patch_style", "patch_style", {"patch": {"opacity": 0.5}}),
    ("read_chart_values histogram", "read_chart_values", {"kind": "histogram", "x": "v"}),
    ("rename_layer", "rename_layer", {"name": "renamed"}),
]


def tool_rows(bench: Any, heartbeat: Callable[[], Any]) -> list[Row]:
    """Each tool once, on the layer "points"; what the machine does by itself (an idle loop) is the baseline."""
    hold = Hold()
    idle = _idle_gap(heartbeat)
    results = []
    for label, tool, arguments in TOOLS:
        hold.take()
        beat = heartbeat()
        started = time.perf_counter()
        envelope = bench.call(tool, layer_id="points", **arguments)
        seconds = time.perf_counter() - started
        gaps = beat.gaps() or [1000 * seconds]
        if not envelope["ok"]:
            raise RuntimeError(f"{label}: {envelope}")
        p99, worst, held = gaps[int(len(gaps) * 0.99)], gaps[-1], hold.take()
        name = f"{label}, {COUNT:,} features"
        results.append(
            row(f"main-thread gap, {name}, longest", worst, "ms", "idle loop", idle, "<= 150 ms", worst <= 150)
        )
        results.append(row(f"main-thread gap, {name}, p99", p99, "ms", "idle loop", idle, "<= 50 ms", p99 <= 50))
        results.append(row(f"our handler's hold, {name}", held, "ms", "longest gap", worst, "<= 150 ms", held <= 150))
        results.append(row(f"duration, {name}", seconds, "s", "-", 0.0, "reported", True))
    return results


def _idle_gap(heartbeat: Callable[[], Any]) -> float:
    from qgis_agent.gis.host import run_until

    beat = heartbeat()
    run_until(lambda: False, 0.5)
    return float(beat.gaps()[-1])


def query_rows(bench: Any, layer: Any) -> list[Row]:
    """Counting and reading rows beside the same in plain PyQGIS on the main thread: the better of two each."""
    from qgis.core import QgsFeatureRequest

    def plain_count() -> int:
        request = QgsFeatureRequest().setFilterExpression('"n" > 900000').setFlags(QgsFeatureRequest.Flag.NoGeometry)
        return sum(1 for _ in layer.getFeatures(request))

    def plain_values() -> int:
        request = QgsFeatureRequest().setFlags(QgsFeatureRequest.Flag.NoGeometry).setSubsetOfAttributes([2])
        values = [feature[2] for feature in layer.getFeatures(request) if isinstance(feature[2], float)]
        return int(np.median(values))

    results = []
    for label, ours, plain in (
        ("count_features", lambda: bench.ok("count_features", layer_id="points", where=WHERE), plain_count),
        ("summarize_field", lambda: bench.ok("summarize_field", layer_id="points", field="v"), plain_values),
    ):
        mine, theirs = min(_seconds(ours) for _ in range(3)), min(_seconds(plain) for _ in range(3))
        ratio = mine / theirs
        results.append(
            row(f"query time, {label}, {COUNT:,} features", mine, "s", "plain PyQGIS", theirs, "<= 1.1 x", ratio <= 1.1)
        )
    return results


def _seconds(function: Callable[[], Any]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def break_rows() -> list[Row]:
    """Class limits of 1,000,000 values, and their goodness of variance fit beside QGIS's own at 100,000."""
    from qgis.core import QgsClassificationJenks

    from qgis_agent.gis.style.classification import classify

    values = np.sort(np.random.default_rng(2).lognormal(3.0, 1.0, COUNT))
    results = []
    for method in ("quantile", "natural_breaks"):
        seconds = _seconds(lambda method=method: classify(values, method, CLASSES, []))
        results.append(
            row(f"{method} of {COUNT:,} values", seconds, "s", "numpy sort", _seconds(lambda: np.sort(values[::-1])),
                "<= 1 s", seconds <= 1.0)
        )  # fmt: skip
    part = np.sort(np.random.default_rng(3).choice(values, BREAKS_SAMPLE, replace=False))
    ours = classify(part, "natural_breaks", CLASSES, []).limits[1:-1]
    started = time.perf_counter()
    theirs = [each.upperBound() for each in QgsClassificationJenks().classes(part.tolist(), CLASSES)][:-1]
    seconds = time.perf_counter() - started
    mine, qgis = goodness(part, ours), goodness(part, theirs)
    name = f"goodness of variance fit, natural breaks of {BREAKS_SAMPLE:,} values"
    results.append(row(name, mine, "", "QGIS's own", qgis, ">= 0.99 x", mine >= 0.99 * qgis))
    results.append(row("duration of QGIS's own there", seconds, "s", "-", 0.0, "reported", True))
    return results


def goodness(values: Any, inner: Any) -> float:
    """1 - (squared deviations within the classes) / (squared deviations from the mean); Jenks and Caspall 1971."""
    whole = float(((values - values.mean()) ** 2).sum())
    parts = np.split(values, np.searchsorted(values, list(inner), side="right"))
    return 1.0 - sum(float(((part - part.mean()) ** 2).sum()) for part in parts if len(part)) / whole


def measure_million(folder: Path, heartbeat: Callable[[], Any]) -> list[Row]:
    """All rows of this file."""
    from conftest import Bench
    from qgis.core import QgsProject, QgsVectorLayer

    path = folder / "million.gpkg"
    write_points(path)
    bench = Bench(QgsProject.instance(), folder)
    layer = bench.add(QgsVectorLayer(f"{path}|layername=points", "points", "ogr"))
    bench.ok("count_features", layer_id="points")
    return [*query_rows(bench, layer), *tool_rows(bench, heartbeat), *break_rows()]
