"""What a person's own words ask for: the test of words that both processes use."""

from __future__ import annotations

import pytest

from qgis_agent.bridge.requested import hosts_in, requested_by

WRITES = [
    "Export the schools to a GeoPackage",
    "please save the project",
    "Delete the features without a name",
    "remove layer roads",
    "把学校导出为CSV",
    "導出學校",
    "另存为 a.gpkg",
    "刪除圖層 道路",
    "Write the result as a GeoPackage to `buildings.gpkg`, and use `id` as the key.",
    "How many are there? Output summary.json with the key count.",
    "please convert it to `pois.geojson`, one row per placemark",
    "Make an A4 map with a legend, as PDF and PNG",
    "join them and write the result to a.csv",
    "把结果写成 GeoPackage `b.gpkg`",
    "请输出 summary.json",
    "把学校保存成文件",
    "制作一张PDF地图",
]
PLAIN = [
    "show the schools",
    "Don't export anything, just show it",
    "do not save the project",
    "never delete features",
    "exporter names of the table",
    "不要导出",
    "别保存到文件",
    "把学校染成红色",
    "make a chart of schools.csv",
    "create a layer from the CSV",
    "make a map of the values in roads.csv",
    "load parks.geojson and make it green",
    "Don't write it to x.gpkg",
    "用 schools.csv 里的数据给地图着色",
    "Open roads.gpkg. Make the roads red.",
]


@pytest.mark.parametrize("text", WRITES)
def test_words_that_ask_for_a_write(text: str) -> None:
    assert "write" in requested_by(text)


@pytest.mark.parametrize("text", PLAIN)
def test_words_that_ask_for_nothing_beyond_the_map(text: str) -> None:
    assert requested_by(text) == ()


def test_one_no_does_not_take_back_a_yes() -> None:
    assert "write" in requested_by("do not export the roads, but export the rivers")


@pytest.mark.parametrize("text", ["remember that I like blue", "記住：用GPKG", "以后都用GPKG", "make a note of it"])
def test_words_that_ask_to_remember(text: str) -> None:
    assert "note" in requested_by(text)


HOSTS = [
    ("add the WMS at https://Maps.Example.org/wms?x=1", ("maps.example.org",)),
    ("http://user:pw@10.0.0.1:8080/a and http://10.0.0.1:8080/b", ("10.0.0.1:8080",)),
    ("use tiles.example.com, please.", ("tiles.example.com",)),
    ("加载 https://a.example.cn:8443/wms。", ("a.example.cn:8443",)),
    ("localhost:8080 has it", ("localhost:8080",)),
    ("load schools.zip and roads.gpkg", ()),
    ("mail me at ann@example.org", ()),
    ("in folder data/example.com", ()),
    ("population > 1.5 and 3.40.6", ()),
    ("", ()),
]


@pytest.mark.parametrize(("text", "hosts"), HOSTS)
def test_hosts_that_a_person_names(text: str, hosts: tuple[str, ...]) -> None:
    assert hosts_in(text) == hosts
    assert [each for each in requested_by(text) if each.startswith("host:")] == ["host:" + each for each in hosts]
