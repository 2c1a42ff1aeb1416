"""The gallery: each way of drawing on each kind of geometry, on light and dark maps, as pictures in build/gallery.

Checked in each picture: the colours of the legend are there and stand out from the map, NULL is stated, no class is empty
without a word, labels are drawn in letters that their font has.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gallery
import pytest
from conftest import REPO, Bench
from qgis.core import QgsMarkerSymbol, QgsSingleSymbolRenderer, QgsVectorLayer
from qgis.PyQt.QtGui import QFontMetrics, QImage

FOLDER = REPO / "build" / "gallery"
GEOMETRIES = ("Point", "LineString", "Polygon")
WAYS: dict[str, dict[str, Any]] = {
    "single": {"method": "single", "options": {"color": "#1b9e77"}},
    "categorized": {"method": "categorized", "field": "kind"},
    "most frequent": {"method": "categorized", "field": "kind", "classes": 2},
    "quantile": {"method": "graduated", "field": "pop"},
    "equal interval": {"method": "graduated", "field": "pop", "options": {"classification": "equal_interval"}},
    "natural breaks": {"method": "graduated", "field": "pop", "options": {"classification": "natural_breaks"}},
    "pretty": {"method": "graduated", "field": "pop", "palette": "YlGnBu", "options": {"classification": "pretty"}},
    "deviation": {
        "method": "graduated",
        "field": "pop",
        "palette": "RdBu",
        "options": {"classification": "standard_deviation", "reverse": True},
    },
    "logarithmic": {
        "method": "graduated",
        "field": "pop",
        "palette": "Viridis",
        "options": {"classification": "logarithmic"},
    },
    "manual": {"method": "graduated", "field": "pop", "palette": "Blues", "options": {"breaks": [10, 20, 50, 100]}},
    "size": {"method": "single", "options": {"color": "#7570b3", "size": "jobs"}},
    "colour and size": {"method": "graduated", "field": "pop", "options": {"size": "jobs"}},
    "heatmap": {"method": "heatmap", "field": "pop"},
    "cluster": {"method": "cluster", "options": {"color": "#d95f02", "size": 16}},
    "displacement": {"method": "displacement", "options": {"color": "#1b9e77", "size": 9}},
}
POINTS_ONLY = ("heatmap", "cluster", "displacement")
CASES = [(way, geometry) for geometry in GEOMETRIES for way in WAYS if geometry == "Point" or way not in POINTS_ONLY]
EDGE = "#808080"


def grouped(bench: Bench) -> QgsVectorLayer:
    """Points of which some lie on one another, so that there is something to group."""
    layer = gallery.layer_of("Point")
    first = {each.id(): each for each in layer.getFeatures()}
    moved = {number: first[1].geometry() for number in (2, 3, 10, 17)} | {
        9: first[20].geometry(),
        11: first[20].geometry(),
    }
    assert layer.dataProvider().changeGeometryValues(moved)
    return bench.add(layer)


def styled(bench: Bench, way: str, geometry: str) -> tuple[QgsVectorLayer, dict[str, Any]]:
    """The layer drawn this way by the tool, and the tool's envelope."""
    bench.host.project.clear()
    bench.issue()
    layer = grouped(bench) if way in ("cluster", "displacement") else bench.add(gallery.layer_of(geometry))
    envelope = bench.call("set_render_rule", layer_id=geometry.lower(), **WAYS[way])
    assert envelope["ok"], envelope
    return layer, envelope


def page(layer: QgsVectorLayer, envelope: dict[str, Any], title: str, theme: str) -> QImage:
    """The picture with its legend, kept as a file."""
    background = gallery.BACKGROUNDS[theme]
    found = gallery.with_caption(gallery.render(layer, background), title, envelope["data"]["classes"], background)
    FOLDER.mkdir(parents=True, exist_ok=True)
    assert found.save(str(FOLDER / "{}.png".format(title.replace(" ", "_"))))
    return found


def check_colours(layer: QgsVectorLayer, envelope: dict[str, Any], way: str, theme: str) -> None:
    """Each class with features shows its colour, and is told from the map by the colour or by its edge."""
    background = gallery.BACKGROUNDS[theme]
    picture = gallery.pixels(gallery.render(layer, background))
    assert gallery.drawn_share(picture, background) > 0.01
    if way == "heatmap":
        assert gallery.count_near(picture, envelope["data"]["classes"][-1]["color"], 40) > 20
        return
    for entry in envelope["data"]["classes"]:
        if entry.get("count", 1):
            assert gallery.count_near(picture, entry["color"]) >= 12, (way, theme, entry)
            seen = gallery.contrast(entry["color"], background) >= 1.5
            edged = gallery.contrast(EDGE, background) >= 3 and gallery.count_near(picture, EDGE, 40) > 20
            assert seen or edged, (way, theme, entry)


def check_words(envelope: dict[str, Any], way: str) -> None:
    """NULL is a class or stated as not drawn; empty classes are stated."""
    data, message = envelope["data"], envelope["message"]
    method, classes = WAYS[way]["method"], data["classes"]
    if method == "categorized":
        assert any(each.get("is_null") or each.get("others") for each in classes) and "without a value" in message
    elif method in ("graduated", "heatmap"):
        assert data["not_drawn"] == data["null_count"] == 4 and "4 of 48 features" in message
    if any(each.get("count") == 0 for each in classes):
        assert "hold no feature" in message


@pytest.mark.parametrize(("way", "geometry"), CASES, ids=[f"{way}-{geometry}" for way, geometry in CASES])
def test_gallery(bench: Bench, way: str, geometry: str) -> None:
    """One way of drawing on one kind of geometry, on a light and a dark map."""
    layer, envelope = styled(bench, way, geometry)
    check_words(envelope, way)
    for theme in gallery.BACKGROUNDS:
        page(layer, envelope, f"{way} {geometry} {theme}", theme)
        check_colours(layer, envelope, way, theme)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_gallery_labels(bench: Bench, geometry: str) -> None:
    """Names in Chinese, Polish and German on a classified layer: every letter is in the font, and the words are drawn."""
    layer, envelope = styled(bench, "quantile", geometry)
    bare = {theme: gallery.pixels(gallery.render(layer, color)) for theme, color in gallery.BACKGROUNDS.items()}
    labelled = bench.call("set_layer_label", layer_id=geometry.lower(), visible=True, field="name")
    assert labelled["ok"], labelled
    font = layer.labeling().settings().format().font()
    metrics = QFontMetrics(font)
    assert all(metrics.inFontUcs4(ord(letter)) for name in gallery.NAMES for letter in name if letter != " "), (
        font.family()
    )
    for theme, color in gallery.BACKGROUNDS.items():
        page(layer, envelope, f"labels {geometry} {theme}", theme)
        changed = (gallery.pixels(gallery.render(layer, color)) != bare[theme]).any(axis=2).mean()
        assert changed > 0.01, (theme, changed)


def test_what_is_invisible_is_found(bench: Bench) -> None:
    """The check of colours can fail: white points without an edge on a light map."""
    layer = bench.add(gallery.layer_of("Point"))
    white = QgsMarkerSymbol.createSimple({"color": "#fefefe", "outline_style": "no", "size": "2.4"})
    layer.setRenderer(QgsSingleSymbolRenderer(white))
    envelope = {"data": {"classes": [{"label": "a", "color": "#fefefe"}]}}
    with pytest.raises(AssertionError):
        check_colours(layer, envelope, "single", "light")
    assert gallery.count_near(gallery.pixels(gallery.render(layer, gallery.DARK)), "#fefefe") > 100


def test_contact_sheets() -> None:
    """All pictures of a theme on one sheet, to be looked at."""
    for theme in gallery.BACKGROUNDS:
        names = [f"{way} {geometry} {theme}" for way, geometry in CASES] + [
            f"labels {each} {theme}" for each in GEOMETRIES
        ]
        paths = [FOLDER / "{}.png".format(each.replace(" ", "_")) for each in names]
        if not all(each.is_file() for each in paths):
            pytest.skip("the pictures are made by the tests above, which did not all run")
        gallery.contact_sheet([QImage(str(each)) for each in paths], 5, FOLDER / f"sheet_{theme}.png")
        assert not QImage(str(FOLDER / f"sheet_{theme}.png")).isNull()


def test_the_folder_is_not_committed() -> None:
    """Pictures are made anew each time."""
    ignored = Path(REPO / ".gitignore").read_text(encoding="utf-8").split()
    assert any(each.strip("/") == "build" for each in ignored)
