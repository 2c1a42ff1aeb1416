"""select_features, clear_selection and highlight_features."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsField, QgsVectorLayer
from qgis.gui import QgsMapCanvas
from qgis.PyQt.QtCore import QMetaType
from test_conditions import one

from qgis_agent.gis import selection
from qgis_agent.gis.host import run_until
from qgis_agent.gui.highlight import CanvasHighlighter


def numbered(count: int = 10, name: str = "p") -> QgsVectorLayer:
    """Points with n from 0."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({n} {n})", [n]) for n in range(count)]
    return memory_layer("Point?crs=EPSG:4326&field=n:integer", rows, name)


def selected(layer: QgsVectorLayer) -> list[int]:
    """What QGIS says is selected."""
    return sorted(feature["n"] for feature in layer.getSelectedFeatures())


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("replace", {5, 6, 7, 8, 9}),
        ("add", {2, 3, 5, 6, 7, 8, 9}),
        ("remove", {2, 3}),
        ("intersect", {6}),
        ("invert", {2, 3, 5, 7, 8, 9}),
    ],
)
def test_modes(bench: Bench, monkeypatch: pytest.MonkeyPatch, mode: str, expected: set[int]) -> None:
    """By sets: {2, 3, 6} is selected, n >= 5 matches. Applied in pieces of two."""
    monkeypatch.setattr(selection, "PIECE", 2)
    layer = bench.add(numbered())
    layer.selectByExpression('"n" in (2, 3, 6)')
    outcome = bench.outcome("select_features", layer_id="p", where=one("n", "gte", 5), mode=mode)
    data = outcome["envelope"]["data"]
    assert set(selected(layer)) == expected
    assert (data["selected"], data["before"], data["matched"]) == (len(expected), 3, 5)
    assert [each["op"] for each in outcome["actions"]] == ["select"]


def test_without_conditions_all_are_selected_and_that_is_said(bench: Bench) -> None:
    """Nothing given: all. Inverted: the others. Nothing found: nothing selected, said."""
    layer = bench.add(numbered())
    envelope = bench.call("select_features", layer_id="p")
    assert (envelope["data"]["selected"], bool(envelope["message"])) == (10, True)
    layer.selectByExpression('"n" < 3')
    assert bench.ok("select_features", layer_id="p", mode="invert")["selected"] == 7
    assert selected(layer) == [3, 4, 5, 6, 7, 8, 9]
    envelope = bench.call("select_features", layer_id="p", where=one("n", "gt", 99))
    assert envelope["data"]["selected"] == 0
    assert "No feature" in envelope["message"]


def test_virtual_fields_select(bench: Bench) -> None:
    """A56: a virtual field reads like any other."""
    layer = bench.add(numbered())
    layer.addExpressionField('"n" * 10', QgsField("ten", QMetaType.Type.Int))
    assert bench.ok("select_features", layer_id="p", where=one("ten", "gte", 80))["selected"] == 2
    assert selected(layer) == [8, 9]


def test_stopped_halfway_the_selection_is_as_it_was(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop after the third piece of ten."""
    monkeypatch.setattr(selection, "PIECE", 100)
    layer = bench.add(numbered(1000))
    layer.selectByExpression('"n" in (1, 2)')
    outcomes: list[dict[str, Any]] = []
    running: list[Any] = []
    seen: list[int] = []

    class StoppingBreath(selection.Breath):
        def start(self, feedback: Any, done: Any) -> None:
            seen.append(layer.selectedFeatureCount())
            if len(seen) == 3:
                running[0].cancel()
            super().start(feedback, done)

    monkeypatch.setattr(selection, "Breath", StoppingBreath)
    running.append(
        bench.begin("select_features", {"layer_id": "p", "where": one("n", "gte", 10), "mode": "add"}, outcomes)
    )
    assert run_until(lambda: bool(outcomes), 20)
    assert outcomes[0]["envelope"]["code"] == "CANCELLED"
    assert run_until(lambda: layer.selectedFeatureCount() == 2, 5)
    assert seen == [102, 202, 302]
    assert selected(layer) == [1, 2]


def test_clear_selection(bench: Bench) -> None:
    """In one layer, in all, and where nothing is selected."""
    first, second = bench.add(numbered(10, "p")), bench.add(numbered(4, "q"))
    first.selectAll()
    second.selectAll()
    assert bench.ok("clear_selection", layer_id="q")["cleared"] == 4
    assert (first.selectedFeatureCount(), second.selectedFeatureCount()) == (10, 0)
    second.selectAll()
    assert bench.ok("clear_selection")["cleared"] == 14
    assert (first.selectedFeatureCount(), second.selectedFeatureCount()) == (0, 0)
    envelope = bench.call("clear_selection")
    assert envelope["ok"]
    assert envelope["message"]


def test_highlight_is_recorded_without_a_screen(bench: Bench) -> None:
    """The operation with ids and box; the project does not change."""
    bench.add(numbered())
    bench.host.project.setDirty(False)
    outcome = bench.outcome("highlight_features", layer_id="p", where=one("n", "gte", 8))
    data = outcome["envelope"]["data"]
    assert (data["highlighted"], data["total"], data["bbox"]) == (2, 2, [8.0, 8.0, 9.0, 9.0])
    action = outcome["actions"][0]
    assert action["op"] == "highlight"
    assert len(action["args"]["ids"]) == 2
    assert "recorded" in outcome["envelope"]["message"]
    assert not bench.host.project.isDirty()


def test_highlighting_what_has_no_geometry_is_no_success(bench: Bench) -> None:
    """One feature with a place, one without: one is highlighted, and the other is named."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=n:int", [("POINT(1 2)", [1]), (None, [2])], "gaps"))
    envelope = bench.call("highlight_features", layer_id="gaps")
    assert (envelope["data"]["highlighted"], envelope["data"]["total"]) == (1, 2)
    assert "1 have no geometry" in envelope["message"]


def test_highlight_at_most_fifty(bench: Bench) -> None:
    """The first 50 of 120, and that it is not all."""
    bench.add(numbered(120))
    envelope = bench.call("highlight_features", layer_id="p")
    assert (envelope["data"]["highlighted"], envelope["data"]["total"]) == (50, 120)
    assert "50 of 120" in envelope["message"]
    bench.add(memory_layer("NoGeometry?field=n:integer", [(None, [1])], "t"))
    assert bench.code("highlight_features", layer_id="t") == "UNSUPPORTED"


def test_highlights_are_drawn_and_go(bench: Bench) -> None:
    """The canvas's highlighter draws what is found, the next one replaces it, and it goes with the layer."""
    canvas = QgsMapCanvas()
    highlighter = CanvasHighlighter(canvas)
    bench.host.highlighter = highlighter  # type: ignore[attr-defined]
    layer = bench.add(numbered())
    envelope = bench.call("highlight_features", layer_id="p", where=one("n", "gte", 7))
    assert highlighter.shown() == 3
    assert "recorded" not in envelope["message"]
    bench.ok("highlight_features", layer_id="p", where=one("n", "eq", 1))
    assert highlighter.shown() == 1
    bench.host.project.removeMapLayer(layer.id())
    assert highlighter.shown() == 0
    canvas.deleteLater()
