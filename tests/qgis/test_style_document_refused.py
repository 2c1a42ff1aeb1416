"""What patch_style refuses: the right code, a hint, and the whole style as it was."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    Qgis,
    QgsFillSymbol,
    QgsSingleSymbolRenderer,
)
from qgis.PyQt.QtCore import QVariant
from styled_layers_towns import FIELDS, categories, category, clustered, graduated, ruled, towns

from qgis_agent.bridge.envelope import size_bytes
from qgis_agent.gis.style import patch as patching
from qgis_agent.gis.style.document import full_document
from qgis_agent.gis.style.history import CATEGORIES, style_xml


def patch(bench: Bench, **parts: Any) -> dict[str, Any]:
    """The data of a patch that must succeed."""
    return bench.ok("patch_style", layer_id="towns", patch=parts)


GOOD = {"opacity": 0.5}
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown part": ({"renderer": {"symbl": {}}}, "INVALID_PARAM", "symbol"),
    "unknown property": ({"renderer": {"symbol": {"layers": {"l1": {"colour": "#ff0000"}}}}}, "INVALID_PARAM", "color"),
    "a colour by name": ({"renderer": {"symbol": {"color": "red"}}}, "INVALID_PARAM", "#rrggbb"),
    "a colour of five digits": ({"renderer": {"symbol": {"color": "#12345"}}}, "INVALID_PARAM", "#rrggbb"),
    "a size below zero": ({"renderer": {"symbol": {"size": -1}}}, "INVALID_PARAM", ""),
    "a size as text": ({"renderer": {"symbol": {"layers": {"l1": {"size": "4"}}}}}, "INVALID_PARAM", ""),
    "a shape that is none": ({"renderer": {"symbol": {"layers": {"l1": {"name": "blob"}}}}}, "INVALID_PARAM", "circle"),
    "a unit that is none": ({"renderer": {"symbol": {"layers": {"l1": {"size_unit": "yard"}}}}}, "INVALID_PARAM", "MM"),
    "a symbol without layers": ({"renderer": {"symbol": {"layers": {"l1": None}}}}, "INVALID_PARAM", ""),
    "a kind of another geometry": (
        {"renderer": {"symbol": {"layers": {"l2": {"kind": "SimpleFill"}}}}},
        "INVALID_PARAM",
        "",
    ),
    "a geometry generator": (
        {"renderer": {"symbol": {"layers": {"l2": {"kind": "GeometryGenerator", "geometryModifier": "$geometry"}}}}},
        "INVALID_PARAM",
        "",
    ),
    "an expression for a size": (
        {"renderer": {"symbol": {"layers": {"l1": {"data_defined": {"size": {"expression": "1+1"}}}}}}},
        "INVALID_PARAM",
        "",
    ),
    "an expression as a field": (
        {"renderer": {"symbol": {"layers": {"l1": {"data_defined": {"size": '"n" * 2'}}}}}},
        "NOT_FOUND",
        "",
    ),
    "a picture named by a field": (
        {"renderer": {"symbol": {"layers": {"l1": {"kind": "SvgMarker", "data_defined": {"name": "name"}}}}}},
        "INVALID_PARAM",
        "",
    ),
    "a picture by path": (
        {"renderer": {"symbol": {"layers": {"l1": {"kind": "SvgMarker", "name": "/etc/passwd.svg"}}}}},
        "INVALID_PARAM",
        "transport",
    ),
    "a picture outside of the library": (
        {"renderer": {"symbol": {"layers": {"l1": {"kind": "SvgMarker", "name": "../../../etc/x.svg"}}}}},
        "INVALID_PARAM",
        "transport",
    ),
    "a picture by address": (
        {"renderer": {"symbol": {"layers": {"l1": {"kind": "SvgMarker", "name": "https://example.org/x.svg"}}}}},
        "INVALID_PARAM",
        "transport",
    ),
    "an image file": (
        {"renderer": {"symbol": {"layers": {"l1": {"kind": "RasterMarker", "imageFile": "x.png"}}}}},
        "INVALID_PARAM",
        "",
    ),
    "a letter that is evaluated": (
        {"renderer": {"symbol": {"layers": {"l1": {"kind": "FontMarker", "chr": "[%1%]"}}}}},
        "INVALID_PARAM",
        "",
    ),
    "a rule by expression": (
        {"renderer": {"type": "rules", "rules": {"r1": {"expression": "1 = 1", "color": "#ff0000"}}}},
        "INVALID_PARAM",
        "where",
    ),
    "a condition on no field": (
        {
            "renderer": {
                "type": "rules",
                "rules": {"r1": {"where": [{"field": "nam", "op": "eq", "value": "a"}], "color": "#ff0000"}},
            }
        },
        "NOT_FOUND",
        "name",
    ),
    "a condition of another form": (
        {"renderer": {"type": "rules", "rules": {"r1": {"where": "1=1", "color": "#ff0000"}}}},
        "INVALID_PARAM",
        "",
    ),
    "a parent that is none": (
        {"renderer": {"type": "rules", "rules": {"r1": {"parent": "r7", "else": True, "color": "#ff0000"}}}},
        "INVALID_PARAM",
        "r1",
    ),
    "a loop of rules": (
        {
            "renderer": {
                "type": "rules",
                "rules": {"r1": {"parent": "r2", "color": "#ff0000"}, "r2": {"parent": "r1", "color": "#ff0000"}},
            }
        },
        "INVALID_PARAM",
        "",
    ),
    "a label that is evaluated": (
        {
            "renderer": {
                "type": "categorized",
                "field": "name",
                "classes": {"c1": {"value": "a", "color": "#ff0000", "label": "[% 1+1 %]"}},
            }
        },
        "INVALID_PARAM",
        "[%",
    ),
    "classes without a field": (
        {"renderer": {"type": "categorized", "classes": {"c1": {"value": "a", "color": "#ff0000"}}}},
        "INVALID_PARAM",
        "field",
    ),
    "categories without classes": ({"renderer": {"type": "categorized", "field": "name"}}, "INVALID_PARAM", "classes"),
    "rules that are not there": ({"renderer": {"type": "rules"}}, "INVALID_PARAM", "rules"),
    "a graduated text": (
        {
            "renderer": {
                "type": "graduated",
                "field": "name",
                "classes": {"c1": {"lower": 0, "upper": 1, "color": "#ff0000"}},
            }
        },
        "INVALID_PARAM",
        "x",
    ),
    "limits the wrong way round": (
        {
            "renderer": {
                "type": "graduated",
                "field": "x",
                "classes": {"c1": {"lower": 2, "upper": 1, "color": "#ff0000"}},
            }
        },
        "INVALID_PARAM",
        "",
    ),
    "an id of another kind": (
        {
            "renderer": {
                "type": "categorized",
                "field": "name",
                "classes": {"first": {"value": "a", "color": "#ff0000"}},
            }
        },
        "INVALID_PARAM",
        "c1",
    ),
    "a type that is none": ({"renderer": {"type": "pie"}}, "INVALID_PARAM", "heatmap"),
    "no renderer": ({"renderer": None}, "INVALID_PARAM", ""),
    "an opacity of two": ({"opacity": 2}, "INVALID_PARAM", ""),
    "a blend that is none": ({"blend": "glow"}, "INVALID_PARAM", "multiply"),
    "scales the wrong way round": ({"scale_range": {"min": 100, "max": 5000}}, "INVALID_PARAM", "denominator"),
    "a title with markup": ({"legend": {"title": "<img src='http://example.org/x'>"}}, "INVALID_PARAM", ""),
    "legend items": ({"legend": {"items": []}}, "INVALID_PARAM", "label"),
    "a part that is none": ({"sld": "<xml/>"}, "INVALID_PARAM", ""),
    "an empty patch": ({}, "INVALID_PARAM", "opacity"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_changes_nothing(bench: Bench, case: str) -> None:
    """The right code and a hint, and the whole style as it was, although the other half of the patch is good."""
    bad, code, hint = REFUSED[case]
    layer = bench.add(towns(["a", "b"]))
    before = style_xml(layer, CATEGORIES)
    envelope = bench.call("patch_style", layer_id="towns", patch={**({} if not bad else GOOD), **bad})
    assert not envelope["ok"] and envelope["code"] == code, envelope
    assert envelope["hint"] and hint in envelope["hint"], envelope
    assert style_xml(layer, CATEGORIES) == before and layer.opacity() == 1.0


def test_what_qgis_does_not_take_over_is_undone(bench: Bench, monkeypatch: Any) -> None:
    """The read-back decides: when a value of the patch is not there, all of it is taken back."""
    layer = bench.add(towns(["a"]))
    before = style_xml(layer, CATEGORIES)
    monkeypatch.setattr(patching, "renderer_from", lambda _layer, old, *_rest: old.clone())
    envelope = bench.call(
        "patch_style", layer_id="towns", patch={"opacity": 0.5, "renderer": {"symbol": {"color": "#123456"}}}
    )
    assert envelope["code"] == "UPSTREAM_ERROR" and "renderer.symbol.color" in envelope["message"]
    assert style_xml(layer, CATEGORIES) == before and layer.opacity() == 1.0


def test_polygons_take_no_point_renderers(bench: Bench) -> None:
    """A heatmap of polygons would draw nothing."""
    layer = memory_layer(f"Polygon?crs=EPSG:4326&{FIELDS}", [("POLYGON((0 0, 1 0, 1 1, 0 0))", ["a", 1, 1.0])], "towns")
    layer.setRenderer(QgsSingleSymbolRenderer(QgsFillSymbol.createSimple({})))
    bench.add(layer)
    assert layer.geometryType() == Qgis.GeometryType.Polygon
    assert bench.code("patch_style", layer_id="towns", patch={"renderer": {"type": "heatmap"}}) == "INVALID_PARAM"
    marker = {"type": "single", "symbol": {"type": "marker", "color": "#ff0000"}}
    assert bench.code("patch_style", layer_id="towns", patch={"renderer": marker}) == "INVALID_PARAM"
    patch(bench, renderer={"symbol": {"outline_width": 0.8, "outline_color": "#102030"}})
    part = layer.renderer().symbol().symbolLayer(0)
    assert part.strokeWidth() == 0.8 and part.strokeColor().name() == "#102030"


def test_labels_and_legend_in_one_patch(bench: Bench) -> None:
    """A part that other modules write: applied with the rest, and the changes are told under its paths."""
    layer = bench.add(towns(["a"]))
    made = patch(bench, labels={"type": "simple", "field": "name", "color": "#102030"}, legend={"title": "T"})
    assert layer.labelsEnabled() and layer.labeling().settings().fieldName == "name"
    paths = {each["path"] for each in made["changed"]}
    assert {"labels.field", "legend.title"} <= paths
    envelope = bench.call("patch_style", layer_id="towns", patch={"opacity": 0.5, "labels": {"field": "nam"}})
    assert envelope["code"] == "NOT_FOUND" and layer.opacity() == 1.0


JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    2.5,
    1e300,
    "",
    "x",
    "[% 1 %]",
    [],
    {},
    [1],
    {"a": 1},
    {"field": "x"},
    {"kind": "SimpleFill"},
]
JUNK += [{"l1": {}}, {"c1": {}}, {"r1": {"parent": "r1"}}]


@pytest.mark.parametrize("look", ["single", "categorized", "graduated", "rules", "cluster"])
def test_junk_at_any_place_is_refused_or_taken(bench: Bench, look: str) -> None:
    """A document with one value replaced by anything: a success that is read back, or a clear refusal and the old style."""
    layer = bench.add(towns(["a", "b"]))
    if look == "categorized":
        categories(layer, category("a", "#ff0000"), category(QVariant(), "#00ff00"))
    elif look != "single":
        {"graduated": graduated, "rules": ruled, "cluster": clustered}[look](layer)
    chosen = random.Random(look)
    for _ in range(30):
        before = style_xml(layer, CATEGORIES)
        document = json.loads(json.dumps(full_document(bench.host, layer)))
        del document["unsupported"]
        at, key = chosen.choice(list(places(document)))
        at[key] = copy.deepcopy(chosen.choice(JUNK))
        envelope = bench.call("patch_style", layer_id="towns", patch=document)
        assert size_bytes(envelope) <= 4096
        if not envelope["ok"]:
            assert envelope["code"] in ("INVALID_PARAM", "NOT_FOUND", "UNSUPPORTED") and envelope["hint"], (
                document,
                envelope,
            )
            assert style_xml(layer, CATEGORIES) == before


def places(document: dict[str, Any]) -> Any:
    """Each (object, key) of a document."""
    for key, value in document.items():
        yield document, key
        if isinstance(value, dict):
            yield from places(value)
