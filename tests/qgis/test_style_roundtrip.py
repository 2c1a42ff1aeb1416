"""The style document written back: sixty styled layers (tests/support/styled_layers.py) rebuilt from their documents alone.

A copy with the same data and a plain look gets the document as a patch, through the tool, and both are drawn. Compared are the
drawn pixels: those that differ from the background in either picture.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import Bench
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsMapLayer,
    QgsMapRendererSequentialJob,
    QgsMapSettings,
    QgsRectangle,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor, QImage
from styled_layers import Styled, bare, styled_layers

from qgis_agent.gis.style.document import full_document

BACKGROUND = (250, 250, 246)
ALLOWED = 0.01
Picture = Any


def picture(layer: QgsMapLayer) -> Picture:
    """The layer drawn off screen, as rows of RGB."""
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    settings.setExtent(QgsRectangle(0, 0, 120, 90))
    settings.setOutputSize(QSize(240, 180))
    settings.setOutputDpi(96)
    settings.setBackgroundColor(QColor(*BACKGROUND))
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage().convertToFormat(QImage.Format.Format_RGB888)
    data = image.constBits().asstring(image.bytesPerLine() * image.height())
    rows = np.frombuffer(data, dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3).astype(int)


def drawn(image: Picture) -> Any:
    """Where something is drawn."""
    return np.any(image != np.array(BACKGROUND), axis=2)


def difference(one: Picture, other: Picture) -> float:
    """The share of the drawn pixels that differ by more than 2 of 255."""
    either = drawn(one) | drawn(other)
    differ = np.any(np.abs(one - other) > 2, axis=2)
    return float(differ.sum() / either.sum()) if either.any() else 0.0


def document_of(bench: Bench, layer: QgsMapLayer) -> dict[str, Any]:
    """The whole document as JSON has it."""
    return json.loads(json.dumps(full_document(bench.host, layer)))


def rebuilt(bench: Bench, styled: Styled, document: dict[str, Any], name: str) -> QgsMapLayer:
    """A copy of the data in a plain look, with the document put on it by patch_style."""
    layer = bare(styled.data, bench.folder)
    layer.setName(name)
    bench.add(layer)
    patch = {key: value for key, value in document.items() if key != "unsupported"}
    envelope = bench.call("patch_style", layer_id=name, patch=patch)
    assert envelope["ok"], (styled.name, envelope)
    return layer


@pytest.fixture(scope="module")
def the_list(qgis_app: Any) -> list[Styled]:
    """The sixty layers."""
    found = styled_layers()
    assert len(found) == 60 and len({each.name for each in found}) == 60
    return found


def test_the_documents_rebuild_the_pictures(bench: Bench, the_list: list[Styled]) -> None:
    """At least 48 of 60 are expressed whole, and each of these is drawn the same from its document."""
    whole, wrong = 0, {}
    for number, styled in enumerate(the_list):
        layer = bench.add(styled.make(bench.folder))
        document = document_of(bench, layer)
        if document["unsupported"]:
            continue
        whole += 1
        first = picture(layer)
        assert drawn(first).sum() > 100, f"{styled.name} draws nothing to compare"
        share = difference(first, picture(rebuilt(bench, styled, document, f"copy{number}")))
        if share > ALLOWED:
            wrong[styled.name] = round(share, 4)
    assert not wrong
    assert whole >= 48


def test_what_is_not_expressed_stays(bench: Bench, the_list: list[Styled]) -> None:
    """Layers with something unsupported: one property changes, and the unsupported part is drawn as before."""
    tried = 0
    for number, styled in enumerate(the_list):
        layer = bench.add(styled.make(bench.folder))
        name = f"layer{number}"
        layer.setName(name)
        document = document_of(bench, layer)
        if not document["unsupported"]:
            continue
        tried += 1
        plain = picture(layer)
        back = changed_color(bench, name, document["renderer"])
        assert np.mean(drawn(plain) != drawn(picture(layer))) <= ALLOWED * np.mean(drawn(plain)), styled.name
        half = bench.call("patch_style", layer_id=name, patch={"opacity": 0.5})
        assert half["ok"], (styled.name, half)
        again = document_of(bench, layer)
        assert again["unsupported"] == document["unsupported"] and again["opacity"] == 0.5
        bench.ok("patch_style", layer_id=name, patch={"opacity": None})
        if back:
            assert bench.call("patch_style", layer_id=name, patch=back)["ok"], styled.name
        assert difference(plain, picture(layer)) <= ALLOWED, styled.name
        assert document_of(bench, layer)["unsupported"] == document["unsupported"]
    assert tried >= 5


def changed_color(bench: Bench, name: str, renderer: dict[str, Any]) -> dict[str, Any]:
    """Give the first symbol layer another colour, in the layer itself; returns the patch that takes it back, {} for none."""
    if "rules" in renderer:
        where, symbol = ("rules", "r1"), renderer["rules"]["r1"]["symbol"]
    elif "symbol" in renderer:
        where, symbol = (), renderer["symbol"]
    else:
        return {}
    ident, part = next(iter(symbol["layers"].items()))
    key = next((each for each in ("color", "line_color") if each in part), None)
    if key is None:
        return {}

    def patch(color: str) -> dict[str, Any]:
        inner: dict[str, Any] = {"symbol": {"layers": {ident: {key: color}}}}
        for each in reversed(where):
            inner = {each: inner}
        return {"renderer": inner}

    assert bench.call("patch_style", layer_id=name, patch=patch("#123456"))["ok"], name
    return patch(part[key])


def without(document: dict[str, Any], *path: str) -> None:
    """Take a part out of a document."""
    for key in path[:-1]:
        document = document[key]
    del document[path[-1]]


def put(value: Any, *path: str) -> Callable[[dict[str, Any]], None]:
    """Something that sets a part of a document."""

    def change(document: dict[str, Any]) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


LOSSY: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "a symbol layer is dropped": (
        "library: topo steps",
        lambda made: without(made, "renderer", "symbol", "layers", "l2"),
    ),
    "a colour is off": (
        "library: simple blue fill",
        put("#377eb0", "renderer", "symbol", "layers", "l1", "color"),
    ),
    "a size is off": ("library: dot brown", put(2.6, "renderer", "symbol", "layers", "l1", "size")),
    "a class is missing": ("categories with NULL", lambda made: without(made, "renderer", "classes", "c3")),
    "a class limit is off": ("graduated colours", put(3.0, "renderer", "classes", "c1", "upper")),
    "a data-defined size is lost": (
        "size by field",
        lambda made: without(made, "renderer", "symbol", "layers", "l1", "data_defined", "size"),
    ),
    "an opacity is lost": ("opacity, blend, units, order", lambda made: without(made, "opacity")),
    "a unit is lost": (
        "map units and levels",
        lambda made: without(made, "renderer", "symbol", "layers", "l1", "line_width_unit"),
    ),
    "a band is another": ("raster multiband", put([2, 1, 2], "renderer", "bands")),
}


@pytest.mark.parametrize("loss", LOSSY)
def test_a_lossy_document_fails_the_compare(bench: Bench, the_list: list[Styled], loss: str) -> None:
    """The compare can fail: each of these losses is more than it allows."""
    name, lose = LOSSY[loss]
    styled = next(each for each in the_list if each.name == name)
    layer = bench.add(styled.make(bench.folder))
    document = document_of(bench, layer)
    whole = json.dumps(document)
    lose(document)
    assert json.dumps(document) != whole
    share = difference(picture(layer), picture(rebuilt(bench, styled, document, "copy")))
    assert share > ALLOWED, share
