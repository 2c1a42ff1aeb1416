"""Checks of the tasks whose answer is a layer or a table. Each function follows the texts ``how`` of its task.json."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import shapely
from task_data import Unreadable, by_ogr, iou, jaccard, move, read, share

Passed = dict[str, bool]
FOLDERS = {"Cafés ouverts tard", "Bibliothèques de nuit", "Tours et infos touristiques"}
"""The three folders of the KML, as its task names them."""


class Pair:
    """What was written and what is expected, both in the first CRS that the task's crs_is_canonical names."""

    def __init__(self, task: dict[str, Any], root: Path, output: Path, key: str, columns: Sequence[str] = ()) -> None:
        self.task, self.root, self.output, self.key = task, root, output, key
        self.near = task["tolerances"]
        self.written = read(output)
        missing = set(columns) - self.written.columns
        if missing or not self.written.rows:
            raise Unreadable(f"{output.name}: has no {sorted(missing) or 'rows'}")
        self.crs = _codes(task, "crs_is_canonical")[:1]
        self.found = self.written.to(self.crs[0]) if self.crs else self.written
        right = read(root / "expected" / output.name)
        self.right = right.to(self.crs[0]) if self.crs else right
        self.rows, self.wanted = self.found.by(key), self.right.by(key)
        self.common = [each for each in self.wanted if each in self.rows]

    def crs_checks(self) -> Passed:
        """The two checks of the CRS as written."""
        return {
            name: self.written.crs in _codes(self.task, name) for name in ("crs_is_canonical", "crs_in_meaningful_set")
        }

    def count_near(self) -> bool:
        """The number of rows, within count_pct."""
        one, other = len(self.found.rows), len(self.right.rows)
        return abs(one - other) / max(one, other) <= self.near["count_pct"]

    def keys_near(self) -> bool:
        """The set of keys, by the Jaccard index."""
        return jaccard(self.found.values(self.key), self.right.values(self.key)) >= self.near["jaccard_min"]

    def equal(self, name: str, least: float, other_name: str = "") -> bool:
        """A column equal, null to null, in a share of the common keys. ``other_name``: of the file written."""
        return (
            share(self.rows[key][0].get(other_name or name) == self.wanted[key][0].get(name) for key in self.common)
            >= least
        )

    def alike(self, test: Callable[[Any, Any], bool], least: float) -> bool:
        """A test of two shapes passed in a share of the common keys."""
        return share(_both(test, self.rows[key][1], self.wanted[key][1]) for key in self.common) >= least

    def filled(self, name: str) -> bool:
        """A column empty in no row."""
        return all(each not in (None, "") for each in self.found.values(name))


def _codes(task: dict[str, Any], check: str) -> list[str]:
    how = next((each["how"] for each in task["checks"] if each["name"] == check), "")
    return re.findall(r"EPSG:\d+", how)


def _both(test: Callable[[Any, Any], bool], one: Any, other: Any) -> bool:
    return one is not None and other is not None and test(one, other)


def _close(distance: float) -> Callable[[Any, Any], bool]:
    """x and y of two points (of polygons: of the centroids) within a distance."""

    def test(one: Any, other: Any) -> bool:
        left, right = one.centroid, other.centroid
        return abs(left.x - right.x) <= distance and abs(left.y - right.y) <= distance

    return test


def _number(value: Any, whole: bool = False) -> bool:
    return isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)


def lambert(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """crs-l1-paris-lambert93."""
    pair = Pair(task, root, output, "id")
    if not re.fullmatch(r"EPSG:\d+", pair.written.crs) or not pair.found.solid():
        raise Unreadable(f"{output.name}: CRS {pair.written.crs!r}, {len(pair.found.solid())} geometries")
    xmin, ymin, xmax, ymax = shapely.total_bounds(pair.found.solid())
    total, right = (sum(each.area for each in table.solid()) for table in (pair.found, pair.right))
    percent = pair.near["area_pct"]
    return {
        "feature_count_within_5_percent": pair.count_near(),
        "geometry_type_is_polygon": pair.found.types() == {"Polygon"},
        "feature_id_set_preserved": pair.keys_near(),
        "coordinates_within_lambert93_paris_envelope": 600000 <= xmin <= xmax <= 700000
        and 6800000 <= ymin <= ymax <= 6900000,
        "geometry_iou_high": iou(pair.found.solid(), pair.right.solid()) >= 0.95,
        "per_feature_area_matches": pair.alike(
            lambda one, other: abs(one.area - other.area) <= percent * other.area, 0.95
        ),
        "total_area_within_1_percent": abs(total - right) <= percent * right,
        "identifying_attributes_preserved": all(pair.equal(each, 0.95) for each in ("class", "subtype", "name")),
        "original_columns_preserved": {"id", "class", "subtype", "name", "height", "num_floors"} <= pair.found.columns,
        **pair.crs_checks(),
    }


def coercion(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """dc-l1-bangkok-attribute-coercion."""
    numbers = ("sensor_value", "pm25_ug_m3", "elevation_m")
    pair = Pair(task, root, output, "station_id", ("station_id", "name_th", *numbers))
    # A station keeps its number as a text: what was not converted is still found.
    for table in (pair.found, pair.right):
        table.rows = [
            {**row, "station_id": str(row.get("station_id")), "written": row.get("station_id")} for row in table.rows
        ]
    pair.rows, pair.wanted = pair.found.by("station_id"), pair.right.by("station_id")
    pair.common = [each for each in pair.wanted if each in pair.rows]
    cells = [(pair.rows[key][0].get(name), pair.wanted[key][0][name]) for key in pair.common for name in numbers]
    whole = [_number(each, whole=True) for each in pair.found.values("written")]
    through_ogr = [str(each) for each in by_ogr(output).values("station_id")]
    return {
        "geometry_type_point_only": pair.found.types() == {"Point"},
        "feature_count_within_tolerance": pair.count_near(),
        "station_id_is_integer": share(whole) >= 0.95,
        **{f"{name}_is_number_not_string": share(map(_number, pair.found.values(name))) >= 0.95 for name in numbers},
        "station_id_set_preserved": pair.keys_near(),
        "numeric_values_preserved": share(_same_number(*each) for each in cells) >= 0.99,
        "name_th_preserved_verbatim": pair.equal("name_th", 0.95),
        "geometry_preserved_per_id": pair.alike(_close(1e-6), 0.95),
        "feature_id_set_via_geopandas": jaccard(through_ogr, pair.right.values("station_id"))
        >= pair.near["jaccard_min"],
        **pair.crs_checks(),
    }


def _same_number(one: Any, other: float, tolerance: float = 1e-3) -> bool:
    try:
        return abs(float(one) - other) <= tolerance * abs(other)
    except (TypeError, ValueError):
        return False


def rings(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """dc-l1-tokyo-ring-orientation."""
    texts = ("overture_id", "name_primary", "building_class")
    pair = Pair(task, root, output, "feature_id", ("feature_id", *texts, "height"))
    polygons = [part for each in pair.found.solid() for part in shapely.get_parts(each) if part.geom_type == "Polygon"]
    holes, right = (
        sum(bool(getattr(each, "interiors", ())) for each in table.solid()) for table in (pair.found, pair.right)
    )
    return {
        "geometry_type_polygon_only": pair.found.types() == {"Polygon"},
        "feature_count_within_tolerance": pair.count_near(),
        "exterior_rings_ccw": all(each.exterior.is_ccw for each in polygons),
        "interior_rings_cw": not any(ring.is_ccw for each in polygons for ring in each.interiors),
        "feature_id_set_preserved": pair.keys_near(),
        "geometric_extent_preserved": iou(pair.found.solid(), pair.right.solid()) >= 0.99,
        "polygons_with_holes_preserved": holes == right,
        "attributes_preserved": all(pair.equal(each, 0.95) for each in texts),
        "per_feature_geometry_preserved": pair.alike(lambda one, other: iou([one], [other]) >= 0.99, 0.95),
        **pair.crs_checks(),
    }


def pois(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """fio-l1-paris-kml-pois. A name may come several times: the rows of a name are compared as a bag."""
    pair = Pair(task, root, output, "name", ("name", "category", "verified_date"))
    dates = pair.found.values("verified_date")
    return {
        "geometry_type_point_only": pair.found.types() == {"Point"},
        "row_count_within_tolerance": pair.count_near(),
        "name_set_preserved": pair.keys_near(),
        "category_populated_and_recognised": set(pair.found.values("category")) <= FOLDERS,
        "category_values_match": _bags(pair, lambda row, _: row["category"]),
        "geometry_preserved_per_name": _bags(
            pair, lambda _, shape: shape.centroid.coords[0], pair.near["geom_eps_deg"]
        ),
        "verified_date_iso_format": all(
            isinstance(each, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", each) for each in dates
        ),
        "verified_date_values_match": _bags(pair, lambda row, _: row["verified_date"] or ""),
        **pair.crs_checks(),
    }


def _bags(pair: Pair, value: Callable[[dict[str, Any], Any], Any], near: float = 0.0) -> bool:
    """What ``value`` says of a name's rows agrees, in any order, for >= 99 % of the common names."""
    bags: list[dict[Any, list[Any]]] = []
    for table in (pair.found, pair.right):
        bag: dict[Any, list[Any]] = {}
        for row, shape in zip(table.rows, table.shapes):
            bag.setdefault(row["name"], []).append(value(row, shape))
        bags.append({name: sorted(each) for name, each in bag.items()})
    return share(_same_bag(bags[0][name], bags[1][name], near) for name in pair.common) >= 0.99


def _same_bag(one: list[Any], other: list[Any], near: float) -> bool:
    if not near:
        return one == other
    return len(one) == len(other) and all(max(abs(a - b) for a, b in zip(*each)) <= near for each in zip(one, other))


def parcels(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """fio-l1-vienna-shapefile-recovery. Values are looked for under the cut name where the full one is missing."""
    full = ("KATASTRALGEMEINDE_NAME", "GRUNDSTUECKSNUMMER", "EIGENTUEMER_NAME", "WIDMUNG_BEZEICHNUNG", "STRASSE_NAME")
    pair = Pair(task, root, output, "GRUNDSTUECKSNUMMER")
    named = {name: name if name in pair.found.columns else name[:10] for name in (*full, "FLAECHE_M2")}
    pair.rows = pair.found.by(named["GRUNDSTUECKSNUMMER"])
    pair.common = [each for each in pair.wanted if each in pair.rows]
    text = "".join(str(row.get(named[each])) for row in pair.found.rows for each in full)
    area = named["FLAECHE_M2"]
    areas = [
        _same_number(pair.rows[key][0].get(area), pair.wanted[key][0]["FLAECHE_M2"], pair.near["numeric_rel_tol"])
        for key in pair.common
    ]
    return {
        "geometry_type_polygonal": pair.found.types() <= {"Polygon", "MultiPolygon"},
        "row_count_exact": len(pair.found.rows) == len(pair.right.rows),
        **{
            f"column_renamed_{name.lower()}": name in pair.found.columns and name[:10] not in pair.found.columns
            for name in full
        },
        "diacritics_decoded": all(each in text for each in "äöüß"),
        "katastralgemeinde_values_match": pair.equal(full[0], 0.99, named[full[0]]),
        "eigentuemer_values_match": pair.equal(full[2], 0.99, named[full[2]]),
        "flaeche_values_match": share(areas) >= 0.99,
        "geometry_reprojected_per_id": pair.alike(_close(pair.near["geom_eps_deg"]), 0.99),
        **pair.crs_checks(),
    }


def hulls(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """geo-l1-cairo-multipoint-hull."""
    english, arabic = "station_name_en", "station_name_ar"
    pair = Pair(task, root, output, english, (english, arabic))
    entrances = read(root / "inputs" / "cairo_metro_stations.geojson").by(english)
    covered = [
        _both(lambda hull, points: hull.buffer(1e-7).covers(points), pair.rows.get(key, ({}, None))[1], points)
        for key, (_, points) in entrances.items()
    ]
    overlaps = [iou([pair.rows[key][1]], [pair.wanted[key][1]]) for key in pair.common]
    return {
        f"{english}_populated": pair.filled(english),
        f"{arabic}_populated": pair.filled(arabic),
        f"{english}_set_preserved": pair.keys_near(),
        "arabic_names_match": pair.equal(arabic, 0.99),
        "hull_contains_input_points": share(covered) >= 0.99,
        "hull_iou_against_reference": bool(overlaps) and statistics.mean(overlaps) >= pair.near["iou_min"],
        "geometry_types_polygon": pair.found.types() == {"Polygon"},
        "row_count_within_tolerance": pair.count_near(),
        **pair.crs_checks(),
    }


def centroids(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """geo-l1-capetown-building-centroids."""
    pair = Pair(task, root, output, "building_id", ("building_id",))
    footprints = by_ogr(root / "inputs" / "capetown_buildings.shp").to("EPSG:4326").by("building_i")
    offsets, inside = [], []
    for key in pair.common:
        point, right = pair.rows[key][1], pair.wanted[key][1]
        offsets.append(move(point, "EPSG:4326", "EPSG:32734").distance(move(right, "EPSG:4326", "EPSG:32734")))
        inside.append(shapely.box(*footprints[key][1].bounds).covers(point))
    return {
        "building_id_populated": pair.filled("building_id"),
        "building_id_set_preserved": pair.keys_near(),
        "centroid_within_1m": share(each <= pair.near["geom_eps_m"] for each in offsets) >= 0.99,
        "centroid_median_distance_tight": bool(offsets) and statistics.median(offsets) <= 0.05,
        "centroid_inside_own_footprint_bbox": share(inside) >= 0.99,
        "geometry_types_point": pair.found.types() == {"Point"},
        "row_count_within_tolerance": pair.count_near(),
        **pair.crs_checks(),
    }


def crosswalk(task: dict[str, Any], root: Path, output: Path) -> Passed:
    """spa-l1-paris-amenity-within."""
    number, name = "arrondissement_number", "arrondissement_name"
    pair = Pair(task, root, output, "osm_id", ("osm_id", "amenity_class", number, name))
    whole = [_whole(each) for each in pair.found.values(number)]
    numbers = [_whole(pair.rows[key][0][number]) == _whole(pair.wanted[key][0][number]) for key in pair.common]
    return {
        "exact_count_match": len(pair.found.rows) == len(pair.right.rows),
        "osm_id_set_jaccard": pair.keys_near(),
        "arrondissement_number_is_integer_1_to_20": share(1 <= each <= 20 for each in whole) >= 0.95,
        "arrondissement_number_per_row_match": share(numbers) >= 0.95,
        "arrondissement_name_per_row_match": pair.equal(name, 0.95),
        "amenity_class_per_row_match": pair.equal("amenity_class", 0.95),
    }


def _whole(text: str | None) -> int:
    """A whole number in digits alone; -1 for anything else."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,9}", text) else -1


CHECKS: dict[str, Callable[[dict[str, Any], Path, Path], Passed]] = {
    "crs-l1-paris-lambert93": lambert,
    "dc-l1-bangkok-attribute-coercion": coercion,
    "dc-l1-tokyo-ring-orientation": rings,
    "fio-l1-paris-kml-pois": pois,
    "fio-l1-vienna-shapefile-recovery": parcels,
    "geo-l1-cairo-multipoint-hull": hulls,
    "geo-l1-capetown-building-centroids": centroids,
    "spa-l1-paris-amenity-within": crosswalk,
}
"""Task id: function of task.json, the task's folder and the written file, that gives {check: passed}."""
