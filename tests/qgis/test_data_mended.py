"""Faults that trial users met when adding data: archives in GBK, paths that lead nowhere, hints, one row that condemned all.

Expected values are written by hand; bytes are written by Python's own codecs.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from conftest import Bench
from qgis.core import QgsCoordinateReferenceSystem, QgsProject, QgsRectangle, QgsVectorLayer
from test_encoding import CITIES, write_shapefile

from qgis_agent.gis.paths import PathPolicy
from qgis_agent.gis.sources.coordinates import crs_doubts

WGS84 = "EPSG:4326"


class GbkName(zipfile.ZipInfo):
    """A name in an archive as a Chinese Windows writes it: in GBK, without the mark of UTF-8."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802
        return self.filename.encode("gbk"), 0


def gbk_archive(bench: Bench, name: str, stem: str, gbk_names: bool = False) -> Path:
    """A shapefile in GBK without a .cpg and without a language byte, in a zip below a folder."""
    path = bench.folder / "s.shp"
    write_shapefile(path, CITIES, "GBK")
    table = bytearray(path.with_suffix(".dbf").read_bytes())
    table[29] = 0
    archive = bench.folder / name
    with zipfile.ZipFile(archive, "w") as packed:
        for suffix in (".shp", ".shx", ".dbf"):
            raw = bytes(table) if suffix == ".dbf" else path.with_suffix(suffix).read_bytes()
            member = f"{stem}{suffix}"
            packed.writestr(GbkName(member) if gbk_names else member, raw)
    for each in bench.folder.glob("s.*"):
        each.unlink()
    return archive


@pytest.mark.parametrize("stem", ["cities", "湖北/城市"])
def test_a_zipped_shapefile_in_gbk_is_found_out_and_put_right(bench: Bench, stem: str) -> None:
    """As the same files unpacked: proposed, then set, and the archive stays as it was."""
    archive = gbk_archive(bench, "cn.zip", stem)
    before = archive.read_bytes()
    seen = bench.ok("inspect_data_file", path="cn.zip")
    assert seen["encoding"]["looks_like"] == "GBK"
    assert seen["fields"][0]["raw"] == CITIES[0]
    added = bench.ok("add_vector_layer", path="cn.zip")
    assert added["encoding_proposed"] == "GBK"
    alias = added["layer_id"]
    assert any("GBK" in each for each in bench.ok("describe_layer", layer_id=alias)["warnings"])
    assert bench.ok("set_layer_encoding", layer_id=alias)["proposals"][0]["samples"][0] == CITIES[0]
    bench.ok("set_layer_encoding", layer_id=alias, encoding="GBK")
    layer = bench.host.layers.by_alias(alias)
    assert [each["name"] for each in layer.getFeatures()] == CITIES
    assert not any("GBK" in each for each in bench.ok("describe_layer", layer_id=alias)["warnings"])
    assert archive.read_bytes() == before


def test_an_archive_that_was_added_as_a_whole(bench: Bench) -> None:
    """As QGIS's browser adds it: the source names no member."""
    archive = gbk_archive(bench, "cn.zip", "cities")
    bench.add(QgsVectorLayer(f"/vsizip/{archive}", "whole", "ogr"))
    assert bench.ok("set_layer_encoding", layer_id="whole")["proposals"][0]["encoding"] == "GBK"


def test_the_names_in_an_archive_of_a_chinese_windows(bench: Bench) -> None:
    """Python and GDAL read them as code page 437; the layer's name is the one that was meant."""
    gbk_archive(bench, "win.zip", "湖北城市", gbk_names=True)
    assert bench.ok("add_vector_layer", path="win.zip")["name"] == "湖北城市"


def test_an_accent_in_the_last_record_of_a_table_counts(bench: Bench) -> None:
    """Record 2,500 of a shapefile: the first 2,000 are ASCII."""
    path = bench.folder / "late.shp"
    write_shapefile(path, ["name"] * 2500 + ["武汉市江岸区"], "GBK")
    table = bytearray(path.with_suffix(".dbf").read_bytes())
    table[29] = 0
    path.with_suffix(".dbf").write_bytes(bytes(table))
    path.with_suffix(".cpg").unlink(missing_ok=True)
    assert bench.ok("add_vector_layer", path="late.shp")["encoding_proposed"] == "GBK"
    proposal = bench.ok("set_layer_encoding", layer_id="late")["proposals"][0]
    assert (proposal["encoding"], proposal["samples"]) == ("GBK", ["武汉市江岸区"])


def test_a_filter_that_empties_a_garbled_layer_says_why(bench: Bench) -> None:
    """武汉市 is there, but read as other characters."""
    gbk_archive(bench, "cn.zip", "cities")
    bench.ok("add_vector_layer", path="cn.zip", name="c")
    envelope = bench.call("set_layer_filter", layer_id="c", where=[{"field": "name", "op": "eq", "value": "武汉市"}])
    assert envelope["data"]["features_after"] == 0
    assert "GBK" in envelope["message"] and "set_layer_encoding" in envelope["message"]


def test_text_of_a_shapefile_is_shown_in_the_encoding_that_is_known(bench: Bench) -> None:
    """Windows-1252: the umlaut is not lost, in values and in names of columns."""
    write_shapefile(bench.folder / "w.shp", ["Müller GmbH", "Café"], "CP1252")
    table = bytearray((bench.folder / "w.dbf").read_bytes())
    table[29] = 0
    (bench.folder / "w.dbf").write_bytes(bytes(table))
    (bench.folder / "w.cpg").unlink(missing_ok=True)
    seen = bench.ok("inspect_data_file", path="w.shp")
    assert (seen["encoding"]["looks_like"], seen["fields"][0]["raw"]) == ("windows-1252", "Müller GmbH")


# paths


def test_listed_paths_are_the_paths_to_give(bench: Bench) -> None:
    """Each path of each list works in the other tools: below the folder of relative paths, and outside it."""
    bench.host.project.setFileName(str(bench.folder / "p.qgz"))
    (bench.folder / "a" / "b").mkdir(parents=True)
    for name in ("top.csv", "a/one.csv", "a/b/two.csv"):
        (bench.folder / name).write_text("id,v\n1,2\n", "ascii")
    for folder, paths in (("", ["a/b/two.csv", "a/one.csv", "top.csv"]), ("a", ["a/b/two.csv", "a/one.csv"])):
        found = [each["path"] for each in bench.ok("list_data_files", folder=folder)["files"]]
        assert found == paths
        for each in found:
            assert bench.ok("inspect_data_file", path=each)["rows"] == 1
    missing = bench.call("inspect_data_file", path="a/onne.csv")
    assert missing["hint"].startswith("Did you mean 'a/one.csv'?")
    assert "list_data_files" in bench.call("inspect_data_file", path="two.csv")["hint"]
    bench.host.project.setFileName("")


def test_a_path_outside_the_project_folder_is_listed_whole(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A folder that a person added."""
    other = tmp_path_factory.mktemp("other").resolve()
    (other / "x.csv").write_text("id\n1\n", "ascii")
    bench.host.paths = PathPolicy(QgsProject.instance(), write_roots=[str(bench.folder)], read_roots=[str(other)])
    assert bench.ok("list_data_files", folder=str(other))["files"][0]["path"] == str(other / "x.csv")
    assert bench.ok("inspect_data_file", path=str(other / "x.csv"))["rows"] == 1


def test_the_hint_of_a_refused_path_names_each_folder_once(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nine folders of layers, two of them below the project's folder: six sentences' worth at most."""
    folders = [bench.folder, bench.folder / "in1", bench.folder / "in2"]
    folders += [tmp_path_factory.mktemp(f"out{number}").resolve() for number in range(7)]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        for name in ("a", "b"):
            feature = {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, 2]}}
            (folder / f"{name}.geojson").write_text(json.dumps(feature), "utf-8")
            bench.add(QgsVectorLayer(str(folder / f"{name}.geojson"), name, "ogr"))
    envelope = bench.call("inspect_data_file", path="/etc/hostname")
    assert (envelope["code"], envelope["hint"].count("/in1")) == ("FORBIDDEN", 0)
    assert envelope["hint"].count(", ") == 5 and "3 more" in envelope["hint"]
    assert len(envelope["hint"].encode()) < 1000


def test_an_archive_whose_names_all_lead_out_of_it(bench: Bench) -> None:
    """No list of nothing."""
    with zipfile.ZipFile(bench.folder / "evil.zip", "w") as packed:
        packed.writestr("../../evil.geojson", "{}")
    assert "no files" in bench.call("inspect_data_file", path="evil.zip")["hint"]


# coordinates that are no degrees


def test_one_row_with_swapped_coordinates_does_not_condemn_the_layer(bench: Bench) -> None:
    """Two points at 114 E 30 N, one at (30.6, 114.3): the bbox is that of the two, the one at fault is named."""
    points = [(114.0, 30.0), (30.6, 114.3), (114.9, 30.7)]
    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": list(point)}}
        for point in points
    ]
    path = bench.folder / "mixed.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), "utf-8")
    for envelope in (bench.call("inspect_data_file", path=path.name), bench.call("add_vector_layer", path=path.name)):
        assert envelope["data"]["bbox"] == [114.0, 30.0, 114.9, 30.7]
        assert "1 of 3 features" in envelope["message"] and "(30.6, 114.3)" in envelope["message"]
        assert "swapped" in envelope["message"] and "metres" not in envelope["message"]
        assert envelope["data"].get("feature_count") == 3
    warnings = " ".join(bench.ok("describe_layer", layer_id="mixed")["warnings"])
    assert "(114.9, 114.3)" in warnings and "metres" not in warnings


@pytest.mark.parametrize(
    ("box", "crs", "problem", "word"),
    [
        ((30.6, 30, 114.9, 114.3), WGS84, "some_out_of_range", "(114.9, 114.3)"),
        ((30, 110, 31, 116), WGS84, "swapped_axes", "(31, 116)"),
        ((500000, 4400000, 510000, 4410000), WGS84, "out_of_range", "metres"),
        ((30.6, 114.3, 39.9, 116.4), "", "no_crs", "swapped"),
        ((114.3, 30.6, 116.4, 39.9), "", "no_crs", "could be degrees."),
        ((500000, 4400000, 510000, 4410000), "", "no_crs", "are no degrees"),
        ((0, 0, 510000, 4410000), "", "no_crs", "Not all"),
    ],
)
def test_what_is_said_of_numbers_that_may_be_degrees(
    box: tuple[float, float, float, float], crs: str, problem: str, word: str
) -> None:
    """Only what the extent shows is said, with the numbers at fault."""
    found = crs_doubts(QgsRectangle(*box), QgsCoordinateReferenceSystem(crs), QgsProject.instance())
    assert [each["problem"] for each in found] == [problem]
    assert word in found[0]["text"]


# services


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"kind": "xyz", "crs": "EPSG:4326"}, "Leave crs out"),
        ({"kind": "xyz", "layer": "roads"}, "Leave layer out"),
        ({"kind": "xyz", "options": {"style": "x"}}, "min_zoom, max_zoom"),
        ({"kind": "wms", "options": {"min_zoom": 3}}, "style, format"),
        ({"kind": "wfs", "options": {"format": "image/png"}}, "none"),
    ],
)
def test_what_would_have_no_effect_on_a_service_is_refused(
    bench: Bench, arguments: dict[str, object], word: str
) -> None:
    """Before anybody is asked anything in the network: port 9 answers nobody."""
    bench.approver.answer = "once"
    url = "http://127.0.0.1:9/{z}/{x}/{y}.png"
    envelope = bench.call("add_service_layer", url=url, **arguments)
    assert (envelope["code"], word in envelope["hint"]) == ("INVALID_PARAM", True), envelope


def test_the_hint_of_a_denied_host_names_the_value_to_give(bench: Bench) -> None:
    """With its port."""
    envelope = bench.call("add_service_layer", kind="xyz", url="http://127.0.0.1:9/{z}/{x}/{y}.png")
    assert envelope["code"] == "PERMISSION_DENIED"
    assert "--allow-network 127.0.0.1:9," in envelope["hint"]


@pytest.mark.parametrize("wkt", ["CIRCULARSTRING(0 0,1 1,2 0)", "CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))"])
def test_curves_are_refused_on_this_side_too(bench: Bench, wkt: str) -> None:
    """Nothing from the bridge is trusted."""
    envelope = bench.call("add_temp_layer", name="x", features=[{"wkt": wkt}])
    assert envelope["code"] == "INVALID_PARAM" and "curves" in envelope["message"]
