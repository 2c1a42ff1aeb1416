"""Files that somebody made to mislead: names that QGIS reads as more, contents that GDAL would follow, sizes that fill memory.

Expected: refused with a code and a hint, quickly, and nothing is asked of the network.
"""

from __future__ import annotations

import http.server
import json
import os
import sqlite3
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from osgeo import ogr
from test_data_files import VRT, geojson

from qgis_agent.gis.errors import ToolError
from qgis_agent.gis.paths import PathPolicy


class Heard(http.server.BaseHTTPRequestHandler):
    """Answers 404 and keeps what was asked."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        """Any address."""
        Heard.asked.append(self.path)
        self.send_error(404)

    def log_message(self, *_args: Any) -> None:
        """Quiet."""


@pytest.fixture
def listener() -> Iterator[str]:
    """The address of a server that should hear nothing."""
    Heard.asked = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Heard)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/crs"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["x.vrt|layerid=0.geojson", "x.vrt|a.geojson", "x.vrt|layername=s.geojson"])
def test_a_bar_in_a_name_does_not_open_another_file(bench: Bench, name: str) -> None:
    """QGIS reads what comes after "|" as options, and opens the file of the name before it."""
    secret = geojson(bench.folder.parent / "secret.geojson", [(1, 2)])
    (bench.folder / "x.vrt").write_text(VRT.format(secret.stem).replace("secret</Src", f"{secret}</Src"), "utf-8")
    harmless = geojson(bench.folder / name, [(5, 6)])
    for tool in ("add_vector_layer", "inspect_data_file"):
        envelope = bench.call(tool, path=str(harmless))
        assert not envelope["ok"] and envelope["hint"], envelope
    assert bench.host.layers.aliases() == []


def test_a_bar_in_the_name_of_a_member(bench: Bench) -> None:
    """The same inside an archive."""
    inside = geojson(bench.folder / "in.geojson", [(5, 6)])
    with zipfile.ZipFile(bench.folder / "a.zip", "w") as archive:
        archive.write(inside, "x.vrt|layerid=0.geojson")
        archive.writestr("x.vrt", VRT.format("/etc/hostname"))
    assert not bench.call("add_vector_layer", path=str(bench.folder / "a.zip"))["ok"]
    assert bench.host.layers.aliases() == []


_HREF = '"properties":{"href":"%s"}'


@pytest.mark.parametrize(
    ("name", "crs"),
    [
        ("a.geojson", '"crs":{"type":"link",%s}'),
        ("a.data", '"crs":{"type":"link",%s}'),
        ("a.geojson", '"\\u0063rs":{"type":"link",%s}'),
        ("a.geojson", '"crs":{"type":"l\\u0069nk",%s}'),
        ("a.geojson", '"crs":{"a":{"b":{"c":{}}},%s,"type":"link"}'),
        ("a.geojson", "\"crs\":{'type':'link',%s}"),
        ("a.geojson", "'crs':{'type':'link',%s}"),
        ("a.geojson", '"crs"/* */:{"type":"link",%s}'),
        ("a.geojson", '"crs":{"pad":"' + "x" * 5000 + '","type":"link",%s}'),
        ("a.geojson", '"crs":{"type":"url","properties":{"url":"%s"}}'),
    ],
)
def test_a_crs_by_link_is_not_followed(bench: Bench, listener: str, name: str, crs: str) -> None:
    """However it is written, and whatever the file is called: GDAL would fetch the address."""
    href = _HREF % listener
    member = crs % (listener if "url" in crs and "link" not in crs else href)
    feature = '{"type":"Feature","properties":{"n":"x"},"geometry":{"type":"Point","coordinates":[1,2]}}'
    content = '{"type":"FeatureCollection",' + member + ',"features":[' + feature + "]}"
    (bench.folder / name).write_text(content, "utf-8")
    for tool in ("add_vector_layer", "inspect_data_file"):
        envelope = bench.call(tool, path=str(bench.folder / name))
        assert not envelope["ok"], envelope
    assert Heard.asked == []


def test_attributes_that_only_look_like_a_crs_by_link_are_data(bench: Bench) -> None:
    """A field named crs, the word link as a value, and a CRS by name are nothing bad."""
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    path = geojson(bench.folder / "good.geojson", [(1, 2)], crs=crs)
    data = json.loads(path.read_text("utf-8"))
    data["features"][0]["properties"] = {"crs": "link", "type": "link", "name": "crs"}
    path.write_text(json.dumps(data), "utf-8")
    assert bench.ok("add_vector_layer", path=str(path))["feature_count"] == 1


@pytest.mark.parametrize(
    "content",
    [
        '!table\n"\\isseamless" = "TRUE"\n',
        "!table\n" + "!charset WindowsLatin1\n" * 4000 + '"\\IsSeamless" = "TRUE"\n',
        "!table\n" + "!charset WindowsLatin1\n" * 4000 + "create view v as select * from secret\n",
    ],
)
def test_tables_of_mapinfo_that_lead_elsewhere(bench: Bench, content: str) -> None:
    """In any case of letters, and beyond the first 64 KB."""
    (bench.folder / "t.tab").write_text(content, "latin-1")
    assert bench.code("add_vector_layer", path=str(bench.folder / "t.tab")) == "FORBIDDEN"


def test_a_cell_longer_than_a_reader_takes(bench: Bench) -> None:
    """A polygon's WKT of 150,000 characters is a table; a cell of 11 million, or a line without end, is refused."""
    ring = ", ".join(f"{x / 10000:.4f} {x % 7}" for x in range(10_000))
    path = bench.folder / "wkt.csv"
    path.write_text(f'id,wkt\n1,"LINESTRING({ring}, {ring})"\n2,"LINESTRING(0 0, 1 1)"\n', "utf-8")
    assert path.stat().st_size > 150_000
    data = bench.ok("add_table_layer", path=str(path), options={"wkt_field": "wkt", "crs": "EPSG:4326"})
    assert data["feature_count"] == 2
    for name, content in (("cell.csv", 'a,b\n1,"' + "x" * 11_000_000), ("line.csv", "a,b\n1," + "x" * 25_000_000)):
        (bench.folder / name).write_text(content, "ascii")
        assert bench.call("inspect_data_file", path=str(bench.folder / name))["reason"] == "unreadable"


def test_a_table_of_very_many_columns(bench: Bench) -> None:
    """60,000 columns: refused in a moment."""
    (bench.folder / "wide.csv").write_text(",".join(f"c{n}" for n in range(60_000)) + "\n", "ascii")
    started = time.monotonic()
    assert bench.call("inspect_data_file", path=str(bench.folder / "wide.csv"))["reason"] == "too_many_columns"
    assert time.monotonic() - started < 5


def test_a_packed_file_that_unpacks_to_very_much(bench: Bench) -> None:
    """A .kmz and an .xlsx are zip archives that GDAL unpacks as a whole: 1.5 GB of zeros in 1.5 MB are refused unread."""
    for name, member in (("bomb.kmz", "doc.kml"), ("bomb.xlsx", "xl/workbook.xml"), ("bomb.ods", "content.xml")):
        packed = zipfile.ZipFile(bench.folder / name, "w", zipfile.ZIP_DEFLATED)
        with packed as archive, archive.open(member, "w", force_zip64=True) as stream:
            for _ in range(1500):
                stream.write(bytes(1_000_000))
        started = time.monotonic()
        envelope = bench.call("inspect_data_file", path=str(bench.folder / name))
        assert envelope["reason"] == "unreadable" and "big" in envelope["message"], envelope
        assert time.monotonic() - started < 3


def test_a_code_page_file_is_read_to_its_first_bytes_only(bench: Bench) -> None:
    """A .cpg of 3 GB (sparse) beside a shapefile costs neither time nor memory."""
    dataset = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(bench.folder / "s.shp"))
    dataset.CreateLayer("s", None, ogr.wkbPoint).CreateField(ogr.FieldDefn("a", ogr.OFTString))
    del dataset
    page = bench.folder / "s.cpg"
    page.write_text("GBK", "ascii")
    assert bench.ok("inspect_data_file", path=str(bench.folder / "s.shp"))["encoding"]["stated"] == "GBK"
    os.truncate(page, 200)
    assert bench.ok("inspect_data_file", path=str(bench.folder / "s.shp"))["encoding"]["stated"] == "GBK"


@pytest.mark.parametrize("name", ["a\\b.gpkg", "..\\..\\x.gpkg", "n" * 250 + ".gpkg", "地" * 90 + ".gpkg"])
def test_names_that_no_file_can_have_everywhere(bench: Bench, name: str) -> None:
    """A backslash leads away on Windows; more than 200 bytes leave no room for the draft's name."""
    policy: PathPolicy = bench.host.paths
    with pytest.raises(ToolError) as caught:
        policy.writable(name)
    assert caught.value.envelope["code"] in ("INVALID_PARAM", "FORBIDDEN")
    assert caught.value.envelope["hint"]


def test_names_of_files_are_cleaned_before_they_are_said(bench: Bench) -> None:
    """A bidi mark and a control character in a name reach neither the person nor the model."""
    path = bench.folder / "bad\u202egpj\u0007.geojson"
    path.write_text("no json", "utf-8")
    envelope = bench.call("add_vector_layer", path=str(path))
    said = Path(str(path)).name
    assert (
        said not in envelope["message"] and "\u202e" not in envelope["message"] and "\u0007" not in envelope["message"]
    )


def test_the_hint_for_a_folder_names_nothing_outside(bench: Bench) -> None:
    """Asked for the root itself as a file, the names beside the root are not told."""
    (bench.folder.parent / "secret_beside.txt").write_text("x", "ascii")
    geojson(bench.folder / "inside.geojson", [(1, 2)])
    envelope = bench.call("inspect_data_file", path=str(bench.folder))
    assert envelope["code"] == "NOT_FOUND"
    assert "secret" not in envelope["hint"] and "inside" in envelope["hint"]


def geopackage(path: Path, *tables: str, in_wal: bool = False) -> Path:
    """A GeoPackage with a table of one row, and ``tables`` as definitions put into its schema by hand."""
    dataset = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = dataset.CreateLayer("plain", None, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("x", ogr.OFTString))
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT(1 2)"))
    layer.CreateFeature(feature)
    del feature, layer, dataset
    connection = sqlite3.connect(str(path))
    if in_wal:
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA writable_schema=ON")
    for number, sql in enumerate(tables):
        name, kind = f"t{number}", "view" if "VIEW" in sql else "table"
        connection.execute(
            "INSERT INTO sqlite_master(type,name,tbl_name,rootpage,sql) VALUES(?,?,?,0,?)", (kind, name, name, sql)
        )
        connection.execute(
            "INSERT INTO gpkg_contents(table_name,data_type,identifier) VALUES(?,'attributes',?)", (name, name)
        )
    connection.commit()
    if in_wal:
        KEPT.append(connection)  # closing it would write the -wal into the file
    else:
        connection.close()
    return path


KEPT: list[sqlite3.Connection] = []


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIRTUAL TABLE t0 USING VirtualText('{}', UTF-8, 1, POINT, DOUBLEQUOTE, ',')",
        "create/**/virtual/* using rtree( */table t0 using VirtualText('{}', UTF-8, 1, POINT, DOUBLEQUOTE, ',')",
        "CREATE VIRTUAL TABLE \"t0\" USING VirtualOGR('{}')",
        "CREATE VIEW t0 AS SELECT XB_LoadXML('{}') AS a",
    ],
)
@pytest.mark.parametrize("way", ["plain", "zip", "wal"])
def test_a_table_that_reads_another_file(bench: Bench, sql: str, way: str) -> None:
    """SpatiaLite's VirtualText in a GeoPackage showed every text file of the computer as a layer."""
    secret = bench.folder.parent / "secret.csv"
    secret.write_text("a,b\nTOP,SECRET\n", "ascii")
    path = geopackage(bench.folder / "v.gpkg", sql.replace("{}", str(secret)), in_wal=way == "wal")
    if way == "zip":
        with zipfile.ZipFile(bench.folder / "v.zip", "w") as archive:
            archive.write(path, "v.gpkg")
        path = bench.folder / "v.zip"
    for tool, more in (
        ("add_vector_layer", {"sublayer": "t0"}),
        ("add_vector_layer", {"sublayer": "plain"}),
        ("inspect_data_file", {}),
    ):
        envelope = bench.call(tool, path=str(path), **more)
        assert not envelope["ok"] and envelope["code"] == "FORBIDDEN", envelope
        assert "SECRET" not in str(envelope)
    assert bench.host.layers.aliases() == []
    while KEPT:
        KEPT.pop().close()


def test_a_geopackage_with_its_indexes_is_read(bench: Bench) -> None:
    """R-trees are virtual tables too; a table without geometry can be looked into."""
    path = geopackage(bench.folder / "g.gpkg")
    connection = sqlite3.connect(str(path))
    found = [row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'")]
    connection.execute('CREATE TABLE "bare" (id INTEGER PRIMARY KEY, n TEXT)')
    connection.execute("INSERT INTO gpkg_contents(table_name,data_type,identifier) VALUES('bare','attributes','bare')")
    connection.commit()
    connection.close()
    assert found, "GDAL made no R-tree"
    assert bench.ok("add_vector_layer", path=str(path), sublayer="plain")["feature_count"] == 1
    assert bench.ok("inspect_data_file", path=str(path), sublayer="plain")["feature_count"] == 1
    assert bench.ok("inspect_data_file", path=str(path), sublayer="bare")["feature_count"] == 0


def test_odd_names_of_columns_keep_what_is_said_of_them(bench: Bench) -> None:
    """A colon in a name: the provider reads text, so text is what is said."""
    (bench.folder / "c.csv").write_text("time:utc,n\n10,5\n", "ascii")
    data = bench.ok("add_table_layer", path="c.csv")
    layer = bench.host.layers.by_alias(data["layer_id"])
    kinds = {each["name"]: each["type"] for each in data["fields"]}
    assert kinds == {"time:utc": "text", "n": "integer"}
    assert [each.typeName() for each in layer.fields()] == ["text", "longlong"]
