"""What leaves QGIS besides answers: rows with what they came from, and the picture of the map; and who may see them later."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsRectangle, QgsSettings, QgsSimpleFillSymbolLayer, QgsVectorLayer
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtGui import QColor, QImage

from qgis_agent.gis.at_home import projection as at_home
from qgis_agent.gis.mcp import origins, picture

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from mcp_desk import Asked, Front

COUNT = 400
ROWS = [(f"POINT({each} 0)", [each, f"place {each}", "x" * 40]) for each in range(COUNT)]


@pytest.fixture
def front(bench: Bench, tmp_path: Path) -> Iterator[Front]:
    """A layer of 400 points, and a desk."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:int&field=name:string&field=note:string(80)", ROWS, "towns"))
    made = Front(bench.host, tmp_path)
    yield made
    made.controller.close()


def handle(front: Front, ident: str = "b") -> str:
    """A result that is kept."""
    data = front.call(ident, "query_features", layer_id="towns", limit=200)["data"]
    return str(data["result_ref"])


def sealed(front: Front, ref: str, ident: str = "b", **more: Any) -> dict[str, Any]:
    """The answer to mcp/seal."""
    return front.ask("mcp/seal", capability=front.client(ident)["capability"], result_ref=ref, **more)


def allowed(front: Front, origin: Any, ident: str = "b") -> str:
    """ "" or the reason of a no."""
    answer = front.ask("mcp/access", capability=front.client(ident)["capability"], origin=origin)
    assert answer["allowed"] is ("envelope" not in answer)
    return str(answer.get("envelope", {}).get("reason", ""))


def test_rows_come_in_pages_that_fit_a_line(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once and in order; a page is as many as fit."""
    ref = handle(front)
    whole = sealed(front, ref)
    assert (whole["total"], whole["next"], len(whole["rows"])) == (200, None, 200)
    monkeypatch.setattr(origins, "MAX_PAGE_BYTES", 1_000)
    seen, cursor = [], 0
    while cursor is not None:
        page = sealed(front, ref, cursor=cursor)
        assert page["rows"] and len(json.dumps(page["rows"], separators=(",", ":"))) <= 1_000 + 200
        seen += page["rows"]
        cursor = page["next"]
    assert seen == whole["rows"]
    assert sorted(each["a"] for each in seen) == sorted({each["a"] for each in seen})


def test_what_is_too_long_or_stays_at_home_stays_in_its_qgis(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rows; who made the handle may still fetch from QGIS."""
    ref = handle(front)
    monkeypatch.setattr(origins, "MAX_ROWS", 100)
    assert (sealed(front, ref)["rows"], sealed(front, ref)["total"]) == (None, 200)
    monkeypatch.setattr(origins, "MAX_ROWS", 1000)
    at_home.choose(True)
    try:
        assert sealed(front, ref)["rows"] is None
    finally:
        QgsSettings().remove(at_home.SETTING)


def test_a_handle_of_another_client_is_not_found(front: Front) -> None:
    """Neither its rows nor where they came from; without a capability nothing is said at all."""
    ref = handle(front)
    assert sealed(front, ref, "a")["envelope"]["code"] == "NOT_FOUND"
    nobody = front.ask("mcp/seal", capability="", result_ref=ref)
    assert nobody["envelope"]["reason"] == "capability"
    assert front.ask("mcp/access", capability="x", origin={})["envelope"]["reason"] == "capability"


def test_access_is_looked_at_again_at_each_fetch(front: Front, bench: Bench) -> None:
    """The layer or a field of it excluded since: no. Another layer excluded: yes. A layer that has gone: no."""
    towns = bench.host.layers.by_alias("towns")
    other = bench.add(memory_layer("Point?crs=EPSG:4326&field=b:int", [("POINT(0 0)", [1])], "wells"))
    origin = sealed(front, handle(front))["origin"]
    assert allowed(front, origin) == ""
    assert "towns" not in json.dumps(origin)  # names stay in QGIS
    scope = bench.host.scope
    scope.set([other.id()], {}, [])
    assert allowed(front, origin) == ""
    scope.set([other.id()], {towns.id(): ["name"]}, [])
    assert allowed(front, origin) == "scope"
    scope.set([towns.id()], {}, [])
    assert allowed(front, origin) == "scope"
    scope.set([], {}, [])
    assert allowed(front, origin) == ""
    bench.host.project.removeMapLayer(towns.id())
    assert allowed(front, origin) == "layer_changed"


def test_what_was_excluded_when_it_was_made_matters_not(front: Front, bench: Bench) -> None:
    """The rows were made without it."""
    towns = bench.host.layers.by_alias("towns")
    bench.host.scope.set([], {towns.id(): ["name"]}, [])
    page = sealed(front, handle(front))
    assert "place" not in json.dumps(page["rows"])
    assert allowed(front, page["origin"]) == ""


@pytest.mark.parametrize("change", ["project", "source", "values", "none", "layers", "any"])
def test_an_origin_that_is_not_this_projects_is_none(front: Front, bench: Bench, change: str) -> None:
    """Another project, other data behind the same id, no origin at all; values while they stay at home."""
    origin: Any = sealed(front, handle(front))["origin"]
    expected = ""
    if change == "project":
        origin, expected = dict(origin, project="0" * 16), "project"
    elif change == "source":
        origin, expected = dict(origin, layers=[dict(origin["layers"][0], source="other")]), "layer_changed"
    elif change == "none":
        origin, expected = None, "project"
    elif change == "layers":
        origin, expected = dict(origin, layers="x"), "project"
    elif change == "any":  # something is excluded that it may hold
        other = bench.add(memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "wells"))
        bench.host.scope.set([other.id()], {}, [])
        origin, expected = dict(origin, any=True), "scope"
    else:
        at_home.choose(True)
        expected = "values_at_home"
    try:
        assert allowed(front, origin) == expected
    finally:
        QgsSettings().remove(at_home.SETTING)


# the picture of the map


def square(bench: Bench, name: str, colour: str, box: tuple[float, float, float, float]) -> QgsVectorLayer:
    """A square of one colour, without a border."""
    wkt = QgsRectangle(*box).asWktPolygon()
    layer = bench.add(memory_layer("Polygon?crs=EPSG:4326", [(wkt, [])], name))
    symbol = layer.renderer().symbol()
    fill = QgsSimpleFillSymbolLayer(QColor(colour))
    fill.setStrokeStyle(Qt.PenStyle.NoPen)
    symbol.changeSymbolLayer(0, fill)
    return layer


def drawn(answer: dict[str, Any]) -> QImage:
    """The picture of an answer."""
    assert answer["media_type"] == "image/png"
    content = base64.b64decode(answer["data"])
    image = QImage.fromData(content, "PNG")
    assert (image.width(), image.height()) == (answer["width"], answer["height"])
    return image


def shown(front: Front, **more: Any) -> dict[str, Any]:
    """The answer to map/picture."""
    return front.ask("map/picture", capability=front.client("b")["capability"], **more)


def test_the_picture_is_the_map_without_what_is_excluded(front: Front, bench: Bench) -> None:
    """The colours are where the squares are; the size is the one that was wanted, within bounds."""
    west = square(bench, "west", "#ff0000", (0, 0, 10, 10))
    square(bench, "east", "#0000ff", (10, 0, 20, 10))
    bench.host.set_extent(QgsRectangle(0, 0, 20, 10), west.crs())
    answer = shown(front, width=400, height=200)
    image = drawn(answer)
    assert (image.width(), image.height()) == (400, 200) and answer["crs"] == "EPSG:4326"
    assert image.pixelColor(120, 100).name() == "#ff0000" and image.pixelColor(280, 100).name() == "#0000ff"
    assert answer["bbox"][0] == pytest.approx(-0.5, abs=0.6) and answer["bbox"][2] == pytest.approx(20.5, abs=0.6)
    bench.host.scope.set([west.id()], {}, [])
    image = drawn(shown(front, width=400, height=200))
    assert image.pixelColor(120, 100).name() != "#ff0000" and image.pixelColor(280, 100).name() == "#0000ff"
    assert drawn(shown(front, width=1, height="x")).width() == picture.LEAST_SIDE


def test_a_picture_that_does_not_fit_is_drawn_smaller(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays a picture of the whole."""
    monkeypatch.setattr(picture, "MAX_BYTES", 1_500)
    answer = shown(front, width=1000, height=500)
    assert len(base64.b64decode(answer["data"])) <= 1_500 and answer["width"] < 1000
    drawn(answer)


def test_pictures_wait_for_each_other_and_can_be_given_up(front: Front) -> None:
    """Four may be wanted at a time; one that nobody waits for any more is let go."""
    token = front.client("b")["capability"]
    asked = [Asked("map/picture", {"capability": token, "width": 300, "height": 200}) for _ in range(5)]
    for each in asked:
        front.desk.handles(each)
    assert asked[4].answers[0]["envelope"]["code"] == "RATE_LIMITED"
    for each in asked[:2]:
        assert each.on_cancel is not None
        each.on_cancel()
        assert each.answers[0]["envelope"]["code"] == "CANCELLED"
    assert shown(front, width=100, height=100)["width"] == 100
    assert all(drawn(each.answers[0]).width() == 300 for each in asked[2:4])


def test_no_picture_while_values_stay_at_home_and_none_for_nobody(front: Front) -> None:
    """Labels on a map are values."""
    at_home.choose(True)
    try:
        assert shown(front)["envelope"]["reason"] == "values_at_home"
    finally:
        QgsSettings().remove(at_home.SETTING)
    assert front.ask("map/picture", capability="")["envelope"]["reason"] == "capability"
    assert not front.controller.host.taint.tainted("mcp-b")
    shown(front)
    assert front.controller.host.taint.tainted("mcp-b")
