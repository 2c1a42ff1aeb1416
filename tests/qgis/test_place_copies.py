"""Places after an analysis: results are copies, equal places are one, and every button means exactly one feature."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsLayerTreeGroup, QgsVectorLayer

AREA = "Polygon?crs=EPSG:4490&field=fid:integer&field=code:string(9)&field=name:string(20)"


def square(x: float, y: float, size: float = 0.01) -> str:
    """A square polygon."""
    return f"POLYGON(({x} {y},{x + size} {y},{x + size} {y + size},{x} {y + size},{x} {y}))"


def area(name: str, rows: list[tuple[str, str, str]]) -> QgsVectorLayer:
    """A polygon layer of (wkt, code, name)."""
    filled = [(wkt, [at, code, title]) for at, (wkt, code, title) in enumerate(rows, 1)]
    return memory_layer(AREA, filled, name)


@pytest.fixture
def city(bench: Bench) -> Bench:
    """Three streets side by side, a district around them, three schools in it and one outside."""
    streets = [(square(114 + i / 100, 30), f"33011000{i + 1}", f"街道{'ABC'[i]}") for i in range(3)]
    bench.add(area("streets", streets))
    bench.add(area("districts", [(square(114, 30, 0.03), "330110", "云溪区"), (square(113, 30), "330111", "城关区")]))
    spots = [(f"POINT({x} 30.005)", [name]) for x, name in ((114.005, "a"), (114.006, "b"), (114.015, "c"), (115, "d"))]
    bench.add(memory_layer("Point?crs=EPSG:4490&field=name:string(20)", spots, "schools"))
    return bench


def count(bench: Bench, **more: Any) -> dict[str, Any]:
    """The envelope of a statistic of the schools."""
    envelope = bench.call("stat_by_polygon", layer_id="schools", **more)
    assert envelope["ok"], envelope
    return envelope


def in_district(bench: Bench, code: str = "330110") -> dict[str, Any]:
    """The statistic of one district."""
    where = [{"field": "code", "op": "in", "value": [code]}]
    return count(bench, polygon_layer_id="districts", polygon_where=where)


def labels(envelope: dict[str, Any]) -> list[str]:
    """What the buttons of an AMBIGUOUS answer send."""
    assert envelope["code"] == "AMBIGUOUS", envelope
    return [each["label"] for each in envelope["data"]["options"]]


def test_a_result_of_the_agent_is_no_second_place(city: Bench) -> None:
    """After "count schools per street" a street is still one place, and so is a group of them."""
    count(city, polygon_layer_id="streets")
    assert city.ok("resolve_place", text="街道A")["layer_id"] == "streets"
    assert city.ok("resolve_place", text="街道A (330110001)")["layer_id"] == "streets"
    assert city.ok("resolve_place", text="330110001")["layer_id"] == "streets"
    assert city.ok("resolve_place", text="这三个街道", use_selection=True)["layer_id"] == "streets"


def test_a_result_of_an_earlier_session_is_none_either(city: Bench) -> None:
    """The group tells it, when the project was saved and opened again."""
    count(city, polygon_layer_id="streets")
    city.host.created_layers.clear()
    assert city.ok("resolve_place", text="街道A")["layer_id"] == "streets"


def test_a_result_counts_where_nothing_else_has_the_place(city: Bench) -> None:
    """The source was removed, so the copy is all there is."""
    made = count(city, polygon_layer_id="streets")["data"]["layer_id"]
    city.host.project.removeMapLayer(city.host.layers.by_alias("streets").id())
    assert city.ok("resolve_place", text="街道A")["layer_id"] == made


def test_the_same_place_in_two_layers_is_one_place(city: Bench) -> None:
    """Equal name, code and extent, whatever the CRS: 330110002 once more, moved by nothing."""
    again = area("streets again", [(square(114.01, 30), "330110002", "街道B"), (square(114.02, 30), "9", "街道C")])
    city.add(again)
    first = city.ok("resolve_place", text="街道B")
    assert first["count"] == 1 and first["values"] == ["330110002"]
    assert sorted(labels(city.call("resolve_place", text="街道C"))) == ["街道C (330110003)", "街道C (9)"]


@pytest.mark.parametrize("names", [("old", "new"), ("areas", "areas")])
def test_every_button_resolves_to_exactly_one_place(city: Bench, names: tuple[str, str]) -> None:
    """Equal name and code at two spots, in layers of different names, of equal names, and twice in one layer."""
    first = [(square(110, 30), "1", "新城"), (square(111, 30), "1", "新城")]
    for name, rows in zip(names, (first, [(square(112, 30), "1", "新城")]), strict=True):
        city.add(area(name, rows))
    sent = labels(city.call("resolve_place", text="新城"))
    assert len(sent) == len(set(sent)) == 3
    boxes = {tuple(city.ok("resolve_place", text=each)["bbox"]) for each in sent}
    assert len(boxes) == 3
    assert all(city.ok("resolve_place", text=each)["count"] == 1 for each in sent)


def test_a_button_shows_the_layers_name_not_its_alias(city: Bench) -> None:
    """And its group where two layers are called alike."""
    for number, x in enumerate((110, 112)):
        layer = area("my areas", [(square(x, 30), "1", "新城")])
        city.host.project.addMapLayer(layer, False)
        group: QgsLayerTreeGroup = city.host.project.layerTreeRoot().addGroup(f"part {number}")
        group.addLayer(layer)
    sent = labels(city.call("resolve_place", text="新城"))
    assert sent == ["新城 (1) [part 0 / my areas]", "新城 (1) [part 1 / my areas]"]


def test_a_place_of_a_layer_with_codes_only(city: Bench) -> None:
    """Its button carries what it can be found by."""
    for name, x in (("p", 110), ("q", 112)):
        city.add(memory_layer("Polygon?crs=EPSG:4490&field=code:string(9)", [(square(x, 30), ["Z7"])], name))
    for each in labels(city.call("resolve_place", text="Z7")):
        assert city.ok("resolve_place", text=each)["count"] == 1


def test_a_count_in_one_area_speaks_of_that_area(city: Bench) -> None:
    """One school lies outside of the district that was asked about; that is no fault of a CRS."""
    envelope = in_district(city)
    assert envelope["data"]["total_count"] == 3 and envelope["data"]["outside"] == 1
    assert envelope["message"] == "Points outside of 云溪区: 1 of 4."
    none = in_district(city, "330111")
    assert none["data"]["total_count"] == 0
    assert none["message"] == "None of the 4 points lies inside 城关区."
    whole = count(city, polygon_layer_id="districts")
    assert whole["message"] == "1 of 4 points lie outside of all polygons."


def test_a_question_asked_twice_leaves_one_layer(city: Bench) -> None:
    """The same area, the same numbers: the layer of the first time. Other numbers: another layer."""
    first = in_district(city)["data"]
    again = in_district(city)["data"]
    assert (again["layer_id"], again["reused"], again["rows"]) == (first["layer_id"], True, first["rows"])
    assert in_district(city, "330111")["data"]["layer_id"] != first["layer_id"]
    schools = city.host.layers.by_alias("schools")
    assert isinstance(schools, QgsVectorLayer)
    schools.dataProvider().deleteFeatures([min(schools.allFeatureIds())])
    fewer = in_district(city)["data"]
    assert fewer["total_count"] == 2 and fewer["layer_id"] != first["layer_id"] and "reused" not in fewer


def test_a_field_that_is_none_gives_the_fields_that_serve(city: Bench) -> None:
    """Names alike first, then number fields for classes, no key; the button replaces the wrong word."""
    plots = memory_layer(
        "Point?crs=EPSG:4326&field=fid:integer&field=kind:string&field=pupils:integer&field=year:integer",
        [("POINT(1 2)", [1, "x", 10, 1990])],
        "plots",
    )
    city.add(plots)
    graduated = city.call("set_render_rule", layer_id="plots", method="graduated", field="foo")
    assert graduated["data"]["options"] == [{"label": each, "replaces": "foo"} for each in ("pupils", "year", "kind")]
    near = city.call("set_render_rule", layer_id="plots", method="graduated", field="years")
    assert [each["label"] for each in near["data"]["options"]] == ["year", "pupils", "kind"]
    any_kind = city.call("count_features", layer_id="plots", group_by="foo")
    assert [each["label"] for each in any_kind["data"]["options"]] == ["kind", "pupils", "year"]
    order = [{"field": "foo", "op": "gt", "value": 3}]
    compared = city.call("count_features", layer_id="plots", where=order)
    assert [each["label"] for each in compared["data"]["options"]] == ["pupils", "year", "kind"]


def test_switching_a_layer_tells_the_groups_that_were_switched_with_it(city: Bench) -> None:
    """As data, because a remark is in one language only."""
    layer = area("plan", [(square(110, 30), "1", "x")])
    city.host.project.addMapLayer(layer, False)
    group: QgsLayerTreeGroup = city.host.project.layerTreeRoot().addGroup("base")
    group.addLayer(layer).setItemVisibilityChecked(False)
    group.setItemVisibilityChecked(False)
    shown = city.ok("toggle_layer", layer_id="plan", visible=True)
    assert (shown["changed"], shown["groups"]) == (True, ["base"])
    again = city.ok("toggle_layer", layer_id="plan", visible=True)
    assert again["changed"] is False and "groups" not in again
