"""set_map_view, and the person's hand on the map (M-303): a view that was asked for is not taken from it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answering, Bench, memory_layer
from qgis.core import QgsCoordinateReferenceSystem, QgsRasterLayer, QgsRectangle, QgsVector
from qgis.gui import QgsMapCanvas
from qgis.PyQt.QtWidgets import QMainWindow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from dock_fakes import FakeController

from qgis_agent.gis.calls import Calls
from qgis_agent.gis.host import Host
from qgis_agent.gis.runs import RunController
from qgis_agent.gui.cards.view_offer import offered_view
from qgis_agent.gui.dock.dock import AgentDock

METRE = QgsCoordinateReferenceSystem("EPSG:32650")


@pytest.fixture
def canvas(bench: Bench, qtbot: Any) -> Iterator[QgsMapCanvas]:
    """A real canvas of 600 × 400 pixels with a layer, that draws nothing; the bench's host uses it."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(117 30)", [1]), ("POINT(118 31)", [2])]))
    made = QgsMapCanvas()
    qtbot.addWidget(made)
    made.setRenderFlag(False)
    made.resize(600, 400)
    made.setDestinationCrs(METRE)
    made.setLayers([layer])
    made.setExtent(QgsRectangle(400000, 3300000, 500000, 3400000))
    bench.host = Host(bench.host.project, canvas=made, paths=bench.host.paths)
    bench.calls = Calls(bench.host, bench.approver)
    bench.issue(caller="chat")
    bench.host.begin_request()
    yield made
    bench.host.view.canvas = None


def drag(canvas: QgsMapCanvas) -> QgsRectangle:
    """As a person pans: the canvas is moved by something that is not ours."""
    canvas.setExtent(QgsRectangle(canvas.extent()) + QgsVector(12345, 0))
    return QgsRectangle(canvas.extent())


def test_m303_the_map_goes_where_it_was_asked(bench: Bench, canvas: QgsMapCanvas) -> None:
    """Nobody has touched it; and its own moves are not taken for the person's."""
    for layer_bbox in ([117.0, 30.0, 117.5, 30.5], [116.0, 29.0, 116.5, 29.5]):
        outcome = bench.outcome("zoom_to", bbox=layer_bbox)
        assert "offered" not in outcome["envelope"]["data"]
        view = outcome["envelope"]["data"]["view_bbox"]
        assert view[0] < layer_bbox[0] < layer_bbox[2] < view[2]
    assert "offered" not in bench.ok("set_map_view", method="zoom_in")
    assert "offered" not in bench.ok("set_map_view", rotation=30)
    assert not bench.host.view.moved_by_hand()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("zoom_to", {"bbox": [117.0, 30.0, 117.5, 30.5]}),
        ("zoom_to", {"layer_id": "layer"}),
        ("set_map_view", {"scale": 5000.0}),
        ("set_map_view", {"method": "full_extent"}),
        ("set_map_view", {"center": [117.0, 30.0], "rotation": 10.0}),
    ],
)
def test_m303_it_is_offered_when_the_person_has_moved_it(
    bench: Bench, canvas: QgsMapCanvas, tool: str, arguments: dict[str, Any]
) -> None:
    """The map stays, the answer says so, and the operation is marked; clicking goes there."""
    held = drag(canvas)
    outcome = bench.outcome(tool, **arguments)
    envelope = outcome["envelope"]
    assert envelope["data"]["offered"] is True
    assert "Zoom to result" in envelope["message"]
    assert QgsRectangle(canvas.extent()) == held
    assert canvas.rotation() == 0
    action = offered_view({"map_actions": outcome["actions"]})
    assert action is not None
    controller = RunController(bench.host, Answering())
    try:
        assert controller.show_offered(action) is None
    finally:
        controller.close()
    assert QgsRectangle(canvas.extent()) != held or canvas.rotation() == 10
    assert "offered" not in bench.ok(tool, **arguments)


def test_m303_a_new_request_may_move_it_again(bench: Bench, canvas: QgsMapCanvas) -> None:
    """What the person did before they asked does not count; neither does it for MCP and the command line."""
    drag(canvas)
    bench.host.begin_request()
    assert "offered" not in bench.ok("zoom_to", bbox=[117.0, 30.0, 117.5, 30.5])
    drag(canvas)
    bench.issue(caller="mcp")
    assert "offered" not in bench.ok("zoom_to", bbox=[117.0, 30.0, 117.5, 30.5])


def test_m303_what_qgis_does_itself_is_no_hand(bench: Bench, canvas: QgsMapCanvas) -> None:
    """A resized window, another map CRS, the first layers on an empty map."""
    canvas.resize(500, 300)
    assert not bench.host.view.moved_by_hand()
    canvas.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    assert not bench.host.view.moved_by_hand()
    layers = canvas.layers()
    canvas.setLayers([])
    canvas.setExtent(QgsRectangle(0, 0, 10, 10))
    bench.host.begin_request()
    canvas.setLayers(layers)
    canvas.setExtent(QgsRectangle(13000000, 3500000, 13100000, 3600000))
    assert not bench.host.view.moved_by_hand()
    canvas.zoomIn()
    assert bench.host.view.moved_by_hand()


def test_a_run_begins_to_watch(bench: Bench, canvas: QgsMapCanvas, monkeypatch: pytest.MonkeyPatch) -> None:
    """RunController.start is the moment."""
    controller = RunController(bench.host, Answering())
    monkeypatch.setattr(controller, "when_ready", lambda _then: None)
    drag(canvas)
    assert controller.start("zoom to layer")
    assert not bench.host.view.moved_by_hand()
    drag(canvas)
    assert bench.host.view.moved_by_hand()
    controller.close()


def test_an_offer_that_came_back_changed_is_refused(bench: Bench, canvas: QgsMapCanvas) -> None:
    """The report has been through the agent process: nothing of it is trusted."""
    controller = RunController(bench.host, Answering())
    before = QgsRectangle(canvas.extent())
    for args in ({}, {"bbox": [1, 2, 3]}, {"bbox": ["a", 0, 1, 1]}, {"scale": float("nan")}, {"method": "rm"}, None):
        assert controller.show_offered({"op": "zoom_to", "args": args})
    assert QgsRectangle(canvas.extent()) == before
    controller.close()


class Controller(FakeController):
    """Records what is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[dict[str, Any]] = []
        self.problem: str | None = None

    def show_offered(self, action: dict[str, Any]) -> str | None:
        """As RunController."""
        self.shown.append(action)
        return self.problem


def test_the_button_in_the_dock(qtbot: Any) -> None:
    """It is there for an offered view only, and carries the operation; a problem is said."""
    window = QMainWindow()
    qtbot.addWidget(window)
    controller = Controller()
    dock = AgentDock(controller, list, parent=window)
    done = {"op": "zoom_to", "args": {"bbox": [0, 0, 1, 1]}, "ok": True, "error": None}
    offered = {"op": "zoom_to", "args": {"bbox": [1, 1, 2, 2], "offered": True}, "ok": True, "error": None}
    dock.send("zoom")
    controller.end(answer="Here.", map_actions=[offered, done])
    assert dock.conversation.runs()[-1].offer is None
    dock.send("zoom")
    controller.end(answer="Here.", map_actions=[done, offered])
    offer = dock.conversation.runs()[-1].offer
    assert offer is not None
    assert offer.button.text() == "Zoom to result"
    offer.button.click()
    assert controller.shown == [offered]
    controller.problem = "not here"
    offer.button.click()
    assert len(controller.shown) == 2


# set_map_view without a window


@pytest.fixture
def here(bench: Bench) -> Bench:
    """A map in metres, around 117.5 E, 30.5 N."""
    bench.host.project.setCrs(METRE)
    bench.add(
        memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(117 30)", [1]), ("POINT(118 31)", [2])], "points")
    )
    bench.ok("zoom_to", bbox=[117.4, 30.4, 117.6, 30.6])
    return bench


def test_scale_and_centre(here: Bench) -> None:
    """1:5000 on 1,200 × 800 pixels of 0.2646 mm is 1,587.5 m wide; the middle is the centre."""
    data = here.ok("set_map_view", scale=5000.0, center=[117.2, 30.2])
    assert data["scale"] == 5000
    west, south, east, north = data["view_bbox"]
    assert ((west + east) / 2, (south + north) / 2) == pytest.approx((117.2, 30.2), abs=1e-4)
    assert here.host.extent().width() == pytest.approx(1200 * 0.0254 / 96 * 5000, rel=1e-6)
    assert here.host.map_state()["view"] == {"scale": 5000.0, "center": [117.2, 30.2]}


def test_steps_and_back(here: Bench) -> None:
    """In and out by two, about the centre; back to what was before, as often as there is one."""
    width = here.host.extent().width()
    center = here.host.extent().center()
    here.ok("set_map_view", method="zoom_in")
    assert here.host.extent().width() == pytest.approx(width / 2)
    here.ok("set_map_view", method="zoom_out")
    here.ok("set_map_view", method="zoom_out")
    assert here.host.extent().width() == pytest.approx(width * 2)
    assert here.host.extent().center().distance(center) < 1e-6
    here.ok("set_map_view", method="previous")
    assert here.host.extent().width() == pytest.approx(width)


def test_one_move_is_one_view_to_come_back_to(here: Bench) -> None:
    """Centre, scale and rotation are one move; back is the whole view before it; at the first view there is no more."""
    first = here.ok("set_map_view", center=[117.0, 30.0], scale=100000.0, rotation=45.0)
    second = here.ok("set_map_view", center=[114.3, 30.6], scale=500000.0, rotation=30.0)
    assert (second["scale"], second["rotation"]) == (500000, 30)
    here.ok("set_map_view", center=[114.3, 30.6], scale=500000.0, rotation=30.0)  # no move
    back = here.ok("set_map_view", method="previous")
    assert {key: back[key] for key in ("view_bbox", "scale", "rotation")} == {
        key: first[key] for key in ("view_bbox", "scale", "rotation")
    }
    assert here.ok("set_map_view", method="previous")["rotation"] == 0
    here.ok("set_map_view", method="previous")  # before zoom_to of the fixture
    assert here.call("set_map_view", method="previous")["reason"] == "no_earlier_view"


def test_back_in_a_canvas(bench: Bench, canvas: QgsMapCanvas) -> None:
    """The same in a canvas, whose own history has extents only; a move by hand goes back first."""
    canvas.clearExtentHistory()  # as QGIS does for a new project; before it there is none
    first = bench.ok("set_map_view", center=[117.0, 30.0], scale=100000.0, rotation=45.0)
    bench.ok("set_map_view", center=[117.5, 30.6], scale=500000.0, rotation=30.0)
    held = QgsRectangle(canvas.extent())
    drag(canvas)
    bench.host.begin_request()
    bench.ok("set_map_view", method="previous")
    assert canvas.extent().center().distance(held.center()) < 1
    back = bench.ok("set_map_view", method="previous")
    assert (back["scale"], back["rotation"]) == (first["scale"], 45)
    assert back["view_bbox"] == pytest.approx(first["view_bbox"], abs=1e-6)


def test_full_extent_leaves_out_what_has_no_place(here: Bench) -> None:
    """A layer without CRS and one with metres under degrees: named, and not part of the view."""
    metres = here.add(memory_layer("Point?crs=EPSG:4326", [("POINT(522754 4766252)", [])], "metres"))
    nowhere = here.add(memory_layer("Point", [("POINT(-12934 -116337)", [])], "nowhere"))
    nowhere.setCrs(QgsCoordinateReferenceSystem())
    envelope = here.call("set_map_view", method="full_extent")
    west, south, east, north = envelope["data"]["view_bbox"]
    assert 116 < west < 117 < 118 < east < 119
    assert 29 < south < 30 < 31 < north < 32
    assert "metres" in envelope["message"] and "nowhere" in envelope["message"]
    here.ok("toggle_layer", layer_id="points", visible=False)
    assert here.call("set_map_view", method="full_extent")["reason"] == "no_crs"
    here.host.view.reset()
    assert metres.isValid()
    west, south, east, north = here.host.view_bbox() or [0, 0, 0, 0]
    assert (west, south, east, north) == pytest.approx((117, 30, 118, 31), abs=0.1)


def test_rotation(here: Bench) -> None:
    """Clockwise, and no less than 0."""
    assert here.ok("set_map_view", rotation=-90.0)["rotation"] == 270
    assert here.host.snapshot()["rotation"] == 270
    assert here.ok("set_map_view", rotation=0.0)["rotation"] == 0


def test_full_extent_is_of_what_is_drawn(here: Bench) -> None:
    """Filtered features only, no hidden layers, no basemap that covers the world."""
    far = here.add(memory_layer("Point?crs=EPSG:4326", [("POINT(-70 -30)", [])], "far"))
    source = "type=xyz&url=https://tile.example/{z}/{x}/{y}.png&zmax=18&zmin=0"
    here.host.project.addMapLayer(QgsRasterLayer(source, "base", "wms"))
    here.ok("toggle_layer", layer_id="far", visible=False)
    west, south, east, north = here.ok("set_map_view", method="full_extent")["view_bbox"]
    assert west < 117 < 118 < east < 120
    assert 29 < south < 30 < 31 < north
    layer = here.host.layers.by_alias("points")
    layer.setSubsetString('"a" = 2')
    west, south, east, north = here.ok("set_map_view", method="full_extent")["view_bbox"]
    assert 117.9 < west < 118 < east < 118.1
    assert far.isValid()
    for alias in ("points", "base"):
        here.ok("toggle_layer", layer_id=alias, visible=False)
    assert here.code("set_map_view", method="full_extent") == "NOT_FOUND"


def test_wrong_arguments(here: Bench) -> None:
    """Nothing, a method with a scale, a centre that is none, a scale that is none."""
    before = QgsRectangle(here.host.extent())
    assert here.code("set_map_view") == "INVALID_PARAM"
    assert here.code("set_map_view", method="zoom_in", scale=5000.0) == "INVALID_PARAM"
    assert here.code("set_map_view", center=[30.0, 117.0]) == "INVALID_PARAM"
    assert here.code("set_map_view", scale=0.0) == "INVALID_PARAM"
    assert QgsRectangle(here.host.extent()) == before


def test_a_canvas_is_read_back(bench: Bench, canvas: QgsMapCanvas) -> None:
    """Scale, rotation and centre as QGIS has them after it; a locked scale is said."""
    data = bench.ok("set_map_view", scale=25000.0, center=[117.0, 30.0], rotation=45.0)
    assert data["scale"] == pytest.approx(25000, rel=0.01)
    assert canvas.scale() == pytest.approx(25000, rel=0.01)
    assert canvas.rotation() == 45
    canvas.setScaleLocked(True)
    before = (QgsRectangle(canvas.extent()), canvas.magnificationFactor())
    assert bench.call("set_map_view", scale=1000.0)["reason"] == "scale_locked"
    assert (QgsRectangle(canvas.extent()), canvas.magnificationFactor()) == before


def test_a_move_that_failed_is_taken_back(bench: Bench, canvas: QgsMapCanvas, monkeypatch: pytest.MonkeyPatch) -> None:
    """QGIS shows another scale than it was asked for: an error, and the map as it was."""
    before = QgsRectangle(canvas.extent())
    real, wrong = canvas.setExtent, [QgsRectangle(0, 0, 10, 10)]
    monkeypatch.setattr(canvas, "setExtent", lambda box: real(wrong.pop() if wrong else box))
    envelope = bench.call("set_map_view", scale=25000.0, rotation=20.0)
    assert envelope["reason"] == "read_back"
    assert canvas.extent().center().distance(before.center()) < 1
    assert canvas.extent().width() == pytest.approx(before.width(), rel=0.01)
    assert canvas.rotation() == 0
