"""Edits: shown with old and new values, made in the edit buffer, read back, saved only when asked for."""

from __future__ import annotations

import time
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import gdal, ogr
from qgis.core import QgsFeature, QgsField, QgsGeometry, QgsVectorLayer
from qgis.PyQt.QtCore import QMetaType

from qgis_agent.gis.paths import PathPolicy

ROWS = [(f"POINT({x} {x})", [f"p{x}", x, x / 2]) for x in range(5)]


@pytest.fixture
def chat(bench: Bench) -> Bench:
    """A person who agrees to everything, and five points in memory."""
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    bench.add(memory_layer("Point?crs=EPSG:4326&field=name:string(5)&field=n:integer&field=x:double", ROWS, "points"))
    return bench


def geopackage(bench: Bench, sql: str = "") -> QgsVectorLayer:
    """The same five points in a file, whose table may have a trigger."""
    path = str(bench.folder / "data.gpkg")
    source = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    layer = source.CreateLayer("data", None, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    number = ogr.FieldDefn("n", ogr.OFTInteger)
    layer.CreateField(number)
    for wkt, (name, n, _x) in ROWS:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        feature.SetField("name", name)
        feature.SetField("n", n)
        layer.CreateFeature(feature)
    del feature, layer
    if sql:
        source.ExecuteSQL(sql)
    del source
    return bench.add(QgsVectorLayer(path, "data", "ogr"))


def values(layer: Any, field: str) -> list[Any]:
    """A column as QGIS shows it."""
    return [each[field] for each in layer.getFeatures()]


def in_file(bench: Bench, field: str) -> list[Any]:
    """A column as OGR reads it from the file."""
    source = gdal.OpenEx(str(bench.folder / "data.gpkg"), gdal.OF_VECTOR)
    layer = source.GetLayer(0)
    return [each.GetField(field) for each in layer]


def points(bench: Bench) -> QgsVectorLayer:
    """The layer in memory."""
    layer = bench.host.layers.by_alias("points")
    assert layer is not None
    return layer


BIG = [{"field": "n", "op": "gte", "value": 3}]


def test_values_are_set_unsaved_and_can_be_taken_back(chat: Bench) -> None:
    """Old and new on the card; the layer is left in edit mode; one undo takes all of it back."""
    layer = points(chat)
    data = chat.ok(
        "prepare_edit_features", layer_id="points", action="set", where=BIG, values=[{"field": "n", "value": 9}]
    )
    assert (data["feature_count"], data["saved"], data["reversible"]) == (2, False, True)
    assert values(layer, "n") == [0, 1, 2, 9, 9]
    lines = dict(chat.approver.cards[-1]["lines"])
    assert lines["Features that change"] == "2"
    assert [text for label, text in lines.items() if label.startswith("#")] == ["n: 3 → 9", "n: 4 → 9"]
    assert chat.approver.cards[-1]["reversible"] is True
    assert layer.isEditable() and layer.undoStack().text(0) == "Agent: set"
    layer.undoStack().undo()
    assert values(layer, "n") == [0, 1, 2, 3, 4]
    layer.rollBack()


def test_a_no_changes_nothing(chat: Bench) -> None:
    """And does not even start editing."""
    chat.approver.answer = "deny"
    envelope = chat.call("prepare_edit_features", layer_id="points", action="delete", where=BIG)
    assert envelope["code"] == "PERMISSION_DENIED"
    assert not points(chat).isEditable()


def test_a_formula_is_evaluated_by_feature(chat: Bench) -> None:
    """x = n * n + 0.5; a formula that reads a file is refused."""
    given = [{"field": "x", "formula": '"n" * "n" + 0.5'}]
    chat.ok("prepare_edit_features", layer_id="points", action="set", options={"all_features": True}, values=given)
    assert values(points(chat), "x") == [n * n + 0.5 for n in range(5)]
    bad = [{"field": "name", "formula": "env('HOME')"}]
    envelope = chat.call("prepare_edit_features", layer_id="points", action="set", where=BIG, values=bad)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "formula")
    points(chat).rollBack()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("n", 99999999999, "2147483647"),
        ("n", 2.5, "rounded"),
        ("n", "7", "whole number"),
        ("name", "abcdef", "6 characters"),
        ("name", 7, "text"),
        ("x", True, "finite number"),
    ],
)
def test_a49_what_does_not_fit_is_refused(chat: Bench, field: str, value: Any, words: str) -> None:
    """No row vanishes and no value is cut or rounded in silence."""
    given = [{"field": field, "value": value}]
    envelope = chat.call("prepare_edit_features", layer_id="points", action="set", where=BIG, values=given)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "value")
    assert words in envelope["message"]
    assert chat.approver.cards == []


def test_a49_a_formula_that_does_not_fit_one_feature(chat: Bench) -> None:
    """if("n"=3, 1, 99999999999): named with its feature, nothing changed."""
    given = [{"field": "n", "formula": 'if("n"=3, 1, 99999999999)'}]
    envelope = chat.call("prepare_edit_features", layer_id="points", action="set", where=BIG, values=given)
    assert envelope["reason"] == "value"
    assert "p4" in envelope["message"]
    assert values(points(chat), "n") == [0, 1, 2, 3, 4]


def test_a53_unsaved_edits_of_a_person_are_neither_saved_nor_lost(chat: Bench) -> None:
    """save is refused; without it the edit joins theirs as one command of its own."""
    layer = points(chat)
    layer.startEditing()
    feature = QgsFeature(layer.fields())
    feature.setAttributes(["mine", 50, 0.0])
    feature.setGeometry(QgsGeometry.fromWkt("POINT(5 5)"))
    layer.addFeature(feature)
    given: dict[str, Any] = {
        "layer_id": "points",
        "action": "set",
        "where": BIG,
        "values": [{"field": "n", "value": 7}],
    }
    envelope = chat.call("prepare_edit_features", **given, options={"save": True})
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "unsaved_edits")
    assert chat.ok("prepare_edit_features", **given)["feature_count"] == 3
    assert sorted(values(layer, "n")) == [0, 1, 2, 7, 7, 7]
    layer.undoStack().undo()
    assert sorted(values(layer, "n")) == [0, 1, 2, 3, 4, 50]
    assert layer.dataProvider().featureCount() == 5
    layer.rollBack()


def test_a56_virtual_fields_are_refused(chat: Bench) -> None:
    """A virtual field has no value to change."""
    points(chat).addExpressionField('"n"*10', QgsField("ten", QMetaType.Type.Int))
    given = [{"field": "ten", "value": 1}]
    envelope = chat.call("prepare_edit_features", layer_id="points", action="set", where=BIG, values=given)
    assert (envelope["code"], envelope["reason"]) == ("INVALID_PARAM", "field_origin")


def test_joined_fields_and_keys_are_refused(chat: Bench) -> None:
    """The key of a GeoPackage names its features."""
    geopackage(chat)
    given = [{"field": "fid", "value": 1}]
    envelope = chat.call("prepare_edit_features", layer_id="data", action="set", where=BIG, values=given)
    assert envelope["reason"] == "key_field"


def test_saving_reaches_the_file(chat: Bench) -> None:
    """set, delete and add with save: OGR finds them; the layer is not left in edit mode; not said to be reversible."""
    layer = geopackage(chat)
    save = {"save": True}
    given: dict[str, Any] = {"layer_id": "data", "options": save}
    data = chat.ok(
        "prepare_edit_features", action="set", where=BIG, values=[{"field": "name", "value": "武汉"}], **given
    )
    assert (data["saved"], data["reversible"]) == (True, False)
    assert in_file(chat, "name") == ["p0", "p1", "p2", "武汉", "武汉"]
    where = [{"field": "n", "op": "eq", "value": 0}]
    assert chat.ok("prepare_edit_features", action="delete", where=where, **given)["layer_feature_count"] == 4
    assert in_file(chat, "n") == [1, 2, 3, 4]
    new = [{"wkt": "POINT(1 2)", "values": [{"field": "n", "value": 11}, {"field": "name", "value": "new"}]}]
    layer.setCrs(memory_layer("Point?crs=EPSG:4326", []).crs())
    chat.ok("prepare_edit_features", action="add", features=new, **given)
    assert in_file(chat, "n") == [1, 2, 3, 4, 11]
    assert not layer.isEditable()


def test_a_save_that_the_data_refuses_leaves_all_as_before(chat: Bench) -> None:
    """A trigger that aborts at the second of two rows: neither is changed, and the layer is not in edit mode."""
    sql = "CREATE TRIGGER stop BEFORE UPDATE OF n ON data WHEN OLD.n = 4 BEGIN SELECT RAISE(ABORT, 'not this one'); END"
    layer = geopackage(chat, sql)
    given = [{"field": "n", "value": 77}]
    save = {"save": True}
    envelope = chat.call("prepare_edit_features", layer_id="data", action="set", where=BIG, values=given, options=save)
    assert (envelope["code"], envelope["reason"]) == ("UPSTREAM_ERROR", "edit_failed")
    assert "as before" in envelope["message"], envelope
    assert in_file(chat, "n") == [0, 1, 2, 3, 4]
    assert not layer.isEditable()


def test_a_new_shape_and_new_features(chat: Bench) -> None:
    """Longitude and latitude into the layer's CRS (1° of EPSG:3857 at the equator is 111319.49 m); of one feature only."""
    chat.add(memory_layer("Point?crs=EPSG:3857&field=n:integer", [("POINT(0 0)", [1]), ("POINT(5 5)", [2])], "m"))
    where = [{"field": "n", "op": "eq", "value": 1}]
    chat.ok("prepare_edit_features", layer_id="m", action="geometry", where=where, features=[{"wkt": "POINT(1 0)"}])
    layer = chat.host.layers.by_alias("m")
    assert layer is not None
    shapes = {each["n"]: each.geometry().asPoint() for each in layer.getFeatures()}
    assert (shapes[1].x(), shapes[1].y()) == pytest.approx((111319.490793, 0), abs=1e-3)
    assert (shapes[2].x(), shapes[2].y()) == (5, 5)
    every = {"all_features": True}
    given: dict[str, Any] = {"layer_id": "m", "action": "geometry", "features": [{"wkt": "POINT(1 0)"}]}
    assert chat.code("prepare_edit_features", **given, options=every) == "INVALID_PARAM"
    wrong: dict[str, Any] = {"layer_id": "m", "action": "add"}
    assert chat.code("prepare_edit_features", **wrong, features=[{"wkt": "LINESTRING(0 0, 1 1)"}]) == "INVALID_PARAM"
    assert chat.code("prepare_edit_features", **wrong, features=[{"wkt": "POINT(1000 0)"}]) == "INVALID_PARAM"
    layer.rollBack()


def test_which_features_must_be_said(chat: Bench) -> None:
    """No where is not "all"; a field that is not there; a filter that would hide the feature."""
    given = [{"field": "n", "value": 1}]
    assert chat.code("prepare_edit_features", layer_id="points", action="set", values=given) == "INVALID_PARAM"
    assert chat.code("prepare_edit_features", layer_id="points", action="delete") == "INVALID_PARAM"
    missing = [{"field": "nn", "value": 1}]
    assert chat.code("prepare_edit_features", layer_id="points", action="set", where=BIG, values=missing) == "NOT_FOUND"
    points(chat).setSubsetString('"n" > 1')
    envelope = chat.call("prepare_edit_features", layer_id="points", action="set", where=BIG, values=given)
    assert envelope["reason"] == "filter"


def test_a_read_only_layer_is_refused(chat: Bench) -> None:
    """As the person set it."""
    points(chat).setReadOnly(True)
    envelope = chat.call("prepare_edit_features", layer_id="points", action="delete", where=BIG)
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "read_only")


def test_the_command_line_saves_inside_its_folders_only(bench: Bench) -> None:
    """A layer of another folder: FORBIDDEN with save; a preview without; in the folder it may be saved."""
    geopackage(bench)
    given: dict[str, Any] = {"layer_id": "data", "action": "delete", "where": BIG}
    assert bench.ok("prepare_edit_features", **given, options={"save": True})["armed"] is False
    bench.host.paths = PathPolicy(bench.host.project, write_roots=[str(bench.folder / "other")])
    envelope = bench.call("prepare_edit_features", **given, options={"save": True})
    assert (envelope["code"], envelope["reason"]) == ("FORBIDDEN", "path_outside")
    assert bench.ok("prepare_edit_features", **given)["armed"] is False


def test_constraints_are_kept(chat: Bench) -> None:
    """NOT NULL and UNIQUE of the field."""
    from qgis.core import QgsFieldConstraints

    layer = points(chat)
    layer.setFieldConstraint(0, QgsFieldConstraints.Constraint.ConstraintNotNull)
    layer.setFieldConstraint(1, QgsFieldConstraints.Constraint.ConstraintUnique)
    for values_ in (
        [{"field": "name", "to_null": True}],
        [{"field": "n", "value": 9}],
        [{"field": "n", "formula": "0"}],
    ):
        envelope = chat.call("prepare_edit_features", layer_id="points", action="set", where=BIG, values=values_)
        assert envelope["reason"] == "value", envelope


def test_data_that_changed_since_the_preview_is_not_edited(bench: Bench) -> None:
    """The command line agrees later: a value that another program changed meanwhile voids the preview."""
    layer = bench.add(memory_layer("Point?crs=EPSG:4326&field=n:integer", [("POINT(0 0)", [1])], "one"))
    given = [{"field": "n", "value": 5}]
    where = [{"field": "n", "op": "gte", "value": 1}]
    token = bench.ok("prepare_edit_features", layer_id="one", action="set", where=where, values=given)["confirm_token"]
    bench.host.ledger.arm(token)
    layer.dataProvider().changeAttributeValues({1: {0: 3}})
    envelope = bench.call("commit_action", confirm_token=token)
    assert (envelope["code"], envelope["reason"]) == ("CONFIRM_REQUIRED", "state_changed")
    assert values(layer, "n") == [3]


def test_ten_thousand_changes_do_not_freeze_and_more_are_refused(chat: Bench) -> None:
    """The main thread's event loop turns all the while: no gap over 150 ms; 10,001 are refused."""
    from qgis.PyQt.QtCore import QTimer

    rows = [(None, [x]) for x in range(10_001)]
    layer = chat.add(memory_layer("None?field=n:integer", rows, "many"))
    given = [{"field": "n", "formula": '"n" + 1'}]
    every = {"all_features": True}
    envelope = chat.call("prepare_edit_features", layer_id="many", action="set", values=given, options=every)
    assert envelope["reason"] == "too_many_features"
    gaps, last = [], [time.monotonic()]

    def beat() -> None:
        now = time.monotonic()
        gaps.append(now - last[0])
        last[0] = now

    timer = QTimer()
    timer.timeout.connect(beat)
    timer.start(5)
    where = [{"field": "n", "op": "gt", "value": 0}]
    data = chat.ok("prepare_edit_features", layer_id="many", action="set", values=given, where=where)
    timer.stop()
    assert data["feature_count"] == 10_000
    assert sum(values(layer, "n")) == sum(range(2, 10_002))
    assert max(gaps) < 0.45, sorted(gaps)[-5:]
    layer.rollBack()


def test_text_is_not_written_in_another_encoding_than_the_files(chat: Bench) -> None:
    """A shapefile in GBK without a .cpg, which QGIS takes for UTF-8: refused, the bytes the same, until it is set right."""
    path = chat.folder / "gbk.shp"
    source = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(path))
    layer = source.CreateLayer("gbk", None, ogr.wkbPoint, ["ENCODING="])
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    names = {"aaaaaa": "武汉市", "bbbbbb": "黄石市", "cccccc": "十堰市", "dddddd": "宜昌市"}  # six bytes each in GBK
    for name in names:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT(1 2)"))
        feature.SetField("name", name)
        layer.CreateFeature(feature)
    del feature, layer, source
    (chat.folder / "gbk.cpg").unlink(missing_ok=True)
    table = chat.folder / "gbk.dbf"
    content = bytearray(table.read_bytes())
    content[29] = 0  # no code page either
    for plain, name in names.items():
        content = content.replace(plain.encode(), name.encode("gbk"))
    table.write_bytes(content)
    before = table.read_bytes()
    added = chat.add(QgsVectorLayer(str(path), "gbk", "ogr"))
    edit = {
        "layer_id": "gbk",
        "action": "set",
        "values": [{"field": "name", "value": "襄阳市"}],
        "options": {"all_features": True, "save": True},
    }
    if added.dataProvider().encoding() != "UTF-8":
        added.setProviderEncoding("UTF-8")
    envelope = chat.call("prepare_edit_features", **edit)
    assert (envelope["code"], envelope["reason"]) == ("UNSUPPORTED", "encoding") and "set_layer_encoding" in envelope[
        "hint"
    ]
    assert table.read_bytes() == before
    chat.ok("set_layer_encoding", layer_id="gbk", encoding="GBK")
    chat.ok("prepare_edit_features", **edit)
    assert table.read_bytes().count("襄阳市".encode("gbk")) == 4


def test_values_that_become_null_are_counted(chat: Bench) -> None:
    """x / 0 is NULL in QGIS: four of the five points have another x than NULL before, as has the first (0)."""
    data = chat.ok(
        "prepare_edit_features",
        layer_id="points",
        action="set",
        values=[{"field": "x", "formula": '"x" / 0'}],
        options={"all_features": True},
    )
    assert data["became_null"] == 5
    assert dict(chat.approver.cards[-1]["lines"])["Values that become NULL"] == "5"
    points(chat).rollBack()
