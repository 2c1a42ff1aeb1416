"""Places by name, and where the map goes for them."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsApplication, QgsCoordinateReferenceSystem, QgsProject, QgsVectorLayer

from qgis_agent.gis.view import Part, best_view


def square(x: float, y: float, size: float = 0.01) -> str:
    """A square polygon."""
    return f"POLYGON(({x} {y},{x + size} {y},{x + size} {y + size},{x} {y + size},{x} {y}))"


@pytest.fixture
def city(bench: Bench) -> Bench:
    """Three streets and two districts of the same name."""
    streets = [(square(114 + i / 100, 30), [f"33011000{i + 1}", f"街道{'ABC'[i]}"]) for i in range(3)]
    bench.add(memory_layer("Polygon?crs=EPSG:4490&field=code:string(9)&field=name:string(20)", streets, "streets"))
    districts = [
        (square(113, 30), ["330102", "城关区"]),
        (square(113.1, 30), ["330103", "城关区"]),
        (square(113.2, 30), ["330104", "余杭区"]),
    ]
    bench.add(memory_layer("Polygon?crs=EPSG:4490&field=code:string(6)&field=name:string(20)", districts, "districts"))
    return bench


@pytest.fixture
def world(bench: Bench) -> Bench:
    """The world map that QGIS ships."""
    path = QgsApplication.pkgDataPath() + "/resources/data/world_map.gpkg"
    bench.host.project.setCrs(QgsCoordinateReferenceSystem("EPSG:4326"))
    bench.add(QgsVectorLayer(path + "|layername=countries", "countries", "ogr"))
    return bench


def test_a_name_and_a_code(city: Bench) -> None:
    """Equal names and codes are found, with what to put into where."""
    place = city.ok("resolve_place", text="街道B")
    assert (place["layer_id"], place["field"], place["values"]) == ("streets", "code", ["330110002"])
    assert city.ok("resolve_place", text="330104")["names"] == ["余杭区"]
    assert city.ok("resolve_place", text="余杭")["values"] == ["330104"]
    assert city.ok("count_features", layer_id="streets", where=place["where"])["count"] == 1


def test_a_place_that_a_filter_hides_is_not_called_absent_without_a_word(city: Bench) -> None:
    """The filter is named where the place is not found, and not where no filter is in force."""
    absent = city.call("resolve_place", text="不存在的地方")
    assert absent["code"] == "NOT_FOUND" and "filter" not in absent["hint"]
    layer = city.host.layers.by_alias("streets")
    assert isinstance(layer, QgsVectorLayer) and layer.setSubsetString("\"code\" = '330110001'")
    envelope = city.call("resolve_place", text="街道B")
    assert envelope["code"] == "NOT_FOUND" and "街道B" in envelope["message"]
    assert envelope["hint"].endswith("filters are in force in: streets.")
    assert "'" not in envelope["hint"]  # what stands in quotation marks becomes a button
    assert layer.setSubsetString("")
    assert city.ok("resolve_place", text="街道B")["values"] == ["330110002"]


def test_an_ambiguous_name_gives_options_and_each_option_resolves(city: Bench) -> None:
    """Never the first of two; an option sent back names one feature."""
    envelope = city.call("resolve_place", text="城关区")
    assert envelope["code"] == "AMBIGUOUS"
    labels = [option["label"] for option in envelope["data"]["options"]]
    assert labels == ["城关区 (330102)", "城关区 (330103)"]
    assert city.ok("resolve_place", text=labels[1])["values"] == ["330103"]


def test_the_selection(city: Bench) -> None:
    """ "These" are the selected features; without any, only a number that fits exactly may stand for them."""
    layer = city.host.layers.by_alias("streets")
    assert isinstance(layer, QgsVectorLayer)
    ids = sorted(layer.allFeatureIds())
    layer.selectByIds(ids[:2])
    assert city.ok("resolve_place", text="这三个街道", use_selection=True)["names"] == ["街道A", "街道B"]
    assert "2" in city.call("resolve_place", text="这三个街道", use_selection=True)["message"]
    layer.removeSelection()
    envelope = city.call("resolve_place", text="这三个街道", use_selection=True)
    assert envelope["data"]["values"] == ["330110001", "330110002", "330110003"]
    assert "streets" in envelope["message"]
    assert city.ok("resolve_place", text="these three streets", use_selection=True)["count"] == 3
    assert city.code("resolve_place", text="这四个街道", use_selection=True) == "NOT_FOUND"
    assert city.code("resolve_place", text="these", use_selection=True) == "NOT_FOUND"


def test_two_layers_with_a_selection_are_asked_about(city: Bench) -> None:
    """Which of the two selections is meant is the person's to say."""
    for alias in ("streets", "districts"):
        layer = city.host.layers.by_alias(alias)
        assert isinstance(layer, QgsVectorLayer)
        layer.selectAll()
    assert city.code("resolve_place", text="这些", use_selection=True) == "AMBIGUOUS"
    assert city.ok("resolve_place", text="这些", use_selection=True, layer_id="streets")["count"] == 3


def test_nothing_is_called_so(city: Bench) -> None:
    """NOT_FOUND with what to try."""
    assert city.code("resolve_place", text="亚特兰蒂斯") == "NOT_FOUND"
    assert city.code("resolve_place", text="x", layer_id="street") == "NOT_FOUND"


@pytest.mark.parametrize(
    ("text", "meant"),
    [("余抗区", "余杭区 (330104)"), ("余杭縣", "余杭区 (330104)"), ("Green Rvier", "Green River (330105)")],
)
def test_a_name_that_looks_like_it_is_offered_and_not_taken(bench: Bench, text: str, meant: str) -> None:
    """A slip of the pen, another character: candidates for the person, each of which resolves."""
    rows: list[tuple[str | None, list[Any]]] = [
        (square(113 + n / 10, 30), list(row))
        for n, row in enumerate((("330104", "余杭区"), ("330105", "Green River"), ("330106", "滨江")))
    ]
    bench.add(memory_layer("Polygon?crs=EPSG:4490&field=code:string(6)&field=name:string(20)", rows, "districts"))
    envelope = bench.call("resolve_place", text=text)
    assert (envelope["code"], envelope["reason"]) == ("NOT_FOUND", "place")
    labels = [each["label"] for each in envelope["data"]["options"]]
    assert labels[0] == meant and meant in envelope["hint"]
    assert bench.ok("resolve_place", text=labels[0])["count"] == 1


def test_one_digit_is_no_part_of_a_name(bench: Bench) -> None:
    """ "1" stands in many names; as a code it counts."""
    rows: list[tuple[str | None, list[Any]]] = [("POINT(1 1)", [str(n), f"School {n}"]) for n in range(30)]
    bench.add(memory_layer("Point?crs=EPSG:4326&field=code:string(6)&field=name:string(20)", rows, "schools"))
    assert bench.ok("resolve_place", text="1")["names"] == ["School 1"]
    assert bench.code("resolve_place", text="o") == "NOT_FOUND"


PLACES = {
    "France": (-6, 41, 10, 52),
    "Fiji": (176, -22, 182, -15),
    "Portugal": (-10, 36, -6, 43),
    "Japan": (122, 23, 147, 47),
}


@pytest.mark.parametrize("name", sorted(PLACES))
def test_countries(world: Bench, name: str) -> None:
    """The main part is shown, and what lies far away is named. Boxes from an atlas."""
    place = world.ok("resolve_place", text=name)
    data = world.ok("zoom_to", layer_id=place["layer_id"], where=place["where"])
    west, south, east, north = PLACES[name]
    box = data["view_bbox"]
    assert west <= box[0] < box[2] <= east
    assert south <= box[1] < box[3] <= north
    assert box[2] - box[0] < 25


def test_zoom_to_arguments(city: Bench) -> None:
    """Layer or box, not both, not neither; degrees only."""
    assert city.code("zoom_to") == "INVALID_PARAM"
    assert city.code("zoom_to", layer_id="streets", bbox=[0.0, 0.0, 1.0, 1.0]) == "INVALID_PARAM"
    assert city.code("zoom_to", bbox=[1.0, 0.0, 0.0, 1.0]) == "INVALID_PARAM"
    assert city.code("zoom_to", bbox=[500000.0, 0.0, 600000.0, 1.0]) == "INVALID_PARAM"
    assert city.code("zoom_to", layer_id="streets", where=[{"field": "code", "op": "eq", "value": "x"}]) == "NOT_FOUND"
    outcome = city.outcome("zoom_to", layer_id="streets")
    assert outcome["envelope"]["data"]["bbox"] == pytest.approx([114, 30, 114.03, 30.01], abs=1e-5)
    assert outcome["actions"][0]["op"] == "zoom_to"


def test_a_layer_without_crs_is_refused(bench: Bench) -> None:
    """No guess where it is."""
    layer = bench.add(memory_layer("Point", [("POINT(1 2)", [])], "nowhere"))
    layer.setCrs(QgsCoordinateReferenceSystem())
    envelope = bench.call("zoom_to", layer_id="nowhere")
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "no_crs")


def parts(*boxes: tuple[float, float, float, float]) -> list[Part]:
    """Parts with the area of their boxes."""
    return [Part(*box, (box[2] - box[0]) * (box[3] - box[1])) for box in boxes]


@pytest.mark.parametrize(
    ("given", "west", "east", "left_out"),
    [
        (parts((0, 0, 5, 5), (6, 0, 7, 1), (40, 0, 41, 1)), 0, 7, 1),
        (parts((177, -1, 180, 1), (-180, -1, -178, 1)), 177, 182, 0),
        (parts((-180, -1, -175, 1), (178, -1, 180, 1)), 178, 185, 0),
        ([Part(179, 0, 179, 0, 0), Part(-179, 0, -179, 0, 0)], 179, 181, 0),
        ([Part(0, 0, 0, 0, 0), Part(90, 0, 90, 0, 0)], 0, 90, 0),
    ],
)
def test_best_view(given: list[Part], west: float, east: float, left_out: int) -> None:
    """Clusters, and the meridian, in closed form."""
    view = best_view(given)
    assert (view.west, view.east, len(view.left_out)) == (west, east, left_out)


def test_toggle_shows_the_groups_above(bench: Bench) -> None:
    """A layer in a hidden group becomes visible, and the message names the group."""
    layer = memory_layer("Point?crs=EPSG:4326", [("POINT(0 0)", [])], "deep")
    group = bench.host.project.layerTreeRoot().addGroup("外层")
    bench.host.project.addMapLayer(layer, False)
    group.addLayer(layer)
    group.setItemVisibilityChecked(False)
    envelope = bench.call("toggle_layer", layer_id="deep", visible=True)
    assert envelope["data"]["visible"]
    assert "外层" in envelope["message"]
    assert bench.host.layers.is_visible(layer)


def test_aliases(bench: Bench) -> None:
    """A function of the names: blanks become "_", a taken name gets a number, private layers have none."""
    names = ["My Layer", "my layer", "公共设施", "a\u202eb\n c"]
    layers: list[Any] = [bench.add(memory_layer("Point?crs=EPSG:4326", [], name)) for name in reversed(names)]
    hidden = bench.add(memory_layer("Point?crs=EPSG:4326", [], "hidden"))
    hidden.setFlags(hidden.flags() | hidden.LayerFlag.Private)
    assert sorted(bench.host.layers.aliases()) == sorted(["My_Layer", "my_layer-2", "公共设施", "ab_c"]) or sorted(
        bench.host.layers.aliases()
    ) == sorted(["My_Layer-2", "my_layer", "公共设施", "ab_c"])
    assert bench.code("describe_layer", layer_id="hidden") == "NOT_FOUND"
    kept = bench.host.layers.alias(layers[0])
    QgsProject.instance().removeMapLayer(layers[1].id())
    assert bench.host.layers.alias(layers[0]) == kept


def test_the_snapshot_is_small(bench: Bench) -> None:
    """At most 1,200 characters of JSON, also with many long names."""
    import json

    for number in range(60):
        bench.add(memory_layer("Point?crs=EPSG:4326", [], f"{number} 很长的图层名称" * 6))
    assert len(json.dumps(bench.host.snapshot(), ensure_ascii=False)) <= 1200
