"""set_layer_filter: one meaning on six providers, never wider than what was found, taken back on a difference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import QgsFeature, QgsField, QgsGeometry, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType
from six_providers import PROVIDERS
from test_conditions import COMBINED, ROWS, TABLE, as_kept, kept_row, layer_on, one, postgis  # noqa: F401  fixtures

from qgis_agent.gis import filters

UNSAYABLE = "it's_a\\te\"st"


def keys(layer: QgsVectorLayer) -> list[int]:
    """What the layer shows now, read by QGIS."""
    return sorted(feature["key"] for feature in layer.getFeatures())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_filters_mean_the_same_on_six_providers(
    bench: Bench,
    layer_on: Callable[[str], QgsVectorLayer],  # noqa: F811
    provider: str,
) -> None:
    """Each operator as a filter shows the rows that plain Python says, and [] shows all again."""
    layer = bench.add(layer_on(provider))
    rows = [kept_row(provider, row) for row in ROWS]
    for where, test in TABLE + COMBINED:
        asked = as_kept(provider, where)
        if asked is None:
            continue
        expected = [i for i, row in enumerate(rows) if test(row)]
        context = f"{provider} {asked}"
        envelope = bench.call("set_layer_filter", layer_id="t", where=asked)
        assert envelope["ok"], f"{context} {envelope}"
        data = envelope["data"]
        assert keys(layer) == expected, f"{context} {layer.subsetString()}"
        assert data["features_after"] == len(expected), context
        assert data["count_kind"] == "exact"
    data = bench.ok("set_layer_filter", layer_id="t", where=[])
    assert (layer.subsetString(), data["features_after"]) == ("", len(ROWS))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_found_filter_is_never_widened(
    bench: Bench,
    layer_on: Callable[[str], QgsVectorLayer],  # noqa: F811
    provider: str,
) -> None:
    """What a person has filtered out stays out, whatever is set; [] goes back to the person's filter, not to none."""
    layer = bench.add(layer_on(provider))
    assert layer.setSubsetString('"n" > 0')
    shown = [0, 1, 3, 4, 7]
    assert keys(layer) == shown
    data = bench.ok("set_layer_filter", layer_id="t", where=one("n", "lt", 5))
    assert keys(layer) == [0, 1, 3]
    assert (data["features_before"], data["features_after"], data["found_filter"]) == (5, 3, '"n" > 0')
    # the second one replaces the agent's own, it is not piled on it
    bench.ok("set_layer_filter", layer_id="t", where=one("n", "gte", 4))
    assert keys(layer) == [3, 4, 7]
    bench.issue()  # another run
    bench.ok("set_layer_filter", layer_id="t", where=[])
    assert (layer.subsetString(), keys(layer)) == ('"n" > 0', shown)


def test_a_filter_that_a_person_sets_meanwhile_is_found_too(bench: Bench, tmp_path: Path) -> None:
    """The person narrows after the agent: that is the floor from then on."""
    layer = bench.add(small())
    bench.ok("set_layer_filter", layer_id="layer", where=one("n", "gt", 1))
    assert layer.setSubsetString('"n" = 3')
    bench.ok("set_layer_filter", layer_id="layer", where=one("n", "gt", 0))
    assert [each["n"] for each in layer.getFeatures()] == [3]
    bench.ok("set_layer_filter", layer_id="layer", where=[])
    assert layer.subsetString() == '"n" = 3'


def test_a_filter_with_or_is_kept_whole(bench: Bench) -> None:
    """a OR b found, c added: (a OR b) AND c, not a OR (b AND c)."""
    layer = bench.add(small())
    assert layer.setSubsetString('"n" = 1 OR "n" = 2')
    bench.ok("set_layer_filter", layer_id="layer", where=one("n", "gte", 2))
    assert [each["n"] for each in layer.getFeatures()] == [2]


def small(name: str = "layer") -> QgsVectorLayer:
    """Five rows in memory."""
    rows: list[tuple[str | None, list[Any]]] = [(f"POINT({n} 0)", [n, f"t{n}"]) for n in range(1, 6)]
    return memory_layer("Point?crs=EPSG:4326&field=n:integer&field=t:string", rows, name)


def test_virtual_and_joined_fields_are_refused(bench: Bench) -> None:
    """No filter can use them; on a GeoPackage it would silently filter nothing."""
    layer = bench.add(small())
    layer.addExpressionField('"n" * 10', QgsField("ten", QMetaType.Type.Int))
    envelope = bench.call("set_layer_filter", layer_id="layer", where=one("ten", "gt", 20))
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "field_origin")
    assert "select_features" in envelope["hint"]
    assert layer.subsetString() == ""


def test_a53_no_filter_in_edit_mode(
    bench: Bench,
    layer_on: Callable[[str], QgsVectorLayer],  # noqa: F811
) -> None:
    """A53: the edit session is named, nothing is saved or rolled back, the count stays; afterwards it works."""
    layer = bench.add(layer_on("gpkg"))
    assert layer.startEditing()
    new = QgsFeature(layer.fields())
    new.setGeometry(QgsGeometry.fromWkt("POINT(5 5)"))
    assert layer.addFeature(new)
    envelope = bench.call("set_layer_filter", layer_id="t", where=one("n", "gt", 1))
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "edit_mode")
    assert "edit" in envelope["message"]
    assert layer.isEditable()
    assert len(layer.editBuffer().addedFeatures()) == 1
    assert bench.ok("count_features", layer_id="t")["count"] == len(ROWS) + 1
    assert layer.rollBack()
    assert bench.ok("set_layer_filter", layer_id="t", where=one("n", "gt", 1))["features_after"] == 4


def test_a_filter_that_shows_other_features_is_taken_back(
    bench: Bench,
    layer_on: Callable[[str], QgsVectorLayer],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The filter in force is what counts: one that ignores case, as "=" in OGR SQL does, is found out and undone."""
    layer = bench.add(layer_on("shp"))
    assert layer.setSubsetString('"n" < 5')
    monkeypatch.setattr(filters, "_subset", lambda *_args: '"n" < 5 AND "name" = \'ALPHA\'')
    envelope = bench.call("set_layer_filter", layer_id="t", where=one("name", "eq", "ALPHA"))
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "filter_differs")
    assert layer.subsetString() == '"n" < 5'
    assert keys(layer) == [0, 1, 3, 5, 6]


def test_a_filter_that_the_source_refuses_leaves_the_old_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken text: UPSTREAM_ERROR, and the layer as before."""
    layer = bench.add(small())
    assert layer.setSubsetString('"n" > 2')
    layer.selectAll()
    monkeypatch.setattr(filters, "_subset", lambda *_args: '"n" > (')
    assert bench.code("set_layer_filter", layer_id="layer", where=one("n", "gt", 3)) == "UPSTREAM_ERROR"
    assert layer.subsetString() == '"n" > 2'
    assert layer.selectedFeatureCount() == 3


def test_a_backslash_at_the_end_does_not_end_the_quotes(bench: Bench, tmp_path: Path) -> None:
    """In OGR SQL \\' is a quote inside a text: such a value must not break out of it."""
    layer = memory_layer("Point?crs=EPSG:4326&field=t:string&field=key:integer", [("POINT(0 0)", ["x", 0])])
    from six_providers import on_provider

    shape = bench.add(on_provider(layer, "shp", tmp_path))
    for value in ("a\\", "a\\' OR 1=1 OR t='"):
        envelope = bench.call("set_layer_filter", layer_id="t", where=one("t", "eq", value))
        assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "filter_dialect")
        assert shape.subsetString() == ""


def test_what_the_answer_says(bench: Bench) -> None:
    """Counts before and after, the operation, and what is worth knowing."""
    layer = bench.add(small())
    layer.selectAll()
    outcome = bench.outcome("set_layer_filter", layer_id="layer", where=one("t", "eq", "none"))
    assert outcome["envelope"]["data"]["features_before"] == 5
    assert outcome["envelope"]["data"]["features_after"] == 0
    assert "nothing" in outcome["envelope"]["message"]
    assert "selection of 5 features" in outcome["envelope"]["message"]
    assert [each["op"] for each in outcome["actions"]] == ["filter"]
    assert bench.code("set_layer_filter", layer_id="layer", where=one("nope", "eq", "x")) == "NOT_FOUND"
    assert bench.host.map_state()["filters"] == {"layer": layer.subsetString()}
