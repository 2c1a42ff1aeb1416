"""revert_style and copy_style: back step by step, never over a person's own changes; looks for layers that they fit."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsExpressionContextUtils, QgsPalLayerSettings, QgsVectorLayer, QgsVectorLayerSimpleLabeling
from qgis.PyQt.QtGui import QColor

from qgis_agent.gis.style import style_copy
from qgis_agent.gis.style.history import CATEGORIES, canonical, style_xml
from qgis_agent.gis.style.labels import read_labels

FIELDS = "field=name:string(40)&field=x:double"


def points(name: str, values: list[Any], fields: str = FIELDS) -> QgsVectorLayer:
    """Points with a name and a number."""
    rows = [(f"POINT({number} {number % 2})", [f"p{number}", each]) for number, each in enumerate(values)]
    return memory_layer(f"Point?crs=EPSG:4326&{fields}", rows, name)


def look(layer: QgsVectorLayer) -> str:
    """The whole look as text."""
    return canonical(style_xml(layer, CATEGORIES))


def next_run(bench: Bench) -> None:
    """The person's next message: a capability of another run."""
    ledger, old = bench.host.ledger, bench.capability
    bench.capability = ledger.issue(
        caller=old.caller,
        level=old.level,
        session_id=old.session_id,
        run_id=old.run_id + "+",
        project_id=old.project_id,
        enabled_packs=old.enabled_packs,
    )


def three_changes(bench: Bench) -> tuple[QgsVectorLayer, list[str], list[str]]:
    """A layer changed by tools three times: the looks from first to last, and the rule ids."""
    layer = bench.add(points("towns", [1.0, 2.0, 5.0, 9.0]))
    layer.renderer().symbol().setColor(QColor("#336699"))
    looks, ids = [look(layer)], []
    for name, arguments in (
        ("set_render_rule", {"method": "graduated", "field": "x", "classes": 2}),
        ("set_layer_label", {"visible": True, "field": "name"}),
        ("set_legend", {"title": "Towns", "labels": [{"id": "c1", "text": "small"}]}),
    ):
        ids.append(bench.ok(name, layer_id="towns", **arguments)["rule_id"])
        looks.append(look(layer))
    return layer, looks, ids


def test_back_step_by_step(bench: Bench) -> None:
    """Each call goes one change further back, to just the look that was there; then there is nothing more."""
    layer, looks, ids = three_changes(bench)
    layer.setFieldAlias(1, "the person's alias")
    for step in (3, 2, 1):
        outcome = bench.outcome("revert_style", layer_id="towns")
        assert outcome["envelope"]["data"] == {
            "layer_id": "towns",
            "reverted": [ids[step - 1]],
            "earlier_changes": step - 1,
        }
        assert look(layer) == looks[step - 1] and outcome["actions"][0]["op"] == "render"
    assert layer.labeling() is None and layer.attributeAlias(1) == "the person's alias"
    assert bench.code("revert_style", layer_id="towns") == "NOT_FOUND"


def test_back_to_before_a_named_change(bench: Bench) -> None:
    """The named change and the later ones go together; an unknown id is refused with those that there are."""
    layer, looks, ids = three_changes(bench)
    envelope = bench.call("revert_style", layer_id="towns", rule_id="style-99")
    assert envelope["code"] == "NOT_FOUND" and ids[0] in envelope["hint"]
    assert bench.ok("revert_style", layer_id="towns", rule_id=ids[1])["reverted"] == ids[1:]
    assert look(layer) == looks[1]


def test_a_rule_id_of_another_layer_is_refused(bench: Bench) -> None:
    """Nothing of the other layer is touched."""
    _, _, ids = three_changes(bench)
    other = bench.add(points("other", [1.0]))
    bench.ok("set_render_rule", layer_id="other", method="single", options={"color": "#123456"})
    before = look(other)
    assert bench.code("revert_style", layer_id="other", rule_id=ids[0]) == "NOT_FOUND"
    assert look(other) == before


def test_a_persons_later_change_is_not_lost(bench: Bench) -> None:
    """It asks; the model cannot agree in the person's place; after the person's next message it may go."""
    layer, looks, _ = three_changes(bench)
    layer.setOpacity(0.4)
    own = look(layer)
    assert bench.call("revert_style", layer_id="towns", discard_later=True)["code"] == "AMBIGUOUS"
    envelope = bench.call("revert_style", layer_id="towns", discard_later=True)
    assert envelope["code"] == "AMBIGUOUS" and len(envelope["data"]["options"]) == 2 and look(layer) == own
    next_run(bench)
    assert bench.call("revert_style", layer_id="towns")["code"] == "AMBIGUOUS" and look(layer) == own
    next_run(bench)
    bench.ok("revert_style", layer_id="towns", discard_later=True)
    assert look(layer) == looks[2]


def test_the_answer_holds_for_the_look_that_was_asked_about(bench: Bench) -> None:
    """Changed again after the question: it is asked again."""
    layer, _, _ = three_changes(bench)
    layer.setOpacity(0.4)
    assert bench.code("revert_style", layer_id="towns") == "AMBIGUOUS"
    layer.setOpacity(0.6)
    next_run(bench)
    assert bench.code("revert_style", layer_id="towns", discard_later=True) == "AMBIGUOUS"
    assert layer.opacity() == 0.6


def test_a_persons_change_between_two_tools_is_not_jumped_over(bench: Bench) -> None:
    """Back to before the first of them would lose it, so it asks; the last change alone goes back."""
    layer = bench.add(points("towns", [1.0, 2.0, 5.0]))
    first = bench.ok("set_render_rule", layer_id="towns", method="single", options={"color": "#ff0000"})["rule_id"]
    layer.setOpacity(0.5)
    own = look(layer)
    bench.ok("set_layer_label", layer_id="towns", visible=True, field="name")
    assert bench.code("revert_style", layer_id="towns", rule_id=first) == "AMBIGUOUS"
    bench.ok("revert_style", layer_id="towns")
    assert look(layer) == own and layer.opacity() == 0.5


def test_a_font_that_is_not_installed_comes_back(bench: Bench) -> None:
    """QGIS, reading XML, replaces such a font: the person's labels keep theirs."""
    layer = bench.add(points("towns", [1.0]))
    settings = QgsPalLayerSettings()
    settings.fieldName = "name"
    text = settings.format()
    font = text.font()
    font.setFamily("Not Installed Here")
    text.setFont(font)
    settings.setFormat(text)
    layer.setLabeling(QgsVectorLayerSimpleLabeling(settings))
    bench.ok("set_layer_label", layer_id="towns", visible=True, options={"size": 20})
    bench.ok("revert_style", layer_id="towns")
    kept = layer.labeling().settings().format()
    assert kept.font().family() == "Not Installed Here" and kept.size() == text.size()


def drawn_by_none(values: list[Any], limits: tuple[float, float]) -> int:
    """Values outside of the limits, or none at all."""
    return sum(each is None or not limits[0] <= each <= limits[1] for each in values)


def test_copy_of_a_graduated_look(bench: Bench) -> None:
    """Class limits stay those of the source; the features of each target that no class draws are counted."""
    source = bench.add(points("a", [1.0, 2.0, 5.0, 9.0]))
    values = {"b": [0.5, 1.0, 9.0, 9.5, None, 3.0], "c": [4.0]}
    targets = {name: bench.add(points(name, each)) for name, each in values.items()}
    bench.ok("set_render_rule", layer_id="a", method="graduated", field="x", classes=3)
    QgsExpressionContextUtils.setLayerVariable(targets["b"], "mine", "1")
    outcome = bench.outcome("copy_style", layer_id="a", to_layer_ids=["b", "c"])
    copied = {each["layer_id"]: each for each in outcome["envelope"]["data"]["copied"]}
    for name, layer in targets.items():
        assert copied[name]["features"] == len(values[name])
        assert copied[name]["not_drawn"] == drawn_by_none(values[name], (1.0, 9.0))
        limits = [(each.lowerValue(), each.upperValue()) for each in layer.renderer().ranges()]
        assert limits == [(each.lowerValue(), each.upperValue()) for each in source.renderer().ranges()]
    assert "3 of 6" in outcome["envelope"]["message"] and "c:" not in outcome["envelope"]["message"]
    assert [each["op"] for each in outcome["actions"]] == ["render", "render"]
    assert QgsExpressionContextUtils.layerScope(targets["b"]).variable("mine") == "1"
    bench.ok("revert_style", layer_id="b")
    assert targets["b"].renderer().type() == "singleSymbol" and targets["c"].renderer().type() == "graduatedSymbol"


def test_copy_of_a_part(bench: Bench) -> None:
    """Labels alone leave the renderer, the renderer alone leaves the labels."""
    bench.add(points("a", [1.0, 2.0]))
    target = bench.add(points("b", [1.0, 2.0]))
    bench.ok("set_render_rule", layer_id="a", method="single", options={"color": "#ff0000"})
    bench.ok("set_layer_label", layer_id="a", visible=True, field="name", options={"size": 17})
    color = target.renderer().symbol().color().name()
    bench.ok("copy_style", layer_id="a", to_layer_ids=["b"], part="labels")
    assert read_labels(target)["size"] == 17 and target.labelsEnabled()
    assert target.renderer().symbol().color().name() == color
    bench.ok("set_layer_label", layer_id="b", visible=True, options={"size": 8})
    bench.ok("copy_style", layer_id="a", to_layer_ids=["b"], part="renderer")
    assert target.renderer().symbol().color().name() == "#ff0000" and read_labels(target)["size"] == 8


def test_what_does_not_fit_is_refused(bench: Bench) -> None:
    """Other geometry, missing fields, the layer itself, no labels: nothing is changed, not even the target that fits."""
    bench.add(points("a", [1.0, 2.0]))
    fits = bench.add(points("fits", [1.0, 2.0]))
    bench.add(points("bare", [1], "field=title:string&field=n:integer"))
    bench.add(memory_layer(f"LineString?crs=EPSG:4326&{FIELDS}", [("LINESTRING(0 0, 1 1)", ["w", 1.0])], "way"))
    before = look(fits)
    assert bench.code("copy_style", layer_id="a", to_layer_ids=["fits"], part="labels") == "INVALID_PARAM"
    bench.ok("set_render_rule", layer_id="a", method="graduated", field="x", classes=2)
    bench.ok("set_layer_label", layer_id="a", visible=True, field="name")
    envelope = bench.call("copy_style", layer_id="a", to_layer_ids=["fits", "bare"])
    assert envelope["code"] == "INVALID_PARAM" and "name, x" in envelope["message"]
    assert (
        "name"
        not in bench.call("copy_style", layer_id="a", to_layer_ids=["bare"], part="renderer")["message"].split(":")[1]
    )
    assert bench.code("copy_style", layer_id="a", to_layer_ids=["fits", "way"]) == "INVALID_PARAM"
    assert bench.code("copy_style", layer_id="a", to_layer_ids=["a"]) == "INVALID_PARAM"
    assert bench.code("copy_style", layer_id="a", to_layer_ids=["nowhere"]) == "NOT_FOUND"
    assert look(fits) == before


def test_all_targets_are_undone_when_one_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second target does not take the look: the first has its own again."""
    bench.add(points("a", [1.0, 2.0])).setOpacity(0.5)
    first, second = bench.add(points("b", [1.0])), bench.add(points("c", [1.0]))
    bench.ok("set_render_rule", layer_id="a", method="single", options={"color": "#ff0000"})
    before = look(first), look(second)
    real = style_copy.set_style_xml

    def failing(layer: QgsVectorLayer, xml: str, categories: Any) -> None:
        if layer is not second:
            real(layer, xml, categories)

    monkeypatch.setattr(style_copy, "set_style_xml", failing)
    assert bench.code("copy_style", layer_id="a", to_layer_ids=["b", "c"]) == "UPSTREAM_ERROR"
    assert (look(first), look(second)) == before
