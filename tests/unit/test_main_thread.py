"""No code of the QGIS side calls a method that reads every feature or cell, but where a table says why it may.

By the syntax tree, so that a new call is found before anybody's QGIS freezes. Functions that only ever run on a worker thread
are in the table as such.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
SIDE = ("gis", "gui", "processing")
DENIED = frozenset(
    "uniqueValues uniqueStringsMatching minimumAndMaximumValue minimumValue maximumValue selectByExpression selectByRect "
    "selectAll invertSelection updateClasses updateCategories updateRanges createCategories bandStatistics cumulativeCut "
    "histogram initHistogram countSymbolFeatures getFeatures getValues getDoubleValues aggregate sourceExtent updateExtents "
    "selectedFeatures allFeatureIds hasFeatures materialize block sample".split()
)
"""Methods of layers, providers and renderers whose cost grows with the data."""
WORKER = "runs in Work, on a source or provider that was made for it"
ALGORITHM = "an algorithm, which its task runs on a worker"
ALLOWED = {
    ("gis/features.py", "getFeatures"): WORKER,
    ("gis/raster_cells.py", "block"): WORKER,
    ("gis/raster_cells.py", "sample"): WORKER,
    ("gis/charts.py", "histogram"): "numpy's, on a worker",
    ("gis/analysis/joins/relate.py", "getFeatures"): WORKER,
    ("gis/analysis/run/outcome.py", "getFeatures"): "only for results of at most a few rows, compared with each other",
    ("gis/analysis/vector/point_arrays.py", "getFeatures"): WORKER,
    ("processing/deviational_ellipse.py", "getFeatures"): ALGORITHM,
    ("processing/geodesic_circles.py", "getFeatures"): ALGORITHM,
    ("processing/hot_spots.py", "sample"): ALGORITHM,
    ("processing/moran.py", "sample"): ALGORITHM,
    ("processing/points_in_polygons.py", "getFeatures"): ALGORITHM,
    ("processing/sampling.py", "getFeatures"): ALGORITHM,
    ("processing/statistics_base.py", "getFeatures"): ALGORITHM,
    ("gis/style/raster_renderers.py", "minimumValue"): "a stretch's limit, a number that it holds",
    ("gis/style/raster_renderers.py", "maximumValue"): "a stretch's limit, a number that it holds",
    ("gis/style/renderer_copy.py", "minimumValue"): "a ramp's end, a number that it holds",
    ("gis/style/renderer_copy.py", "maximumValue"): "a ramp's end, a number that it holds",
    ("gis/style/renderer_document.py", "maximumValue"): "a heatmap's limit, a number that it holds",
    ("gis/tools/data/temporary.py", "updateExtents"): "at most 200 features that the call itself made",
    ("gis/sources/sheet_points.py", "updateExtents"): WORKER,
    (
        "gis/edits/undoing.py",
        "updateExtents",
    ): "a person undoes: the file is another one, and QGIS has to look at it anew",
    ("gis/undo/edits.py", "getFeatures"): "a person undoes: the features of one edit, at most 10,000, by id",
    ("gui/dialogs/show_on_map.py", "getFeatures"): "at most MOST_FEATURES, to be flashed",
    ("gui/text_view.py", "block"): "a paragraph of a text cursor",
    ("gui/composer/completion.py", "block"): "a paragraph of a text cursor",
}


def calls(path: Path) -> list[tuple[str, int, str]]:
    """(method, line, receiver) of each call of a method."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.func.attr, node.lineno, ast.unparse(node.func.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]


def sources() -> list[Path]:
    return sorted(each for folder in SIDE for each in (REPO / "qgis_agent" / folder).rglob("*.py"))


def test_nothing_reads_all_data_on_the_main_thread() -> None:
    """Each use is in the table with its reason."""
    found = {
        f"{path.relative_to(REPO / 'qgis_agent').as_posix()}:{line} {receiver}.{method}()"
        for path in sources()
        for method, line, receiver in calls(path)
        if method in DENIED and (path.relative_to(REPO / "qgis_agent").as_posix(), method) not in ALLOWED
    }
    assert not found


def test_the_table_has_nothing_that_is_gone() -> None:
    """An entry that no call needs would let a new one through."""
    used = {
        (path.relative_to(REPO / "qgis_agent").as_posix(), method) for path in sources() for method, _, _ in calls(path)
    }
    assert set(ALLOWED) <= used


@pytest.mark.parametrize(
    "line", ["layer.uniqueValues(1)", "x = layer.getFeatures()", "renderer.updateClasses(layer, 5)"]
)
def test_a_new_call_would_be_found(tmp_path: Path, line: str) -> None:
    """The finder finds."""
    (tmp_path / "a.py").write_text(line + "\n", encoding="utf-8")
    assert any(method in DENIED for method, _, _ in calls(tmp_path / "a.py"))


def test_the_exceptions_are_tools() -> None:
    """``gis/main_thread.py`` names tools that there are, each with a reason."""
    tree = ast.parse((REPO / "qgis_agent" / "gis" / "main_thread.py").read_text(encoding="utf-8"))
    (table,) = [
        node.value for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict)
    ]
    named = ast.literal_eval(table)
    tools = json.loads((REPO / "resources" / "tools.schema.json").read_text(encoding="utf-8"))["tools"]
    assert set(named) <= {each["name"] for each in tools}
    assert all(len(reason) > 20 for reason in named.values())
