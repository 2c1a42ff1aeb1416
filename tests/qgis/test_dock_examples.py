"""Examples of the empty panel are made from the project's own layers."""

from __future__ import annotations

from typing import Any

from qgis_agent.gui.dock.examples import example_requests


def layer(name: str, kind: str, *fields: tuple[str, str], visible: bool = True, group: str = "") -> dict[str, Any]:
    listed = [{"name": field, "alias": "", "type": type_} for field, type_ in fields]
    return {"layer_id": name, "name": name, "kind": kind, "group": group, "visible": visible, "fields": listed}


def test_a_project_without_layers_has_none() -> None:
    assert example_requests([]) == []


def test_they_name_layers_and_a_field_that_measures() -> None:
    found = example_requests(
        [
            layer("schools", "point", ("name", "text")),
            layer("streets", "polygon", ("fid", "integer"), ("code", "integer"), ("pop", "integer")),
            layer("hospitals", "point", visible=False),
        ]
    )
    assert found == [
        "How many schools are there?",
        "Colour streets by pop, 5 classes, quantile",
        "Buffer schools 500 m",
        "Show hospitals",
    ]


def test_names_that_do_not_stand_in_a_sentence_are_left_out() -> None:
    layers = [
        layer("a name of many words", "point"),
        layer("x" * 80, "polygon", ("area", "number")),
        layer("schools_per_streets", "polygon", ("density", "number"), group="Agent results"),
    ]
    assert example_requests(layers) == []
    assert example_requests([*layers, layer("学校", "point")]) == [
        "How many 学校 are there?",
        "Buffer 学校 500 m",
        "Zoom to 学校",
    ]
