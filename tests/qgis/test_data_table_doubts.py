"""What a table of text hides: dates that do not exist, gaps in coordinates, titles, late accents, marks of thousands, sheets.

Expected values are written by hand, or come from Python's calendar and codecs and from GDAL's own reading.
"""

from __future__ import annotations

import calendar
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from osgeo import ogr
from qgis.core import QgsFeature, QgsVectorLayer

from qgis_agent.gis.sources import delimited


def table(bench: Bench, name: str, text: str, encoding: str = "utf-8") -> str:
    """A text file in the bench's folder, which is where relative paths start."""
    (bench.folder / name).write_bytes(text.encode(encoding))
    return name


def values(bench: Bench, alias: str, field: str) -> list[Any]:
    """A column of a layer, as QGIS gives it."""
    return [each[field] for each in bench.host.layers.by_alias(alias).getFeatures()]


def test_dates_that_do_not_exist_stay_as_they_are_written(bench: Bench) -> None:
    """2024-02-30: the column is text, and nothing becomes NULL."""
    path = table(bench, "d.csv", "id,d,t\n1,2024-01-31,2024-01-01T10:00:00\n2,2024-02-30,2024-01-01T99:00:00\n")
    data = bench.ok("add_table_layer", path=path)
    assert [each["type"] for each in data["fields"]] == ["integer", "text", "text"]
    assert data["fields"][1]["kept_as_text"] == "no_such_date"
    assert values(bench, "d", "d") == ["2024-01-31", "2024-02-30"]
    assert values(bench, "d", "t") == ["2024-01-01T10:00:00", "2024-01-01T99:00:00"]


@pytest.mark.parametrize("year", [1900, 2000, 2023, 2024])
def test_the_calendar_decides_what_is_a_date(year: int) -> None:
    """Every day from 1 to 31 of every month, against Python's calendar."""
    for month in range(1, 13):
        last = calendar.monthrange(year, month)[1]
        kinds = [delimited.kind_of(f"{year}-{month:02}-{day:02}", False)[0] for day in range(1, 32)]
        assert kinds == ["date"] * last + ["text"] * (31 - last)


@pytest.mark.parametrize(
    ("value", "comma", "kind", "why"),
    [
        (" 2024-01-31", False, "text", ""),
        ("１２３", False, "text", ""),
        ("\u3000123", False, "text", ""),
        (" 5 ", False, "integer", ""),
        ("+5", False, "integer", ""),
        ("+491701234567", False, "text", "plus_sign"),
        ("-05", False, "text", "leading_zeros"),
        ("1.234", False, "number", ""),
        ("1.234", True, "text", "thousands"),
        ("1.234.567", False, "text", "thousands"),
        ("2024-01-01T25:00:00", False, "text", "no_such_date"),
    ],
)
def test_kinds_that_qgis_would_read_otherwise(value: str, comma: bool, kind: str, why: str) -> None:
    """By hand; QGIS reads a date with a blank before it, and digits of full width, as NULL."""
    assert delimited.kind_of(value, comma) == (kind, why)


VALUES = [
    "2024-01-31", "2024-02-30", "2024-01-31T10:00:00", "2024-01-31 10:00:00", "2024-01-31T24:00:00", " 2024-01-31", "１２",
    " 7 ", "+5", "-0", "1e-5", "1.5E10", ".5", "-.5", "123456789012345678", "9007199254740993", "007", "1,234", "0x10", "inf",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_no_value_is_lost_in_the_type_that_is_guessed(bench: Bench, value: str) -> None:
    """A column of one value: what QGIS gives is that value, never NULL."""
    table(bench, "one.csv", f'a;b\n"{value}";x\n')
    bench.ok("add_table_layer", path="one.csv")
    found = values(bench, "one", "a")[0]
    if isinstance(found, (int, float)):
        assert float(found) == float(value)
    else:
        text = (
            found
            if isinstance(found, str)
            else found.toString("yyyy-MM-dd" if len(value) == 10 else "yyyy-MM-ddThh:mm:ss")
        )
        assert text == (value if isinstance(found, str) else value.replace(" ", "T"))


def test_long_integers_beside_fractions_stay_text(bench: Bench) -> None:
    """9007199254740993 = 2^53 + 1 is no floating-point number."""
    table(bench, "big.csv", "v\n9007199254740993\n0.5\n")
    bench.ok("add_table_layer", path="big.csv")
    assert values(bench, "big", "v") == ["9007199254740993", "0.5"]


# coordinates


def test_gaps_in_coordinates_are_told_and_cost_only_their_rows(bench: Bench) -> None:
    """A 10,20; B NA; C blank; D 12,22: two places. QGIS keeps a blank row without geometry, and drops one with NA."""
    table(bench, "gaps.csv", "name,lon,lat\nA,10,20\nB,NA,NA\nC,,\nD,12,22\n")
    envelope = bench.call(
        "add_table_layer", path="gaps.csv", options={"x_field": "lon", "y_field": "lat", "crs": "EPSG:4326"}
    )
    data = envelope["data"]
    assert (data["feature_count"], data["rows_left_out"], data["without_geometry"]) == (3, 1, 1)
    assert data["bbox"] == [10.0, 20.0, 12.0, 22.0]
    assert "1 of 4 rows" in envelope["message"] and "'NA'" in envelope["message"]
    for tool in ("count_features", "describe_layer", "query_features"):
        found = bench.ok(tool, layer_id="gaps")
        assert next(found[key] for key in ("count", "feature_count", "total") if key in found) == 3, tool


def test_wkt_that_cannot_be_read_is_counted_once_and_told(bench: Bench) -> None:
    """POINT, blank, BAD, POINT: three features for everyone, as PyQGIS reads them."""
    table(bench, "w.csv", "id;geom\n1;POINT(1 1)\n2;\n3;BAD\n4;POINT(2 2)\n")
    envelope = bench.call("add_table_layer", path="w.csv", options={"wkt_field": "geom", "crs": "EPSG:4326"})
    layer: QgsVectorLayer = bench.host.layers.by_alias("w")
    assert len(list(layer.getFeatures())) == envelope["data"]["feature_count"] == 3
    assert bench.ok("count_features", layer_id="w")["count"] == 3
    assert bench.ok("describe_layer", layer_id="w")["feature_count"] == 3
    assert "1 of 4 rows" in envelope["message"] and "WKT" in envelope["message"]
    assert [each["name"] for each in envelope["data"]["fields"]] == [each.name() for each in layer.fields()]


@pytest.mark.parametrize(
    ("cells", "example", "hint"),
    [
        (["10,5", "11", "NA"], "10,5", "comma"),
        (["12°30'E", "11"], "12°30'E", "Decimal degrees"),
        (["abc", ""], "abc", "another column"),
        (["inf", "3"], "inf", "emptied"),
        (["", ""], "", "another column"),
    ],
)
def test_coordinates_that_would_all_be_lost_are_refused(
    bench: Bench, cells: list[str], example: str, hint: str
) -> None:
    """Numbers in another form, and columns without any: nothing is added, and the cell at fault is the example."""
    table(bench, "bad.csv", "n;x;y\n" + "".join(f"a;{each};1\n" for each in cells))
    envelope = bench.call(
        "add_table_layer", path="bad.csv", options={"x_field": "x", "y_field": "y", "decimal": "point"}
    )
    assert envelope["code"] == "INVALID_PARAM", envelope
    assert example in envelope["message"] and hint in envelope["hint"]
    assert bench.host.layers.aliases() == []


def test_leading_zeros_are_coordinates_all_the_same(bench: Bench) -> None:
    """The field stays text, the point is at 12.5, 41."""
    table(bench, "zero.csv", "x,y\n012.5,041\n")
    data = bench.ok("add_table_layer", path="zero.csv", options={"x_field": "x", "y_field": "y", "crs": "EPSG:4326"})
    assert (data["feature_count"], data["bbox"]) == (1, [12.5, 41.0, 12.5, 41.0])


# lines before the columns, names, separators


TITLED = "Statistik 2024;;\n;;\nid;name;v\n1;a;2\n2;b;3\n"
COMMENTED = "# made by tool\n# more\nid,v\n1,2\n2,3\n"
QUOTED = '"Bericht\nzweite Zeile";;\nid;name;v\n1;a;2\n'


@pytest.mark.parametrize(
    ("text", "names", "rows", "skipped"),
    [
        (TITLED, ["id", "name", "v"], 2, 2),
        (COMMENTED, ["id", "v"], 2, 2),
        (QUOTED, ["id", "name", "v"], 1, 2),
        ("Jahresbericht\nname;2020;2021\na;1;2\n", ["name", "2020", "2021"], 1, 1),
        (",value\n0,a\n1,b\n", ["field_1", "value"], 2, 0),
        ("Statistik;;\n1;a;2\n2;b;3\n", ["Statistik", "field_2", "field_3"], 2, 0),
        ("#id,v\n1,2\n", ["#id", "v"], 1, 0),
        ("id\nname\n", ["id"], 1, 0),
        ("a,b\n1,2,\n3,4,\n", ["a", "b"], 2, 0),
    ],
)
def test_titles_and_comments_before_the_names(
    bench: Bench, text: str, names: list[str], rows: int, skipped: int
) -> None:
    """Left out and said where they are surely none of the table; a row that lacks names may be the names."""
    table(bench, "t.csv", text)
    envelope = bench.call("add_table_layer", path="t.csv")
    layer = bench.host.layers.by_alias("t")
    assert layer.fields().names()[: len(names)] == names
    assert envelope["data"]["feature_count"] == len(list(layer.getFeatures())) == rows
    assert envelope["data"].get("skipped_lines", 0) == skipped
    assert ("title or comment" in envelope["message"]) == bool(skipped)
    assert bench.call("inspect_data_file", path="t.csv")["data"].get("skipped_lines", 0) == skipped


@pytest.mark.parametrize(
    "head",
    [
        "name,2020,2.5,,.,x",
        "name,Name,name_1,NAME",
        ",,x,x,x",
        "x,field_2,,x,x_2,x_1",
        "field_3,a,field_1,field_9",
        " a ,a b,é,É",
    ],
)
def test_columns_are_named_as_qgis_names_them(bench: Bench, head: str) -> None:
    """QGIS's own names of the same file; with other ones the types of the columns would be lost."""
    table(bench, "h.csv", head + "\n" + ",".join("1" for _ in head.split(",")) + "\n")
    layer = QgsVectorLayer(f"file://{bench.folder}/h.csv?type=csv&geomType=none", "h", "delimitedtext")
    data = bench.ok("add_table_layer", path="h.csv")
    assert [each["name"] for each in data["fields"]] == layer.fields().names()
    assert {each["type"] for each in data["fields"]} == {"integer"}
    assert all(
        isinstance(each, int)
        for feature in bench.host.layers.by_alias("h").getFeatures()
        for each in feature.attributes()
    )


def test_columns_without_a_name_and_a_wrong_separator_are_told(bench: Bench) -> None:
    """Both are no errors, and both look like success."""
    table(bench, "n.csv", "Statistik;;\n1;a;2\n2;b;3\n")
    assert "2 columns have no name" in bench.call("add_table_layer", path="n.csv")["message"]
    table(bench, "s.csv", "id,name\n1,a\n2,b\n")
    envelope = bench.call("add_table_layer", path="s.csv", options={"separator": "semicolon"})
    assert "separated by comma" in envelope["message"]


def test_points_that_could_part_thousands_are_told(bench: Bench) -> None:
    """1.234 12.345 2.500 in a semicolon file; not where one of them is 1.5, and not in a comma file."""
    table(bench, "m.csv", "id;v\n1;1.234\n2;12.345\n3;2.500\n")
    assert "thousands" in bench.call("add_table_layer", path="m.csv")["message"]
    assert "thousands" in bench.call("inspect_data_file", path="m.csv")["message"]
    table(bench, "o.csv", "id;v\n1;1.234\n2;1.5\n")
    assert bench.call("add_table_layer", path="o.csv")["message"] == ""
    table(bench, "c.csv", "id,v\n1,1.234\n2,2.500\n")
    assert bench.call("add_table_layer", path="c.csv")["message"] == ""


# encodings


def test_an_accent_in_the_last_row_counts(bench: Bench) -> None:
    """GBK after 400,000 bytes of ASCII: not "ASCII, certain"; and mixed encodings are told."""
    rows = "".join(f"{index},name\n" for index in range(40_000))
    (bench.folder / "late.csv").write_bytes(f"id,name\n{rows}".encode("ascii") + "1,武汉市江岸区\n".encode("gbk"))
    assert bench.ok("inspect_data_file", path="late.csv")["encoding"] == {"looks_like": "GBK", "certain": False}
    assert bench.ok("add_table_layer", path="late.csv")["encoding"] == "GBK"
    assert values(bench, "late", "name")[-1] == "武汉市江岸区"
    mixed = f"id,name\n{rows}".encode("ascii") + "1,武汉市\n".encode() + "2,黄石市\n".encode("gbk")
    (bench.folder / "mixed.csv").write_bytes(mixed)
    envelope = bench.call("add_table_layer", path="mixed.csv")
    assert "1 lines have characters" in envelope["message"]


# sheets


@pytest.fixture
def sheet(bench: Bench) -> str:
    """Five rows by GDAL, the last without coordinates."""
    path = bench.folder / "book.xlsx"
    dataset = ogr.GetDriverByName("XLSX").CreateDataSource(str(path))
    layer = dataset.CreateLayer("数据")
    for name, kind in (("code", ogr.OFTString), ("lon", ogr.OFTReal), ("lat", ogr.OFTReal), ("wkt", ogr.OFTString)):
        layer.CreateField(ogr.FieldDefn(name, kind))
    for index in range(5):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("code", f"{index:04}")
        if index < 4:
            feature.SetField("lon", 100 + index + 0.5)
            feature.SetField("lat", 30 + index + 0.125)
            feature.SetField("wkt", f"LINESTRING({index} 0,{index} 1)")
        layer.CreateFeature(feature)
    dataset = None
    return path.name


def test_points_of_a_sheet(bench: Bench, sheet: str) -> None:
    """Proposed, and made when named: all rows are kept, the code keeps its zeros, the last row has no place."""
    assert bench.ok("inspect_data_file", path=sheet)["coordinates_proposed"] == {
        "x_field": "lon", "y_field": "lat", "crs": "EPSG:4326",
    }  # fmt: skip
    envelope = bench.call("add_table_layer", path=sheet)
    assert envelope["data"]["kind"] == "table"
    assert envelope["data"]["coordinates_proposed"]["x_field"] == "lon"
    outcome = bench.outcome(
        "add_table_layer", path=sheet, name="p", options={"x_field": "lon", "y_field": "lat", "crs": "EPSG:4326"}
    )
    envelope = outcome["envelope"]
    data = envelope["data"]
    assert (data["kind"], data["feature_count"], data["without_geometry"]) == ("point", 5, 1)
    assert data["bbox"] == [100.5, 30.125, 103.5, 33.125]
    assert data["temporary"] is True and "temporary" in envelope["message"]
    assert [each["op"] for each in outcome["actions"]] == ["add_layer"]
    assert bench.host.layers.by_alias("p").extent().toRectF().getCoords() == (100.5, 30.125, 103.5, 33.125)
    rows: list[QgsFeature] = list(bench.host.layers.by_alias("p").getFeatures())
    assert [each["code"] for each in rows] == ["0000", "0001", "0002", "0003", "0004"]
    assert rows[1].geometry().asWkt(3) == "Point (101.5 31.125)"


def test_lines_of_a_sheet_and_what_it_cannot_do(bench: Bench, sheet: str) -> None:
    """WKT; columns without numbers and options for text are refused with what to do."""
    data = bench.ok("add_table_layer", path=sheet, name="l", options={"wkt_field": "wkt", "crs": "EPSG:4326"})
    assert (data["kind"], data["feature_count"], data["bbox"]) == ("line", 5, [0.0, 0.0, 3.0, 1.0])
    before = bench.host.layers.aliases()
    for options, word in (
        ({"x_field": "wkt", "y_field": "lat"}, "another column"),
        ({"x_field": "lan", "y_field": "lat"}, "lat"),
        ({"separator": "comma"}, "Leave them out"),
        ({"crs": "EPSG:4326"}, "x_field"),
    ):
        envelope = bench.call("add_table_layer", path=sheet, options=options)
        assert envelope["code"] == "INVALID_PARAM", options
        assert word in envelope["hint"], envelope
    assert bench.host.layers.aliases() == before


def test_a_sheet_is_called_a_sheet(bench: Bench) -> None:
    """Not a layer."""
    path = bench.folder / "two.xlsx"
    dataset = ogr.GetDriverByName("XLSX").CreateDataSource(str(path))
    for name in ("a", "b"):
        layer = dataset.CreateLayer(name)
        layer.CreateField(ogr.FieldDefn("c", ogr.OFTString))
        layer.CreateFeature(ogr.Feature(layer.GetLayerDefn()))
    layer = dataset = None
    assert "2 sheets" in bench.call("add_table_layer", path=path.name)["message"]
    assert Path(path).is_file()
