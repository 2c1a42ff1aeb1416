"""What the oracle knows about vectors: geopandas and shapely in a plane, pyproj on the ellipsoid. Layers come as
``oracle_client.given`` tells them. Areas are ellipsoidal square metres, distances geodesic metres (WGS 84)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import geopandas
import numpy as np
import pandas
import shapely
from pyproj import CRS, Geod, Transformer

GEOD = Geod(ellps="WGS84")
Layer = dict[str, Any]


def frame(layer: Layer) -> geopandas.GeoDataFrame:
    """A layer as geopandas has it; invalid geometries are made valid as GEOS does by linework."""
    table = pandas.DataFrame([attributes for _, attributes in layer["rows"]], columns=layer["fields"])
    shapes = shapely.make_valid(shapely.from_wkt([wkt for wkt, _ in layer["rows"]]))
    return geopandas.GeoDataFrame(table, geometry=list(shapes), crs=layer["crs"])


def degrees(shape: Any, crs: Any) -> Any:
    """A geometry in WGS 84, with its edges straight in the CRS that it comes from."""
    box = shapely.bounds(shape)
    step = max(box[2] - box[0], box[3] - box[1]) / 200
    fine = shapely.segmentize(shape, step) if step > 0 else shape
    return moved(fine, Transformer.from_crs(crs, 4326, always_xy=True))


def moved(shape: Any, forth: Transformer) -> Any:
    """A geometry through a transformer."""
    return shapely.transform(shape, lambda each: np.column_stack(forth.transform(each[:, 0], each[:, 1])))


def around(x: float, y: float) -> Transformer:
    """From degrees to the azimuthal equidistant plane in metres around a place."""
    plane = CRS.from_proj4(f"+proj=aeqd +lat_0={float(y)!r} +lon_0={float(x)!r} +datum=WGS84 +units=m")
    return Transformer.from_crs(4326, plane, always_xy=True)


def ground_area(shape: Any, crs: Any) -> float:
    """Ellipsoidal area; holes are taken off."""
    return sum(
        abs(GEOD.geometry_area_perimeter(shapely.geometry.polygon.orient(each))[0])
        for each in polygons(degrees(shape, crs))
    )


def polygons(shape: Any) -> list[Any]:
    """The polygons of a geometry."""
    return [each for each in shapely.get_parts(shapely.get_parts(shape)) if each.geom_type == "Polygon"]


def buffers(layer: Layer, result: Layer, metres: float, cap: str = "round") -> list[dict[str, float]]:
    """Each feature's zone by shapely in an azimuthal equidistant plane around that feature, against the one that was made:
    areas, and the share of the zone's area in which the two differ. Features of at most some 50 km."""
    answers = []
    for (wkt, _), (made, _) in zip(layer["rows"], result["rows"]):
        home = degrees(shapely.from_wkt(wkt), layer["crs"])
        x, y = shapely.get_coordinates(home)[0]
        forth = around(x, y)
        zone = moved(home, forth).buffer(metres, quad_segs=64, cap_style=cap)
        found = moved(degrees(shapely.from_wkt(made), result["crs"]), forth)
        found = shapely.make_valid(found)
        answers.append(
            {
                "area": zone.area,
                "found": found.area,
                "differ": shapely.symmetric_difference(zone, found).area / zone.area,
            }
        )
    return answers


def overlay(layer: Layer, other: Layer, operation: str) -> dict[str, Any]:
    """Pieces and their areas by geopandas, in the CRS of the first layer."""
    one, two = frame(layer), frame(other).to_crs(layer["crs"])
    if operation == "clip":
        pieces = geopandas.clip(one, two)
    else:
        how = {"symmetrical_difference": "symmetric_difference"}.get(operation, operation)
        pieces = geopandas.overlay(one, two, how=how, keep_geom_type=True)
    return {"areas": sorted(ground_area(each, layer["crs"]) for each in pieces.geometry), "count": len(pieces)}


def areas(layer: Layer) -> list[float]:
    """Of each feature."""
    return [ground_area(each, layer["crs"]) for each in frame(layer).geometry]


def counts(polygon: Layer, points: Layer, field: str) -> list[dict[str, Any]]:
    """For each polygon: points inside, and functions of a field of theirs; by geopandas' join."""
    zones = frame(polygon)[["geometry"]]
    joined = geopandas.sjoin(frame(points).to_crs(zones.crs), zones, predicate="within")
    rows = []
    for number, zone in enumerate(zones.geometry):
        values = joined[joined["index_right"] == number][field].astype(float)
        known = values.dropna()
        row: dict[str, Any] = {"count": len(values), "area": ground_area(zone, zones.crs)}
        row |= {each: None if known.empty else float(getattr(known, each)()) for each in ("sum", "mean", "min", "max")}
        rows.append(row)
    return rows


def places(layer: Layer) -> np.ndarray:
    """Points in degrees."""
    forth = Transformer.from_crs(layer["crs"], 4326, always_xy=True)
    xy = shapely.get_coordinates(shapely.from_wkt([wkt for wkt, _ in layer["rows"]]))
    return np.column_stack(forth.transform(xy[:, 0], xy[:, 1]))


def distances(one: Layer, two: Layer) -> np.ndarray:
    """Geodesics from every point to every point, in metres."""
    first, second = places(one), places(two)
    table = np.empty((len(first), len(second)))
    for row, (x, y) in enumerate(first):
        table[row] = GEOD.inv(np.full(len(second), x), np.full(len(second), y), second[:, 0], second[:, 1])[2]
    return table


def nearest(one: Layer, two: Layer, k: int, limit: float | None = None) -> list[list[Any]]:
    """(row, other row, rank, metres) of the k nearest, by brute force; None and None where nothing is within the limit."""
    rows: list[list[Any]] = []
    for number, each in enumerate(distances(one, two)):
        order = [int(other) for other in np.argsort(each, kind="stable")[:k] if limit is None or each[other] <= limit]
        rows += [[number, other, rank, float(each[other])] for rank, other in enumerate(order, 1)]
        if not order:
            rows.append([number, None, None, None])
    return rows


def plane_distances(points: Layer, shapes: Layer) -> np.ndarray:
    """From every point to the nearest place of every shape: shapely in an azimuthal equidistant plane around each point."""
    homes = [degrees(shapely.from_wkt(wkt), shapes["crs"]) for wkt, _ in shapes["rows"]]
    table = np.empty((len(points["rows"]), len(homes)))
    for row, (x, y) in enumerate(places(points)):
        forth = around(x, y)
        table[row] = [shapely.Point(0, 0).distance(moved(home, forth)) for home in homes]
    return table


def pairs(one: Layer, two: Layer, predicate: str) -> list[list[int]]:
    """Rows of both layers that are so related, by geopandas' join."""
    left = frame(one)
    joined = geopandas.sjoin(
        left[["geometry"]], frame(two).to_crs(left.crs)[["geometry"]], predicate=predicate, how="inner"
    )
    return sorted([int(row), int(other)] for row, other in zip(joined.index, joined["index_right"]))


def largest(one: Layer, two: Layer) -> list[int | None]:
    """For each feature the row of the other layer with which it shares most."""
    rights = list(frame(two).to_crs(one["crs"]).geometry)
    rows: list[int | None] = []
    for shape in frame(one).geometry:
        shares = [shape.intersection(each).area for each in rights]
        rows.append(int(np.argmax(shares)) if max(shares) > 0 else None)
    return rows


def merged(one: Layer, two: Layer, key: str, other_key: str, how: str) -> list[list[Any]]:
    """pandas' merge by keys, NULL matching nothing: (row, other row or None)."""
    left = pandas.DataFrame({"key": [row[key] for _, row in one["rows"]]})
    right = pandas.DataFrame({"key": [row[other_key] for _, row in two["rows"]]})
    left["row"], right["other"] = left.index, right.index
    table = left.merge(right.dropna(subset=["key"]), on="key", how=how).sort_values(["row", "other"])
    return [[int(a), None if pandas.isna(b) else int(b)] for a, b in zip(table["row"], table["other"])]


def groups(layer: Layer, keys: list[str], field: str, shapes: bool) -> list[dict[str, Any]]:
    """pandas' group-by with every function of a field, and the dissolved areas; sorted by the keys."""
    table = frame(layer) if shapes else pandas.DataFrame([row for _, row in layer["rows"]])
    rows = []
    for values, group in table.groupby(keys, dropna=False):
        known = group[field].astype(float).dropna()
        row: dict[str, Any] = {
            "key": [None if pandas.isna(each) else each for each in values],
            "rows": len(group),
            "count": len(known),
            "count_distinct": int(known.nunique()),
        }
        for name in ("sum", "mean", "median", "min", "max"):
            row[name] = None if known.empty else float(getattr(known, name)())
        if shapes:
            row["area"] = ground_area(group.geometry.union_all(), layer["crs"])
        rows.append(row)
    return rows


def derived(layer: Layer, kind: str) -> list[str]:
    """What shapely makes of each feature in the layer's plane, as WKT."""
    made: dict[str, Callable[[Any], Any]] = {
        "centroid": shapely.centroid,
        "convex_hull": shapely.convex_hull,
        "oriented_box": shapely.minimum_rotated_rectangle,
        "minimum_circle": shapely.minimum_bounding_circle,
        "bounding_box": shapely.envelope,
        "boundary": shapely.boundary,
    }
    return [shapely.to_wkt(made[kind](each), 12) for each in frame(layer).geometry]


def tessellation(layer: Layer, kind: str) -> dict[str, Any]:
    """Voronoi cells or Delaunay triangles by shapely: their number, and the areas of the bounded ones, in the plane."""
    shape = shapely.union_all(frame(layer).geometry)
    if kind == "delaunay":
        return {"areas": sorted(each.area for each in shapely.get_parts(shapely.delaunay_triangles(shape)))}
    cells = shapely.get_parts(shapely.voronoi_polygons(shape))
    hull = shapely.envelope(shape)
    return {"count": len(cells), "areas": sorted(each.area for each in cells if hull.contains(each))}


def differences(one: Layer, wkts: list[str]) -> list[float]:
    """The area in which each feature differs from a geometry, as share of it; for points and lines the Hausdorff distance."""
    shares = []
    for shape, wkt in zip(frame(one).geometry, wkts):
        other = shapely.from_wkt(wkt)
        flat = shapely.get_dimensions(other) < 2
        shares.append(
            shapely.hausdorff_distance(shape, other)
            if flat
            else shapely.symmetric_difference(shape, other).area / other.area
        )
    return shares


def reprojected(layer: Layer, crs: str) -> list[list[list[float]]]:
    """The vertices of each feature in another CRS, by pyproj."""
    forth = Transformer.from_crs(layer["crs"], crs, always_xy=True)
    answer = []
    for wkt, _ in layer["rows"]:
        xy = shapely.get_coordinates(shapely.from_wkt(wkt))
        answer.append(np.column_stack(forth.transform(xy[:, 0], xy[:, 1])).tolist())
    return answer


def vertices(layer: Layer) -> list[list[list[float]]]:
    """The vertices of each feature as they are."""
    return [shapely.get_coordinates(shapely.from_wkt(wkt)).tolist() for wkt, _ in layer["rows"]]


def circles(layer: Layer, x: float, y: float) -> list[list[float]]:
    """For each line: length in the plane, and least and greatest distance of its vertices from a place."""
    answer = []
    for wkt, _ in layer["rows"]:
        shape = shapely.from_wkt(wkt)
        radii = np.hypot(*(shapely.get_coordinates(shape) - [x, y]).T)
        answer.append([float(shape.length), float(radii.min()), float(radii.max())])
    return answer


QUESTIONS = (
    buffers,
    overlay,
    areas,
    counts,
    distances,
    nearest,
    plane_distances,
    pairs,
    largest,
    merged,
    groups,
    derived,
    tessellation,
    differences,
    reprojected,
    vertices,
    circles,
)
