"""Encodings: found in raw bytes, proposed, set as an assumption, and never written to the file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import REPO, Bench, memory_layer
from osgeo import gdal, ogr
from qgis.core import QgsVectorLayer

from qgis_agent.gis.sources.encodings import guess, read_dbf

SHARED = Path(os.environ.get("QGIS_AGENT_SHARED", REPO.parent / "shared"))
GBK_HUBEI = SHARED / "data" / "layers" / "gbk_hubei"
needs_shared = pytest.mark.skipif(not GBK_HUBEI.is_dir(), reason="the shared data folder is absent")
CITIES = ["武汉市", "黄石市", "十堰市", "宜昌市", "襄阳市", "鄂州市", "荆门市"]


@pytest.mark.parametrize(
    ("texts", "codec", "found"),
    [
        (CITIES, "gbk", "GBK"),
        (CITIES, "utf-8", "UTF-8"),
        (["臺北市", "高雄市", "臺中市", "桃園市", "新竹縣", "嘉義縣"], "big5", "Big5"),
        (["Café", "Müller", "São Paulo", "Orléans"], "cp1252", "windows-1252"),
        (["plain", "ascii"], "ascii", "ASCII"),
        (["硚口区", "漢陽區", "国家重点实验室"], "gbk", "GBK"),
    ],
)
def test_encodings_are_found_in_bytes(texts: list[str], codec: str, found: str) -> None:
    """Python's own codecs wrote the bytes."""
    result = guess([each.encode(codec) for each in texts])
    assert result.encoding == found
    assert result.certain == (found in ("UTF-8", "ASCII"))


def test_text_cut_inside_a_character_is_still_utf8() -> None:
    """As a .dbf field of 10 bytes cuts it."""
    assert guess(["人口密度".encode()[:10]]).encoding == "UTF-8"
    assert guess([b"\xef\xbb\xbfa"]).encoding == "UTF-8"


def test_bytes_that_fit_nothing_are_said_to_fit_nothing() -> None:
    """No proposal from noise."""
    assert guess([bytes(range(0x80, 0xA0)) * 3]).encoding == ""


def test_a_dbf_is_read_raw(tmp_path: Path) -> None:
    """Names and text values as OGR wrote them."""
    write_shapefile(tmp_path / "s.shp", ["武汉", "x"], "GBK")
    text = read_dbf((tmp_path / "s.dbf").read_bytes())
    assert text.names == [b"name", b"n"]
    assert text.values == [["武汉".encode("gbk")], [b"x"]]


def write_shapefile(path: Path, names: list[str], encoding: str) -> None:
    """Points with a name, by OGR. QGIS tells OGR not to recode shapefiles (SHAPE_ENCODING is empty): not so here."""
    told = gdal.GetConfigOption("SHAPE_ENCODING")
    gdal.SetConfigOption("SHAPE_ENCODING", None)
    dataset = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(path))
    layer = dataset.CreateLayer(path.stem, None, ogr.wkbPoint, [f"ENCODING={encoding}"])
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for name in names:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetField("name", name)
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT(1 2)"))
        layer.CreateFeature(feature)
    dataset = None
    gdal.SetConfigOption("SHAPE_ENCODING", told)


def hubei(bench: Bench) -> Path:
    """A copy of the shapefile in GBK without a .cpg."""
    for each in GBK_HUBEI.iterdir():
        shutil.copyfile(each, bench.folder / each.name)
    return bench.folder / "hubei_gbk.shp"


@needs_shared
def test_gbk_is_proposed_and_set_and_the_file_stays(bench: Bench) -> None:
    """README: no .cpg, QGIS says UTF-8; right after GBK (武汉市)."""
    path = hubei(bench)
    before = {each.name: each.read_bytes() for each in bench.folder.iterdir()}
    added = bench.call("add_vector_layer", path=str(path))
    assert added["data"]["encoding_proposed"] == "GBK"
    assert "GBK" in added["message"]
    alias = added["data"]["layer_id"]
    proposal = bench.ok("set_layer_encoding", layer_id=alias)
    assert proposal["changed"] is False
    assert proposal["proposals"][0]["encoding"] == "GBK"
    assert "武汉市" in proposal["proposals"][0]["samples"]
    assert bench.host.layers.by_alias(alias).dataProvider().encoding() == "UTF-8"
    outcome = bench.outcome("set_layer_encoding", layer_id=alias, encoding="GBK")
    data = outcome["envelope"]["data"]
    assert (data["encoding"], data["before"], data["assumed"]) == ("GBK", "UTF-8", True)
    assert any(each["now"] == "武汉市" for each in data["samples"])
    assert outcome["actions"][0]["op"] == "layer_encoding"
    layer = bench.host.layers.by_alias(alias)
    assert "武汉市" in [each["name"] for each in layer.getFeatures()]
    assert (
        bench.ok("count_features", layer_id=alias, where=[{"field": "name", "op": "eq", "value": "武汉市"}])["count"]
        == 1
    )
    bench.host.project.clear()
    assert {each.name: each.read_bytes() for each in bench.folder.iterdir()} == before


@needs_shared
def test_an_encoding_given_when_adding(bench: Bench) -> None:
    """Said to be an assumption, and in force."""
    envelope = bench.call("add_vector_layer", path=str(hubei(bench)), encoding="GBK")
    assert "assumption" in envelope["message"]
    assert "encoding_proposed" not in envelope["data"]
    layer = bench.host.layers.by_alias(envelope["data"]["layer_id"])
    assert "武汉市" in [each["name"] for each in layer.getFeatures()]


@pytest.mark.parametrize(("written", "stated"), [("GBK", "UTF-8"), ("UTF-8", "GBK"), ("GBK", "1252")])
def test_a_wrong_cpg_is_found_out(bench: Bench, written: str, stated: str) -> None:
    """The bytes decide, whatever the .cpg says; it stays as it was."""
    path = bench.folder / "s.shp"
    write_shapefile(path, CITIES, written)
    path.with_suffix(".cpg").write_text(stated)
    table = bytearray(path.with_suffix(".dbf").read_bytes())
    table[29] = 0  # no language byte
    path.with_suffix(".dbf").write_bytes(bytes(table))
    bench.add(QgsVectorLayer(str(path), "s", "ogr"))
    proposal = bench.ok("set_layer_encoding", layer_id="s")
    assert proposal["stated"] == stated
    assert proposal["proposals"][0]["encoding"] == written
    bench.ok("set_layer_encoding", layer_id="s", encoding=written)
    layer = bench.host.layers.by_alias("s")
    assert [each["name"] for each in layer.getFeatures()] == CITIES
    assert path.with_suffix(".cpg").read_text() == stated


def test_an_encoding_that_contradicts_the_bytes_is_doubted(bench: Bench) -> None:
    """Valid UTF-8 set to GBK: done, because it was asked for, and said."""
    path = bench.folder / "s.shp"
    write_shapefile(path, CITIES, "UTF-8")
    bench.add(QgsVectorLayer(str(path), "s", "ogr"))
    envelope = bench.call("set_layer_encoding", layer_id="s", encoding="GBK")
    assert envelope["ok"]
    assert "doubtful" in envelope["message"]


def test_the_encoding_of_a_csv(bench: Bench) -> None:
    """The layer keeps its name, colour and points; a renamed field is told."""
    path = bench.folder / "t.csv"
    path.write_bytes("名称,x,y\n武汉,1,2\n".encode("gbk"))
    uri = f"file://{path}?type=csv&xField=x&yField=y&crs=EPSG:4326&encoding=UTF-8"
    layer = bench.add(QgsVectorLayer(uri, "t", "delimitedtext"))
    color = layer.renderer().symbol().color().name()
    assert bench.ok("set_layer_encoding", layer_id="t")["proposals"][0]["encoding"] == "GBK"
    data = bench.ok("set_layer_encoding", layer_id="t", encoding="GBK")
    assert data["renamed_fields"][0][1] == "名称"
    assert layer.fields().names()[0] == "名称"
    assert [each["名称"] for each in layer.getFeatures()] == ["武汉"]
    assert layer.renderer().symbol().color().name() == color


def test_formats_that_state_their_encoding_are_refused(bench: Bench) -> None:
    """A memory layer, for example."""
    bench.add(memory_layer("Point?crs=EPSG:4326&field=a:string", [("POINT(1 2)", ["x"])], "m"))
    assert bench.code("set_layer_encoding", layer_id="m") == "UNSUPPORTED"
    assert bench.code("set_layer_encoding", layer_id="n") == "NOT_FOUND"
