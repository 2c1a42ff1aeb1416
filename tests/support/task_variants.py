"""The wrong answers that the tasks describe (``wrong_variants``), made out of the expected files and the inputs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyproj
import shapely
from osgeo import ogr, osr
from task_data import Table, by_ogr, move, read

Features = list[dict[str, Any]]
Maker = Callable[[Path, Path], None]
"""Writes a wrong answer: the task's folder, the folder to write into."""


def _geojson(change: Callable[[dict[str, Any]], None], source: str = "expected") -> Maker:
    """The first GeoJSON of a folder of the task, every feature changed."""

    def make(root: Path, folder: Path) -> None:
        raw = json.loads(next((root / source).glob("*.geojson")).read_text(encoding="utf-8"))
        for feature in raw["features"]:
            change(feature)
        name = next((root / "expected").iterdir()).name
        (folder / name).write_text(json.dumps(raw, ensure_ascii=False), encoding="utf-8")

    return make


def _drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda feature: feature["properties"].pop(name)


def _same(_feature: dict[str, Any]) -> None:
    """Nothing changed."""


def _text(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda feature: feature["properties"].update({name: str(feature["properties"][name])})


def _nothing(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda feature: feature["properties"].update({name: value})


def _holes_turned(feature: dict[str, Any]) -> None:
    outer, *holes = feature["geometry"]["coordinates"]
    feature["geometry"]["coordinates"] = [outer, *(hole[::-1] for hole in holes)]


def _swapped(feature: dict[str, Any]) -> None:
    feature["geometry"]["coordinates"] = feature["geometry"]["coordinates"][1::-1]


def _cut_names(feature: dict[str, Any]) -> None:
    feature["properties"] = {name[:10]: value for name, value in feature["properties"].items()}


def _mojibake(feature: dict[str, Any]) -> None:
    feature["properties"] = {
        name: value.encode("cp1252").decode("utf-8", "replace") if isinstance(value, str) else value
        for name, value in feature["properties"].items()
    }


def _boxed(root: Path, folder: Path) -> None:
    names = read(root / "inputs" / "cairo_metro_stations.geojson").by("station_name_en")

    def change(feature: dict[str, Any]) -> None:
        points = names[feature["properties"]["station_name_en"]][1]
        feature["geometry"] = shapely.geometry.mapping(shapely.box(*points.bounds))

    _geojson(change)(root, folder)


def _corners(root: Path, folder: Path) -> None:
    footprints = by_ogr(root / "inputs" / "capetown_buildings.shp").by("building_i")

    def change(feature: dict[str, Any]) -> None:
        xmin, _, _, ymax = footprints[feature["properties"]["building_id"]][1].bounds
        corner = move(shapely.Point(xmin, ymax), "EPSG:32734", "EPSG:4326")
        feature["geometry"]["coordinates"] = [round(corner.x, 7), round(corner.y, 7)]

    _geojson(change)(root, folder)


def _invented(root: Path, folder: Path) -> None:
    numbers = iter(range(1, 1_000_000))
    _geojson(lambda feature: feature["properties"].update(building_id=f"b_{next(numbers):04}"))(root, folder)


def _other_format(suffix: str) -> Maker:
    """The expected answer's properties, in a file of another name."""

    def make(root: Path, folder: Path) -> None:
        source = next((root / "expected").iterdir())
        shutil.copyfile(source, folder / f"{source.stem}{suffix}")

    return make


def _still_kml(root: Path, folder: Path) -> None:
    shutil.copyfile(root / "inputs" / "paris_late_night_pois.kml", folder / "paris_pois.geojson")


def _geopackage(path: Path, table: Table, crs: str) -> None:
    """A GeoPackage of texts, for tests that change what the expected one holds."""
    spatial = osr.SpatialReference()
    spatial.SetFromUserInput(crs)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(path))
    layer = source.CreateLayer(path.stem, spatial, ogr.wkbPolygon)
    names = [each for each in table.rows[0] if each != "fid"]
    for name in names:
        layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
    for row, shape in zip(table.rows, table.shapes):
        feature = ogr.Feature(layer.GetLayerDefn())
        for name in names:
            if row[name] is not None:
                feature.SetField(name, str(row[name]))
        feature.SetGeometry(ogr.CreateGeometryFromWkb(shapely.to_wkb(shape)))
        layer.CreateFeature(feature)


def _buildings(crs: str, declared: str, without: tuple[str, ...] = ()) -> Maker:
    """The expected buildings, moved to ``crs``, with ``declared`` written as their CRS."""

    def make(root: Path, folder: Path) -> None:
        table = read(root / "expected" / "paris_buildings_lambert93.gpkg").to(crs)
        table.rows = [{name: value for name, value in row.items() if name not in without} for row in table.rows]
        _geopackage(folder / "paris_buildings_lambert93.gpkg", table, declared)

    return make


def _json(change: Callable[[Path, Any], Any]) -> Maker:
    def make(root: Path, folder: Path) -> None:
        source = next((root / "expected").glob("*.json"))
        changed = change(root, json.loads(source.read_text(encoding="utf-8")))
        (folder / source.name).write_text(json.dumps(changed), encoding="utf-8")

    return make


def _all_parks(root: Path, _answer: Any) -> dict[str, Any]:
    table = by_ogr(root / "inputs" / "london_parks.fgb")
    area = sum(each.area for each in table.solid())
    box = shapely.total_bounds(table.to("EPSG:4326").solid())
    return {"count": len(table.rows), "total_area_ha": area / 1e4, "bbox_wgs84": [float(each) for each in box]}


def _square_metres(_root: Path, answer: Any) -> dict[str, Any]:
    return {**answer, "total_area_ha": answer["total_area_ha"] * 1e4}


def _three_layers(_root: Path, answer: Any) -> list[Any]:
    return [each for each in answer if each["layer_name"] in ("districts", "parks", "schools")]


def _in_degrees(_root: Path, answer: Any) -> list[Any]:
    change = pyproj.Transformer.from_crs("EPSG:31287", "EPSG:4326", always_xy=True)
    return [{**each, "crs": "EPSG:4326", "bbox": change.transform_bounds(*each["bbox"])} for each in answer]


def _rows(change: Callable[[dict[str, str], dict[str, str]], None]) -> Maker:
    """The expected CSV, every row changed; the second argument gives the id of an arrondissement by its name."""

    def make(root: Path, folder: Path) -> None:
        source = ogr.Open(str(root / "inputs" / "paris_amenities.gpkg"))
        ids = {each["name"]: each["id"] for each in source.GetLayerByName("arrondissements")}
        rows = read(root / "expected" / "amenity_to_arrondissement.csv").rows
        for row in rows:
            change(row, ids)
        with (folder / "amenity_to_arrondissement.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    return make


def _ordinal(row: dict[str, str], _ids: dict[str, str]) -> None:
    row["arrondissement_number"] = row["arrondissement_name"].split()[1]


def _id_as_name(row: dict[str, str], ids: dict[str, str]) -> None:
    row["arrondissement_name"] = ids[row["arrondissement_name"]]


def _no_number(row: dict[str, str], _ids: dict[str, str]) -> None:
    del row["arrondissement_number"]


VARIANTS: dict[str, dict[str, Maker]] = {
    "crs-l1-paris-lambert93": {
        "wrong_format": _buildings("EPSG:4326", "EPSG:4326"),
        "wrong_crs_metadata_only": _buildings("EPSG:4326", "EPSG:2154"),
        "wrong_attributes": _buildings("EPSG:2154", "EPSG:2154", ("height", "num_floors")),
    },
    "dc-l1-bangkok-attribute-coercion": {
        "wrong_format": _geojson(_drop("pm25_ug_m3")),
        "no_coercion": _geojson(_same, "inputs"),
        "partial_coercion": _geojson(_text("station_id")),
    },
    "dc-l1-tokyo-ring-orientation": {
        "wrong_format": _geojson(_drop("overture_id")),
        "wrong_orientation": _geojson(_same, "inputs"),
        "partial_orientation": _geojson(_holes_turned),
    },
    "dd-l1-london-parks-count": {
        "wrong_format": _other_format(".csv"),
        "wrong_filter": _json(_all_parks),
        "wrong_units": _json(_square_metres),
    },
    "dd-l1-vienna-gpkg-manifest": {
        "wrong_format": _other_format(".csv"),
        "partial_layers": _json(_three_layers),
        "wrong_crs_bbox": _json(_in_degrees),
    },
    "fio-l1-paris-kml-pois": {
        "wrong_format": _still_kml,
        "axis_swap": _geojson(_swapped),
        "verified_date_missing": _geojson(_nothing("verified_date", None)),
    },
    "fio-l1-vienna-shapefile-recovery": {
        "wrong_format": _other_format(".shp"),
        "truncated_columns": _geojson(_cut_names),
        "mojibake_encoding": _geojson(_mojibake),
    },
    "geo-l1-cairo-multipoint-hull": {
        "wrong_format": _other_format(".csv"),
        "bbox_instead_of_hull": _boxed,
        "empty_arabic": _geojson(_nothing("station_name_ar", "")),
    },
    "geo-l1-capetown-building-centroids": {
        "wrong_format": _other_format(".csv"),
        "bbox_corner_instead_of_centroid": _corners,
        "wrong_ids": _invented,
    },
    "spa-l1-paris-amenity-within": {
        "wrong_format": _rows(_no_number),
        "kept_ordinal_suffix": _rows(_ordinal),
        "name_used_id": _rows(_id_as_name),
    },
}
"""Task id: name of a wrong variant: what makes it."""
