"""What the grader of the tasks reads files with: GeoJSON as JSON, GeoPackage as SQLite, others by OGR; no QGIS."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pyproj
import shapely
from osgeo import ogr
from shapely.geometry.base import BaseGeometry

ogr.UseExceptions()
CRS84 = "EPSG:4326"
"""What a GeoJSON without a crs member, and OGC:CRS84, count as (README of the tasks)."""
_ENVELOPE_BYTES = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}


class Unreadable(Exception):
    """The file is not there or is not what it should be: the gate is not met."""


@dataclass
class Table:
    """Rows of a file, their shapes (none for a CSV) and the CRS as it is written ("" for none)."""

    rows: list[dict[str, Any]]
    shapes: list[BaseGeometry | None] = field(default_factory=list)
    crs: str = ""

    @property
    def columns(self) -> set[str]:
        """Every column of any row."""
        return {name for row in self.rows for name in row}

    def values(self, name: str) -> list[Any]:
        """A column, None where a row has it not."""
        return [row.get(name) for row in self.rows]

    def by(self, name: str) -> dict[Any, tuple[dict[str, Any], BaseGeometry | None]]:
        """Row and shape by key; of several rows with one key the first."""
        shapes = self.shapes or [None] * len(self.rows)
        found: dict[Any, tuple[dict[str, Any], BaseGeometry | None]] = {}
        for row, shape in zip(self.rows, shapes):
            found.setdefault(row.get(name), (row, shape))
        return found

    def solid(self) -> list[BaseGeometry]:
        """The shapes that are there."""
        return [each for each in self.shapes if each is not None and not each.is_empty]

    def types(self) -> set[str]:
        """Geometry types; "" where one is missing."""
        return {"" if each is None else each.geom_type for each in self.shapes}

    def to(self, crs: str) -> Table:
        """The same in another CRS, x before y."""
        if crs == self.crs or not self.crs:
            return self
        return Table(self.rows, [None if each is None else move(each, self.crs, crs) for each in self.shapes], crs)


@cache
def _change(source: str, target: str) -> pyproj.Transformer:
    return pyproj.Transformer.from_crs(source, target, always_xy=True)


def move(shape: BaseGeometry, source: str, target: str) -> BaseGeometry:
    """A shape in another CRS, by pyproj."""
    change = _change(source, target)
    return shapely.transform(shape, lambda x, y: change.transform(x, y), interleaved=False)


def read(path: Path) -> Table:
    """The table of a file. Raises Unreadable."""
    if not path.is_file():
        raise Unreadable(f"{path.name} is not there")
    readers = {".geojson": geojson, ".gpkg": geopackage, ".csv": delimited}
    try:
        return readers.get(path.suffix, by_ogr)(path)
    except (ValueError, KeyError, TypeError, RuntimeError, sqlite3.Error, shapely.errors.ShapelyError) as error:
        raise Unreadable(f"{path.name}: {error}") from error


def geojson(path: Path) -> Table:
    """A GeoJSON file as it stands."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    if raw.get("type") != "FeatureCollection":
        raise ValueError("no FeatureCollection")
    features = raw["features"]
    shapes = [None if each["geometry"] is None else shapely.geometry.shape(each["geometry"]) for each in features]
    return Table([dict(each["properties"] or {}) for each in features], shapes, _crs_of(raw.get("crs")))


def _crs_of(member: Any) -> str:
    if not member:
        return CRS84
    name = str(member["properties"]["name"])
    if name.endswith("CRS84"):
        return CRS84
    code = re.search(r"EPSG:+[\d.]*:*(\d+)$", name)
    return f"EPSG:{code[1]}" if code else name


def geopackage(path: Path, table: str = "") -> Table:
    """A table of a GeoPackage (1.3, clause 2.1.3) by SQLite alone; without a name the first."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        names = database.execute(
            "select g.table_name, g.column_name, upper(s.organization) || ':' || s.organization_coordsys_id"
            " from gpkg_geometry_columns g join gpkg_spatial_ref_sys s on s.srs_id = g.srs_id"
        ).fetchall()
        name, column, crs = next(each for each in names if not table or each[0] == table)
        cursor = database.execute(f'select * from "{name}"')  # noqa: S608  a name of the file's own list
        heads = [each[0] for each in cursor.description]
        rows = [dict(zip(heads, each)) for each in cursor]
    database.close()
    shapes = [_shape_of(row.pop(column)) for row in rows]
    return Table(rows, shapes, crs)


def _shape_of(blob: bytes | None) -> BaseGeometry | None:
    return None if blob is None else shapely.from_wkb(blob[8 + _ENVELOPE_BYTES[blob[3] >> 1 & 7] :])


def by_ogr(path: Path) -> Table:
    """The first layer of any file that OGR opens."""
    source = ogr.Open(str(path))
    layer = source.GetLayer(0)
    spatial = layer.GetSpatialRef()
    crs = "" if spatial is None else f"{spatial.GetAuthorityName(None)}:{spatial.GetAuthorityCode(None)}"
    rows, shapes = [], []
    for feature in layer:
        geometry = feature.GetGeometryRef()
        rows.append(feature.items())
        shapes.append(None if geometry is None else shapely.from_wkb(bytes(geometry.ExportToWkb())))
    return Table(rows, shapes, crs)


def delimited(path: Path) -> Table:
    """A CSV in UTF-8, all of it text."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return Table([dict(each) for each in csv.DictReader(file)])


def read_json(path: Path) -> Any:
    """The value of a JSON file. Raises Unreadable."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path.name}: {error}") from error


def jaccard(one: Iterable[Any], other: Iterable[Any]) -> float:
    """Size of the intersection by size of the union; 1 for two empty sets."""
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left | right else 1.0


def iou(one: Iterable[BaseGeometry], other: Iterable[BaseGeometry]) -> float:
    """Area of the intersection by area of the union, of the unions of both sides."""
    left, right = (shapely.union_all(shapely.make_valid(list(each))) for each in (one, other))
    whole = left.union(right).area
    return left.intersection(right).area / whole if whole else 0.0


def share(passed: Iterable[bool]) -> float:
    """Share of what passed; 0 of nothing."""
    found = list(passed)
    return sum(found) / len(found) if found else 0.0
