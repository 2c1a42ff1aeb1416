"""Tasks of the shared data that need the pack "geometry", solved with catalogue tools only; judged by their own checks."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import shapely
from conftest import REPO, Bench
from osgeo import ogr, osr
from qgis.analysis import QgsNativeAlgorithms
from qgis.core import QgsApplication

from qgis_agent.headless_commands import register_provider

TASKS = Path(os.environ.get("QGIS_AGENT_SHARED", REPO.parent / "shared")) / "data" / "tasks"
pytestmark = pytest.mark.skipif(not TASKS.is_dir(), reason=f"no tasks in {TASKS}")


@pytest.fixture(autouse=True)
def providers(qgis_app: Any) -> None:
    """Native algorithms and ours."""
    registry = QgsApplication.processingRegistry()
    if registry.providerById("native") is None:
        registry.addProvider(QgsNativeAlgorithms(registry))
    register_provider()


def begin(bench: Bench, task: str) -> Path:
    """A copy of the inputs in the project's folder, and a person who clicks; returns the folder of what is expected."""
    shutil.copytree(TASKS / task / "inputs", bench.folder, dirs_exist_ok=True)
    for each in bench.folder.iterdir():
        each.chmod(0o644)
    bench.folder.chmod(0o755)
    bench.host.project.setFileName(str(bench.folder / "project.qgs"))
    bench.issue(caller="chat")
    bench.approver.answer = "once"
    return TASKS / task / "expected"


def add(bench: Bench, path: str, **more: Any) -> str:
    """The alias of a file's layer."""
    return bench.ok("add_vector_layer", path=path, **more)["layer_id"]


def export(bench: Bench, layer_id: str, path: str, format: str, **more: Any) -> Path:
    """The written file."""
    bench.ok("prepare_export_layer", layer_id=layer_id, path=path, format=format, **more)
    return bench.folder / path


def rows(path: Path) -> list[dict[str, Any]]:
    """Every feature as {field: value}, with its shape and the type of its geometry, read by OGR alone."""
    source = ogr.Open(str(path))
    found = []
    for feature in source.GetLayer(0):
        row = feature.items()
        geometry = feature.GetGeometryRef()
        row["shape"] = shapely.from_wkb(bytes(geometry.ExportToWkb())) if geometry is not None else None
        found.append(row)
    return found


def test_crs_l1_paris_lambert93(bench: Bench) -> None:
    """Lambert-93, Polygon stays Polygon, columns and ids as they were, area of each feature within 1 %."""
    expected = begin(bench, "crs-l1-paris-lambert93")
    layer = add(bench, "paris_buildings_wgs84.geojson")
    made = bench.ok("reproject_layer", layer_id=layer, crs="EPSG:2154")
    assert made["geometry_type"] == "Polygon"
    written = export(bench, made["layer_id"], "paris_buildings_lambert93.gpkg", "GPKG")
    found = {each["id"]: each for each in rows(written)}
    wanted = {each["id"]: each for each in rows(expected / "paris_buildings_lambert93.gpkg")}
    assert set(found) == set(wanted)
    source = ogr.Open(str(written))
    spatial = source.GetLayer(0).GetSpatialRef()
    assert (spatial.GetAuthorityName(None), spatial.GetAuthorityCode(None)) == ("EPSG", "2154")
    for key, row in wanted.items():
        assert found[key]["shape"].geom_type == "Polygon"
        assert found[key]["shape"].area == pytest.approx(row["shape"].area, rel=1e-6)
        assert {name: found[key][name] for name in ("class", "subtype", "name", "height", "num_floors")} == {
            name: row[name] for name in ("class", "subtype", "name", "height", "num_floors")
        }


def test_dc_l1_bangkok_attribute_coercion(bench: Bench) -> None:
    """JSON numbers where texts were, station_id a whole one; Thai names and places unchanged."""
    expected = begin(bench, "dc-l1-bangkok-attribute-coercion")
    layer = add(bench, "bangkok_aq_stations.geojson")
    changes = [{"field": "station_id", "type": "integer"}]
    changes += [{"field": each, "type": "number"} for each in ("sensor_value", "pm25_ug_m3", "elevation_m")]
    made = bench.ok("refactor_fields", layer_id=layer, changes=changes)
    assert all(each["unread"] == 0 for each in made["converted"].values())
    written = export(bench, made["layer_id"], "bangkok_aq_typed.geojson", "GeoJSON")
    found, wanted = (
        json.loads(each.read_text(encoding="utf-8"))["features"] for each in (written, expected / written.name)
    )
    assert len(found) == len(wanted)
    by_id = {each["properties"]["station_id"]: each for each in wanted}
    for each in found:
        properties, right = each["properties"], by_id[each["properties"]["station_id"]]
        assert type(properties["station_id"]) is int
        for name in ("sensor_value", "pm25_ug_m3", "elevation_m"):
            assert isinstance(properties[name], (int, float))
            assert properties[name] == pytest.approx(right["properties"][name])
        assert properties["name_th"] == right["properties"]["name_th"]
        assert each["geometry"]["coordinates"] == pytest.approx(right["geometry"]["coordinates"], abs=1e-6)


def test_dc_l1_tokyo_ring_orientation(bench: Bench) -> None:
    """RFC 7946 rings, holes kept, attributes untouched."""
    expected = begin(bench, "dc-l1-tokyo-ring-orientation")
    layer = add(bench, "tokyo_buildings_legacy.geojson")
    given = {each["feature_id"]: each for each in rows(bench.folder / "tokyo_buildings_legacy.geojson")}
    problems = bench.ok("check_geometries", layer_id=layer, checks=["ring_direction"])
    assert problems["counts"]["ring_direction"] > 0
    made = bench.ok("derive_geometry", layer_id=layer, kind="rings_ccw")
    written = export(bench, made["layer_id"], "tokyo_buildings_fixed.geojson", "GeoJSON")
    found, wanted = ({each["feature_id"]: each for each in rows(path)} for path in (written, expected / written.name))
    assert set(found) == set(wanted)
    for key, row in found.items():
        shape, right = row["shape"], wanted[key]["shape"]
        assert shape.geom_type == "Polygon"
        assert shape.exterior.is_ccw
        assert not any(ring.is_ccw for ring in shape.interiors)
        assert len(shape.interiors) == len(right.interiors)
        assert shape.symmetric_difference(right).area < 1e-3 * right.area  # the expected file has other digits
        assert set(shape.exterior.coords) == set(given[key]["shape"].exterior.coords)
        for name in ("overture_id", "name_primary", "building_class", "height"):
            assert row[name] == wanted[key][name]


def test_geo_l1_cairo_multipoint_hull(bench: Bench) -> None:
    """One hull for each station, with both names, over its entrances."""
    expected = begin(bench, "geo-l1-cairo-multipoint-hull")
    layer = add(bench, "cairo_metro_stations.geojson")
    made = bench.ok("derive_geometry", layer_id=layer, kind="convex_hull")
    written = export(bench, made["layer_id"], "cairo_metro_hulls.geojson", "GeoJSON")
    names = ("station_name_en", "station_name_ar")
    found, wanted = ({each[names[0]]: each for each in rows(path)} for path in (written, expected / written.name))
    assert set(found) == set(wanted)
    for key, row in found.items():
        assert row[names[1]] == wanted[key][names[1]]
        assert row["shape"].geom_type == "Polygon"
        both = row["shape"].union(wanted[key]["shape"]).area
        assert row["shape"].intersection(wanted[key]["shape"]).area / both > 0.999


def test_geo_l1_capetown_building_centroids(bench: Bench) -> None:
    """A point for each footprint, the id under its full name, in degrees."""
    expected = begin(bench, "geo-l1-capetown-building-centroids")
    layer = add(bench, "capetown_buildings.shp")
    points = bench.ok("derive_geometry", layer_id=layer, kind="centroid")
    named = bench.ok(
        "refactor_fields", layer_id=points["layer_id"], changes=[{"field": "building_i", "name": "building_id"}]
    )
    written = export(bench, named["layer_id"], "building_centroids.geojson", "GeoJSON")
    found, wanted = ({each["building_id"]: each for each in rows(path)} for path in (written, expected / written.name))
    assert set(found) == set(wanted)
    assert len(found) == 122
    degrees, metres = osr.SpatialReference(), osr.SpatialReference()
    degrees.ImportFromEPSG(4326)
    metres.ImportFromEPSG(32734)
    for each in (degrees, metres):
        each.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    change = osr.CoordinateTransformation(degrees, metres)
    for key, row in found.items():
        places = [change.TransformPoint(*each["shape"].coords[0][:2])[:2] for each in (row, wanted[key])]
        assert shapely.Point(places[0]).distance(shapely.Point(places[1])) < 0.05


def test_fio_l1_paris_kml_pois(bench: Bench) -> None:
    """All three folders under one another, the folder as the category, the date out of the text."""
    expected = begin(bench, "fio-l1-paris-kml-pois")
    folders = ["Cafés ouverts tard", "Bibliothèques de nuit", "Tours et infos touristiques"]
    layers = [add(bench, "paris_late_night_pois.kml", sublayer=each, name=each) for each in folders]
    merged = bench.ok("merge_layers", layer_ids=layers, source_field="category")
    field = next(
        each.name()
        for each in bench.host.layers.by_alias(merged["layer_id"]).fields()
        if each.name().lower() == "description"
    )
    formula = f"""regexp_substr("{field}", 'rification[^0-9]*([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})')"""
    dated = bench.ok(
        "calculate_field", layer_id=merged["layer_id"], field="verified_date", formula=formula, type="text"
    )
    name = next(
        each.name() for each in bench.host.layers.by_alias(dated["layer_id"]).fields() if each.name().lower() == "name"
    )
    kept = bench.ok(
        "refactor_fields",
        layer_id=dated["layer_id"],
        changes=[{"field": name, "name": "name"}],
        keep=[name, "category", "verified_date"],
    )
    written = export(bench, kept["layer_id"], "paris_pois.geojson", "GeoJSON")
    found, wanted = (
        {each["properties"]["name"]: each for each in json.loads(path.read_text(encoding="utf-8"))["features"]}
        for path in (written, expected / written.name)
    )
    assert set(found) == set(wanted)
    for key, row in found.items():
        assert row["properties"] == wanted[key]["properties"]
        assert row["geometry"]["type"] == "Point"
        assert row["geometry"]["coordinates"][:2] == pytest.approx(wanted[key]["geometry"]["coordinates"][:2], abs=1e-5)


def test_fio_l1_vienna_shapefile_recovery(bench: Bench) -> None:
    """The cut names made whole from the map, umlauts right, in degrees."""
    expected = begin(bench, "fio-l1-vienna-shapefile-recovery")
    layer = add(bench, "parcels.shp")
    table = bench.ok("add_table_layer", path="column_map.csv")["layer_id"]
    pairs = bench.ok("query_features", layer_id=table, limit=20)["rows"]
    changes = [
        {"field": each["truncated"], "name": each["original"]}
        for each in pairs
        if each["truncated"] != each["original"]
    ]
    made = bench.ok("refactor_fields", layer_id=layer, changes=changes)
    written = export(bench, made["layer_id"], "parcels.geojson", "GeoJSON")
    key = "GRUNDSTUECKSNUMMER"
    found, wanted = ({each[key]: each for each in rows(path)} for path in (written, expected / written.name))
    assert set(found) == set(wanted)
    for number, row in found.items():
        right = wanted[number]
        assert set(row) == set(right)
        for name in ("KATASTRALGEMEINDE_NAME", "EIGENTUEMER_NAME", "STRASSE_NAME", "WIDMUNG_BEZEICHNUNG"):
            assert row[name] == right[name]
        assert row["FLAECHE_M2"] == pytest.approx(right["FLAECHE_M2"])
        assert row["shape"].centroid.distance(right["shape"].centroid) < 1e-5
