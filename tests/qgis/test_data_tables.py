"""Delimited text: separators, decimal commas, types that change no value; temporary layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from osgeo import ogr

from qgis_agent.gis.sources import delimited


def table(bench: Bench, name: str, text: str, encoding: str = "utf-8") -> str:
    """A text file in the bench's folder."""
    path = bench.folder / name
    path.write_bytes(text.encode(encoding))
    return str(path)


def rows_of(bench: Bench, alias: str) -> list[tuple[Any, ...]]:
    """Attributes and geometry of a layer."""
    layer = bench.host.layers.by_alias(alias)
    return [
        (*each.attributes(), each.geometry().asWkt(3) if each.hasGeometry() else None) for each in layer.getFeatures()
    ]


DECIMAL_COMMA = "id;x;y;v\n1;116,5;39,9;1,25\n2;117,0;40,0;2,50\n"
IDENTIFIERS = 'id,flag,code,thou,e\n1,0,007,"1,234",12E3\n2,1,010,"5,678",13E4\n'


def test_a26_decimal_commas_are_found_and_give_points(bench: Bench) -> None:
    """2 points at (116.5, 39.9) and (117, 40), v 1.25 and 2.5; without it there would be none."""
    path = table(bench, "comma.csv", DECIMAL_COMMA)
    seen = bench.ok("inspect_data_file", path=path)
    assert (seen["separator"], seen["decimal"], seen["rows"]) == ("semicolon", "comma", 2)
    assert [(each["name"], each["type"]) for each in seen["fields"]][3] == ("v", "number")
    data = bench.ok("add_table_layer", path=path, options={"x_field": "x", "y_field": "y", "crs": "EPSG:4326"})
    assert (data["feature_count"], data["decimal"], data["kind"]) == (2, "comma", "point")
    assert [(each[3], each[4]) for each in rows_of(bench, data["layer_id"])] == [
        (1.25, "Point (116.5 39.9)"),
        (2.5, "Point (117 40)"),
    ]


def test_a26_a_point_as_decimal_sign_is_refused_where_it_gives_no_numbers(bench: Bench) -> None:
    """Not a valid layer with 0 features, as QGIS makes it, but what to do."""
    path = table(bench, "comma.csv", DECIMAL_COMMA)
    envelope = bench.call("add_table_layer", path=path, options={"decimal": "point", "x_field": "x", "y_field": "y"})
    assert envelope["code"] == "INVALID_PARAM"
    assert "116,5" in envelope["message"]
    assert "comma" in envelope["hint"]
    assert bench.host.layers.aliases() == []


def test_a27_types_are_shown_first_and_change_no_value(bench: Bench) -> None:
    """0 and 1 are no booleans, 007 is no 7, 12E3 no 12000, 1,234 no number; each with its raw text and the reason."""
    path = table(bench, "codes.csv", IDENTIFIERS)
    fields = {each["name"]: each for each in bench.ok("inspect_data_file", path=path)["fields"]}
    assert {name: each["type"] for name, each in fields.items()} == {
        "id": "integer", "flag": "integer", "code": "text", "thou": "text", "e": "text",
    }  # fmt: skip
    assert {name: each["raw"] for name, each in fields.items()} == {
        "id": "1", "flag": "0", "code": "007", "thou": "1,234", "e": "12E3",
    }  # fmt: skip
    assert fields["code"]["kept_as_text"] == "leading_zeros"
    assert fields["e"]["kept_as_text"] == "exponent"
    assert fields["thou"]["kept_as_text"] == "thousands"
    assert bench.host.layers.aliases() == []
    data = bench.ok("add_table_layer", path=path)
    assert [each[:5] for each in rows_of(bench, data["layer_id"])] == [
        (1, 0, "007", "1,234", "12E3"),
        (2, 1, "010", "5,678", "13E4"),
    ]
    as_text = bench.ok("add_table_layer", path=path, name="t", options={"text_fields": ["flag"]})
    assert rows_of(bench, as_text["layer_id"])[0][1] == "0"


def test_a27_a_leading_zero_in_the_last_row_counts(bench: Bench) -> None:
    """The whole file is read before a type is given."""
    path = table(bench, "late.csv", "code\n" + "\n".join(str(each) for each in range(1, 3000)) + "\n007\n")
    data = bench.ok("add_table_layer", path=path)
    assert data["fields"][0]["type"] == "text"
    assert [each[0] for each in rows_of(bench, data["layer_id"])][-1] == "007"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("0", "integer"), ("-7", "integer"), ("007", "text"), ("123456789012345678", "integer"),
        ("12345678901234567890", "text"), ("1.50", "number"), ("116.39712345678901", "number"), (".5", "number"),
        ("1.2e-5", "number"), ("12E3", "text"), ("1,234", "text"), ("2024-02-29", "date"),
        ("2024-02-29T13:30:00", "datetime"), ("true", "text"), ("+", "text"), ("武汉", "text"), ("1-2", "text"),
    ],
)  # fmt: skip
def test_kinds_of_raw_values(value: str, kind: str) -> None:
    """By hand."""
    assert delimited.kind_of(value, False)[0] == kind


def test_coordinates_are_proposed_by_name_but_never_taken(bench: Bench) -> None:
    """The table is added without points, and the answer says which columns could be meant."""
    path = table(bench, "poi.csv", "名称,经度,纬度\n武汉,114.3,30.6\n")
    envelope = bench.call("add_table_layer", path=path)
    assert envelope["data"]["kind"] == "table"
    assert envelope["data"]["coordinates_proposed"] == {"x_field": "经度", "y_field": "纬度", "crs": "EPSG:4326"}
    assert "without points" in envelope["message"]
    placed = bench.call("add_table_layer", path=path, name="p", options={"x_field": "经度", "y_field": "纬度"})
    assert placed["data"]["crs"] == "none"
    assert placed["message"].count("no CRS") == 1


def test_wkt_tabs_odd_names_and_bad_rows(bench: Bench) -> None:
    """Tab-separated WKT; names with blanks, & and +; rows without coordinates are told."""
    path = table(bench, "a b#?&.tsv", "na me\ta+b\tlat&y\tgeom\nx\t1\t2\tPOINT(1 2)\ny\t\t\t\n")
    data = bench.ok("add_table_layer", path=path, options={"wkt_field": "geom", "crs": "EPSG:4326"})
    assert data["separator"] == "tab"
    assert [each["name"] for each in data["fields"]] == ["na me", "a+b", "lat&y"]
    assert rows_of(bench, data["layer_id"])[0][:3] == ("x", 1, 2)
    other = table(bench, "holes.csv", "lon,lat\n1,2\n,\n")
    envelope = bench.call(
        "add_table_layer", path=other, options={"x_field": "lon", "y_field": "lat", "crs": "EPSG:4326"}
    )
    assert envelope["data"]["feature_count"] == 1
    assert "1 of 2 rows" in envelope["message"]


def test_gbk_text_is_assumed_and_said(bench: Bench) -> None:
    """The bytes are no UTF-8; GBK reads them."""
    path = table(bench, "gbk.csv", "名称,人口\n武汉市,1364\n黄石市,246\n", "gbk")
    envelope = bench.call("add_table_layer", path=path)
    assert envelope["data"]["encoding"] == "GBK"
    assert "assumption" in envelope["message"]
    assert [each["name"] for each in envelope["data"]["fields"]] == ["名称", "人口"]
    assert rows_of(bench, envelope["data"]["layer_id"])[0][0] == "武汉市"


def test_wrong_options_say_what_to_do(bench: Bench) -> None:
    """Unknown columns, half a pair, a CRS without coordinates, an unknown CRS."""
    path = table(bench, "t.csv", "lon,lat,n\n1,2,3\n")
    for options, word in (
        ({"x_field": "lo", "y_field": "lat"}, "lon"),
        ({"x_field": "lon"}, "both"),
        ({"crs": "EPSG:4326"}, "x_field"),
        ({"x_field": "lon", "y_field": "lat", "crs": "EPSG:432699"}, "EPSG"),
    ):
        envelope = bench.call("add_table_layer", path=path, options=options)
        assert envelope["code"] == "INVALID_PARAM", options
        assert word in envelope["hint"], envelope
    assert bench.code("add_vector_layer", path=path) == "UNSUPPORTED"
    assert bench.host.layers.aliases() == []


def test_a_sheet(bench: Bench) -> None:
    """An .xlsx that GDAL wrote; two sheets are AMBIGUOUS."""
    path = bench.folder / "s.xlsx"
    dataset = ogr.GetDriverByName("XLSX").CreateDataSource(str(path))
    for name in ("一", "two"):
        layer = dataset.CreateLayer(name)
        layer.CreateField(ogr.FieldDefn("code", ogr.OFTString))
        layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("code", "007")
        feature.SetField("n", 7)
        layer.CreateFeature(feature)
    dataset = None
    assert bench.code("add_table_layer", path=str(path)) == "AMBIGUOUS"
    data = bench.ok("add_table_layer", path=str(path), sublayer="一")
    assert (data["kind"], data["feature_count"]) == ("table", 1)
    assert rows_of(bench, data["layer_id"])[0][:2] == ("007", 7)


# temporary layers


def test_a_temporary_layer(bench: Bench) -> None:
    """In the group of results, counted, in EPSG:4326, tracked as made by a tool."""
    outcome = bench.outcome(
        "add_temp_layer",
        name="places",
        features=[{"wkt": "POINT(114.3 30.6)", "label": "武汉"}, {"wkt": "MULTIPOINT((1 2),(3 4))"}],
    )
    data = outcome["envelope"]["data"]
    assert (data["feature_count"], data["kind"], data["bbox"]) == (2, "point", [1.0, 2.0, 114.3, 30.6])
    assert outcome["actions"][0]["op"] == "add_temp_layer"
    layer = bench.host.layers.by_alias("places")
    assert bench.host.created_layers == [layer.id()]
    assert bench.host.layers.group_of(layer) == "Agent results"
    assert [each["label"] for each in layer.getFeatures()] == ["武汉", ""]


@pytest.mark.parametrize(
    ("wkts", "word"),
    [
        (["POINT(30.6 114.3)"], "beyond 90"),
        (["POINT(500000 4400000)"], "beyond 90"),
        (["POINT(500 40)"], "beyond 360"),
        (["POINT(1)"], "no WKT"),
        (["hello world"], "no WKT"),
        (["POINT EMPTY"], "no WKT or empty"),
        (["POLYGON((0 0,1 1,1 0,0 1,0 0))"], "not valid"),
        (["POINT(1 2)", "LINESTRING(0 0,1 1)"], "one kind"),
        (["GEOMETRYCOLLECTION(POINT(1 2))"], "Geometry 1"),
        (["POINT(nan 2)"], "Geometry 1"),
    ],
)
def test_geometries_that_cannot_be_used(bench: Bench, wkts: list[str], word: str) -> None:
    """Said, and nothing is added."""
    envelope = bench.call("add_temp_layer", name="x", features=[{"wkt": each} for each in wkts])
    assert envelope["code"] == "INVALID_PARAM"
    assert word in envelope["message"], envelope
    assert envelope["hint"]
    assert bench.host.layers.aliases() == []
    assert bench.host.project.layerTreeRoot().findGroup("Agent results") is None


def test_a_table_from_a_result(bench: Bench) -> None:
    """All rows of a handle, with types; a foreign handle is NOT_FOUND."""
    rows = [{"name": f"n{index}", "n": index, "share": index / 4, "a&b": None} for index in range(300)]
    ref = bench.host.results.put(
        rows, tool="query_features", project_id=bench.host.project_id(), caller="cli", session_id="session"
    )
    data = bench.ok("add_temp_layer", name="rows", result_ref=ref)
    assert (data["feature_count"], data["kind"]) == (300, "table")
    assert rows_of(bench, "rows")[5][:3] == ("n5", 5, 1.25)
    other = bench.host.results.put(rows, tool="x", project_id="other", caller="cli", session_id="session")
    assert bench.code("add_temp_layer", name="rows", result_ref=other) == "NOT_FOUND"
    assert bench.code("add_temp_layer", name="rows") == "INVALID_PARAM"


def test_source_texts_keep_odd_paths() -> None:
    """A path with blanks, # and ? stays one path."""
    file = delimited.DataFile(Path("/tmp/a b#?.csv"))
    found = delimited.Table(delimited.Guess("UTF-8", True), ",", False, True, [delimited.Column("a", "integer")], 1, 0)
    source = delimited.source_of(file, found, {}, {})
    assert source.startswith("file:///tmp/a%20b%23%3F.csv?")
    assert "field=a:longlong" in source


def test_a_table_from_a_result_with_odd_columns(bench: Bench) -> None:
    """Columns that differ in what a field's name cannot hold, or in case, each get a field; numbers beyond 64 bit stay whole."""
    rows = [{"a:b": 1, "a_b": "x", "A_B": 2.5, "big": 2**70}, {"a:b": 3, "a_b": "y", "A_B": 1.0, "big": 5}]
    place = {"project_id": bench.host.project_id(), "caller": "cli", "session_id": "session"}
    data = bench.ok("add_temp_layer", name="t", result_ref=bench.host.results.put(rows, tool="t", **place))
    layer = bench.host.layers.by_alias(data["layer_id"])
    assert [each.name() for each in layer.fields()] == ["a_b", "a_b_2", "A_B_3", "big"]
    assert [each.attributes() for each in layer.getFeatures()] == [[1, "x", 2.5, str(2**70)], [3, "y", 1.0, "5"]]
