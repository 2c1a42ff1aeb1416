"""The expected numbers of the evaluation set, from the data files by GDAL (reading), shapely, pyproj and numpy: no QGIS, no tool of ours.

``EXPECTED`` has for a case's id what its ``expect_result.numbers`` must be, in that order. Areas and distances are on the
ellipsoid (WGS 84), in m, m² or km² as the case says them.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy
import shapely
from osgeo import gdal
from pyproj import CRS, Geod, Transformer
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient
from shapely.ops import nearest_points, transform

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample"
GEOD = Geod(ellps="WGS84")
Row = dict[str, Any]
gdal.UseExceptions()


def world_file() -> Path | None:
    """QGIS's own world map, beside the QGIS that is on the PATH; None where there is no QGIS."""
    program = shutil.which("qgis")
    if program is None:
        return None
    path = Path(program).resolve().parents[1] / "share" / "qgis" / "resources" / "data" / "world_map.gpkg"
    return path if path.is_file() else None


@lru_cache(maxsize=16)
def rows(layer: str, project: str = "sample") -> list[Row]:
    """All features: their fields, ``geometry`` in longitude and latitude, ``own`` as in the file."""
    path = SAMPLE / "city.gpkg" if project == "sample" else world_file()
    if path is None:
        raise FileNotFoundError("There is no QGIS with a world map.")
    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    table = source.GetLayerByName(layer)
    code = table.GetSpatialRef().GetAuthorityCode(None)
    to_lonlat = Transformer.from_crs(f"EPSG:{code}", "EPSG:4326", always_xy=True).transform
    found = []
    for feature in table:
        own = shapely.from_wkb(bytes(feature.GetGeometryRef().ExportToIsoWkb()))
        found.append({**feature.items(), "fid": feature.GetFID(), "own": own, "geometry": transform(to_lonlat, own)})
    return found


def having(layer: str, test: Callable[[Row], bool], project: str = "sample") -> list[Row]:
    """The features that a test holds for."""
    return [each for each in rows(layer, project) if test(each)]


def one(layer: str, field: str, value: Any, project: str = "sample") -> Row:
    """The only feature with that value."""
    (found,) = having(layer, lambda each: bool(each[field] == value), project)
    return found


def values(layer: str, field: str, test: Callable[[Row], bool] = lambda each: True) -> list[float]:
    """The values of a field, NULL left out."""
    return [each[field] for each in having(layer, test) if each[field] is not None]


def area_m2(shape: BaseGeometry) -> float:
    """On the ellipsoid."""
    parts = shape.geoms if hasattr(shape, "geoms") else [shape]
    return float(sum(abs(GEOD.geometry_area_perimeter(orient(each))[0]) for each in parts))


def km2(*features: Row) -> float:
    """The area of features together, km²."""
    return sum(area_m2(each["geometry"]) for each in features) / 1e6


def metres(one_row: Row, other: Row) -> float:
    """Between two points, on the ellipsoid."""
    first, second = one_row["geometry"], other["geometry"]
    return float(GEOD.inv(first.x, first.y, second.x, second.y)[2])


def inside(points: str, polygon: BaseGeometry, test: Callable[[Row], bool] = lambda each: True) -> list[Row]:
    """The points of a layer in a polygon."""
    return [each for each in having(points, test) if polygon.contains(each["geometry"])]


def district(code: str) -> BaseGeometry:
    """A district's area."""
    shape: BaseGeometry = one("districts", "code", code)["geometry"]
    return shape


def street(name: str) -> Row:
    """A street's row."""
    return one("streets", "name", name)


def nearest(layer: str, to: str) -> list[float]:
    """For each point the distance to the nearest of another layer, m."""
    return [min(metres(each, other) for other in rows(to)) for each in rows(layer)]


def country(name: str) -> Row:
    """A row of the world map."""
    return one("countries", "NAME", name, "world")


def between(first: Row, second: Row) -> float:
    """Smallest distance of two areas, km: on a plane that is true from the middle between them."""
    one_end, other_end = nearest_points(first["geometry"], second["geometry"])
    lon, lat = (one_end.x + other_end.x) / 2, (one_end.y + other_end.y) / 2
    plane = CRS.from_proj4(f"+proj=aeqd +lat_0={lat} +lon_0={lon} +datum=WGS84 +units=m")
    to_plane = Transformer.from_crs("EPSG:4326", plane, always_xy=True)
    near = [transform(to_plane.transform, each["geometry"]) for each in (first, second)]
    back = [to_plane.transform(p.x, p.y, direction="INVERSE") for p in nearest_points(*near)]
    return float(GEOD.inv(*back[0], *back[1])[2]) / 1000


@lru_cache(maxsize=1)
def terrain() -> tuple[numpy.ndarray, Transformer]:
    """The cells of the elevation raster (no data as NaN), and the way from longitude and latitude to its CRS."""
    dataset = gdal.Open(str(SAMPLE / "dem.tif"))
    cells = dataset.ReadAsArray().astype(float)
    cells[cells == dataset.GetRasterBand(1).GetNoDataValue()] = math.nan
    return cells, Transformer.from_crs("EPSG:4326", "EPSG:32650", always_xy=True)


ORIGIN, CELL = (742819.0, 3369089.0), 150.0
"""Upper left corner and size of the cells of dem.tif, as gdalinfo prints them."""


def height(point: BaseGeometry) -> float:
    """The value of the cell that a point lies in."""
    cells, to_raster = terrain()
    x, y = to_raster.transform(point.x, point.y)
    return float(cells[int((ORIGIN[1] - y) // CELL), int((x - ORIGIN[0]) // CELL)])


def heights_in(shape: BaseGeometry) -> numpy.ndarray:
    """The values of the cells whose middle lies in an area."""
    cells, to_raster = terrain()
    area = transform(to_raster.transform, shape)
    shapely.prepare(area)
    ys, xs = numpy.mgrid[0 : cells.shape[0], 0 : cells.shape[1]]
    held = shapely.contains_xy(area, ORIGIN[0] + (xs + 0.5) * CELL, ORIGIN[1] - (ys + 0.5) * CELL)
    return cells[held & ~numpy.isnan(cells)]


def cells_km2(test: Callable[[numpy.ndarray], numpy.ndarray]) -> float:
    """The area on the ellipsoid of the cells for which a test holds, km²."""
    cells, to_raster = terrain()
    total = 0.0
    for row, column in zip(*numpy.nonzero(test(cells))):
        left, top = ORIGIN[0] + column * CELL, ORIGIN[1] - row * CELL
        ring = [(left, top), (left + CELL, top), (left + CELL, top - CELL), (left, top - CELL)]
        lons, lats = zip(*(to_raster.transform(*each, direction="INVERSE") for each in ring))
        total += abs(GEOD.polygon_area_perimeter(lons, lats)[0])
    return total / 1e6


def mean(numbers: Sequence[float]) -> float:
    """The arithmetic mean."""
    return sum(numbers) / len(numbers)
