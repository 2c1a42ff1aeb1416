"""What a person excludes is on no picture that a program gets: neither a layer, nor what a field would be drawn as."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsCategorizedSymbolRenderer,
    QgsFillSymbol,
    QgsPalLayerSettings,
    QgsRectangle,
    QgsRendererCategory,
    QgsVectorLayer,
    QgsVectorLayerSimpleLabeling,
)
from qgis.PyQt.QtGui import QImage

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from mcp_desk import Front

from qgis_agent.gis.at_home import projection as at_home

RED = "#ff0000"


@pytest.fixture
def front(bench: Bench, tmp_path: Path) -> Iterator[Front]:
    """A desk on the project of the bench."""
    made = Front(bench.host, tmp_path)
    yield made
    made.controller.close()


def parcels(bench: Bench) -> QgsVectorLayer:
    """A square with an owner and a use; red all over."""
    row = (QgsRectangle(0, 0, 10, 10).asWktPolygon(), ["Mrs Smith", "garden"])
    layer = bench.add(memory_layer("Polygon?crs=EPSG:4326&field=owner:string&field=use:string", [row], "parcels"))
    layer.renderer().setSymbol(QgsFillSymbol.createSimple({"color": RED, "outline_style": "no"}))
    bench.host.set_extent(layer.extent(), layer.crs())
    return layer


def is_red(front: Front) -> bool:
    """Whether the square is on the picture that a client gets."""
    answer: dict[str, Any] = front.ask("map/picture", capability=front.client("b")["capability"], width=200, height=200)
    image = QImage.fromData(base64.b64decode(answer["data"]), "PNG")
    return image.pixelColor(60, 60).name() == RED


def by_owner(layer: QgsVectorLayer) -> None:
    """A class for each owner."""
    symbol = QgsFillSymbol.createSimple({"color": RED, "outline_style": "no"})
    layer.setRenderer(QgsCategorizedSymbolRenderer("owner", [QgsRendererCategory("Mrs Smith", symbol, "Mrs Smith")]))


def labelled(layer: QgsVectorLayer, words: str, expression: bool = False) -> None:
    """Labels by a field, or by an expression."""
    settings = QgsPalLayerSettings()
    settings.fieldName, settings.isExpression = words, expression
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    layer.setLabelsEnabled(True)


LOOKS = {
    "classes": by_owner,
    "labels": lambda layer: labelled(layer, "owner"),
    "words of labels": lambda layer: labelled(layer, "'of ' || \"owner\"", True),
}


@pytest.mark.parametrize("look", LOOKS)
def test_what_an_excluded_field_is_drawn_as_is_on_no_picture(front: Front, bench: Bench, look: str) -> None:
    """The layer is left out while its look reads the field; another field of it may be excluded."""
    layer = parcels(bench)
    LOOKS[look](layer)
    assert is_red(front)
    bench.host.scope.set([], {layer.id(): ["use"]}, [])
    assert is_red(front)
    bench.host.scope.set([], {layer.id(): ["owner"]}, [])
    assert not is_red(front)


def test_a_chart_that_was_drawn_before_something_was_excluded_is_not_shown(front: Front, bench: Bench) -> None:
    """The agent process keeps the picture; QGIS is asked each time, and each look is in the audit."""
    layer = parcels(bench)
    before = front.client("b")["capability"]
    assert front.ask("mcp/access", capability=before, origin={"chart": before}) == {"allowed": True}
    bench.host.scope.set([], {layer.id(): ["owner"]}, [])
    now = front.client("b")["capability"]
    assert now != before
    answer = front.ask("mcp/access", capability=now, origin={"chart": before})
    assert not answer["allowed"] and answer["envelope"]["code"] == "NOT_FOUND"
    assert front.ask("mcp/access", capability=now, origin={"chart": now}) == {"allowed": True}
    rows = [
        json.loads(line)
        for path in bench.host.audit.folder.glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [each["what"] for each in rows if each.get("t") == "client_read"][-2:] == ["chart", "chart"]


def test_a_chart_is_not_shown_while_values_stay_at_home(front: Front, bench: Bench) -> None:
    parcels(bench)
    given = front.client("b")["capability"]
    at_home.choose(True)
    try:
        answer = front.ask("mcp/access", capability=given, origin={"chart": given})
    finally:
        at_home.choose(False)
    assert not answer["allowed"] and answer["envelope"]["reason"] == "values_at_home"
