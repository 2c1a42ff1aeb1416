"""The person's scope: what is kept, what it hides, and that it can only hide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from qgis.core import (
    QgsField,
    QgsMapLayer,
    QgsProject,
    QgsVectorFileWriter,
    QgsVectorLayer,
    QgsVectorLayerJoinInfo,
)
from qgis.PyQt.QtCore import QMetaType

from qgis_agent.gis.scope import scope_of, seen_fields

CANARY = "kanarienvogel"
DEFINITION = "Point?crs=EPSG:4326&field=id:integer&field=kind:string&field=salary:double&field=secret:string"


def people(name: str = "people") -> QgsVectorLayer:
    """Twelve points with a field that is nobody's business."""
    rows = [(f"POINT({n} {n % 5})", [n, "ab"[n % 2], 1000.0 + n, f"{CANARY}{n}"]) for n in range(12)]
    return memory_layer(DEFINITION, rows, name)


def in_file(folder: Path, name: str = "people", layer: QgsVectorLayer | None = None) -> str:
    """The path of a GeoPackage with the points, in a folder that is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.gpkg"
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.layerName = name
    made = layer or people(name)
    result = QgsVectorFileWriter.writeAsVectorFormatV3(made, str(path), made.transformContext(), options)
    assert result[0] == QgsVectorFileWriter.WriterError.NoError, result
    return str(path)


def hide(bench: Bench, layer: QgsVectorLayer, *names: str) -> None:
    """Exclude fields, or the layer where none is named."""
    scope = bench.host.scope
    scope.set([] if names else [layer.id()], {layer.id(): names} if names else {}, [])


def told(bench: Bench) -> str:
    """All that an agent is told of the project without asking."""
    return json.dumps([bench.host.snapshot(), bench.host.layers.catalogue(), bench.host.map_state()])


def test_an_excluded_layer_is_gone_from_the_catalogue_at_once(bench: Bench) -> None:
    layer = bench.add(people())
    bench.add(people("towns"))
    assert "people" in told(bench)
    changes: list[int] = []
    bench.host.scope.changed.connect(lambda: changes.append(1))
    hide(bench, layer)
    assert changes == [1]
    assert "people" not in told(bench) and "towns" in told(bench)
    assert bench.host.layers.by_alias("people") is None
    assert bench.host.scope.counts() == (1, 0, 0)
    bench.host.scope.set([], {}, [])
    assert bench.host.layers.by_alias("people") is layer
    assert QgsProject.instance().entryList("QgisAgent", "") == []


def test_named_but_excluded_is_forbidden_and_unknown_is_not_found(bench: Bench) -> None:
    """M-192, M-406; the hint for a layer that does not exist names none that is excluded."""
    layer = bench.add(people("people_a"))
    bench.add(people("people_b"))
    hide(bench, layer)
    for name in ("people_a", "PEOPLE_A", layer.id()):
        envelope = bench.call("describe_layer", layer_id=name)
        assert (envelope["code"], envelope["reason"], envelope["retryable"]) == ("FORBIDDEN", "scope", False)
        assert CANARY not in json.dumps(envelope) and "salary" not in json.dumps(envelope)
    envelope = bench.call("describe_layer", layer_id="people_c")
    assert envelope["code"] == "NOT_FOUND"
    assert "people_b" in envelope["hint"] and "people_a" not in envelope["hint"]


def test_a_private_layer_stays_not_found(bench: Bench) -> None:
    layer = bench.add(people())
    layer.setFlags(layer.flags() | QgsMapLayer.LayerFlag.Private)
    assert bench.code("describe_layer", layer_id="people") == "NOT_FOUND"


def test_an_excluded_field_does_not_exist_for_tools(bench: Bench) -> None:
    layer = bench.add(people())
    hide(bench, layer, "secret")
    data = bench.ok("describe_layer", layer_id="people")
    assert [each["name"] for each in data["fields"]] == ["id", "kind", "salary"]
    rows = bench.ok("query_features", layer_id="people", limit=3)["rows"]
    assert all(set(row) == {"id", "kind", "salary"} for row in rows)
    envelope = bench.call("list_values", layer_id="people", field="secret")
    assert envelope["code"] == "NOT_FOUND"
    options = [each["label"] for each in envelope["data"]["options"]]
    assert "secret" not in envelope["hint"] and options == ["kind", "salary"]
    where = [{"field": "secret", "op": "starts_with", "value": CANARY}]
    assert bench.code("count_features", layer_id="people", where=where) == "NOT_FOUND"


def test_results_of_analyses_do_not_carry_an_excluded_field(bench: Bench) -> None:
    """The copy that the algorithm gets has all rows and all other fields."""
    layer = bench.add(people())
    hide(bench, layer, "secret")
    alias = bench.ok("buffer_layer", layer_id="people", distance_m=10)["layer_id"]
    result = bench.host.layers.by_alias(alias)
    assert {"id", "kind", "salary"} <= set(result.fields().names()) and "secret" not in result.fields().names()
    values = [each.attributes() for each in result.getFeatures()]
    assert len(values) == 12 and CANARY not in repr(values)
    assert sorted(each["id"] for each in result.getFeatures()) == list(range(12))
    assert layer.fields().names() == ["id", "kind", "salary", "secret"]


def test_run_algorithm_gives_no_excluded_field_on(bench: Bench) -> None:
    layer = bench.add(people())
    hide(bench, layer, "secret")
    for parameters in (
        {"INPUT": "people"},
        {"INPUT": {"layer_id": "people", "where": [{"field": "id", "op": "lt", "value": 3}]}},
    ):
        data = bench.ok("run_algorithm", algorithm="native:centroids", parameters={**parameters, "ALL_PARTS": False})
        layers = [each for each in QgsProject.instance().mapLayers().values() if each is not layer]
        made = layers[-1]
        assert "secret" not in made.fields().names() and CANARY not in json.dumps(data)
    envelope = bench.call(
        "run_algorithm",
        algorithm="native:extractbyexpression",
        parameters={"INPUT": "people", "EXPRESSION": f"\"secret\" = '{CANARY}3'"},
    )
    assert not envelope["ok"]


def test_formulas_do_not_know_an_excluded_field(bench: Bench) -> None:
    layer = bench.add(people())
    hide(bench, layer, "salary")
    envelope = bench.call("calculate_field", layer_id="people", field="x", formula='"salary" * 2')
    assert not envelope["ok"] and envelope["code"] in ("INVALID_PARAM", "NOT_FOUND"), envelope
    data = bench.ok("calculate_field", layer_id="people", field="x", formula='"id" * 2')
    made = bench.host.layers.by_alias(data["layer_id"])
    assert made.fields().names() == ["id", "kind", "secret", "x"]
    assert sorted(each["x"] for each in made.getFeatures()) == [2 * n for n in range(12)]


def test_rename_save_and_open_again_keep_the_scope(bench: Bench, tmp_path: Path) -> None:
    project = QgsProject.instance()
    path = in_file(tmp_path / "data")
    layer = bench.add(QgsVectorLayer(path, "people", "ogr"))
    other = bench.add(QgsVectorLayer(in_file(tmp_path / "more", "towns"), "towns", "ogr"))
    project.write(str(tmp_path / "p.qgz"))
    bench.host.scope.set([layer.id()], {other.id(): ["secret"]}, [str(tmp_path / "data")])
    layer.setName("renamed")
    assert bench.code("describe_layer", layer_id="renamed") == "FORBIDDEN"
    assert project.write(str(tmp_path / "p.qgz"))
    project.clear()
    assert bench.host.scope.counts() == (0, 0, 0)
    assert project.read(str(tmp_path / "p.qgz"))
    assert bench.host.scope.counts() == (1, 1, 1)
    assert bench.host.layers.aliases() == ["towns"]
    assert "secret" not in told(bench)
    assert json.loads(project.readEntry("QgisAgent", "/scope")[0])["folders"] == ["data"]


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_copy_of_an_excluded_layer_is_excluded_too(bench: Bench, tmp_path: Path, kind: str) -> None:
    layer = people() if kind == "memory" else QgsVectorLayer(in_file(tmp_path), "people", "ogr")
    bench.add(layer)
    hide(bench, layer)
    copy = layer.clone()
    copy.setName("innocent")
    bench.add(copy)
    if kind == "file":
        again = bench.add(QgsVectorLayer(layer.source() + '|subset="id" > 3', "again", "ogr"))
        assert again.featureCount() > 0
    assert bench.host.layers.aliases() == []


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_copy_of_a_layer_with_excluded_fields_hides_them_too(bench: Bench, tmp_path: Path, kind: str) -> None:
    layer = people() if kind == "memory" else QgsVectorLayer(in_file(tmp_path), "people", "ogr")
    bench.add(layer)
    hide(bench, layer, "secret")
    copy = layer.clone()
    copy.setName("copy")
    bench.add(copy)
    assert "secret" not in seen_fields(copy).names() and "salary" in seen_fields(copy).names()


def test_a_field_that_is_renamed_stays_hidden(bench: Bench) -> None:
    layer = bench.add(people())
    hide(bench, layer, "secret")
    layer.startEditing()
    layer.renameAttribute(layer.fields().indexOf("secret"), "open")
    assert layer.commitChanges()
    assert seen_fields(layer).names() == ["id", "kind", "salary"]


def test_joined_and_virtual_fields_show_nothing_of_what_is_excluded(bench: Bench) -> None:
    table = bench.add(people("table"))
    layer = bench.add(people("towns"))
    join = QgsVectorLayerJoinInfo()
    join.setJoinLayer(table)
    join.setJoinFieldName("id")
    join.setTargetFieldName("id")
    join.setPrefix("t_")
    join.setUsingMemoryCache(True)
    assert layer.addJoin(join)
    layer.addExpressionField('upper("t_secret")', QgsField("loud", QMetaType.Type.QString))
    layer.addExpressionField('"loud" || 1', QgsField("louder", QMetaType.Type.QString))
    layer.addExpressionField('"salary" * 2', QgsField("double", QMetaType.Type.Double))
    layer.addExpressionField("attribute('secret')", QgsField("sly", QMetaType.Type.QString))
    layer.addExpressionField("aggregate('table', 'max', \"secret\")", QgsField("slyer", QMetaType.Type.QString))
    bench.host.scope.set([], {table.id(): ["secret"]}, [])
    names = seen_fields(layer).names()
    assert "t_kind" in names and "double" in names and "secret" in names
    assert not {"t_secret", "loud", "louder", "slyer"} & set(names)
    bench.host.scope.set([table.id()], {}, [])
    assert not [each for each in seen_fields(layer).names() if each.startswith("t_")]
    facts = json.dumps(bench.ok("describe_layer", layer_id="towns"))
    assert "table" not in facts.replace("spatial", "") or '"layer_id": null' in facts


def test_a_virtual_layer_over_an_excluded_one_is_excluded(bench: Bench) -> None:
    layer = bench.add(people())
    virtual = bench.add(QgsVectorLayer("?query=SELECT%20*%20FROM%20people", "view", "virtual"))
    assert bench.host.layers.by_alias("view") is virtual
    hide(bench, layer, "secret")
    assert bench.host.layers.by_alias("view") is None


def test_files_of_what_is_excluded_are_not_opened_again(bench: Bench, tmp_path: Path) -> None:
    path = in_file(tmp_path / "a")
    other = in_file(tmp_path / "b", "towns")
    free = in_file(tmp_path / "c", "rivers")
    layer = bench.add(QgsVectorLayer(path, "people", "ogr"))
    scope = bench.host.scope
    scope.set([layer.id()], {}, [str(tmp_path / "b")])
    (tmp_path / "link.gpkg").symlink_to(path)
    for hidden in (path, path.replace(".gpkg", ".gpkg-wal"), other, str(tmp_path / "link.gpkg"), str(tmp_path / "b")):
        assert scope.hides_path(hidden), hidden
    assert not scope.hides_path(free)
    for each in (path, other, str(tmp_path / "link.gpkg")):
        assert bench.code("add_vector_layer", path=each) in ("FORBIDDEN", "NOT_FOUND")
        assert bench.code("inspect_data_file", path=each) in ("FORBIDDEN", "NOT_FOUND")
    rows = json.dumps(bench.ok("list_data_files", folder=str(tmp_path)))
    assert "rivers.gpkg" in rows and "people.gpkg" not in rows and "towns.gpkg" not in rows
    assert bench.ok("add_vector_layer", path=free)
    inside = bench.add(QgsVectorLayer(other, "towns", "ogr"))
    assert scope.hides_layer(inside)


@pytest.mark.parametrize("entry", ["{", "[]", '{"layers": 3, "fields": [], "folders": []}', '{"layers": []}', '"x"'])
def test_an_entry_that_cannot_be_read_hides_everything(bench: Bench, tmp_path: Path, entry: str) -> None:
    bench.add(people())
    QgsProject.instance().writeEntry("QgisAgent", "/scope", entry)
    bench.host.layers._changed()
    assert bench.host.scope.damaged
    assert bench.host.layers.aliases() == [] and bench.host.scope.hides_path(str(tmp_path))
    assert bench.code("describe_layer", layer_id="people") == "FORBIDDEN"
    bench.host.scope.set([], {}, [])
    assert bench.host.layers.aliases() == ["people"]


def test_at23_pages_of_a_result_are_checked_again_at_every_fetch(bench: Bench) -> None:
    layer = bench.add(
        memory_layer(DEFINITION, [(f"POINT({n} 1)", [n, "a" * 80, 1.0, CANARY * 6]) for n in range(60)], "people")
    )
    bench.add(people("towns"))
    ref = bench.ok("query_features", layer_id="people", limit=60)["result_ref"]
    other = bench.host.layers.by_alias("towns")
    assert CANARY in json.dumps(bench.ok("fetch_result", result_ref=ref))
    bench.host.scope.set([], {other.id(): ["secret"]}, [])
    assert bench.ok("fetch_result", result_ref=ref)["total"] == 60  # of another layer
    for layers, fields in (([layer.id()], {}), ([], {layer.id(): ["secret"]})):
        bench.host.scope.set(layers, fields, [])
        envelope = bench.call("fetch_result", result_ref=ref)
        assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "scope")
        assert CANARY not in json.dumps(envelope)
    bench.host.scope.set([], {}, [])
    assert bench.ok("fetch_result", result_ref=ref)["total"] == 60


def test_a_change_of_scope_makes_kept_answers_old(bench: Bench) -> None:
    """The agent process keeps answers by the data revision."""
    layer = bench.add(people())
    before = bench.host.revision.of(["people"])
    hide(bench, layer, "secret")
    assert before is not None and bench.host.revision.of(["people"]) != before


def test_a_filter_that_names_an_excluded_field_is_told_without_its_words(bench: Bench, tmp_path: Path) -> None:
    layer = bench.add(QgsVectorLayer(in_file(tmp_path), "people", "ogr"))
    layer.setSubsetString(f"\"secret\" = '{CANARY}3'")
    assert CANARY in told(bench)
    hide(bench, layer, "secret")
    assert CANARY not in told(bench) and "secret" not in told(bench)
    assert CANARY not in json.dumps(bench.ok("describe_layer", layer_id="people"))


def test_scope_is_one_object_a_project(bench: Bench) -> None:
    assert scope_of(QgsProject.instance()) is bench.host.scope
    other: Any = QgsProject()
    assert scope_of(other) is not bench.host.scope
