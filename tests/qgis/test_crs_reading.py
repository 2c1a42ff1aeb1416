"""Reading CRSs: nothing is guessed or converted silently. Expected positions by pyproj or stated in the cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench, memory_layer
from osgeo import ogr
from pyproj import CRS, Geod, Transformer
from qgis.core import QgsCoordinateReferenceSystem, QgsProject, QgsRectangle

from qgis_agent.gis.sources.coordinates import _ZONES, crs_doubts
from qgis_agent.gis.sources.gcj02 import draws_in_gcj02, offset_degrees, offset_m


def point(bench: Bench, x: float, y: float, crs: str, name: str = "p") -> Any:
    """A memory layer with one point."""
    definition = f"Point?crs={crs}&field=a:int" if crs else "Point?field=a:int"
    layer = memory_layer(definition, [(f"POINT({x} {y})", [1])], name)
    if not crs:
        layer.setCrs(QgsCoordinateReferenceSystem())
    return bench.add(layer)


def test_a09_setting_a_crs_moves_the_layer_and_converts_nothing(bench: Bench) -> None:
    """(116.4, 39.9) under EPSG:3857 lies at (0.001046, 0.000358); the coordinate stays; the distance is told."""
    layer = point(bench, 116.4, 39.9, "EPSG:4326")
    outcome = bench.outcome("set_layer_crs", layer_id="p", crs="EPSG:3857")
    data = outcome["envelope"]["data"]
    assert data["middle_now"] == pytest.approx([0.001046, 0.000358], abs=1e-6)
    assert data["middle_before"] == pytest.approx([116.4, 39.9])
    assert data["assumed"] is True
    far = Geod(ellps="WGS84").inv(116.4, 39.9, 0.0010456, 0.0003584)[2] / 1000
    assert data["moved_km"] == pytest.approx(far, rel=1e-6)
    message = outcome["envelope"]["message"]
    assert "no coordinate was converted" in message
    assert "reproject" in message
    geometry = next(layer.getFeatures()).geometry().asPoint()
    assert (geometry.x(), geometry.y()) == (116.4, 39.9)
    assert layer.crs().authid() == "EPSG:3857"
    assert outcome["actions"][0]["args"] == {"layer_id": "p", "crs": "EPSG:3857", "before": "EPSG:4326"}


def test_a09_converting_is_what_gives_the_other_numbers() -> None:
    """The case's other half, by pyproj and QGIS alike: (12957588.73, 4851421.18)."""
    x, y = Transformer.from_crs(4326, 3857, always_xy=True).transform(116.4, 39.9)
    assert (x, y) == pytest.approx((12957588.73, 4851421.18), abs=0.01)


GML = (
    '<?xml version="1.0"?><wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" '
    'xmlns:gml="http://www.opengis.net/gml" xmlns:t="http://t"><gml:featureMember><t:p><t:n>x</t:n><t:geom>'
    '<gml:Point srsName="{}"><gml:pos>39.9 116.4</gml:pos></gml:Point></t:geom></t:p></gml:featureMember>'
    "</wfs:FeatureCollection>"
)


@pytest.mark.parametrize(
    ("spelling", "swapped"),
    [("urn:ogc:def:crs:EPSG::4326", False), ("EPSG:4326", True), ("urn:ogc:def:crs:EPSG::4490", False)],
)
def test_a10_axis_order_of_gml(bench: Bench, spelling: str, swapped: bool) -> None:
    """The same text is (116.4, 39.9) by urn; by the short name it is (39.9, 116.4), and that is said."""
    path = bench.folder / "p.gml"
    path.write_text(GML.format(spelling), encoding="utf-8")
    envelope = bench.call("add_vector_layer", path=str(path))
    if swapped:
        assert envelope["data"]["doubts"] == [{"problem": "swapped_axes"}]
        assert "swapped" in envelope["message"]
        assert envelope["data"]["bbox"] is None
        assert "swapped" in bench.call("inspect_data_file", path=str(path))["message"]
    else:
        assert "doubts" not in envelope["data"]
        assert envelope["data"]["bbox"] == pytest.approx([116.4, 39.9, 116.4, 39.9])
    assert [each.name for each in bench.folder.iterdir()] == ["p.gml"]


def test_a12_the_zone_number_in_eastings(bench: Bench) -> None:
    """(500000, 4429529.03) labelled 4527 is nowhere on earth: 4548 is suggested; 4527 with its number is right."""
    point(bench, 500000, 4429529.03, "EPSG:4548")
    envelope = bench.call("set_layer_crs", layer_id="p", crs="EPSG:4527")
    assert envelope["data"]["doubts"] == [{"problem": "zone_prefix", "suggest": "EPSG:4548"}]
    assert "39" in envelope["message"]
    data = bench.ok("set_layer_crs", layer_id="p", crs="EPSG:4548")
    assert "doubts" not in data
    assert data["middle_now"] == pytest.approx([117, 40], abs=1e-6)
    point(bench, 39500000, 4429529.03, "EPSG:4548", "q")
    assert bench.ok("set_layer_crs", layer_id="q", crs="EPSG:4548")["doubts"] == [
        {"problem": "zone_prefix", "suggest": "EPSG:4527"}
    ]
    assert bench.ok("set_layer_crs", layer_id="q", crs="EPSG:4527")["middle_now"] == pytest.approx([117, 40], abs=1e-6)


def test_a12_geographic_cgcs2000_is_the_same_place(bench: Bench) -> None:
    """EPSG:4490 and EPSG:4326: no jump."""
    point(bench, 116.4, 39.9, "EPSG:4490")
    data = bench.ok("set_layer_crs", layer_id="p", crs="EPSG:4326")
    assert data["middle_now"] == pytest.approx([116.4, 39.9])
    assert data["moved_km"] < 0.002


@pytest.mark.parametrize("row", _ZONES)
def test_a12_zones_and_their_meridians(row: tuple[int, int, int, int]) -> None:
    """Each code with a number and the suggested one without are the same projection but for the false easting."""
    first, last, plus, zone = row
    for code in (first, (first + last) // 2, last):
        with_number, without = CRS(code).coordinate_operation, CRS(code + plus).coordinate_operation
        values = [{each.name: each.value for each in op.params} for op in (with_number, without)]
        assert values[0].pop("False easting") == (code - first + zone) * 1_000_000 + 500_000
        assert values[1].pop("False easting") == 500_000
        assert values[0] == values[1]
        assert CRS(code).geodetic_crs == CRS(code + plus).geodetic_crs


@pytest.mark.parametrize(
    ("place", "shifted", "metres"),
    [
        ((116.4, 39.9), (116.406243, 39.901404), 556),
        ((121.47, 31.23), None, 482),
        ((113.26, 23.13), None, 621),
    ],
)
def test_a13_the_size_of_the_offset(place: tuple[float, float], shifted: Any, metres: int) -> None:
    """The numbers of the case."""
    assert offset_m(*place) == pytest.approx(metres, abs=1)
    if shifted:
        moved = offset_degrees(*place)
        assert (place[0] + moved[0], place[1] + moved[1]) == pytest.approx(shifted, abs=1e-6)


def test_a13_hosts_and_places_without_the_offset() -> None:
    """Only the named hosts, and only in China."""
    assert draws_in_gcj02("https://webrd01.is.autonavi.com/appmaptile?x={x}")
    assert not draws_in_gcj02("https://autonavi.com.example.org/{x}")
    assert not draws_in_gcj02("https://tile.openstreetmap.org/{z}/{x}/{y}.png")
    assert offset_m(2.35, 48.85) == 0


def test_a15_geojson_in_metres_is_flagged(bench: Bench) -> None:
    """(448709.38, 4416830.56) without crs is read as EPSG:4326 and cannot be: no place is claimed."""
    path = bench.folder / "p.geojson"
    path.write_text(
        json.dumps(
            {
                "type": "FeatureCollection",
                "features": [
                    {
                        "type": "Feature",
                        "properties": {},
                        "geometry": {"type": "Point", "coordinates": [448709.38, 4416830.56]},
                    }
                ],
            }
        )
    )
    envelope = bench.call("add_vector_layer", path=str(path))
    assert envelope["data"]["doubts"] == [{"problem": "out_of_range"}]
    assert envelope["data"]["bbox"] is None
    assert "448709.4" in envelope["message"]
    alias = envelope["data"]["layer_id"]
    fixed = bench.ok("set_layer_crs", layer_id=alias, crs="EPSG:32650")
    assert "doubts" not in fixed
    assert fixed["middle_now"] == pytest.approx(
        Transformer.from_crs(32650, 4326, always_xy=True).transform(448709.38, 4416830.56), abs=1e-6
    )


def test_a15_the_export_is_in_degrees(bench: Bench) -> None:
    """From EPSG:32650 to GeoJSON: about (116.4, 39.9)."""
    point(bench, 448709.38, 4416830.56, "EPSG:32650")
    bench.approver.answer = "once"
    target = bench.folder / "out.geojson"
    assert bench.ok("prepare_export_layer", layer_id="p", path=str(target), format="GeoJSON")["written"]
    feature = json.loads(Path(target).read_text())["features"][0]
    assert feature["geometry"]["coordinates"] == pytest.approx([116.4, 39.9], abs=1e-4)


@pytest.mark.parametrize(
    ("crs", "box", "problems"),
    [
        ("EPSG:4326", (114, 30, 115, 31), []),
        ("EPSG:4326", (170, -20, 202, -10), []),
        ("EPSG:4490", (30, 114, 31, 115), ["swapped_axes"]),
        ("EPSG:4490", (114, 30, 115, 31), []),
        ("EPSG:4490", (39, 80, 40, 85), ["swapped_axes"]),
        ("EPSG:2154", (652000, 6862000, 653000, 6863000), []),
        ("EPSG:2154", (114, 30, 115, 31), ["outside_area"]),
        ("EPSG:3857", (12957588, 4851421, 12957589, 4851422), []),
        ("", (114, 30, 115, 31), ["no_crs"]),
        ("EPSG:32650", (1e30, 1e30, 2e30, 2e30), ["out_of_range"]),
    ],
)
def test_doubts(qgis_app: Any, crs: str, box: tuple[float, ...], problems: list[str]) -> None:
    """By hand: what lies where it may, and what does not."""
    system = QgsCoordinateReferenceSystem(crs) if crs else QgsCoordinateReferenceSystem()
    found = crs_doubts(QgsRectangle(*box), system, QgsProject.instance())
    assert [each["problem"] for each in found] == problems
    assert all(each["text"] for each in found)


def test_no_crs_is_said_and_never_guessed(bench: Bench) -> None:
    """A shapefile without .prj: the answer says so; set_layer_crs on a table and an unknown CRS are refused."""
    dataset = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(bench.folder / "n.shp"))
    layer = dataset.CreateLayer("n", None, ogr.wkbPoint)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT(114.3 30.6)"))
    layer.CreateFeature(feature)
    dataset = None
    envelope = bench.call("add_vector_layer", path=str(bench.folder / "n.shp"))
    assert envelope["data"]["crs"] == "none"
    assert envelope["data"]["doubts"] == [{"problem": "no_crs"}]
    assert bench.host.layers.by_alias("n").crs().isValid() is False
    assert bench.code("set_layer_crs", layer_id="n", crs="EPSG:999999") == "INVALID_PARAM"
    assumed = bench.call("add_vector_layer", path=str(bench.folder / "n.shp"), name="m", crs="EPSG:4326")
    assert "assumption" in assumed["message"]
    assert bench.host.layers.by_alias("m").crs().authid() == "EPSG:4326"
    bench.add(memory_layer("None?field=a:int", [(None, [1])], "t"))
    assert bench.code("set_layer_crs", layer_id="t", crs="EPSG:4326") == "UNSUPPORTED"


def test_a_filtered_layer(bench: Bench) -> None:
    """The extent of what the filter lets through is read in a task."""
    layer = memory_layer("Point?crs=EPSG:4326&field=a:int", [("POINT(1 2)", [1]), ("POINT(3 4)", [2])], "f")
    bench.add(layer)
    layer.setSubsetString("a = 2")
    data = bench.ok("set_layer_crs", layer_id="f", crs="EPSG:4490")
    assert data["middle_before"] == pytest.approx([3, 4])
